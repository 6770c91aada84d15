//! Worlds small enough to be worked out by hand, and the published tables.

mod callers;
mod decisions;
mod faults;
mod hopeless;
mod queues;

use super::World;
use super::call::Call;
use crate::draw::name_hash;
use crate::law::Law;
use crate::model::error::RunError;
use crate::model::outcome::{AttemptEnd, Next, Outcome};
use crate::model::spec::{
    Advice, Arrivals, Budget, Caller, Client, Edge, Model, Profile, RandomSource, Scope, Service,
};
use crate::policy::backoff::Round;
use crate::policy::{Backoff, Fill, Reason, Request, RetryPolicy, Strategy, TokenBucket};
use crate::time::{Duration, Instant};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn instant(millis: u64) -> Instant {
    Instant::ZERO + ms(millis)
}

/// One client table that calls the first of a chain of services, the last of
/// which fails always.
fn chain(layers: usize, retry: &RetryPolicy) -> Model {
    let names = (0..layers).map(|layer| format!("layer{layer}"));
    let service = |(layer, name)| Service {
        fails: if layer + 1 == layers { 1.0 } else { 0.0 },
        calls: if layer + 1 == layers { vec![] } else { vec![layer + 1] },
        ..Service::new(name)
    };
    let edge = |target: usize| {
        let caller = target.checked_sub(1).map_or(Caller::Client(0), Caller::Service);
        let retry = if target == 0 { RetryPolicy::NEVER } else { retry.clone() };
        Edge { retry, ..Edge::new(caller, target, name_hash("next")) }
    };
    let client = Client { requests: Some(1_000), ..Client::new("user", vec![0]) };
    let services = names.enumerate().map(service).collect();
    let edges = (0..layers).map(edge).collect();
    Model { most_live: 10_000_000, ..Model::new(vec![client], services, edges) }
}

fn attempts(max_attempts: u32) -> RetryPolicy {
    RetryPolicy { max_attempts: Some(max_attempts), ..RetryPolicy::NEVER }
}

/// Clients that fail together at one service, each with five retries.
fn storm(clients: u64, strategy: Strategy) -> Model {
    let mut model = chain(1, &RetryPolicy::NEVER);
    model.clients[0].arrivals = Arrivals::TOGETHER;
    model.clients[0].processes = clients;
    model.clients[0].requests = Some(clients);
    model.edges[0].retry = RetryPolicy {
        max_attempts: Some(6),
        backoff: Backoff::new(strategy, ms(100), ms(1_000)),
        ..RetryPolicy::NEVER
    };
    model
}

fn run(model: &Model) -> Outcome {
    let mut world = World::new(model, 0);
    while world.advance(1_000).expect("no limit is reached") {}
    world.finish().expect("all counts are conserved")
}

/// One line of the cache for each call; see [`Call`]. There may be millions who
/// wait.
#[test]
fn calls_and_those_who_wait_are_small() {
    assert_eq!(size_of::<Call>(), 56);
    assert_eq!(size_of::<super::serve::Waiting>(), 32);
}

#[test]
fn three_layers_of_three_attempts_make_27() {
    let outcome = run(&chain(4, &attempts(3)));
    let at_each: Vec<_> = outcome.services.iter().map(|s| (s.first_request, s.attempts)).collect();
    assert_eq!(at_each, [(1, 1_000), (3, 3_000), (9, 9_000), (27, 27_000)]);
    assert_eq!(outcome.amplification(), 27.0);
    assert_eq!(outcome.gave_up.of(Reason::AttemptsExhausted), 1_000);
}

#[test]
fn a_budget_of_a_tenth_makes_1109_calls_of_3000() {
    let mut model = chain(4, &RetryPolicy::NEVER);
    model.edges[3].retry = attempts(3);
    assert_eq!(run(&model).services[3].attempts, 3_000);
    let bucket = TokenBucket { ratio_millis: 100, reserve_millis: 10_000, fill: Fill::OnCall };
    model.budgets.push(Budget { name: "tenth".into(), bucket, scope: Scope::Client });
    model.edges[3].budget = Some(0);
    let outcome = run(&model);
    assert_eq!(outcome.services[3].attempts, 1_109);
    // Ten tokens pay for both retries of five calls; no later call finds two.
    assert_eq!(outcome.edges[3].denied_budget, 995);
}

