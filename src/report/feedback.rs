//! Whether retries can keep an overload alive after what began it, for worlds
//! of which theory says so exactly.
//!
//! The condition for metastable failure ([`metastable::verdict`]) speaks of one
//! first-in-first-out queue whose server works on for callers that have given
//! up, and of callers that send each request up to n times when it times out.
//! Where a world has more in it, nothing is said.

use crate::law::Law;
use crate::model::spec::{Arrivals, Client, Edge, Model, Order, Service};
use crate::policy::{Failure, Fill, Limits, Memory, Request};
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
    let mut rate = 0.0;
    let mut entry: Option<&Edge> = None;
    for client in &model.clients {
        rate += steady_rate(client)?;
        let edge = only_call(client).map(|edge| &model.edges[edge])?;
        if entry.is_some_and(|first| !alike(first, edge)) {
            return None;
        }
        in_time(edge, client.deadline).then_some(())?;
        entry = Some(edge);
    }
    let edge = entry?;
    let service = &model.services[edge.target];
    let capacity = service.capacity()?;
    let lasts = outlasts(service, capacity, timeout(edge)?, edge);
    (works_on(service) && lasts).then_some(())?;
    Some(Feedback { rate, capacity, attempts: attempts(edge), budget: budget(model, edge) })
}

/// The rate at which a client's requests arrive, if it is always the same.
fn steady_rate(client: &Client) -> Option<f64> {
    let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = &client.arrivals else {
        return None;
    };
    rate.steady_rate().filter(|_| client.pool.is_none())
}

/// The one call that each request of a client makes.
fn only_call(client: &Client) -> Option<usize> {
    match &client.kinds[..] {
        [kind] => match kind.calls[..] {
            [call] => Some(call),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two calls are the same to the service.
fn alike(a: &Edge, b: &Edge) -> bool {
    a.target == b.target && a.timeout == b.timeout && a.retry == b.retry && a.budget == b.budget
}

/// Attempts of a call at most when each of them times out.
fn attempts(edge: &Edge) -> Option<u32> {
    let retry = &edge.retry;
    let again = retry.retry_on.covers(Failure::Timeout, false)
        && retry.repeatable.allows(Request::default());
    if again { retry.max_attempts } else { Some(1) }
}

/// The retries for each request that a budget allows while nothing succeeds.
fn budget(model: &Model, edge: &Edge) -> Option<f64> {
    let bucket = &model.budgets[edge.budget?].bucket;
    Some(match bucket.fill {
        Fill::OnCall => bucket.ratio_millis as f64 / 1e3,
        Fill::OnSuccess | Fill::OnAnySuccess => 0.0,
    })
}

/// How long an attempt may take, if that is always the same.
fn timeout(edge: &Edge) -> Option<Duration> {
    match edge.timeout {
        Some(Law::Constant(timeout)) => Some(timeout),
        _ => None,
    }
}

/// Whether all attempts of a call begin before the deadline, however long they
/// wait for each other.
fn in_time(edge: &Edge, deadline: Option<Duration>) -> bool {
    /// More attempts than this do not fit, or do not matter.
    const MOST: u32 = 1_000;
    let limits = Limits { deadline: edge.retry.limits.deadline, ..Limits::USUAL };
    if edge.retry.limits != limits {
        return false;
    }
    let Some(deadline) = deadline else { return true };
    let (Some(timeout), Some(attempts)) = (timeout(edge), attempts(edge)) else { return false };
    let mut memory = Memory::default();
    let mut latest = Duration::ZERO;
    for retry in 1..attempts.min(MOST) {
        let wait = edge.retry.backoff.wait(retry, &mut memory, || 1.0 - f64::EPSILON);
        latest = latest.saturating_add(timeout).saturating_add(wait);
    }
    attempts <= MOST && latest < deadline
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

/// Whether a full queue takes longer than callers wait, and is for them what a
/// timeout is.
fn outlasts(service: &Service, capacity: f64, timeout: Duration, edge: &Edge) -> bool {
    /// The status of an attempt that a full queue refuses.
    const REFUSED: u16 = 503;
    let Some(limit) = service.queue.limit else { return true };
    let full = f64::from(limit) * f64::from(service.instances) / capacity;
    full > timeout.as_secs_f64() && edge.retry.retry_on.covers(Failure::Status(REFUSED), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::{Codel, CodelLaw, Kind};
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
                model.clients[0].kinds.push(Kind { weight: 1.0, calls: vec![0] });
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
