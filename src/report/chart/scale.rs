//! From values to places on an axis, and where its ticks stand.
//!
//! Own scales and ticks rather than the drawing library's: its logarithmic
//! axis misplaces ticks, and a chart needs both to be round and few.

use crate::math;

/// How values are spread over an axis, and which of them have ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Evenly, with a tick at each multiple of `step`.
    Linear { step: f64 },
    /// Decades of one length, with a line at each `lines`-th and a number at
    /// each `numbers`-th of them. The axis starts at one half, so that a single
    /// one is seen above it.
    Log { lines: u32, numbers: u32 },
}

/// An axis for values from zero up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    kind: Kind,
    /// The value at the far end.
    top: f64,
    /// Where zero stands (one half on a logarithmic axis).
    start: f64,
    /// Where `top` stands; less than `start` for an axis that points up.
    end: f64,
}

/// A tick of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tick {
    /// Its value.
    pub value: f64,
    /// Where it stands.
    pub at: f64,
    /// Whether its number is written.
    pub numbered: bool,
}

/// Where a logarithmic axis starts.
const LOG_START: f64 = 0.5;

impl Scale {
    /// A linear axis from 0 at `start` to `top` at `end`, with ticks at least
    /// `apart` from each other. A `top` that is not above zero counts as 1.
    pub(super) fn linear(top: f64, (start, end): (f64, f64), apart: f64) -> Self {
        let top = if top > 0.0 && top.is_finite() { top } else { 1.0 };
        let most = f64::floor((end - start).abs() / apart).max(1.0);
        Self { kind: Kind::Linear { step: round_step(top / most) }, top, start, end }
    }

    /// The same, but `end` is the first tick that is not below `most`.
    pub(super) fn linear_round(most: f64, ends: (f64, f64), apart: f64) -> Self {
        let mut scale = Self::linear(most, ends, apart);
        if let Kind::Linear { step } = scale.kind {
            scale.top = f64::ceil(scale.top / step - 1e-9) * step;
        }
        scale
    }

    /// A linear axis for counts: no tick stands between two whole numbers.
    pub(super) fn whole(top: u64, ends: (f64, f64), apart: f64) -> Self {
        let mut scale = Self::linear(top as f64, ends, apart);
        if let Kind::Linear { step } = &mut scale.kind {
            *step = step.max(1.0);
        }
        scale
    }

    /// A logarithmic axis from one half at `start` to `top` at `end`, with
    /// lines at least `lines` and numbers at least `numbers` from each other. A
    /// `top` below 10 counts as 10.
    pub(super) fn log(top: f64, (start, end): (f64, f64), lines: f64, numbers: f64) -> Self {
        let top = if top > 10.0 { top } else { 10.0 };
        let decade = (end - start).abs() / math::log10(top / LOG_START);
        let every = |room: f64| f64::ceil(room / decade).max(1.0) as u32;
        // Every number stands at a line, so the lines stay at even distances.
        let lines = every(lines);
        let kind = Kind::Log { lines, numbers: every(numbers).next_multiple_of(lines) };
        Self { kind, top, start, end }
    }

