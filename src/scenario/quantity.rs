//! Quantities as people write them: `"250 ms"`, `"800 /s"`, `"10 %"`.
//!
//! Numbers are kept as decimals, exactly as typed, so that a length of time is
//! a whole number of nanoseconds without a detour through floating point.

use super::report::Problem;
use super::suggest::nearest;
use crate::time::Duration;

/// The longest length of time that a scenario may name: ten years of 365 days.
/// Sums of such lengths stay far from the end of the clock (584 years).
pub const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The highest rate per second: one request in each nanosecond, the step of
/// the clock.
pub const HIGHEST_RATE: f64 = 1e9;

/// Units of time with their nanoseconds.
pub(super) const TIME_UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Units of rates with their seconds.
const RATE_UNITS: [(&str, f64); 3] = [("/s", 1.0), ("/min", 60.0), ("/h", 3_600.0)];

/// The units of time, as messages list them.
const TIME_NAMES: [&str; 7] = ["ns", "us", "ms", "s", "min", "h", "d"];

/// The units of rates, as messages list them.
const RATE_NAMES: [&str; 3] = ["/s", "/min", "/h"];

/// Words that people use for units that have another name here.
const ALIASES: [(&str, &str); 21] = [
    ("percent", "%"),
    ("/sec", "/s"),
    ("rps", "/s"),
    ("qps", "/s"),
    ("per second", "/s"),
    ("per minute", "/min"),
    ("m", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("msec", "ms"),
    ("millis", "ms"),
    ("milliseconds", "ms"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
];

/// A decimal number, exactly: `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u128,
    exponent: i32,
}

/// What a decimal gives when it is multiplied by a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scaled {
    /// A whole number.
    Whole(u64),
    /// Something between two whole numbers.
    Fraction,
    /// More than fits.
    Huge,
}

impl Decimal {
    /// More significant digits than any real quantity has.
    const MOST_DIGITS: usize = 20;

    /// Reads `12`, `1_000`, `0.25`, `1e6`; `None` for anything else, such as
    /// infinity or a number with more than 20 significant digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let mut significant = String::new();
        for part in [whole, fraction] {
            let tidy = !part.starts_with('_') && !part.ends_with('_') && !part.contains("__");
            let digits: String = part.chars().filter(|&c| c != '_').collect();
            if !tidy || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            significant.push_str(&digits);
        }
        let places = fraction.bytes().filter(u8::is_ascii_digit).count();
        let kept = significant.trim_end_matches('0');
        let zeros = significant.len() - kept.len();
        let kept = kept.trim_start_matches('0');
        if kept.len() > Self::MOST_DIGITS {
            return None;
        }
        if kept.is_empty() {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        // Files are far shorter than the numbers that would not fit here.
        let moved = i32::try_from(zeros).ok()? - i32::try_from(places).ok()?;
        let exponent = exponent.saturating_add(moved);
        Some(Self { negative, digits: kept.parse().ok()?, exponent })
    }

    /// Whether it is below zero.
    pub(super) fn is_negative(self) -> bool {
        self.negative
    }

    /// Whether it is zero.
    pub(super) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Its size times `factor`, exactly.
    pub(super) fn times(self, factor: u64) -> Scaled {
        // 10^20 digits times a day of nanoseconds fits into 128 bits.
        let product = self.digits * u128::from(factor);
        let power = 10_u128.checked_pow(self.exponent.unsigned_abs());
        let scaled = match (power, self.exponent >= 0) {
            (Some(power), true) => product.checked_mul(power),
            (None, true) => None,
            (Some(power), false) if product.is_multiple_of(power) => Some(product / power),
            (_, false) => return Scaled::Fraction,
        };
        scaled.and_then(|value| u64::try_from(value).ok()).map_or(Scaled::Huge, Scaled::Whole)
    }

    /// The nearest floating point number.
    pub(super) fn to_f64(self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let text = format!("{sign}{}e{}", self.digits, self.exponent);
        text.parse().unwrap_or(f64::INFINITY)
    }
}

/// A number, as typed and read, and the unit behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantity<'a> {
    typed: &'a str,
    number: Decimal,
    unit: &'a str,
    /// The byte at which the unit starts.
    unit_at: usize,
}

