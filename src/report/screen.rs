//! What `sim run` shows on a terminal.

use super::finding::findings;
use super::grid::{left, right};
use super::heading::heading;
use super::run::Run;
use super::style::Style;
use super::table::tables;
use super::verdict::{Words, words};
use crate::experiment::Verdict;
use unicode_width::UnicodeWidthStr;

/// The heading, the tables, what they show, and how the thresholds came out;
/// blocks are separated by empty lines, the last line is ended.
pub fn screen(run: &Run, file: &str, style: Style) -> String {
    let mut blocks = vec![heading(run, file, style)];
    blocks.extend(tables(run).iter().map(|table| table.text(style)));
    let sentences: Vec<_> = findings(run).iter().map(|finding| format!("{finding}\n")).collect();
    blocks.extend([sentences.concat(), thresholds(run.verdicts, style)]);
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

/// A line for each verdict: met or missed, what was measured, what was
/// demanded.
pub fn thresholds(verdicts: &[Verdict], style: Style) -> String {
    let words: Vec<Words> = verdicts.iter().map(words).collect();
    let widest = |text: fn(&Words) -> &str| words.iter().map(|w| text(w).width()).max();
    let subjects = widest(|words| &words.subject).unwrap_or(0);
    let values = widest(|words| &words.value).unwrap_or(0);
    let line = |(verdict, words): (&Verdict, &Words)| {
        let mark = if verdict.passed { style.good("✓") } else { style.bad("✗") };
        let subject = left(&words.subject, subjects);
        let value = right(&words.value, values);
        let demand = &words.demand;
        format!("  {mark} {subject}      {value} of {demand}\n")
    };
    verdicts.iter().zip(&words).map(line).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, verdict};

    #[test]
    fn the_storm() {
        let storm = sample::storm();
        let screen = screen(&storm.run(), "scenarios/storm.toml", Style::PLAIN);
        insta::assert_snapshot!(screen, @r#"
        10,000 clients fail at once                         scenarios/storm.toml
        10,000 clients, seed 2026, 5 variants

        backoff                busiest 10 ms   mean wait   99 % wait   longest wait
        constant              10,000 retries      500 ms      500 ms         500 ms
        exponential           10,000 retries    2,500 ms    2,500 ms       2,500 ms
        full-jitter            1,461 retries    1,241 ms    2,099 ms       2,357 ms
        equal-jitter           2,048 retries    1,870 ms    2,300 ms       2,429 ms
        decorrelated-jitter      647 retries    2,371 ms    4,007 ms       4,182 ms

        The smallest peak is decorrelated-jitter's: 15 times less than constant.
        full-jitter has the shortest mean wait of those with jitter.

          ✓ busiest_slice_retries of full-jitter      1,461 of at most 1,700
        "#);
    }

    #[test]
    fn the_layers() {
        let layers = sample::layers();
        let screen = screen(&layers.run(), "scenarios/layers.toml", Style::PLAIN);
        insta::assert_snapshot!(screen, @r#"
        27 calls or 3: where to retry                      scenarios/layers.toml
        1,000 requests, gateway > orders > payments > database, database down

        attempts that reach the database   for 1 request   for 1,000   times normal
        every layer retries                           27      27,000           27.0
        only payments retries                          3       3,000            3.0
        only payments, 10 % budget                     3       1,109            1.1
        "#);
    }

    #[test]
    fn the_outage() {
        let outage = sample::outage();
        let screen = screen(&outage.run(), "scenarios/outage.toml", Style::PLAIN);
        insta::assert_snapshot!(screen, @r#"
        An overload that outlives its outage               scenarios/outage.toml
        48,000 requests, outage from 15 s to 25 s, seed 7, 2 variants

        variant                         goodput before   during   after   recovery   peak amplification   wasted work
        3 attempts, no retry budget              800/s      0/s     0/s      never                  3.0             -
        3 attempts, 10 % retry budget            800/s      0/s   199/s     26.3 s                  1.1             -

        variant                         answered   gave up   attempts   amplification   mean latency   99 % latency
        3 attempts, no retry budget       12,000    36,000    120,000            2.50              -              -
        3 attempts, 10 % retry budget     18,960    29,040     50,904            1.06              -              -

        "3 attempts, no retry budget" never recovers: retries keep the offered load at 2,400/s on a capacity of 1,000/s. All 3 attempts of every request are 2,400/s: it would recover without retries, with a retry budget below 25 %, or with less than 333/s of requests.
        "3 attempts, 10 % retry budget" recovers 26.3 s after the outage ends. Requests and 10 % retries are 880/s, within the capacity of 1,000/s: it recovers from every outage.
        "3 attempts, 10 % retry budget" answers most: 39.5 % of its requests, against 25.0 % under "3 attempts, no retry budget".
        "#);
    }

    #[test]
    fn thresholds_align() {
        let verdicts = [
            verdict("gave_up", "a", None, Some(1_700.0), Some(12_461.0)),
            verdict("longest_wait", "再試行", None, Some(1_700.0), Some(461.0)),
            verdict("recovery", "a", None, Some(30_000.0), None),
        ];
        insta::assert_snapshot!(thresholds(&verdicts, Style::PLAIN), @r#"
          ✗ gave_up of a                12,461 of at most 1,700
          ✓ longest_wait of 再試行      461 ms of at most 1,700 ms
          ✗ recovery of a                 none of at most 30 s
        "#);
    }

    #[test]
    fn colour_only_dresses() {
        let storm = sample::storm();
        let colored = screen(&storm.run(), "storm.toml", Style::COLORED);
        assert!(colored.contains("\u{1b}[32m✓\u{1b}[0m"));
        let mut stripped = colored;
        for code in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[32m", "\u{1b}[0m"] {
            stripped = stripped.replace(code, "");
        }
        assert_eq!(stripped, screen(&storm.run(), "storm.toml", Style::PLAIN));
    }
}
