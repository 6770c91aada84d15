//! Policies as tests/vectors/policies.csv writes them: a preset and settings.

use retry_storm::policy::backoff::{Clamp, First, Round};
use retry_storm::policy::{Backoff, Family, Jitter, Repeatable, RetryPolicy, TimeRule, preset};
use retry_storm::time::Duration;

/// A policy, and whether its failures say "slow down".
pub(super) struct Settings {
    pub(super) policy: RetryPolicy,
    pub(super) throttled: bool,
}

impl Settings {
    /// Reads the name of a preset, or `none`, and `key=value` pairs.
    pub(super) fn read(starts_from: &str, settings: &str) -> Self {
        let policy = match starts_from {
            "none" => RetryPolicy {
                max_attempts: None,
                repeatable: Repeatable::ANYTHING,
                ..RetryPolicy::NEVER
            },
            name => preset::find(name).unwrap_or_else(|| panic!("no preset {name}")).policy.clone(),
        };
        let mut this = Self { policy, throttled: false };
        let pairs: Vec<(&str, &str)> = settings
            .split_whitespace()
            .map(|pair| pair.split_once('=').unwrap_or_else(|| panic!("{pair} is no setting")))
            .collect();
        for &(key, value) in &pairs {
            this.set(key, value, &pairs);
        }
        this
    }

    fn set(&mut self, key: &str, value: &str, pairs: &[(&str, &str)]) {
        let (policy, backoff) = (&mut self.policy.limits, &mut self.policy.backoff);
        match key {
            "family" => backoff.family = family(value, pairs),
            "step" => {}
            "base" => backoff.base = length(value),
            "factor" => backoff.factor = number(value),
            "cap" => backoff.cap = length(value),
            "least" => backoff.least = length(value),
            "clamp" => {
                backoff.clamp = match value {
                    "before" => Clamp::Before,
                    "after" => Clamp::After,
                    _ => Clamp::Both,
                }
            }
            "jitter" => backoff.jitter = jitter(value),
            "first" if value == "zero" => backoff.first = First::Zero,
            "round" => backoff.round = round(value),
            "throttled" => self.throttled = value == "yes",
            "attempts" => self.policy.max_attempts = value.parse().ok(),
            "own" => policy.own = length(value),
            "own_rule" => {
                policy.own_rule = match value {
                    "elapsed" => TimeRule::Elapsed,
                    "not-longer" => TimeRule::NotLonger,
                    _ => panic!("no rule {value}"),
                }
            }
            "hint_longest" => self.policy.hint.longest = length(value),
            _ => panic!("no setting {key}={value}"),
        }
        if let ("step", Family::Linear { step }) = (key, &mut self.policy.backoff.family) {
            *step = length(value);
        }
    }

    /// The waits before they are put on the grid of a timer.
    pub(super) fn without_rounding(&self) -> Backoff {
        Backoff { round: Round::No, ..self.policy.backoff.clone() }
    }
}

fn family(value: &str, pairs: &[(&str, &str)]) -> Family {
    match value {
        "constant" => Family::Constant,
        "exponential" => Family::Exponential,
        "linear" => {
            let step = pairs.iter().find(|(key, _)| *key == "step");
            Family::Linear { step: length(step.expect("a linear family has a step").1) }
        }
        _ => panic!("no family {value}"),
    }
}

fn jitter(value: &str) -> Jitter {
    let mut parts = value.split(':');
    let kind = parts.next().unwrap_or_default();
    let mut part = || parts.next().unwrap_or_else(|| panic!("{value} is too short"));
    match kind {
        "none" => Jitter::None,
        "full" => Jitter::FULL,
        "equal" => Jitter::EQUAL,
        "symmetric" => Jitter::symmetric(number(part())),
        "added" => Jitter::added(number(part())),
        "multiplied" => Jitter::multiplied(number(part())),
        "plus" => Jitter::plus(length(part())),
        "above" => Jitter::Above { low: length(part()) },
        "scale" => Jitter::Scale { low: number(part()), high: number(part()) },
        "shift" => Jitter::Shift { low: signed(part()), high: signed(part()) },
        _ => panic!("no jitter {value}"),
    }
}

fn round(value: &str) -> Round {
    match value {
        "no" => Round::No,
        "floor-ms" => Round::FloorMillis,
        "whole-ms" => Round::WholeMillis,
        _ => panic!("no rounding {value}"),
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn length(text: &str) -> Duration {
    Duration::from_nanos_f64(signed(text))
}

/// A length with its unit, in nanoseconds.
fn signed(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "h" => 3_600e9,
        unit => panic!("no unit {unit:?}"),
    };
    number(digits) * unit
}
