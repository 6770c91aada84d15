//! Timeouts of attempts inside the timeout of the whole: which attempts are
//! made, when, and which can never be.

use super::{MOST, call, doubling, hangs, ms, policy, secs, shipped};
use retry_storm::executor::Timeouts;
use retry_storm::policy::{
    Backoff, Failure, Limits, Reason, RetryOn, RetryPolicy, Strategy, TimeRule,
};
use retry_storm::time::Duration;

/// Envoy's waits and deadline with so many retries.
fn envoy(retries: u32) -> RetryPolicy {
    RetryPolicy { max_attempts: Some(1 + retries), ..shipped("envoy-default") }
}

/// The route's timeout and, if there is one, that of each try.
const fn route(call: Duration, attempt: Option<Duration>) -> Timeouts {
    Timeouts { call: Some(call), attempt }
}

const fn constant(wait: Duration) -> Backoff {
    Backoff::new(Strategy::Constant, wait, Duration::MAX)
}

/// Gives a status after this time.
fn after(time: Duration, status: u16) -> impl Fn(u32) -> (Duration, Option<Failure>) {
    move |_| (time, Some(Failure::Status(status)))
}

/// Envoy's documentation of the router: with a route timeout of 3 s and a first
/// attempt of 2.7 s, the retry has 0.3 s, its backoff included.
#[test]
fn a_retry_gets_what_the_first_attempt_left() {
    for (u, start) in [(0.0, 2_700), (MOST, 2_724)] {
        let story = call(&envoy(1), route(secs(3), None), u, |n| match n {
            1 => (ms(2_700), Some(Failure::Status(503))),
            _ => hangs(n),
        });
        assert_eq!(story.attempts, [(ms(0), ms(2_700)), (ms(start), ms(3_000))]);
        assert_eq!(story.end, secs(3));
    }
}

/// kumahq/kuma docs/madr/decisions/006: perTryTimeout 16 s under a route of
/// 15 s. A target that hangs gets one attempt and the caller a timeout at 15 s;
/// the five retries never happen.
#[test]
fn a_try_longer_than_the_route_leaves_no_retry() {
    let story = call(&envoy(5), route(secs(15), Some(secs(16))), 0.5, hangs);
    assert_eq!(story.attempts, [(secs(0), secs(15))]);
    assert_eq!((story.end, story.gave_up), (secs(15), Some(Reason::OutOfTime)));
}

/// github.com/istio/istio #39097: three retries, 1 s a try, 3 s in all. The
/// third attempt starts after 2 s and two waits and is cut off; the fourth
/// never starts.
#[test]
fn the_fourth_attempt_never_starts() {
    for (u, starts) in [(0.0, [0, 1_000, 2_000]), (MOST, [0, 1_024, 2_073])] {
        let story = call(&envoy(3), route(secs(3), Some(secs(1))), u, hangs);
        assert_eq!(story.starts(), starts.map(ms));
        assert_eq!(story.attempts[2].1, secs(3));
    }
}

/// github.com/istio/istio #13167: one retry, 0.2 s a try, and a target that
/// needs 0.5 s is given up after 0.4 s and one wait below 25 ms.
#[test]
fn two_short_tries_of_a_slow_target() {
    let timeouts = Timeouts { attempt: Some(ms(200)), ..Timeouts::NONE };
    for (u, end) in [(0.0, 400), (MOST, 424)] {
        let story = call(&envoy(1), timeouts, u, |_| (ms(500), None));
        assert_eq!((story.attempts.len(), story.end), (2, ms(end)));
    }
}

