//! Services while they run: their instances, workers, and the state that faults
//! put them in.

use super::Key;
use super::line::CodelState;
use crate::des::{ChunkedQueue, Handle};
use crate::draw::{Purpose, Stream};
use crate::law::Law;
use crate::model::spec::{Balance, Effect, Fault, Model, Service, Target};
use crate::time::{Duration, Instant};

use super::event::{Answer, Author};

/// A service: what its instances share.
pub(super) struct Site {
    /// The place of its first instance; the others follow.
    pub(super) first: u32,
    pub(super) count: u32,
    /// The instance whose turn is next.
    turn: u32,
    /// Whether it answers in the instant of asking, always.
    pub(super) at_once: bool,
    /// Whether attempts are kept track of, because some may leave early.
    pub(super) tracked: bool,
    choices: Stream,
    failures: Stream,
    statuses: Stream,
    service_times: Stream,
    errors: Stream,
    pub(super) queue_timeouts: Stream,
}

/// One instance of a service.
pub(super) struct Instance {
    /// Index of the service.
    pub(super) site: u32,
    /// Workers at work.
    pub(super) busy: u32,
    /// Who waits, in the order of coming; some may have left.
    pub(super) line: ChunkedQueue,
    /// How many wait.
    pub(super) waiting: u32,
    /// When the line was empty last, if it is not now.
    pub(super) stands_since: Instant,
    pub(super) codel: CodelState,
    pub(super) condition: Condition,
    /// A restart not long ago.
    pub(super) warm_up: Option<Warming>,
    /// Since when it hangs, if it does.
    pub(super) hangs_since: Instant,
    /// How long it has hung in all, up to the last time it came back.
    pub(super) hung: Duration,
    /// What goes on when it comes back.
    pub(super) frozen: Vec<Frozen>,
}

/// What faults make of an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) down: bool,
    pub(super) hangs: bool,
    /// How many times as long service takes.
    pub(super) slow: f64,
    /// The share of attempts that fail, and their status.
    pub(super) errors: Option<(f64, u16)>,
    /// How many it can work on at once; `None` is without limit.
    pub(super) workers: Option<u32>,
}

/// The slow while after a restart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Warming {
    pub(super) since: Instant,
    pub(super) length: Duration,
    pub(super) factor: f64,
}

/// What was about to happen at an instance that hangs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frozen {
    /// A visit's own work would have been done at this instant.
    Served(Handle, Instant),
    /// A visit would have gone on with its next call.
    Proceed(Handle),
    /// A visit would have failed with this status.
    Fail(Handle, u16),
    /// A call would have sent its next attempt.
    Send(Handle),
}

impl Condition {
    /// Nothing is wrong.
    pub(super) const fn sound(workers: Option<u32>) -> Self {
        Self { down: false, hangs: false, slow: 1.0, errors: None, workers }
    }
}

impl Warming {
    /// How many times as long service takes now.
    fn factor(self, now: Instant) -> f64 {
        let gone = now.since(self.since);
        if gone >= self.length {
            return 1.0;
        }
        let left = 1.0 - gone.as_nanos() as f64 / self.length.as_nanos() as f64;
        1.0 + (self.factor - 1.0) * left
    }
}

/// The services and all their instances at the start of a run.
pub(super) fn sites(model: &Model, replication: u64) -> (Vec<Site>, Vec<Instance>) {
    let mut instances = Vec::new();
    let mut sites = Vec::new();
    let restarts = |fault: &Fault| {
        matches!(fault.target, Target::Service { effect: Effect::Restart { .. }, .. })
    };
    // Work is stopped before its end, there or in what calls it.
    let tracked =
        model.services.iter().any(|service| service.cancels) || model.faults.iter().any(restarts);
    for (index, service) in model.services.iter().enumerate() {
        let stream = |purpose| Stream::new(model.seed, replication, purpose, &service.name);
        let struck = model.faults.iter().any(
            |fault| matches!(fault.target, Target::Service { service, .. } if service == index),
        );
        let takes_no_time = matches!(service.service_time, Law::Constant(Duration::ZERO));
        sites.push(Site {
            first: instances.len() as u32,
            count: service.instances,
            turn: 0,
            at_once: takes_no_time
                && service.calls.is_empty()
                && service.workers.is_none()
                && !struck,
            tracked,
            choices: stream(Purpose::Instance),
            failures: stream(Purpose::Failure),
            statuses: stream(Purpose::Status),
            service_times: stream(Purpose::ServiceTime),
            errors: stream(Purpose::Fault),
            queue_timeouts: stream(Purpose::QueueTimeout),
        });
        let instance = || Instance::new(index as u32, service);
        instances.extend(std::iter::repeat_with(instance).take(service.instances as usize));
    }
    (sites, instances)
}

