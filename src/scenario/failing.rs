//! What a service says when it fails: `status` and `retry_after`.

use super::keys::{ADVICE, STATUS};
use super::report::{Problem, Report};
use super::values::{Choice, lists};
use super::view::View;
use crate::model::spec::{Advice, Statuses};

/// The statuses of its failures.
pub(super) fn statuses(view: &View<'_>, report: &mut Report) -> Statuses {
    let usual = Statuses::from(503);
    let Some(node) = view.node("status") else { return usual };
    if node.list().is_none() {
        let status = view.read(lists::status("status", node, &STATUS));
        return status.map_or(usual, Statuses::from);
    }
    let listed = view.list("status", |item| lists::weighted("status", item, &STATUS));
    let statuses = listed.as_deref().and_then(Statuses::weighted);
    if statuses.is_none() && view.is_sound() {
        let problem = Problem::new("no status has a weight above 0", "no failure would have one");
        report.error(node.span, problem.help("leave out `weight`, or give one a weight of 1"));
        view.set_broken();
    }
    statuses.unwrap_or(usual)
}

/// What its failures say about the next attempt.
pub(super) fn advice(view: &View<'_>, report: &mut Report) -> Advice {
    if let Some(table) = view.inner("retry_after", &ADVICE) {
        table.require("date", "date = \"30 s\"", report);
        let date = table.time("date");
        view.take_over(&table);
        return date.map_or(Advice::None, Advice::Date);
    }
    match view.choice("retry_after") {
        Some(Choice::Time(length)) => Advice::After(length),
        Some(Choice::Word("negative")) => Advice::Negative,
        Some(Choice::Word("unreadable")) => Advice::Unreadable,
        _ => Advice::None,
    }
}
