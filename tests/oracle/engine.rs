//! The engine against the oracle, to the nanosecond: every attempt of storms
//! that go through the reader, the event queue and the policies.

use super::{Fate, OracleAttempt, OracleOutcome, Storm, storm};
use retry_storm::experiment::run_model;
use retry_storm::law::Law;
use retry_storm::model::outcome::{AttemptEnd, AttemptRecord, Outcome};
use retry_storm::model::spec::{Arrivals, Edge, Model};
use retry_storm::policy::Memory;
use retry_storm::scenario::{ReadOptions, read};
use retry_storm::time::{Duration, Instant};
use std::ops::ControlFlow;

/// What differs between the storms that are compared.
struct Case {
    workers: u32,
    rate: u32,
    service_time: &'static str,
    timeout: &'static str,
    retry: &'static str,
    /// `requests` that drain, or a `duration` that cuts.
    end: &'static str,
}

const EXPONENTIAL: &str = "{ kind = \"exponential\", mean = \"10 ms\" }";

const CASES: &[Case] = &[
    // The reference storm at its limit, draining.
    Case {
        workers: 10,
        rate: 1_050,
        service_time: EXPONENTIAL,
        timeout: "500 ms",
        retry: "max_attempts = 3, backoff = \"full-jitter\", base = \"100 ms\", cap = \"1 s\"",
        end: "requests = 20_000",
    },
    // Retries at once, so that a retry and a timeout share an instant.
    Case {
        workers: 1,
        rate: 45,
        service_time: EXPONENTIAL,
        timeout: "40 ms",
        retry: "max_attempts = 2, backoff = \"none\"",
        end: "duration = \"200 s\"",
    },
    // The wait before enters the next, and the clock stops in the storm.
    Case {
        workers: 3,
        rate: 170,
        service_time: EXPONENTIAL,
        timeout: "40 ms",
        retry: "max_attempts = 3, backoff = \"decorrelated-jitter\", base = \"20 ms\", cap = \"1 s\"",
        end: "duration = \"100 s\"",
    },
    // Waits as long as the timeout and the service: many equal differences.
    Case {
        workers: 2,
        rate: 90,
        service_time: "\"10 ms\"",
        timeout: "15 ms",
        retry: "max_attempts = 2, backoff = \"constant\", base = \"15 ms\", cap = \"1 s\"",
        end: "requests = 20_000",
    },
    // A crowd within 3 us: many are sent at one instant, first and again.
    Case {
        workers: 4,
        rate: 1_000_000_000,
        service_time: "\"1 ms\"",
        timeout: "500 ms",
        retry: "max_attempts = 3, backoff = \"constant\", base = \"500 ms\", cap = \"1 s\"",
        end: "requests = 3_000",
    },
];

fn model(case: &Case, seed: u64) -> Model {
    let Case { workers, rate, service_time, timeout, retry, end } = case;
    let (run, client) = if end.starts_with("duration") { (*end, "") } else { ("", *end) };
    let text = format!(
        r#"
name = "storm"
seed = {seed}
record_attempts = true
{run}
[client.web]
calls = "api"
arrivals = "poisson"
rate = "{rate} /s"
timeout = "{timeout}"
retry = {{ {retry} }}
{client}
[service.api]
workers = {workers}
service_time = {service_time}
"#
    );
    let options = ReadOptions { file: "storm.toml".into(), ..ReadOptions::default() };
    let read = read(&text, &options).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    read.scenario.variants.into_iter().next().expect("there is one variant").model
}

/// The timeout of attempts on an edge; those of the oracle are all alike.
fn timeout(edge: &Edge) -> Option<Duration> {
    edge.timeout.as_ref().map(|timeout| match timeout {
        Law::Constant(length) => *length,
        law => panic!("a timeout of the oracle is constant, not {law:?}"),
    })
}

