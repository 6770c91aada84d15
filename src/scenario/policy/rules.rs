//! The rules of a policy beside its waits: which failures and which requests it
//! repeats, how long it goes on, and what it makes of hints.

use crate::policy::failure::RetryOn;
use crate::policy::hint::{Otherwise, Scope};
use crate::policy::retry_after::Format;
use crate::policy::{Effect, HintRule, Limits, MethodSet, Repeatable, StatusSet, TimeRule};
use crate::scenario::keys::{HINT_RULE, Kind, REPEATABLE};
use crate::scenario::report::{Problem, Report};
use crate::scenario::values::lists::Failures;
use crate::scenario::values::{Choice, lists};
use crate::scenario::view::View;
use crate::time::Duration;

/// The failures that are worth a retry.
pub(super) fn retry_on(view: &View<'_>, start: RetryOn) -> RetryOn {
    let Some(listed) = failures(view, "retry_on") else { return start };
    let mut on = RetryOn::statuses(&[]);
    for failures in listed {
        match failures {
            Failures::Statuses(statuses) => {
                on.statuses = statuses.iter().fold(on.statuses, StatusSet::with);
            }
            Failures::Word("timeout") => on.timeout = true,
            Failures::Word("connection") => on.connection = true,
            Failures::Word("throttled") => on.throttled = true,
            Failures::Word(_) => return RetryOn::EVERYTHING,
        }
    }
    on
}

/// The entries of a list of failures; `None` if it was not typed.
fn failures(view: &View<'_>, name: &str) -> Option<Vec<Failures>> {
    let Some(Kind::Failures(words)) = view.kind(name) else { return None };
    view.list(name, |item| lists::failures(name, item, words))
}

/// The requests that may be repeated.
pub(super) fn repeatable(view: &View<'_>, start: Repeatable) -> Repeatable {
    if !view.has("repeatable") {
        return start;
    }
    if let Some(table) = view.inner("repeatable", &REPEATABLE) {
        let methods = |name: &str| {
            let listed = table.list(name, |item| lists::method(name, item));
            MethodSet::of(&listed.unwrap_or_default())
        };
        let repeatable = Repeatable { plain: methods("methods"), with_key: methods("with_key") };
        view.take_over(&table);
        return repeatable;
    }
    match view.choice("repeatable") {
        Some(Choice::Word("by-method")) => {
            Repeatable { with_key: MethodSet::NONE, ..Repeatable::IDEMPOTENT }
        }
        Some(Choice::Word("anything")) => Repeatable::ANYTHING,
        _ => Repeatable::IDEMPOTENT,
    }
}

/// How much time a call may take.
pub(super) fn limits(view: &View<'_>, start: Limits) -> Limits {
    let mut limits = start;
    if view.has("max_elapsed") {
        limits.own = view.time("max_elapsed").unwrap_or(Duration::MAX);
    }
    if view.has("max_elapsed_rule") {
        limits.own_rule = match view.word("max_elapsed_rule") {
            Some("shorter") => TimeRule::Shorter,
            Some("elapsed") => TimeRule::Elapsed,
            Some("clip") => TimeRule::Clip,
            _ => TimeRule::NotLonger,
        };
    }
    if view.has("last_attempt_untimed") {
        limits.last_attempt_untimed = view.flag("last_attempt_untimed").unwrap_or(false);
    }
    limits
}

/// What becomes of a wait when the answer says when to come back. A word is a
/// plain rule; a table changes what it names.
pub(super) fn hint(view: &View<'_>, start: HintRule, report: &mut Report) -> HintRule {
    let format = start.format;
    if let Some(table) = view.inner("retry_after", &HINT_RULE) {
        let rule = hint_by_table(&table, start, report);
        view.take_over(&table);
        return rule;
    }
    if !view.has("retry_after") {
        return start;
    }
    match view.choice("retry_after") {
        Some(Choice::Word("replace")) => HintRule { format, ..HintRule::new(Effect::Replace) },
        Some(Choice::Word("ignore")) => HintRule { format, ..HintRule::IGNORE },
        _ => HintRule { format, ..HintRule::new(Effect::Floor) },
    }
}

fn hint_by_table(view: &View<'_>, start: HintRule, report: &mut Report) -> HintRule {
    let mut rule = start;
    if view.has("effect") {
        if rule.effect == Effect::Ignore {
            rule.read_at = Scope::ALL;
        }
        rule.effect = effect(view, report);
    }
    if view.has("cap") {
        rule.longest = view.time("cap").unwrap_or(Duration::MAX);
    }
    let otherwise = |name: &str, into: &mut Otherwise| {
        if view.has(name) {
            *into = match view.word(name) {
                Some("ignore") => Otherwise::Ignore,
                Some("stop") => Otherwise::Stop,
                _ => Otherwise::Take,
            };
        }
    };
    otherwise("too_long", &mut rule.too_long);
    otherwise("zero", &mut rule.zero);
    otherwise("negative", &mut rule.negative);
    otherwise("unreadable", &mut rule.unreadable);
    if view.has("dates") {
        rule.format = Format { dates: view.flag("dates").unwrap_or(true), ..rule.format };
    }
    if view.has("restarts") {
        rule.restarts = view.flag("restarts").unwrap_or(false);
    }
    rule.read_at = scope(view, "read_at", report).unwrap_or(rule.read_at);
    rule.needed_at = scope(view, "needed_at", report).unwrap_or(rule.needed_at);
    rule
}

fn effect(view: &View<'_>, report: &mut Report) -> Effect {
    match view.word("effect") {
        Some("floor-before-jitter") => Effect::FloorBeforeJitter,
        Some("replace") => Effect::Replace,
        Some("spread") => Effect::Spread,
        Some("base") => Effect::Base,
        Some("ignore") => Effect::Ignore,
        Some("clamp") => {
            view.require("above", "above = \"5 s\"", report);
            Effect::Clamp { above: view.time("above").unwrap_or_default() }
        }
        _ => Effect::Floor,
    }
}

/// The failures that a rule of hints is about; `None` if they were not typed.
fn scope(view: &View<'_>, name: &str, report: &mut Report) -> Option<Scope> {
    let mut scope = Scope::NONE;
    for failures in failures(view, name)? {
        let Failures::Statuses(statuses) = failures else {
            scope = scope.and(Scope::OTHERS);
            continue;
        };
        for status in statuses.iter() {
            let part = Scope::of(status);
            if part == Scope::OTHERS {
                let title = format!("`{name}` makes no difference for {status}");
                let problem = Problem::new(title, "not by itself");
                let help = "it knows 413, 429, 503 and the word \"others\" for all the rest";
                report.error(view.span_of(name), problem.help(help));
                view.set_broken();
                return None;
            }
            scope = scope.and(part);
        }
    }
    Some(scope)
}
