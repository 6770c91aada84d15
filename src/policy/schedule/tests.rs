//! Schedules against sums that were done by hand, and against the policies'
//! own waits.

use proptest::prelude::*;

use super::*;
use crate::law::Law;
use crate::policy::backoff::Clamp;
use crate::policy::{Backoff, Family, Jitter, Memory, Strategy, preset};
use std::sync::Arc;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn policy(strategy: Strategy, base: Duration, cap: Duration, attempts: u32) -> RetryPolicy {
    let backoff = Backoff::new(strategy, base, cap);
    RetryPolicy { max_attempts: Some(attempts), backoff, ..RetryPolicy::NEVER }
}

fn named(name: &str) -> RetryPolicy {
    preset::find(name).expect("it is a preset").policy.clone()
}

fn timing(timeout: Option<Duration>, deadline: Option<Duration>) -> Timing {
    Timing { timeout, deadline }
}

fn range(low: Duration, high: Duration) -> Range {
    Range { low, high }
}

/// Starts in milliseconds, and whether each is certain.
fn shown(course: &Course) -> Vec<(f64, f64, bool)> {
    let shown = |start: &Start| {
        (start.at.low.as_millis_f64(), start.at.high.as_millis_f64(), start.certain)
    };
    course.starts.iter().map(shown).collect()
}

#[test]
fn waits_and_their_sums() {
    let grpc = RetryPolicy {
        backoff: Backoff { base: secs(1), cap: secs(10), ..named("grpc-a6").backoff },
        ..named("grpc-a6")
    };
    let waits: Vec<_> = grpc.backoff.ranges().take(5).collect();
    for (waits, (low, high, latest)) in waits.iter().zip([
        (800, 1_200, 1_200),
        (1_600, 2_400, 3_600),
        (3_200, 4_800, 8_400),
        (6_400, 9_600, 18_000),
        (8_000, 12_000, 30_000),
    ]) {
        assert_eq!(waits.wait, range(ms(low), ms(high)));
        assert_eq!(waits.total.high, ms(latest));
    }
    assert_eq!(waits[4].total.low, secs(20));
}

/// 3 s an attempt, 3 s between, 10 s in all: a third attempt would be at 12 s.
#[test]
fn a_third_attempt_that_never_is() {
    let armeria = policy(Strategy::Constant, secs(3), Duration::MAX, 5);
    let timing = timing(Some(secs(3)), Some(secs(10)));
    let hanging = armeria.course(timing, Target::Hangs, 100);
    assert_eq!(shown(&hanging), [(0.0, 0.0, true), (6_000.0, 6_000.0, true)]);
    assert_eq!(hanging.stop, Stop::Deadline);
    // What fails at once leaves time for four.
    let failing = armeria.course(timing, Target::Fails, 100);
    assert_eq!((failing.starts.len(), failing.stop), (4, Stop::Deadline));
    assert_eq!(armeria.longest_call(timing), Some(secs(10)));
}

/// Envoy with 1 s an attempt, 3 s in all and three retries: the fourth attempt
/// could only start at the deadline.
#[test]
fn an_attempt_at_the_deadline_is_none() {
    let envoy = RetryPolicy { max_attempts: Some(4), ..named("envoy-default") };
    let timing = timing(Some(secs(1)), Some(secs(3)));
    let course = envoy.course(timing, Target::Hangs, 100);
    let expected = [(0.0, 0.0, true), (1_000.0, 1_025.0, true), (2_000.0, 2_075.0, true)];
    assert_eq!(shown(&course), expected);
    assert_eq!(course.stop, Stop::Deadline);
    let without = Timing { deadline: None, ..timing };
    assert_eq!(envoy.course(without, Target::Hangs, 100).stop, Stop::Exhausted);
    assert_eq!(envoy.longest_call(without), Some(ms(4_175)));
}

#[test]
fn whether_an_attempt_starts_may_be_up_to_chance() {
    let full = policy(Strategy::FullJitter, secs(1), Duration::MAX, 3);
    let course = full.course(timing(None, Some(ms(1_500))), Target::Fails, 100);
    let expected = [(0.0, 0.0, true), (0.0, 1_000.0, true), (0.0, 1_500.0, false)];
    assert_eq!(shown(&course), expected);
    assert_eq!(course.stop, Stop::Exhausted);
}

