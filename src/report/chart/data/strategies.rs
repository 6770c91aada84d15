//! The chart of strategies from results.

use super::{Source, common_width, footer, same, waiting};
use crate::experiment::VariantResult;
use crate::model::spec::{Arrivals, Caller};
use crate::model::{Model, Outcome};
use crate::policy::{Family, Jitter};
use crate::report::chart::strategies::{Panel, StrategiesChart};
use crate::report::number::{self, Scale, counted};
use crate::time::Duration;

/// More slices than this are not drawn: each would be thinner than a pixel.
const MOST_SLOTS: u64 = 600;
/// A difference of less than this factor is not called a finding.
const FINDING: f64 = 1.5;
/// A difference between two counts of less than so many of its standard
/// deviations may be chance.
const DEVIATIONS: f64 = 3.0;

/// The chart, if clients of some variant retry after a wait.
pub(super) fn chart(source: &Source, results: &[VariantResult]) -> Option<StrategiesChart> {
    let suits = |result: &VariantResult| {
        waiting(result).next().is_some() && result.outcome.busiest_retries.count > 0
    };
    if !results.iter().any(suits) {
        return None;
    }
    let slice = same(results, |result| result.model.slice);
    let finest = results.iter().map(|result| result.model.slice).max()?;
    let width = common_width(results, finest, 0, MOST_SLOTS)?;
    let busiest = slice.map_or("busiest slice".to_owned(), |slice| format!("busiest {slice}"));
    let crowd = crowd(results);
    let more: Vec<String> = base_and_cap(results).into_iter().collect();
    Some(StrategiesChart {
        title: title(results, &busiest),
        subtitle: subtitle(results, Duration::from_nanos(width), crowd.as_deref()),
        footer: footer(source, results, &more),
        slice: Duration::from_nanos(width),
        since: crowd.map_or("after the start", |_| "after the failure").to_owned(),
        columns: [busiest, "mean wait".to_owned(), "longest wait".to_owned()],
        panels: panels(results, width),
    })
}

fn panels(results: &[VariantResult], width: u64) -> Vec<Panel> {
    let mean = waits(results, |outcome| outcome.wait.mean_nanos / 1e6);
    let longest = waits(results, |outcome| outcome.wait.longest.as_millis_f64());
    let cells = mean.into_iter().zip(longest);
    let panel = |(result, (mean, longest)): (&VariantResult, (String, String))| {
        let peak = result.outcome.busiest_retries;
        Panel {
            name: shown(&result.name),
            slots: slots(result, width),
            peak_slot: (peak.count > 0).then(|| (peak.start.as_nanos() / width) as usize),
            cells: [number::count(peak.count), mean, longest],
        }
    };
    results.iter().zip(cells).map(panel).collect()
}

/// A column of lengths of time, given in milliseconds, all in one unit.
fn waits(results: &[VariantResult], millis: impl Fn(&Outcome) -> f64) -> Vec<String> {
    let millis = || results.iter().map(|result| millis(&result.outcome));
    let scale = Scale::of(millis().fold(0.0, f64::max));
    millis().map(|wait| scale.text(wait)).collect()
}

/// Retries at all services in each slice.
fn slots(result: &VariantResult, width: u64) -> Vec<u64> {
    let mut slots = Vec::new();
    for service in &result.outcome.services {
        for (i, row) in service.timeline.coarsened(width).bins().iter().enumerate() {
            if i >= slots.len() {
                slots.resize(i + 1, 0);
            }
            slots[i] += row.retries;
        }
    }
    let last = slots.iter().rposition(|&count| count > 0);
    slots.truncate(last.map_or(0, |last| last + 1));
    slots
}

/// The name of a strategy is written as words, any other as it is.
fn shown(name: &str) -> String {
    const STRATEGIES: [&str; 3] = ["full-jitter", "equal-jitter", "decorrelated-jitter"];
    if STRATEGIES.contains(&name) { name.replace('-', " ") } else { name.to_owned() }
}

/// The finding. That jitter cuts the peak is said only if every variant with
/// jitter stays clearly below every one without, and nothing but the waits
/// tells them apart.
fn title(results: &[VariantResult], busiest: &str) -> String {
    let peak = |result: &VariantResult| result.outcome.busiest_retries.count;
    let most = results.iter().map(peak).max().unwrap_or(0);
    let least = results.iter().map(peak).min().unwrap_or(0);
    if most == least {
        let every = if results.len() > 1 { ", whichever the variant" } else { "" };
        return format!("{}: {}{every}", capital(busiest), retries(most));
    }
    let jittered =
        |with: bool| results.iter().filter(move |result| jitter(result) == Some(with)).map(peak);
    let peaks = jittered(true).max().zip(jittered(false).min());
    let clear = peaks.is_some_and(|(with, without)| clearly_below(with, without));
    let all_told = results.iter().all(|result| jitter(result).is_some());
    if clear && all_told && same(results, all_but_waits).is_some() {
        return format!(
            "Jitter cuts the {busiest} from {} to {}",
            retries(most),
            number::count(least)
        );
    }
    format!("{}: {} to {}", capital(busiest), number::count(most), retries(least))
}

