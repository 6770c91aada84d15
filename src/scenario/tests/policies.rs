//! Retry policies in scenario files: every setting of the policy core has its
//! key, and every built-in policy can be named, changed and written out.

use super::spell::spell;
use super::*;
use crate::policy::backoff::{AtCap, Clamp, First, Round};
use crate::policy::hint::{Otherwise, Scope as Places};
use crate::policy::{
    Effect, Family, Format, HintRule, Jitter, Limits, Method, MethodSet, Preset, Repeatable,
    Request, RetryOn, RetryPolicy, StatusSet, TimeRule, preset,
};
use std::sync::Arc;

/// A client whose policy is this, at a service that fails.
fn scenario_with(retry: &str) -> String {
    format!(
        "duration = \"1 h\"\n[client.app]\ncalls = \"api\"\narrivals = \"poisson\"\nrate = \"1 /s\"\n\
         retry = {retry}\n[service.api]\nfails = \"10 %\"\nservice_time = \"1 ms\"\n"
    )
}

fn policy(retry: &str) -> RetryPolicy {
    let read = good(&scenario_with(retry), &[]);
    read.scenario.variants[0].model.edges[0].retry.clone()
}

/// A table in one line of TOML.
fn table(keys: &serde_json::Map<String, serde_json::Value>) -> String {
    let value = |json: &serde_json::Value| {
        toml::Value::try_from(json).expect("JSON without nulls is TOML").to_string()
    };
    let pairs: Vec<_> = keys.iter().map(|(key, json)| format!("{key} = {}", value(json))).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// The policy, in which text is read as by default: in a run hints are no text.
fn comparable(mut policy: RetryPolicy) -> RetryPolicy {
    policy.hint.format = Format { dates: policy.hint.format.dates, ..Format::HTTP };
    policy.limits.deadline = TimeRule::Shorter;
    policy
}

fn presets() -> impl Iterator<Item = &'static Preset> {
    preset::all()
}

#[test]
fn every_preset_is_a_name_in_a_scenario() {
    for preset in presets() {
        let quoted = format!("\"{}\"", preset.name);
        assert_eq!(policy(&quoted), preset.policy, "{quoted}");
        assert_eq!(policy(&format!("{{ preset = {quoted} }}")), preset.policy, "{quoted}");
    }
}

/// What a preset brings can be written key by key.
#[test]
fn every_preset_can_be_written_out() {
    for preset in presets() {
        let Backoff { base, family, .. } = &preset.policy.backoff;
        let needs_base = !matches!(family, Family::None | Family::Table(_) | Family::Random(_));
        if needs_base && base.is_zero() {
            // A base of nothing is written as no backoff.
            continue;
        }
        let keys = table(&spell(&preset.policy));
        let read = policy(&keys);
        assert_eq!(comparable(read), comparable(preset.policy.clone()), "{}: {keys}", preset.name);
    }
}

