//! From a checked tree to the world that runs: names become indices, defaults
//! are filled in, and what does not fit together is reported. One world is
//! built for each variant.

use std::collections::{BTreeMap, BTreeSet};

use super::arrivals::arrivals;
use super::data::Data;
use super::fault::{Struck, fault};
use super::keys::{CLIENT, MIX, ROOT, SERVICE, grouped};
use super::law::{latency, law};
use super::layers::Layers;
use super::network::{Network, hands_on};
use super::policy::{Policies, Policy};
use super::report::{Problem, Report};
use super::service::service;
use super::text::Span;
use super::tree::{Node, Table};
use super::values::short;
use super::view::View;
use super::{ending, graph, load};
use crate::draw::name_hash;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{
    Arrivals, Budget, Caller, Client, Edge, Fault, Kind, RandomSource, Service,
};
use crate::policy::Request;
use crate::time::Duration;

/// More services or clients than this are refused.
pub(super) const MOST_TABLES: usize = 10_000;

/// More faults than this are refused.
pub(super) const MOST_FAULTS: usize = 1_000;

/// More calls than this in one world are refused.
const MOST_CALLS: usize = 100_000;

/// More instances of all services of one world are refused.
const MOST_INSTANCES: u64 = 1_000_000;

/// The places of a model's parts, for what is found wrong with the whole.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) clients: Vec<Span>,
    pub(super) services: Vec<Span>,
    /// Where each edge's target is named.
    pub(super) edges: Vec<Span>,
    /// Where each edge's retry policy stands.
    pub(super) policies: Vec<Span>,
    pub(super) faults: Vec<Span>,
    /// Which clients, services and policies of edges were read without an
    /// error. The others say nothing about the whole.
    pub(super) sound: Sound,
}

/// Which parts of a model were read without an error.
#[derive(Debug, Default)]
pub(super) struct Sound {
    pub(super) clients: Vec<bool>,
    pub(super) services: Vec<bool>,
    pub(super) edges: Vec<bool>,
}

/// What is only wrong if no variant uses it, or worth one warning in all.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) called: BTreeSet<String>,
    pub(super) policies: BTreeSet<String>,
    pub(super) budgets: BTreeSet<String>,
    /// The chains in which retries multiply.
    pub(super) layers: Layers,
    /// Attempts in all runs together, if nothing failed.
    pub(super) attempts: f64,
}

/// Builds the world of one tree. With errors in the report it is not whole.
pub(super) fn model(
    root: &Table,
    data: &mut Data<'_>,
    report: &mut Report,
    notes: &mut Notes,
) -> Model {
    let start = Span::new(0, &(0..0));
    let view = View::new(&ROOT, root, start);
    ending::warm_up(&view, report);
    let mut builder = Builder::new(root, data, report, notes);
    builder.clients();
    builder.services();
    builder.lay_network();
    let faults = builder.faults(view.time("duration"));
    let budgets = builder.used_budgets();
    let Builder { clients, services, edges, places, .. } = builder;
    let model = Model {
        budgets,
        faults,
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
        recovery_window: view.time("recovery_window"),
        record_attempts: view.flag("record_attempts").unwrap_or(false),
        most_live: view.whole("live_limit").unwrap_or(20_000_000),
        ..Model::new(clients, services, edges)
    };
    ending::check(&model, &places, view.has("duration"), report);
    if let Some(order) = graph::check(&model, &places, report, notes) {
        load::check(&model, &places, &order, report, notes);
    }
    model
}

struct Builder<'a, 'r, 'f> {
    root: &'a Table,
    data: &'r mut Data<'f>,
    report: &'r mut Report,
    notes: &'r mut Notes,
    policies: Policies<'a>,
    numbers: BTreeMap<&'a str, usize>,
    clients: Vec<Client>,
    services: Vec<Service>,
    edges: Vec<Edge>,
    network: Network,
    places: Places,
}

/// What a caller has for all of its calls.
struct Calling {
    caller: Caller,
    policy: Policy,
    timeout: Option<Law>,
    latency: Option<(Law, Law)>,
}

