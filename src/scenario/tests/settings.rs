//! Settings by path: variants, comparisons and options, and what is read when
//! a key is left out.

use super::*;
use crate::draw::name_hash;
use crate::model::Model;
use crate::model::spec::{Arrivals, Profile, RandomSource};
use crate::policy::backoff::Round;
use crate::policy::{Family, Jitter};

const BASE: &str = r#"
[client.app]
calls    = "gateway"
arrivals = "together"
count    = 10

[service.gateway]
calls = ["shop", "stock", "shop"]
retry = "three"

[service.shop]

[service.stock]
calls = "shop"
retry = "three"

[retry.three]
max_attempts = 3
backoff      = "constant"
base         = "100 ms"
"#;

fn models(text: &str, sets: &[(&str, &str)]) -> Vec<(String, Model)> {
    let variants = good(text, sets).scenario.variants;
    variants.into_iter().map(|variant| (variant.name, variant.model)).collect()
}

fn model(text: &str, sets: &[(&str, &str)]) -> Model {
    models(text, sets).remove(0).1
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = good(BASE, &[]).scenario;
    assert_eq!((scenario.name.as_str(), scenario.seed), ("unnamed scenario", 1));
    assert_eq!(scenario.label, "variant");
    assert_eq!(scenario.variants[0].name, "");
    let model = &scenario.variants[0].model;
    assert_eq!((model.duration, model.warmup), (None, Duration::ZERO));
    assert_eq!((model.random, model.seed), (RandomSource::Keyed, 1));
    assert_eq!((model.slice, model.timeline_slice), (Duration::from_millis(10), None));
    assert_eq!((model.record_attempts, model.most_live), (false, 20_000_000));
    let shop = &model.services[1];
    assert_eq!(shop.workers, None);
    assert_eq!(shop.service_time, Law::Constant(Duration::ZERO));
    assert_eq!((shop.fails, shop.status.clone()), (0.0, 503.into()));
    assert_eq!((&model.edges[0].timeout, model.edges[0].budget), (&None, None));
    let backoff = &model.edges[1].retry.backoff;
    assert_eq!((backoff.factor, backoff.cap), (2.0, Duration::MAX));
    assert_eq!(backoff.round, Round::No);
}

#[test]
fn every_value_arrives_where_it_belongs() {
    let text = r#"
name = "all of it"
seed = 18_446_744_073_709_551_615
duration = "2 min"
warmup = "1.5 s"
random = "mulberry32"
slice = "5 ms"
timeline_slice = "1 s"
record_attempts = true
live_limit = 1_000

[client.a]
calls = "api"
arrivals = "poisson"
rate = "30 /min"
requests = 7
timeout = "250 us"
retry = { max_attempts = 4, backoff = "equal-jitter", base = "1 ms", factor = 1.5, cap = "1 h", round = "floor-ms", budget = "b" }

[client.b]
calls = "api"
arrivals = "constant"
rate = "800/s"
count = 3

[service.api]
workers = 4
service_time = { kind = "exponential", mean = "10 ms" }
fails = "12.5 %"
status = 429
queue = { order = "fifo" }

[budget.b]
kind = "token-bucket"
ratio = 0.125
reserve = 2.5
fill = "on-any-success"
scope = "global"
"#;
    let model = model(text, &[]);
    assert_eq!(model.seed, u64::MAX);
    assert_eq!(model.duration, Some(Duration::from_secs(120)));
    assert_eq!(model.warmup, Duration::from_millis(1_500));
    assert_eq!(model.random, RandomSource::Mulberry32);
    assert_eq!(model.slice, Duration::from_millis(5));
    assert_eq!(model.timeline_slice, Some(Duration::from_secs(1)));
    assert_eq!((model.record_attempts, model.most_live), (true, 1_000));
    assert_eq!(model.clients[0].arrivals, Arrivals::Poisson { rate: Profile::steady(0.5) });
    assert_eq!((model.clients[0].requests, model.clients[1].requests), (Some(7), None));
    assert_eq!(model.clients[1].arrivals, Arrivals::Constant { rate: Profile::steady(800.0) });
    assert_eq!(model.clients[1].processes, 3);
    let edge = &model.edges[0];
    assert_eq!(edge.timeout, Some(Law::Constant(Duration::from_nanos(250_000))));
    assert_eq!((edge.retry.max_attempts, edge.budget), (Some(4), Some(0)));
    let backoff = &edge.retry.backoff;
    assert_eq!((&backoff.family, backoff.jitter), (&Family::Exponential, Jitter::EQUAL));
    assert_eq!(backoff.factor, 1.5);
    assert_eq!(backoff.base, Duration::from_millis(1));
    assert_eq!(backoff.cap, Duration::from_secs(3_600));
    assert_eq!(backoff.round, Round::FloorMillis);
    let api = &model.services[0];
    assert_eq!(api.service_time, Law::Exponential { mean: Duration::from_millis(10) });
    assert_eq!((api.workers, api.fails, api.status.clone()), (Some(4), 0.125, 429.into()));
    let budget = &model.budgets[0];
    assert_eq!((budget.bucket.ratio_millis, budget.bucket.reserve_millis), (125, 2_500));
    assert_eq!((budget.bucket.fill, budget.scope), (Fill::OnAnySuccess, Scope::Global));
}

