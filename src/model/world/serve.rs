//! Services: attempts arrive, wait for a worker, are worked on, and are answered.

use super::{Answer, AttemptId, Author, Event, Key, RequestId, Route, Step, World};
use crate::des::{ChunkedQueue, Handle};
use crate::draw::{Purpose, Stream};
use crate::law::Law;
use crate::model::error::RunError;
use crate::model::spec::{Model, Service};
use crate::time::{Duration, Instant};

/// A service's workers, queue and draws.
pub(super) struct ServiceState {
    busy: u32,
    queue: ChunkedQueue,
    failures: Stream,
    statuses: Stream,
    service_times: Stream,
}

/// An attempt at a service before a worker takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) attempt: AttemptId,
    pub(super) route: Route,
    /// The key of its call: that of the attempt follows when it is needed.
    pub(super) call_key: Key,
    pub(super) arrived: Instant,
}

impl Waiting {
    /// The key of the attempt.
    fn key(&self) -> Key {
        self.call_key.attempt(self.attempt.number)
    }
}

/// Something that makes calls in turn: a request at its client, or an attempt
/// that a worker of a service has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) key: Key,
    pub(super) request: RequestId,
    /// When the request started, or the service of the attempt.
    pub(super) started: Instant,
    /// Of a request: its waits so far.
    pub(super) waited: Duration,
    /// Of an attempt: when its caller gives it up.
    patience: Instant,
    /// Of an attempt: which one; of a request: none.
    attempt: AttemptId,
    /// Index of the client table or the service.
    site: u32,
    /// The client process, or the instance of the service.
    pub(super) owner: u32,
    /// How many of its calls have begun.
    calls_begun: u32,
}

impl Visit {
    pub(super) fn request(key: Key, request: RequestId, process: u32, now: Instant) -> Self {
        Self {
            key,
            request,
            started: now,
            waited: Duration::ZERO,
            patience: Instant::NEVER,
            attempt: AttemptId { call: Handle::NONE, number: 0 },
            site: request.client() as u32,
            owner: process,
            calls_begun: 0,
        }
    }

    /// Whether it is a request rather than an attempt at a service.
    pub(super) fn is_request(&self) -> bool {
        self.attempt.call == Handle::NONE
    }
}

/// The services at the start of a run.
pub(super) fn states(model: &Model, replication: u64) -> Vec<ServiceState> {
    let state = |service: &Service| {
        let stream = |purpose| Stream::new(model.seed, replication, purpose, &service.name);
        ServiceState {
            busy: 0,
            queue: ChunkedQueue::new(),
            failures: stream(Purpose::Failure),
            statuses: stream(Purpose::Status),
            service_times: stream(Purpose::ServiceTime),
        }
    };
    model.services.iter().map(state).collect()
}

impl ServiceState {
    fn service_time(&self, law: &Law, arrival: &Waiting) -> Duration {
        match law {
            Law::Constant(time) => *time,
            _ => law.sample(self.service_times.draws(arrival.key())),
        }
    }

    /// What its own work on an attempt comes to. A share of 0 or 1 needs no draw,
    /// and one status neither.
    fn own_answer(&self, service: &Service, key: impl Fn() -> Key) -> Answer {
        let fails = service.fails >= 1.0
            || service.fails > 0.0 && self.failures.draw(key()) < service.fails;
        if !fails {
            return Answer::Good;
        }
        let status = service.status.choose(|| self.statuses.draw(key()));
        Answer::Failed { status, by: Author::Itself }
    }
}

