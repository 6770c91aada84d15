//! Thresholds as test cases, in the XML that continuous integration reads.

use super::run::{Run, shown_name};
use super::verdict::words;

/// A test suite with a case for each verdict. It has no times: a report is the
/// same whenever it is made.
pub fn document(run: &Run) -> String {
    let missed = run.verdicts.iter().filter(|verdict| !verdict.passed).count();
    let counts = format!("tests=\"{}\" failures=\"{missed}\"", run.verdicts.len());
    let name = escaped(&run.scenario.name);
    let mut lines = vec![
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned(),
        format!("<testsuites name=\"sim\" {counts}>"),
        format!("  <testsuite name=\"{name}\" {counts}>"),
    ];
    for verdict in run.verdicts {
        let words = words(verdict);
        let class = escaped(&shown_name(&verdict.variant));
        let demand = escaped(&words.demand);
        let metric = verdict.threshold.metric.name;
        let open = format!("    <testcase classname=\"{class}\" name=\"{metric} {demand}\"");
        if verdict.passed {
            lines.push(format!("{open}/>"));
            continue;
        }
        let message = escaped(&format!("{}: {} of {}", words.subject, words.value, words.demand));
        lines.push(format!("{open}>"));
        lines.push(format!("      <failure message=\"{message}\"/>"));
        lines.push("    </testcase>".to_owned());
    }
    lines.push("  </testsuite>\n</testsuites>\n".to_owned());
    lines.join("\n")
}

/// The text inside of an attribute. Control characters, which XML cannot hold,
/// become the replacement character.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, verdict};

    #[test]
    fn a_case_for_each_threshold() {
        let mut storm = sample::storm();
        storm.scenario.name = "a <b> & \"c\"\u{7}".to_owned();
        storm.verdicts.push(verdict("p99_wait", "constant", None, Some(100.0), Some(500.0)));
        insta::assert_snapshot!(document(&storm.run()), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="sim" tests="2" failures="1">
          <testsuite name="a &lt;b&gt; &amp; &quot;c&quot;�" tests="2" failures="1">
            <testcase classname="full-jitter" name="busiest_slice_retries at most 1,700"/>
            <testcase classname="constant" name="p99_wait at most 100 ms">
              <failure message="p99_wait of constant: 500 ms of at most 100 ms"/>
            </testcase>
          </testsuite>
        </testsuites>
        "#);
    }
}
