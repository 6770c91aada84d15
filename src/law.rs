//! Laws of random lengths of time.
//!
//! A law turns one uniform number into a [`Duration`] by inversion, rounded to
//! the nearest nanosecond. Where the number comes from is [`crate::draw`]'s.

use crate::math;
use crate::time::Duration;

/// How a length of time is distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Always the same.
    Constant(Duration),
    /// Exponential with this mean.
    Exponential {
        /// The mean.
        mean: Duration,
    },
}

impl Law {
    /// The length at the point `u` in [0, 1) of the distribution.
    pub fn at(self, u: f64) -> Duration {
        match self {
            Self::Constant(length) => length,
            Self::Exponential { mean } => exponential(mean.as_nanos() as f64, u),
        }
    }

    /// The mean, in nanoseconds.
    pub fn mean_nanos(self) -> f64 {
        match self {
            Self::Constant(mean) | Self::Exponential { mean } => mean.as_nanos() as f64,
        }
    }
}

/// The length at the point `u` in [0, 1) of an exponential distribution whose
/// mean in nanoseconds need not be whole.
pub fn exponential(mean_nanos: f64, u: f64) -> Duration {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    Duration::from_nanos_f64(-math::ln(1.0 - u) * mean_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_by_inversion() {
        let law = Law::Exponential { mean: Duration::from_millis(10) };
        assert_eq!(law.at(0.0), Duration::ZERO);
        // The median is mean times ln 2.
        assert_eq!(law.at(0.5), Duration::from_nanos(6_931_472));
        assert!(law.at(1.0 - f64::EPSILON / 2.0) < Duration::from_secs(1));
    }
}
