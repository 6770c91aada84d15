//! The range of each wait of a backoff, and of the sum of the waits, whatever
//! is drawn.
//!
//! A wait moves one way with its draw, and one way with the wait before it, so
//! its ends are what the backoff itself gives at the ends of the draws. Only
//! Polly's curve is different: a wait is shorter the longer the one before was.

use super::Range;
use crate::law::Law;
use crate::policy::backoff::{Backoff, Family, Memory};
use crate::time::Duration;
use std::sync::Arc;

/// The greatest draw: the number just below 1.
const GREATEST: f64 = 1.0 - f64::EPSILON / 2.0;

/// The ends of the draws.
const ENDS: [f64; 2] = [0.0, GREATEST];

/// What the wait before a retry can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// The wait.
    pub wait: Range,
    /// It and all before it.
    pub total: Range,
}

/// The waits of a backoff from the first on; there is no last one.
#[derive(Clone, Debug)]
pub struct Ranges {
    retry: u32,
    extremes: Extremes,
}

#[derive(Clone, Debug)]
enum Extremes {
    /// Each wait is longest after the longest.
    Rising { shortest: Way, longest: Way },
    /// Each wait is shortest after the longest.
    Curve(Curve),
}

impl Backoff {
    /// The range of each wait in order, from the first on. A backoff whose
    /// waits are drawn from a law without an upper end has none either.
    pub fn ranges(&self) -> Ranges {
        let extremes = if matches!(self.family, Family::PollyV2) {
            Extremes::Curve(Curve::new(self))
        } else {
            let [shortest, longest] = self.ends();
            Extremes::Rising { shortest: Way::new(shortest), longest: Way::new(longest) }
        };
        Ranges { retry: 0, extremes }
    }

    /// Backoffs of which the draws reach the shortest and the longest wait.
    fn ends(&self) -> [Self; 2] {
        match &self.family {
            Family::Random(law) => {
                let (low, high) = law.support();
                [low, high].map(|end| {
                    let family = Family::Random(Arc::new(Law::Constant(end)));
                    Self { family, ..self.clone() }
                })
            }
            // In ascending order, the n-th is shortest if all are shortest.
            Family::Sorted { .. } => {
                let unsorted = Self { family: Family::Exponential, ..self.clone() };
                [unsorted.clone(), unsorted]
            }
            _ => [self.clone(), self.clone()],
        }
    }
}

impl Ranges {
    /// The next.
    pub(super) fn advance(&mut self) -> Waits {
        self.retry = self.retry.saturating_add(1);
        match &mut self.extremes {
            Extremes::Rising { shortest, longest } => {
                let wait = Range {
                    low: shortest.follow(self.retry, |wait, other| wait < other),
                    high: longest.follow(self.retry, |wait, other| wait > other),
                };
                Waits { wait, total: Range { low: shortest.total, high: longest.total } }
            }
            Extremes::Curve(curve) => curve.follow(self.retry),
        }
    }
}

impl Iterator for Ranges {
    type Item = Waits;

    fn next(&mut self) -> Option<Waits> {
        Some(self.advance())
    }
}

/// One way through the waits.
#[derive(Clone, Debug)]
struct Way {
    backoff: Backoff,
    memory: Memory,
    total: Duration,
}

impl Way {
    fn new(backoff: Backoff) -> Self {
        Self { backoff, memory: Memory::EMPTY, total: Duration::ZERO }
    }

    /// Goes on by the better of the ends of the draw.
    fn follow(&mut self, retry: u32, better: fn(Duration, Duration) -> bool) -> Duration {
        let [first, second] = ENDS.map(|u| {
            let mut memory = self.memory;
            (self.backoff.wait(retry, &mut memory, || u), memory)
        });
        let (wait, memory) = if better(second.0, first.0) { second } else { first };
        self.memory = memory;
        self.total += wait;
        wait
    }
}

/// The ways along Polly's curve: what a call remembers is the point that it
/// drew last, and a wait is the distance from there to the next.
#[derive(Clone, Debug)]
struct Curve {
    backoff: Backoff,
    /// The memory after the last draw was at its lower or its upper end.
    at: [Memory; 2],
    /// The shortest sum of waits with the last draw there. No other draws give
    /// a shorter one: the cap makes the sum concave in each of them.
    least: [Duration; 2],
    longest: Way,
}

impl Curve {
    fn new(backoff: &Backoff) -> Self {
        Self {
            backoff: backoff.clone(),
            at: [Memory::EMPTY; 2],
            least: [Duration::ZERO; 2],
            longest: Way::new(backoff.clone()),
        }
    }

    fn follow(&mut self, retry: u32) -> Waits {
        let wait = |mut memory: Memory, u: f64| {
            let wait = self.backoff.wait(retry, &mut memory, || u);
            (wait, memory)
        };
        let range = Range { low: wait(self.at[1], 0.0).0, high: wait(self.at[0], GREATEST).0 };
        let least = ENDS.map(|u| {
            let sums = [0, 1].map(|end| self.least[end] + wait(self.at[end], u).0);
            sums[0].min(sums[1])
        });
        let at = [wait(self.at[0], 0.0).1, wait(self.at[1], GREATEST).1];
        (self.least, self.at) = (least, at);
        self.follow_longest(retry);
        let low = self.least[0].min(self.least[1]);
        Waits { wait: range, total: Range { low, high: self.longest.total } }
    }

    /// Takes the longest wait with the smallest draw that gives it: what the
    /// cap would cut off is left to the next wait.
    fn follow_longest(&mut self, retry: u32) {
        const HALVINGS: usize = 60;
        let way = &mut self.longest;
        let wait = |u: f64| {
            let mut memory = way.memory;
            (way.backoff.wait(retry, &mut memory, || u), memory)
        };
        let longest = wait(GREATEST).0;
        let (mut below, mut enough) = (0.0, GREATEST);
        if wait(0.0).0 == longest {
            enough = 0.0;
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(below, enough);
            if wait(middle).0 == longest { enough = middle } else { below = middle }
        }
        let (wait, memory) = wait(enough);
        way.memory = memory;
        way.total += wait;
    }
}
