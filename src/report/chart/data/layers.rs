//! The chart of layers from results.

use super::{Source, footer, same};
use crate::experiment::VariantResult;
use crate::model::Model;
use crate::model::outcome::ServiceOutcome;
use crate::model::spec::Caller;
use crate::report::chart::layers::{LayersChart, LayersVariant};
use crate::report::number::{count, counted, fixed};

/// A difference of less than this factor is not called a finding.
const FINDING: f64 = 1.5;

/// The chart, if a service calls another.
pub(super) fn chart(source: &Source, results: &[VariantResult]) -> Option<LayersChart> {
    let chained = |result: &VariantResult| {
        result.model.edges.iter().any(|edge| matches!(edge.caller, Caller::Service(_)))
    };
    if !results.iter().any(chained) {
        return None;
    }
    let mut services: Vec<String> = Vec::new();
    for result in results {
        for name in downwards(&result.model) {
            if !services.contains(&name) {
                services.push(name);
            }
        }
    }
    let variant = |result: &VariantResult| {
        let found = || services.iter().map(|name| at(result, name));
        LayersVariant {
            name: result.name.clone(),
            attempts: found().map(|at| at.map_or(0, |service| service.attempts)).collect(),
            expected: found().map(|at| at.map_or(0.0, expected)).collect(),
            normal: found().map(|at| at.map_or(0.0, |service| service.normal_attempts)).collect(),
        }
    };
    let requests = same(results, |result| result.outcome.requests);
    let of =
        requests.map_or(String::new(), |n| format!(", for {}", counted(n, "request", "requests")));
    Some(LayersChart {
        title: title(results, &services, requests),
        subtitle: format!("Attempts that reach each service on the way down{of}."),
        footer: footer(source, results, &[]),
        variants: results.iter().map(variant).collect(),
        services,
    })
}

/// The attempts that would have come to a service if nothing had failed. Calls
/// that retries above it cause are not among them; nor, in an overload, are those
/// that never came.
fn expected(service: &ServiceOutcome) -> f64 {
    ((service.attempts - service.retries) as f64).min(service.normal_attempts)
}

/// What a service of this name did.
fn at<'a>(result: &'a VariantResult, name: &str) -> Option<&'a ServiceOutcome> {
    let index = result.model.services.iter().position(|service| service.name == name)?;
    result.outcome.services.get(index)
}

/// The names of the services, callers before those they call, those of one
/// depth in file order. The depth is the longest way from a client.
fn downwards(model: &Model) -> Vec<String> {
    let mut depth = vec![0; model.services.len()];
    // The graph has no cycle, so each round settles at least one more service.
    for _ in 0..model.services.len() {
        let mut settled = true;
        for edge in &model.edges {
            if let Caller::Service(caller) = edge.caller {
                let below = depth[caller] + 1;
                if depth[edge.target] < below {
                    depth[edge.target] = below;
                    settled = false;
                }
            }
        }
        if settled {
            break;
        }
    }
    let mut order: Vec<usize> = (0..depth.len()).collect();
    order.sort_by_key(|&service| depth[service]);
    order.into_iter().map(|service| model.services[service].name.clone()).collect()
}

