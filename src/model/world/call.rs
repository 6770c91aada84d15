//! Calls: a caller asks a service under a retry policy, in one attempt or more.
//! What becomes of an attempt is in `attempt.rs`.

use super::errand::RequestId;
use super::event::{AttemptId, Turn};
use super::request::Request;
use super::serve::Visit;
use super::{Event, Happening, Key, Maker, Step, World};
use crate::des::{Handle, Ticket};
use crate::model::error::RunError;
use crate::model::outcome::{AttemptEnd, AttemptRecord, Next};
use crate::policy::{self, Failure, Progress, Reason};
use crate::time::{Duration, Instant};

/// A call that has not ended. One is looked up at random for each retry, so its
/// size decides how fast a large crowd runs: 56 bytes, 60 with the generation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) key: Key,
    /// When the last attempt was sent.
    pub(super) sent: Instant,
    /// All waits so far.
    pub(super) waited: Duration,
    /// Attempts sent, and what the backoff remembers.
    pub(super) progress: Progress,
    /// The place of the request or visit that makes it, which outlives it.
    pub(super) maker: u32,
    pub(super) edge: u32,
    pub(super) timeout: Ticket,
    pub(super) marks: Marks,
}

/// What is kept beside a call whose time is limited, or is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) started: Instant,
    /// When whatever it is for is over.
    pub(super) deadline: Instant,
    /// When its last attempt is given up.
    pub(super) expires: Instant,
}

impl Terms {
    pub(super) const NONE: Self =
        Self { started: Instant::ZERO, deadline: Instant::NEVER, expires: Instant::NEVER };
}

/// Two flags, what the request is, and how many attempts in a row were sent
/// without time passing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks(u32);

impl Marks {
    /// An attempt is out, rather than the wait before the next.
    const OUT: u32 = 1 << 31;
    /// The very first request of the run caused the call.
    pub(super) const FIRST: u32 = 1 << 30;
    /// Where the bits of the request begin.
    const REQUEST: u32 = 30 - policy::Request::BITS;
    const COUNT: u32 = (1 << Self::REQUEST) - 1;

    fn new(of_first_request: bool, request: policy::Request) -> Self {
        let first = if of_first_request { Self::FIRST } else { 0 };
        Self(first | u32::from(request.bits()) << Self::REQUEST)
    }

    #[inline]
    pub(super) fn request(self) -> policy::Request {
        let mask = (1 << policy::Request::BITS) - 1;
        policy::Request::of_bits((self.0 >> Self::REQUEST) as u8 & mask)
    }

    #[inline]
    pub(super) fn is(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Another attempt is sent. Gives how many were sent at this instant.
    #[inline]
    pub(super) fn send(&mut self, same_instant: bool) -> u32 {
        let before = if same_instant { self.0 & Self::COUNT } else { 0 };
        let count = (before + 1).min(Self::COUNT);
        self.0 = self.0 & !Self::COUNT | Self::OUT | count;
        count
    }

    /// The attempt has ended.
    #[inline]
    pub(super) fn end(&mut self) {
        self.0 &= !Self::OUT;
    }
}

impl Call {
    /// Whether an attempt is out.
    #[inline]
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
    #[inline]
    pub(super) fn awaits(&self, attempt: AttemptId) -> bool {
        self.is_out() && self.progress.attempts == attempt.number
    }
}

/// What a call must know of who makes it.
pub(super) struct Caller {
    key: Key,
    request: RequestId,
    /// The client process or the instance.
    owner: u32,
    deadline: Instant,
}

impl Caller {
    #[inline]
    pub(super) fn of_request(request: &Request) -> Self {
        let &Request { key, id, process, deadline, .. } = request;
        Self { key, request: id, owner: process, deadline }
    }

    #[inline]
    pub(super) fn of_visit(visit: &Visit) -> Self {
        let &Visit { key, request, number, deadline, .. } = visit;
        Self { key, request, owner: number, deadline }
    }
}

impl World<'_> {
    fn caller(&self, maker: Maker) -> Option<Caller> {
        match maker {
            Maker::Request(handle) => self.requests.get(handle).map(Caller::of_request),
            Maker::Visit(handle) => self.visits.get(handle).map(Caller::of_visit),
        }
    }

