//! Laws that hold in every world: random scenarios, through the reader and the
//! engine, against what must be true whatever chance decides.

use proptest::prelude::*;
use retry_storm::experiment::run_model;
use retry_storm::law::Law;
use retry_storm::model::outcome::{AttemptEnd, Next, Outcome};
use retry_storm::model::{Model, RunError};
use retry_storm::scenario::{ReadOptions, read};
use retry_storm::time::Duration;
use std::ops::ControlFlow;

fn model(text: &str) -> Model {
    let options = ReadOptions { file: "random.toml".into(), ..ReadOptions::default() };
    let read = read(text, &options).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    read.scenario.variants.into_iter().next().expect("there is one variant").model
}

fn outcome(model: &Model) -> Result<Outcome, RunError> {
    run_model(model, 0, |_| ControlFlow::Continue(()))
}

/// The settings of a random world of two or three layers.
#[derive(Clone, Debug)]
struct Setup {
    seed: u64,
    arrivals: &'static str,
    requests: u32,
    strategy: &'static str,
    base_ms: u32,
    cap_ms: u32,
    attempts: [u32; 3],
    timeout_ms: Option<u32>,
    workers: Option<u32>,
    service_ms: u32,
    exponential: bool,
    fails_percent: u32,
    budget: Option<(&'static str, u32, u32)>,
    duration_ms: Option<u32>,
}

impl Setup {
    fn text(&self) -> String {
        let line = |given: bool, line: String| if given { line } else { String::new() };
        let service_time = if self.exponential && self.service_ms > 0 {
            format!("{{ kind = \"exponential\", mean = \"{} ms\" }}", self.service_ms)
        } else {
            format!("\"{} ms\"", self.service_ms)
        };
        let rate = matches!(self.arrivals, "poisson" | "constant");
        let (fill, ratio, reserve) = self.budget.unwrap_or(("on-call", 100, 10));
        format!(
            r#"
name = "random"
seed = {seed}
record_attempts = true
{duration}
[client.app]
calls = "front"
arrivals = "{arrivals}"
{count}
{rate}
{timeout}
retry = {{ max_attempts = {a0}, backoff = "{strategy}", base = "{base} ms", cap = "{cap} ms" }}
[service.front]
calls = ["middle", "side"]
retry = {{ max_attempts = {a1}, backoff = "none" {budgeted} }}
[service.middle]
calls = "back"
retry = {{ max_attempts = {a2}, backoff = "constant", base = "3 ms" }}
{timeout}
[service.side]
[service.back]
service_time = {service_time}
fails = "{fails} %"
{workers}
{budget}
"#,
            seed = self.seed,
            duration = line(
                self.duration_ms.is_some(),
                format!("duration = \"{} ms\"", self.duration_ms.unwrap_or(0))
            ),
            arrivals = self.arrivals,
            count = if self.arrivals == "together" {
                format!("count = {}", self.requests)
            } else {
                format!("requests = {}", self.requests)
            },
            rate = line(rate, "rate = \"500 /s\"".into()),
            timeout = line(
                self.timeout_ms.is_some(),
                format!("timeout = \"{} ms\"", self.timeout_ms.unwrap_or(0))
            ),
            a0 = self.attempts[0],
            a1 = self.attempts[1],
            a2 = self.attempts[2],
            strategy = self.strategy,
            base = self.base_ms,
            cap = self.cap_ms,
            budgeted = line(self.budget.is_some(), ", budget = \"b\"".into()),
            fails = self.fails_percent,
            workers =
                line(self.workers.is_some(), format!("workers = {}", self.workers.unwrap_or(1))),
            budget = line(
                self.budget.is_some(),
                format!(
                    "[budget.b]\nkind = \"token-bucket\"\nratio = 0.{ratio:03}\n\
                     reserve = {reserve}\nfill = \"{fill}\""
                )
            ),
        )
    }
}

fn setups() -> impl Strategy<Value = Setup> {
    let arrivals = prop::sample::select(vec!["together", "one-by-one", "poisson", "constant"]);
    let strategies = prop::sample::select(vec![
        "constant",
        "exponential",
        "full-jitter",
        "equal-jitter",
        "decorrelated-jitter",
    ]);
    let fills = prop::sample::select(vec!["on-call", "on-success", "on-any-success"]);
    let load = (arrivals, 1..200_u32, proptest::option::of(1..400_u32));
    let policy = (strategies, 1..200_u32, 0..2_000_u32, prop::array::uniform3(1..5_u32));
    let server = (
        proptest::option::of(1..60_u32),
        proptest::option::of(1..4_u32),
        0..20_u32,
        any::<bool>(),
        0..=100_u32,
    );
    let budget = proptest::option::of((fills, 0..1_000_u32, 0..50_u32));
    (any::<u32>(), load, policy, server, budget).prop_map(|(seed, load, policy, server, budget)| {
        Setup {
            seed: u64::from(seed),
            arrivals: load.0,
            requests: load.1,
            duration_ms: load.2,
            strategy: policy.0,
            base_ms: policy.1,
            cap_ms: policy.1 + policy.2,
            attempts: policy.3,
            timeout_ms: server.0,
            workers: server.1,
            service_ms: server.2,
            exponential: server.3,
            fails_percent: server.4,
            budget,
        }
    })
}

/// The least and the most that a strategy may wait before retry `n`.
fn bounds(setup: &Setup, n: u32) -> (f64, f64) {
    let (base, cap) = (f64::from(setup.base_ms), f64::from(setup.cap_ms));
    let ceiling = (base * 2_f64.powf(f64::from(n) - 1.0)).min(cap);
    match setup.strategy {
        "constant" => (base, base),
        "exponential" => (ceiling, ceiling),
        "full-jitter" => (0.0, ceiling),
        "equal-jitter" => (ceiling / 2.0, ceiling),
        _ => (base, cap.min(base * 3_f64.powf(f64::from(n)))),
    }
}

proptest! {
    #![proptest_config(crate::testing::cases(200))]

    /// `run_model` checks conservation of its own; here the counts of edges,
    /// services, clients and records must tell the same story.
    #[test]
    fn counts_agree_wherever_they_are_kept(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near");
        prop_assert_eq!(outcome.check_conservation(), Ok(()));
        for (index, service) in outcome.services.iter().enumerate() {
            let edges = outcome.edges.iter().filter(|edge| edge.target == index);
            prop_assert_eq!(service.attempts, edges.map(|edge| edge.attempts).sum::<u64>());
            let rows = service.timeline.bins();
            let in_rows: u64 = rows.iter().map(|row| row.first_attempts + row.retries).sum();
            prop_assert_eq!(service.attempts, in_rows);
        }
        let ended: u64 = outcome.edges.iter().map(|edge| edge.attempts - edge.still_out).sum();
        prop_assert_eq!(outcome.attempts.len() as u64, ended);
        prop_assert_eq!(outcome.wait_bins.bins().iter().sum::<u64>(), outcome.wait.count);
        prop_assert_eq!(outcome.wait.count, outcome.answered + outcome.gave_up.total());
        prop_assert!(outcome.busiest_retries.count <= outcome.busiest_retries.sliding);
        prop_assert!(outcome.busiest_attempts.sliding <= outcome.attempts_in_all());
    }

    #[test]
    fn every_wait_lies_within_its_strategy(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near");
        for attempt in &outcome.attempts {
            if let (0, Next::RetryAfter(wait)) = (attempt.edge, attempt.next) {
                let (least, most) = bounds(&setup, attempt.attempt);
                // Waits are whole nanoseconds.
                prop_assert!(wait.as_millis_f64() >= least - 1e-6, "{wait} below {least} ms");
                prop_assert!(wait.as_millis_f64() <= most + 1e-6, "{wait} above {most} ms");
            }
        }
    }

    #[test]
    fn attempts_never_exceed_the_product_over_the_layers(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near");
        let mut most = outcome.requests;
        for (service, attempts) in ["front", "middle", "back"].iter().zip(setup.attempts) {
            most *= u64::from(attempts);
            let index = model.services.iter().position(|s| s.name == *service);
            let reached = outcome.services[index.expect("it is there")].attempts;
            prop_assert!(reached <= most, "{reached} at {service}, {most} at most");
        }
    }

    #[test]
    fn an_attempt_ends_by_its_timeout(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near");
        for attempt in &outcome.attempts {
            let took = attempt.ended.since(attempt.sent);
            let Some(Law::Constant(timeout)) = model.edges[attempt.edge].timeout else { continue };
            prop_assert!(took <= timeout);
            prop_assert_eq!(attempt.end == AttemptEnd::TimedOut, attempt.end == AttemptEnd::TimedOut && took == timeout);
        }
    }

    /// A budget lets through at most its reserve and its share of the calls.
    #[test]
    fn retries_never_exceed_the_budget(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near");
        if let Some((_, ratio, reserve)) = setup.budget {
            for edge in outcome.edges.iter().filter(|edge| model.edges[1].caller == edge.caller) {
                let calls = outcome.edges[1].calls + outcome.edges[2].calls;
                let most = u64::from(reserve) + calls * u64::from(ratio) / 1_000;
                prop_assert!(edge.retries <= most, "{} retries, {most} at most", edge.retries);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_outcome(setup in setups()) {
        let model = model(&setup.text());
        prop_assert_eq!(outcome(&model), outcome(&model));
    }
}

/// The most waits can add up to is what the policy's arithmetic says.
#[test]
fn the_longest_wait_is_bounded_by_the_policy() {
    let text = r#"
name = "bounded"
[client.app]
calls = "shop"
arrivals = "together"
count = 20_000
retry = { max_attempts = 6, backoff = "full-jitter", base = "100 ms", cap = "1 s" }
[service.shop]
fails = "always"
"#;
    let outcome = outcome(&model(text)).expect("no limit is near");
    assert!(outcome.wait.longest < Duration::from_millis(2_500));
    assert!(outcome.wait.longest > Duration::from_millis(2_250), "a crowd comes near the bound");
}
