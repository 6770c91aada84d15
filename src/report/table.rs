//! The tables of a run for people: which ones tell its story, and what stands
//! in their cells. How they are laid out is [`super::grid`]'s.

use super::grid::Grid;
use super::number::{self, Scale};
use super::run::{Run, shown_name};
use super::shape;
use crate::experiment::VariantResult;
use crate::model::outcome::Outcome;
use crate::model::recovery::{Goodput, Recovery};
use crate::stats::Distribution;

/// The tables that tell the story of a run: goodput where there were faults, the
/// requests where any was not given up, the waits where any request waited, the
/// layers where services form a chain; the requests if nothing else is to tell.
/// Of requests that keep arriving through a fault the waits are no story.
pub fn tables(run: &Run) -> Vec<Grid> {
    let outcomes = || run.results.iter().map(|result| &result.outcome);
    let mut tables = Vec::new();
    let faults = outcomes().any(|outcome| outcome.goodput.is_some());
    let crowd = run.results.iter().any(|result| shape::comes_together(&result.model));
    let waited = outcomes().any(|outcome| outcome.wait.longest.as_nanos() > 0);
    if waited && (crowd || !faults) {
        tables.push(waits(run));
    }
    if shape::common_chain(run.results).is_some() {
        tables.push(layers(run));
    }
    if tables.is_empty() || outcomes().any(|outcome| outcome.gave_up.total() < outcome.requests) {
        tables.insert(0, requests(run));
    }
    if faults {
        tables.insert(0, goodput(run));
    }
    tables
}

/// How goodput came through the faults, and what that cost.
fn goodput(run: &Run) -> Grid {
    let cell = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let row = |result: &VariantResult| {
        let outcome = &result.outcome;
        let goodput = |of: fn(&Goodput) -> Option<f64>| {
            cell(outcome.goodput.as_ref().and_then(of).map(|rate| number::rate(rate) + "/s"))
        };
        let recovery = outcome.goodput.and_then(|goodput| goodput.recovery);
        let peak = outcome.services.iter().map(|s| s.amplification_peak).fold(0.0, f64::max);
        vec![
            shown_name(&result.name),
            goodput(|goodput| goodput.before),
            goodput(|goodput| goodput.during),
            goodput(|goodput| goodput.after),
            cell(recovery.map(|recovery| match recovery {
                Recovery::At(time) => format!("{} s", number::fixed(time.as_secs_f64(), 1)),
                Recovery::Never => number::NEVER.to_owned(),
            })),
            number::fixed(peak, 1),
            cell(
                outcome
                    .wasted_share()
                    .map(|share| format!("{} %", number::fixed(share * 100.0, 0))),
            ),
        ]
    };
    let head =
        ["goodput before", "during", "after", "recovery", "peak amplification", "wasted work"];
    let head = std::iter::once(label(run)).chain(head.map(String::from)).collect();
    Grid { head, rows: run.results.iter().map(row).collect() }
}

/// How the requests ended, and how long they took.
fn requests(run: &Run) -> Grid {
    let latency = Columns::of(run, |outcome| &outcome.latency);
    let some_out = run.results.iter().any(|result| result.outcome.still_out > 0);
    let worst = run.results.iter().map(|r| r.outcome.amplification()).fold(0.0, f64::max);
    let decimals = if worst < 10.0 { 2 } else { 1 };
    // Where it is the same for all, it stands in the heading.
    let sizes_differ = same(run, |result| result.outcome.requests).is_none();
    let mut head = vec![label(run)];
    if sizes_differ {
        head.push("requests".into());
    }
    head.extend(["answered", "gave up"].map(String::from));
    if some_out {
        head.push("still out".into());
    }
    head.extend(["attempts", "amplification", "mean latency", "99 % latency"].map(String::from));
    let row = |result: &VariantResult| {
        let outcome = &result.outcome;
        let mut row = vec![shown_name(&result.name)];
        if sizes_differ {
            row.push(number::count(outcome.requests));
        }
        row.push(number::count(outcome.answered));
        row.push(number::count(outcome.gave_up.total()));
        if some_out {
            row.push(number::count(outcome.still_out));
        }
        row.push(number::count(outcome.attempts_in_all()));
        row.push(number::fixed(outcome.amplification(), decimals));
        row.push(latency.mean(&outcome.latency));
        row.push(latency.p99(&outcome.latency));
        row
    };
    Grid { head, rows: run.results.iter().map(row).collect() }
}

/// How the retries crowd, and how long requests wait for them.
fn waits(run: &Run) -> Grid {
    let wait = Columns::of(run, |outcome| &outcome.wait);
    let head = vec![
        label(run),
        busiest(run),
        "mean wait".into(),
        "99 % wait".into(),
        "longest wait".into(),
    ];
    let row = |result: &VariantResult| {
        let outcome = &result.outcome;
        vec![
            shown_name(&result.name),
            number::counted(outcome.busiest_retries.count, "retry", "retries"),
            wait.mean(&outcome.wait),
            wait.p99(&outcome.wait),
            wait.longest(&outcome.wait),
        ]
    };
    Grid { head, rows: run.results.iter().map(row).collect() }
}

