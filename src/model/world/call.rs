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

/// A call that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    key: Key,
    /// The request or visit that makes it.
    visit: Handle,
    request: RequestId,
    /// When the last attempt was sent.
    pub(super) sent: Instant,
    progress: Progress,
    pub(super) edge: u32,
    /// The budget that pays for its retries, or `NO_BUDGET`.
    budget: u32,
    /// Attempts in a row without time passing.
    at_one_instant: u32,
    timeout: Option<Ticket>,
    /// Whether an attempt is out, rather than the wait before the next.
    out: bool,
}

const NO_BUDGET: u32 = u32::MAX;

impl Call {
    /// Whether an attempt is out.
    pub(super) fn is_out(&self) -> bool {
        self.out
    }

    /// Whether the caller still waits for this attempt.
    pub(super) fn awaits(&self, attempt: AttemptId) -> bool {
        self.out && self.progress.attempts == attempt.number
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

    fn budget_slot(&self, edge: usize, owner: u32) -> u32 {
        self.budget_of[edge].map_or(NO_BUDGET, |(first, each)| first + if each { owner } else { 0 })
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
            visit,
            request: caller.request,
            sent: Instant::ZERO,
            progress: Progress::default(),
            edge: edge as u32,
            budget,
            at_one_instant: 0,
            timeout: None,
            out: false,
        });
        self.send(call)
    }

    /// Sends the next attempt of a call.
    pub(super) fn send(&mut self, handle: Handle) -> Result<(), RunError> {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let edge = call.edge as usize;
        let retry = call.progress.attempts > 0;
        call.at_one_instant = if retry && call.sent == now { call.at_one_instant + 1 } else { 1 };
        if call.at_one_instant >= MOST_ATTEMPTS_AT_ONE_INSTANT {
            return Err(self.endless(edge));
        }
        call.progress.attempts += 1;
        call.sent = now;
        call.out = true;
        call.timeout = self.timeouts.set(edge, handle, now);
        self.meter.attempt_sent(edge, retry, call.request == RequestId::FIRST, now);
        let number = call.progress.attempts;
        let arrival = Waiting {
            attempt: AttemptId { call: handle, number },
            edge: call.edge,
            key: call.key.attempt(number),
            arrived: now,
            request: call.request,
        };
        self.arrive(arrival)
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
        if let Some(ticket) = call.timeout.take() {
            self.timeouts.cancel(call.edge as usize, ticket);
        }
        let end = match answer {
            Answer::Good => AttemptEnd::Answered,
            Answer::Failed(status) => AttemptEnd::Failed(status),
        };
        self.end_attempt(attempt.call, end);
    }

    /// The attempt whose timeout is due has not been answered.
    pub(super) fn fire_timeout(&mut self) {
        let Some(handle) = self.timeouts.fire() else { return };
        if let Some(call) = self.calls.get_mut(handle) {
            call.timeout = None;
            self.end_attempt(handle, AttemptEnd::TimedOut);
        }
    }

    /// The caller knows how an attempt ended, and decides what follows.
    fn end_attempt(&mut self, handle: Handle, end: AttemptEnd) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.out = false;
        let call = *call;
        self.meter.attempt_ended(call.edge as usize, call.sent, end, self.now);
        let failure = match end {
            AttemptEnd::Answered => None,
            AttemptEnd::Failed(status) => Some(Failure::Status(status)),
            AttemptEnd::TimedOut => Some(Failure::Timeout),
        };
        let next = failure.map_or(Next::Done, |failure| self.decide(&call, failure).into());
        if self.meter.records() {
            self.record(&call, end, next);
        }
        match (next, failure) {
            (Next::RetryAfter(wait), _) => self.wait_for_retry(handle, wait),
            (Next::GaveUp(reason), Some(failure)) => {
                self.calls.remove(handle);
                self.give_up(call.visit, failure, reason);
            }
            (Next::Done | Next::GaveUp(_), _) => {
                if let Some(budget) = self.callers.budgets.get_mut(call.budget as usize) {
                    budget.call_succeeded(call.progress.attempts);
                }
                self.calls.remove(handle);
                self.steps.push(Step::Proceed(call.visit));
            }
        }
    }

    fn decide(&mut self, call: &Call, failure: Failure) -> Decision {
        let edge = call.edge as usize;
        let progress = call.progress;
        let Callers { waits, drawn, budgets, .. } = &mut self.callers;
        let from_client = matches!(self.model.edges[edge].caller, Caller::Client(_));
        let draw = || match drawn {
            Some(drawn) if from_client => {
                drawn.draw(edge, call.visit.slot() as usize, progress.attempts)
            }
            _ => waits[edge].draw(call.key.attempt(progress.attempts)),
        };
        let budget = budgets.get_mut(call.budget as usize);
        let decision = self.model.edges[edge].retry.decide(failure, progress, draw, budget);
        if decision == Decision::GiveUp(Reason::BudgetDenied) {
            self.meter.denied_by_budget(edge, call.sent);
        }
        decision
    }

    fn wait_for_retry(&mut self, handle: Handle, wait: Duration) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.progress.previous_wait = wait;
        if let Some(visit) = self.visits.get_mut(call.visit).filter(|visit| visit.is_request()) {
            visit.waited += wait;
        }
        self.queue.push(self.now + wait, Event::retry(handle));
    }

    /// A call has failed for good: what made it fails too.
    fn give_up(&mut self, visit: Handle, failure: Failure, reason: Reason) {
        let Some(caller) = self.visits.get(visit) else { return };
        if caller.is_request() {
            let request = *caller;
            self.visits.remove(visit);
            self.end_request(&request, Some(reason));
        } else {
            self.leave(visit, Answer::Failed(failure.status_handed_up()));
        }
    }

    fn record(&mut self, call: &Call, end: AttemptEnd, next: Next) {
        self.meter.record(AttemptRecord {
            request: call.request.number(),
            edge: call.edge as usize,
            attempt: call.progress.attempts,
            sent: call.sent,
            ended: self.now,
            wait_before: call.progress.previous_wait,
            end,
            next,
        });
    }
}
