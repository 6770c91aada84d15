//! What is wrong with a scenario, shown with the place: in rustc's look for
//! people, as JSON for programs. The report collects it.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::report::{Met, Problem};
use super::text::{Source, Span};

/// Lines with more bytes than this are named, not shown.
const LONGEST_EXCERPT: usize = 4_000;

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

/// One thing that is wrong or suspicious, and where.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub(super) severity: Severity,
    pub(super) problem: Problem,
    pub(super) span: Span,
    /// The variants that meet it, if not all do.
    pub(super) met: Option<Met>,
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

    /// The variant in which it is so, if it is not so in all.
    pub fn variant(&self) -> Option<&str> {
        self.met.as_ref().map(|met| met.first.as_str())
    }

    fn note(&self) -> Option<String> {
        let met = self.met.as_ref()?;
        Some(match met.count {
            1 => format!("in variant `{}`", met.first),
            2 => format!("in variant `{}` and in another", met.first),
            more => format!("in variant `{}` and {} others", met.first, more - 1),
        })
    }
}

/// Everything that is wrong or suspicious with a scenario, in the order of the
/// text, the file before the options.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub(super) sources: Vec<Source>,
    pub(super) list: Vec<Diagnostic>,
    /// How many more there were than are kept.
    pub(super) unshown: usize,
}

impl Diagnostics {
    /// One error about a whole file that could not be read as text.
    pub(super) fn about_file(file: &str, text: &str, at: usize, problem: Problem) -> Self {
        let span = Span::new(0, &(at..at));
        let list = vec![Diagnostic { severity: Severity::Error, problem, span, met: None }];
        Self { sources: vec![Source::new(file, text)], list, unshown: 0 }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether nothing else is wrong than that data files cannot be read.
    pub fn only_unreadable(&self) -> bool {
        let mut errors = self.list.iter().filter(|one| one.severity == Severity::Error).peekable();
        errors.peek().is_some() && self.unshown == 0 && errors.all(|one| one.problem.unreadable)
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
        let one = |diagnostic| format!("{}\n", self.render_one(&renderer, diagnostic));
        let mut parts: Vec<String> = self.list.iter().map(one).collect();
        if self.unshown > 0 {
            parts.push(format!("... and {} more\n", self.unshown));
        }
        parts.join("\n")
    }

    fn render_one(&self, renderer: &Renderer, diagnostic: &Diagnostic) -> String {
        let place = self.sources[diagnostic.span.source()].place(diagnostic.span);
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let problem = &diagnostic.problem;
        let title = level.primary_title(problem.title.as_str());
        let mut group = if place.excerpt.len() > LONGEST_EXCERPT {
            let origin = Origin::path(place.origin).line(place.line).char_column(place.column);
            title.element(origin).element(Level::NOTE.message("the line is too long to show"))
        } else {
            let annotation = AnnotationKind::Primary.span(place.within);
            let snippet = Snippet::source(place.excerpt)
                .line_start(place.line)
                .path(place.origin)
                .annotation(annotation.label(problem.label.as_str()));
            title.element(snippet)
        };
        if let Some(note) = diagnostic.note() {
            group = group.element(Level::NOTE.message(note));
        }
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// For programs: an array of objects with `severity`, `message`, `label`,
    /// `file`, `line`, `column` (both from 1, the column in characters), `help`
    /// and `variant` (null if there is none).
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
                "variant": diagnostic.variant(),
            })
        };
        self.list.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Report;
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

    /// One line of a hostile file may be all of it.
    #[test]
    fn a_line_that_is_too_long_is_named() {
        let mut report = Report::default();
        let file = report.source("a.toml", &format!("\n{} wrong", "x".repeat(LONGEST_EXCERPT)));
        report.error(Span::new(file, &(4_002..4_007)), Problem::new("a wrong word", "here"));
        let expected = "\
error: a wrong word
--> a.toml:2:4002
 = note: the line is too long to show
";
        assert_eq!(report.finish().render(false), expected);
    }

    #[test]
    fn programs_get_the_same_as_json() {
        let json = sample().to_json();
        assert_eq!(json[1]["message"], "unknown key `jiter`");
        assert_eq!((&json[1]["line"], &json[1]["column"]), (&2.into(), &1.into()));
        assert_eq!(json[0]["severity"], "warning");
        assert_eq!(json[0]["help"], serde_json::Value::Null);
    }
}