#[test]
fn the_published_table_of_10_000_clients_comes_out() {
    for (strategy, mean, longest, busiest, start) in [
        (Strategy::Constant, 500.0, 500.0, 10_000, 100),
        (Strategy::Exponential, 2_500.0, 2_500.0, 10_000, 100),
        (Strategy::FullJitter, 1_240.699_375, 2_357.058_364, 1_461, 90),
        (Strategy::EqualJitter, 1_870.349_687, 2_428.529_182, 2_048, 70),
        (Strategy::DecorrelatedJitter, 2_371.305_342, 4_181.599_949, 647, 290),
    ] {
        let mut model = storm(10_000, strategy);
        model.random = RandomSource::Cpython;
        model.seed = 2026;
        let outcome = run(&model);
        // Waits are whole nanoseconds, five of them at most half a one off.
        assert!((outcome.wait.mean_nanos / 1e6 - mean).abs() < 3e-6, "{strategy:?}");
        assert!((outcome.wait.longest.as_millis_f64() - longest).abs() < 3e-6, "{strategy:?}");
        assert_eq!(outcome.busiest_retries.count, busiest, "{strategy:?}");
        assert_eq!(outcome.busiest_retries.start, instant(start), "{strategy:?}");
        assert_eq!(outcome.retries_in_all(), 50_000);
    }
}

#[test]
fn the_published_schedule_of_mulberry32_comes_out() {
    let mut model = storm(1, Strategy::FullJitter);
    model.random = RandomSource::Mulberry32;
    model.seed = 11;
    model.record_attempts = true;
    model.edges[0].retry.max_attempts = Some(3);
    model.edges[0].retry.backoff.round = Round::FloorMillis;
    let outcome = run(&model);
    let sent: Vec<_> = outcome.attempts.iter().map(|attempt| attempt.sent).collect();
    assert_eq!(sent, [instant(0), instant(51), instant(156)]);
    let last = outcome.attempts.last().expect("there are three");
    assert_eq!(last.end, AttemptEnd::Failed(503));
    assert_eq!(last.next, Next::GaveUp(Reason::AttemptsExhausted));
}

/// One worker, 10 ms of work, three requests at once, timeouts of 15 ms and
/// one retry at once: the first is answered at 10 ms; the second is worked on
/// from 10 ms, given up at 15 ms and wasted; so is the third, and both retries.
#[test]
fn a_server_works_on_for_callers_that_have_given_up() {
    let mut model = storm(3, Strategy::None);
    model.services[0].fails = 0.0;
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Constant(ms(10));
    model.edges[0].timeout = Some(Law::Constant(ms(15)));
    model.edges[0].retry.max_attempts = Some(2);
    let outcome = run(&model);
    let (edge, service) = (&outcome.edges[0], &outcome.services[0]);
    assert_eq!((edge.attempts, edge.answered, edge.timed_out), (5, 1, 4));
    assert_eq!(outcome.gave_up.of(Reason::AttemptsExhausted), 2);
    // Worked on: second 10-20 ms (wanted until 15), third 20-30 (until 15),
    // retries 30-40 and 40-50 (both until 30).
    assert_eq!(service.wasted_work, ms(5 + 10 + 10 + 10));
    assert_eq!((service.peak_queue, service.peak_busy_workers), (3, 1));
    assert_eq!(service.mean_busy_workers, 1.0);
    assert_eq!(outcome.ended, instant(50));
    // Waits of 0, 10, 20, 15 and 25 ms, each time the queue moves.
    assert_eq!(service.queue_time.longest, ms(25));
    assert_eq!(outcome.latency.longest, ms(30));
}

#[test]
fn an_answer_exactly_at_its_timeout_is_in_time() {
    let mut model = storm(1, Strategy::None);
    model.services[0].fails = 0.0;
    model.services[0].service_time = Law::Constant(ms(15));
    model.edges[0].timeout = Some(Law::Constant(ms(15)));
    assert_eq!(run(&model).answered, 1);
    model.edges[0].timeout = Some(Law::Constant(Duration::from_nanos(14_999_999)));
    assert_eq!(run(&model).answered, 0);
}

#[test]
fn calls_in_a_list_come_one_after_another_and_hold_the_worker() {
    let mut model = chain(2, &RetryPolicy::NEVER);
    model.clients[0].requests = Some(2);
    model.clients[0].arrivals = Arrivals::TOGETHER;
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Constant(ms(1));
    model.services[0].calls = vec![1, 2];
    model.edges.push(model.edges[1].clone());
    model.services[1].service_time = Law::Constant(ms(10));
    model.services[1].fails = 0.0;
    let outcome = run(&model);
    assert_eq!(outcome.answered, 2);
    assert_eq!(outcome.ended, instant(42));
    assert_eq!(outcome.services[1].normal_attempts, 4.0);
}

