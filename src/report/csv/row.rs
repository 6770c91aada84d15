//! Cells and rows of a CSV file, written as they come.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

use crate::report::number::{Measure, Millis, Plain};
use crate::stats::Distribution;
use crate::time::Duration;

/// A CSV file in the making.
pub(super) struct Rows<W: Write> {
    csv: csv::Writer<W>,
    /// The text of a number, kept so that a cell costs no allocation.
    cell: String,
}

impl<W: Write> Rows<W> {
    pub(super) fn new(to: W) -> Self {
        Self { csv: csv::Writer::from_writer(to), cell: String::new() }
    }

    /// The first row, its names separated by commas.
    pub(super) fn head(&mut self, names: &str) -> io::Result<()> {
        self.csv.write_record(names.split(',')).map_err(cause)
    }

    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.csv.write_field(text).map_err(cause)
    }

    pub(super) fn count(&mut self, count: u64) -> io::Result<()> {
        self.display(count)
    }

    /// A number that is not a count, or nothing if it is not finite.
    pub(super) fn decimal(&mut self, number: f64) -> io::Result<()> {
        if number.is_finite() { self.display(Plain(number)) } else { self.empty() }
    }

    /// The value of a metric.
    pub(super) fn measure(&mut self, value: Option<f64>) -> io::Result<()> {
        self.display(Measure(value))
    }

    /// Nanoseconds, as milliseconds.
    pub(super) fn nanos(&mut self, nanos: u64) -> io::Result<()> {
        self.display(Millis(nanos))
    }

    /// Two cells: the mean of a distribution and another length of it, or
    /// nothing if it is empty.
    pub(super) fn mean_and(&mut self, of: &Distribution, other: Duration) -> io::Result<()> {
        if of.count == 0 {
            self.empty()?;
            return self.empty();
        }
        self.decimal(of.mean_nanos / 1e6)?;
        self.nanos(other.as_nanos())
    }

    pub(super) fn empty(&mut self) -> io::Result<()> {
        self.text("")
    }

    /// Ends a row.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.csv.write_record(None::<&[u8]>).map_err(cause)
    }

    /// Hands on what is still in memory. Without it an error of the last
    /// write would go unseen.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.csv.flush()
    }

    fn display(&mut self, value: impl Display) -> io::Result<()> {
        self.cell.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.cell, "{value}");
        self.csv.write_field(&self.cell).map_err(cause)
    }
}

/// The error of the writer below. The conversion that the library offers would
/// hide what kind it is, and with it that a disk is full.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk without room.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_still_known_as_one() {
        let mut rows = Rows::new(Full);
        let name = "x".repeat(1_000);
        let written = (0..100).try_for_each(|_| {
            rows.text(&name)?;
            rows.end()
        });
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        let mut rows = Rows::new(Full);
        rows.text("short").unwrap();
        assert_eq!(rows.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
