//! Every key does something: for each key of the schema there is a change to
//! its value that moves something measured in a stated direction. A key without
//! such a case fails the suite, so no key can be read and then ignored.

use retry_storm::experiment::{VariantResult, run};
use retry_storm::model::Metric;
use retry_storm::scenario::keys::sections;
use retry_storm::scenario::{DataFiles, ReadOptions, Scenario, read};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

mod overload;
mod policies;

/// A crowd that fails together and waits before it retries.
const STORM: &str = r#"
name = "storm"
seed = 1
random = "pcg64"
slice = "10 ms"
timeline_slice = "auto"
warmup = "0 s"
record_attempts = false
live_limit = 1_000
[client.app]
calls = "shop"
arrivals = "together"
count = 100
retry = { max_attempts = 4, backoff = "full-jitter", base = "100 ms", factor = 2, cap = "1 s", round = "none" }
[service.shop]
fails = "always"
status = 503
"#;

/// A server that can be overwhelmed, for one second.
const SERVER: &str = r#"
name = "server"
duration = "1 s"
[client.web]
calls = "api"
arrivals = "poisson"
rate = "100 /s"
timeout = "100 ms"
retry = "twice"
[service.api]
workers = 2
service_time = { kind = "constant", mean = "8 ms" }
fails = "30 %"
queue = { order = "fifo" }
[retry.twice]
max_attempts = 2
backoff = "none"
"#;

/// A chain whose bottom fails, with a budget in the middle.
const CHAIN: &str = r#"
name = "chain"
seed = 5
[client.user]
calls = "gateway"
arrivals = "one-by-one"
requests = 200
[service.gateway]
calls = ["orders"]
timeout = "50 ms"
retry = "three"
[service.orders]
service_time = "10 ms"
fails = "50 %"
[service.side]
fails = "50 %"
[client.second]
calls = "side"
arrivals = "constant"
rate = "100 /s"
count = 2
requests = 200
retry = "three"
[retry.three]
max_attempts = 3
backoff = "none"
budget = "tenth"
[budget.tenth]
kind = "token-bucket"
ratio = 0.1
reserve = 10
fill = "on-call"
scope = "client"
"#;

