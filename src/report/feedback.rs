//! Whether retries can keep an overload alive after what began it, for worlds
//! of which theory says so exactly.
//!
//! The condition for metastable failure ([`metastable::verdict`]) speaks of one
//! first-in-first-out queue whose server works on for callers that have given
//! up, and of callers that send each request up to n times when it times out.
//! Where a world has more in it, nothing is said.

use crate::law::Law;
use crate::model::spec::{Arrivals, Client, Edge, Kind, Model, Order, Service};
use crate::policy::budget::MILLIS_PER_TOKEN;
use crate::policy::schedule::{self, Timing};
use crate::policy::{Failure, Fill, Request, TokenBucket};
use crate::theory::metastable::{self, Regime};
use crate::time::Duration;

/// A service under callers that retry, in requests and attempts per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// Requests that arrive.
    pub rate: f64,
    /// Attempts that its workers can do.
    pub capacity: f64,
    /// Attempts of a request at most; `None` is without limit.
    pub attempts: Option<u32>,
    /// The retries for each request that a budget allows while nothing succeeds.
    pub budget: Option<f64>,
}

impl Feedback {
    /// The attempts that come while all of them time out.
    pub fn offered(&self) -> f64 {
        let all = self.attempts.map_or(f64::INFINITY, f64::from);
        self.rate * self.limiting_budget().map_or(all, |retries| 1.0 + retries)
    }

    /// The budget, if it is what limits the retries.
    pub fn limiting_budget(&self) -> Option<f64> {
        let all = self.attempts.map_or(f64::INFINITY, f64::from);
        self.budget.filter(|retries| 1.0 + retries < all)
    }

    /// What becomes of a queue in which all attempts time out.
    pub fn regime(&self) -> Regime {
        let limited = metastable::verdict(self.rate, self.capacity, self.attempts);
        let paid = self.limiting_budget().and_then(|retries| {
            metastable::stable_load_with_budget(self.capacity, retries).map(|load| self.rate < load)
        });
        match limited.map_or(Regime::Overloaded, |verdict| verdict.regime) {
            Regime::Bistable if paid == Some(true) => Regime::Stable,
            regime => regime,
        }
    }

    /// The most attempts of a request with which such a queue drains; zero if it
    /// never does.
    pub fn most_attempts(&self) -> u32 {
        // A cast cuts off, and saturates.
        let most = (self.capacity / self.rate).ceil() - 1.0;
        most as u32
    }

    /// The load below which such a queue drains: C / n.
    pub fn stable_load(&self) -> Option<f64> {
        metastable::stable_load(self.capacity, f64::from(self.attempts?), 1.0)
    }

    /// The budget, in retries for each request, below which such a queue drains
    /// whatever the attempts.
    pub fn stable_budget(&self) -> f64 {
        (self.capacity / self.rate - 1.0).max(0.0)
    }
}

/// What theory knows of a world, if it is one that theory knows.
pub fn feedback(model: &Model) -> Option<Feedback> {
    let callers = model.clients.iter().map(|client| Caller::of(client, model));
    let callers = callers.collect::<Option<Vec<_>>>()?;
    let (first, others) = callers.split_first()?;
    let service = &model.services[first.edge.target];
    let capacity = service.capacity()?;
    let known = others.iter().all(|other| first.calls_like(other))
        && callers.iter().all(Caller::all_attempts_begin)
        && works_on(service)
        && first.outwaits(service, capacity);
    known.then(|| Feedback {
        rate: callers.iter().map(|caller| caller.rate).sum(),
        capacity,
        attempts: first.attempts(),
        budget: first.edge.budget.map(|budget| retries(model.budgets[budget].bucket)),
    })
}

/// A client table whose requests arrive at one rate, each with one call that
/// has one timeout.
struct Caller<'m> {
    rate: f64,
    deadline: Option<Duration>,
    request: Request,
    edge: &'m Edge,
    timeout: Duration,
}

impl<'m> Caller<'m> {
    fn of(client: &'m Client, model: &'m Model) -> Option<Self> {
        let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = &client.arrivals else {
            return None;
        };
        let [Kind { request, calls, .. }] = &client.kinds[..] else { return None };
        let [call] = calls[..] else { return None };
        let edge = &model.edges[call];
        let Some(Law::Constant(timeout)) = edge.timeout else { return None };
        let rate = rate.steady_rate().filter(|_| client.pool.is_none())?;
        Some(Self { rate, deadline: client.deadline, request: *request, edge, timeout })
    }

