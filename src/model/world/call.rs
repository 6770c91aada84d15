//! Calls: a caller asks a service under a retry policy, in one attempt or more.

use super::serve::Waiting;
use super::{Answer, AttemptId, Author, Event, Key, Route, Step, World};
use crate::des::{Handle, Ticket};
use crate::model::error::{MOST_ATTEMPTS_AT_ONE_INSTANT, RunError};
use crate::model::outcome::{AttemptEnd, AttemptRecord, Next};
use crate::policy::{Failed, Failure, Hint, Progress, Reason, Request};
use crate::time::{Duration, Instant};

/// A call that has not ended. One is looked up at random for each retry, so its
/// size decides how fast a large crowd runs: 56 bytes, 60 with the generation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) key: Key,
    /// When the last attempt was sent.
    pub(super) sent: Instant,
    /// All waits so far.
    waited: Duration,
    /// Attempts sent, and what the backoff remembers.
    pub(super) progress: Progress,
    /// The place of the request or visit that makes it, which outlives it.
    pub(super) visit: u32,
    pub(super) edge: u32,
    timeout: Ticket,
    marks: Marks,
}

/// Two flags, what the request is, and how many attempts in a row were sent
/// without time passing.
#[derive(Clone, Copy, Debug)]
struct Marks(u32);

impl Marks {
    /// An attempt is out, rather than the wait before the next.
    const OUT: u32 = 1 << 31;
    /// The very first request of the run caused the call.
    const FIRST: u32 = 1 << 30;
    /// Where the bits of the request begin.
    const REQUEST: u32 = 30 - Request::BITS;
    const COUNT: u32 = (1 << Self::REQUEST) - 1;

    fn new(of_first_request: bool, request: Request) -> Self {
        let first = if of_first_request { Self::FIRST } else { 0 };
        Self(first | u32::from(request.bits()) << Self::REQUEST)
    }

    fn request(self) -> Request {
        Request::of_bits((self.0 >> Self::REQUEST) as u8 & ((1 << Request::BITS) - 1))
    }

    fn is(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Another attempt is sent. Gives how many were sent at this instant.
    fn send(&mut self, same_instant: bool) -> u32 {
        let before = if same_instant { self.0 & Self::COUNT } else { 0 };
        let count = (before + 1).min(Self::COUNT);
        self.0 = self.0 & !Self::COUNT | Self::OUT | count;
        count
    }

    /// The attempt has ended.
    fn end(&mut self) {
        self.0 &= !Self::OUT;
    }
}

impl Call {
    /// Whether an attempt is out.
    pub(super) fn is_out(&self) -> bool {
        self.marks.is(Marks::OUT)
    }

    /// What is recorded of its last attempt, but for the wait before it.
    fn record(&self, request: u64, end: AttemptEnd, next: Next, now: Instant) -> AttemptRecord {
        AttemptRecord {
            request,
            edge: self.edge as usize,
            attempt: self.progress.attempts,
            sent: self.sent,
            ended: now,
            wait_before: Duration::ZERO,
            end,
            next,
        }
    }

    /// Whether the caller still waits for this attempt.
    pub(super) fn awaits(&self, attempt: AttemptId) -> bool {
        self.is_out() && self.progress.attempts == attempt.number
    }
}

impl From<Answer> for AttemptEnd {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Good => Self::Answered,
            Answer::Failed { status, .. } => Self::Failed(status),
        }
    }
}

