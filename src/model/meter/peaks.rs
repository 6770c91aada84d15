//! The busiest slice: how many attempts, and how many of them retries, fall
//! into one aligned slice of time, and into a window of that length anywhere.
//!
//! Time only moves forward, so one running slice and the attempts of the last
//! window are enough. A sum that still holds what has left the window can only
//! be too large, so the window is brought up to date when the sum would be a new
//! peak, and not before: then no more than the busiest window is kept.

use crate::model::outcome::Peak;
use crate::time::{Duration, Instant};

/// Attempts and retries counted side by side in one number: attempts in the
/// upper half, retries in the lower. A slice with 2^32 of either would take
/// minutes to simulate.
#[derive(Clone, Copy, Default)]
struct Counts(u64);

impl Counts {
    fn one(retry: bool) -> Self {
        Self(1 << 32 | u64::from(retry))
    }

    fn attempts(self) -> u64 {
        self.0 >> 32
    }

    fn retries(self) -> u64 {
        self.0 & u64::from(u32::MAX)
    }
}

/// What happened at one instant.
#[derive(Clone, Copy)]
struct Group {
    at: u64,
    counts: Counts,
}

/// Groups that have left the window are dropped so many at a time, or more.
const MOST_LEFT: usize = 64;

pub(super) struct Peaks {
    width: u64,
    slice_start: u64,
    slice_end: u64,
    slice: Counts,
    /// All groups of the last `width` nanoseconds and some before them; what is
    /// before `left` is no longer in `sum`. The latest group stands apart.
    groups: Vec<Group>,
    left: usize,
    sum: Counts,
    latest: Group,
    attempts: Peak,
    retries: Peak,
}

impl Peaks {
    pub(super) fn new(width: Duration) -> Self {
        Self {
            width: width.as_nanos(),
            slice_start: 0,
            slice_end: width.as_nanos(),
            slice: Counts::default(),
            groups: Vec::new(),
            left: 0,
            sum: Counts::default(),
            latest: Group { at: 0, counts: Counts::default() },
            attempts: Peak::default(),
            retries: Peak::default(),
        }
    }

    /// Counts one attempt. Times must not decrease.
    #[inline]
    pub(super) fn record(&mut self, now: Instant, retry: bool) {
        let now = now.as_nanos();
        if now != self.latest.at {
            self.move_on(now);
        }
        self.latest.counts.0 += Counts::one(retry).0;
    }

    /// Time has passed: adds up the latest group. Slices are half-open.
    fn move_on(&mut self, now: u64) {
        self.settle();
        self.latest = Group { at: now, counts: Counts::default() };
        if now >= self.slice_end {
            self.close_slice();
            self.slice_start = now - now % self.width;
            self.slice_end = self.slice_start.saturating_add(self.width);
        }
    }

    /// Adds the latest group, which is complete, to its slice and its window.
    #[inline]
    fn settle(&mut self) {
        let counts = self.latest.counts;
        self.slice.0 += counts.0;
        self.sum.0 += counts.0;
        self.groups.push(self.latest);
        // What has left the window makes the sum too large only: as long as it
        // is no new peak, there is none.
        if self.sum.attempts() > self.attempts.sliding || self.sum.retries() > self.retries.sliding
        {
            self.look_closely();
        }
    }

    /// Drops what has left the window, a whole width or more before the latest
    /// group: the window is half-open, as slices are. Then the sum is exact.
    #[inline(never)]
    fn look_closely(&mut self) {
        let in_window = |group: &Group| self.latest.at - group.at < self.width;
        let gone = self.groups[self.left..].iter().position(in_window).unwrap_or_default();
        for group in &self.groups[self.left..self.left + gone] {
            self.sum.0 -= group.counts.0;
        }
        self.left += gone;
        if self.left >= MOST_LEFT && self.left * 2 >= self.groups.len() {
            self.groups.drain(..self.left);
            self.left = 0;
        }
        self.attempts.sliding = self.attempts.sliding.max(self.sum.attempts());
        self.retries.sliding = self.retries.sliding.max(self.sum.retries());
    }

    #[cold]
    fn close_slice(&mut self) {
        let slice = std::mem::take(&mut self.slice);
        let start = Instant::from_nanos(self.slice_start);
        for (peak, count) in
            [(&mut self.attempts, slice.attempts()), (&mut self.retries, slice.retries())]
        {
            if count > peak.count {
                (peak.count, peak.start) = (count, start);
            }
        }
    }

    /// The peaks of retries and of attempts.
    pub(super) fn finish(mut self) -> (Peak, Peak) {
        self.settle();
        self.close_slice();
        (self.retries, self.attempts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Peaks of retries at these times, with slices of 10 ns.
    fn peak(times: &[u64]) -> Peak {
        let mut peaks = Peaks::new(Duration::from_nanos(10));
        for &at in times {
            peaks.record(Instant::from_nanos(at), true);
        }
        peaks.finish().0
    }

    fn expected(count: u64, start: u64, sliding: u64) -> Peak {
        Peak { count, start: Instant::from_nanos(start), sliding }
    }

    #[test]
    fn slices_are_half_open_and_the_first_of_equals_counts() {
        assert_eq!(peak(&[9, 10, 19, 20, 29]), expected(2, 10, 2));
        assert_eq!(peak(&[5, 5, 5, 20, 21, 22]), expected(3, 0, 3));
        assert_eq!(peak(&[]), Peak::default());
    }

    #[test]
    fn a_burst_across_a_border_shows_in_the_sliding_window_only() {
        assert_eq!(peak(&[8, 8, 9, 11, 12]), expected(3, 0, 5));
        // Exactly one width apart is not the same window.
        assert_eq!(peak(&[8, 18]), expected(1, 0, 1));
    }

    #[test]
    fn first_attempts_are_attempts_and_no_retries() {
        let mut peaks = Peaks::new(Duration::from_nanos(10));
        peaks.record(Instant::from_nanos(0), false);
        peaks.record(Instant::from_nanos(1), true);
        let (retries, attempts) = peaks.finish();
        assert_eq!((retries.count, attempts.count), (1, 2));
    }
}
