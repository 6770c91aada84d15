//! Faults, worked out by hand.

use super::*;
use crate::model::spec::{Capacity, Effect, Fault, Target, WarmUp};

const GOOD: AttemptEnd = AttemptEnd::Answered;

/// A fault of the only service from `from` until `until`, in ms.
fn fault(effect: Effect, from: u64, until: u64) -> Fault {
    let target = Target::Service { service: 0, instance: None, effect };
    Fault { name: "fault".into(), target, from: instant(from), until: instant(until) }
}

/// A request every 10 ms from 0 at a service with any number of workers that
/// takes 25 ms, under these faults.
fn struck(requests: u64, faults: Vec<Fault>) -> Model {
    let mut model = storm(1, Strategy::None);
    model.clients[0].arrivals = Arrivals::Constant { rate: Profile::steady(100.0) };
    model.clients[0].requests = Some(requests);
    model.services[0].fails = 0.0;
    model.services[0].service_time = Law::Constant(ms(25));
    model.edges[0].retry = RetryPolicy::NEVER;
    model.faults = faults;
    model.record_attempts = true;
    model
}

fn ends(model: &Model) -> Vec<(AttemptEnd, u64)> {
    let mut attempts = run(model).attempts;
    attempts.sort_by_key(|attempt| attempt.sent);
    attempts
        .iter()
        .map(|attempt| (attempt.end, attempt.ended.since(attempt.sent).as_nanos() / 1_000_000))
        .collect()
}

/// What arrives from 10 to 30 ms is refused at once; what is inside goes on.
#[test]
fn a_service_that_is_down_refuses() {
    let model = struck(5, vec![fault(Effect::Down, 10, 30)]);
    let refused = (AttemptEnd::Unreachable, 0);
    assert_eq!(ends(&model), [(GOOD, 25), refused, refused, (GOOD, 25), (GOOD, 25)]);
}

/// From 20 to 120 ms nothing moves: 5 ms of the first and 15 ms of the second
/// are left at 120 ms; the others begin then.
#[test]
fn a_service_that_hangs_goes_on_where_it_stopped() {
    let model = struck(4, vec![fault(Effect::Hang, 20, 120)]);
    assert_eq!(ends(&model), [(GOOD, 125), (GOOD, 125), (GOOD, 125), (GOOD, 115)]);
    // Down beats it for those who come.
    let both = struck(4, vec![fault(Effect::Hang, 20, 120), fault(Effect::Down, 25, 60)]);
    let refused = (AttemptEnd::Unreachable, 0);
    assert_eq!(ends(&both), [(GOOD, 125), (GOOD, 125), (GOOD, 125), refused]);
}

/// Two hangs in a row, the second before the work of the first pause is done.
#[test]
fn hangs_add_up() {
    let hangs = vec![fault(Effect::Hang, 5, 50), fault(Effect::Hang, 60, 100)];
    assert_eq!(ends(&struck(1, hangs)), [(GOOD, 25 + 45 + 40)]);
    // Two that overlap are one.
    let hangs = vec![fault(Effect::Hang, 5, 50), fault(Effect::Hang, 40, 100)];
    assert_eq!(ends(&struck(1, hangs)), [(GOOD, 25 + 95)]);
}

/// A caller that hangs sends no retries and hears no answers until it is back.
#[test]
fn a_caller_that_hangs_does_nothing() {
    let mut model = chain(2, &attempts(3));
    model.clients[0].requests = Some(1);
    model.edges[1].retry.backoff = Backoff::new(Strategy::Constant, ms(10), ms(10));
    let target = Target::Service { service: 0, instance: None, effect: Effect::Hang };
    model.faults =
        vec![Fault { name: "pause".into(), target, from: instant(15), until: instant(100) }];
    model.record_attempts = true;
    // Attempts below at 0 and 10 ms; the third, due at 20 ms, comes at 100 ms.
    let sent: Vec<_> =
        run(&model).attempts.iter().filter(|a| a.edge == 1).map(|a| a.sent).collect();
    assert_eq!(sent, [instant(0), instant(10), instant(100)]);
}

