//! Reading what a server asked for: a number, or a date.
//!
//! RFC 9110 allows a whole number of seconds or an HTTP date in any of three
//! forms; other protocols send milliseconds or Unix time. Every text gives a
//! [`Hint`], none a panic. What a hint then does to the wait is `hint.rs`.

use super::hint::Hint;
use crate::time::{Duration, NANOS_PER_MILLI, NANOS_PER_SECOND};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds from now.
    Seconds,
    /// Milliseconds from now.
    Millis,
    /// Seconds since 1970, as a point in time.
    UnixSeconds,
}

/// What a client can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// What a number counts.
    pub unit: Unit,
    /// Whether a number may have a fraction.
    pub fractions: bool,
    /// Whether an HTTP date is understood.
    pub dates: bool,
    /// Whether the first of several values counts; otherwise several cannot be read.
    pub first_of_several: bool,
}

impl Format {
    /// Retry-After as RFC 9110 has it.
    pub const HTTP: Self =
        Self { unit: Unit::Seconds, fractions: false, dates: true, first_of_several: true };
    /// Retry-After in whole seconds only.
    pub const SECONDS: Self = Self { dates: false, ..Self::HTTP };
    /// A header that holds whole milliseconds.
    pub const MILLIS: Self = Self { unit: Unit::Millis, ..Self::SECONDS };
    /// The gRPC trailer: whole milliseconds, and at most one of them.
    pub const PUSHBACK: Self = Self { first_of_several: false, ..Self::MILLIS };

    /// What these values of one header ask for, at `now` after the start of 1970.
    pub fn read(self, values: &[&str], now: Duration) -> Hint {
        match values {
            [] => Hint::None,
            [_, _, ..] if !self.first_of_several => Hint::Unreadable,
            [first, ..] => self.read_one(first, now),
        }
    }

    /// What one value asks for, at `now` after the start of 1970.
    pub fn read_one(self, value: &str, now: Duration) -> Hint {
        let text = value.trim_matches([' ', '\t']);
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if let Some(nanos) = self.number(digits) {
            return match self.unit {
                _ if negative && nanos > 0 => Hint::Negative,
                Unit::Seconds | Unit::Millis => Hint::After(Duration::from_nanos(nanos)),
                Unit::UnixSeconds => Hint::After(Duration::from_nanos(nanos) - now),
            };
        }
        match self.dates.then(|| date(text, now)).flatten() {
            Some(then) => Hint::After(then - now),
            None => Hint::Unreadable,
        }
    }

    /// A number in nanoseconds, saturating; `None` if it is none.
    fn number(self, text: &str) -> Option<u64> {
        let unit = match self.unit {
            Unit::Seconds | Unit::UnixSeconds => NANOS_PER_SECOND,
            Unit::Millis => NANOS_PER_MILLI,
        };
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if self.fractions => (whole, fraction),
            Some(_) => return None,
            None => (text, "0"),
        };
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let mut nanos = whole.bytes().fold(0_u64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        });
        nanos = nanos.saturating_mul(unit);
        let mut place = unit;
        for digit in fraction.bytes() {
            place /= 10;
            nanos = nanos.saturating_add(place * u64::from(digit - b'0'));
        }
        Some(nanos)
    }
}

