//! The CSV files. UTF-8, a point before decimals, no thousands separators,
//! the unit in the name of the column, empty where a number does not apply.
//! Rows go straight to the writer, so a file costs no memory.

mod row;
mod services;
mod timeline;

pub use services::services;
pub use timeline::timeline;

use std::io::{self, Write};

use super::axis;
use super::run::Run;
use crate::model::metric::METRICS;
use crate::model::outcome::{AttemptEnd, AttemptRecord, Next};
use crate::model::spec::Model;
use crate::policy::Reason;
use row::Rows;

/// summary.csv: a row for each variant with every metric.
///
/// # Errors
/// If `to` cannot be written.
pub fn summary(run: &Run, to: impl Write) -> io::Result<()> {
    let mut rows = Rows::new(to);
    rows.text("variant")?;
    for metric in METRICS {
        rows.text(&metric.column())?;
    }
    rows.end()?;
    for result in run.results {
        rows.text(&result.name)?;
        for metric in METRICS {
            rows.measure((metric.of)(&result.outcome))?;
        }
        rows.end()?;
    }
    rows.finish()
}

/// clients.csv: a row for each variant and client table.
///
/// # Errors
/// If `to` cannot be written.
pub fn clients(run: &Run, to: impl Write) -> io::Result<()> {
    let mut rows = Rows::new(to);
    rows.head(
        "variant,client,requests,answered,gave_up,mean_wait_ms,longest_wait_ms,mean_latency_ms,\
         p99_latency_ms",
    )?;
    for result in run.results {
        for (client, seen) in result.model.clients.iter().zip(&result.outcome.clients) {
            rows.text(&result.name)?;
            rows.text(&client.name)?;
            rows.count(seen.requests)?;
            rows.count(seen.answered)?;
            rows.count(seen.gave_up)?;
            rows.mean_and(&seen.wait, seen.wait.longest)?;
            rows.mean_and(&seen.latency, seen.latency.p99)?;
            rows.end()?;
        }
    }
    rows.finish()
}

/// waits.csv: how many requests waited how long, in bins that all variants
/// share, from 0 to the last bin that holds something.
///
/// # Errors
/// If `to` cannot be written.
pub fn waits(run: &Run, to: impl Write) -> io::Result<()> {
    let width = axis::wait_width(run.results);
    let mut rows = Rows::new(to);
    rows.head("variant,from_ms,to_ms,requests")?;
    for result in run.results {
        let bins = result.outcome.wait_bins.coarsened(width);
        let mut from: u64 = 0;
        for &requests in bins.bins() {
            // The last bin may end beyond the end of time.
            let to = from.saturating_add(width);
            rows.text(&result.name)?;
            rows.nanos(from)?;
            rows.nanos(to)?;
            from = to;
            rows.count(requests)?;
            rows.end()?;
        }
    }
    rows.finish()
}

/// attempts.csv: a row for each attempt of the variants that record them, in
/// the order in which they ended. `outcome` is `answered`, `timeout` or the
/// status; `decision` is `done`, `retry` or the reason for giving up.
///
/// # Errors
/// If `to` cannot be written.
pub fn attempts(run: &Run, to: impl Write) -> io::Result<()> {
    let mut rows = Rows::new(to);
    rows.head(
        "variant,request,service,attempt,sent_ms,ended_ms,wait_before_ms,outcome,decision,caller,\
         wait_after_ms",
    )?;
    for result in run.results {
        for record in &result.outcome.attempts {
            rows.text(&result.name)?;
            attempt(&mut rows, &result.model, record)?;
            rows.end()?;
        }
    }
    rows.finish()
}

