//! What theory says: exact and fluid formulae of queues and retries.
//!
//! Plain functions of numbers, for tests that hold the simulator to them and
//! for explanations. Rates are per second, times in seconds, probabilities and
//! shares from 0 to 1. A function answers `None` where its input is outside the
//! range it documents or no steady state exists. No simulation lives here and
//! no type of the model: whoever has a scenario picks the numbers from it.

pub mod amplification;
pub mod hedging;
pub mod impatience;
pub mod jitter;
pub mod metastable;
pub mod protection;
pub mod queue;
pub mod retrial;

/// Sums over states, and recursions over servers, go no further than this.
const MOST_STATES: u64 = 10_000_000;

/// Whether all of these are finite and above zero.
fn positive(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite() && *number > 0.0)
}

/// Whether it is a probability.
fn is_share(number: f64) -> bool {
    (0.0..=1.0).contains(&number)
}

/// Fails unless a value has the printed digits.
#[cfg(test)]
#[track_caller]
fn prints(value: impl Into<Option<f64>>, printed: &str) {
    let value = value.into().expect("the input is in range");
    let decimals = printed.split_once('.').map_or(0, |(_, after)| after.len());
    assert_eq!(format!("{value:.decimals$}"), printed, "{value}");
}
