//! Attempts at services: they arrive, wait for a worker, are worked on, and are
//! answered.

use super::call::Caller;
use super::errand::{Errand, RequestId};
use super::event::{Answer, AttemptId, Author, Turn};
use super::site::Frozen;
use super::{Event, Happening, Key, Maker, Step, World};
use crate::des::Handle;
use crate::model::error::RunError;
use crate::time::{Duration, Instant};

/// An attempt on its way to a service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) attempt: AttemptId,
    pub(super) errand: Errand,
    /// The key of its call: that of the attempt follows when it is needed.
    pub(super) call_key: Key,
}

/// An attempt at a service before a worker takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) attempt: AttemptId,
    pub(super) errand: Errand,
    call_key: Key,
    pub(super) arrived: Instant,
}

/// What is kept of some attempts besides, from their arrival to their service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burden {
    /// The place of the instance, if the service has several.
    pub(super) instance: u32,
    /// The time of its service, if that is drawn on arrival.
    work: Duration,
    /// The deadline that travels with it.
    deadline: Instant,
}

impl Burden {
    pub(super) const NONE: Self =
        Self { instance: 0, work: Duration::ZERO, deadline: Instant::NEVER };
}

impl Arrival {
    /// The key of the attempt.
    #[inline]
    pub(super) fn key(&self) -> Key {
        self.call_key.attempt(self.attempt.number)
    }
}

impl Waiting {
    /// The key of the attempt.
    #[inline]
    pub(super) fn key(&self) -> Key {
        self.call_key.attempt(self.attempt.number)
    }
}

/// An attempt that a worker of a service has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) key: Key,
    pub(super) request: RequestId,
    /// When its service began.
    started: Instant,
    /// When its caller gives it up.
    pub(super) patience: Instant,
    /// When whatever it is for is over, as far as it has been told.
    pub(super) deadline: Instant,
    /// How long its instance had hung when its work began.
    hung: Duration,
    pub(super) attempt: AttemptId,
    pub(super) errand: Errand,
    /// The place of its instance, and its number at the service.
    pub(super) instance: u32,
    pub(super) number: u32,
    /// How many of its calls have begun.
    calls_begun: u32,
    /// The call that it waits for, or none.
    pub(super) call: Handle,
}