#[test]
fn without_a_timeout_an_attempt_may_never_end() {
    let plain = policy(Strategy::Constant, secs(1), Duration::MAX, 3);
    let course = plain.course(Timing::default(), Target::Hangs, 100);
    assert_eq!((course.starts.len(), course.stop), (1, Stop::Endless));
    assert_eq!(plain.longest_call(Timing::default()), None);
    let cut = timing(None, Some(secs(5)));
    assert_eq!(plain.course(cut, Target::Hangs, 100).stop, Stop::Deadline);
    assert_eq!(plain.longest_call(cut), Some(secs(5)));
    // Linkerd's last attempt has no timeout.
    let linkerd = named("linkerd-route");
    let timed = timing(Some(secs(1)), None);
    assert_eq!(linkerd.course(timed, Target::Hangs, 100).starts.len(), 2);
    assert_eq!(linkerd.longest_call(timed), None);
}

#[test]
fn a_timeout_as_long_as_the_call_leaves_one_attempt() {
    let envoy = RetryPolicy { max_attempts: Some(6), ..named("envoy-default") };
    let timing = timing(Some(secs(16)), Some(secs(15)));
    assert!(timing.timeout_takes_all());
    assert!(!Timing { timeout: Some(secs(14)), ..timing }.timeout_takes_all());
    let course = envoy.course(timing, Target::Hangs, 100);
    assert_eq!((course.starts.len(), course.stop), (1, Stop::Deadline));
    assert_eq!(envoy.longest_call(timing), Some(secs(15)));
}

/// Limits of a policy's own: 45 s at stamina, which only looks at what has
/// passed, and 15 min at backoff, which looks at the wait as well.
#[test]
fn limits_of_the_policys_own() {
    let timed = timing(Some(secs(10)), None);
    let stamina = named("stamina").course(timed, Target::Hangs, 100);
    // The fifth attempt ends after 50 s and more.
    assert_eq!((stamina.starts.len(), stamina.stop), (5, Stop::OwnLimit));
    assert_eq!(named("stamina").longest_call(timed), Some(secs(45 + 5 + 10)));
    assert_eq!(named("backoff-crate").longest_call(timed), Some(secs(15 * 60 + 10)));
    let course = named("backoff-crate").course(Timing::default(), Target::Fails, MOST_ATTEMPTS);
    assert_eq!(course.stop, Stop::OwnLimit);
    assert!(course.starts.last().is_some_and(|last| !last.certain));
}

#[test]
fn there_is_an_end_to_what_is_looked_at() {
    let endless = RetryPolicy { max_attempts: None, ..named("temporal-default") };
    let course = endless.course(Timing::default(), Target::Fails, 10);
    let starts: Vec<_> = course.starts.iter().map(|start| start.at.low.as_secs_f64()).collect();
    assert_eq!(starts, [0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0, 227.0, 327.0]);
    assert_eq!(course.stop, Stop::Unseen);
    assert_eq!(endless.longest_call(timing(Some(secs(1)), None)), None);
    let one = RetryPolicy::NEVER.course(Timing::default(), Target::Fails, 10);
    assert_eq!((one.starts.len(), one.stop), (1, Stop::Exhausted));
}

