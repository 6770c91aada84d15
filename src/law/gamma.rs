//! Sums of exponential phases: the Erlang law, and the gamma law between them.

use super::error::{LawError, positive, within};
use crate::math;
use crate::time::Duration;

/// The sum of a few independent exponential stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erlang {
    stage_mean: f64,
    stages: u32,
}

impl Erlang {
    /// With more stages the same law costs less as a gamma law.
    pub(super) const MOST_STAGES: u32 = 16;

    /// `stages` from 1 to [`Self::MOST_STAGES`].
    pub(super) fn new(mean: Duration, stages: u32) -> Result<Self, LawError> {
        within("stages", f64::from(stages), 1.0..=f64::from(Self::MOST_STAGES))?;
        Ok(Self { stage_mean: positive("mean", mean)? / f64::from(stages), stages })
    }

    pub(super) fn sample(self, mut draws: impl FnMut() -> f64) -> f64 {
        // A sum of logarithms is the logarithm of a product. Each factor is at
        // least 2^-53, so sixteen of them stay above the smallest f64.
        let product = (0..self.stages).fold(1.0, |product, _| product * (1.0 - draws()));
        -math::ln(product) * self.stage_mean
    }

    pub(super) fn mean(self) -> f64 {
        self.stage_mean * f64::from(self.stages)
    }

    pub(super) fn second_moment(self) -> f64 {
        let stages = f64::from(self.stages);
        self.stage_mean * self.stage_mean * stages * (stages + 1.0)
    }
}

/// Gamma with a shape and a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    shape: f64,
    scale: f64,
}

/// A proposal is refused less than one time in twenty, so this many in a row
/// are never refused; the bound is for draws that are not random.
const MOST_PROPOSALS: u32 = 64;

impl Gamma {
    pub(super) fn new(mean: Duration, cv: f64) -> Result<Self, LawError> {
        let mean = positive("mean", mean)?;
        let variance = within("cv", cv, super::CV)? * cv;
        Ok(Self { shape: 1.0 / variance, scale: mean * variance })
    }

    /// The sum of `stages` independent exponential stages.
    pub(super) fn of_stages(mean: Duration, stages: u32) -> Result<Self, LawError> {
        let shape = f64::from(stages);
        Ok(Self { shape, scale: positive("mean", mean)? / shape })
    }

    /// Below shape 1 the law of shape + 1 is shrunk by a power of a uniform number.
    pub(super) fn sample(self, mut draws: impl FnMut() -> f64) -> f64 {
        if self.shape >= 1.0 {
            return self.scale * standard(self.shape, draws);
        }
        let shrink = math::pow(1.0 - draws(), 1.0 / self.shape);
        self.scale * standard(self.shape + 1.0, draws) * shrink
    }

    pub(super) fn mean(self) -> f64 {
        self.scale * self.shape
    }

    pub(super) fn second_moment(self) -> f64 {
        self.scale * self.scale * self.shape * (self.shape + 1.0)
    }
}

/// A gamma variable of scale 1 and a shape of at least 1: the cube of a normal
/// variable, refused where its density exceeds the gamma's. G. Marsaglia and
/// W. W. Tsang, "A simple method for generating gamma variables", ACM
/// Transactions on Mathematical Software 26 (2000) 363-372.
fn standard(shape: f64, mut draws: impl FnMut() -> f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    for _ in 0..MOST_PROPOSALS {
        let x = math::normal_quantile(draws());
        let root = 1.0 + c * x;
        let height = 1.0 - draws();
        if root <= 0.0 {
            continue;
        }
        let cube = root * root * root;
        if math::ln(height) < x * x / 2.0 + d * (1.0 - cube + math::ln(cube)) {
            return d * cube;
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_that_are_not_random_do_not_hang_it() {
        let law = Gamma::new(Duration::from_millis(10), 2.0).expect("it is valid");
        for u in [0.0, 0.5, 1.0 - f64::EPSILON / 2.0] {
            assert!(law.sample(|| u).is_finite(), "{u}");
        }
    }

    #[test]
    fn the_longest_possible_sum_of_stages_is_finite() {
        let stages = Erlang::MOST_STAGES;
        let law = Erlang::new(Duration::from_secs(1), stages).expect("it is valid");
        let longest = law.sample(|| 1.0 - f64::EPSILON / 2.0);
        // Each stage gives at most its mean times 53 ln 2.
        assert!((longest / (1e9 * 53.0 * std::f64::consts::LN_2) - 1.0).abs() < 1e-12);
    }
}