/// What is looked at after a run.
#[derive(Clone, Copy)]
enum Probe {
    /// A metric of the first variant.
    Metric(&'static str),
    /// Rows of the timeline of the first service.
    TimelineRows,
    /// Attempts in the record.
    Recorded,
    /// Letters of the title.
    Title,
    /// Variants, and letters of their names.
    Variants,
    /// Thresholds that are met.
    Met,
    /// Whether the run stops at a limit.
    Stopped,
}

/// A change to a scenario and what it must move, and in which direction.
struct Case {
    key: &'static str,
    base: &'static str,
    from: &'static str,
    to: &'static str,
    probe: Probe,
    direction: Ordering,
}

const fn up(
    key: &'static str,
    base: &'static str,
    from: &'static str,
    to: &'static str,
    probe: Probe,
) -> Case {
    Case { key, base, from, to, probe, direction: Ordering::Greater }
}

const fn down(
    key: &'static str,
    base: &'static str,
    from: &'static str,
    to: &'static str,
    probe: Probe,
) -> Case {
    Case { key, base, from, to, probe, direction: Ordering::Less }
}

use Probe::{Met, Metric as M, Recorded, Stopped, TimelineRows, Title, Variants};

const CASES: &[Case] = &[
    up("name", STORM, "\"storm\"", "\"a longer name\"", Title),
    up("seed", STORM, "seed = 1", "seed = 3", M("mean_wait")),
    down("duration", SERVER, "\"1 s\"", "\"500 ms\"", M("requests")),
    down("warmup", STORM, "warmup = \"0 s\"", "warmup = \"100 ms\"", M("attempts")),
    down("random", STORM, "\"pcg64\"", "\"cpython\"", M("mean_wait")),
    up("slice", STORM, "slice = \"10 ms\"", "slice = \"50 ms\"", M("busiest_slice_retries")),
    down("timeline_slice", STORM, "\"auto\"", "\"100 ms\"", TimelineRows),
    up("record_attempts", STORM, "record_attempts = false", "record_attempts = true", Recorded),
    up("live_limit", STORM, "live_limit = 1_000", "live_limit = 50", Stopped),
    up(
        "client",
        STORM,
        "[service.shop]",
        "[client.two]\ncalls = \"shop\"\narrivals = \"together\"\n[service.shop]",
        M("requests"),
    ),
    up(
        "service",
        CHAIN,
        "calls = [\"orders\"]",
        "calls = [\"orders\", \"more\"]\n[service.more]\n[service.gateway2]\n",
        M("attempts"),
    ),
    up(
        "retry",
        SERVER,
        "[retry.twice]\nmax_attempts = 2\nbackoff = \"none\"",
        "[retry.twice]\nmax_attempts = 9\nbackoff = \"none\"",
        M("attempts"),
    ),
    up("budget", CHAIN, "reserve = 10", "reserve = 50", M("retries")),
    up(
        "compare",
        STORM,
        "[service.shop]",
        "[compare]\n\"client.app.count\" = [10, 20]\n[service.shop]",
        Variants,
    ),
    up(
        "variant",
        STORM,
        "[service.shop]",
        "[[variant]]\nname = \"plain\"\n[service.shop]",
        Variants,
    ),
    up(
        "threshold",
        STORM,
        "[service.shop]",
        "[[threshold]]\nmetric = \"requests\"\nmin = 1\n[service.shop]",
        Met,
    ),
    up("client.NAME.calls", SERVER, "calls = \"api\"", "calls = [\"api\", \"api\"]", M("attempts")),
    down(
        "client.NAME.arrivals",
        STORM,
        "arrivals = \"together\"",
        "arrivals = \"one-by-one\"\nrequests = 100",
        M("busiest_slice_attempts"),
    ),
    up("client.NAME.count", STORM, "count = 100", "count = 200", M("requests")),
    up("client.NAME.rate", SERVER, "\"100 /s\"", "\"400 /s\"", M("requests")),
    up(
        "client.NAME.requests",
        CHAIN,
        "requests = 200\n[service.gateway]",
        "requests = 300\n[service.gateway]",
        M("requests"),
    ),
    up("client.NAME.timeout", SERVER, "timeout = \"100 ms\"", "timeout = \"1 ms\"", M("attempts")),
    down("client.NAME.retry", SERVER, "retry = \"twice\"", "retry = \"never\"", M("attempts")),
    up(
        "service.NAME.calls",
        CHAIN,
        "calls = [\"orders\"]",
        "calls = [\"orders\", \"orders\"]",
        M("attempts"),
    ),
    up("service.NAME.workers", SERVER, "workers = 2", "workers = 1", M("mean_latency")),
    up(
        "service.NAME.service_time",
        SERVER,
        "{ kind = \"constant\", mean = \"8 ms\" }",
        "\"9 ms\"",
        M("mean_latency"),
    ),
    down(
        "service.NAME.fails",
        CHAIN,
        "service_time = \"10 ms\"\nfails = \"50 %\"",
        "service_time = \"10 ms\"\nfails = \"never\"",
        M("retries"),
    ),
    down("service.NAME.status", STORM, "status = 503", "status = 404", M("attempts")),
    down("service.NAME.timeout", CHAIN, "timeout = \"50 ms\"", "timeout = \"5 ms\"", M("answered")),
    down(
        "service.NAME.retry",
        CHAIN,
        "timeout = \"50 ms\"\nretry = \"three\"",
        "timeout = \"50 ms\"\nretry = \"never\"",
        M("attempts"),
    ),
    up(
        "service.NAME.service_time.kind",
        SERVER,
        "kind = \"constant\"",
        "kind = \"exponential\"",
        M("p99_latency"),
    ),
    up(
        "service.NAME.service_time.mean",
        SERVER,
        "mean = \"8 ms\"",
        "mean = \"9 ms\"",
        M("mean_latency"),
    ),
    up("retry.NAME.max_attempts", STORM, "max_attempts = 4", "max_attempts = 6", M("attempts")),
    up(
        "retry.NAME.backoff",
        STORM,
        "backoff = \"full-jitter\"",
        "backoff = \"exponential\"",
        M("mean_wait"),
    ),
    up("retry.NAME.base", STORM, "base = \"100 ms\"", "base = \"200 ms\"", M("mean_wait")),
    up("retry.NAME.factor", STORM, "factor = 2", "factor = 3", M("mean_wait")),
    down("retry.NAME.cap", STORM, "cap = \"1 s\"", "cap = \"200 ms\"", M("mean_wait")),
    down("retry.NAME.round", STORM, "round = \"none\"", "round = \"floor-ms\"", M("mean_wait")),
    up("retry.NAME.budget", CHAIN, "budget = \"tenth\"", "budget = \"none\"", M("retries")),
    up("budget.NAME.ratio", CHAIN, "ratio = 0.1", "ratio = 0.4", M("retries")),
    up("budget.NAME.reserve", CHAIN, "reserve = 10", "reserve = 40", M("retries")),
    down("budget.NAME.fill", CHAIN, "fill = \"on-call\"", "fill = \"on-success\"", M("retries")),
    down("budget.NAME.scope", CHAIN, "scope = \"client\"", "scope = \"global\"", M("retries")),
    up("variant.name", VARIANT, "name = \"one\"", "name = \"the first\"", Variants),
    up(
        "variant.set",
        VARIANT,
        "\"client.app.count\" = 100",
        "\"client.app.count\" = 200",
        M("requests"),
    ),
    up("threshold.metric", THRESHOLD, "metric = \"retries\"", "metric = \"attempts\"", Met),
    down("threshold.of", THRESHOLD, "of = \"100\"\nmax", "of = \"300\"\nmax", Met),
    down("threshold.min", THRESHOLD, "min = 1\n", "min = 200\n", Met),
    down("threshold.max", THRESHOLD, "max = 250", "max = 50", Met),
    up("threshold.equals", THRESHOLD, "equals = 10", "equals = 99", Met),
    up("threshold.tolerance", THRESHOLD, "tolerance = 1\n", "tolerance = 100\n", Met),
];

/// Keys that have one value only so far, and so nothing to move.
const ONE_VALUE: &[&str] = &["budget.NAME.kind"];

const VARIANT: &str = concat!(
    "name = \"variants\"\n[client.app]\ncalls = \"shop\"\narrivals = \"together\"\ncount = 10\n",
    "[service.shop]\n[[variant]]\nname = \"one\"\nset = { \"client.app.count\" = 100 }\n",
);

const THRESHOLD: &str = concat!(
    "name = \"thresholds\"\n[client.app]\ncalls = \"shop\"\narrivals = \"together\"\n",
    "retry = { max_attempts = 2, backoff = \"none\" }\n[service.shop]\nfails = \"always\"\n",
    "[compare]\n\"client.app.count\" = [100, 300]\n",
    "[[threshold]]\nmetric = \"attempts\"\nof = \"100\"\nmax = 250\n",
    "[[threshold]]\nmetric = \"requests\"\nof = \"100\"\nmin = 1\n",
    "[[threshold]]\nmetric = \"requests\"\nof = \"100\"\nequals = 10\ntolerance = 1\n",
    "[[threshold]]\nmetric = \"retries\"\nof = \"100\"\nmin = 150\n",
);

/// The data files of the cases.
#[derive(Debug)]
struct Files;

impl DataFiles for Files {
    fn read(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        let file = overload::FILES.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "there is none".to_owned())
    }
}

