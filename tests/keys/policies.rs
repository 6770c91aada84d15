//! Cases for the keys of retry policies, and for what they ask of clients and
//! services.

use super::Probe::Metric as M;
use super::{Case, down, up};

/// A crowd that fails together; all waits are known.
const WAITS: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 100
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", max_elapsed = "none" }
[service.shop]
fails = "always"
status = 429
"#;

/// The same with jitter that the cap may cut.
const JITTER: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 100
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", cap = "200 ms", clamp = "before-jitter", jitter = { kind = "additive", share = "50 %" }, first_wait = "usual", at_cap = "usual" }
[service.shop]
fails = "always"
"#;

/// A service that says when to come back, and a policy that heeds it.
const HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 100
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { effect = "floor" } }
[service.shop]
fails = "always"
retry_after = "2 s"
"#;

const SHORT_HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { restarts = false } }
[service.shop]
fails = "always"
retry_after = "1 ms"
"#;

const ZERO_HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { effect = "replace" } }
[service.shop]
fails = "always"
retry_after = "0 s"
"#;

const DATE_HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { dates = true } }
[service.shop]
fails = "always"
retry_after = { date = "10 s" }
"#;

const NEGATIVE_HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { negative = "ignore" } }
[service.shop]
fails = "always"
retry_after = "negative"
"#;

const UNREADABLE_HINT: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", retry_after = { unreadable = "ignore" } }
[service.shop]
fails = "always"
retry_after = "unreadable"
"#;

/// Requests that are not safe to repeat unless something says so.
const POSTS: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 100
method = "POST"
idempotency_key = false
retry = { max_attempts = 4, backoff = "none", repeatable = "idempotent" }
[service.shop]
fails = "always"
"#;

/// Half of the requests are of a kind that may not be repeated.
const MIXED: &str = r#"
[client.app]
arrivals = "together"
count = 100
mix = [{ weight = 1, calls = "shop" }, { weight = 1, calls = "shop", method = "POST", idempotency_key = false }]
retry = { max_attempts = 4, backoff = "none", repeatable = "idempotent" }
[service.shop]
fails = "always"
"#;

const KEYED_POSTS: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 100
method = "POST"
idempotency_key = true
retry = { max_attempts = 4, backoff = "none", repeatable = { methods = ["GET"], with_key = ["PATCH"] } }
[service.shop]
fails = "always"
"#;

/// A service that is too slow for any attempt with a timeout.
const SLOW: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
timeout = "1 ms"
retry = { max_attempts = 4, backoff = "none", last_attempt_untimed = false }
[service.shop]
service_time = "5 ms"
"#;

/// A service whose failures differ.
const STATUSES: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
count = 1_000
retry = { preset = "resilience4j-retry", retry_on = ["5xx"] }
[service.shop]
fails = "always"
status = [{ status = 503, weight = 1 }, { status = 404, weight = 1 }]
"#;

const BASE: &str = "base = \"100 ms\"";
const SHAPE: &str = "backoff = \"exponential\", base = \"100 ms\"";
const ADDITIVE: &str = "kind = \"additive\", share = \"50 %\"";
const FLOOR: &str = "effect = \"floor\"";
const WAIT: super::Probe = M("mean_wait");
const ATTEMPTS: super::Probe = M("attempts");

