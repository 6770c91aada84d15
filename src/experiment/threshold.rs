//! Thresholds held against results.

use super::{VariantResult, Verdict};
use crate::scenario::{Bound, Threshold};

/// Holds every threshold against the variants it speaks of: in the order of
/// the thresholds, each in the order of the variants.
pub fn judge(thresholds: &[Threshold], results: &[VariantResult]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for threshold in thresholds {
        for (index, result) in results.iter().enumerate() {
            if threshold.of.is_none_or(|of| of == index) {
                verdicts.push(verdict(threshold, result));
            }
        }
    }
    verdicts
}

fn verdict(threshold: &Threshold, result: &VariantResult) -> Verdict {
    let value = (threshold.metric.of)(&result.outcome);
    Verdict {
        threshold: threshold.clone(),
        variant: result.name.clone(),
        value,
        passed: value.is_some_and(|value| within(threshold.bound, value)),
    }
}

/// Whether a value meets a demand. The limits themselves do.
fn within(bound: Bound, value: f64) -> bool {
    bound.min.is_none_or(|min| value >= min) && bound.max.is_none_or(|max| value <= max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::run;
    use crate::model::Metric;
    use crate::model::Model;
    use crate::scenario::{Scenario, Variant};
    use std::ops::ControlFlow;

    /// Two variants of a world in which nothing happens.
    fn results() -> Vec<VariantResult> {
        let model = Model::new(Vec::new(), Vec::new(), Vec::new());
        let variant = |name: &str| Variant { name: name.to_owned(), model: model.clone() };
        let scenario = Scenario {
            name: String::new(),
            seed: 1,
            label: String::new(),
            variants: vec![variant("a"), variant("b")],
            thresholds: Vec::new(),
            resolved: serde_json::Value::Null,
        };
        run(&scenario, &|_| ControlFlow::Continue(())).unwrap()
    }

    fn threshold(metric: &str, of: Option<usize>, min: Option<f64>, max: Option<f64>) -> Threshold {
        Threshold { metric: Metric::named(metric).unwrap(), of, bound: Bound { min, max } }
    }

    fn judged(threshold: Threshold) -> Vec<(String, bool)> {
        let verdicts = judge(&[threshold], &results());
        verdicts.into_iter().map(|verdict| (verdict.variant, verdict.passed)).collect()
    }

    #[test]
    fn a_limit_itself_is_met() {
        for (min, max, passed) in [
            (None, Some(0.0), true),
            (Some(0.0), None, true),
            (Some(0.0), Some(0.0), true),
            (Some(0.5), None, false),
            (None, Some(-0.5), false),
            (Some(-1.0), Some(1.0), true),
        ] {
            let both = [("a".to_owned(), passed), ("b".to_owned(), passed)];
            assert_eq!(judged(threshold("requests", None, min, max)), both, "{min:?} {max:?}");
        }
    }

    #[test]
    fn speaks_only_of_its_variant() {
        let verdicts = judged(threshold("requests", Some(1), None, Some(1.0)));
        assert_eq!(verdicts, [("b".to_owned(), true)]);
    }

    #[test]
    fn what_does_not_apply_is_missed() {
        assert!(!judged(threshold("recovery", Some(0), None, Some(1e9)))[0].1);
    }
}
