//! How long a call and its attempts may take, and which settings are refused.

use crate::policy::{Preset, RetryPolicy};
use crate::time::Duration;
use std::fmt;

/// How long an attempt and the whole call may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// Each attempt; `None` is without limit.
    pub attempt: Option<Duration>,
    /// All attempts and the waits between them; `None` is without limit.
    pub call: Option<Duration>,
}

/// Settings with which no call can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsError {
    /// The policy allows no attempt.
    NoAttempt,
    /// The timeout of an attempt is zero.
    NoTimeForAnAttempt,
    /// The timeout of the call is zero.
    NoTimeForTheCall,
}

impl Timeouts {
    /// No limit.
    pub const NONE: Self = Self { attempt: None, call: None };

    /// Refuses what leaves no room for an attempt.
    pub(super) fn check(&self, policy: &RetryPolicy) -> Result<(), SettingsError> {
        if policy.max_attempts == Some(0) {
            Err(SettingsError::NoAttempt)
        } else if self.attempt == Some(Duration::ZERO) {
            Err(SettingsError::NoTimeForAnAttempt)
        } else if self.call == Some(Duration::ZERO) {
            Err(SettingsError::NoTimeForTheCall)
        } else {
            Ok(())
        }
    }
}

impl From<&Preset> for Timeouts {
    /// Those that the library ships.
    fn from(preset: &Preset) -> Self {
        Self { attempt: preset.attempt_timeout, call: preset.call_timeout }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoAttempt => {
                "max_attempts counts the first attempt too: set it to 1 or more, or to None"
            }
            Self::NoTimeForAnAttempt => {
                "the timeout of an attempt is zero: set it above zero, or to None"
            }
            Self::NoTimeForTheCall => {
                "the timeout of the call is zero: set it above zero, or to None"
            }
        })
    }
}

impl std::error::Error for SettingsError {}