#[test]
fn calls_have_places_of_their_own() {
    let model = model(BASE, &[]);
    let targets: Vec<_> = model.edges.iter().map(|edge| edge.target).collect();
    assert_eq!(targets, [0, 1, 2, 1, 1]);
    assert_eq!(model.services[0].calls, [1, 2, 3]);
    assert_eq!(model.services[2].calls, [4]);
    assert_eq!(model.edges[1].position, name_hash("shop"));
    assert_eq!(model.edges[2].position, name_hash("stock"));
    assert_eq!(model.edges[3].position, name_hash("shop#1"));
}

/// A path through a name changes its user's own copy, a path to the name
/// changes all of them; neither depends on the order in which it is written.
#[test]
fn a_path_through_a_name_makes_a_copy() {
    let attempts = |sets: &[(&str, &str)]| {
        let model = model(BASE, sets);
        [1, 4].map(|edge: usize| model.edges[edge].retry.max_attempts)
    };
    let own = ("service.gateway.retry.max_attempts", "5");
    let all = ("retry.three.max_attempts", "7");
    assert_eq!(attempts(&[own]), [Some(5), Some(3)]);
    assert_eq!(attempts(&[all]), [Some(7), Some(7)]);
    assert_eq!(attempts(&[own, all]), [Some(5), Some(7)]);
    assert_eq!(attempts(&[all, own]), [Some(5), Some(7)]);
    let base = ("retry.three.base", "1 s");
    let model = model(BASE, &[own, base]);
    assert_eq!(model.edges[1].retry.backoff.base, Duration::from_secs(1));
}

#[test]
fn options_come_before_variants() {
    let text = format!(
        "{BASE}\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nset = {{ \"retry.three.cap\" = \"1 s\" }}\n"
    );
    let models =
        models(&text, &[("service.gateway.retry.base", "2 s"), ("retry.three.base", "3 s")]);
    let cap = |number: usize| models[number].1.edges[1].retry.backoff.cap;
    assert_eq!((cap(0), cap(1)), (Duration::MAX, Duration::from_secs(1)));
    for (_, model) in &models {
        assert_eq!(model.edges[1].retry.backoff.base, Duration::from_secs(2));
        assert_eq!(model.edges[4].retry.backoff.base, Duration::from_secs(3));
    }
}

