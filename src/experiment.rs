//! Variants × seeds: runs every world of a scenario and keeps their order.
//!
//! Worlds share nothing, so they run in parallel and the result does not
//! depend on the number of threads.

pub mod threshold;

use crate::model::{Model, Outcome, Reached, RunError, World};
use crate::scenario::{Scenario, Threshold, Variant};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one variant gave.
#[derive(Clone, Debug)]
pub struct VariantResult {
    /// The variant's name.
    pub name: String,
    /// The world that ran.
    pub model: Model,
    /// What it gave.
    pub outcome: Outcome,
}

/// How a threshold came out for one variant.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What was demanded.
    pub threshold: Threshold,
    /// The variant's name.
    pub variant: String,
    /// What was measured; `None` where the metric does not apply.
    pub value: Option<f64>,
    /// Whether the demand is met. A metric that does not apply misses it.
    pub passed: bool,
}

/// How far all worlds together have come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The share that is done, from 0 to 1. It never falls.
    pub done: f64,
}

/// Told of the progress from time to time, on any thread; `Break` stops the run.
pub type Observer<'o> = dyn Fn(Progress) -> ControlFlow<()> + Sync + 'o;

/// Events between two looks at the observer: some milliseconds of work.
const EVENTS_AT_ONCE: u64 = 1 << 16;

/// Runs all variants of a scenario. Results are in the order of the variants.
///
/// # Errors
/// The error of the first variant that has one.
pub fn run(scenario: &Scenario, observer: &Observer) -> Result<Vec<VariantResult>, RunError> {
    let watch = Watch::new(scenario.variants.len(), observer);
    let results: Vec<_> = scenario
        .variants
        .par_iter()
        .enumerate()
        .with_max_len(1)
        .map(|(index, variant)| run_variant(variant, index, &watch))
        .collect();
    // Collected before the errors are looked at, so that the one reported does
    // not depend on which thread was first.
    results.into_iter().collect()
}

fn run_variant(variant: &Variant, index: usize, watch: &Watch) -> Result<VariantResult, RunError> {
    let outcome = run_model(&variant.model, 0, |reached| watch.tell(index, reached))?;
    Ok(VariantResult { name: variant.name.clone(), model: variant.model.clone(), outcome })
}

/// Runs one world to its end. `watch` is told how far it has come.
///
/// # Errors
/// If a limit is reached, or [`RunError::Interrupted`] if `watch` breaks off.
pub fn run_model(
    model: &Model,
    replication: u64,
    mut watch: impl FnMut(Reached) -> ControlFlow<()>,
) -> Result<Outcome, RunError> {
    let mut world = World::new(model, replication);
    while world.advance(EVENTS_AT_ONCE)? {
        if watch(world.reached()).is_break() {
            return Err(RunError::Interrupted);
        }
    }
    world.finish()
}

/// Adds up the progress of all worlds.
struct Watch<'o> {
    /// Of each world, the thousandths that are done.
    done: Vec<AtomicU64>,
    observer: &'o Observer<'o>,
}

impl<'o> Watch<'o> {
    fn new(worlds: usize, observer: &'o Observer<'o>) -> Self {
        Self { done: (0..worlds).map(|_| AtomicU64::new(0)).collect(), observer }
    }

    fn tell(&self, world: usize, reached: Reached) -> ControlFlow<()> {
        let thousandths = (reached.share() * 1000.0) as u64;
        self.done[world].fetch_max(thousandths, Ordering::Relaxed);
        let sum: u64 = self.done.iter().map(|done| done.load(Ordering::Relaxed)).sum();
        (self.observer)(Progress { done: sum as f64 / (1000.0 * self.done.len() as f64) })
    }
}
