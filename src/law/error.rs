//! What can be wrong with the parameters of a law.

use crate::time::Duration;
use std::fmt;
use std::ops::RangeInclusive;

/// Why parameters describe no law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LawError {
    /// A length that must be longer than zero is zero.
    Zero {
        /// The parameter's name.
        parameter: &'static str,
    },
    /// A number is outside its range, or not a number.
    OutOfRange {
        /// The parameter's name.
        parameter: &'static str,
        /// What was given.
        value: f64,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// `from` is longer than `to`.
    Reversed {
        /// The shortest length.
        from: Duration,
        /// The longest length.
        to: Duration,
    },
    /// A list that needs more entries.
    TooFew {
        /// The parameter's name.
        parameter: &'static str,
        /// How many it needs.
        needed: usize,
    },
    /// The probabilities of a law's points do not increase.
    ProbabilityFalls {
        /// The probability of a point.
        before: f64,
        /// That of the point after it.
        after: f64,
    },
    /// The times of a law's points decrease.
    TimeFalls {
        /// The time of a point.
        before: Duration,
        /// That of the point after it.
        after: Duration,
    },
}

impl LawError {
    /// The name of the parameter that is wrong.
    pub const fn parameter(&self) -> &'static str {
        match self {
            Self::Zero { parameter }
            | Self::OutOfRange { parameter, .. }
            | Self::TooFew { parameter, .. } => parameter,
            Self::Reversed { .. } => "from",
            Self::ProbabilityFalls { .. } | Self::TimeFalls { .. } => "points",
        }
    }
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero { parameter: parameter @ "points" } => {
                write!(
                    f,
                    "a time in `{parameter}` is 0 s: between \"log\" points it must be longer"
                )
            }
            Self::Zero { parameter } => write!(f, "`{parameter}` must be longer than 0 s"),
            Self::OutOfRange { parameter, value, least, most } => {
                write!(f, "`{parameter}` must be from {least} to {most}, not {value}")
            }
            Self::Reversed { from, to } => {
                write!(f, "`from` ({from}) must not be longer than `to` ({to})")
            }
            Self::TooFew { parameter, needed: 1 } => {
                write!(f, "`{parameter}` must have at least one entry")
            }
            Self::TooFew { parameter, needed } => {
                write!(f, "`{parameter}` must have at least {needed} entries below probability 1")
            }
            Self::ProbabilityFalls { before, after } => write!(
                f,
                "the probabilities of `points` must increase from one to the next: \
                 {after} stands after {before}"
            ),
            Self::TimeFalls { before, after } => write!(
                f,
                "the times of `points` must not decrease from one to the next: \
                 {after} stands after {before}"
            ),
        }
    }
}

impl std::error::Error for LawError {}

/// A length that must be longer than zero, in nanoseconds.
pub(super) fn positive(parameter: &'static str, length: Duration) -> Result<f64, LawError> {
    if length.is_zero() {
        return Err(LawError::Zero { parameter });
    }
    Ok(length.as_nanos() as f64)
}

/// A number that must lie in a range; what is not a number never does.
pub(super) fn within(
    parameter: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
) -> Result<f64, LawError> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(LawError::OutOfRange { parameter, value, least: *range.start(), most: *range.end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_which_parameter_and_what_is_allowed() {
        let error = within("cv", f64::NAN, 0.5..=2.0).expect_err("it is no number");
        assert_eq!(error.parameter(), "cv");
        assert_eq!(error.to_string(), "`cv` must be from 0.5 to 2, not NaN");
        let error = positive("mean", Duration::ZERO).expect_err("it is zero");
        assert_eq!(error.to_string(), "`mean` must be longer than 0 s");
        let falls = LawError::ProbabilityFalls { before: 0.9, after: 0.5 };
        assert_eq!(
            falls.to_string(),
            "the probabilities of `points` must increase from one to the next: \
             0.5 stands after 0.9"
        );
    }
}
