//! Keys of budgets and breakers. Retry policies are in `retry.rs`.

use super::Fallback::{Required, Value};
use super::{Kind, Section, Word, key, later, later_word, word};

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