/// Splits `"250 ms"` into its number and its unit.
fn split<'a>(key: &str, whole: &'a str, example: &str) -> Result<Quantity<'a>, Problem> {
    let text = whole.trim();
    let mut end = 0;
    for (at, letter) in text.char_indices() {
        let exponent = matches!(letter, 'e' | 'E')
            && text[at + 1..].starts_with(|next: char| next.is_ascii_digit() || next == '-');
        if !(letter.is_ascii_digit() || matches!(letter, '_' | '.' | '+' | '-') || exponent) {
            break;
        }
        end = at + letter.len_utf8();
    }
    let (typed, unit) = (&text[..end], text[end..].trim());
    let number = Decimal::parse(typed).ok_or_else(|| {
        let digits = typed.bytes().filter(u8::is_ascii_digit).count();
        let title = if digits > Decimal::MOST_DIGITS {
            format!("`{key}` has more than {} digits", Decimal::MOST_DIGITS)
        } else {
            format!("`{key}` is not a number with a unit")
        };
        Problem::new(title, "not a quantity").help(format!("write it like \"{example}\""))
    })?;
    if unit.is_empty() {
        return Err(Problem::new(format!("`{key}` has no unit"), "a number without a unit")
            .help(format!("write it like \"{example}\"")));
    }
    if number.is_negative() {
        return Err(Problem::new(format!("`{key}` is negative"), "below zero"));
    }
    let unit_at = whole.rfind(unit).unwrap_or(0);
    Ok(Quantity { typed, number, unit, unit_at })
}

/// Reads a length of time, `"1.5 s"`. `key` is for the messages.
pub(super) fn time(key: &str, text: &str) -> Result<Duration, Problem> {
    let quantity = split(key, text, "250 ms")?;
    let Some(&(_, nanos)) = TIME_UNITS.iter().find(|(unit, _)| *unit == quantity.unit) else {
        return Err(unknown_unit(&quantity, "a length of time", &TIME_NAMES));
    };
    match quantity.number.times(nanos) {
        Scaled::Whole(nanos) if nanos <= LONGEST.as_nanos() => Ok(Duration::from_nanos(nanos)),
        Scaled::Fraction
            if quantity.number.to_f64() * nanos as f64 <= LONGEST.as_nanos() as f64 =>
        {
            Err(Problem::new(format!("`{key}` is finer than a nanosecond"), "too fine")
                .help("time runs in whole nanoseconds"))
        }
        _ => Err(Problem::new(format!("`{key}` is too long"), "too long")
            .help("a length of time is at most ten years, 3650 d")),
    }
}

/// Reads a rate, `"800 /s"`, as a number per second; one of zero only if it
/// may be.
pub(super) fn rate(key: &str, text: &str, zero: bool) -> Result<f64, Problem> {
    let quantity = split(key, text, "800 /s")?;
    let unit: String = quantity.unit.split_whitespace().collect();
    let Some((_, seconds)) = RATE_UNITS.into_iter().find(|(name, _)| *name == unit) else {
        return Err(unknown_unit(&quantity, "a rate", &RATE_NAMES));
    };
    let rate = quantity.number.to_f64() / seconds;
    if quantity.number.is_zero() && zero {
        return Ok(0.0);
    }
    if quantity.number.is_zero() {
        return Err(Problem::new(format!("`{key}` is zero"), "no requests at all")
            .help("a rate is above 0; leave the client out if it sends nothing"));
    }
    if rate > HIGHEST_RATE {
        return Err(Problem::new(format!("`{key}` is too high"), "too high")
            .help("at most 1_000_000_000 /s: one in each nanosecond, the step of simulated time"));
    }
    if rate * LONGEST.as_secs_f64() < 1.0 {
        return Err(Problem::new(format!("`{key}` is too low"), "too low")
            .help("not one request in ten years, the longest run; raise the rate"));
    }
    Ok(rate)
}

