//! Keys of the top level, of variants and of thresholds.

use super::Fallback::{Absent, Required, Value};
use super::{
    BREAKER, BUDGET, CLIENT, FAULT, Kind, RETRY, SERVICE, Section, Word, key, later, word,
};

/// The top level of the file.
pub static ROOT: Section = Section {
    path: "",
    name: "scenario",
    meaning: "The scenario as a whole.",
    keys: &[
        key("name", Kind::Text, Value("unnamed scenario"), "The title of the scenario."),
        key(
            "seed",
            Kind::Whole { min: 0, max: u64::MAX, word: None },
            Value("1"),
            "The seed of every draw. The same file and seed give the same results.",
        ),
        key(
            "duration",
            Kind::Time { zero: false, word: None },
            Absent("the run drains"),
            "When the clock stops. Required unless the requests of every client come to an end: by `requests`, `together`, a `trace`, or a rate that ends at 0.",
        ),
        key(
            "warmup",
            Kind::Time { zero: true, word: None },
            Value("0 s"),
            "Metrics leave out what is sent before this.",
        ),
        key(
            "recovery_window",
            Kind::Time { zero: false, word: Some("auto") },
            Value("auto"),
            "The trailing window of goodput that decides about recovery; `auto` takes the longer of 1 s and the time in which 1,000 requests arrive.",
        ),
        key(
            "random",
            Kind::Word(RANDOM),
            Value("pcg64"),
            "Where the waits of clients are drawn from. Everything else is always keyed.",
        ),
        key(
            "slice",
            Kind::Time { zero: false, word: None },
            Value("10 ms"),
            "The length of time in which attempts are counted for the peak.",
        ),
        key(
            "timeline_slice",
            Kind::Time { zero: false, word: Some("auto") },
            Value("auto"),
            "The length of a row of the timeline; `auto` chooses a round one that gives 200 to 600 rows.",
        ),
        key(
            "record_attempts",
            Kind::Flag,
            Value("false"),
            "Write attempts.csv, a row for every attempt.",
        ),
        key(
            "live_limit",
            Kind::Whole { min: 1, max: 200_000_000, word: None },
            Value("20_000_000"),
            "Calls and attempts that may be alive at once; the run stops with an error when there are more.",
        ),
        key("client", Kind::Named(&CLIENT), Required, "The clients, by name; at least one."),
        key("service", Kind::Named(&SERVICE), Required, "The services, by name; at least one."),
        key(
            "retry",
            Kind::Named(&RETRY),
            Absent("none"),
            "Retry policies that several callers use, by name.",
        ),
        key("budget", Kind::Named(&BUDGET), Absent("none"), "Retry budgets, by name."),
        key("fault", Kind::Named(&FAULT), Absent("none"), "Disturbances for a while, by name."),
        key(
            "compare",
            Kind::Lists,
            Absent("one run"),
            "Settings by path, each with the values to compare: one run for each. Several paths give every combination.",
        ),
        key(
            "variant",
            Kind::Rows(&VARIANT),
            Absent("one run"),
            "Variants of the scenario: one run for each, or for each with each value of `compare`.",
        ),
        key(
            "threshold",
            Kind::Rows(&THRESHOLD),
            Absent("none"),
            "Demands on the results; one that is missed makes the run exit with 1.",
        ),
        later("replications", "whole number", "Runs with derived seeds."),
        later("breaker", "tables by name", BREAKER.meaning),
    ],
};

static RANDOM: &[Word] = &[
    word("pcg64", "keyed PCG64: a draw depends on what it is for, never on when"),
    word("cpython", "one stream of CPython's `random.Random(seed)`, in the order of requests"),
    word("mulberry32", "one stream of mulberry32, in the order of requests"),
];

/// `[[variant]]`.
pub static VARIANT: Section = Section {
    path: "variant",
    name: "variant",
    meaning: "One run with some settings changed.",
    keys: &[
        key("name", Kind::Text, Required, "Its name, unlike all others."),
        key("set", Kind::Settings, Absent("as the file says"), "The settings it changes, by path."),
    ],
};

/// `[[threshold]]`.
pub static THRESHOLD: Section = Section {
    path: "threshold",
    name: "threshold",
    meaning: "A demand on a metric. It needs `min`, `max` or `equals`.",
    keys: &[
        key(
            "metric",
            Kind::Metric,
            Required,
            "The metric: a column of summary.csv without its unit.",
        ),
        key("of", Kind::Variant, Absent("every variant"), "The variant it speaks of."),
        key("min", Kind::Bound, Absent("no limit"), "The least value that passes."),
        key("max", Kind::Bound, Absent("no limit"), "The greatest value that passes."),
        key(
            "equals",
            Kind::Bound,
            Absent("no limit"),
            "The value that passes, give or take `tolerance`.",
        ),
        key(
            "tolerance",
            Kind::Tolerance,
            Absent("exactly"),
            "How far from `equals` still passes: a value of the metric, or a share of `equals`.",
        ),
        later("stat", "`mean`, `p90`, `share`", "How replications are judged together."),
        later("service", "a name of a service", "The service it speaks of."),
        later("client", "a name of a client", "The client it speaks of."),
    ],
};
