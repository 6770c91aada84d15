//! What the lessons do not speak of: deadlines that cut, budgets, attempts with
//! a timeout of their own, and results that are no failure.

use super::fake::block_on;
use super::{Answer, Case, both};
use retry_storm::executor::{
    Attempt, Error, Event, Execution, Executor, OutOfTime, SharedBudget, Timeouts,
};
use retry_storm::policy::{
    Backoff, Decision, Failed, Failure, Fill, Limits, Reason, RetryPolicy, Strategy, TimeRule,
    TokenBucket, preset,
};
use retry_storm::time::{Duration, Instant};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Three attempts, 100 ms apart.
fn three() -> RetryPolicy {
    RetryPolicy {
        max_attempts: Some(3),
        backoff: Backoff::new(Strategy::Constant, ms(100), ms(100)),
        ..RetryPolicy::NEVER
    }
}

#[test]
fn a_wait_is_cut_where_the_call_is() {
    let cut = |limits| RetryPolicy { limits, ..three() };
    let deadline = Limits { deadline: TimeRule::CutOff, ..Limits::USUAL };
    let own = Limits { own: ms(150), own_rule: TimeRule::CutOff, ..Limits::USUAL };
    for (policy, call) in [(cut(deadline), Some(ms(150))), (cut(own), None)] {
        let timeouts = Timeouts { call, ..Timeouts::NONE };
        let seen = both(&Case { timeouts, ..Case::new(policy, [Answer::status(503)]) });
        assert_eq!(seen.times(), [ms(0), ms(100)]);
        assert_eq!(seen.attempts[1].1, Some(ms(50)));
        assert_eq!(seen.sleeps, [ms(100), ms(50)], "the second is not slept to its end");
        assert_eq!(seen.events[1].verdict.wait, Some(ms(100)));
        let over = OutOfTime { attempts: 2, last: Some(Failure::Status(503)) };
        assert_eq!(seen.result, Err(Error::OutOfTime(over)));
    }
}

#[test]
fn an_attempt_gets_its_own_timeout_or_what_is_left() {
    let timeouts = Timeouts { attempt: Some(ms(300)), call: Some(ms(1_000)) };
    let slow = Answer::status(503).after(ms(300));
    let case = Case { timeouts, ..Case::new(three(), [slow]) };
    let allowed = |case| both(&case).attempts.into_iter().map(|(_, allowed)| allowed);
    assert!(allowed(case.clone()).eq([Some(ms(300)), Some(ms(300)), Some(ms(200))]));
    // Some libraries let the last attempt run as long as there is time.
    let limits = Limits { last_attempt_untimed: true, ..Limits::USUAL };
    let quick = vec![Answer::status(503)];
    let untimed = Case { policy: RetryPolicy { limits, ..three() }, answers: quick, ..case };
    assert!(allowed(untimed).eq([Some(ms(300)), Some(ms(300)), Some(ms(800))]));
}

#[test]
fn a_budget_pays_for_retries_and_success_fills_it() {
    let bucket = TokenBucket { ratio_millis: 500, reserve_millis: 1_000, fill: Fill::OnSuccess };
    let empty = Case { budget: Some(bucket), ..Case::new(three(), [Answer::REFUSED]) };
    let seen = both(&empty);
    let (error, reason) = (Failure::Connection, Reason::BudgetDenied);
    assert_eq!(seen.result, Err(Error::GaveUp { error, reason, attempts: 2 }));

    // Two executors on one budget.
    let budget = SharedBudget::new(bucket);
    let executor = || {
        let executor = Executor::new(three(), Timeouts::NONE).expect("the settings are sound");
        executor.sleep(|_: Duration| ()).budget(budget.clone())
    };
    let (one, other) = (executor(), executor());
    let fails =
        |result: &Result<u16, &str>| result.is_err().then(|| Failed::from(Failure::Connection));
    let refused = |_| Err("refused");
    assert!(matches!(one.call(fails, refused), Err(Error::GaveUp { attempts: 2, .. })));
    assert!(matches!(other.call(fails, refused), Err(Error::GaveUp { attempts: 1, .. })));
    for level in [500, 1_000, 1_000] {
        assert_eq!(one.call(fails, |_| Ok(200)), Ok(200));
        assert_eq!(budget.level_millis(), level);
    }
    // On-success means at the first attempt.
    assert_eq!(
        other.call(fails, |a| if a.number == 1 { Err("refused") } else { Ok(200) }),
        Ok(200)
    );
    assert_eq!(budget.level_millis(), 0);
}