/// So can every setting of the core that no preset has.
#[test]
fn every_setting_has_a_key() {
    let usual = RetryPolicy {
        max_attempts: Some(4),
        backoff: Backoff::new(Strategy::Exponential, Duration::from_millis(100), Duration::MAX),
        ..RetryPolicy::NEVER
    };
    let backoff = |change: fn(&mut Backoff)| {
        let mut policy = usual.clone();
        change(&mut policy.backoff);
        policy
    };
    let ms = Duration::from_millis;
    let waits: Arc<[Duration]> = Arc::new([Duration::ZERO, ms(50), ms(1)]);
    let listed = Backoff { family: Family::Table(waits), ..Backoff::NONE };
    let hint = HintRule {
        effect: Effect::Clamp { above: ms(7) },
        read_at: Places::TOO_MANY.and(Places::OTHERS),
        needed_at: Places::UNAVAILABLE,
        longest: ms(9_000),
        too_long: Otherwise::Stop,
        zero: Otherwise::Ignore,
        negative: Otherwise::Stop,
        unreadable: Otherwise::Take,
        restarts: true,
        format: Format::SECONDS,
    };
    let methods = |methods: &[Method]| MethodSet::of(methods);
    for policy_ in [
        backoff(|b| b.family = Family::Compounding),
        backoff(|b| b.family = Family::Linear { step: Duration::from_millis(3) }),
        backoff(|b| b.family = Family::Sorted { retries: 3 }),
        backoff(|b| b.throttled_base = Some(Duration::from_secs(1))),
        backoff(|b| b.factor = 1.6),
        backoff(|b| b.least = Duration::from_millis(20)),
        backoff(|b| b.jitter = Jitter::symmetric(0.35)),
        backoff(|b| b.jitter = Jitter::within(Duration::from_millis(5))),
        backoff(|b| b.jitter = Jitter::added(0.123)),
        backoff(|b| b.jitter = Jitter::plus(Duration::from_millis(5))),
        backoff(|b| b.jitter = Jitter::multiplied(3.0)),
        backoff(|b| b.jitter = Jitter::Above { low: Duration::from_millis(5) }),
        backoff(|b| b.jitter = Jitter::Scale { low: 0.75, high: 0.25 }),
        backoff(|b| (b.first, b.clamp) = (First::Plain, Clamp::Both)),
        backoff(|b| (b.at_cap, b.round) = (AtCap::PlainBeyond, Round::NearestMillis)),
        RetryPolicy { backoff: listed, ..usual.clone() },
        RetryPolicy { hint, ..usual.clone() },
        RetryPolicy { hint: HintRule::new(Effect::FloorBeforeJitter), ..usual.clone() },
        RetryPolicy {
            retry_on: RetryOn {
                statuses: StatusSet::of(&[14, 409, 500, 501]).with_range(520, 529),
                throttled: true,
                timeout: false,
                connection: true,
            },
            repeatable: Repeatable {
                plain: methods(&[Method::Get, Method::Head]),
                with_key: methods(&[Method::Post]),
            },
            limits: Limits {
                own: ms(90_000),
                own_rule: TimeRule::Clip,
                last_attempt_untimed: true,
                ..Limits::USUAL
            },
            ..usual.clone()
        },
    ] {
        let keys = table(&spell(&policy_));
        assert_eq!(comparable(policy(&keys)), policy_, "{keys}");
    }
}

#[test]
fn a_table_on_a_preset_changes_what_it_names() {
    let aws = preset::find("aws-standard-2.1").expect("it exists").policy.clone();
    let changed = policy("{ preset = \"aws-standard-2.1\", max_attempts = 7, cap = \"2 s\" }");
    let backoff = Backoff { cap: Duration::from_secs(2), ..aws.backoff.clone() };
    assert_eq!(changed, RetryPolicy { max_attempts: Some(7), backoff, ..aws });

    // A word of `backoff` stands for its jitter too, a word of `retry_after`
    // for a whole rule; a table changes what it names.
    let shaped = policy("{ preset = \"backon-jitter\", backoff = \"exponential\" }");
    assert_eq!(shaped.backoff.jitter, Jitter::None);
    let got = preset::find("got").expect("it exists").policy.hint;
    let word = policy("{ preset = \"got\", retry_after = \"floor\" }").hint;
    assert_eq!(word, HintRule { format: got.format, ..HintRule::new(Effect::Floor) });
    let capped = policy("{ preset = \"got\", retry_after = { cap = \"10 s\" } }").hint;
    assert_eq!(capped, HintRule { longest: Duration::from_secs(10), ..got });

    // All waits are drawn at the start: for as many retries as there can be.
    let sorted = policy("{ preset = \"node-retry-randomize\", max_attempts = 4 }");
    assert_eq!(sorted.backoff.family, Family::Sorted { retries: 3 });
    let linear = policy("{ preset = \"go-retryablehttp-linear\", base = \"3 s\" }");
    assert_eq!(linear.backoff.family, Family::Linear { step: Duration::from_secs(3) });
}

#[test]
fn a_path_may_change_a_preset() {
    let text = scenario_with("\"celery\"");
    let read = good(&text, &[("client.app.retry.max_attempts", "9")]);
    let celery = preset::find("celery").expect("it exists").policy.clone();
    let retry = &read.scenario.variants[0].model.edges[0].retry;
    assert_eq!(*retry, RetryPolicy { max_attempts: Some(9), ..celery });
}

