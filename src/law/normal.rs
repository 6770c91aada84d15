//! The normal law and its relative, the lognormal.

use super::error::{LawError, positive, within};
use crate::math;
use crate::time::Duration;
use std::f64::consts::PI;

/// Normal with a mean and a standard deviation; what is below zero is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    mean: f64,
    sd: f64,
}

impl Normal {
    pub(super) fn new(mean: Duration, sd: Duration) -> Result<Self, LawError> {
        Ok(Self { mean: mean.as_nanos() as f64, sd: positive("sd", sd)? })
    }

    pub(super) fn sample(self, u: f64) -> f64 {
        self.mean + self.sd * math::normal_quantile(u)
    }

    /// Mean of the larger of zero and the normal variable.
    pub(super) fn mean(self) -> f64 {
        let z = self.mean / self.sd;
        self.mean * math::normal_cdf(z) + self.sd * density(z)
    }

    pub(super) fn second_moment(self) -> f64 {
        let z = self.mean / self.sd;
        (self.mean * self.mean + self.sd * self.sd) * math::normal_cdf(z)
            + self.mean * self.sd * density(z)
    }
}

/// The exponential of a normal variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    median: f64,
    sigma: f64,
}

impl LogNormal {
    /// The spread of the logarithm that is allowed. Below it the law is a
    /// constant, nearly; above it the mean is more than 10^21 medians.
    const SIGMA: std::ops::RangeInclusive<f64> = 1e-6..=10.0;

    pub(super) fn of_mean(mean: Duration, cv: f64) -> Result<Self, LawError> {
        let mean = positive("mean", mean)?;
        let cv = within("cv", cv, super::CV)?;
        let sigma = math::ln_1p(cv * cv).sqrt();
        Ok(Self { median: mean / (1.0 + cv * cv).sqrt(), sigma })
    }

    pub(super) fn of_median(median: Duration, sigma: f64) -> Result<Self, LawError> {
        let median = positive("median", median)?;
        Ok(Self { median, sigma: within("sigma", sigma, Self::SIGMA)? })
    }

    pub(super) fn sample(self, u: f64) -> f64 {
        self.median * math::exp(self.sigma * math::normal_quantile(u))
    }

    pub(super) fn mean(self) -> f64 {
        self.median * math::exp(self.sigma * self.sigma / 2.0)
    }

    pub(super) fn second_moment(self) -> f64 {
        self.median * self.median * math::exp(2.0 * self.sigma * self.sigma)
    }
}

/// The density of the standard normal law at z.
fn density(z: f64) -> f64 {
    math::exp(-z * z / 2.0) / (2.0 * PI).sqrt()
}
