//! The scenario file: what a person typed, read into what can be run.
//!
//! One table of keys drives the reader, the suggestions and the schema. The reader walks the TOML with spans, reports
//! all that is wrong together, and builds one checked [`Model`] for each
//! variant. After that nothing can be invalid. Nothing here touches the disk.

use crate::model::{Metric, Model};

/// A scenario, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its title.
    pub name: String,
    /// The seed of every draw.
    pub seed: u64,
    /// What the rows of a table are called: the last word of the path that
    /// `[compare]` sets (`backoff`), or `variant`.
    pub label: String,
    /// The variants, in file order; one without a name if there are none.
    pub variants: Vec<Variant>,
    /// The thresholds, in file order.
    pub thresholds: Vec<Threshold>,
    /// The scenario with all defaults filled in, for run.json.
    pub resolved: serde_json::Value,
}

/// One world of a scenario.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name: unique, empty if the scenario has only one.
    pub name: String,
    /// The world.
    pub model: Model,
}

/// A demand on a metric.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The least value that passes, in the metric's unit.
    pub min: Option<f64>,
    /// The greatest value that passes, in the metric's unit.
    pub max: Option<f64>,
}

/// A `[[threshold]]` of the scenario.
#[derive(Clone)]
pub struct Threshold {
    /// What is measured.
    pub metric: &'static Metric,
    /// Index of the variant it speaks of; `None` is every variant.
    pub of: Option<usize>,
    /// What it demands.
    pub bound: Bound,
}

impl std::fmt::Debug for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {:?}: {:?}", self.metric.name, self.of, self.bound)
    }
}
