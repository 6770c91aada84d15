//! From a checked tree to the world that runs: names become indices, defaults
//! are filled in, and what does not fit together is reported. One world is
//! built for each variant.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostics::{Problem, Report};
use super::graph;
use super::keys::{CLIENT, ROOT, SERVICE, grouped};
use super::policy::{Policies, Policy};
use super::suggest::nearest;
use super::text::Span;
use super::tree::{Node, Table};
use super::values::short;
use super::view::View;
use crate::draw::name_hash;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Budget, Caller, Client, Edge, RandomSource, Service};
use crate::policy::RetryPolicy;
use crate::time::Duration;

/// More services or clients than this are refused.
pub(super) const MOST_TABLES: usize = 10_000;

/// More calls than this in one world are refused.
const MOST_CALLS: usize = 100_000;

/// The most requests that a client may be expected to send.
const MOST_REQUESTS: f64 = 1e10;

/// The places of a model's parts, for what is found wrong with the whole.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) clients: Vec<Span>,
    pub(super) services: Vec<Span>,
    /// Where each edge's target is named.
    pub(super) edges: Vec<Span>,
    /// Where each edge's retry policy stands.
    pub(super) policies: Vec<Span>,
}

/// What is only wrong if no variant uses it, or worth one warning in all.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) called: BTreeSet<String>,
    pub(super) policies: BTreeSet<String>,
    pub(super) budgets: BTreeSet<String>,
    /// The chain in which retries multiply most.
    pub(super) layers: Option<graph::Layers>,
}

/// Builds the world of one tree. With errors in the report it is not whole.
pub(super) fn model(root: &Table, report: &mut Report, notes: &mut Notes) -> Model {
    let start = Span::new(0, &(0..0));
    let view = View::new(&ROOT, root, start);
    let mut builder = Builder::new(root, report, notes);
    builder.clients();
    builder.services();
    let budgets = builder.used_budgets();
    let Builder { clients, services, edges, places, .. } = builder;
    let model = Model {
        clients,
        services,
        edges,
        budgets,
        duration: view.time("duration"),
        warmup: view.time("warmup").unwrap_or_default(),
        random: match view.word("random") {
            Some("cpython") => RandomSource::Cpython,
            Some("mulberry32") => RandomSource::Mulberry32,
            _ => RandomSource::Keyed,
        },
        seed: view.whole("seed").unwrap_or(1),
        slice: view.time("slice").unwrap_or(Duration::from_millis(10)),
        timeline_slice: view.time("timeline_slice"),
        record_attempts: view.flag("record_attempts").unwrap_or(false),
        most_live: view.whole("live_limit").unwrap_or(20_000_000),
    };
    ending(&model, &view, &places, report);
    graph::check(&model, &places, report, notes);
    model
}

struct Builder<'a, 'r> {
    root: &'a Table,
    report: &'r mut Report,
    notes: &'r mut Notes,
    policies: Policies<'a>,
    numbers: BTreeMap<&'a str, usize>,
    clients: Vec<Client>,
    services: Vec<Service>,
    edges: Vec<Edge>,
    places: Places,
}

impl<'a, 'r> Builder<'a, 'r> {
    fn new(root: &'a Table, report: &'r mut Report, notes: &'r mut Notes) -> Self {
        let policies = Policies::new(root, report);
        let tables = root.section("service").iter().filter(|entry| entry.node.table().is_some());
        let numbers = tables.enumerate().map(|(number, entry)| (&*entry.key, number)).collect();
        Self {
            root,
            report,
            notes,
            policies,
            numbers,
            clients: Vec::new(),
            services: Vec::new(),
            edges: Vec::new(),
            places: Places::default(),
        }
    }

