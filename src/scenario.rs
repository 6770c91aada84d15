//! The scenario file: what a person typed, read into what can be run.
//!
//! One table of [`keys`] drives the reader, the suggestions, the [`schema`] and
//! the reference page. The reader walks the TOML with its places, reports all
//! that is wrong together, and builds one checked [`Model`] for each variant.
//! After that nothing can be invalid. Nothing here touches the disk.
//!
//! The way of a scenario: `syntax` makes a `tree` of the text, `check` looks
//! at each value by itself, `variants` says what changes in which run, `path`
//! changes it, `build` makes the world, `graph` looks at the whole of it.

mod arrivals;
mod build;
mod check;
mod data;
mod diagnostics;
mod ending;
mod failing;
mod fates;
mod fault;
mod graph;
pub mod keys;
mod law;
mod layers;
mod load;
mod network;
mod path;
mod policy;
mod quantity;
mod reference;
mod report;
mod resolved;
mod schema;
mod service;
mod suggest;
mod suspicion;
mod syntax;
mod text;
mod threshold;
mod tree;
mod values;
mod variants;
mod view;

pub use data::DataFiles;
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use quantity::{HIGHEST_RATE, LONGEST};
pub use reference::reference;
pub use schema::schema;
pub use suggest::nearest;
pub use syntax::{LONGEST_FILE, decode};

use crate::model::{Metric, Model};
use report::{Problem, Report};
use text::Span;
use tree::Table;

/// A scenario, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its title.
    pub name: String,
    /// The seed of every draw.
    pub seed: u64,
    /// What the rows of a table are called: the last word of the path that
    /// `[compare]` sets (`backoff`), or `variant`.
    pub label: String,
    /// The variants, in file order; one without a name if there are none.
    pub variants: Vec<Variant>,
    /// The thresholds, in file order.
    pub thresholds: Vec<Threshold>,
    /// The scenario with all defaults filled in, for run.json.
    pub resolved: serde_json::Value,
}

/// One world of a scenario.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name: unique, empty if the scenario has only one.
    pub name: String,
    /// The world.
    pub model: Model,
}

/// A demand on a metric.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The least value that passes, in the metric's unit.
    pub min: Option<f64>,
    /// The greatest value that passes, in the metric's unit.
    pub max: Option<f64>,
}

/// A `[[threshold]]` of the scenario.
#[derive(Clone)]
pub struct Threshold {
    /// What is measured.
    pub metric: &'static Metric,
    /// Index of the variant it speaks of; `None` is every variant.
    pub of: Option<usize>,
    /// What it demands.
    pub bound: Bound,
}

impl std::fmt::Debug for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {:?}: {:?}", self.metric.name, self.of, self.bound)
    }
}

/// What is not in the file: its name, and what the command line changes.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions<'f> {
    /// What messages call the file, such as `scenarios/storm.toml`.
    pub file: String,
    /// `--set PATH=VALUE`: the path, and the value as typed.
    pub sets: Vec<(String, String)>,
    /// `--seed N`.
    pub seed: Option<u64>,
    /// Where the data files come from that the scenario names; without it, one
    /// that names any is refused.
    pub files: Option<&'f dyn DataFiles>,
}

/// A scenario that was read, with what is suspicious about it.
#[derive(Clone, Debug)]
pub struct Read {
    /// The scenario.
    pub scenario: Scenario,
    /// Warnings, in the order of the text; often none.
    pub warnings: Diagnostics,
}

