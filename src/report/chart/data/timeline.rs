//! The chart of a course over time from results.

use super::{Source, common_width, footer, keeps_arriving, same};
use crate::experiment::VariantResult;
use crate::model::outcome::{Row, ServiceOutcome};
use crate::model::spec::{Arrivals, Fault, Service};
use crate::report::chart::timeline::{Band, TimelineChart, TimelinePanel};
use crate::report::number::{fixed, rate};
use crate::report::recovery::{Fate, length};
use crate::report::run::quoted;
use crate::time::{Duration, Instant};

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
    let flow = result.outcome.flow.coarsened(width);
    // Where each request needs the service once, its own answer can be shown.
    let once = result.outcome.requests as f64 == outcome.normal_attempts;
    let ended = result.outcome.ended.as_nanos();
    let count = ended.div_ceil(width).max(bins.bins().len() as u64);
    let mut panel = TimelinePanel {
        name: result.name.clone(),
        attempts: Vec::new(),
        first_attempts: Vec::new(),
        answered: Vec::new(),
        capacity: service.capacity(),
        bands: bands(&result.model.faults, result.outcome.ended),
    };
    for i in 0..count {
        // The end of the run may cut the last slice short.
        let length = width.min(ended.saturating_sub(i * width));
        if (length as f64) < LEAST_SHARE * width as f64 && i > 0 {
            break;
        }
        let seconds = Duration::from_nanos(length.max(1)).as_secs_f64();
        let row = bins.bins().get(i as usize).copied().unwrap_or(Row::default());
        let requests = flow.bins().get(i as usize).copied().unwrap_or_default();
        let answered = if once { requests.answered } else { row.answered };
        panel.attempts.push((row.first_attempts + row.retries) as f64 / seconds);
        panel.first_attempts.push(row.first_attempts as f64 / seconds);
        panel.answered.push(answered as f64 / seconds);
    }
    panel
}

/// When faults hold.
fn bands(faults: &[Fault], ended: Instant) -> Vec<Band> {
    let came = faults.iter().filter(|fault| fault.from < ended);
    let mut bands: Vec<Band> = came
        .map(|fault| Band {
            label: fault.name.clone(),
            from: fault.from,
            until: fault.until.min(ended),
        })
        .collect();
    bands.sort_by_key(|band| (band.from, band.until));
    bands
}

/// The finding: whether the service comes back after its faults, or else what
/// retries do to its load.
fn title(results: &[VariantResult], name: &str) -> String {
    recovery(results, name).unwrap_or_else(|| load(results, name))
}

/// Which variants come back, if all could.
fn recovery(results: &[VariantResult], name: &str) -> Option<String> {
    let fates = results.iter().map(Fate::of).collect::<Option<Vec<_>>>()?;
    let first = fates.first()?.disturbance;
    if fates.iter().any(|fate| fate.disturbance != first || fate.disturbance.lasts) {
        return None;
    }
    let after = format!("after {} {}", first.noun, first.end);
    let (back, lost): (Vec<&Fate>, Vec<&Fate>) =
        fates.iter().partition(|fate| fate.recovered().is_some());
    if lost.is_empty() {
        let times = || back.iter().filter_map(|fate| fate.recovered());
        let (soon, late) = (length(times().min()?), length(times().max()?));
        let from = if soon == late { String::new() } else { format!("{soon} to ") };
        return Some(format!("{name} recovers {from}{late} {after}"));
    }
    let stays = if !lost.iter().all(|fate| fate.retries_hold_it()) {
        format!("{name} does not recover {after}")
    } else if lost.iter().all(|fate| fate.is_down()) {
        format!("Retries keep {name} down {after}")
    } else {
        format!("Retries keep {name} overloaded {after}")
    };
    let which = match (&back[..], &lost[..]) {
        ([], _) => String::new(),
        ([only], _) => format!(", except under {}", quoted(only.name)),
        (_, [only]) => format!(" under {}", quoted(only.name)),
        (_, lost) => format!(" in {} of {} variants", lost.len(), fates.len()),
    };
    Some(stays + &which)
}

/// What retries do to the load on the service.
fn load(results: &[VariantResult], name: &str) -> String {
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
        same(results, |result| named(result, name).and_then(|(service, _)| service.capacity()));
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
    use crate::model::recovery::Recovery;
    use crate::report::chart::sample;
    use crate::report::sample::{outage, outage_of};

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
    fn an_outage() {
        let results = outage().results;
        let chart = chart(&SOURCE, &results).expect("requests keep arriving");
        assert_eq!(
            chart.title,
            "Retries keep api down after the outage ends, except under \"3 attempts, 10 % retry \
             budget\""
        );
        assert_eq!(chart.slice, Duration::from_millis(500));
        for panel in &chart.panels {
            let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
            let outage = Band { label: "outage".into(), from: at(15), until: at(25) };
            assert_eq!(panel.bands, [outage]);
            assert_eq!((panel.answered[29], panel.answered[30]), (800.0, 0.0));
        }
        assert_eq!(chart.panels[0].attempts[119], 2_400.0);
        assert_eq!(chart.panels[1].answered[119], 800.0);
    }

    #[test]
    fn titles_say_who_comes_back() {
        let stuck = || outage_of(2, 800.0, Some(1_600.0), Recovery::Never);
        let back =
            |millis| outage_of(2, 400.0, Some(400.0), Recovery::At(Duration::from_millis(millis)));
        let full = || outage_of(1, 1_200.0, Some(1_200.0), Recovery::Never);
        let mut lame = stuck();
        lame.outcome.goodput.as_mut().expect("faults").after = Some(200.0);
        for (mut results, title) in [
            (vec![back(3_200)], "api recovers 3.2 s after the outage ends"),
            (vec![back(3_200), back(900)], "api recovers 900 ms to 3.2 s after the outage ends"),
            (vec![stuck(), stuck()], "Retries keep api down after the outage ends"),
            (vec![lame], "Retries keep api overloaded after the outage ends"),
            (vec![full()], "api does not recover after the outage ends"),
            (
                vec![back(1), stuck(), back(1)],
                "Retries keep api down after the outage ends under b",
            ),
            (
                vec![back(1), stuck(), back(1), stuck()],
                "Retries keep api down after the outage ends in 2 of 4 variants",
            ),
        ] {
            for (result, name) in results.iter_mut().zip(["a", "b", "c", "d"]) {
                name.clone_into(&mut result.name);
            }
            assert_eq!(chart(&SOURCE, &results).expect("it suits").title, title);
        }
        let mut endless = stuck();
        endless.model.faults[0].until = Instant::NEVER;
        let chart = chart(&SOURCE, &[endless]).expect("it suits");
        assert_eq!(chart.title, "Retries add less than 5 % to the load on api");
        assert_eq!(chart.panels[0].bands[0].until, Instant::ZERO + Duration::from_secs(60));
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
    fn a_crowd_that_comes_once_has_no_course() {
        assert!(chart(&SOURCE, &sample::storm()).is_none());
        assert!(chart(&SOURCE, &[]).is_none());
    }
}
