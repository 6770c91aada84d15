//! Recovery on courses made by hand.

use super::*;
use crate::model::spec::{Effect, Target};

/// The width of a bin: 100 ms.
const WIDTH: u64 = 100_000_000;

fn at(seconds: f64) -> Instant {
    Instant::ZERO + Duration::from_nanos_f64(seconds * 1e9)
}

fn fault(from: f64, until: f64) -> Fault {
    let target = Target::Service { service: 0, instance: None, effect: Effect::Hang };
    let until = if until.is_finite() { at(until) } else { Instant::NEVER };
    Fault { name: "outage".into(), target, from: at(from), until }
}

/// A run of 1,000 requests a second in stretches that end at these seconds,
/// with so many answers a second in each.
fn flow(stretches: &[(f64, u64)]) -> Bins<Flow> {
    let mut flow = Bins::<Flow>::new(WIDTH);
    let mut bin = 0;
    for &(until, rate) in stretches {
        while (bin as f64 + 0.5) / 10.0 < until {
            *flow.at(bin * WIDTH) = Flow { started: 100, answered: rate / 10 };
            bin += 1;
        }
    }
    flow
}

/// What recovery is judged by, in a run that ends with its last stretch.
fn course<'a>(flow: &'a Bins<Flow>, faults: &'a [Fault]) -> Course<'a> {
    Course {
        flow,
        faults,
        from: Instant::ZERO,
        ended: Instant::from_nanos(flow.bins().len() as u64 * WIDTH),
        ceased: Instant::NEVER,
        slice: Some(Duration::from_millis(100)),
        window: Some(Duration::from_secs(1)),
    }
}

fn judged(stretches: &[(f64, u64)], faults: &[Fault]) -> Goodput {
    course(&flow(stretches), faults).goodput().expect("there are faults")
}

fn after(seconds: f64) -> Recovery {
    Recovery::At(Duration::from_nanos_f64(seconds * 1e9))
}

#[test]
fn an_outage_and_a_slow_way_back() {
    let seen = judged(&[(15.0, 800), (25.0, 0), (35.0, 600), (60.0, 800)], &[fault(15.0, 25.0)]);
    assert_eq!((seen.before, seen.during), (Some(800.0), Some(0.0)));
    assert_eq!(seen.after, Some((10.0 * 600.0 + 25.0 * 800.0) / 35.0));
    // 600 (1 - x) + 800 x = 720 is reached with x = 0.6 of the window.
    assert_eq!(seen.recovery, Some(after(10.6)));
}

#[test]
fn nine_tenths_are_enough_and_less_is_not() {
    let level =
        |rate| judged(&[(10.0, 1_000), (12.0, 0), (40.0, rate)], &[fault(10.0, 12.0)]).recovery;
    assert_eq!(level(900), Some(after(1.0)), "the first window without the outage");
    assert_eq!(level(890), Some(Recovery::Never));
}

/// Between the two limits nothing changes; below the lower one it has fallen.
#[test]
fn a_relapse_starts_anew() {
    let relapse = |rate| {
        let course = [(10.0, 1_000), (12.0, 0), (20.0, 1_000), (25.0, rate), (40.0, 1_000)];
        judged(&course, &[fault(10.0, 12.0)]).recovery
    };
    assert_eq!(relapse(800), Some(after(0.9)));
    // At 25.5 s the window is 750 x 0.5 + 1,000 x 0.5 = 875, at 25.6 s 900.
    assert_eq!(relapse(750), Some(after(13.6)));
    let late = [(10.0, 1_000), (12.0, 0), (30.0, 1_000), (40.0, 0)];
    assert_eq!(judged(&late, &[fault(10.0, 12.0)]).recovery, Some(Recovery::Never));
}

#[test]
fn a_fault_that_does_no_harm_is_over_at_once() {
    let harmless = judged(&[(40.0, 1_000)], &[fault(10.0, 12.0)]);
    assert_eq!(harmless.recovery, Some(after(0.0)));
    // In steps of the timeline: the first one after the end of the fault.
    let between = judged(&[(40.0, 1_000)], &[fault(10.0, 12.03)]);
    assert_eq!(between.recovery, Some(after(0.07)));
}

