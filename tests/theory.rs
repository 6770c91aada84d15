//! The simulator against exact theory: scenarios through the reader and the
//! engine, held to the formulas of [`retry_storm::theory`].
//!
//! Tolerances are not chosen, they follow: a mean over replications is known to
//! its standard error, and may be off by four of these (one in 16,000 by
//! chance). Each test also demands that the error be small, so that it says
//! something. Runs start empty; what is sent in the warm-up is left out.

mod queues;
mod retries;
mod storms;

use retry_storm::experiment::run_model;
use retry_storm::model::{Model, Outcome};
use retry_storm::scenario::{ReadOptions, read};
use std::ops::ControlFlow;

/// The only world of a scenario.
fn model(text: &str) -> Model {
    let options = ReadOptions { file: "theory.toml".into(), ..ReadOptions::default() };
    let read = read(text, &options).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    read.scenario.variants.into_iter().next().expect("there is one variant").model
}

fn outcome(model: &Model, replication: u64) -> Outcome {
    run_model(model, replication, |_| ControlFlow::Continue(())).expect("it ends")
}

/// What was estimated from so many replications.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    mean: f64,
    /// The standard error of the mean.
    error: f64,
}

const REPLICATIONS: u64 = 20;

/// Runs a model several times, and estimates each of these numbers.
fn estimates<const N: usize>(model: &Model, of: impl Fn(&Outcome) -> [f64; N]) -> [Estimate; N] {
    let mut sums = [[0.0; 2]; N];
    for replication in 0..REPLICATIONS {
        for (sum, value) in sums.iter_mut().zip(of(&outcome(model, replication))) {
            sum[0] += value;
            sum[1] += value * value;
        }
    }
    let count = REPLICATIONS as f64;
    sums.map(|[sum, squares]| {
        let mean = sum / count;
        let variance = (squares / count - mean * mean).max(0.0) * count / (count - 1.0);
        Estimate { mean, error: (variance / count).sqrt() }
    })
}

impl Estimate {
    /// Four standard errors at most from the theory, which is to be resolved to
    /// this share of itself.
    #[track_caller]
    fn agrees(self, theory: f64, resolution: f64, what: &str) {
        let Self { mean, error } = self;
        assert!((mean - theory).abs() <= 4.0 * error, "{what}: {mean} ± {error}, not {theory}");
        assert!(error <= resolution * theory, "{what}: {mean} ± {error} says little of {theory}");
    }
}