/// What the oracle must know of a model.
fn oracle(model: &Model, replication: u64) -> OracleOutcome {
    let (client, service, edge) = (&model.clients[0], &model.services[0], &model.edges[0]);
    let Arrivals::Poisson { rate } = &client.arrivals else { panic!("arrivals are Poisson") };
    let rate = rate.steady_rate().expect("the rate is steady");
    let station = Storm {
        seed: model.seed,
        replication,
        client: client.name.clone(),
        service: service.name.clone(),
        position: edge.position,
        rate,
        requests: client.requests.unwrap_or(u64::MAX),
        end: model.end(),
        workers: service.workers.expect("workers are limited") as usize,
        service_time: service.service_time.clone(),
        timeout: timeout(edge),
        max_attempts: edge.retry.max_attempts.expect("attempts are limited"),
        stops: Vec::new(),
    };
    storm(&station, |n, before, u| {
        let mut memory = Memory::EMPTY;
        if n > 1 {
            memory.keep(before);
        }
        edge.retry.backoff.wait(n, &mut memory, || u)
    })
}

/// An attempt of either, as its caller saw it.
type Seen = (u64, u32, Duration, Instant, Instant, bool);

fn seen_by_engine(record: &AttemptRecord) -> Seen {
    let AttemptRecord { request, attempt, wait_before, sent, ended, end, .. } = *record;
    (request, attempt, wait_before, sent, ended, end == AttemptEnd::Answered)
}

/// What still is out has no record.
fn seen_by_oracle(attempt: &OracleAttempt, timeout: Option<Duration>) -> Option<Seen> {
    let OracleAttempt { request, number, wait, sent, done, fate, .. } = *attempt;
    let answered = fate == Fate::Answered;
    let given_up = timeout.map_or(Instant::NEVER, |timeout| sent + timeout);
    let ended = if answered { done } else { given_up };
    (fate != Fate::StillOut).then_some((request, number, wait, sent, ended, answered))
}

fn compare(case: &Case, seed: u64, replication: u64) {
    let model = model(case, seed);
    let engine: Outcome =
        run_model(&model, replication, |_| ControlFlow::Continue(())).expect("it ends");
    let oracle = oracle(&model, replication);
    let timeout = timeout(&model.edges[0]);
    let mut expected: Vec<Seen> =
        oracle.attempts.iter().filter_map(|attempt| seen_by_oracle(attempt, timeout)).collect();
    let mut found: Vec<Seen> = engine.attempts.iter().map(seen_by_engine).collect();
    expected.sort_unstable();
    found.sort_unstable();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "seed {seed}, replication {replication}");
    }
    assert_eq!(found.len(), expected.len());
    let edge = &engine.edges[0];
    assert_eq!(edge.attempts, oracle.attempts.len() as u64);
    assert_eq!(edge.timed_out, oracle.timed_out);
    assert_eq!(engine.requests, oracle.requests);
    assert_eq!(engine.answered, oracle.answered);
    assert_eq!(engine.gave_up.total(), oracle.gave_up);
    assert_eq!(engine.services[0].wasted_work, oracle.wasted_work);
    let began = oracle.attempts.iter().filter(|attempt| attempt.start < model.end());
    let queue_times: Vec<_> = began.map(|attempt| attempt.start.since(attempt.sent)).collect();
    let queue_time = engine.services[0].queue_time;
    assert_eq!(queue_time.count, queue_times.len() as u64);
    assert_eq!(Some(queue_time.longest), queue_times.into_iter().max());
    let mean = |sum: Duration| sum.as_nanos() as f64 / (oracle.answered + oracle.gave_up) as f64;
    assert_eq!(engine.wait.mean_nanos, mean(oracle.waited));
    assert_eq!(engine.latency.mean_nanos, mean(oracle.latency));
    assert!(oracle.timed_out > 500 && oracle.answered > 500, "it is no storm: {edge:?}");
}

#[test]
fn every_attempt_of_a_storm_is_the_oracles() {
    for case in CASES {
        for (seed, replication) in [(1, 0), (7, 0), (7, 3)] {
            compare(case, seed, replication);
        }
    }
}
