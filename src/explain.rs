//! What follows from a retry policy without running it: the waits, the starts
//! of the attempts, what a call takes at most, which attempts never happen.
//!
//! All of it is arithmetic on the policy that also decides in a run
//! ([`crate::policy::schedule`] has the ranges, which warnings share). Text is
//! the reports' business.

mod chain;
mod expected;
mod fact;
pub mod subject;

pub use expected::Expected;
pub use fact::{Fact, Never};
pub use subject::{Settings, Subject};

use chain::Means;
use fact::facts;

use crate::policy::RetryPolicy;
use crate::policy::schedule::{Course, Range, Start, Stop, Target, Timing};
use crate::time::Duration;

/// A policy, explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The time that a call has.
    pub timing: Timing,
    /// The retries in order: all of a call, as far as there are not too many.
    pub rows: Vec<Row>,
    /// How many retries a call has at most; `None` is without limit.
    pub retries: Option<u32>,
    /// All waits of a call together, if its retries are limited and no deadline
    /// ends them.
    pub waits: Option<Total>,
    /// The attempts that can start if each fails at once.
    pub failing: Reach,
    /// The attempts that can start if each runs into its timeout.
    pub hanging: Reach,
    /// The longest that a call can take; `None` is without limit.
    pub longest: Option<Duration>,
    /// What a person should know.
    pub facts: Vec<Fact>,
}

/// A retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Its number; the first is 1.
    pub retry: u32,
    /// The wait before it.
    pub wait: Range,
    /// The mean of that.
    pub expected: Expected,
    /// That wait and all before it.
    pub total: Range,
    /// When its attempt starts if each fails at once; `None` if it never does.
    pub failing: Option<Start>,
    /// When it starts if each runs into its timeout; `None` if it never does.
    pub hanging: Option<Start>,
}

/// All waits of a call together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// From the shortest to the longest.
    pub range: Range,
    /// The mean, in nanoseconds, if it is known.
    pub mean: Option<f64>,
    /// The mean is off by no more than this, in nanoseconds.
    pub error: f64,
}

/// How far a call comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The attempts that start whatever is drawn.
    pub certain: u32,
    /// The attempts that can start.
    pub possible: u32,
    /// Why no more can.
    pub stop: Stop,
}

/// More retries are not listed one by one.
const MOST_ROWS: u32 = 1_000;

/// So many retries of a call without end show what its waits are like.
const ROWS_OF_MANY: u32 = 12;

/// Nobody looks at more attempts of a call without end.
const MOST_WITHOUT_LIMIT: u32 = 10_000;

/// After so many waits with the same range and mean the rest is the same too.
const SETTLED: u32 = 4;

impl Explanation {
    /// Explains a policy whose calls have so much time.
    pub fn new(policy: &RetryPolicy, timing: Timing) -> Self {
        let most = policy.max_attempts.unwrap_or(MOST_WITHOUT_LIMIT);
        let course = |target| policy.course(timing, target, most);
        let (failing, hanging) = (course(Target::Fails), course(Target::Hangs));
        let retries = policy.max_attempts.map(|attempts| attempts - 1);
        let shown = retries.unwrap_or_else(|| bounded(&failing).unwrap_or(ROWS_OF_MANY));
        let rows = rows(policy, shown.min(MOST_ROWS), &failing, &hanging);
        let mut explanation = Self {
            timing,
            waits: retries.and_then(|retries| total(policy, retries, &rows)),
            rows,
            retries,
            failing: reach(&failing),
            hanging: reach(&hanging),
            longest: policy.longest_call(timing),
            facts: Vec::new(),
        };
        explanation.facts = facts(policy, &explanation);
        explanation
    }
}

/// The retries of a call without limit that its time leaves room for.
fn bounded(course: &Course) -> Option<u32> {
    let is_bounded = matches!(course.stop, Stop::Deadline | Stop::OwnLimit);
    is_bounded.then(|| course.starts.len() as u32 - 1)
}

fn reach(course: &Course) -> Reach {
    Reach {
        certain: course.starts.iter().filter(|start| start.certain).count() as u32,
        possible: course.starts.len() as u32,
        stop: course.stop,
    }
}

fn rows(policy: &RetryPolicy, count: u32, failing: &Course, hanging: &Course) -> Vec<Row> {
    let mut means = Means::new(&policy.backoff);
    let mut rows: Vec<Row> = Vec::new();
    let mut same = 0;
    for (waits, retry) in policy.backoff.ranges().zip(1..=count) {
        let last = rows.last().filter(|row| row.wait == waits.wait);
        let expected = match last {
            Some(last) if same >= SETTLED => last.expected,
            _ => means.advance(waits.wait),
        };
        let near = |last: &Row| (last.expected.nanos - expected.nanos).abs() <= expected.error;
        same = if last.is_some_and(near) { same + 1 } else { 0 };
        let start = |course: &Course| course.starts.get(retry as usize).copied();
        rows.push(Row {
            retry,
            wait: waits.wait,
            expected,
            total: waits.total,
            failing: start(failing),
            hanging: start(hanging),
        });
    }
    rows
}

/// All waits of a call with so many retries.
fn total(policy: &RetryPolicy, retries: u32, rows: &[Row]) -> Option<Total> {
    let last = rows.last()?;
    let range = policy.backoff.ranges().nth(retries as usize - 1)?.total;
    let rest = f64::from(retries) - rows.len() as f64;
    // What is not listed is known if it is the same for ever.
    let settled = rows.len() > 1 && rows[rows.len() - 2].expected == last.expected;
    let sum = |of: fn(&Expected) -> f64| {
        rows.iter().map(|row| of(&row.expected)).sum::<f64>() + rest * of(&last.expected)
    };
    let mean = (rest == 0.0 || settled).then(|| sum(|expected| expected.nanos));
    Some(Total { range, mean, error: sum(|expected| expected.error) })
}

#[cfg(test)]
mod tests;
