//! How the value grows from one retry to the next, before chance has its say.

use super::{Backoff, Memory, Round};
use crate::draw;
use crate::law::Law;
use crate::math;
use crate::time::{Duration, NANOS_PER_MILLI};

impl Backoff {
    /// `base × factor^exponent`, saturating.
    #[inline]
    pub(super) fn power(&self, base: Duration, n: u32) -> Duration {
        let exponent = before(n).saturating_add(u32::from(self.first_exponent));
        // Doubling is the common case, and shifting is exact and quick.
        if self.factor == 2.0 {
            return shifted(base, exponent);
        }
        // Anything to the power of 0 is 1, and 0 × infinity would be no number.
        if base.is_zero() {
            return base;
        }
        Duration::from_nanos_f64(
            base.as_nanos() as f64 * math::pow(self.factor, f64::from(exponent)),
        )
    }

    /// The interval of retry `n` when each is a whole number of milliseconds
    /// and grows from the one before.
    pub(super) fn whole_power(&self, base: Duration, n: u32, memory: &mut Memory) -> Duration {
        let grown = match memory.last() {
            Some(last) if n > 1 => Round::FloorMillis.apply(grow(last, self.factor)),
            _ => base,
        };
        // The next interval grows from what the cap left of this one.
        let interval = if self.clamp.before() { self.clamped(grown) } else { grown };
        memory.keep(interval);
        interval
    }

    /// The interval of retry `n` when it doubles and goes to the cap from half
    /// of the cap on, in whole milliseconds.
    pub(super) fn doubled(&self, base: Duration, n: u32) -> Duration {
        if n <= 1 {
            return base;
        }
        let half = Duration::from_millis(self.cap.as_nanos() / NANOS_PER_MILLI / 2);
        let last = shifted(base, before(n) - 1);
        if last < half { last + last } else { self.cap }
    }
}

/// The number of retries before retry `n`.
#[inline]
pub(super) const fn before(n: u32) -> u32 {
    n.saturating_sub(1)
}

/// A length doubled so many times, saturating.
#[inline]
fn shifted(length: Duration, times: u32) -> Duration {
    let nanos = length.as_nanos();
    if nanos == 0 {
        return length;
    }
    let fits = times < nanos.leading_zeros();
    Duration::from_nanos(if fits { nanos << times } else { u64::MAX })
}

/// A length times a factor.
pub(super) fn grow(length: Duration, factor: f64) -> Duration {
    Duration::from_nanos_f64(length.as_nanos() as f64 * factor)
}

/// A draw from a law at the point `u`. Laws that need more numbers than one get
/// others that follow from the first.
pub(super) fn sampled(law: &Law, u: f64) -> Duration {
    let mut drawn = 0;
    law.sample(|| {
        let number = if drawn == 0 { u } else { draw::unit(draw::fold(u.to_bits(), drawn)) };
        drawn += 1;
        number
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Family;
    use std::sync::Arc;

    /// The part of a mixture and the length in it are drawn apart: 10,000 draws
    /// of two halves, exponential with means of 1 s and 3 s. The mean is 2 s and
    /// its standard deviation sqrt(2 × (1 + 9) / 2 − 4) / 100 = 0.025 s; one
    /// number for both would give 0.31 s of the short half and 5.08 s of the
    /// long one, 2.69 s in all.
    #[test]
    fn a_law_of_many_numbers_is_drawn_as_a_whole() {
        let part = |seconds| Law::Exponential { mean: Duration::from_secs(seconds) };
        let law = Law::mixture(vec![(1.0, part(1)), (1.0, part(3))]).expect("a good law");
        let backoff = Backoff { family: Family::Random(Arc::new(law)), ..Backoff::NONE };
        let wait = |i: u32| {
            let u = (f64::from(i) + 0.5) / 10_000.0;
            backoff.wait(1, &mut Memory::default(), || u).as_secs_f64()
        };
        let mean = (0..10_000).map(wait).sum::<f64>() / 10_000.0;
        assert!((mean - 2.0).abs() < 4.0 * 0.025, "{mean} s");
    }
}
