//! Instances, queues and work that nobody waits for, worked out by hand.

use super::*;
use crate::model::spec::{Balance, Codel, CodelLaw, Order, Queue};

/// One request every 10 ms from 0, for as long as `millis`, at one worker that
/// takes `work` ms for each.
fn station(millis: u64, work: u64) -> Model {
    let mut model = storm(1, Strategy::None);
    model.clients[0].arrivals = Arrivals::Constant { rate: Profile::steady(100.0) };
    model.clients[0].requests = Some(millis / 10);
    model.services[0].fails = 0.0;
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Constant(ms(work));
    model.edges[0].retry = RetryPolicy::NEVER;
    model.record_attempts = true;
    model
}

/// How each attempt ended, in the order of sending: with its time in ms.
fn ends(model: &Model) -> Vec<(AttemptEnd, u64)> {
    let mut attempts = run(model).attempts;
    attempts.sort_by_key(|attempt| attempt.sent);
    let took =
        |a: &crate::model::outcome::AttemptRecord| a.ended.since(a.sent).as_nanos() / 1_000_000;
    attempts.iter().map(|attempt| (attempt.end, took(attempt))).collect()
}

const GOOD: AttemptEnd = AttemptEnd::Answered;
const REFUSED: AttemptEnd = AttemptEnd::Refused;

/// Starts at 0, 10, … 50 ms, work of 35 ms: two places to wait are taken at 10
/// and 20 ms; at 35 ms one is free, which the one of 40 ms gets.
#[test]
fn a_full_queue_refuses_who_comes() {
    let mut model = station(60, 35);
    model.services[0].queue.limit = Some(2);
    let expected = [(GOOD, 35), (GOOD, 60), (GOOD, 85), (REFUSED, 0), (GOOD, 100), (REFUSED, 0)];
    assert_eq!(ends(&model), expected);
    let outcome = run(&model);
    assert_eq!((outcome.edges[0].refused_queue, outcome.edges[0].failed), (2, 0));
    assert_eq!(outcome.services[0].peak_queue, 2);
    assert_eq!(outcome.gave_up.of(Reason::AttemptsExhausted), 2);
}

/// The same, but each time the one that waits longest goes: 30 ms pushes out
/// the one of 10 ms, 50 ms that of 30 ms.
#[test]
fn a_full_queue_may_drop_who_waits_longest() {
    let mut model = station(60, 35);
    model.services[0].queue = Queue { limit: Some(2), drops_oldest: true, ..Queue::UNLIMITED };
    let expected = [(GOOD, 35), (REFUSED, 20), (GOOD, 50), (REFUSED, 20), (GOOD, 65), (GOOD, 90)];
    assert_eq!(ends(&model), expected);
}

/// Work of 25 ms: at 25 ms those of 10 and 20 ms wait, at 50 ms those of 10, 30
/// and 40 ms (the one of 50 ms comes after, since arrivals are last), and so on.
#[test]
fn the_last_may_be_served_first() {
    let mut model = station(60, 25);
    model.services[0].queue.order = Order::Lifo;
    let expected = [(GOOD, 25), (GOOD, 140), (GOOD, 30), (GOOD, 95), (GOOD, 35), (GOOD, 50)];
    assert_eq!(ends(&model), expected);
}

/// In line until it has stood for 20 ms: the one of 10 ms is served at 25 ms,
/// after 15 ms of standing; at 50 ms it stands for 40 ms.
#[test]
fn a_standing_line_may_turn_around() {
    let mut model = station(60, 25);
    model.services[0].queue.order = Order::AdaptiveLifo { after: ms(20) };
    let expected = [(GOOD, 25), (GOOD, 40), (GOOD, 130), (GOOD, 95), (GOOD, 35), (GOOD, 50)];
    assert_eq!(ends(&model), expected);
}

/// Work of 35 ms, patience in the line of 30 ms: 10 ms is served at 35 ms, 20 ms
/// leaves at 50 ms, 30 ms at 60 ms, and at 70 ms the one of 40 ms has waited
/// exactly 30 ms, which is in time.
#[test]
fn whoever_waits_too_long_is_refused() {
    let mut model = station(60, 35);
    model.services[0].queue.timeout = Some(Law::Constant(ms(30)));
    let expected =
        [(GOOD, 35), (GOOD, 60), (REFUSED, 30), (REFUSED, 30), (GOOD, 65), (REFUSED, 30)];
    assert_eq!(ends(&model), expected);
}

/// The patience is 60 ms for those who come to a line that has stood for no
/// longer than 60 ms, and 5 ms for the rest.
#[test]
fn a_standing_line_has_little_patience() {
    let mut model = station(100, 1_000);
    let codel = Codel { target: ms(5), interval: ms(60), law: CodelLaw::FailAtScale };
    model.services[0].queue.codel = Some(codel);
    let waits: Vec<u64> = ends(&model)[1..].iter().map(|&(_, took)| took).collect();
    // The line forms at 10 ms; at 70 ms, exactly then, its first leaves before
    // the next one comes, and from 80 ms on it has stood for too long.
    assert_eq!(waits, [60, 60, 60, 60, 60, 60, 60, 5, 5]);
}

