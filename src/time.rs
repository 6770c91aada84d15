//! Simulated time: integer nanoseconds since the start of the run.
//!
//! [`Instant`] is a point, [`Duration`] a length; mixing them up does not
//! compile. Arithmetic saturates at the far end of time (584 years), which a
//! run can never reach: the reader bounds every duration it accepts.
//! Nothing here reads a clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Nanoseconds in a millisecond.
pub const NANOS_PER_MILLI: u64 = 1_000_000;

/// A point in simulated time, in nanoseconds since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A length of simulated time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything: the time of what never happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// The point `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time that has passed since `earlier`; zero if that is in the future.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest length, for "without limit".
    pub const MAX: Self = Self(u64::MAX);

    /// A length of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A length of `millis` milliseconds, saturating.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(NANOS_PER_MILLI))
    }

    /// A length of `seconds` seconds, saturating.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// Rounds a number of nanoseconds to the nearest integer. What is negative
    /// or not a number becomes zero, what is too large the maximum.
    #[inline]
    pub fn from_nanos_f64(nanos: f64) -> Self {
        // Up to here a float holds halves, and beyond it whole numbers only: a sum
        // with it is rounded to a whole number, a half to the even one.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        if (0.0..WHOLE).contains(&nanos) {
            let sum = nanos + WHOLE;
            let up = nanos - (sum - WHOLE) >= 0.5;
            return Self(sum.to_bits() - WHOLE.to_bits() + u64::from(up));
        }
        // A float-to-integer cast cuts, saturates and maps NaN and what is negative
        // to 0. Comparing what it cut off rounds exactly: adding a half first would
        // round the number just below one half up.
        let whole = nanos as u64;
        let up = nanos - whole as f64 >= 0.5;
        Self(whole.saturating_add(u64::from(up)))
    }

    /// The length in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The length in milliseconds, for people and files.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_MILLI as f64
    }

    /// The length in seconds, for people and files.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Sum that stops at the maximum.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference that stops at zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, length: Duration) {
        *self = *self + length;
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl fmt::Display for Duration {
    /// Writes the length in the largest of `s`, `ms`, `us`, `ns`
    /// in which it is at least 1, exactly: `1.5 s`, `250 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 4] =
            [(NANOS_PER_SECOND, "s"), (NANOS_PER_MILLI, "ms"), (1_000, "us"), (1, "ns")];
        let (size, unit) =
            UNITS.into_iter().find(|(size, _)| self.0 >= *size).unwrap_or((NANOS_PER_SECOND, "s"));
        let (whole, rest) = (self.0 / size, self.0 % size);
        if rest == 0 {
            return write!(f, "{whole} {unit}");
        }
        let digits = size.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        write!(f, "{whole}.{} {unit}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_the_nearest_nanosecond_and_saturates() {
        for (nanos, expected) in [
            (0.0, 0),
            (0.49, 0),
            (0.499_999_999_999_999_94, 0),
            (0.5, 1),
            (1.5, 2),
            (2.5, 3),
            (4_503_599_627_370_494.5, 4_503_599_627_370_495),
            (4_503_599_627_370_495.5, 4_503_599_627_370_496),
            (9_007_199_254_740_993.0, 9_007_199_254_740_992),
            (-3.0, 0),
            (-0.2, 0),
            (-8.2, 0),
            (f64::NAN, 0),
            (f64::INFINITY, u64::MAX),
            (f64::NEG_INFINITY, 0),
            (1e30, u64::MAX),
        ] {
            assert_eq!(Duration::from_nanos_f64(nanos).as_nanos(), expected, "{nanos}");
        }
    }

    #[test]
    fn prints_exactly_in_the_largest_fitting_unit() {
        for (nanos, expected) in [
            (0, "0 s"),
            (1, "1 ns"),
            (1_500, "1.5 us"),
            (250_000_000, "250 ms"),
            (1_500_000_000, "1.5 s"),
            (90_000_000_000, "90 s"),
            (1_000_000_001, "1.000000001 s"),
        ] {
            assert_eq!(Duration::from_nanos(nanos).to_string(), expected);
        }
    }

    #[test]
    fn never_is_not_passed_by_adding() {
        assert_eq!(Instant::NEVER + Duration::from_secs(1), Instant::NEVER);
        assert_eq!(Instant::ZERO.since(Instant::NEVER), Duration::ZERO);
    }
}
