//! Keys of services and their queues.

use super::Fallback::{Absent, Required, Value};
use super::laws::law;
use super::{
    ADVICE, Kind, LATENCY, LAW, RETRY, Section, Word, hints, key, later, later_word, word,
};

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
            "Attempts that each instance works on at once; others wait in its queue. A worker is held until the attempt is answered.",
        ),
        key(
            "instances",
            Kind::Whole { min: 1, max: 1_000_000, word: None },
            Value("1"),
            "Copies of the service, each with its own workers and queue.",
        ),
        key(
            "balance",
            Kind::Word(BALANCES),
            Value("random"),
            "How attempts are spread over instances.",
        ),
        key(
            "service_time",
            law(true, None),
            Value("0 s"),
            "The time of its own work on an attempt.",
        ),
        key(
            "fails",
            Kind::Chance,
            Value("never"),
            "The share of attempts that fail of themselves, after the service time.",
        ),
        key(
            "status",
            Kind::Statuses(&STATUS),
            Value("503"),
            "The HTTP status of those that fail, or a list: each as often as the others, or by its `weight`.",
        ),
        key(
            "timeout",
            law(false, Some("none")),
            Absent("`none`, or what a built-in policy in `retry` brings"),
            "How long an attempt of its own calls may take, drawn for each if it is a law.",
        ),
        key(
            "retry_after",
            Kind::Choice { time: true, words: hints::ADVICES, section: &ADVICE },
            Value("none"),
            "What its own failures say about when to come back; the policies of its callers decide what becomes of it. A length of time is in a form that every client reads. It is not handed up: who calls a service that gave up sees that service's answer.",
        ),
        key("retry", Kind::Policy(&RETRY), Value("never"), "The retry policy of its own calls."),
        key(
            "queue",
            Kind::Table(&QUEUE),
            Absent("first in, first out, without limit"),
            "Where attempts wait for a worker.",
        ),
        key(
            "abandoned",
            Kind::Word(ABANDONED),
            Value("finish"),
            "What happens to work whose caller has given up.",
        ),
        key(
            "service_time_drawn",
            Kind::Word(DRAWN),
            Value("start"),
            "When the service time, and a fault's or slowdown's factor, is fixed.",
        ),
        key(
            "slowdown",
            Kind::Table(&SLOWDOWN),
            Absent("none"),
            "How much attempts in flight slow each other.",
        ),
        key(
            "latency",
            Kind::Latency { ways: &LATENCY, law: &LAW },
            Absent("`0 s`"),
            "Network time on each way between it and those that call it, drawn anew for each, where the caller is no client with a latency of its own.",
        ),
        key(
            "propagate_deadline",
            Kind::Flag,
            Value("false"),
            "Whether a deadline that came with an attempt travels on with its own calls, so that it holds for theirs as well.",
        ),
        key(
            "holds_worker",
            Kind::True,
            Value("true"),
            "Whether a worker is held while it waits for services below.",
        ),
        later("refusal_time", "length of time or a law", "The worker time that a refusal costs."),
        later(
            "fan_out",
            "`sequence`, `parallel`",
            "Whether its calls are made one after another or all at once.",
        ),
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
        later("breaker", "a name of a breaker", "A circuit breaker around its own calls."),
    ],
};

static BALANCES: &[Word] = &[
    word("random", "each is equally likely"),
    word("round-robin", "in turn"),
    word("least-busy", "the one with the fewest attempts in flight, the first of several"),
    word("two-choices", "the less busy of two that are drawn"),
    later_word("by-key", "the same one for each key"),
];

static ABANDONED: &[Word] = &[
    word("finish", "the service does not know, and works to the end"),
    word("cancel", "what waits is dropped, what runs is stopped, and so are its calls"),
];

static DRAWN: &[Word] = &[word("start", "when service starts"), word("arrival", "on arrival")];

/// `slowdown = { … }` of a service.
pub static SLOWDOWN: Section = Section {
    path: "service.NAME.slowdown",
    name: "slowdown",
    meaning: "How much attempts in flight at an instance slow each other.",
    keys: &[key(
        "per_request",
        Kind::Number { min: 0.0, max: 1_000.0 },
        Required,
        "Service that starts takes 1 + `per_request` × the number in flight times as long, itself included.",
    )],
};

/// An entry of a list in `status`.
pub static STATUS: Section = Section {
    path: "service.NAME.status",
    name: "status",
    meaning: "A status in a list, as often as its weight says.",
    keys: &[
        key("status", Kind::Whole { min: 400, max: 599, word: None }, Required, "The HTTP status."),
        key(
            "weight",
            Kind::Number { min: 0.0, max: 1_000_000.0 },
            Value("1"),
            "Its share of the failures, against the weights of the others.",
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
    meaning: "Where attempts wait for a worker of their instance.",
    keys: &[
        key("order", Kind::Word(ORDERS), Value("fifo"), "Who is served next."),
        key(
            "limit",
            Kind::Whole { min: 0, max: 1_000_000_000, word: Some("unlimited") },
            Value("unlimited"),
            "How many may wait.",
        ),
        key("when_full", Kind::Word(WHEN_FULL), Value("reject"), "Who is refused when it is full."),
        key(
            "timeout",
            law(false, Some("none")),
            Value("none"),
            "How long an attempt may wait, drawn for each if it is a law; then it is refused.",
        ),
        key(
            "codel",
            Kind::Table(&CODEL),
            Absent("none"),
            "A limit on the wait in a standing queue.",
        ),
    ],
};

static ORDERS: &[Word] = &[
    word("fifo", "the first that came"),
    word("lifo", "the last that came"),
    word(
        "adaptive-lifo",
        "the first that came, but the last while the queue has not been empty for the `interval` of `codel`, or for 100 ms without it",
    ),
];

static WHEN_FULL: &[Word] =
    &[word("reject", "the one that comes"), word("drop-oldest", "the one that waits longest")];

/// `codel = { … }` of a queue.
pub static CODEL: Section = Section {
    path: "service.NAME.queue.codel",
    name: "limit on a standing queue",
    meaning: "A limit on the wait in a queue that has not been empty for a while: a burst passes, a standing queue is cut.",
    keys: &[
        key("law", Kind::Word(CODEL_LAWS), Value("fail-at-scale"), "How it cuts."),
        key(
            "target",
            Kind::Time { zero: false, word: None },
            Value("5 ms"),
            "The wait that a standing queue may cause.",
        ),
        key(
            "interval",
            Kind::Time { zero: false, word: None },
            Value("100 ms"),
            "How long a queue must stand to count as standing.",
        ),
    ],
};

static CODEL_LAWS: &[Word] = &[
    word(
        "fail-at-scale",
        "an attempt may wait `interval`, but only `target` if the queue was not empty within the last `interval` (Maurer 2015)",
    ),
    word(
        "rfc8289",
        "once the wait has been above `target` for `interval`, attempts are dropped at their turn, more and more often (RFC 8289)",
    ),
];
