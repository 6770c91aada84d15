//! Scenarios as a whole: those that are shipped, and what a person may rely on.

mod broken;
mod hostile;
mod load;
mod overload;
mod policies;
mod settings;
mod spell;
mod warned;

use super::*;
use crate::law::Law;
use crate::model::spec::{Advice, Arrivals, Caller, Scope, Statuses};
use crate::policy::{Backoff, Fill, Strategy};
use crate::time::Duration;

const STORM: &str = include_str!("../../scenarios/storm.toml");
const STORM_1M: &str = include_str!("../../scenarios/storm-1m.toml");
const LAYERS: &str = include_str!("../../scenarios/layers.toml");
const LAYERS_243: &str = include_str!("../../scenarios/layers-243.toml");

fn options(sets: &[(&str, &str)]) -> ReadOptions<'static> {
    let sets = sets.iter().map(|&(path, value)| (path.to_owned(), value.to_owned())).collect();
    ReadOptions { file: "test.toml".to_owned(), sets, ..ReadOptions::default() }
}

fn good(text: &str, sets: &[(&str, &str)]) -> Read {
    read(text, &options(sets)).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)))
}

fn errors(text: &str, sets: &[(&str, &str)]) -> String {
    read(text, &options(sets)).expect_err("it is broken").render(false)
}

#[test]
fn storm_has_a_variant_for_each_strategy() {
    let scenario = good(STORM, &[]).scenario;
    assert_eq!((scenario.seed, scenario.label.as_str()), (2026, "backoff"));
    let rows = scenario
        .variants
        .iter()
        .map(|variant| (variant.name.as_str(), variant.model.edges[0].retry.backoff.clone()));
    let expected = [
        ("constant", Strategy::Constant),
        ("exponential", Strategy::Exponential),
        ("full-jitter", Strategy::FullJitter),
        ("equal-jitter", Strategy::EqualJitter),
        ("decorrelated-jitter", Strategy::DecorrelatedJitter),
    ];
    let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
    let expected = expected.map(|(name, strategy)| (name, Backoff::new(strategy, base, cap)));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let model = &scenario.variants[0].model;
    assert_eq!(model.clients[0].arrivals, Arrivals::TOGETHER);
    assert_eq!(model.clients[0].requests, Some(10_000));
    assert_eq!(model.edges[0].retry.max_attempts, Some(6));
    assert_eq!(model.edges[0].retry.backoff.cap, Duration::from_secs(1));
    assert_eq!(model.services[0].fails, 1.0);
    assert_eq!(scenario.thresholds[0].of, Some(2));
    assert_eq!(scenario.thresholds[0].bound.max, Some(1_700.0));
}

#[test]
fn layers_vary_where_retries_are() {
    let read = good(LAYERS, &[]);
    let attempts = read.scenario.variants.iter().map(|variant| {
        variant.model.edges.iter().map(|edge| edge.retry.max_attempts).collect::<Vec<_>>()
    });
    let once = Some(1);
    let three = Some(3);
    let expected = [
        vec![once, three, three, three],
        vec![once, once, once, three],
        vec![once, once, once, three],
    ];
    assert_eq!(attempts.collect::<Vec<_>>(), expected);
    let budgets: Vec<_> =
        read.scenario.variants.iter().map(|variant| variant.model.budgets.len()).collect();
    assert_eq!(budgets, [0, 0, 1]);
    let model = &read.scenario.variants[2].model;
    assert_eq!(model.edges[3].budget, Some(0));
    let budget = &model.budgets[0];
    assert_eq!((budget.bucket.ratio_millis, budget.bucket.reserve_millis), (100, 10_000));
    assert_eq!((budget.bucket.fill, budget.scope), (Fill::OnCall, Scope::Client));
    assert_eq!(model.edges[0].caller, Caller::Client(0));
    assert!(read.warnings.is_empty(), "two variants show the way out");
}

/// Retries that multiply are worth a warning as long as nothing in the scenario
/// stops them: a budget in the layers, or a variant in which one layer retries.
#[test]
fn layers_that_multiply_are_worth_a_warning() {
    let warnings = |text: &str, sets: &[(&str, &str)]| good(text, sets).warnings.render(false);
    let alone = LAYERS.split("[[variant]]").next().expect("it has text before them");
    let unbudgeted = alone.split("[budget.tenth]").next().expect("it has text before it");
    let multiply = "retries in 3 layers multiply: up to 27 attempts at `database`";
    assert!(warnings(unbudgeted, &[]).contains(multiply));
    let shared = [("retry.three.budget", "tenth"), ("budget.tenth.scope", "global")];
    assert_eq!(warnings(alone, &shared), "");
    assert_eq!(warnings(alone, &shared[..1]), "");
    let two = [
        ("service.orders.retry", "{ max_attempts = 3, budget = \"tenth\" }"),
        ("service.payments.retry", "{ max_attempts = 4 }"),
    ];
    assert!(warnings(alone, &two).contains("retries in 2 layers multiply: up to 12 attempts"));
    let variant = format!(
        "{unbudgeted}[[variant]]\nname = \"all\"\n[[variant]]\nname = \"most\"\n\
         set = {{ \"service.orders.retry\" = \"never\" }}\n"
    );
    assert!(warnings(&variant, &[]).contains(multiply), "nine are still too many");
    let mended = [("service.gateway.retry", "\"never\"")];
    assert_eq!(warnings(&variant, &mended), "", "one layer is left in the second variant");
}

#[test]
fn the_other_scenarios_read_too() {
    assert!(good(STORM_1M, &[]).warnings.is_empty());
    assert!(good(starter(), &[]).warnings.is_empty());
    assert!(good(LAYERS_243, &[]).warnings.is_empty());
    assert!(errors("", &[]).contains("the scenario is empty"));
}
