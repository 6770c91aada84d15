//! Published results, rebuilt and compared number by number.
//!
//! A [`Table`] names its source, the scenario that rebuilds it and the numbers
//! as they were printed. Ours come from the same reader and the same engine as
//! any other scenario's; nothing here computes them. [`BANDS`] does the same for
//! figures that only a statistical band can hold.

mod bands;
mod tables;

use crate::experiment::{self, Observer, VariantResult};
use crate::model::{Metric, RunError};
use crate::scenario::{Diagnostics, ReadOptions, Scenario, read};

pub use bands::{BANDS, Bands};
pub use tables::TABLES;

/// A table as it was published.
pub struct Table {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The scenario's file, as the repository has it.
    pub file: &'static str,
    scenario: &'static str,
    /// How far from the published number ours may be, as a share of it; 0 is to
    /// the digits that were printed.
    tolerance: f64,
    columns: &'static [(&'static str, Value)],
    rows: &'static [(&'static str, &'static [f64])],
}

/// Where a number of ours is found.
enum Value {
    /// A metric of the run, by name.
    Metric(&'static str),
    /// The wait before this retry of the first request, in milliseconds.
    Wait(u32),
    /// When this attempt of the first request was sent, in milliseconds.
    Sent(u32),
    /// The attempts that the first request causes at this service.
    FirstRequest(&'static str),
    /// All attempts at this service.
    Attempts(&'static str),
    /// The attempts at this service in a row of the timeline, from 0.
    InRow(&'static str, usize),
}

/// One published number beside ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The row: a variant.
    pub row: String,
    /// The column: what is counted.
    pub column: String,
    /// As it was printed, or the band in which it must lie.
    pub published: String,
    /// Ours, with the same digits.
    pub ours: String,
    /// Whether they agree.
    pub same: bool,
}

/// Why a table could not be rebuilt.
#[derive(Debug)]
pub enum ReproduceError {
    /// Its scenario cannot be read: a mistake in this program.
    Scenario(Box<Diagnostics>),
    /// Its run stopped early.
    Run(RunError),
}

impl From<RunError> for ReproduceError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl Table {
    /// The table with this name.
    pub fn named(id: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.id == id)
    }

    /// Runs the scenario and compares every number.
    ///
    /// # Errors
    /// If the run is interrupted or cannot be made.
    pub fn reproduce(&self, observer: &Observer) -> Result<Vec<Comparison>, ReproduceError> {
        let scenario = embedded(self.file, self.scenario)?;
        let results = experiment::run(&scenario, observer)?;
        let compare = |(row, numbers): &(&str, &[f64])| {
            let result = results.iter().find(|result| result.name == *row);
            let numbers = self.columns.iter().zip(numbers.to_vec());
            numbers
                .map(|((column, value), published)| {
                    let ours = result.and_then(|result| value.of(result));
                    comparison(row, column, published, ours, self.tolerance)
                })
                .collect::<Vec<_>>()
        };
        Ok(self.rows.iter().flat_map(compare).collect())
    }
}

/// Reads a scenario that is part of this program.
fn embedded(file: &str, text: &str) -> Result<Scenario, ReproduceError> {
    let options = ReadOptions { file: file.to_owned(), ..ReadOptions::default() };
    let read = read(text, &options).map_err(|wrong| ReproduceError::Scenario(Box::new(wrong)))?;
    Ok(read.scenario)
}

/// Compares the digits that were printed, all of them of whole numbers, or with
/// a tolerance.
fn comparison(
    row: &str,
    column: &str,
    published: f64,
    ours: Option<f64>,
    tolerance: f64,
) -> Comparison {
    let digits = |number: f64| format!("{number:.0}");
    let near = |ours: f64| (ours - published).abs() <= tolerance * published;
    let same = ours.is_some_and(|ours| near(ours) || digits(ours) == digits(published));
    let margin =
        if tolerance > 0.0 { format!(" ± {} %", tolerance * 100.0) } else { String::new() };
    Comparison {
        row: row.to_owned(),
        column: column.to_owned(),
        published: digits(published) + &margin,
        ours: ours.map_or_else(|| "missing".to_owned(), digits),
        same,
    }
}

impl Value {
    fn of(&self, result: &VariantResult) -> Option<f64> {
        let outcome = &result.outcome;
        let service = |name: &str| {
            let index = result.model.services.iter().position(|service| service.name == name)?;
            outcome.services.get(index)
        };
        let attempt = |number: u32| {
            let mut attempts = outcome.attempts.iter();
            attempts.find(|attempt| attempt.request == 0 && attempt.attempt == number)
        };
        match *self {
            Self::Metric(name) => (Metric::named(name)?.of)(outcome),
            Self::Wait(retry) => Some(attempt(retry + 1)?.wait_before.as_millis_f64()),
            Self::Sent(number) => Some(attempt(number)?.sent.as_nanos() as f64 / 1e6),
            Self::FirstRequest(name) => Some(service(name)?.first_request as f64),
            Self::Attempts(name) => Some(service(name)?.attempts as f64),
            Self::InRow(name, row) => {
                // The scenario says how long a row is.
                let width = result.model.timeline_slice?.as_nanos();
                let rows = service(name)?.timeline.coarsened(width);
                let row = rows.bins().get(row)?;
                Some((row.first_attempts + row.retries) as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// A table that cannot differ shows nothing: change one number of ours.
    #[test]
    fn a_difference_is_found() {
        assert!(comparison("row", "column", 1_461.0, Some(1_461.4), 0.0).same);
        assert!(!comparison("row", "column", 1_461.0, Some(1_461.6), 0.0).same);
        assert!(!comparison("row", "column", 1_461.0, None, 0.0).same);
        assert!(comparison("row", "column", 1_000.0, Some(1_010.0), 0.01).same);
        assert!(!comparison("row", "column", 1_000.0, Some(1_011.0), 0.01).same);
    }

    #[test]
    fn every_published_number_comes_out() {
        for table in TABLES {
            let cells = table.reproduce(&|_| ControlFlow::Continue(())).expect("it can be run");
            let wrong: Vec<_> = cells.iter().filter(|cell| !cell.same).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", table.id);
            assert!(!cells.is_empty());
        }
    }
}