#[test]
fn the_last_fault_counts_and_levels_leave_out_the_time_between() {
    let seen = judged(
        &[(10.0, 800), (12.0, 0), (20.0, 800), (21.0, 200), (40.0, 800)],
        &[fault(20.0, 21.0), fault(10.0, 12.0), fault(11.0, 12.0)],
    );
    assert_eq!(seen.during, Some(200.0 / 3.0));
    assert_eq!((seen.before, seen.after), (Some(800.0), Some(800.0)));
    assert_eq!(seen.recovery, Some(after(0.9)));
}

#[test]
fn without_time_before_the_fault_the_offered_rate_is_the_level() {
    let start = |rate| judged(&[(5.0, 0), (30.0, rate)], &[fault(0.0, 5.0)]);
    assert_eq!((start(900).before, start(900).during), (None, Some(0.0)));
    assert_eq!(start(900).recovery, Some(after(1.0)), "of 1,000 that are asked for");
    assert_eq!(start(890).recovery, Some(Recovery::Never));
    // A level of nothing would be reached by anything.
    let nothing = judged(&[(5.0, 0), (10.0, 0), (30.0, 850)], &[fault(5.0, 10.0)]);
    assert_eq!(nothing.before, Some(0.0));
    assert_eq!(nothing.recovery, Some(Recovery::Never));
}

#[test]
fn the_warm_up_is_no_level() {
    let flow = flow(&[(5.0, 100), (10.0, 1_000), (12.0, 0), (40.0, 950)]);
    let faults = [fault(10.0, 12.0)];
    let mut course = course(&flow, &faults);
    course.from = at(5.0);
    let seen = course.goodput().expect("a fault");
    assert_eq!((seen.before, seen.recovery), (Some(1_000.0), Some(after(1.0))));
    // All before the end of the warm-up is left out, faults as well.
    course.from = at(12.0);
    assert_eq!(course.goodput(), None);
    course.from = at(11.0);
    let seen = course.goodput().expect("a fault");
    assert_eq!((seen.before, seen.during), (None, Some(0.0)));
    assert_eq!(seen.recovery, Some(after(1.0)));
}

#[test]
fn a_fault_without_end_is_never_recovered_from() {
    let endless = judged(&[(10.0, 800), (40.0, 800)], &[fault(10.0, f64::INFINITY)]);
    assert_eq!(endless.recovery, Some(Recovery::Never));
    assert_eq!((endless.before, endless.during, endless.after), (Some(800.0), Some(800.0), None));
    let beyond = [fault(10.0, 12.0), fault(30.0, 50.0)];
    assert_eq!(judged(&[(40.0, 800)], &beyond).recovery, Some(Recovery::Never));
}

/// What holds throughout neither comes nor goes.
#[test]
fn a_fault_that_holds_throughout_counts_only_if_it_is_alone() {
    let throughout = fault(0.0, f64::INFINITY);
    let both = [throughout.clone(), fault(10.0, 12.0)];
    let seen = judged(&[(10.0, 800), (12.0, 0), (40.0, 800)], &both);
    assert_eq!((seen.before, seen.recovery), (Some(800.0), Some(after(0.9))));
    let alone = judged(&[(40.0, 500)], &[throughout]);
    assert_eq!((alone.before, alone.during, alone.after), (None, Some(500.0), None));
    assert_eq!(alone.recovery, Some(Recovery::Never));
}

#[test]
fn a_fault_that_never_comes_is_none() {
    let flow = flow(&[(40.0, 800)]);
    assert_eq!(course(&flow, &[]).goodput(), None);
    assert_eq!(course(&flow, &[fault(40.0, 50.0)]).goodput(), None);
    assert_eq!(course(&flow, &[fault(10.0, 10.0)]).goodput(), None);
}

/// When all requests have arrived nothing more can be demanded.
#[test]
fn a_run_that_drains_does_not_relapse() {
    let flow = flow(&[(10.0, 1_000), (12.0, 0), (30.0, 1_000), (33.0, 10)]);
    let faults = [fault(10.0, 12.0)];
    let mut course = course(&flow, &faults);
    assert_eq!(course.goodput().and_then(|seen| seen.recovery), Some(Recovery::Never));
    course.ceased = at(30.0);
    let seen = course.goodput().expect("a fault");
    assert_eq!((seen.after, seen.recovery), (Some(1_000.0), Some(after(0.9))));
    // They all arrived before the fault ended: nothing shows a recovery.
    course.ceased = at(11.0);
    let seen = course.goodput().expect("a fault");
    assert_eq!((seen.after, seen.recovery), (None, Some(Recovery::Never)));
}

