//! A finished run, as every report takes it.

use crate::experiment::{VariantResult, Verdict};
use crate::scenario::Scenario;

/// What a scenario gave: the input of every report.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// One result for each of its variants, in their order.
    pub results: &'a [VariantResult],
    /// How its thresholds came out.
    pub verdicts: &'a [Verdict],
}

impl Run<'_> {
    /// Whether no threshold is missed.
    pub fn passed(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.passed)
    }
}

/// What people read for the name of a variant. A scenario without variants has
/// one without a name; control characters would disturb a terminal.
pub fn shown_name(name: &str) -> String {
    if name.is_empty() {
        return "as written".to_owned();
    }
    visible(name)
}

/// A name inside of a sentence: in quotation marks unless it is one word.
pub fn quoted(name: &str) -> String {
    let shown = shown_name(name);
    if shown.contains(|letter: char| letter.is_whitespace() || letter == '\'') {
        format!("\"{shown}\"")
    } else {
        shown
    }
}

/// The text with control characters written out, such as `\n` or `\u{1b}`.
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            visible.extend(letter.escape_default());
        } else {
            visible.push(letter);
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_disturb_the_terminal() {
        assert_eq!(shown_name(""), "as written");
        assert_eq!(shown_name("naïve 10 %"), "naïve 10 %");
        assert_eq!(shown_name("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
    }
    #[test]
    fn a_name_of_several_words_is_quoted() {
        assert_eq!(quoted("10 % budget"), "\"10 % budget\"");
        assert_eq!(quoted("full-jitter"), "full-jitter");
        assert_eq!(quoted(""), "\"as written\"");
    }
}
