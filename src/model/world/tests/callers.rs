//! Deadlines, drawn timeouts, the network, pools and closed loops, worked out
//! by hand.

use super::*;
use crate::model::spec::{Kind, Pause, Start};

/// One client whose attempts at a service of 30 ms fail, with three attempts
/// and waits of 10 ms.
fn failing() -> Model {
    let mut model = storm(1, Strategy::Constant);
    model.services[0].service_time = Law::Constant(ms(30));
    model.edges[0].retry.max_attempts = Some(3);
    model.edges[0].retry.backoff.base = ms(10);
    model.record_attempts = true;
    model
}

fn sent(outcome: &Outcome) -> Vec<u64> {
    let since = |at: Instant| at.since(Instant::ZERO).as_nanos() / 1_000_000;
    outcome.attempts.iter().map(|attempt| since(attempt.sent)).collect()
}

/// Failures at 30, 70 and 110 ms. A deadline of 80 ms leaves 10 ms after the
/// second: a wait of 10 ms is not shorter. One of 81 ms lets the third start,
/// and cuts it off at the deadline.
#[test]
fn a_deadline_ends_waits_and_attempts() {
    let mut model = failing();
    model.clients[0].deadline = Some(ms(80));
    let outcome = run(&model);
    assert_eq!(sent(&outcome), [0, 40]);
    assert_eq!(outcome.gave_up.of(Reason::OutOfTime), 1);
    assert_eq!(outcome.latency.longest, ms(70));
    assert_eq!(outcome.edges[0].denied_deadline, 1);
    model.clients[0].deadline = Some(ms(81));
    let outcome = run(&model);
    assert_eq!(sent(&outcome), [0, 40, 80]);
    assert_eq!(outcome.edges[0].timed_out, 1);
    assert_eq!(outcome.latency.longest, ms(81));
}

/// An answer exactly at the deadline is in time.
#[test]
fn an_answer_exactly_at_the_deadline_is_in_time() {
    let mut model = failing();
    model.services[0].fails = 0.0;
    model.clients[0].deadline = Some(ms(30));
    assert_eq!(run(&model).answered, 1);
    model.clients[0].deadline = Some(Duration::from_nanos(29_999_999));
    assert_eq!(run(&model).answered, 0);
}

/// A deadline that travels stops the retries of services below.
#[test]
fn a_deadline_may_travel_down() {
    let mut model = chain(2, &attempts(100));
    model.clients[0].requests = Some(1);
    model.services[1].service_time = Law::Constant(ms(30));
    model.clients[0].deadline = Some(ms(100));
    assert_eq!(run(&model).services[1].attempts, 100);
    model.edges[1].has_deadline = true;
    // At 0, 30, 60 and 90 ms; the last is cut off at 100 ms.
    let outcome = run(&model);
    assert_eq!((outcome.services[1].attempts, outcome.edges[1].timed_out), (4, 1));
    assert_eq!(outcome.ended, instant(120));
}

/// With timeouts between 10 and 20 ms and a service of 30 ms all time out, at
/// times that differ from attempt to attempt.
#[test]
fn timeouts_may_be_drawn() {
    let mut model = failing();
    model.edges[0].timeout = Some(Law::uniform(ms(10), ms(20)).expect("in order"));
    let outcome = run(&model);
    assert_eq!(outcome.edges[0].timed_out, 3);
    let took: Vec<_> = outcome.attempts.iter().map(|a| a.ended.since(a.sent)).collect();
    assert!(took.iter().all(|&took| ms(10) <= took && took < ms(20)), "{took:?}");
    assert!(took[0] != took[1] && took[1] != took[2]);
}

/// 5 ms there, 7 ms back: the answer comes after 42 ms, and a timeout of 41 ms
/// gives it up though the service has answered at 35 ms.
#[test]
fn the_network_takes_its_time() {
    let mut model = failing();
    model.services[0].fails = 0.0;
    model.edges[0].there = Law::Constant(ms(5));
    model.edges[0].back = Law::Constant(ms(7));
    assert_eq!(run(&model).latency.longest, ms(42));
    model.edges[0].timeout = Some(Law::Constant(ms(42)));
    assert_eq!(run(&model).answered, 1);
    model.edges[0].timeout = Some(Law::Constant(ms(41)));
    let outcome = run(&model);
    assert_eq!(outcome.edges[0].timed_out, 3);
    // Nobody waits for the service any more only when its answer is on its way.
    assert_eq!(outcome.services[0].wasted_work, Duration::ZERO);
}

