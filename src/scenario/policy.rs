//! Retry policies and budgets of a scenario: from names and tables to the
//! settings that [`crate::policy`] decides by.

use std::collections::BTreeMap;

use super::keys::{BUDGET, PRESETS, RETRY};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Entry, Table};
use super::values::short;
use super::view::View;
use crate::model::spec::{Budget, Scope};
use crate::policy::backoff::Round;
use crate::policy::{Backoff, Fill, RetryPolicy, Strategy, TokenBucket};
use crate::time::Duration;

/// A policy with the number of the budget that pays for its retries.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    pub(super) retry: RetryPolicy,
    pub(super) budget: Option<usize>,
    /// Where it stands.
    pub(super) span: Span,
    /// Whether nothing in it is wrong.
    pub(super) sound: bool,
}

/// The named policies and budgets of a scenario.
pub(super) struct Policies<'a> {
    tables: BTreeMap<&'a str, &'a Entry>,
    read: BTreeMap<&'a str, Policy>,
    budget_numbers: BTreeMap<&'a str, usize>,
    /// All budgets, in file order.
    pub(super) budgets: Vec<Budget>,
}

impl<'a> Policies<'a> {
    /// Reads all of them.
    pub(super) fn new(root: &'a Table, report: &mut Report) -> Self {
        let mut policies = Self {
            tables: BTreeMap::new(),
            read: BTreeMap::new(),
            budget_numbers: BTreeMap::new(),
            budgets: Vec::new(),
        };
        for entry in root.section("budget") {
            let Some(table) = entry.node.table() else { continue };
            let view = View::new(&BUDGET, table, entry.key_span);
            policies.budget_numbers.insert(&entry.key, policies.budgets.len());
            policies.budgets.push(budget(&entry.key, &view, report));
        }
        for entry in root.section("retry") {
            let Some(table) = entry.node.table() else { continue };
            policies.tables.insert(&entry.key, entry);
            let view = View::new(&RETRY, table, entry.key_span);
            let policy = policies.policy(&view, report);
            policies.read.insert(&entry.key, policy);
        }
        policies
    }

    /// The policy that a caller's `retry` asks for, and the name it goes by.
    pub(super) fn of(&self, caller: &View<'_>, report: &mut Report) -> (Policy, Option<String>) {
        let retry = RetryPolicy::NEVER;
        let never = Policy { retry, budget: None, span: caller.span, sound: true };
        let wrong = Policy { sound: false, ..never.clone() };
        let Some(node) = caller.node("retry") else { return (never, None) };
        if let Some(table) = node.table() {
            let view = View::new(&RETRY, table, node.span);
            let Some(name) = &table.extends else { return (self.policy(&view, report), None) };
            let text = name.text().unwrap_or("");
            let behind = self.tables.get(text).and_then(|entry| entry.node.table());
            let Some(behind) = behind else {
                report.error(name.span, self.unknown(text, name.span, report));
                return (wrong, None);
            };
            return (self.policy(&view.on(behind), report), Some(text.to_owned()));
        }
        let Some(name) = node.text() else { return (wrong, None) };
        if name == "never" {
            return (never, None);
        }
        let Some(policy) = self.read.get(name) else {
            report.error(node.span, self.unknown(name, node.span, report));
            return (wrong, None);
        };
        (policy.clone(), Some(name.to_owned()))
    }

    fn unknown(&self, name: &str, span: Span, report: &Report) -> Problem {
        if PRESETS.contains(&name) {
            let title = format!("the built-in policy `{name}` is not yet supported");
            return Problem::new(title, "not yet supported")
                .help("write its settings as a policy of your own: [retry.NAME]");
        }
        let names = self.tables.keys().copied().chain(["never"]);
        let near = report.nearest(span, name, names);
        let help = match near {
            Some(near) => format!("a policy with a similar name exists: `{near}`"),
            None => format!("describe it in [retry.{}], or write \"never\"", short(name)),
        };
        Problem::new(format!("unknown retry policy `{}`", short(name)), "unknown retry policy")
            .help(help)
    }

