//! The steps after the value: what chance, the cap and the timer do to it.

use crate::time::{Duration, NANOS_PER_MILLI, NANOS_PER_SECOND};

/// What chance does to a value d. Where a range runs from high to low, a draw
/// counts from its far end, as in libraries that subtract their draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// Nothing.
    None,
    /// Uniform between `low × d` and `high × d`. This is full, equal, ± a share,
    /// added up to a share, and multiplied by up to a factor, all in one.
    Scale {
        /// The share of d at u = 0.
        low: f64,
        /// The share of d at u = 1.
        high: f64,
    },
    /// Uniform between `d + low` and `d + high`, in nanoseconds; nothing is
    /// below zero.
    Shift {
        /// What is added to d at u = 0.
        low: f64,
        /// What is added to d at u = 1.
        high: f64,
    },
    /// Uniform between a fixed length and d; the fixed length if d is below it.
    Above {
        /// The fixed length.
        low: Duration,
    },
}

impl Jitter {
    /// Uniform between 0 and d.
    pub const FULL: Self = Self::Scale { low: 0.0, high: 1.0 };
    /// Uniform between half of d and d.
    pub const EQUAL: Self = Self::Scale { low: 0.5, high: 1.0 };

    /// Uniform within a share of d on both sides.
    pub const fn symmetric(share: f64) -> Self {
        Self::Scale { low: 1.0 - share, high: 1.0 + share }
    }

    /// d and uniform up to a share of it on top.
    pub const fn added(share: f64) -> Self {
        Self::Scale { low: 1.0, high: 1.0 + share }
    }

    /// d times a factor uniform between 1 and this one.
    pub const fn multiplied(factor: f64) -> Self {
        Self::Scale { low: 1.0, high: factor }
    }

    /// d and uniform up to a fixed length on top.
    pub const fn plus(most: Duration) -> Self {
        Self::Shift { low: 0.0, high: most.as_nanos() as f64 }
    }

    /// Uniform within a fixed length of d on both sides.
    pub const fn within(most: Duration) -> Self {
        let most = most.as_nanos() as f64;
        Self::Shift { low: -most, high: most }
    }

    /// What chance makes of a value. A range is longer by `slack` nanoseconds
    /// than the kind says.
    #[inline]
    pub(super) fn of(self, value: Duration, slack: f64) -> Wait {
        let d = value.as_nanos() as f64;
        let (low, length) = match self {
            Self::None => return Wait::Fixed(value),
            // Products first: 0 × d and 1 × d are exact, so full and equal
            // jitter are d·u and d/2 + d/2·u to the last bit.
            Self::Scale { low, high } => (d * low, d * (high - low)),
            Self::Shift { low, high } => (d + low, high - low),
            Self::Above { low } => {
                let low = low.as_nanos() as f64;
                (low, (d - low).max(0.0))
            }
        };
        Wait::Within { low, length: length + slack }
    }
}

/// A wait before its draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::policy) enum Wait {
    /// There is nothing to draw.
    Fixed(Duration),
    /// Uniform over a range, in nanoseconds.
    Within {
        /// Where it begins.
        low: f64,
        /// How long it is.
        length: f64,
    },
}

impl Wait {
    /// The wait at the point `u` of its range.
    #[inline]
    pub(in crate::policy) fn at(self, u: f64) -> Duration {
        match self {
            Self::Fixed(wait) => wait,
            Self::Within { low, length } => Duration::from_nanos_f64(low + length * u),
        }
    }
}

/// When cap and least apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clamp {
    /// To the value; jitter may go beyond.
    Before,
    /// To the wait; jitter is lost there.
    After,
    /// To both.
    Both,
}

impl Clamp {
    #[inline]
    pub(super) const fn before(self) -> bool {
        matches!(self, Self::Before | Self::Both)
    }

    #[inline]
    pub(super) const fn after(self) -> bool {
        matches!(self, Self::After | Self::Both)
    }
}

/// What is special about the first wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Nothing.
    Jittered,
    /// It has no jitter.
    Plain,
    /// There is none: the first retry is sent at once.
    Zero,
}

/// What is special at the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtCap {
    /// Nothing.
    Jittered,
    /// A value above the cap becomes the cap, without jitter.
    PlainBeyond,
    /// No wait has jitter if the base is not below the cap.
    PlainFromBase,
}

/// The grid of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Nanoseconds.
    No,
    /// Down to whole milliseconds.
    FloorMillis,
    /// To the nearest whole millisecond.
    NearestMillis,
    /// One of the whole milliseconds of the range, its end included: the range
    /// is one longer, and the draw is cut.
    WholeMillis,
    /// One of the whole seconds of the range, its end included.
    WholeSeconds,
}

impl Round {
    /// How much longer the range of jitter is, in nanoseconds: a step of the
    /// grid less one, so that no draw, however large, rounds up to a step
    /// beyond the range.
    #[inline]
    pub const fn slack(self) -> f64 {
        match self {
            Self::No | Self::FloorMillis | Self::NearestMillis => 0.0,
            Self::WholeMillis => (NANOS_PER_MILLI - 1) as f64,
            Self::WholeSeconds => (NANOS_PER_SECOND - 1) as f64,
        }
    }

    /// The wait on the grid.
    #[inline]
    pub const fn apply(self, wait: Duration) -> Duration {
        let nanos = wait.as_nanos();
        match self {
            Self::No => wait,
            Self::FloorMillis | Self::WholeMillis => {
                Duration::from_nanos(nanos - nanos % NANOS_PER_MILLI)
            }
            Self::NearestMillis => {
                let up = nanos.saturating_add(NANOS_PER_MILLI / 2);
                Duration::from_nanos(up - up % NANOS_PER_MILLI)
            }
            Self::WholeSeconds => Duration::from_nanos(nanos - nanos % NANOS_PER_SECOND),
        }
    }
}
