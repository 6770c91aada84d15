//! Keys of clients, services and faults.

use super::Fallback::{Absent, Required, Value};
use super::{Key, Kind, RETRY, Section, Word, key, later, later_word, word};

/// `[client.NAME]`.
pub static CLIENT: Section = Section {
    path: "client.NAME",
    name: "client",
    meaning: "Client processes of one kind, and the requests they send.",
    keys: &[
        key(
            "calls",
            Kind::Calls,
            Required,
            "The entry services of a request, asked one after another; the first failure ends it.",
        ),
        key("arrivals", Kind::Word(ARRIVALS), Required, "When requests start."),
        key(
            "count",
            Kind::Whole { min: 1, max: 100_000_000, word: None },
            Value("1"),
            "Client processes. Budgets belong to a process unless their scope says otherwise.",
        ),
        key(
            "rate",
            Kind::Rate,
            Absent("only for `poisson` and `constant`"),
            "Requests of all processes together; required for `poisson` and `constant`. A list of steps and ramps is not yet supported.",
        ),
        key(
            "requests",
            Kind::Whole { min: 1, max: 10_000_000_000, word: None },
            Absent("as many as `duration` allows"),
            "Requests in all; then the run drains. No effect with `together`, which sends one for each of `count`.",
        ),
        key(
            "timeout",
            Kind::Time { zero: false, word: Some("none") },
            Value("none"),
            "How long an attempt may take; an answer exactly then is in time. A law is not yet supported.",
        ),
        key("retry", Kind::Policy(&RETRY), Value("never"), "The retry policy of its calls."),
        later(
            "deadline",
            "length of time",
            "The time of a request in all, waits and retries included.",
        ),
        later(
            "propagate_deadline",
            "`true` or `false`",
            "Whether the deadline travels down with each call.",
        ),
        later(
            "method",
            "an HTTP method",
            "The method of its requests, which decides what is safe to repeat.",
        ),
        later(
            "idempotency_key",
            "`true` or `false`",
            "Whether requests carry a key that makes them safe to repeat.",
        ),
        later(
            "latency",
            "length of time, a law, or `{ there, back }`",
            "Network time on each way.",
        ),
        later("pool", "whole number", "Requests that one process may have out at once."),
        later(
            "priority",
            "whole number",
            "How important its requests are; 1 is the most important.",
        ),
        later("mix", "list of tables", "Weighted kinds of request."),
        later("breaker", "a name of a breaker", "A circuit breaker around whole calls."),
        later("keys", "whole number", "How many keys requests are spread over."),
        later("spread", "length of time", "The time over which a crowd arrives."),
        later(
            "think_time",
            "length of time or a law",
            "The pause of a closed client between requests.",
        ),
        later(
            "every",
            "length of time or a law",
            "The least time between starts of a closed client's requests.",
        ),
        later("file", "path of a CSV file", "The start times of a trace."),
        later(
            "fan_out",
            "`sequence`, `parallel`",
            "Whether calls are made one after another or all at once.",
        ),
    ],
};

static ARRIVALS: &[Word] = &[
    word("together", "every process sends one request at the start"),
    word("one-by-one", "the next starts when the last one has ended"),
    word("poisson", "at random, independently, at `rate`"),
    word("constant", "evenly: request k starts k / `rate` after the start, k from 0"),
    later_word("closed", "each process sends its next request a while after its last one ended"),
    later_word("trace", "at the times of a file"),
];

/// `[service.NAME]`.
pub static SERVICE: Section = Section {
    path: "service.NAME",
    name: "service",
    meaning: "A service that answers attempts.",
    keys: &[
        key(
            "calls",
            Kind::Calls,
            Absent("none"),
            "Services it asks for each attempt, after its own work, one after another. It answers 200 when all did, else with the status of the first that failed (504 after a timeout).",
        ),
        key(
            "workers",
            Kind::Whole { min: 1, max: 1_000_000, word: Some("unlimited") },
            Value("unlimited"),
            "Attempts it works on at once; others wait in its queue. A worker is held until the attempt is answered.",
        ),
        key(
            "service_time",
            Kind::Law(&LAW),
            Value("0 s"),
            "The time of its own work on an attempt, drawn when the work starts.",
        ),
        key(
            "fails",
            Kind::Chance,
            Value("never"),
            "The share of attempts that fail of themselves, after the service time.",
        ),
        key(
            "status",
            Kind::Whole { min: 400, max: 599, word: None },
            Value("503"),
            "The HTTP status of those that fail. 408, 429, 500, 502, 503 and 504 are retried. A list is not yet supported.",
        ),
        key(
            "timeout",
            Kind::Time { zero: false, word: Some("none") },
            Value("none"),
            "How long an attempt of its own calls may take. A law is not yet supported.",
        ),
        key("retry", Kind::Policy(&RETRY), Value("never"), "The retry policy of its own calls."),
        key(
            "queue",
            Kind::Table(&QUEUE),
            Absent("first in, first out, without limit"),
            "Where attempts wait for a worker.",
        ),
        later(
            "instances",
            "whole number",
            "Copies of the service, each with its own workers and queue.",
        ),
        later(
            "balance",
            "`random`, `round-robin`, `least-busy`, `two-choices`, `by-key`",
            "How attempts are spread over instances.",
        ),
        later("abandoned", "`finish`, `cancel`", "What happens to work whose caller has given up."),
        later(
            "holds_worker",
            "`true` or `false`",
            "Whether a worker is held while it waits for services below.",
        ),
        later("refusal_time", "length of time or a law", "The worker time that a refusal costs."),
        later("service_time_drawn", "`start`, `arrival`", "When the service time is drawn."),
        later(
            "slowdown",
            "table of `per_request`",
            "How much each attempt in flight slows the others.",
        ),
        later(
            "fan_out",
            "`sequence`, `parallel`",
            "Whether its calls are made one after another or all at once.",
        ),
        later("retry_after", "length of time", "A hint with its failures when to come back."),
        later(
            "correlated",
            "`true` or `false`",
            "Whether a request that failed here fails here again.",
        ),
        later("conflict", "`optimistic`", "Whether concurrent writes of one row conflict."),
        later(
            "rate_limit",
            "table of `rate`, `burst`, `status`, `retry_after`",
            "A limit on attempts per time.",
        ),
        later(
            "concurrency_limit",
            "table of `kind` and its parameters",
            "A limit on attempts in flight.",
        ),
        later("shed", "table of `by`", "Which attempts are refused under load."),
        later(
            "honours_deadline",
            "`true` or `false`",
            "Whether it drops work whose deadline has passed or cannot be met.",
        ),
        later(
            "propagate_deadline",
            "`true` or `false`",
            "Whether the deadline travels further down.",
        ),
        later("breaker", "a name of a breaker", "A circuit breaker around its own calls."),
        later(
            "latency",
            "length of time, a law, or `{ there, back }`",
            "Network time on each way to it.",
        ),
    ],
};

