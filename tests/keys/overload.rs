//! Cases for the keys of servers that can be overwhelmed.

use super::Probe::Metric as M;
use super::{Case, down, up};

/// Data files of the scenarios below.
pub(super) const FILES: &[(&str, &str)] = &[
    ("two.csv", "time_s\n0.1\n0.2\n"),
    ("three.csv", "time_s,client\n0.1,0\n0.2,0\n0.3,0\n"),
    ("short.csv", "time_s\n0.001\n0.003\n"),
    ("long.csv", "time_s\n0.010\n0.030\n"),
];

/// Requests that start in every way there is.
const ARRIVALS: &str = r#"
duration = "4 s"
[client.crowd]
calls = "a"
arrivals = "together"
count = 50
spread = "0 s"
[client.robots]
calls = "a"
arrivals = "closed"
think_time = "100 ms"
[client.pacers]
calls = "a"
arrivals = "closed"
every = "200 ms"
[client.past]
calls = "a"
arrivals = "trace"
file = "two.csv"
[client.web]
mix = [{ weight = 1, calls = "a" }, { weight = 2, calls = ["b", "a"] }]
arrivals = "constant"
rate = [{ from = "1 s", rate = "50 /s", ramp = "500 ms" }]
pool = "unlimited"
[service.a]
service_time = "30 ms"
[service.b]
service_time = "50 ms"
"#;

/// Chains with a network between them, whose bottom fails for longer than
/// requests may take.
const NETWORK: &str = r#"
duration = "3 s"
[client.user]
calls = "gateway"
arrivals = "constant"
rate = "20 /s"
deadline = "300 ms"
propagate_deadline = true
[client.far]
calls = "edge"
arrivals = "constant"
rate = "20 /s"
latency = { there = "1 ms", back = "2 ms" }
[client.near]
calls = "edge"
arrivals = "constant"
rate = "20 /s"
[service.edge]
latency = "1 ms"
[service.gateway]
calls = "orders"
propagate_deadline = true
[service.orders]
calls = "database"
retry = { max_attempts = 20, backoff = "constant", base = "10 ms" }
[service.database]
service_time = "40 ms"
fails = "always"
"#;

/// An overloaded service with a queue.
const QUEUE: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "poisson"
rate = "480 /s"
timeout = "400 ms"
[service.api]
workers = 1
instances = 4
service_time = "10 ms"
abandoned = "finish"
slowdown = { per_request = 0.001 }
queue = { limit = 50, order = "fifo", when_full = "reject", timeout = "none" }
"#;

/// Lines of their own that work may be spread over.
const LINES: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "poisson"
rate = "240 /s"
[service.api]
workers = 1
instances = 4
balance = "random"
service_time = { kind = "exponential", mean = "10 ms" }
"#;

/// Work that waits while the service is slow, and after.
const SLOW: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "50 /s"
[service.api]
workers = 1
service_time = "10 ms"
service_time_drawn = "start"
[fault.f]
kind = "slow"
service = "api"
factor = 3
from = "2 s"
for = "2 s"
"#;

/// An overloaded service with a limit on a standing queue.
const CODEL: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "poisson"
rate = "120 /s"
[service.api]
workers = 1
service_time = "10 ms"
queue = { codel = { law = "fail-at-scale", target = "5 ms", interval = "100 ms" } }
"#;

/// A service that is struck for two seconds.
const OUTAGE: &str = r#"
duration = "20 s"
recovery_window = "1 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "100 /s"
[service.api]
workers = 4
instances = 2
service_time = "10 ms"
[service.spare]
[fault.f]
kind = "down"
service = "api"
from = "5 s"
for = "2 s"
"#;

const SURGE: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "100 /s"
[client.side]
calls = "api"
arrivals = "constant"
rate = "10 /s"
[service.api]
[fault.f]
kind = "surge"
client = "web"
factor = 2
from = "5 s"
for = "2 s"
"#;

const ERRORS: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "100 /s"
retry = { max_attempts = 2, backoff = "none" }
[service.api]
service_time = "10 ms"
[fault.f]
kind = "errors"
service = "api"
share = "20 %"
status = 503
"#;

const CAPACITY: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "100 /s"
[service.api]
workers = 2
service_time = "10 ms"
[fault.f]
kind = "capacity"
service = "api"
workers = 1
from = "2 s"
for = "2 s"
"#;

const RESTART: &str = r#"
duration = "10 s"
[client.web]
calls = "api"
arrivals = "constant"
rate = "50 /s"
[service.api]
service_time = "10 ms"
[fault.f]
kind = "restart"
service = "api"
from = "2 s"
warm_up = { for = "2 s", factor = 10 }
"#;