    /// Where a value stands, never beyond the ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear { .. } => value / self.top,
            Kind::Log { .. } if value <= LOG_START => 0.0,
            Kind::Log { .. } => math::log10(value / LOG_START) / math::log10(self.top / LOG_START),
        };
        self.start + (self.end - self.start) * share.clamp(0.0, 1.0)
    }

    /// The ticks, from the start.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let tick = |value: f64, numbered: bool| Tick { value, at: self.at(value), numbered };
        match self.kind {
            Kind::Linear { step } => {
                let count = f64::floor(self.top / step + 1e-9) as u32;
                (0..=count).map(|i| tick(f64::from(i) * step, true)).collect()
            }
            Kind::Log { lines, numbers } => {
                let decades = f64::floor(math::log10(self.top) + 1e-9) as u32;
                (0..=decades)
                    .filter(|power| power % lines == 0)
                    .map(|power| tick(math::pow(10.0, f64::from(power)), power % numbers == 0))
                    .collect()
            }
        }
    }

    /// The decimals that the numbers at its ticks need.
    pub(super) fn decimals(&self) -> usize {
        let Kind::Linear { step } = self.kind else { return 0 };
        // A step is 1, 2 or 5 times a power of ten.
        (0..20).find(|&places| step * math::pow(10.0, places as f64) > 0.99).unwrap_or(20)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = math::pow(10.0, f64::floor(math::log10(step)));
    let round = |size: f64| power * size >= step * (1.0 - 1e-9);
    power * [1.0, 2.0, 5.0].into_iter().find(|&size| round(size)).unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scale: &Scale) -> Vec<f64> {
        scale.ticks().into_iter().filter(|t| t.numbered).map(|t| t.value).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_far_enough_apart() {
        let scale = Scale::linear(4.3, (206.0, 698.0), 40.0);
        assert_eq!(numbers(&scale), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);
        assert_eq!(scale.decimals(), 1);
        let scale = Scale::linear(4.3, (206.0, 698.0), 100.0);
        assert_eq!(numbers(&scale), [0.0, 2.0, 4.0]);
        assert_eq!(scale.decimals(), 0);
        assert_eq!(Scale::linear(1e-9, (0.0, 100.0), 40.0).decimals(), 10);
    }

    #[test]
    fn a_round_end_is_a_tick_that_holds_every_value() {
        for (most, top) in
            [(5_080.0, 6_000.0), (6_000.0, 6_000.0), (0.3, 0.3), (0.0, 1.0), (7.0, 8.0)]
        {
            let scale = Scale::linear_round(most, (190.0, 0.0), 45.0);
            assert!((scale.top - top).abs() < 1e-9, "{most}: {}", scale.top);
            let last = scale.ticks().last().map(|tick| tick.at);
            assert!(last.is_some_and(|at| at.abs() < 1e-9), "{most}");
        }
    }

    #[test]
    fn counts_have_no_ticks_between_them() {
        assert_eq!(numbers(&Scale::whole(2, (80.0, 0.0), 18.0)), [0.0, 1.0, 2.0]);
        assert_eq!(numbers(&Scale::whole(0, (80.0, 0.0), 18.0)), [0.0, 1.0]);
    }

    #[test]
    fn log_ticks_are_decades() {
        let scale = Scale::log(10_000.0, (80.0, 5.0), 8.0, 18.0);
        assert_eq!(numbers(&scale), [1.0, 100.0, 10_000.0]);
        assert_eq!(scale.ticks().len(), 5);
        assert!((scale.at(10_000.0) - 5.0).abs() < 1e-9);
        assert_eq!(scale.at(0.0), 80.0);
        assert!(scale.at(1.0) < 79.0, "one is seen above the axis");
        assert_eq!(numbers(&Scale::log(500.0, (80.0, 5.0), 8.0, 18.0)), [1.0, 10.0, 100.0]);
    }

    #[test]
    fn no_axis_is_without_ticks_or_full_of_them() {
        for top in [0.0, 1e-9, 0.7, 1.0, 9.99, 10.0, 123.0, 1e6, 1e9, 1.8e19, f64::NAN] {
            for scale in [
                Scale::linear(top, (0.0, 400.0), 20.0),
                Scale::linear_round(top, (400.0, 0.0), 20.0),
                Scale::log(top, (80.0, 0.0), 10.0, 20.0),
            ] {
                let ticks = scale.ticks();
                assert!((1..=21).contains(&ticks.len()), "{top}: {}", ticks.len());
                let gap = if scale.decimals() == 0 && scale.start == 80.0 { 9.9 } else { 19.0 };
                for pair in ticks.windows(2) {
                    assert!((pair[0].at - pair[1].at).abs() >= gap, "{top}: {ticks:?}");
                }
            }
        }
    }

    #[test]
    fn values_never_leave_the_axis() {
        for scale in
            [Scale::linear(10.0, (100.0, 0.0), 20.0), Scale::log(10.0, (100.0, 0.0), 8.0, 18.0)]
        {
            for value in [-5.0, 0.0, 0.2, 3.0, 10.0, 1e9] {
                assert!((0.0..=100.0).contains(&scale.at(value)), "{value}");
            }
        }
    }
}
