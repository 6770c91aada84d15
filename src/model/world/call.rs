//! Calls: a caller asks a service under a retry policy, in one attempt or more.

use super::serve::Waiting;
use super::{Answer, AttemptId, Event, Key, RequestId, Step, World};
use crate::des::{Handle, Ticket};
use crate::draw::{Mt19937, Mulberry32, Purpose, Stream};
use crate::model::error::{MOST_ATTEMPTS_AT_ONE_INSTANT, RunError};
use crate::model::outcome::{AttemptEnd, AttemptRecord, Next};
use crate::model::spec::{Caller, Edge, Model, RandomSource, Scope};
use crate::policy::{Budget, Decision, Failure, Progress, Reason};
use crate::time::{Duration, Instant};

/// A call that has not ended. One is looked up at random for each retry, so its
/// size decides how fast a large crowd runs: 56 bytes, 60 with the generation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    key: Key,
    /// When the last attempt was sent.
    pub(super) sent: Instant,
    /// The wait before the last attempt.
    previous_wait: Duration,
    /// All waits so far.
    waited: Duration,
    /// The place of the request or visit that makes it, which outlives it.
    visit: u32,
    pub(super) edge: u32,
    /// The budget that pays for its retries, or `NO_BUDGET`.
    budget: u32,
    timeout: Ticket,
    /// Attempts sent, the first included.
    attempts: u32,
    marks: Marks,
}

/// Two flags, and how many attempts in a row were sent without time passing.
#[derive(Clone, Copy, Debug)]
struct Marks(u32);

impl Marks {
    /// An attempt is out, rather than the wait before the next.
    const OUT: u32 = 1 << 31;
    /// The very first request of the run caused the call.
    const FIRST: u32 = 1 << 30;
    const COUNT: u32 = Self::FIRST - 1;

    fn new(of_first_request: bool) -> Self {
        Self(if of_first_request { Self::FIRST } else { 0 })
    }

    fn is(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Another attempt is sent. Gives how many were sent at this instant.
    fn send(&mut self, same_instant: bool) -> u32 {
        let before = if same_instant { self.0 & Self::COUNT } else { 0 };
        let count = (before + 1).min(Self::COUNT);
        self.0 = self.0 & Self::FIRST | Self::OUT | count;
        count
    }

    /// The attempt has ended.
    fn end(&mut self) {
        self.0 &= !Self::OUT;
    }
}

const NO_BUDGET: u32 = u32::MAX;

impl Call {
    /// Whether an attempt is out.
    pub(super) fn is_out(&self) -> bool {
        self.marks.is(Marks::OUT)
    }

    /// The place of what makes it.
    pub(super) fn visit(&self) -> u32 {
        self.visit
    }

    fn record(&self, request: u64, end: AttemptEnd, next: Next, now: Instant) -> AttemptRecord {
        AttemptRecord {
            request,
            edge: self.edge as usize,
            attempt: self.attempts,
            sent: self.sent,
            ended: now,
            wait_before: self.previous_wait,
            end,
            next,
        }
    }

