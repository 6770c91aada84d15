//! Queues without retries: Q1 to Q8 of the textbooks, and Little's law in all.

use super::{Estimate, estimates, model};
use retry_storm::model::{Model, Outcome};
use retry_storm::theory::{impatience, queue};

/// Poisson arrivals at one service; 100,000 of them, the first 5 % to warm up.
fn station(rate: f64, service: &str) -> Model {
    let duration = (1e5 / rate).round();
    model(&format!(
        r#"
        duration = "{duration} s"
        warmup   = "{} s"
        [client.web]
        calls    = "api"
        arrivals = "poisson"
        rate     = "{rate} /s"
        [service.api]
        {service}
        "#,
        (duration / 20.0).round()
    ))
}

const EXPONENTIAL: &str = r#"service_time = { kind = "exponential", mean = "100 ms" }"#;

/// Mean number present, mean wait of those served, share turned away, and the
/// share of busy workers.
fn measures(outcome: &Outcome) -> [f64; 4] {
    let (edge, service) = (&outcome.edges[0], &outcome.services[0]);
    [
        service.mean_queue + service.mean_busy_workers,
        service.queue_time.mean_nanos / 1e9,
        edge.refused_queue as f64 / edge.attempts as f64,
        service.mean_busy_workers,
    ]
}

/// Of one run, how far L is from λ W: only those on their way at the two ends
/// make a difference.
fn little(outcome: &Outcome) -> f64 {
    let seconds = outcome.measured.as_secs_f64();
    let served = outcome.latency.count as f64 / seconds;
    let present = outcome.services[0].mean_queue + outcome.services[0].mean_busy_workers;
    present / (served * outcome.latency.mean_nanos / 1e9) - 1.0
}

#[test]
fn q1_mm1() {
    for rate in [5.0, 8.0] {
        let model = station(rate, &format!("workers = 1\n{EXPONENTIAL}"));
        let theory = queue::mm1(rate, 10.0).expect("it is stable");
        let [present, wait, p99, law] = estimates(&model, |outcome| {
            let [present, wait, ..] = measures(outcome);
            [present, wait, outcome.latency.p99.as_secs_f64(), little(outcome)]
        });
        present.agrees(theory.present, 0.02, "L");
        wait.agrees(theory.wait, 0.02, "Wq");
        let quantile = queue::mm1_time_quantile(rate, 10.0, 0.99).expect("it is stable");
        p99.agrees(quantile, 0.03, "99 % of W");
        assert!(law.mean.abs() < 0.002, "Little's law is off by {}", law.mean);
        // The spread of L from run to run is the one that theory says, too:
        // within a factor of 1.7, as 20 runs allow (chi square, 0.1 % on either
        // side).
        let variance = queue::mm1_variance_of_mean(rate, 10.0, 0.95e5 / rate).expect("stable");
        let found = present.error * (super::REPLICATIONS as f64).sqrt() / variance.sqrt();
        assert!((0.55..1.7).contains(&found), "{found} times the spread of theory");
    }
}

#[test]
fn q2_mmc() {
    for (workers, rate) in [(5, 25.0), (10, 80.0)] {
        let model = station(rate, &format!("workers = {workers}\n{EXPONENTIAL}"));
        let theory = queue::mmc(workers, rate, 10.0).expect("it is stable");
        let [present, wait, _, busy] = estimates(&model, measures);
        present.agrees(theory.present, 0.02, "L");
        wait.agrees(theory.wait, 0.03, "Wq");
        busy.agrees(rate / 10.0, 0.01, "busy");
    }
}

#[test]
fn q3_mmck() {
    for (workers, places, rate) in [(1, 10, 9.0), (1, 10, 12.0)] {
        let limit = places - workers;
        let service = format!("workers = {workers}\nqueue = {{ limit = {limit} }}\n{EXPONENTIAL}");
        let theory = queue::mmck(workers, places, rate, 10.0).expect("a steady state");
        let [present, wait, blocked, _] = estimates(&station(rate, &service), measures);
        blocked.agrees(theory.blocked, 0.02, "blocked");
        present.agrees(theory.present, 0.01, "L");
        wait.agrees(theory.wait, 0.01, "Wq");
    }
}

/// Whatever the law of service, as long as its mean is the same.
#[test]
fn q4_erlang_b() {
    let laws = [
        r#""100 ms""#,
        r#"{ kind = "exponential", mean = "100 ms" }"#,
        r#"{ kind = "lognormal", mean = "100 ms", cv = 2.0 }"#,
    ];
    for (workers, rate) in [(10, 80.0), (100, 900.0)] {
        let theory = queue::erlang_b(workers, rate / 10.0).expect("in range");
        for law in laws {
            let service =
                format!("workers = {workers}\nqueue = {{ limit = 0 }}\nservice_time = {law}");
            let [_, _, blocked, _] = estimates(&station(rate, &service), measures);
            blocked.agrees(theory, 0.03, law);
        }
    }
}

/// Q5 and Q6: constant and lognormal service, by Pollaczek and Khinchine.
#[test]
fn q5_q6_mg1() {
    let second = |cv: f64| 0.01 * (1.0 + cv * cv);
    for (law, cv) in [
        (r#""100 ms""#, 0.0),
        (r#"{ kind = "lognormal", mean = "100 ms", cv = 0.253_95 }"#, 0.253_95),
        (r#"{ kind = "lognormal", mean = "100 ms", cv = 1.310_83 }"#, 1.310_83),
    ] {
        for rate in [5.0, 8.0] {
            let theory = queue::mg1(rate, 0.1, second(cv)).expect("it is stable");
            let model = station(rate, &format!("workers = 1\nservice_time = {law}"));
            let [present, wait, ..] = estimates(&model, measures);
            wait.agrees(theory.wait, 0.03, law);
            present.agrees(theory.present, 0.03, law);
        }
    }
    let constant = queue::md1(8.0, 0.1).expect("it is stable");
    assert!((constant.wait - queue::mg1(8.0, 0.1, 0.01).expect("stable").wait).abs() < 1e-12);
}

/// Whoever waits leaves after a time of his own.
#[test]
fn q7_erlang_a() {
    for (workers, rate, patience) in [(1, 0.9, 0.5), (10, 12.0, 1.0)] {
        let mean = 1.0 / patience;
        let service = format!(
            "workers = {workers}\n\
             queue = {{ timeout = {{ kind = \"exponential\", mean = \"{mean} s\" }} }}\n\
             service_time = {{ kind = \"exponential\", mean = \"1 s\" }}"
        );
        let theory =
            impatience::erlang_a(workers, rate, 1.0, patience).expect("it is always stable");
        let [present, _, left, busy] = estimates(&station(rate, &service), measures);
        left.agrees(theory.abandoned, 0.02, "left");
        busy.agrees(theory.busy * workers as f64, 0.01, "busy");
        present.agrees(theory.waiting + theory.busy * workers as f64, 0.02, "L");
    }
}

/// Whoever waits leaves after one second.
#[test]
fn q8_deadline() {
    let service = format!("workers = 1\nqueue = {{ timeout = \"1 s\" }}\n{EXPONENTIAL}");
    let theory = impatience::mm1_deadline(9.5, 10.0, 1.0).expect("it is always stable");
    let [_, _, left, busy]: [Estimate; 4] = estimates(&station(9.5, &service), measures);
    left.agrees(theory.abandoned, 0.02, "left");
    busy.agrees(theory.busy, 0.01, "busy");
}
