//! Counts in bins of equal width along an axis that may grow without end.
//!
//! The width starts small and becomes ten times larger whenever more bins would
//! be needed than are kept, so memory is bounded and nothing must be known in
//! advance. [`Bins::coarsened`] then gives the rows of a report.

use std::ops::AddAssign;

/// A report shows a course in at most so many rows, and in at least a third of
/// them if it is not shorter than its finest bins.
pub const MOST_ROWS: u64 = 600;

/// Bins that are too many become so many times wider.
const WIDER: u64 = 10;

/// Values added up in bins `[i × width, (i + 1) × width)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins<T> {
    width: u64,
    /// Fewer bins are kept if this is a multiple of wider ones too.
    unit: u64,
    bins: Vec<T>,
    /// The bin used last, `[start, start + width)`: most uses hit it again, and
    /// a comparison is cheaper than a division.
    last: Cursor,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cursor {
    index: usize,
    start: u64,
    end: u64,
}

impl<T: Copy + Default + AddAssign> Bins<T> {
    /// More bins than this are never kept.
    pub const MOST: usize = 6_000;

    /// So many are enough for the rows of a report, at most [`MOST_ROWS`] of a
    /// [`round_width`]: five for each, and some for the very end of the axis.
    const MOST_FOR_ROWS: usize = 5 * MOST_ROWS as usize + 200;

    /// No bins yet; the first will be `width` wide.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn new(width: u64) -> Self {
        assert!(width > 0, "a bin has a width");
        Self { width, unit: 1, bins: Vec::new(), last: Cursor::default() }
    }

    /// The same, but no more than the rows of a report need, as long as bins can
    /// be merged to `unit` (any, if that is zero): for what is large.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn for_rows(width: u64, unit: u64) -> Self {
        Self { unit, ..Self::new(width) }
    }

    /// The width of a bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The bins, from 0 to the last that holds something.
    pub fn bins(&self) -> &[T] {
        &self.bins
    }

    /// The bin of a position.
    #[inline]
    pub fn at(&mut self, position: u64) -> &mut T {
        if position < self.last.start || position >= self.last.end {
            self.seek(position);
        }
        &mut self.bins[self.last.index]
    }

    /// Adds to every bin that `[from, to)` touches: `add` gets the bin and the
    /// length of the part that lies in it.
    pub fn spread(&mut self, from: u64, to: u64, add: impl Fn(&mut T, u64)) {
        if from >= to {
            return;
        }
        // The end first: it makes the bins as wide as they must be, so that the
        // loop is bounded whatever the length.
        self.at(to - 1);
        let mut position = from;
        while position < to {
            self.at(position);
            let end = self.last.end.min(to);
            add(&mut self.bins[self.last.index], end - position);
            position = end;
        }
    }

    #[inline(never)]
    fn seek(&mut self, position: u64) {
        // Time moves on to the next bin more often than not.
        let next = self.last.index + 1;
        let in_next = position.wrapping_sub(self.last.end) < self.width;
        if in_next && next < self.bins.len() && self.last.end > 0 {
            let end = self.last.end.saturating_add(self.width);
            self.last = Cursor { index: next, start: self.last.end, end };
            return;
        }
        let mut index = position / self.width;
        while index >= self.most() as u64 {
            self.widen(WIDER);
            index = position / self.width;
        }
        let index = index as usize;
        if index >= self.bins.len() {
            self.bins.resize(index + 1, T::default());
        }
        let start = position - position % self.width;
        self.last = Cursor { index, start, end: start.saturating_add(self.width) };
    }

    /// How many bins of this width are kept.
    fn most(&self) -> usize {
        let enough = self.unit.is_multiple_of(self.width.saturating_mul(WIDER));
        if enough { Self::MOST_FOR_ROWS } else { Self::MOST }
    }

    /// Makes the bins `factor` times as wide, in the memory that they have.
    fn widen(&mut self, factor: u64) {
        let groups = self.bins.len().div_ceil(factor as usize);
        for group in 0..groups {
            let start = group * factor as usize;
            let end = self.bins.len().min(start + factor as usize);
            self.bins[group] = sum(&self.bins[start..end]);
        }
        self.bins.truncate(groups);
        self.width *= factor;
        self.last = Cursor::default();
    }

    /// The same in bins of `width`, a multiple of the width now.
    ///
    /// # Panics
    /// If it is not a multiple.
    pub fn coarsened(&self, width: u64) -> Self {
        assert!(width.is_multiple_of(self.width), "{width} is no multiple of {}", self.width);
        let bins = self.bins.chunks((width / self.width) as usize).map(sum).collect();
        Self { width, bins, last: Cursor::default(), ..*self }
    }
}

