//! The description of a world: what the reader hands to the engine. Nothing in
//! it can be invalid, references between its parts are indices.
//!
//! Services and their queues are in `spec/service.rs`, what they say when they
//! fail in `spec/failing.rs`, when requests start in `spec/arrivals.rs`,
//! disturbances in `spec/fault.rs`.

mod arrivals;
mod failing;
mod fault;
mod service;

pub use arrivals::{Arrivals, Pause, Piece, Profile, Start};
pub use failing::{Advice, Statuses};
pub use fault::{Capacity, Effect, Fault, Target, WarmUp};
pub use service::{Balance, Codel, CodelLaw, Order, Queue, Service};

use crate::law::Law;
use crate::policy::{Request, RetryPolicy, TokenBucket};
use crate::time::{Duration, Instant};

/// One world: a scenario under one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Client tables, in file order.
    pub clients: Vec<Client>,
    /// Services, in file order.
    pub services: Vec<Service>,
    /// Who asks whom: clients' edges first, then services', in file order.
    pub edges: Vec<Edge>,
    /// Budgets that edges use, in file order.
    pub budgets: Vec<Budget>,
    /// Disturbances, in file order.
    pub faults: Vec<Fault>,
    /// When the clock stops; `None` lets the run drain.
    pub duration: Option<Duration>,
    /// Metrics leave out what is sent before this.
    pub warmup: Duration,
    /// Where the waits of clients come from.
    pub random: RandomSource,
    /// The seed of every draw.
    pub seed: u64,
    /// The length of a slice in which attempts are counted for the peak.
    pub slice: Duration,
    /// The length of a row of the timeline; `None` chooses a round one.
    pub timeline_slice: Option<Duration>,
    /// The trailing window of goodput that decides about recovery; `None` takes
    /// one long enough that chance is not read as a relapse.
    pub recovery_window: Option<Duration>,
    /// Keep a record of every attempt.
    pub record_attempts: bool,
    /// The run stops with an error when more calls and attempts than this are alive.
    pub most_live: u64,
}

/// A table of clients that send requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Its name in the scenario.
    pub name: String,
    /// Client processes; budgets belong to a process.
    pub processes: u64,
    /// When requests start.
    pub arrivals: Arrivals,
    /// How many requests in all; `None` is as many as the duration allows.
    pub requests: Option<u64>,
    /// How long a request may take, waits and retries included.
    pub deadline: Option<Duration>,
    /// How many requests one process may have out at once; others wait.
    pub pool: Option<u32>,
    /// The kinds of its requests; one, if there is no `mix`.
    pub kinds: Vec<Kind>,
}

/// A kind of request of a client table.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its share of all requests of the table, against the other weights.
    pub weight: f64,
    /// What such a request is. The calls that services make on its behalf are
    /// the same.
    pub request: Request,
    /// The calls of such a request, one after another: indices of edges.
    pub calls: Vec<usize>,
}

/// One caller's way of asking one service.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Who asks.
    pub caller: Caller,
    /// Index of the service that is asked.
    pub target: usize,
    /// A number for the place of this call among its caller's, hashed from a
    /// name so that a new call moves no draw of the others.
    pub position: u64,
    /// How long an attempt may take; `None` waits for ever.
    pub timeout: Option<Law>,
    /// Network time of an attempt on its way to the service.
    pub there: Law,
    /// Network time of its answer.
    pub back: Law,
    /// Whether the deadline of the request holds for the call. It does for a
    /// client's own calls, and travels down from a caller that hands it on.
    pub has_deadline: bool,
    /// What follows a failed attempt.
    pub retry: RetryPolicy,
    /// Index of the budget that pays for retries.
    pub budget: Option<usize>,
}

/// Who asks a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Index of a client table.
    Client(usize),
    /// Index of a service.
    Service(usize),
}

/// A retry budget and who shares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Its name in the scenario.
    pub name: String,
    /// How it fills and empties.
    pub bucket: TokenBucket,
    /// Who shares one.
    pub scope: Scope,
}

/// Who shares one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each client process, and each instance of a service, has its own.
    Client,
    /// Each client process or instance has one for each service it calls.
    Call,
    /// All share one.
    Global,
}

