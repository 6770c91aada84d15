//! Keys of retry policies, budgets and breakers, and the names of presets.

use super::Fallback::{Absent, Required, Value};
use super::{Kind, Section, Word, key, later, later_word, word};

/// `[retry.NAME]`, or `retry = { … }`.
pub static RETRY: Section = Section {
    path: "retry.NAME",
    name: "retry policy",
    meaning: "When a failed attempt is repeated, and after how long.",
    keys: &[
        key(
            "max_attempts",
            Kind::Whole { min: 1, max: 1_000_000, word: Some("unlimited") },
            Required,
            "All attempts of a call, the first included.",
        ),
        key(
            "backoff",
            Kind::Word(BACKOFFS),
            Value("none"),
            "The shape of the waits. The ceiling of retry n (the first is 1) is min(`cap`, `base` × `factor`^(n−1)).",
        ),
        key(
            "base",
            Kind::Time { zero: false, word: None },
            Absent("no wait"),
            "The ceiling of the first wait; required unless `backoff` is `none`.",
        ),
        key(
            "factor",
            Kind::Number { min: 1.0, max: 1_000_000.0 },
            Value("2"),
            "The growth of the ceiling from one retry to the next. `constant` and `decorrelated-jitter` do not use it.",
        ),
        key(
            "cap",
            Kind::Time { zero: false, word: Some("none") },
            Value("none"),
            "No wait is longer.",
        ),
        key("round", Kind::Word(ROUNDS), Value("none"), "How waits are rounded."),
        key("budget", Kind::Name("budget"), Value("none"), "The budget that pays for retries."),
        later(
            "preset",
            "a name of a built-in policy",
            "The built-in policy that the table starts from.",
        ),
        later(
            "jitter",
            "`full`, `equal`, or a table of `kind` and `share`, `max` or `factor`",
            "The randomness of the waits.",
        ),
        later("waits", "list of lengths of time", "The waits of `backoff = \"table\"`."),
        later("wait", "a law", "The wait of `backoff = \"random\"`."),
        later(
            "retry_on",
            "list of statuses, `timeout`, `connection`, `breaker`",
            "The failures that are worth a retry.",
        ),
        later("retry_after", "`floor`, `replace`, `ignore`", "What a Retry-After hint does."),
        later(
            "hedge",
            "table of `after`, `max`, `loser`",
            "A second attempt while the first is still out.",
        ),
        later("breaker", "a name of a breaker", "A circuit breaker that each attempt must pass."),
    ],
};

static BACKOFFS: &[Word] = &[
    word("none", "retry at once"),
    word("constant", "always `base`"),
    word("exponential", "the ceiling itself"),
    word("full-jitter", "uniform between 0 and the ceiling"),
    word("equal-jitter", "half the ceiling, and uniform up to the other half"),
    word(
        "decorrelated-jitter",
        "uniform between `base` and three times the wait before, at most `cap`",
    ),
    later_word("linear", "the base times the number of the retry"),
    later_word("table", "as listed in `waits`"),
    later_word("random", "drawn from the law `wait`"),
];

static ROUNDS: &[Word] = &[
    word("none", "to the nanosecond"),
    word("floor-ms", "down to whole milliseconds, as timers in many libraries do"),
];

/// `[budget.NAME]`.
pub static BUDGET: Section = Section {
    path: "budget.NAME",
    name: "budget",
    meaning: "A limit on the retries of all calls of one owner together.",
    keys: &[
        key("kind", Kind::Word(BUDGETS), Required, "The kind of budget."),
        key(
            "ratio",
            Kind::Thousandths { max: 1_000_000_000 },
            Required,
            "Tokens that one filling event adds; a retry takes one token.",
        ),
        key(
            "reserve",
            Kind::Thousandths { max: 1_000_000_000_000 },
            Required,
            "Tokens that fit, and that are there at the start.",
        ),
        key("fill", Kind::Word(FILLS), Value("on-call"), "What fills it."),
        key("scope", Kind::Word(SCOPES), Value("client"), "Who shares one."),
        later("window", "length of time", "The time that a share is taken over."),
        later("minimum", "whole number", "Retries that are always allowed."),
        later("minimum_rate", "rate", "Retries per time that are always allowed."),
        later("share", "share", "The share of requests or of failures that sets the limit."),
        later("cost", "whole number", "Tokens that a retry costs."),
        later("refund", "whole number", "Tokens that a success gives back."),
        later("k", "number", "How many requests are let through for each that was accepted."),
        later("rate", "rate", "Retries per time."),
        later("burst", "whole number", "Retries at once."),
        later("empty", "`allow`, `deny`", "What holds before anything was measured."),
    ],
};