#[test]
fn the_clock_stops_at_the_end_of_the_duration() {
    let mut model = chain(1, &RetryPolicy::NEVER);
    model.clients[0].arrivals = Arrivals::Constant { rate: Profile::steady(100.0) };
    model.clients[0].requests = None;
    model.services[0].fails = 0.0;
    model.services[0].service_time = Law::Constant(ms(15));
    model.duration = Some(ms(100));
    let outcome = run(&model);
    // Starts at 0, 10, … 90 ms; those at 90 ms have no answer by 100 ms.
    assert_eq!((outcome.requests, outcome.answered, outcome.still_out), (10, 9, 1));
    assert_eq!(outcome.edges[0].still_out, 1);
    model.warmup = ms(20);
    let outcome = run(&model);
    assert_eq!((outcome.requests, outcome.answered), (8, 7));
}

/// A mean below a nanosecond draws service times of zero again and again; a
/// worker that is free at once must take the next, or it idles beside a queue.
#[test]
fn work_that_takes_no_time_never_leaves_a_worker_idle() {
    let mut model = storm(1_000, Strategy::None);
    model.services[0].fails = 0.0;
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Exponential { mean: Duration::from_nanos(1) };
    let outcome = run(&model);
    assert_eq!((outcome.answered, outcome.still_out), (1_000, 0));
    // A worker that is never idle is busy from the start to the end.
    assert_eq!(outcome.services[0].mean_busy_workers, 1.0);
}

/// A service without service time of its own whose worker is held by a slow
/// call: when it is free, a long line of attempts fails at one instant.
#[test]
fn a_long_line_that_fails_at_once_costs_no_recursion() {
    let mut model = chain(2, &RetryPolicy::NEVER);
    model.clients[0].requests = Some(300_000);
    model.clients[0].arrivals = Arrivals::TOGETHER;
    model.services[0].workers = Some(1);
    model.services[0].fails = 0.9999;
    model.services[1].fails = 0.0;
    model.services[1].service_time = Law::Constant(ms(1));
    let outcome = run(&model);
    assert_eq!(outcome.answered + outcome.gave_up.total(), 300_000);
}

#[test]
fn endless_retries_without_waiting_are_an_error() {
    let mut model = storm(1, Strategy::None);
    model.edges[0].retry.max_attempts = None;
    let mut world = World::new(&model, 0);
    let error = loop {
        match world.advance(100_000) {
            Ok(goes_on) => assert!(goes_on),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, RunError::EndlessRetries { .. }), "{error}");
}

#[test]
fn a_limit_on_what_is_alive_stops_the_run() {
    let mut model = chain(1, &RetryPolicy::NEVER);
    model.clients[0].arrivals = Arrivals::Poisson { rate: Profile::steady(1e6) };
    model.clients[0].requests = None;
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Exponential { mean: ms(1) };
    model.duration = Some(Duration::from_secs(100));
    model.most_live = 1_000;
    let error = World::new(&model, 0).advance(u64::MAX).expect_err("it grows without bound");
    assert!(matches!(error, RunError::TooManyAlive { limit: 1_000, .. }), "{error}");
}

/// Common random numbers: another strategy changes neither the arrivals nor
/// the service times, and a second client changes nothing of the first.
#[test]
fn what_is_compared_sees_the_same_chance() {
    let mut model = storm(1, Strategy::FullJitter);
    model.clients[0].arrivals = Arrivals::Poisson { rate: Profile::steady(100.0) };
    model.clients[0].requests = Some(1_000);
    model.services[0].fails = 0.3;
    model.services[0].service_time = Law::Exponential { mean: ms(5) };
    let plain = run(&model);
    let mut other = model.clone();
    other.edges[0].retry.backoff = Backoff::new(Strategy::EqualJitter, ms(100), ms(1_000));
    assert_eq!(run(&other).edges[0].failed, plain.edges[0].failed);
    let mut second = other.clients[0].clone();
    second.name = "other".into();
    second.kinds[0].calls = vec![1];
    let mut edge = other.edges[0].clone();
    edge.caller = Caller::Client(1);
    model.clients.push(second);
    model.edges.push(edge);
    assert_eq!(run(&model).clients[0], plain.clients[0]);
}
