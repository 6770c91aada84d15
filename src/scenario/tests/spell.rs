//! A policy as the table that describes it: the way back from settings to keys.
//! What can be spelled can be written in a scenario.

use serde_json::{Map, Value as Json, json};

use crate::policy::backoff::{AtCap, Clamp, First, Round};
use crate::policy::failure::RetryOn;
use crate::policy::hint::{Otherwise, Scope};
use crate::policy::{
    Backoff, Effect, Family, HintRule, Jitter, Limits, Method, MethodSet, Repeatable, RetryPolicy,
    StatusSet, TimeRule,
};
use crate::time::Duration;

/// The keys of a policy with their values. The law of a random wait has none.
pub(super) fn spell(policy: &RetryPolicy) -> Map<String, Json> {
    let mut keys = Map::new();
    let mut put = |name: &str, value: Json| {
        keys.insert(name.to_owned(), value);
    };
    put("max_attempts", policy.max_attempts.map_or_else(|| "unlimited".into(), Json::from));
    let Backoff { family, base, throttled_base, factor, first_exponent, cap, .. } = &policy.backoff;
    put("backoff", self::family(family).into());
    if !base.is_zero() {
        put("base", time(*base));
    }
    if let Some(base) = throttled_base {
        put("throttled_base", time(*base));
    }
    put("factor", json!(factor));
    put("first_exponent", (*first_exponent).into());
    put("cap", limit(*cap));
    put("least", time(policy.backoff.least));
    put("jitter", jitter(policy.backoff.jitter));
    match family {
        Family::Linear { step } => put("step", time(*step)),
        Family::Table(waits) => put("waits", waits.iter().map(|&wait| time(wait)).collect()),
        _ => {}
    }
    for (name, word) in words(&policy.backoff) {
        put(name, word.into());
    }
    put("retry_on", retry_on(policy.retry_on));
    put("repeatable", repeatable(policy.repeatable));
    put("retry_after", hint(&policy.hint));
    let Limits { own, own_rule, last_attempt_untimed, .. } = policy.limits;
    put("max_elapsed", limit(own));
    put("max_elapsed_rule", time_rule(own_rule).into());
    put("last_attempt_untimed", last_attempt_untimed.into());
    keys
}

fn time(length: Duration) -> Json {
    length.to_string().into()
}

fn limit(length: Duration) -> Json {
    if length == Duration::MAX { "none".into() } else { time(length) }
}

const fn family(family: &Family) -> &'static str {
    match family {
        Family::None => "none",
        Family::Constant => "constant",
        Family::Linear { .. } => "linear",
        Family::Exponential => "exponential",
        Family::WholeExponential => "whole-exponential",
        Family::Doubling => "doubling",
        Family::Compounding => "compounding",
        Family::Table(_) => "table",
        Family::Random(_) => "random",
        Family::Decorrelated => "decorrelated-jitter",
        Family::FinagleDecorrelated => "finagle-decorrelated",
        Family::FinagleExponential => "finagle-exponential",
        Family::FinagleEqual => "finagle-equal",
        Family::PollyV2 => "polly-v2",
        Family::Sorted { .. } => "sorted",
    }
}

const fn words(backoff: &Backoff) -> [(&'static str, &'static str); 4] {
    let clamp = match backoff.clamp {
        Clamp::Before => "before-jitter",
        Clamp::After => "after-jitter",
        Clamp::Both => "both",
    };
    let first = match backoff.first {
        First::Jittered => "usual",
        First::Plain => "plain",
        First::Zero => "zero",
    };
    let at_cap = match backoff.at_cap {
        AtCap::Jittered => "usual",
        AtCap::PlainBeyond => "plain",
        AtCap::PlainFromBase => "plain-from-base",
    };
    let round = match backoff.round {
        Round::No => "none",
        Round::FloorMillis => "floor-ms",
        Round::NearestMillis => "nearest-ms",
        Round::WholeMillis => "whole-ms",
        Round::WholeSeconds => "whole-s",
    };
    [("clamp", clamp), ("first_wait", first), ("at_cap", at_cap), ("round", round)]
}