    /// Whether their calls are the same to the service.
    fn calls_like(&self, other: &Self) -> bool {
        let (a, b) = (self.edge, other.edge);
        self.request == other.request
            && self.timeout == other.timeout
            && (a.target, a.budget) == (b.target, b.budget)
            && a.retry == b.retry
    }

    /// Attempts of a call at most when each of them times out; `None` is without
    /// limit.
    fn attempts(&self) -> Option<u32> {
        let retry = &self.edge.retry;
        let again =
            retry.retry_on.covers(Failure::Timeout, false) && retry.repeatable.allows(self.request);
        if again { retry.max_attempts } else { Some(1) }
    }

    /// Whether all of them begin, whatever the waits.
    fn all_attempts_begin(&self) -> bool {
        /// More attempts than this are as good as unlimited.
        const MOST: u32 = 1_000;
        let timing = Timing { timeout: Some(self.timeout), deadline: self.deadline };
        let attempts = self.attempts().unwrap_or(MOST).min(MOST);
        let course = self.edge.retry.course(timing, schedule::Target::Hangs, attempts);
        course.starts.len() == attempts as usize && course.starts.iter().all(|start| start.certain)
    }

    /// Whether a full queue takes longer than they wait, and is for them what a
    /// timeout is.
    fn outwaits(&self, service: &Service, capacity: f64) -> bool {
        /// The status of an attempt that a full queue refuses.
        const REFUSED: Failure = Failure::Status(503);
        let Some(limit) = service.queue.limit else { return true };
        let full = f64::from(limit) * f64::from(service.instances) / capacity;
        full > self.timeout.as_secs_f64() && self.edge.retry.retry_on.covers(REFUSED, false)
    }
}

/// The retries for each request that a budget allows while nothing succeeds.
fn retries(bucket: TokenBucket) -> f64 {
    match bucket.fill {
        Fill::OnCall => bucket.ratio_millis as f64 / MILLIS_PER_TOKEN as f64,
        Fill::OnSuccess | Fill::OnAnySuccess => 0.0,
    }
}

