//! What is measured of one service: its queue, its workers and its timeline.

use crate::model::bins::{Bins, MOST_ROWS, round_width};
use crate::model::outcome::{EdgeOutcome, Load, Row, ServiceOutcome};
use crate::model::recovery::Span;
use crate::stats::Recorder;
use crate::time::{Duration, Instant};

/// The stretches of a run that its numbers speak of.
pub(super) struct Spans {
    /// From the end of the warm-up to that of the run.
    pub(super) measured: Span,
    /// From the first start of a request to the last.
    pub(super) arrivals: Span,
    /// The end of the run, in which it has come to rest.
    pub(super) last_part: Span,
}

pub(super) struct ServiceMeter {
    queue: u64,
    busy: u64,
    /// Since when queue and busy workers are what they are.
    since: Instant,
    peak_queue: u64,
    peak_busy: u64,
    /// Queue and busy workers integrated since the end of the warm-up.
    queue_nanos: u128,
    busy_nanos: u128,
    queue_time: Recorder,
    wasted_nanos: u64,
    timeline: Bins<Row>,
    /// The length of a row of the timeline that the scenario demands.
    row: Option<Duration>,
}

impl ServiceMeter {
    pub(super) fn new(row: Option<Duration>, slice: Duration) -> Self {
        Self {
            queue: 0,
            busy: 0,
            since: Instant::ZERO,
            peak_queue: 0,
            peak_busy: 0,
            queue_nanos: 0,
            busy_nanos: 0,
            queue_time: Recorder::default(),
            wasted_nanos: 0,
            timeline: row.map_or_else(
                || Bins::for_rows(super::FINEST, slice.as_nanos()),
                |row| Bins::new(row.as_nanos()),
            ),
            row,
        }
    }

    /// The row of the timeline that holds this instant.
    #[inline]
    pub(super) fn row(&mut self, now: Instant) -> &mut Row {
        self.timeline.at(now.as_nanos())
    }

    /// The queue or the busy workers change by so much at this instant.
    pub(super) fn change(&mut self, queue: i64, busy: i64, now: Instant, warmup: Instant) {
        self.settle(now, warmup);
        self.queue = self.queue.strict_add_signed(queue);
        self.busy = self.busy.strict_add_signed(busy);
        if now >= warmup {
            self.peak_queue = self.peak_queue.max(self.queue);
            self.peak_busy = self.peak_busy.max(self.busy);
        }
    }

    /// Adds up what has stayed the same until now.
    fn settle(&mut self, now: Instant, warmup: Instant) {
        if now == self.since {
            return;
        }
        let (queue, busy) = (u128::from(self.queue), u128::from(self.busy));
        if queue + busy > 0 {
            self.timeline.spread(self.since.as_nanos(), now.as_nanos(), |row, part| {
                row.queue_nanos += queue * u128::from(part);
                row.busy_nanos += busy * u128::from(part);
            });
            let counted = u128::from(now.since(self.since.max(warmup)).as_nanos());
            self.queue_nanos += queue * counted;
            self.busy_nanos += busy * counted;
        }
        self.since = now;
    }

    /// Service of an attempt begins that arrived at `arrived`.
    #[inline]
    pub(super) fn began(&mut self, arrived: Instant, now: Instant, warmup: Instant) {
        if arrived >= warmup {
            self.queue_time.record(now.since(arrived));
        }
    }

    /// A worker spent this time on an attempt whose caller had already given up.
    pub(super) fn wasted(&mut self, time: Duration) {
        self.wasted_nanos = self.wasted_nanos.saturating_add(time.as_nanos());
    }