/// A hundred calls that fail, on each of four threads: the tokens are spent
/// once, whoever comes first.
#[test]
fn threads_share_an_executor_and_its_budget() {
    let bucket = TokenBucket { ratio_millis: 0, reserve_millis: 150_000, fill: Fill::OnCall };
    let executor = Executor::new(three(), Timeouts::NONE).expect("the settings are sound");
    let executor = executor.sleep(|_: Duration| ()).budget(SharedBudget::new(bucket));
    let attempts = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let result: Result<(), _> = executor.call(
                        |_| Some(Failure::Connection.into()),
                        |_| Err(attempts.fetch_add(1, Ordering::Relaxed)),
                    );
                    assert!(result.is_err());
                }
            });
        }
    });
    assert_eq!(attempts.into_inner(), 400 + 150);
}

#[test]
fn timeouts_can_be_those_of_a_library() {
    let kafka = preset::find("kafka-client").expect("it is one of ours");
    let (attempt, call) = (Some(ms(30_000)), Some(ms(120_000)));
    assert_eq!(Timeouts::from(kafka), Timeouts { attempt, call });
}

#[test]
fn an_error_that_is_no_failure_ends_the_call() {
    let executor = Executor::new(three(), Timeouts::NONE).expect("the settings are sound");
    let result: Result<(), _> = executor.call(|_| None, |_| Err("not found"));
    assert_eq!(result, Err(Error::Final("not found")));
    assert_eq!(result.expect_err("it is one").into_operation(), Some("not found"));
}

/// An observer and an operation may themselves make calls: no lock is held.
#[test]
fn calls_can_be_nested() {
    let bucket = TokenBucket { ratio_millis: 0, reserve_millis: 2_000, fill: Fill::OnCall };
    let budget = SharedBudget::new(bucket);
    let heard = Cell::new(0);
    let executor = Executor::new(three(), Timeouts::NONE).expect("the settings are sound");
    let executor = executor
        .sleep(|_: Duration| ())
        .budget(budget.clone())
        .observer(|_: &Event| heard.set(heard.get() + budget.level_millis()));
    let fails =
        |result: &Result<u8, Error<()>>| result.is_err().then(|| Failure::Connection.into());
    let result = executor.call(fails, |_| {
        executor.call(|_| None, |_| Err(())).map_err(|_: Error<()>| Error::Final(()))
    });
    assert!(result.is_err());
    assert_eq!(heard.get(), 1_000, "the levels after each of three failures: 1, 0 and 0 tokens");
}

/// Runtimes that move futures between threads want them to be `Send`.
#[test]
fn a_call_can_move_between_threads() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let executor = Executor::new(three(), Timeouts::NONE).expect("the settings are sound");
    let executor = sent(executor.sleep(|_: Duration| std::future::ready(())));
    let fails = |result: &Result<u32, ()>| result.is_err().then(|| Failure::Timeout.into());
    let call = executor.call_async(fails, async |attempt| {
        std::future::ready(()).await;
        if attempt.number < 3 { Err(()) } else { Ok(attempt.number) }
    });
    assert_eq!(block_on(sent(call)), Ok(3));
    // A closure that gives a future is as good as an async closure.
    let call = executor.call_async(fails, |attempt: Attempt| async move { Ok(attempt.number) });
    assert_eq!(block_on(sent(call)), Ok(1));
}

#[test]
fn errors_say_how_the_call_ended() {
    let error = "connection refused";
    for (ended, text) in [
        (
            Error::GaveUp { error, reason: Reason::AttemptsExhausted, attempts: 3 },
            "connection refused (gave up after 3 attempts: all attempts are used)",
        ),
        (
            Error::GaveUp { error, reason: Reason::NotRepeatable, attempts: 1 },
            "connection refused (gave up after 1 attempt: the request is not safe to repeat)",
        ),
        (Error::Final(error), "connection refused"),
        (
            Error::OutOfTime(OutOfTime { attempts: 2, last: None }),
            "the time of the call was over before attempt 3",
        ),
    ] {
        assert_eq!(ended.to_string(), text);
    }
}

/// A clock that goes backwards costs nothing but time.
#[test]
fn a_clock_that_jumps_back_does_no_harm() {
    let policy = three();
    let timeouts = Timeouts { call: Some(ms(150)), ..Timeouts::NONE };
    let noon = Instant::from_nanos(1_000_000_000);
    let mut call = Execution::start(&policy, timeouts, noon);
    assert!(call.begin(Instant::ZERO).is_ok());
    let verdict = call.failed(Failure::Timeout, Instant::ZERO, || 0.5, None);
    assert_eq!(verdict.decision, Decision::RetryAfter(ms(100)));
    assert_eq!(call.left(Instant::ZERO), Some(ms(150)));
    assert_eq!(
        call.begin(noon + ms(150)),
        Err(OutOfTime { attempts: 1, last: Some(Failure::Timeout) })
    );
}
