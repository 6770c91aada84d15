//! The world that is simulated: clients, services, calls, and what is
//! measured of them.
//!
//! [`Model`] describes a world, checked and ready to run; [`Outcome`] is what
//! a run of it gives.

pub mod bins;
pub mod metric;
pub mod outcome;
pub mod spec;

pub use metric::{Metric, Unit};
pub use outcome::Outcome;
pub use spec::Model;
