//! Sequences of waits, their ranges and totals.

use super::{MOST, doubling, ms, retry_times, secs, shipped, sum, waits};
use retry_storm::policy::backoff::{Clamp, Round};
use retry_storm::policy::{Backoff, Family, Jitter};
use retry_storm::time::Duration;

/// The shortest and the longest of the first `count` waits, each in
/// milliseconds, where all draws of a call are as extreme.
fn ranges(backoff: &Backoff, count: u32) -> Vec<(f64, f64)> {
    let millis = |u| waits(backoff, u, count).into_iter().map(Duration::as_millis_f64);
    millis(0.0).zip(millis(MOST)).collect()
}

/// Envoy's backoff: below 25, 50, 100, 200 and 250 ms, whatever its
/// documentation says; source/common/common/backoff_strategy.cc. kgateway #6933
/// and envoy-mobile #652 found that too fast.
#[test]
fn envoy_waits_below_a_quarter_of_a_second() {
    let envoy = shipped("envoy-default").backoff;
    let whole = [(0.0, 24.0), (0.0, 49.0), (0.0, 99.0), (0.0, 199.0), (0.0, 249.0)];
    assert_eq!(ranges(&envoy, 5), whole);
    // The mean before the remainder is cut to whole milliseconds.
    let means = waits(&Backoff { round: Round::No, ..envoy }, 0.5, 5);
    assert_eq!(
        means,
        [12.5, 25.0, 50.0, 100.0, 125.0].map(|ms| Duration::from_nanos_f64(ms * 1e6))
    );
}

/// github.com/grpc/proposal #452, grpc/grpc-java #10831: with 1 s, doubling, at
/// most 10 s, a log showed these waits, and its reader thought the settings
/// were ignored. Under the old rule, between zero and the interval, all are
/// possible; under the new one, ± 20 %, only some are.
#[test]
fn a_log_tells_which_rule_made_it() {
    let log = [540.0, 1_450.0, 2_140.0, 1_960.0, 3_020.0];
    let fits = |name| {
        let backoff = Backoff { base: secs(1), cap: secs(10), ..shipped(name).backoff };
        let ranges = ranges(&backoff, 5).into_iter().zip(log);
        ranges.map(|((least, most), wait)| least <= wait && wait <= most).collect::<Vec<_>>()
    };
    assert_eq!(fits("grpc-a6-old"), [true; 5]);
    assert!(!fits("grpc-a6")[0], "0.54 s is not within 20 % of 1 s");
}

/// github.com/urllib3/urllib3 #847, #3377 and #3677: the first retry is sent at
/// once, whatever the factor, and the factor is zero if nobody sets it.
#[test]
fn urllib3_waits_from_the_second_retry_on() {
    let factor = |base| Backoff { base, ..shipped("urllib3").backoff };
    assert_eq!(waits(&factor(ms(100)), 0.5, 3), [ms(0), ms(200), ms(400)]);
    assert_eq!(sum(&waits(&shipped("urllib3").backoff, 0.5, 10)), Duration::ZERO);
}

/// github.com/spring-projects/spring-retry #126 and #391: "random" multiplies
/// the interval by up to the multiplier. It is never below the interval; older
/// versions do this after the cap and pass it, the current one caps again.
#[test]
fn spring_spreads_upwards_only() {
    let shipped = shipped("spring-retry-exp-random").backoff;
    let current = Backoff { cap: secs(1), round: Round::No, ..shipped };
    let old = Backoff { clamp: Clamp::Before, ..current.clone() };
    let of = |backoff| {
        let ranges = ranges(backoff, 5).into_iter();
        ranges.map(|(least, most)| (least, most.round())).collect::<Vec<_>>()
    };
    let below = [(100.0, 200.0), (200.0, 400.0), (400.0, 800.0)];
    assert_eq!((&of(&current)[..3], &of(&old)[..3]), (&below[..], &below[..]));
    assert_eq!(of(&current)[3..], [(800.0, 1_000.0), (1_000.0, 1_000.0)]);
    assert_eq!(of(&old)[3..], [(800.0, 1_600.0), (1_000.0, 2_000.0)]);
}

