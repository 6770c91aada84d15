//! The table of keys: everything that a scenario may contain.
//!
//! One table drives the reader, its suggestions, the JSON schema and the table
//! in docs/scenario.md. To bring a key to life, give it a kind in place of
//! [`Kind::Later`] and read it where the model is built; to add one, add a
//! line. What a key does in a run is the model's business.

mod clients;
mod faults;
mod hints;
mod laws;
mod policies;
mod retry;
mod rows;
mod services;

pub use clients::{CLIENT, LATENCY, MIX, STEP};
pub use faults::{FAULT, WARM_UP};
pub use hints::{ADVICE, HINT_RULE};
pub use laws::LAW;
pub use policies::{BREAKER, BUDGET};
pub use retry::{JITTER, REPEATABLE, RETRY};
pub use rows::{ROOT, THRESHOLD, VARIANT};
pub use services::{CALL, CODEL, QUEUE, SERVICE, SLOWDOWN, STATUS};

/// A table of the scenario: its keys.
#[derive(Debug)]
pub struct Section {
    /// Where it stands, such as `client.NAME`; empty for the top level.
    pub path: &'static str,
    /// What one such table is called in messages: `client`.
    pub name: &'static str,
    /// What it describes, in one sentence.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// What holds if it is left out.
    pub fallback: Fallback,
    /// What it does, in a sentence or two.
    pub meaning: &'static str,
}