/// One service for each law, asked one after another.
const LAWS: &str = r#"
[client.user]
calls = ["erlang", "gamma", "lognormal", "median", "uniform", "normal", "weibull", "pareto", "mixture", "quantiles", "empirical"]
arrivals = "one-by-one"
requests = 2_000
[service.erlang]
service_time = { kind = "erlang", mean = "10 ms", stages = 1 }
[service.gamma]
service_time = { kind = "gamma", mean = "11 ms", cv = 0.5 }
[service.lognormal]
service_time = { kind = "lognormal", mean = "10 ms", cv = 0.3 }
[service.median]
service_time = { kind = "lognormal", median = "10 ms", sigma = 0.2 }
[service.uniform]
service_time = { kind = "uniform", from = "5 ms", to = "15 ms" }
[service.normal]
service_time = { kind = "normal", mean = "12 ms", sd = "3 ms" }
[service.weibull]
service_time = { kind = "weibull", mean = "10 ms", shape = 2 }
[service.pareto]
service_time = { kind = "pareto", min = "1 ms", shape = 3 }
[service.mixture]
service_time = { kind = "mixture", parts = [{ weight = 3, kind = "constant", mean = "1 ms" }, { weight = 1, kind = "constant", mean = "9 ms" }] }
[service.quantiles]
service_time = { kind = "quantiles", points = [["0 %", "1 ms"], ["80 %", "64 ms"], ["100 %", "100 ms"]], between = "linear" }
[service.empirical]
service_time = { kind = "empirical", file = "short.csv" }
"#;

/// Keys of this part that have one value only so far.
pub(super) const ONE_VALUE: &[&str] = &["service.NAME.holds_worker"];

