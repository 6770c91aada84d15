//! What a policy is told of a failed attempt: the request, the hint, the time.

use super::*;
use crate::model::spec::Statuses;
use crate::policy::{Effect, HintRule, Limits, Method, Repeatable, TimeRule};

const POST: Request = Request { method: Method::Post, has_key: false };
const POST_WITH_KEY: Request = Request { method: Method::Post, has_key: true };

/// The attempts at the last of two services, one request of this kind, where
/// the first retries twice.
fn attempts_below(request: Request, repeatable: Repeatable) -> u64 {
    let mut model = chain(2, &RetryPolicy { repeatable, ..attempts(3) });
    model.clients[0].requests = Some(1);
    model.clients[0].kinds[0].request = request;
    run(&model).services[1].attempts
}

#[test]
fn services_pass_the_request_down() {
    assert_eq!(attempts_below(Request::default(), Repeatable::IDEMPOTENT), 3);
    assert_eq!(attempts_below(POST, Repeatable::IDEMPOTENT), 1);
    assert_eq!(attempts_below(POST_WITH_KEY, Repeatable::IDEMPOTENT), 3);
    assert_eq!(attempts_below(POST, Repeatable::ANYTHING), 3);
}

#[test]
fn a_request_that_may_not_be_repeated_is_given_up_for_that() {
    let mut model = storm(10, Strategy::Constant);
    model.clients[0].kinds[0].request = POST;
    let outcome = run(&model);
    assert_eq!(outcome.gave_up.of(Reason::NotRepeatable), 10);
    assert_eq!(outcome.wait.longest, Duration::ZERO);
}

/// Two clients that give up long before their attempts come out of the queue:
/// what the service asks for on their behalf is still a GET or a POST.
#[test]
fn the_request_is_known_after_its_client_has_gone() {
    let mut model = chain(2, &attempts(3));
    model.services[0].workers = Some(1);
    model.services[0].service_time = Law::Constant(ms(5));
    model.clients[0].arrivals = Arrivals::TOGETHER;
    model.clients[0].requests = Some(20);
    model.edges[0].timeout = Some(Law::Constant(ms(1)));
    let mut second = model.clients[0].clone();
    second.name = "writer".into();
    second.kinds[0].request = POST;
    second.requests = Some(30);
    second.kinds[0].calls = vec![2];
    let edge = Edge { caller: Caller::Client(1), ..model.edges[0].clone() };
    model.clients.push(second);
    model.edges.push(edge);
    let outcome = run(&model);
    assert_eq!(outcome.gave_up.total(), 50);
    assert_eq!(outcome.services[1].attempts, 20 * 3 + 30);
}

#[test]
fn a_hint_reaches_the_caller_and_no_one_further_up() {
    let hint = |edges: &[usize]| {
        let mut model = chain(2, &RetryPolicy::NEVER);
        model.clients[0].requests = Some(1);
        model.services[1].retry_after = Advice::After(ms(2_000));
        for &edge in edges {
            model.edges[edge].retry =
                RetryPolicy { hint: HintRule::new(Effect::Replace), ..attempts(3) };
        }
        run(&model).latency.longest
    };
    assert_eq!(hint(&[1]), ms(4_000));
    assert_eq!(hint(&[0]), Duration::ZERO);
}

/// Everything about hints that can be drawn at the start of a request is.
#[test]
fn hints_need_no_draws_that_were_not_made() {
    let mut model = storm(100, Strategy::Constant);
    model.random = RandomSource::Cpython;
    model.services[0].retry_after = Advice::After(ms(500));
    assert_eq!(run(&model).wait.longest, ms(2_500));
    model.edges[0].retry.hint = HintRule::new(Effect::Spread);
    let spread = run(&model);
    assert!(spread.wait.longest > ms(2_500) && spread.wait.longest <= ms(3_750));
    assert_ne!(spread.wait.p50, spread.wait.longest);
}

/// 10,000 failures, one in four a 404: within four standard deviations, 173.
#[test]
fn statuses_come_by_their_weights() {
    let mut model = storm(10_000, Strategy::FullJitter);
    model.edges[0].retry.max_attempts = Some(2);
    model.services[0].status = Statuses::weighted(&[(404, 1.0), (503, 3.0)]).expect("good");
    let retries = run(&model).edges[0].retries;
    assert!(retries.abs_diff(7_500) < 173, "{retries} retries");
}

/// Which attempts fail and how long they wait is drawn apart from the status.
#[test]
fn statuses_move_no_other_draw() {
    let mut model = storm(1_000, Strategy::FullJitter);
    model.services[0].fails = 0.5;
    let plain = run(&model);
    model.services[0].status = Statuses::weighted(&[(500, 1.0), (503, 3.0)]).expect("good");
    assert_eq!(run(&model), plain);
}

/// Waits of 1 s and 3 s in all: the wait that ends exactly then is not longer
/// than the time left, and not shorter either.
#[test]
fn a_policy_may_limit_its_own_time() {
    let attempts_with = |own_rule, calls: Vec<usize>| {
        let mut model = storm(1, Strategy::Constant);
        model.edges[0].retry.backoff.base = ms(1_000);
        model.edges[0].retry.limits = Limits { own: ms(3_000), own_rule, ..Limits::USUAL };
        model.clients[0].kinds[0].calls = calls;
        let outcome = run(&model);
        assert_eq!(outcome.gave_up.of(Reason::OutOfTime), 1);
        outcome.edges[0].attempts
    };
    assert_eq!(attempts_with(TimeRule::NotLonger, vec![0]), 4);
    assert_eq!(attempts_with(TimeRule::Shorter, vec![0]), 3);
    assert_eq!(attempts_with(TimeRule::Elapsed, vec![0]), 5);
}

/// The time of a call runs from its own start, not from the request's.
#[test]
fn the_time_of_a_call_begins_with_the_call() {
    let mut model = storm(1, Strategy::Constant);
    let slow = Service {
        name: "slow".into(),
        fails: 0.0,
        service_time: Law::Constant(ms(10_000)),
        ..model.services[0].clone()
    };
    model.services.push(slow);
    model.edges.push(Edge { target: 1, ..model.edges[0].clone() });
    model.edges[0].retry.backoff.base = ms(1_000);
    model.edges[0].retry.limits = Limits { own: ms(3_000), ..Limits::USUAL };
    model.clients[0].kinds[0].calls = vec![1, 0];
    assert_eq!(run(&model).edges[0].attempts, 4);
}

#[test]
fn the_last_attempt_may_have_no_timeout() {
    let answered = |last_attempt_untimed| {
        let mut model = storm(1, Strategy::Constant);
        model.services[0].fails = 0.0;
        model.services[0].service_time = Law::Constant(ms(5));
        model.edges[0].timeout = Some(Law::Constant(ms(1)));
        model.edges[0].retry.limits = Limits { last_attempt_untimed, ..Limits::USUAL };
        let outcome = run(&model);
        (outcome.edges[0].timed_out, outcome.answered, outcome.services[0].wasted_work)
    };
    assert_eq!(answered(false), (6, 0, ms(6 * 4)));
    assert_eq!(answered(true), (5, 1, ms(5 * 4)));
}
