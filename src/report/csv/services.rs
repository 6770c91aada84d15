//! services.csv: what happened between each caller and each service.

use std::io::{self, Write};

use super::row::Rows;
use crate::experiment::VariantResult;
use crate::model::outcome::EdgeOutcome;
use crate::model::spec::Caller;
use crate::report::run::Run;

const HEAD: &str = "variant,service,caller,calls,attempts,attempts_per_request,retries,answered,\
    failed,timed_out,refused_queue,refused_limit,refused_breaker,denied_budget,denied_deadline,\
    abandoned,still_out,wasted_work_ms,mean_queue,peak_queue,mean_queue_time_ms,\
    p99_queue_time_ms,mean_busy_workers,amplification_peak,amplification,peak_busy_workers,\
    first_request_attempts";

/// services.csv: a row for each variant, service and caller of it, in file
/// order; several calls of one caller to the service are one row. The columns
/// from `wasted_work_ms` to `peak_busy_workers` speak of the whole service, so
/// they are the same on each of its rows.
///
/// # Errors
/// If `to` cannot be written.
pub fn services(run: &Run, to: impl Write) -> io::Result<()> {
    let mut rows = Rows::new(to);
    rows.head(HEAD)?;
    for result in run.results {
        let mut edges = result.outcome.edges.clone();
        // Stable: the callers of a service stay in the order of the model.
        edges.sort_by_key(|edge| edge.target);
        for of_service in edges.chunk_by(|a, b| a.target == b.target) {
            for caller in merged(of_service) {
                row(&mut rows, result, &caller)?;
            }
        }
    }
    rows.finish()
}

/// The edges of one service with those of the same caller added up.
fn merged(edges: &[EdgeOutcome]) -> Vec<EdgeOutcome> {
    let mut edges = edges.to_vec();
    // Clients before services, both in file order; a caller's edges become
    // neighbours.
    edges.sort_by_key(|edge| match edge.caller {
        Caller::Client(client) => (0, client),
        Caller::Service(service) => (1, service),
    });
    edges
        .chunk_by(|a, b| a.caller == b.caller)
        .map(|same| same[1..].iter().fold(same[0], |sum, edge| sum_of(&sum, edge)))
        .collect()
}

fn sum_of(a: &EdgeOutcome, b: &EdgeOutcome) -> EdgeOutcome {
    EdgeOutcome {
        caller: a.caller,
        target: a.target,
        calls: a.calls + b.calls,
        attempts: a.attempts + b.attempts,
        retries: a.retries + b.retries,
        answered: a.answered + b.answered,
        failed: a.failed + b.failed,
        refused_queue: a.refused_queue + b.refused_queue,
        timed_out: a.timed_out + b.timed_out,
        abandoned: a.abandoned + b.abandoned,
        still_out: a.still_out + b.still_out,
        denied_budget: a.denied_budget + b.denied_budget,
        denied_deadline: a.denied_deadline + b.denied_deadline,
        first_request: a.first_request + b.first_request,
    }
}

fn row(rows: &mut Rows<impl Write>, result: &VariantResult, edge: &EdgeOutcome) -> io::Result<()> {
    let service = &result.outcome.services[edge.target];
    rows.text(&result.name)?;
    rows.text(&result.model.services[edge.target].name)?;
    rows.text(result.model.caller_name(edge.caller))?;
    rows.count(edge.calls)?;
    rows.count(edge.attempts)?;
    rows.decimal(edge.attempts as f64 / result.outcome.requests as f64)?;
    rows.count(edge.retries)?;
    rows.count(edge.answered)?;
    rows.count(edge.failed)?;
    rows.count(edge.timed_out)?;
    // Queues have no limit, and there is no rate limit and no breaker.
    rows.count(edge.refused_queue)?;
    for _ in ["refused_limit", "refused_breaker"] {
        rows.count(0)?;
    }
    rows.count(edge.denied_budget)?;
    rows.count(edge.denied_deadline)?;
    rows.count(edge.abandoned)?;
    rows.count(edge.still_out)?;
    rows.nanos(service.wasted_work.as_nanos())?;
    rows.decimal(service.mean_queue)?;
    rows.count(service.peak_queue)?;
    rows.mean_and(&service.queue_time, service.queue_time.p99)?;
    rows.decimal(service.mean_busy_workers)?;
    rows.decimal(service.amplification_peak)?;
    rows.decimal(service.amplification())?;
    rows.count(service.peak_busy_workers)?;
    rows.count(edge.first_request)?;
    rows.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, text};

    #[test]
    fn a_row_for_each_service_and_caller() {
        let sample = sample::layers();
        let services = text(|to| services(&sample.run(), to));
        let lines: Vec<_> = services.lines().collect();
        assert_eq!(lines.len(), 1 + 3 * 4);
        assert_eq!(
            lines[4],
            "every layer retries,database,payments,9000,27000,27,18000,0,27000,0,0,0,0,0,0,0,0,0,\
             0,0,,,0,27,27,0,27"
        );
        assert!(
            lines[12].starts_with("\"only payments, 10 % budget\",database,payments,1000,1109,")
        );
    }

    #[test]
    fn calls_of_one_caller_are_one_row() {
        let mut sample = sample::layers();
        let edges = &mut sample.results[0].outcome.edges;
        let twin = edges[3];
        edges.push(twin);
        let services = text(|to| services(&sample.run(), to));
        assert!(services.contains("\nevery layer retries,database,payments,18000,54000,54,36000,"));
    }
}
