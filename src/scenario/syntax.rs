//! From text to tree: TOML, with all syntax errors together.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::diagnostics::{Diagnostics, Problem, Report};
use super::quantity::TIME_UNITS;
use super::text::Span;
use super::tree::{self, Node, Table, Value};

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
    // What follows the first error of a line is most often its echo.
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

/// The value that was typed behind `PATH=` in an option, `offset` bytes into
/// text number `source`: TOML, or a text without its quotes.
pub(super) fn option_value(source: usize, offset: usize, report: &mut Report) -> Node {
    let whole = report.text(source)[offset..].to_owned();
    let typed = whole.trim();
    let offset = offset + whole.len() - whole.trim_start().len();
    let span = Span::new(source, &(offset..offset + typed.len()));
    let quoted = typed.starts_with(['[', '{', '"', '\'']);
    match DeValue::parse(typed) {
        Ok(parsed) => tree::node(&parsed, source, offset),
        Err(error) if quoted => {
            let range = error.span().unwrap_or(0..typed.len());
            let problem = syntax_problem(error.message(), typed.get(range.clone()).unwrap_or(""));
            report.error(span.part(&range), problem);
            Node { span, value: Value::Text(String::new()) }
        }
        Err(_) => Node { span, value: Value::Text(typed.to_owned()) },
    }
}

fn syntax_problem(message: &str, found: &str) -> Problem {
    let message = message.trim_end_matches(", expected nothing");
    let problem = Problem::new(format!("not valid TOML: {message}"), "here");
    let number = found.trim_start_matches(|c: char| c.is_ascii_digit() || "._+- ".contains(c));
    let is_unit = TIME_UNITS.iter().any(|(unit, _)| *unit == number)
        || number == "%"
        || number.starts_with('/');
    if is_unit && number.len() < found.len() {
        return problem.help(format!("a quantity is written in quotes: \"{found}\""));
    }
    let word = !found.is_empty() && found.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if message.starts_with("string values must be quoted") && word {
        return problem.help(format!("write \"{found}\""));
    }
    problem
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
            tree::inline(&option_value(source, 2, &mut report))
        };
        assert_eq!(read("a=constant"), "constant");
        assert_eq!(read("a=10 ms"), "10 ms");
        assert_eq!(read("a= 1_000 "), "1000");
        assert_eq!(read("a={ x = 1 }"), "{ x = 1 }");
        assert_eq!(read("a=\"3\""), "3");
        assert!(!report.has_errors());
        let source = report.source("--set", "a=[1,");
        option_value(source, 2, &mut report);
        assert!(report.has_errors());
    }
}
