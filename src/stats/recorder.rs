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
        if length.is_zero() {
            self.zeros += 1;
        } else {
            self.record_other(length.as_nanos());
        }
    }

    fn record_other(&mut self, nanos: u64) {
        let first = self.others.is_none();
        let others = self.others.get_or_insert_with(|| Box::new(empty_histogram()));
        others.record(nanos).expect("a histogram that resizes itself takes every value");
        self.sum_nanos += u128::from(nanos);
        self.longest = self.longest.max(nanos);
        self.shortest = if first { nanos } else { self.shortest.min(nanos) };
    }

    /// The summary of all that any of these took.
    pub fn summary_of(recorders: &[&Self]) -> Distribution {
        if let [alone] = recorders {
            return alone.summary();
        }
        let mut all = Self::default();
        for recorder in recorders {
            all.add(recorder);
        }
        all.summary()
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
        Distribution {
            count,
            mean_nanos: self.sum_nanos as f64 / count as f64,
            p50: self.percentile(500),
            p90: self.percentile(900),
            p99: self.percentile(990),
            p999: self.percentile(999),
            longest: Duration::from_nanos(self.longest),
        }
    }

    /// The nearest-rank percentile: the smallest recorded length that at least
    /// so many thousandths of all do not exceed.
    fn percentile(&self, thousandths: u64) -> Duration {
        let rank = (u128::from(self.count()) * u128::from(thousandths)).div_ceil(1_000) as u64;
        let others = self.others.as_ref().filter(|_| rank > self.zeros);
        let nanos = others.map_or(0, |others| {
            // The histogram looks for a share of its values and rounds it up to a
            // rank. Half a rank less is that rank, whatever the last bit says.
            let share = ((rank - self.zeros) as f64 - 0.5) / others.len() as f64;
            // The middle of the bucket is at most half a thousandth off.
            let middle = others.median_equivalent(others.value_at_quantile(share));
            middle.clamp(self.shortest, self.longest)
        });
        Duration::from_nanos(nanos)
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
        let [empty, two, three] = &parts;
        assert_eq!(Recorder::summary_of(&[empty, two, three]), all.summary());
        assert_eq!(Recorder::summary_of(&[&all]), all.summary());
    }

    #[test]
    fn the_longest_time_there_is_can_be_recorded() {
        assert_eq!(summary([u64::MAX]).longest.as_nanos(), u64::MAX);
    }
}