/// Whether one count is so far below another that it is worth a word and no
/// chance.
fn clearly_below(count: u64, other: u64) -> bool {
    let (low, high) = (count as f64, other as f64);
    low > 0.0 && high >= FINDING * low && high - low > DEVIATIONS * f64::sqrt(high + low)
}

fn retries(count: u64) -> String {
    counted(count, "retry", "retries")
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Whether all waits of clients have jitter (`Some(true)`) or none has.
fn jitter(result: &VariantResult) -> Option<bool> {
    let mut all = waiting(result).map(|edge| edge.retry.backoff.is_random());
    let first = all.next()?;
    all.all(|random| random == first).then_some(first)
}

/// The world with the strategy of the waits of clients taken out of it, and
/// its count of retries. What is equal in this differs in the waits alone.
fn all_but_waits(result: &VariantResult) -> (Model, u64) {
    let mut model = result.model.clone();
    for edge in &mut model.edges {
        if matches!(edge.caller, Caller::Client(_)) {
            edge.retry.backoff.family = Family::None;
            edge.retry.backoff.jitter = Jitter::None;
        }
    }
    (model, result.outcome.retries_in_all())
}

/// Says that all fail together and then retry so many times, if they do.
fn crowd(results: &[VariantResult]) -> Option<String> {
    let facts = |result: &VariantResult| {
        let [client] = &result.model.clients[..] else { return None };
        let [call] = client.calls().collect::<Vec<_>>()[..] else { return None };
        let target = &result.model.services[result.model.edges[call].target];
        let at_once = target.fails >= 1.0
            && target.calls.is_empty()
            && target.service_time.mean_nanos() == 0.0;
        let outcome = &result.outcome;
        let together = matches!(client.arrivals, Arrivals::Together { .. }) && outcome.requests > 0;
        let retries = outcome.retries_in_all();
        let times = retries.checked_div(outcome.requests)?;
        let all = outcome.answered == 0 && times * outcome.requests == retries;
        (at_once && together && all).then_some((outcome.requests, client.processes, times))
    };
    let (requests, processes, times) = same(results, facts)??;
    let who = if requests == processes { "client" } else { "request" };
    let times =
        if times == 1 { "once".to_owned() } else { format!("{} times", number::count(times)) };
    Some(format!(
        "{} fail together at 0 s, then retry {times}.",
        counted(requests, who, &format!("{who}s"))
    ))
}

fn subtitle(results: &[VariantResult], slice: Duration, crowd: Option<&str>) -> String {
    let only = |result: &VariantResult| match &result.model.services[..] {
        [service] => Some(service.name.clone()),
        _ => None,
    };
    let target = match same(results, only).flatten() {
        Some(name) => format!("that reach {name}"),
        None => "at all services".to_owned(),
    };
    let who = match (crowd, same(results, |result| result.outcome.requests)) {
        (Some(crowd), _) => format!(" {crowd}"),
        (None, Some(requests)) => format!(" {} in all.", counted(requests, "request", "requests")),
        (None, None) => String::new(),
    };
    format!("Retries {target} in each {slice} slice.{who}")
}

/// The base and the cap, if all waits of clients have the same.
fn base_and_cap(results: &[VariantResult]) -> Option<String> {
    let mut all = results
        .iter()
        .flat_map(waiting)
        .map(|edge| (edge.retry.backoff.base, edge.retry.backoff.cap));
    let (base, cap) = all.next()?;
    if !all.all(|other| other == (base, cap)) {
        return None;
    }
    let cap = if cap == Duration::MAX { String::new() } else { format!(", cap {cap}") };
    Some(format!("base {base}{cap}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Strategy;
    use crate::report::chart::sample;

    const SOURCE: Source = Source { file: "scenarios/storm.toml", seed: 2026 };

    fn of(results: &[VariantResult]) -> StrategiesChart {
        chart(&SOURCE, results).expect("clients wait")
    }

    #[test]
    fn the_published_storm() {
        let chart = of(&sample::storm());
        assert_eq!(chart.title, "Jitter cuts the busiest 10 ms from 10,000 retries to 647");
        assert_eq!(
            chart.subtitle,
            "Retries that reach shop in each 10 ms slice. \
             10,000 clients fail together at 0 s, then retry 5 times."
        );
        assert!(chart.footer.ends_with("random cpython  ·  base 100 ms, cap 1 s"));
        assert_eq!(chart.since, "after the failure");
        let cells: Vec<[&str; 3]> =
            chart.panels.iter().map(|panel| panel.cells.each_ref().map(String::as_str)).collect();
        assert_eq!(
            cells,
            [
                ["10,000", "500 ms", "500 ms"],
                ["10,000", "2,500 ms", "2,500 ms"],
                ["1,461", "1,241 ms", "2,357 ms"],
                ["2,048", "1,870 ms", "2,429 ms"],
                ["647", "2,371 ms", "4,182 ms"],
            ]
        );
        let names: Vec<&str> = chart.panels.iter().map(|panel| panel.name.as_str()).collect();
        let shown =
            ["constant", "exponential", "full jitter", "equal jitter", "decorrelated jitter"];
        assert_eq!(names, shown);
        for (panel, peak) in chart.panels.iter().zip([10, 10, 9, 7, 29]) {
            assert_eq!(panel.slots.iter().sum::<u64>(), 50_000);
            assert_eq!(panel.peak_slot, Some(peak), "{}", panel.name);
        }
        assert_eq!(chart.panels[0].slots.iter().filter(|&&count| count == 10_000).count(), 5);
    }

    #[test]
    fn only_what_the_numbers_carry_is_said() {
        let crowd = sample::crowd;
        let title = |results: &[VariantResult]| of(results).title;
        let constant = crowd("constant", Strategy::Constant);
        let full = crowd("full-jitter", Strategy::FullJitter);
        let equal = crowd("equal-jitter", Strategy::EqualJitter);
        assert_eq!(title(std::slice::from_ref(&full)), "Busiest 10 ms: 1,461 retries");
        assert_eq!(
            title(&[constant.clone(), constant.clone()]),
            "Busiest 10 ms: 10,000 retries, whichever the variant"
        );
        assert_eq!(title(&[full.clone(), equal]), "Busiest 10 ms: 2,048 to 1,461 retries");
        // Fewer clients have a lower peak as well: that is not jitter's doing.
        let mut fewer = full.model.clone();
        fewer.clients[0].requests = Some(5_000);
        let fewer = sample::run("full-jitter", fewer);
        assert!(title(&[constant.clone(), fewer]).starts_with("Busiest 10 ms: 10,000 to"));
        // Counts so small that chance explains their difference.
        let few = |mut result: VariantResult, count: u64| {
            result.outcome.busiest_retries.count = count;
            result
        };
        let chance = [few(constant.clone(), 9), few(full.clone(), 4)];
        assert_eq!(title(&chance), "Busiest 10 ms: 9 to 4 retries");
        let clear = [few(constant.clone(), 40), few(full.clone(), 4)];
        assert_eq!(title(&clear), "Jitter cuts the busiest 10 ms from 40 retries to 4");
        // One variant without jitter that is as low as those with it.
        let mut low = constant.clone();
        low.outcome.busiest_retries.count = 1_500;
        assert!(title(&[constant, low, full]).starts_with("Busiest 10 ms: 10,000 to"));
    }

    #[test]
    fn slices_are_counted_with_their_right_words() {
        assert_eq!(retries(1), "1 retry");
        assert_eq!(retries(2_000), "2,000 retries");
        let mut result = sample::crowd("", Strategy::Constant);
        result.outcome.answered = 1;
        let chart = of(&[result]);
        assert_eq!(
            chart.subtitle,
            "Retries that reach shop in each 10 ms slice. 10,000 requests in all."
        );
        assert_eq!(chart.since, "after the start");
    }

    #[test]
    fn without_waits_there_is_no_chart() {
        assert!(chart(&SOURCE, &sample::layers()).is_none());
        let mut results = sample::storm();
        for result in &mut results {
            result.outcome.busiest_retries.count = 0;
        }
        assert!(chart(&SOURCE, &results).is_none());
    }

    #[test]
    fn long_runs_have_wider_slices_and_keep_every_retry() {
        let chart = of(&sample::overload());
        assert_eq!(chart.slice, Duration::from_millis(50));
        assert!(chart.subtitle.contains("in each 50 ms slice"));
        assert_eq!(chart.columns[0], "busiest 10 ms");
        for (panel, result) in chart.panels.iter().zip(sample::overload()) {
            assert_eq!(panel.slots.iter().sum::<u64>(), result.outcome.retries_in_all());
        }
    }
}
