//! The graph of calls: cycles, retries that multiply from layer to layer, and
//! runs that would stand still. Everything here walks in loops, not in
//! recursion: chains may be ten thousand services deep.

use super::build::{Notes, Places, Sound};
use super::keys::grouped;
use super::report::{Problem, Report};
use super::text::Span;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Caller, Client, Edge, RandomSource};
use crate::policy::{Failure, RetryOn};

/// More attempts than this for one request, if nothing ever failed, are no
/// model of anything.
const MOST_FAN_OUT: f64 = 1e6;

/// More attempts than this for one request at a service that always fails
/// would never come to an end.
const MOST_PRODUCT: u64 = 1_000_000_000;

/// A chain of calls in which more than one layer retries.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// The most attempts that one request can make at the end of the chain.
    product: u64,
    /// How many of its layers retry.
    retrying: usize,
    /// The service at its end.
    service: String,
    span: Span,
}

/// Reports what is wrong with the graph of calls.
pub(super) fn check(model: &Model, places: &Places, report: &mut Report, notes: &mut Notes) {
    let Some(order) = callees_first(model, places, report) else { return };
    fan_out(model, places, report);
    let dead = always_failing(model, &places.sound, &order);
    let instant = instant(model, &places.sound, &order);
    endless(model, places, &dead, &instant, report);
    standing_still(model, places, &instant, report);
    layers(model, places, &order, &dead, report, notes);
}

/// All services, each after those it calls; `None` after reporting a cycle.
fn callees_first(model: &Model, places: &Places, report: &mut Report) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; model.services.len()];
    let mut order = Vec::new();
    let mut whole = true;
    for start in 0..model.services.len() {
        // Services on the way, each with how many of its calls were followed.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if state[start] == State::New {
            state[start] = State::Open;
            way.push((start, 0));
        }
        while let Some((service, followed)) = way.last_mut() {
            let Some(&edge) = model.services[*service].calls.get(*followed) else {
                state[*service] = State::Done;
                order.push(*service);
                way.pop();
                continue;
            };
            *followed += 1;
            let target = model.edges[edge].target;
            match state[target] {
                State::New => {
                    state[target] = State::Open;
                    way.push((target, 0));
                }
                State::Open => {
                    let from = way.iter().position(|&(on, _)| on == target).unwrap_or(0);
                    let names = way[from..].iter().map(|&(on, _)| model.services[on].name.as_str());
                    report.error(places.edges[edge], cycle(&names.collect::<Vec<_>>()));
                    whole = false;
                }
                State::Done => {}
            }
        }
    }
    whole.then_some(order)
}

fn cycle(names: &[&str]) -> Problem {
    const SHOWN: usize = 8;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|&name| name.to_owned()).collect();
    if names.len() > SHOWN {
        shown.push(format!("({} more)", names.len() - SHOWN));
    }
    shown.push(names[0].to_owned());
    Problem::new(
        format!("services call each other in a circle: {}", shown.join(" > ")),
        "closes the circle",
    )
    .help("calls lead from clients down to services that call nobody: leave one of them out")
}

/// Attempts at each service for one request of each client, if nothing fails.
fn fan_out(model: &Model, places: &Places, report: &mut Report) {
    let normal = model.normal_attempts(&vec![1; model.clients.len()]);
    let worst = (0..normal.len()).max_by(|&a, &b| normal[a].total_cmp(&normal[b]));
    let Some(worst) = worst.filter(|&service| normal[service] > MOST_FAN_OUT) else { return };
    let name = &model.services[worst].name;
    let attempts = match normal[worst] {
        f64::INFINITY => "endlessly many".to_owned(),
        attempts => format!("{attempts:.0e}"),
    };
    let title = format!("one request makes {attempts} attempts at `{name}` even if nothing fails");
    let problem = Problem::new(title, "calls multiply on the way to it")
        .help("at most 1_000_000: lists of calls in services that call each other multiply");
    report.error(places.services[worst], problem);
}

