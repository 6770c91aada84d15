//! Values that come in lists: failures, statuses, methods, lengths of time.
//! What is read here is one item; the lists are walked where they are checked,
//! so that an error points at its item.

use std::rc::Rc;

use super::{mismatch, number, short, similar, time, whole, word};
use crate::policy::{Method, StatusSet};
use crate::scenario::keys::{Kind, Section, Word};
use crate::scenario::report::Problem;
use crate::scenario::suggest::nearest;
use crate::scenario::tree::{Node, Value};
use crate::time::Duration;

/// The longest list: nobody writes more by hand.
const LONGEST: usize = 1_000;

/// The items of a list.
pub(in crate::scenario) fn items<'a>(
    key: &str,
    what: &str,
    node: &'a Node,
) -> Result<&'a [Rc<Node>], Problem> {
    let Some(items) = node.list() else {
        let problem = mismatch(key, &format!("a list of {what}"), node);
        let one = match &node.value {
            Value::Text(text) => Some(format!("\"{}\"", short(text))),
            Value::Integer(number) => Some(number.to_string()),
            _ => None,
        };
        return Err(problem.maybe_help(one.map(|one| format!("write [{one}]"))));
    };
    if items.len() > LONGEST {
        let title = format!("`{key}` has more than {LONGEST} entries");
        return Err(Problem::new(title, "too long"));
    }
    Ok(items)
}

/// The same, where an empty list would mean nothing.
pub(in crate::scenario) fn some_items<'a>(
    key: &str,
    what: &str,
    node: &'a Node,
) -> Result<&'a [Rc<Node>], Problem> {
    let items = items(key, what, node)?;
    if items.is_empty() {
        return Err(Problem::new(format!("`{key}` is an empty list"), "nothing in it"));
    }
    Ok(items)
}

/// Some failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum Failures {
    /// Answers with these statuses.
    Statuses(StatusSet),
    /// What a word says.
    Word(&'static str),
}

/// A status, a range of statuses, or a word for other failures.
pub(in crate::scenario) fn failures(
    key: &str,
    node: &Node,
    words: &'static [Word],
) -> Result<Failures, Problem> {
    match &node.value {
        Value::Integer(status) => {
            let status = a_status(u16::try_from(*status).unwrap_or(u16::MAX))?;
            Ok(Failures::Statuses(StatusSet::of(&[status])))
        }
        Value::Text(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            let (first, last) = range(text).ok_or_else(|| not_a_range(text))?;
            let (first, last) = (a_status(first)?, a_status(last)?);
            if first > last {
                return Err(not_a_range(text));
            }
            Ok(Failures::Statuses(StatusSet::EMPTY.with_range(first, last)))
        }
        Value::Text(_) => word(key, node, words).map(Failures::Word),
        _ => Err(mismatch(key, "a list of statuses and words", node)),
    }
}

fn not_a_range(text: &str) -> Problem {
    Problem::new(format!("`{}` is no range of statuses", short(text)), "not such a range")
        .help("write a status as a number, or a range such as \"500-504\" or \"5xx\"")
}

/// The ends of `500-504` or `5xx`.
fn range(text: &str) -> Option<(u16, u16)> {
    if let Some(hundred) = text.strip_suffix("xx") {
        let first = hundred.parse::<u16>().ok()?.checked_mul(100)?;
        return Some((first, first + 99));
    }
    let (first, last) = text.split_once('-')?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

/// A status that says that something failed.
fn a_status(status: u16) -> Result<u16, Problem> {
    match status {
        0 => Err(Problem::new("status 0 is no failure", "OK, in gRPC")),
        _ if StatusSet::can_hold(status) => Ok(status),
        _ => Err(Problem::new("this is no status of a failure", "no such failure")
            .help("statuses of failures go from 400 to 599, and in gRPC from 1 to 16")),
    }
}

/// An entry of a list of statuses: the status and its weight.
pub(in crate::scenario) fn weighted(
    key: &str,
    node: &Node,
    section: &'static Section,
) -> Result<(u16, f64), Problem> {
    let range = |name: &str| section.key(name).map(|key| &key.kind);
    let Some(table) = node.table() else { return Ok((status(key, node, section)?, 1.0)) };
    let missing = || {
        Problem::new("an entry of `status` needs a `status`", "no status")
            .help("{ status = 503, weight = 3 }")
    };
    let status = status("status", table.get("status").ok_or_else(missing)?, section)?;
    let weight = match (table.get("weight"), range("weight")) {
        (Some(node), Some(&Kind::Number { min, max })) => number("weight", node, (min, max))?,
        _ => 1.0,
    };
    Ok((status, weight))
}

/// One status, in the range of the key with this name.
pub(in crate::scenario) fn status(
    key: &str,
    node: &Node,
    section: &'static Section,
) -> Result<u16, Problem> {
    let Some(&Kind::Whole { min, max, .. }) = section.key("status").map(|key| &key.kind) else {
        return Err(mismatch(key, "a status", node));
    };
    whole(key, node, (min, max), None).map(|status| status.unwrap_or(min) as u16)
}

/// A method of HTTP, in capitals or not.
pub(in crate::scenario) fn method(key: &str, node: &Node) -> Result<Method, Problem> {
    let text = node.text().ok_or_else(|| mismatch(key, "a method in quotes", node))?;
    let known = Method::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(text));
    known.ok_or_else(|| {
        let names = Method::ALL.map(Method::name);
        let near = nearest(&text.to_ascii_uppercase(), names);
        let help = near.map_or_else(|| format!("it is one of {}", names.join(", ")), similar);
        Problem::new(format!("unknown method `{}`", short(text)), "unknown method").help(help)
    })
}

/// A length of time in a list of waits; it may be zero.
pub(in crate::scenario) fn length(key: &str, node: &Node) -> Result<Duration, Problem> {
    time(key, node, true, None).map(Option::unwrap_or_default)
}
