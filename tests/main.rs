//! All tests that look at the crate from outside, in one binary.

mod cli;
mod keys;
mod laws;
mod oracle;
mod readme;
mod vectors;
