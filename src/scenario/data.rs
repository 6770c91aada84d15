//! Data files that a scenario names: traces of arrivals and measured lengths of
//! time. Each is read once, however many variants use it. Nothing here touches
//! the disk: whoever reads the scenario hands in where files come from.

use std::collections::BTreeMap;
use std::fmt;

use super::keys::grouped;
use super::quantity::{Decimal, LONGEST, Scaled};
use super::report::{Problem, Report};
use super::text::Span;
use super::values::short;
use crate::law::Law;
use crate::model::spec::Start;
use crate::time::{Duration, Instant, NANOS_PER_SECOND};
use std::sync::Arc;

/// The most bytes of all data files of a scenario together.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// The most rows of all data files of a scenario together.
const MOST_ROWS: usize = 5_000_000;

/// More wrong rows of a file than this are not reported: it is another file
/// than was meant.
const MOST_WRONG: usize = 5;

/// The most bytes of a wrong line that are shown.
const LONGEST_LINE: usize = 1_000;

/// The column of times.
const TIME: &str = "time_s";

/// The column of client processes.
const CLIENT: &str = "client";

/// Where the data files that a scenario names come from.
pub trait DataFiles: fmt::Debug {
    /// The bytes of the file at a path, as it is written in the scenario; of a
    /// file that is longer than `most`, at least one more than `most`.
    ///
    /// # Errors
    /// Why it cannot be read, in a few words.
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, String>;
}

/// The data files of a scenario, as far as they are known.
#[derive(Debug)]
pub(super) struct Data<'f> {
    files: Option<&'f dyn DataFiles>,
    bytes_left: usize,
    rows_left: usize,
    /// By path; `None` after an error.
    traces: BTreeMap<String, Option<Trace>>,
    samples: BTreeMap<String, Option<Law>>,
}

/// The requests of a trace.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// In ascending order.
    pub(super) starts: Arc<[Start]>,
    /// The highest number of a process, and the line that has it.
    pub(super) highest: Option<(u64, usize)>,
}

/// The rows of a file.
#[derive(Debug, Default)]
struct Rows {
    list: Vec<(Duration, Option<u64>)>,
    /// The highest number of a process, and the line that has it.
    highest: Option<(u64, usize)>,
}

impl<'f> Data<'f> {
    /// Nothing has been read yet.
    pub(super) fn new(files: Option<&'f dyn DataFiles>) -> Self {
        let (traces, samples) = (BTreeMap::new(), BTreeMap::new());
        Self { files, bytes_left: MOST_BYTES, rows_left: MOST_ROWS, traces, samples }
    }

    /// The trace in the file that is named at `span`; `None` after an error.
    pub(super) fn trace(&mut self, path: &str, span: Span, report: &mut Report) -> Option<Trace> {
        if let Some(known) = self.traces.get(path) {
            return known.clone();
        }
        let trace = self.rows(path, true, span, report).map(|mut rows| {
            rows.list.sort_by_key(|(time, _)| *time);
            let start = |&(time, process)| Start { at: Instant::ZERO + time, process };
            Trace { starts: rows.list.iter().map(start).collect(), highest: rows.highest }
        });
        self.traces.insert(path.to_owned(), trace.clone());
        trace
    }

    /// The law of the lengths in the file that is named at `span`; `None` after
    /// an error.
    pub(super) fn sample(&mut self, path: &str, span: Span, report: &mut Report) -> Option<Law> {
        if let Some(known) = self.samples.get(path) {
            return known.clone();
        }
        let rows = self.rows(path, false, span, report);
        let lengths = rows.map(|rows| rows.list.iter().map(|(time, _)| *time).collect());
        let law = lengths.and_then(|lengths| Law::empirical(lengths).ok());
        self.samples.insert(path.to_owned(), law.clone());
        law
    }

    /// The rows of a file, at least one.
    fn rows(&mut self, path: &str, clients: bool, span: Span, report: &mut Report) -> Option<Rows> {
        let bytes = match self.bytes(path) {
            Ok(bytes) => bytes,
            Err(problem) => {
                report.error(span, problem);
                return None;
            }
        };
        let file = Csv { path, bytes: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) };
        let rows = file.rows(clients, self.rows_left, span, report)?;
        self.rows_left -= rows.list.len();
        Some(rows)
    }

    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, Problem> {
        let shown = short(path);
        let cannot = |why: &str| {
            Problem::new(format!("cannot read {shown}: {why}"), "not read")
                .help("data files are looked for beside the scenario file")
                .unreadable()
        };
        let files = self.files.ok_or_else(|| cannot("no data files are at hand here"))?;
        let bytes = files.read(path, self.bytes_left).map_err(|why| cannot(&why))?;
        if bytes.len() > self.bytes_left {
            let most = MOST_BYTES / 1024 / 1024;
            let problem = Problem::new(format!("{shown} is too long"), "too long");
            return Err(problem.help(format!("all data files together have at most {most} MB")));
        }
        self.bytes_left -= bytes.len();
        Ok(bytes)
    }
}

/// A CSV file: its first line names the columns.
struct Csv<'a> {
    path: &'a str,
    bytes: &'a [u8],
}

