//! Keys about when to come back: what a service says with its failures, and
//! what a retry policy makes of it.

use super::Fallback::{Absent, Required, Value};
use super::{Kind, Section, Word, key, word};

/// What a hint may do to a wait.
pub(super) static EFFECTS: &[Word] = &[
    word("floor", "the wait is the longer of t and the hint"),
    word("replace", "the wait is the hint"),
    word("ignore", "nothing: hints are not read"),
];

static EFFECT_KINDS: &[Word] = &[
    word("floor", "the wait is the longer of t and the hint"),
    word("floor-before-jitter", "the ceiling is at least the hint, and jitter comes on top"),
    word("replace", "the wait is the hint"),
    word("clamp", "the wait is the hint, but not below t nor above t and `above`"),
    word("spread", "the wait is the hint and up to half of it more, in whole milliseconds"),
    word("base", "the hint is the base from which the backoff computes t"),
    word("ignore", "nothing: hints are not read"),
];

static OTHERWISE: &[Word] = &[
    word("take", "taken: as `cap` if too long, as 0 if negative or unreadable"),
    word("ignore", "as if there were none"),
    word("stop", "the call is given up"),
];

static PLACES: &[Word] = &[word("others", "all other failures")];

/// `retry_after = { … }` of a retry policy.
pub static HINT_RULE: Section = Section {
    path: "retry.NAME.retry_after",
    name: "rule of hints",
    meaning: "What a policy makes of an answer that says when to come back. t is the wait of its own backoff.",
    keys: &[
        key("effect", Kind::Word(EFFECT_KINDS), Value("floor"), "What a hint does."),
        key(
            "above",
            Kind::Time { zero: true, word: None },
            Absent("required for `clamp`"),
            "How much longer than t the wait may be, of `clamp`.",
        ),
        key(
            "cap",
            Kind::Time { zero: true, word: Some("none") },
            Value("none"),
            "The longest hint that is taken as it is.",
        ),
        key("too_long", Kind::Word(OTHERWISE), Value("take"), "What becomes of a longer one."),
        key("zero", Kind::Word(OTHERWISE), Value("take"), "What becomes of a hint of 0."),
        key("negative", Kind::Word(OTHERWISE), Value("ignore"), "What becomes of a negative one."),
        key(
            "unreadable",
            Kind::Word(OTHERWISE),
            Value("ignore"),
            "What becomes of one that cannot be read.",
        ),
        key("dates", Kind::Flag, Value("true"), "Whether it can read an HTTP date."),
        key(
            "read_at",
            Kind::Failures(PLACES),
            Absent("everywhere"),
            "The failures at which hints are read: 413, 429, 503, and the word `others`.",
        ),
        key(
            "needed_at",
            Kind::Failures(PLACES),
            Absent("nowhere"),
            "The failures at which a call is given up if there is no hint.",
        ),
        key(
            "restarts",
            Kind::Flag,
            Value("false"),
            "Whether the backoff begins anew after a hint.",
        ),
    ],
};

/// What a service may say in a word.
pub(super) static ADVICES: &[Word] = &[
    word("none", "nothing"),
    word("negative", "a number below zero, by which gRPC says: do not retry"),
    word("unreadable", "something that no client can read"),
];

/// `retry_after = { … }` of a service.
pub static ADVICE: Section = Section {
    path: "service.NAME.retry_after",
    name: "hint",
    meaning: "When to come back, as a date.",
    keys: &[key(
        "date",
        Kind::Time { zero: true, word: None },
        Required,
        "How far ahead of the answer the HTTP date is. A date is a whole second, cut off; the run starts on one. Clients wait from when the answer arrives.",
    )],
};
