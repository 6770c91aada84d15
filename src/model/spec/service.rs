//! Services: workers, queues, and what they do with work that nobody waits for.

use super::{Advice, Statuses};
use crate::law::Law;
use crate::time::{Duration, NANOS_PER_SECOND};

/// A service that answers attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name in the scenario.
    pub name: String,
    /// Copies of it, each with its own workers and queue.
    pub instances: u32,
    /// How attempts are spread over its instances.
    pub balance: Balance,
    /// How many attempts an instance works on at once; `None` is without limit.
    pub workers: Option<u32>,
    /// Where attempts wait for a worker.
    pub queue: Queue,
    /// The time of its own work on an attempt.
    pub service_time: Law,
    /// Whether the time, and what slows it, is fixed when an attempt arrives
    /// rather than when its service starts.
    pub drawn_on_arrival: bool,
    /// By what share each attempt in flight at an instance makes the service of
    /// one that starts there longer, itself included.
    pub slowdown: f64,
    /// Whether it drops and stops work whose caller has given up.
    pub cancels: bool,
    /// The share of attempts that fail of themselves, from 0 to 1.
    pub fails: f64,
    /// The status of those that fail.
    pub status: Statuses,
    /// What those that fail say about the next attempt.
    pub retry_after: Advice,
    /// Its calls for each attempt, one after another: indices of edges.
    pub calls: Vec<usize>,
}

/// How attempts are spread over instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Each is equally likely.
    Random,
    /// In turn.
    RoundRobin,
    /// The one with the fewest attempts in flight, the first of several.
    LeastBusy,
    /// The less busy of two that are drawn.
    TwoChoices,
}

/// Where attempts wait for a worker of their instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// How many may wait; `None` is without limit.
    pub limit: Option<u32>,
    /// Who is served next.
    pub order: Order,
    /// Whether a full queue drops the one that waits longest, rather than refuse
    /// the one that comes.
    pub drops_oldest: bool,
    /// How long an attempt may wait before it is refused.
    pub timeout: Option<Law>,
    /// A limit on the wait that follows the load.
    pub codel: Option<Codel>,
}

/// Who is served next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first that came.
    Fifo,
    /// The last that came.
    Lifo,
    /// The first that came, but the last while the queue has not been empty for
    /// this long.
    AdaptiveLifo {
        /// How long the queue must stand.
        after: Duration,
    },
}

/// A limit on the wait in a queue that has not been empty for a while: a burst
/// passes, a standing queue is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// The wait that a standing queue may cause.
    pub target: Duration,
    /// How long a queue must stand to count as standing.
    pub interval: Duration,
    /// How it cuts.
    pub law: CodelLaw,
}

/// How a standing queue is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodelLaw {
    /// Maurer, "Fail at Scale", 2015: an attempt may wait `target` if the queue
    /// was not empty within `interval`, else `interval`.
    FailAtScale,
    /// RFC 8289: once the wait has been above `target` for `interval`, attempts
    /// are dropped at their turn, more and more often.
    Rfc8289,
}

impl Service {
    /// The attempts per second that all its workers together can do, if they and
    /// their own work are all that limits it, whatever the load.
    pub fn capacity(&self) -> Option<f64> {
        let mean = self.service_time.mean_nanos();
        let by_itself = self.calls.is_empty() && self.slowdown == 0.0;
        let workers = self.workers.filter(|_| by_itself && mean > 0.0 && mean.is_finite())?;
        Some(f64::from(self.instances) * f64::from(workers) * NANOS_PER_SECOND as f64 / mean)
    }

    /// A service that answers well and at once.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            instances: 1,
            balance: Balance::Random,
            workers: None,
            queue: Queue::UNLIMITED,
            service_time: Law::Constant(Duration::ZERO),
            drawn_on_arrival: false,
            slowdown: 0.0,
            cancels: false,
            fails: 0.0,
            status: 503.into(),
            retry_after: Advice::None,
            calls: Vec::new(),
        }
    }
}

impl Queue {
    /// First in, first out, without limit.
    pub const UNLIMITED: Self =
        Self { limit: None, order: Order::Fifo, drops_oldest: false, timeout: None, codel: None };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_workers_and_their_own_work_make_a_capacity() {
        let law = Law::Exponential { mean: Duration::from_millis(10) };
        let api = Service { workers: Some(10), service_time: law, ..Service::new("api") };
        assert_eq!(api.capacity(), Some(1_000.0));
        assert_eq!(Service { instances: 3, ..api.clone() }.capacity(), Some(3_000.0));
        let at_once = Law::Constant(Duration::ZERO);
        let endless = Law::pareto(Duration::from_millis(10), 1.0).expect("a heavy tail");
        for none in [
            Service { workers: None, ..api.clone() },
            Service { calls: vec![0], ..api.clone() },
            Service { slowdown: 0.01, ..api.clone() },
            Service { service_time: at_once, ..api.clone() },
            Service { service_time: endless, ..api },
        ] {
            assert_eq!(none.capacity(), None, "{none:?}");
        }
    }
}
