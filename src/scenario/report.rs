//! Where the reader reports what is wrong while it reads: once for a place,
//! however many variants meet it, and never more than can be shown.

use std::collections::BTreeMap;
use std::ops::Range;

use super::diagnostics::{Diagnostic, Diagnostics, Severity};
use super::suggest::nearest;
use super::text::{Source, Span};

/// More diagnostics than this are counted, not kept: a file with so many
/// errors is not a scenario.
const MOST_SHOWN: usize = 200;

/// What is wrong, without the place: one sentence, a few words at the spot and
/// the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) title: String,
    pub(super) label: String,
    pub(super) help: Option<String>,
    /// The bytes of a text value that it is about; all of them if `None`.
    part: Option<Range<usize>>,
    /// Whether it is that a file cannot be read.
    pub(super) unreadable: bool,
}

impl Problem {
    /// A problem with a title and a label for the spot.
    pub(super) fn new(title: impl Into<String>, label: impl Into<String>) -> Self {
        let (title, label) = (title.into(), label.into());
        Self { title, label, help: None, part: None, unreadable: false }
    }

    /// The same, which is that a file cannot be read.
    pub(super) fn unreadable(self) -> Self {
        Self { unreadable: true, ..self }
    }

    /// The same, about these bytes of a text only.
    pub(super) fn at(self, part: Range<usize>) -> Self {
        Self { part: Some(part), ..self }
    }

    /// The same with a remedy.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same with a remedy, if there is one.
    pub(super) fn maybe_help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// Which variants meet a problem.
#[derive(Clone, Debug)]
pub(super) struct Met {
    /// The name of the first.
    pub(super) first: String,
    /// The number of the last.
    last: usize,
    /// How many.
    pub(super) count: usize,
}

impl Met {
    /// Counts one more variant that meets it; what is met outside of variants
    /// is no matter of a variant.
    fn again(met: &mut Option<Self>, in_variant: bool, number: usize) {
        match met {
            Some(met) if in_variant && met.last < number => {
                met.last = number;
                met.count += 1;
            }
            _ if !in_variant => *met = None,
            _ => {}
        }
    }
}

/// Diagnostics while they are collected.
#[derive(Debug, Default)]
pub(super) struct Report {
    sources: Vec<Source>,
    list: Vec<Diagnostic>,
    seen: BTreeMap<(Span, String), usize>,
    errors: usize,
    unshown: usize,
    /// The variant that is being built, where it is written, and how many have
    /// been built.
    variant: Option<String>,
    own: Vec<Span>,
    variants: usize,
}

impl Report {
    /// Adds a text, and gives its number for spans.
    pub(super) fn source(&mut self, origin: &str, text: &str) -> usize {
        self.sources.push(Source::new(origin, text));
        self.sources.len() - 1
    }

    /// Adds a piece of a longer text, from the start of line `first_line`.
    pub(super) fn excerpt(&mut self, origin: &str, first_line: usize, text: &str) -> usize {
        self.sources.push(Source::excerpt(origin, first_line, text));
        self.sources.len() - 1
    }

    /// The text number `source`.
    pub(super) fn text(&self, source: usize) -> &str {
        self.sources[source].text()
    }

    /// The line, from 1, in which a span starts.
    pub(super) fn line(&self, span: Span) -> usize {
        self.sources[span.source()].line(span)
    }

    /// What is reported from now on is met in this variant. What is written
    /// in its `own` places needs no word about that.
    pub(super) fn enter_variant(&mut self, name: &str, own: Vec<Span>) {
        self.variant = Some(name.to_owned());
        self.own = own;
        self.variants += 1;
    }

    /// What is reported from now on concerns the whole scenario.
    pub(super) fn leave_variants(&mut self) {
        self.variant = None;
    }

    /// Whether any error was reported.
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether more would only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MOST_SHOWN
    }

    /// The right word that is nearest to the one at `span`. The search takes
    /// its time, so it is left out where nothing more would be shown: in a
    /// flood, and where another variant reported the place.
    pub(super) fn nearest<'a>(
        &self,
        span: Span,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let mut reported = self.seen.range((span, String::new())..);
        let known = reported.next().is_some_and(|((at, _), _)| *at == span);
        if known || self.is_full() { None } else { nearest(word, candidates) }
    }

    /// Reports an error. The same one at the same place is reported once,
    /// though several variants meet it.
    pub(super) fn error(&mut self, span: Span, problem: Problem) {
        self.errors += 1;
        self.add(Severity::Error, span, problem);
    }

    /// Reports a warning, once for a place.
    pub(super) fn warning(&mut self, span: Span, problem: Problem) {
        self.add(Severity::Warning, span, problem);
    }

    fn add(&mut self, severity: Severity, span: Span, problem: Problem) {
        let key = (span, problem.title.clone());
        if let Some(&before) = self.seen.get(&key) {
            Met::again(&mut self.list[before].met, self.variant.is_some(), self.variants);
            return;
        }
        if self.is_full() {
            self.unshown += 1;
            return;
        }
        let own = self.own.iter().any(|own| own.contains(span));
        let first = self.variant.clone().filter(|_| !own);
        let met = first.map(|first| Met { first, last: self.variants, count: 1 });
        self.seen.insert(key, self.list.len());
        self.list.push(Diagnostic { severity, problem, span, met });
    }

    /// All of it, in the order of the text.
    pub(super) fn finish(mut self) -> Diagnostics {
        for diagnostic in &mut self.list {
            // What all variants meet is no matter of a variant.
            diagnostic.met = diagnostic.met.take().filter(|met| met.count < self.variants);
            if let Some(part) = &diagnostic.problem.part {
                diagnostic.span =
                    self.sources[diagnostic.span.source()].part(diagnostic.span, part);
            }
        }
        self.list.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        Diagnostics { sources: self.sources, list: self.list, unshown: self.unshown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted() {
        let mut report = Report::default();
        let file = report.source("a.toml", &"x".repeat(1_000));
        for i in 0..1_000 {
            report.error(Span::new(file, &(i..i + 1)), Problem::new("wrong", "here"));
        }
        let all = report.finish();
        assert_eq!((all.len(), all.iter().count()), (1_000, MOST_SHOWN));
        assert!(all.render(false).ends_with("... and 800 more\n"));
    }

    #[test]
    fn says_in_which_variants_it_is_so() {
        let mut report = Report::default();
        let file = report.source("a.toml", "abc");
        let span = |at: usize| Span::new(file, &(at..at + 1));
        for variant in ["one", "two", "three"] {
            report.enter_variant(variant, vec![span(2)]);
            report.error(span(0), Problem::new("in all", ""));
            if variant != "one" {
                report.error(span(1), Problem::new("in some", ""));
                report.error(span(2), Problem::new("in its own words", ""));
            }
        }
        let all = report.finish();
        let variants: Vec<_> = all.iter().map(Diagnostic::variant).collect();
        assert_eq!(variants, [None, Some("two"), None]);
        assert!(all.render(false).contains("in variant `two` and in another"));
    }
}
