//! The worked examples of three published lessons on retries: the six rules of
//! a safe retry (000), budgets of time (001), backoff and jitter (002).

use super::{Answer, Case, Chance, both};
use retry_storm::executor::{Error, Executor, OutOfTime, SettingsError, Timeouts};
use retry_storm::policy::backoff::Round;
use retry_storm::policy::{
    Backoff, Decision, Effect, Failure, HintRule, Jitter, Method, Reason, Request, RetryOn,
    RetryPolicy, Strategy,
};
use retry_storm::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Lesson 000: up to 0.5, 1, 2, 4, 8 s, at most five attempts, and what the
/// server asks for replaces the wait.
fn safe_retry() -> RetryPolicy {
    RetryPolicy {
        max_attempts: Some(5),
        backoff: Backoff::new(Strategy::FullJitter, ms(500), secs(8)),
        hint: HintRule::new(Effect::Replace),
        ..RetryPolicy::NEVER
    }
}

#[test]
fn a_server_that_asks_twice_for_two_seconds_gets_them() {
    let busy = Answer::status(429).asking("2");
    let seen = both(&Case::new(safe_retry(), [busy, busy, Answer::status(200)]));
    assert_eq!(seen.sleeps, [secs(2), secs(2)]);
    assert_eq!(seen.times(), [secs(0), secs(2), secs(4)]);
    assert_eq!(seen.result, Ok(200));
    assert!(seen.events.iter().all(|event| event.verdict.asked_for));
}

#[test]
fn what_is_not_there_is_asked_for_once() {
    let seen = both(&Case::new(safe_retry(), [Answer::status(404)]));
    assert_eq!(seen.times(), [secs(0)]);
    assert_eq!(seen.result, Ok(404));
    assert_eq!(seen.events[0].verdict.decision, Decision::GiveUp(Reason::NotRetryable));
}

/// At the last attempt a status is handed back and a refused connection is an
/// error.
#[test]
fn the_last_attempt_ends_as_it_ended() {
    let seen = both(&Case::new(safe_retry(), [Answer::status(500)]));
    assert_eq!((seen.result, seen.attempts.len()), (Ok(500), 5));
    let seen = both(&Case::new(safe_retry(), [Answer::REFUSED]));
    let (error, reason) = (Failure::Connection, Reason::AttemptsExhausted);
    assert_eq!(seen.result, Err(Error::GaveUp { error, reason, attempts: 5 }));
    assert_eq!(seen.sleeps, [ms(250), ms(500), secs(1), secs(2)]);
}

/// Lesson 001: `min(4, 0.5 × 2^a)` s times a fraction, and a wait must be
/// shorter than the time left.
fn budget_of_time(attempts: u32) -> RetryPolicy {
    RetryPolicy {
        max_attempts: Some(attempts),
        backoff: Backoff::new(Strategy::FullJitter, ms(500), secs(4)),
        retry_on: RetryOn::statuses(&[429, 502, 503, 504]),
        ..RetryPolicy::NEVER
    }
}

fn within(call: Duration) -> Timeouts {
    Timeouts { call: Some(call), ..Timeouts::NONE }
}

#[test]
fn three_refusals_take_three_quarters_of_a_second() {
    let case =
        Case { timeouts: within(secs(5)), ..Case::new(budget_of_time(3), [Answer::status(503)]) };
    let seen = both(&case);
    assert_eq!(seen.sleeps, [ms(250), ms(500)]);
    assert_eq!(
        seen.attempts,
        [(ms(0), Some(ms(5_000))), (ms(250), Some(ms(4_750))), (ms(750), Some(ms(4_250)))]
    );
    assert_eq!(seen.result, Ok(503), "the last response is returned");
}

#[test]
fn the_time_of_a_response_counts() {
    let slow = Answer::status(503).after(ms(2_300));
    let case = Case { timeouts: within(secs(5)), ..Case::new(budget_of_time(3), [slow]) };
    let seen = both(&case);
    // 2.3 + 0.25 + 2.3 s: the 0.5 s that follow are more than the 0.15 s left.
    assert_eq!(seen.times(), [ms(0), ms(2_550)]);
    assert_eq!(seen.attempts[1].1, Some(ms(2_450)));
    assert_eq!(seen.events[1].verdict.decision, Decision::GiveUp(Reason::OutOfTime));
    assert_eq!(seen.events[1].verdict.wait, Some(ms(500)));
    assert_eq!(seen.events[1].left, Some(ms(150)));
    assert_eq!(seen.result, Ok(503));
}

/// A wait of exactly the time left leaves none for the attempt after it: it is
/// not begun, and the response is returned at once.
#[test]
fn a_wait_must_be_shorter_than_the_time_left() {
    let within = |timeout| Case {
        timeouts: within(timeout),
        ..Case::new(budget_of_time(2), [Answer::status(503)])
    };
    let seen = both(&within(ms(250)));
    assert_eq!((seen.sleeps, seen.result), (vec![], Ok(503)));
    let seen = both(&within(Duration::from_nanos(250_000_001)));
    assert_eq!((seen.sleeps, seen.attempts.len()), (vec![ms(250)], 2));
}