/// What holds when a key is left out.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// It must be there, always or where the meaning says so.
    Required,
    /// This value, as a person would write it (texts without quotes).
    Value(&'static str),
    /// No value; this is what it means.
    Absent(&'static str),
}

/// The values that a key takes.
#[derive(Debug)]
pub enum Kind {
    /// Known, and refused as not yet supported; the values in words.
    Later(&'static str),
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// `true`; `false` is known, and refused as not yet supported.
    True,
    /// A whole number.
    Whole {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
        /// A word that may stand in its place, such as `unlimited`.
        word: Option<&'static str>,
    },
    /// A number without unit.
    Number {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// A number of at most three decimals from 0 to so many thousandths.
    Thousandths {
        /// The greatest, in thousandths.
        max: u64,
    },
    /// A length of time with its unit.
    Time {
        /// Whether it may be zero.
        zero: bool,
        /// A word that may stand in its place, such as `none`.
        word: Option<&'static str>,
    },
    /// A rate with its unit.
    Rate {
        /// Whether it may be zero.
        zero: bool,
    },
    /// A rate, or a list of steps and ramps, each a table with these keys.
    Profile(&'static Section),
    /// `always`, `never` or a share with its unit.
    Chance,
    /// A share with its unit.
    Share,
    /// One of these words.
    Word(&'static [Word]),
    /// One of these words, a table with these keys, or perhaps a length of time.
    Choice {
        /// Whether a length of time may stand in its place.
        time: bool,
        /// The words.
        words: &'static [Word],
        /// The keys of the table.
        section: &'static Section,
    },
    /// A list of lengths of time.
    Times,
    /// A length of time, or a law in a table with these keys.
    Law {
        /// The keys.
        section: &'static Section,
        /// Whether the length may be zero.
        zero: bool,
        /// A word that may stand in its place, such as `none`.
        word: Option<&'static str>,
    },
    /// A law for both ways, or a table with these keys of a law for each.
    Latency {
        /// The keys of the table.
        ways: &'static Section,
        /// The keys of a law.
        law: &'static Section,
    },
    /// Shares, each with the length of time that is not exceeded with it.
    Points,
    /// The path of a data file.
    File,
    /// A list of statuses, ranges of statuses, and these words.
    Failures(&'static [Word]),
    /// A status, or a list of statuses and of tables with these keys.
    Statuses(&'static Section),
    /// A method of HTTP.
    Method,
    /// A list of methods of HTTP.
    Methods,
    /// A service, or a list of services.
    Calls,
    /// `never`, the name of a policy, or a policy in a table with these keys.
    Policy(&'static Section),
    /// The name of a built-in policy.
    Preset,
    /// The name of a table in this section, or `none`.
    Name(&'static str),
    /// The name of a table in this section.
    Target(&'static str),
    /// A table with these keys.
    Table(&'static Section),
    /// Tables by name, each with these keys.
    Named(&'static Section),
    /// Any number of tables, each with these keys.
    Rows(&'static Section),
    /// Paths of settings, each with a list of values.
    Lists,
    /// Paths of settings, each with a value.
    Settings,
    /// The name of a metric.
    Metric,
    /// The name of a variant.
    Variant,
    /// A value of the metric beside it.
    Bound,
    /// A value of the metric beside it, or a share.
    Tolerance,
}

/// A word that a key takes.
#[derive(Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Whether it works; if not, it is refused as not yet supported.
    pub works: bool,
}

impl Section {
    /// The key with this name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl Key {
    /// Whether it works; if not, it is refused as not yet supported.
    pub const fn works(&self) -> bool {
        !matches!(self.kind, Kind::Later(_))
    }

    /// The keys of the tables that may stand under it.
    pub fn sections(&self) -> impl Iterator<Item = &'static Section> {
        let (one, other) = match self.kind {
            Kind::Latency { ways, law } => (Some(ways), Some(law)),
            Kind::Law { section, .. }
            | Kind::Profile(section)
            | Kind::Choice { section, .. }
            | Kind::Policy(section)
            | Kind::Table(section)
            | Kind::Named(section)
            | Kind::Rows(section) => (Some(section), None),
            _ => (None, None),
        };
        one.into_iter().chain(other)
    }
}

impl Kind {
    /// The values in words, for the reference and for messages.
    pub fn describe(&self) -> String {
        let or = |word: Option<&str>| word.map_or(String::new(), |word| format!(", or `{word}`"));
        match *self {
            Self::Later(words) => words.to_owned(),
            Self::Text => "text".to_owned(),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Whole { min, max: u64::MAX, word } => {
                format!("whole number from {}{}", grouped(min), or(word))
            }
            Self::Whole { min, max, word } => {
                format!("whole number from {} to {}{}", grouped(min), grouped(max), or(word))
            }
            Self::Number { min, max } => {
                format!("number from {} to {}", decimal(min), decimal(max))
            }
            Self::Thousandths { max } => {
                format!("number from 0 to {}, at most 3 decimals", grouped(max / 1_000))
            }
            Self::Time { zero: true, word } => format!("length of time{}", or(word)),
            Self::Time { zero: false, word } => format!("length of time above 0{}", or(word)),
            Self::True => "`true`; `false` is not yet supported".to_owned(),
            Self::Rate { .. } => "rate".to_owned(),
            Self::Profile(_) => "rate, or a list of steps and ramps".to_owned(),
            Self::Chance => "`always`, `never` or a share".to_owned(),
            Self::Share => "share".to_owned(),
            Self::Word(words) => names(words),
            Self::Choice { time, words, .. } => {
                let time = if time { "length of time, " } else { "" };
                format!("{time}{}, or a table", names(words))
            }
            Self::Law { word, .. } => format!("length of time, or a law{}", or(word)),
            Self::Latency { .. } => "length of time, a law, or `{ there, back }`".to_owned(),
            Self::Points => "list of `[share, length of time]`".to_owned(),
            Self::File => "path of a CSV file".to_owned(),
            Self::Times => "list of lengths of time".to_owned(),
            Self::Failures(words) => format!("list of statuses, {}", names(words)),
            Self::Statuses(_) => "status, or a list of statuses".to_owned(),
            Self::Method => "method of HTTP".to_owned(),
            Self::Methods => "list of methods of HTTP".to_owned(),
            Self::Preset => "a name of a built-in policy".to_owned(),
            Self::Calls => "a service, or a list of services in order".to_owned(),
            Self::Policy(_) => "`never`, a name of a policy, or a policy".to_owned(),
            Self::Name(section) => format!("a name of a {section}, or `none`"),
            Self::Target(section) => format!("a name of a {section}"),
            Self::Table(_) => "table".to_owned(),
            Self::Named(_) => "tables by name".to_owned(),
            Self::Rows(_) => "any number of tables".to_owned(),
            Self::Lists => "paths, each with a list of values".to_owned(),
            Self::Settings => "paths, each with a value".to_owned(),
            Self::Metric => "a name of a metric".to_owned(),
            Self::Variant => "a name of a variant".to_owned(),
            Self::Bound => "a value of the metric".to_owned(),
            Self::Tolerance => "a value of the metric, or a share".to_owned(),
        }
    }
}

/// The words that work, for the reference.
fn names(words: &[Word]) -> String {
    let supported = words.iter().filter(|word| word.works);
    let names: Vec<_> = supported.map(|word| format!("`{}`", word.name)).collect();
    names.join(", ")
}

/// A number with `_` between thousands, as it may be written in a scenario.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// The same for a number that may have decimals.
pub(super) fn decimal(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number as u64) } else { number.to_string() }
}

/// All sections, the top level first.
pub fn sections() -> [&'static Section; 23] {
    [
        &ROOT,
        &CLIENT,
        &STEP,
        &MIX,
        &LATENCY,
        &SERVICE,
        &STATUS,
        &ADVICE,
        &CALL,
        &QUEUE,
        &CODEL,
        &SLOWDOWN,
        &LAW,
        &RETRY,
        &JITTER,
        &REPEATABLE,
        &HINT_RULE,
        &BUDGET,
        &BREAKER,
        &FAULT,
        &WARM_UP,
        &VARIANT,
        &THRESHOLD,
    ]
}

const fn key(name: &'static str, kind: Kind, fallback: Fallback, meaning: &'static str) -> Key {
    Key { name, kind, fallback, meaning }
}

/// A key that is known and refused.
const fn later(name: &'static str, values: &'static str, meaning: &'static str) -> Key {
    Key { name, kind: Kind::Later(values), fallback: Fallback::Absent("off"), meaning }
}

/// A word that works.
const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning, works: true }
}

/// A word that is known and refused.
const fn later_word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning, works: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_is_named_once_and_says_what_it_does() {
        for section in sections() {
            let names: BTreeSet<_> = section.keys.iter().map(|key| key.name).collect();
            assert_eq!(names.len(), section.keys.len(), "{}", section.path);
            assert!(section.meaning.ends_with('.'), "{}", section.path);
            for key in section.keys {
                assert!(key.meaning.ends_with('.'), "{}.{}", section.path, key.name);
                let snake = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
                assert!(key.name.bytes().all(snake), "{}.{}", section.path, key.name);
                let (Kind::Word(words) | Kind::Failures(words) | Kind::Choice { words, .. }) =
                    key.kind
                else {
                    continue;
                };
                let kebab = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
                assert!(words.iter().all(|word| word.name.bytes().all(kebab)), "{}", key.name);
            }
        }
    }

    #[test]
    fn every_section_that_a_key_leads_to_is_listed() {
        let listed: BTreeSet<_> = sections().iter().map(|section| section.path).collect();
        for section in sections().iter().flat_map(|section| section.keys).flat_map(Key::sections) {
            assert!(listed.contains(section.path), "{}", section.path);
        }
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(1_000_000), "1_000_000");
        assert_eq!(grouped(100), "100");
        assert_eq!((decimal(1e6), decimal(0.001)), ("1_000_000".into(), "0.001".into()));
    }
}
