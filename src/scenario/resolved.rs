//! The scenario with all defaults filled in, in the shape of the file: what
//! run.json records. It reads to the same runs again.

use serde_json::{Map, Value as Json, json};

use super::check::by_way;
use super::keys::{Key, Kind, ROOT, Section};
use super::quantity;
use super::text::Span;
use super::tree::{Entry, Node, Table, Value};
use super::view::default;

/// The whole scenario.
pub(super) fn scenario(root: &Table) -> Json {
    Resolver { root }.table(&ROOT, root)
}

struct Resolver<'a> {
    root: &'a Table,
}

impl Resolver<'_> {
    /// A table with its keys in the order of the table of keys, and defaults
    /// where nothing was typed.
    fn table(&self, section: &'static Section, typed: &Table) -> Json {
        let name = typed.extends.as_ref().and_then(|name| name.text());
        let behind = name.and_then(|name| self.root.named("retry", name));
        let mut object = Map::new();
        for key in section.keys.iter().filter(|key| key.works()) {
            let node = typed.get(key.name).or_else(|| behind?.get(key.name));
            let json = match node {
                Some(node) => Some(self.value(key, node)),
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
            (Kind::Time { .. } | Kind::Law { .. } | Kind::Latency { .. }, Value::Text(text)) => {
                let time = quantity::time(key.name, text).map(|time| time.to_string());
                time.unwrap_or_else(|_| text.clone()).into()
            }
            (Kind::Chance, Value::Text(text)) if text.ends_with('%') => quantity::tidy(text).into(),
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
            (
                Kind::Policy(section)
                | Kind::Table(section)
                | Kind::Law { section, .. }
                | Kind::Latency { law: section, .. },
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
