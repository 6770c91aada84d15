//! Recovery: how goodput comes through the faults of a run.
//!
//! Pure: requests over time go in, levels and a verdict come out. They are
//! counted in `meter`; what is said about them is the reports'.

use super::bins::{Bins, MOST_ROWS, round_width};
use super::spec::Fault;
use crate::time::{Duration, Instant};
use std::ops::AddAssign;

/// Goodput is back at this share of its level before the faults.
const BACK: f64 = 0.9;
/// Below this share of that level it has fallen again.
const FALLEN: f64 = 0.8;
/// A window is at least this long, unless the scenario sets it,
const SHORTEST_WINDOW: Duration = Duration::from_secs(1);
/// and long enough for so many requests to arrive: chance then moves what is
/// answered in it by some 3 %, a sixth of the way from the level to a fall.
const REQUESTS_IN_WINDOW: f64 = 1_000.0;

/// The requests of a slice of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Those that started in it.
    pub started: u64,
    /// Those answered well in it.
    pub answered: u64,
}

impl AddAssign for Flow {
    fn add_assign(&mut self, other: Self) {
        self.started += other.started;
        self.answered += other.answered;
    }
}

/// How goodput came through the faults of a run, in requests per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodput {
    /// From the end of the warm-up to the first fault; `None` if there was no
    /// time before it.
    pub before: Option<f64>,
    /// While a fault held.
    pub during: Option<f64>,
    /// From the end of the last fault until the run ended or requests ceased to
    /// arrive; `None` if there was no time after it.
    pub after: Option<f64>,
    /// Whether it came back; `None` if requests arrive neither before the first
    /// fault nor after the last, so that there is nothing to come back to.
    pub recovery: Option<Recovery>,
}

/// Whether and when goodput comes back for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// So long after the end of the last fault.
    At(Duration),
    /// Not in this run; always, if a fault lasts to its end.
    Never,
}

impl Recovery {
    /// In milliseconds; never is infinite, longer than every time.
    pub fn as_millis_f64(self) -> f64 {
        match self {
            Self::At(time) => time.as_millis_f64(),
            Self::Never => f64::INFINITY,
        }
    }
}

/// What recovery is judged by.
pub(super) struct Course<'a> {
    /// The requests of the whole run.
    pub(super) flow: &'a Bins<Flow>,
    /// What disturbed it.
    pub(super) faults: &'a [Fault],
    /// The end of the warm-up.
    pub(super) from: Instant,
    /// The end of the run.
    pub(super) ended: Instant,
    /// When requests ceased to arrive: no goodput can be demanded after it.
    pub(super) ceased: Instant,
    /// The length of a row of the timeline; `None` is a round one.
    pub(super) slice: Option<Duration>,
    /// The length of a window; `None` chooses one.
    pub(super) window: Option<Duration>,
}

/// A stretch of time, `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Instant,
    pub(super) until: Instant,
}

impl Span {
    fn length(self) -> Duration {
        self.until.since(self.from)
    }
}

