//! When the attempts of a call start: from when to when, whatever is drawn, and
//! which of them never do. Facts for warnings and explanations; the decisions
//! themselves are [`super::retry`]'s, and nothing here is on their way.
//!
//! What lies between the attempts is known only at its ends: a target that
//! fails every attempt at once leaves the most room for retries, one that lets
//! every attempt run into its timeout the least.

mod ranges;

pub use ranges::{Ranges, Waits};

use super::limit::TimeRule;
use super::retry::RetryPolicy;
use crate::time::Duration;

/// From the shortest to the longest length that is possible. The longest is
/// what a draw just below 1 gives; [`Duration::MAX`] is without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The shortest.
    pub low: Duration,
    /// The longest.
    pub high: Duration,
}

impl Range {
    /// Whether chance changes nothing.
    pub fn is_point(self) -> bool {
        self.low == self.high
    }
}

/// The time that a call has, beside what its policy says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How long each attempt may take; `None` waits for ever.
    pub timeout: Option<Duration>,
    /// How long the call may take in all, waits and attempts included; `None`
    /// is without limit.
    pub deadline: Option<Duration>,
}

impl Timing {
    /// Whether an attempt may take all the time of the call, or more, so that
    /// after one that runs into its timeout there is no time for another.
    pub fn timeout_takes_all(self) -> bool {
        matches!((self.timeout, self.deadline), (Some(timeout), Some(all)) if timeout >= all)
    }
}

/// What becomes of every attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It fails at once.
    Fails,
    /// It gets no answer, and ends with its timeout.
    Hangs,
}

/// Why no further attempt starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All attempts are used.
    Exhausted,
    /// The deadline of the call is before it.
    Deadline,
    /// The policy goes on for so long and no longer.
    OwnLimit,
    /// The last attempt never ends: it has no timeout, the call no deadline.
    Endless,
    /// There are more; no further ones were asked for.
    Unseen,
}

/// An attempt that can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When, since the call began.
    pub at: Range,
    /// Whether it starts whatever is drawn.
    pub certain: bool,
}

/// The attempts of a call, as far as they can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// They, in order; the first is at 0.
    pub starts: Vec<Start>,
    /// Why no more can.
    pub stop: Stop,
}

/// Nobody looks at more attempts of one call.
pub const MOST_ATTEMPTS: u32 = 1_000_000;

/// The retries among which a fact about all of them is looked for.
const LOOKED_AT: u32 = 1_000;

impl RetryPolicy {
    /// The first `most` attempts of a call that can start at all if this
    /// becomes of every one. An attempt that could only start at the deadline
    /// has no time left, and is none.
    pub fn course(&self, timing: Timing, target: Target, most: u32) -> Course {
        let mut walk = Walk::new(self, timing, target);
        let mut starts = vec![Start { at: Range::default(), certain: true }];
        let mut ranges = self.backoff.ranges();
        loop {
            let attempt = starts.len() as u32;
            let stop = if self.max_attempts.is_some_and(|all| attempt >= all) {
                Some(Stop::Exhausted)
            } else if attempt >= most.min(MOST_ATTEMPTS) {
                Some(Stop::Unseen)
            } else {
                walk.finish(attempt).err()
            };
            match stop.map_or_else(|| walk.wait(ranges.advance()), Err) {
                Ok(start) => starts.push(start),
                Err(stop) => return Course { starts, stop },
            }
        }
    }

    /// The longest that a call can take, if its attempts take as long as they
    /// may and its waits are the longest; `None` is without limit.
    pub fn longest_call(&self, timing: Timing) -> Option<Duration> {
        let Some(timeout) = self.attempt_timeout(u32::MAX, timing.timeout, None) else {
            return timing.deadline;
        };
        if self.max_attempts.is_none() && self.limits.own == Duration::MAX {
            return timing.deadline;
        }
        let waits = |retries: u32| self.backoff.ranges().take(retries as usize).last();
        let (start, wait) = if let Some(attempts) = self.max_attempts {
            // Attempts that fail sooner may leave room for further ones, so the
            // last that can start at all may start as late as it is allowed to.
            let retries = self.course(timing, Target::Fails, attempts).starts.len() as u32 - 1;
            let waits = waits(retries).unwrap_or_default();
            let attempts = timeout.as_nanos().saturating_mul(u64::from(retries));
            (waits.total.high + Duration::from_nanos(attempts), waits.wait.high)
        } else {
            (Duration::MAX, waits(LOOKED_AT).unwrap_or_default().wait.high)
        };
        let longest = start.min(self.latest_start(timing, wait)) + timeout;
        Some(timing.deadline.map_or(longest, |deadline| longest.min(deadline)))
    }

