//! How much time a call may take, and what a policy does near the end of it.

use crate::time::Duration;

/// When there is not enough time left for another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRule {
    /// Give up if the wait is not shorter than the time left.
    Shorter,
    /// Give up if the wait is longer than the time left.
    NotLonger,
    /// Give up if the time is over already; the wait does not matter.
    Elapsed,
    /// Wait no longer than the time left; give up if none is left.
    Clip,
    /// Never ask: whatever runs or waits at the end is cut off there.
    CutOff,
}

impl TimeRule {
    /// How long to wait when `elapsed` of `allowed` is over; `None` is to give
    /// up. `Duration::MAX` is allowed to those who have no limit.
    #[inline]
    pub(super) fn judge(
        self,
        wait: Duration,
        elapsed: Duration,
        allowed: Duration,
    ) -> Option<Duration> {
        if allowed == Duration::MAX {
            return Some(wait);
        }
        let left = allowed - elapsed;
        let goes_on = match self {
            Self::Shorter => wait < left,
            Self::NotLonger => wait <= left && elapsed <= allowed,
            Self::Elapsed => elapsed <= allowed,
            Self::Clip => !left.is_zero(),
            Self::CutOff => true,
        };
        let wait = if self == Self::Clip { wait.min(left) } else { wait };
        goes_on.then_some(wait)
    }
}

/// The limits of time of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What it does near the deadline of the request.
    pub deadline: TimeRule,
    /// How long it goes on by itself, from the start of the call, even if the
    /// request has no deadline.
    pub own: Duration,
    /// What it does near the end of that.
    pub own_rule: TimeRule,
    /// Whether the last attempt has no timeout of its own.
    pub last_attempt_untimed: bool,
}

impl Limits {
    /// A wait that is not shorter than the time left gives up; no limit of its own.
    pub const USUAL: Self = Self {
        deadline: TimeRule::Shorter,
        own: Duration::MAX,
        own_rule: TimeRule::NotLonger,
        last_attempt_untimed: false,
    };
}
