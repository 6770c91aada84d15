//! Keys of faults.

use super::Fallback::{Absent, Required, Value};
use super::{Key, Kind, Section, Word, key, later, later_word, word};

/// `[fault.NAME]`.
pub static FAULT: Section = Section {
    path: "fault.NAME",
    name: "fault",
    meaning: "A disturbance for a while. Of several at once the strongest counts: `down` before `hang`, factors multiply, the smallest capacity wins.",
    keys: FAULT_KEYS,
};

static FAULT_KEYS: &[Key] = &[
    key("kind", Kind::Word(KINDS), Required, "What goes wrong."),
    key(
        "service",
        Kind::Target("service"),
        Absent("required but for `surge`"),
        "The service it strikes.",
    ),
    key("client", Kind::Target("client"), Absent("only for `surge`"), "The client it strikes."),
    key(
        "instance",
        Kind::Whole { min: 0, max: 999_999, word: None },
        Absent("all of them"),
        "The instance of the service that it strikes, counted from 0.",
    ),
    key("from", Kind::Time { zero: true, word: None }, Value("0 s"), "When it begins."),
    key(
        "for",
        Kind::Time { zero: false, word: None },
        Absent("until the end of the run; a `restart` takes no time"),
        "How long it lasts.",
    ),
    key(
        "until",
        Kind::Time { zero: false, word: None },
        Absent("as `for` says"),
        "When it ends, in place of `for`.",
    ),
    key(
        "factor",
        Kind::Number { min: 0.0, max: 1_000_000.0 },
        Absent("by `kind`"),
        "`slow`: how many times as long service takes, above 0. `capacity`: how many times as many workers are left, rounded down. `surge`: how many times as high the rate is.",
    ),
    key("share", Kind::Chance, Absent("only for `errors`"), "The share of attempts that fail."),
    key(
        "status",
        Kind::Whole { min: 400, max: 599, word: None },
        Absent("`503`; only for `errors`"),
        "The HTTP status of those that fail.",
    ),
    key(
        "workers",
        Kind::Whole { min: 0, max: 1_000_000, word: None },
        Absent("only for `capacity`"),
        "The workers that each instance has left, in place of `factor`.",
    ),
    key(
        "warm_up",
        Kind::Table(&WARM_UP),
        Absent("none; only for `restart`"),
        "The while after a restart in which service is slow.",
    ),
    later("retry_after", "length of time", "A hint with its failures when to come back."),
    later("keys", "range of keys", "The keys it strikes."),
];

static KINDS: &[Word] = &[
    word("down", "attempts are refused at once; what is inside goes on"),
    word("hang", "nothing is served, running work is frozen, callers wait"),
    word("slow", "what starts takes `factor` times as long"),
    word("errors", "a `share` of attempts fails with `status`, after the service time"),
    word("capacity", "`workers` are left, or `factor` times as many; running work is finished"),
    word("surge", "the rate of a client is `factor` times as high"),
    word(
        "restart",
        "queue and connections are lost when it begins, attempts are refused until it ends; then `warm_up`",
    ),
    later_word("partition", "no attempt passes between two services"),
];

/// `warm_up = { … }` of a restart.
pub static WARM_UP: Section = Section {
    path: "fault.NAME.warm_up",
    name: "warm-up",
    meaning: "The while after a restart in which service is slow.",
    keys: &[
        key("for", Kind::Time { zero: false, word: None }, Required, "How long it takes."),
        key(
            "factor",
            Kind::Number { min: 1.0, max: 1_000_000.0 },
            Required,
            "How many times as long service takes at its start; it falls evenly to 1.",
        ),
    ],
};
