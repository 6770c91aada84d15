//! The oracle itself against theory, and against the rules every storm keeps.

use super::{Fate, OracleAttempt, OracleOutcome, Storm, storm};
use retry_storm::draw::name_hash;
use retry_storm::law::Law;
use retry_storm::theory::metastable::{Regime, shortest_collapsing_stop, verdict};
use retry_storm::theory::queue;
use retry_storm::time::{Duration, Instant};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + ms(millis)
}

/// Poisson arrivals at 10 ms of exponential work, without timeouts.
fn queue_of(workers: usize, rate: f64) -> Storm {
    Storm {
        seed: 2026,
        replication: 0,
        client: "web".into(),
        service: "api".into(),
        position: name_hash("api"),
        rate,
        requests: 100_000,
        end: Instant::NEVER,
        workers,
        service_time: Law::Exponential { mean: ms(10) },
        timeout: None,
        max_attempts: 1,
        stops: Vec::new(),
    }
}

fn at_once(_: u32, _: Duration, _: f64) -> Duration {
    Duration::ZERO
}

fn full_jitter(n: u32, _: Duration, u: f64) -> Duration {
    let ceiling = (100_u64 << (n - 1)).min(1_000);
    Duration::from_nanos_f64(ms(ceiling).as_nanos() as f64 * u)
}

/// Means of figures over replications, and how far chance may move them: at 20
/// replications Student's t of 19 degrees exceeds 5 one time in 12,000.
fn replicated<const N: usize>(
    storm_of: &Storm,
    figures: impl Fn(&OracleOutcome) -> [f64; N],
) -> [(f64, f64); N] {
    const REPLICATIONS: u32 = 20;
    const STANDARD_ERRORS: f64 = 5.0;
    let runs: Vec<[f64; N]> = (0..REPLICATIONS)
        .map(|replication| {
            let replication = u64::from(replication);
            figures(&storm(&Storm { replication, ..storm_of.clone() }, at_once))
        })
        .collect();
    let n = f64::from(REPLICATIONS);
    std::array::from_fn(|figure| {
        let mean = runs.iter().map(|run| run[figure]).sum::<f64>() / n;
        let distance = |run: &[f64; N]| (run[figure] - mean) * (run[figure] - mean);
        let squares: f64 = runs.iter().map(distance).sum();
        (mean, STANDARD_ERRORS * (squares / (n - 1.0) / n).sqrt())
    })
}

fn mean_wait(outcome: &OracleOutcome) -> f64 {
    let waits = outcome.attempts.iter().map(|attempt| attempt.start.since(attempt.sent));
    waits.map(Duration::as_secs_f64).sum::<f64>() / outcome.attempts.len() as f64
}

fn share_of(outcome: &OracleOutcome, which: impl Fn(&OracleAttempt) -> bool) -> f64 {
    let count = outcome.attempts.iter().filter(|attempt| which(attempt)).count();
    count as f64 / outcome.attempts.len() as f64
}

fn agrees(what: &str, (found, bound): (f64, f64), theory: Option<f64>) {
    let theory = theory.expect("it is stable");
    assert!((found - theory).abs() < bound, "{what}: {found}, not {theory} ± {bound}");
    assert!(bound < 0.2 * theory, "{what}: ± {bound} of {theory} would show nothing");
}

/// One long run, held to five standard deviations of the formula for the error
/// of a single simulation.
#[test]
fn one_worker_waits_as_mm1() {
    let one = Storm { requests: 1_000_000, ..queue_of(1, 80.0) };
    let outcome = storm(&one, at_once);
    let duration = outcome.attempts.last().expect("there are some").sent;
    let duration = duration.since(Instant::ZERO).as_secs_f64();
    let present = outcome.latency.as_secs_f64() / duration;
    let variance = queue::mm1_variance_of_mean(80.0, 100.0, duration).expect("stable");
    let bound = 5.0 * variance.sqrt();
    assert!(bound < 0.25, "{bound}");
    assert!((present - 4.0).abs() < bound, "{present}, not 4 ± {bound}");
}

#[test]
fn many_workers_wait_as_mmc() {
    for (workers, rate) in [(1_usize, 50.0), (5, 250.0), (5, 400.0), (10, 800.0)] {
        let what = format!("{workers} workers at {rate} /s");
        let servers = workers as u64;
        let station = Storm { requests: 20_000, ..queue_of(workers, rate) };
        let theory = queue::mmc(servers, rate, 100.0);
        let [wait, waits, late] = replicated(&station, |outcome| {
            let waits = |a: &OracleAttempt| a.start > a.sent;
            let late = |a: &OracleAttempt| a.done.since(a.sent) > ms(20);
            [mean_wait(outcome), share_of(outcome, waits), share_of(outcome, late)]
        });
        agrees(&what, wait, theory.map(|queue| queue.wait));
        agrees(&what, waits, theory.map(|queue| queue.waits));
        agrees(&what, late, queue::mmc_time_beyond(servers, rate, 100.0, 0.02));
    }
}

