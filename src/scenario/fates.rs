//! What can go wrong at each service, who asks it for what, and what the
//! policies on the way make of that. Everything here is a bound from the
//! settings alone: what is said to be possible need not happen.

use super::build::Sound;
use super::graph::takes_no_time;
use crate::law::Law;
use crate::model::Model;
use crate::model::outcome::AttemptEnd;
use crate::model::spec::{Edge, Effect, Queue, Service, Target};
use crate::policy::{
    Decision, Failed, Failure, Hint, Limits, Progress, Reason, Request, RetryPolicy, StatusSet,
};
use crate::time::{Duration, Instant};

/// The fates of all services of a model.
pub(super) struct Fates<'m> {
    model: &'m Model,
    services: Vec<Fate>,
    /// Of each service: the failures that its queue and faults add.
    added: Vec<Vec<Failure>>,
    /// Of each edge: the requests on whose behalf it is used, as a set of
    /// [`Request::bits`].
    requests: Vec<u32>,
    instant: Vec<bool>,
}

/// What can go wrong at a service.
#[derive(Clone, Copy, Debug)]
struct Fate {
    /// Whether every attempt fails.
    always: bool,
    /// Statuses of its own failures.
    own: StatusSet,
    /// Statuses that it hands up.
    below: StatusSet,
}

impl<'m> Fates<'m> {
    /// Looks at the services in `order`, each after those it calls. Of a
    /// service that was not read right nothing is said. `instant` are those
    /// that take no time.
    pub(super) fn new(
        model: &'m Model,
        sound: &Sound,
        order: &[usize],
        instant: Vec<bool>,
    ) -> Self {
        let nothing = Fate { always: false, own: StatusSet::EMPTY, below: StatusSet::EMPTY };
        let mut fates = Self {
            model,
            services: vec![nothing; model.services.len()],
            added: added(model),
            requests: vec![0; model.edges.len()],
            instant,
        };
        for &number in order.iter().filter(|&&number| sound.services[number]) {
            fates.services[number] = fates.fate(number);
        }
        fates.pass_requests_down(order);
        fates
    }

    fn pass_requests_down(&mut self, order: &[usize]) {
        let model = self.model;
        let mut at_service = vec![0; model.services.len()];
        let kinds = model.clients.iter().flat_map(|client| &client.kinds);
        let entries = kinds.map(|kind| (1 << kind.request.bits(), &kind.calls));
        let mut pass = |requests: u32, calls: &[usize], at_service: &mut [u32]| {
            for &call in calls {
                self.requests[call] |= requests;
                at_service[model.edges[call].target] |= requests;
            }
        };
        for (requests, calls) in entries {
            pass(requests, calls, &mut at_service);
        }
        for &number in order.iter().rev() {
            pass(at_service[number], &model.services[number].calls, &mut at_service);
        }
    }

    fn fate(&self, number: usize) -> Fate {
        let service = &self.model.services[number];
        let statuses = service.status.iter().fold(StatusSet::EMPTY, StatusSet::with);
        let own = if service.fails > 0.0 { statuses } else { StatusSet::EMPTY };
        let mut fate = Fate { always: service.fails >= 1.0, own, below: StatusSet::EMPTY };
        let mut calls = service.calls.iter();
        while !fate.always
            && let Some(&call) = calls.next()
        {
            let edge = &self.model.edges[call];
            for (failure, _) in self.failures(edge) {
                fate.below = fate.below.with(failure.status_handed_up());
            }
            fate.always = self.always_fails(edge);
        }
        fate
    }

    /// Whether every attempt at a service fails.
    pub(super) fn is_dead(&self, service: usize) -> bool {
        self.services[service].always
    }

    /// Whether a service's own work and the way to it always take longer than a
    /// caller waits.
    fn too_slow(&self, edge: &Edge) -> bool {
        let Some(Law::Constant(timeout)) = &edge.timeout else { return false };
        let own = &self.model.services[edge.target].service_time;
        let least = [&edge.there, own, &edge.back].into_iter().map(|law| match law {
            Law::Constant(length) => *length,
            _ => Duration::ZERO,
        });
        least.fold(Duration::ZERO, Duration::saturating_add) > *timeout
    }

