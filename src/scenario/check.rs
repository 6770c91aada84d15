//! What can be said of a value by itself: unknown keys, wrong kinds, wrong
//! units, values out of range, and what is not yet supported. The table of
//! keys says what is right. What holds between values is checked where the
//! model is built, for each variant.

use std::rc::Rc;

use super::keys::{Key, Kind, Section, Word, sections};
use super::report::{Problem, Report};
use super::suggest::nearest;
use super::tree::{Node, Table, Value};
use super::values::{self, lists, mismatch, short};

/// The longest name of a client, service, policy or budget.
const LONGEST_NAME: usize = 64;

/// Checks all keys of a table and what is under them.
pub(super) fn table(section: &'static Section, table: &Table, report: &mut Report) {
    for entry in table.entries() {
        match section.key(&entry.key) {
            Some(key) if key.works() => value(key, &entry.node, report),
            Some(key) => report.error(entry.key_span, unsupported(key)),
            // In a flood nobody reads what was meant.
            None if report.is_full() => {
                report.error(entry.key_span, Problem::new("unknown key", ""));
            }
            None => report.error(entry.key_span, unknown_key(section, &entry.key)),
        }
    }
}

/// Checks the value of a key.
pub(super) fn value(key: &'static Key, node: &Node, report: &mut Report) {
    let name = key.name;
    let found = match key.kind {
        Kind::Later(_) => Err(unsupported(key)),
        Kind::Text => values::title(name, node).map(drop),
        Kind::Flag => values::flag(name, node).map(drop),
        Kind::Whole { min, max, word } => values::whole(name, node, (min, max), word).map(drop),
        Kind::Number { min, max } => values::number(name, node, (min, max)).map(drop),
        Kind::Thousandths { max } => values::thousandths(name, node, max).map(drop),
        Kind::Time { zero, word } => values::time(name, node, zero, word).map(drop),
        Kind::True => values::always_true(name, node),
        Kind::Rate { zero } => values::rate(name, node, zero).map(drop),
        Kind::Profile(section) => profile(name, section, node, report),
        Kind::Points => points(name, node, report),
        Kind::File => values::file(name, node).map(drop),
        Kind::Chance => values::chance(name, node).map(drop),
        Kind::Word(words) => values::word(name, node, words).map(drop),
        Kind::Law { section, zero, word } => match node.table() {
            Some(_) => inner(name, section, node, report),
            None => values::time(name, node, zero, word).map(drop),
        },
        Kind::Latency { ways, law } => match node.table() {
            Some(table) if by_way(table, law) => inner(name, ways, node, report),
            Some(_) => inner(name, law, node, report),
            None => values::time(name, node, true, None).map(drop),
        },
        Kind::Share => values::share(name, node).map(drop),
        Kind::Choice { time, words, section } => choice(name, node, (time, words, section), report),
        Kind::Times => each(lists::some_items(name, "lengths of time", node), report, |item| {
            lists::length(name, item).map(drop)
        }),
        Kind::Failures(words) => each(lists::items(name, "failures", node), report, |item| {
            lists::failures(name, item, words).map(drop)
        }),
        Kind::Statuses(section) => statuses(name, section, node, report),
        Kind::Method => lists::method(name, node).map(drop),
        Kind::Methods => each(lists::items(name, "methods", node), report, |item| {
            lists::method(name, item).map(drop)
        }),
        Kind::Calls => calls(name, node, report),
        Kind::Policy(section) => policy(section, node, report),
        Kind::Name(_) | Kind::Preset | Kind::Target(_) | Kind::Metric | Kind::Variant => {
            match node.text() {
                Some(_) => Ok(()),
                None => Err(mismatch(name, "a name in quotes", node)),
            }
        }
        Kind::Table(section) => inner(name, section, node, report),
        Kind::Named(section) => named(name, section, node, report),
        Kind::Rows(section) => rows(name, section, node, report),
        Kind::Lists | Kind::Settings => match node.table() {
            Some(_) => Ok(()),
            None => Err(mismatch(name, "a table of paths", node)),
        },
        // It needs the metric beside it.
        Kind::Bound | Kind::Tolerance => Ok(()),
    };
    if let Err(problem) = found {
        report.error(node.span, problem);
    }
}

