//! A policy made ready for many decisions.

use super::backoff::Wait;
use super::budget::Budget;
use super::retry::{Decision, Failed, Progress, RetryPolicy};
use crate::time::Duration;

/// The waits of so many retries are worked out in advance at most.
const MOST: u32 = 64;

/// A [`RetryPolicy`] whose waits are worked out in advance, up to their draws,
/// where they do not depend on one another. It decides as the policy does.
#[derive(Clone, Debug)]
pub struct Prepared<'p> {
    policy: &'p RetryPolicy,
    /// Of each retry in turn; none beyond these is known in advance.
    waits: Box<[Wait]>,
}

impl<'p> Prepared<'p> {
    /// Makes a policy ready.
    pub fn new(policy: &'p RetryPolicy) -> Self {
        let retries = policy.max_attempts.map_or(MOST, |most| most.saturating_sub(1));
        let waits = (1..=retries.min(MOST)).map_while(|n| policy.backoff.prepared(n)).collect();
        Self { policy, waits }
    }

    /// What [`RetryPolicy::decide`] decides, in less time.
    #[inline]
    pub fn decide(
        &self,
        failed: impl Into<Failed>,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
    ) -> Decision {
        self.policy.weigh(failed.into(), progress, draw, budget, |n| self.known(n)).decision
    }

    /// The wait before the next attempt, where nothing but their number ends
    /// the attempts; none if they are used up.
    #[inline]
    pub fn next_wait(
        &self,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
    ) -> Option<Duration> {
        let policy = self.policy;
        if policy.max_attempts.is_some_and(|most| progress.attempts >= most) {
            return None;
        }
        Some(policy.own_wait(|| policy.backoff.base, progress, draw, |n| self.known(n)))
    }

    #[inline]
    fn known(&self, n: u32) -> Option<Wait> {
        self.waits.get(n.wrapping_sub(1) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::backoff::{AtCap, Clamp, First, Round};
    use crate::policy::{Backoff, Failure, Family, Jitter, Strategy as Named};
    use proptest::prelude::*;
    use proptest::sample::select;

    fn backoffs() -> impl Strategy<Value = Backoff> {
        let millis = Duration::from_millis;
        let families = vec![
            Family::None,
            Family::Constant,
            Family::Linear { step: millis(7) },
            Family::Exponential,
            Family::WholeExponential,
            Family::Doubling,
            Family::Compounding,
            Family::Table(vec![millis(3), millis(50)].into()),
            Family::Decorrelated,
        ];
        let jitters = vec![
            Jitter::None,
            Jitter::FULL,
            Jitter::symmetric(0.3),
            Jitter::within(millis(4)),
            Jitter::Above { low: millis(20) },
        ];
        let shape = (select(families), select(jitters), prop_oneof![Just(2.0), 1.0..3.0]);
        let edges = (
            select(vec![Clamp::Before, Clamp::After, Clamp::Both]),
            select(vec![First::Jittered, First::Plain, First::Zero]),
            select(vec![AtCap::Jittered, AtCap::PlainBeyond, AtCap::PlainFromBase]),
            prop_oneof![4 => Just(Round::No), 1 => Just(Round::FloorMillis)],
        );
        let lengths = (0..200_u64, 0..2_000_u64, 0..2_u64, prop::option::of(0..500_u64));
        (shape, edges, lengths).prop_map(move |(shape, edges, (base, cap, least, throttled))| {
            let (family, jitter, factor) = shape;
            let (clamp, first, at_cap, round) = edges;
            Backoff {
                family,
                base: millis(base),
                throttled_base: throttled.map(millis),
                factor,
                first_exponent: 0,
                cap: millis(cap),
                least: millis(least),
                clamp,
                jitter,
                first,
                at_cap,
                round,
            }
        })
    }

    proptest! {
        #![proptest_config(crate::testing::cases(512))]

        /// Every decision of a call is that of the policy, and so is what the
        /// call remembers.
        #[test]
        fn it_decides_as_the_policy_does(
            backoff in backoffs(),
            most in prop::option::of(1..80_u32),
            u in 0.0..1.0,
            throttled in any::<bool>(),
        ) {
            let policy = RetryPolicy { max_attempts: most, backoff, ..RetryPolicy::NEVER };
            let prepared = Prepared::new(&policy);
            let failure = Failure::Status(if throttled { 429 } else { 503 });
            let (mut one, mut other) = (Progress::default(), Progress::default());
            for attempt in 1..=80 {
                (one.attempts, other.attempts) = (attempt, attempt);
                prop_assert_eq!(
                    prepared.decide(failure, &mut one, || u, None),
                    policy.decide(failure, &mut other, || u, None)
                );
                prop_assert_eq!(one, other);
            }
        }
    }

    /// Without waits in advance nothing would be gained.
    #[test]
    fn common_waits_are_known_in_advance() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
        let known = |strategy| {
            let backoff = Backoff::new(strategy, base, cap);
            let policy = RetryPolicy { max_attempts: Some(6), backoff, ..RetryPolicy::NEVER };
            Prepared::new(&policy).waits.len()
        };
        for strategy in [Named::Constant, Named::Exponential, Named::FullJitter] {
            assert_eq!(known(strategy), 5, "{strategy:?}");
        }
        assert_eq!(known(Named::DecorrelatedJitter), 0, "each feeds on the one before");
    }
}