    fn clients(&mut self) {
        for entry in self.root.section("client") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&CLIENT, table, entry.key_span);
            view.require("calls", "calls = \"shop\"", self.report);
            if view.node("calls").and_then(Node::list).is_some_and(<[_]>::is_empty) {
                let problem = Problem::new("a client that calls nothing", "no service");
                self.report.error(view.span_of("calls"), problem);
            }
            let processes = view.whole("count").unwrap_or(1);
            let arrivals = arrivals(&view, self.report);
            let requests = match arrivals {
                Arrivals::Together => Some(processes),
                _ => view.whole("requests"),
            };
            let calls = self.calls(&view, Caller::Client(self.clients.len()));
            self.places.clients.push(entry.key_span);
            let name = entry.key.to_string();
            self.clients.push(Client { name, processes, arrivals, requests, calls });
        }
    }

    fn services(&mut self) {
        for entry in self.root.section("service") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&SERVICE, table, entry.key_span);
            let calls = self.calls(&view, Caller::Service(self.services.len()));
            self.places.services.push(entry.key_span);
            self.services.push(Service {
                name: entry.key.to_string(),
                workers: view.whole("workers").map(|workers| workers as u32),
                service_time: view
                    .law("service_time", self.report)
                    .unwrap_or(Law::Constant(Duration::ZERO)),
                fails: view.chance("fails").unwrap_or(0.0),
                status: view.whole("status").map_or(503, |status| status as u16),
                calls,
            });
        }
    }

    /// The edges of one caller, in order.
    fn calls(&mut self, view: &View<'_>, caller: Caller) -> Vec<usize> {
        let (policy, name) = self.policies.of(view.node("retry"), view.span, self.report);
        self.notes.policies.extend(name);
        let timeout = view.time("timeout");
        let Some(node) = view.node("calls") else { return Vec::new() };
        let names: Vec<&Node> = match node.list() {
            Some(items) => items.iter().map(|item| &**item).collect(),
            None => vec![node],
        };
        if self.edges.len() + names.len() > MOST_CALLS {
            let most = grouped(MOST_CALLS as u64);
            let problem = Problem::new(format!("more than {most} calls"), "too many calls");
            self.report.error(node.span, problem.help("leave some of them out"));
            return Vec::new();
        }
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        let mut calls = Vec::new();
        for node in names {
            let Some(name) = node.text() else { continue };
            let Some(&target) = self.numbers.get(name) else {
                self.unknown_service(name, node.span);
                continue;
            };
            let occurrence = seen.entry(name).or_insert(0);
            let position = position(name, *occurrence);
            *occurrence += 1;
            calls.push(self.edges.len());
            self.edge(caller, target, position, timeout, &policy);
            self.places.edges.push(node.span);
            if !self.notes.called.contains(name) {
                self.notes.called.insert(name.to_owned());
            }
        }
        calls
    }

    fn edge(
        &mut self,
        caller: Caller,
        target: usize,
        position: u64,
        timeout: Option<Duration>,
        policy: &Policy,
    ) {
        let (retry, budget) = (policy.retry, policy.budget);
        self.edges.push(Edge { caller, target, position, timeout, retry, budget });
        self.places.policies.push(policy.span);
    }

    fn unknown_service(&mut self, name: &str, span: Span) {
        let near = nearest(name, self.numbers.keys().copied());
        let help = match near {
            Some(near) => format!("a service with a similar name exists: `{near}`"),
            None => format!("describe it in [service.{}]", short(name)),
        };
        let title = format!("unknown service `{}`", short(name));
        self.report.error(span, Problem::new(title, "unknown service").help(help));
    }

    /// The budgets that edges use, in file order; edges get their new numbers.
    fn used_budgets(&mut self) -> Vec<Budget> {
        let used: BTreeSet<usize> = self.edges.iter().filter_map(|edge| edge.budget).collect();
        let numbers: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
        for edge in &mut self.edges {
            edge.budget = edge.budget.and_then(|old| numbers.get(&old).copied());
        }
        let budgets: Vec<_> = used.iter().map(|&old| self.policies.budgets[old].clone()).collect();
        self.notes.budgets.extend(budgets.iter().map(|budget| budget.name.clone()));
        budgets
    }
}

/// The place of a call among its caller's: the service, and which call of that
/// service it is. A name has no `#`, so the two do not mix.
fn position(name: &str, occurrence: u32) -> u64 {
    if occurrence == 0 { name_hash(name) } else { name_hash(&format!("{name}#{occurrence}")) }
}

/// When a client's requests start; reports keys that do not fit.
fn arrivals(view: &View<'_>, report: &mut Report) -> Arrivals {
    let known = view.require("arrivals", "arrivals = \"poisson\"", report);
    let Some(word) = view.word("arrivals").filter(|_| known) else { return Arrivals::OneByOne };
    let with_rate = matches!(word, "poisson" | "constant");
    if with_rate {
        view.require("rate", "rate = \"800 /s\"", report);
    } else if view.has("rate") {
        let title = format!("arrivals = \"{word}\" has no `rate`");
        let problem = Problem::new(title, "not used");
        let help = "leave it out, or write arrivals = \"poisson\" or \"constant\"";
        report.error(view.span_of("rate"), problem.help(help));
    }
    if word == "together" && view.has("requests") {
        let problem = Problem::new("arrivals = \"together\" has no `requests`", "not used");
        let help = "each of `count` clients sends one request: leave `requests` out";
        report.error(view.span_of("requests"), problem.help(help));
    }
    let rate = view.rate("rate").unwrap_or(1.0);
    match word {
        "together" => Arrivals::Together,
        "poisson" => Arrivals::Poisson { rate },
        "constant" => Arrivals::Constant { rate },
        _ => Arrivals::OneByOne,
    }
}

/// Whether the run ends, and after how much.
fn ending(model: &Model, view: &View<'_>, places: &Places, report: &mut Report) {
    if let Some(duration) = model.duration
        && model.warmup >= duration
    {
        let problem = Problem::new("the warm-up is not shorter than the run", "nothing is left")
            .help(format!("`duration` is {duration}; metrics leave out what is before `warmup`"));
        report.error(view.span_of("warmup"), problem);
    }
    for (client, &span) in model.clients.iter().zip(&places.clients) {
        if client.requests.is_none() && !view.has("duration") {
            let problem = Problem::new(
                format!("the run has no end: `{}` sends requests for ever", client.name),
                "neither `requests` nor `duration`",
            )
            .help("give the client `requests = 10_000`, or the scenario `duration = \"60 s\"`");
            report.error(span, problem);
        }
        let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = client.arrivals else {
            continue;
        };
        let seconds = model.duration.unwrap_or_default().as_secs_f64();
        if client.requests.is_none() && rate * seconds > MOST_REQUESTS {
            let title = format!("`{}` would send {:.0e} requests", client.name, rate * seconds);
            let problem = Problem::new(title, "too many requests")
                .help("at most 10_000_000_000: lower `rate` or `duration`, or give `requests`");
            report.error(span, problem);
        }
        if client.requests.is_some_and(|n| n as f64 / rate > super::quantity::LONGEST.as_secs_f64())
        {
            let title = format!("the requests of `{}` take more than ten years", client.name);
            let problem = Problem::new(title, "too slow").help("raise `rate` or lower `requests`");
            report.error(span, problem);
        }
    }
}

/// Whether a policy ever repeats an attempt.
pub(super) fn retries(policy: &RetryPolicy) -> bool {
    policy.max_attempts != Some(1)
}