#[test]
fn a_crowd_that_comes_once_has_no_level_to_return_to() {
    let mut flow = Bins::<Flow>::new(WIDTH);
    flow.at(0).started = 10_000;
    flow.at(20 * WIDTH).answered = 10_000;
    let faults = [fault(0.0, 1.0)];
    let mut course = course(&flow, &faults);
    course.ceased = Instant::ZERO;
    let seen = course.goodput().expect("a fault");
    assert_eq!((seen.before, seen.after, seen.recovery), (None, None, None));
}

/// 1,000 requests take 1 s here, and 100 s at a tenth of the rate.
#[test]
fn a_window_is_long_enough_for_chance_but_fits() {
    let stretches = [(10.0, 1_000), (12.0, 0), (40.0, 1_000)];
    let faults = [fault(10.0, 12.0)];
    let busy = flow(&stretches);
    let mut own = course(&busy, &faults);
    own.window = None;
    assert_eq!(
        own.window_for(1_000.0, Span { from: at(12.0), until: at(40.0) }).as_nanos(),
        1e9 as u64
    );
    assert_eq!(
        own.window_for(500.0, Span { from: at(12.0), until: at(40.0) }).as_nanos(),
        2e9 as u64
    );
    assert_eq!(
        own.window_for(5_000.0, Span { from: at(12.0), until: at(40.0) }).as_nanos(),
        1e9 as u64
    );
    assert_eq!(own.goodput().and_then(|seen| seen.recovery), Some(after(0.9)));
    // 28 s are left, so that is the window; 25.2 s of it must be good.
    let mut calm = Bins::<Flow>::new(WIDTH);
    for (bin, flow) in busy.bins().iter().enumerate() {
        let (started, answered) = (flow.started / 10, flow.answered / 10);
        *calm.at(bin as u64 * WIDTH) = Flow { started: started / 5, answered: answered / 5 };
    }
    let mut calm = course(&calm, &faults);
    calm.window = None;
    assert_eq!(calm.goodput().and_then(|seen| seen.recovery), Some(after(16.0)));
}

/// A window of the scenario's own may reach back before the fault.
#[test]
fn windows_longer_than_what_is_left_trail_all_the_same() {
    let flow = flow(&[(10.0, 1_000), (12.0, 0), (15.0, 1_000)]);
    let faults = [fault(10.0, 12.0)];
    let mut course = course(&flow, &faults);
    let mut judged = |seconds| {
        course.window = Some(Duration::from_secs(seconds));
        course.goodput().and_then(|seen| seen.recovery)
    };
    assert_eq!(judged(4), Some(Recovery::Never), "at most 3 s of 4 s are good");
    assert_eq!(judged(12), Some(Recovery::Never), "10 s of 12 s are good, always");
    assert_eq!(judged(20), Some(Recovery::Never), "no window is full");
}

/// Faults and windows need not begin where a bin does.
#[test]
fn bins_are_shared_out_between_the_stretches_that_cut_them() {
    let mut flow = Bins::<Flow>::new(WIDTH);
    *flow.at(0) = Flow { started: 100, answered: 80 };
    *flow.at(WIDTH) = Flow { started: 100, answered: 40 };
    // The end of the run cuts the last bin short.
    *flow.at(2 * WIDTH) = Flow { started: 50, answered: 50 };
    let faults = [fault(0.05, 0.15)];
    let mut course = course(&flow, &faults);
    course.ended = at(0.25);
    let seen = course.goodput().expect("a fault");
    assert_eq!(seen.before, Some(800.0));
    assert_eq!(seen.during, Some(600.0));
    assert_eq!(seen.after, Some(700.0));
}

#[test]
fn a_long_run_with_few_requests_is_judged_in_time() {
    let mut flow = Bins::<Flow>::new(WIDTH);
    flow.at(0).answered = 1;
    let faults = [fault(10.0, 12.0)];
    let mut course = course(&flow, &faults);
    course.ended = Instant::from_nanos(u64::MAX - 1);
    course.slice = Some(Duration::from_nanos(1));
    assert_eq!(course.goodput().and_then(|seen| seen.recovery), Some(Recovery::Never));
}
