//! Do intervals hold what they say? Coverage by simulation and by theory, and
//! numbers worked out by hand.

use super::*;
use crate::draw::{Key, Purpose, Stream};
use crate::math::{exp, ln};

/// Samples that are simulated for each claim about coverage.
const SAMPLES: u64 = 4_000;

/// Coverage is a mean of so many trials, so its deviation is √(c (1 − c) / n).
/// Four of them are exceeded one time in 16,000.
fn near(found: f64, expected: f64) -> bool {
    let deviation = (expected * (1.0 - expected) / SAMPLES as f64).sqrt();
    (found - expected).abs() <= 4.0 * deviation
}

/// The share of samples whose interval holds the truth.
fn coverage(sample: impl Fn(u64) -> Option<Estimate>, truth: f64) -> f64 {
    let holds = |sample: Option<Estimate>| {
        sample.and_then(|estimate| estimate.interval).is_some_and(|i| i.contains(truth))
    };
    (0..SAMPLES).filter(|&number| holds(sample(number))).count() as f64 / SAMPLES as f64
}

/// Uniform numbers, the same in every run of the tests.
fn uniform(of: u64, number: u64, at: u64) -> f64 {
    let stream = Stream::new(1, of, Purpose::Wait, "coverage");
    stream.draw(Key::request(number, at))
}

/// For normal values Student's interval covers the mean 95 times in 100, however
/// few there are.
#[test]
fn students_interval_covers_the_mean_of_normal_values() {
    for count in [2, 5, 30] {
        let sample = |number| {
            let draw = |at| 10.0 + 3.0 * normal_quantile(uniform(count, number, at));
            mean(&(0..count).map(draw).collect::<Vec<_>>())
        };
        let found = coverage(sample, 10.0);
        assert!(near(found, LEVEL), "{count} values: {found}");
    }
}

/// The exact chance that Wilson's interval covers a share: the sum of the
/// chances of all counts of hits whose interval holds it.
fn exact_coverage(trials: u64, share_of: f64) -> f64 {
    let mut log_chance = trials as f64 * ln(1.0 - share_of);
    let mut covered = 0.0;
    for hits in 0..=trials {
        let interval = share(hits, trials).and_then(|estimate| estimate.interval);
        if interval.is_some_and(|interval| interval.contains(share_of)) {
            covered += exp(log_chance);
        }
        let (left, next) = ((trials - hits) as f64, (hits + 1) as f64);
        log_chance += ln(share_of / (1.0 - share_of) * left / next);
    }
    covered
}

/// Hits are whole, so the coverage of a share cannot be 95 of 100 everywhere; it
/// is near it, and 95 on average over all shares.
#[test]
fn wilsons_interval_covers_the_share() {
    for trials in [10, 30, 200] {
        let shares: Vec<f64> = (1..100).map(|percent| f64::from(percent) / 100.0).collect();
        let all: Vec<f64> = shares.iter().map(|&share| exact_coverage(trials, share)).collect();
        let average = all.iter().sum::<f64>() / all.len() as f64;
        assert!((average - LEVEL).abs() < 0.01, "{trials}: {average} on average");
        let least = all.iter().copied().fold(1.0, f64::min);
        assert!(least > 0.83, "{trials}: {least} at worst");
    }
}

#[test]
fn simulated_shares_are_covered_as_often_as_theory_says() {
    for (trials, truth) in [(10, 0.5), (30, 0.1), (30, 0.95), (200, 0.3)] {
        let sample = |number| {
            let hits = (0..trials).filter(|&at| uniform(trials, number, at) < truth).count();
            share(hits as u64, trials)
        };
        let (found, expected) = (coverage(sample, truth), exact_coverage(trials, truth));
        assert!(near(found, expected), "{trials} of {truth}: {found} against {expected}");
    }
}

/// The mean of 1 to 5 is 3, its deviation √2.5; t of four degrees is 2.776445.
#[test]
fn a_mean_worked_out_by_hand() {
    let estimate = mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let half = 2.776_445_105_2 * (2.5_f64 / 5.0).sqrt();
    assert_eq!(estimate.value, 3.0);
    let interval = estimate.interval.unwrap();
    assert!((interval.low - (3.0 - half)).abs() < 1e-9, "{interval:?}");
    assert!((interval.half_width() - half).abs() < 1e-9, "{interval:?}");
}

#[test]
fn equal_values_have_their_own_mean_and_no_doubt() {
    for value in [0.1, 1e18, 0.0] {
        let estimate = mean(&[value; 7]).unwrap();
        assert_eq!(estimate.value, value);
        assert_eq!(estimate.interval, Some(Interval { low: value, high: value }));
    }
}

#[test]
fn one_value_has_no_interval_and_none_has_nothing() {
    assert_eq!(mean(&[4.0]), Some(Estimate { value: 4.0, interval: None }));
    assert_eq!(mean(&[]), None);
    assert_eq!(share(0, 0), None);
    assert_eq!(quantile(&[], 50), None);
}

/// Wilson's interval for 61 of 200, worked out with decimals: 0.245 to 0.372.
#[test]
fn a_share_worked_out_by_hand() {
    let interval = share(61, 200).unwrap().interval.unwrap();
    assert!((interval.low - 0.245_364_156).abs() < 1e-9, "{interval:?}");
    assert!((interval.high - 0.371_985_521).abs() < 1e-9, "{interval:?}");
    let none = share(0, 30).unwrap().interval.unwrap();
    assert_eq!(none.low, 0.0);
    assert!((none.high - 0.113_513_393).abs() < 1e-9, "{none:?}");
    assert_eq!(share(30, 30).unwrap().interval.unwrap().high, 1.0);
}

#[test]
fn quantiles_are_values_and_never_is_the_longest() {
    let values = [3.0, f64::INFINITY, 1.0, 2.0];
    for (percent, expected) in [(1, 1.0), (25, 1.0), (26, 2.0), (50, 2.0), (75, 3.0)] {
        assert_eq!(quantile(&values, percent), Some(expected), "{percent}");
    }
    assert_eq!(quantile(&values, 76), Some(f64::INFINITY));
    assert_eq!(quantile(&[7.0], 1), Some(7.0));
    let ten: Vec<f64> = (1..=10).map(f64::from).collect();
    // 0.7 × 10 is more than 7 in floating point.
    assert_eq!(quantile(&ten, 70), Some(7.0));
}
