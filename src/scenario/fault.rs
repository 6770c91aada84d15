//! Faults: what each kind needs, and whether what it strikes is there.

use std::collections::BTreeMap;

use super::build::Sound;
use super::keys::{FAULT, WARM_UP};
use super::report::{Problem, Report};
use super::tree::Entry;
use super::values::short;
use super::view::View;
use crate::model::spec::{Arrivals, Capacity, Client, Effect, Fault, Service, Target, WarmUp};
use crate::time::{Duration, Instant};

/// The keys of each kind beside those that all have.
const OWN_KEYS: [(&str, &[&str]); 7] = [
    ("down", &["service", "instance"]),
    ("hang", &["service", "instance"]),
    ("slow", &["service", "instance", "factor"]),
    ("errors", &["service", "instance", "share", "status"]),
    ("capacity", &["service", "instance", "workers", "factor"]),
    ("surge", &["client", "factor"]),
    ("restart", &["service", "instance", "warm_up"]),
];

/// The keys that all kinds have.
const COMMON_KEYS: [&str; 4] = ["kind", "from", "for", "until"];

/// What faults may strike, and when.
pub(super) struct Struck<'m> {
    pub(super) clients: &'m [Client],
    /// The numbers of clients by name.
    pub(super) client_numbers: BTreeMap<&'m str, usize>,
    pub(super) services: &'m [Service],
    /// The numbers of services by name.
    pub(super) service_numbers: &'m BTreeMap<&'m str, usize>,
    /// Which of them were read without an error.
    pub(super) sound: &'m Sound,
    /// When the run ends, if that is known.
    pub(super) end: Option<Duration>,
}

/// The fault in a table; `None` after an error.
pub(super) fn fault(entry: &Entry, struck: &Struck<'_>, report: &mut Report) -> Option<Fault> {
    let view = View::new(&FAULT, entry.node.table()?, entry.key_span);
    view.require("kind", "kind = \"hang\"", report);
    let kind = view.word("kind");
    let (from, until) = period(&view, kind, report);
    out_of_run(&view, from, struck.end, report);
    let kind = kind?;
    foreign_keys(&view, kind, report);
    let target = if kind == "surge" {
        surge(&view, struck, report)
    } else {
        let service = service(&view, struck, report);
        let sound = service.filter(|&number| struck.sound.services[number]);
        let effect = effect(&view, kind, sound.map(|number| &struck.services[number]), report);
        let instance = view.whole("instance").map(|instance| instance as u32);
        service.zip(effect).map(|(service, effect)| Target::Service { service, instance, effect })
    };
    let fault = Fault { name: entry.key.to_string(), target: target?, from, until };
    view.is_sound().then_some(fault)
}

/// When it begins and ends.
fn period(view: &View<'_>, kind: Option<&str>, report: &mut Report) -> (Instant, Instant) {
    let from = Instant::ZERO + view.time("from").unwrap_or_default();
    if view.has("for") && view.has("until") {
        let problem = Problem::new("`until` stands beside `for`", "two ends")
            .help("leave one of them out: a length, or the time of the end");
        report.error(view.span_of("until"), problem);
        view.set_broken();
    }
    let end = view.time("until").map(|end| Instant::ZERO + end);
    if end.is_some_and(|end| end <= from) {
        let from = from.since(Instant::ZERO);
        let problem = Problem::new("the fault ends before it begins", "not after `from`");
        let help = format!("it begins at {from}; `until` is a time of the run, `for` a length");
        report.error(view.span_of("until"), problem.help(help));
        view.set_broken();
    }
    let without_end = if kind == Some("restart") { from } else { Instant::NEVER };
    let length = view.time("for").map(|length| from + length);
    (from, end.or(length).unwrap_or(without_end))
}

/// Warns of a fault that comes when all is over.
fn out_of_run(view: &View<'_>, from: Instant, end: Option<Duration>, report: &mut Report) {
    let Some(end) = end.filter(|&end| from >= Instant::ZERO + end) else { return };
    let problem = Problem::new("the fault never happens: the run is over", "after the end")
        .help(format!("`duration` is {end}; a fault begins before that"));
    report.warning(view.span_of("from"), problem);
}

fn foreign_keys(view: &View<'_>, kind: &str, report: &mut Report) {
    let own = OWN_KEYS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, own)| own);
    for key in FAULT.keys.iter().map(|key| key.name).filter(|key| view.has(key)) {
        if !own.contains(&key) && !COMMON_KEYS.contains(&key) {
            let title = format!("a fault of kind = \"{kind}\" has no `{key}`");
            let help = format!("beside `from`, `for` and `until` it has `{}`", own.join("`, `"));
            report.error(view.span_of(key), Problem::new(title, "not of this kind").help(help));
            view.set_broken();
        }
    }
}