#[test]
fn jitter_is_lost_where_it_changes_nothing() {
    let tenacity = RetryPolicy {
        max_attempts: Some(11),
        backoff: Backoff {
            jitter: Jitter::plus(secs(1)),
            clamp: Clamp::After,
            ..Backoff::new(Strategy::Exponential, secs(1), secs(60))
        },
        ..RetryPolicy::NEVER
    };
    assert_eq!(tenacity.jitter_lost(), Some(7));
    let capped = Backoff { base: secs(60), ..tenacity.backoff.clone() };
    assert_eq!(RetryPolicy { backoff: capped, ..tenacity.clone() }.jitter_lost(), Some(1));
    // Five retries end before the cap.
    assert_eq!(RetryPolicy { max_attempts: Some(6), ..tenacity }.jitter_lost(), None);
    assert_eq!(named("aws-standard-2.1").jitter_lost(), None);
    assert_eq!(named("temporal-default").jitter_lost(), None);
    // Half of Kafka's waits at the cap are the cap, but not all.
    assert_eq!(named("kafka-client").jitter_lost(), None);
    let spring = named("spring-retry-exp-random");
    let still = Backoff { jitter: Jitter::multiplied(1.0), ..spring.backoff.clone() };
    assert_eq!(RetryPolicy { backoff: still, ..spring }.jitter_lost(), Some(1));
    assert_eq!(policy(Strategy::FullJitter, secs(1), secs(2), 1).jitter_lost(), None);
}

#[test]
fn a_law_has_its_own_ends() {
    let random = |law| Backoff { family: Family::Random(Arc::new(law)), ..Backoff::NONE };
    let uniform = random(Law::uniform(ms(5), ms(9)).expect("it is valid"));
    let second = uniform.ranges().nth(1).expect("there is no last one");
    assert_eq!((second.wait, second.total), (range(ms(5), ms(9)), range(ms(10), ms(18))));
    let exponential = random(Law::exponential(ms(5)).expect("it is valid"));
    let first = exponential.ranges().next().expect("there is no last one");
    assert_eq!(first.wait, range(Duration::ZERO, Duration::MAX));
    let capped = Backoff { cap: secs(1), ..exponential };
    assert_eq!(capped.ranges().next().map(|waits| waits.wait.high), Some(secs(1)));
}

/// The curve of Polly: the sum of the first n waits is a point of it. With a
/// cap the shortest sum takes a full wait and then nothing, in turn.
#[test]
fn the_curve_of_polly() {
    let polly = named("dotnet-standard-resilience").backoff;
    let waits: Vec<_> = polly.ranges().take(3).collect();
    let point = |t: f64| crate::math::pow(2.0, t) * crate::math::tanh((4.0 * t).sqrt());
    for (n, waits) in (1..).zip(&waits) {
        let (low, high) = (point(f64::from(n) - 1.0), point(f64::from(n)));
        assert!((waits.total.low.as_secs_f64() - low / 0.7).abs() < 1e-8, "{waits:?}");
        assert!((waits.total.high.as_secs_f64() - high / 0.7).abs() < 1e-8, "{waits:?}");
    }
    assert_eq!(waits[2].wait.low, Duration::ZERO);
    assert!((waits[2].wait.high.as_secs_f64() - (point(3.0) - point(1.0)) / 0.7).abs() < 1e-8);
    let capped = Backoff { cap: secs(1), ..polly };
    let fourth = capped.ranges().nth(3).expect("there is no last one");
    assert_eq!(fourth.total, range(secs(2), secs(4)));
}

proptest! {
    #![proptest_config(crate::testing::cases(256))]

    /// Whatever is drawn, waits and their sums are in their ranges, with every
    /// preset and with caps in the middle of the way.
    #[test]
    fn nothing_is_out_of_range(
        draws in proptest::collection::vec(0.0_f64..1.0, 1..9),
        which in 0_usize..1_000,
        cap in 1_u64..20_000,
        factor in 1.0_f64..4.0,
    ) {
        let presets: Vec<_> = preset::all().collect();
        let preset = &presets[which % presets.len()].policy.backoff;
        let changed = Backoff { cap: ms(cap), factor, ..preset.clone() };
        for backoff in [preset, &changed] {
            let (mut memory, mut total) = (Memory::EMPTY, Duration::ZERO);
            for ((u, n), waits) in draws.iter().zip(1..).zip(backoff.ranges()) {
                let wait = backoff.wait(n, &mut memory, || *u);
                total += wait;
                // Points of a curve are rounded one by one.
                let slack = Duration::from_nanos(8);
                prop_assert!(waits.wait.low <= wait + slack && wait <= waits.wait.high + slack);
                prop_assert!(waits.total.low <= total + slack);
                prop_assert!(total <= waits.total.high + slack, "{total} {waits:?}");
            }
        }
    }
}
