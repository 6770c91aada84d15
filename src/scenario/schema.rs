//! The JSON schema of a scenario file, draft 07, made from the table of keys.
//! Editors complete and check scenario files with it; what needs more than one
//! key to judge is the reader's.

use serde_json::{Map, Value as Json, json};

use super::keys::{Fallback, Key, Kind, ROOT, Section, Word, sections};
use crate::model::metric::METRICS;
use crate::policy::Method;

/// A number as it may stand before a unit.
const NUMBER: &str = r"[+]?[0-9][0-9_]*(\.[0-9_]+)?([eE][+-]?[0-9]+)?";

/// The JSON schema (draft 07) of a scenario file. Keys that are not yet
/// supported are in it with their meaning, and accept no value.
pub fn schema() -> Json {
    let mut schema = section(&ROOT);
    let definitions: Map<String, Json> = sections()
        .into_iter()
        .filter(|other| !other.path.is_empty())
        .map(|other| (definition(other), section(other)))
        .collect();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
        object.insert("title".into(), "A scenario of sim".into());
        object.insert("definitions".into(), definitions.into());
    }
    schema
}

/// The name of a section's definition.
fn definition(section: &Section) -> String {
    section.name.replace(' ', "_")
}

fn reference(section: &Section) -> Json {
    json!({ "$ref": format!("#/definitions/{}", definition(section)) })
}

