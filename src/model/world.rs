//! The world while it runs: all state, the clock, and the order of events.
//!
//! At one instant queued events come first, in the order in which they were
//! scheduled, then timeouts, then arrivals in file order; so an answer that
//! comes exactly at its timeout is in time. What follows from an event without
//! time passing (an attempt that arrives, an answer that is handed up) happens
//! at once, as a stack of steps, so that a chain of any depth costs no
//! recursion.

mod call;
mod callers;
mod request;
mod request_id;
mod serve;
mod timeouts;

use super::error::{Reached, RunError};
use super::meter::Meter;
use super::outcome::Outcome;
use super::spec::Model;
use crate::des::{ChunkPool, Handle, Ladder, Slab};
use crate::draw::Key;
use crate::time::Instant;
use call::Call;
use callers::Callers;
use request::Sources;
use request_id::{RequestId, Route};
use serve::{ServiceState, Visit, Waiting};
use std::hint::black_box;
use timeouts::Timeouts;

/// A world between its first event and its last.
pub struct World<'m> {
    model: &'m Model,
    now: Instant,
    events: u64,
    queue: Ladder<Event>,
    timeouts: Timeouts,
    sources: Sources<'m>,
    calls: Slab<Call>,
    visits: Slab<Visit>,
    services: Vec<ServiceState>,
    waiting: ChunkPool<Waiting>,
    /// How many attempts wait at services.
    queued: u64,
    callers: Callers,
    steps: Vec<Step>,
    meter: Meter,
}

/// Something that happens at a known time: the kind in the lowest bits, then
/// the slot, then the generation of what it happens to. Eight bytes, so that a
/// queued event takes sixteen with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event(u64);

/// What an event is.
enum Happening {
    /// A call's wait before a retry is over.
    Retry(Handle),
    /// A service has finished its own work for a visit.
    Served(Handle),
}

impl Event {
    fn retry(call: Handle) -> Self {
        Self::new(0, call)
    }

    fn served(visit: Handle) -> Self {
        Self::new(1, visit)
    }

    fn new(kind: u64, of: Handle) -> Self {
        Self(u64::from(of.generation()) << 32 | u64::from(of.slot()) << 1 | kind)
    }

    fn happening(self) -> Happening {
        let of = Handle::from_parts((self.0 as u32) >> 1, (self.0 >> 32) as u32);
        if self.0 & 1 == 0 { Happening::Retry(of) } else { Happening::Served(of) }
    }
}

/// What follows from an event at the same instant.
#[derive(Clone, Copy)]
enum Step {
    /// A service has finished its own work for a visit.
    OwnWorkDone(Handle),
    /// A visit goes on with its next call, or is finished.
    Proceed(Handle),
    /// An attempt gets its answer.
    Answer(AttemptId, Answer),
}

/// One attempt of one call. The call may have given it up, or have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AttemptId {
    call: Handle,
    number: u32,
}

/// What a service answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Good,
    Failed { status: u16, by: Author },
}

/// Whose failure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author {
    /// The service's own, with what it says about the next attempt.
    Itself,
    /// That of a service below: only the status is handed up.
    Below,
}

impl<'m> World<'m> {
    /// A world at the start of its run. `replication` chooses other draws from
    /// the same seed; 0 is the plain run.
    pub fn new(model: &'m Model, replication: u64) -> Self {
        Self {
            model,
            now: Instant::ZERO,
            events: 0,
            queue: Ladder::new(),
            timeouts: Timeouts::new(model),
            sources: Sources::new(model, replication),
            calls: Slab::new(),
            visits: Slab::new(),
            services: serve::states(model, replication),
            waiting: ChunkPool::new(),
            queued: 0,
            callers: Callers::new(model, replication),
            steps: Vec::new(),
            meter: Meter::new(model),
        }
    }

    /// Runs `most` events, or to the end. Says whether the run goes on.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn advance(&mut self, most: u64) -> Result<bool, RunError> {
        let last = self.last_instant();
        for _ in 0..most {
            let (timeout, arrival) = (self.timeouts.next(), self.sources.next());
            let limit = timeout.min(arrival).min(last);
            if let Some((at, event)) = self.queue.pop_until(limit) {
                self.now = at;
                self.fetch_ahead();
                match event.happening() {
                    Happening::Retry(call) => self.send(call)?,
                    Happening::Served(visit) => self.own_work_done(visit),
                }
            } else if limit == Instant::NEVER || limit == last && last < timeout.min(arrival) {
                return Ok(false);
            } else if timeout <= arrival {
                self.now = timeout;
                self.fire_timeout();
            } else {
                self.now = arrival;
                self.start_request()?;
            }
            self.events += 1;
            self.run_steps()?;
        }
        Ok(true)
    }

    /// Reads what the next events are about, for nothing but that it is in the
    /// cache when their turn comes. Both ends of it, since it may lie in two lines.
    fn fetch_ahead(&mut self) {
        for event in self.queue.newly_at_hand() {
            match event.happening() {
                Happening::Retry(call) => {
                    black_box(self.calls.get(call).map(|call| (call.sent, call.progress.attempts)));
                }
                Happening::Served(visit) => {
                    black_box(self.visits.get(visit).map(|visit| (visit.key, visit.owner)));
                }
            }
        }
    }

    /// The last instant that belongs to the run: one before its end.
    fn last_instant(&self) -> Instant {
        let end = self.model.end();
        if end == Instant::NEVER { end } else { Instant::from_nanos(end.as_nanos() - 1) }
    }

    fn run_steps(&mut self) -> Result<(), RunError> {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::OwnWorkDone(visit) => self.own_work_done(visit),
                Step::Proceed(visit) => self.proceed(visit)?,
                Step::Answer(attempt, answer) => self.answer(attempt, answer),
            }
        }
        Ok(())
    }

    /// How far the run has come.
    pub fn reached(&self) -> Reached {
        Reached {
            now: self.now,
            events: self.events,
            requests: (self.sources.ended(), self.sources.expected()),
            duration: self.model.duration,
        }
    }

    /// What the run gives, once it has ended.
    ///
    /// # Errors
    /// [`RunError::Bug`] if a count is not conserved.
    pub fn finish(mut self) -> Result<Outcome, RunError> {
        let ended = if self.model.end() == Instant::NEVER { self.now } else { self.model.end() };
        self.waste_of_open_visits(ended);
        for (_, call) in self.calls.iter() {
            if call.is_out() && self.meter.counts(call.sent) {
                self.meter.edges[call.edge as usize].still_out += 1;
            }
        }
        let open = self.visits.iter().filter(|(_, visit)| visit.is_request());
        let open = open.filter(|(_, visit)| self.meter.counts(visit.started)).count() as u64;
        let outcome = self.meter.outcome(self.model, open, ended, self.events);
        outcome
            .check_conservation()
            .map_err(|what| RunError::Bug { what, seed: self.model.seed })?;
        Ok(outcome)
    }

    /// Stops a run that would eat the machine.
    fn check_alive(&self) -> Result<(), RunError> {
        let alive = self.calls.len() as u64 + self.visits.len() as u64 + self.queued;
        if alive <= self.model.most_live {
            return Ok(());
        }
        Err(RunError::TooManyAlive {
            limit: self.model.most_live,
            at: self.now,
            requests: self.sources.started(),
        })
    }
}

#[cfg(test)]
mod tests;
