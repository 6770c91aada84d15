//! How long to wait before a retry.
//!
//! A wait is made in steps, and every step is one field: a family gives a value
//! for retry n, the cap may cut it, jitter moves it, the cap may cut it again,
//! and rounding puts it on the grid of a timer. Libraries that look alike
//! differ in these steps and their order, so nearly all of them are settings of
//! one [`Backoff`]; only algorithms that feed on what they drew before are
//! families of their own (`backoff/chain.rs`).
//!
//! What is not here: whether to retry at all, and what the server asked for.

mod chain;
mod growth;
mod jitter;

use std::sync::Arc;

use crate::law::Law;
use crate::time::Duration;

pub use chain::Memory;
use growth::{before, grow, sampled};
pub(super) use jitter::Wait;
pub use jitter::{AtCap, Clamp, First, Jitter, Round};

/// How the value grows from one retry to the next, before jitter.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// Retry at once.
    None,
    /// Always the base.
    Constant,
    /// The base, and one step more for each further retry.
    Linear {
        /// What each retry adds.
        step: Duration,
    },
    /// The base times the factor to the power of n − 1 (of n, if the first
    /// exponent is 1).
    Exponential,
    /// Like exponential, but each interval is cut to whole milliseconds before
    /// the next one grows from it.
    WholeExponential,
    /// Doubles in whole milliseconds and goes to the cap from half of it on,
    /// even where doubling would fall one short.
    Doubling,
    /// The wait before, jitter included, times the factor. The first is the base.
    Compounding,
    /// These waits in order; the last one repeats.
    Table(Arc<[Duration]>),
    /// A draw from a law.
    Random(Arc<Law>),
    /// Uniform between the base and three times the wait before (the base at
    /// first), at most the cap: the decorrelated jitter of the AWS blog.
    Decorrelated,
    /// The base at first, then uniform between the wait before and three times
    /// it, at most the cap: Finagle's decorrelated jitter.
    FinagleDecorrelated,
    /// The base at first, then uniform between 0 and the wait before times
    /// 2^(n−1); the cap for ever once that product reaches it.
    FinagleExponential,
    /// The base at first, then h plus uniform up to h, h = base × 2^(n−2); the
    /// cap for ever once h or the sum reaches it.
    FinagleEqual,
    /// The differences of 2^t × tanh(√(4t)) at t = n − 1 + u, times base / 1.4:
    /// the decorrelated jitter of Polly, version 2.
    PollyV2,
    /// All waits of a call are drawn before the first and put in ascending
    /// order; see [`Backoff::wait`] for how that is done without a list.
    Sorted {
        /// How many waits there are in the sequence.
        retries: u32,
    },
}

/// The waits of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    /// How the value grows.
    pub family: Family,
    /// Where it starts.
    pub base: Duration,
    /// Where it starts after an error that says "slow down", if that differs.
    pub throttled_base: Option<Duration>,
    /// The growth from one retry to the next, of the families that multiply.
    pub factor: f64,
    /// The exponent of the factor at the first retry: 0, or 1 in libraries that
    /// count before they compute.
    pub first_exponent: u8,
    /// No value is above it, as `clamp` says.
    pub cap: Duration,
    /// No value is below it, as `clamp` says. It wins over a smaller cap.
    pub least: Duration,
    /// Whether cap and least apply before jitter, after it, or both.
    pub clamp: Clamp,
    /// What chance does to the value.
    pub jitter: Jitter,
    /// What is special about the first wait.
    pub first: First,
    /// What is special at the cap.
    pub at_cap: AtCap,
    /// The grid of the timer.
    pub round: Round,
}

/// The six strategies that need no more than a base, a factor and a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Retry at once.
    None,
    /// Always the base.
    Constant,
    /// n times the base, at most the cap.
    Linear,
    /// `min(cap, base × factor^(n−1))`: the ceiling of retry n.
    Exponential,
    /// Uniform between 0 and the ceiling.
    FullJitter,
    /// Half the ceiling, and uniform up to the other half.
    EqualJitter,
    /// Uniform between the base and three times the wait before (the base at
    /// first), at most the cap.
    DecorrelatedJitter,
}