    pub(super) fn outcome<'a>(
        mut self,
        edges: impl Iterator<Item = &'a EdgeOutcome>,
        normal_attempts: f64,
        spans: &Spans,
    ) -> ServiceOutcome {
        let Span { from: warmup, until: ended } = spans.measured;
        self.settle(ended, warmup);
        let (mut attempts, mut retries, mut first_request) = (0, 0, 0);
        for edge in edges {
            attempts += edge.attempts;
            retries += edge.retries;
            first_request += edge.first_request;
        }
        let measured = ended.since(warmup).as_nanos() as f64;
        let average = |nanos: u128| if measured > 0.0 { nanos as f64 / measured } else { 0.0 };
        let amplification_peak = self.amplification_peak(normal_attempts, ended, spans.arrivals);
        ServiceOutcome {
            attempts,
            retries,
            normal_attempts,
            amplification_peak,
            at_last: self.load(spans.last_part),
            first_request,
            wasted_work: Duration::from_nanos(self.wasted_nanos),
            mean_queue: average(self.queue_nanos),
            peak_queue: self.peak_queue,
            queue_time: self.queue_time.summary(),
            mean_busy_workers: average(self.busy_nanos),
            peak_busy_workers: self.peak_busy,
            timeline: self.timeline,
        }
    }

    /// The attempts of the busiest row of the timeline against the normal
    /// attempts of a row, averaged over the rows in which requests start.
    fn amplification_peak(
        &self,
        normal: f64,
        ended: Instant,
        Span { from: first, until: last }: Span,
    ) -> f64 {
        let finest = self.timeline.width();
        let width = match self.row {
            Some(_) => finest,
            None => round_width(ended.as_nanos(), finest, MOST_ROWS),
        };
        let timeline = self.timeline.coarsened(width);
        let rows = last.as_nanos() / width - first.as_nanos() / width + 1;
        let busiest = timeline.bins().iter().map(|row| row.first_attempts + row.retries);
        if normal > 0.0 { busiest.max().unwrap_or(0) as f64 * rows as f64 / normal } else { 0.0 }
    }

    /// What came in the whole rows of a stretch of time, if there are any.
    fn load(&self, span: Span) -> Option<Load> {
        let width = self.timeline.width();
        let rows = span.from.as_nanos().div_ceil(width)..span.until.as_nanos() / width;
        let seconds = rows.end.checked_sub(rows.start).filter(|&rows| rows > 0)? as f64
            * Duration::from_nanos(width).as_secs_f64();
        let bins = self.timeline.bins();
        let row = |end: u64| bins.len().min(end as usize);
        let mut sum = Row::default();
        for &bin in &bins[row(rows.start)..row(rows.end)] {
            sum += bin;
        }
        Some(Load {
            first_attempts: sum.first_attempts as f64 / seconds,
            attempts: (sum.first_attempts + sum.retries) as f64 / seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn span(from: u64, until: u64) -> Span {
        Span { from: at(from), until: at(until) }
    }

    fn spans(warmup: u64, ended: u64) -> Spans {
        Spans {
            measured: span(warmup, ended),
            arrivals: span(0, 0),
            last_part: span(ended / 2, ended),
        }
    }

    /// Of the rows from 0, 10, 20 and 30 ns only whole ones count.
    #[test]
    fn the_load_is_that_of_whole_rows() {
        let mut meter = ServiceMeter::new(Some(Duration::from_nanos(10)), Duration::ZERO);
        for (at_nanos, retries) in [(0, 7), (10, 1), (20, 3), (30, 5)] {
            let row = meter.row(at(at_nanos));
            (row.first_attempts, row.retries) = (1, retries);
        }
        let load = |from, until| {
            // In attempts in 60 ns, which are whole.
            let whole = |rate: f64| (rate * 60e-9).round() as u64;
            let load = meter.load(span(from, until))?;
            Some((whole(load.first_attempts), whole(load.attempts)))
        };
        assert_eq!(load(10, 30), Some((6, 18)));
        assert_eq!(load(11, 39), Some((6, 24)));
        assert_eq!(load(30, 60), Some((2, 12)), "nothing comes after the last row");
        assert_eq!(load(50, 90), Some((0, 0)));
        assert_eq!(load(11, 29), None);
        assert_eq!(load(30, 10), None);
    }

    /// Two in the queue for 10 ns, one worker for 30 ns, of 40 ns in all, the
    /// first 5 of them warm-up.
    #[test]
    fn averages_are_over_time_and_leave_out_the_warm_up() {
        let mut meter = ServiceMeter::new(Some(Duration::from_nanos(10)), Duration::ZERO);
        let warmup = at(5);
        meter.change(2, 0, at(0), warmup);
        meter.change(-2, 1, at(10), warmup);
        meter.change(0, -1, at(40), warmup);
        let outcome = meter.outcome([].iter(), 0.0, &spans(5, 40));
        assert_eq!(outcome.mean_queue, 2.0 * 5.0 / 35.0);
        assert_eq!(outcome.mean_busy_workers, 30.0 / 35.0);
        let rows: Vec<_> =
            outcome.timeline.bins().iter().map(|row| (row.queue_nanos, row.busy_nanos)).collect();
        assert_eq!(rows, [(20, 0), (0, 10), (0, 10), (0, 10)]);
    }
}