#[test]
fn a_preset_brings_its_timeout_unless_the_caller_has_one() {
    let timeout = |text: &str| {
        let read = good(text, &[]);
        read.scenario.variants[0].model.edges[0].timeout.clone()
    };
    let text = scenario_with("\"ky\"");
    let ten = Law::Constant(Duration::from_secs(10));
    assert_eq!(timeout(&text), Some(ten.clone()));
    let own = text.replace("retry =", "timeout = \"3 s\"\nretry =");
    assert_eq!(timeout(&own), Some(Law::Constant(Duration::from_secs(3))));
    let none = text.replace("retry =", "timeout = \"none\"\nretry =");
    assert_eq!(timeout(&none), None);
    let named = text.replace("\"ky\"", "\"mine\"") + "[retry.mine]\npreset = \"ky\"\n";
    assert_eq!(timeout(&named), Some(ten));
}

#[test]
fn ones_own_policy_wins_over_a_built_in_one() {
    let text = scenario_with("\"got\"") + "[retry.got]\nmax_attempts = 2\n";
    let read = good(&text, &[]);
    let retry = &read.scenario.variants[0].model.edges[0].retry;
    assert_eq!(*retry, RetryPolicy { max_attempts: Some(2), ..RetryPolicy::NEVER });
    assert!(read.warnings.render(false).contains("[retry.got] hides the built-in policy `got`"));
}

/// gRPC makes no more than five attempts, whatever its service config asks for.
#[test]
fn a_library_may_limit_the_attempts() {
    let attempts = |retry: &str| {
        let read = good(&scenario_with(retry), &[]);
        let warned = read.warnings.render(false).contains("makes at most 5 attempts");
        (read.scenario.variants[0].model.edges[0].retry.max_attempts, warned)
    };
    assert_eq!(attempts("{ preset = \"grpc-a6\", max_attempts = 5 }"), (Some(5), false));
    assert_eq!(attempts("{ preset = \"grpc-a6\", max_attempts = 6 }"), (Some(5), true));
    assert_eq!(attempts("{ preset = \"grpc-a6\", max_attempts = \"unlimited\" }"), (Some(5), true));
}

#[test]
fn what_a_library_has_besides_is_said() {
    let warnings = |retry: &str| {
        let budget = "[budget.b]\nkind = \"token-bucket\"\nratio = 0.1\nreserve = 10\n";
        good(&(scenario_with(retry) + budget), &[]).warnings.render(false)
    };
    let quota = "`aws-standard-2.0` runs without a retry quota of 500 tokens in each client";
    assert!(warnings("\"aws-standard-2.0\"").contains(quota));
    assert!(!warnings("{ preset = \"aws-standard-2.0\", budget = \"b\" }").contains(quota));
}

#[test]
fn a_request_has_the_method_and_the_key_of_its_client() {
    let request = |keys: &str| {
        let text = scenario_with("\"never\"").replace("retry =", &format!("{keys}\nretry ="));
        good(&text, &[]).scenario.variants[0].model.clients[0].kinds[0].request
    };
    assert_eq!(request(""), Request::default());
    assert_eq!(request("method = \"POST\""), Request::new("POST", None));
    assert_eq!(request("method = \"patch\""), Request::new("PATCH", None));
    assert_eq!(
        request("method = \"POST\"\nidempotency_key = true"),
        Request::new("POST", Some("key"))
    );
}

#[test]
fn a_service_says_what_its_failures_are() {
    let service = |keys: &str| {
        let text = scenario_with("\"never\"") + keys;
        good(&text, &[]).scenario.variants[0].model.services[0].clone()
    };
    let statuses = |list: &[(u16, f64)]| Statuses::weighted(list).expect("good weights");
    assert_eq!(service("status = 404").status, 404.into());
    assert_eq!(service("status = [500, 503]").status, statuses(&[(500, 1.0), (503, 1.0)]));
    let weighted = "status = [429, { status = 503, weight = 2.5 }]";
    assert_eq!(service(weighted).status, statuses(&[(429, 1.0), (503, 2.5)]));
    for (text, advice) in [
        ("\"2 s\"", Advice::After(Duration::from_secs(2))),
        ("\"none\"", Advice::None),
        ("\"negative\"", Advice::Negative),
        ("\"unreadable\"", Advice::Unreadable),
        ("{ date = \"30 s\" }", Advice::Date(Duration::from_secs(30))),
    ] {
        assert_eq!(service(&format!("retry_after = {text}")).retry_after, advice, "{text}");
    }
}