impl Site {
    /// The instance that an attempt goes to.
    #[inline]
    pub(super) fn choose(
        &mut self,
        balance: Balance,
        instances: &[Instance],
        key: impl Fn() -> Key,
    ) -> u32 {
        if self.count == 1 {
            return self.first;
        }
        let load = |instance: u32| {
            let instance = &instances[instance as usize];
            instance.busy + instance.waiting
        };
        match balance {
            Balance::Random => self.first + drawn(self.choices.draw(key()), self.count),
            Balance::RoundRobin => {
                let chosen = self.first + self.turn;
                self.turn = (self.turn + 1) % self.count;
                chosen
            }
            Balance::LeastBusy => {
                let all = self.first..self.first + self.count;
                all.min_by_key(|&instance| load(instance)).unwrap_or(self.first)
            }
            Balance::TwoChoices => {
                let mut draws = self.choices.draws(key());
                let one = drawn(draws(), self.count);
                // One of the others, each as likely.
                let other = (one + 1 + drawn(draws(), self.count - 1)) % self.count;
                let (one, other) = (self.first + one, self.first + other);
                if load(other) < load(one) { other } else { one }
            }
        }
    }

    /// What the service's own work on an attempt comes to. A share of 0 or 1
    /// needs no draw, and one status neither.
    #[inline]
    pub(super) fn own_answer(&self, service: &Service, key: impl Fn() -> Key) -> Answer {
        let fails = service.fails >= 1.0
            || service.fails > 0.0 && self.failures.draw(key()) < service.fails;
        if !fails {
            return Answer::Good;
        }
        let status = service.status.choose(|| self.statuses.draw(key()));
        Answer::Failed { status, by: Author::Itself }
    }

    /// The status of an attempt that a fault makes fail.
    pub(super) fn fault_answer(&self, condition: &Condition, key: Key) -> Option<Answer> {
        let (share, status) = condition.errors?;
        (self.errors.draw(key) < share).then_some(Answer::Failed { status, by: Author::Another })
    }

    /// The time of the service's own work on an attempt, if nothing slows it.
    #[inline]
    pub(super) fn service_time(&self, law: &Law, key: impl FnOnce() -> Key) -> Duration {
        match law {
            Law::Constant(time) => *time,
            _ => law.sample(self.service_times.draws(key())),
        }
    }
}

/// A whole number below `most` from a number in [0, 1).
fn drawn(u: f64, most: u32) -> u32 {
    ((u * f64::from(most)) as u32).min(most - 1)
}

impl Instance {
    fn new(site: u32, service: &Service) -> Self {
        Self {
            site,
            busy: 0,
            line: ChunkedQueue::new(),
            waiting: 0,
            stands_since: Instant::NEVER,
            codel: CodelState::default(),
            condition: Condition::sound(service.workers),
            warm_up: None,
            hangs_since: Instant::NEVER,
            hung: Duration::ZERO,
            frozen: Vec::new(),
        }
    }

    /// Whether a worker can take an attempt now.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        let condition = &self.condition;
        !condition.hangs && condition.workers.is_none_or(|most| self.busy < most)
    }

    /// How many times as long as drawn the service of an attempt takes that
    /// starts now, or arrives now; `others` are in flight here beside it.
    pub(super) fn factor(&self, slowdown: f64, others: u32, now: Instant) -> f64 {
        if slowdown == 0.0 && self.warm_up.is_none() {
            return self.condition.slow;
        }
        let crowd = 1.0 + slowdown * (f64::from(others) + 1.0);
        let warmth = self.warm_up.map_or(1.0, |warming| warming.factor(now));
        crowd * warmth * self.condition.slow
    }
}