/// Where the waits of clients are drawn from. Everything else is keyed always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomSource {
    /// Keyed PCG64: the default.
    Keyed,
    /// One stream of `CPython`'s `random.Random(seed)` in order of requests.
    Cpython,
    /// One stream of mulberry32 in order of requests.
    Mulberry32,
}

impl Client {
    /// A client process that sends one request after another, each with these
    /// calls.
    pub fn new(name: impl Into<String>, calls: Vec<usize>) -> Self {
        Self {
            name: name.into(),
            processes: 1,
            arrivals: Arrivals::OneByOne,
            requests: None,
            deadline: None,
            pool: None,
            kinds: vec![Kind { weight: 1.0, request: Request::default(), calls }],
        }
    }

    /// The calls of all kinds of its requests: indices of edges.
    pub fn calls(&self) -> impl Iterator<Item = usize> {
        self.kinds.iter().flat_map(|kind| kind.calls.iter().copied())
    }
}

impl Edge {
    /// Calls without timeout, retry and network.
    pub fn new(caller: Caller, target: usize, position: u64) -> Self {
        Self {
            caller,
            target,
            position,
            timeout: None,
            there: Law::Constant(Duration::ZERO),
            back: Law::Constant(Duration::ZERO),
            has_deadline: matches!(caller, Caller::Client(_)),
            retry: RetryPolicy::NEVER,
            budget: None,
        }
    }
}

impl Model {
    /// A world of these parts in which nothing else is set.
    pub fn new(clients: Vec<Client>, services: Vec<Service>, edges: Vec<Edge>) -> Self {
        Self {
            clients,
            services,
            edges,
            budgets: Vec::new(),
            faults: Vec::new(),
            duration: None,
            warmup: Duration::ZERO,
            random: RandomSource::Keyed,
            seed: 1,
            slice: Duration::from_millis(10),
            timeline_slice: None,
            recovery_window: None,
            record_attempts: false,
            most_live: 20_000_000,
        }
    }

    /// The attempts each service would see if nothing ever failed, for so many
    /// requests of each client table.
    pub fn normal_attempts(&self, requests: &[u64]) -> Vec<f64> {
        let requests = |client| requests.get(client).copied().unwrap_or(0) as f64;
        self.expected_attempts(|client, share| requests(client) * share, |_| 1.0)
    }

    /// The attempts at each service, given `requests` of a client table and the
    /// share of them that makes a call, and how many attempts a call has.
    pub fn expected_attempts(
        &self,
        requests: impl Fn(usize, f64) -> f64,
        of_call: impl Fn(&Edge) -> f64,
    ) -> Vec<f64> {
        let mut attempts = vec![0.0; self.services.len()];
        let mut pending: Vec<usize> = vec![0; self.services.len()];
        for edge in self.services.iter().flat_map(|service| &service.calls) {
            pending[self.edges[*edge].target] += 1;
        }
        for (number, client) in self.clients.iter().enumerate() {
            let all: f64 = client.kinds.iter().map(|kind| kind.weight).sum();
            for kind in &client.kinds {
                let requests = requests(number, kind.weight / all);
                for edge in kind.calls.iter().map(|&edge| &self.edges[edge]) {
                    attempts[edge.target] += requests * of_call(edge);
                }
            }
        }
        // Callers before the services they call; the graph has no cycle.
        let mut ready: Vec<usize> = (0..pending.len()).filter(|&s| pending[s] == 0).collect();
        while let Some(service) = ready.pop() {
            for edge in self.services[service].calls.iter().map(|&edge| &self.edges[edge]) {
                // A service that nobody reaches calls nobody, however often.
                if attempts[service] > 0.0 {
                    attempts[edge.target] += attempts[service] * of_call(edge);
                }
                pending[edge.target] -= 1;
                if pending[edge.target] == 0 {
                    ready.push(edge.target);
                }
            }
        }
        attempts
    }

    /// The name of whoever asks.
    pub fn caller_name(&self, caller: Caller) -> &str {
        match caller {
            Caller::Client(client) => &self.clients[client].name,
            Caller::Service(service) => &self.services[service].name,
        }
    }

    /// When the clock stops.
    pub fn end(&self) -> Instant {
        self.duration.map_or(Instant::NEVER, |duration| Instant::ZERO + duration)
    }
}
