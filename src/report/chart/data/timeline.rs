//! The chart of a course over time from results.

use super::{Source, common_width, footer, keeps_arriving, same};
use crate::experiment::VariantResult;
use crate::model::outcome::{Row, ServiceOutcome};
use crate::model::spec::{Arrivals, Service};
use crate::report::chart::number::rate;
use crate::report::chart::timeline::{TimelineChart, TimelinePanel};
use crate::report::number::fixed;
use crate::time::Duration;

/// More slices than this make a line of noise.
const MOST_SLOTS: u64 = 150;
/// A slice that the end of the run cut to less than this share tells nothing.
const LEAST_SHARE: f64 = 0.2;

/// The chart, if requests keep arriving or the clock stops the run. It shows
/// the service that gets most beyond its normal load.
pub(super) fn chart(source: &Source, results: &[VariantResult]) -> Option<TimelineChart> {
    let suits = |result: &VariantResult| {
        let model = &result.model;
        model.duration.is_some() || model.clients.iter().any(|c| keeps_arriving(&c.arrivals))
    };
    let length = results.iter().map(|result| result.outcome.ended.as_nanos()).max()?;
    if length == 0 || !results.iter().any(suits) {
        return None;
    }
    let name = busiest_service(results)?;
    let finest = results.iter().map(|result| result.model.slice).max()?;
    let width = common_width(results, finest, length, MOST_SLOTS)?;
    let panel = |result: &VariantResult| {
        let (service, outcome) = named(result, &name)?;
        Some(panel(result, service, outcome, width))
    };
    let panels: Vec<TimelinePanel> = results.iter().filter_map(panel).collect();
    Some(TimelineChart {
        title: title(results, &name),
        subtitle: subtitle(results, &name),
        footer: footer(source, results, &[format!("{} bins", Duration::from_nanos(width))]),
        slice: Duration::from_nanos(width),
        length: Duration::from_nanos(length),
        panels,
    })
}

fn named<'a>(result: &'a VariantResult, name: &str) -> Option<(&'a Service, &'a ServiceOutcome)> {
    let services = result.model.services.iter().zip(&result.outcome.services);
    services.into_iter().find(|(service, _)| service.name == name)
}

/// The service with the highest amplification in any variant; the last of
/// several.
fn busiest_service(results: &[VariantResult]) -> Option<String> {
    let services = results.first()?.model.services.iter();
    let amplification = |service: &&Service| {
        let outcomes = results.iter().filter_map(|result| named(result, &service.name));
        outcomes.map(|(_, outcome)| outcome.amplification()).fold(0.0, f64::max)
    };
    let worst = services.max_by(|a, b| amplification(a).total_cmp(&amplification(b)));
    worst.map(|service| service.name.clone())
}

fn panel(
    result: &VariantResult,
    service: &Service,
    outcome: &ServiceOutcome,
    width: u64,
) -> TimelinePanel {
    let bins = outcome.timeline.coarsened(width);
    let ended = result.outcome.ended.as_nanos();
    let count = ended.div_ceil(width).max(bins.bins().len() as u64);
    let mut panel = TimelinePanel {
        name: result.name.clone(),
        attempts: Vec::new(),
        first_attempts: Vec::new(),
        answered: Vec::new(),
        capacity: capacity(service),
        bands: Vec::new(),
    };
    for i in 0..count {
        // The end of the run may cut the last slice short.
        let length = width.min(ended.saturating_sub(i * width));
        if (length as f64) < LEAST_SHARE * width as f64 && i > 0 {
            break;
        }
        let seconds = Duration::from_nanos(length.max(1)).as_secs_f64();
        let row = bins.bins().get(i as usize).copied().unwrap_or(Row::default());
        panel.attempts.push((row.first_attempts + row.retries) as f64 / seconds);
        panel.first_attempts.push(row.first_attempts as f64 / seconds);
        panel.answered.push(row.answered as f64 / seconds);
    }
    panel
}

/// The attempts per second that a service can work on, if its workers are all
/// that limits it.
fn capacity(service: &Service) -> Option<f64> {
    let mean = service.service_time.mean_nanos();
    let workers = service.workers.filter(|_| service.calls.is_empty() && mean > 0.0)?;
    Some(f64::from(workers) / (mean / 1e9))
}

