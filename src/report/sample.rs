//! Results made by hand, with the numbers of the published tables, for the
//! tests of the reports.

mod outage;

pub(super) use outage::{outage, outage_of};

use serde_json::json;

use super::run::Run;
use crate::experiment::{VariantResult, Verdict};
use crate::law::Law;
use crate::model::Metric;
use crate::model::bins::Bins;
use crate::model::outcome::{
    AttemptEnd, AttemptRecord, ClientOutcome, EdgeOutcome, GaveUp, Next, Outcome, Peak,
    ServiceOutcome,
};
use crate::model::spec::{Arrivals, Caller, Client, Edge, Model, Profile, Service};
use crate::policy::{Backoff, Reason, RetryPolicy, Strategy};
use crate::scenario::{Bound, Scenario, Threshold};
use crate::stats::Distribution;
use crate::time::{Duration, Instant};

/// What a [`Run`] borrows.
pub(super) struct Sample {
    pub(super) scenario: Scenario,
    pub(super) results: Vec<VariantResult>,
    pub(super) verdicts: Vec<Verdict>,
}

impl Sample {
    pub(super) fn run(&self) -> Run<'_> {
        Run { scenario: &self.scenario, results: &self.results, verdicts: &self.verdicts }
    }
}

/// What a report writes.
pub(super) fn text(report: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    report(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

pub(super) fn result(name: &str, model: Model, outcome: Outcome) -> VariantResult {
    VariantResult { name: name.to_owned(), model, outcome }
}

pub(super) fn verdict(
    metric: &str,
    variant: &str,
    min: Option<f64>,
    max: Option<f64>,
    value: Option<f64>,
) -> Verdict {
    let metric = Metric::named(metric).unwrap();
    let passed = value.is_some_and(|value| {
        min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
    });
    let threshold = Threshold { metric, of: None, bound: Bound { min, max } };
    Verdict { threshold, variant: variant.to_owned(), value, passed }
}

pub(super) fn exhausted(count: u64) -> GaveUp {
    let mut gave_up = GaveUp::default();
    for _ in 0..count {
        gave_up.add(Reason::AttemptsExhausted);
    }
    gave_up
}

fn scenario(name: &str, seed: u64, label: &str) -> Scenario {
    Scenario {
        name: name.to_owned(),
        seed,
        label: label.to_owned(),
        variants: Vec::new(),
        thresholds: Vec::new(),
        resolved: json!({ "name": name, "seed": seed }),
    }
}

/// The crowd of 10,000 under five strategies.
pub(super) fn storm() -> Sample {
    let results = [
        ("constant", Strategy::Constant, 10_000, [500, 500, 500, 500], 500.0, 100),
        ("exponential", Strategy::Exponential, 10_000, [2_500, 2_500, 2_500, 2_500], 2_500.0, 100),
        ("full-jitter", Strategy::FullJitter, 1_461, [1_230, 1_700, 2_099, 2_357], 1_241.3, 80),
        ("equal-jitter", Strategy::EqualJitter, 2_048, [1_870, 2_100, 2_300, 2_429], 1_870.1, 80),
        (
            "decorrelated-jitter",
            Strategy::DecorrelatedJitter,
            647,
            [2_370, 3_300, 4_007, 4_182],
            2_370.8,
            290,
        ),
    ];
    let results = results.map(|(name, strategy, peak, waits, mean, start)| {
        let mut model = storm_model();
        let Backoff { base, cap, .. } = model.edges[0].retry.backoff;
        model.edges[0].retry.backoff = Backoff::new(strategy, base, cap);
        result(name, model, crowd(peak, waits, mean, start))
    });
    Sample {
        scenario: scenario("10,000 clients fail at once", 2026, "backoff"),
        results: results.to_vec(),
        verdicts: vec![verdict(
            "busiest_slice_retries",
            "full-jitter",
            None,
            Some(1_700.0),
            Some(1_461.0),
        )],
    }
}

fn crowd(peak: u64, waits: [u64; 4], mean: f64, start: u64) -> Outcome {
    let [p50, p90, p99, longest] = waits.map(Duration::from_millis);
    let wait =
        Distribution { count: 10_000, mean_nanos: mean * 1e6, p50, p90, p99, p999: p99, longest };
    let mut outcome = outcome();
    outcome.requests = 10_000;
    outcome.gave_up = exhausted(10_000);
    outcome.wait = wait;
    outcome.latency = wait;
    *outcome.wait_bins.at(longest.as_nanos()) = 10_000;
    let at = Instant::ZERO + Duration::from_millis(start);
    outcome.busiest_retries = Peak { count: peak, start: at, sliding: peak };
    outcome.busiest_attempts = Peak { count: 10_000, start: Instant::ZERO, sliding: 10_000 };
    outcome.edges = vec![EdgeOutcome {
        calls: 10_000,
        attempts: 60_000,
        retries: 50_000,
        failed: 60_000,
        first_request: 6,
        ..edge(Caller::Client(0), 0)
    }];
    let mut shop = service(60_000, 10_000.0, 6);
    let row = shop.timeline.at(0);
    (row.first_attempts, row.failed) = (10_000, 10_000);
    for retry in 1..=5 {
        let row = shop.timeline.at(longest.as_nanos() / 5 * retry);
        (row.retries, row.failed) = (10_000, 10_000);
    }
    outcome.services = vec![shop];
    outcome.ended = Instant::ZERO + longest;
    outcome
}

pub(super) fn storm_model() -> Model {
    let mut model = model();
    model.clients = vec![client("app", 10_000, Arrivals::TOGETHER)];
    model.services = vec![always_fails("shop", &[])];
    model.edges = vec![call(Caller::Client(0), 0, 6, Strategy::Constant)];
    model
}

/// Three policies on a chain of four services.
pub(super) fn layers() -> Sample {
    let results = [
        ("every layer retries", [1, 3, 9, 27], 27_000),
        ("only payments retries", [1, 1, 1, 3], 3_000),
        ("only payments, 10 % budget", [1, 1, 1, 3], 1_109),
    ];
    let mut results = results
        .map(|(name, each, reach)| result(name, layers_model(), chain_outcome(each, reach)))
        .to_vec();
    results[0].outcome.attempts = attempts();
    Sample {
        scenario: scenario("27 calls or 3: where to retry", 1, "variant"),
        results,
        verdicts: Vec::new(),
    }
}

fn chain_outcome(each: [u64; 4], reach: u64) -> Outcome {
    let mut outcome = outcome();
    outcome.requests = 1_000;
    outcome.gave_up = exhausted(1_000);
    outcome.wait.count = 1_000;
    outcome.latency.count = 1_000;
    *outcome.wait_bins.at(0) = 1_000;
    let callers = [Caller::Client(0), Caller::Service(0), Caller::Service(1), Caller::Service(2)];
    let mut calls = 1_000;
    for (target, caller) in callers.into_iter().enumerate() {
        let attempts = if target == 3 { reach } else { 1_000 * each[target] };
        let retries = attempts - calls;
        let first_request = each[target];
        let failed = attempts;
        outcome.edges.push(EdgeOutcome {
            calls,
            attempts,
            retries,
            failed,
            first_request,
            ..edge(caller, target)
        });
        outcome.services.push(service(attempts, 1_000.0, first_request));
        calls = attempts;
    }
    outcome.clients = vec![ClientOutcome {
        requests: 1_000,
        answered: 0,
        gave_up: 1_000,
        wait: outcome.wait,
        latency: outcome.latency,
    }];
    outcome
}

fn attempts() -> Vec<AttemptRecord> {
    let at = |micros: u64| Instant::from_nanos(micros * 1_000);
    let record = |edge, attempt, sent, ended, end, next| AttemptRecord {
        request: 0,
        edge,
        attempt,
        sent: at(sent),
        ended: at(ended),
        wait_before: if attempt == 1 { Duration::ZERO } else { at(sent).since(Instant::ZERO) },
        end,
        next,
    };
    let wait = Next::RetryAfter(Duration::from_nanos(1_500_000));
    let denied = Next::GaveUp(Reason::BudgetDenied);
    vec![
        record(3, 1, 0, 0, AttemptEnd::Failed(503), wait),
        record(3, 2, 1_500, 11_500, AttemptEnd::TimedOut, denied),
        record(0, 1, 0, 11_500, AttemptEnd::Answered, Next::Done),
    ]
}

pub(super) fn layers_model() -> Model {
    let mut model = model();
    model.clients = vec![Client { requests: Some(1_000), ..client("user", 1, Arrivals::OneByOne) }];
    model.services = vec![
        Service { fails: 0.0, ..always_fails("gateway", &[1]) },
        Service { fails: 0.0, ..always_fails("orders", &[2]) },
        Service { fails: 0.0, ..always_fails("payments", &[3]) },
        always_fails("database", &[]),
    ];
    model.edges = vec![
        call(Caller::Client(0), 0, 1, Strategy::None),
        call(Caller::Service(0), 1, 3, Strategy::None),
        call(Caller::Service(1), 2, 3, Strategy::None),
        call(Caller::Service(2), 3, 3, Strategy::None),
    ];
    model
}

/// One variant without a name in which nothing fails.
pub(super) fn healthy() -> Sample {
    let mut model = storm_model();
    model.services[0].fails = 0.0;
    model.services[0].service_time = Law::Exponential { mean: Duration::from_millis(10) };
    model.clients[0].arrivals = Arrivals::Poisson { rate: Profile::steady(800.0) };
    let mut outcome = outcome();
    outcome.requests = 48_000;
    outcome.answered = 47_990;
    outcome.still_out = 10;
    outcome.wait.count = 47_990;
    outcome.latency = Distribution {
        count: 47_990,
        mean_nanos: 12_345_678.9,
        p99: Duration::from_nanos(58_765_432),
        longest: Duration::from_millis(140),
        ..Distribution::default()
    };
    outcome.edges = vec![EdgeOutcome { attempts: 48_000, ..edge(Caller::Client(0), 0) }];
    outcome.services = vec![service(48_000, 48_000.0, 1)];
    let results = vec![result("", model, outcome)];
    Sample { scenario: scenario("A quiet day", 7, "variant"), results, verdicts: Vec::new() }
}

fn model() -> Model {
    Model { seed: 2026, most_live: u64::MAX, ..Model::new(Vec::new(), Vec::new(), Vec::new()) }
}

fn client(name: &str, processes: u64, arrivals: Arrivals) -> Client {
    Client { processes, arrivals, ..Client::new(name, vec![0]) }
}

fn always_fails(name: &str, calls: &[usize]) -> Service {
    Service { fails: 1.0, calls: calls.to_vec(), ..Service::new(name) }
}

fn call(caller: Caller, target: usize, max_attempts: u32, strategy: Strategy) -> Edge {
    let base = Duration::from_millis(100);
    let cap = Duration::from_secs(1);
    let backoff = Backoff::new(strategy, base, cap);
    let retry = RetryPolicy { max_attempts: Some(max_attempts), backoff, ..RetryPolicy::NEVER };
    Edge { retry, ..Edge::new(caller, target, 0) }
}

/// A run in which nothing happened.
pub(super) fn outcome() -> Outcome {
    Outcome {
        requests: 0,
        answered: 0,
        gave_up: GaveUp::default(),
        still_out: 0,
        wait: Distribution::default(),
        latency: Distribution::default(),
        wait_bins: Bins::new(1_000_000),
        flow: Bins::new(1_000_000),
        goodput: None,
        busiest_retries: Peak::default(),
        busiest_attempts: Peak::default(),
        clients: Vec::new(),
        edges: Vec::new(),
        services: Vec::new(),
        ended: Instant::ZERO,
        measured: Duration::ZERO,
        events: 0,
        attempts: Vec::new(),
    }
}

fn edge(caller: Caller, target: usize) -> EdgeOutcome {
    EdgeOutcome::new(caller, target)
}

fn service(attempts: u64, normal_attempts: f64, first_request: u64) -> ServiceOutcome {
    ServiceOutcome {
        attempts,
        retries: attempts.saturating_sub(normal_attempts as u64),
        normal_attempts,
        amplification_peak: attempts as f64 / normal_attempts,
        at_last: None,
        first_request,
        wasted_work: Duration::ZERO,
        mean_queue: 0.0,
        peak_queue: 0,
        queue_time: Distribution::default(),
        mean_busy_workers: 0.0,
        peak_busy_workers: 0,
        timeline: Bins::new(1_000_000),
    }
}