impl Backoff {
    /// Retry at once.
    pub const NONE: Self = Self {
        family: Family::None,
        base: Duration::ZERO,
        throttled_base: None,
        factor: 2.0,
        first_exponent: 0,
        cap: Duration::MAX,
        least: Duration::ZERO,
        clamp: Clamp::Before,
        jitter: Jitter::None,
        first: First::Jittered,
        at_cap: AtCap::Jittered,
        round: Round::No,
    };

    /// One of the common strategies, doubling from `base` to `cap`. Full, equal
    /// and decorrelated jitter are those of Marc Brooker, "Exponential Backoff
    /// And Jitter", AWS Architecture Blog, 2015.
    pub const fn new(strategy: Strategy, base: Duration, cap: Duration) -> Self {
        let (family, jitter) = match strategy {
            Strategy::None => (Family::None, Jitter::None),
            Strategy::Constant => (Family::Constant, Jitter::None),
            Strategy::Linear => (Family::Linear { step: base }, Jitter::None),
            Strategy::Exponential => (Family::Exponential, Jitter::None),
            Strategy::FullJitter => (Family::Exponential, Jitter::FULL),
            Strategy::EqualJitter => (Family::Exponential, Jitter::EQUAL),
            Strategy::DecorrelatedJitter => (Family::Decorrelated, Jitter::None),
        };
        Self { family, base, cap, jitter, ..Self::NONE }
    }

    /// Whether it ever waits, rather than retry at once. A wait may be zero all
    /// the same, if base and jitter make it so.
    pub fn waits(&self) -> bool {
        match &self.family {
            Family::None => false,
            Family::Table(waits) => waits.iter().any(|wait| !wait.is_zero()),
            Family::Random(law) => **law != Law::Constant(Duration::ZERO),
            _ => true,
        }
    }

    /// Whether a wait depends on a draw.
    #[inline]
    pub fn is_random(&self) -> bool {
        match self.family {
            Family::None => false,
            Family::Random(_)
            | Family::Decorrelated
            | Family::FinagleDecorrelated
            | Family::FinagleExponential
            | Family::FinagleEqual
            | Family::PollyV2 => true,
            _ => !matches!(self.jitter, Jitter::None),
        }
    }

    /// The wait before retry `n` (the first is 1). `memory` is that of the call
    /// and starts empty; `draw` gives a number in [0, 1) and is called at most
    /// once.
    ///
    /// A sorted family whose factor is 2 or more is in order already when its
    /// jitter at most doubles a wait, so each retry takes its own draw. With a
    /// smaller factor the first draw is kept and stands for the whole sequence:
    /// the n-th smallest is found again at each retry.
    pub fn wait(&self, n: u32, memory: &mut Memory, draw: impl FnOnce() -> f64) -> Duration {
        self.wait_from(self.base, Duration::ZERO, n, memory, self.draw(draw))
    }

    /// [`Self::wait`] after a failure that says "slow down".
    pub fn throttled_wait(
        &self,
        n: u32,
        memory: &mut Memory,
        draw: impl FnOnce() -> f64,
    ) -> Duration {
        self.wait_from(self.base_for(true), Duration::ZERO, n, memory, self.draw(draw))
    }

    /// A draw, if a wait depends on one.
    #[inline]
    pub(super) fn draw(&self, draw: impl FnOnce() -> f64) -> f64 {
        if self.is_random() { draw() } else { 0.0 }
    }

    /// Where the value starts after a failure that says "slow down", or another.
    #[inline]
    pub(super) fn base_for(&self, throttled: bool) -> Duration {
        match self.throttled_base {
            Some(base) if throttled => base,
            _ => self.base,
        }
    }

