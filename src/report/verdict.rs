//! Thresholds in words: what was demanded, what was measured.

use super::number;
use super::run::visible;
use crate::experiment::Verdict;

/// A verdict in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The metric and whose it is: `p99_wait of full-jitter`.
    pub subject: String,
    /// What was measured: `1,461`, or `none` where the metric does not apply.
    pub value: String,
    /// What was demanded: `at most 1,700`.
    pub demand: String,
}

/// A verdict in words.
pub fn words(verdict: &Verdict) -> Words {
    let metric = verdict.threshold.metric;
    let bound = verdict.threshold.bound;
    let limits: Vec<f64> = [bound.min, bound.max].into_iter().flatten().collect();
    let beside = limits.iter().copied().chain(verdict.value).fold(0.0, f64::max);
    let limit = |limit: f64| number::limit(limit, metric.unit, beside);
    let demand = match (bound.min, bound.max) {
        (Some(min), Some(max)) => format!("{} to {}", limit(min), limit(max)),
        (Some(min), None) => format!("at least {}", limit(min)),
        (None, Some(max)) => format!("at most {}", limit(max)),
        (None, None) => "any number".to_owned(),
    };
    let subject = if verdict.variant.is_empty() {
        metric.name.to_owned()
    } else {
        format!("{} of {}", metric.name, visible(&verdict.variant))
    };
    let value = verdict
        .value
        .map_or("none".to_owned(), |value| number::measured(value, metric.unit, &limits));
    Words { subject, value, demand }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::verdict;

    fn said(metric: &str, min: Option<f64>, max: Option<f64>, value: Option<f64>) -> String {
        let Words { subject, value, demand } = words(&verdict(metric, "", min, max, value));
        format!("{subject}: {value} of {demand}")
    }

    #[test]
    fn demands_in_words() {
        let peak = "busiest_slice_retries";
        assert_eq!(
            said(peak, None, Some(1_700.0), Some(1_461.0)),
            "busiest_slice_retries: 1,461 of at most 1,700"
        );
        assert_eq!(said("answered", Some(9.0), None, Some(8.0)), "answered: 8 of at least 9");
        assert_eq!(
            said("mean_wait", Some(100.0), Some(30_000.0), Some(2_371.25)),
            "mean_wait: 2.4 s of 0.1 s to 30 s"
        );
        assert_eq!(said("recovery", None, Some(30_000.0), None), "recovery: none of at most 30 s");
    }

    #[test]
    fn a_variant_is_named() {
        let verdict = verdict("p99_wait", "full-jitter", None, Some(10.0), Some(1.0));
        assert_eq!(words(&verdict).subject, "p99_wait of full-jitter");
    }
}
