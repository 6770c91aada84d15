//! `[[threshold]]`: demands on metrics, by the metric's own unit.

use super::keys::THRESHOLD;
use super::report::{Problem, Report};
use super::suggest::nearest;
use super::tree::{Node, Table, Value};
use super::values::{self, short};
use super::variants::Plan;
use super::view::View;
use super::{Bound, Threshold, quantity};
use crate::model::metric::METRICS;
use crate::model::{Metric, Unit};

/// More thresholds than this are refused.
const MOST_THRESHOLDS: usize = 10_000;

/// Reads all thresholds; `plans` gives the names of variants.
pub(super) fn thresholds(root: &Table, plans: &[Plan], report: &mut Report) -> Vec<Threshold> {
    let Some(node) = root.get("threshold") else { return Vec::new() };
    let rows = node.list().unwrap_or(&[]);
    if rows.len() > MOST_THRESHOLDS {
        let problem = Problem::new("more than 10_000 thresholds", "too many");
        report.error(node.span, problem.help("leave some of them out"));
        return Vec::new();
    }
    rows.iter()
        .filter_map(|row| {
            let view = View::new(&THRESHOLD, row.table()?, row.span);
            threshold(&view, plans, report)
        })
        .collect()
}

fn threshold(view: &View<'_>, plans: &[Plan], report: &mut Report) -> Option<Threshold> {
    let of = match view.node("of") {
        Some(node) => variant(node, plans, report),
        None => Some(None),
    };
    if !view.require("metric", "metric = \"p99_wait\"", report) {
        return None;
    }
    let node = view.node("metric")?;
    let name = node.text()?;
    // Its column is called after what it is, its threshold after how long it takes.
    let sought = if name == "recovery_time" { "recovery" } else { name };
    let Some(metric) = Metric::named(sought) else {
        report.error(node.span, unknown_metric(name));
        return None;
    };
    if !metric.works {
        let title = format!("the metric `{name}` is not yet supported");
        let help = "a threshold on it would say nothing; leave it out";
        report.error(node.span, Problem::new(title, "not yet supported").help(help));
        return None;
    }
    let bound = bound(view, metric, report)?;
    Some(Threshold { metric, of: of?, bound })
}

fn working() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| metric.works)
}

fn unknown_metric(name: &str) -> Problem {
    let problem = Problem::new(format!("unknown metric `{}`", short(name)), "unknown metric");
    if let Some(metric) = METRICS.iter().find(|metric| metric.column() == name) {
        return problem.help(format!("a metric has no unit in its name: `{}`", metric.name));
    }
    match nearest(name, working().map(|metric| metric.name)) {
        Some(near) => problem.help(format!("a metric with a similar name exists: `{near}`")),
        None => problem.help("a metric is a column of summary.csv without its unit"),
    }
}

/// The number of the variant; the outer `None` after an error.
#[allow(clippy::option_option)] // "every variant" and "wrong" are different answers.
fn variant(node: &Node, plans: &[Plan], report: &mut Report) -> Option<Option<usize>> {
    let name = node.text()?;
    if let Some(number) = plans.iter().position(|plan| plan.name == name) {
        return Some(Some(number));
    }
    let problem = Problem::new(format!("unknown variant `{}`", short(name)), "unknown variant");
    let few = 2..=6;
    if few.contains(&plans.len()) {
        let names: Vec<_> = plans.iter().map(|plan| format!("`{}`", short(&plan.name))).collect();
        let help = format!("variants are {}", names.join(", "));
        report.error(node.span, problem.help(help));
        return None;
    }
    let names = plans.iter().map(|plan| plan.name.as_str());
    let help = match report.nearest(node.span, name, names) {
        Some(near) if !near.is_empty() => format!("a variant with a similar name exists: `{near}`"),
        _ if plans.len() <= 1 => "there are no variants: leave `of` out".to_owned(),
        _ => format!("a variant is called like `{}`", short(&plans[0].name)),
    };
    report.error(node.span, problem.help(help));
    None
}

fn bound(view: &View<'_>, metric: &Metric, report: &mut Report) -> Option<Bound> {
    let mut read = |key: &'static str| -> Result<Option<f64>, ()> {
        let Some(node) = view.node(key) else { return Ok(None) };
        value(key, node, metric.unit).map(Some).map_err(|problem| report.error(node.span, problem))
    };
    let (min, max, equals) = (read("min"), read("max"), read("equals"));
    let (min, max, equals) = (min.ok()?, max.ok()?, equals.ok()?);
    if let Some(middle) = equals {
        if min.is_some() || max.is_some() {
            let problem = Problem::new("`equals` stands beside `min` or `max`", "two demands");
            report.error(view.span_of("equals"), problem.help("write one threshold for each"));
            return None;
        }
        let tolerance = tolerance(view, metric.unit, middle, report)?;
        return Some(Bound { min: Some(middle - tolerance), max: Some(middle + tolerance) });
    }
    if view.has("tolerance") {
        let problem = Problem::new("`tolerance` without `equals`", "tolerance of what?");
        report.error(view.span_of("tolerance"), problem.help("it belongs to `equals`"));
        return None;
    }
    match (min, max) {
        (None, None) => {
            let problem =
                Problem::new("a threshold without a demand", "no `min`, `max` or `equals`");
            report.error(view.span, problem.help(format!("for example {}", example(metric))));
            None
        }
        (Some(low), Some(high)) if low > high => {
            let problem = Problem::new("`min` is above `max`: nothing can pass", "above `max`");
            report.error(view.span_of("min"), problem);
            None
        }
        _ => Some(Bound { min, max }),
    }
}

fn example(metric: &Metric) -> &'static str {
    match metric.unit {
        Unit::Millis => "max = \"1 s\"",
        Unit::PerSecond => "min = \"800 /s\"",
        Unit::Count => "max = 1_700",
        Unit::Ratio => "max = 1.5",
    }
}

/// A value in the metric's own unit: milliseconds, per second, or a number.
fn value(key: &str, node: &Node, unit: Unit) -> Result<f64, Problem> {
    match unit {
        Unit::Millis => {
            let time = values::time(key, node, true, None)?;
            Ok(time.map_or(0.0, crate::time::Duration::as_millis_f64))
        }
        // A rate of zero is a fair demand.
        Unit::PerSecond => values::rate(key, node, true),
        Unit::Count | Unit::Ratio => values::finite(key, node).map_err(|problem| {
            if node.text().is_some() {
                problem.help("this metric is a number without unit: write it without quotes")
            } else {
                problem
            }
        }),
    }
}

/// How far from `middle` still passes.
fn tolerance(view: &View<'_>, unit: Unit, middle: f64, report: &mut Report) -> Option<f64> {
    let Some(node) = view.node("tolerance") else { return Some(0.0) };
    let share = match &node.value {
        Value::Text(text) if text.trim_end().ends_with('%') => Some(text),
        _ => None,
    };
    let read = match share {
        Some(text) => quantity::share("tolerance", text).map(|share| share * middle.abs()),
        None => value("tolerance", node, unit),
    };
    match read {
        Ok(tolerance) if tolerance >= 0.0 => Some(tolerance),
        Ok(_) => {
            report.error(node.span, Problem::new("`tolerance` is negative", "below zero"));
            None
        }
        Err(problem) => {
            report.error(node.span, problem);
            None
        }
    }
}