    /// Whether the caller still waits for this attempt.
    pub(super) fn awaits(&self, attempt: AttemptId) -> bool {
        self.is_out() && self.attempts == attempt.number
    }
}

/// What callers have besides their calls: draws of waits, and budgets.
pub(super) struct Callers {
    /// The stream of waits of each edge.
    waits: Vec<Stream>,
    drawn: Option<DrawnAtStart>,
    budgets: Vec<Budget>,
    /// Of each edge: the first of its budgets, and whether there is one for
    /// each process.
    budget_of: Vec<Option<(u32, bool)>>,
}

/// Waits of clients drawn from one stream when their request starts, as the
/// programs do whose tables were published.
struct DrawnAtStart {
    source: Sequence,
    /// For each slot of a request, `stride` draws.
    draws: Vec<f64>,
    stride: usize,
    /// Of each edge: where its draws begin.
    offsets: Vec<usize>,
}

enum Sequence {
    Cpython(Box<Mt19937>),
    Mulberry32(Mulberry32),
}

impl Sequence {
    fn draw(&mut self) -> f64 {
        match self {
            Self::Cpython(source) => source.draw(),
            Self::Mulberry32(source) => source.draw(),
        }
    }
}

/// How many draws the waits of a call on this edge can take.
fn draws_of(edge: &Edge) -> usize {
    let retries = edge.retry.max_attempts.map_or(0, |most| most.saturating_sub(1));
    if edge.retry.backoff.is_random() { retries as usize } else { 0 }
}

impl DrawnAtStart {
    fn new(model: &Model) -> Option<Self> {
        let source = match model.random {
            RandomSource::Keyed => return None,
            RandomSource::Cpython => Sequence::Cpython(Box::new(Mt19937::cpython(model.seed))),
            RandomSource::Mulberry32 => Sequence::Mulberry32(Mulberry32::new(model.seed as u32)),
        };
        let mut offsets = vec![0; model.edges.len()];
        let mut stride = 0;
        for client in &model.clients {
            let mut used = 0;
            for &edge in &client.calls {
                offsets[edge] = used;
                used += draws_of(&model.edges[edge]);
            }
            stride = stride.max(used);
        }
        Some(Self { source, draws: Vec::new(), stride, offsets })
    }

    fn request_started(&mut self, model: &Model, client: usize, slot: usize) {
        let end = (slot + 1) * self.stride;
        if self.draws.len() < end {
            self.draws.resize(end, 0.0);
        }
        let mut place = slot * self.stride;
        for &edge in &model.clients[client].calls {
            for _ in 0..draws_of(&model.edges[edge]) {
                self.draws[place] = self.source.draw();
                place += 1;
            }
        }
    }

    fn draw(&self, edge: usize, slot: usize, retry: u32) -> f64 {
        self.draws[slot * self.stride + self.offsets[edge] + retry as usize - 1]
    }
}

impl Callers {
    pub(super) fn new(model: &Model, replication: u64) -> Self {
        let stream = |edge: &Edge| {
            Stream::new(model.seed, replication, Purpose::Wait, model.caller_name(edge.caller))
        };
        let mut callers = Self {
            waits: model.edges.iter().map(stream).collect(),
            drawn: DrawnAtStart::new(model),
            budgets: Vec::new(),
            budget_of: Vec::new(),
        };
        callers.budget_of = callers.lay_out_budgets(model);
        callers
    }

    /// Makes the budgets, those that are shared once.
    fn lay_out_budgets(&mut self, model: &Model) -> Vec<Option<(u32, bool)>> {
        let mut laid_out: Vec<(Option<Caller>, Option<usize>, usize, u32)> = Vec::new();
        let mut of_edge = Vec::with_capacity(model.edges.len());
        for edge in &model.edges {
            let Some(index) = edge.budget else {
                of_edge.push(None);
                continue;
            };
            let budget = &model.budgets[index];
            let (owner, target) = match budget.scope {
                Scope::Global => (None, None),
                Scope::Client => (Some(edge.caller), None),
                Scope::Call => (Some(edge.caller), Some(edge.target)),
            };
            let known = laid_out.iter().find(|&&(o, t, i, _)| (o, t, i) == (owner, target, index));
            let first = known.map_or(self.budgets.len() as u32, |&(.., first)| first);
            let copies = match owner {
                Some(Caller::Client(client)) => model.clients[client].processes,
                Some(Caller::Service(_)) | None => 1,
            };
            if known.is_none() {
                laid_out.push((owner, target, index, first));
                let fresh = (0..copies).map(|_| Budget::new(budget.bucket));
                self.budgets.extend(fresh);
            }
            of_edge.push(Some((first, copies > 1)));
        }
        of_edge
    }

    pub(super) fn request_started(&mut self, model: &Model, client: usize, request: Handle) {
        if let Some(drawn) = &mut self.drawn {
            drawn.request_started(model, client, request.slot() as usize);
        }
    }