#[test]
fn time_that_runs_out_in_a_sleep_is_noticed_before_the_call() {
    let case = Case {
        timeouts: within(secs(5)),
        oversleep: ms(4_750),
        ..Case::new(budget_of_time(3), [Answer::status(503)])
    };
    let seen = both(&case);
    assert_eq!(seen.attempts.len(), 1);
    let over = OutOfTime { attempts: 1, last: Some(Failure::Status(503)) };
    assert_eq!(seen.result, Err(Error::OutOfTime(over)));
    let decisions: Vec<_> = seen.events.iter().map(|event| event.verdict.decision).collect();
    assert_eq!(decisions, [Decision::RetryAfter(ms(250)), Decision::GiveUp(Reason::OutOfTime)]);
    assert_eq!(seen.events[1].left, Some(Duration::ZERO));

    // A nanosecond less, and the attempt is made.
    let oversleep = Duration::from_nanos(4_749_999_999);
    let seen = both(&Case { oversleep, ..case });
    assert_eq!(seen.attempts[1].1, Some(Duration::from_nanos(1)));
}

#[test]
fn settings_without_room_for_an_attempt_are_refused() {
    let refused = |policy, timeouts| Executor::new(policy, timeouts).err();
    let fine = || budget_of_time(3);
    assert_eq!(refused(fine(), Timeouts::NONE), None);
    assert_eq!(refused(budget_of_time(0), Timeouts::NONE), Some(SettingsError::NoAttempt));
    let zero = within(Duration::ZERO);
    assert_eq!(refused(fine(), zero), Some(SettingsError::NoTimeForTheCall));
    let zero = Timeouts { attempt: Some(Duration::ZERO), ..Timeouts::NONE };
    assert_eq!(refused(fine(), zero), Some(SettingsError::NoTimeForAnAttempt));
}

/// What the server asks for is a floor below which the wait does not go.
#[test]
fn the_longer_of_both_waits_counts() {
    for (asked, waits) in [("1", [secs(1), secs(1)]), ("0", [ms(250), ms(500)])] {
        let busy = Answer::status(503).asking(asked);
        let case = Case { timeouts: within(secs(5)), ..Case::new(budget_of_time(3), [busy]) };
        assert_eq!(both(&case).sleeps, waits);
    }
}

/// Lesson 002: full jitter of 100 ms up to 1 s, cut to whole milliseconds.
fn decorated(attempts: u32) -> RetryPolicy {
    let backoff = Backoff::new(Strategy::FullJitter, ms(100), ms(1_000));
    RetryPolicy {
        max_attempts: Some(attempts),
        backoff: Backoff { round: Round::FloorMillis, ..backoff },
        ..RetryPolicy::NEVER
    }
}

#[test]
fn the_published_schedule_comes_out() {
    let busy = Answer::status(503);
    let case = Case {
        chance: Chance::Mulberry32(11),
        ..Case::new(decorated(4), [busy, busy, Answer::status(200)])
    };
    let seen = both(&case);
    assert_eq!(seen.times(), [ms(0), ms(51), ms(156)]);
    assert_eq!(seen.sleeps, [ms(51), ms(105)]);
    assert_eq!(seen.result, Ok(200));
}

#[test]
fn no_wait_exceeds_the_cap() {
    let case = Case {
        chance: Chance::Always(0.999_999),
        ..Case::new(decorated(10), [Answer::status(503)])
    };
    let seen = both(&case);
    assert_eq!(seen.attempts.len(), 10);
    assert_eq!(seen.sleeps.iter().max(), Some(&ms(999)));
}

/// The ten decisions of lesson 002: 60 s left, an own wait of 200 ms.
#[test]
fn ten_failures_are_told_apart() {
    let plain = |method| Request { method, has_key: false };
    let (get, post) = (plain(Method::Get), plain(Method::Post));
    let keyed = Request { has_key: true, ..post };
    let (silent, status) = (Answer::SILENT, Answer::status);
    let (own, no) = (Decision::RetryAfter(ms(200)), Decision::GiveUp);
    for (request, answer, decision) in [
        (get, silent, own),
        (post, silent, no(Reason::NotRepeatable)),
        (keyed, silent, own),
        (get, status(503).asking("2"), Decision::RetryAfter(secs(2))),
        (get, status(429).asking("Thu, 01 Jan 1970 00:00:30 GMT"), Decision::RetryAfter(secs(30))),
        (get, status(429).asking("3600"), no(Reason::OutOfTime)),
        (get, status(503).asking("soon"), own),
        (post, status(500), no(Reason::NotRepeatable)),
        (get, status(404), no(Reason::NotRetryable)),
        (plain(Method::Put), status(400), no(Reason::NotRetryable)),
    ] {
        let constant = Backoff { jitter: Jitter::None, ..decorated(2).backoff };
        let policy = RetryPolicy { backoff: Backoff { base: ms(200), ..constant }, ..decorated(2) };
        let case = Case { request, timeouts: within(secs(60)), ..Case::new(policy, [answer]) };
        assert_eq!(both(&case).events[0].verdict.decision, decision, "{request:?} {answer:?}");
    }
}