impl Course<'_> {
    /// How goodput came through the faults; `None` if there were none.
    pub(super) fn goodput(&self) -> Option<Goodput> {
        let faults = self.disturbances();
        let (first, last) = (faults.first()?, faults.last()?);
        let curve = Curve::new(self.flow, self.ended);
        let before = Span { from: self.from, until: first.from };
        let after = Span { from: last.until, until: self.watched() };
        let level = |span: Span| curve.rates(&[span]).filter(|rates| rates.answered > 0.0);
        let offered = |span: Span| curve.rates(&[span]).filter(|rates| rates.started > 0.0);
        // Nothing was ever answered before the first fault: what is asked for
        // is then all that can be demanded.
        let baseline = level(before)
            .map(|rates| (rates.answered, rates.started))
            .or_else(|| offered(after).map(|rates| (rates.started, rates.started)));
        let recovery = if last.until >= self.ended {
            Some(Recovery::Never)
        } else {
            baseline.map(|(level, arriving)| {
                self.recovery(&curve, after, level, self.window_for(arriving, after))
            })
        };
        let answered = |spans: &[Span]| curve.rates(spans).map(|rates| rates.answered);
        Some(Goodput {
            before: answered(&[before]),
            during: answered(&faults),
            after: answered(&[after]),
            recovery,
        })
    }

    /// The end of the time in which goodput can be demanded.
    fn watched(&self) -> Instant {
        self.ended.min(self.ceased)
    }

    /// The last quarter of the time after the faults, or of the run without any:
    /// what has come to rest by then stays so.
    pub(super) fn last_part(&self) -> Span {
        let from = self.disturbances().last().map_or(self.from, |last| last.until);
        let until = self.watched();
        let length = until.since(from).as_nanos();
        Span { from: Instant::from_nanos(until.as_nanos() - length / 4), until }
    }

    /// When faults hold, in ascending order and apart from each other. One that
    /// holds throughout is how this world is; it neither comes nor goes, so it
    /// counts only if it is alone.
    fn disturbances(&self) -> Vec<Span> {
        let span = |fault: &Fault| Span {
            from: fault.from.max(self.from),
            until: fault.until.min(self.ended),
        };
        let mut spans: Vec<Span> =
            self.faults.iter().map(span).filter(|span| span.from < span.until).collect();
        let throughout = |span: &Span| span.from == self.from && span.until == self.ended;
        if !spans.iter().all(throughout) {
            spans.retain(|span| !throughout(span));
        }
        spans.sort_by_key(|span| span.from);
        let mut apart: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match apart.last_mut() {
                Some(last) if span.from <= last.until => last.until = last.until.max(span.until),
                _ => apart.push(span),
            }
        }
        apart
    }

    /// The length of a window. One of our choice is not longer than the time
    /// after the faults: the last window then covers just that.
    fn window_for(&self, arriving: f64, after: Span) -> Duration {
        let chosen = || {
            let enough = Duration::from_nanos_f64(REQUESTS_IN_WINDOW / arriving * 1e9);
            SHORTEST_WINDOW.max(enough).min(after.length())
        };
        self.window.unwrap_or_else(chosen)
    }

    /// Windows trail: the one at an instant covers the time before it, be it
    /// still within a fault. Recovery is the end of the first good one after
    /// which none has fallen.
    fn recovery(&self, curve: &Curve, after: Span, level: f64, window: Duration) -> Recovery {
        if window.is_zero() {
            return Recovery::Never;
        }
        let step = self.step(window);
        let full = after.from.max(self.from + window).as_nanos();
        let mut good = None;
        for end in full.div_ceil(step)..=after.until.as_nanos() / step {
            let end = Instant::from_nanos(end * step);
            let from = Instant::from_nanos(end.as_nanos() - window.as_nanos());
            let answered = curve.rates(&[Span { from, until: end }]);
            let share = answered.map_or(0.0, |rates| rates.answered) / level;
            if share < FALLEN {
                good = None;
            } else if share >= BACK {
                good = good.or(Some(end));
            }
        }
        good.map_or(Recovery::Never, |end| Recovery::At(end.since(after.from)))
    }

    /// From one window to the next: a slice of the timeline, but no more than a
    /// window, so that no time is left out, and not so fine that a long run with
    /// few requests takes for ever.
    fn step(&self, window: Duration) -> u64 {
        let round = |most| round_width(self.ended.as_nanos(), self.flow.width(), most);
        let slice = self.slice.map_or_else(|| round(MOST_ROWS), Duration::as_nanos);
        slice.min(window.as_nanos()).max(round(Bins::<Flow>::MOST as u64))
    }
}

/// Requests per second.
struct Rates {
    started: f64,
    answered: f64,
}

/// The requests from the start of the run to any instant. Within a bin they
/// are taken to be spread evenly.
struct Curve {
    width: u64,
    /// The requests before each bin, and last those of all.
    sums: Vec<Flow>,
    ended: u64,
}

impl Curve {
    fn new(flow: &Bins<Flow>, ended: Instant) -> Self {
        let mut sums = vec![Flow::default()];
        let mut sum = Flow::default();
        for &bin in flow.bins() {
            sum += bin;
            sums.push(sum);
        }
        Self { width: flow.width(), sums, ended: ended.as_nanos() }
    }

    /// Requests started and answered before an instant.
    fn until(&self, at: Instant) -> (f64, f64) {
        let at = at.as_nanos();
        let bin = (at / self.width) as usize;
        let (Some(low), Some(high)) = (self.sums.get(bin), self.sums.get(bin + 1)) else {
            let all = self.sums.last().copied().unwrap_or_default();
            return (all.started as f64, all.answered as f64);
        };
        // The end of the run may cut the last bin short.
        let start = at - at % self.width;
        let length = self.width.min(self.ended.saturating_sub(start)).max(1);
        let share = ((at - start) as f64 / length as f64).min(1.0);
        let between = |low: u64, high: u64| low as f64 + (high - low) as f64 * share;
        (between(low.started, high.started), between(low.answered, high.answered))
    }

    /// The rates over some stretches of time together, if they have a length.
    fn rates(&self, spans: &[Span]) -> Option<Rates> {
        let (mut seconds, mut started, mut answered) = (0.0, 0.0, 0.0);
        for span in spans.iter().filter(|span| span.from < span.until) {
            let (low, high) = (self.until(span.from), self.until(span.until));
            seconds += span.length().as_secs_f64();
            started += high.0 - low.0;
            answered += high.1 - low.1;
        }
        (seconds > 0.0).then(|| Rates { started: started / seconds, answered: answered / seconds })
    }
}

#[cfg(test)]
mod tests;