/// Reads the bytes of a scenario file.
///
/// # Errors
/// As [`read`], and if the bytes are too many or not UTF-8.
pub fn read_bytes(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Read, Diagnostics> {
    read(decode(&options.file, bytes)?, options)
}

/// Reads a scenario.
///
/// # Errors
/// All that is wrong with it, together, with the warnings.
pub fn read(text: &str, options: &ReadOptions<'_>) -> Result<Read, Diagnostics> {
    if text.len() > LONGEST_FILE {
        return Err(syntax::too_long(&options.file));
    }
    let mut report = Report::default();
    let file = report.source(&options.file, text.strip_prefix('\u{feff}').unwrap_or(text));
    let root = syntax::document(file, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    let scenario = whole(root, options, &mut report);
    let refused = report.has_errors();
    let diagnostics = report.finish();
    match scenario {
        Some(scenario) if !refused => Ok(Read { scenario, warnings: diagnostics }),
        _ => Err(diagnostics),
    }
}

/// Everything after the syntax. With errors in the report the scenario is not
/// whole; `None` if there is nothing to build.
fn whole(mut root: Table, options: &ReadOptions<'_>, report: &mut Report) -> Option<Scenario> {
    if root.entries().is_empty() && options.sets.is_empty() {
        let problem = Problem::new("the scenario is empty", "nothing but comments")
            .help("`sim new FILE` writes a scenario to start from");
        report.error(Span::new(0, &(0..0)), problem);
        return None;
    }
    check::table(&keys::ROOT, &root, report);
    let sets = variants::options(options, report);
    path::apply(&mut root, &sets, report);
    if !sizes(&root, report) {
        return None;
    }
    let plans = variants::plans(&root, &sets, report);
    let parts = ["service", "client", "fault"].map(|section| root.section(section).len());
    let size = parts.into_iter().sum();
    if plans.list.is_empty() || !affordable(plans.list.len(), size, report) {
        return None;
    }
    let thresholds = threshold::thresholds(&root, &plans.list, report);
    let changes = plans.list.iter().flat_map(|plan| &plan.changes);
    let presets_vary = changes.into_iter().any(|change| change.path.last() == "preset");
    let mut notes = build::Notes::default();
    let mut data = data::Data::new(options.files);
    let mut variants = Vec::new();
    for plan in plans.list {
        let mut tree = root.clone();
        let own = plan.changes.iter().flat_map(|change| [change.path.span, change.node.span]);
        report.enter_variant(&plan.name, own.collect());
        path::apply(&mut tree, &plan.changes, report);
        let model = build::model(&tree, &mut data, report, &mut notes);
        variants.push(Variant { name: plan.name, model });
    }
    report.leave_variants();
    if !report.has_errors() {
        unused(&root, &notes, report);
    }
    let view = view::View::new(&keys::ROOT, &root, Span::new(0, &(0..0)));
    Some(Scenario {
        name: view.text("name")?,
        seed: view.whole("seed")?,
        label: plans.label,
        variants,
        thresholds,
        resolved: resolved::scenario(&root, presets_vary),
    })
}

/// Refuses a scenario without clients or services, or with too many.
fn sizes(root: &Table, report: &mut Report) -> bool {
    let mut good = true;
    for (section, example) in [
        ("client", "[client.app]"),
        ("service", "[service.shop]"),
        ("retry", ""),
        ("budget", ""),
        ("fault", ""),
    ] {
        let tables = root.section(section);
        let typed = root.get(section).is_some();
        if tables.is_empty()
            && !example.is_empty()
            && (!typed || root.get(section).is_some_and(|node| node.table().is_some()))
        {
            let problem = Problem::new(format!("the scenario has no {section}"), "");
            report.error(Span::new(0, &(0..0)), problem.help(format!("describe one: {example}")));
            good = false;
        }
        let limit = if section == "fault" { build::MOST_FAULTS } else { build::MOST_TABLES };
        if tables.len() > limit {
            let most = keys::grouped(limit as u64);
            let title = format!(
                "the scenario has {} tables of `{section}`",
                keys::grouped(tables.len() as u64)
            );
            let problem = Problem::new(title, "one too many").help(format!("at most {most}"));
            report.error(tables[limit].key_span, problem);
            good = false;
        }
    }
    good
}

/// The most services and clients in all variants together.
const MOST_PARTS: usize = 1_000_000;

/// Refuses more worlds than fit into memory.
fn affordable(variants: usize, size: usize, report: &mut Report) -> bool {
    let parts = variants.saturating_mul(size);
    if parts > MOST_PARTS {
        let title = format!("{variants} variants of {size} services and clients are too many");
        let most = keys::grouped(MOST_PARTS as u64);
        let help = format!("at most {most} services and clients in all variants together");
        report.error(Span::new(0, &(0..0)), Problem::new(title, "").help(help));
    }
    parts <= MOST_PARTS
}

/// Warns of what no variant uses.
fn unused(root: &Table, notes: &build::Notes, report: &mut Report) {
    let sections = [
        ("service", &notes.called, "nobody calls service", "name it in `calls`, or leave it out"),
        (
            "retry",
            &notes.policies,
            "nobody uses retry policy",
            "name it in `retry`, or leave it out",
        ),
        (
            "budget",
            &notes.budgets,
            "nobody uses budget",
            "name it in a policy's `budget`, or leave it out",
        ),
    ];
    for (section, used, what, help) in sections {
        for entry in root.section(section) {
            if !used.contains(&*entry.key) {
                let problem =
                    Problem::new(format!("{what} `{}`", entry.key), "not used").help(help);
                report.warning(entry.key_span, problem);
            }
        }
    }
    notes.layers.warn(report);
    load::warn(notes, report);
}

/// A scenario to start from, with comments; it reads without a warning.
pub fn starter() -> &'static str {
    include_str!("scenario/starter.toml")
}

#[cfg(test)]
mod tests;