/// A jitter by the kind that says it best.
fn jitter(jitter: Jitter) -> Json {
    match jitter {
        Jitter::None => "none".into(),
        Jitter::FULL => "full".into(),
        Jitter::EQUAL => "equal".into(),
        Jitter::Scale { low, high } => {
            // The share to a thousandth of a per cent, if it is one.
            let percent = ((high - 1.0) * 1e5).round() / 1e3;
            let share = format!("{percent} %");
            if percent >= 0.0 && Jitter::symmetric(percent / 100.0) == jitter {
                json!({ "kind": "symmetric", "share": share })
            } else if Jitter::added(percent / 100.0) == jitter && percent <= 100.0 {
                json!({ "kind": "additive", "share": share })
            } else {
                json!({ "kind": "range", "low": low, "high": high })
            }
        }
        Jitter::Shift { low, high } => {
            let kind = if low < 0.0 { "symmetric" } else { "additive" };
            json!({ "kind": kind, "max": time(Duration::from_nanos_f64(high)) })
        }
        Jitter::Above { low } => json!({ "kind": "above", "min": time(low) }),
    }
}

fn retry_on(on: RetryOn) -> Json {
    if on == RetryOn::EVERYTHING {
        return json!(["any"]);
    }
    let mut list = statuses(on.statuses);
    let words =
        [(on.timeout, "timeout"), (on.connection, "connection"), (on.throttled, "throttled")];
    list.extend(words.into_iter().filter(|(is_on, _)| *is_on).map(|(_, word)| Json::from(word)));
    list.into()
}

/// Statuses one by one, and as ranges where three or more follow one another.
fn statuses(set: StatusSet) -> Vec<Json> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for status in set.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == status => *last = status,
            _ => runs.push((status, status)),
        }
    }
    let spelled = |(first, last): (u16, u16)| -> Vec<Json> {
        if last - first < 2 {
            (first..=last).map(Json::from).collect()
        } else {
            vec![format!("{first}-{last}").into()]
        }
    };
    runs.into_iter().flat_map(spelled).collect()
}

fn repeatable(rule: Repeatable) -> Json {
    let by_method = Repeatable { with_key: MethodSet::NONE, ..Repeatable::IDEMPOTENT };
    if rule == Repeatable::IDEMPOTENT {
        "idempotent".into()
    } else if rule == Repeatable::ANYTHING {
        "anything".into()
    } else if rule == by_method {
        "by-method".into()
    } else {
        json!({ "methods": methods(rule.plain), "with_key": methods(rule.with_key) })
    }
}

fn methods(set: MethodSet) -> Vec<&'static str> {
    Method::ALL.into_iter().filter(|&method| set.contains(method)).map(Method::name).collect()
}

fn hint(rule: &HintRule) -> Json {
    let mut keys = json!({
        "effect": effect(rule.effect),
        "cap": limit(rule.longest),
        "too_long": otherwise(rule.too_long),
        "zero": otherwise(rule.zero),
        "negative": otherwise(rule.negative),
        "unreadable": otherwise(rule.unreadable),
        "dates": rule.format.dates,
        "read_at": scope(rule.read_at),
        "needed_at": scope(rule.needed_at),
        "restarts": rule.restarts,
    });
    if let Effect::Clamp { above } = rule.effect {
        keys["above"] = time(above);
    }
    keys
}

const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Ignore => "ignore",
        Effect::Floor => "floor",
        Effect::FloorBeforeJitter => "floor-before-jitter",
        Effect::Replace => "replace",
        Effect::Clamp { .. } => "clamp",
        Effect::Spread => "spread",
        Effect::Base => "base",
    }
}

const fn otherwise(what: Otherwise) -> &'static str {
    match what {
        Otherwise::Ignore => "ignore",
        Otherwise::Stop => "stop",
        Otherwise::Take => "take",
    }
}

fn scope(scope: Scope) -> Json {
    let known = [413, 429, 503].map(|status| (Scope::of(status), Json::from(status)));
    let all = known.into_iter().chain([(Scope::OTHERS, Json::from("others"))]);
    all.filter(|(part, _)| scope.and(*part) == scope).map(|(_, json)| json).collect()
}

const fn time_rule(rule: TimeRule) -> &'static str {
    match rule {
        TimeRule::Shorter => "shorter",
        TimeRule::NotLonger => "not-longer",
        TimeRule::Elapsed => "elapsed",
        TimeRule::Clip => "clip",
        TimeRule::CutOff => "cut-off",
    }
}
