//! A run in Markdown, for a merge request or a page.

use super::finding::findings;
use super::grid::markdown;
use super::heading::facts;
use super::run::{Run, visible};
use super::table::tables;
use super::verdict::words;
use crate::experiment::Verdict;

/// The same blocks as on the terminal, the last line ended.
pub fn document(run: &Run, file: &str) -> String {
    let name = &run.scenario.name;
    let title = visible(if name.is_empty() { file } else { name });
    let mut blocks =
        vec![format!("## {}\n", markdown(&title)), format!("{}\n", markdown(&facts(run)))];
    blocks.extend(tables(run).iter().map(super::grid::Grid::markdown));
    blocks.extend(findings(run).iter().map(|finding| format!("{}\n", markdown(finding))));
    let threshold = |verdict: &Verdict| {
        let mark = if verdict.passed { "✓" } else { "✗" };
        let words = words(verdict);
        let subject = markdown(&words.subject);
        format!("- {mark} {subject}: {} of {}\n", words.value, words.demand)
    };
    blocks.push(run.verdicts.iter().map(threshold).collect::<Vec<_>>().concat());
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_document() {
        insta::assert_snapshot!(document(&sample::storm().run(), "storm.toml"), @r#"
        ## 10,000 clients fail at once

        10,000 clients, seed 2026, 5 variants

        | backoff | busiest 10 ms | mean wait | 99 % wait | longest wait |
        |:--|--:|--:|--:|--:|
        | constant | 10,000 retries | 500 ms | 500 ms | 500 ms |
        | exponential | 10,000 retries | 2,500 ms | 2,500 ms | 2,500 ms |
        | full-jitter | 1,461 retries | 1,241 ms | 2,099 ms | 2,357 ms |
        | equal-jitter | 2,048 retries | 1,870 ms | 2,300 ms | 2,429 ms |
        | decorrelated-jitter | 647 retries | 2,371 ms | 4,007 ms | 4,182 ms |

        The smallest peak is decorrelated-jitter's: 15 times less than constant.

        full-jitter has the shortest mean wait of those with jitter.

        - ✓ busiest\_slice\_retries of full-jitter: 1,461 of at most 1,700
        "#);
    }
}
