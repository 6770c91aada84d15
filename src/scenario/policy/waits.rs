//! The waits of a policy: from keys to a [`Backoff`].

use std::sync::Arc;

use crate::policy::backoff::{AtCap, Clamp, First, Round};
use crate::policy::{Backoff, Family, Jitter};
use crate::scenario::data::Data;
use crate::scenario::keys::JITTER;
use crate::scenario::law::law;
use crate::scenario::report::{Problem, Report};
use crate::scenario::values::{Choice, lists};
use crate::scenario::view::View;
use crate::time::Duration;

/// The waits that a table describes, on top of `start`: a built-in policy's, or
/// none. `retries` is how many there can be.
pub(super) fn backoff(
    view: &View<'_>,
    start: &Backoff,
    retries: Option<u32>,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Backoff {
    let mut backoff = start.clone();
    if view.has("backoff") {
        let shape = view.word("backoff");
        (backoff.family, backoff.jitter) = family(view, shape, report);
        if needs_base(&backoff.family) && backoff.base.is_zero() && shape.is_some() {
            view.require("base", "base = \"100 ms\"", report);
        }
    }
    let time = |name: &str, into: &mut Duration| {
        if view.has(name) {
            *into = view.time(name).unwrap_or(*into);
        }
    };
    time("base", &mut backoff.base);
    time("least", &mut backoff.least);
    if view.has("cap") {
        backoff.cap = view.time("cap").unwrap_or(Duration::MAX);
    }
    if view.has("throttled_base") {
        backoff.throttled_base = view.time("throttled_base");
    }
    if view.has("factor") {
        backoff.factor = view.number("factor").unwrap_or(backoff.factor);
    }
    if view.has("first_exponent") {
        backoff.first_exponent = view.whole("first_exponent").unwrap_or(0) as u8;
    }
    finish_family(view, &mut backoff, retries, data, report);
    words(view, &mut backoff);
    if let Some(jitter) = jitter(view, &backoff, report) {
        backoff.jitter = jitter;
    }
    backoff
}

/// The family that a word of `backoff` names, and the jitter that it implies.
fn family(view: &View<'_>, word: Option<&str>, report: &mut Report) -> (Family, Jitter) {
    let family = match word {
        Some("constant") => Family::Constant,
        Some("linear") => Family::Linear { step: Duration::ZERO },
        Some("exponential") => Family::Exponential,
        Some("full-jitter") => return (Family::Exponential, Jitter::FULL),
        Some("equal-jitter") => return (Family::Exponential, Jitter::EQUAL),
        Some("decorrelated-jitter") => Family::Decorrelated,
        Some("whole-exponential") => Family::WholeExponential,
        Some("doubling") => Family::Doubling,
        Some("compounding") => Family::Compounding,
        Some("sorted") => Family::Sorted { retries: 0 },
        Some("finagle-decorrelated") => Family::FinagleDecorrelated,
        Some("finagle-exponential") => Family::FinagleExponential,
        Some("finagle-equal") => Family::FinagleEqual,
        Some("polly-v2") => Family::PollyV2,
        Some("table") => {
            view.require("waits", "waits = [\"1 s\", \"5 s\"]", report);
            Family::Table(Arc::new([]))
        }
        Some("random") => {
            view.require("wait", "wait = { kind = \"exponential\", mean = \"1 s\" }", report);
            Family::None
        }
        _ => Family::None,
    };
    (family, Jitter::None)
}

fn needs_base(family: &Family) -> bool {
    !matches!(family, Family::None | Family::Table(_) | Family::Random(_))
}

/// What a family takes from keys of its own.
fn finish_family(
    view: &View<'_>,
    backoff: &mut Backoff,
    retries: Option<u32>,
    data: &mut Data<'_>,
    report: &mut Report,
) {
    let base = backoff.base;
    match &mut backoff.family {
        Family::Linear { step } if view.has("step") => *step = view.time("step").unwrap_or(base),
        Family::Linear { step } if view.has("base") || step.is_zero() => *step = base,
        Family::Table(waits) => {
            if let Some(typed) = view.list("waits", |item| lists::length("waits", item)) {
                *waits = typed.into();
            }
        }
        Family::Sorted { retries: all } => {
            if let Some(retries) = retries {
                *all = retries;
            } else {
                let title = "`sorted` needs a number of attempts: all waits are drawn at the start";
                let problem = Problem::new(title, "unlimited attempts");
                let help = "set `max_attempts` to a number, or another `backoff`";
                report.error(view.span_of("backoff"), problem.help(help));
                view.set_broken();
            }
        }
        Family::None if view.word("backoff") == Some("random") => {
            if let Some(law) = law(view, "wait", data, report) {
                backoff.family = Family::Random(Arc::new(law));
            }
        }
        _ => {}
    }
}

/// The settings that are words.
fn words(view: &View<'_>, backoff: &mut Backoff) {
    let typed = |name: &str| if view.has(name) { view.word(name) } else { None };
    match typed("clamp") {
        Some("after-jitter") => backoff.clamp = Clamp::After,
        Some("both") => backoff.clamp = Clamp::Both,
        Some(_) => backoff.clamp = Clamp::Before,
        None => {}
    }
    match typed("first_wait") {
        Some("plain") => backoff.first = First::Plain,
        Some("zero") => backoff.first = First::Zero,
        Some(_) => backoff.first = First::Jittered,
        None => {}
    }
    match typed("at_cap") {
        Some("plain") => backoff.at_cap = AtCap::PlainBeyond,
        Some("plain-from-base") => backoff.at_cap = AtCap::PlainFromBase,
        Some(_) => backoff.at_cap = AtCap::Jittered,
        None => {}
    }
    match typed("round") {
        Some("floor-ms") => backoff.round = Round::FloorMillis,
        Some("nearest-ms") => backoff.round = Round::NearestMillis,
        Some("whole-ms") => backoff.round = Round::WholeMillis,
        Some("whole-s") => backoff.round = Round::WholeSeconds,
        Some(_) => backoff.round = Round::No,
        None => {}
    }
}

/// The jitter that a table names by itself; it must not contradict the word of
/// `backoff`.
fn jitter(view: &View<'_>, backoff: &Backoff, report: &mut Report) -> Option<Jitter> {
    if !view.has("jitter") {
        return None;
    }
    let jitter = match view.inner("jitter", &JITTER) {
        Some(table) => {
            let jitter = table_of_jitter(&table, report);
            view.take_over(&table);
            jitter?
        }
        None => match view.choice("jitter")? {
            Choice::Word("full") => Jitter::FULL,
            Choice::Word("equal") => Jitter::EQUAL,
            _ => Jitter::None,
        },
    };
    if let Some(shape @ ("full-jitter" | "equal-jitter")) = view.word("backoff")
        && jitter != backoff.jitter
    {
        let title = format!("backoff = \"{shape}\" has another jitter of its own");
        let problem = Problem::new(title, "two jitters for one wait");
        report.error(view.span_of("jitter"), problem.help("write backoff = \"exponential\""));
        view.set_broken();
    }
    Some(jitter)
}

/// A jitter by its kind and numbers.
fn table_of_jitter(view: &View<'_>, report: &mut Report) -> Option<Jitter> {
    view.require("kind", "kind = \"symmetric\"", report);
    let kind = view.word("kind")?;
    let fixed = |jitter: fn(Duration) -> Jitter| Some(jitter(view.time("max")?));
    match kind {
        "symmetric" | "additive" if view.has("share") == view.has("max") => {
            let title = format!("jitter of kind `{kind}` takes either `share` or `max`");
            let problem = Problem::new(title, "one of the two");
            report.error(
                view.span,
                problem.help("share = \"20 %\" of the wait, or max = \"100 ms\""),
            );
            view.set_broken();
            None
        }
        "symmetric" if view.has("max") => fixed(Jitter::within),
        "symmetric" => Some(Jitter::symmetric(view.share("share")?)),
        "additive" if view.has("max") => fixed(Jitter::plus),
        "additive" => Some(Jitter::added(view.share("share")?)),
        "multiplicative" => {
            view.require("factor", "factor = 2", report);
            Some(Jitter::multiplied(view.number("factor")?))
        }
        "above" => {
            view.require("min", "min = \"100 ms\"", report);
            Some(Jitter::Above { low: view.time("min")? })
        }
        _ => {
            view.require("low", "low = 0.8", report);
            view.require("high", "high = 1", report);
            Some(Jitter::Scale { low: view.number("low")?, high: view.number("high")? })
        }
    }
}
