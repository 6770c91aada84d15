//! Retry policies: pure decisions.
//!
//! A policy is asked after every failed attempt and answers with a
//! [`Decision`]. It owns no clock, no randomness and no I/O: the failure, the
//! time left and the draws are passed in, so the same code runs in the
//! simulator's hot path and around a real call. Nothing on the way to a
//! decision allocates: what a call must remember is a [`Progress`] of 16 bytes.
//!
//! | question | answered by |
//! |---|---|
//! | would a retry help, | [`RetryOn`] |
//! | is it safe, | [`Repeatable`] |
//! | is an attempt left, | [`RetryPolicy::max_attempts`] |
//! | how long to wait, | [`Backoff`], then [`HintRule`] |
//! | is there time for it, | [`Limits`] |
//! | does the budget allow it? | [`Budget`] |

pub mod backoff;
pub mod budget;
pub mod failure;
pub mod hint;
pub mod limit;
pub mod prepared;
pub mod preset;
pub mod request;
pub mod retry;
pub mod retry_after;
pub mod schedule;

pub use backoff::{Backoff, Family, Jitter, Memory, Strategy};
pub use budget::{Budget, Fill, TokenBucket};
pub use failure::{Failure, RetryOn, StatusSet};
pub use hint::{Effect, Hint, HintRule};
pub use limit::{Limits, TimeRule};
pub use prepared::Prepared;
pub use preset::Preset;
pub use request::{Method, MethodSet, Repeatable, Request};
pub use retry::{Decision, Failed, Progress, Reason, RetryPolicy, Verdict};
pub use retry_after::Format;
