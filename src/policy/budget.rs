//! Retry budgets: a limit on retries that all calls of one owner share.
//!
//! A retry storm feeds on its own failures. A limit for each call cannot stop
//! it, since the number of failing calls is what grows; a budget can, because
//! it ties all retries together to the traffic that is not retried. Tokens are
//! counted in thousandths, as integers: floating point loses a call every few
//! requests and with it the exact published counts.

/// Thousandths of a token in a token.
pub const MILLIS_PER_TOKEN: u64 = 1_000;

/// What puts tokens into a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Every call, at its start.
    OnCall,
    /// A call that succeeds at its first attempt.
    OnSuccess,
    /// Every call that succeeds, retried or not.
    OnAnySuccess,
}

/// The settings of a token bucket. It starts full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// Thousandths of a token that one filling event adds.
    pub ratio_millis: u64,
    /// Thousandths of a token that fit; also what it starts with.
    pub reserve_millis: u64,
    /// What fills it.
    pub fill: Fill,
}

/// A bucket in use: the settings with their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    settings: TokenBucket,
    level_millis: u64,
}

impl Budget {
    /// A full bucket.
    pub const fn new(settings: TokenBucket) -> Self {
        Self { settings, level_millis: settings.reserve_millis }
    }

    /// A call begins.
    pub fn call_started(&mut self) {
        if self.settings.fill == Fill::OnCall {
            self.deposit();
        }
    }

    /// A call succeeded, after `attempts` attempts.
    pub fn call_succeeded(&mut self, attempts: u32) {
        let fills = match self.settings.fill {
            Fill::OnCall => false,
            Fill::OnSuccess => attempts == 1,
            Fill::OnAnySuccess => true,
        };
        if fills {
            self.deposit();
        }
    }

    /// Takes one token for a retry, if there is one.
    #[must_use]
    pub fn withdraw(&mut self) -> bool {
        let pays = self.level_millis >= MILLIS_PER_TOKEN;
        if pays {
            self.level_millis -= MILLIS_PER_TOKEN;
        }
        pays
    }

    /// The level, in thousandths of a token.
    pub const fn level_millis(&self) -> u64 {
        self.level_millis
    }

    fn deposit(&mut self) {
        let filled = self.level_millis.saturating_add(self.settings.ratio_millis);
        self.level_millis = filled.min(self.settings.reserve_millis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenth(fill: Fill) -> Budget {
        Budget::new(TokenBucket { ratio_millis: 100, reserve_millis: 10_000, fill })
    }

    /// Calls that always fail, at most two retries each: the budget allows
    /// `min(2 N, floor(10 + 0.1 (N - 1)))` retries in all.
    #[test]
    fn retries_in_a_total_outage_follow_the_closed_form() {
        for calls in [1, 5, 6, 10, 11, 21, 31, 100, 1_000, 10_000] {
            let mut budget = tenth(Fill::OnCall);
            let mut retries = 0;
            for _ in 0..calls {
                budget.call_started();
                retries += (0..2).take_while(|_| budget.withdraw()).count();
            }
            assert_eq!(retries, (2 * calls).min((100 + calls - 1) / 10), "{calls} calls");
        }
    }

    #[test]
    fn only_its_own_event_fills_it() {
        for (fill, expected) in [(Fill::OnCall, 1), (Fill::OnSuccess, 1), (Fill::OnAnySuccess, 2)] {
            let mut budget = tenth(fill);
            while budget.withdraw() {}
            budget.call_started();
            budget.call_succeeded(1);
            budget.call_succeeded(2);
            assert_eq!(budget.level_millis(), expected * 100, "{fill:?}");
        }
    }

    #[test]
    fn never_holds_more_than_its_reserve() {
        let mut budget = tenth(Fill::OnCall);
        budget.call_started();
        assert_eq!(budget.level_millis(), 10_000);
    }
}
