//! How a call ends badly.

use super::execution::OutOfTime;
use crate::policy::Reason;
use std::fmt;

/// Why a call gave no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// The last attempt gave an error, and the policy allowed no other.
    GaveUp {
        /// The error of the last attempt.
        error: E,
        /// Why there was no other.
        reason: Reason,
        /// All attempts that were made.
        attempts: u32,
    },
    /// An error that the classifier did not take for a failure.
    Final(E),
    /// The time of the call was over just before an attempt.
    OutOfTime(OutOfTime),
}

impl<E> Error<E> {
    /// The error of the operation, if it gave one last.
    pub fn into_operation(self) -> Option<E> {
        match self {
            Self::GaveUp { error, .. } | Self::Final(error) => Some(error),
            Self::OutOfTime(_) => None,
        }
    }
}

impl<E> From<OutOfTime> for Error<E> {
    fn from(over: OutOfTime) -> Self {
        Self::OutOfTime(over)
    }
}

/// A reason, as the end of a sentence.
const fn words(reason: Reason) -> &'static str {
    match reason {
        Reason::NotRetryable => "it would fail the same way again",
        Reason::NotRepeatable => "the request is not safe to repeat",
        Reason::AttemptsExhausted => "all attempts are used",
        Reason::HintForbids => "the server asked for no retry",
        Reason::OutOfTime => "there is no time for a retry",
        Reason::BudgetDenied => "the retry budget is empty",
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GaveUp { error, reason, attempts } => {
                let plural = if *attempts == 1 { "" } else { "s" };
                write!(f, "{error} (gave up after {attempts} attempt{plural}: {})", words(*reason))
            }
            Self::Final(error) => error.fmt(f),
            Self::OutOfTime(over) => over.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Its own text is part of ours already.
            Self::GaveUp { error, .. } | Self::Final(error) => error.source(),
            Self::OutOfTime(_) => None,
        }
    }
}
