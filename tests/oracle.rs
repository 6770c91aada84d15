//! A second implementation of the single-station storm, to hold the engine to.
//!
//! Clients send Poisson requests to one service of c workers with an unbounded
//! FIFO queue. An attempt is given up at its timeout, the server works on for
//! it all the same, and the retry comes after a wait. Here nothing happens at a
//! server: when an attempt is sent, the workers' free times already say when it
//! will start and end (J. Kiefer and J. Wolfowitz, "On the theory of queues
//! with many servers", Transactions of the American Mathematical Society 78,
//! 1955), and with it whether its caller will have given up. So the only queue
//! is that of the attempts still to be sent.
//!
//! The draws have the engine's keys, so that every time can be compared to the
//! nanosecond. At one instant retries are sent in the order in which they were
//! decided, then requests start; an answer at the timeout is in time.

use retry_storm::draw::{Key, Purpose, Stream, name_hash};
use retry_storm::law::{self, Law};
use retry_storm::time::{Duration, Instant, NANOS_PER_SECOND};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A storm on one station.
#[derive(Clone, Debug)]
pub(crate) struct Storm {
    /// The seed of all draws.
    pub(crate) seed: u64,
    /// The replication; 0 is the plain run.
    pub(crate) replication: u64,
    /// The name of the client table.
    pub(crate) client: String,
    /// The name of the service.
    pub(crate) service: String,
    /// The position of the call among the client's.
    pub(crate) position: u64,
    /// Requests per second.
    pub(crate) rate: f64,
    /// How many requests in all.
    pub(crate) requests: u64,
    /// When the clock stops; [`Instant::NEVER`] lets it drain.
    pub(crate) end: Instant,
    /// How many attempts are worked on at once.
    pub(crate) workers: usize,
    /// The time of the work on an attempt, drawn when it starts.
    pub(crate) service_time: Law,
    /// How long a caller waits for an attempt.
    pub(crate) timeout: Option<Duration>,
    /// All attempts of a call, the first included.
    pub(crate) max_attempts: u32,
    /// Times `[from, until)` in which nothing is served and running work is
    /// frozen; increasing, apart from each other.
    pub(crate) stops: Vec<(Instant, Instant)>,
}

/// How an attempt ended for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Answered in time.
    Answered,
    /// Given up at its timeout.
    TimedOut,
    /// The clock stopped first.
    StillOut,
}

/// One attempt, in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OracleAttempt {
    /// The number of its request, from 0.
    pub(crate) request: u64,
    /// Its number in its call, from 1.
    pub(crate) number: u32,
    /// The wait before it.
    pub(crate) wait: Duration,
    /// When it was sent.
    pub(crate) sent: Instant,
    /// When a worker takes it, be it after the clock has stopped.
    pub(crate) start: Instant,
    /// When the work on it ends, be it after the clock has stopped.
    pub(crate) done: Instant,
    /// How it ended for its caller.
    pub(crate) fate: Fate,
}

/// What a storm comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OracleOutcome {
    /// All attempts that were sent.
    pub(crate) attempts: Vec<OracleAttempt>,
    /// Requests that started.
    pub(crate) requests: u64,
    /// Requests answered.
    pub(crate) answered: u64,
    /// Requests given up after their last attempt.
    pub(crate) gave_up: u64,
    /// Attempts given up at their timeout.
    pub(crate) timed_out: u64,
    /// The sum of the waits of requests that have ended.
    pub(crate) waited: Duration,
    /// The sum of the times from start to end of requests that have ended.
    pub(crate) latency: Duration,
    /// Worker time spent on attempts whose caller had given up.
    pub(crate) wasted_work: Duration,
}

/// An attempt still to be sent. Ordered by time, then by when it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    at: Instant,
    order: usize,
    request: u64,
    number: u32,
    /// When the request started.
    started: Instant,
    /// The wait before this attempt.
    wait: Duration,
    /// The sum of the waits of the request so far.
    waited: Duration,
}