    /// Whether every attempt on an edge fails.
    pub(super) fn always_fails(&self, edge: &Edge) -> bool {
        self.is_dead(edge.target) || self.too_slow(edge)
    }

    /// The failures that an attempt on an edge can meet, each with what it says
    /// about the next attempt.
    pub(super) fn failures(&self, edge: &Edge) -> Vec<(Failure, Hint)> {
        let (timeout, added) = (edge.timeout.is_some(), &self.added[edge.target]);
        let near = takes_no_time(&edge.there) && takes_no_time(&edge.back);
        let late = timeout && !(near && self.instant[edge.target]);
        let late = late.then_some((Failure::Timeout, Hint::None));
        if self.too_slow(edge) {
            return late.into_iter().collect();
        }
        let added = added.iter().filter(|&&failure| timeout || failure != Failure::Timeout);
        let service = &self.model.services[edge.target];
        let dates = edge.retry.hint.format.dates;
        let hint = service.retry_after.hint(Instant::ZERO, Instant::ZERO, dates);
        let Fate { own, below, .. } = self.services[edge.target];
        let with = |hint| move |status| (Failure::Status(status), hint);
        own.iter()
            .map(with(hint))
            .chain(below.iter().map(with(Hint::None)))
            .chain(added.map(|&failure| (failure, Hint::None)))
            .chain(late)
            .collect()
    }

    /// The requests on whose behalf an edge is used.
    pub(super) fn requests(&self, edge: usize) -> impl Iterator<Item = Request> {
        let set = self.requests[edge];
        (0..1 << Request::BITS).filter(move |bits| set >> bits & 1 == 1).map(Request::of_bits)
    }

    /// Whether a call never ends of itself: each attempt fails, and each
    /// failure of a request is retried.
    pub(super) fn never_ends(&self, number: usize) -> bool {
        let edge = &self.model.edges[number];
        let failures = self.failures(edge);
        let retried = |request| {
            failures
                .iter()
                .all(|&(failure, hint)| refusal(&edge.retry, failure, hint, request).is_none())
        };
        edge.retry.max_attempts.is_none()
            && edge.budget.is_none()
            && self.always_fails(edge)
            && self.requests(number).any(retried)
    }
}

/// The failures that queues and faults add to those of each service itself.
fn added(model: &Model) -> Vec<Vec<Failure>> {
    let refused = |service: &Service| {
        let Queue { limit, timeout, codel, .. } = &service.queue;
        let refuses = limit.is_some() || timeout.is_some() || codel.is_some();
        if refuses { vec![AttemptEnd::Refused] } else { Vec::new() }
    };
    let mut added: Vec<Vec<AttemptEnd>> = model.services.iter().map(refused).collect();
    for fault in &model.faults {
        let Target::Service { service, effect, .. } = fault.target else { continue };
        match effect {
            Effect::Down | Effect::Restart { .. } => added[service].push(AttemptEnd::Unreachable),
            Effect::Hang => added[service].push(AttemptEnd::TimedOut),
            Effect::Errors { status, .. } => added[service].push(AttemptEnd::Failed(status)),
            Effect::Slow { .. } | Effect::Capacity(_) => {}
        }
    }
    let failures = |ends: Vec<AttemptEnd>| ends.into_iter().filter_map(AttemptEnd::failure);
    added.into_iter().map(|ends| failures(ends).collect()).collect()
}

/// Why a policy does not retry a first failure, however many attempts and how
/// much time it has; `None` if it does.
pub(super) fn refusal(
    policy: &RetryPolicy,
    failure: Failure,
    hint: Hint,
    request: Request,
) -> Option<Reason> {
    let ample = RetryPolicy { max_attempts: None, limits: Limits::USUAL, ..policy.clone() };
    let failed = Failed { request, hint, ..failure.into() };
    match ample.decide(failed, &mut Progress::after(1), || 0.5, None) {
        Decision::RetryAfter(_) => None,
        Decision::GiveUp(reason) => Some(reason),
    }
}
