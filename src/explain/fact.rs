//! What a person should know of a policy: what never happens, and what chance
//! does not do.

use super::{Explanation, Reach};
use crate::policy::RetryPolicy;
use crate::policy::schedule::Stop;
use crate::time::Duration;

/// Something that is true of a policy and seldom meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    /// An attempt without timeout in a call without deadline may never end.
    Endless,
    /// One attempt may take all the time of the call: after a timeout there is
    /// no retry.
    TimeoutTakesAll,
    /// Attempts from this one on never start, even if all before fail at once.
    NeverStarts(Never),
    /// Attempts from this one on do not start if all before run into their
    /// timeout.
    NotAfterTimeouts(Never),
    /// Attempts after this many start only if waits are short.
    UpToChance {
        /// The attempts that start whatever is drawn, if all fail at once.
        certain: u32,
    },
    /// Every retry is sent at once.
    NoWait,
    /// From this retry on chance changes nothing, though the policy has jitter.
    JitterLost {
        /// The retry.
        from: u32,
        /// What all wait from then on, if it is the same for all retries.
        wait: Duration,
        /// Whether it is the cap that all wait.
        at_cap: bool,
    },
    /// At the last retry that is listed the cap makes waits the same.
    CutToCap {
        /// The retry.
        retry: u32,
        /// The share of its waits.
        share: f64,
    },
    /// Waits may be longer than the cap.
    AboveCap {
        /// The longest.
        longest: Duration,
    },
}

/// Attempts that never start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Never {
    /// The first of them.
    pub first: u32,
    /// The last; `None` if attempts are without limit.
    pub last: Option<u32>,
    /// When the first could start, if nothing stopped it.
    pub at: Duration,
    /// What stops it.
    pub why: Stop,
}

/// The facts, the gravest first.
pub(super) fn facts(policy: &RetryPolicy, explained: &Explanation) -> Vec<Fact> {
    let mut facts = Vec::new();
    let timing = explained.timing;
    if explained.hanging.stop == Stop::Endless {
        facts.push(Fact::Endless);
    }
    let retries = explained.retries != Some(0);
    if retries && timing.timeout_takes_all() {
        facts.push(Fact::TimeoutTakesAll);
    }
    let failing = never(policy, explained, explained.failing, Duration::ZERO);
    facts.extend(failing.map(Fact::NeverStarts));
    if let Some(timeout) = timing.timeout.filter(|_| !timing.timeout_takes_all()) {
        let hanging = never(policy, explained, explained.hanging, timeout);
        let is_news = explained.hanging.possible < explained.failing.possible;
        facts.extend(hanging.filter(|_| is_news).map(Fact::NotAfterTimeouts));
    }
    if explained.failing.certain < explained.failing.possible {
        facts.push(Fact::UpToChance { certain: explained.failing.certain });
    }
    facts.extend(waits(policy, explained));
    facts
}

/// The attempts beyond those that can start, each of which takes so long.
fn never(
    policy: &RetryPolicy,
    explained: &Explanation,
    reach: Reach,
    takes: Duration,
) -> Option<Never> {
    if !matches!(reach.stop, Stop::Deadline | Stop::OwnLimit) {
        return None;
    }
    let waited = policy.backoff.ranges().nth(reach.possible as usize - 1)?.total.low;
    let attempts = takes.as_nanos().saturating_mul(u64::from(reach.possible));
    Some(Never {
        first: reach.possible + 1,
        last: explained.retries.map(|retries| retries + 1),
        at: waited + Duration::from_nanos(attempts),
        why: reach.stop,
    })
}

/// What is to be said of the waits.
fn waits(policy: &RetryPolicy, explained: &Explanation) -> Vec<Fact> {
    let mut facts = Vec::new();
    let rows = &explained.rows;
    let Some(last) = rows.last() else { return facts };
    let longest = rows.iter().map(|row| row.wait.high).max().unwrap_or_default();
    if longest.is_zero() {
        return vec![Fact::NoWait];
    }
    if let Some(from) = policy.jitter_lost() {
        let wait = last.wait.high;
        facts.push(Fact::JitterLost { from, wait, at_cap: wait == policy.backoff.cap });
    } else if policy.backoff.is_random() && last.expected.at_cap > 0.0 {
        facts.push(Fact::CutToCap { retry: last.retry, share: last.expected.at_cap });
    }
    if longest > policy.backoff.cap {
        facts.push(Fact::AboveCap { longest });
    }
    facts
}

impl Never {
    /// How many attempts they are; `None` is without limit.
    pub fn count(&self) -> Option<u32> {
        self.last.map(|last| last + 1 - self.first)
    }
}
