//! Disturbances: what goes wrong, where, from when until when.
//!
//! Of faults that hold at one instant at one instance, the strongest counts:
//! down before hang; slow factors multiply; the smallest capacity wins.

use crate::time::{Duration, Instant};

/// A disturbance for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Its name in the scenario.
    pub name: String,
    /// What it strikes.
    pub target: Target,
    /// When it begins.
    pub from: Instant,
    /// When it ends; [`Instant::NEVER`] lasts the whole run.
    pub until: Instant,
}

/// What a fault strikes, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A service.
    Service {
        /// Index of the service.
        service: usize,
        /// The instance; `None` is all of them.
        instance: Option<u32>,
        /// What it does.
        effect: Effect,
    },
    /// The rate of a client table is so many times as high.
    Surge {
        /// Index of the client table.
        client: usize,
        /// How many times.
        factor: f64,
    },
}

/// What a fault does to a service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// Attempts that arrive are refused at once, as by a closed port. What is
    /// inside goes on.
    Down,
    /// Nothing is served; running work is frozen, and callers wait.
    Hang,
    /// What starts takes so many times as long.
    Slow {
        /// How many times.
        factor: f64,
    },
    /// A share of attempts fails, after the service time.
    Errors {
        /// The share, from 0 to 1.
        share: f64,
        /// Their status.
        status: u16,
    },
    /// Fewer workers, or more; running work is finished.
    Capacity(Capacity),
    /// Queue and connections are lost when it begins, and attempts are refused
    /// until it ends. Then the service may be slow for a while.
    Restart {
        /// The slow while.
        warm_up: Option<WarmUp>,
    },
}

/// How many workers a fault leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Capacity {
    /// So many.
    Workers(u32),
    /// This share of them, rounded down.
    Share(f64),
}

/// The while after a restart in which service is slower than usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// How long it takes.
    pub length: Duration,
    /// How many times as long service takes at its start; it falls evenly to 1.
    pub factor: f64,
}
