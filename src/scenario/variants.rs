//! `[[variant]]`, `[compare]`, `--set` and `--seed`: which changes make which
//! run. What the changes mean is the path's and the model's business.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::keys::{Kind, grouped};
use super::path::{Change, Path, Target};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Entry, Node, Table, Value, inline};
use super::values::{self, short};
use super::{ReadOptions, syntax};

/// More runs than this are refused before any is built.
pub(super) const MOST_VARIANTS: usize = 10_000;

/// More changes than this in all runs together are refused.
const MOST_CHANGES: usize = 1_000_000;

/// One run: its name and what it changes.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) changes: Vec<Rc<Change>>,
}

/// All runs, and what their names are called.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) label: String,
    pub(super) list: Vec<Plan>,
}

/// A `[[variant]]`, or one value of a `[compare]` path.
#[derive(Debug)]
struct Choice {
    name: String,
    span: Span,
    changes: Vec<Rc<Change>>,
}

/// The changes of `--set` and `--seed`, which come before all others.
pub(super) fn options(options: &ReadOptions<'_>, report: &mut Report) -> Vec<Rc<Change>> {
    let mut changes: Vec<Rc<Change>> = Vec::new();
    for (typed, value) in &options.sets {
        if typed.len() + value.len() > syntax::LONGEST_FILE {
            let source = report.source("--set", "");
            let problem = Problem::new("an option is longer than a whole scenario may be", "");
            report.error(Span::new(source, &(0..0)), problem);
            continue;
        }
        let source = report.source("--set", &format!("{typed}={value}"));
        let path = Path::new(typed, Span::new(source, &(0..typed.len())));
        let value_at = typed.len() + 1;
        let Some(mut node) = syntax::option_value(source, value_at, report) else { continue };
        // A title needs no quotes, even if it looks like a number.
        if let Ok(Target::Key(key)) = path.locate()
            && matches!(key.kind, Kind::Text)
            && node.text().is_none()
        {
            node.value = Value::Text(value.trim().to_owned());
        }
        changes.extend(Change::new(path, &Rc::new(node), report).map(Rc::new));
    }
    if let Some(seed) = options.seed {
        let source = report.source("--seed", &seed.to_string());
        let span = Span::new(source, &(0..seed.to_string().len()));
        let node = Node { span, value: Value::Integer(seed.into()) };
        let change = Change::new(Path::new("seed", span), &Rc::new(node), report);
        changes.extend(change.map(Rc::new));
    }
    let mut seen = BTreeSet::new();
    for change in &changes {
        if !seen.insert(change.path.text.as_str()) {
            let title = format!("`{}` is set twice", change.path.text);
            report.error(change.path.span, Problem::new(title, "set before"));
        }
    }
    changes
}

/// The runs that the file asks for.
pub(super) fn plans(root: &Table, sets: &[Rc<Change>], report: &mut Report) -> Plans {
    let variants = variants(root, report);
    let axes = axes(root, report);
    clashes(&variants, &axes, sets, report);
    let mut words: Vec<&str> = Vec::new();
    if !variants.is_empty() || axes.is_empty() {
        words.push("variant");
    }
    words.extend(axes.iter().map(|axis| axis[0].changes[0].path.last()));
    let label = words.join(", ");

    let mut dimensions = Vec::new();
    if !variants.is_empty() {
        dimensions.push(variants);
    }
    dimensions.extend(axes);
    let list = if too_many(&dimensions, report) { Vec::new() } else { product(&dimensions) };
    let mut names = BTreeSet::new();
    for plan in &list {
        // What follows from two equal values is no error of its own.
        if !names.insert(plan.name.as_str()) && !report.has_errors() {
            let title = format!("two runs are called `{}`", short(&plan.name));
            let problem = Problem::new(title, "");
            report.error(dimensions[0][0].span, problem.help("rename a variant"));
        }
    }
    Plans { label, list }
}

/// Refuses more runs, or more changes in all of them, than fit into memory.
fn too_many(dimensions: &[Vec<Choice>], report: &mut Report) -> bool {
    let rows = dimensions.iter().map(Vec::len).fold(1_usize, usize::saturating_mul);
    let most = |choices: &Vec<Choice>| choices.iter().map(|choice| choice.changes.len()).max();
    let changes: usize = dimensions.iter().filter_map(most).sum();
    let Some(last) = dimensions.last() else { return false };
    let problem = if rows > MOST_VARIANTS {
        let title = format!("{} runs are too many", grouped(rows as u64));
        Problem::new(title, "the product of all variants and values")
            .help(format!("at most {} run together", grouped(MOST_VARIANTS as u64)))
    } else if rows.saturating_mul(changes) > MOST_CHANGES {
        let title = format!("{rows} runs with up to {changes} changes each are too many");
        Problem::new(title, "the product of all variants and values")
            .help(format!("at most {} changes in all runs", grouped(MOST_CHANGES as u64)))
    } else {
        return false;
    };
    report.error(last[0].span, problem);
    true
}