#[test]
fn variants_and_comparisons_multiply_in_the_order_of_the_file() {
    let text = format!(
        "{BASE}\n[compare]\n\"client.app.count\" = [1_0, 20]\n\"retry.three\" = [{{ max_attempts = 2 }}]\n\
         \n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nset = {{ duration = \"1 s\" }}\n"
    );
    let read = good(&text, &[]);
    let names: Vec<_> =
        read.scenario.variants.iter().map(|variant| variant.name.as_str()).collect();
    let policy = "{ max_attempts = 2 }";
    let expected = [("a", 10), ("a", 20), ("b", 10), ("b", 20)];
    assert_eq!(names, expected.map(|(a, b)| format!("{a}, {b}, {policy}")));
    assert_eq!(read.scenario.label, "variant, count, three");
    let durations = read.scenario.variants.iter().map(|variant| variant.model.duration.is_some());
    assert_eq!(durations.collect::<Vec<_>>(), [false, false, true, true]);
}

#[test]
fn options_may_add_what_the_file_leaves_out() {
    let sets = [
        ("client.app.retry", "{ max_attempts = 4 }"),
        ("client.app.retry.backoff", "constant"),
        ("client.app.retry.base", "10 ms"),
        ("service.cache", "{ fails = \"always\" }"),
        ("service.shop.calls", "cache"),
        ("budget.b", "{ kind = \"token-bucket\", ratio = 0, reserve = 1 }"),
        ("service.shop.retry", "{ max_attempts = 2, budget = \"b\" }"),
        ("service.shop.workers", "unlimited"),
        ("name", "42"),
        ("duration", "10 s"),
    ];
    let read = good(BASE, &sets);
    let model = &read.scenario.variants[0].model;
    assert_eq!(read.scenario.name, "42");
    assert_eq!(model.edges[0].retry.backoff.base, Duration::from_millis(10));
    assert_eq!(model.services[3].name, "cache");
    assert_eq!(model.budgets[0].name, "b");
    assert_eq!(model.duration, Some(Duration::from_secs(10)));
}

#[test]
fn the_seed_of_the_command_line_wins() {
    let mut options = options(&[]);
    options.seed = Some(7);
    let scenario = read(STORM, &options).expect("it is shipped").scenario;
    assert_eq!((scenario.seed, scenario.variants[4].model.seed), (7, 7));
    options.sets.push(("seed".to_owned(), "8".to_owned()));
    assert!(read(STORM, &options).is_err(), "two seeds");
}

/// Errors of options point into the option.
#[test]
fn broken_options_have_their_messages() {
    let cases = [
        ("service.databse.fails", "never"),
        ("service.shop.worker", "3"),
        ("client.app.count", "ten"),
        ("client.app.timeout", "500"),
        ("client.app.timeout", "10 sec"),
        ("client.app.retry.backoff", "fulljitter"),
        ("client.app.retry", "{ max_attempts = 3"),
        ("client.app.retry", "tree"),
        ("client.app.retry.max_attempts", "3"),
        ("service.gateway.retry.budget", "tenth"),
        ("client.app.priority", "2"),
        ("service.gateway.calls", "gateway"),
        ("retry.three.budget.ratio", "0.2"),
        ("service", "{}"),
        ("service.", "{}"),
        ("", ""),
        ("client.app", "3"),
        ("variant", "[]"),
        ("compare.x", "[1]"),
        ("fault.outage.from", "1 s"),
        ("client.app.mix.weight", "1"),
        ("client.app.latency", "{ there = \"1 ms\", bakc = \"1 ms\" }"),
        ("client.app.arrivals", "trace"),
        ("random", "cpythn"),
    ];
    let show = |what: &str, shown: String| format!("## {what}\n{shown}");
    let mut shown: Vec<String> = cases
        .iter()
        .map(|&set| show(&format!("--set {}={}", set.0, set.1), errors(BASE, &[set])))
        .collect();
    let twice = [("client.app.count", "3"), ("client.app.count", "4")];
    shown.push(show("twice", errors(BASE, &twice)));
    let compared = [("client.app.retry.backoff", "constant")];
    shown.push(show("compared", errors(STORM, &compared)));
    let varied = [("retry.three.budget", "none")];
    shown.push(show("varied", errors(LAYERS, &varied)));
    insta::assert_snapshot!("options", shown.join("\n"));
}