/// Pollaczek and Khinchine: the wait depends on the law of service by its first
/// two moments alone.
#[test]
fn one_worker_waits_as_mg1() {
    for law in [
        Law::Constant(ms(10)),
        Law::erlang(ms(10), 3).expect("valid"),
        Law::gamma(ms(10), 1.5).expect("valid"),
        Law::lognormal(ms(10), 1.0).expect("valid"),
        Law::uniform(ms(0), ms(20)).expect("valid"),
    ] {
        let square = law.second_moment().expect("it is finite") / 1e18;
        let what = format!("{law:?}");
        let station = Storm { service_time: law, requests: 20_000, ..queue_of(1, 70.0) };
        let theory = queue::mg1(70.0, 0.01, square).map(|queue| queue.wait);
        let [wait] = replicated(&station, |outcome| [mean_wait(outcome)]);
        agrees(&what, wait, theory);
    }
}

/// Work is done for those that have given up too, so a timeout without retries
/// changes no time, and cuts the known law of times.
#[test]
fn a_timeout_alone_cuts_the_times_of_mm1() {
    let patient = Storm { requests: 20_000, ..queue_of(1, 70.0) };
    let hasty = Storm { timeout: Some(ms(50)), ..patient.clone() };
    let [late] =
        replicated(&hasty, |outcome| [share_of(outcome, |attempt| attempt.fate == Fate::TimedOut)]);
    agrees("timed out", late, queue::mm1_time_beyond(70.0, 100.0, 0.05));
    let (patient, hasty) = (storm(&patient, at_once), storm(&hasty, at_once));
    let times = |outcome: &OracleOutcome| -> Vec<(Instant, Instant)> {
        outcome.attempts.iter().map(|attempt| (attempt.start, attempt.done)).collect()
    };
    assert_eq!(times(&patient), times(&hasty));
    assert_eq!(patient.wasted_work, Duration::ZERO);
    assert_eq!(hasty.gave_up, hasty.timed_out);
    assert_eq!(hasty.answered + hasty.gave_up, 20_000);
    assert!(hasty.wasted_work > Duration::ZERO);
}

/// What must hold of every storm, whatever chance decides.
#[test]
fn a_storm_keeps_its_own_rules() {
    let stormy = Storm {
        requests: 20_000,
        timeout: Some(ms(500)),
        max_attempts: 3,
        stops: vec![(at(2_000), at(4_000))],
        ..queue_of(10, 800.0)
    };
    let outcome = storm(&stormy, full_jitter);
    assert!(outcome.timed_out > 1_000, "it is no storm");
    assert!(outcome.answered > 1_000, "it is all storm");
    assert_eq!(outcome.answered + outcome.gave_up, outcome.requests);
    assert_eq!(outcome.answered + outcome.timed_out, outcome.attempts.len() as u64);
    // When the workers are free, the first first.
    let mut free = [Instant::ZERO; 10];
    let mut last = OracleAttempt { start: Instant::ZERO, ..outcome.attempts[0] };
    for attempt in &outcome.attempts {
        assert!(attempt.sent >= last.sent && attempt.start >= last.start, "{attempt:?}: FIFO");
        assert!(attempt.start >= attempt.sent && attempt.done >= attempt.start);
        assert!(attempt.start < at(2_000) || attempt.start >= at(4_000), "{attempt:?}");
        assert!(attempt.done < at(2_000) || attempt.done >= at(4_000), "{attempt:?}");
        assert!(attempt.start >= free[0], "{attempt:?}: more than ten at once");
        let waits = attempt.start > attempt.sent && attempt.start != at(4_000);
        assert!(!waits || attempt.start == free[0], "{attempt:?}: a worker idles");
        free[0] = attempt.done;
        free.sort_unstable();
        assert_eq!(attempt.fate == Fate::TimedOut, attempt.done > attempt.sent + ms(500));
        assert!(attempt.wait <= ms(200), "the ceiling of the second retry");
        assert_eq!(attempt.wait.is_zero(), attempt.number == 1);
        last = *attempt;
    }
}

/// A clock that stops cuts the same storm short.
#[test]
fn the_end_of_the_clock_cuts_a_storm_short() {
    let whole = Storm {
        requests: 5_000,
        timeout: Some(ms(200)),
        max_attempts: 3,
        stops: vec![(at(1_000), at(2_000))],
        ..queue_of(10, 800.0)
    };
    let cut = Storm { end: at(3_000), ..whole.clone() };
    let (whole, cut) = (storm(&whole, full_jitter), storm(&cut, full_jitter));
    let sent = whole.attempts.iter().take_while(|attempt| attempt.sent < at(3_000)).count();
    assert_eq!(cut.attempts.len(), sent);
    for (cut, whole) in cut.attempts.iter().zip(&whole.attempts) {
        let ended = whole.done.min(whole.sent + ms(200));
        let fate = if ended < at(3_000) { whole.fate } else { Fate::StillOut };
        assert_eq!(*cut, OracleAttempt { fate, ..*whole });
    }
    assert!(cut.attempts.iter().any(|attempt| attempt.fate == Fate::StillOut));
    assert!(cut.wasted_work < whole.wasted_work && cut.requests < whole.requests);
    assert!(cut.waited < whole.waited && cut.latency < whole.latency);
}

