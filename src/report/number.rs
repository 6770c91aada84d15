//! Numbers as text: with thousands separators and few digits for people, with
//! all digits that count and nothing else for files.

use std::fmt::{self, Display};

use crate::model::Unit;
use crate::time::{NANOS_PER_MILLI, NANOS_PER_SECOND};

/// A number for a file: at most six decimals, none that are zero at the end.
/// In milliseconds that is exact to the nanosecond.
#[derive(Clone, Copy, Debug)]
pub struct Plain(pub f64);

/// Decimals of a number in a file.
const FILE_DECIMALS: usize = 6;

impl Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&trimmed(self.0, FILE_DECIMALS))
    }
}

impl Plain {
    /// The same number for JSON: whole if it is whole, `None` if it is not
    /// finite, which JSON cannot say.
    pub fn json(self) -> Option<serde_json::Number> {
        let text = self.to_string();
        text.parse::<u64>()
            .map(serde_json::Number::from)
            .ok()
            .or_else(|| text.parse().ok().and_then(serde_json::Number::from_f64))
    }
}

/// What stands for a time that never comes, wherever a number would.
pub const NEVER: &str = "never";

/// The value of a metric in a file: nothing where it does not apply, and
/// [`NEVER`] for an infinite one.
#[derive(Clone, Copy, Debug)]
pub struct Measure(pub Option<f64>);

impl Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(f64::INFINITY) => f.write_str(NEVER),
            Some(value) if value.is_finite() => Plain(value).fmt(f),
            Some(_) | None => Ok(()),
        }
    }
}

impl Measure {
    /// The same for JSON, `null` where it does not apply.
    pub fn json(self) -> serde_json::Value {
        match self.0 {
            Some(f64::INFINITY) => NEVER.into(),
            value => value.and_then(|value| Plain(value).json()).into(),
        }
    }
}

/// Nanoseconds as milliseconds for a file, exactly.
#[derive(Clone, Copy, Debug)]
pub struct Millis(pub u64);

impl Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / NANOS_PER_MILLI, self.0 % NANOS_PER_MILLI);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{rest:06}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

/// A count for people: `10,000`.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

/// A number for people with so many decimals: `1,241.30`.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    // What rounds to zero is zero, whichever side it came from.
    let text = if text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.')) {
        text.trim_start_matches('-')
    } else {
        &text
    };
    grouped(text)
}

/// A count with its noun: `1 retry`, `1,461 retries`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A rate with as many decimals as tell something: `2,280`, `8.5`, `0.25`,
/// `1.2e-5`.
pub fn rate(value: f64) -> String {
    if value > 0.0 && value < 0.095 {
        return scientific(value);
    }
    let decimals = match value {
        _ if value >= 99.95 || value == 0.0 => 0,
        _ if value >= 0.995 => 1,
        _ => 2,
    };
    fixed(value, decimals)
}

/// Two digits and a power of ten: `1.2e-5`, `1e18`.
pub fn scientific(value: f64) -> String {
    format!("{value:.1e}").replace(".0e", "e")
}

/// How a column of lengths of time is written: one unit and one number of
/// decimals, so that its numbers can be compared at a glance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    unit: &'static str,
    per_milli: f64,
    decimals: usize,
}

impl Scale {
    /// The scale on which the longest of some lengths, in milliseconds, has
    /// three digits or more, and none is longer than six.
    pub fn of(longest_millis: f64) -> Self {
        let scale = |unit, per_milli, decimals| Self { unit, per_milli, decimals };
        match longest_millis {
            m if m >= 100_000.0 => scale("s", 1e-3, 1),
            m if m >= 100.0 || m <= 0.0 => scale("ms", 1.0, 0),
            m if m >= 10.0 => scale("ms", 1.0, 1),
            m if m >= 1.0 => scale("ms", 1.0, 2),
            _ => scale("us", 1e3, 1),
        }
    }

    /// A length of so many milliseconds on this scale.
    pub fn text(self, millis: f64) -> String {
        format!("{} {}", fixed(millis * self.per_milli, self.decimals), self.unit)
    }
}

/// A measured number beside the limits it is held against: with as few
/// decimals as still show on which side of them it lies.
pub fn measured(value: f64, unit: Unit, limits: &[f64]) -> String {
    if value == f64::INFINITY {
        return NEVER.to_owned();
    }
    let largest = limits.iter().copied().fold(value, f64::max);
    let (factor, suffix) = dimension(unit, largest);
    let scaled = value * factor;
    let least = usize::from(scaled != scaled.trunc());
    for decimals in least..FILE_DECIMALS {
        let rounded = fixed(scaled, decimals).replace(',', "").parse().unwrap_or(f64::NAN);
        let same_side = |&limit: &f64| {
            value.partial_cmp(&limit) == f64::partial_cmp(&rounded, &(limit * factor))
        };
        if limits.iter().all(same_side) {
            return format!("{}{suffix}", fixed(scaled, decimals));
        }
    }
    format!("{}{suffix}", grouped(&trimmed(scaled, FILE_DECIMALS)))
}