/// Reads a share, `"5 %"`, as a number from 0 to 1.
pub(super) fn share(key: &str, text: &str) -> Result<f64, Problem> {
    let quantity = split(key, text, "5 %")?;
    if quantity.unit != "%" {
        return Err(unknown_unit(&quantity, "a share", &["%"]));
    }
    let share = quantity.number.to_f64() / 100.0;
    if share > 1.0 {
        return Err(Problem::new(format!("`{key}` is above 100 %"), "more than all"));
    }
    Ok(share)
}

/// The typed number and unit with one space between, and without `_`.
pub(super) fn tidy(text: &str) -> String {
    let Ok(quantity) = split("", text, "") else { return text.trim().to_owned() };
    let number: String = quantity.typed.chars().filter(|&c| c != '_').collect();
    let unit: String = quantity.unit.split_whitespace().collect();
    format!("{number} {unit}")
}

fn unknown_unit(quantity: &Quantity<'_>, what: &str, units: &[&'static str]) -> Problem {
    let unit: String = quantity.unit.chars().take(40).collect();
    let spot = quantity.unit_at..quantity.unit_at + quantity.unit.len();
    let all = match units {
        [unit] => format!("its unit is {unit}"),
        _ => format!("its units are {}", units.join(", ")),
    };
    if TIME_NAMES.iter().chain(&RATE_NAMES).chain(&["%"]).any(|known| *known == unit) {
        return Problem::new(format!("`{unit}` is not a unit of {what}"), "wrong kind of unit")
            .help(all)
            .at(spot);
    }
    let fits = |meant: &str| units.contains(&meant);
    let aliases = ALIASES.iter().filter(|(_, meant)| fits(meant));
    let words = units.iter().copied().chain(aliases.clone().map(|(alias, _)| *alias));
    let near = nearest(&unit, words);
    let near = near.map(|near| aliases.clone().find(|a| a.0 == near).map_or(near, |a| a.1));
    let help = match near {
        Some(near) => format!("a unit with a similar name exists: `{near}`; {all}"),
        None => all,
    };
    Problem::new(format!("unknown unit `{unit}`"), "unknown unit").help(help).at(spot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_exact() {
        for (text, nanos) in [
            ("0 s", 0),
            ("1 ns", 1),
            ("250 ms", 250_000_000),
            ("250ms", 250_000_000),
            ("1.5 s", 1_500_000_000),
            ("0.1 us", 100),
            ("0.3 \u{b5}s", 300),
            ("0.7 \u{3bc}s", 700),
            ("1_000.000_1 ms", 1_000_000_100),
            ("1e-3 s", 1_000_000),
            ("2 min", 120_000_000_000),
            ("1.5 h", 5_400_000_000_000),
            ("3650 d", LONGEST.as_nanos()),
        ] {
            assert_eq!(time("x", text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in [
            "",
            " ",
            "ms",
            "10",
            "10 sec",
            "-1 s",
            "nan s",
            "inf s",
            "1..2 s",
            "1__0 s",
            "_1 s",
            "1 /s",
            "3651 d",
            "1e400 s",
            "1e-400 s",
            "0.5 ns",
            "1e99999999999 s",
            "1 s s",
            "0x10 s",
            "999999999999999999999 s",
            "1.0000000000000000000000001 s",
        ] {
            assert!(time("x", text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_and_shares() {
        assert_eq!(rate("x", "800 /s", false), Ok(800.0));
        assert_eq!(rate("x", "800/s", false), Ok(800.0));
        assert_eq!(rate("x", "30 / min", false), Ok(0.5));
        assert_eq!(rate("x", "1e9 /s", false), Ok(1e9));
        assert_eq!(rate("x", "0 /h", true), Ok(0.0));
        assert_eq!(share("x", "5 %"), Ok(0.05));
        assert_eq!(share("x", "0%"), Ok(0.0));
        for text in ["1e18 /s", "1000000001 /s", "0 /s", "nan /s", "1e-12 /s", "5 s", "5"] {
            assert!(rate("x", text, false).is_err(), "{text}");
        }
        for text in ["100.01 %", "-1 %", "5", "5 s", "nan %"] {
            assert!(share("x", text).is_err(), "{text}");
        }
    }

    #[test]
    fn tidy_keeps_what_was_typed() {
        assert_eq!(tidy(" 1_000/s"), "1000 /s");
        assert_eq!(tidy("5%"), "5 %");
    }
}