    /// No attempt after a wait of up to `longest` starts later.
    fn latest_start(&self, timing: Timing, longest: Duration) -> Duration {
        let own = match self.limits.own_rule {
            TimeRule::Shorter | TimeRule::NotLonger | TimeRule::Clip => self.limits.own,
            TimeRule::Elapsed => self.limits.own + longest,
            TimeRule::CutOff => Duration::MAX,
        };
        own.min(timing.deadline.unwrap_or(Duration::MAX))
    }

    /// The first retry from which on chance changes no wait, though the policy
    /// has jitter: because the cap cuts it off, or because there is nothing that
    /// it could change. `None` if jitter does its work, or is not there at all.
    pub fn jitter_lost(&self) -> Option<u32> {
        if !self.backoff.is_random() {
            return None;
        }
        let retries = self.max_attempts.map_or(LOOKED_AT, |all| (all - 1).min(LOOKED_AT));
        let mut lost = None;
        for (waits, retry) in self.backoff.ranges().zip(1..=retries) {
            lost = waits.wait.is_point().then(|| lost.unwrap_or(retry));
        }
        lost
    }
}

/// Both ends of what chance can do to a call, on the way from attempt to attempt.
struct Walk<'a> {
    policy: &'a RetryPolicy,
    timing: Timing,
    target: Target,
    /// The time since the call began with the shortest waits, and their sum.
    earliest: (Duration, Duration),
    /// The same with the longest; `None` if they leave no time for more.
    latest: Option<(Duration, Duration)>,
}

impl<'a> Walk<'a> {
    fn new(policy: &'a RetryPolicy, timing: Timing, target: Target) -> Self {
        let start = (Duration::ZERO, Duration::ZERO);
        Self { policy, timing, target, earliest: start, latest: Some(start) }
    }

    /// The end of an attempt.
    fn finish(&mut self, attempt: u32) -> Result<(), Stop> {
        if self.target == Target::Fails {
            return Ok(());
        }
        let left = |since: Duration| self.timing.deadline.map(|deadline| deadline - since);
        let takes = |since| self.policy.attempt_timeout(attempt, self.timing.timeout, left(since));
        self.earliest.0 += takes(self.earliest.0).ok_or(Stop::Endless)?;
        if let Some((since, _)) = &mut self.latest {
            *since += takes(*since).ok_or(Stop::Endless)?;
        }
        Ok(())
    }

    /// The start of the next attempt, after the next wait.
    fn wait(&mut self, waits: Waits) -> Result<Start, Stop> {
        let low = self.start(self.earliest, waits.total.low)?;
        self.earliest = (low, waits.total.low);
        let latest = self.latest.and_then(|latest| self.start(latest, waits.total.high).ok());
        self.latest = latest.map(|start| (start, waits.total.high));
        let high = latest.unwrap_or_else(|| self.policy.latest_start(self.timing, waits.wait.high));
        Ok(Start { at: Range { low, high }, certain: latest.is_some() })
    }

    /// The start of an attempt if at the time `since` an attempt failed, the
    /// waits before it took `waited` in all, and with the next one `total`.
    fn start(
        &self,
        (since, waited): (Duration, Duration),
        total: Duration,
    ) -> Result<Duration, Stop> {
        let limits = &self.policy.limits;
        let deadline = self.timing.deadline.unwrap_or(Duration::MAX);
        let wait = limits.deadline.judge(total - waited, since, deadline).ok_or(Stop::Deadline)?;
        let wait = limits.own_rule.judge(wait, since, limits.own).ok_or(Stop::OwnLimit)?;
        let start = since + wait;
        if start < deadline { Ok(start) } else { Err(Stop::Deadline) }
    }
}

#[cfg(test)]
mod tests;
