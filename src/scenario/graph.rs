//! The graph of calls: cycles, and runs that would stand still. Everything here
//! walks in loops, not in recursion: chains may be ten thousand services deep.
//! Retries that multiply from layer to layer are in `layers.rs`.

use super::build::{Notes, Places, Sound};
use super::fates::Fates;
use super::layers;
use super::report::{Problem, Report};
use super::suspicion;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Caller, Edge, Pause, RandomSource};
use crate::time::Duration;

/// More attempts than this for one request, if nothing ever failed, are no
/// model of anything.
const MOST_FAN_OUT: f64 = 1e6;

/// Reports what is wrong with the graph of calls. Gives all services, each after
/// those it calls, unless some of them call each other in a circle.
pub(super) fn check(
    model: &Model,
    places: &Places,
    report: &mut Report,
    notes: &mut Notes,
) -> Option<Vec<usize>> {
    let order = callees_first(model, places, report)?;
    fan_out(model, places, report);
    let instant = instant(model, &places.sound, &order);
    standing_still(model, places, &instant, report);
    let fates = Fates::new(model, &places.sound, &order, instant.clone());
    endless(model, places, &fates, &instant, report);
    suspicion::check(model, places, &fates, report);
    layers::check(model, places, &order, &fates, report, notes);
    Some(order)
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

/// Attempts at each service for one request of each kind of each client, if
/// nothing fails.
fn fan_out(model: &Model, places: &Places, report: &mut Report) {
    let normal = model.expected_attempts(|_, _| 1.0, |_| 1.0);
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

/// Whether an attempt at a service takes no time at all. Of a service that was
/// not read right nothing is said.
fn instant(model: &Model, sound: &Sound, order: &[usize]) -> Vec<bool> {
    let mut instant = vec![false; model.services.len()];
    for &number in order {
        let service = &model.services[number];
        let at_once = takes_no_time(&service.service_time);
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
    let Edge { target, retry, there, back, .. } = &model.edges[edge];
    let waits = retry.max_attempts != Some(1) && retry.backoff.waits();
    let far = !takes_no_time(there) || !takes_no_time(back);
    sound.edges[edge] && instant[*target] && !waits && !far
}

pub(super) fn takes_no_time(law: &Law) -> bool {
    matches!(law, Law::Constant(time) if time.is_zero())
}

/// Unlimited attempts that cannot end.
fn endless(
    model: &Model,
    places: &Places,
    fates: &Fates<'_>,
    instant: &[bool],
    report: &mut Report,
) {
    let has_deadline = all_have_deadlines(model);
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
        if !fates.never_ends(number) {
            continue;
        }
        let limited = edge.retry.limits.own != Duration::MAX;
        let problem = if waits_for_nothing(model, &places.sound, number, instant) {
            Problem::new(
                format!(
                    "a call of `{target}` makes a million attempts at one instant: \
                     max_attempts = \"unlimited\" with backoff = \"none\""
                ),
                format!("`{target}` always fails, at once"),
            )
            .help("set `backoff` and `base`, or `max_attempts` to a number")
        } else if model.duration.is_none() && !limited && !has_deadline(edge) {
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

/// Whether all requests that make a call have a deadline that holds for it.
pub(super) fn all_have_deadlines(model: &Model) -> impl Fn(&Edge) -> bool {
    let all = model.clients.iter().all(|client| client.deadline.is_some());
    move |edge| match edge.caller {
        Caller::Client(client) => model.clients[client].deadline.is_some(),
        Caller::Service(_) => all && edge.has_deadline,
    }
}

/// Requests one after another that take no time never let the clock move.
fn standing_still(model: &Model, places: &Places, instant: &[bool], report: &mut Report) {
    for (number, client) in model.clients.iter().enumerate() {
        let endless = client.requests.is_none() && at_once(&client.arrivals);
        let mut calls = client.calls();
        if places.sound.clients[number]
            && endless
            && calls.all(|edge| waits_for_nothing(model, &places.sound, edge, instant))
        {
            let name = &client.name;
            let title = format!("requests of `{name}` take no time, so one by one they never end");
            let remedy = match client.arrivals {
                Arrivals::OneByOne => "give the client `requests`",
                _ => "give the client a `think_time` or `requests`",
            };
            let problem = Problem::new(title, "the clock stands still")
                .help(format!("{remedy}, or the services a `service_time`"));
            report.error(places.clients[number], problem);
        }
    }
}

/// Whether the next request may start when the last one has ended.
fn at_once(arrivals: &Arrivals) -> bool {
    match arrivals {
        Arrivals::OneByOne => true,
        Arrivals::Closed { pause: Pause::Think(law) | Pause::Every(law) } => takes_no_time(law),
        _ => false,
    }
}