/// Simulates a storm. `wait` gives the wait before retry n (the first is 1) from
/// the wait before it and a uniform number in [0, 1).
pub(crate) fn storm(storm: &Storm, wait: impl Fn(u32, Duration, f64) -> Duration) -> OracleOutcome {
    let waits = Stream::new(storm.seed, storm.replication, Purpose::Wait, &storm.client);
    let mut arrivals = Arrivals::new(storm);
    let mut station = Station::new(storm);
    let mut retries: BinaryHeap<Reverse<Pending>> = BinaryHeap::new();
    let mut outcome = OracleOutcome::default();
    loop {
        let retry = retries.peek().filter(|retry| retry.0.at <= arrivals.next);
        let attempt =
            if retry.is_some() { retries.pop().map(|retry| retry.0) } else { arrivals.start() };
        let Some(attempt) = attempt.filter(|attempt| attempt.at < storm.end) else { break };
        let key = storm.key(attempt.request, attempt.number);
        let (start, done) = station.take(attempt.at, key);
        let patience = storm.timeout.map_or(Instant::NEVER, |timeout| attempt.at + timeout);
        let fate = if done.min(patience) >= storm.end {
            Fate::StillOut
        } else if done <= patience {
            Fate::Answered
        } else {
            Fate::TimedOut
        };
        outcome.count(&attempt, fate, done.min(patience), storm.max_attempts);
        if fate == Fate::TimedOut {
            outcome.wasted_work += done.min(storm.end).since(start.max(patience));
        }
        if fate == Fate::TimedOut && attempt.number < storm.max_attempts {
            let wait = wait(attempt.number, attempt.wait, waits.draw(key));
            retries.push(Reverse(Pending {
                at: patience + wait,
                order: outcome.attempts.len(),
                number: attempt.number + 1,
                wait,
                waited: attempt.waited + wait,
                ..attempt
            }));
        }
        let Pending { request, number, wait, at: sent, .. } = attempt;
        outcome.attempts.push(OracleAttempt { request, number, wait, sent, start, done, fate });
    }
    outcome
}

impl Storm {
    fn key(&self, request: u64, number: u32) -> Key {
        Key::request(name_hash(&self.client), request).call(self.position).attempt(number)
    }

    /// When work that takes `time` is done if it starts at `start`. A stop
    /// begins before what would end at the same instant.
    fn done(&self, start: Instant, time: Duration) -> Instant {
        let mut done = start + time;
        for &(from, until) in &self.stops {
            if start < from && from <= done {
                done += until.since(from);
            }
        }
        done
    }

    /// The first instant from `at` on in which work is done.
    fn served_from(&self, at: Instant) -> Instant {
        let stop = self.stops.iter().find(|(from, until)| *from <= at && at < *until);
        stop.map_or(at, |(_, until)| *until)
    }
}

impl OracleOutcome {
    /// Counts how an attempt ended, and with it perhaps its request.
    fn count(&mut self, attempt: &Pending, fate: Fate, ended: Instant, max_attempts: u32) {
        let gave_up = fate == Fate::TimedOut && attempt.number == max_attempts;
        self.requests += u64::from(attempt.number == 1);
        self.timed_out += u64::from(fate == Fate::TimedOut);
        self.gave_up += u64::from(gave_up);
        self.answered += u64::from(fate == Fate::Answered);
        if gave_up || fate == Fate::Answered {
            self.waited += attempt.waited;
            self.latency += ended.since(attempt.started);
        }
    }
}

/// The requests still to start.
struct Arrivals<'a> {
    storm: &'a Storm,
    gaps: Stream,
    number: u64,
    next: Instant,
}

impl<'a> Arrivals<'a> {
    fn new(storm: &'a Storm) -> Self {
        let gaps = Stream::new(storm.seed, storm.replication, Purpose::Arrival, &storm.client);
        let mut arrivals = Self { storm, gaps, number: 0, next: Instant::ZERO };
        arrivals.find_next();
        arrivals
    }

    /// Sets when request `number` starts.
    fn find_next(&mut self) {
        if self.number == self.storm.requests {
            self.next = Instant::NEVER;
            return;
        }
        let u = self.gaps.draw(Key::request(name_hash(&self.storm.client), self.number));
        self.next += law::exponential(NANOS_PER_SECOND as f64 / self.storm.rate, u);
    }

    /// The first attempt of the next request.
    fn start(&mut self) -> Option<Pending> {
        let (at, request) = (self.next, self.number);
        if request == self.storm.requests {
            return None;
        }
        self.number += 1;
        self.find_next();
        let (wait, waited) = (Duration::ZERO, Duration::ZERO);
        Some(Pending { at, order: 0, request, number: 1, started: at, wait, waited })
    }
}

/// The workers, each by when it is free.
struct Station<'a> {
    storm: &'a Storm,
    service_times: Stream,
    free_from: BinaryHeap<Reverse<Instant>>,
}

impl<'a> Station<'a> {
    fn new(storm: &'a Storm) -> Self {
        let purpose = Purpose::ServiceTime;
        Self {
            storm,
            service_times: Stream::new(storm.seed, storm.replication, purpose, &storm.service),
            free_from: (0..storm.workers).map(|_| Reverse(Instant::ZERO)).collect(),
        }
    }

    /// When an attempt sent now is taken by a worker, and when it is done.
    fn take(&mut self, sent: Instant, key: Key) -> (Instant, Instant) {
        let free = self.free_from.pop().map_or(Instant::NEVER, |free| free.0);
        let start = self.storm.served_from(sent.max(free));
        let time = self.storm.service_time.sample(self.service_times.draws(key));
        let done = self.storm.done(start, time);
        self.free_from.push(Reverse(done));
        (start, done)
    }
}

#[cfg(test)]
mod engine;
#[cfg(test)]
mod tests;