    /// What the caller's policy says to a failed attempt.
    fn decide(&mut self, model: &Model, call: &Call, failure: Failure) -> Decision {
        let index = call.edge as usize;
        let edge = &model.edges[index];
        let progress = Progress { attempts: call.attempts, previous_wait: call.previous_wait };
        let Self { waits, drawn, budgets, .. } = self;
        let draw = || match drawn {
            Some(drawn) if matches!(edge.caller, Caller::Client(_)) => {
                drawn.draw(index, call.visit as usize, call.attempts)
            }
            _ => waits[index].draw(call.key.attempt(call.attempts)),
        };
        edge.retry.decide(failure, progress, draw, budgets.get_mut(call.budget as usize))
    }

    fn budget_slot(&self, edge: usize, owner: u32) -> u32 {
        self.budget_of[edge].map_or(NO_BUDGET, |(first, each)| first + if each { owner } else { 0 })
    }
}

impl From<Answer> for AttemptEnd {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Good => Self::Answered,
            Answer::Failed(status) => Self::Failed(status),
        }
    }
}

impl World<'_> {
    /// A request or visit begins a call.
    pub(super) fn begin_call(&mut self, visit: Handle, edge: usize) -> Result<(), RunError> {
        let Some(caller) = self.visits.get(visit) else { return Ok(()) };
        let budget = self.callers.budget_slot(edge, caller.owner);
        if let Some(budget) = self.callers.budgets.get_mut(budget as usize) {
            budget.call_started();
        }
        self.meter.call_started(edge, self.now);
        let call = self.calls.insert(Call {
            key: caller.key.call(self.model.edges[edge].position),
            sent: Instant::ZERO,
            previous_wait: Duration::ZERO,
            waited: Duration::ZERO,
            visit: visit.slot(),
            edge: edge as u32,
            budget,
            timeout: Ticket::NONE,
            attempts: 0,
            marks: Marks::new(caller.request == RequestId::FIRST),
        });
        self.send(call)
    }

    /// Sends the next attempt of a call.
    pub(super) fn send(&mut self, handle: Handle) -> Result<(), RunError> {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let edge = call.edge as usize;
        let retry = call.attempts > 0;
        if call.marks.send(retry && call.sent == now) >= MOST_ATTEMPTS_AT_ONE_INSTANT {
            return Err(self.endless(edge));
        }
        call.attempts += 1;
        call.sent = now;
        self.meter.attempt_sent(edge, retry, call.marks.is(Marks::FIRST), now);
        let arrival = Waiting {
            attempt: AttemptId { call: handle, number: call.attempts },
            edge: call.edge,
            call_key: call.key,
            arrived: now,
        };
        if let Some(answer) = self.arrive(arrival)? {
            // Answered at once: there is nothing to wait for, so no timeout.
            self.end_attempt(handle, answer.into());
        } else if let Some(call) = self.calls.get_mut(handle) {
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
        self.timeouts.cancel(call.edge as usize, call.timeout);
        self.end_attempt(attempt.call, answer.into());
    }

    /// The attempt whose timeout is due has not been answered.
    pub(super) fn fire_timeout(&mut self) {
        let Some(handle) = self.timeouts.fire() else { return };
        self.end_attempt(handle, AttemptEnd::TimedOut);
    }

    /// The caller knows how an attempt ended, and decides what follows.
    fn end_attempt(&mut self, handle: Handle, end: AttemptEnd) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.marks.end();
        call.timeout = Ticket::NONE;
        self.meter.attempt_ended(call.edge as usize, call.sent, end, self.now);
        let failure = match end {
            AttemptEnd::Answered => None,
            AttemptEnd::Failed(status) => Some(Failure::Status(status)),
            AttemptEnd::TimedOut => Some(Failure::Timeout),
        };
        let next = failure
            .map_or(Next::Done, |failure| self.callers.decide(self.model, call, failure).into());
        if self.meter.records() {
            let visit = self.visits.handle_at(call.visit);
            let visit = visit.and_then(|visit| self.visits.get(visit));
            let request = visit.map_or(0, |visit| visit.request.number());
            self.meter.record(call.record(request, end, next, self.now));
        }
        match (next, failure) {
            (Next::RetryAfter(wait), _) => {
                call.previous_wait = wait;
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
        if let Some(budget) = self.callers.budgets.get_mut(call.budget as usize) {
            budget.call_succeeded(call.attempts);
        }
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
            self.leave(caller, Answer::Failed(failure.status_handed_up()));
        }
    }
}