impl<'a, 'r, 'f> Builder<'a, 'r, 'f> {
    fn new(
        root: &'a Table,
        data: &'r mut Data<'f>,
        report: &'r mut Report,
        notes: &'r mut Notes,
    ) -> Self {
        let policies = Policies::new(root, data, report);
        let tables = root.section("service").iter().filter(|entry| entry.node.table().is_some());
        let numbers = tables.enumerate().map(|(number, entry)| (&*entry.key, number)).collect();
        Self {
            root,
            data,
            report,
            notes,
            policies,
            numbers,
            clients: Vec::new(),
            services: Vec::new(),
            edges: Vec::new(),
            network: Network::default(),
            places: Places::default(),
        }
    }

    fn clients(&mut self) {
        for entry in self.root.section("client") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&CLIENT, table, entry.key_span);
            let processes = view.whole("count").unwrap_or(1);
            let arrivals = arrivals(&view, self.data, self.report);
            let requests = match &arrivals {
                Arrivals::Together { .. } => Some(processes),
                Arrivals::Trace(starts) => {
                    let all = starts.len() as u64;
                    Some(view.whole("requests").map_or(all, |requests| requests.min(all)))
                }
                _ => view.whole("requests"),
            };
            let latency = latency(&view, self.data, self.report);
            let calling = self.calling(&view, Caller::Client(self.clients.len()), latency);
            let kinds = self.kinds(&view, &calling);
            self.network.clients.push(hands_on(&view));
            self.clients.push(Client {
                processes,
                arrivals,
                requests,
                deadline: view.time("deadline"),
                pool: view.whole("pool").map(|pool| pool as u32),
                kinds,
                ..Client::new(entry.key.to_string(), Vec::new())
            });
            self.places.clients.push(view.span);
            self.places.sound.clients.push(view.is_sound());
        }
    }

    /// The kinds of a client's requests.
    fn kinds(&mut self, view: &View<'_>, calling: &Calling) -> Vec<Kind> {
        let Some(mix) = view.node("mix") else {
            view.require("calls", "calls = \"shop\"", self.report);
            let calls = self.entry_calls(view, calling);
            return vec![Kind { weight: 1.0, request: request(view, None), calls }];
        };
        if view.has("calls") {
            let problem = Problem::new("`calls` stands beside `mix`", "one too many")
                .help("each kind of request in `mix` has its own calls: leave these out");
            self.report.error(view.span_of("calls"), problem);
            view.set_broken();
        }
        let items = mix.list().unwrap_or_default();
        if mix.list().is_some_and(<[_]>::is_empty) {
            let problem = Problem::new("a mix of nothing", "no kind of request");
            self.report.error(mix.span, problem.help("list at least one kind of request"));
        }
        if items.is_empty() {
            view.set_broken();
        }
        let mut kinds = Vec::new();
        for item in items {
            let Some(table) = item.table() else {
                view.set_broken();
                continue;
            };
            let kind = View::new(&MIX, table, item.span);
            kind.require("weight", "weight = 1", self.report);
            kind.require("calls", "calls = \"shop\"", self.report);
            let calls = self.entry_calls(&kind, calling);
            let weight = kind.number("weight").unwrap_or(1.0);
            kinds.push(Kind { weight, request: request(&kind, Some(view)), calls });
            view.take_over(&kind);
        }
        kinds
    }

    /// The calls of a request, which are one at least.
    fn entry_calls(&mut self, view: &View<'_>, calling: &Calling) -> Vec<usize> {
        if view.node("calls").and_then(Node::list).is_some_and(<[_]>::is_empty) {
            let problem = Problem::new("a client that calls nothing", "no service");
            self.report.error(view.span_of("calls"), problem);
            view.set_broken();
        }
        self.calls(view, calling)
    }

    fn services(&mut self) {
        let mut instances = 0;
        for entry in self.root.section("service") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&SERVICE, table, entry.key_span);
            let calling = self.calling(&view, Caller::Service(self.services.len()), None);
            let calls = self.calls(&view, &calling);
            let service = service(&view, &entry.key, calls, self.data, self.report);
            self.network.to.push(latency(&view, self.data, self.report));
            self.network.services.push(hands_on(&view));
            instances += u64::from(service.instances);
            if instances > MOST_INSTANCES {
                let most = grouped(MOST_INSTANCES);
                let title = format!("more than {most} instances of all services");
                let problem = Problem::new(title, "one too many").help("lower `instances`");
                self.report.error(view.span_of("instances"), problem);
                view.set_broken();
            }
            self.services.push(service);
            self.places.services.push(view.span);
            self.places.sound.services.push(view.is_sound());
        }
    }

    /// Deadlines and network time, now that both ends of all calls are known.
    fn lay_network(&mut self) {
        let network = std::mem::take(&mut self.network);
        network.lay(&self.clients, &self.services, &mut self.edges, self.report);
    }

    /// The faults, if the run ends after `duration`.
    fn faults(&mut self, end: Option<Duration>) -> Vec<Fault> {
        let names = self.clients.iter().map(|client| client.name.as_str());
        let struck = Struck {
            clients: &self.clients,
            client_numbers: names.zip(0..).collect(),
            services: &self.services,
            service_numbers: &self.numbers,
            sound: &self.places.sound,
            end,
        };
        let mut faults = Vec::new();
        for entry in self.root.section("fault") {
            if let Some(fault) = fault(entry, &struck, self.report) {
                faults.push(fault);
                self.places.faults.push(entry.key_span);
            }
        }
        faults
    }

    /// What a caller has for all of its calls.
    fn calling(&mut self, view: &View<'_>, caller: Caller, latency: Option<(Law, Law)>) -> Calling {
        let (policy, name) = self.policies.of(view, self.data, self.report);
        self.notes.policies.extend(name);
        let timeout = if view.has("timeout") {
            law(view, "timeout", self.data, self.report)
        } else {
            policy.timeout.map(Law::Constant)
        };
        Calling { caller, policy, timeout, latency }
    }

    /// The edges of one list of calls, in order.
    fn calls(&mut self, view: &View<'_>, calling: &Calling) -> Vec<usize> {
        let Some(node) = view.node("calls") else { return Vec::new() };
        let names: Vec<&Node> = match node.list() {
            Some(items) => items.iter().map(|item| &**item).collect(),
            None => vec![node],
        };
        if self.edges.len() + names.len() > MOST_CALLS {
            let most = grouped(MOST_CALLS as u64);
            let problem = Problem::new(format!("more than {most} calls"), "too many calls");
            self.report.error(node.span, problem.help("leave some of them out"));
            view.set_broken();
            return Vec::new();
        }
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        let mut calls = Vec::new();
        for node in names {
            let number = node.text().and_then(|name| self.numbers.get(name).copied());
            let (Some(name), Some(target)) = (node.text(), number) else {
                self.unknown_service(node);
                view.set_broken();
                continue;
            };
            let occurrence = seen.entry(name).or_insert(0);
            let position = position(name, *occurrence);
            *occurrence += 1;
            calls.push(self.edges.len());
            self.edge(calling, target, position);
            self.places.edges.push(node.span);
            if !self.notes.called.contains(name) {
                self.notes.called.insert(name.to_owned());
            }
        }
        calls
    }

    fn edge(&mut self, calling: &Calling, target: usize, position: u64) {
        let Calling { caller, policy, timeout, latency } = calling;
        self.edges.push(Edge {
            timeout: timeout.clone(),
            retry: policy.retry.clone(),
            budget: policy.budget,
            ..Edge::new(*caller, target, position)
        });
        self.network.own.push(latency.clone());
        self.places.policies.push(policy.span);
        self.places.sound.edges.push(policy.sound);
    }

    /// Reports a name that no service has. What is no name at all was reported
    /// before.
    fn unknown_service(&mut self, node: &Node) {
        let Some(name) = node.text() else { return };
        let near = self.report.nearest(node.span, name, self.numbers.keys().copied());
        let help = match near {
            Some(near) => format!("a service with a similar name exists: `{near}`"),
            None => format!("describe it in [service.{}]", short(name)),
        };
        let title = format!("unknown service `{}`", short(name));
        self.report.error(node.span, Problem::new(title, "unknown service").help(help));
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

/// What a client's requests are; a kind of a mix has what it leaves out from
/// its client.
fn request(view: &View<'_>, client: Option<&View<'_>>) -> Request {
    let of = |name: &str| client.filter(|_| !view.has(name)).unwrap_or(view);
    Request {
        method: of("method").method("method").unwrap_or_default(),
        has_key: of("idempotency_key").flag("idempotency_key").unwrap_or(false),
    }
}

/// The place of a call among its caller's: the service, and which call of that
/// service it is. A name has no `#`, so the two do not mix.
fn position(name: &str, occurrence: u32) -> u64 {
    if occurrence == 0 { name_hash(name) } else { name_hash(&format!("{name}#{occurrence}")) }
}
