//! Statistics: what many numbers say in a few.
//!
//! [`Recorder`] sums up the lengths of time of one run, [`estimate`] what
//! several runs say together. How the formulas are used, and where they come
//! from, stands in docs/statistics.md.

pub mod estimate;
mod recorder;

pub use estimate::{Estimate, Interval};
pub use recorder::{Distribution, Recorder};
