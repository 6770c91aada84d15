//! Retry policies and budgets of a scenario: from names and tables to the
//! settings that [`crate::policy`] decides by.
//!
//! A table is read on top of what it starts from: a built-in policy, or the
//! defaults of the keys. `policy/waits.rs` reads how long to wait,
//! `policy/rules.rs` the other rules; `policy/presets.rs` knows the built-in
//! policies.

mod idle;
mod lost;
mod presets;
mod rules;
mod waits;

use std::collections::BTreeMap;

use super::data::Data;
use super::keys::{BUDGET, RETRY};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Entry, Node, Table};
use super::values::short;
use super::view::View;
use crate::model::spec::{Budget, Scope};
use crate::policy::{Fill, Preset, RetryPolicy, TokenBucket};
use crate::time::Duration;

/// A policy with the number of the budget that pays for its retries.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    pub(super) retry: RetryPolicy,
    pub(super) budget: Option<usize>,
    /// The timeout of each attempt, where a built-in policy brings one.
    pub(super) timeout: Option<Duration>,
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
    pub(super) fn new(root: &'a Table, data: &mut Data<'_>, report: &mut Report) -> Self {
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
            if presets::is_known(&entry.key) {
                let title = format!("[retry.{0}] hides the built-in policy `{0}`", entry.key);
                let problem = Problem::new(title, "your own is used");
                let help = "give it another name, or leave it out to use the built-in one";
                report.warning(entry.key_span, problem.help(help));
            }
            let view = View::new(&RETRY, table, entry.key_span);
            let policy = policies.policy(&view, None, data, report);
            policies.read.insert(&entry.key, policy);
        }
        policies
    }

    /// The policy that a caller's `retry` asks for, and the name of its table.
    pub(super) fn of(
        &self,
        caller: &View<'_>,
        data: &mut Data<'_>,
        report: &mut Report,
    ) -> (Policy, Option<String>) {
        let Some(node) = caller.node("retry") else { return (never(caller.span), None) };
        let wrong = Policy { sound: false, ..never(node.span) };
        if let Some(table) = node.table() {
            let view = View::new(&RETRY, table, node.span);
            let Some(name) = &table.extends else {
                return (self.policy(&view, None, data, report), None);
            };
            let text = name.text().unwrap_or("");
            if let Some(behind) = self.tables.get(text).and_then(|entry| entry.node.table()) {
                return (self.policy(&view.on(behind), None, data, report), Some(text.to_owned()));
            }
            return (self.built_in(&view, name, data, report).unwrap_or(wrong), None);
        }
        let Some(name) = node.text() else { return (wrong, None) };
        if name == "never" {
            return (never(node.span), None);
        }
        if let Some(policy) = self.read.get(name) {
            return (policy.clone(), Some(name.to_owned()));
        }
        let nothing = Table::default();
        let view = View::new(&RETRY, &nothing, node.span);
        (self.built_in(&view, node, data, report).unwrap_or(wrong), None)
    }

    /// A table on top of the built-in policy that a name means.
    fn built_in(
        &self,
        view: &View<'_>,
        name: &Node,
        data: &mut Data<'_>,
        report: &mut Report,
    ) -> Option<Policy> {
        let text = name.text().unwrap_or("");
        let preset = if presets::is_known(text) {
            presets::find(text, name.span, report)
        } else {
            Err(self.unknown(text, name.span, report))
        };
        match preset {
            Ok(preset) => Some(self.policy(view, Some((preset, name.span)), data, report)),
            Err(problem) => {
                report.error(name.span, problem);
                None
            }
        }
    }

    fn unknown(&self, name: &str, span: Span, report: &Report) -> Problem {
        let own = self.tables.keys().copied();
        let names = own.chain(["never"]).chain(presets::names().map(|name| -> &str { name }));
        let near = report.nearest(span, name, names);
        let help = match near {
            Some(near) => format!("a policy with a similar name exists: `{near}`"),
            None => format!("describe it in [retry.{}], or write \"never\"", short(name)),
        };
        Problem::new(format!("unknown retry policy `{}`", short(name)), "unknown retry policy")
            .help(help)
    }

    /// Reads one policy, on top of the built-in one that `given` names, or that
    /// the table names itself.
    fn policy(
        &self,
        view: &View<'_>,
        given: Option<(&'static Preset, Span)>,
        data: &mut Data<'_>,
        report: &mut Report,
    ) -> Policy {
        let preset = self.preset(view, report).or(given);
        if preset.is_none() && view.is_sound() {
            view.require("max_attempts", "max_attempts = 3", report);
        }
        let start = preset.map_or(DEFAULT, |(preset, _)| preset.policy.clone());
        let mut max_attempts = start.max_attempts;
        if view.has("max_attempts") {
            max_attempts = view.whole("max_attempts").map(|most| most as u32);
        }
        if let Some((preset, span)) = preset {
            presets::incomplete(preset, span, view, report);
            let span = if view.has("max_attempts") { view.span_of("max_attempts") } else { span };
            max_attempts = presets::allowed(preset, max_attempts, span, report);
        }
        let retries = max_attempts.map(|most| most.saturating_sub(1));
        let mut backoff = waits::backoff(view, &start.backoff, retries, data, report);
        if let Some(bases) = preset.and_then(|(preset, _)| preset.cap_in_bases)
            && view.has("base")
            && !view.has("cap")
        {
            backoff.cap = Duration::from_nanos(backoff.base.as_nanos().saturating_mul(bases));
        }
        idle::check(view, &backoff, preset.is_some(), report);
        idle::base_above_cap(view, &backoff, report);
        let retry = RetryPolicy {
            max_attempts,
            backoff,
            retry_on: rules::retry_on(view, start.retry_on),
            repeatable: rules::repeatable(view, start.repeatable),
            hint: rules::hint(view, start.hint, report),
            limits: rules::limits(view, start.limits),
        };
        lost::check(view, &retry, report);
        Policy {
            retry,
            budget: self.budget_of(view, report),
            timeout: preset.and_then(|(preset, _)| preset.attempt_timeout),
            span: view.span,
            sound: view.is_sound(),
        }
    }

    /// The built-in policy that a table names.
    fn preset(&self, view: &View<'_>, report: &mut Report) -> Option<(&'static Preset, Span)> {
        let node = view.node("preset")?;
        let Some(name) = node.text() else {
            view.set_broken();
            return None;
        };
        match presets::find(name, node.span, report) {
            Ok(preset) => return Some((preset, node.span)),
            Err(problem) if self.tables.contains_key(name) && !presets::is_known(name) => {
                let help = format!("`{name}` is a policy of your own: write retry = \"{name}\"");
                report.error(node.span, problem.help(help));
            }
            Err(problem) => report.error(node.span, problem),
        }
        view.set_broken();
        None
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

/// What a table without a preset starts from: the defaults of the keys.
const DEFAULT: RetryPolicy = RetryPolicy { max_attempts: None, ..RetryPolicy::NEVER };

/// One attempt.
fn never(span: Span) -> Policy {
    let retry = RetryPolicy::NEVER;
    Policy { retry, budget: None, timeout: None, span, sound: true }
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
