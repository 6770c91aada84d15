//! The world that is simulated: clients, services, calls, and what is
//! measured of them.
//!
//! [`Model`] describes a world, checked and ready to run; [`World`] runs it;
//! [`Outcome`] is what the run gives.

pub mod bins;
pub mod error;
mod meter;
pub mod metric;
pub mod outcome;
pub mod recovery;
pub mod spec;
mod world;

pub use error::{Reached, RunError};
pub use metric::{Metric, Unit};
pub use outcome::Outcome;
pub use spec::Model;
pub use world::World;
