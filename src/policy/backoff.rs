//! How long to wait before a retry.
//!
//! Five strategies over one growing ceiling, `min(cap, base × factor^(n−1))`
//! for retry n (the first is 1). Jitter is drawn below the ceiling, so a wait
//! never exceeds the cap. Full, equal and decorrelated jitter are those of
//! Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

use crate::math;
use crate::time::{Duration, NANOS_PER_MILLI};

/// The shape of the waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Retry at once.
    None,
    /// Always the base.
    Constant,
    /// The ceiling itself.
    Exponential,
    /// Uniform between 0 and the ceiling.
    FullJitter,
    /// Half the ceiling, and uniform up to the other half.
    EqualJitter,
    /// Uniform between the base and three times the wait before (the base at
    /// first), at most the cap.
    DecorrelatedJitter,
}

/// A strategy with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The shape of the waits.
    pub strategy: Strategy,
    /// The ceiling of the first wait.
    pub base: Duration,
    /// The growth of the ceiling from one retry to the next.
    pub factor: f64,
    /// The ceiling never exceeds it.
    pub cap: Duration,
    /// Cut waits to whole milliseconds, as timers in many libraries do.
    pub floor_to_millis: bool,
}

impl Backoff {
    /// Retry at once.
    pub const NONE: Self = Self {
        strategy: Strategy::None,
        base: Duration::ZERO,
        factor: 2.0,
        cap: Duration::MAX,
        floor_to_millis: false,
    };

    /// Whether a wait depends on a draw.
    pub const fn is_random(&self) -> bool {
        matches!(
            self.strategy,
            Strategy::FullJitter | Strategy::EqualJitter | Strategy::DecorrelatedJitter
        )
    }

    /// The wait before retry `n` (the first is 1) after a wait of `previous`
    /// (zero before the first). `draw` gives a number in [0, 1) and is called
    /// once if the strategy is random, else never.
    #[inline]
    pub fn wait(&self, n: u32, previous: Duration, draw: impl FnOnce() -> f64) -> Duration {
        let wait = match self.strategy {
            Strategy::None => return Duration::ZERO,
            Strategy::Constant => self.base.min(self.cap),
            Strategy::Exponential => self.ceiling(n),
            Strategy::FullJitter => portion(self.ceiling(n), draw()),
            Strategy::EqualJitter => {
                let ceiling = self.ceiling(n).as_nanos() as f64;
                Duration::from_nanos_f64(ceiling / 2.0 + ceiling / 2.0 * draw())
            }
            Strategy::DecorrelatedJitter => {
                let base = self.base.as_nanos() as f64;
                let high = previous.max(self.base).as_nanos() as f64 * 3.0;
                Duration::from_nanos_f64(base + (high - base) * draw()).min(self.cap)
            }
        };
        if self.floor_to_millis {
            return Duration::from_millis(wait.as_nanos() / NANOS_PER_MILLI);
        }
        wait
    }

    /// The ceiling of retry `n`: `min(cap, base × factor^(n−1))`.
    #[inline]
    fn ceiling(&self, n: u32) -> Duration {
        let exponent = n.saturating_sub(1);
        // Doubling is the common case, and shifting is exact and quick.
        if self.factor == 2.0 {
            let base = self.base.as_nanos();
            let fits = exponent < base.leading_zeros();
            let grown = if fits { base << exponent } else { u64::MAX };
            let grown = if base == 0 { 0 } else { grown };
            return Duration::from_nanos(grown).min(self.cap);
        }
        let grown = self.base.as_nanos() as f64 * math::pow(self.factor, f64::from(exponent));
        Duration::from_nanos_f64(grown).min(self.cap)
    }
}

/// The share `u` of a length.
fn portion(length: Duration, u: f64) -> Duration {
    Duration::from_nanos_f64(length.as_nanos() as f64 * u)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backoff(strategy: Strategy) -> Backoff {
        Backoff {
            strategy,
            base: Duration::from_millis(100),
            factor: 2.0,
            cap: Duration::from_secs(1),
            floor_to_millis: false,
        }
    }

    fn waits(backoff: &Backoff, u: f64) -> Vec<u64> {
        let mut previous = Duration::ZERO;
        (1..=5)
            .map(|n| {
                previous = backoff.wait(n, previous, || u);
                previous.as_nanos() / NANOS_PER_MILLI
            })
            .collect()
    }

    #[test]
    fn each_strategy_at_the_middle_of_its_range() {
        for (strategy, expected) in [
            (Strategy::None, [0, 0, 0, 0, 0]),
            (Strategy::Constant, [100, 100, 100, 100, 100]),
            (Strategy::Exponential, [100, 200, 400, 800, 1000]),
            (Strategy::FullJitter, [50, 100, 200, 400, 500]),
            (Strategy::EqualJitter, [75, 150, 300, 600, 750]),
            (Strategy::DecorrelatedJitter, [200, 350, 575, 912, 1000]),
        ] {
            assert_eq!(waits(&backoff(strategy), 0.5), expected, "{strategy:?}");
        }
    }

    #[test]
    fn a_ceiling_that_overflows_is_the_cap() {
        let steep = Backoff { factor: 1e300, ..backoff(Strategy::Exponential) };
        for n in [1, 2, 64, 65, u32::MAX] {
            let doubled = backoff(Strategy::Exponential).wait(n, Duration::ZERO, || 0.0);
            assert!(doubled <= Duration::from_secs(1), "retry {n}");
            assert!(steep.wait(n, Duration::ZERO, || 0.0) <= Duration::from_secs(1), "retry {n}");
        }
    }
}
