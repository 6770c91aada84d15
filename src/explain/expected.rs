//! The mean of a wait that feeds on no draw before it: exactly, where the wait
//! is uniform before rounding and cap, else by integrating over the draw.

use std::ops::Range;

use crate::policy::backoff::{AtCap, Clamp, Round};
use crate::policy::{Backoff, Family, Jitter, Memory};
use crate::time::{Duration, NANOS_PER_MILLI, NANOS_PER_SECOND};

/// The mean of a wait, and how well it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// The mean, in nanoseconds.
    pub nanos: f64,
    /// The mean is off by no more than this, in nanoseconds; zero if it is exact.
    pub error: f64,
    /// The share of waits that are all the same because the cap cut them.
    pub at_cap: f64,
}

/// Draws of the integration, one in the middle of each of so many equal parts.
const DRAWS: u32 = 65_536;

/// Waits are whole nanoseconds, so three points of a straight line miss it by
/// so much at most.
const STRAIGHT: f64 = 2.0;

impl Expected {
    /// A wait that is always the same.
    pub(super) fn always(wait: Duration, cap: Duration) -> Self {
        let at_cap = if wait == cap { 1.0 } else { 0.0 };
        Self { nanos: wait.as_nanos() as f64, error: 0.0, at_cap }
    }

    /// The mean wait before retry `n`, from what the call remembers.
    pub(super) fn of(backoff: &Backoff, n: u32, memory: Memory) -> Self {
        if let Family::Random(law) = &backoff.family {
            return Self::of_law(backoff, law.support(), law.mean_nanos());
        }
        uniform(backoff, n, memory)
            .map_or_else(|| Self::integrated(backoff, n, memory), |ends| landing(backoff, &ends))
    }

    /// Integrates over the draw. A wait never falls when its draw rises, or
    /// never rises, so the middles of parts miss the mean by half a part of the
    /// range at most.
    fn integrated(backoff: &Backoff, n: u32, memory: Memory) -> Self {
        let wait = |u: f64| {
            let mut memory = memory;
            backoff.wait(n, &mut memory, || u)
        };
        let nanos = |u| wait(u).as_nanos() as f64;
        let width = (nanos(1.0 - f64::EPSILON / 2.0) - nanos(0.0)).abs();
        let cut = |wait| wait == backoff.cap && (is_cut_last(backoff) || width == 0.0);
        let part = 1.0 / f64::from(DRAWS);
        let (mut sum, mut at_cap) = (0.0, 0.0);
        for draw in 0..DRAWS {
            let wait = wait((f64::from(draw) + 0.5) * part);
            sum += wait.as_nanos() as f64 * part;
            at_cap += if cut(wait) { part } else { 0.0 };
        }
        Self { nanos: sum, error: width * part / 2.0, at_cap }
    }

    /// The mean of a law that no limit cuts; with limits, integrated.
    fn of_law(backoff: &Backoff, (low, high): (Duration, Duration), mean: f64) -> Self {
        if low >= backoff.least && high <= backoff.cap {
            let error = if backoff.round == Round::No { 0.0 } else { step(backoff.round) };
            return Self { nanos: mean, error, at_cap: 0.0 };
        }
        Self::integrated(backoff, 1, Memory::EMPTY)
    }
}

/// Whether the cap comes after what chance does.
fn is_cut_last(backoff: &Backoff) -> bool {
    backoff.clamp != Clamp::Before || matches!(backoff.family, Family::Random(_))
}

