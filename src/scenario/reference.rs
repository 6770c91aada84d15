//! The tables of keys in docs/scenario.md, made from the table of keys.

use super::keys::{Fallback, Key, Kind, Section, Word, sections};

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
    let (now, later): (Vec<&Key>, Vec<&Key>) = section.keys.iter().partition(|key| key.works());
    let mut lines = vec![format!("### {title}\n\n{}\n", section.meaning)];
    if !now.is_empty() {
        lines.push("\n| key | value | if left out | meaning |\n|---|---|---|---|\n".to_owned());
        lines.extend(now.into_iter().map(row));
    }
    if !later.is_empty() {
        lines.push("\nNot yet supported:\n\n| key | value | meaning |\n|---|---|---|\n".to_owned());
        lines.extend(later.into_iter().map(|key| {
            format!("| `{}` | {} | {} |\n", key.name, key.kind.describe(), key.meaning)
        }));
    }
    lines.concat()
}

fn row(key: &Key) -> String {
    let fallback = match key.fallback {
        Fallback::Required => "required".to_owned(),
        Fallback::Value(value) => format!("`{value}`"),
        Fallback::Absent(meaning) => meaning.to_owned(),
    };
    let mut meaning = vec![key.meaning.to_owned()];
    if let Kind::Word(words) = key.kind {
        let (now, later): (Vec<&Word>, Vec<&Word>) = words.iter().partition(|word| word.works);
        meaning.extend(now.iter().map(|word| format!("`{}`: {}", word.name, word.meaning)));
        let later: Vec<_> = later.iter().map(|word| format!("`{}`", word.name)).collect();
        if !later.is_empty() {
            meaning.push(format!("Not yet supported: {}", later.join(", ")));
        }
    }
    let (name, values) = (key.name, key.kind.describe());
    format!("| `{name}` | {values} | {fallback} | {} |\n", meaning.join("<br>"))
}