/// The finding: what requests become at the service where they multiply most,
/// in the worst and in the best variant.
fn title(results: &[VariantResult], services: &[String], requests: Option<u64>) -> String {
    let ratio = |result: &VariantResult, name: &str| {
        at(result, name).map_or(0.0, ServiceOutcome::amplification)
    };
    let highest = |name: &str| results.iter().map(|result| ratio(result, name)).fold(0.0, f64::max);
    // The last of several, which is the lowest of the chain.
    let worst = services.iter().max_by(|a, b| highest(a).total_cmp(&highest(b)));
    let Some(worst) = worst else { return String::new() };
    let attempts = |result: &VariantResult| at(result, worst).map_or(0, |service| service.attempts);
    let most = results.iter().map(attempts).max().unwrap_or(0);
    let least = results.iter().map(attempts).min().unwrap_or(0);
    let (high, low) = (
        highest(worst),
        results.iter().map(|result| ratio(result, worst)).fold(f64::INFINITY, f64::min),
    );
    if high < FINDING {
        // Rounded up, so that it is true.
        let bound = f64::ceil(high.max(1.0) * 10.0 - 1e-9) / 10.0;
        return format!("No service gets more than {} times its normal load", fixed(bound, 1));
    }
    let Some(requests) = requests.filter(|&requests| requests > 0) else {
        return format!("{worst} gets up to {} times its normal load", fixed(high, 1));
    };
    let becomes = if requests == 1 { "becomes" } else { "become" };
    let all = counted(requests, "request", "requests");
    let or = if high / low >= FINDING { format!(", or {}", count(least)) } else { String::new() };
    format!("{all} {becomes} {} attempts at {worst}{or}", count(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::sample;

    const SOURCE: Source = Source { file: "scenarios/layers.toml", seed: 1 };

    #[test]
    fn the_published_layers() {
        let chart = chart(&SOURCE, &sample::layers()).expect("services call services");
        assert_eq!(chart.title, "1,000 requests become 27,000 attempts at database, or 1,109");
        assert_eq!(
            chart.subtitle,
            "Attempts that reach each service on the way down, for 1,000 requests."
        );
        assert_eq!(chart.services, ["gateway", "orders", "payments", "database"]);
        let attempts: Vec<&[u64]> = chart.variants.iter().map(|v| &v.attempts[..]).collect();
        assert_eq!(
            attempts,
            [
                [1_000, 3_000, 9_000, 27_000],
                [1_000, 1_000, 1_000, 3_000],
                [1_000, 1_000, 1_000, 1_109]
            ]
        );
        assert!(chart.variants.iter().all(|variant| variant.normal == [1_000.0; 4]));
        assert!(chart.variants.iter().all(|variant| variant.expected == [1_000.0; 4]));
    }

    /// Of 1,000 requests that need two services, 400 get stuck at the first.
    #[test]
    fn what_never_came_is_not_expected() {
        let mut results = vec![sample::layers()[1].clone()];
        let database = &mut results[0].outcome.services[3];
        (database.attempts, database.retries) = (1_100, 500);
        let chart = chart(&SOURCE, &results).expect("services call services");
        assert_eq!(chart.variants[0].expected, [1_000.0, 1_000.0, 1_000.0, 600.0]);
    }

    #[test]
    fn titles_of_other_results() {
        let results = sample::layers();
        let title = |results: &[VariantResult]| {
            chart(&SOURCE, results).expect("services call services").title
        };
        assert_eq!(title(&results[..1]), "1,000 requests become 27,000 attempts at database");
        assert_eq!(title(&results[2..]), "No service gets more than 1.2 times its normal load");
        let mut one = results[0].model.clone();
        one.clients[0].requests = Some(1);
        let one = sample::run("one", one);
        let all = [one.clone(), results[0].clone()];
        assert_eq!(title(&all), "database gets up to 27.0 times its normal load");
        assert_eq!(title(&[one]), "1 request becomes 27 attempts at database");
    }

    #[test]
    fn callers_stand_before_those_they_call() {
        let mut model = sample::layers()[0].model.clone();
        // Written the other way round: the entry is the last service.
        let names: Vec<String> = model.services.iter().map(|s| s.name.clone()).collect();
        assert_eq!(downwards(&model), names);
        let last = model.services.len() - 1;
        let turned = |service: usize| last - service;
        model.services.reverse();
        for edge in &mut model.edges {
            edge.target = turned(edge.target);
            if let Caller::Service(caller) = &mut edge.caller {
                *caller = turned(*caller);
            }
        }
        assert_eq!(downwards(&model), names);
    }

    #[test]
    fn one_service_alone_is_no_chain() {
        assert!(chart(&SOURCE, &sample::storm()).is_none());
    }
}
