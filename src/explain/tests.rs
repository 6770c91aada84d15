//! Explanations against sums that were done by hand.

use super::*;
use crate::policy::{Backoff, Jitter};

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn explained(name: &str, settings: &Settings) -> Explanation {
    let subject = Subject::new(name, settings).expect("it is a policy");
    Explanation::new(&subject.policy, subject.timing)
}

fn attempts(most: u32) -> Settings {
    Settings { max_attempts: Some(Some(most)), ..Settings::default() }
}

#[test]
fn totals_are_sums() {
    let grpc = Settings { base: Some(secs(1)), cap: Some(Some(secs(10))), ..attempts(5) };
    let explained = explained("grpc-a6", &grpc);
    let waits = explained.waits.expect("it ends");
    assert_eq!(waits.range, Range { low: secs(12), high: secs(18) });
    assert_eq!((waits.mean, waits.error), (Some(15e9), 0.0));
    assert_eq!(explained.rows.iter().map(|row| row.retry).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(explained.facts, [Fact::Endless]);
    assert_eq!(explained.longest, None);
}

#[test]
fn a_call_without_retries_has_no_waits() {
    let once = Explanation::new(&RetryPolicy::NEVER, Timing::default());
    assert_eq!((once.rows.len(), once.waits, once.retries), (0, None, Some(0)));
    assert_eq!((once.failing.possible, once.failing.stop), (1, Stop::Exhausted));
}

#[test]
fn a_call_without_end_shows_how_it_goes_on() {
    let endless = explained("temporal-default", &Settings::default());
    assert_eq!((endless.rows.len(), endless.retries, endless.waits), (12, None, None));
    let bounded = Settings { deadline: Some(Some(secs(230))), ..Settings::default() };
    let bounded = explained("temporal-default", &bounded);
    // At 227 s; the next would be at 327 s.
    assert_eq!(bounded.rows.len(), 8);
    assert_eq!(bounded.failing.stop, Stop::Deadline);
    let never = Never { first: 10, last: None, at: secs(327), why: Stop::Deadline };
    assert!(bounded.facts.contains(&Fact::NeverStarts(never)), "{:?}", bounded.facts);
}

/// A hundred thousand retries are not listed, but their sum is known.
#[test]
fn many_retries_are_summed() {
    let settings = Settings { base: Some(secs(1)), cap: Some(Some(secs(10))), ..attempts(100_001) };
    let many = explained("full-jitter", &settings);
    assert_eq!(many.rows.len(), 1_000);
    let waits = many.waits.expect("it ends");
    // 1 + 2 + 4 + 8, then 10 s each.
    let all = 15 + 99_996 * 10;
    assert_eq!(waits.range.high, secs(all));
    assert!(waits.mean.is_some_and(|mean| (mean / 5e8 / all as f64 - 1.0).abs() < 1e-9));
    let growing = explained("linear", &Settings { cap: None, ..settings });
    assert_eq!(growing.waits.expect("it ends").mean, None);
}

#[test]
fn facts_of_waits() {
    let facts = |name: &str, settings: Settings| {
        let settings = Settings { timeout: Some(Some(secs(1))), ..settings };
        explained(name, &settings).facts
    };
    assert_eq!(facts("axios-retry", Settings::default()), [Fact::NoWait]);
    assert_eq!(facts("ky", Settings::default()), []);
    let kafka = facts("kafka-client", Settings { deadline: Some(None), ..attempts(9) });
    assert!(
        matches!(kafka[..], [Fact::CutToCap { retry: 8, share }] if (share - 0.5).abs() < 1e-9)
    );
    let above = Settings { cap: Some(Some(secs(2))), ..attempts(4) };
    let longest = Duration::from_millis(2_400);
    assert_eq!(
        facts("grpc-a6", Settings { base: Some(secs(1)), ..above }),
        [Fact::AboveCap { longest }]
    );
    let late = Settings {
        base: Some(secs(1)),
        cap: Some(Some(secs(60))),
        jitter: Some(Jitter::plus(secs(1))),
        clamp: Some(crate::policy::backoff::Clamp::After),
        ..attempts(11)
    };
    let lost = Fact::JitterLost { from: 7, wait: secs(60), at_cap: true };
    assert_eq!(facts("exponential", late), [lost]);
    let still = Settings { jitter: Some(Jitter::multiplied(1.0)), ..attempts(3) };
    let wait = Duration::from_millis(200);
    let lost = Fact::JitterLost { from: 1, wait, at_cap: false };
    assert_eq!(facts("spring-retry-exp-random", still), [lost]);
}

#[test]
fn facts_of_time() {
    let timed = |timeout, deadline, most| Settings {
        timeout: Some(Some(secs(timeout))),
        deadline: Some(Some(secs(deadline))),
        ..attempts(most)
    };
    let envoy = explained("envoy-default", &timed(16, 15, 6));
    assert_eq!(envoy.facts, [Fact::TimeoutTakesAll]);
    assert_eq!((envoy.hanging.possible, envoy.longest), (1, Some(secs(15))));
    let envoy = explained("envoy-default", &timed(1, 3, 4));
    let never = Never { first: 4, last: Some(4), at: secs(3), why: Stop::Deadline };
    assert_eq!(envoy.facts, [Fact::NotAfterTimeouts(never)]);
    let waits = Settings { base: Some(secs(4)), ..timed(1, 10, 4) };
    let constant = explained("constant", &waits);
    let never = Never { first: 4, last: Some(4), at: secs(12), why: Stop::Deadline };
    assert_eq!(never.count(), Some(1));
    // After timeouts the third would start just at the deadline.
    let third = Never { first: 3, at: secs(10), ..never };
    let both = [Fact::NeverStarts(never), Fact::NotAfterTimeouts(third)];
    assert_eq!(constant.facts, both);
    let chance = Settings { base: Some(secs(8)), ..timed(1, 10, 3) };
    assert_eq!(explained("full-jitter", &chance).facts, [Fact::UpToChance { certain: 2 }]);
}

/// Nothing that may be typed makes it panic or hang.
#[test]
fn extremes_are_explained_too() {
    for strategy in subject::STRATEGIES.map(|(_, strategy)| strategy) {
        for base in [0, 1, u64::MAX / 2, u64::MAX] {
            for cap in [0, 1, u64::MAX] {
                let backoff =
                    Backoff::new(strategy, Duration::from_nanos(base), Duration::from_nanos(cap));
                for max_attempts in [None, Some(1), Some(2), Some(20)] {
                    let backoff = backoff.clone();
                    let policy = RetryPolicy { max_attempts, backoff, ..RetryPolicy::NEVER };
                    for deadline in [None, Some(Duration::ZERO), Some(secs(1))] {
                        let timing = Timing { timeout: deadline, deadline };
                        let explained = Explanation::new(&policy, timing);
                        assert!(explained.rows.iter().all(|row| row.expected.nanos.is_finite()));
                    }
                }
            }
        }
    }
}
