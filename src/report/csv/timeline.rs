//! timeline.csv: the course of each service.

use std::io::{self, Write};

use super::row::Rows;
use crate::experiment::VariantResult;
use crate::model::bins::Bins;
use crate::model::outcome::Row;
use crate::report::axis;
use crate::report::run::Run;

/// timeline.csv: a row for each variant, service and slice of time, from the
/// start to the end of the variant's run, in slices that variants share.
/// `queue` and `busy_workers` are averages over the slice, or over the part of
/// it that was simulated.
///
/// # Errors
/// If `to` cannot be written.
pub fn timeline(run: &Run, to: impl Write) -> io::Result<()> {
    let mut rows = Rows::new(to);
    rows.head(
        "variant,service,slice_start_ms,first_attempts,retries,answered,failed,timed_out,refused,\
         queue,busy_workers,budget_level,breaker_state",
    )?;
    for (result, width) in run.results.iter().zip(axis::timeline_widths(run.results)) {
        for (service, seen) in result.model.services.iter().zip(&result.outcome.services) {
            let course = seen.timeline.coarsened(width);
            slices(&mut rows, result, &service.name, &course)?;
        }
    }
    rows.finish()
}

fn slices(
    rows: &mut Rows<impl Write>,
    result: &VariantResult,
    service: &str,
    course: &Bins<Row>,
) -> io::Result<()> {
    let ended = result.outcome.ended.as_nanos();
    let slices = ended.div_ceil(course.width()).max(course.bins().len() as u64);
    for slice in 0..slices {
        let start = slice * course.width();
        let seen = course.bins().get(slice as usize).copied().unwrap_or_default();
        // At the very end nothing is left to average over, and nothing to see.
        let simulated = ended.saturating_sub(start).clamp(1, course.width()) as f64;
        rows.text(&result.name)?;
        rows.text(service)?;
        rows.nanos(start)?;
        rows.count(seen.first_attempts)?;
        rows.count(seen.retries)?;
        rows.count(seen.answered)?;
        rows.count(seen.failed)?;
        rows.count(seen.timed_out)?;
        rows.count(seen.refused)?;
        rows.decimal(seen.queue_nanos as f64 / simulated)?;
        rows.decimal(seen.busy_nanos as f64 / simulated)?;
        // Levels of budgets are not followed over time, and there is no breaker.
        rows.empty()?;
        rows.empty()?;
        rows.end()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, text};
    use crate::time::Instant;

    #[test]
    fn runs_from_the_start_to_the_end_of_the_variant() {
        let sample = sample::storm();
        let timeline = text(|to| timeline(&sample.run(), to));
        let constant: Vec<_> = timeline.lines().filter(|row| row.starts_with("constant")).collect();
        assert_eq!(constant.len(), 51);
        assert_eq!(constant[0], "constant,shop,0,10000,0,0,10000,0,0,0,0,,");
        assert_eq!(constant[10], "constant,shop,100,0,10000,0,10000,0,0,0,0,,");
        assert_eq!(constant[50], "constant,shop,500,0,10000,0,10000,0,0,0,0,,");
    }

    #[test]
    fn averages_are_over_the_time_that_was_simulated() {
        let mut sample = sample::storm();
        let outcome = &mut sample.results[4].outcome;
        outcome.ended = Instant::from_nanos(4_184_000_000);
        // One worker busy for the last 2 ms of the 4 ms of the last slice.
        outcome.services[0].timeline.at(4_182_000_000).busy_nanos = 2_000_000;
        outcome.services[0].timeline.at(4_170_000_000).queue_nanos = 25_000_000;
        let timeline = text(|to| timeline(&sample.run(), to));
        assert!(timeline.contains("\ndecorrelated-jitter,shop,4170,0,0,0,0,0,0,2.5,0,,\n"));
        assert!(timeline.ends_with("decorrelated-jitter,shop,4180,0,10000,0,10000,0,0,0,0.5,,\n"));
    }
}
