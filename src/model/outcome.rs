//! What one run gives: counts, distributions, peaks and the timeline. Plain
//! numbers without names or units in text; the reports write them.

use super::bins::Bins;
use super::recovery::{Flow, Goodput};
use super::spec::Caller;
use crate::policy::{Failure, Reason};
use crate::stats::Distribution;
use crate::time::{Duration, Instant};

/// The measured result of one run of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Requests that were sent.
    pub requests: u64,
    /// Requests answered well.
    pub answered: u64,
    /// Requests given up, by reason.
    pub gave_up: GaveUp,
    /// Requests not ended when the clock stopped.
    pub still_out: u64,
    /// The sums of waits of ended requests at the client's own policy.
    pub wait: Distribution,
    /// From start to end of ended requests.
    pub latency: Distribution,
    /// The sums of waits, counted in bins.
    pub wait_bins: Bins<u64>,
    /// The requests over time, from the start of the run.
    pub flow: Bins<Flow>,
    /// How goodput came through the faults; `None` if there were none.
    pub goodput: Option<Goodput>,
    /// The peak of retries on all edges.
    pub busiest_retries: Peak,
    /// The peak of attempts on all edges.
    pub busiest_attempts: Peak,
    /// One row for each client table of the model, in its order.
    pub clients: Vec<ClientOutcome>,
    /// One row for each edge of the model, in its order.
    pub edges: Vec<EdgeOutcome>,
    /// One row for each service of the model, in its order.
    pub services: Vec<ServiceOutcome>,
    /// When the last event happened, or the clock stopped.
    pub ended: Instant,
    /// How long was measured: from the end of the warm-up.
    pub measured: Duration,
    /// Events that were simulated.
    pub events: u64,
    /// Every attempt, in the order in which they ended, if the model asks for it.
    pub attempts: Vec<AttemptRecord>,
}

/// Counts by reason of giving up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaveUp {
    counts: [u64; GaveUp::REASONS.len()],
}

impl GaveUp {
    /// All reasons, in the order of reports.
    pub const REASONS: [Reason; 6] = Reason::ALL;

    /// Counts one more.
    pub fn add(&mut self, reason: Reason) {
        self.counts[reason as usize] += 1;
    }

    /// How many for one reason.
    pub fn of(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The most that fell into one slice of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// How many in the busiest aligned slice.
    pub count: u64,
    /// The start of that slice (the first of several).
    pub start: Instant,
    /// How many in the busiest window of the same length that starts anywhere.
    pub sliding: u64,
}

/// What one client table saw.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientOutcome {
    /// Requests that were sent.
    pub requests: u64,
    /// Requests answered well.
    pub answered: u64,
    /// Requests given up.
    pub gave_up: u64,
    /// The sums of waits of ended requests.
    pub wait: Distribution,
    /// From start to end of ended requests.
    pub latency: Distribution,
}

/// What happened on one edge. Conserved: `attempts` is the sum of answered,
/// failed, refused, timed out, abandoned and still out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeOutcome {
    /// Who asks.
    pub caller: Caller,
    /// Index of the service that is asked.
    pub target: usize,
    /// Calls that began.
    pub calls: u64,
    /// Attempts that were sent.
    pub attempts: u64,
    /// Attempts after the first of their call.
    pub retries: u64,
    /// Attempts answered well.
    pub answered: u64,
    /// Attempts answered with a failure.
    pub failed: u64,
    /// Attempts turned away by a queue.
    pub refused_queue: u64,
    /// Attempts given up at their timeout.
    pub timed_out: u64,
    /// Attempts given up because the caller's own caller had gone.
    pub abandoned: u64,
    /// Attempts without an answer when the clock stopped.
    pub still_out: u64,
    /// Retries that the budget refused.
    pub denied_budget: u64,
    /// Attempts for which no time was left.
    pub denied_deadline: u64,
    /// Attempts that the very first request caused.
    pub first_request: u64,
}

/// What one service did.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceOutcome {
    /// Attempts that reached it.
    pub attempts: u64,
    /// Those of them after the first of their call.
    pub retries: u64,
    /// Attempts that would have reached it if nothing had failed.
    pub normal_attempts: f64,
    /// The highest ratio of attempts to normal attempts in a row of the timeline.
    pub amplification_peak: f64,
    /// What came in the last part of the run; `None` in a run too short for it.
    pub at_last: Option<Load>,
    /// Attempts that the very first request caused here.
    pub first_request: u64,
    /// Worker time spent on attempts whose caller had already given up.
    pub wasted_work: Duration,
    /// The time average of attempts that wait for a worker.
    pub mean_queue: f64,
    /// The most attempts that waited at once.
    pub peak_queue: u64,
    /// The waits of attempts whose service began.
    pub queue_time: Distribution,
    /// The time average of busy workers.
    pub mean_busy_workers: f64,
    /// The most workers busy at once.
    pub peak_busy_workers: u64,
    /// The course of it.
    pub timeline: Bins<Row>,
}

/// What comes to a service, per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// First attempts.
    pub first_attempts: f64,
    /// All attempts.
    pub attempts: f64,
}