impl World<'_> {
    /// An attempt arrives: a free worker takes it, or it waits. Gives the answer
    /// if there is one at once.
    pub(super) fn arrive(&mut self, arrival: Waiting) -> Result<Option<Answer>, RunError> {
        let target = self.model.edges[arrival.route.edge()].target;
        let state = &mut self.services[target];
        let free = self.model.services[target].workers.is_none_or(|most| state.busy < most);
        if free {
            return Ok(self.begin_service(target, arrival));
        }
        state.queue.push_back(&mut self.waiting, arrival);
        self.queued += 1;
        self.meter.service_changed(target, 1, 0, self.now);
        self.check_alive()?;
        Ok(None)
    }

    /// A worker takes an attempt. Its own work comes first, then its calls.
    /// Gives the answer if no time passes until then.
    fn begin_service(&mut self, target: usize, arrival: Waiting) -> Option<Answer> {
        let (service, state) = (&self.model.services[target], &mut self.services[target]);
        let time = state.service_time(&service.service_time, &arrival);
        self.meter.service_began(target, arrival.arrived, self.now);
        if time.is_zero() && service.calls.is_empty() {
            // No time passes, so no worker is ever seen busy with it.
            return Some(state.own_answer(service, || arrival.key()));
        }
        state.busy += 1;
        self.meter.service_changed(target, 0, 1, self.now);
        let edge = &self.model.edges[arrival.route.edge()];
        let timeout = match edge.timeout {
            Some(Law::Constant(length)) if edge.retry.times_out(arrival.attempt.number) => {
                Some(length)
            }
            _ => None,
        };
        let visit = self.visits.insert(Visit {
            key: arrival.key(),
            request: self.request_of(&arrival),
            started: self.now,
            waited: Duration::ZERO,
            patience: timeout.map_or(Instant::NEVER, |timeout| arrival.arrived + timeout),
            attempt: arrival.attempt,
            site: target as u32,
            owner: 0,
            calls_begun: 0,
        });
        if time.is_zero() {
            // A step rather than a call: a line of attempts that all fail at once
            // would otherwise be worked off in recursion.
            self.steps.push(Step::OwnWorkDone(visit));
        } else {
            self.queue.push(self.now + time, Event::served(visit));
        }
        None
    }

    /// The request on whose behalf an attempt was sent, as long as its caller
    /// is there to tell.
    fn request_of(&self, arrival: &Waiting) -> RequestId {
        let call = self.calls.get(arrival.attempt.call);
        let visit = call.and_then(|call| self.visits.handle_at(call.visit));
        let visit = visit.and_then(|visit| self.visits.get(visit));
        visit.map_or_else(|| RequestId::unknown(arrival.route.request()), |visit| visit.request)
    }

    /// A service has finished its own work on an attempt: it fails of itself,
    /// or goes on to the services below.
    pub(super) fn own_work_done(&mut self, handle: Handle) {
        let Some(visit) = self.visits.get(handle) else { return };
        let target = visit.site as usize;
        let (service, key) = (&self.model.services[target], visit.key);
        match self.services[target].own_answer(service, || key) {
            Answer::Good => self.steps.push(Step::Proceed(handle)),
            failed @ Answer::Failed { .. } => self.leave(handle, failed),
        }
    }

    /// A request or a visit makes its next call, or is done with all of them.
    pub(super) fn proceed(&mut self, handle: Handle) -> Result<(), RunError> {
        let Some(visit) = self.visits.get_mut(handle) else { return Ok(()) };
        let site = visit.site as usize;
        let calls = if visit.is_request() {
            &self.model.clients[site].kinds[0].calls
        } else {
            &self.model.services[site].calls
        };
        if let Some(&edge) = calls.get(visit.calls_begun as usize) {
            visit.calls_begun += 1;
            return self.begin_call(handle, edge);
        }
        if visit.is_request() {
            let visit = *visit;
            self.visits.remove(handle);
            self.end_request(&visit, None);
        } else {
            self.leave(handle, Answer::Good);
        }
        Ok(())
    }

    /// A worker is done with an attempt: it answers and takes the next.
    pub(super) fn leave(&mut self, handle: Handle, answer: Answer) {
        let Some(visit) = self.visits.remove(handle) else { return };
        let target = visit.site as usize;
        self.count_waste(&visit, self.now);
        self.services[target].busy -= 1;
        self.meter.service_changed(target, 0, -1, self.now);
        // The stack's top is next: what is answered first must lie above the rest.
        let floor = self.steps.len();
        self.steps.push(Step::Answer(visit.attempt, answer));
        // Work that takes no time leaves the worker free for the next at once.
        while let Some(next) = self.services[target].queue.pop_front(&mut self.waiting) {
            self.queued -= 1;
            self.meter.service_changed(target, -1, 0, self.now);
            let Some(answer) = self.begin_service(target, next) else { break };
            self.steps.insert(floor, Step::Answer(next.attempt, answer));
        }
    }

    /// Counts the time a worker spent on a visit after its caller had given up.
    fn count_waste(&mut self, visit: &Visit, until: Instant) {
        let wanted =
            self.calls.get(visit.attempt.call).is_some_and(|call| call.awaits(visit.attempt));
        if !wanted {
            let from = visit.started.max(visit.patience);
            self.meter.wasted(visit.site as usize, until.since(from));
        }
    }

    /// Counts the waste of visits that are still being worked on at the end.
    pub(super) fn waste_of_open_visits(&mut self, ended: Instant) {
        let open: Vec<Visit> = self.visits.iter().map(|(_, visit)| *visit).collect();
        for visit in open.iter().filter(|visit| !visit.is_request()) {
            self.count_waste(visit, ended);
        }
    }
}
