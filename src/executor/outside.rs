//! What an executor needs from outside, as traits: time, sleep, chance, and
//! someone to tell. Every closure of the right form is one of them.

use crate::policy::{Failure, Verdict};
use crate::time::{Duration, Instant};

/// Says what time it is.
pub trait Clock {
    /// The time since a point that never moves, whichever it is.
    fn now(&self) -> Instant;
}

/// Waits on this thread.
pub trait Sleep {
    /// Comes back when this time has passed.
    fn sleep(&self, wait: Duration);
}

/// Waits as a future, so that any runtime can keep the time.
pub trait AsyncSleep {
    /// Is ready when this time has passed.
    fn sleep(&self, wait: Duration) -> impl Future<Output = ()>;
}

/// Gives random numbers.
pub trait Random {
    /// A number in [0, 1), independent of those before.
    fn draw(&self) -> f64;
}

/// Is told what happens to calls.
pub trait Observer {
    /// An attempt has failed, and this follows.
    fn observe(&self, event: &Event);
}

/// A failed attempt and what follows it. A call whose time runs out while it
/// waits for a retry is told of once more, with that as the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the attempt that failed; the first is 1.
    pub attempt: u32,
    /// How it failed.
    pub failure: Failure,
    /// Another attempt after a wait, or the reason why there is none.
    pub verdict: Verdict,
    /// The time left for the call; `None` is without limit.
    pub left: Option<Duration>,
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _: &Event) {}
}

impl<F: Fn() -> Instant> Clock for F {
    fn now(&self) -> Instant {
        self()
    }
}

impl<F: Fn(Duration)> Sleep for F {
    fn sleep(&self, wait: Duration) {
        self(wait);
    }
}

impl<F: Fn(Duration) -> S, S: Future<Output = ()>> AsyncSleep for F {
    fn sleep(&self, wait: Duration) -> impl Future<Output = ()> {
        self(wait)
    }
}

impl<F: Fn() -> f64> Random for F {
    fn draw(&self) -> f64 {
        self()
    }
}

impl<F: Fn(&Event)> Observer for F {
    fn observe(&self, event: &Event) {
        self(event);
    }
}