pub(super) const CASES: &[Case] = &[
    up("recovery_window", OUTAGE, "window = \"1 s\"", "window = \"3 s\"", M("recovery")),
    up("fault", OUTAGE, "service = \"api\"\nfrom", "service = \"spare\"\nfrom", M("answered")),
    down("client.NAME.spread", ARRIVALS, "spread = \"0 s\"", "spread = \"2 s\"", SLICE),
    down("client.NAME.think_time", ARRIVALS, "time = \"100 ms\"", "time = \"1 s\"", M("requests")),
    down("client.NAME.every", ARRIVALS, "every = \"200 ms\"", "every = \"1 s\"", M("requests")),
    up("client.NAME.file", ARRIVALS, "two.csv", "three.csv", M("requests")),
    up("client.NAME.mix", ARRIVALS, "{ weight = 1, calls = \"a\" }, ", "", M("attempts")),
    up("client.NAME.mix.weight", ARRIVALS, "weight = 2", "weight = 20", M("attempts")),
    up("client.NAME.mix.calls", ARRIVALS, "[\"b\", \"a\"]", "[\"b\", \"a\", \"a\"]", M("attempts")),
    down("client.NAME.rate.from", ARRIVALS, "from = \"1 s\"", "from = \"2 s\"", M("requests")),
    up("client.NAME.rate.rate", ARRIVALS, "rate = \"50 /s\"", "rate = \"90 /s\"", M("requests")),
    down("client.NAME.rate.ramp", ARRIVALS, "ramp = \"500 ms\"", "ramp = \"3 s\"", M("requests")),
    up("client.NAME.pool", ARRIVALS, "pool = \"unlimited\"", "pool = 1", M("mean_latency")),
    up("client.NAME.deadline", NETWORK, "deadline = \"300 ms\"", "deadline = \"400 ms\"", LATENCY),
    up("client.NAME.propagate_deadline", NETWORK, USER_TELLS, USER_IS_SILENT, OUT_OF_TIME),
    up("service.NAME.propagate_deadline", NETWORK, GATEWAY_TELLS, GATEWAY_IS_SILENT, OUT_OF_TIME),
    up("client.NAME.latency", NETWORK, WAYS, "latency = \"9 ms\"", LATENCY),
    up("client.NAME.latency.there", NETWORK, "there = \"1 ms\"", "there = \"9 ms\"", LATENCY),
    up("client.NAME.latency.back", NETWORK, "back = \"2 ms\"", "back = \"9 ms\"", LATENCY),
    up("service.NAME.latency", NETWORK, "latency = \"1 ms\"", "latency = \"5 ms\"", LATENCY),
    up("service.NAME.instances", QUEUE, "instances = 4", "instances = 2", M("gave_up")),
    down("service.NAME.balance", LINES, "\"random\"", "\"least-busy\"", LATENCY),
    down("service.NAME.abandoned", QUEUE, "\"finish\"", "\"cancel\"", M("wasted_work")),
    up("service.NAME.service_time_drawn", SLOW, "\"start\"", "\"arrival\"", LATENCY),
    down("service.NAME.slowdown", QUEUE, "slowdown = { per_request = 0.001 }", "", M("gave_up")),
    up("service.NAME.slowdown.per_request", QUEUE, "0.001", "0.1", M("gave_up")),
    up("service.NAME.queue", QUEUE, WHOLE_QUEUE, "", LATENCY),
    down("service.NAME.queue.order", QUEUE, "\"fifo\"", "\"lifo\"", M("p50_latency")),
    down("service.NAME.queue.limit", QUEUE, "limit = 50", "limit = 5", M("p99_latency")),
    up("service.NAME.queue.when_full", QUEUE, "\"reject\"", "\"drop-oldest\"", LATENCY),
    down("service.NAME.queue.timeout", QUEUE, "timeout = \"none\"", "timeout = \"50 ms\"", LATENCY),
    up("service.NAME.queue.codel", CODEL, WHOLE_CODEL, "order = \"fifo\"", LATENCY),
    down("service.NAME.queue.codel.law", CODEL, "fail-at-scale", "rfc8289", M("gave_up")),
    up("service.NAME.queue.codel.target", CODEL, "\"5 ms\"", "\"50 ms\"", LATENCY),
    up("service.NAME.queue.codel.interval", CODEL, "\"100 ms\"", "\"1 s\"", LATENCY),
    up("fault.NAME.kind", OUTAGE, "kind = \"down\"", "kind = \"hang\"", M("answered")),
    up(
        "fault.NAME.service",
        OUTAGE,
        "service = \"api\"\nfrom",
        "service = \"spare\"\nfrom",
        ANSWERED,
    ),
    up("fault.NAME.instance", OUTAGE, "\"api\"\nfrom", "\"api\"\ninstance = 1\nfrom", ANSWERED),
    up("fault.NAME.from", OUTAGE, "from = \"5 s\"", "from = \"19 s\"", M("answered")),
    down("fault.NAME.for", OUTAGE, "for = \"2 s\"", "for = \"4 s\"", M("answered")),
    up("fault.NAME.until", OUTAGE, "for = \"2 s\"", "until = \"6 s\"", M("answered")),
    down("fault.NAME.client", SURGE, "client = \"web\"", "client = \"side\"", M("requests")),
    up("fault.NAME.factor", SURGE, "factor = 2", "factor = 5", M("requests")),
    down("fault.NAME.share", ERRORS, "\"20 %\"", "\"80 %\"", M("answered")),
    down("fault.NAME.status", ERRORS, "status = 503", "status = 404", M("attempts")),
    up("fault.NAME.workers", CAPACITY, "workers = 1", "workers = 0", LATENCY),
    down("fault.NAME.warm_up", RESTART, "warm_up = { for = \"2 s\", factor = 10 }", "", LATENCY),
    up("fault.NAME.warm_up.for", RESTART, "for = \"2 s\"", "for = \"4 s\"", LATENCY),
    up("fault.NAME.warm_up.factor", RESTART, "factor = 10", "factor = 20", LATENCY),
    up("service.NAME.service_time.cv", LAWS, "cv = 0.5", "cv = 3", M("p99_latency")),
    up(
        "service.NAME.service_time.median",
        LAWS,
        "median = \"10 ms\"",
        "median = \"20 ms\"",
        LATENCY,
    ),
    up("service.NAME.service_time.sigma", LAWS, "sigma = 0.2", "sigma = 1", LATENCY),
    up("service.NAME.service_time.sd", LAWS, "sd = \"3 ms\"", "sd = \"30 ms\"", M("p99_latency")),
    up("service.NAME.service_time.shape", LAWS, "shape = 2", "shape = 0.5", M("p99_latency")),
    up("service.NAME.service_time.min", LAWS, "min = \"1 ms\"", "min = \"2 ms\"", LATENCY),
    up("service.NAME.service_time.from", LAWS, "from = \"5 ms\"", "from = \"10 ms\"", LATENCY),
    up("service.NAME.service_time.to", LAWS, "to = \"15 ms\"", "to = \"20 ms\"", LATENCY),
    down("service.NAME.service_time.stages", LAWS, "stages = 1", "stages = 9", LONGEST),
    up("service.NAME.service_time.parts", LAWS, "mean = \"9 ms\" }", "mean = \"99 ms\" }", LATENCY),
    up("service.NAME.service_time.weight", LAWS, "weight = 1", "weight = 9", LATENCY),
    up("service.NAME.service_time.points", LAWS, "\"64 ms\"", "\"90 ms\"", LATENCY),
    down("service.NAME.service_time.between", LAWS, "\"linear\"", "\"log\"", LATENCY),
    up("service.NAME.service_time.file", LAWS, "short.csv", "long.csv", LATENCY),
];

const LATENCY: super::Probe = M("mean_latency");
const LONGEST: super::Probe = M("p999_latency");
const ANSWERED: super::Probe = M("answered");
const SLICE: super::Probe = M("busiest_slice_attempts");
/// Attempts below for requests that are over.
const OUT_OF_TIME: super::Probe = M("attempts");

const USER_TELLS: &str = "propagate_deadline = true\n[client.far]";
const USER_IS_SILENT: &str = "propagate_deadline = false\n[client.far]";
const GATEWAY_TELLS: &str = "propagate_deadline = true\n[service.orders]";
const GATEWAY_IS_SILENT: &str = "propagate_deadline = false\n[service.orders]";
const WAYS: &str = "latency = { there = \"1 ms\", back = \"2 ms\" }";
const WHOLE_QUEUE: &str =
    "queue = { limit = 50, order = \"fifo\", when_full = \"reject\", timeout = \"none\" }";
const WHOLE_CODEL: &str =
    "codel = { law = \"fail-at-scale\", target = \"5 ms\", interval = \"100 ms\" }";
