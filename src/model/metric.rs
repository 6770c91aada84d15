//! The metrics by name: one table for the columns of summary.csv, for
//! thresholds and for every report.

use super::outcome::Outcome;
use super::recovery::Recovery;
use crate::policy::Reason;
use crate::time::Duration;

/// What a metric's number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number.
    Count,
    /// Milliseconds; a threshold on it is written with its unit, `"1.5 s"`.
    Millis,
    /// Per second; a threshold on it is written `"800 /s"`.
    PerSecond,
    /// A number without unit, such as a ratio.
    Ratio,
}

/// One metric of a whole run.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Its name in a threshold: the column without the unit.
    pub name: &'static str,
    /// What its number counts.
    pub unit: Unit,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// Whether it is measured. If not, its column is there and stays empty or
    /// zero, and no threshold may rest on it.
    pub works: bool,
    /// Its value: `None` where it does not apply, infinite for what never
    /// happens, which is longer than every time.
    pub of: fn(&Outcome) -> Option<f64>,
}

impl Metric {
    /// The metric with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// Its column in summary.csv: the name and the unit.
    pub fn column(&self) -> String {
        match self.unit {
            Unit::Millis => format!("{}_ms", self.name),
            Unit::PerSecond => format!("{}_per_s", self.name),
            Unit::Count | Unit::Ratio => self.name.to_owned(),
        }
    }
}

const fn metric(
    name: &'static str,
    unit: Unit,
    meaning: &'static str,
    of: fn(&Outcome) -> Option<f64>,
) -> Metric {
    Metric { name, unit, meaning, works: true, of }
}

/// A metric of something that is not simulated yet.
const fn later(
    name: &'static str,
    unit: Unit,
    meaning: &'static str,
    of: fn(&Outcome) -> Option<f64>,
) -> Metric {
    Metric { works: false, ..metric(name, unit, meaning, of) }
}

/// A length in milliseconds, where there was anything to measure.
fn millis(length: Duration, count: u64) -> Option<f64> {
    (count > 0).then(|| length.as_millis_f64())
}

/// A mean in milliseconds, where there was anything to measure.
fn mean(nanos: f64, count: u64) -> Option<f64> {
    (count > 0).then_some(nanos / 1e6)
}

/// Whether and when goodput comes back, where there is something to come back from.
fn recovery(outcome: &Outcome) -> Option<Recovery> {
    outcome.goodput.and_then(|goodput| goodput.recovery)
}