/// Overload for ever, and a line that is cut at its head until it is short: it
/// serves no more than before, but those it serves have waited less.
#[test]
fn codel_keeps_the_wait_short() {
    let mut model = station(20_000, 12);
    let long = run(&model).services[0].queue_time;
    let codel = Codel { target: ms(5), interval: ms(100), law: CodelLaw::Rfc8289 };
    model.services[0].queue.codel = Some(codel);
    let outcome = run(&model);
    assert!(outcome.services[0].queue_time.p50 < Duration::from_nanos(long.p50.as_nanos() / 10));
    assert!(outcome.services[0].mean_busy_workers > 0.99);
    assert_eq!(outcome.answered + outcome.edges[0].refused_queue, 2_000);
}

#[test]
fn instances_share_the_load_as_the_balancer_says() {
    let peak = |balance| {
        let mut model = station(10_000, 35);
        model.services[0].instances = 4;
        model.services[0].balance = balance;
        run(&model).services[0].peak_queue
    };
    // Four workers of 35 ms each take one request every 8.75 ms.
    assert_eq!(peak(Balance::RoundRobin), 0);
    assert_eq!(peak(Balance::LeastBusy), 0);
    let (random, two) = (peak(Balance::Random), peak(Balance::TwoChoices));
    assert!(0 < two && two < random, "{two} with two choices, {random} at random");
}

#[test]
fn each_instance_has_a_queue_of_its_own() {
    let mut model = station(30, 100);
    model.services[0].instances = 2;
    model.services[0].balance = Balance::RoundRobin;
    model.services[0].queue.limit = Some(0);
    assert_eq!(ends(&model), [(GOOD, 100), (GOOD, 100), (REFUSED, 0)]);
}

/// Work of 30 ms for callers that give up after 25 ms: a server that works on
/// answers nobody; one that stops takes the next at 25 ms, and so on for ever.
#[test]
fn cancelled_work_stops_and_leaves_the_line() {
    let mut model = station(60, 30);
    model.edges[0].timeout = Some(Law::Constant(ms(25)));
    let finished = run(&model);
    assert_eq!(finished.services[0].wasted_work, ms(5 + 25 + 30 * 4));
    assert_eq!(finished.ended, instant(180));
    model.services[0].cancels = true;
    let cancelled = run(&model);
    assert_eq!(cancelled.services[0].wasted_work, Duration::ZERO);
    assert_eq!(cancelled.edges[0].timed_out, 6);
    // The last is given up at 75 ms, and nothing is left then.
    assert_eq!(cancelled.ended, instant(75));
    assert_eq!(cancelled.services[0].mean_busy_workers, 1.0);
}

/// Cancellation travels down: the call that the stopped work waits for ends too.
#[test]
fn cancellation_reaches_the_services_below() {
    let mut model = chain(2, &RetryPolicy::NEVER);
    model.clients[0].requests = Some(1);
    model.services[1].fails = 0.0;
    model.services[1].service_time = Law::Constant(ms(1_000));
    model.edges[0].timeout = Some(Law::Constant(ms(100)));
    for (cancels, ended, wasted) in [([true, true], 100, 0), ([true, false], 1_000, 900)] {
        model.services[0].cancels = cancels[0];
        model.services[1].cancels = cancels[1];
        let outcome = run(&model);
        assert_eq!(outcome.ended, instant(ended));
        assert_eq!(outcome.edges[1].abandoned, 1);
        assert_eq!(outcome.services[1].wasted_work, ms(wasted));
        assert_eq!(outcome.services[0].wasted_work, Duration::ZERO);
    }
}

/// A cancellation takes as long as the attempt took: given up at 25 ms, the
/// first is worked on until 35 ms.
#[test]
fn a_cancellation_takes_its_time() {
    let mut model = station(10, 100);
    model.services[0].cancels = true;
    model.edges[0].timeout = Some(Law::Constant(ms(25)));
    model.edges[0].there = Law::Constant(ms(10));
    let outcome = run(&model);
    assert_eq!(outcome.ended, instant(35));
    assert_eq!(outcome.services[0].wasted_work, ms(10));
}

/// Twice as slow for each of the two in flight, fixed at the start: the first
/// takes 10 × 2 ms, the second 10 × 3.
#[test]
fn a_crowd_slows_each_of_its_members() {
    let mut model = station(20, 20);
    model.services[0].workers = None;
    model.services[0].slowdown = 1.0;
    assert_eq!(ends(&model), [(GOOD, 40), (GOOD, 60)]);
}

/// Fixed on arrival, the second takes 20 ms even if it starts alone.
#[test]
fn a_service_time_may_be_fixed_on_arrival() {
    let mut model = station(20, 20);
    model.services[0].slowdown = 1.0;
    // The first 40 ms; the second starts alone at 40 ms.
    assert_eq!(ends(&model), [(GOOD, 40), (GOOD, 70)]);
    model.services[0].drawn_on_arrival = true;
    assert_eq!(ends(&model), [(GOOD, 40), (GOOD, 90)]);
}