/// Whether a service serves in order of arrival, whoever still waits.
fn works_on(service: &Service) -> bool {
    let queue = &service.queue;
    !service.cancels
        && service.fails == 0.0
        && queue.order == Order::Fifo
        && !queue.drops_oldest
        && queue.timeout.is_none()
        && queue.codel.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::{Codel, CodelLaw};
    use crate::report::sample;

    fn model() -> Model {
        sample::outage().results[0].model.clone()
    }

    #[test]
    fn the_condition_is_that_of_theory() {
        let of = |rate, attempts, budget| Feedback { rate, capacity: 300.0, attempts, budget };
        for (rate, attempts, budget, regime, offered) in [
            (280.0, Some(2), None, Regime::Bistable, 560.0),
            (151.0, Some(2), None, Regime::Bistable, 302.0),
            (149.0, Some(2), None, Regime::Stable, 298.0),
            (301.0, Some(2), None, Regime::Overloaded, 602.0),
            (280.0, Some(1), None, Regime::Stable, 280.0),
            (1.0, None, None, Regime::Bistable, f64::INFINITY),
            // Up to 272.7/s a budget of a tenth breaks the loop.
            (272.0, Some(9), Some(0.1), Regime::Stable, 299.2),
            (273.0, None, Some(0.1), Regime::Bistable, 300.3),
            (301.0, None, Some(0.0), Regime::Overloaded, 301.0),
            // A budget of more retries than there are is none.
            (140.0, Some(2), Some(5.0), Regime::Stable, 280.0),
        ] {
            let theory = of(rate, attempts, budget);
            assert_eq!(theory.regime(), regime, "{theory:?}");
            assert!((theory.offered() - offered).abs() < 1e-9 || offered.is_infinite());
        }
    }

    #[test]
    fn what_must_change_is_just_enough() {
        for (rate, most) in [(280.0, 1), (150.0, 1), (149.0, 2), (75.0, 3), (74.0, 4), (300.0, 0)] {
            let theory = Feedback { rate, capacity: 300.0, attempts: Some(5), budget: None };
            assert_eq!(theory.most_attempts(), most, "{rate}");
            let regime = |attempts| Feedback { attempts: Some(attempts), ..theory }.regime();
            if most > 0 {
                assert!(f64::from(most) * rate < 300.0 && regime(most) == Regime::Stable);
            }
            assert!(f64::from(most + 1) * rate >= 300.0, "{rate}");
            let paid = |budget| Feedback { budget: Some(budget), ..theory }.regime();
            if rate < 300.0 {
                assert_eq!(paid(theory.stable_budget() - 1e-6), Regime::Stable);
            }
        }
        let theory = Feedback { rate: 280.0, capacity: 300.0, attempts: Some(2), budget: None };
        assert_eq!(theory.stable_load(), Some(150.0));
        assert_eq!(Feedback { rate: 150.1, ..theory }.regime(), Regime::Bistable);
        assert_eq!(Feedback { rate: 149.9, ..theory }.regime(), Regime::Stable);
    }

    #[test]
    fn reads_the_world() {
        let plain = feedback(&model()).expect("theory knows it");
        let expected = Feedback { rate: 800.0, capacity: 1_000.0, attempts: Some(3), budget: None };
        assert_eq!(plain, expected);
        let paid = feedback(&sample::outage().results[1].model).expect("theory knows it");
        assert_eq!(paid, Feedback { budget: Some(0.1), ..expected });
        let mut two = model();
        two.clients.push(Client { name: "batch".to_owned(), ..two.clients[0].clone() });
        assert_eq!(feedback(&two), Some(Feedback { rate: 1_600.0, ..expected }));
        let mut deaf = model();
        deaf.edges[0].retry.retry_on.timeout = false;
        assert_eq!(feedback(&deaf), Some(Feedback { attempts: Some(1), ..expected }));
        let mut post = model();
        post.clients[0].kinds[0].request = Request::new("POST", None);
        assert_eq!(feedback(&post), Some(Feedback { attempts: Some(1), ..expected }));
        let mut endless = model();
        (endless.clients[0].deadline, endless.edges[0].retry.max_attempts) = (None, None);
        assert_eq!(feedback(&endless), Some(Feedback { attempts: None, ..expected }));
        let mut long = model();
        long.services[0].queue.limit = Some(4_000);
        assert_eq!(feedback(&long), Some(expected));
    }

    /// A change to the world.
    type Change = fn(&mut Model);

    #[test]
    fn says_nothing_of_worlds_that_theory_does_not_know() {
        let changes: [(&str, Change); 16] = [
            ("cancels", |model| model.services[0].cancels = true),
            ("fails", |model| model.services[0].fails = 0.1),
            ("last in, first out", |model| model.services[0].queue.order = Order::Lifo),
            ("drops the oldest", |model| model.services[0].queue.drops_oldest = true),
            ("a timeout of the queue", |model| {
                model.services[0].queue.timeout = Some(Law::Constant(Duration::from_secs(1)));
            }),
            ("codel", |model| {
                let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
                let law = CodelLaw::FailAtScale;
                model.services[0].queue.codel = Some(Codel { target, interval, law });
            }),
            ("a queue shorter than the timeout", |model| {
                model.services[0].queue.limit = Some(900);
            }),
            ("full queues are not retried", |model| {
                model.services[0].queue.limit = Some(4_000);
                model.edges[0].retry.retry_on.statuses = crate::policy::StatusSet::EMPTY;
            }),
            ("unlimited workers", |model| model.services[0].workers = None),
            ("no timeout", |model| model.edges[0].timeout = None),
            ("the deadline is before the last attempt", |model| {
                model.clients[0].deadline = Some(Duration::from_millis(2_250));
            }),
            ("a pool", |model| model.clients[0].pool = Some(1)),
            ("one by one", |model| model.clients[0].arrivals = Arrivals::OneByOne),
            ("two kinds", |model| {
                let twice = model.clients[0].kinds[0].clone();
                model.clients[0].kinds.push(twice);
            }),
            ("two calls", |model| model.clients[0].kinds[0].calls.push(0)),
            ("a limit of its own", |model| {
                model.edges[0].retry.limits.own = Duration::from_secs(1);
            }),
        ];
        for (what, change) in changes {
            let mut model = model();
            change(&mut model);
            assert_eq!(feedback(&model), None, "{what}");
        }
    }

    /// Waits of up to 100 and 200 ms, after two timeouts of 1 s.
    #[test]
    fn the_deadline_lets_all_attempts_begin() {
        let mut model = model();
        model.clients[0].deadline = Some(Duration::from_millis(2_301));
        assert!(feedback(&model).is_some());
        model.clients[0].deadline = Some(Duration::from_millis(2_299));
        assert_eq!(feedback(&model), None);
    }
}
