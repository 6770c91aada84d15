//! Laws of random lengths of time: from a length or a table to a [`Law`].
//! Which numbers are a law, [`crate::law`] knows; which keys go together is
//! decided here.

use super::check::by_way;
use super::data::Data;
use super::keys::{Kind, Section};
use super::report::{Problem, Report};
use super::tree::Node;
use super::values;
use super::view::View;
use crate::law::{Between, Law, LawError};
use crate::time::Duration;

/// The parameters that each kind takes: all that are listed, of several lists
/// those of one.
const PARAMETERS: [(&str, &[&[&str]]); 12] = [
    ("constant", &[&["mean"]]),
    ("exponential", &[&["mean"]]),
    ("erlang", &[&["mean", "stages"]]),
    ("gamma", &[&["mean", "cv"]]),
    ("lognormal", &[&["mean", "cv"], &["median", "sigma"]]),
    ("uniform", &[&["from", "to"]]),
    ("normal", &[&["mean", "sd"]]),
    ("weibull", &[&["mean", "shape"]]),
    ("pareto", &[&["min", "shape"]]),
    ("mixture", &[&["parts"]]),
    ("quantiles", &[&["points"]]),
    ("empirical", &[&["file"]]),
];

/// What each parameter may look like.
const EXAMPLES: [(&str, &str); 13] = [
    ("mean", "mean = \"10 ms\""),
    ("stages", "stages = 4"),
    ("cv", "cv = 2"),
    ("median", "median = \"10 ms\""),
    ("sigma", "sigma = 0.5"),
    ("from", "from = \"5 ms\""),
    ("to", "to = \"15 ms\""),
    ("sd", "sd = \"3 ms\""),
    ("shape", "shape = 1.5"),
    ("min", "min = \"1 ms\""),
    ("parts", "parts = [{ weight = 9, kind = \"constant\", mean = \"1 ms\" }, ...]"),
    ("points", "points = [[\"50 %\", \"10 ms\"], [\"99 %\", \"200 ms\"]]"),
    ("file", "file = \"times.csv\""),
];

