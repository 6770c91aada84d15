//! The widths of slices and bins that all variants of a run share, so that
//! their rows and pictures can be laid over each other.

use std::ops::AddAssign;

use crate::experiment::VariantResult;
use crate::model::bins::{Bins, MOST_ROWS, round_width};

/// The width of a row of the timeline of each variant, in nanoseconds: a round
/// one, shared by all variants that name none themselves, else the one that
/// they name (or a multiple, where a run was so long that no finer was kept).
pub fn timeline_widths(results: &[VariantResult]) -> Vec<u64> {
    results.iter().map(|result| timeline_width(results, result)).collect()
}

fn timeline_width(results: &[VariantResult], result: &VariantResult) -> u64 {
    let named = result.model.timeline_slice;
    let mut finest = 1;
    let mut length = 0;
    for other in results.iter().filter(|other| other.model.timeline_slice == named) {
        length = length.max(other.outcome.ended.as_nanos());
        for service in &other.outcome.services {
            let bins = &service.timeline;
            finest = common_multiple(finest, bins.width());
            length = length.max(end(bins));
        }
    }
    match named {
        Some(slice) => common_multiple(finest, slice.as_nanos().max(1)),
        None => round_width(length, finest, MOST_ROWS),
    }
}

/// The width of a bin of waits, in nanoseconds.
pub fn wait_width(results: &[VariantResult]) -> u64 {
    let bins = || results.iter().map(|result| &result.outcome.wait_bins);
    let finest = bins().fold(1, |width, bins| common_multiple(width, bins.width()));
    let longest = bins().map(end).max().unwrap_or(0);
    round_width(longest, finest, MOST_ROWS)
}

/// Where the last bin ends. Waits of centuries come close to the end of time.
fn end<T: Copy + Default + AddAssign>(bins: &Bins<T>) -> u64 {
    (bins.bins().len() as u64).saturating_mul(bins.width())
}

/// The smallest width that bins of both widths can be merged to.
fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, result};
    use crate::time::{Duration, Instant};

    #[test]
    fn variants_share_a_round_width() {
        let mut short = result("short", sample::storm_model(), sample::outcome());
        short.outcome.ended = Instant::from_nanos(500_000_000);
        let mut long = short.clone();
        long.outcome.ended = Instant::from_nanos(4_182_000_000);
        assert_eq!(timeline_widths(&[short.clone(), long.clone()]), [10_000_000; 2]);
        assert_eq!(timeline_widths(&[short.clone()]), [1_000_000]);
        long.model.timeline_slice = Some(Duration::from_millis(250));
        assert_eq!(timeline_widths(&[short, long]), [1_000_000, 250_000_000]);
    }

    #[test]
    fn bins_that_grew_wider_widen_the_rows_of_all() {
        let fine = result("fine", sample::storm_model(), sample::outcome());
        let mut coarse = fine.clone();
        *coarse.outcome.wait_bins.at(20_000_000_000) += 1;
        assert_eq!(coarse.outcome.wait_bins.width(), 10_000_000);
        assert_eq!(wait_width(&[fine, coarse]), 50_000_000);
    }

    #[test]
    fn the_common_multiple_is_the_smallest() {
        assert_eq!(common_multiple(1, 10), 10);
        assert_eq!(common_multiple(10, 15), 30);
        assert_eq!(common_multiple(250, 1_000), 1_000);
    }
}
