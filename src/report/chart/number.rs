//! Numbers and times that only pictures write: at ticks, at the ends of lines
//! and bars. What tables write as well is [`crate::report::number`]'s.

use crate::report::number::{fixed, scientific};
use crate::time::Duration;

/// The number at a tick of an axis: short, `10,000`, `10 million`, and with a
/// power of ten beyond what is read at a glance.
pub(super) fn tick(value: f64, decimals: usize) -> String {
    const NAMED: [(f64, &str); 3] = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    const MOST_DECIMALS: usize = 4;
    if value == 0.0 {
        return "0".to_owned();
    }
    if decimals > MOST_DECIMALS {
        return scientific(value);
    }
    if value >= 1e15 {
        return scientific(value);
    }
    match NAMED.into_iter().find(|(size, _)| value >= *size) {
        Some((size, name)) => format!("{} {name}", value / size),
        None => fixed(value, decimals),
    }
}

/// How many times as much: `27.0×`, without the decimal from a hundred on.
pub(super) fn times(ratio: f64) -> String {
    // 99.95 would be rounded to 100.0.
    format!("{}×", fixed(ratio, usize::from(ratio < 99.95)))
}

/// The unit in which an axis or a column of times is read best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeUnit {
    /// Its nanoseconds.
    pub nanos: u64,
    /// Its sign, as after a number.
    pub sign: &'static str,
    /// Its name in the plural, as in the title of an axis.
    pub name: &'static str,
}

const NANO: TimeUnit = TimeUnit { nanos: 1, sign: "ns", name: "nanoseconds" };
const MICRO: TimeUnit = TimeUnit { nanos: 1_000, sign: "us", name: "microseconds" };
const MILLI: TimeUnit = TimeUnit { nanos: 1_000_000, sign: "ms", name: "milliseconds" };
const SECOND: TimeUnit = TimeUnit { nanos: 1_000_000_000, sign: "s", name: "seconds" };
const MINUTE: TimeUnit = TimeUnit { nanos: 60_000_000_000, sign: "min", name: "minutes" };
const HOUR: TimeUnit = TimeUnit { nanos: 3_600_000_000_000, sign: "h", name: "hours" };
const DAY: TimeUnit = TimeUnit { nanos: 86_400_000_000_000, sign: "d", name: "days" };

impl TimeUnit {
    /// The unit for an axis that ends at `longest`.
    pub(super) fn for_axis(longest: Duration) -> Self {
        let nanos = longest.as_nanos();
        match nanos {
            0 => SECOND,
            1..2_000 => NANO,
            2_000..2_000_000 => MICRO,
            2_000_000..1_000_000_000 => MILLI,
            _ if nanos <= 10 * MINUTE.nanos => SECOND,
            _ if nanos <= 10 * HOUR.nanos => MINUTE,
            _ if nanos <= 10 * DAY.nanos => HOUR,
            _ => DAY,
        }
    }

    /// A length in this unit.
    pub(super) fn of(self, length: Duration) -> f64 {
        length.as_nanos() as f64 / self.nanos as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stay_short() {
        for (value, text) in [
            (1.0, "1"),
            (10_000.0, "10,000"),
            (1e6, "1 million"),
            (2.5e9, "2.5 billion"),
            (1e14, "100 trillion"),
            (1e18, "1e18"),
        ] {
            assert_eq!(tick(value, 0), text);
        }
        assert_eq!(tick(0.5, 1), "0.5");
        assert_eq!(tick(0.0, 1), "0");
        assert_eq!(tick(6e-10, 10), "6e-10");
    }

    #[test]
    fn ratios_carry_one_decimal_where_it_matters() {
        for (ratio, text) in
            [(27.0, "27.0×"), (1.109, "1.1×"), (99.96, "100×"), (2_430.4, "2,430×")]
        {
            assert_eq!(times(ratio), text);
        }
    }

    #[test]
    fn an_axis_is_read_in_small_numbers() {
        for (longest, name) in [
            (Duration::ZERO, "seconds"),
            (Duration::from_nanos(500), "nanoseconds"),
            (Duration::from_millis(999), "milliseconds"),
            (Duration::from_millis(4_200), "seconds"),
            (Duration::from_secs(600), "seconds"),
            (Duration::from_secs(3_600), "minutes"),
            (Duration::from_secs(86_400), "hours"),
            (Duration::MAX, "days"),
        ] {
            assert_eq!(TimeUnit::for_axis(longest).name, name, "{longest}");
        }
        assert_eq!(SECOND.of(Duration::from_millis(1_500)), 1.5);
    }
}