/// A limit as it was meant: all its digits, in the unit in which a number
/// `beside` it is written.
pub fn limit(value: f64, unit: Unit, beside: f64) -> String {
    let beside = if beside.is_finite() { beside } else { value };
    let (factor, suffix) = dimension(unit, value.max(beside));
    format!("{}{suffix}", grouped(&trimmed(value * factor, FILE_DECIMALS)))
}

/// The factor and the suffix of a unit for numbers up to `largest`.
fn dimension(unit: Unit, largest: f64) -> (f64, &'static str) {
    match unit {
        Unit::Count | Unit::Ratio => (1.0, ""),
        Unit::PerSecond => (1.0, " /s"),
        Unit::Millis if largest >= 10_000.0 => {
            (NANOS_PER_MILLI as f64 / NANOS_PER_SECOND as f64, " s")
        }
        Unit::Millis => (1.0, " ms"),
    }
}

/// A number with at most so many decimals, none that are zero at the end.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Puts a comma before every third digit of the whole part.
fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let mut text = String::with_capacity(number.len() + number.len() / 3);
    for (at, letter) in number.char_indices() {
        let digits_left = end.saturating_sub(at);
        if at > start && at < end && digits_left % 3 == 0 {
            text.push(',');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_get_every_digit_that_counts() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.000_000_1, "0"),
            (10_000.0, "10000"),
            (1_241.337_214, "1241.337214"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (100.0, "100"),
            (9_007_199_254_740_992.0, "9007199254740992"),
        ] {
            assert_eq!(Plain(value).to_string(), expected);
        }
        assert_eq!(Millis(1_234_567).to_string(), "1.234567");
        assert_eq!(Millis(500_000_000).to_string(), "500");
        assert_eq!(Millis(10).to_string(), "0.00001");
    }

    #[test]
    fn a_metric_may_be_never_or_not_apply() {
        for (value, text, json) in [
            (Some(26_300.0), "26300", "26300"),
            (Some(f64::INFINITY), "never", "\"never\""),
            (Some(f64::NAN), "", "null"),
            (None, "", "null"),
        ] {
            assert_eq!(Measure(value).to_string(), text);
            assert_eq!(Measure(value).json().to_string(), json);
        }
        assert_eq!(measured(f64::INFINITY, Unit::Millis, &[30_000.0]), "never");
        assert_eq!(limit(5_000.0, Unit::Millis, f64::INFINITY), "5,000 ms");
    }

    #[test]
    fn json_keeps_whole_numbers_whole() {
        assert_eq!(Plain(27_000.0).json().unwrap().to_string(), "27000");
        assert_eq!(Plain(1.109).json().unwrap().to_string(), "1.109");
        assert_eq!(Plain(-0.5).json().unwrap().to_string(), "-0.5");
        assert_eq!(Plain(f64::INFINITY).json(), None);
    }

    #[test]
    fn people_get_thousands_separators() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (10_000, "10,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(count(number), expected);
        }
        assert_eq!(fixed(1_241.25, 1), "1,241.2");
        assert_eq!(fixed(-1_000.0, 0), "-1,000");
        assert_eq!(fixed(-0.01, 1), "0.0");
        assert_eq!(counted(1, "retry", "retries"), "1 retry");
        assert_eq!(counted(1_200, "request", "requests"), "1,200 requests");
    }

    #[test]
    fn rates_are_as_exact_as_is_useful() {
        for (value, text) in [
            (0.0, "0"),
            (1.157e-5, "1.2e-5"),
            (2_280.4, "2,280"),
            (99.96, "100"),
            (8.52, "8.5"),
            (0.254, "0.25"),
        ] {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn a_column_has_one_scale() {
        assert_eq!(Scale::of(4_182.4).text(647.6), "648 ms");
        assert_eq!(Scale::of(0.0).text(0.0), "0 ms");
        assert_eq!(Scale::of(42.0).text(3.16), "3.2 ms");
        assert_eq!(Scale::of(4.2).text(3.16), "3.16 ms");
        assert_eq!(Scale::of(0.25).text(0.1), "100.0 us");
        assert_eq!(Scale::of(250_000.0).text(1_500.0), "1.5 s");
    }

    #[test]
    fn a_measured_number_shows_its_side_of_the_limit() {
        let limits = [1_700.0];
        assert_eq!(measured(1_461.0, Unit::Count, &limits), "1,461");
        assert_eq!(measured(1_241.337_2, Unit::Millis, &limits), "1,241.3 ms");
        assert_eq!(measured(1_700.000_4, Unit::Millis, &limits), "1,700.0004 ms");
        assert_eq!(measured(1.096, Unit::Ratio, &[1.1]), "1.096");
        assert_eq!(measured(2_100.0, Unit::Millis, &[30_000.0]), "2.1 s");
        assert_eq!(limit(30_000.0, Unit::Millis, 2_100.0), "30 s");
        assert_eq!(limit(800.0, Unit::PerSecond, 1.0), "800 /s");
    }
}
