//! From text to tree: TOML, with all syntax errors together.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::diagnostics::Diagnostics;
use super::quantity::TIME_UNITS;
use super::report::{Problem, Report};
use super::text::Span;
use super::tree::{self, Node, Table, Value};
use super::values::short;

/// The longest scenario file, in bytes. A scenario of all 10,000 services that
/// are allowed has about 1 MB.
pub const LONGEST_FILE: usize = 4 * 1024 * 1024;

/// In a longer file only the first syntax error is reported: a file of
/// nothing else would fill the memory with them.
const LONGEST_WITH_ALL_ERRORS: usize = 256 * 1024;

/// The text of a file's bytes, without a byte order mark.
///
/// # Errors
/// If they are too many or not UTF-8.
pub fn decode<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Diagnostics> {
    if bytes.len() > LONGEST_FILE {
        return Err(too_long(file));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        // The good part ends where the bad byte is, so the place is right.
        let good = std::str::from_utf8(&bytes[..at]).unwrap_or("");
        let problem = Problem::new(
            format!("the file is not text: byte {:#04x} at {at} is not UTF-8", bytes[at]),
            "not UTF-8 from here on",
        )
        .help("a scenario is a TOML file, saved as UTF-8");
        Diagnostics::about_file(file, good, at, problem)
    })
}

/// The error about a file that is too long.
pub(super) fn too_long(file: &str) -> Diagnostics {
    let title = format!("the file is longer than {} MB", LONGEST_FILE / 1024 / 1024);
    let problem = Problem::new(title, "not read")
        .help("a scenario describes clients and services; keep data in files of their own");
    Diagnostics::about_file(file, "", 0, problem)
}

/// Parses text number `source` of the report. Syntax errors go into it.
pub(super) fn document(source: usize, report: &mut Report) -> Table {
    let text = report.text(source).to_owned();
    let (table, mut errors) = if text.len() > LONGEST_WITH_ALL_ERRORS {
        match DeTable::parse(&text) {
            Ok(parsed) => (tree::table(parsed.get_ref(), source, 0), Vec::new()),
            Err(error) => (Table::default(), vec![error]),
        }
    } else {
        let (parsed, errors) = DeTable::parse_recoverable(&text);
        (tree::table(parsed.get_ref(), source, 0), errors)
    };
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    // What follows an open bracket is read as its content, and is no error of
    // its own; what follows the first error of a line is most often its echo.
    let open = errors.iter().any(|error| error.message().starts_with("unclosed"));
    let open = if open { unclosed(&table, &text) } else { None };
    if let Some(start) = open {
        errors.retain(|error| error.span().is_some_and(|span| span.start < start));
        let problem = Problem::new("not valid TOML: a bracket that is not closed", "opened here");
        report.error(Span::new(source, &(start..start + 1)), problem);
    }
    let mut lines = BTreeSet::new();
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let span = Span::new(source, &range);
        if lines.insert(report.line(span)) {
            report.error(span, syntax_problem(error.message(), text.get(range).unwrap_or("")));
        }
    }
    table
}

/// Where the list or inline table begins that goes on to the end of the text.
fn unclosed(table: &Table, text: &str) -> Option<usize> {
    let values = table.entries().iter().map(|entry| &entry.node);
    let mut rest: Vec<&Node> = values.map(|node| &**node).collect();
    let mut first = None;
    while let Some(node) = rest.pop() {
        match &node.value {
            Value::List(items) => rest.extend(items.iter().map(|item| &**item)),
            Value::Table(inner) => rest.extend(inner.entries().iter().map(|entry| &*entry.node)),
            _ => continue,
        }
        let range = node.span.range();
        let bracket = text[range.clone()].starts_with(['[', '{'])
            && !text[range.clone()].ends_with([']', '}']);
        if bracket && text[range.end..].trim().is_empty() {
            first = Some(first.map_or(range.start, |first: usize| first.min(range.start)));
        }
    }
    first
}