/// All combinations; the last dimension moves fastest.
fn product(dimensions: &[Vec<Choice>]) -> Vec<Plan> {
    let rows: usize = dimensions.iter().map(Vec::len).product();
    let plan = |row: usize| {
        let mut rest = row;
        let mut chosen = Vec::new();
        for dimension in dimensions.iter().rev() {
            chosen.push(&dimension[rest % dimension.len()]);
            rest /= dimension.len();
        }
        chosen.reverse();
        let names: Vec<_> = chosen.iter().map(|choice| choice.name.as_str()).collect();
        let changes = chosen.iter().flat_map(|choice| choice.changes.iter().cloned());
        Plan { name: names.join(", "), changes: changes.collect() }
    };
    (0..rows).map(plan).collect()
}

/// The `[[variant]]` rows.
fn variants(root: &Table, report: &mut Report) -> Vec<Choice> {
    let rows = root.get("variant").and_then(|node| node.list()).unwrap_or(&[]);
    let mut choices = Vec::new();
    for row in rows {
        let Some(table) = row.table() else { continue };
        let Some(name) = table.get("name") else {
            let problem = Problem::new("a variant needs a `name`", "no name");
            report.error(row.span, problem.help("name = \"what is different\""));
            continue;
        };
        let changes = table.section("set").iter();
        let changes = changes.filter_map(|entry| change(entry, &entry.node, report)).collect();
        // A bad title was reported with the keys.
        if let Ok(title) = values::title("name", name) {
            choices.push(Choice { name: title.to_owned(), span: name.span, changes });
        }
    }
    unique(&choices, "variant", report);
    choices
}

/// The paths of `[compare]`, each with its values; none is empty.
fn axes(root: &Table, report: &mut Report) -> Vec<Vec<Choice>> {
    let mut axes = Vec::new();
    for entry in root.section("compare") {
        let Some(items) = entry.node.list() else {
            let problem = Problem::new(
                format!("`{}` needs a list of values to compare", short(&entry.key)),
                "not a list",
            );
            let help = if entry.node.table().is_some() {
                "put the whole path into quotes: \"client.NAME.KEY\" = [...]".to_owned()
            } else {
                format!("write [{}, ...]", short(&inline(&entry.node)))
            };
            report.error(entry.node.span, problem.help(help));
            continue;
        };
        if items.is_empty() {
            let title = format!("`{}` has no values to compare", short(&entry.key));
            report.error(entry.node.span, Problem::new(title, "an empty list"));
            continue;
        }
        let mut choices = Vec::new();
        for item in items {
            // A path that is wrong is wrong once, not for every value.
            let Some(change) = change(entry, item, report) else { break };
            choices.push(Choice { name: inline(item), span: item.span, changes: vec![change] });
        }
        if choices.len() == items.len() {
            unique(&choices, "value", report);
            axes.push(choices);
        }
    }
    axes
}

/// A change of a variant or a comparison.
fn change(entry: &Entry, node: &Rc<Node>, report: &mut Report) -> Option<Rc<Change>> {
    let path = Path::new(&entry.key, entry.key_span);
    if path.text == "name" {
        let problem = Problem::new("the title is the same for all variants", "not for one run");
        report.error(path.span, problem.help("give the variant its own `name`"));
        return None;
    }
    if path.depth() == 1 && node.table().is_some() {
        let title = format!("`{}` is not a setting", short(&path.text));
        let problem = Problem::new(title, "a table where a path is due")
            .help("put the whole path into quotes: \"service.NAME.KEY\" = ...");
        report.error(path.span, problem);
        return None;
    }
    Change::new(path, node, report).map(Rc::new)
}

fn unique(choices: &[Choice], what: &str, report: &mut Report) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for choice in choices {
        if let Some(first) = seen.insert(&choice.name, choice.span) {
            let line = report.line(first);
            let title = format!("two {what}s are called `{}`", short(&choice.name));
            let problem = Problem::new(title, "the second one")
                .help(format!("the first one is in line {line}; each row needs a name of its own"));
            report.error(choice.span, problem);
        }
    }
}

/// A setting has one value in a run, and nobody's is lost unseen.
fn clashes(variants: &[Choice], axes: &[Vec<Choice>], sets: &[Rc<Change>], report: &mut Report) {
    let compared: BTreeMap<&str, Span> = axes
        .iter()
        .filter_map(|axis| axis.first()?.changes.first())
        .map(|change| (change.path.text.as_str(), change.path.span))
        .collect();
    let varied: BTreeMap<&str, Span> = variants
        .iter()
        .flat_map(|choice| &choice.changes)
        .map(|change| (change.path.text.as_str(), change.path.span))
        .collect();
    for change in variants.iter().flat_map(|choice| &choice.changes) {
        if let Some(&other) = compared.get(change.path.text.as_str()) {
            report.error(change.path.span, clash(&change.path, "[compare]", report.line(other)));
        }
    }
    for set in sets {
        for (others, who) in [(&compared, "[compare]"), (&varied, "a [[variant]]")] {
            if let Some(&other) = others.get(set.path.text.as_str()) {
                report.error(set.path.span, clash(&set.path, who, report.line(other)));
            }
        }
    }
}

fn clash(path: &Path, other: &str, line: usize) -> Problem {
    let title = format!("`{}` is set by {other} as well", short(&path.text));
    Problem::new(title, "two values for one setting")
        .help(format!("leave one of them out; the other is in line {line}"))
}
