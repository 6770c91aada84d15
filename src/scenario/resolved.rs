//! The scenario with all defaults filled in, in the shape of the file: what
//! run.json records. It reads to the same runs again.

use serde_json::{Map, Value as Json, json};

use super::check::by_way;
use super::keys::{HINT_RULE, Key, Kind, RETRY, ROOT, Section};
use super::quantity;
use super::text::Span;
use super::tree::{Entry, Node, Table, Value};
use super::view::default;

/// The whole scenario. `presets_vary` says that a variant changes the built-in
/// policy that a policy starts from, and with it what is left out there.
pub(super) fn scenario(root: &Table, presets_vary: bool) -> Json {
    Resolver { root, presets_vary }.table(&ROOT, root)
}

struct Resolver<'a> {
    root: &'a Table,
    presets_vary: bool,
}

impl Resolver<'_> {
    /// A table with its keys in the order of the table of keys, and defaults
    /// where nothing was typed.
    fn table(&self, section: &'static Section, typed: &Table) -> Json {
        let name = typed.extends.as_ref().and_then(|name| name.text());
        let behind = name.and_then(|name| self.root.named("retry", name));
        let get = |key: &str| typed.get(key).or_else(|| behind?.get(key));
        let mut object = Map::new();
        // What is left out on top of a built-in policy is as that has it.
        let built_in = name.filter(|_| behind.is_none());
        let open = built_in.is_some() || get("preset").is_some() || self.presets_vary;
        let has_defaults = match section.path {
            path if path == RETRY.path => !open,
            path => path != HINT_RULE.path,
        };
        if let Some(name) = built_in {
            object.insert("preset".to_owned(), name.into());
        }
        for key in section.keys.iter().filter(|key| key.works()) {
            let json = match get(key.name) {
                Some(node) => Some(self.value(key, node)),
                None if !has_defaults => None,
                None => default(key, Span::new(0, &(0..0))).map(|node| self.value(key, &node)),
            };
            if let Some(json) = json {
                object.insert(key.name.to_owned(), json);
            }
        }
        Json::Object(object)
    }

    fn value(&self, key: &Key, node: &Node) -> Json {
        match (&key.kind, &node.value) {
            (
                Kind::Time { .. }
                | Kind::Law { .. }
                | Kind::Latency { .. }
                | Kind::Choice { time: true, .. },
                Value::Text(_),
            ) => length(key, node),
            (Kind::Chance | Kind::Share, Value::Text(text)) if text.ends_with('%') => {
                quantity::tidy(text).into()
            }
            (Kind::Rate { .. } | Kind::Profile(_), Value::Text(text)) => {
                quantity::tidy(text).into()
            }
            (Kind::Named(section), Value::Table(tables)) => {
                let row = |entry: &Entry| (entry.key.to_string(), self.row(section, &entry.node));
                Json::Object(tables.entries().iter().map(row).collect())
            }
            (Kind::Rows(section) | Kind::Profile(section), Value::List(rows)) => {
                rows.iter().map(|node| self.row(section, node)).collect()
            }
            (Kind::Latency { ways, law }, Value::Table(inner)) if by_way(inner, law) => {
                self.table(ways, inner)
            }
            (Kind::Times, Value::List(items)) => {
                items.iter().map(|node| length(key, node)).collect()
            }
            (Kind::Statuses(section), Value::List(rows)) => {
                rows.iter().map(|node| self.row(section, node)).collect()
            }
            (
                Kind::Policy(section)
                | Kind::Table(section)
                | Kind::Law { section, .. }
                | Kind::Latency { law: section, .. }
                | Kind::Choice { section, .. },
                Value::Table(inner),
            ) => self.table(section, inner),
            (Kind::Points, Value::List(points)) => points.iter().map(|node| point(node)).collect(),
            _ => plain(node),
        }
    }

    fn row(&self, section: &'static Section, node: &Node) -> Json {
        node.table().map_or_else(|| plain(node), |inner| self.table(section, inner))
    }
}

/// A point of a law.
fn point(node: &Node) -> Json {
    let Some([share, length]) = node.list() else { return plain(node) };
    let (Some(share), Some(length)) = (share.text(), length.text()) else { return plain(node) };
    let length =
        quantity::time("points", length).map_or_else(|_| length.into(), |time| time.to_string());
    json!([quantity::tidy(share), length])
}

/// A length of time in its own unit, or the word that stands for one.
fn length(key: &Key, node: &Node) -> Json {
    let time = node.text().and_then(|text| quantity::time(key.name, text).ok());
    time.map_or_else(|| plain(node), |time| time.to_string().into())
}

/// A value as it was typed.
fn plain(node: &Node) -> Json {
    match &node.value {
        Value::Text(text) | Value::Date(text) => text.as_str().into(),
        Value::Integer(number) => {
            u64::try_from(*number).map_or_else(|_| json!(*number as f64), Json::from)
        }
        Value::Float(digits) => digits.parse::<f64>().map_or(Json::Null, Json::from),
        Value::Flag(flag) => (*flag).into(),
        Value::List(items) => items.iter().map(|item| plain(item)).collect(),
        Value::Table(table) => {
            let pair = |entry: &Entry| (entry.key.to_string(), plain(&entry.node));
            Json::Object(table.entries().iter().map(pair).collect())
        }
    }
}
