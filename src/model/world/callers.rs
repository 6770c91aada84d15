//! What callers have besides their calls: the draws of their waits and their
//! budgets, and with these their decisions.

use super::call::Call;
use super::route::Route;
use crate::des::Handle;
use crate::draw::{Mt19937, Mulberry32, Purpose, Stream};
use crate::model::spec::{Caller, Edge, Model, RandomSource, Scope};
use crate::policy::{Budget, Decision, Failed, Prepared};
use crate::time::Duration;

/// What callers have besides their calls: draws of waits, and budgets.
pub(super) struct Callers<'m> {
    /// The policy of each edge.
    policies: Vec<Prepared<'m>>,
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
    if edge.retry.draws() { retries as usize } else { 0 }
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
            for edge in client.calls() {
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
        for edge in model.clients[client].calls() {
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

impl<'m> Callers<'m> {
    pub(super) fn new(model: &'m Model, replication: u64) -> Self {
        let stream = |edge: &Edge| {
            Stream::new(model.seed, replication, Purpose::Wait, model.caller_name(edge.caller))
        };
        let mut callers = Self {
            policies: model.edges.iter().map(|edge| Prepared::new(&edge.retry)).collect(),
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
                Some(Caller::Service(service)) => u64::from(model.services[service].instances),
                None => 1,
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

    /// What the policy of a caller says to a failed attempt. `owner` is the
    /// client process or the instance that makes the call.
    #[inline]
    pub(super) fn decide(
        &mut self,
        route: &Route,
        owner: u32,
        call: &mut Call,
        failed: Failed,
    ) -> Decision {
        let index = call.edge as usize;
        let slot = if route.has_budget { self.budget_slot(index, owner) } else { None };
        let Self { policies, waits, drawn, budgets, .. } = self;
        let (key, maker, attempts) = (call.key, call.maker, call.progress.attempts);
        let draw = || match drawn {
            Some(drawn) if route.from_client => drawn.draw(index, maker as usize, attempts),
            _ => waits[index].draw(key.attempt(attempts)),
        };
        let budget = slot.and_then(|slot| budgets.get_mut(slot));
        policies[index].decide(failed, &mut call.progress, draw, budget)
    }

    /// A call begins for this client process or instance.
    /// The wait before the next attempt of a call that goes on as long as it has
    /// attempts; none if they are used up.
    #[inline]
    pub(super) fn next_wait(&self, call: &mut Call) -> Option<Duration> {
        let index = call.edge as usize;
        let (key, attempts) = (call.key, call.progress.attempts);
        let draw = || self.waits[index].draw(key.attempt(attempts));
        self.policies[index].next_wait(&mut call.progress, draw)
    }

    /// Whether a draw depends on nothing but what it is for.
    pub(super) fn draws_are_keyed(&self) -> bool {
        self.drawn.is_none()
    }

    pub(super) fn call_started(&mut self, edge: usize, owner: u32) {
        if let Some(slot) = self.budget_slot(edge, owner) {
            self.budgets[slot].call_started();
        }
    }

    /// A call of this client process or instance has been answered well.
    pub(super) fn call_succeeded(&mut self, owner: u32, call: &Call) {
        if let Some(slot) = self.budget_slot(call.edge as usize, owner) {
            self.budgets[slot].call_succeeded(call.progress.attempts);
        }
    }

    /// The budget that pays for the retries of a call.
    #[inline]
    fn budget_slot(&self, edge: usize, owner: u32) -> Option<usize> {
        let (first, each) = self.budget_of[edge]?;
        Some((first + if each { owner } else { 0 }) as usize)
    }

    /// Whether a budget pays for the retries on an edge, and whether each owner
    /// of calls has one.
    pub(super) fn budget_rule(&self, edge: usize) -> (bool, bool) {
        self.budget_of[edge].map_or((false, false), |(_, each)| (true, each))
    }
}
