//! A table of the tree, read through the table of keys: typed values, with
//! the defaults that the keys name. What is wrong with a value by itself was
//! reported before; here it simply is not there.

use std::cell::Cell;

use super::keys::{Fallback, Key, Kind, Section};
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{Node, Table, Value};
use super::values::{self, Choice, lists};
use crate::policy::Method;
use crate::time::Duration;

/// A table, the keys it may have, and the table that stands behind it.
#[derive(Clone)]
pub(super) struct View<'a> {
    section: &'static Section,
    table: &'a Table,
    behind: Option<&'a Table>,
    /// Where it begins.
    pub(super) span: Span,
    /// Whether something that was asked for is missing or wrong.
    broken: Cell<bool>,
}

impl<'a> View<'a> {
    /// A table of a section.
    pub(super) fn new(section: &'static Section, table: &'a Table, span: Span) -> Self {
        Self { section, table, behind: None, span, broken: Cell::new(false) }
    }

    /// The same on top of another table, which has what is missing here.
    pub(super) fn on(self, behind: &'a Table) -> Self {
        Self { behind: Some(behind), ..self }
    }

    /// The value of a key as typed.
    pub(super) fn node(&self, name: &str) -> Option<&'a Node> {
        let node = self.table.get(name).or_else(|| self.behind?.get(name));
        node.map(|node| &**node)
    }

    /// The values that a key takes.
    pub(super) fn kind(&self, name: &str) -> Option<&'static Kind> {
        self.section.key(name).map(|key| &key.kind)
    }

    /// Whether a key was typed.
    pub(super) fn has(&self, name: &str) -> bool {
        self.node(name).is_some()
    }

    /// The place of a key's value, or of the table if it has none.
    pub(super) fn span_of(&self, name: &str) -> Span {
        self.node(name).map_or(self.span, |node| node.span)
    }

    /// Whether all that was asked for so far is there and right, so that what
    /// is said of it together is no echo of another error.
    pub(super) fn is_sound(&self) -> bool {
        !self.broken.get()
    }

    /// Says that something in it is wrong.
    pub(super) fn set_broken(&self) {
        self.broken.set(true);
    }

    /// Reports that a key is missing, unless it is there.
    pub(super) fn require(&self, name: &str, example: &str, report: &mut Report) -> bool {
        let there = self.has(name);
        if !there {
            self.set_broken();
        }
        // The word for it is wrong, and reported already.
        let misnamed = name == "max_attempts" && self.has("retries");
        if !there && !misnamed {
            let title = format!("a {} needs `{name}`", self.section.name);
            let problem = Problem::new(title, format!("no `{name}`"));
            report.error(self.span, problem.help(format!("for example {example}")));
        }
        there
    }

    /// The key and its value, or its default.
    pub(super) fn typed(&self, name: &str) -> Option<(&'static Key, Node)> {
        let key = self.section.key(name)?;
        let node = self.node(name).cloned().or_else(|| default(key, self.span))?;
        Some((key, node))
    }

    /// What a value is read as; what is wrong with it was reported before.
    pub(super) fn read<T>(&self, read: Result<T, Problem>) -> Option<T> {
        if read.is_err() {
            self.set_broken();
        }
        read.ok()
    }

    /// A whole number; `None` for the word in its place.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        let (key, node) = self.typed(name)?;
        let Kind::Whole { min, max, word } = key.kind else { return None };
        self.read(values::whole(name, &node, (min, max), word)).flatten()
    }

    /// A number without unit.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let (key, node) = self.typed(name)?;
        let Kind::Number { min, max } = key.kind else { return None };
        self.read(values::number(name, &node, (min, max)))
    }

    /// A number in thousandths.
    pub(super) fn thousandths(&self, name: &str) -> Option<u64> {
        let (key, node) = self.typed(name)?;
        let Kind::Thousandths { max } = key.kind else { return None };
        self.read(values::thousandths(name, &node, max))
    }

    /// A length of time; `None` for the word in its place.
    pub(super) fn time(&self, name: &str) -> Option<Duration> {
        let (key, node) = self.typed(name)?;
        let Kind::Time { zero, word } = key.kind else { return None };
        self.read(values::time(name, &node, zero, word)).flatten()
    }

    /// A rate per second.
    pub(super) fn rate(&self, name: &str) -> Option<f64> {
        let (key, node) = self.typed(name)?;
        let Kind::Rate { zero } = key.kind else { return None };
        self.read(values::rate(name, &node, zero))
    }

    /// A share of attempts, from 0 to 1.
    pub(super) fn chance(&self, name: &str) -> Option<f64> {
        let (_, node) = self.typed(name)?;
        self.read(values::chance(name, &node))
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let (_, node) = self.typed(name)?;
        self.read(values::flag(name, &node))
    }

    /// One of the words of a key.
    pub(super) fn word(&self, name: &str) -> Option<&'static str> {
        let (key, node) = self.typed(name)?;
        let Kind::Word(words) = key.kind else { return None };
        self.read(values::word(name, &node, words))
    }

    /// A share, from 0 to 1.
    pub(super) fn share(&self, name: &str) -> Option<f64> {
        let (_, node) = self.typed(name)?;
        self.read(values::share(name, &node))
    }

    /// A method of HTTP.
    pub(super) fn method(&self, name: &str) -> Option<Method> {
        let (_, node) = self.typed(name)?;
        self.read(lists::method(name, &node))
    }

    /// The items of a list, each read by itself; `None` if it was not typed.
    pub(super) fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&Node) -> Result<T, Problem>,
    ) -> Option<Vec<T>> {
        let items = self.node(name)?.list();
        if items.is_none() {
            self.set_broken();
        }
        items?.iter().map(|item| self.read(read(item))).collect()
    }

    /// A word or a length of time; `None` if it is a table.
    pub(super) fn choice(&self, name: &str) -> Option<Choice> {
        let (key, node) = self.typed(name)?;
        let Kind::Choice { time, words, .. } = key.kind else { return None };
        if node.table().is_some() {
            return None;
        }
        self.read(values::choice(name, &node, time, words))
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (_, node) = self.typed(name)?;
        self.read(values::title(name, &node).map(str::to_owned))
    }

    /// The path of a data file.
    pub(super) fn file(&self, name: &str) -> Option<&'a str> {
        let node = self.node(name)?;
        self.read(values::file(name, node))
    }

    /// The table under a key, if one was typed.
    pub(super) fn inner(&self, name: &str, section: &'static Section) -> Option<Self> {
        let node = self.node(name)?;
        Some(View::new(section, node.table()?, node.span))
    }

    /// Takes over that something in a table under it is wrong.
    pub(super) fn take_over(&self, inner: &View<'_>) {
        if !inner.is_sound() {
            self.set_broken();
        }
    }

    /// Warns of a key that was typed and does nothing beside `word` of `by`.
    pub(super) fn idle(
        &self,
        name: &str,
        (by, word): (&str, &str),
        help: &str,
        report: &mut Report,
    ) {
        if self.has(name) {
            let title = format!("`{name}` has no effect with {by} = \"{word}\"");
            report.warning(self.span_of(name), Problem::new(title, "not used").help(help));
        }
    }
}

/// The value that holds when a key is left out.
pub(super) fn default(key: &Key, span: Span) -> Option<Node> {
    let Fallback::Value(text) = key.fallback else { return None };
    let value = match key.kind {
        Kind::Flag | Kind::True => Value::Flag(text == "true"),
        Kind::Number { .. } | Kind::Whole { .. } | Kind::Statuses(_) | Kind::Thousandths { .. } => {
            text.replace('_', "")
                .parse()
                .map_or_else(|_| Value::Text(text.to_owned()), Value::Integer)
        }
        _ => Value::Text(text.to_owned()),
    };
    Some(Node { span, value })
}

#[cfg(test)]
mod tests {
    use super::super::keys::sections;
    use super::*;

    /// A default that its own key refuses would be no default.
    #[test]
    fn every_default_is_a_value_of_its_key() {
        for key in sections().iter().flat_map(|section| section.keys) {
            let mut report = Report::default();
            let source = report.source("default", "");
            let span = Span::new(source, &(0..0));
            if let Some(node) = default(key, span) {
                super::super::check::value(key, &node, &mut report);
                assert!(!report.has_errors(), "{}: {:?}", key.name, report.finish().render(false));
            }
        }
    }
}
