//! From a checked tree to the world that runs: names become indices, defaults
//! are filled in, and what does not fit together is reported. One world is
//! built for each variant.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{CLIENT, ROOT, SERVICE, grouped};
use super::layers::Layers;
use super::policy::{Policies, Policy};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Node, Table};
use super::values::short;
use super::view::View;
use super::{ending, graph};
use crate::draw::name_hash;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Budget, Caller, Client, Edge, RandomSource, Service};
use crate::time::Duration;

/// More services or clients than this are refused.
pub(super) const MOST_TABLES: usize = 10_000;

/// More calls than this in one world are refused.
const MOST_CALLS: usize = 100_000;

/// The places of a model's parts, for what is found wrong with the whole.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) clients: Vec<Span>,
    pub(super) services: Vec<Span>,
    /// Where each edge's target is named.
    pub(super) edges: Vec<Span>,
    /// Where each edge's retry policy stands.
    pub(super) policies: Vec<Span>,
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
}

/// Builds the world of one tree. With errors in the report it is not whole.
pub(super) fn model(root: &Table, report: &mut Report, notes: &mut Notes) -> Model {
    let start = Span::new(0, &(0..0));
    let view = View::new(&ROOT, root, start);
    ending::warm_up(&view, report);
    let mut builder = Builder::new(root, report, notes);
    builder.clients();
    builder.services();
    let budgets = builder.used_budgets();
    let Builder { clients, services, edges, places, .. } = builder;
    let model = Model {
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
        ..Model::new(clients, services, edges)
    };
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
        let whole = View::new(&ROOT, self.root, Span::new(0, &(0..0)));
        for entry in self.root.section("client") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&CLIENT, table, entry.key_span);
            view.require("calls", "calls = \"shop\"", self.report);
            if view.node("calls").and_then(Node::list).is_some_and(<[_]>::is_empty) {
                let problem = Problem::new("a client that calls nothing", "no service");
                self.report.error(view.span_of("calls"), problem);
            }
            let processes = view.whole("count").unwrap_or(1);
            let arrivals = ending::arrivals(&view, self.report);
            let requests = match arrivals {
                Arrivals::Together { .. } => Some(processes),
                _ => view.whole("requests"),
            };
            let calls = self.calls(&view, Caller::Client(self.clients.len()));
            let name = entry.key.to_string();
            let client = Client { processes, arrivals, requests, ..Client::new(name, calls) };
            let sound = view.is_sound();
            if sound {
                ending::client(&client, &whole, view.span, self.report);
            }
            self.places.clients.push(view.span);
            self.places.sound.clients.push(sound);
            self.clients.push(client);
        }
    }

    fn services(&mut self) {
        for entry in self.root.section("service") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&SERVICE, table, entry.key_span);
            let calls = self.calls(&view, Caller::Service(self.services.len()));
            self.services.push(Service {
                workers: view.whole("workers").map(|workers| workers as u32),
                service_time: view
                    .law("service_time", self.report)
                    .unwrap_or(Law::Constant(Duration::ZERO)),
                fails: view.chance("fails").unwrap_or(0.0),
                status: view.whole("status").map_or(503, |status| status as u16).into(),
                calls,
                ..Service::new(entry.key.to_string())
            });
            self.places.services.push(view.span);
            self.places.sound.services.push(view.is_sound());
        }
    }

    /// The edges of one caller, in order.
    fn calls(&mut self, view: &View<'_>, caller: Caller) -> Vec<usize> {
        let (policy, name) = self.policies.of(view, self.report);
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
        let (retry, budget) = (policy.retry.clone(), policy.budget);
        let timeout = timeout.map(Law::Constant);
        self.edges.push(Edge { timeout, retry, budget, ..Edge::new(caller, target, position) });
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

/// The place of a call among its caller's: the service, and which call of that
/// service it is. A name has no `#`, so the two do not mix.
fn position(name: &str, occurrence: u32) -> u64 {
    if occurrence == 0 { name_hash(name) } else { name_hash(&format!("{name}#{occurrence}")) }
}
