//! What is wrong with a scenario, collected and shown with the place.
//!
//! The reader reports into a [`Report`]; a caller gets [`Diagnostics`], in the
//! order of the text, as rustc's look for people or as JSON for programs.

use std::collections::BTreeSet;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::text::{Source, Span};

/// More diagnostics than this are counted, not shown: a file with so many
/// errors is not a scenario.
const MOST_SHOWN: usize = 200;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scenario cannot run.
    Error,
    /// It can run, but probably does not do what was meant.
    Warning,
}

impl Severity {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What is wrong, without the place: one sentence, a few words at the spot and
/// the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    title: String,
    label: String,
    help: Option<String>,
}

impl Problem {
    /// A problem with a title and a label for the spot.
    pub(super) fn new(title: impl Into<String>, label: impl Into<String>) -> Self {
        Self { title: title.into(), label: label.into(), help: None }
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

/// One thing that is wrong or suspicious, and where.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    severity: Severity,
    problem: Problem,
    span: Span,
}

impl Diagnostic {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.problem.title
    }

    /// The remedy, if there is one to name.
    pub fn help(&self) -> Option<&str> {
        self.problem.help.as_deref()
    }
}

/// Everything that is wrong or suspicious with a scenario, in the order of the
/// text, the file before the options.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    sources: Vec<Source>,
    list: Vec<Diagnostic>,
    unshown: usize,
}

impl Diagnostics {
    /// One error about a whole file that could not be read as text.
    pub(super) fn about_file(file: &str, text: &str, at: usize, problem: Problem) -> Self {
        let span = Span::new(0, &(at..at));
        let list = vec![Diagnostic { severity: Severity::Error, problem, span }];
        Self { sources: vec![Source::new(file, text)], list, unshown: 0 }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are, those that are not shown included.
    pub fn len(&self) -> usize {
        self.list.len() + self.unshown
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// For people: rustc's look, each with its lines and the spot, with a
    /// blank line between them. Without colour it is plain ASCII around the
    /// quoted text. Ends with a line break unless there is nothing to say.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        for diagnostic in &self.list {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&self.render_one(&renderer, diagnostic));
            text.push('\n');
        }
        if self.unshown > 0 {
            text.push_str(&format!("\n... and {} more\n", self.unshown));
        }
        text
    }

    fn render_one(&self, renderer: &Renderer, diagnostic: &Diagnostic) -> String {
        let place = self.sources[diagnostic.span.source()].place(diagnostic.span);
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let problem = &diagnostic.problem;
        let annotation = AnnotationKind::Primary.span(place.within).label(problem.label.as_str());
        let snippet = Snippet::source(place.excerpt)
            .line_start(place.line)
            .path(place.origin)
            .annotation(annotation);
        let mut group = level.primary_title(problem.title.as_str()).element(snippet);
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// For programs: an array of objects with `severity`, `message`, `label`,
    /// `file`, `line`, `column` (both from 1, the column in characters) and
    /// `help` (null if there is none).
    pub fn to_json(&self) -> serde_json::Value {
        let object = |diagnostic: &Diagnostic| {
            let place = self.sources[diagnostic.span.source()].place(diagnostic.span);
            serde_json::json!({
                "severity": diagnostic.severity.word(),
                "message": diagnostic.problem.title,
                "label": diagnostic.problem.label,
                "file": place.origin,
                "line": place.line,
                "column": place.column,
                "help": diagnostic.problem.help,
            })
        };
        self.list.iter().map(object).collect()
    }
}

/// Diagnostics while they are collected.
#[derive(Debug, Default)]
pub(super) struct Report {
    sources: Vec<Source>,
    list: Vec<Diagnostic>,
    seen: BTreeSet<(Span, String)>,
    errors: usize,
    unshown: usize,
}

impl Report {
    /// Adds a text, and gives its number for spans.
    pub(super) fn source(&mut self, origin: &str, text: &str) -> usize {
        self.sources.push(Source::new(origin, text));
        self.sources.len() - 1
    }

    /// The text number `source`.
    pub(super) fn text(&self, source: usize) -> &str {
        self.sources[source].text()
    }

    /// The line, from 1, in which a span starts.
    pub(super) fn line(&self, span: Span) -> usize {
        self.sources[span.source()].place(span).line
    }

    /// Whether any error was reported.
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether more would only be counted: time to stop searching for words
    /// to suggest.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MOST_SHOWN
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
        if self.seen.contains(&(span, problem.title.clone())) {
            return;
        }
        if self.is_full() {
            self.unshown += 1;
            return;
        }
        self.seen.insert((span, problem.title.clone()));
        self.list.push(Diagnostic { severity, problem, span });
    }

    /// All of it, in the order of the text.
    pub(super) fn finish(mut self) -> Diagnostics {
        self.list.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        Diagnostics { sources: self.sources, list: self.list, unshown: self.unshown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Diagnostics {
        let mut report = Report::default();
        let file = report.source("scenarios/storm.toml", "name = 1\njiter = \"full\"\n");
        let at = Span::new(file, &(9..14));
        let problem = || Problem::new("unknown key `jiter`", "unknown key");
        report.error(at, problem().help("a key with a similar name exists: `jitter`"));
        report.error(at, problem());
        report.warning(Span::new(file, &(0..4)), Problem::new("odd name", "here"));
        assert!(report.has_errors());
        report.finish()
    }

    #[test]
    fn looks_like_rustc_and_comes_in_the_order_of_the_text() {
        let expected = "\
warning: odd name
 --> scenarios/storm.toml:1:1
  |
1 | name = 1
  | ^^^^ here

error: unknown key `jiter`
 --> scenarios/storm.toml:2:1
  |
2 | jiter = \"full\"
  | ^^^^^ unknown key
  |
  = help: a key with a similar name exists: `jitter`
";
        assert_eq!(sample().render(false), expected);
        assert!(sample().render(true).contains("\u{1b}["));
    }

    #[test]
    fn programs_get_the_same_as_json() {
        let json = sample().to_json();
        assert_eq!(json[1]["message"], "unknown key `jiter`");
        assert_eq!((&json[1]["line"], &json[1]["column"]), (&2.into(), &1.into()));
        assert_eq!(json[0]["severity"], "warning");
        assert_eq!(json[0]["help"], serde_json::Value::Null);
    }

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
}