/// The number of the service that it strikes, whose instance is there.
fn service(view: &View<'_>, struck: &Struck<'_>, report: &mut Report) -> Option<usize> {
    view.require("service", "service = \"shop\"", report);
    let number = named(view, "service", struck.service_numbers, report)?;
    let service = &struck.services[number];
    let instance = view.whole("instance").filter(|_| struck.sound.services[number]);
    if instance.is_some_and(|instance| instance >= u64::from(service.instances)) {
        let Service { name, instances, .. } = service;
        let title = match instances {
            1 => format!("`{name}` has one instance only, number 0"),
            _ => format!("`{name}` has {instances} instances, from 0 to {}", instances - 1),
        };
        report.error(view.span_of("instance"), Problem::new(title, "no such instance"));
        view.set_broken();
    }
    Some(number)
}

/// The number that a key names, or an error that nothing has this name.
fn named(
    view: &View<'_>,
    key: &str,
    numbers: &BTreeMap<&str, usize>,
    report: &mut Report,
) -> Option<usize> {
    let name = view.node(key)?.text()?;
    let number = numbers.get(name).copied();
    if number.is_none() {
        let help = match report.nearest(view.span_of(key), name, numbers.keys().copied()) {
            Some(near) => format!("a {key} with a similar name exists: `{near}`"),
            None => format!("describe it in [{key}.{}]", short(name)),
        };
        let title = format!("unknown {key} `{}`", short(name));
        let problem = Problem::new(title, format!("unknown {key}")).help(help);
        report.error(view.span_of(key), problem);
        view.set_broken();
    }
    number
}

fn surge(view: &View<'_>, struck: &Struck<'_>, report: &mut Report) -> Option<Target> {
    view.require("client", "client = \"web\"", report);
    view.require("factor", "factor = 2", report);
    let client = named(view, "client", &struck.client_numbers, report)?;
    let Client { name, arrivals, .. } = &struck.clients[client];
    let has_rate = matches!(arrivals, Arrivals::Poisson { .. } | Arrivals::Constant { .. });
    if !has_rate && struck.sound.clients[client] {
        let problem = Problem::new(format!("`{name}` has no rate to surge"), "without a rate")
            .help("a surge needs a client with arrivals = \"poisson\" or \"constant\"");
        report.error(view.span_of("client"), problem);
        view.set_broken();
    }
    Some(Target::Surge { client, factor: view.number("factor")? })
}

/// What it does to a service; `None` after an error.
fn effect(
    view: &View<'_>,
    kind: &str,
    service: Option<&Service>,
    report: &mut Report,
) -> Option<Effect> {
    Some(match kind {
        "down" => Effect::Down,
        "hang" => Effect::Hang,
        "slow" => {
            view.require("factor", "factor = 3", report);
            let factor = view.number("factor")?;
            if factor == 0.0 {
                let problem = Problem::new("`factor` is zero", "no time at all");
                report.error(view.span_of("factor"), problem.help("it is above 0; 1 is as usual"));
                view.set_broken();
            }
            Effect::Slow { factor }
        }
        "errors" => {
            view.require("share", "share = \"20 %\"", report);
            let status = view.whole("status").map_or(503, |status| status as u16);
            Effect::Errors { share: view.chance("share")?, status }
        }
        "capacity" => Effect::Capacity(capacity(view, service, report)?),
        _ => Effect::Restart { warm_up: warm_up(view, report) },
    })
}

fn capacity(view: &View<'_>, service: Option<&Service>, report: &mut Report) -> Option<Capacity> {
    if view.has("workers") && view.has("factor") {
        let problem = Problem::new("`factor` stands beside `workers`", "one too many");
        report.error(view.span_of("factor"), problem.help("leave one of them out"));
        view.set_broken();
    }
    if view.has("workers") {
        return view.whole("workers").map(|workers| Capacity::Workers(workers as u32));
    }
    if !view.require("factor", "factor = 0.5, or workers = 2", report) {
        return None;
    }
    if let Some(service) = service.filter(|service| service.workers.is_none()) {
        let title = format!("`{}` has no limit of workers to take a share of", service.name);
        let problem = Problem::new(title, "a share of unlimited workers")
            .help("give the fault `workers`, or the service");
        report.error(view.span_of("factor"), problem);
        view.set_broken();
    }
    view.number("factor").map(Capacity::Share)
}

fn warm_up(view: &View<'_>, report: &mut Report) -> Option<WarmUp> {
    let inner = view.inner("warm_up", &WARM_UP)?;
    inner.require("for", "for = \"30 s\"", report);
    inner.require("factor", "factor = 5", report);
    let (length, factor) = (inner.time("for"), inner.number("factor"));
    view.take_over(&inner);
    Some(WarmUp { length: length?, factor: factor? })
}