impl World<'_> {
    /// A request or visit begins a call.
    pub(super) fn begin_call(&mut self, visit: Handle, edge: usize) -> Result<(), RunError> {
        let Some(caller) = self.visits.get(visit) else { return Ok(()) };
        self.callers.call_started(edge, caller.owner);
        self.meter.call_started(edge, self.now);
        let request = caller.request;
        let call = self.calls.insert(Call {
            key: caller.key.call(self.model.edges[edge].position),
            sent: Instant::ZERO,
            waited: Duration::ZERO,
            progress: Progress::default(),
            visit: visit.slot(),
            edge: edge as u32,
            timeout: Ticket::NONE,
            marks: Marks::new(request.is_first(), request.request()),
        });
        self.callers.call_begins(&self.model.edges[edge], call, self.now);
        self.send(call)
    }

    /// Sends the next attempt of a call.
    pub(super) fn send(&mut self, handle: Handle) -> Result<(), RunError> {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let edge = call.edge as usize;
        let retry = call.progress.attempts > 0;
        if call.marks.send(retry && call.sent == now) >= MOST_ATTEMPTS_AT_ONE_INSTANT {
            return Err(self.endless(edge));
        }
        call.progress.attempts += 1;
        call.sent = now;
        self.meter.attempt_sent(edge, retry, call.marks.is(Marks::FIRST), now);
        let arrival = Waiting {
            attempt: AttemptId { call: handle, number: call.progress.attempts },
            route: Route::new(call.edge, call.marks.request()),
            call_key: call.key,
            arrived: now,
        };
        if let Some(answer) = self.arrive(arrival)? {
            // Answered at once: there is nothing to wait for, so no timeout.
            self.end_attempt(handle, answer.into(), self.hint(edge, answer));
        } else if self.model.edges[edge].retry.times_out(arrival.attempt.number)
            && let Some(call) = self.calls.get_mut(handle)
        {
            call.timeout = self.timeouts.set(edge, handle, now);
        }
        Ok(())
    }

    fn endless(&self, edge: usize) -> RunError {
        let edge = &self.model.edges[edge];
        RunError::EndlessRetries {
            caller: self.model.caller_name(edge.caller).to_owned(),
            target: self.model.services[edge.target].name.clone(),
            at: self.now,
        }
    }

    /// An attempt is answered. Its caller may have given it up long ago.
    pub(super) fn answer(&mut self, attempt: AttemptId, answer: Answer) {
        let Some(call) = self.calls.get_mut(attempt.call) else { return };
        if !call.awaits(attempt) {
            return;
        }
        let edge = call.edge as usize;
        self.timeouts.cancel(edge, call.timeout);
        self.end_attempt(attempt.call, answer.into(), self.hint(edge, answer));
    }

    /// What a caller reads in an answer about its next attempt.
    fn hint(&self, edge: usize, answer: Answer) -> Hint {
        let Answer::Failed { by: Author::Itself, .. } = answer else { return Hint::None };
        let edge = &self.model.edges[edge];
        let advice = self.model.services[edge.target].retry_after;
        advice.hint(self.now, self.now, edge.retry.hint.format.dates)
    }

    /// The attempt whose timeout is due has not been answered.
    pub(super) fn fire_timeout(&mut self) {
        let Some(handle) = self.timeouts.fire() else { return };
        self.end_attempt(handle, AttemptEnd::TimedOut, Hint::None);
    }

    /// The caller knows how an attempt ended, and decides what follows.
    fn end_attempt(&mut self, handle: Handle, end: AttemptEnd, hint: Hint) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.marks.end();
        call.timeout = Ticket::NONE;
        self.meter.attempt_ended(call.edge as usize, call.sent, end, self.now);
        let failure = match end {
            AttemptEnd::Answered => None,
            AttemptEnd::Failed(status) => Some(Failure::Status(status)),
            AttemptEnd::TimedOut => Some(Failure::Timeout),
        };
        let next = failure.map_or(Next::Done, |failure| {
            let failed = Failed { request: call.marks.request(), hint, ..failure.into() };
            self.callers.decide(self.model, &self.visits, (handle, self.now), call, failed).into()
        });
        if self.meter.records() {
            let visit = self.visits.handle_at(call.visit);
            let visit = visit.and_then(|visit| self.visits.get(visit));
            let request = visit.map_or(0, |visit| visit.request.number());
            self.meter.record(handle.slot(), call.record(request, end, next, self.now));
        }
        match (next, failure) {
            (Next::RetryAfter(wait), _) => {
                call.waited += wait;
                self.queue.push(self.now + wait, Event::retry(handle));
            }
            (Next::GaveUp(reason), Some(failure)) => {
                if reason == Reason::BudgetDenied {
                    self.meter.denied_by_budget(call.edge as usize, call.sent);
                }
                let call = *call;
                self.calls.remove(handle);
                self.give_up(&call, failure, reason);
            }
            (Next::Done | Next::GaveUp(_), _) => {
                let call = *call;
                self.calls.remove(handle);
                self.succeed(&call);
            }
        }
    }

    /// A call has been answered well: what made it goes on.
    fn succeed(&mut self, call: &Call) {
        self.callers.call_succeeded(&self.visits, call);
        let Some(caller) = self.visits.handle_at(call.visit) else { return };
        if let Some(visit) = self.visits.get_mut(caller) {
            visit.waited += call.waited;
        }
        self.steps.push(Step::Proceed(caller));
    }

    /// A call has failed for good: what made it fails too.
    fn give_up(&mut self, call: &Call, failure: Failure, reason: Reason) {
        let Some(caller) = self.visits.handle_at(call.visit) else { return };
        let Some(visit) = self.visits.get_mut(caller) else { return };
        visit.waited += call.waited;
        if visit.is_request() {
            let request = *visit;
            self.visits.remove(caller);
            self.end_request(&request, Some(reason));
        } else {
            let status = failure.status_handed_up();
            self.leave(caller, Answer::Failed { status, by: Author::Below });
        }
    }
}