fn sum<T: Copy + Default + AddAssign>(bins: &[T]) -> T {
    let mut sum = T::default();
    for &bin in bins {
        sum += bin;
    }
    sum
}

/// The width of 1, 2 or 5 times a power of ten that shows an axis of `length`
/// in the most rows, but in no more than `most`; never less than `finest`,
/// which must be a power of ten itself.
pub fn round_width(length: u64, finest: u64, most: u64) -> u64 {
    let mut width = finest;
    loop {
        for step in [1, 2, 5] {
            if length.div_ceil(width.saturating_mul(step)) <= most {
                return width.saturating_mul(step);
            }
        }
        width = width.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_bins_grow_wider() {
        let mut bins = Bins::new(1);
        for position in [0, 5_999, 6_000, 59_999, 12_345_678] {
            *bins.at(position) += 1_u64;
        }
        assert_eq!(bins.width(), 10_000);
        assert_eq!(bins.bins().iter().sum::<u64>(), 5);
        assert_eq!(bins.bins()[0], 3);
        assert_eq!(bins.bins()[5], 1);
        assert_eq!(bins.coarsened(50_000).bins()[1], 1);
    }

    /// Whatever its length, an axis with bins for rows has the rows that it would
    /// have with bins of any number.
    #[test]
    fn bins_for_rows_are_enough() {
        for length in [1, 599, 2_999, 3_000, 3_001, 5_999, 6_001, 29_999, 30_001, 123_456_789] {
            let mut bins = Bins::<u64>::for_rows(1, 0);
            *bins.at(length) += 1;
            let width = round_width(length, 1, MOST_ROWS);
            let rows = bins.coarsened(width);
            assert_eq!((rows.width(), rows.bins().len() as u64), (width, length / width + 1));
        }
    }

    #[test]
    fn bins_stay_fine_enough_for_their_unit() {
        for (unit, last, width) in
            [(15, 5_999, 1), (15, 6_000, 10), (20, 3_200, 10), (20, 3_199, 1)]
        {
            let mut bins = Bins::<u64>::for_rows(1, unit);
            *bins.at(last) += 1;
            assert_eq!(bins.width(), width, "{unit}: {last}");
        }
    }

    #[test]
    fn a_span_is_shared_out_among_its_bins() {
        let mut bins = Bins::new(10);
        bins.spread(5, 27, |bin, part| *bin += part);
        bins.spread(30, 30, |bin, part| *bin += part);
        assert_eq!(bins.bins(), [5, 10, 7]);
        bins.spread(0, 1_000_000_000, |bin, part| *bin += part);
        assert_eq!(bins.bins().iter().sum::<u64>(), 1_000_000_022);
    }

    #[test]
    fn a_round_width_gives_as_many_rows_as_fit() {
        assert_eq!(round_width(4_200, 1, 600), 10);
        assert_eq!(round_width(60_000, 10, 600), 100);
        assert_eq!(round_width(60_001, 10, 600), 200);
        assert_eq!(round_width(1, 1, 600), 1);
        assert_eq!(round_width(u64::MAX, 1, 600), 50_000_000_000_000_000);
    }
}