fn inner(
    name: &str,
    section: &'static Section,
    node: &Node,
    report: &mut Report,
) -> Result<(), Problem> {
    let example = section.keys.first().map_or("", |key| key.name);
    let help = || format!("write {name} = {{ {example} = ... }}");
    let inner = node.table().ok_or_else(|| mismatch(name, "a table", node).help(help()))?;
    table(section, inner, report);
    Ok(())
}

/// Whether a table says what holds for each way of a latency, rather than being
/// a law for both.
pub(super) fn by_way(table: &Table, law: &Section) -> bool {
    let mut keys = table.entries().iter().map(|entry| &*entry.key);
    table.get("there").is_some()
        || table.get("back").is_some()
        || keys.all(|key| law.key(key).is_none())
}

fn points(name: &str, node: &Node, report: &mut Report) -> Result<(), Problem> {
    let Some(items) = node.list() else { return values::point(name, node).map(drop) };
    for item in items {
        if let Err(problem) = values::point(name, item) {
            report.error(item.span, problem);
        }
    }
    Ok(())
}

fn profile(
    name: &str,
    section: &'static Section,
    node: &Node,
    report: &mut Report,
) -> Result<(), Problem> {
    match node.value {
        Value::List(_) => rows(name, section, node, report),
        Value::Table(_) => {
            let help = format!("write {name} = [{{ from = \"0 s\", rate = \"800 /s\" }}, ...]");
            Err(mismatch(name, "a rate or a list of steps", node).help(help))
        }
        _ => values::rate(name, node, false).map(drop),
    }
}

/// One of some words, a table, or perhaps a length of time.
fn choice(
    name: &str,
    node: &Node,
    (time, words, section): (bool, &'static [Word], &'static Section),
    report: &mut Report,
) -> Result<(), Problem> {
    if node.table().is_some() {
        return inner(name, section, node, report);
    }
    values::choice(name, node, time, words).map(drop)
}

/// Checks each item of a list by itself.
fn each(
    items: Result<&[Rc<Node>], Problem>,
    report: &mut Report,
    check: impl Fn(&Node) -> Result<(), Problem>,
) -> Result<(), Problem> {
    for item in items? {
        if let Err(problem) = check(item) {
            report.error(item.span, problem);
        }
    }
    Ok(())
}

fn statuses(
    name: &str,
    section: &'static Section,
    node: &Node,
    report: &mut Report,
) -> Result<(), Problem> {
    if node.list().is_none() {
        return lists::status(name, node, section).map(drop);
    }
    let items = lists::some_items(name, "statuses", node)?;
    for item in items {
        match item.table() {
            Some(inner) if inner.get("status").is_some() => table(section, inner, report),
            _ => each(Ok(std::slice::from_ref(item)), report, |item| {
                lists::weighted(name, item, section).map(drop)
            })?,
        }
    }
    Ok(())
}

fn policy(section: &'static Section, node: &Node, report: &mut Report) -> Result<(), Problem> {
    if node.text().is_some() {
        return Ok(());
    }
    let problem = || mismatch("retry", "a name of a policy, a policy or \"never\"", node);
    let inner = node.table().ok_or_else(problem)?;
    table(section, inner, report);
    Ok(())
}

fn calls(name: &str, node: &Node, report: &mut Report) -> Result<(), Problem> {
    let later = |what: &str| {
        Problem::new(format!("{what} is not yet supported"), "not yet supported")
            .help("write the name of a service, or a list of names in order")
    };
    if node.table().is_some() {
        return Err(later("a table of calls"));
    }
    let Some(items) = node.list() else {
        return match node.text() {
            Some(_) => Ok(()),
            None => Err(mismatch(name, "a service or a list of services", node)),
        };
    };
    for item in items {
        if item.table().is_some() {
            report.error(item.span, later("a call with settings of its own"));
        } else if item.text().is_none() {
            report.error(item.span, mismatch(name, "a list of names of services", item));
        }
    }
    Ok(())
}