/// An HTTP date as the time since the start of 1970, where `now` settles the
/// century of a year of two digits. A date before 1970 is its start. The name
/// of the day is not compared with the date: clients do not, and the date rules.
fn date(text: &str, now: Duration) -> Option<Duration> {
    let mut words = text.split_ascii_whitespace();
    let day_name = words.next()?;
    let (day, month, year, clock) = if let Some(name) = day_name.strip_suffix(',') {
        let next = words.next()?;
        if next.contains('-') {
            // Sunday, 06-Nov-94 08:49:37 GMT
            is_day(name, 6).then_some(())?;
            let mut parts = next.split('-');
            let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
            let year = full_year(digits(year, 2)?, now);
            let clock = words.next()?;
            (parts.next().is_none() && words.next()? == "GMT").then_some(())?;
            (digits(day, 2)?, month, year, clock)
        } else {
            // Sun, 06 Nov 1994 08:49:37 GMT
            is_day(name, 3).then_some(())?;
            let (month, year, clock) = (words.next()?, words.next()?, words.next()?);
            (words.next()? == "GMT").then_some(())?;
            (digits(next, 2)?, month, digits(year, 4)?, clock)
        }
    } else {
        // Sun Nov  6 08:49:37 1994
        is_day(day_name, 3).then_some(())?;
        let (month, day, clock) = (words.next()?, words.next()?, words.next()?);
        (digits(day, day.len().clamp(1, 2))?, month, digits(words.next()?, 4)?, clock)
    };
    if words.next().is_some() {
        return None;
    }
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))? as u64 + 1;
    if day == 0 || day > days_in_month(year, month) {
        return None;
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + time_of_day(clock)?;
    Some(Duration::from_secs(seconds))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Whether this is the name of a day: its first three letters, or all of it if
/// more are asked for.
fn is_day(name: &str, letters: usize) -> bool {
    DAYS.iter().any(|day| {
        let day = if letters == 3 { &day[..3] } else { day };
        day.eq_ignore_ascii_case(name)
    })
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u64> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// Seconds since midnight of `08:49:37`. A leap second is the second after.
fn time_of_day(clock: &str) -> Option<u64> {
    let mut parts = clock.split(':');
    let mut part = |most| parts.next().and_then(|p| digits(p, 2)).filter(|&p| p <= most);
    let (hour, minute, second) = (part(23)?, part(59)?, part(60)?);
    parts.next().is_none().then_some(hour * 3_600 + minute * 60 + second)
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_in_month(year: u64, month: u64) -> u64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from the start of 1970 to a date of the Gregorian calendar, zero for
/// one before. Years have four digits, so it cannot overflow.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    if year < 1970 {
        return 0;
    }
    let leap_days = |before: u64| before / 4 - before / 100 + before / 400;
    let years = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let months: u64 = (1..month).map(|month| days_in_month(year, month)).sum();
    years + months + day - 1
}

/// A year of two digits that is not more than 50 years after `now`.
fn full_year(two_digits: u64, now: Duration) -> u64 {
    let this_year = 1970 + now.as_nanos() / NANOS_PER_SECOND * 400 / (146_097 * 86_400);
    let ahead = (two_digits + 100 - this_year % 100) % 100;
    if ahead > 50 { this_year + ahead - 100 } else { this_year + ahead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sunday, 6 November 1994, 08:49:37 GMT: the example of RFC 9110.
    const EXAMPLE: u64 = 784_111_777;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn read(text: &str) -> Hint {
        Format::HTTP.read_one(text, at(EXAMPLE - 30))
    }

    #[test]
    fn the_three_forms_of_a_date_are_the_same_instant() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(read(text), Hint::After(at(30)), "{text}");
        }
    }

    #[test]
    fn seconds_are_whole_and_never_overflow() {
        for (text, expected) in [
            ("0", Hint::After(Duration::ZERO)),
            ("120", Hint::After(at(120))),
            (" 2\t", Hint::After(at(2))),
            ("-0", Hint::After(Duration::ZERO)),
            ("-3", Hint::Negative),
            ("99999999999999999999999", Hint::After(Duration::MAX)),
            ("", Hint::Unreadable),
            ("-", Hint::Unreadable),
            ("+2", Hint::Unreadable),
            ("1.5", Hint::Unreadable),
            ("2 s", Hint::Unreadable),
            ("0x10", Hint::Unreadable),
            ("٢", Hint::Unreadable),
            ("soon", Hint::Unreadable),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn fractions_and_units_are_the_clients() {
        let lenient = Format { fractions: true, ..Format::HTTP };
        for (format, text, expected) in [
            (lenient, "1.5", Hint::After(Duration::from_millis(1_500))),
            (lenient, "0.0000000019", Hint::After(Duration::from_nanos(1))),
            (lenient, "1.", Hint::Unreadable),
            (lenient, ".5", Hint::Unreadable),
            (Format::MILLIS, "1500", Hint::After(Duration::from_millis(1_500))),
            (Format::SECONDS, "Sun, 06 Nov 1994 08:49:37 GMT", Hint::Unreadable),
            (
                Format { unit: Unit::UnixSeconds, ..Format::SECONDS },
                "784111777",
                Hint::After(at(30)),
            ),
        ] {
            assert_eq!(format.read_one(text, at(EXAMPLE - 30)), expected, "{text:?}");
        }
    }

    #[test]
    fn a_date_that_is_none_cannot_be_read() {
        for text in [
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 32 Dec 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49:37 GMT now",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Son, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94-1 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 94",
        ] {
            assert_eq!(read(text), Hint::Unreadable, "{text}");
        }
    }

    #[test]
    fn a_date_in_the_past_is_now() {
        assert_eq!(read("Sun, 06 Nov 1994 08:49:06 GMT"), Hint::After(Duration::ZERO));
        assert_eq!(read("Mon, 01 Jan 1900 00:00:00 GMT"), Hint::After(Duration::ZERO));
    }

    #[test]
    fn years_of_two_digits_are_at_most_50_years_ahead() {
        // The instant is in 1994: 44 is ahead, 45 is behind.
        let ahead = Format::HTTP.read_one("Sunday, 06-Nov-44 08:49:37 GMT", at(EXAMPLE));
        let behind = Format::HTTP.read_one("Sunday, 06-Nov-45 08:49:37 GMT", at(EXAMPLE));
        assert_eq!(behind, Hint::After(Duration::ZERO));
        // 50 years with 13 leap days.
        assert_eq!(ahead, Hint::After(at((50 * 365 + 13) * 86_400)));
    }

    #[test]
    fn several_values_are_the_first_or_nothing() {
        assert_eq!(Format::HTTP.read(&[], at(0)), Hint::None);
        assert_eq!(Format::HTTP.read(&["2", "3"], at(0)), Hint::After(at(2)));
        assert_eq!(Format::PUSHBACK.read(&["2", "3"], at(0)), Hint::Unreadable);
        assert_eq!(Format::PUSHBACK.read(&["2"], at(0)), Hint::After(Duration::from_millis(2)));
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        /// Days counted one after another are days computed.
        #[test]
        fn days_follow_one_another(year in 1970_u64..3000, month in 1_u64..=12, day in 1_u64..=31) {
            prop_assume!(day <= days_in_month(year, month));
            let (next_year, next_month, next_day) = if day < days_in_month(year, month) {
                (year, month, day + 1)
            } else if month < 12 {
                (year, month + 1, 1)
            } else {
                (year + 1, 1, 1)
            };
            let today = days_since_1970(year, month, day);
            let tomorrow = days_since_1970(next_year, next_month, next_day);
            prop_assert_eq!(today + 1, tomorrow);
        }

        #[test]
        fn nothing_makes_it_panic(text in any::<String>(), now in any::<u64>()) {
            for format in [Format::HTTP, Format::PUSHBACK, Format { fractions: true, ..Format::HTTP }] {
                let _ = format.read_one(&text, Duration::from_nanos(now));
            }
        }

        #[test]
        fn nothing_like_a_date_makes_it_panic(
            text in "[A-Za-z]{0,9},? ?[0-9]{0,5}[- ]?[A-Za-z]{3}[- ]?[0-9]{1,20} ?[0-9:]{0,12} ?(GMT)?",
            now in any::<u64>(),
        ) {
            let _ = Format::HTTP.read_one(&text, Duration::from_nanos(now));
        }
    }
}