/// What starts in the slow time takes three times as long, two such times nine.
#[test]
fn slow_factors_multiply() {
    let slow = |factor, from, until| fault(Effect::Slow { factor }, from, until);
    let model = struck(4, vec![slow(3.0, 10, 35), slow(3.0, 20, 25)]);
    assert_eq!(ends(&model), [(GOOD, 25), (GOOD, 75), (GOOD, 225), (GOOD, 75)]);
}

#[test]
fn errors_take_the_service_time() {
    let errors = |share| Effect::Errors { share, status: 500 };
    let model = struck(3, vec![fault(errors(1.0), 30, 40)]);
    // Asked when the work is done: at 25, 35 and 45 ms.
    assert_eq!(ends(&model), [(GOOD, 25), (AttemptEnd::Failed(500), 25), (GOOD, 25)]);
    // A half of 10,000: within four standard deviations, 200.
    let half = struck(10_000, vec![fault(errors(0.5), 0, 1_000_000)]);
    let failed = run(&half).edges[0].failed;
    assert!(failed.abs_diff(5_000) < 200, "{failed} failed");
}

/// Two workers of three go at 15 ms; what they do is finished. The smaller of
/// two capacities wins.
#[test]
fn capacity_leaves_running_work_alone() {
    let capacity = |left, from, until| fault(Effect::Capacity(left), from, until);
    let mut model = struck(5, vec![capacity(Capacity::Workers(1), 15, 60)]);
    model.services[0].workers = Some(3);
    // Started at 0 and 10; then one at a time: at 35 (from 20), at 60 all.
    assert_eq!(ends(&model), [(GOOD, 25), (GOOD, 25), (GOOD, 40), (GOOD, 55), (GOOD, 45)]);
    let share = capacity(Capacity::Share(0.34), 15, 60);
    let none = capacity(Capacity::Workers(0), 15, 60);
    model.faults = vec![share.clone()];
    assert_eq!(ends(&model)[2], (GOOD, 40));
    model.faults = vec![share, none];
    assert_eq!(ends(&model)[2], (GOOD, 65));
}

/// At 15 ms the line and the work are lost; until 40 ms nobody is there. Then a
/// start takes twice as long at first, and less and less so until 140 ms.
#[test]
fn a_restart_loses_everything_and_starts_slowly() {
    let warm_up = Some(WarmUp { length: ms(100), factor: 3.0 });
    let mut model = struck(6, vec![fault(Effect::Restart { warm_up }, 15, 40)]);
    model.services[0].workers = Some(1);
    let broken = AttemptEnd::Unreachable;
    let expected = [
        (broken, 15),
        (broken, 5),
        (broken, 0),
        (broken, 0),
        // 25 ms × 3 from 40 ms; then × 1.5 at 115 ms.
        (GOOD, 75),
        (GOOD, 65 + 37),
    ];
    assert_eq!(ends(&model), expected);
}

#[test]
fn a_fault_may_strike_one_instance() {
    let mut model = struck(4, vec![]);
    model.services[0].instances = 2;
    model.services[0].balance = crate::model::spec::Balance::RoundRobin;
    let target = Target::Service { service: 0, instance: Some(1), effect: Effect::Down };
    model.faults =
        vec![Fault { name: "sick".into(), target, from: instant(0), until: Instant::NEVER }];
    let refused = (AttemptEnd::Unreachable, 0);
    assert_eq!(ends(&model), [(GOOD, 25), refused, (GOOD, 25), refused]);
}

/// At one instant the fault comes before everything else.
#[test]
fn a_fault_comes_first_at_its_instant() {
    let refused = (AttemptEnd::Unreachable, 0);
    let model = struck(2, vec![fault(Effect::Down, 10, 20)]);
    assert_eq!(ends(&model), [(GOOD, 25), refused]);
    let model = struck(2, vec![fault(Effect::Down, 0, 10)]);
    assert_eq!(ends(&model), [refused, (GOOD, 25)]);
}

/// 100/s, and 300/s from 100 to 200 ms: 10 + 30 + 10 requests in 300 ms.
#[test]
fn a_surge_raises_the_rate() {
    let mut model = struck(1, vec![]);
    model.clients[0].requests = None;
    model.duration = Some(ms(300));
    model.faults = vec![Fault {
        name: "surge".into(),
        target: Target::Surge { client: 0, factor: 3.0 },
        from: instant(100),
        until: instant(200),
    }];
    assert_eq!(run(&model).requests, 50);
}
