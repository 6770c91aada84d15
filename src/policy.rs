//! Retry policies: pure decisions.
//!
//! A policy is asked after every failed attempt and answers with a
//! [`Decision`]. It owns no clock, no randomness and no I/O: the failure, the
//! time left and the draws are passed in, so the same code runs in the
//! simulator's hot path and around a real call.

pub mod backoff;
pub mod budget;
pub mod retry;

pub use backoff::{Backoff, Strategy};
pub use budget::{Budget, Fill, TokenBucket};
pub use retry::{Decision, Failure, Progress, Reason, RetryPolicy};