/// What reaches the last service of the chain.
fn layers(run: &Run) -> Grid {
    let deepest = shape::common_chain(run.results).and_then(|chain| chain.last().copied());
    let deepest = deepest.unwrap_or_default();
    let requests = same(run, |result| result.outcome.requests);
    let mut head = vec![format!("attempts that reach the {deepest}"), "for 1 request".to_owned()];
    if requests != Some(1) {
        head.push(
            requests.map_or("for all".to_owned(), |all| format!("for {}", number::count(all))),
        );
    }
    head.push("times normal".to_owned());
    let row = |result: &VariantResult| {
        let at = result.model.services.iter().position(|service| service.name == deepest);
        let service = at.and_then(|at| result.outcome.services.get(at));
        let count = |count: Option<u64>| count.map_or(String::new(), number::count);
        let mut row = vec![shown_name(&result.name), count(service.map(|s| s.first_request))];
        if requests != Some(1) {
            row.push(count(service.map(|s| s.attempts)));
        }
        row.push(service.map_or(String::new(), |s| number::fixed(s.amplification(), 1)));
        row
    };
    Grid { head, rows: run.results.iter().map(row).collect() }
}

/// What the rows are called.
fn label(run: &Run) -> String {
    super::run::visible(&run.scenario.label)
}

/// The head of the column of peaks, with the length of a slice.
fn busiest(run: &Run) -> String {
    let slice = same(run, |result| result.model.slice);
    slice.map_or("busiest slice".to_owned(), |slice| format!("busiest {slice}"))
}

/// The value that all results share, if they do.
fn same<T: PartialEq>(run: &Run, value: impl Fn(&VariantResult) -> T) -> Option<T> {
    let (first, rest) = run.results.split_first()?;
    let first = value(first);
    rest.iter().all(|result| value(result) == first).then_some(first)
}

/// The columns that show a distribution, each on its own scale.
struct Columns {
    mean: Scale,
    p99: Scale,
    longest: Scale,
}

impl Columns {
    fn of(run: &Run, distribution: impl Fn(&Outcome) -> &Distribution) -> Self {
        let scale = |value: &dyn Fn(&Distribution) -> f64| {
            let values = run.results.iter().map(|result| value(distribution(&result.outcome)));
            Scale::of(values.fold(0.0, f64::max))
        };
        Self {
            mean: scale(&|d| d.mean_nanos / 1e6),
            p99: scale(&|d| d.p99.as_millis_f64()),
            longest: scale(&|d| d.longest.as_millis_f64()),
        }
    }

    fn mean(&self, of: &Distribution) -> String {
        cell(of, self.mean, of.mean_nanos / 1e6)
    }

    fn p99(&self, of: &Distribution) -> String {
        cell(of, self.p99, of.p99.as_millis_f64())
    }

    fn longest(&self, of: &Distribution) -> String {
        cell(of, self.longest, of.longest.as_millis_f64())
    }
}

/// A length, or a dash where there was nothing to measure.
fn cell(of: &Distribution, scale: Scale, millis: f64) -> String {
    if of.count == 0 { "-".to_owned() } else { scale.text(millis) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::style::Style;
    use crate::time::Duration;

    #[test]
    fn the_outcome_chooses_the_tables() {
        let heads = |sample: &sample::Sample| -> Vec<String> {
            tables(&sample.run()).into_iter().map(|grid| grid.head[1].clone()).collect()
        };
        let storm = sample::storm();
        assert_eq!(heads(&storm), ["busiest 10 ms"]);
        let mut layers = sample::layers();
        assert_eq!(heads(&layers), ["for 1 request"]);
        layers.results[0].outcome.wait.longest = Duration::from_millis(1);
        assert_eq!(heads(&layers), ["busiest 10 ms", "for 1 request"]);
        layers.results[0].outcome.answered = 1;
        layers.results[0].outcome.gave_up = sample::exhausted(999);
        assert_eq!(heads(&layers), ["answered", "busiest 10 ms", "for 1 request"]);
        assert_eq!(heads(&sample::healthy()), ["answered"]);
    }

    #[test]
    fn a_run_that_answers_shows_how_fast() {
        insta::assert_snapshot!(tables(&sample::healthy().run())[0].text(Style::PLAIN), @r#"
        variant      answered   gave up   still out   attempts   amplification   mean latency   99 % latency
        as written     47,990         0          10     48,000            1.00        12.3 ms        58.8 ms
        "#);
    }

    #[test]
    fn a_run_with_faults_shows_its_goodput_first() {
        let mut outage = sample::outage();
        outage.results[0].outcome.wait.longest = Duration::from_millis(1);
        outage.results[1].outcome.goodput = None;
        let all = tables(&outage.run());
        assert_eq!(all.len(), 2);
        insta::assert_snapshot!(all[0].text(Style::PLAIN), @r#"
        variant                         goodput before   during   after   recovery   peak amplification   wasted work
        3 attempts, no retry budget              800/s      0/s     0/s      never                  3.0             -
        3 attempts, 10 % retry budget                -        -       -          -                  1.1             -
        "#);
        outage.results[0].model.clients[0].arrivals = crate::model::spec::Arrivals::TOGETHER;
        let all = tables(&outage.run());
        assert_eq!(all[2].head[1], "busiest 10 ms", "a crowd has its peak all the same");
    }

    #[test]
    fn what_differs_between_variants_is_not_in_a_head() {
        let mut layers = sample::layers();
        layers.results[1].outcome.requests = 10;
        assert_eq!(tables(&layers.run())[0].head[2], "for all");
        layers.results[1].outcome.answered = 10;
        layers.results[1].outcome.gave_up = sample::exhausted(0);
        assert_eq!(tables(&layers.run())[0].head[1], "requests");
        let mut storm = sample::storm();
        storm.results[1].model.slice = Duration::from_millis(1);
        assert_eq!(tables(&storm.run())[0].head[1], "busiest slice");
    }
}
