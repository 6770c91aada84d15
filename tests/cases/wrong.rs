//! Arithmetic that went wrong in public, with the right value.

use super::{call, doubling, hangs, ms, policy, secs, shipped, sum, waits};
use retry_storm::executor::Timeouts;
use retry_storm::policy::{Backoff, Failure};
use retry_storm::time::Duration;

/// github.com/prometheus/prometheus #9634: 200 shards that each retry every
/// 100 ms are 2,000 calls a second; the text says 20. That a cap of 5 s is
/// reached after nine failures is right.
#[test]
fn two_hundred_shards_are_no_twenty_calls() {
    let old = doubling(ms(30), ms(100));
    let timeouts = Timeouts { call: Some(secs(10)), ..Timeouts::NONE };
    let refused = |_| (Duration::ZERO, Some(Failure::Status(500)));
    let story = call(&policy(None, old), timeouts, 0.5, refused);
    let in_one_second = |at: &Duration| secs(5) <= *at && *at < secs(6);
    let calls = story.starts().iter().filter(|at| in_one_second(at)).count();
    assert_eq!(200 * calls, 2_000);

    let new = waits(&doubling(ms(30), secs(5)), 0.5, 9);
    assert!(new[7] < secs(5) && new[8] == secs(5));
}

/// github.com/JustinBeckwith/retry-axios #138: 12 s a try and five retries are
/// six tries and 72 s, besides the waits; the thread says up to 60 s.
#[test]
fn the_first_try_counts_too() {
    let timeouts = Timeouts { attempt: Some(secs(12)), ..Timeouts::NONE };
    let story = call(&policy(1 + 5, Backoff::NONE), timeouts, 0.5, hangs);
    assert_eq!(story.end, secs(72));
}

/// github.com/mdn/yari #2195: a backoff factor of 0.3 and ten retries of urllib3
/// wait 273.0 s in all. The sum was given as 306.9 s: without the first wait of
/// zero and the cap of 120 s.
#[test]
fn a_first_wait_of_zero_and_a_cap_belong_to_the_sum() {
    let urllib3 = Backoff { base: ms(300), ..shipped("urllib3").backoff };
    let real = waits(&urllib3, 0.5, 10);
    assert_eq!(real[..3], [ms(0), ms(600), ms(1_200)]);
    assert_eq!(real[8..], [ms(76_800), secs(120)]);
    assert_eq!(sum(&real), secs(273));
    assert_eq!(sum(&waits(&doubling(ms(300), Duration::MAX), 0.5, 10)), ms(306_900));
}

/// github.com/open-telemetry/opentelemetry-collector #3416: 50 ms doubling to a
/// most of 200 ms for 5 s is no sequence of 50, 100, 200, 400 ms and 3.2 s: the
/// cap holds, and there are 26 retries rather than five.
#[test]
fn a_sequence_stops_growing_at_its_cap() {
    let backoff = doubling(ms(50), ms(200));
    assert_eq!(waits(&backoff, 0.5, 5), [50, 100, 200, 200, 200].map(ms));
    let timeouts = Timeouts { call: Some(secs(5)), ..Timeouts::NONE };
    let refused = |_| (Duration::ZERO, Some(Failure::Status(503)));
    assert_eq!(call(&policy(None, backoff), timeouts, 0.5, refused).attempts.len(), 1 + 26);
}

/// An article of OneUptime's on Envoy: three retries with 2 s a try take 8 s at
/// a target that hangs, not 6 s.
#[test]
fn three_retries_are_four_tries() {
    let timeouts = Timeouts { attempt: Some(secs(2)), ..Timeouts::NONE };
    let story = call(&policy(1 + 3, Backoff::NONE), timeouts, 0.5, hangs);
    assert_eq!((story.attempts.len(), story.end), (4, secs(8)));
}
