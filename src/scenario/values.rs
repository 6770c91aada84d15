//! Plain values: from a node of the tree to a number, a length of time or a
//! word, within the range that its key allows. What holds between keys is
//! checked where the model is built.

pub(super) mod lists;

use super::keys::{Word, decimal, grouped};
use super::quantity;
use super::report::Problem;
use super::suggest::nearest;
use super::tree::{Node, Value};
use crate::time::Duration;

/// A whole number from `min` to `max`; `None` for the word in its place.
pub(super) fn whole(
    key: &str,
    node: &Node,
    (min, max): (u64, u64),
    word: Option<&str>,
) -> Result<Option<u64>, Problem> {
    if is_word(node, word) {
        return Ok(None);
    }
    let Value::Integer(number) = node.value else {
        let problem = mismatch(key, "a whole number", node);
        let shown = match &node.value {
            Value::Text(text) => text.trim().replace(['_', ','], "").parse::<u64>().ok(),
            Value::Float(digits) => digits.strip_suffix(".0").and_then(|text| text.parse().ok()),
            _ => None,
        };
        let number = shown.map(|number| format!("write {}", grouped(number)));
        return Err(problem.maybe_help(number.or_else(|| instead(node, word))));
    };
    match u64::try_from(number) {
        Ok(number) if number < min => Err(out_of_range(key, "too small", (min, max))),
        Ok(number) if number > max => Err(out_of_range(key, "too large", (min, max))),
        Ok(number) => Ok(Some(number)),
        Err(_) if number < 0 => Err(out_of_range(key, "too small", (min, max))),
        Err(_) => Err(out_of_range(key, "too large", (min, max))),
    }
}

fn out_of_range(key: &str, label: &str, (min, max): (u64, u64)) -> Problem {
    let range = if max == u64::MAX {
        format!("it is at least {} and fits into 64 bits", grouped(min))
    } else {
        format!("it goes from {} to {}", grouped(min), grouped(max))
    };
    Problem::new(format!("`{key}` is {label}"), label).help(range)
}

/// A number without unit from `min` to `max`.
pub(super) fn number(key: &str, node: &Node, (min, max): (f64, f64)) -> Result<f64, Problem> {
    let number = finite(key, node)?;
    let shrinks = if key == "factor" { "; below 1, waits would shrink" } else { "" };
    let range = || format!("it goes from {} to {}{shrinks}", decimal(min), decimal(max));
    if number < min {
        return Err(Problem::new(format!("`{key}` is too small"), "too small").help(range()));
    }
    if number > max {
        return Err(Problem::new(format!("`{key}` is too large"), "too large").help(range()));
    }
    Ok(number)
}

/// Any finite number without unit.
pub(super) fn finite(key: &str, node: &Node) -> Result<f64, Problem> {
    let number = match &node.value {
        Value::Integer(number) => *number as f64,
        Value::Float(digits) => digits.parse().unwrap_or(f64::NAN),
        _ => return Err(mismatch(key, "a number without unit", node)),
    };
    if !number.is_finite() {
        return Err(Problem::new(format!("`{key}` is not a finite number"), "not finite"));
    }
    Ok(number)
}

/// A number of at most three decimals, in thousandths, exactly.
pub(super) fn thousandths(key: &str, node: &Node, max: u64) -> Result<u64, Problem> {
    let digits = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Float(digits) => digits.clone(),
        _ => return Err(mismatch(key, "a number without unit", node)),
    };
    let range = format!("it goes from 0 to {}", grouped(max / 1_000));
    let Some(decimal) = quantity::Decimal::parse(&digits) else {
        let title = format!("`{key}` is not a number of at most three decimals");
        return Err(Problem::new(title, "not such a number").help(range));
    };
    if decimal.is_negative() {
        return Err(Problem::new(format!("`{key}` is negative"), "below zero").help(range));
    }
    match decimal.times(1_000) {
        quantity::Scaled::Whole(thousandths) if thousandths <= max => Ok(thousandths),
        quantity::Scaled::Fraction => {
            Err(Problem::new(format!("`{key}` has more than three decimals"), "too fine")
                .help("tokens are counted in thousandths, exactly"))
        }
        _ => Err(Problem::new(format!("`{key}` is too large"), "too large").help(range)),
    }
}

