//! One call without a clock, a sleep or a draw of its own: the state machine
//! that all executors drive.
//!
//! The order is always the same: begin an attempt, make it, and if it failed
//! say so; then wait as long as the verdict says, and begin the next.

use crate::policy::{Budget, Decision, Failed, Failure, Progress, RetryPolicy, TimeRule, Verdict};
use crate::time::{Duration, Instant};
use std::fmt;

use super::timeouts::Timeouts;

/// A call under a retry policy, from its start to its end.
///
/// ```
/// use retry_storm::executor::{Execution, Timeouts};
/// use retry_storm::policy::{Backoff, Decision, Failure, RetryPolicy, Strategy};
/// use retry_storm::time::{Duration, Instant};
///
/// let second = Duration::from_secs(1);
/// let backoff = Backoff::new(Strategy::Constant, second, second);
/// let policy = RetryPolicy { max_attempts: Some(2), backoff, ..RetryPolicy::NEVER };
/// let mut call = Execution::start(&policy, Timeouts::NONE, Instant::ZERO);
/// assert_eq!(call.begin(Instant::ZERO)?.number, 1);
/// let verdict = call.failed(Failure::Timeout, Instant::ZERO, || 0.5, None);
/// assert_eq!(verdict.decision, Decision::RetryAfter(second));
/// assert_eq!(call.begin(Instant::ZERO + second)?.number, 2);
/// # Ok::<(), retry_storm::executor::OutOfTime>(())
/// ```
#[derive(Clone, Debug)]
pub struct Execution<'p> {
    policy: &'p RetryPolicy,
    timeouts: Timeouts,
    started: Instant,
    progress: Progress,
    last: Option<Failure>,
}

/// An attempt that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number in the call; the first is 1.
    pub number: u32,
    /// How long it may take: the timeout of an attempt, or what is left for the
    /// call if that is less; `None` is without limit. Never zero.
    pub timeout: Option<Duration>,
}

/// The time of a call was over just before an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfTime {
    /// The attempts that were made.
    pub attempts: u32,
    /// How the last of them failed.
    pub last: Option<Failure>,
}

impl<'p> Execution<'p> {
    /// A call that starts now; its deadline does not move any more.
    pub const fn start(policy: &'p RetryPolicy, timeouts: Timeouts, now: Instant) -> Self {
        Self { policy, timeouts, started: now, progress: Progress::after(0), last: None }
    }

    /// Begins the next attempt.
    ///
    /// # Errors
    /// If the time of the call is over.
    pub fn begin(&mut self, now: Instant) -> Result<Attempt, OutOfTime> {
        let left = self.left(now);
        if left.is_some_and(Duration::is_zero) {
            return Err(OutOfTime { attempts: self.progress.attempts, last: self.last });
        }
        let number = self.progress.attempts.saturating_add(1);
        self.progress.attempts = number;
        let timeout = self.policy.attempt_timeout(number, self.timeouts.attempt, left);
        Ok(Attempt { number, timeout })
    }

    /// Decides what follows the attempt, which has failed. The times in `failed`
    /// are not read: they are known here. Of a wait that would go on beyond the
    /// end of the call only the part before it is asked for.
    pub fn failed(
        &mut self,
        failed: impl Into<Failed>,
        now: Instant,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
    ) -> Verdict {
        let failed = Failed {
            elapsed: now.since(self.started),
            allowed: self.timeouts.call.unwrap_or(Duration::MAX),
            ..failed.into()
        };
        self.last = Some(failed.failure);
        let mut verdict = self.policy.judge(failed, &mut self.progress, draw, budget);
        if let (Decision::RetryAfter(wait), Some(left)) = (&mut verdict.decision, self.left(now)) {
            *wait = left.min(*wait);
        }
        verdict
    }

    /// The attempts begun so far.
    pub const fn attempts(&self) -> u32 {
        self.progress.attempts
    }

    /// The time left until whatever runs or waits is cut off; `None` is without
    /// limit.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let limits = &self.policy.limits;
        let own = (limits.own_rule == TimeRule::CutOff && limits.own != Duration::MAX)
            .then_some(limits.own);
        let allowed = match (self.timeouts.call, own) {
            (Some(call), Some(own)) => Some(call.min(own)),
            (call, own) => call.or(own),
        };
        allowed.map(|allowed| allowed - now.since(self.started))
    }
}

impl fmt::Display for OutOfTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the time of the call was over before attempt {}",
            self.attempts.saturating_add(1)
        )
    }
}

impl std::error::Error for OutOfTime {}