/// github.com/istio/istio #55748: 2 s a try, three retries, and a healthy
/// answer takes 3 s. With retryOn 503 a timeout is no reason to retry: one
/// attempt, 504 at 2 s. With 5xx there are four attempts and some 8.1 s of work
/// for nothing.
#[test]
fn a_timeout_for_a_try_breaks_slow_answers() {
    let timeouts = Timeouts { attempt: Some(secs(2)), ..Timeouts::NONE };
    let slow = |_| (secs(3), None);
    let only_503 = RetryPolicy { retry_on: RetryOn::statuses(&[503]), ..envoy(3) };
    let story = call(&only_503, timeouts, 0.5, slow);
    assert_eq!((story.attempts.len(), story.end), (1, secs(2)));
    assert_eq!(story.gave_up, Some(Reason::NotRetryable));

    // The waits are below 25, 50 and 100 ms.
    for (u, end) in [(0.0, 8_000), (0.5, 8_087), (MOST, 8_172)] {
        let story = call(&envoy(3), timeouts, u, slow);
        assert_eq!((story.attempts.len(), story.end), (4, ms(end)));
    }
}

/// line/armeria #1234: attempts of 3 s, waits of 3 s, 10 s in all. Attempts at
/// 0 and 6 s; the third would be at 12 s.
#[test]
fn the_whole_timeout_leaves_two_attempts() {
    for deadline in [TimeRule::Shorter, TimeRule::CutOff] {
        let limits = Limits { deadline, ..Limits::USUAL };
        let policy = RetryPolicy { limits, ..policy(None, constant(secs(3))) };
        let story = call(&policy, route(secs(10), None), 0.5, after(secs(3), 503));
        assert_eq!(story.starts(), [secs(0), secs(6)]);
        assert_eq!(story.gave_up, Some(Reason::OutOfTime));
    }
    // #627: were the 10 s those of each attempt, it would go on for ever.
    let timeouts = Timeouts { attempt: Some(secs(10)), ..Timeouts::NONE };
    let story = call(&policy(100, constant(secs(3))), timeouts, 0.5, after(secs(3), 503));
    assert_eq!((story.attempts.len(), story.end), (100, secs(100 * 3 + 99 * 3)));
}

/// line/armeria #4759: two attempts of 15 s each, 2 s in all. There is no retry
/// after a timeout, but one with 1.7 s left after a failure at 300 ms.
#[test]
fn an_early_failure_leaves_time_for_a_retry() {
    let policy = policy(2, Backoff::NONE);
    let timeouts = route(secs(2), Some(secs(15)));
    let story = call(&policy, timeouts, 0.5, hangs);
    assert_eq!(story.attempts, [(secs(0), secs(2))]);
    let story = call(&policy, timeouts, 0.5, |n| match n {
        1 => (ms(300), Some(Failure::Connection)),
        _ => hangs(n),
    });
    assert_eq!(story.attempts[1], (ms(300), ms(2_000)));
}

/// App-vNext/Polly #512: waits of 2, 4 and 8 s inside a client timeout of 3 s:
/// one retry, at 2 s. Cimpress-MCP/dotnet-core-httputils #16: three tries of a
/// server that takes 10 s inside 5 s are one attempt.
#[test]
fn a_client_timeout_spans_all_tries() {
    let waits = doubling(secs(2), Duration::MAX);
    let story = call(&policy(4, waits), route(secs(3), None), 0.5, after(ms(0), 503));
    assert_eq!(story.starts(), [secs(0), secs(2)]);
    let story = call(&policy(3, Backoff::NONE), route(secs(5), None), 0.5, |_| (secs(10), None));
    assert_eq!((story.attempts.len(), story.end), (1, secs(5)));
}

/// spring-cloud/spring-cloud-netflix #2987: 5 s to connect and 15 s to read, on
/// one other server too, need 40 s; a command that gives up at 20 s never sees
/// the second.
#[test]
fn an_outer_timeout_must_hold_all_attempts() {
    let timeouts = Timeouts { attempt: Some(secs(5 + 15)), ..Timeouts::NONE };
    let story = call(&policy(2, Backoff::NONE), timeouts, 0.5, hangs);
    assert_eq!((story.attempts.len(), story.end), (2, secs(40)));
    let timeouts = Timeouts { call: Some(secs(20)), ..timeouts };
    let story = call(&policy(2, Backoff::NONE), timeouts, 0.5, hangs);
    assert_eq!((story.attempts.len(), story.end), (1, secs(20)));
}