impl Csv<'_> {
    /// All rows, at least one. `span` is where the file is named.
    fn rows(&self, clients: bool, most: usize, span: Span, report: &mut Report) -> Option<Rows> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(self.bytes);
        let headers = reader.byte_headers().cloned().unwrap_or_default();
        if headers.is_empty() {
            let title = format!("{} is empty", short(self.path));
            report.error(span, Problem::new(title, "an empty file"));
            return None;
        }
        let column = |name: &str| headers.iter().position(|header| header == name.as_bytes());
        let Some(time) = column(TIME) else {
            self.wrong(0, None, no_times(clients), span, report);
            return None;
        };
        let client = if clients { column(CLIENT) } else { None };
        let (mut rows, mut wrong) = (Rows::default(), 0);
        // The byte at which the row of the highest process begins.
        let mut highest_at = 0;
        let mut record = csv::ByteRecord::new();
        while let Ok(true) = reader.read_byte_record(&mut record) {
            if rows.list.len() == most {
                let title = format!("{} has too many rows", short(self.path));
                let most = grouped(MOST_ROWS as u64);
                let help = format!("all data files together have at most {most}");
                report.error(span, Problem::new(title, "too many rows").help(help));
                return None;
            }
            let at = record.position().map_or(0, |position| position.byte() as usize);
            let field = |column: usize| record.get(column).unwrap_or(b"");
            let read = seconds(field(time)).map_err(|problem| (time, problem)).and_then(|time| {
                let Some(client) = client else { return Ok((time, None)) };
                process(field(client)).map(|n| (time, n)).map_err(|problem| (client, problem))
            });
            match read {
                Ok((time, process)) => {
                    rows.list.push((time, process));
                    let highest = rows.highest.map(|(highest, _)| highest);
                    if let Some(process) = process.filter(|&process| highest < Some(process)) {
                        (rows.highest, highest_at) = (Some((process, 0)), at);
                    }
                }
                Err((column, problem)) => {
                    self.wrong(at, Some(column), problem, span, report);
                    wrong += 1;
                }
            }
            if wrong == MOST_WRONG {
                break;
            }
        }
        if rows.list.is_empty() && wrong == 0 {
            let title = format!("{} has no rows", short(self.path));
            report.error(span, Problem::new(title, "nothing but names of columns"));
        }
        let line = |(process, _)| (process, Line::at(self.bytes, highest_at).number);
        rows.highest = rows.highest.map(line);
        (wrong == 0 && !rows.list.is_empty()).then_some(rows)
    }

    /// Reports what is wrong with a column of the row that begins at a byte, or
    /// with all of it.
    fn wrong(
        &self,
        at: usize,
        column: Option<usize>,
        problem: Problem,
        span: Span,
        report: &mut Report,
    ) {
        // In a flood nobody looks at the lines.
        if report.is_full() {
            report.error(span, problem);
            return;
        }
        let line = Line::at(self.bytes, at);
        let source = report.excerpt(self.path, line.number, &line.text);
        let field = column.and_then(|column| line.field(column)).unwrap_or(0..line.text.len());
        report.error(Span::new(source, &field), problem);
    }
}

/// A line of a file, for messages.
struct Line {
    /// From 1.
    number: usize,
    text: String,
}

impl Line {
    /// The first line with a row in it, from the byte `at`, where a line begins.
    fn at(bytes: &[u8], mut at: usize) -> Self {
        let before = &bytes[..at.min(bytes.len())];
        let mut number = before.split(|&byte| byte == b'\n').count();
        loop {
            let rest = bytes.get(at..).unwrap_or(b"");
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or(b"");
            let idle = line.trim_ascii().is_empty() || line.starts_with(b"#");
            if !idle || line.len() == rest.len() {
                let shown = &line[..line.len().min(LONGEST_LINE)];
                let text = String::from_utf8_lossy(shown).trim_end().to_owned();
                return Self { number, text };
            }
            at += line.len() + 1;
            number += 1;
        }
    }

    /// The bytes of a field; `None` where quotes make it hard to tell.
    fn field(&self, column: usize) -> Option<std::ops::Range<usize>> {
        if self.text.contains('"') {
            return None;
        }
        let before: usize = self.text.split(',').take(column).map(|field| field.len() + 1).sum();
        let field = self.text.split(',').nth(column)?;
        let start = before + field.len() - field.trim_start().len();
        Some(start..start + field.trim().len())
    }
}

fn no_times(clients: bool) -> Problem {
    let columns = if clients { "time_s or time_s,client" } else { TIME };
    Problem::new(format!("there is no column `{TIME}`"), "the names of the columns").help(format!(
        "the first line names the columns, with commas between them: {columns}; times are in seconds"
    ))
}

/// A field of seconds, rounded to the nearest nanosecond.
fn seconds(field: &[u8]) -> Result<Duration, Problem> {
    let number = std::str::from_utf8(field).ok().and_then(Decimal::parse);
    let Some(number) = number else {
        let what = if field.is_empty() { "is missing" } else { "is not a number" };
        let problem = Problem::new(format!("`{TIME}` {what}"), "not a number of seconds");
        return Err(problem.help("write it like 12.5, with at most 20 digits and without a unit"));
    };
    if number.is_negative() {
        let problem = Problem::new(format!("`{TIME}` is negative"), "below zero");
        return Err(problem.help("times count from the start of the run"));
    }
    let nanos = match number.times(NANOS_PER_SECOND) {
        Scaled::Whole(nanos) => Duration::from_nanos(nanos),
        Scaled::Fraction => Duration::from_nanos_f64(number.to_f64() * NANOS_PER_SECOND as f64),
        Scaled::Huge => Duration::MAX,
    };
    if nanos > LONGEST {
        let problem = Problem::new(format!("`{TIME}` is more than ten years"), "too late");
        return Err(problem.help("times count from the start of the run: subtract the first"));
    }
    Ok(nanos)
}

/// A field of the number of a process; none if it is empty.
fn process(field: &[u8]) -> Result<Option<u64>, Problem> {
    if field.is_empty() {
        return Ok(None);
    }
    let number = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| {
        Problem::new(format!("`{CLIENT}` is not a whole number"), "not the number of a process")
            .help("number the client processes from 0, or leave the column out")
    })
}

#[cfg(test)]
mod tests;
