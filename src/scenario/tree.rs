//! What was typed: tables, lists and plain values with their places.
//!
//! The tree is the toml crate's, with places in more than one text (a value of
//! `--set` comes from an option), and shared: a variant copies only the path
//! to what it changes.

use std::collections::BTreeMap;
use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::text::Span;

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// A value as typed.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    /// Saturated at the ends of 128 bits.
    Integer(i128),
    /// The digits as typed, without `_`.
    Float(String),
    Flag(bool),
    Date(String),
    List(Vec<Rc<Node>>),
    Table(Table),
}

/// Values by key, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    index: BTreeMap<Rc<str>, usize>,
    /// The name of the table that stands behind it: what is not here is there.
    /// Made when a path goes through a name.
    pub(super) extends: Option<Rc<Node>>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Rc<str>,
    pub(super) key_span: Span,
    pub(super) node: Rc<Node>,
}

impl Node {
    /// What kind of value it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a text",
            Value::Integer(_) => "a number",
            Value::Float(_) => "a number with decimals",
            Value::Flag(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The table, if it is one.
    pub(super) fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The items, if it is a list.
    pub(super) fn list(&self) -> Option<&[Rc<Node>]> {
        if let Value::List(items) = &self.value { Some(items) } else { None }
    }
}

impl Table {
    /// An empty table that stands on the one that `name` names.
    pub(super) fn on(name: Rc<Node>) -> Self {
        Self { extends: Some(name), ..Self::default() }
    }

    /// The entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.index.get(key).map(|&at| &self.entries[at])
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Rc<Node>> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of a key, to be changed.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Rc<Node>> {
        self.index.get(key).map(|&at| &mut self.entries[at].node)
    }

    /// All entries, in the order of the text.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The table under a key; empty if there is none.
    pub(super) fn section(&self, key: &str) -> &[Entry] {
        self.get(key).and_then(|node| node.table()).map_or(&[], |table| &table.entries)
    }

    /// The table under a key in the table under another.
    pub(super) fn named(&self, section: &str, name: &str) -> Option<&Self> {
        self.get(section)?.table()?.get(name)?.table()
    }

    /// Puts a value under a key, in the place of what was there.
    pub(super) fn insert(&mut self, key: &str, key_span: Span, node: Rc<Node>) {
        if let Some(&at) = self.index.get(key) {
            self.entries[at] = Entry { node, ..self.entries[at].clone() };
            return;
        }
        let key: Rc<str> = key.into();
        self.index.insert(Rc::clone(&key), self.entries.len());
        self.entries.push(Entry { key, key_span, node });
    }
}

/// The tree of a parsed table; its places are in text number `source`, moved
/// by `offset` bytes. The parser bounds its depth.
pub(super) fn table(parsed: &DeTable<'_>, source: usize, offset: usize) -> Table {
    let mut result = Table::default();
    for (key, value) in parsed {
        let span = place(key.span(), source, offset);
        result.insert(key.get_ref(), span, Rc::new(node(value, source, offset)));
    }
    result
}

/// The tree of a parsed value.
pub(super) fn node(parsed: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let value = match parsed.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(digits) => {
            let least = if digits.as_str().starts_with('-') { i128::MIN } else { i128::MAX };
            let number = i128::from_str_radix(digits.as_str(), digits.radix());
            Value::Integer(number.unwrap_or(least))
        }
        DeValue::Float(digits) => Value::Float(digits.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| Rc::new(node(item, source, offset))).collect())
        }
        DeValue::Table(entries) => Value::Table(table(entries, source, offset)),
    };
    Node { span: place(parsed.span(), source, offset), value }
}

fn place(range: std::ops::Range<usize>, source: usize, offset: usize) -> Span {
    Span::new(source, &(range.start + offset..range.end + offset))
}

/// A value as a short line of TOML, for names of variants and for messages.
pub(super) fn inline(node: &Node) -> String {
    match &node.value {
        Value::Text(text) | Value::Float(text) | Value::Date(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(|item| inline(item)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) => {
            let pair = |entry: &Entry| format!("{} = {}", entry.key, inline(&entry.node));
            let pairs: Vec<_> = table.entries.iter().map(pair).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Table {
        let (parsed, errors) = DeTable::parse_recoverable(text);
        assert!(errors.is_empty());
        table(parsed.get_ref(), 0, 0)
    }

    #[test]
    fn keeps_the_order_of_the_text() {
        let tree = parse("[service.z]\nworkers = 1_0\n[client.b]\n[service.a]\n[client.a]\n");
        let names = |section| {
            tree.section(section).iter().map(|entry| entry.key.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("service"), ["z", "a"]);
        assert_eq!(names("client"), ["b", "a"]);
        assert!(names("fault").is_empty());
    }

    #[test]
    fn a_replaced_value_keeps_its_place_in_the_order() {
        let mut tree = parse("a = 1\nb = 2\n");
        let value = Rc::clone(tree.get("b").expect("typed above"));
        tree.insert("a", value.span, value);
        let values: Vec<_> = tree.entries().iter().map(|entry| inline(&entry.node)).collect();
        assert_eq!(values, ["2", "2"]);
    }

    #[test]
    fn numbers_beyond_every_range_saturate() {
        let tree = parse(&format!("a = {0}\nb = -{0}\nc = 0xff", "9".repeat(60)));
        let text = |key| tree.get(key).map(|node| inline(node));
        assert_eq!(text("a"), Some(i128::MAX.to_string()));
        assert_eq!(text("b"), Some(i128::MIN.to_string()));
        assert_eq!(text("c"), Some("255".to_owned()));
    }

    #[test]
    fn a_value_in_one_line() {
        let tree = parse("a = { x = [1, \"b\"], y = 1.5 }");
        assert_eq!(tree.get("a").map(|node| inline(node)), Some("{ x = [1, b], y = 1.5 }".into()));
    }
}
