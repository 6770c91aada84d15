//! From results to charts: which suit, what is drawn in them, and what their
//! titles say.
//!
//! A title is a finding only where the numbers carry it; else it names what is
//! shown. Nothing here lays out or draws.

mod layers;
mod strategies;
mod timeline;

use super::{ChartError, Picture};
use crate::experiment::VariantResult;
use crate::model::spec::{Arrivals, Caller, Edge, RandomSource};
use crate::time::Duration;

/// Where results come from, as far as a footer says it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the scenario's file.
    pub file: &'a str,
    /// The seed of every draw.
    pub seed: u64,
}

/// The charts that suit the results, in the order in which they are shown:
/// strategies where clients wait before they retry, layers where services call
/// services, a timeline where requests keep arriving or the clock stops. None
/// without results. The variants of one scenario are expected.
pub fn pictures(source: &Source, results: &[VariantResult]) -> Vec<Result<Picture, ChartError>> {
    [
        strategies::chart(source, results).map(|chart| super::strategies(&chart)),
        layers::chart(source, results).map(|chart| super::layers(&chart)),
        timeline::chart(source, results).map(|chart| super::timeline(&chart)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The footer: program, file, seed, and what else is given.
fn footer(source: &Source, results: &[VariantResult], more: &[String]) -> String {
    let mut parts = vec![
        format!("sim {}", env!("CARGO_PKG_VERSION")),
        source.file.to_owned(),
        format!("seed {}", source.seed),
    ];
    parts.extend(match same(results, |result| result.model.random) {
        Some(RandomSource::Cpython) => Some("random cpython".to_owned()),
        Some(RandomSource::Mulberry32) => Some("random mulberry32".to_owned()),
        Some(RandomSource::Keyed) | None => None,
    });
    parts.extend_from_slice(more);
    parts.join("  ·  ")
}

/// What all results have in common, if they do.
fn same<T: PartialEq>(results: &[VariantResult], of: impl Fn(&VariantResult) -> T) -> Option<T> {
    let first = of(results.first()?);
    results.iter().all(|result| of(result) == first).then_some(first)
}

/// The edges on which clients wait before they retry.
fn waiting(result: &VariantResult) -> impl Iterator<Item = &Edge> {
    result.model.edges.iter().filter(|edge| {
        let backoff = &edge.retry.backoff;
        matches!(edge.caller, Caller::Client(_))
            && edge.retry.max_attempts != Some(1)
            && backoff.waits()
            && !backoff.base.min(backoff.cap).is_zero()
    })
}

/// A width of slices that every timeline of the results can be coarsened to:
/// the finest that is a multiple of `finest` and of all their widths, and that
/// shows the longest of them, and `length`, in at most `most` rows. `None` if
/// there is none.
fn common_width(
    results: &[VariantResult],
    finest: Duration,
    length: u64,
    most: u64,
) -> Option<u64> {
    let mut width = finest.as_nanos().max(1);
    let mut length = length.max(1);
    for result in results {
        width = common_multiple(width, result.outcome.flow.width())?;
    }
    for service in results.iter().flat_map(|result| &result.outcome.services) {
        let bins = &service.timeline;
        width = common_multiple(width, bins.width())?;
        length = length.max((bins.bins().len() as u64).checked_mul(bins.width())?);
    }
    Some(crate::model::bins::round_width(length, width, most))
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut rest, mut divisor) = (a, b);
    while rest > 0 {
        (rest, divisor) = (divisor % rest, rest);
    }
    (a / divisor).checked_mul(b)
}

/// Whether requests arrive at a rate rather than together or in turn.
fn keeps_arriving(arrivals: &Arrivals) -> bool {
    matches!(arrivals, Arrivals::Poisson { .. } | Arrivals::Constant { .. })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_charts_that_suit_are_drawn() {
        let source = Source { file: "storm.toml", seed: 2026 };
        let names = |results: &[VariantResult]| -> Vec<String> {
            let pictures = pictures(&source, results).into_iter();
            pictures.map(|picture| picture.expect("a sample can be drawn").name).collect()
        };
        assert_eq!(names(&sample::storm()), ["strategies"]);
        assert_eq!(names(&sample::layers()), ["layers"]);
        assert_eq!(names(&sample::overload()), ["strategies", "timeline"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn the_same_results_give_the_same_bytes() {
        let source = Source { file: "layers.toml", seed: 1 };
        assert_eq!(pictures(&source, &sample::layers()), pictures(&source, &sample::layers()));
    }

    #[test]
    fn the_footer_names_what_is_needed_to_repeat_it() {
        let source = Source { file: "scenarios/storm.toml", seed: 2026 };
        let mut results = sample::storm();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            footer(&source, &results, &["base 100 ms".into()]),
            format!(
                "sim {version}  ·  scenarios/storm.toml  ·  seed 2026  ·  random cpython  ·  base 100 ms"
            )
        );
        for result in &mut results {
            result.model.random = RandomSource::Keyed;
        }
        assert!(!footer(&source, &results, &[]).contains("random"));
    }

    #[test]
    fn one_width_serves_all_timelines() {
        assert_eq!(common_multiple(10, 25), Some(50));
        assert_eq!(common_multiple(7, 7), Some(7));
        assert_eq!(common_multiple(u64::MAX, u64::MAX - 1), None);
        let ms = Duration::from_millis;
        assert_eq!(common_width(&sample::storm(), ms(10), 0, 600), Some(ms(10).as_nanos()));
        assert_eq!(common_width(&sample::storm(), ms(10), 0, 60), Some(ms(100).as_nanos()));
        // Worlds keep what their own slice is made of.
        let odd = sample::storm().into_iter().map(|mut result| {
            result.model.slice = ms(15);
            sample::run(&result.name, result.model)
        });
        let odd: Vec<_> = odd.collect();
        assert_eq!(common_width(&odd, ms(15), 0, 600), Some(ms(15).as_nanos()));
    }

    /// No slice is a multiple of another, and together they would be centuries.
    #[test]
    fn slices_that_do_not_fit_together_are_no_reason_to_stop() {
        let source = Source { file: "overload.toml", seed: 1 };
        let mut results = Vec::new();
        for nanos in [999_999_937, 1_000_000_007, 1_000_000_009] {
            let mut model = sample::overload()[1].model.clone();
            model.timeline_slice = Some(Duration::from_nanos(nanos));
            results.push(sample::run("odd", model));
        }
        assert_eq!(common_width(&results, Duration::from_nanos(1), 1, 1), None);
        assert!(pictures(&source, &results).is_empty());
        // Two of them still fit, into one slice of thirty years.
        let two = pictures(&source, &results[..2]);
        assert!(two.iter().all(Result::is_ok));
    }

    #[test]
    fn a_long_silence_is_drawn_in_few_slices() {
        let mut model = sample::overload()[1].model.clone();
        model.clients[0].requests = Some(10);
        model.duration = Some(Duration::from_secs(300_000_000));
        let source = Source { file: "silence.toml", seed: 1 };
        let chart = timeline::chart(&source, &[sample::run("silence", model)]);
        assert!(chart.expect("the clock stops it").panels[0].attempts.len() <= 150);
    }
}
