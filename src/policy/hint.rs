//! What the server asked for, and what a policy makes of it.
//!
//! A server may say when to come back: Retry-After in HTTP, pushback in gRPC,
//! headers of their own at AWS and Envoy. How the text is read is
//! `retry_after.rs`; here is its effect on the wait.

use super::failure::Failure;
use super::retry_after::Format;
use crate::time::Duration;

/// What an answer says about the next attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// Come back after this long.
    After(Duration),
    /// A number below zero.
    Negative,
    /// Something that cannot be read.
    Unreadable,
}

/// What a hint does to the wait t of the backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: hints are not read.
    Ignore,
    /// The wait is the longer of t and the hint.
    Floor,
    /// The value before jitter is at least the hint, so jitter comes on top.
    FloorBeforeJitter,
    /// The wait is the hint.
    Replace,
    /// The wait is the hint, but not below t nor above t and this much.
    Clamp {
        /// How much longer than t the wait may be.
        above: Duration,
    },
    /// The wait is the hint and uniform up to half of it more, in whole
    /// milliseconds.
    Spread,
    /// The hint is the base from which the backoff computes t.
    Base,
}

/// What to do with a hint that is out of the ordinary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// As if there were none.
    Ignore,
    /// Give up.
    Stop,
    /// Take it: a long one as the longest that is accepted, a negative or
    /// unreadable one as zero.
    Take,
}

/// Which failures a rule is about. Libraries make a difference between three
/// statuses and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope(u8);

impl Scope {
    /// None.
    pub const NONE: Self = Self(0);
    /// Answers with 413.
    pub const TOO_LARGE: Self = Self(1);
    /// Answers with 429.
    pub const TOO_MANY: Self = Self(1 << 1);
    /// Answers with 503.
    pub const UNAVAILABLE: Self = Self(1 << 2);
    /// All other failures.
    pub const OTHERS: Self = Self(1 << 3);
    /// All.
    pub const ALL: Self = Self(0b1111);

    /// The failures of both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The answers with this status, and those that are not told apart from them.
    pub const fn of(status: u16) -> Self {
        match status {
            413 => Self::TOO_LARGE,
            429 => Self::TOO_MANY,
            503 => Self::UNAVAILABLE,
            _ => Self::OTHERS,
        }
    }

    /// Whether the rule is about this failure.
    #[inline]
    pub const fn covers(self, failure: Failure) -> bool {
        let scope = match failure {
            Failure::Status(status) => Self::of(status),
            Failure::Timeout | Failure::Connection => Self::OTHERS,
        };
        self.0 & scope.0 != 0
    }
}

/// How a policy treats hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintRule {
    /// What text is understood.
    pub format: Format,
    /// What a hint does.
    pub effect: Effect,
    /// The failures at which hints are read.
    pub read_at: Scope,
    /// The failures at which a call is given up if there is no hint.
    pub needed_at: Scope,
    /// The longest hint that is accepted as it is.
    pub longest: Duration,
    /// What becomes of a longer one.
    pub too_long: Otherwise,
    /// What becomes of a hint of zero: taken, or as if there were none.
    pub zero: Otherwise,
    /// What becomes of a negative number.
    pub negative: Otherwise,
    /// What becomes of what cannot be read.
    pub unreadable: Otherwise,
    /// Whether a hint makes the backoff begin anew.
    pub restarts: bool,
}

/// What a rule makes of one hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Nothing,
    Wait(Duration),
    Stop,
}

impl HintRule {
    /// Hints are not read.
    pub const IGNORE: Self = Self {
        format: Format::HTTP,
        effect: Effect::Ignore,
        read_at: Scope::NONE,
        needed_at: Scope::NONE,
        longest: Duration::MAX,
        too_long: Otherwise::Take,
        zero: Otherwise::Take,
        negative: Otherwise::Ignore,
        unreadable: Otherwise::Ignore,
        restarts: false,
    };

    /// A hint has this effect at every failure, however long it is.
    pub const fn new(effect: Effect) -> Self {
        Self { effect, read_at: Scope::ALL, ..Self::IGNORE }
    }

    /// What the server asks for, as this policy sees it.
    #[inline]
    pub(super) fn read(&self, failure: Failure, hint: Hint) -> Asked {
        if hint == Hint::None && self.needed_at == Scope::NONE {
            return Asked::Nothing;
        }
        self.read_one(failure, hint)
    }

    fn read_one(&self, failure: Failure, hint: Hint) -> Asked {
        if self.effect == Effect::Ignore {
            return Asked::Nothing;
        }
        let asked = match hint {
            _ if !self.read_at.covers(failure) => Asked::Nothing,
            Hint::None => Asked::Nothing,
            Hint::After(Duration::ZERO) => self.zero.applied(Duration::ZERO),
            Hint::After(length) if length > self.longest => self.too_long.applied(self.longest),
            Hint::After(length) => Asked::Wait(length),
            Hint::Negative => self.negative.applied(Duration::ZERO),
            Hint::Unreadable => self.unreadable.applied(Duration::ZERO),
        };
        if asked == Asked::Nothing && self.needed_at.covers(failure) { Asked::Stop } else { asked }
    }
}

impl Otherwise {
    const fn applied(self, taken: Duration) -> Asked {
        match self {
            Self::Ignore => Asked::Nothing,
            Self::Stop => Asked::Stop,
            Self::Take => Asked::Wait(taken),
        }
    }
}
