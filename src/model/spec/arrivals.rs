//! When requests start.

use crate::law::Law;
use crate::time::{Duration, Instant};
use std::sync::Arc;

/// When the requests of a client table start.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// One of each process: all at the start of the run, or at random within a
    /// while from there.
    Together {
        /// The while.
        spread: Duration,
    },
    /// The next when the last one has ended.
    OneByOne,
    /// At random, independently, at this rate.
    Poisson {
        /// Requests per second.
        rate: Profile,
    },
    /// Evenly: request k starts when the integral of the rate reaches k.
    Constant {
        /// Requests per second.
        rate: Profile,
    },
    /// Each process sends its next request a while after its last.
    Closed {
        /// The while.
        pause: Pause,
    },
    /// At these times, in ascending order.
    Trace(Arc<[Start]>),
}

/// When a process of a closed table sends its next request.
#[derive(Clone, Debug, PartialEq)]
pub enum Pause {
    /// This long after the last one ended.
    Think(Law),
    /// When the last one has ended, but not before this long after it started.
    Every(Law),
}

/// A request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it starts.
    pub at: Instant,
    /// The process that sends it; `None` draws one.
    pub process: Option<u64>,
}

/// A rate in the course of time: pieces of steady and of evenly changing rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// In ascending order of `from`; the first begins at zero.
    pub pieces: Vec<Piece>,
}

/// A stretch of a [`Profile`], until the next begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// When it begins.
    pub from: Instant,
    /// The rate where it begins, per second.
    pub rate: f64,
    /// What the rate gains in a second, in requests per second.
    pub slope: f64,
}

impl Arrivals {
    /// All at the start of the run.
    pub const TOGETHER: Self = Self::Together { spread: Duration::ZERO };
}

impl Profile {
    /// Always the same rate, per second.
    pub fn steady(rate: f64) -> Self {
        Self { pieces: vec![Piece { from: Instant::ZERO, rate, slope: 0.0 }] }
    }

    /// The same with the rate multiplied from `from` until `until`.
    pub fn surged(&self, from: Instant, until: Instant, factor: f64) -> Self {
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        for (piece, end) in self.stretches() {
            let cuts = [from, until].into_iter().filter(|&at| piece.from < at && at < end);
            for start in std::iter::once(piece.from).chain(cuts) {
                let part = piece.after(start);
                let times = if from <= start && start < until { factor } else { 1.0 };
                pieces.push(Piece { rate: part.rate * times, slope: part.slope * times, ..part });
            }
        }
        Self { pieces }
    }

    /// The integral of the rate until an instant: the requests that start before
    /// it, or how many may be expected to.
    pub fn expected(&self, until: Instant) -> f64 {
        let begun = self.stretches().take_while(|(piece, _)| piece.from < until);
        begun.map(|(piece, end)| piece.integral(end.min(until).since(piece.from))).sum()
    }

    /// The highest rate, per second.
    pub fn peak(&self) -> f64 {
        let highest = |(piece, end): (Piece, Instant)| match end {
            Instant::NEVER if piece.slope > 0.0 => f64::INFINITY,
            Instant::NEVER => piece.rate,
            end => piece.rate.max(piece.after(end).rate),
        };
        self.stretches().map(highest).fold(0.0, f64::max)
    }

    /// Whether no more requests start after a while, whatever the chance.
    pub fn ends(&self) -> bool {
        self.pieces.last().is_some_and(|last| last.slope <= 0.0 && last.rate <= 0.0)
    }

    /// The pieces, each with its end; the last ends never.
    fn stretches(&self) -> impl Iterator<Item = (Piece, Instant)> {
        let ends = self.pieces.iter().skip(1).map(|next| next.from).chain([Instant::NEVER]);
        self.pieces.iter().copied().zip(ends)
    }

    /// The rate, if it never changes.
    pub fn steady_rate(&self) -> Option<f64> {
        match self.pieces[..] {
            [piece] if piece.slope == 0.0 => Some(piece.rate),
            _ => None,
        }
    }
}

impl Piece {
    /// What is left of it from an instant within it.
    pub fn after(self, from: Instant) -> Self {
        let gone = from.since(self.from).as_secs_f64();
        Self { from, rate: (self.rate + self.slope * gone).max(0.0), slope: self.slope }
    }

    /// The integral of the rate over its first while.
    pub fn integral(self, length: Duration) -> f64 {
        let seconds = length.as_secs_f64();
        (self.rate + self.slope * seconds / 2.0) * seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    /// 10/s for 2 s, a ramp to 30/s in 4 s, then 30/s.
    fn course() -> Profile {
        let piece = |from, rate, slope| Piece { from: seconds(from), rate, slope };
        Profile { pieces: vec![piece(0, 10.0, 0.0), piece(2, 10.0, 5.0), piece(6, 30.0, 0.0)] }
    }

    #[test]
    fn the_integral_adds_up_its_pieces() {
        for (until, expected) in [(0, 0.0), (1, 10.0), (2, 20.0), (4, 50.0), (6, 100.0), (7, 130.0)]
        {
            assert_eq!(course().expected(seconds(until)), expected, "{until} s");
        }
        assert_eq!(Profile::steady(3.0).expected(seconds(4)), 12.0);
        assert_eq!((course().peak(), course().ends()), (30.0, false));
    }

    /// Twice as much from 1 s to 4 s: 10 more, then 30 more in the ramp.
    #[test]
    fn a_surge_multiplies_what_it_strikes() {
        let surged = course().surged(seconds(1), seconds(4), 2.0);
        for (until, expected) in [(1, 10.0), (2, 30.0), (4, 90.0), (6, 140.0), (7, 170.0)] {
            assert_eq!(surged.expected(seconds(until)), expected, "{until} s");
        }
        assert_eq!(surged.peak(), 40.0);
        let whole = course().surged(Instant::ZERO, Instant::NEVER, 0.0);
        assert_eq!((whole.expected(seconds(9)), whole.ends()), (0.0, true));
        assert_eq!(course().surged(seconds(5), seconds(9), 1.0).expected(seconds(7)), 130.0);
    }
}