static BUDGETS: &[Word] = &[
    word("token-bucket", "filled by calls or successes, emptied by retries"),
    later_word("ratio-window", "a share of the calls of a window"),
    later_word("concurrent", "a share of the calls in flight"),
    later_word("quota", "with costs and refunds"),
    later_word("throttle", "as gRPC counts failures"),
    later_word("adaptive", "by the share that is accepted"),
    later_word("rate", "so many per time"),
    later_word("failure-gate", "closed while too much fails"),
];

static FILLS: &[Word] = &[
    word("on-call", "every call, at its start"),
    word("on-success", "a call that succeeds at its first attempt"),
    word("on-any-success", "every call that succeeds, retried or not"),
];

static SCOPES: &[Word] = &[
    word("client", "each client process has its own, and each service"),
    word("call", "each client process or service has one for each service it calls"),
    word("global", "all share one"),
];

/// `[breaker.NAME]`.
pub static BREAKER: Section = Section {
    path: "breaker.NAME",
    name: "breaker",
    meaning: "A circuit breaker: refuses calls while too many fail.",
    keys: &[
        later("window", "whole number or length of time", "What failures are counted over."),
        later("failure_share", "share", "The share of failures that opens it."),
        later("minimum_calls", "whole number", "Calls before it can open."),
        later("open_for", "length of time", "How long it stays open."),
        later("half_open_trials", "whole number", "Calls that are let through to see."),
        later("slow_call", "length of time", "A call that takes longer counts as slow."),
        later("slow_share", "share", "The share of slow calls that opens it."),
    ],
};

/// Names of built-in policies, refused until they come.
pub static PRESETS: &[&str] = &[
    "aws-legacy-python",
    "aws-legacy-python-dynamodb",
    "aws-standard-2.0",
    "aws-standard-2.1",
    "aws-standard-2.1-dynamodb",
    "aws-standard-2.1-longpoll",
    "aws-adaptive",
    "aws-go-legacy",
    "aws-js-2.0",
    "aws-java2-legacy",
    "aws-step-functions",
    "aws-lambda-async",
    "aws-sqs-redrive",
    "aws-blog-full",
    "aws-blog-equal",
    "aws-blog-decorrelated",
    "grpc-a6",
    "grpc-a6-old",
    "grpc-example",
    "grpc-hedging",
    "grpc-connect-backoff",
    "envoy-default",
    "istio-default",
    "envoy-gateway-default",
    "linkerd-serviceprofile",
    "linkerd-route",
    "gateway-api-retry-constraint",
    "finagle-requeue",
    "finagle-tries",
    "finagle-exponential-jittered",
    "finagle-equal-jittered",
    "tower-exponential",
    "backon",
    "backoff-crate",
    "retry-policies",
    "reqwest-retry",
    "reqwest-builtin",
    "tokio-retry",
    "google-cloud-rust",
    "sre-client",
    "gax-go",
    "python-api-core",
    "google-pubsub",
    "google-http-java",
    "cenkalti-v4",
    "cenkalti-v5",
    "polly-default",
    "dotnet-standard-resilience",
    "dotnet-standard-hedging",
    "resilience4j-retry",
    "resilience4j-exp-random",
    "spring-retry-exp",
    "spring-retry-exp-random",
    "failsafe-default",
    "failsafe-backoff",
    "hystrix",
    "requests",
    "urllib3",
    "httpx-transport-retries",
    "tenacity-default",
    "tenacity-random-exponential",
    "stamina",
    "celery",
    "pymongo-overload",
    "axios-retry",
    "node-retry",
    "p-retry",
    "got",
    "ky",
    "cockatiel",
    "go-retryablehttp",
    "go-retryablehttp-linear",
    "avast-retry-go",
    "client-go-workqueue",
    "client-go-retry-default-retry",
    "client-go-retry-default-backoff",
    "client-go-rest",
    "kafka-client",
    "temporal-default",
    "temporal-sdk-go-rpc",
];