/// A length of time; `None` for the word in its place.
pub(super) fn time(
    key: &str,
    node: &Node,
    zero: bool,
    word: Option<&str>,
) -> Result<Option<Duration>, Problem> {
    if is_word(node, word) {
        return Ok(None);
    }
    let Some(text) = node.text() else {
        return Err(unitless(key, "a length of time", node, &["ms", "s"]));
    };
    let length = quantity::time(key, text).map_err(|problem| match instead(node, word) {
        Some(help) => problem.help(help),
        None => problem,
    })?;
    if length.is_zero() && !zero {
        let problem = Problem::new(format!("`{key}` is zero"), "no time at all");
        return Err(problem.help(match (key, word) {
            ("base", _) => {
                "every wait would be 0: write backoff = \"none\" to retry at once".into()
            }
            (_, Some(word)) => format!("it is longer than 0; for no limit write \"{word}\""),
            _ => "it is longer than 0".to_owned(),
        }));
    }
    Ok(Some(length))
}

/// A rate, per second.
pub(super) fn rate(key: &str, node: &Node, zero: bool) -> Result<f64, Problem> {
    let text = node.text().ok_or_else(|| unitless(key, "a rate", node, &["/s"]))?;
    quantity::rate(key, text, zero)
}

/// `always`, `never` or a share, from 0 to 1.
pub(super) fn chance(key: &str, node: &Node) -> Result<f64, Problem> {
    match node.text() {
        Some("always") => Ok(1.0),
        Some("never") => Ok(0.0),
        Some(text) if text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let near = nearest(text, ["always", "never"]);
            let help = near.map_or("write \"always\", \"never\" or \"5 %\"".to_owned(), similar);
            Err(Problem::new(format!("unknown word `{}`", short(text)), "unknown word").help(help))
        }
        Some(text) => quantity::share(key, text),
        None => Err(bare_share(key, node)),
    }
}

/// A point of a law: a share, and a length of time.
pub(super) fn point(key: &str, node: &Node) -> Result<(f64, Duration), Problem> {
    let Some([share, length]) = node.list() else {
        let problem = mismatch(key, "a list of pairs of a share and a length of time", node);
        return Err(problem.help("write [[\"50 %\", \"10 ms\"], [\"99 %\", \"200 ms\"]]"));
    };
    let text = share.text().ok_or_else(|| bare_share(key, share))?;
    let share = quantity::share(key, text)?;
    Ok((share, time(key, length, true, None)?.unwrap_or_default()))
}

/// The longest path that a file may have.
const LONGEST_PATH: usize = 4_096;

/// The path of a data file, as it was written.
pub(super) fn file<'a>(key: &str, node: &'a Node) -> Result<&'a str, Problem> {
    let text = node.text().ok_or_else(|| mismatch(key, "a path in quotes", node))?;
    if text.trim().is_empty() {
        return Err(Problem::new(format!("`{key}` is empty"), "no path"));
    }
    if text.len() > LONGEST_PATH || text.chars().any(char::is_control) {
        return Err(Problem::new(format!("`{key}` is not a path"), "not a path"));
    }
    Ok(text)
}

/// `true`, for which there is no alternative yet.
pub(super) fn always_true(key: &str, node: &Node) -> Result<(), Problem> {
    if flag(key, node)? {
        return Ok(());
    }
    let title = format!("{key} = false is not yet supported");
    Err(Problem::new(title, "not yet supported").help("leave it out for now"))
}

/// A share, from 0 to 1.
pub(super) fn share(key: &str, node: &Node) -> Result<f64, Problem> {
    let text = node.text().ok_or_else(|| bare_share(key, node))?;
    quantity::share(key, text)
}

/// `true` or `false`.
pub(super) fn flag(key: &str, node: &Node) -> Result<bool, Problem> {
    if let Value::Flag(flag) = node.value {
        return Ok(flag);
    }
    let word = node.text().filter(|text| matches!(*text, "true" | "false"));
    let help = word.map(|word| format!("write {word}, without quotes"));
    Err(mismatch(key, "true or false", node).maybe_help(help))
}

/// Longer names and titles would not fit into any table.
const LONGEST_TEXT: usize = 200;

/// A text for people: not empty, one line, without control characters.
pub(super) fn title<'a>(key: &str, node: &'a Node) -> Result<&'a str, Problem> {
    let text = node.text().ok_or_else(|| mismatch(key, "a text", node))?;
    if text.trim().is_empty() {
        return Err(Problem::new(format!("`{key}` is empty"), "no text"));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::new(
            format!("`{key}` contains a control character"),
            "a line break, a tab or the like",
        )
        .help("it stands in tables and files, in one line"));
    }
    if text.chars().count() > LONGEST_TEXT {
        let title = format!("`{key}` is longer than {LONGEST_TEXT} characters");
        return Err(Problem::new(title, "too long").help("put what it explains into a comment"));
    }
    Ok(text)
}

