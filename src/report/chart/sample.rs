//! Worlds for the tests of the charts, run by the engine.

use std::ops::ControlFlow;

#[cfg(feature = "long-tests")]
use super::{ChartError, Picture, Source, pictures};
use crate::experiment::{VariantResult, run_model};
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Budget, Caller, Client, Edge, Profile, Scope, Service};
use crate::policy::{Backoff, Fill, RetryPolicy, Strategy, TokenBucket};
use crate::time::Duration;

/// A chain of services below one client, none of which fails or retries.
pub(super) fn chain(names: &[&str], arrivals: Arrivals, requests: Option<u64>) -> Model {
    let service = |(i, name): (usize, &&str)| Service {
        calls: if i + 1 < names.len() { vec![i + 1] } else { Vec::new() },
        ..Service::new(*name)
    };
    let edge = |target: usize| {
        let caller = target.checked_sub(1).map_or(Caller::Client(0), Caller::Service);
        Edge::new(caller, target, target as u64)
    };
    let client = Client {
        processes: if arrivals == Arrivals::TOGETHER { requests.unwrap_or(1) } else { 1 },
        arrivals,
        requests,
        ..Client::new("app", vec![0])
    };
    Model::new(
        vec![client],
        names.iter().enumerate().map(service).collect(),
        (0..names.len()).map(edge).collect(),
    )
}

/// Runs a world.
pub(super) fn run(name: &str, model: Model) -> VariantResult {
    let outcome = run_model(&model, 0, |_| ControlFlow::Continue(())).expect("a sample runs");
    VariantResult { name: name.to_owned(), model, outcome }
}

/// A policy with waits from 100 ms to 1 s.
pub(super) fn policy(strategy: Strategy, attempts: u32) -> RetryPolicy {
    let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
    let backoff = Backoff::new(strategy, base, cap);
    RetryPolicy { max_attempts: Some(attempts), backoff, ..RetryPolicy::NEVER }
}

/// 10,000 clients that fail together, under one strategy.
pub(super) fn crowd(name: &str, strategy: Strategy) -> VariantResult {
    let mut model = chain(&["shop"], Arrivals::TOGETHER, Some(10_000));
    model.services[0].fails = 1.0;
    model.edges[0].retry = policy(strategy, 6);
    model.random = crate::model::spec::RandomSource::Cpython;
    model.seed = 2026;
    run(name, model)
}

/// The published five strategies.
pub(super) fn storm() -> Vec<VariantResult> {
    [
        ("constant", Strategy::Constant),
        ("exponential", Strategy::Exponential),
        ("full-jitter", Strategy::FullJitter),
        ("equal-jitter", Strategy::EqualJitter),
        ("decorrelated-jitter", Strategy::DecorrelatedJitter),
    ]
    .map(|(name, strategy)| crowd(name, strategy))
    .into()
}

/// A chain of four whose last always fails, with retries in three layers, in
/// one, and in one with a budget.
pub(super) fn layers() -> Vec<VariantResult> {
    let services = ["gateway", "orders", "payments", "database"];
    let mut every = chain(&services, Arrivals::OneByOne, Some(1_000));
    every.services[3].fails = 1.0;
    for edge in &mut every.edges[1..] {
        edge.retry = policy(Strategy::None, 3);
    }
    let mut one = every.clone();
    one.edges[1].retry = RetryPolicy::NEVER;
    one.edges[2].retry = RetryPolicy::NEVER;
    let mut budget = one.clone();
    budget.budgets = vec![tenth()];
    budget.edges[3].budget = Some(0);
    vec![
        run("every layer retries", every),
        run("only payments retries", one),
        run("only payments, 10 % budget", budget),
    ]
}

fn tenth() -> Budget {
    Budget {
        name: "tenth".into(),
        bucket: TokenBucket { ratio_millis: 100, reserve_millis: 10_000, fill: Fill::OnCall },
        scope: Scope::Client,
    }
}

/// A busy service whose callers are impatient: retries push it over, unless a
/// budget holds them back.
pub(super) fn overload() -> Vec<VariantResult> {
    let mut model = chain(&["api"], Arrivals::Poisson { rate: Profile::steady(950.0) }, None);
    model.duration = Some(Duration::from_secs(20));
    model.services[0].workers = Some(10);
    model.services[0].service_time = Law::Exponential { mean: Duration::from_millis(10) };
    model.edges[0].timeout = Some(Law::Constant(Duration::from_millis(60)));
    model.edges[0].retry = policy(Strategy::FullJitter, 3);
    let mut saved = model.clone();
    saved.budgets = vec![tenth()];
    saved.edges[0].budget = Some(0);
    vec![run("3 attempts, no retry budget", model), run("3 attempts, 10 % retry budget", saved)]
}

/// Writes the sample pictures, and those that are hard to lay out, into
/// target/charts, for eyes.
#[test]
#[cfg(feature = "long-tests")]
fn pictures_to_look_at() {
    for (file, seed, results) in [
        ("storm.toml", 2026, storm()),
        ("layers.toml", 1, layers()),
        ("overload.toml", 1, overload()),
    ] {
        let named = format!("scenarios/{file}");
        for picture in pictures(&Source { file: &named, seed }, &results) {
            save(file.trim_end_matches(".toml"), picture);
        }
    }
    for (i, chart) in super::strategies::tests::hard().iter().enumerate() {
        save(&format!("hard-{i}"), super::strategies(chart));
    }
    for (i, chart) in super::layers::tests::hard().iter().enumerate() {
        save(&format!("hard-{i}"), super::layers(chart));
    }
    for (i, chart) in super::timeline::tests::hard().iter().enumerate() {
        save(&format!("hard-{i}"), super::timeline(chart));
    }
}

#[cfg(feature = "long-tests")]
fn save(of: &str, picture: Result<Picture, ChartError>) {
    let picture = picture.expect("a sample can be drawn");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/charts");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let path = folder.join(format!("{of}-{}", picture.name));
    std::fs::write(path.with_extension("png"), &picture.png).expect("it can be written");
    std::fs::write(path.with_extension("svg"), &picture.svg).expect("it can be written");
}