    /// A request or visit begins a call.
    pub(super) fn begin_call(
        &mut self,
        maker: Maker,
        caller: &Caller,
        edge: usize,
    ) -> Result<(), RunError> {
        let &Caller { key, request, owner, deadline } = caller;
        let spec = &self.model.edges[edge];
        let deadline = if spec.has_deadline { deadline } else { Instant::NEVER };
        if deadline <= self.now && deadline != Instant::NEVER {
            // A call without any time is not made.
            self.meter.denied_by_deadline(edge, self.now);
            self.fail_maker(maker, Duration::ZERO, Failure::Timeout, Reason::OutOfTime);
            return Ok(());
        }
        self.callers.call_started(edge, owner);
        self.meter.call_started(edge, self.now);
        let call = self.calls.insert(Call {
            key: key.call(spec.position),
            sent: Instant::ZERO,
            waited: Duration::ZERO,
            progress: Progress::default(),
            maker: maker.slot(),
            edge: edge as u32,
            timeout: Ticket::NONE,
            marks: Marks::new(request.is_first(), request.request()),
        });
        if self.routes[edge].timed {
            let place = call.slot() as usize;
            if self.terms.len() <= place {
                self.terms.resize(place + 1, Terms::NONE);
            }
            self.terms[place] = Terms { started: self.now, deadline, expires: Instant::NEVER };
        }
        if let Maker::Visit(visit) = maker
            && let Some(visit) = self.visits.get_mut(visit)
        {
            visit.call = call;
        }
        self.send(call, edge)
    }

    /// What follows the end of an attempt, but for the most common: a wait that
    /// nobody records.
    pub(super) fn settle(
        &mut self,
        handle: Handle,
        end: AttemptEnd,
        failed: Option<(Failure, Next)>,
    ) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        let next = failed.map_or(Next::Done, |(_, next)| next);
        if let Next::RetryAfter(wait) = next {
            call.waited += wait;
        }
        let call = *call;
        if self.meter.records() {
            let request = self.caller(self.maker(&call)).map_or(0, |of| of.request.number());
            self.meter.record(handle.slot(), call.record(request, end, next, self.now));
        }
        match (next, failed) {
            (Next::RetryAfter(wait), _) => {
                self.schedule(self.now + wait, Turn::Event, Event::new(Happening::Retry(handle)));
            }
            (Next::GaveUp(reason), Some((failure, _))) => {
                match reason {
                    Reason::BudgetDenied => {
                        self.meter.denied_by_budget(call.edge as usize, call.sent);
                    }
                    Reason::OutOfTime => {
                        self.meter.denied_by_deadline(call.edge as usize, call.sent);
                    }
                    _ => {}
                }
                self.calls.remove(handle);
                self.fail_maker(self.maker(&call), call.waited, failure, reason);
            }
            (Next::Done | Next::GaveUp(_), _) => {
                self.calls.remove(handle);
                self.succeed(&call);
            }
        }
    }

    /// A wait has ended at the deadline or after it: nothing more is sent.
    pub(super) fn out_of_time(&mut self, handle: Handle) {
        let Some(call) = self.calls.remove(handle) else { return };
        self.meter.denied_by_deadline(call.edge as usize, call.sent);
        self.fail_maker(self.maker(&call), call.waited, Failure::Timeout, Reason::OutOfTime);
    }

    /// What makes a call. It outlives it.
    pub(super) fn maker(&self, call: &Call) -> Maker {
        if self.routes[call.edge as usize].from_client {
            Maker::Request(self.requests.handle_at(call.maker).unwrap_or(Handle::NONE))
        } else {
            Maker::Visit(self.visits.handle_at(call.maker).unwrap_or(Handle::NONE))
        }
    }

    /// A call has been answered well: what made it goes on.
    fn succeed(&mut self, call: &Call) {
        let maker = self.maker(call);
        if self.routes[call.edge as usize].has_budget {
            let owner = self.caller(maker).map_or(0, |caller| caller.owner);
            self.callers.call_succeeded(owner, call);
        }
        self.add_wait(maker, call.waited);
        self.steps.push(Step::Proceed(maker));
    }

    fn add_wait(&mut self, maker: Maker, waited: Duration) {
        if let Maker::Request(handle) = maker
            && let Some(request) = self.requests.get_mut(handle)
        {
            request.waited += waited;
        }
    }

    /// A call has failed for good: what made it fails too.
    pub(super) fn fail_maker(
        &mut self,
        maker: Maker,
        waited: Duration,
        failure: Failure,
        reason: Reason,
    ) {
        self.add_wait(maker, waited);
        match maker {
            Maker::Request(handle) => self.end_request(handle, Some(reason)),
            Maker::Visit(handle) => self.fail_visit(handle, failure.status_handed_up()),
        }
    }

    /// What made a call has been stopped: the call ends without an answer.
    pub(super) fn abandon_call(&mut self, handle: Handle) {
        let Some(call) = self.calls.remove(handle) else { return };
        if !call.is_out() {
            return;
        }
        self.timeouts.cancel(call.edge as usize, call.timeout);
        self.meter.attempt_abandoned(call.edge as usize, call.sent);
        self.give_up_on(&call, handle);
    }
}
