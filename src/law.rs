//! Laws of random lengths of time.
//!
//! A law turns uniform numbers into a [`Duration`], rounded to the nearest
//! nanosecond: one number by inversion wherever the law allows, so that a
//! greater number gives a longer time. Where the numbers come from is
//! [`crate::draw`]'s. Constructors check their parameters; after that a law
//! cannot be invalid, and no draw makes it panic, hang or give nonsense: what
//! would be below zero is zero, what would be too long for a [`Duration`] is
//! [`Duration::MAX`].

mod error;
mod gamma;
mod mixture;
mod normal;
mod points;
mod shapes;

pub use error::LawError;
pub use gamma::{Erlang, Gamma};
pub use mixture::Mixture;
pub use normal::{LogNormal, Normal};
pub use points::{Between, Empirical, Quantiles};
pub use shapes::{Pareto, Uniform, Weibull};

use crate::math;
use crate::time::Duration;
use std::sync::Arc;

/// The coefficients of variation (standard deviation over mean) that are
/// allowed. Below, the law is a constant; above, nearly every length is zero
/// and the mean hangs on lengths too rare to be seen.
const CV: std::ops::RangeInclusive<f64> = 1e-6..=1_000.0;

/// How a length of time is distributed. Three words; long tables are shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Always the same.
    Constant(Duration),
    /// Exponential with this mean.
    Exponential {
        /// The mean.
        mean: Duration,
    },
    /// See [`Law::erlang`].
    Erlang(Erlang),
    /// See [`Law::gamma`].
    Gamma(Gamma),
    /// See [`Law::lognormal`] and [`Law::lognormal_of_median`].
    LogNormal(LogNormal),
    /// See [`Law::uniform`].
    Uniform(Uniform),
    /// See [`Law::normal`].
    Normal(Normal),
    /// See [`Law::weibull`].
    Weibull(Weibull),
    /// See [`Law::pareto`].
    Pareto(Pareto),
    /// See [`Law::mixture`].
    Mixture(Arc<Mixture>),
    /// See [`Law::quantiles`].
    Quantiles(Arc<Quantiles>),
    /// See [`Law::empirical`].
    Empirical(Empirical),
}

impl Law {
    /// Exponential: what is left never depends on what has passed.
    ///
    /// # Errors
    /// If the mean is zero.
    pub fn exponential(mean: Duration) -> Result<Self, LawError> {
        error::positive("mean", mean)?;
        Ok(Self::Exponential { mean })
    }

    /// The sum of independent exponential `stages` with this mean together:
    /// one stage is exponential, many are nearly constant.
    ///
    /// # Errors
    /// If the mean is zero, or there is no stage.
    pub fn erlang(mean: Duration, stages: u32) -> Result<Self, LawError> {
        if stages > Erlang::MOST_STAGES {
            return Gamma::of_stages(mean, stages).map(Self::Gamma);
        }
        Erlang::new(mean, stages).map(Self::Erlang)
    }

    /// Gamma, by its mean and its coefficient of variation (standard deviation
    /// over mean). It uses two or three draws, seldom more.
    ///
    /// # Errors
    /// If the mean is zero, or `cv` is not from 1e-6 to 1,000.
    pub fn gamma(mean: Duration, cv: f64) -> Result<Self, LawError> {
        Gamma::new(mean, cv).map(Self::Gamma)
    }

    /// Lognormal, by its mean and its coefficient of variation.
    ///
    /// # Errors
    /// If the mean is zero, or `cv` is not from 1e-6 to 1,000.
    pub fn lognormal(mean: Duration, cv: f64) -> Result<Self, LawError> {
        LogNormal::of_mean(mean, cv).map(Self::LogNormal)
    }

    /// Lognormal, by its median and the standard deviation of its natural
    /// logarithm.
    ///
    /// # Errors
    /// If the median is zero, or `sigma` is not from 1e-6 to 10.
    pub fn lognormal_of_median(median: Duration, sigma: f64) -> Result<Self, LawError> {
        LogNormal::of_median(median, sigma).map(Self::LogNormal)
    }

    /// Every length between two is equally likely.
    ///
    /// # Errors
    /// If `from` is longer than `to`.
    pub fn uniform(from: Duration, to: Duration) -> Result<Self, LawError> {
        Uniform::new(from, to).map(Self::Uniform)
    }

    /// Normal with this mean and standard deviation, of which what is below
    /// zero becomes zero: so the mean of the lengths is a little greater.
    ///
    /// # Errors
    /// If `sd` is zero.
    pub fn normal(mean: Duration, sd: Duration) -> Result<Self, LawError> {
        Normal::new(mean, sd).map(Self::Normal)
    }

    /// Weibull, by its mean and its shape: 1 is exponential, less has a long
    /// tail, more is narrow.
    ///
    /// # Errors
    /// If the mean is zero, or `shape` is not from 0.05 to 1,000.
    pub fn weibull(mean: Duration, shape: f64) -> Result<Self, LawError> {
        Weibull::new(mean, shape).map(Self::Weibull)
    }

    /// Pareto: longer than x with probability (min / x)^shape. Up to shape 1
    /// the mean is infinite, up to shape 2 the variance.
    ///
    /// # Errors
    /// If `min` is zero, or `shape` is not from 0.01 to 1,000,000.
    pub fn pareto(min: Duration, shape: f64) -> Result<Self, LawError> {
        Pareto::new(min, shape).map(Self::Pareto)
    }