/// The value that was typed behind `PATH=` in an option, `offset` bytes into
/// text number `source`: TOML, or a text without its quotes.
/// `None` after an error.
pub(super) fn option_value(source: usize, offset: usize, report: &mut Report) -> Option<Node> {
    let whole = report.text(source)[offset..].to_owned();
    let typed = whole.trim();
    let offset = offset + whole.len() - whole.trim_start().len();
    let span = Span::new(source, &(offset..offset + typed.len()));
    let quoted = typed.starts_with(['[', '{', '"', '\'']);
    match DeValue::parse(typed) {
        Ok(parsed) => Some(tree::node(&parsed, source, offset)),
        Err(error) if quoted => {
            let range = error.span().unwrap_or(0..typed.len());
            let problem = syntax_problem(error.message(), typed.get(range.clone()).unwrap_or(""));
            report.error(span.part(&range), problem);
            None
        }
        Err(_) => Some(Node { span, value: Value::Text(typed.to_owned()) }),
    }
}

/// The parser's message in words for a person who writes scenarios.
fn syntax_problem(message: &str, found: &str) -> Problem {
    let problem = |what: &str, label: &str| Problem::new(format!("not valid TOML: {what}"), label);
    let unit = found.trim_start_matches(|c: char| c.is_ascii_digit() || "._+- ".contains(c));
    let is_unit =
        TIME_UNITS.iter().any(|(name, _)| *name == unit) || unit == "%" || unit.starts_with('/');
    if is_unit && unit.len() < found.len() {
        return problem("a quantity without quotes", "a number and a unit")
            .help(format!("write it in quotes: \"{found}\""));
    }
    let letters = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let word = found.starts_with(|c: char| c.is_ascii_alphabetic()) && found.bytes().all(letters);
    if word && (message.starts_with("invalid") || message.starts_with("string values")) {
        return problem("a text without quotes", "a text").help(format!("write \"{found}\""));
    }
    if message == "duplicate key" {
        let title = format!("`{}` is given twice", short(found));
        return problem(&title, "given before").help("keep one of the two");
    }
    if message.starts_with("invalid") && message.contains("string, expected") {
        return problem("a text without its closing quote", "it goes on to here");
    }
    problem(message.trim_end_matches(", expected nothing"), "here")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let mut report = Report::default();
        let source = report.source("a.toml", text);
        document(source, &mut report);
        report.finish().iter().map(|error| error.message().to_owned()).collect()
    }

    #[test]
    fn all_syntax_errors_come_together_one_for_a_line() {
        assert_eq!(errors("a = 10 ms\nb = 1\nc = \nd = 'x\n").len(), 3);
    }

    #[test]
    fn a_long_broken_file_gets_one_error() {
        assert_eq!(errors(&"=\n".repeat(LONGEST_WITH_ALL_ERRORS)).len(), 1);
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let broken = decode("a.toml", b"a = 1\nb = \"\xff\"").expect_err("not UTF-8");
        let shown = broken.render(false);
        assert!(shown.contains("byte 0xff at 11") && shown.contains("a.toml:2:6"), "{shown}");
        assert_eq!(decode("a.toml", b"\xef\xbb\xbfa = 1").expect("UTF-8"), "a = 1");
        assert!(decode("a.toml", &vec![b'#'; LONGEST_FILE + 1]).is_err());
    }

    #[test]
    fn an_option_needs_no_quotes() {
        let mut report = Report::default();
        let mut read = |text: &str| {
            let source = report.source("--set", text);
            tree::inline(&option_value(source, 2, &mut report).expect("no broken TOML"))
        };
        assert_eq!(read("a=constant"), "constant");
        assert_eq!(read("a=10 ms"), "10 ms");
        assert_eq!(read("a= 1_000 "), "1000");
        assert_eq!(read("a={ x = 1 }"), "{ x = 1 }");
        assert_eq!(read("a=\"3\""), "3");
        assert!(!report.has_errors());
        let source = report.source("--set", "a=[1,");
        assert!(option_value(source, 2, &mut report).is_none());
        assert!(report.has_errors());
    }
}