/// Policies that start from built-in ones, which a variant changes too.
const POLICIES: &str = r#"
[client.a]
calls    = "api"
arrivals = "together"
method   = "put"
retry    = "ky"

[client.b]
calls    = "api"
arrivals = "together"
retry    = { preset = "got", retry_after = { cap = "1.5 min" }, retry_on = ["5xx", "timeout"] }

[client.c]
calls    = "api"
arrivals = "together"
retry    = "backon-jitter"

[client.d]
calls    = "api"
arrivals = "together"
retry    = "mine"

[client.e]
calls    = "api"
arrivals = "together"
retry    = { max_attempts = 3, backoff = "table", waits = ["0 ms", "1500 ms"], jitter = { kind = "additive", max = "0.1 s" } }

[client.f]
calls    = "api"
arrivals = "together"
retry    = { max_attempts = 3, backoff = "full-jitter", base = "1 s" }

[service.api]
fails       = "1 %"
status      = [503, { status = 429, weight = 2 }]
retry_after = "0.5 min"

[retry.mine]
max_attempts = 3

[[variant]]
name = "one"

[[variant]]
name = "two"
set  = { "client.a.retry" = "never", "client.c.retry.backoff" = "equal-jitter", "client.d.retry.preset" = "celery", "client.f.retry.jitter" = "full" }
"#;

/// The resolved scenario is a scenario: read again, it gives the same worlds.
#[test]
fn the_resolved_scenario_reads_to_the_same() {
    let sets = [("service.gateway.retry.max_attempts", "5"), ("name", "again")];
    let cases = [
        (BASE, &sets[..]),
        (STORM, &[]),
        (LAYERS, &[]),
        (LAYERS_243, &[]),
        (POLICIES, &[]),
        (POLICIES, &[("retry.mine.preset", "node-retry"), ("client.c.retry.cap", "3 s")]),
        (starter(), &[("client.web.rate", "90 /min"), ("service.api.fails", "0.1%")]),
    ];
    for (text, sets) in cases {
        let first = good(text, sets).scenario;
        let again = toml::to_string(&first.resolved).expect("JSON without nulls is TOML");
        let second = good(&again, &[]).scenario;
        assert_eq!(first.resolved, second.resolved, "{again}");
        assert_eq!((&first.name, first.seed), (&second.name, second.seed));
        let worlds = |scenario: &Scenario| {
            let variants = scenario.variants.iter();
            variants.map(|v| (v.name.clone(), v.model.clone())).collect::<Vec<_>>()
        };
        assert_eq!(worlds(&first), worlds(&second));
        assert_eq!(format!("{:?}", first.thresholds), format!("{:?}", second.thresholds));
    }
}

#[test]
fn thresholds_are_in_the_unit_of_their_metric() {
    let text = format!(
        r#"{BASE}
[[threshold]]
metric = "p99_wait"
max    = "1.5 s"

[[threshold]]
metric = "goodput"
min    = "0 /s"

[[threshold]]
metric    = "amplification"
equals    = 3
tolerance = "10 %"

[[threshold]]
metric    = "mean_wait"
equals    = "1 s"
tolerance = "50 ms"
"#
    );
    let bounds: Vec<_> = good(&text, &[]).scenario.thresholds.iter().map(|t| t.bound).collect();
    assert_eq!(bounds[0].max, Some(1_500.0));
    assert_eq!(bounds[1].min, Some(0.0));
    assert_eq!((bounds[2].min, bounds[2].max), (Some(3.0 - 0.1 * 3.0), Some(3.0 + 0.1 * 3.0)));
    assert_eq!((bounds[3].min, bounds[3].max), (Some(950.0), Some(1_050.0)));
}