/// An entry of `calls` with settings of its own.
pub static CALL: Section = Section {
    path: "calls.NAME",
    name: "call",
    meaning: "One call with settings of its own.",
    keys: &[
        later("service", "a name of a service", "The service that is asked."),
        later("times", "whole number", "How often it is asked."),
        later("probability", "number from 0 to 1", "The chance that it is asked."),
        later("as", "text", "A name for the call."),
        later("timeout", "length of time or a law", "How long an attempt of this call may take."),
        later(
            "retry",
            "`never`, a name of a policy, or a policy",
            "The retry policy of this call.",
        ),
    ],
};

/// `queue = { … }` of a service.
pub static QUEUE: Section = Section {
    path: "service.NAME.queue",
    name: "queue",
    meaning: "Where attempts wait for a worker.",
    keys: &[
        key("order", Kind::Word(ORDERS), Value("fifo"), "Who is served next."),
        later("limit", "whole number", "How many may wait."),
        later("when_full", "`reject`, `drop-oldest`", "Who is refused when it is full."),
        later("timeout", "length of time or a law", "How long an attempt may wait."),
        later(
            "codel",
            "table of `target`, `interval`, `law`",
            "A limit on the wait that follows the load.",
        ),
    ],
};

static ORDERS: &[Word] = &[
    word("fifo", "the first that came"),
    later_word("lifo", "the last that came"),
    later_word("adaptive-lifo", "the last that came while the queue is long"),
];

/// A law of random lengths of time, in a table.
pub static LAW: Section = Section {
    path: "service.NAME.service_time",
    name: "law",
    meaning: "A law of random lengths of time.",
    keys: &[
        key("kind", Kind::Word(LAWS), Required, "The kind of law."),
        key("mean", Kind::Time { zero: false, word: None }, Required, "The mean."),
        later("cv", "number", "Standard deviation over mean, of `gamma` and `lognormal`."),
        later("median", "length of time", "The median of `lognormal`."),
        later("sigma", "number", "The shape of `lognormal`."),
        later("sd", "length of time", "The standard deviation of `normal`."),
        later("shape", "number", "The shape of `weibull` and `pareto`."),
        later("min", "length of time", "The least of `pareto`."),
        later("from", "length of time", "The least of `uniform`."),
        later("to", "length of time", "The greatest of `uniform`."),
        later("stages", "whole number", "The stages of `erlang`."),
        later("parts", "list of laws with `weight`", "The parts of a `mixture`."),
        later("weight", "number", "The weight of a part of a `mixture`."),
        later("points", "list", "The points of `quantiles`."),
        later("between", "`linear`, `log`", "How `quantiles` go between points."),
        later("file", "path of a file", "The data of `empirical`."),
    ],
};

static LAWS: &[Word] = &[
    word("constant", "always the mean"),
    word("exponential", "memoryless"),
    later_word("erlang", "a sum of exponential stages"),
    later_word("gamma", "by mean and cv"),
    later_word("lognormal", "by mean and cv, or by median and sigma"),
    later_word("uniform", "between two bounds"),
    later_word("normal", "cut at zero"),
    later_word("weibull", "by mean and shape"),
    later_word("pareto", "by least and shape"),
    later_word("mixture", "of other laws"),
    later_word("quantiles", "through given points"),
    later_word("empirical", "from data"),
];

/// `[fault.NAME]`.
pub static FAULT: Section = Section {
    path: "fault.NAME",
    name: "fault",
    meaning: "A disturbance for a while.",
    keys: FAULT_KEYS,
};

static FAULT_KEYS: &[Key] = &[
    later(
        "kind",
        "`down`, `hang`, `slow`, `errors`, `capacity`, `surge`, `restart`, `partition`",
        "What goes wrong.",
    ),
    later("service", "a name of a service", "The service it strikes."),
    later("client", "a name of a client", "The client it strikes."),
    later("instance", "whole number", "The instance it strikes."),
    later("from", "length of time", "When it begins."),
    later("for", "length of time", "How long it lasts."),
    later("until", "length of time", "When it ends."),
    later("factor", "number", "How much slower, smaller or more."),
    later("share", "share", "The share of attempts that fail."),
    later("status", "HTTP status", "The status of those that fail."),
    later("retry_after", "length of time", "A hint with its failures when to come back."),
    later("workers", "whole number", "The workers that are left."),
    later("warm_up", "table", "A slow start after a restart."),
    later("keys", "range of keys", "The keys it strikes."),
];
