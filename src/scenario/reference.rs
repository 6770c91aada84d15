//! The tables of keys in docs/scenario.md, made from the table of keys.

use super::keys::{Fallback, Key, Kind, Section, sections};

/// A heading and a table of Markdown for every section.
pub fn reference() -> String {
    sections().into_iter().map(section).collect::<Vec<_>>().join("\n")
}

fn section(section: &Section) -> String {
    let title = match section.path {
        "" => "Top level".to_owned(),
        "variant" | "threshold" => format!("`[[{}]]`", section.path),
        "service.NAME.queue" | "service.NAME.service_time" | "calls.NAME" => {
            format!("`{}`", section.path)
        }
        path => format!("`[{path}]`"),
    };
    let mut text = format!("### {title}\n\n{}\n", section.meaning);
    let (now, later): (Vec<&Key>, Vec<&Key>) = section.keys.iter().partition(|key| key.works());
    if !now.is_empty() {
        text.push_str("\n| key | value | if left out | meaning |\n|---|---|---|---|\n");
        text.extend(now.into_iter().map(row));
    }
    if !later.is_empty() {
        text.push_str("\nNot yet supported:\n\n| key | value | meaning |\n|---|---|---|\n");
        for key in later {
            let (name, kind) = (key.name, key.kind.describe());
            text.push_str(&format!("| `{name}` | {kind} | {} |\n", key.meaning));
        }
    }
    text
}

fn row(key: &Key) -> String {
    let fallback = match key.fallback {
        Fallback::Required => "required".to_owned(),
        Fallback::Value(value) => format!("`{value}`"),
        Fallback::Absent(meaning) => meaning.to_owned(),
    };
    let mut meaning = key.meaning.to_owned();
    if let Kind::Word(words) = key.kind {
        for word in words.iter().filter(|word| word.works) {
            meaning.push_str(&format!("<br>`{}`: {}", word.name, word.meaning));
        }
        let later: Vec<_> = words.iter().filter(|word| !word.works).map(|word| word.name).collect();
        if !later.is_empty() {
            meaning.push_str(&format!("<br>Not yet supported: `{}`", later.join("`, `")));
        }
    }
    format!("| `{}` | {} | {fallback} | {meaning} |\n", key.name, key.kind.describe())
}