/// The law under a key of a view; `None` for the word in its place, and after
/// an error.
pub(super) fn law(
    view: &View<'_>,
    name: &str,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Option<Law> {
    let (key, node) = view.typed(name)?;
    let Kind::Law { section, zero, word } = key.kind else { return None };
    if node.table().is_some() {
        return of_table(view, section, &node, data, report);
    }
    view.read(values::time(name, &node, zero, word)).flatten().map(Law::Constant)
}

/// The laws of the two ways, there and back, of a latency; `None` if there is
/// none, and after an error.
pub(super) fn latency(
    view: &View<'_>,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Option<(Law, Law)> {
    let (key, node) = view.typed("latency")?;
    let Kind::Latency { ways, law: section } = key.kind else { return None };
    let Some(table) = node.table() else {
        let both = view.read(values::time("latency", &node, true, None)).flatten();
        return both.map(|both| (Law::Constant(both), Law::Constant(both)));
    };
    if !by_way(table, section) {
        let both = of_table(view, section, &node, data, report)?;
        return Some((both.clone(), both));
    }
    let inner = View::new(ways, table, node.span);
    let (there, back) = (law(&inner, "there", data, report), law(&inner, "back", data, report));
    view.take_over(&inner);
    Some((there?, back?))
}

/// The law in a table under a key of a view.
fn of_table(
    outer: &View<'_>,
    section: &'static Section,
    node: &Node,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Option<Law> {
    let view = View::new(section, node.table()?, node.span);
    if view.has("weight") {
        let problem = Problem::new("`weight` has no effect outside of a mixture", "not used");
        report.warning(view.span_of("weight"), problem.help("leave it out"));
    }
    let law = read(&view, section, data, report);
    // What is missing was asked for in vain.
    if law.is_none() {
        view.set_broken();
    }
    outer.take_over(&view);
    law
}

fn read(
    view: &View<'_>,
    section: &'static Section,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Option<Law> {
    view.require("kind", "kind = \"exponential\"", report);
    let kind = view.word("kind")?;
    parameters(view, section, kind, report);
    if !view.is_sound() {
        return None;
    }
    let law = build(view, kind, data, report)?;
    law.map_err(|error| {
        report.error(view.span_of(error.parameter()), Problem::new(error.to_string(), "no law"));
    })
    .ok()
}

/// Whether the parameters of a kind are there, and no others.
fn parameters(view: &View<'_>, section: &'static Section, kind: &str, report: &mut Report) {
    let known = PARAMETERS.iter().find(|(name, _)| *name == kind);
    let lists = known.map_or(&[][..], |(_, lists)| lists);
    let typed = |list: &&&[&str]| list.iter().any(|name| view.has(name));
    let chosen = lists.iter().find(typed).or_else(|| lists.first()).copied().unwrap_or_default();
    for name in chosen {
        let example = EXAMPLES.iter().find(|(parameter, _)| parameter == name);
        view.require(name, example.map_or("", |(_, example)| example), report);
    }
    let all: Vec<_> = lists.iter().map(|list| format!("`{}`", list.join("` and `"))).collect();
    let help = format!("it takes {}", all.join(", or "));
    for key in section.keys {
        let own = chosen.contains(&key.name) || matches!(key.name, "kind" | "weight");
        if own || (key.name == "between" && kind == "quantiles") {
            continue;
        }
        if view.has(key.name) && lists.iter().any(|list| list.contains(&key.name)) {
            let title = format!("`{}` stands beside `{}`", key.name, chosen.join("` and `"));
            let problem = Problem::new(title, "one too many").help(help.as_str());
            report.error(view.span_of(key.name), problem);
            view.set_broken();
        } else {
            view.idle(key.name, ("kind", kind), &help, report);
        }
    }
}

/// The law of a kind whose parameters are all there; `None` after an error.
fn build(
    view: &View<'_>,
    kind: &str,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Option<Result<Law, LawError>> {
    let (time, number) = (|name| view.time(name), |name| view.number(name));
    Some(match kind {
        "constant" => Ok(Law::Constant(time("mean")?)),
        "exponential" => Law::exponential(time("mean")?),
        "erlang" => Law::erlang(time("mean")?, view.whole("stages")? as u32),
        "gamma" => Law::gamma(time("mean")?, number("cv")?),
        "lognormal" if view.has("median") => {
            Law::lognormal_of_median(time("median")?, number("sigma")?)
        }
        "lognormal" => Law::lognormal(time("mean")?, number("cv")?),
        "uniform" => Law::uniform(time("from")?, time("to")?),
        "normal" => Law::normal(time("mean")?, time("sd")?),
        "weibull" => Law::weibull(time("mean")?, number("shape")?),
        "pareto" => Law::pareto(time("min")?, number("shape")?),
        "mixture" => Law::mixture(parts(view, data, report)?),
        "quantiles" => Law::quantiles(&points(view)?, between(view)),
        _ => Ok(data.sample(view.file("file")?, view.span_of("file"), report)?),
    })
}

fn points(view: &View<'_>) -> Option<Vec<(f64, Duration)>> {
    let items = view.node("points")?.list()?.iter();
    view.read(items.map(|item| values::point("points", item)).collect())
}

fn between(view: &View<'_>) -> Between {
    match view.word("between") {
        Some("log") => Between::Log,
        _ => Between::Linear,
    }
}

/// The parts of a mixture, each with its weight; `None` after an error.
fn parts(view: &View<'_>, data: &mut Data<'_>, report: &mut Report) -> Option<Vec<(f64, Law)>> {
    let (key, node) = view.typed("parts")?;
    let Kind::Rows(section) = key.kind else { return None };
    let mut parts = Vec::new();
    for item in node.list()? {
        let part = View::new(section, item.table()?, item.span);
        part.require("weight", "weight = 1", report);
        let law = read(&part, section, data, report);
        if let (Some(weight), Some(law)) = (part.number("weight"), law) {
            parts.push((weight, law));
        }
    }
    // A part that is missing was reported.
    (parts.len() == node.list()?.len()).then_some(parts)
}
