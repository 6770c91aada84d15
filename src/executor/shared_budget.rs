//! A budget that several callers share.

use crate::policy::{Budget, TokenBucket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A retry budget for programs. Clones share their tokens: give one clone to
/// each executor that calls the same service, on whatever thread.
#[derive(Clone, Debug)]
pub struct SharedBudget(Arc<Mutex<Budget>>);

impl SharedBudget {
    /// A full bucket.
    pub fn new(settings: TokenBucket) -> Self {
        Self(Arc::new(Mutex::new(Budget::new(settings))))
    }

    /// The level, in thousandths of a token.
    pub fn level_millis(&self) -> u64 {
        self.lock().level_millis()
    }

    /// The budget, for as long as the guard lives. Of the caller's code only the
    /// random source runs under the lock, before a token is taken: a panic there
    /// leaves nothing half changed.
    pub(super) fn lock(&self) -> MutexGuard<'_, Budget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