/// One of some words.
pub(super) fn word(
    key: &str,
    node: &Node,
    words: &'static [Word],
) -> Result<&'static str, Problem> {
    let text = node.text().ok_or_else(|| mismatch(key, "a word in quotes", node))?;
    let supported: Vec<_> = words.iter().filter(|word| word.works).map(|word| word.name).collect();
    let supported = supported.join(", ");
    match words.iter().find(|word| word.name == text) {
        Some(word) if word.works => Ok(word.name),
        Some(word) => {
            let title = format!("{key} = \"{text}\" ({}) is not yet supported", word.meaning);
            let problem = Problem::new(title, "not yet supported");
            Err(problem.help(format!("what works now: {supported}")))
        }
        None => {
            let near = nearest(text, words.iter().map(|word| word.name));
            let help = near.map_or_else(|| format!("`{key}` is one of {supported}"), similar);
            let title = format!("unknown {key} `{}`", short(text));
            Err(Problem::new(title, "unknown word").help(help))
        }
    }
}

/// A value that is a word or, where that may be, a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One of the words.
    Word(&'static str),
    /// A length of time.
    Time(Duration),
}

/// One of some words, or perhaps a length of time.
pub(super) fn choice(
    key: &str,
    node: &Node,
    may_be_time: bool,
    words: &'static [Word],
) -> Result<Choice, Problem> {
    let is_time = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match node.text() {
        Some(text) if may_be_time && is_time(text) => quantity::time(key, text).map(Choice::Time),
        Some(text) if may_be_time && words.iter().all(|word| word.name != text) => {
            let names: Vec<_> = words.iter().map(|word| format!("\"{}\"", word.name)).collect();
            let title = format!("`{key}` is no length of time: `{}`", short(text));
            let help = format!("write one such as \"2 s\", or a word: {}", names.join(", "));
            Err(Problem::new(title, "not a length of time").help(help))
        }
        None if may_be_time => Err(unitless(key, "a length of time", node, &["ms", "s"])),
        _ => word(key, node, words).map(Choice::Word),
    }
}

/// The help that names a word which was probably meant.
pub(super) fn similar(word: &str) -> String {
    format!("a word with a similar name exists: `{word}`")
}

/// The error that a value is of another kind than its key takes.
pub(super) fn mismatch(key: &str, wanted: &str, node: &Node) -> Problem {
    Problem::new(format!("`{key}` is {wanted}, not {}", node.kind()), format!("not {wanted}"))
}

/// A number stands where a share is due: 0.05 is most likely 5 %.
fn bare_share(key: &str, node: &Node) -> Problem {
    let problem = unitless(key, "a share", node, &["%"]);
    let Value::Float(digits) = &node.value else { return problem };
    match quantity::Decimal::parse(digits).map(|share| share.times(100)) {
        Some(quantity::Scaled::Whole(percent)) if percent <= 100 => {
            problem.help(format!("write a text with the unit: \"{percent} %\""))
        }
        _ => problem,
    }
}

/// A number stands where a quantity is due.
fn unitless(key: &str, wanted: &str, node: &Node, units: &[&str]) -> Problem {
    let digits = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Float(digits) => digits.clone(),
        _ => return mismatch(key, wanted, node),
    };
    let forms: Vec<_> = units.iter().map(|unit| format!("\"{digits} {unit}\"")).collect();
    Problem::new(
        format!("`{key}` is {wanted}, and a bare number has no unit"),
        "a number without a unit",
    )
    .help(format!("write a text with the unit, such as {}", forms.join(" or ")))
}

/// Whether a node is the word that stands in place of a quantity.
fn is_word(node: &Node, word: Option<&str>) -> bool {
    word.is_some() && node.text() == word
}

/// Help where a word stands that is not the one allowed.
fn instead(node: &Node, word: Option<&str>) -> Option<String> {
    let text = node.text()?;
    let word = word?;
    text.starts_with(|c: char| c.is_alphabetic())
        .then(|| format!("the word for no limit is \"{word}\""))
}

/// A text of the user, cut to what fits into a message.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= MOST {
        return line;
    }
    line.chars().take(MOST - 3).chain("...".chars()).collect()
}
