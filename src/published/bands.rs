//! Figures that chance decides: with the default source, each must lie inside
//! its 99 % band for at least 95 % of the seeds.
//!
//! The bands are those of the model, not bands around a published draw: that
//! draw is an outlier. Means: the exact mean, and 2.576 standard deviations of
//! one client divided by the root of 10,000. Longest and busiest: the middle
//! 99 % of a thousand seeds of an independent program.

use super::{Comparison, ReproduceError, embedded};
use crate::experiment::{self, Observer, Progress};
use crate::model::Metric;
use crate::scenario::Scenario;

/// A statistical table.
pub struct Bands {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where the bands come from.
    pub source: &'static str,
    /// The scenario's file, as the repository has it.
    pub file: &'static str,
    scenario: &'static str,
    /// Variant, metric, lower and upper end in the metric's unit.
    figures: &'static [(&'static str, &'static str, f64, f64)],
}

/// Seeds that are tried.
const SEEDS: u64 = 200;

/// Seeds of them that must lie inside: 95 %. With a true share of 99 %, more
/// than ten outside come out about once in 100,000 tries (Poisson, mean 2).
const INSIDE: u64 = 190;

/// The storm of five strategies with the default source.
pub const BANDS: &[Bands] = &[Bands {
    id: "ten-thousand-clients-bands",
    title: "10,000 clients fail at once: 200 seeds of the default source in their 99 % bands",
    source: "exact means and deviations; a thousand seeds for peaks and longest waits",
    file: "scenarios/published/ten-thousand-clients.toml",
    scenario: include_str!("../../scenarios/published/ten-thousand-clients.toml"),
    figures: &[
        ("constant", "mean_wait", 500.0, 500.0),
        ("constant", "longest_wait", 500.0, 500.0),
        ("constant", "busiest_slice_retries", 10_000.0, 10_000.0),
        ("exponential", "mean_wait", 2_500.0, 2_500.0),
        ("exponential", "longest_wait", 2_500.0, 2_500.0),
        ("exponential", "busiest_slice_retries", 10_000.0, 10_000.0),
        ("full-jitter", "mean_wait", 1_239.886, 1_260.114),
        ("full-jitter", "longest_wait", 2_291.0, 2_448.0),
        ("full-jitter", "busiest_slice_retries", 1_465.0, 1_645.0),
        ("equal-jitter", "mean_wait", 1_869.943, 1_880.057),
        ("equal-jitter", "longest_wait", 2_394.0, 2_471.0),
        ("equal-jitter", "busiest_slice_retries", 2_012.0, 2_116.0),
        ("decorrelated-jitter", "mean_wait", 2_355.5, 2_400.9),
        ("decorrelated-jitter", "longest_wait", 4_154.0, 4_198.0),
        ("decorrelated-jitter", "busiest_slice_retries", 619.0, 715.0),
    ],
}];

impl Bands {
    /// Runs all seeds and counts how many lie inside each band.
    ///
    /// # Errors
    /// If the run is interrupted or cannot be made.
    pub fn reproduce(&self, observer: &Observer) -> Result<Vec<Comparison>, ReproduceError> {
        let mut inside = vec![0_u64; self.figures.len()];
        let mut scenario = embedded(self.file, self.scenario)?;
        for seed in 1..=SEEDS {
            reseed(&mut scenario, seed);
            let before = (seed - 1) as f64;
            let so_far = |progress: Progress| {
                observer(Progress { done: (before + progress.done) / SEEDS as f64 })
            };
            let results = experiment::run(&scenario, &so_far)?;
            for (count, &(variant, metric, low, high)) in inside.iter_mut().zip(self.figures) {
                let result = results.iter().find(|result| result.name == variant);
                let value = result.zip(Metric::named(metric));
                let value = value.and_then(|(result, metric)| (metric.of)(&result.outcome));
                *count += u64::from(value.is_some_and(|value| (low..=high).contains(&value)));
            }
        }
        let compare =
            |(&(row, column, low, high), inside): (&(&str, &str, f64, f64), u64)| Comparison {
                row: row.to_owned(),
                column: column.replace('_', " "),
                published: format!("{low} to {high}"),
                ours: format!("{inside} of {SEEDS} seeds inside"),
                same: inside >= INSIDE,
            };
        Ok(self.figures.iter().zip(inside).map(compare).collect())
    }
}

/// The same scenario with another seed and the default source.
fn reseed(scenario: &mut Scenario, seed: u64) {
    for variant in &mut scenario.variants {
        variant.model.seed = seed;
        variant.model.random = crate::model::spec::RandomSource::Keyed;
    }
}