fn title(results: &[VariantResult], name: &str) -> String {
    let loads = || {
        results
            .iter()
            .filter_map(|result| named(result, name))
            .map(|(_, outcome)| outcome.amplification())
    };
    let (least, most) = (loads().fold(f64::INFINITY, f64::min), loads().fold(0.0, f64::max));
    let (low, high) = (fixed(least, 1), fixed(most, 1));
    if most < 1.05 {
        format!("Retries add less than 5 % to the load on {name}")
    } else if low == high {
        format!("Retries bring {name} {high} times its normal load")
    } else {
        format!("Retries bring {name} {high} times its normal load, or {low}")
    }
}

fn subtitle(results: &[VariantResult], name: &str) -> String {
    let can =
        same(results, |result| named(result, name).and_then(|(service, _)| capacity(service)));
    let can =
        can.flatten().map_or(String::new(), |n| format!(", which can do {} per second", rate(n)));
    let arriving = |result: &VariantResult| match result.model.clients[..] {
        [ref client] => match &client.arrivals {
            Arrivals::Poisson { rate } | Arrivals::Constant { rate } => rate.steady_rate(),
            _ => None,
        },
        _ => None,
    };
    let arriving = same(results, arriving).flatten();
    let arriving = arriving
        .map_or(String::new(), |n| format!(" New requests arrive at {} per second.", rate(n)));
    format!("Attempts per second at {name}{can}.{arriving}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::report::chart::sample;

    const SOURCE: Source = Source { file: "scenarios/overload.toml", seed: 1 };

    #[test]
    fn an_overload() {
        let results = sample::overload();
        let chart = chart(&SOURCE, &results).expect("requests keep arriving");
        assert!(chart.title.starts_with("Retries bring api 2."), "{}", chart.title);
        assert!(chart.title.ends_with(" times its normal load, or 1.1"), "{}", chart.title);
        assert_eq!(
            chart.subtitle,
            "Attempts per second at api, which can do 1,000 per second. \
             New requests arrive at 950 per second."
        );
        assert!(chart.footer.ends_with("200 ms bins"), "{}", chart.footer);
        assert_eq!(chart.length, Duration::from_secs(20));
        for (panel, result) in chart.panels.iter().zip(&results) {
            assert_eq!(panel.attempts.len(), 100);
            let sum = |rates: &[f64]| rates.iter().sum::<f64>() * 0.2;
            let attempts = result.outcome.services[0].attempts as f64;
            assert!((sum(&panel.attempts) - attempts).abs() < 1e-6);
            assert!((sum(&panel.first_attempts) - result.outcome.requests as f64).abs() < 1e-6);
            assert_eq!(panel.capacity, Some(1_000.0));
        }
    }

    #[test]
    fn a_slice_that_the_end_cuts_counts_by_its_length() {
        let mut model = sample::overload()[1].model.clone();
        model.duration = Some(Duration::from_millis(19_950));
        let cut = chart(&SOURCE, &[sample::run("cut", model.clone())]).expect("it suits");
        assert_eq!(cut.panels[0].first_attempts.len(), 100);
        assert!(cut.panels[0].first_attempts[99] > 700.0);
        model.duration = Some(Duration::from_millis(19_830));
        let sliver = chart(&SOURCE, &[sample::run("cut", model)]).expect("it suits");
        assert_eq!(sliver.panels[0].first_attempts.len(), 99);
    }

    #[test]
    fn without_a_limit_there_is_no_capacity() {
        let mut service = sample::overload()[0].model.services[0].clone();
        assert_eq!(capacity(&service), Some(1_000.0));
        service.calls = vec![0];
        assert_eq!(capacity(&service), None);
        service.calls.clear();
        service.service_time = Law::Constant(Duration::ZERO);
        assert_eq!(capacity(&service), None);
        service.workers = None;
        assert_eq!(capacity(&service), None);
    }

    #[test]
    fn a_crowd_that_comes_once_has_no_course() {
        assert!(chart(&SOURCE, &sample::storm()).is_none());
        assert!(chart(&SOURCE, &[]).is_none());
    }
}
