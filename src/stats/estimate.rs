//! What some values, drawn independently, say about the law behind them: its
//! mean, a share or a quantile, each with the interval in which it lies.
//!
//! Sums run in the order of the values, so equal values give equal bits.

use crate::math::{normal_quantile, student_quantile};

/// The two-sided level of all intervals: in the long run 95 of 100 of them
/// hold what they estimate.
pub const LEVEL: f64 = 0.95;

/// The point below which the lower end and the middle of the level lie.
const UPPER: f64 = f64::midpoint(1.0, LEVEL);

/// An interval, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A number, and where the truth behind it lies with a confidence of [`LEVEL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// The interval around it; `None` where there are too few values for one.
    pub interval: Option<Interval>,
}

impl Interval {
    /// Half of its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether a number lies in it.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The mean of some values with Student's interval, which is exact for values
/// that are normally distributed: x̄ ± t s/√n, with the deviation s of n − 1
/// degrees of freedom. `None` without values, no interval around one alone.
///
/// Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.
pub fn mean(values: &[f64]) -> Option<Estimate> {
    let first = *values.first()?;
    let count = values.len() as f64;
    // Counted from the first, equal values have exactly their own mean.
    let value = first + values.iter().map(|value| value - first).sum::<f64>() / count;
    if values.len() == 1 {
        return Some(Estimate { value, interval: None });
    }
    let squares: f64 = values.iter().map(|other| (other - value) * (other - value)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    let freedom = u32::try_from(values.len() - 1).unwrap_or(u32::MAX);
    let half = student_quantile(UPPER, freedom) * deviation / count.sqrt();
    Some(Estimate { value, interval: Some(Interval { low: value - half, high: value + half }) })
}

/// A share with Wilson's interval, which stays inside of 0 and 1 and holds for
/// few trials and for shares near the ends. `None` without trials.
///
/// E. B. Wilson, "Probable inference, the law of succession, and statistical
/// inference", Journal of the American Statistical Association 22 (1927)
/// 209-212.
pub fn share(hits: u64, trials: u64) -> Option<Estimate> {
    if trials == 0 {
        return None;
    }
    let (count, value) = (trials as f64, hits as f64 / trials as f64);
    let z = normal_quantile(UPPER);
    let weight = z * z / count;
    let middle = (value + weight / 2.0) / (1.0 + weight);
    let half = (weight * (value * (1.0 - value) + weight / 4.0)).sqrt() / (1.0 + weight);
    // At 0 and at 1 one end is exactly there, but for the last digit.
    let low = if hits == 0 { 0.0 } else { middle - half };
    let high = if hits == trials { 1.0 } else { middle + half };
    Some(Estimate { value, interval: Some(Interval { low, high }) })
}

/// The nearest-rank quantile: the smallest value that at least `percent` of 100
/// values do not exceed. Infinite values count as the longest. `None` without
/// values.
///
/// # Panics
/// If `percent` is not from 1 to 100.
pub fn quantile(values: &[f64], percent: u32) -> Option<f64> {
    assert!((1..=100).contains(&percent), "a percentile from 1 to 100");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // In whole numbers: floating point may miss the rank by one.
    let rank = (sorted.len() as u64 * u64::from(percent)).div_ceil(100);
    sorted.get((rank as usize).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests;
