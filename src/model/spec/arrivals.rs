//! When requests start.

use crate::law::Law;
use crate::time::{Duration, Instant};
use std::sync::Arc;

/// When the requests of a client table start.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// One of each process: all at the start of the run, or at random within a
    /// while from there.
    Together {
        /// The while.
        spread: Duration,
    },
    /// The next when the last one has ended.
    OneByOne,
    /// At random, independently, at this rate.
    Poisson {
        /// Requests per second.
        rate: Profile,
    },
    /// Evenly: request k starts when the integral of the rate reaches k.
    Constant {
        /// Requests per second.
        rate: Profile,
    },
    /// Each process sends its next request a while after its last.
    Closed {
        /// The while.
        pause: Pause,
    },
    /// At these times, in ascending order.
    Trace(Arc<[Start]>),
}

/// When a process of a closed table sends its next request.
#[derive(Clone, Debug, PartialEq)]
pub enum Pause {
    /// This long after the last one ended.
    Think(Law),
    /// When the last one has ended, but not before this long after it started.
    Every(Law),
}

/// A request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it starts.
    pub at: Instant,
    /// The process that sends it; `None` draws one.
    pub process: Option<u64>,
}

/// A rate in the course of time: pieces of steady and of evenly changing rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// In ascending order of `from`; the first begins at zero.
    pub pieces: Vec<Piece>,
}

/// A stretch of a [`Profile`], until the next begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// When it begins.
    pub from: Instant,
    /// The rate where it begins, per second.
    pub rate: f64,
    /// What the rate gains in a second, in requests per second.
    pub slope: f64,
}

impl Arrivals {
    /// All at the start of the run.
    pub const TOGETHER: Self = Self::Together { spread: Duration::ZERO };
}

impl Profile {
    /// Always the same rate, per second.
    pub fn steady(rate: f64) -> Self {
        Self { pieces: vec![Piece { from: Instant::ZERO, rate, slope: 0.0 }] }
    }

    /// The rate, if it never changes.
    pub fn steady_rate(&self) -> Option<f64> {
        match self.pieces[..] {
            [piece] if piece.slope == 0.0 => Some(piece.rate),
            _ => None,
        }
    }
}
