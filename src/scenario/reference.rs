//! The tables in docs/scenario.md, made from the tables of keys and metrics.

use crate::model::Unit;
use crate::model::metric::METRICS;

use super::keys::{Fallback, Key, Kind, Section, Word, sections};

/// A heading and a table of Markdown for every section, and one for the
/// metrics of thresholds.
pub fn reference() -> String {
    let mut parts: Vec<String> = sections().into_iter().map(section).collect();
    parts.push(metrics());
    parts.join("\n")
}

fn metrics() -> String {
    let head = "### Metrics of a threshold\n\n| metric | value | meaning |\n|---|---|---|\n";
    let mut lines = vec![head.to_owned()];
    lines.extend(METRICS.iter().map(|metric| {
        let value = match metric.unit {
            Unit::Millis => "length of time",
            Unit::PerSecond => "rate",
            Unit::Count | Unit::Ratio => "number",
        };
        let later = if metric.works { "" } else { " Not yet supported." };
        format!("| `{}` | {value} | {}{later} |\n", metric.name, metric.meaning)
    }));
    lines.concat()
}

fn section(section: &Section) -> String {
    let title = match section.path {
        "" => "Top level".to_owned(),
        "variant" | "threshold" => format!("`[[{}]]`", section.path),
        "calls.NAME" => format!("`{}`", section.path),
        path if path.strip_suffix(".NAME").is_some() => format!("`[{path}]`"),
        path => format!("`{path}`"),
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
    if let Kind::Word(words) | Kind::Failures(words) | Kind::Choice { words, .. } = key.kind {
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../docs/scenario.md");

    /// The page ends with the tables. To renew them after a change of the
    /// keys: `SIM_RENEW=1 cargo test reference`.
    #[test]
    fn the_reference_page_is_current() {
        let mark = "a test keeps it current -->\n";
        let (words, tables) = PAGE.split_once(mark).expect("the mark stands in the page");
        let current = format!("\n{}", reference());
        if std::env::var_os("SIM_RENEW").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenario.md");
            std::fs::write(path, format!("{words}{mark}{current}")).expect("writable");
        } else {
            assert!(tables == current, "run SIM_RENEW=1 cargo test reference");
        }
    }
}