/// Whether every attempt at a service fails in a way that is retried. Of a
/// service that was not read right nothing is said.
fn always_failing(model: &Model, sound: &Sound, order: &[usize]) -> Vec<bool> {
    let mut dead = vec![false; model.services.len()];
    for &number in order {
        let service = &model.services[number];
        dead[number] = sound.services[number]
            && if service.fails >= 1.0 {
                // No setting says otherwise: all policies retry the usual failures.
                RetryOn::USUAL.covers(Failure::Status(service.status), false)
            } else {
                service.calls.iter().any(|&edge| edge_fails(model, &model.edges[edge], &dead))
            };
    }
    dead
}

/// Whether every attempt on an edge fails in a way that is retried.
fn edge_fails(model: &Model, edge: &Edge, dead: &[bool]) -> bool {
    let too_slow = match (&edge.timeout, &model.services[edge.target].service_time) {
        (Some(Law::Constant(timeout)), Law::Constant(time)) => time > timeout,
        _ => false,
    };
    dead[edge.target] || too_slow
}

/// Whether an attempt at a service takes no time at all. Of a service that was
/// not read right nothing is said.
fn instant(model: &Model, sound: &Sound, order: &[usize]) -> Vec<bool> {
    let mut instant = vec![false; model.services.len()];
    for &number in order {
        let service = &model.services[number];
        let at_once = matches!(service.service_time, Law::Constant(time) if time.is_zero());
        let calls_nobody = service.fails >= 1.0;
        let mut calls = service.calls.iter().copied();
        instant[number] = sound.services[number]
            && at_once
            && (calls_nobody || calls.all(|edge| waits_for_nothing(model, sound, edge, &instant)));
    }
    instant
}

/// Whether a call takes no time, however often it is retried.
fn waits_for_nothing(model: &Model, sound: &Sound, edge: usize, instant: &[bool]) -> bool {
    let Edge { target, retry, .. } = &model.edges[edge];
    let waits = retry.max_attempts != Some(1) && retry.backoff.waits();
    sound.edges[edge] && instant[*target] && !waits
}

/// Unlimited attempts that cannot end.
fn endless(model: &Model, places: &Places, dead: &[bool], instant: &[bool], report: &mut Report) {
    for (number, edge) in model.edges.iter().enumerate() {
        if edge.retry.max_attempts.is_some() || !places.sound.edges[number] {
            continue;
        }
        let span = places.policies[number];
        let target = &model.services[edge.target].name;
        if model.random != RandomSource::Keyed && matches!(edge.caller, Caller::Client(_)) {
            let problem = Problem::new(
                "`max_attempts` is unlimited, and `random` draws all waits of a request at its start",
                "unlimited attempts",
            )
            .help("set max_attempts to a number, or random = \"pcg64\"");
            report.error(span, problem);
        }
        if edge.budget.is_some() || !edge_fails(model, edge, dead) {
            continue;
        }
        let problem = if waits_for_nothing(model, &places.sound, number, instant) {
            Problem::new(
                format!(
                    "a call of `{target}` makes a million attempts at one instant: \
                     max_attempts = \"unlimited\" with backoff = \"none\""
                ),
                format!("`{target}` always fails, at once"),
            )
            .help("set `backoff` and `base`, or `max_attempts` to a number")
        } else if model.duration.is_none() {
            Problem::new(
                format!("a call of `{target}` never ends: max_attempts = \"unlimited\""),
                format!("`{target}` always fails"),
            )
            .help("give the scenario a `duration`, or set `max_attempts` to a number")
        } else {
            continue;
        };
        report.error(span, problem);
    }
}

/// Requests one by one that take no time never let the clock move.
fn standing_still(model: &Model, places: &Places, instant: &[bool], report: &mut Report) {
    for (number, client) in model.clients.iter().enumerate() {
        let endless = client.requests.is_none() && client.arrivals == Arrivals::OneByOne;
        let mut calls = client.calls();
        if places.sound.clients[number]
            && endless
            && calls.all(|edge| waits_for_nothing(model, &places.sound, edge, instant))
        {
            let name = &client.name;
            let title = format!("requests of `{name}` take no time, so one by one they never end");
            let problem = Problem::new(title, "the clock stands still")
                .help("give the client `requests`, or the services a `service_time`");
            report.error(places.clients[number], problem);
        }
    }
}