/// Ten requests at once of one process that may have three out.
#[test]
fn a_pool_lets_so_many_out_at_once() {
    let mut model = failing();
    model.clients[0].arrivals = Arrivals::Constant { rate: Profile::steady(1e6) };
    model.clients[0].requests = Some(10);
    model.clients[0].pool = Some(3);
    model.services[0].fails = 0.0;
    let outcome = run(&model);
    assert_eq!(outcome.services[0].peak_busy_workers, 3);
    assert_eq!(outcome.latency.longest.as_nanos() / 1_000_000, 119);
    // Those that get no place in time are given up at their deadline.
    model.clients[0].deadline = Some(ms(65));
    let outcome = run(&model);
    assert_eq!((outcome.answered, outcome.gave_up.of(Reason::OutOfTime)), (6, 4));
    // The last gets a place when three are cut off, and is cut off itself.
    assert_eq!(outcome.edges[0].calls, 10);
    assert_eq!(outcome.latency.longest, ms(65));
}

/// Two processes, each a request of 30 ms and then a pause of 20 ms.
#[test]
fn a_closed_loop_waits_for_its_answers() {
    let mut model = failing();
    model.clients[0].processes = 2;
    model.clients[0].requests = None;
    model.services[0].fails = 0.0;
    model.duration = Some(ms(200));
    model.clients[0].arrivals = Arrivals::Closed { pause: Pause::Think(Law::Constant(ms(20))) };
    assert_eq!(sent(&run(&model)), [0, 0, 50, 50, 100, 100, 150, 150]);
    // Every 20 ms from start to start, but never before the answer.
    model.clients[0].arrivals = Arrivals::Closed { pause: Pause::Every(Law::Constant(ms(20))) };
    let outcome = run(&model);
    assert_eq!(outcome.requests, 14);
    model.clients[0].requests = Some(5);
    assert_eq!(run(&model).requests, 5);
}

#[test]
fn a_closed_loop_without_time_is_an_error() {
    let mut model = storm(1, Strategy::None);
    model.edges[0].retry = RetryPolicy::NEVER;
    model.clients[0].requests = None;
    model.duration = Some(ms(1));
    model.clients[0].arrivals =
        Arrivals::Closed { pause: Pause::Think(Law::Constant(Duration::ZERO)) };
    let error = World::new(&model, 0).advance(u64::MAX).expect_err("the clock stands still");
    assert!(matches!(error, RunError::EndlessCycles { .. }), "{error}");
}

#[test]
fn a_trace_starts_requests_at_its_times() {
    let mut model = failing();
    model.services[0].fails = 0.0;
    let starts = [3, 3, 50].map(|at| Start { at: instant(at), process: None });
    model.clients[0].requests = None;
    model.clients[0].arrivals = Arrivals::Trace(starts.to_vec().into());
    assert_eq!(sent(&run(&model)), [3, 3, 50]);
}

/// A crowd of 10,000 spread over a second: as many in each tenth, within four
/// standard deviations (120), in ascending order, from one draw each.
#[test]
fn a_crowd_may_arrive_within_a_while() {
    let mut model = storm(10_000, Strategy::None);
    model.edges[0].retry = RetryPolicy::NEVER;
    model.clients[0].arrivals = Arrivals::Together { spread: ms(1_000) };
    model.record_attempts = true;
    let mut tenths = [0_u64; 10];
    for at in sent(&run(&model)) {
        tenths[at as usize / 100] += 1;
    }
    assert!(tenths.iter().all(|&count| count.abs_diff(1_000) < 120), "{tenths:?}");
}

/// Three of four requests are of the first kind, within four standard
/// deviations (173 of 10,000).
#[test]
fn requests_come_in_kinds_by_their_weights() {
    let mut model = chain(2, &RetryPolicy::NEVER);
    model.services[0].calls.clear();
    model.clients[0].requests = Some(10_000);
    model.edges[1].caller = Caller::Client(0);
    let kind = |weight, edge| Kind { weight, request: Request::default(), calls: vec![edge] };
    model.clients[0].kinds = vec![kind(3.0, 0), kind(1.0, 1)];
    let outcome = run(&model);
    assert!(outcome.services[0].attempts.abs_diff(7_500) < 173);
    assert_eq!(outcome.services[0].attempts + outcome.services[1].attempts, 10_000);
}

#[test]
fn waits_beyond_the_clock_are_an_error() {
    let mut model = storm(1, Strategy::Constant);
    model.edges[0].retry.backoff.base = Duration::MAX;
    model.edges[0].retry.backoff.cap = Duration::MAX;
    let mut world = World::new(&model, 0);
    let error = world.advance(u64::MAX).expect_err("no clock goes so far");
    assert!(matches!(error, RunError::BeyondTheClock { .. }), "{error}");
    // With an end it simply does not come to that.
    model.duration = Some(ms(100));
    assert_eq!(run(&model).still_out, 1);
}
