//! Cases from public issue trackers, documentation and postmortems whose answer
//! is arithmetic: what people asked, computed wrong, or learned in an outage.
//! Each names its source; numbers without a word are those of the source.

mod counts;
mod crowds;
mod deadlines;
mod waits;
mod wrong;

use retry_storm::executor::{Execution, Timeouts};
use retry_storm::policy::{
    Backoff, Decision, Failure, Memory, Reason, Repeatable, RetryOn, RetryPolicy, Strategy, preset,
};
use retry_storm::time::{Duration, Instant};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A draw at the end of its range.
const MOST: f64 = 0.999_999_9;

/// Retries whatever failed, so many attempts in all, with these waits.
fn policy(max_attempts: impl Into<Option<u32>>, backoff: Backoff) -> RetryPolicy {
    RetryPolicy {
        max_attempts: max_attempts.into(),
        backoff,
        retry_on: RetryOn::EVERYTHING,
        repeatable: Repeatable::ANYTHING,
        ..RetryPolicy::NEVER
    }
}

/// Doubles from the base to the cap.
const fn doubling(base: Duration, cap: Duration) -> Backoff {
    Backoff::new(Strategy::Exponential, base, cap)
}

/// The policy that a library ships.
fn shipped(name: &str) -> RetryPolicy {
    let preset = preset::find(name).unwrap_or_else(|| panic!("no preset {name}"));
    preset.policy.clone()
}

/// The first `count` waits when every draw is `u`.
fn waits(backoff: &Backoff, u: f64, count: u32) -> Vec<Duration> {
    let mut memory = Memory::EMPTY;
    (1..=count).map(|n| backoff.wait(n, &mut memory, || u)).collect()
}

fn sum(waits: &[Duration]) -> Duration {
    waits.iter().fold(Duration::ZERO, |sum, wait| sum + *wait)
}

/// The times of the retries when attempts take no time and every draw is `u`.
fn retry_times(backoff: &Backoff, u: f64, count: u32) -> Vec<Duration> {
    let waits = waits(backoff, u, count);
    (1..=waits.len()).map(|n| sum(&waits[..n])).collect()
}

/// What became of one call.
#[derive(Debug, PartialEq)]
struct Story {
    /// Each attempt from when to when, as the caller saw it.
    attempts: Vec<(Duration, Duration)>,
    /// When the caller had its result.
    end: Duration,
    /// Why it gave up, if it was not answered.
    gave_up: Option<Reason>,
}

impl Story {
    fn starts(&self) -> Vec<Duration> {
        self.attempts.iter().map(|(start, _)| *start).collect()
    }
}

/// Calls a target that needs so long for its answer to attempt n, which is a
/// failure if it gives one. The caller stops waiting at each timeout. Every
/// draw is `u`.
fn call(
    policy: &RetryPolicy,
    timeouts: Timeouts,
    u: f64,
    target: impl Fn(u32) -> (Duration, Option<Failure>),
) -> Story {
    let mut execution = Execution::start(policy, timeouts, Instant::ZERO);
    let mut now = Instant::ZERO;
    let mut attempts = Vec::new();
    let gave_up = loop {
        let Ok(attempt) = execution.begin(now) else { break Some(Reason::OutOfTime) };
        let (takes, failure) = target(attempt.number);
        let allowed = attempt.timeout.unwrap_or(Duration::MAX);
        let failure = if takes < allowed { failure } else { Some(Failure::Timeout) };
        let start = now;
        now += takes.min(allowed);
        attempts.push((start.since(Instant::ZERO), now.since(Instant::ZERO)));
        let Some(failure) = failure else { break None };
        match execution.failed(failure, now, || u, None).decision {
            Decision::RetryAfter(wait) => now += wait,
            Decision::GiveUp(reason) => break Some(reason),
        }
    };
    Story { attempts, end: now.since(Instant::ZERO), gave_up }
}

/// A target that never answers.
const fn hangs(_: u32) -> (Duration, Option<Failure>) {
    (Duration::MAX, None)
}
