//! Statistics of lengths of time.
//!
//! [`Recorder`] takes one length after another in constant memory. Count, sum,
//! shortest and longest are exact; percentiles are nearest-rank, from a
//! histogram with three significant digits, so within 0.1 %.

use crate::time::Duration;
use hdrhistogram::Histogram;

/// Collects lengths of time.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Lengths of zero are common (a request that never waits) and need no
    /// histogram, which many services and clients so never allocate.
    zeros: u64,
    others: Option<Box<Histogram<u64>>>,
    sum_nanos: u128,
    shortest: u64,
    longest: u64,
}

/// The summary of many lengths of time. Count, mean and longest are exact,
/// percentiles are nearest-rank with an error of at most 0.1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distribution {
    /// How many.
    pub count: u64,
    /// The mean, in nanoseconds; zero if there are none.
    pub mean_nanos: f64,
    /// The median.
    pub p50: Duration,
    /// 90 % are at most this.
    pub p90: Duration,
    /// 99 % are at most this.
    pub p99: Duration,
    /// 99.9 % are at most this.
    pub p999: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Recorder {
    /// Takes one length.
    #[inline]
    pub fn record(&mut self, length: Duration) {
        let nanos = length.as_nanos();
        if nanos == 0 {
            self.zeros += 1;
            return;
        }
        let first = self.others.is_none();
        let others = self.others.get_or_insert_with(|| Box::new(empty_histogram()));
        others.record(nanos).expect("a histogram that resizes itself takes every value");
        self.sum_nanos += u128::from(nanos);
        self.longest = self.longest.max(nanos);
        self.shortest = if first { nanos } else { self.shortest.min(nanos) };
    }

    /// All that any of these took.
    pub fn merged<'r>(recorders: impl Iterator<Item = &'r Self>) -> Self {
        let mut all = Self::default();
        for recorder in recorders {
            all.add(recorder);
        }
        all
    }

    fn add(&mut self, other: &Self) {
        self.zeros += other.zeros;
        let Some(theirs) = &other.others else { return };
        let first = self.others.is_none();
        let ours = self.others.get_or_insert_with(|| Box::new(empty_histogram()));
        ours.add(&**theirs).expect("a histogram that resizes itself takes every value");
        self.sum_nanos += other.sum_nanos;
        self.longest = self.longest.max(other.longest);
        self.shortest = if first { other.shortest } else { self.shortest.min(other.shortest) };
    }

    /// How many lengths were taken.
    pub fn count(&self) -> u64 {
        self.zeros + self.others.as_ref().map_or(0, |others| others.len())
    }

    /// The summary so far.
    pub fn summary(&self) -> Distribution {
        let count = self.count();
        if count == 0 {
            return Distribution::default();
        }
        let [p50, p90, p99, p999] = self.percentiles([500, 900, 990, 999]);
        Distribution {
            count,
            mean_nanos: self.sum_nanos as f64 / count as f64,
            p50,
            p90,
            p99,
            p999,
            longest: Duration::from_nanos(self.longest),
        }
    }

    /// Nearest-rank percentiles in one pass: for each of these thousandths, in
    /// rising order, the smallest recorded length that at least so many of all
    /// do not exceed. Counted up with integers: a quantile in floating point may
    /// miss the rank by one.
    fn percentiles<const N: usize>(&self, thousandths: [u64; N]) -> [Duration; N] {
        let count = u128::from(self.count());
        let ranks = thousandths.map(|part| (count * u128::from(part)).div_ceil(1_000) as u64);
        let mut found = ranks.map(|rank| if rank > self.zeros { self.longest } else { 0 });
        let mut next = ranks.iter().take_while(|rank| **rank <= self.zeros).count();
        let mut before = self.zeros;
        for bucket in self.others.iter().flat_map(|others| others.iter_recorded()) {
            before += bucket.count_since_last_iteration();
            while next < N && before >= ranks[next] {
                // The middle of the bucket is at most half a thousandth off.
                let middle = self
                    .others
                    .as_ref()
                    .map_or(0, |o| o.median_equivalent(bucket.value_iterated_to()));
                found[next] = middle.clamp(self.shortest, self.longest);
                next += 1;
            }
            if next == N {
                break;
            }
        }
        found.map(Duration::from_nanos)
    }
}

fn empty_histogram() -> Histogram<u64> {
    let mut histogram = Histogram::new(3).expect("three significant digits are allowed");
    histogram.auto(true);
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(nanos: impl IntoIterator<Item = u64>) -> Distribution {
        let mut recorder = Recorder::default();
        for n in nanos {
            recorder.record(Duration::from_nanos(n));
        }
        recorder.summary()
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        assert_eq!(summary([]), Distribution::default());
    }

    #[test]
    fn equal_lengths_come_out_exactly() {
        let all = summary([500_000_000; 1_000]);
        let length = Duration::from_millis(500);
        assert_eq!((all.p50, all.p99, all.longest), (length, length, length));
        assert_eq!(all.mean_nanos, 5e8);
    }

    #[test]
    fn percentiles_are_nearest_rank_within_a_thousandth() {
        let all = summary((1..=100_000).map(|n| n * 1_000));
        for (got, exact) in [(all.p50, 50e6), (all.p90, 90e6), (all.p99, 99e6), (all.p999, 99.9e6)]
        {
            let error = (got.as_nanos() as f64 - exact).abs() / exact;
            assert!(error <= 0.001, "{got} against {exact}");
        }
        assert_eq!(all.longest, Duration::from_millis(100));
    }

    #[test]
    fn zeros_take_part() {
        let all = summary([0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(all.p90, Duration::ZERO);
        assert_eq!(all.p99, Duration::from_nanos(7));
        assert_eq!(all.mean_nanos, 0.7);
    }

    #[test]
    fn merging_is_recording_all_in_one() {
        let record = |nanos: &[u64]| {
            let mut recorder = Recorder::default();
            for &n in nanos {
                recorder.record(Duration::from_nanos(n));
            }
            recorder
        };
        let parts = [record(&[]), record(&[0, 70]), record(&[5, 900_000, 3])];
        let all = record(&[0, 70, 5, 900_000, 3]);
        assert_eq!(Recorder::merged(parts.iter()).summary(), all.summary());
    }

    #[test]
    fn the_longest_time_there_is_can_be_recorded() {
        assert_eq!(summary([u64::MAX]).longest.as_nanos(), u64::MAX);
    }
}