/// The ends between which the wait is uniform before it is rounded and cut to
/// the cap; `None` if it is not.
fn uniform(backoff: &Backoff, n: u32, memory: Memory) -> Option<Range<f64>> {
    let bare = match backoff.clamp {
        Clamp::Before => Backoff { round: Round::No, ..backoff.clone() },
        Clamp::Both => Backoff { round: Round::No, clamp: Clamp::Before, ..backoff.clone() },
        Clamp::After if backoff.at_cap != AtCap::Jittered => return None,
        Clamp::After if backoff.family == Family::Doubling => return None,
        Clamp::After => Backoff {
            round: Round::No,
            cap: Duration::MAX,
            least: Duration::ZERO,
            ..backoff.clone()
        },
    };
    let wait = |backoff: &Backoff, u: f64| {
        let mut memory = memory;
        backoff.wait(n, &mut memory, || u).as_nanos() as f64
    };
    let (low, high) = (wait(&bare, 0.0), wait(&bare, 1.0));
    if (2.0 * wait(&bare, 0.5) - low - high).abs() > STRAIGHT {
        return None;
    }
    // Whoever draws a whole number of steps may draw the last one too.
    let is_drawn = low != high || wait(backoff, 0.0) != wait(backoff, 1.0 - f64::EPSILON);
    let slack =
        if is_drawn && backoff.jitter != Jitter::None { backoff.round.slack() } else { 0.0 };
    let (low, high) = (low.min(high + slack), low.max(high + slack));
    Some(low..high)
}

/// The mean of what becomes of a uniform length on the grid of the timer and
/// inside the limits that come last.
fn landing(backoff: &Backoff, ends: &Range<f64>) -> Expected {
    let (mut least, mut cap) = (0.0, f64::INFINITY);
    if backoff.clamp != Clamp::Before {
        least = backoff.least.as_nanos() as f64;
        cap = (backoff.cap.as_nanos() as f64).max(least);
    }
    let limit = backoff.cap.as_nanos() as f64;
    if ends.start == ends.end {
        let wait = Duration::from_nanos_f64(ends.start);
        let wait = backoff.round.apply(wait).as_nanos() as f64;
        let nanos = wait.clamp(least, cap);
        return Expected { nanos, error: 0.0, at_cap: f64::from(u8::from(nanos == limit)) };
    }
    let step = step(backoff.round);
    let shift = if backoff.round == Round::NearestMillis { step / 2.0 } else { 0.0 };
    // The lengths from which on the rounded one is at least so long.
    let reaches = |limit: f64| {
        if backoff.round == Round::No { limit } else { (limit / step).ceil() * step - shift }
    };
    let (from, to) = (reaches(least), reaches(cap));
    let (low, high) = (from.clamp(ends.start, ends.end), to.clamp(ends.start, ends.end));
    let middle = if backoff.round == Round::No {
        (high - low) * f64::midpoint(low, high)
    } else {
        stairs(high + shift, step) - stairs(low + shift, step)
    };
    let width = ends.end - ends.start;
    let (below, above) = ((low - ends.start) / width, (ends.end - high) / width);
    let nanos = below * least + middle / width + if above > 0.0 { above * cap } else { 0.0 };
    Expected { nanos, error: 0.0, at_cap: if cap == limit { above } else { 0.0 } }
}

/// The integral from 0 to x of what is left of a number when it is cut to
/// whole steps.
fn stairs(x: f64, step: f64) -> f64 {
    let whole = (x / step).floor();
    step * step * whole * (whole - 1.0) / 2.0 + step * whole * (x - whole * step)
}

