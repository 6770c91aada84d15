//! Why a run stops before its end.

use crate::time::{Duration, Instant};
use std::fmt;

/// Why a run stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// More calls and attempts were alive than the limit allows.
    TooManyAlive {
        /// The limit: `live_limit` of the scenario.
        limit: u64,
        /// When it was reached.
        at: Instant,
        /// Requests sent by then.
        requests: u64,
    },
    /// One call made a million attempts at one instant.
    EndlessRetries {
        /// Who asks.
        caller: String,
        /// The service that is asked.
        target: String,
        /// When.
        at: Instant,
    },
    /// Requests that wait for one another started a million times at one instant.
    EndlessCycles {
        /// The client table.
        client: String,
        /// When.
        at: Instant,
    },
    /// Something is due beyond the time that the clock can tell.
    BeyondTheClock {
        /// The time that was reached.
        at: Instant,
        /// Requests sent by then.
        requests: u64,
    },
    /// Whoever watches the run asked it to stop.
    Interrupted,
    /// A count that must be conserved is not: a mistake in this program.
    Bug {
        /// What does not add up.
        what: String,
        /// The seed of the run.
        seed: u64,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |at: &Instant| at.since(Instant::ZERO);
        match self {
            Self::TooManyAlive { limit, at, requests } => write!(
                f,
                "more than {limit} calls and attempts are alive at {}, after {requests} requests: \
                 offered load stays above capacity; lower the load or raise `live_limit`",
                seconds(at)
            ),
            Self::EndlessRetries { caller, target, at } => write!(
                f,
                "a call from `{caller}` to `{target}` made a million attempts at one instant, \
                 {}: give its retry policy a backoff, or a `max_attempts`",
                seconds(at)
            ),
            Self::EndlessCycles { client, at } => write!(
                f,
                "requests of `{client}` follow one another a million times at one instant, {}: \
                 give the client a `think_time`, or the services a `service_time`",
                seconds(at)
            ),
            Self::BeyondTheClock { at, requests } => write!(
                f,
                "something is due more than 146 years after the start, where the clock ends; \
                 {requests} requests were sent by {}: shorten the waits, or give the scenario a \
                 `duration`",
                seconds(at)
            ),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Bug { what, seed } => {
                write!(f, "a bug in this program: {what} (seed {seed}); please report it")
            }
        }
    }
}

impl std::error::Error for RunError {}

/// Attempts of one call, or requests one after another, without time passing
/// that are taken for endless.
pub(super) const MOST_AT_ONE_INSTANT: u64 = 1_000_000;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Simulated time.
    pub now: Instant,
    /// Events so far.
    pub events: u64,
    /// Requests that ended, and those expected in all, where that is known.
    pub requests: (u64, Option<u64>),
    /// The length of the run, where that is known.
    pub duration: Option<Duration>,
}

impl Reached {
    /// The share of the run that is done, from 0 to 1, as far as it can be known.
    pub fn share(&self) -> f64 {
        let of_time = self
            .duration
            .map(|all| self.now.since(Instant::ZERO).as_secs_f64() / all.as_secs_f64());
        let of_requests = match self.requests {
            (ended, Some(all)) if all > 0 => Some(ended as f64 / all as f64),
            _ => None,
        };
        of_time.into_iter().chain(of_requests).fold(0.0, f64::max).clamp(0.0, 1.0)
    }
}