/// Stands for attempts without limit in products.
const UNLIMITED: u64 = u64::MAX;

/// A product in which only a factor without limit gives one without limit.
fn times(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (UNLIMITED, _) | (_, UNLIMITED) => UNLIMITED,
        _ => a.saturating_mul(b).min(UNLIMITED - 1),
    }
}

/// The most attempts that one request can make at each service.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// By how many layers retry: none, one, more.
    product: [u64; 3],
    /// How many retry on the way of the last product.
    retrying: usize,
}

impl Worst {
    /// Takes over a way through an edge with so many attempts.
    fn extend(&mut self, from: Self, attempts: u64) {
        for layer in 0..3 {
            let product = times(from.product[layer], attempts);
            let into = if attempts > 1 { (layer + 1).min(2) } else { layer };
            let before = if layer == 2 { from.retrying } else { layer };
            let retrying = before + usize::from(attempts > 1);
            // Products that no longer fit are told apart by their layers.
            let deeper = into == 2 && product == self.product[2] && retrying > self.retrying;
            if product > self.product[into] || (deeper && product > 0) {
                self.product[into] = product;
                if into == 2 {
                    self.retrying = retrying;
                }
            }
        }
    }
}

/// Retries in more than one layer multiply: warn, or refuse what cannot end.
fn layers(
    model: &Model,
    places: &Places,
    order: &[usize],
    dead: &[bool],
    report: &mut Report,
    notes: &mut Notes,
) {
    let mut worst = vec![Worst::default(); model.services.len()];
    let attempts = |edge: usize| match model.edges[edge].retry.max_attempts {
        _ if !places.sound.edges[edge] => 1,
        Some(most) => u64::from(most),
        None => UNLIMITED,
    };
    let entry = Worst { product: [1, 0, 0], retrying: 0 };
    for edge in model.clients.iter().flat_map(Client::calls) {
        worst[model.edges[edge].target].extend(entry, attempts(edge));
    }
    for &number in order.iter().rev() {
        let from = worst[number];
        for &edge in &model.services[number].calls {
            worst[model.edges[edge].target].extend(from, attempts(edge));
        }
    }
    for (number, worst) in worst.iter().enumerate() {
        let product = worst.product[2];
        let service = model.services[number].name.clone();
        let span = places.services[number];
        let unbounded = model.duration.is_none() && model.budgets.is_empty();
        if dead[number] && unbounded && product > MOST_PRODUCT && product < UNLIMITED {
            let shown = shown(product);
            let title =
                format!("one request makes {shown} attempts at `{service}`, which always fails");
            let problem = Problem::new(title, "retries multiply on the way to it")
                .help("at most 1_000_000_000: lower `max_attempts`, or retry in one layer only");
            report.error(span, problem);
            continue;
        }
        let retrying = worst.retrying;
        let most = notes.layers.as_ref().map_or((1, 0), |most| (most.product, most.retrying));
        if (product, retrying) > most {
            notes.layers = Some(Layers { product, retrying, service, span });
        }
    }
}

/// A product in words.
fn shown(product: u64) -> String {
    match product {
        UNLIMITED => "any number of".to_owned(),
        product if product == UNLIMITED - 1 => "more than 10^19".to_owned(),
        product => format!("up to {}", grouped(product)),
    }
}

impl Layers {
    /// Warns of the chain.
    pub(super) fn warn(&self, report: &mut Report) {
        let Self { retrying, service, .. } = self;
        let product = shown(self.product);
        let title = format!(
            "retries in {retrying} layers multiply: {product} attempts at `{service}` for one request"
        );
        let problem = Problem::new(title, "the end of the chain")
            .help("let one layer retry, the one next to what fails, or share a budget");
        report.warning(self.span, problem);
    }
}