fn named(
    key: &str,
    section: &'static Section,
    node: &Node,
    report: &mut Report,
) -> Result<(), Problem> {
    let problem = |what: &str| {
        let title = format!("`{key}` holds tables by name, not {what}");
        let help = format!("[{key}.NAME] begins the table of a {}", section.name);
        Problem::new(title, "not a table").help(help)
    };
    let tables = node.table().ok_or_else(|| problem(node.kind()))?;
    for entry in tables.entries() {
        if let Some(problem) = name(section, &entry.key) {
            report.error(entry.key_span, problem);
        }
        let inner = entry.node.table();
        match inner {
            Some(inner) => table(section, inner, report),
            None => report.error(entry.node.span, problem(entry.node.kind())),
        }
    }
    Ok(())
}

/// What is wrong with a name. Names are parts of paths.
pub(super) fn name(section: &'static Section, name: &str) -> Option<Problem> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if name.is_empty() || !name.bytes().all(good) {
        let problem = Problem::new(format!("`{}` is not a name", short(name)), "not a name");
        let problem =
            if name.is_empty() { Problem::new("a name is empty", "no name") } else { problem };
        return Some(problem.help("a name has letters, digits, `_` and `-`, so that paths work"));
    }
    if name.len() > LONGEST_NAME {
        let problem = Problem::new(format!("the name `{}` is too long", short(name)), "too long");
        return Some(problem.help(format!("a name has at most {LONGEST_NAME} characters")));
    }
    let taken = (section.name == "retry policy" && name == "never")
        || (section.name == "budget" && name == "none");
    taken.then(|| {
        let title = format!("a {} cannot be called `{name}`", section.name);
        Problem::new(title, "this word has a meaning of its own").help("choose another name")
    })
}

fn rows(
    name: &str,
    section: &'static Section,
    node: &Node,
    report: &mut Report,
) -> Result<(), Problem> {
    let help = if section.path == name {
        format!("begin each with [[{name}]]")
    } else {
        format!("write {name} = [{{ ... }}, ...]")
    };
    let problem = || mismatch(name, "a list of tables", node).help(help.as_str());
    let items = node.list().ok_or_else(problem)?;
    for item in items {
        match item.table() {
            Some(inner) => table(section, inner, report),
            None => report.error(item.span, mismatch(name, "a list of tables", item)),
        }
    }
    Ok(())
}

/// The error about a key that is known and refused.
pub(super) fn unsupported(key: &Key) -> Problem {
    Problem::new(format!("`{}` is not yet supported", key.name), "not yet supported")
        .help(format!("{} Leave it out for now.", key.meaning))
}

/// The error about a key that the table of keys does not have.
pub(super) fn unknown_key(section: &'static Section, name: &str) -> Problem {
    let problem = Problem::new(format!("unknown key `{}`", short(name)), "unknown key");
    if name == "retries" {
        return problem.help("use max_attempts = N+1: it counts all attempts, the first included");
    }
    let known = sections().into_iter().find(|other| other.key(name).is_some());
    if let Some(other) = known {
        return problem.help(match other.path {
            "" => format!("`{name}` belongs to the top level, above the first table"),
            path => format!("`{name}` is a key of a {}, {path}", other.name),
        });
    }
    if let Some(key) = nearest(name, section.keys.iter().map(|key| key.name)) {
        return problem.help(format!("a key with a similar name exists: `{key}`"));
    }
    let supported = section.keys.iter().filter(|key| key.works());
    let names: Vec<_> = supported.map(|key| key.name).collect();
    problem.help(format!("keys of a {} are {}", section.name, names.join(", ")))
}
