//! Keys of laws of random lengths of time.

use super::Fallback::{Absent, Required};
use super::{Kind, Section, Word, key, word};

/// A length of time, or a law in a table.
pub(super) const fn law(zero: bool, word: Option<&'static str>) -> Kind {
    Kind::Law { section: &LAW, zero, word }
}

const ABOVE_ZERO: Kind = Kind::Time { zero: false, word: None };

/// A law of random lengths of time, in a table.
pub static LAW: Section = Section {
    path: "service.NAME.service_time",
    name: "law",
    meaning: "A law of random lengths of time. Each `kind` takes the parameters that its meaning names, and needs them all.",
    keys: &[
        key("kind", Kind::Word(LAWS), Required, "The kind of law."),
        key("mean", ABOVE_ZERO, Absent("by `kind`"), "The mean."),
        key(
            "cv",
            Kind::Number { min: 1e-6, max: 1_000.0 },
            Absent("by `kind`"),
            "The coefficient of variation: standard deviation over mean.",
        ),
        key("median", ABOVE_ZERO, Absent("by `kind`"), "The median of `lognormal`."),
        key(
            "sigma",
            Kind::Number { min: 1e-6, max: 10.0 },
            Absent("by `kind`"),
            "The standard deviation of the natural logarithm of `lognormal`.",
        ),
        key("sd", ABOVE_ZERO, Absent("by `kind`"), "The standard deviation of `normal`."),
        key(
            "shape",
            Kind::Number { min: 0.01, max: 1_000_000.0 },
            Absent("by `kind`"),
            "The shape: of `weibull` from 0.05 to 1,000 (1 is exponential, less has a long tail), of `pareto` any (up to 1 its mean is infinite, up to 2 its variance).",
        ),
        key("min", ABOVE_ZERO, Absent("by `kind`"), "The least length of `pareto`."),
        key(
            "from",
            Kind::Time { zero: true, word: None },
            Absent("by `kind`"),
            "The least length of `uniform`.",
        ),
        key(
            "to",
            Kind::Time { zero: true, word: None },
            Absent("by `kind`"),
            "The greatest length of `uniform`.",
        ),
        key(
            "stages",
            Kind::Whole { min: 1, max: 1_000_000, word: None },
            Absent("by `kind`"),
            "How many exponential stages `erlang` has.",
        ),
        key(
            "parts",
            Kind::Rows(&LAW),
            Absent("by `kind`"),
            "The parts of `mixture`: laws, each with a `weight`.",
        ),
        key(
            "weight",
            Kind::Number { min: 0.001, max: 1e9 },
            Absent("required in a part of a mixture, only there"),
            "How often the part is chosen, against the other weights.",
        ),
        key(
            "points",
            Kind::Points,
            Absent("by `kind`"),
            "The points of `quantiles`, in ascending order: `[[\"50 %\", \"10 ms\"], [\"99 %\", \"200 ms\"]]`.",
        ),
        key(
            "between",
            Kind::Word(BETWEEN),
            Absent("`linear`"),
            "How `quantiles` go on between points.",
        ),
        key(
            "file",
            Kind::File,
            Absent("by `kind`"),
            "The data of `empirical`: a CSV file, beside the scenario, with a column `time_s` of lengths in seconds.",
        ),
    ],
};

static LAWS: &[Word] = &[
    word("constant", "always `mean`"),
    word("exponential", "of this `mean`; what is left never depends on what has passed"),
    word("erlang", "the sum of `stages` exponential stages with this `mean` together"),
    word("gamma", "by `mean` and `cv`"),
    word("lognormal", "by `mean` and `cv`, or by `median` and `sigma`"),
    word("uniform", "equally likely between `from` and `to`"),
    word("normal", "by `mean` and `sd`; what is below 0 is 0"),
    word("weibull", "by `mean` and `shape`"),
    word("pareto", "by `min` and `shape`: longer than x with probability (`min` / x)^`shape`"),
    word("mixture", "one of `parts`, chosen anew each time"),
    word("quantiles", "through given `points`"),
    word("empirical", "one of the lengths in `file`, all equally likely"),
];

static BETWEEN: &[Word] = &[
    word("linear", "from 0 s at 0 %, in straight lines; level after the last point"),
    word(
        "log",
        "straight lines of the logarithms of the length and of the share above it: pieces of Pareto laws; the last goes on for ever, or to a point of 100 %",
    ),
];