    /// The wait before retry `n` from this base, where the value before jitter
    /// is at least `lift`, at the point `u` of what chance may do.
    #[inline]
    pub(super) fn wait_from(
        &self,
        base: Duration,
        lift: Duration,
        n: u32,
        memory: &mut Memory,
        u: f64,
    ) -> Duration {
        if matches!(self.family, Family::None) && lift.is_zero() {
            return Duration::ZERO;
        }
        if let Some(grown) = self.grown(base, n) {
            return self.finish(self.jittered(grown, base, lift, n).at(u));
        }
        match &self.family {
            Family::WholeExponential => {
                let grown = self.whole_power(base, n, memory);
                self.finish(self.jittered(grown, base, lift, n).at(u))
            }
            Family::Compounding => {
                let grown = memory.last().map_or(base, |last| grow(last, self.factor));
                let wait = self.finish(self.jittered(grown, base, lift, n).at(u));
                memory.keep(wait);
                wait
            }
            Family::Random(law) => self.clamped(self.round.apply(sampled(law, u).max(lift))),
            Family::Decorrelated => {
                // The next wait grows from this one as the call waits it.
                let wait = self.finish(self.chained(base, n, memory, u).max(lift));
                memory.keep(wait);
                wait
            }
            _ => self.finish(self.chained(base, n, memory, u).max(lift)),
        }
    }

    /// The value of retry `n`, of the families without a memory and a law.
    #[inline]
    fn grown(&self, base: Duration, n: u32) -> Option<Duration> {
        Some(match &self.family {
            Family::None => Duration::ZERO,
            Family::Constant => base,
            Family::Exponential => self.power(base, n),
            Family::Linear { step } => {
                base + Duration::from_nanos(step.as_nanos().saturating_mul(u64::from(before(n))))
            }
            Family::Doubling => self.doubled(base, n),
            Family::Table(waits) => {
                waits.get(before(n) as usize).or(waits.last()).copied().unwrap_or(Duration::ZERO)
            }
            _ => return None,
        })
    }

    /// The value after cap and jitter, before the second cap.
    #[inline]
    fn jittered(&self, grown: Duration, base: Duration, lift: Duration, n: u32) -> Wait {
        let value = if self.clamp.before() { self.clamped(grown) } else { grown }.max(lift);
        match self.first {
            First::Zero if n <= 1 => return Wait::Fixed(lift),
            First::Plain if n <= 1 => return Wait::Fixed(value),
            _ => {}
        }
        match self.at_cap {
            AtCap::PlainBeyond if grown > self.cap => return Wait::Fixed(value),
            AtCap::PlainFromBase if base >= self.cap => return Wait::Fixed(value),
            _ => {}
        }
        self.jitter.of(value, self.round.slack())
    }

    /// The wait before retry `n` but for its draw, where that is all there is
    /// to know: in a family without a memory, on no grid, and without a cap
    /// after jitter.
    pub(super) fn prepared(&self, n: u32) -> Option<Wait> {
        if self.round != Round::No || self.clamp.after() || self.throttled_base.is_some() {
            return None;
        }
        let grown = self.grown(self.base, n)?;
        if matches!(self.family, Family::None) {
            return Some(Wait::Fixed(grown));
        }
        Some(self.jittered(grown, self.base, Duration::ZERO, n))
    }

    /// The value on the grid of the timer and inside its limits.
    #[inline]
    fn finish(&self, value: Duration) -> Duration {
        let wait = self.round.apply(value);
        if self.clamp.after() { self.clamped(wait) } else { wait }
    }

    #[inline]
    fn clamped(&self, value: Duration) -> Duration {
        value.min(self.cap).max(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::NANOS_PER_MILLI;

    fn backoff(strategy: Strategy) -> Backoff {
        Backoff::new(strategy, Duration::from_millis(100), Duration::from_secs(1))
    }

    fn waits(backoff: &Backoff, u: f64) -> Vec<u64> {
        let mut memory = Memory::EMPTY;
        (1..=5).map(|n| backoff.wait(n, &mut memory, || u).as_nanos() / NANOS_PER_MILLI).collect()
    }

    #[test]
    fn each_strategy_at_the_middle_of_its_range() {
        for (strategy, expected) in [
            (Strategy::None, [0, 0, 0, 0, 0]),
            (Strategy::Constant, [100, 100, 100, 100, 100]),
            (Strategy::Linear, [100, 200, 300, 400, 500]),
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
            for backoff in [&backoff(Strategy::Exponential), &steep] {
                let wait = backoff.wait(n, &mut Memory::default(), || 0.0);
                assert!(wait <= Duration::from_secs(1), "retry {n}");
            }
        }
    }
}
