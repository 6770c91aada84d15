//! A second attempt while the first is still out, and many parts of one whole.

use super::{is_share, positive};
use crate::math;

/// The probability that at least one of `parts` is slow, each being so with
/// probability `slow`, independently: `1 − (1 − q)ⁿ`.
pub fn fan_out(slow: f64, parts: u32) -> Option<f64> {
    is_share(slow).then(|| -math::exp_m1(f64::from(parts) * math::ln_1p(-slow)))
}

/// The attempts per call with one hedge, sent when the share `later` of first
/// attempts is still out: `1 + P(L > d)`.
pub fn hedged_load(later: f64) -> Option<f64> {
    is_share(later).then_some(1.0 + later)
}

/// A call with one hedge, of exponential latencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hedged {
    latency: f64,
    after: f64,
}

/// Latencies are exponential with a mean of `latency` seconds (above zero) and
/// independent; a second attempt is sent after `after` seconds (zero or more)
/// and the first answer ends the call: `T = min(L₁, d + L₂)`.
pub fn hedged_exponential(latency: f64, after: f64) -> Option<Hedged> {
    (positive(&[latency]) && after >= 0.0).then_some(Hedged { latency, after })
}

impl Hedged {
    /// Attempts per call: `1 + e^(−d/m)`.
    pub fn load(&self) -> f64 {
        1.0 + math::exp(-self.after / self.latency)
    }

    /// The mean time, in seconds: `m (1 − e^(−d/m) / 2)`.
    pub fn mean(&self) -> f64 {
        self.latency * (1.0 - math::exp(-self.after / self.latency) / 2.0)
    }

    /// The time in seconds that the share `share` (below 1) does not exceed:
    /// past the hedge two latencies run, so time passes half as slowly.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if !is_share(share) || share == 1.0 {
            return None;
        }
        let alone = -math::ln_1p(-share) * self.latency;
        Some(if alone <= self.after { alone } else { f64::midpoint(alone, self.after) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    #[test]
    fn fan_out_as_printed() {
        prints(fan_out(0.01, 100), "0.63397");
        prints(fan_out(1e-4, 2_000), "0.18128");
        prints(fan_out(0.01, 10).map(|slow| slow * 100.0), "9.56");
        assert_eq!((fan_out(1.0, 3), fan_out(0.0, 3)), (Some(1.0), Some(0.0)));
        assert_eq!(fan_out(1.5, 3), None);
    }

    #[test]
    fn hedging_as_printed() {
        let hedged = hedged_exponential(1.0, 1.0).expect("valid");
        prints(hedged.load(), "1.36788");
        prints(hedged.mean(), "0.81606");
        prints(hedged.quantile(0.99), "2.8026");
        prints(hedged_load(0.05), "1.05");
    }

    #[test]
    fn hedging_at_once_halves_and_never_changes_nothing() {
        let at_once = hedged_exponential(0.2, 0.0).expect("valid");
        assert_eq!((at_once.load(), at_once.mean()), (2.0, 0.1));
        let never = hedged_exponential(0.2, f64::INFINITY).expect("valid");
        assert_eq!((never.load(), never.mean()), (1.0, 0.2));
        prints(never.quantile(0.5), "0.138629");
        assert_eq!(never.quantile(1.0), None);
        assert_eq!(hedged_exponential(0.0, 1.0), None);
    }

    /// "The Tail at Scale": 1,000 leaves, a hedge after 10 ms. The leaf's
    /// survival is 1, 0.02, 0.001, 1e-6 at 1, 10, 69, 1,800 ms, log-log linear
    /// between. Published 99.9th percentiles 1,800 ms and 74 ms, and 2 % load;
    /// medians 82 and 15 ms.
    #[test]
    fn the_tail_at_scale() {
        let points = [(1.0, 1.0), (10.0, 0.02), (69.0, 1e-3), (1_800.0, 1e-6)];
        let survival = |millis: f64| {
            let after = points.iter().position(|(time, _)| *time > millis).unwrap_or(3).max(1);
            let ((t0, s0), (t1, s1)): ((f64, f64), (f64, f64)) = (points[after - 1], points[after]);
            s0 * math::pow(millis / t0, math::ln(s1 / s0) / math::ln(t1 / t0))
        };
        let leaf = |millis: f64| if millis <= 1.0 { 1.0 } else { survival(millis) };
        let hedged =
            |millis: f64| leaf(millis) * if millis > 10.0 { leaf(millis - 10.0) } else { 1.0 };
        let quantile = |leaf: &dyn Fn(f64) -> f64, share: f64| {
            let (mut low, mut high) = (1.0, 1e5);
            for _ in 0..200 {
                let middle = f64::midpoint(low, high);
                let all = 1.0 - fan_out(leaf(middle), 1_000).expect("valid");
                if all < share { low = middle } else { high = middle }
            }
            high
        };
        prints(quantile(&leaf, 0.5), "82");
        prints(quantile(&hedged, 0.5), "15");
        prints(quantile(&leaf, 0.999), "1800");
        assert!((quantile(&hedged, 0.999) / 74.0 - 1.0).abs() < 0.01);
        prints(hedged_load(leaf(10.0)), "1.0200");
    }
}
