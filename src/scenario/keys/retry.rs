//! Keys of retry policies: attempts, waits, and what is repeated. What a policy
//! makes of a server's hints is in `hints.rs`.

use super::Fallback::{Absent, Required, Value};
use super::laws::law;
use super::{HINT_RULE, Key, Kind, Section, Word, hints, key, later, later_word, word};

/// `[retry.NAME]`, or `retry = { … }`.
pub static RETRY: Section = Section {
    path: "retry.NAME",
    name: "retry policy",
    meaning: "When a failed attempt is repeated, and after how long. With `preset`, what is left out is as the built-in policy has it.",
    keys: RETRY_KEYS,
};

static RETRY_KEYS: &[Key] = &[
    key(
        "preset",
        Kind::Preset,
        Absent("none"),
        "The built-in policy that the table starts from; [policies.md](policies.md) lists them. A name in `retry` means one too, unless a [retry.NAME] has it.",
    ),
    key(
        "max_attempts",
        Kind::Whole { min: 1, max: 1_000_000, word: Some("unlimited") },
        Absent("required without `preset`"),
        "All attempts of a call, the first included.",
    ),
    key(
        "backoff",
        Kind::Word(BACKOFFS),
        Value("none"),
        "The shape of the waits. The value of retry n (the first is 1) is min(`cap`, `base` × `factor`^(n−1)); what is below calls it the ceiling.",
    ),
    key(
        "base",
        Kind::Time { zero: false, word: None },
        Absent("no wait"),
        "The ceiling of the first wait; required unless `backoff` is `none`, `table` or `random`.",
    ),
    key(
        "throttled_base",
        Kind::Time { zero: false, word: None },
        Absent("as `base`"),
        "The base after a 429, which says \"slow down\".",
    ),
    key(
        "factor",
        Kind::Number { min: 1.0, max: 1_000_000.0 },
        Value("2"),
        "The growth of the ceiling from one retry to the next, where `backoff` grows by a factor.",
    ),
    key(
        "first_exponent",
        Kind::Whole { min: 0, max: 1, word: None },
        Value("0"),
        "The exponent of `factor` at the first retry: 1 in libraries that count before they compute.",
    ),
    key(
        "step",
        Kind::Time { zero: true, word: None },
        Absent("as `base`"),
        "What each further retry adds, of `backoff = \"linear\"`.",
    ),
    key(
        "waits",
        Kind::Times,
        Absent("only for `table`"),
        "The waits of `backoff = \"table\"` in order; the last one repeats.",
    ),
    key(
        "wait",
        law(true, None),
        Absent("only for `random`"),
        "The law of each wait of `backoff = \"random\"`.",
    ),
    key(
        "cap",
        Kind::Time { zero: false, word: Some("none") },
        Value("none"),
        "No ceiling is higher; see `clamp`.",
    ),
    key(
        "least",
        Kind::Time { zero: true, word: None },
        Value("0 s"),
        "No ceiling is lower; see `clamp`. It wins over a smaller `cap`.",
    ),
    key("clamp", Kind::Word(CLAMPS), Value("before-jitter"), "When `cap` and `least` apply."),
    key(
        "jitter",
        Kind::Choice { time: false, words: JITTERS, section: &JITTER },
        Absent("as `backoff` says"),
        "What chance does to the ceiling d, where the shape of `backoff` has no chance of its own. `full-jitter` and `equal-jitter` are `exponential` with `full` and `equal`.",
    ),
    key("first_wait", Kind::Word(FIRSTS), Value("usual"), "What is special about the first wait."),
    key("at_cap", Kind::Word(AT_CAPS), Value("usual"), "What is special at the cap."),
    key("round", Kind::Word(ROUNDS), Value("none"), "The grid of the timer."),
    key(
        "retry_on",
        Kind::Failures(RETRY_ONS),
        Absent("408, 429, 500, 502, 503, 504, `timeout`, `connection`"),
        "The failures that are worth a retry: statuses, ranges such as `\"500-504\"` or `\"5xx\"`, and words. Any other ends the call.",
    ),
    key(
        "repeatable",
        Kind::Choice { time: false, words: REPEATABLES, section: &REPEATABLE },
        Value("idempotent"),
        "The requests that are safe to repeat: the server may have acted on an attempt that failed.",
    ),
    key(
        "retry_after",
        Kind::Choice { time: false, words: hints::EFFECTS, section: &HINT_RULE },
        Value("floor"),
        "What becomes of the wait t when the answer says when to come back (a service's `retry_after`).",
    ),
    key(
        "max_elapsed",
        Kind::Time { zero: false, word: Some("none") },
        Value("none"),
        "How long a call goes on, from its start, whatever the deadline of its request.",
    ),
    key(
        "max_elapsed_rule",
        Kind::Word(TIME_RULES),
        Value("not-longer"),
        "What it does near the end of `max_elapsed`.",
    ),
    key(
        "last_attempt_untimed",
        Kind::Flag,
        Value("false"),
        "Whether the last attempt has no timeout of its own.",
    ),
    key("budget", Kind::Name("budget"), Value("none"), "The budget that pays for retries."),
    later(
        "deadline_rule",
        "`shorter`, `not-longer`, `elapsed`, `clip`, `cut-off`",
        "What it does near the deadline of the request.",
    ),
    later("hedge", "table of `after`, `max`, `loser`", "A second attempt while the first is out."),
    later("breaker", "a name of a breaker", "A circuit breaker that each attempt must pass."),
];