fn section(section: &Section) -> Json {
    let properties: Map<String, Json> =
        section.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> = section
        .keys
        .iter()
        .filter(|key| matches!(key.fallback, Fallback::Required))
        .map(|key| key.name)
        .collect();
    json!({
        "description": section.meaning,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Json {
    let mut schema = values(&key.kind);
    let Some(object) = schema.as_object_mut() else { return schema };
    let meaning = match key.kind {
        Kind::Later(_) => format!("Not yet supported. {}", key.meaning),
        _ => key.meaning.to_owned(),
    };
    object.insert("description".into(), meaning.into());
    if let Fallback::Value(text) = key.fallback {
        object.insert("default".into(), default(&key.kind, text));
    }
    schema
}

fn default(kind: &Kind, text: &str) -> Json {
    match kind {
        Kind::Flag | Kind::True => (text == "true").into(),
        _ => text.replace('_', "").parse::<u64>().map_or_else(|_| text.into(), Json::from),
    }
}

/// A schema that takes a word too.
fn or_word(schema: Json, word: Option<&str>) -> Json {
    match word {
        Some(word) => json!({ "anyOf": [schema, { "const": word }] }),
        None => schema,
    }
}

fn time() -> Json {
    let units = "(ns|us|\u{b5}s|\u{3bc}s|ms|s|min|h|d)";
    json!({ "type": "string", "pattern": format!("^ *{NUMBER} *{units} *$") })
}

fn rate() -> Json {
    json!({ "type": "string", "pattern": format!("^ *{NUMBER} */ *(s|min|h) *$") })
}

fn share() -> Json {
    json!({ "type": "string", "pattern": format!("^ *{NUMBER} *% *$") })
}

fn method() -> Json {
    json!({ "enum": Method::ALL.map(Method::name) })
}

fn one_of(words: &[Word]) -> Json {
    let supported = words.iter().filter(|word| word.works);
    json!({ "enum": supported.map(|word| word.name).collect::<Vec<_>>() })
}

/// Statuses, ranges of them, and words.
fn failures(words: &[Word]) -> Json {
    let range = json!({ "type": "string", "pattern": "^([0-9]+-[0-9]+|[0-9]xx)$" });
    let status = json!({ "type": "integer", "minimum": 1, "maximum": 638 });
    json!({ "type": "array", "items": { "anyOf": [status, range, one_of(words)] } })
}

/// One of some words, a table, or perhaps a length of time.
fn choice(may_be_time: bool, words: &[Word], section: &'static Section) -> Json {
    let mut forms = vec![one_of(words), reference(section)];
    forms.extend(may_be_time.then(time));
    json!({ "anyOf": forms })
}

/// The values of a kind, without words about them.
fn values(kind: &Kind) -> Json {
    let text = || json!({ "type": "string", "minLength": 1 });
    match *kind {
        Kind::Later(_) => json!({ "not": {} }),
        Kind::Text => json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole { min, max: u64::MAX, word } => {
            or_word(json!({ "type": "integer", "minimum": min }), word)
        }
        Kind::Whole { min, max, word } => {
            or_word(json!({ "type": "integer", "minimum": min, "maximum": max }), word)
        }
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Thousandths { max } => {
            json!({ "type": "number", "minimum": 0, "maximum": max / 1_000 })
        }
        Kind::Time { word, .. } => or_word(time(), word),
        Kind::True => json!({ "const": true }),
        Kind::Rate { .. } => rate(),
        Kind::Profile(section) => {
            json!({ "anyOf": [rate(), { "type": "array", "minItems": 1, "items": reference(section) }] })
        }
        Kind::Points => json!({
            "type": "array",
            "minItems": 1,
            "items": { "type": "array", "items": [share(), time()], "minItems": 2, "maxItems": 2 },
        }),
        Kind::Chance => json!({ "anyOf": [{ "enum": ["always", "never"] }, share()] }),
        Kind::Word(words) => one_of(words),
        Kind::Share => share(),
        Kind::Choice { time: may_be_time, words, section } => choice(may_be_time, words, section),
        Kind::Law { section, word, .. } => {
            or_word(json!({ "anyOf": [time(), reference(section)] }), word)
        }
        Kind::Latency { ways, law } => {
            json!({ "anyOf": [time(), reference(law), reference(ways)] })
        }
        Kind::Times => json!({ "type": "array", "items": time(), "minItems": 1 }),
        Kind::Failures(words) => failures(words),
        Kind::Statuses(section) => {
            let status = section.key("status").map(|key| values(&key.kind));
            let items = json!({ "anyOf": [status, reference(section)] });
            json!({ "anyOf": [status, { "type": "array", "items": items, "minItems": 1 }] })
        }
        Kind::Method => method(),
        Kind::Methods => json!({ "type": "array", "items": method() }),
        Kind::Calls => json!({ "anyOf": [text(), { "type": "array", "items": text() }] }),
        Kind::Policy(section) => json!({ "anyOf": [text(), reference(section)] }),
        Kind::Preset | Kind::File | Kind::Name(_) | Kind::Target(_) | Kind::Variant => text(),
        Kind::Table(section) => reference(section),
        Kind::Named(section) => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z0-9_-]{1,64}$" },
            "additionalProperties": reference(section),
        }),
        Kind::Rows(section) => json!({ "type": "array", "items": reference(section) }),
        Kind::Lists => json!({
            "type": "object",
            "additionalProperties": { "type": "array", "minItems": 1 },
        }),
        Kind::Settings => json!({ "type": "object" }),
        Kind::Metric => {
            json!({ "enum": METRICS.iter().filter(|metric| metric.works).map(|metric| metric.name).collect::<Vec<_>>() })
        }
        Kind::Bound => json!({ "anyOf": [{ "type": "number" }, time(), rate()] }),
        Kind::Tolerance => json!({ "anyOf": [{ "type": "number" }, time(), rate(), share()] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a `$ref` names must exist, and every key must be somewhere.
    #[test]
    fn every_key_and_every_reference_is_there() {
        let schema = schema();
        for section in sections() {
            let place = match section.path {
                "" => &schema,
                _ => &schema["definitions"][definition(section)],
            };
            for key in section.keys {
                let property = &place["properties"][key.name];
                let described = property["description"].as_str().unwrap_or("");
                assert!(described.ends_with(key.meaning), "{}.{}", section.path, key.name);
                assert_eq!(property.get("not").is_some(), !key.works(), "{}", key.name);
                let default = matches!(key.fallback, Fallback::Value(_));
                assert_eq!(property.get("default").is_some(), default, "{}", key.name);
            }
        }
        let mut rest = vec![&schema];
        while let Some(value) = rest.pop() {
            if let Some(target) = value.get("$ref").and_then(Json::as_str) {
                let name = target.trim_start_matches("#/definitions/");
                assert!(schema["definitions"].get(name).is_some(), "{target}");
            }
            rest.extend(value.as_array().into_iter().flatten());
            rest.extend(value.as_object().into_iter().flat_map(Map::values));
        }
    }
}