/// github.com/agenda/agenda #1748 and langchain-ai/langgraph #7715: cap first
/// and jitter after it, and a wait passes the cap: 750 of 500 ms, 1.5 of 0.5 s.
#[test]
fn jitter_after_the_cap_passes_it() {
    for (jitter, most) in [(Jitter::added(0.5), 750.0), (Jitter::plus(secs(1)), 1_500.0)] {
        let early = Backoff { jitter, ..doubling(ms(100), ms(500)) };
        let last = ranges(&early, 8)[7];
        assert_eq!((last.0, last.1.round()), (500.0, most));
        let late = Backoff { clamp: Clamp::After, ..early };
        assert_eq!(ranges(&late, 8)[7], (500.0, 500.0));
    }
}

/// github.com/slackhq/EitherNet #60: each wait grew from the jittered one
/// before, so that the range of the third went from 3 to 5 times the base to
/// 1.69 to 7.8 times.
#[test]
fn compounded_jitter_spreads_further_each_time() {
    let jitter = Jitter::symmetric(0.25);
    let meant = Backoff { jitter, ..doubling(secs(1), Duration::MAX) };
    let was = Backoff { family: Family::Compounding, ..meant.clone() };
    for (backoff, published) in [
        (&meant, [(0.75, 1.25), (1.5, 2.5), (3.0, 5.0)]),
        (&was, [(0.75, 1.25), (1.125, 3.13), (1.69, 7.8)]),
    ] {
        for ((least, most), range) in ranges(backoff, 3).into_iter().zip(published) {
            let off = (least / 1e3 - range.0).abs().max((most / 1e3 - range.1).abs());
            assert!(off < 0.02, "{least} to {most} ms: {range:?}");
        }
    }
}

/// github.com/noironetworks/aci-containers #1703: 20 s doubling and up to 20 s
/// more, five retries: 620 to 720 s in all.
#[test]
fn the_total_has_the_range_of_the_jitter() {
    let jitter = Jitter::plus(secs(20));
    let backoff = Backoff { jitter, ..doubling(secs(20), Duration::MAX) };
    assert_eq!(sum(&waits(&backoff, 0.0, 5)), secs(620));
    assert!(secs(720) - sum(&waits(&backoff, MOST, 5)) < ms(1));
}

/// Temporal's documentation: 1 s, doubling, at most 100 s, without limit. After
/// an outage of 230 s the next try is at 327 s.
#[test]
fn a_cap_is_the_delay_after_an_outage() {
    let times = retry_times(&shipped("temporal-default").backoff, 0.5, 9);
    assert_eq!(times, [1, 3, 7, 15, 31, 63, 127, 227, 327].map(secs));
    assert_eq!(times.iter().find(|at| **at >= secs(230)), Some(&secs(327)));
}

/// Kubernetes KEP-4603, kubernetes/kubernetes #57291: a crashed container is
/// started again after 10 s, doubling to 300 s. If the cause is gone after
/// 320 s it starts after 610 s. A cap of 60 s costs at most 60 s.
#[test]
fn crash_loops_wait_on_after_the_cause_is_gone() {
    let extra = |times: &[Duration], outage| {
        let next = times.iter().find(|at| **at >= outage).expect("there are enough");
        *next - outage
    };
    let times = retry_times(&doubling(secs(10), secs(300)), 0.5, 7);
    assert_eq!(times, [10, 30, 70, 150, 310, 610, 910].map(secs));
    assert_eq!(extra(&times, secs(320)), secs(290));
    let proposed = retry_times(&doubling(secs(1), secs(60)), 0.5, 40);
    let worst = (1..2_000).map(|outage| extra(&proposed, secs(outage))).max();
    assert!(worst <= Some(secs(60)) && worst > Some(secs(55)), "{worst:?}");
}
