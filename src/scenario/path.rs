//! Dotted paths: one names any setting, `service.database.workers`.
//!
//! A path is looked up in the table of keys, which says what values the
//! setting takes, and walked in the tree to change it there. A path that goes
//! through a name (`service.gateway.retry.max_attempts` where `retry` is
//! `"three"`) gives that user a copy of its own, which still stands on what
//! the name means in the end.

use std::rc::Rc;

use super::check;
use super::keys::{Key, Kind, ROOT, Section};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Node, Table, Value};
use super::values::short;

/// A path as typed.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// All of it.
    pub(super) text: String,
    /// Where it stands.
    pub(super) span: Span,
    parts: Vec<(String, Span)>,
}

/// A setting and the value it gets.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) path: Path,
    pub(super) node: Rc<Node>,
}

/// What a path names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// A key.
    Key(&'static Key),
    /// A whole table with a name.
    Table(&'static Section),
}

impl Path {
    /// A path that stands at `span`, in quotes or not.
    pub(super) fn new(text: &str, span: Span) -> Self {
        let quotes = span.len().saturating_sub(text.len()) / 2;
        let mut start = quotes;
        let mut parts = Vec::new();
        for part in text.split('.') {
            let trimmed = part.trim();
            let at = start + part.len() - part.trim_start().len();
            parts.push((trimmed.to_owned(), span.part(&(at..at + trimmed.len()))));
            start += part.len() + 1;
        }
        let names: Vec<_> = parts.iter().map(|(name, _)| name.as_str()).collect();
        Self { text: names.join("."), span, parts }
    }

    /// How many names it has.
    pub(super) fn depth(&self) -> usize {
        self.parts.len()
    }

    /// Its last name.
    pub(super) fn last(&self) -> &str {
        self.parts.last().map_or("", |(name, _)| name)
    }

    /// What it names. Whether the tables on the way exist is seen when it is
    /// applied.
    pub(super) fn locate(&self) -> Result<Target, Wrong> {
        let mut section = &ROOT;
        let mut at = 0;
        loop {
            let (name, span) = &self.parts[at];
            let wrong = |problem| Err((*span, problem));
            if name.is_empty() {
                let problem = Problem::new("a path has an empty part", "no name");
                return wrong(problem.help("a path looks like service.database.workers"));
            }
            let Some(key) = section.key(name) else {
                return wrong(check::unknown_key(section, name));
            };
            at += 1;
            let last = at == self.parts.len();
            match key.kind {
                Kind::Later(_) => return wrong(check::unsupported(key)),
                Kind::Rows(_) | Kind::Lists if at == 1 => return wrong(self.not_a_setting(name)),
                Kind::Named(_) if last => return wrong(self.unfinished(name)),
                Kind::Named(inner) => {
                    let (name, span) = &self.parts[at];
                    if let Some(problem) = check::name(inner, name) {
                        return Err((*span, problem));
                    }
                    at += 1;
                    if at == self.parts.len() {
                        return Ok(Target::Table(inner));
                    }
                    section = inner;
                }
                _ if last => return Ok(Target::Key(key)),
                Kind::Calls => return wrong(single_call(name)),
                Kind::Rows(_) | Kind::Profile(_) => return wrong(list(name)),
                _ => {
                    let next = &self.parts[at].0;
                    let known = key.sections().find(|inner| inner.key(next).is_some());
                    match known.or_else(|| key.sections().next()) {
                        Some(inner) => section = inner,
                        None => return wrong(no_parts(key)),
                    }
                }
            }
        }
    }

    fn not_a_setting(&self, name: &str) -> Problem {
        Problem::new(format!("`{}` is not a setting", short(&self.text)), "not a setting")
            .help(format!("`{name}` lists runs or demands; no path leads into it"))
    }

    fn unfinished(&self, name: &str) -> Problem {
        Problem::new(format!("the path `{}` stops too early", short(&self.text)), "which one?")
            .help(format!("a path names one setting: {name}.NAME.KEY"))
    }

    fn no_table(&self, section: &Section) -> Problem {
        let title = format!("`{}` is a whole {}", short(&self.text), section.name);
        let help = format!("give it a table, or name one of its keys: {}.KEY", self.text);
        Problem::new(title, "not a table").help(help)
    }

    /// Puts a value there.
    pub(super) fn assign(&self, root: &mut Table, node: &Rc<Node>, report: &mut Report) {
        if let Err((span, problem)) = self.assign_in(root, 0, node, report) {
            report.error(span, problem);
        }
    }

    fn assign_in(
        &self,
        table: &mut Table,
        at: usize,
        node: &Rc<Node>,
        report: &Report,
    ) -> Result<(), Wrong> {
        let (name, span) = &self.parts[at];
        if at + 1 == self.parts.len() {
            table.insert(name, *span, Rc::clone(node));
            return Ok(());
        }
        if at == 0 && self.parts.len() == 2 && table.get(name).is_none() {
            let empty = Node { span: *span, value: Value::Table(Table::default()) };
            table.insert(name, *span, Rc::new(empty));
        }
        if table.get(name).is_none() {
            return Err((*span, self.missing(table, at, report)));
        }
        let Some(inner) = table.get_mut(name) else { return Ok(()) };
        // Copied only if it is still shared with the tree of the file.
        let inner = Rc::make_mut(inner);
        if let Some(problem) = self.make_table(inner, at) {
            return Err((*span, problem));
        }
        match &mut inner.value {
            Value::Table(below) => self.assign_in(below, at + 1, node, report),
            _ => Ok(()),
        }
    }

    /// Makes a policy's name a table that stands on what it names.
    fn make_table(&self, node: &mut Node, at: usize) -> Option<Problem> {
        let whole: Vec<_> = self.parts[..=at].iter().map(|(name, _)| name.as_str()).collect();
        let whole = whole.join(".");
        match &node.value {
            Value::Table(_) => None,
            Value::Text(text) if self.parts[at].0 == "retry" && text != "never" => {
                let name = Rc::new(node.clone());
                node.value = Value::Table(Table::on(name));
                None
            }
            _ => {
                let shown = match &node.value {
                    Value::Text(text) => format!("\"{}\"", short(text)),
                    _ => node.kind().to_owned(),
                };
                let problem =
                    Problem::new(format!("`{whole}` is {shown}, not a table"), "not a table");
                Some(problem.help(format!("set `{whole}` as a whole")))
            }
        }
    }

    fn missing(&self, table: &Table, at: usize, report: &Report) -> Problem {
        let (name, span) = &self.parts[at];
        if at == 1 {
            let section = ROOT.key(&self.parts[0].0).and_then(|key| key.sections().next());
            return unknown_name(
                section.map_or("name", |section| section.name),
                table,
                name,
                *span,
                report,
            );
        }
        let owner: Vec<_> = self.parts[..at].iter().map(|(name, _)| name.as_str()).collect();
        let owner = owner.join(".");
        if owner.is_empty() {
            return Problem::new(format!("there is no `{name}` here"), "no such table");
        }
        let example = if name == "retry" { ", to { max_attempts = 3 } or the like" } else { "" };
        Problem::new(format!("`{owner}` has no `{name}` to change"), format!("no `{name}` here"))
            .help(format!("set `{owner}.{name}` as a whole first{example}"))
    }
}

/// The error that a table has nothing of this name.
fn unknown_name(kind: &str, table: &Table, name: &str, span: Span, report: &Report) -> Problem {
    const FEW: usize = 6;
    let names = || table.entries().iter().map(|entry| &*entry.key);
    let help = match report.nearest(span, name, names()) {
        Some(near) => Some(format!("a {kind} with a similar name exists: `{near}`")),
        None if table.entries().len() <= FEW => {
            Some(format!("what exists: {}", names().collect::<Vec<_>>().join(", ")))
        }
        None => None,
    };
    Problem::new(format!("unknown {kind} `{}`", short(name)), format!("unknown {kind}"))
        .maybe_help(help)
}

fn no_parts(key: &Key) -> Problem {
    let help = match key.kind {
        Kind::Name(section) | Kind::Target(section) => {
            Some(format!("set {section}.NAME.KEY instead"))
        }
        _ => None,
    };
    let title = format!("`{}` has no settings of its own", key.name);
    Problem::new(title, "the path ends here").maybe_help(help)
}

fn list(name: &str) -> Problem {
    Problem::new(format!("no path leads into the list `{name}`"), "a list")
        .help(format!("set `{name}` as a whole"))
}

fn single_call(name: &str) -> Problem {
    Problem::new("settings of a single call are not yet supported", "not yet supported")
        .help(format!("set `{name}` as a whole"))
}

/// A problem and where it is.
pub(super) type Wrong = (Span, Problem);

impl Change {
    /// A change, if its path names a setting. Reports what is wrong with the
    /// path and with the value by itself.
    pub(super) fn new(path: Path, node: &Rc<Node>, report: &mut Report) -> Option<Self> {
        match path.locate() {
            Err((span, problem)) => {
                report.error(span, problem);
                return None;
            }
            Ok(Target::Key(key)) => check::value(key, node, report),
            Ok(Target::Table(section)) => {
                let Some(table) = node.table() else {
                    report.error(node.span, path.no_table(section));
                    return None;
                };
                check::table(section, table, report);
            }
        }
        Some(Self { path, node: Rc::clone(node) })
    }
}

/// Applies changes to a tree, a table before its parts, so that the order in
/// which they were typed does not matter.
pub(super) fn apply<'a>(
    root: &mut Table,
    changes: impl IntoIterator<Item = &'a Rc<Change>>,
    report: &mut Report,
) {
    let mut changes: Vec<_> = changes.into_iter().collect();
    changes.sort_by_key(|change| change.path.depth());
    for change in changes {
        change.path.assign(root, &change.node, report);
    }
}