fn all_cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter().chain(overload::CASES).chain(policies::CASES)
}

fn scenario(text: &str) -> Scenario {
    let files = Some(&Files as &dyn DataFiles);
    let options = ReadOptions { file: "case.toml".into(), files, ..ReadOptions::default() };
    match read(text, &options) {
        Ok(read) => read.scenario,
        Err(wrong) => panic!("{}\n{text}", wrong.render(false)),
    }
}

impl Probe {
    fn look(self, text: &str) -> f64 {
        let scenario = scenario(text);
        let Ok(results) = run(&scenario, &|_| ControlFlow::Continue(())) else { return 1.0 };
        let first = &results[0].outcome;
        match self {
            Self::Metric(name) => {
                let metric = Metric::named(name).expect("the case names a metric");
                (metric.of)(first).expect("the metric applies")
            }
            Self::TimelineRows => first.services[0].timeline.bins().len() as f64,
            Self::Recorded => first.attempts.len() as f64,
            Self::Title => scenario.name.len() as f64,
            Self::Variants => scenario.variants.iter().map(|v| 1.0 + v.name.len() as f64).sum(),
            Self::Met => met(&scenario, &results),
            Self::Stopped => 0.0,
        }
    }
}

fn met(scenario: &Scenario, results: &[VariantResult]) -> f64 {
    let verdicts = retry_storm::experiment::threshold::judge(&scenario.thresholds, results);
    verdicts.iter().filter(|verdict| verdict.passed).count() as f64
}

#[test]
fn every_key_moves_something_in_the_stated_direction() {
    let mut wrong = Vec::new();
    for case in all_cases() {
        let found = case.base.matches(case.from).count();
        assert_eq!(found, 1, "{}: {:?} stands {found} times in its base", case.key, case.from);
        let before = case.probe.look(case.base);
        let after = case.probe.look(&case.base.replacen(case.from, case.to, 1));
        if after.partial_cmp(&before) != Some(case.direction) {
            wrong.push(format!("{}: from {before} to {after}", case.key));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn every_key_has_a_case() {
    let path = |section: &str, key: &str| {
        if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
    };
    let keys: BTreeSet<String> = sections()
        .iter()
        .flat_map(|section| section.keys.iter().map(move |key| (section, key)))
        .filter(|(_, key)| key.works())
        .map(|(section, key)| path(section.path, key.name))
        .collect();
    let cases: BTreeSet<String> = all_cases()
        .map(|case| case.key)
        .chain(ONE_VALUE.iter().chain(overload::ONE_VALUE).copied())
        .map(String::from)
        .collect();
    let missing: Vec<_> = keys.difference(&cases).collect();
    let unknown: Vec<_> = cases.difference(&keys).collect();
    assert!(missing.is_empty(), "keys without a case: {missing:?}");
    assert!(unknown.is_empty(), "cases of no key: {unknown:?}");
}
