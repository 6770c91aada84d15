//! The clock, the sleep and the chance of the machine: the one place of the
//! library where the outside is real. The simulator never comes here.

use super::outside::{Clock, Random, Sleep};
use crate::draw::{Key, Purpose, Stream};
use crate::time::{Duration, Instant};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The monotonic clock of the machine, from when this was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: std::time::Instant,
}

impl SystemClock {
    /// A clock that stands at zero.
    pub fn new() -> Self {
        Self { origin: std::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::ZERO + Duration::from(self.origin.elapsed())
    }
}

/// Puts the thread to sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadSleep;

impl Sleep for ThreadSleep {
    fn sleep(&self, wait: Duration) {
        std::thread::sleep(wait.into());
    }
}

/// The draws of one seed, which the operating system gives. Clones share their
/// place in it, and none waits for another.
#[derive(Clone, Debug)]
pub struct SystemRandom {
    stream: Stream,
    taken: Arc<AtomicU64>,
}

impl SystemRandom {
    /// A source with a seed of its own.
    pub fn new() -> Self {
        // The keys of a hash map's order are the one piece of the operating
        // system's randomness that the standard library hands out.
        let seed = RandomState::new().hash_one(0_u64);
        let stream = Stream::new(seed, 0, Purpose::Wait, "executor");
        Self { stream, taken: Arc::new(AtomicU64::new(0)) }
    }
}

impl Default for SystemRandom {
    fn default() -> Self {
        Self::new()
    }
}

impl Random for SystemRandom {
    fn draw(&self) -> f64 {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        self.stream.draw(Key::request(0, number))
    }
}

impl From<Duration> for std::time::Duration {
    fn from(length: Duration) -> Self {
        Self::from_nanos(length.as_nanos())
    }
}

impl From<std::time::Duration> for Duration {
    /// Stops at [`Duration::MAX`], 584 years.
    fn from(length: std::time::Duration) -> Self {
        Self::from_nanos(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_and_the_thread_sleeps() {
        let clock = SystemClock::new();
        let before = clock.now();
        ThreadSleep.sleep(Duration::from_millis(2));
        assert!(clock.now().since(before) >= Duration::from_millis(2));
    }

    #[test]
    fn sources_differ_and_clones_do_not_repeat_each_other() {
        let source = SystemRandom::new();
        let clone = source.clone();
        let draws = [source.draw(), clone.draw(), source.draw(), SystemRandom::new().draw()];
        for (i, draw) in draws.iter().enumerate() {
            assert!((0.0..1.0).contains(draw));
            assert!(!draws[..i].contains(draw), "{draws:?}");
        }
    }

    #[test]
    fn lengths_of_time_convert_and_saturate() {
        let theirs = std::time::Duration::from_millis(1_500);
        let ours = Duration::from_millis(1_500);
        assert_eq!((Duration::from(theirs), std::time::Duration::from(ours)), (ours, theirs));
        assert_eq!(Duration::from(std::time::Duration::MAX), Duration::MAX);
    }
}