/// One case for each key, as in [`super::CASES`].
pub(super) const CASES: &[Case] = &[
    up("retry.NAME.preset", STATUSES, "\"resilience4j-retry\"", "\"celery\"", ATTEMPTS),
    up(
        "retry.NAME.throttled_base",
        WAITS,
        BASE,
        "base = \"100 ms\", throttled_base = \"1 s\"",
        WAIT,
    ),
    up("retry.NAME.first_exponent", WAITS, BASE, "base = \"100 ms\", first_exponent = 1", WAIT),
    up(
        "retry.NAME.step",
        WAITS,
        SHAPE,
        "backoff = \"linear\", base = \"100 ms\", step = \"1 s\"",
        WAIT,
    ),
    up("retry.NAME.waits", WAITS, SHAPE, "backoff = \"table\", waits = [\"0 s\", \"5 s\"]", WAIT),
    up("retry.NAME.wait", WAITS, SHAPE, "backoff = \"random\", wait = \"5 s\"", WAIT),
    up("retry.NAME.least", WAITS, BASE, "base = \"100 ms\", least = \"300 ms\"", WAIT),
    down("retry.NAME.clamp", JITTER, "\"before-jitter\"", "\"after-jitter\"", WAIT),
    down(
        "retry.NAME.jitter",
        JITTER,
        "jitter = { kind = \"additive\", share = \"50 %\" }",
        "jitter = \"full\"",
        WAIT,
    ),
    down("retry.NAME.first_wait", JITTER, "first_wait = \"usual\"", "first_wait = \"zero\"", WAIT),
    down("retry.NAME.at_cap", JITTER, "at_cap = \"usual\"", "at_cap = \"plain\"", WAIT),
    down("retry.NAME.retry_on", WAITS, BASE, "base = \"100 ms\", retry_on = [503]", ATTEMPTS),
    up("retry.NAME.repeatable", POSTS, "\"idempotent\"", "\"anything\"", ATTEMPTS),
    down("retry.NAME.retry_after", HINT, "{ effect = \"floor\" }", "\"ignore\"", WAIT),
    down(
        "retry.NAME.max_elapsed",
        WAITS,
        "max_elapsed = \"none\"",
        "max_elapsed = \"250 ms\"",
        ATTEMPTS,
    ),
    // The second wait ends exactly at the end of the time.
    down("retry.NAME.max_elapsed_rule", WAITS_OF_300_MS, "\"not-longer\"", "\"shorter\"", ATTEMPTS),
    up("retry.NAME.last_attempt_untimed", SLOW, "untimed = false", "untimed = true", M("answered")),
    down("retry.NAME.jitter.kind", JITTER, "\"additive\"", "\"symmetric\"", WAIT),
    up("retry.NAME.jitter.share", JITTER, "\"50 %\"", "\"90 %\"", WAIT),
    up("retry.NAME.jitter.max", JITTER, "share = \"50 %\"", "max = \"1 s\"", WAIT),
    up("retry.NAME.jitter.factor", JITTER, ADDITIVE, "kind = \"multiplicative\", factor = 4", WAIT),
    up("retry.NAME.jitter.min", JITTER, ADDITIVE, "kind = \"above\", min = \"10 s\"", WAIT),
    up("retry.NAME.jitter.low", JITTER, ADDITIVE, "kind = \"range\", low = 5, high = 1", WAIT),
    up("retry.NAME.jitter.high", JITTER, ADDITIVE, "kind = \"range\", low = 1, high = 9", WAIT),
    up(
        "retry.NAME.repeatable.methods",
        KEYED_POSTS,
        "methods = [\"GET\"]",
        "methods = [\"GET\", \"POST\"]",
        ATTEMPTS,
    ),
    up(
        "retry.NAME.repeatable.with_key",
        KEYED_POSTS,
        "with_key = [\"PATCH\"]",
        "with_key = [\"POST\"]",
        ATTEMPTS,
    ),
    down("retry.NAME.retry_after.effect", HINT, FLOOR, "effect = \"ignore\"", WAIT),
    down(
        "retry.NAME.retry_after.above",
        HINT,
        FLOOR,
        "effect = \"clamp\", above = \"100 ms\"",
        WAIT,
    ),
    down("retry.NAME.retry_after.cap", HINT, FLOOR, "effect = \"floor\", cap = \"1 s\"", WAIT),
    down(
        "retry.NAME.retry_after.too_long",
        HINT,
        FLOOR,
        "effect = \"floor\", cap = \"1 s\", too_long = \"stop\"",
        ATTEMPTS,
    ),
    up(
        "retry.NAME.retry_after.zero",
        ZERO_HINT,
        "effect = \"replace\"",
        "effect = \"replace\", zero = \"ignore\"",
        WAIT,
    ),
    down(
        "retry.NAME.retry_after.negative",
        NEGATIVE_HINT,
        "negative = \"ignore\"",
        "negative = \"stop\"",
        ATTEMPTS,
    ),
    down(
        "retry.NAME.retry_after.unreadable",
        UNREADABLE_HINT,
        "unreadable = \"ignore\"",
        "unreadable = \"stop\"",
        ATTEMPTS,
    ),
    down("retry.NAME.retry_after.dates", DATE_HINT, "dates = true", "dates = false", WAIT),
    down("retry.NAME.retry_after.read_at", HINT, FLOOR, "read_at = [413, \"others\"]", WAIT),
    down(
        "retry.NAME.retry_after.needed_at",
        HINT,
        FLOOR,
        "read_at = [], needed_at = [503]",
        ATTEMPTS,
    ),
    down(
        "retry.NAME.retry_after.restarts",
        SHORT_HINT,
        "restarts = false",
        "restarts = true",
        WAIT,
    ),
    up("client.NAME.method", POSTS, "\"POST\"", "\"PUT\"", ATTEMPTS),
    up("client.NAME.mix.method", MIXED, "method = \"POST\"", "method = \"PUT\"", ATTEMPTS),
    up("client.NAME.mix.idempotency_key", MIXED, "_key = false", "_key = true", ATTEMPTS),
    up("client.NAME.idempotency_key", POSTS, "_key = false", "_key = true", ATTEMPTS),
    up("service.NAME.retry_after", HINT, "\"2 s\"", "\"3 s\"", WAIT),
    up("service.NAME.retry_after.date", DATE_HINT, "\"10 s\"", "\"20 s\"", WAIT),
    down("service.NAME.status.status", STATUSES, "status = 503", "status = 403", ATTEMPTS),
    up(
        "service.NAME.status.weight",
        STATUSES,
        "status = 503, weight = 1",
        "status = 503, weight = 9",
        ATTEMPTS,
    ),
];

/// Waits of 100 ms and 200 ms, and 300 ms for both.
const WAITS_OF_300_MS: &str = r#"
[client.app]
calls = "shop"
arrivals = "together"
retry = { max_attempts = 4, backoff = "exponential", base = "100 ms", max_elapsed = "300 ms", max_elapsed_rule = "not-longer" }
[service.shop]
fails = "always"
"#;
