//! One of several laws, chosen at random each time.

use super::Law;
use super::error::{LawError, within};
use crate::time::Duration;

/// The parts of a mixture, none of which is a mixture itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// Its probability.
    share: f64,
    /// Where its share of [0, 1) ends.
    end: f64,
    law: Law,
}

/// Weights that are farther apart would lose the smaller one to rounding anyway.
const WEIGHT: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

impl Mixture {
    /// Weights need not add up to 1. Mixtures among the parts are opened, so
    /// that sampling never recurses.
    pub(super) fn new(weighted: Vec<(f64, Law)>) -> Result<Self, LawError> {
        if weighted.is_empty() {
            return Err(LawError::TooFew { parameter: "parts", needed: 1 });
        }
        let mut parts = Vec::with_capacity(weighted.len());
        for (weight, law) in weighted {
            let weight = within("weight", weight, WEIGHT)?;
            let part = |share, law| Part { share, end: 0.0, law };
            match law {
                Law::Mixture(inner) => {
                    let inner = inner.parts.iter();
                    parts.extend(inner.map(|p| part(weight * p.share, p.law.clone())));
                }
                law => parts.push(part(weight, law)),
            }
        }
        // A share that was too small to be a number can never be chosen.
        parts.retain(|part| part.share > 0.0);
        let total: f64 = parts.iter().map(|part| part.share).sum();
        let mut end = 0.0;
        for part in &mut parts {
            part.share /= total;
            end += part.share;
            part.end = end;
        }
        Ok(Self { parts })
    }

    /// From the shortest of all parts to the longest.
    pub(super) fn support(&self) -> (Duration, Duration) {
        let ends = self.parts.iter().map(|part| part.law.support());
        ends.fold((Duration::MAX, Duration::ZERO), |all, part| {
            (all.0.min(part.0), all.1.max(part.1))
        })
    }

    /// The law in whose share `u` lies; the last one where rounding leaves a gap.
    pub(super) fn choose(&self, u: f64) -> &Law {
        let index = self.parts.partition_point(|part| part.end <= u);
        &self.parts[index.min(self.parts.len() - 1)].law
    }

    pub(super) fn mean(&self) -> f64 {
        self.average(Law::mean_nanos)
    }

    pub(super) fn second_moment(&self) -> f64 {
        self.average(|law| law.second_moment().unwrap_or(f64::INFINITY))
    }

    fn average(&self, of: impl Fn(&Law) -> f64) -> f64 {
        self.parts.iter().map(|part| part.share * of(&part.law)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    fn constant(millis: u64) -> Law {
        Law::Constant(Duration::from_millis(millis))
    }

    #[test]
    fn chooses_by_weight_and_opens_mixtures_inside() {
        let inner = Law::mixture(vec![(1.0, constant(2)), (1.0, constant(3))]).expect("valid");
        let mixture = Mixture::new(vec![(2.0, constant(1)), (2.0, inner)]).expect("valid");
        for (u, millis) in [(0.0, 1), (0.49, 1), (0.5, 2), (0.74, 2), (0.75, 3), (0.999, 3)] {
            assert_eq!(mixture.choose(u), &constant(millis), "{u}");
        }
        assert_eq!(mixture.mean(), 1.75e6);
        assert_eq!(mixture.second_moment(), (0.5 + 0.25 * 4.0 + 0.25 * 9.0) * 1e12);
    }

    #[test]
    fn rounding_at_the_end_never_leaves_a_draw_without_a_part() {
        let tenths = (0..10).map(|i| (0.1, constant(i))).collect();
        let mixture = Mixture::new(tenths).expect("valid");
        assert_eq!(mixture.choose(1.0 - f64::EPSILON / 2.0), &constant(9));
    }

    #[test]
    fn a_weight_is_a_positive_number() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Mixture::new(vec![(weight, constant(1))]).expect_err("it is no weight");
            assert_eq!(error.parameter(), "weight");
        }
        assert_eq!(Mixture::new(Vec::new()).expect_err("it is empty").parameter(), "parts");
    }
}
