//! The decision after a failed attempt, with its reason.

use super::backoff::Backoff;
use super::budget::Budget;
use crate::time::Duration;

/// What the caller saw of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An answer with this HTTP status.
    Status(u16),
    /// No answer within the attempt's timeout.
    Timeout,
}

impl Failure {
    /// Whether a repeat may end better: 408, 429, 500, 502, 503, 504 and
    /// timeouts. Any other status says that the request itself is at fault.
    pub const fn may_pass(self) -> bool {
        match self {
            Self::Status(status) => matches!(status, 408 | 429 | 500 | 502 | 503 | 504),
            Self::Timeout => true,
        }
    }

    /// The status that a service hands up when a call of its own has failed
    /// like this: the status it got, 504 after a timeout.
    pub const fn status_handed_up(self) -> u16 {
        match self {
            Self::Status(status) => status,
            Self::Timeout => 504,
        }
    }
}

/// Why a call is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It would fail the same way again.
    NotRetryable,
    /// All attempts are used.
    AttemptsExhausted,
    /// The budget has no token for the retry.
    BudgetDenied,
}

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send another attempt after this wait.
    RetryAfter(Duration),
    /// Report the failure to the caller.
    GiveUp(Reason),
}

/// What a policy must know of the call so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Attempts sent, the first included.
    pub attempts: u32,
    /// The wait before the last attempt; zero before the first retry.
    pub previous_wait: Duration,
}

/// When to retry, and after how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// All attempts of a call, the first included; `None` is without limit.
    pub max_attempts: Option<u32>,
    /// The waits.
    pub backoff: Backoff,
}

impl RetryPolicy {
    /// One attempt, no retry.
    pub const NEVER: Self = Self { max_attempts: Some(1), backoff: Backoff::NONE };

    /// Decides what follows a failed attempt: would a retry help, is an
    /// attempt left, how long to wait, does the budget allow it. The budget is
    /// charged only when everything else said yes; `draw` gives a number in
    /// [0, 1) and is called at most once.
    #[inline]
    pub fn decide(
        &self,
        failure: Failure,
        progress: Progress,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
    ) -> Decision {
        if !failure.may_pass() {
            return Decision::GiveUp(Reason::NotRetryable);
        }
        if self.max_attempts.is_some_and(|most| progress.attempts >= most) {
            return Decision::GiveUp(Reason::AttemptsExhausted);
        }
        if budget.is_some_and(|budget| !budget.withdraw()) {
            return Decision::GiveUp(Reason::BudgetDenied);
        }
        Decision::RetryAfter(self.backoff.wait(progress.attempts, progress.previous_wait, draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Fill, TokenBucket};

    const THREE: RetryPolicy = RetryPolicy { max_attempts: Some(3), backoff: Backoff::NONE };

    fn decide(failure: Failure, attempts: u32, budget: Option<&mut Budget>) -> Decision {
        let progress = Progress { attempts, previous_wait: Duration::ZERO };
        THREE.decide(failure, progress, || 0.5, budget)
    }

    #[test]
    fn says_why_it_stops() {
        let empty = TokenBucket { ratio_millis: 0, reserve_millis: 0, fill: Fill::OnCall };
        let mut budget = Budget::new(empty);
        let retry = Decision::RetryAfter(Duration::ZERO);
        assert_eq!(decide(Failure::Status(503), 1, None), retry);
        assert_eq!(decide(Failure::Timeout, 2, None), retry);
        assert_eq!(decide(Failure::Status(404), 1, None), Decision::GiveUp(Reason::NotRetryable));
        assert_eq!(decide(Failure::Timeout, 3, None), Decision::GiveUp(Reason::AttemptsExhausted));
        assert_eq!(
            decide(Failure::Timeout, 1, Some(&mut budget)),
            Decision::GiveUp(Reason::BudgetDenied)
        );
    }

    #[test]
    fn a_refused_retry_costs_no_token() {
        let one = TokenBucket { ratio_millis: 0, reserve_millis: 1_000, fill: Fill::OnCall };
        let mut budget = Budget::new(one);
        let _ = decide(Failure::Status(404), 1, Some(&mut budget));
        let _ = decide(Failure::Timeout, 3, Some(&mut budget));
        assert_eq!(budget.level_millis(), 1_000);
    }
}