    /// Reads one policy.
    fn policy(&self, view: &View<'_>, report: &mut Report) -> Policy {
        view.require("max_attempts", "max_attempts = 3", report);
        let strategy = strategy(view);
        if strategy != Strategy::None {
            view.require("base", "base = \"100 ms\"", report);
        }
        idle_waits(view, report);
        let base = view.time("base").unwrap_or_default();
        let cap = view.time("cap").unwrap_or(Duration::MAX);
        if base > cap && strategy != Strategy::None {
            let title = format!("`base` ({base}) is above `cap` ({cap})");
            let problem = Problem::new(title, "longer than the cap");
            let help = format!("no wait is longer than {cap}");
            report.warning(view.span_of("base"), problem.help(help));
        }
        let floors = view.word("round") == Some("floor-ms");
        let backoff = Backoff {
            factor: view.number("factor").unwrap_or(2.0),
            round: if floors { Round::FloorMillis } else { Round::No },
            ..Backoff::new(strategy, base, cap)
        };
        let max_attempts = view.whole("max_attempts").map(|most| most as u32);
        let retry = RetryPolicy { max_attempts, backoff, ..RetryPolicy::NEVER };
        let budget = self.budget_of(view, report);
        Policy { retry, budget, span: view.span, sound: view.is_sound() }
    }

    /// The number of the budget that a policy names.
    fn budget_of(&self, view: &View<'_>, report: &mut Report) -> Option<usize> {
        let name = view.node("budget")?.text()?;
        if name == "none" {
            return None;
        }
        let number = self.budget_numbers.get(name).copied();
        if number.is_none() {
            view.set_broken();
            let names = self.budget_numbers.keys().copied();
            let near = report.nearest(view.span_of("budget"), name, names);
            let help = match near {
                Some(near) => format!("a budget with a similar name exists: `{near}`"),
                None => format!("describe it in [budget.{}]", short(name)),
            };
            let title = format!("unknown budget `{}`", short(name));
            let problem = Problem::new(title, "unknown budget").help(help);
            report.error(view.span_of("budget"), problem);
        }
        number
    }
}

fn strategy(view: &View<'_>) -> Strategy {
    match view.word("backoff") {
        Some("constant") => Strategy::Constant,
        Some("exponential") => Strategy::Exponential,
        Some("full-jitter") => Strategy::FullJitter,
        Some("equal-jitter") => Strategy::EqualJitter,
        Some("decorrelated-jitter") => Strategy::DecorrelatedJitter,
        _ => Strategy::None,
    }
}

/// A policy that names waits and forgot their shape.
fn idle_waits(view: &View<'_>, report: &mut Report) {
    if view.has("backoff") {
        return;
    }
    for name in ["base", "factor", "cap", "round"] {
        if view.has(name) {
            let title = format!("`{name}` has no effect without `backoff`");
            let problem = Problem::new(title, "not used: the policy retries at once");
            let help = "add backoff = \"full-jitter\", or another shape of waits";
            report.warning(view.span_of(name), problem.help(help));
        }
    }
}

fn budget(name: &str, view: &View<'_>, report: &mut Report) -> Budget {
    view.require("kind", "kind = \"token-bucket\"", report);
    view.require("ratio", "ratio = 0.1", report);
    view.require("reserve", "reserve = 10", report);
    let reserve_millis = view.thousandths("reserve");
    if reserve_millis.is_some_and(|reserve| reserve < 1_000) {
        let problem =
            Problem::new("a `reserve` below 1 never pays for a retry", "less than a token");
        report.warning(view.span_of("reserve"), problem.help("a retry takes one token"));
    }
    let fill = match view.word("fill") {
        Some("on-success") => Fill::OnSuccess,
        Some("on-any-success") => Fill::OnAnySuccess,
        _ => Fill::OnCall,
    };
    let scope = match view.word("scope") {
        Some("call") => Scope::Call,
        Some("global") => Scope::Global,
        _ => Scope::Client,
    };
    let bucket = TokenBucket {
        ratio_millis: view.thousandths("ratio").unwrap_or(0),
        reserve_millis: reserve_millis.unwrap_or(0),
        fill,
    };
    Budget { name: name.to_owned(), bucket, scope }
}
