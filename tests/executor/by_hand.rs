//! The executor beside a loop that asks the policy by hand: with deadlines and
//! hints, which meet the executor's own clock.

use super::replay::policies;
use super::{Answer, Case, Chance, both};
use proptest::prelude::*;
use retry_storm::draw::Mulberry32;
use retry_storm::executor::Timeouts;
use retry_storm::policy::hint::Otherwise;
use retry_storm::policy::retry_after::Format;
use retry_storm::policy::{
    Decision, Effect, Failed, Failure, HintRule, Limits, Progress, RetryPolicy, TimeRule,
};
use retry_storm::time::Duration;

/// When attempts are made, and what the policy said after each.
fn by_hand(case: &Case, seed: u32) -> (Vec<Duration>, Vec<Decision>) {
    let (policy, mut progress) = (&case.policy, Progress::default());
    let mut generator = Mulberry32::new(seed);
    let allowed = case.timeouts.call.unwrap_or(Duration::MAX);
    let Limits { own, own_rule, .. } = policy.limits;
    let end = if own_rule == TimeRule::CutOff { allowed.min(own) } else { allowed };
    let (mut now, mut times, mut decisions) = (Duration::ZERO, Vec::new(), Vec::new());
    while now < end {
        let answer = case.answers[times.len().min(case.answers.len() - 1)];
        times.push(now);
        now += answer.takes;
        progress.attempts += 1;
        let failure = match answer.end {
            Ok(..400) => break,
            Ok(status) => Failure::Status(status),
            Err(failure) => failure,
        };
        let values: Vec<&str> = answer.retry_after.into_iter().collect();
        let hint = Format::HTTP.read(&values, Duration::ZERO);
        let failed = Failed { hint, elapsed: now, allowed, ..failure.into() };
        decisions.push(policy.decide(failed, &mut progress, || generator.draw(), None));
        match decisions.last() {
            Some(Decision::RetryAfter(wait)) => now = end.min(now + *wait),
            _ => break,
        }
    }
    (times, decisions)
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let answer = prop_oneof![
        4 => Just(Answer::status(503)),
        2 => Just(Answer::status(429)),
        1 => Just(Answer::REFUSED),
        1 => Just(Answer::SILENT),
    ];
    let hint = prop::sample::select(vec!["0", "1", "2", "9", "-1", "soon"]);
    let answer =
        (answer, proptest::option::of(hint), 0..400_u64).prop_map(|(answer, hint, takes)| {
            let answer = answer.after(Duration::from_millis(takes));
            if answer.end.is_ok() {
                hint.map_or(answer, |hint| answer.asking(hint))
            } else {
                answer
            }
        });
    // The last answer repeats, so a policy without limit needs a good one.
    prop::collection::vec(answer, 0..8).prop_map(|mut answers| {
        answers.push(Answer::status(200));
        answers
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    let rules = || {
        prop::sample::select(vec![
            TimeRule::Shorter,
            TimeRule::NotLonger,
            TimeRule::Elapsed,
            TimeRule::Clip,
            TimeRule::CutOff,
        ])
    };
    let own = proptest::option::of(1..4_000_u64);
    (rules(), own, rules()).prop_map(|(deadline, own, own_rule)| Limits {
        deadline,
        own: own.map_or(Duration::MAX, Duration::from_millis),
        own_rule,
        ..Limits::USUAL
    })
}

fn hint_rules() -> impl Strategy<Value = HintRule> {
    let effects = prop::sample::select(vec![
        Effect::Ignore,
        Effect::Floor,
        Effect::FloorBeforeJitter,
        Effect::Replace,
        Effect::Clamp { above: Duration::from_millis(300) },
        Effect::Spread,
        Effect::Base,
    ]);
    let otherwise = prop::sample::select(vec![Otherwise::Ignore, Otherwise::Stop, Otherwise::Take]);
    (effects, otherwise, any::<bool>()).prop_map(|(effect, negative, restarts)| HintRule {
        negative,
        restarts,
        ..HintRule::new(effect)
    })
}

proptest! {
    #![proptest_config(crate::testing::cases(1_000))]

    #[test]
    fn every_decision_is_the_policys(
        policy in policies(),
        (limits, hint) in (limits(), hint_rules()),
        answers in answers(),
        call in proptest::option::of(1..4_000_u64),
        seed in any::<u32>(),
    ) {
        let timeouts = Timeouts { call: call.map(Duration::from_millis), ..Timeouts::NONE };
        let policy = RetryPolicy { limits, hint, ..policy };
        let chance = Chance::Mulberry32(seed);
        let case = Case { timeouts, chance, ..Case::new(policy, answers) };
        let (times, decisions) = by_hand(&case, seed);
        let seen = both(&case);
        prop_assert_eq!(seen.times(), times);
        for (event, decision) in seen.events.iter().zip(&decisions) {
            match (event.verdict.decision, *decision, event.left) {
                // What is asked for never goes on beyond the end.
                (Decision::RetryAfter(asked), Decision::RetryAfter(wait), left) => {
                    prop_assert_eq!(asked, wait.min(left.unwrap_or(Duration::MAX)));
                }
                (ours, theirs, _) => prop_assert_eq!(ours, theirs),
            }
        }
        prop_assert!(seen.events.len() >= decisions.len());
    }
}
