//! The world while it runs: all state, the clock, and the order of events.
//!
//! At one instant changes of faults come first, then queued events in the order
//! in which they were scheduled, then timeouts, then arrivals in file order; so
//! an answer that comes exactly at its timeout is in time. What follows from an
//! event without time passing (an attempt that arrives, an answer that is handed
//! up) happens at once, as a stack of steps, so that a chain of any depth costs
//! no recursion.

mod attempt;
mod call;
mod callers;
mod cancel;
mod clockwork;
mod errand;
mod event;
mod faults;
mod hopeless;
mod line;
mod request;
mod route;
mod serve;
mod site;
mod sources;
mod timeouts;
mod wire;

use super::error::{Reached, RunError};
use super::meter::Meter;
use super::outcome::Outcome;
use super::spec::Model;
use crate::des::{ChunkPool, Handle, Ladder, Slab};
use crate::draw::Key;
use crate::time::Instant;
use call::{Call, Terms};
use callers::Callers;
use cancel::Whereabouts;
use event::{Answer, AttemptId, Event, Happening, MOST_ALIVE, Turn};
use faults::Faults;
use request::{Pool, Request};
use route::Route;
use serve::{Burden, Visit, Waiting};
use site::{Instance, Site};
use sources::Sources;
use std::hint::black_box;
use timeouts::Timeouts;
use wire::{Parcel, Wires};

/// So many calls stay in the cache, where nothing need be fetched ahead.
const IN_CACHE: usize = 2_048;

/// A world between its first event and its last.
pub struct World<'m> {
    model: &'m Model,
    now: Instant,
    events: u64,
    /// When something happened last; not all that is due turns out to be so.
    moved: Instant,
    /// The moment of the event that came last.
    reached: Instant,
    /// The moment at which the run ends.
    last: Instant,
    /// Whether something is due beyond the time that can be told.
    overrun: bool,
    queue: Ladder<Event>,
    timeouts: Timeouts,
    sources: Sources<'m>,
    faults: Faults,
    routes: Vec<Route>,
    sites: Vec<Site>,
    instances: Vec<Instance>,
    requests: Slab<Request>,
    pools: Vec<Option<Pool>>,
    /// How many requests have ended.
    ended: u64,
    calls: Slab<Call>,
    /// By the place of a call, where its edge needs them.
    terms: Vec<Terms>,
    visits: Slab<Visit>,
    waiting: Slab<Waiting>,
    lines: ChunkPool<Handle>,
    /// Whether attempts carry something, and what, by the place of who waits.
    burdened: bool,
    burdens: Vec<Burden>,
    wire: Slab<Parcel>,
    wires: Wires,
    whereabouts: Whereabouts,
    callers: Callers<'m>,
    steps: Vec<Step>,
    meter: Meter,
}

/// Who makes a call.
#[derive(Clone, Copy, Debug)]
enum Maker {
    /// A request, at its client.
    Request(Handle),
    /// An attempt that a worker of a service has taken.
    Visit(Handle),
}

impl Maker {
    /// Its place among its like.
    fn slot(self) -> u32 {
        match self {
            Self::Request(handle) | Self::Visit(handle) => handle.slot(),
        }
    }
}

/// What follows from an event at the same instant.
#[derive(Clone, Copy)]
enum Step {
    /// A service has finished its own work for a visit.
    OwnWorkDone(Handle),
    /// A request or a visit goes on with its next call, or is finished.
    Proceed(Maker),
    /// A visit fails with this status.
    Fail(Handle, u16),
    /// An attempt gets its answer.
    Answer(AttemptId, Answer),
}

impl<'m> World<'m> {
    /// A world at the start of its run. `replication` chooses other draws from
    /// the same seed; 0 is the plain run.
    pub fn new(model: &'m Model, replication: u64) -> Self {
        let (sites, instances) = site::sites(model, replication);
        let callers = Callers::new(model, replication);
        let sources = Sources::new(model, replication);
        let crowd = sources.crowd();
        let last = match model.duration {
            Some(_) => event::moment(model.end(), Turn::Change),
            None => Instant::NEVER,
        };
        Self {
            model,
            now: Instant::ZERO,
            moved: Instant::ZERO,
            reached: Instant::ZERO,
            events: 0,
            last,
            overrun: false,
            queue: Ladder::new(),
            timeouts: Timeouts::new(model, replication),
            sources,
            faults: Faults::new(model),
            routes: route::routes(model, &sites, &callers),
            sites,
            instances,
            requests: Slab::with_capacity(crowd),
            pools: request::pools(model),
            ended: 0,
            calls: Slab::with_capacity(crowd),
            terms: Vec::new(),
            visits: Slab::new(),
            waiting: Slab::new(),
            lines: ChunkPool::new(),
            burdened: route::burdened(model),
            burdens: Vec::new(),
            wire: Slab::new(),
            wires: Wires::new(model, replication),
            whereabouts: Whereabouts::default(),
            callers,
            steps: Vec::new(),
            meter: Meter::new(model),
        }
    }

