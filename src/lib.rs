//! A deterministic simulator of retry storms.
//!
//! Data flows one way: [`scenario`] (what a person typed, then what was
//! checked) → [`model`] (the world and its events) driven by [`des`] (the
//! event queue) under [`policy`] (pure decisions) → [`model::Outcome`] (what is
//! measured) → [`experiment`] (variants and seeds) → `report` (bytes).
//! The core does no I/O, starts no thread and reads no clock.
//!
//! Beside it stands [`executor`], which retries real calls by the same policies.

pub mod des;
pub mod draw;
pub mod executor;
pub mod experiment;
pub mod explain;
pub mod law;
pub mod math;
pub mod model;
pub mod policy;
pub mod published;
pub mod report;
pub mod scenario;
pub mod stats;
#[cfg(test)]
mod testing;
pub mod theory;
pub mod time;

/// The code that the README shows must compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