fn attempt(rows: &mut Rows<impl Write>, model: &Model, record: &AttemptRecord) -> io::Result<()> {
    let edge = &model.edges[record.edge];
    rows.count(record.request)?;
    rows.text(&model.services[edge.target].name)?;
    rows.count(u64::from(record.attempt))?;
    rows.nanos(record.sent.as_nanos())?;
    rows.nanos(record.ended.as_nanos())?;
    rows.nanos(record.wait_before.as_nanos())?;
    match record.end {
        AttemptEnd::Answered => rows.text("answered")?,
        AttemptEnd::Failed(status) => rows.count(u64::from(status))?,
        AttemptEnd::Refused => rows.text("refused")?,
        AttemptEnd::Unreachable => rows.text("connection")?,
        AttemptEnd::TimedOut => rows.text("timeout")?,
    }
    rows.text(match record.next {
        Next::Done => "done",
        Next::RetryAfter(_) => "retry",
        Next::GaveUp(Reason::NotRetryable) => "not-retryable",
        Next::GaveUp(Reason::NotRepeatable) => "not-repeatable",
        Next::GaveUp(Reason::AttemptsExhausted) => "attempts-exhausted",
        Next::GaveUp(Reason::HintForbids) => "hint-forbids",
        Next::GaveUp(Reason::OutOfTime) => "out-of-time",
        Next::GaveUp(Reason::BudgetDenied) => "budget-denied",
    })?;
    rows.text(model.caller_name(edge.caller))?;
    match record.next {
        Next::RetryAfter(wait) => rows.nanos(wait.as_nanos()),
        Next::Done | Next::GaveUp(_) => rows.empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, text};

    #[test]
    fn the_summary_has_the_columns_that_scripts_know() {
        let sample = sample::storm();
        let summary = text(|to| summary(&sample.run(), to));
        let mut lines = summary.lines();
        let known = "variant,requests,answered,gave_up,attempts,retries,hedges,mean_wait_ms,\
            p50_wait_ms,p90_wait_ms,p99_wait_ms,longest_wait_ms,busiest_slice_retries,\
            busiest_slice_attempts,busiest_slice_start_ms,mean_latency_ms,p50_latency_ms,\
            p99_latency_ms,p999_latency_ms,longest_latency_ms,goodput_before_per_s,\
            goodput_during_per_s,goodput_after_per_s,amplification,recovery_ms,wasted_work_ms,\
            recovered_share";
        assert!(lines.next().unwrap().starts_with(known));
        let row = lines.nth(2).unwrap();
        assert!(row.starts_with(
            "full-jitter,10000,0,10000,60000,50000,0,1241.3,1230,1700,2099,2357,1461,10000,80,"
        ));
        assert_eq!(summary.lines().count(), 6);
    }

    #[test]
    fn names_are_quoted_where_csv_needs_it() {
        let sample = sample::layers();
        let summary = text(|to| summary(&sample.run(), to));
        assert!(summary.contains("\n\"only payments, 10 % budget\",1000,0,1000,"));
    }

    #[test]
    fn waits_stand_in_bins_that_variants_share() {
        let sample = sample::storm();
        let waits = text(|to| waits(&sample.run(), to));
        let constant: Vec<_> = waits.lines().filter(|row| row.starts_with("constant")).collect();
        assert_eq!(constant.len(), 51);
        assert_eq!(constant[0], "constant,0,10,0");
        assert_eq!(constant[50], "constant,500,510,10000");
    }

    #[test]
    fn every_attempt_says_how_it_ended_and_what_followed() {
        let sample = sample::layers();
        let attempts = text(|to| attempts(&sample.run(), to));
        let rows: Vec<_> = attempts.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "every layer retries,0,database,1,0,0,0,503,retry,payments,1.5",
                "every layer retries,0,database,2,1.5,11.5,1.5,timeout,budget-denied,payments,",
                "every layer retries,0,gateway,1,0,11.5,0,answered,done,user,",
            ]
        );
    }

    #[test]
    fn clients_have_a_row_each() {
        let sample = sample::layers();
        let clients = text(|to| clients(&sample.run(), to));
        assert_eq!(clients.lines().nth(1), Some("every layer retries,user,1000,0,1000,0,0,0,0"));
    }
}
