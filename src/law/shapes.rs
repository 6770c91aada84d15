//! Laws of one closed formula: uniform, Weibull and Pareto.

use super::error::{LawError, positive, within};
use crate::math;
use crate::time::Duration;

/// Every length between two is equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    from: f64,
    width: f64,
}

impl Uniform {
    pub(super) fn new(from: Duration, to: Duration) -> Result<Self, LawError> {
        if from > to {
            return Err(LawError::Reversed { from, to });
        }
        Ok(Self { from: from.as_nanos() as f64, width: (to - from).as_nanos() as f64 })
    }

    pub(super) fn sample(self, u: f64) -> f64 {
        self.from + self.width * u
    }

    pub(super) fn mean(self) -> f64 {
        self.from + self.width / 2.0
    }

    pub(super) fn second_moment(self) -> f64 {
        self.mean() * self.mean() + self.width * self.width / 12.0
    }
}

/// Weibull: an exponential variable to the power of 1 / shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weibull {
    scale: f64,
    power: f64,
}

impl Weibull {
    /// The shapes for which all moments that are used fit into an f64.
    const SHAPE: std::ops::RangeInclusive<f64> = 0.05..=1_000.0;

    pub(super) fn new(mean: Duration, shape: f64) -> Result<Self, LawError> {
        let mean = positive("mean", mean)?;
        let power = 1.0 / within("shape", shape, Self::SHAPE)?;
        Ok(Self { scale: mean / math::gamma(1.0 + power), power })
    }

    pub(super) fn sample(self, u: f64) -> f64 {
        self.scale * math::pow(-math::ln(1.0 - u), self.power)
    }

    pub(super) fn mean(self) -> f64 {
        self.scale * math::gamma(1.0 + self.power)
    }

    pub(super) fn second_moment(self) -> f64 {
        self.scale * self.scale * math::gamma(1.0 + 2.0 * self.power)
    }
}

/// Pareto: longer than x with probability (min / x)^shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    min: f64,
    shape: f64,
}

impl Pareto {
    /// Outside it nearly all lengths are the minimum, or longer than a run can be.
    const SHAPE: std::ops::RangeInclusive<f64> = 0.01..=1e6;

    pub(super) fn new(min: Duration, shape: f64) -> Result<Self, LawError> {
        Ok(Self { min: positive("min", min)?, shape: within("shape", shape, Self::SHAPE)? })
    }

    pub(super) fn sample(self, u: f64) -> f64 {
        self.min * math::pow(1.0 - u, -1.0 / self.shape)
    }

    pub(super) fn mean(self) -> f64 {
        if self.shape > 1.0 { self.min * self.shape / (self.shape - 1.0) } else { f64::INFINITY }
    }

    /// Infinite up to shape 2.
    pub(super) fn second_moment(self) -> f64 {
        if self.shape > 2.0 {
            self.min * self.min * self.shape / (self.shape - 2.0)
        } else {
            f64::INFINITY
        }
    }
}