static BACKOFFS: &[Word] = &[
    word("none", "retry at once"),
    word("constant", "always `base`"),
    word("linear", "`base`, and one `step` more for each further retry"),
    word("exponential", "the ceiling itself"),
    word("full-jitter", "uniform between 0 and the ceiling"),
    word("equal-jitter", "half the ceiling, and uniform up to the other half"),
    word(
        "decorrelated-jitter",
        "uniform between `base` and three times the wait before, at most `cap`",
    ),
    word("table", "as listed in `waits`"),
    word("random", "drawn from the law `wait`"),
    word(
        "whole-exponential",
        "exponential, each interval cut to whole milliseconds before the next grows from it",
    ),
    word("doubling", "doubles in whole milliseconds, and is `cap` from half of it on"),
    word("compounding", "`base`, then the wait before, jitter included, times `factor`"),
    word(
        "sorted",
        "exponential; all waits of a call are drawn before the first and put in ascending order",
    ),
    word(
        "finagle-decorrelated",
        "`base`, then uniform between the wait before and three times it, at most `cap`",
    ),
    word(
        "finagle-exponential",
        "`base`, then uniform between 0 and the wait before times 2^(n−1); `cap` for ever once that product reaches it",
    ),
    word(
        "finagle-equal",
        "`base`, then h and uniform up to h more, h = `base` × 2^(n−2); `cap` for ever once h or the sum reaches it",
    ),
    word(
        "polly-v2",
        "differences of 2^t × tanh(√(4t)) at t = n − 1 + u, times `base` / 1.4, at most `cap`",
    ),
];

static CLAMPS: &[Word] = &[
    word("before-jitter", "to the ceiling; jitter may go beyond"),
    word("after-jitter", "to the wait"),
    word("both", "to both"),
];

static JITTERS: &[Word] = &[
    word("none", "nothing"),
    word("full", "uniform between 0 and d"),
    word("equal", "uniform between d/2 and d"),
];

/// `jitter = { … }` of a retry policy.
pub static JITTER: Section = Section {
    path: "retry.NAME.jitter",
    name: "jitter",
    meaning: "What chance does to a wait of d. A draw u is uniform between 0 and 1.",
    keys: &[
        key("kind", Kind::Word(JITTER_KINDS), Required, "Where the wait lies."),
        key(
            "share",
            Kind::Share,
            Absent("only for `symmetric` and `additive`"),
            "A share of d, for `symmetric` and `additive`.",
        ),
        key(
            "max",
            Kind::Time { zero: false, word: None },
            Absent("only for `symmetric` and `additive`"),
            "A fixed length in place of `share`.",
        ),
        key(
            "factor",
            Kind::Number { min: 1.0, max: 1_000.0 },
            Absent("only for `multiplicative`"),
            "The most that d is multiplied by.",
        ),
        key(
            "min",
            Kind::Time { zero: true, word: None },
            Absent("only for `above`"),
            "The lower end of `above`.",
        ),
        key(
            "low",
            Kind::Number { min: 0.0, max: 1_000.0 },
            Absent("only for `range`"),
            "What d is multiplied by at u = 0. It may be above `high`: some libraries subtract their draw.",
        ),
        key(
            "high",
            Kind::Number { min: 0.0, max: 1_000.0 },
            Absent("only for `range`"),
            "What d is multiplied by at u = 1.",
        ),
    ],
};

static JITTER_KINDS: &[Word] = &[
    word("symmetric", "within `share` of d, or within `max`, on both sides"),
    word("additive", "d and up to `share` of it, or up to `max`, on top"),
    word("multiplicative", "d times a factor between 1 and `factor`"),
    word("above", "between `min` and d"),
    word("range", "d times a factor between `low` and `high`"),
];

static FIRSTS: &[Word] = &[
    word("usual", "nothing"),
    word("plain", "it has no jitter"),
    word("zero", "there is none: the first retry is sent at once"),
];

static AT_CAPS: &[Word] = &[
    word("usual", "nothing"),
    word("plain", "a value above `cap` becomes `cap`, without jitter"),
    word("plain-from-base", "no wait has jitter if `base` is not below `cap`"),
];

static ROUNDS: &[Word] = &[
    word("none", "to the nanosecond"),
    word("floor-ms", "down to whole milliseconds, as timers in many libraries do"),
    word("nearest-ms", "to the nearest whole millisecond"),
    word("whole-ms", "one of the whole milliseconds of the range, its end included"),
    word("whole-s", "one of the whole seconds of the range, its end included"),
];

static RETRY_ONS: &[Word] = &[
    word("timeout", "no answer within the attempt's timeout"),
    word("connection", "a connection that was refused or broke"),
    word("throttled", "whatever says \"slow down\": a 429"),
    word("any", "every failure there is"),
    later_word("breaker", "a breaker that refuses an attempt"),
];

static REPEATABLES: &[Word] = &[
    word("idempotent", "GET, HEAD, OPTIONS, TRACE, PUT and DELETE, and any method with a key"),
    word("by-method", "those methods; a key makes no difference"),
    word("anything", "all of them: the policy does not ask"),
];

/// `repeatable = { … }` of a retry policy.
pub static REPEATABLE: Section = Section {
    path: "retry.NAME.repeatable",
    name: "rule of safety",
    meaning: "Which requests may be repeated.",
    keys: &[
        key("methods", Kind::Methods, Absent("none"), "Methods that may be repeated as they are."),
        key(
            "with_key",
            Kind::Methods,
            Absent("none"),
            "Methods that may be repeated if the request has an idempotency key.",
        ),
    ],
};

static TIME_RULES: &[Word] = &[
    word("not-longer", "gives up if the wait is longer than the time left"),
    word("shorter", "gives up if the wait is not shorter than the time left"),
    word("elapsed", "gives up if the time is over already; the wait does not matter"),
    word("clip", "waits no longer than the time left; gives up if none is left"),
    later_word("cut-off", "never asks: whatever runs or waits at the end is cut off there"),
];
