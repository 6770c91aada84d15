//! All tests that look at the crate from outside, in one binary.

mod binary;
mod cases;
mod cli;
mod determinism;
mod examples;
mod executor;
mod golden;
mod keys;
mod laws;
mod oracle;
mod overloads;
mod readme;
#[path = "../src/testing.rs"]
mod testing;
mod theory;
mod vectors;