/// One row of a service's timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// First attempts that arrived.
    pub first_attempts: u64,
    /// Retries that arrived.
    pub retries: u64,
    /// Attempts answered well and in time.
    pub answered: u64,
    /// Attempts answered with a failure.
    pub failed: u64,
    /// Attempts given up at their timeout.
    pub timed_out: u64,
    /// Attempts turned away.
    pub refused: u64,
    /// Queue length integrated over time, in attempts times nanoseconds.
    pub queue_nanos: u128,
    /// Busy workers integrated over time, in workers times nanoseconds.
    pub busy_nanos: u128,
}

impl std::ops::AddAssign for Row {
    fn add_assign(&mut self, other: Self) {
        self.first_attempts += other.first_attempts;
        self.retries += other.retries;
        self.answered += other.answered;
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.refused += other.refused;
        self.queue_nanos += other.queue_nanos;
        self.busy_nanos += other.busy_nanos;
    }
}

impl EdgeOutcome {
    /// Nothing has happened yet between these two.
    pub fn new(caller: Caller, target: usize) -> Self {
        Self {
            caller,
            target,
            calls: 0,
            attempts: 0,
            retries: 0,
            answered: 0,
            failed: 0,
            refused_queue: 0,
            timed_out: 0,
            abandoned: 0,
            still_out: 0,
            denied_budget: 0,
            denied_deadline: 0,
            first_request: 0,
        }
    }
}

/// One attempt, from its sending to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The number of its request at its client table, from 0.
    pub request: u64,
    /// Index of the edge it used.
    pub edge: usize,
    /// Its number in its call; the first is 1.
    pub attempt: u32,
    /// When it was sent.
    pub sent: Instant,
    /// When its caller knew the end.
    pub ended: Instant,
    /// The wait before it.
    pub wait_before: Duration,
    /// How it ended.
    pub end: AttemptEnd,
    /// What its caller did next.
    pub next: Next,
}

/// How an attempt ended for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// Answered well.
    Answered,
    /// Answered with this status.
    Failed(u16),
    /// Turned away by a queue, with 503.
    Refused,
    /// The connection was refused, or broke.
    Unreachable,
    /// No answer in time.
    TimedOut,
}

impl AttemptEnd {
    /// What the policy is told of it; `None`, if it ended well.
    #[inline]
    pub const fn failure(self) -> Option<Failure> {
        match self {
            Self::Answered => None,
            Self::Failed(status) => Some(Failure::Status(status)),
            Self::Refused => Some(Failure::Status(503)),
            Self::Unreachable => Some(Failure::Connection),
            Self::TimedOut => Some(Failure::Timeout),
        }
    }
}

/// What a caller did after an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It was content.
    Done,
    /// It retried after this wait.
    RetryAfter(Duration),
    /// It gave up.
    GaveUp(Reason),
}

impl Outcome {
    /// Attempts on all edges.
    pub fn attempts_in_all(&self) -> u64 {
        self.edges.iter().map(|edge| edge.attempts).sum()
    }

    /// Checks that nothing was lost or counted twice: every request and every
    /// attempt has ended in exactly one way or is still out.
    ///
    /// # Errors
    /// Says what does not add up.
    pub fn check_conservation(&self) -> Result<(), String> {
        let ended = self.answered + self.gave_up.total() + self.still_out;
        if self.requests != ended {
            return Err(format!("{} requests were sent, {ended} ended or are out", self.requests));
        }
        for (index, edge) in self.edges.iter().enumerate() {
            let heard = edge.answered + edge.failed + edge.refused_queue;
            let ended = heard + edge.timed_out + edge.abandoned + edge.still_out;
            if edge.attempts != ended {
                return Err(format!(
                    "{} attempts were sent on edge {index}, {ended} ended or are out",
                    edge.attempts
                ));
            }
            if edge.calls + edge.retries != edge.attempts {
                return Err(format!(
                    "{} calls and {} retries on edge {index} are not its {} attempts",
                    edge.calls, edge.retries, edge.attempts
                ));
            }
        }
        Ok(())
    }

    /// Retries on all edges.
    pub fn retries_in_all(&self) -> u64 {
        self.edges.iter().map(|edge| edge.retries).sum()
    }

    /// Wasted work against all work of all workers; `None` if nobody worked.
    pub fn wasted_share(&self) -> Option<f64> {
        let wasted: f64 = self.services.iter().map(|s| s.wasted_work.as_secs_f64()).sum();
        let busy: f64 = self.services.iter().map(|s| s.mean_busy_workers).sum();
        let worked = busy * self.measured.as_secs_f64();
        (worked > 0.0).then(|| (wasted / worked).min(1.0))
    }

    /// The worst service's amplification; zero without attempts.
    pub fn amplification(&self) -> f64 {
        self.services.iter().map(ServiceOutcome::amplification).fold(0.0, f64::max)
    }
}

impl ServiceOutcome {
    /// Attempts against what would have come if nothing had failed; zero if
    /// nothing would have come.
    pub fn amplification(&self) -> f64 {
        if self.normal_attempts > 0.0 { self.attempts as f64 / self.normal_attempts } else { 0.0 }
    }
}
