//! Texts that a scenario is read from (the file, and each `--set`) and places
//! in them. What is wrong with a place is the diagnostics' business.

use std::ops::Range;

/// A piece of one of the texts, in bytes. Spans order as a person reads: the
/// file first, then the options in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    source: u32,
    start: u32,
    end: u32,
}

/// One text and what messages call it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    origin: String,
    text: String,
    /// The number of its first line, from 1.
    first_line: usize,
    /// The byte at which each line starts.
    lines: Vec<u32>,
}

/// Where a span lies, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// The name of the text.
    pub(super) origin: &'a str,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The character in that line, from 1.
    pub(super) column: usize,
    /// The lines that the span touches, at most [`Source::SHOWN_LINES`].
    pub(super) excerpt: &'a str,
    /// The span inside of the excerpt.
    pub(super) within: Range<usize>,
}

impl Span {
    /// A piece of text number `source`.
    pub(super) fn new(source: usize, range: &Range<usize>) -> Self {
        Self { source: source as u32, start: range.start as u32, end: range.end as u32 }
    }

    /// The number of its text.
    pub(super) fn source(self) -> usize {
        self.source as usize
    }

    /// Whether another one lies in it.
    pub(super) fn contains(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// Its bytes.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many bytes it has.
    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The part `range` of it, in bytes from its start.
    pub(super) fn part(self, range: &Range<usize>) -> Self {
        let at = |offset: usize| self.end.min(self.start + offset as u32);
        Self { source: self.source, start: at(range.start), end: at(range.end) }
    }
}

impl Source {
    /// A span over more lines than this is shown by its first line.
    const SHOWN_LINES: usize = 6;

    /// A text called `origin`.
    pub(super) fn new(origin: &str, text: &str) -> Self {
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
        Self { origin: origin.to_owned(), text: text.to_owned(), first_line: 1, lines }
    }

    /// A piece of a longer text, from the start of a line.
    pub(super) fn excerpt(origin: &str, first_line: usize, text: &str) -> Self {
        Self { first_line, ..Self::new(origin, text) }
    }

    /// The text itself.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The part `range` of a text value that stands at a span, in quotes or
    /// not; all of it where escapes make bytes of the value and bytes of the
    /// source differ.
    pub(super) fn part(&self, span: Span, range: &Range<usize>) -> Span {
        let typed = self.text.get(span.range()).unwrap_or("");
        let quotes = usize::from(typed.starts_with(['"', '\'']));
        if typed.contains('\\') || typed.starts_with("\"\"\"") || typed.starts_with("'''") {
            return span;
        }
        span.part(&(range.start + quotes..range.end + quotes))
    }

    /// The line, from 1, in which a span starts.
    pub(super) fn line(&self, span: Span) -> usize {
        self.line_of((span.start as usize).min(self.text.len())) + self.first_line
    }

    /// Where a span lies.
    pub(super) fn place(&self, span: Span) -> Place<'_> {
        let length = self.text.len();
        let start = self.boundary((span.start as usize).min(length));
        let mut end = self.boundary((span.end as usize).clamp(start, length));
        let line = self.line_of(start);
        let mut last = self.line_of(end.saturating_sub(1).max(start));
        if last - line >= Self::SHOWN_LINES {
            last = line;
            end = self.line_end(line).max(start);
        }
        let from = self.lines[line] as usize;
        let excerpt = &self.text[from..self.line_end(last).max(end)];
        Place {
            origin: &self.origin,
            line: line + self.first_line,
            column: self.text[from..start].chars().count() + 1,
            excerpt,
            within: start - from..end - from,
        }
    }

    /// The start of the character that holds the byte at `at`.
    fn boundary(&self, at: usize) -> usize {
        (0..=at).rev().find(|&byte| self.text.is_char_boundary(byte)).unwrap_or(0)
    }

    /// The line of a byte, from 0.
    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|&start| start as usize <= at) - 1
    }

    /// The end of a line, without its line break.
    fn line_end(&self, line: usize) -> usize {
        let next = self.lines.get(line + 1).map_or(self.text.len(), |&start| start as usize);
        let start = self.lines[line] as usize;
        start + self.text[start..next].trim_end_matches(['\n', '\r']).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let source = Source::new("a.toml", "x = 1\r\n\u{e9}\u{e9} = 22\n");
        let place = source.place(Span::new(0, &(14..16)));
        assert_eq!((place.line, place.column), (2, 6));
        assert_eq!(place.excerpt, "\u{e9}\u{e9} = 22");
        assert_eq!(&place.excerpt[place.within], "22");
    }

    #[test]
    fn an_excerpt_counts_on_from_where_it_was_taken() {
        let source = Source::excerpt("a.csv", 1_000, "1.5,x");
        let place = source.place(Span::new(0, &(4..5)));
        assert_eq!((place.line, place.column), (1_000, 5));
        assert_eq!(source.line(Span::new(0, &(4..5))), 1_000);
    }

    #[test]
    fn no_span_is_out_of_reach() {
        for text in ["", "\n", "a\n\u{1d11e}", "\r\n\r\n"] {
            let source = Source::new("a.toml", text);
            for start in 0..text.len() + 3 {
                for end in start..text.len() + 3 {
                    let place = source.place(Span::new(0, &(start..end)));
                    assert!(place.excerpt.get(place.within).is_some(), "{text:?} {start}..{end}");
                }
            }
        }
    }

    #[test]
    fn a_long_span_is_shown_by_its_first_line() {
        let source = Source::new("a.toml", &"abc\n".repeat(100));
        let place = source.place(Span::new(0, &(5..300)));
        assert_eq!(place.excerpt, "abc");
        assert_eq!(&place.excerpt[place.within], "bc");
    }
}
