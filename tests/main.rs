//! All tests that see the crate from outside, in one binary.

mod vectors;