/// The step of the timer's grid, in nanoseconds.
fn step(round: Round) -> f64 {
    match round {
        Round::No => 1.0,
        Round::FloorMillis | Round::NearestMillis | Round::WholeMillis => NANOS_PER_MILLI as f64,
        Round::WholeSeconds => NANOS_PER_SECOND as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::policy::{Strategy, preset};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn mean(backoff: &Backoff, n: u32) -> Expected {
        Expected::of(backoff, n, Memory::EMPTY)
    }

    fn millis(expected: Expected) -> f64 {
        assert_eq!(expected.error, 0.0, "it is not exact");
        expected.nanos / 1e6
    }

    fn named(name: &str) -> Backoff {
        preset::find(name).expect("it is a preset").policy.backoff.clone()
    }

    #[test]
    fn means_of_uniform_waits() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
        for (strategy, means) in [
            (Strategy::Constant, [100.0, 100.0, 100.0]),
            (Strategy::Exponential, [100.0, 200.0, 400.0]),
            (Strategy::FullJitter, [50.0, 100.0, 200.0]),
            (Strategy::EqualJitter, [75.0, 150.0, 300.0]),
        ] {
            let backoff = Backoff::new(strategy, base, cap);
            for (n, expected) in (1..).zip(means) {
                assert_eq!(millis(mean(&backoff, n)), expected, "{strategy:?}");
            }
        }
        assert_eq!(millis(mean(&named("failsafe-backoff"), 1)), 1_000.0);
    }

    /// Envoy draws one of 25 whole milliseconds, from 0 to 24; Celery one of
    /// the seconds from 0 to its ceiling.
    #[test]
    fn whole_steps_have_a_mean_of_their_own() {
        for (n, ceiling) in [(1, 25.0), (2, 50.0), (3, 100.0), (4, 200.0), (5, 250.0)] {
            let found = millis(mean(&named("envoy-default"), n));
            assert!((found - (ceiling - 1.0) / 2.0).abs() < 1e-6, "{n}: {found}");
        }
        let celery = named("celery-backoff");
        for (n, ceiling) in [(1, 1.0), (3, 4.0), (12, 600.0)] {
            let found = millis(mean(&celery, n)) / 1e3;
            assert!((found - ceiling / 2.0).abs() < 1e-6, "{n}: {found}");
        }
    }

    /// Kafka clips after jitter: at the cap of 1 s half of the waits are 1 s,
    /// and the others 0.9 s on average (less half a millisecond of cutting).
    #[test]
    fn what_the_cap_cuts_off_lies_on_the_cap() {
        let kafka = mean(&named("kafka-client"), 8);
        assert!((kafka.at_cap - 0.5).abs() < 1e-9, "{kafka:?}");
        assert!((millis(kafka) - (0.5 * 1_000.0 + 0.5 * 899.5)).abs() < 1e-6, "{kafka:?}");
        let stamina = named("stamina");
        // 0.1 × 2^5 + U(0, 1) stays below 5 s, 6.4 s is above.
        assert_eq!((millis(mean(&stamina, 6)), mean(&stamina, 6).at_cap), (3_700.0, 0.0));
        assert_eq!((millis(mean(&stamina, 7)), mean(&stamina, 7).at_cap), (5_000.0, 1.0));
    }

    #[test]
    fn laws_have_their_own_means() {
        let law = Law::exponential(Duration::from_millis(100)).expect("it is valid");
        let random = Backoff { family: Family::Random(Arc::new(law)), ..Backoff::NONE };
        assert_eq!(millis(mean(&random, 3)), 100.0);
        // E min(X, m) = m (1 − 1/e) at the mean m.
        let capped = mean(&Backoff { cap: Duration::from_millis(100), ..random }, 1);
        let expected = 100.0 * (1.0 - (-1.0_f64).exp());
        assert!((capped.nanos / 1e6 - expected).abs() <= capped.error / 1e6, "{capped:?}");
        assert!((capped.at_cap - (-1.0_f64).exp()).abs() < 1e-4, "{capped:?}");
        assert!(capped.error < 1e3, "{capped:?}");
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        /// What is called exact is what integrating gives, for every preset,
        /// other caps and orders of cap and jitter.
        #[test]
        fn exact_means_are_integrals(
            which in 0_usize..1_000,
            n in 1_u32..8,
            cap in 1_u64..20_000,
            clamp in prop_oneof![Just(Clamp::Before), Just(Clamp::After), Just(Clamp::Both)],
        ) {
            let presets: Vec<_> = preset::all().collect();
            let preset = &presets[which % presets.len()].policy.backoff;
            let backoff = Backoff { cap: Duration::from_millis(cap), clamp, ..preset.clone() };
            let (found, integral) =
                (mean(&backoff, n), Expected::integrated(&backoff, n, Memory::EMPTY));
            let near = found.error + integral.error + 1.0;
            prop_assert!((found.nanos - integral.nanos).abs() <= near, "{found:?} {integral:?}");
            prop_assert!((found.at_cap - integral.at_cap).abs() < 1e-3, "{found:?} {integral:?}");
        }
    }
}