    /// One of several laws each time, chosen with probabilities in proportion
    /// to the weights. It uses one draw for the choice, then those of the law.
    ///
    /// # Errors
    /// If there is none, or a weight is not from 1e-12 to 1e12.
    pub fn mixture(weighted: Vec<(f64, Self)>) -> Result<Self, LawError> {
        Mixture::new(weighted).map(|mixture| Self::Mixture(Arc::new(mixture)))
    }

    /// The law through these points, each a probability and the length that is
    /// not exceeded with it, such as (0.99, 200 ms). What lies between and
    /// beyond them says `between`.
    ///
    /// # Errors
    /// If there is no point, a probability is not from 0 to 1 or not above the
    /// one before, or a time is less than the one before. With
    /// [`Between::Log`], also if a time is zero, or fewer than two points have
    /// a probability below 1.
    pub fn quantiles(points: &[(f64, Duration)], between: Between) -> Result<Self, LawError> {
        Quantiles::new(points, between).map(|law| Self::Quantiles(Arc::new(law)))
    }

    /// One of these lengths each time, all equally likely.
    ///
    /// # Errors
    /// If there is none.
    pub fn empirical(lengths: Vec<Duration>) -> Result<Self, LawError> {
        Empirical::new(lengths).map(Self::Empirical)
    }

    /// A random length. `draws` gives successive independent uniform numbers
    /// in [0, 1); a constant law takes none of them, most laws take one.
    #[inline]
    pub fn sample(&self, mut draws: impl FnMut() -> f64) -> Duration {
        match self {
            Self::Constant(length) => *length,
            Self::Exponential { mean } => exponential(mean.as_nanos() as f64, draws()),
            law => law.sample_any(&mut draws),
        }
    }

    /// As [`Law::sample`], out of line. A part of a mixture is never a mixture
    /// itself, so it calls itself once at most.
    fn sample_any(&self, draws: &mut impl FnMut() -> f64) -> Duration {
        Duration::from_nanos_f64(match self {
            Self::Constant(length) => return *length,
            Self::Exponential { mean } => return exponential(mean.as_nanos() as f64, draws()),
            Self::Mixture(law) => return law.choose(draws()).sample_any(draws),
            Self::Empirical(law) => return law.sample(draws()),
            Self::Erlang(law) => law.sample(draws),
            Self::Gamma(law) => law.sample(draws),
            Self::LogNormal(law) => law.sample(draws()),
            Self::Uniform(law) => law.sample(draws()),
            Self::Normal(law) => law.sample(draws()),
            Self::Weibull(law) => law.sample(draws()),
            Self::Pareto(law) => law.sample(draws()),
            Self::Quantiles(law) => law.sample(draws()),
        })
    }

    /// The shortest and the longest length that it can give;
    /// [`Duration::MAX`] is without limit.
    pub fn support(&self) -> (Duration, Duration) {
        let between = |low, high| (Duration::from_nanos_f64(low), Duration::from_nanos_f64(high));
        match self {
            Self::Constant(length) => (*length, *length),
            Self::Uniform(law) => between(law.sample(0.0), law.sample(1.0)),
            Self::Quantiles(law) => between(law.sample(0.0), law.sample(1.0)),
            Self::Pareto(law) => between(law.sample(0.0), f64::INFINITY),
            Self::Empirical(law) => law.support(),
            Self::Mixture(law) => law.support(),
            Self::Exponential { .. }
            | Self::Erlang(_)
            | Self::Gamma(_)
            | Self::LogNormal(_)
            | Self::Normal(_)
            | Self::Weibull(_) => (Duration::ZERO, Duration::MAX),
        }
    }

    /// The mean, in nanoseconds; infinite for the heaviest tails.
    pub fn mean_nanos(&self) -> f64 {
        match self {
            Self::Constant(mean) | Self::Exponential { mean } => mean.as_nanos() as f64,
            Self::Erlang(law) => law.mean(),
            Self::Gamma(law) => law.mean(),
            Self::LogNormal(law) => law.mean(),
            Self::Uniform(law) => law.mean(),
            Self::Normal(law) => law.mean(),
            Self::Weibull(law) => law.mean(),
            Self::Pareto(law) => law.mean(),
            Self::Mixture(law) => law.mean(),
            Self::Quantiles(law) => law.moment(1),
            Self::Empirical(law) => law.mean(),
        }
    }

    /// The mean of the square, in square nanoseconds; `None` for heavy tails,
    /// where it is infinite.
    pub fn second_moment(&self) -> Option<f64> {
        let moment = match self {
            Self::Constant(length) => length.as_nanos() as f64 * length.as_nanos() as f64,
            Self::Exponential { mean } => 2.0 * mean.as_nanos() as f64 * mean.as_nanos() as f64,
            Self::Erlang(law) => law.second_moment(),
            Self::Gamma(law) => law.second_moment(),
            Self::LogNormal(law) => law.second_moment(),
            Self::Uniform(law) => law.second_moment(),
            Self::Normal(law) => law.second_moment(),
            Self::Weibull(law) => law.second_moment(),
            Self::Pareto(law) => law.second_moment(),
            Self::Mixture(law) => law.second_moment(),
            Self::Quantiles(law) => law.moment(2),
            Self::Empirical(law) => law.second_moment(),
        };
        moment.is_finite().then_some(moment)
    }
}

/// The length at the point `u` in [0, 1) of an exponential distribution whose
/// mean in nanoseconds need not be whole.
pub fn exponential(mean_nanos: f64, u: f64) -> Duration {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    Duration::from_nanos_f64(-math::ln(1.0 - u) * mean_nanos)
}

#[cfg(test)]
mod tests;
