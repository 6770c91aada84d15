//! The sentences under the tables: what a person would conclude, said only
//! where the numbers carry it.

use super::number;
use super::recovery::recoveries;
use super::run::{Run, quoted};
use super::shape;
use crate::experiment::VariantResult;

/// A difference between two counts of independent events is no more than
/// chance if it is less than so many of its standard deviations.
const DEVIATIONS: f64 = 3.0;

/// Differences below a twentieth are not worth a sentence.
const WORTH: f64 = 1.05;

/// Shares of requests that differ by less than a hundredth look the same.
const POINT: f64 = 0.01;

/// What the tables show: how the run came through its faults, and a sentence
/// for each of at most three things more.
pub fn findings(run: &Run) -> Vec<String> {
    let others = [most_answered(run), smallest_peak(run), shortest_wait(run)];
    recoveries(run.results).into_iter().chain(others.into_iter().flatten()).collect()
}

/// The variant that answers the largest share of its requests, against the one
/// that answers the smallest.
fn most_answered(run: &Run) -> Option<String> {
    let lost = |result: &VariantResult| {
        let outcome = &result.outcome;
        1.0 - outcome.answered as f64 / outcome.requests.max(1) as f64
    };
    let (best, next) = two_least(run.results.iter(), lost)?;
    let worst = run.results.iter().max_by(|a, b| lost(a).total_cmp(&lost(b)))?;
    let variance = |result: &VariantResult| {
        lost(result) * (1.0 - lost(result)) / result.outcome.requests.max(1) as f64
    };
    let difference = lost(next) - lost(best);
    let error = f64::sqrt(variance(best) + variance(next));
    (difference >= POINT && difference > DEVIATIONS * error).then(|| {
        let percent = |result| number::fixed((1.0 - lost(result)) * 100.0, 1);
        format!(
            "{} answers most: {} % of its requests, against {} % under {}.",
            quoted(&best.name),
            percent(best),
            percent(worst),
            quoted(&worst.name)
        )
    })
}

/// The variant whose retries crowd least, against the one where they crowd most.
/// Without waits there is nothing that could spread them.
fn smallest_peak(run: &Run) -> Option<String> {
    run.results.iter().find(|result| !result.outcome.wait.longest.is_zero())?;
    let peak = |result: &VariantResult| result.outcome.busiest_retries.count as f64;
    let (least, next) = two_least(run.results.iter(), peak)?;
    let mut most = least;
    for result in run.results {
        if peak(result) > peak(most) {
            most = result;
        }
    }
    let apart = |other: &VariantResult| {
        let (small, large) = (peak(least), peak(other));
        small > 0.0
            && large / small >= WORTH
            && large - small > DEVIATIONS * f64::sqrt(large + small)
    };
    (apart(next) && apart(most)).then(|| {
        format!(
            "The smallest peak is {}'s: {} than {}.",
            quoted(&least.name),
            times_less(peak(most) / peak(least)),
            quoted(&most.name)
        )
    })
}

/// The variant whose requests wait least. Without jitter the waits are what
/// the policy says, so only those with jitter are worth comparing.
fn shortest_wait(run: &Run) -> Option<String> {
    let with_jitter = || run.results.iter().filter(|r| shape::clients_use_jitter(&r.model));
    let wait = |result: &VariantResult| result.outcome.wait.mean_nanos;
    let (least, next) = two_least(with_jitter(), wait)?;
    // A sum of waits lies between 0 and the longest, so its standard deviation
    // is at most half of that, and the mean's less by the root of the count.
    let variance = |result: &VariantResult| {
        let half = result.outcome.wait.longest.as_nanos() as f64 / 2.0;
        half * half / result.outcome.wait.count.max(1) as f64
    };
    let error = f64::sqrt(variance(least) + variance(next));
    let apart = wait(next) >= wait(least) * WORTH && wait(next) - wait(least) > DEVIATIONS * error;
    let all = with_jitter().count() == run.results.len();
    apart.then(|| {
        let of_those = if all { "" } else { " of those with jitter" };
        format!("{} has the shortest mean wait{of_those}.", quoted(&least.name))
    })
}

/// The results with the least and the second least value.
fn two_least<'a>(
    results: impl Iterator<Item = &'a VariantResult>,
    value: impl Fn(&VariantResult) -> f64,
) -> Option<(&'a VariantResult, &'a VariantResult)> {
    let mut sorted: Vec<&VariantResult> = results.collect();
    sorted.sort_by(|a, b| value(a).total_cmp(&value(b)));
    match sorted[..] {
        [least, next, ..] => Some((least, next)),
        _ => None,
    }
}

/// How much smaller something is that fits `ratio` times into another.
fn times_less(ratio: f64) -> String {
    if ratio < 2.0 {
        format!("{} % less", number::fixed((1.0 - 1.0 / ratio) * 100.0, 0))
    } else if ratio < 10.0 {
        format!("{} times less", number::fixed(ratio, 1))
    } else {
        format!("{} times less", number::fixed(ratio, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_storm_has_two_findings() {
        assert_eq!(
            findings(&sample::storm().run()),
            [
                "The smallest peak is decorrelated-jitter's: 15 times less than constant.",
                "full-jitter has the shortest mean wait of those with jitter.",
            ]
        );
    }

    #[test]
    fn says_who_answers_most() {
        let mut storm = sample::storm();
        storm.results[0].outcome.answered = 5_000;
        storm.results[1].outcome.answered = 9_950;
        assert_eq!(
            findings(&storm.run())[0],
            "exponential answers most: 99.5 % of its requests, against 0.0 % under \
             decorrelated-jitter."
        );
        storm.results[0].outcome.answered = 9_900;
        assert_eq!(findings(&storm.run()).len(), 2, "half a point is no difference");
    }

    #[test]
    fn chance_is_not_a_finding() {
        let mut storm = sample::storm();
        storm.results[2].outcome.busiest_retries.count = 740;
        storm.results[3].outcome.wait.mean_nanos = 1.25e9;
        assert_eq!(
            findings(&storm.run()),
            Vec::<String>::new(),
            "740 is three deviations from 647"
        );
        storm.results[2].outcome.busiest_retries.count = 760;
        storm.results[3].outcome.wait.mean_nanos = 1.35e9;
        assert_eq!(findings(&storm.run()).len(), 2);
    }

    #[test]
    fn the_words_fit_the_ratio() {
        assert_eq!(times_less(15.456), "15 times less");
        assert_eq!(times_less(2.44), "2.4 times less");
        assert_eq!(times_less(1.25), "20 % less");
    }

    #[test]
    fn one_variant_is_compared_with_nothing() {
        let mut storm = sample::storm();
        storm.results.truncate(1);
        assert!(findings(&storm.run()).is_empty());
        let mut layers = sample::layers();
        layers.results[0].outcome.busiest_retries.count = 38_000;
        layers.results[1].outcome.busiest_retries.count = 2_000;
        layers.results[2].outcome.busiest_retries.count = 109;
        assert!(findings(&layers.run()).is_empty(), "nobody waits");
    }
}