impl World<'_> {
    /// An attempt arrives: a free worker takes it, or it waits. Gives the answer
    /// if there is one at once.
    pub(super) fn arrive(&mut self, arrival: Arrival) -> Result<Option<Answer>, RunError> {
        let target = self.routes[arrival.errand.edge()].target as usize;
        let service = &self.model.services[target];
        let Arrival { attempt, errand, call_key } = arrival;
        let place = self.sites[target].choose(service.balance, &self.instances, || arrival.key());
        let instance = &self.instances[place as usize];
        if instance.condition.down {
            return Ok(Some(Answer::Unreachable));
        }
        let waiting = Waiting { attempt, errand, call_key, arrived: self.now };
        let burden =
            if self.burdened { self.burden(target, place, &arrival) } else { Burden::NONE };
        if instance.is_free() {
            return Ok(self.begin_service(place, waiting, burden));
        }
        self.join_line(place, waiting, burden)
    }

    /// What an attempt that arrives now carries.
    fn burden(&self, target: usize, place: u32, arrival: &Arrival) -> Burden {
        let service = &self.model.services[target];
        let mut burden = Burden { instance: place, ..Burden::NONE };
        if service.drawn_on_arrival {
            let instance = &self.instances[place as usize];
            let work = self.sites[target].service_time(&service.service_time, || arrival.key());
            let others = instance.busy + instance.waiting;
            burden.work = stretched(work, instance.factor(service.slowdown, others, self.now));
        }
        let call = arrival.attempt.call;
        if self.model.edges[arrival.errand.edge()].has_deadline && self.calls.contains(call) {
            let terms = self.terms.get(call.slot() as usize);
            burden.deadline = terms.map_or(Instant::NEVER, |terms| terms.deadline);
        }
        burden
    }

    /// A worker takes an attempt. Its own work comes first, then its calls.
    /// Gives the answer if no time passes until then.
    fn begin_service(&mut self, place: u32, waiting: Waiting, burden: Burden) -> Option<Answer> {
        let now = self.now;
        let instance = &mut self.instances[place as usize];
        let target = instance.site as usize;
        let (service, site) = (&self.model.services[target], &self.sites[target]);
        self.meter.service_began(target, waiting.arrived, now);
        let time = if service.drawn_on_arrival {
            burden.work
        } else {
            let work = site.service_time(&service.service_time, || waiting.key());
            let others = instance.busy + instance.waiting;
            stretched(work, instance.factor(service.slowdown, others, now))
        };
        if time.is_zero() && service.calls.is_empty() {
            // No time passes, so no worker is ever seen busy with it.
            let fault = site.fault_answer(&instance.condition, waiting.key());
            return Some(fault.unwrap_or_else(|| site.own_answer(service, || waiting.key())));
        }
        instance.busy += 1;
        let hung = instance.hung;
        self.meter.service_changed(target, 0, 1, now);
        let visit = self.visits.insert(Visit {
            key: waiting.key(),
            request: self.request_of(&waiting),
            started: now,
            patience: self.patience_of(&waiting),
            deadline: burden.deadline,
            hung,
            attempt: waiting.attempt,
            errand: waiting.errand,
            instance: place,
            number: place - site.first,
            calls_begun: 0,
            call: Handle::NONE,
        });
        self.track_visit(target, waiting.attempt, visit);
        if time.is_zero() {
            // A step rather than a call: a line of attempts that all fail at once
            // would otherwise be worked off in recursion.
            self.steps.push(Step::OwnWorkDone(visit));
        } else {
            self.schedule(now + time, Turn::Event, Event::new(Happening::Served(visit)));
        }
        None
    }

    /// The request on whose behalf an attempt was sent, as long as its caller
    /// is there to tell.
    fn request_of(&self, waiting: &Waiting) -> RequestId {
        let unknown = RequestId::unknown(waiting.errand.request());
        let target = self.routes[waiting.errand.edge()].target as usize;
        if self.model.services[target].calls.is_empty() {
            // Whoever calls nobody need not know.
            return unknown;
        }
        let Some(call) = self.calls.get(waiting.attempt.call) else { return unknown };
        let request = match self.maker(call) {
            Maker::Request(handle) => self.requests.get(handle).map(|request| request.id),
            Maker::Visit(handle) => self.visits.get(handle).map(|visit| visit.request),
        };
        request.unwrap_or(unknown)
    }

    /// When the caller of an attempt whose service begins gives it up; some time
    /// that has passed, if it has done so.
    fn patience_of(&self, waiting: &Waiting) -> Instant {
        let route = self.routes[waiting.errand.edge()];
        if route.near && !route.timed {
            let length = self.timeouts.length(waiting.errand.edge());
            return length.map_or(Instant::NEVER, |length| waiting.arrived + length);
        }
        let attempt = waiting.attempt;
        let Some(call) = self.calls.get(attempt.call).filter(|call| call.awaits(attempt)) else {
            return self.now;
        };
        let edge = waiting.errand.edge();
        if self.routes[edge].timed {
            return self.terms[attempt.call.slot() as usize].expires;
        }
        self.timeouts.length(edge).map_or(Instant::NEVER, |length| call.sent + length)
    }

    /// A service has finished its own work on an attempt: it fails of itself,
    /// or goes on to the services below.
    pub(super) fn own_work_done(&mut self, handle: Handle) {
        let Some(visit) = self.visits.get_mut(handle) else { return };
        let place = visit.instance as usize;
        let instance = &mut self.instances[place];
        let lost = instance.hung - visit.hung;
        if instance.condition.hangs {
            instance.frozen.push(Frozen::Served(handle, self.now + lost));
            return;
        }
        if !lost.is_zero() {
            visit.hung = instance.hung;
            self.schedule(self.now + lost, Turn::Event, Event::new(Happening::Served(handle)));
            return;
        }
        let (target, key) = (instance.site as usize, visit.key);
        let site = &self.sites[target];
        let fault = site.fault_answer(&instance.condition, key);
        let answer = fault.unwrap_or_else(|| site.own_answer(&self.model.services[target], || key));
        match answer {
            Answer::Good => self.steps.push(Step::Proceed(Maker::Visit(handle))),
            failed => self.leave(handle, failed),
        }
    }

    /// A visit makes its next call, or is done with all of them.
    pub(super) fn visit_proceeds(&mut self, handle: Handle) -> Result<(), RunError> {
        let Some(visit) = self.visits.get_mut(handle) else { return Ok(()) };
        let instance = &mut self.instances[visit.instance as usize];
        visit.call = Handle::NONE;
        if instance.condition.hangs {
            instance.frozen.push(Frozen::Proceed(handle));
            return Ok(());
        }
        let calls = &self.model.services[instance.site as usize].calls;
        let Some(&edge) = calls.get(visit.calls_begun as usize) else {
            self.leave(handle, Answer::Good);
            return Ok(());
        };
        visit.calls_begun += 1;
        let caller = Caller::of_visit(visit);
        self.begin_call(Maker::Visit(handle), &caller, edge)
    }

    /// A call of a visit has failed for good: so does the visit.
    pub(super) fn fail_visit(&mut self, handle: Handle, status: u16) {
        let Some(visit) = self.visits.get_mut(handle) else { return };
        let instance = &mut self.instances[visit.instance as usize];
        visit.call = Handle::NONE;
        if instance.condition.hangs {
            instance.frozen.push(Frozen::Fail(handle, status));
        } else {
            self.leave(handle, Answer::Failed { status, by: Author::Another });
        }
    }

    /// A worker is done with an attempt: it answers and takes the next.
    fn leave(&mut self, handle: Handle, answer: Answer) {
        let Some(visit) = self.end_visit(handle) else { return };
        // The stack's top is next: what is answered first must lie above the rest.
        let floor = self.steps.len();
        let step = self.reply(visit.errand, visit.attempt, visit.key, answer);
        self.steps.extend(step);
        self.take_next(visit.instance, floor);
    }

    /// A visit ends, and its worker is free.
    pub(super) fn end_visit(&mut self, handle: Handle) -> Option<Visit> {
        let visit = self.visits.remove(handle)?;
        let instance = &mut self.instances[visit.instance as usize];
        instance.busy -= 1;
        let target = instance.site as usize;
        self.count_waste(&visit, self.now);
        self.meter.service_changed(target, 0, -1, self.now);
        self.untrack(target, visit.attempt);
        Some(visit)
    }

    /// Free workers of an instance take who waits. Answers at once go below
    /// those above `floor`.
    pub(super) fn take_next(&mut self, place: u32, floor: usize) {
        // Work that takes no time leaves the worker free for the next at once.
        while self.instances[place as usize].is_free() {
            let Some((next, burden)) = self.next_in_line(place) else { break };
            let Some(answer) = self.begin_service(place, next, burden) else { continue };
            let step = self.reply(next.errand, next.attempt, next.key(), answer);
            if let Some(step) = step {
                self.steps.insert(floor, step);
            }
        }
    }

    /// Counts the time a worker spent on a visit after its caller had given up.
    fn count_waste(&mut self, visit: &Visit, until: Instant) {
        let wanted =
            self.calls.get(visit.attempt.call).is_some_and(|call| call.awaits(visit.attempt));
        if !wanted {
            let from = visit.started.max(visit.patience);
            let target = self.instances[visit.instance as usize].site as usize;
            self.meter.wasted(target, until.since(from));
        }
    }

    /// Counts the waste of visits that are still being worked on at the end.
    pub(super) fn waste_of_open_visits(&mut self, ended: Instant) {
        let open: Vec<Visit> = self.visits.iter().map(|(_, visit)| *visit).collect();
        for visit in &open {
            self.count_waste(visit, ended);
        }
    }
}

impl Visit {
    /// The work that was to be done at `due` when its instance began to hang at
    /// `since` goes on now, and will be done at the instant given back.
    pub(super) fn thaw(
        &mut self,
        hung: Duration,
        due: Instant,
        since: Instant,
        now: Instant,
    ) -> Instant {
        self.hung = hung;
        now + due.since(since)
    }
}

/// A time so many times as long.
#[inline]
fn stretched(time: Duration, factor: f64) -> Duration {
    if factor == 1.0 { time } else { Duration::from_nanos_f64(time.as_nanos() as f64 * factor) }
}
