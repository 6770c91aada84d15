//! Variants × seeds: runs every world of a scenario and keeps their order.

use crate::model::{Model, Outcome};
use crate::scenario::Threshold;

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