    /// Runs `most` events, or to the end. Says whether the run goes on.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn advance(&mut self, most: u64) -> Result<bool, RunError> {
        for _ in 0..most {
            let (timeout, arrival) = (self.timeouts.next(), self.sources.next());
            let change = self.faults.next();
            let limit = timeout.min(arrival).min(change).min(self.last);
            if let Some((moment, event)) = self.queue.pop_until(limit) {
                self.now = event::instant(moment);
                self.reached = moment;
                if self.calls.len() > IN_CACHE {
                    self.fetch_ahead();
                }
                if !self.happen(event.happening())? {
                    continue;
                }
            } else if limit == self.last {
                return if self.overrun { Err(self.beyond_the_clock()) } else { Ok(false) };
            } else if limit == change {
                self.change_fault();
            } else if limit == timeout {
                self.now = event::instant(timeout);
                self.fire_timeout();
            } else {
                self.now = event::instant(arrival);
                self.start_request()?;
            }
            self.events += 1;
            self.moved = self.now;
            self.run_steps()?;
        }
        Ok(true)
    }

    /// Does what an event is about, unless that has gone since. Tells which.
    #[inline]
    fn happen(&mut self, happening: Happening) -> Result<bool, RunError> {
        match happening {
            Happening::Retry(call) => return self.retry(call),
            Happening::Served(visit) if self.visits.contains(visit) => self.own_work_done(visit),
            Happening::Delivered(parcel) => self.deliver(parcel)?,
            Happening::TimedOut(call) if self.is_due(call) => self.time_out(call),
            Happening::Expired(waiting) if self.waiting.contains(waiting) => self.expire(waiting),
            Happening::Overdue(request) if self.is_pooled(request) => self.overdue(request),
            Happening::Start { client, process } => self.start_of(client, process)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Puts something into the event list, unless it comes after the end.
    #[inline]
    fn schedule(&mut self, at: Instant, turn: Turn, event: Event) {
        // What a timeout makes due at once comes after it, whatever its turn.
        let moment = event::moment(at, turn).max(self.reached);
        if moment < self.last {
            self.queue.push(moment, event);
        } else {
            self.overrun |= self.model.duration.is_none();
        }
    }

    /// Reads what the next events are about, for nothing but that it is in the
    /// cache when their turn comes. Both ends of it, since it may lie in two lines.
    fn fetch_ahead(&mut self) {
        if !self.queue.has_gathered() {
            return;
        }
        for event in self.queue.at_hand() {
            match event.happening() {
                Happening::Retry(call) => {
                    black_box(self.calls.get(call).map(|call| (call.sent, call.progress.attempts)));
                }
                Happening::Served(visit) => {
                    black_box(self.visits.get(visit).map(|visit| (visit.key, visit.call)));
                }
                _ => {}
            }
        }
        // A call that sends its last attempt will end its request too.
        for event in self.queue.at_hand() {
            if let Happening::Retry(call) = event.happening()
                && let Some(call) = self.calls.get(call)
                && let route = &self.routes[call.edge as usize]
                && route.from_client
                && call.progress.attempts + 1 >= route.most_attempts
            {
                black_box(self.requests.at(call.maker).map(|request| request.started));
            }
        }
    }

    fn run_steps(&mut self) -> Result<(), RunError> {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::OwnWorkDone(visit) => self.own_work_done(visit),
                Step::Proceed(Maker::Request(request)) => self.request_proceeds(request)?,
                Step::Proceed(Maker::Visit(visit)) => self.visit_proceeds(visit)?,
                Step::Fail(visit, status) => self.fail_visit(visit, status),
                Step::Answer(attempt, answer) => self.answer(attempt, answer, self.now),
            }
        }
        Ok(())
    }

    /// How far the run has come.
    pub fn reached(&self) -> Reached {
        Reached {
            now: self.now,
            events: self.events,
            requests: (self.ended, self.sources.expected()),
            duration: self.model.duration,
        }
    }

    /// What the run gives, once it has ended.
    ///
    /// # Errors
    /// [`RunError::Bug`] if a count is not conserved.
    pub fn finish(mut self) -> Result<Outcome, RunError> {
        let ended = if self.model.end() == Instant::NEVER { self.moved } else { self.model.end() };
        self.waste_of_open_visits(ended);
        for (_, call) in self.calls.iter() {
            if call.is_out() && self.meter.counts(call.sent) {
                self.meter.edges[call.edge as usize].still_out += 1;
            }
        }
        let open = self.requests.iter().filter(|(_, request)| self.meter.counts(request.started));
        let open = open.count() as u64;
        let outcome = self.meter.outcome(self.model, open, ended, self.events);
        outcome
            .check_conservation()
            .map_err(|what| RunError::Bug { what, seed: self.model.seed })?;
        Ok(outcome)
    }

    /// Stops a run that would eat the machine.
    fn check_alive(&self) -> Result<(), RunError> {
        let (makers, at_services) = (self.requests.len() + self.visits.len(), self.waiting.len());
        let alive = (makers + self.calls.len() + at_services + self.wire.len()) as u64;
        let limit = self.model.most_live.min(MOST_ALIVE);
        if alive <= limit {
            return Ok(());
        }
        Err(RunError::TooManyAlive { limit, at: self.now, requests: self.sources.started() })
    }

    fn beyond_the_clock(&self) -> RunError {
        RunError::BeyondTheClock { at: self.now, requests: self.sources.started() }
    }
}

#[cfg(test)]
mod tests;