/// All metrics, in the order of the columns of summary.csv.
pub const METRICS: &[Metric] = &[
    metric("requests", Unit::Count, "Requests that were sent.", |o| Some(o.requests as f64)),
    metric("answered", Unit::Count, "Requests answered well.", |o| Some(o.answered as f64)),
    metric("gave_up", Unit::Count, "Requests that were given up.", |o| {
        Some(o.gave_up.total() as f64)
    }),
    metric("attempts", Unit::Count, "Attempts sent, at all services together.", |o| {
        Some(o.attempts_in_all() as f64)
    }),
    metric("retries", Unit::Count, "Attempts after the first of their call.", |o| {
        Some(o.retries_in_all() as f64)
    }),
    later("hedges", Unit::Count, "Attempts sent while another was still out.", |_| Some(0.0)),
    metric("mean_wait", Unit::Millis, "Mean over requests of the sum of their waits.", |o| {
        mean(o.wait.mean_nanos, o.wait.count)
    }),
    metric("p50_wait", Unit::Millis, "Half of the requests wait at most this.", |o| {
        millis(o.wait.p50, o.wait.count)
    }),
    metric("p90_wait", Unit::Millis, "90 % of the requests wait at most this.", |o| {
        millis(o.wait.p90, o.wait.count)
    }),
    metric("p99_wait", Unit::Millis, "99 % of the requests wait at most this.", |o| {
        millis(o.wait.p99, o.wait.count)
    }),
    metric("longest_wait", Unit::Millis, "The longest sum of waits of a request.", |o| {
        millis(o.wait.longest, o.wait.count)
    }),
    metric("busiest_slice_retries", Unit::Count, "Most retries in one slice.", |o| {
        Some(o.busiest_retries.count as f64)
    }),
    metric("busiest_slice_attempts", Unit::Count, "Most attempts in one slice.", |o| {
        Some(o.busiest_attempts.count as f64)
    }),
    metric("busiest_slice_start", Unit::Millis, "Start of the slice with most retries.", |o| {
        (o.busiest_retries.count > 0).then(|| o.busiest_retries.start.as_nanos() as f64 / 1e6)
    }),
    metric("mean_latency", Unit::Millis, "Mean time from start to end of a request.", |o| {
        mean(o.latency.mean_nanos, o.latency.count)
    }),
    metric("p50_latency", Unit::Millis, "Half of the requests end within this.", |o| {
        millis(o.latency.p50, o.latency.count)
    }),
    metric("p99_latency", Unit::Millis, "99 % of the requests end within this.", |o| {
        millis(o.latency.p99, o.latency.count)
    }),
    metric("p999_latency", Unit::Millis, "99.9 % of the requests end within this.", |o| {
        millis(o.latency.p999, o.latency.count)
    }),
    metric("longest_latency", Unit::Millis, "The longest time of a request.", |o| {
        millis(o.latency.longest, o.latency.count)
    }),
    metric("goodput_before", Unit::PerSecond, "Goodput before the first fault.", |o| {
        o.goodput.and_then(|goodput| goodput.before)
    }),
    metric("goodput_during", Unit::PerSecond, "Goodput while a fault holds.", |o| {
        o.goodput.and_then(|goodput| goodput.during)
    }),
    metric("goodput_after", Unit::PerSecond, "Goodput after the last fault.", |o| {
        o.goodput.and_then(|goodput| goodput.after)
    }),
    metric("amplification", Unit::Ratio, "Attempts against normal at the worst service.", |o| {
        Some(o.amplification())
    }),
    metric("recovery", Unit::Millis, "Time from the end of the last fault to recovery.", |o| {
        recovery(o).map(Recovery::as_millis_f64)
    }),
    metric("wasted_work", Unit::Millis, "Worker time for callers that had given up.", |o| {
        Some(o.services.iter().map(|s| s.wasted_work.as_millis_f64()).sum())
    }),
    metric("recovered_share", Unit::Ratio, "Share of replications that recover.", |o| {
        recovery(o).map(|recovery| f64::from(u8::from(recovery != Recovery::Never)))
    }),
    metric("sliding_slice_retries", Unit::Count, "Most retries in any window of a slice.", |o| {
        Some(o.busiest_retries.sliding as f64)
    }),
    metric("sliding_slice_attempts", Unit::Count, "Most attempts in any window of a slice.", |o| {
        Some(o.busiest_attempts.sliding as f64)
    }),
    metric("busiest_attempts_start", Unit::Millis, "Start of the slice with most attempts.", |o| {
        let peak = o.busiest_attempts;
        (peak.count > 0).then(|| peak.start.as_nanos() as f64 / 1e6)
    }),
    metric("gave_up_not_retryable", Unit::Count, "Given up: it would fail again.", |o| {
        Some(o.gave_up.of(Reason::NotRetryable) as f64)
    }),
    metric("gave_up_attempts_exhausted", Unit::Count, "Given up: no attempt was left.", |o| {
        Some(o.gave_up.of(Reason::AttemptsExhausted) as f64)
    }),
    metric("gave_up_budget_denied", Unit::Count, "Given up: the budget was empty.", |o| {
        Some(o.gave_up.of(Reason::BudgetDenied) as f64)
    }),
    metric("still_out", Unit::Count, "Requests not ended when the clock stopped.", |o| {
        Some(o.still_out as f64)
    }),
    metric("goodput", Unit::PerSecond, "Requests answered well per second of the run.", |o| {
        let seconds = o.measured.as_secs_f64();
        (seconds > 0.0).then(|| o.answered as f64 / seconds)
    }),
    metric("amplification_peak", Unit::Ratio, "The same in the busiest row of a timeline.", |o| {
        Some(o.services.iter().map(|s| s.amplification_peak).fold(0.0, f64::max))
    }),
    metric(
        "wasted_share",
        Unit::Ratio,
        "Wasted work as a share of all work.",
        Outcome::wasted_share,
    ),
];