#[test]
fn an_answer_exactly_at_its_timeout_is_in_time() {
    let exact = Storm {
        requests: 1,
        service_time: Law::Constant(ms(15)),
        timeout: Some(ms(15)),
        ..queue_of(1, 1.0)
    };
    assert_eq!(storm(&exact, at_once).answered, 1);
    let shorter = Some(Duration::from_nanos(14_999_999));
    assert_eq!(storm(&Storm { timeout: shorter, ..exact }, at_once).gave_up, 1);
}

/// A stop freezes what runs and holds what comes; it begins before what would
/// end at the same instant.
#[test]
fn a_stop_freezes_work() {
    let mut one = Storm { requests: 1, service_time: Law::Constant(ms(15)), ..queue_of(1, 1.0) };
    let free = storm(&one, at_once).attempts[0];
    let times = |one: &Storm| {
        let attempt = storm(one, at_once).attempts[0];
        (attempt.start.since(free.sent), attempt.done.since(free.sent))
    };
    assert_eq!(times(&one), (ms(0), ms(15)));
    for (from, length, expected) in [
        (0, 10, (ms(10), ms(25))),
        (1, 10, (ms(0), ms(25))),
        (15, 10, (ms(0), ms(25))),
        (16, 10, (ms(0), ms(15))),
    ] {
        let from = free.sent + ms(from);
        one.stops = vec![(from, from + ms(length))];
        assert_eq!(times(&one), expected);
    }
    let first = free.sent + ms(5);
    let second = free.sent + ms(20);
    one.stops = vec![(first, first + ms(10)), (second, second + ms(10))];
    assert_eq!(times(&one), (ms(0), ms(35)));
}

/// A full stop after 20 s, at 100 per second with three attempts at once and a
/// timeout of 1 s; the clock stops at 80 s.
fn stopped(rate: f64, stop_ms: u64, replication: u64) -> OracleOutcome {
    let stop = Storm {
        replication,
        requests: u64::MAX,
        end: at(80_000),
        timeout: Some(ms(1_000)),
        max_attempts: 3,
        service_time: Law::Constant(ms(10)),
        stops: vec![(at(20_000), at(20_000 + stop_ms))],
        ..queue_of(1, rate)
    };
    storm(&stop, at_once)
}

/// Attempts per second from 55 to 75 s, and the share of them in time.
fn at_the_end(outcome: &OracleOutcome) -> (f64, f64) {
    let last = outcome.attempts.iter().filter(|a| a.sent >= at(55_000) && a.sent < at(75_000));
    let (mut sent, mut in_time) = (0.0, 0.0);
    for attempt in last {
        sent += 1.0;
        in_time += f64::from(u8::from(attempt.fate == Fate::Answered));
    }
    (sent / 20.0, in_time / sent)
}

/// Below C / n a stop of 3 s passes: its 90 requests leave some 200 attempts, and
/// the spare 10 per second work off all but a timeout's worth in 11 s. Above it
/// the retries keep n λ on the server for ever and nothing is in time.
#[test]
fn the_condition_for_metastable_failure_holds() {
    let calm = verdict(30.0, 100.0, Some(3)).expect("valid");
    assert_eq!(calm.regime, Regime::Stable);
    let (attempts, in_time) = at_the_end(&stopped(30.0, 3_000, 0));
    // 600 arrivals, five standard deviations.
    assert!((attempts - 30.0).abs() < 5.0 * 600_f64.sqrt() / 20.0, "{attempts}");
    assert_eq!(in_time, 1.0);
    let bistable = verdict(80.0, 100.0, Some(3)).expect("valid");
    assert_eq!(bistable.regime, Regime::Bistable);
    let (attempts, in_time) = at_the_end(&stopped(80.0, 10_000, 0));
    // 1,600 requests of three attempts each.
    let bound = 5.0 * 3.0 * 1_600_f64.sqrt() / 20.0;
    assert!((attempts - bistable.offered).abs() < bound, "{attempts}");
    assert_eq!(in_time, 0.0);
}

/// The shortest stop that collapses it is 1.06 s in the fluid limit; chance
/// moves half of the collapses to a little less. 40 runs on each side.
#[test]
fn the_shortest_collapsing_stop_is_where_the_fluid_says() {
    let fluid = shortest_collapsing_stop(80.0, 100.0, 1.0, Some(3)).expect("valid");
    assert!((0.95..1.15).contains(&fluid));
    let collapses = |stop_ms| {
        let runs = (0..40).map(|replication| at_the_end(&stopped(80.0, stop_ms, replication)));
        runs.filter(|(_, in_time)| *in_time == 0.0).count()
    };
    let (short, long) = (collapses(950), collapses(1_150));
    assert!(short < 20 && long > 20, "{short} and {long} of 40 collapsed");
}
