//! What a decision with a draw costs, for every family of waits.
//!
//! Nothing here can allocate: `decide` takes a policy by reference, a
//! [`Progress`] of 16 bytes in place, and returns a `Decision` by value; none
//! of these types, nor any that a family computes with, owns memory that is
//! made on the way. A table and a law are shared by a counted pointer that is
//! made once, with the policy.

use std::hint::black_box;
use std::time::Instant;

use retry_storm::draw::{Key, Purpose, Stream};
use retry_storm::law::Law;
use retry_storm::policy::backoff::{Clamp, Round};
use retry_storm::policy::{
    Backoff, Decision, Effect, Failed, Failure, Family, Hint, HintRule, Jitter, Progress,
    RetryPolicy, Strategy,
};
use retry_storm::time::Duration;

/// Calls for each measurement, and retries for each call.
const CALLS: u64 = 400_000;
const RETRIES: u32 = 5;

/// The best of several runs, in nanoseconds for each decision.
fn measure(policy: &RetryPolicy, failed: Failed) -> f64 {
    let stream = Stream::new(1, 0, Purpose::Wait, "bench");
    let run = || {
        let start = Instant::now();
        let mut sum = 0_u64;
        for call in 0..CALLS {
            let key = Key::request(1, call);
            let mut progress = Progress::default();
            for attempt in 1..=RETRIES {
                progress.attempts = attempt;
                let draw = || stream.draw(key.attempt(attempt));
                let decision =
                    black_box(policy).decide(*black_box(&failed), &mut progress, draw, None);
                if let Decision::RetryAfter(wait) = decision {
                    sum = sum.wrapping_add(wait.as_nanos());
                }
            }
        }
        black_box(sum);
        start.elapsed().as_nanos() as f64 / (CALLS * u64::from(RETRIES)) as f64
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let base = Duration::from_millis(100);
    let cap = Duration::from_secs(1);
    let named = |strategy| Backoff::new(strategy, base, cap);
    let family = |family| Backoff { family, ..named(Strategy::Exponential) };
    let full = named(Strategy::FullJitter);
    let table: std::sync::Arc<[Duration]> = vec![base, cap].into();
    let law = std::sync::Arc::new(Law::Exponential { mean: base });
    let doubled = Jitter::multiplied(2.0);
    let backoffs = [
        ("none", named(Strategy::None)),
        ("constant", named(Strategy::Constant)),
        ("linear", named(Strategy::Linear)),
        ("exponential", named(Strategy::Exponential)),
        ("full jitter", full.clone()),
        ("equal jitter", named(Strategy::EqualJitter)),
        ("decorrelated jitter", named(Strategy::DecorrelatedJitter)),
        ("full jitter, factor 1.6", Backoff { factor: 1.6, ..full.clone() }),
        ("full jitter, whole ms", Backoff { round: Round::FloorMillis, ..full.clone() }),
        (
            "share both sides, cap both",
            Backoff { jitter: Jitter::symmetric(0.2), clamp: Clamp::Both, ..full.clone() },
        ),
        (
            "added, cap after",
            Backoff { jitter: Jitter::plus(base), clamp: Clamp::After, ..full.clone() },
        ),
        ("above a fixed length", Backoff { jitter: Jitter::Above { low: base }, ..full.clone() }),
        ("whole exponential", Backoff { factor: 1.5, ..family(Family::WholeExponential) }),
        ("doubling", Backoff { jitter: Jitter::FULL, ..family(Family::Doubling) }),
        ("compounding", Backoff { jitter: Jitter::symmetric(0.25), ..family(Family::Compounding) }),
        ("table", Backoff { jitter: Jitter::FULL, ..family(Family::Table(table)) }),
        ("law", family(Family::Random(law))),
        ("Finagle decorrelated", family(Family::FinagleDecorrelated)),
        ("Finagle exponential", family(Family::FinagleExponential)),
        ("Finagle equal", family(Family::FinagleEqual)),
        ("Polly V2", family(Family::PollyV2)),
        ("sorted, factor 2", Backoff { jitter: doubled, ..family(Family::Sorted { retries: 10 }) }),
        (
            "sorted, factor 1.5",
            Backoff { jitter: doubled, factor: 1.5, ..family(Family::Sorted { retries: 10 }) },
        ),
    ];
    // An argument picks the families whose name contains it.
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!("{:<28} ns a decision", "family");
    for (name, backoff) in backoffs {
        if !name.contains(&wanted) {
            continue;
        }
        let policy = RetryPolicy { max_attempts: None, backoff, ..RetryPolicy::NEVER };
        println!("{name:<28} {:>6.1}", measure(&policy, Failure::Status(503).into()));
    }
    let asked = Failed {
        hint: Hint::After(cap),
        allowed: Duration::from_secs(60),
        ..Failure::Status(503).into()
    };
    for (name, effect) in [
        ("full jitter, hint as floor", Effect::Floor),
        ("full jitter, hint replaces", Effect::Replace),
        ("full jitter, hint clamped", Effect::Clamp { above: Duration::from_secs(5) }),
    ] {
        if !name.contains(&wanted) {
            continue;
        }
        let hint = HintRule::new(effect);
        let policy =
            RetryPolicy { max_attempts: None, backoff: full.clone(), hint, ..RetryPolicy::NEVER };
        println!("{name:<28} {:>6.1}", measure(&policy, asked));
    }
    println!(
        "a policy has {} bytes, the progress of a call {}",
        size_of::<RetryPolicy>(),
        size_of::<Progress>()
    );
}
