//! Laws of measured points: a list of lengths, and a few quantiles.

use super::error::{LawError, within};
use crate::math;
use crate::time::Duration;
use std::sync::Arc;

/// One of a list of measured lengths, each equally likely.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    /// Sorted, so that a greater draw gives a longer length as in other laws.
    lengths: Arc<[Duration]>,
}

impl Empirical {
    pub(super) fn new(mut lengths: Vec<Duration>) -> Result<Self, LawError> {
        if lengths.is_empty() {
            return Err(LawError::TooFew { parameter: "file", needed: 1 });
        }
        lengths.sort_unstable();
        Ok(Self { lengths: lengths.into() })
    }

    pub(super) fn sample(&self, u: f64) -> Duration {
        let index = (u * self.lengths.len() as f64) as usize;
        self.lengths[index.min(self.lengths.len() - 1)]
    }

    pub(super) fn support(&self) -> (Duration, Duration) {
        (self.lengths[0], self.lengths[self.lengths.len() - 1])
    }

    pub(super) fn mean(&self) -> f64 {
        self.average(|nanos| nanos)
    }

    pub(super) fn second_moment(&self) -> f64 {
        self.average(|nanos| nanos * nanos)
    }

    fn average(&self, of: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = self.lengths.iter().map(|length| of(length.as_nanos() as f64)).sum();
        sum / self.lengths.len() as f64
    }
}

/// What a law of quantiles does between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// The time is linear in the probability. Before the first point it rises
    /// from 0 s at probability 0; after the last point it stays.
    #[default]
    Linear,
    /// The logarithm of the time is linear in the logarithm of the survival
    /// function (1 minus the probability), so that each stretch is a piece of
    /// a Pareto law. The first stretch reaches back to survival 1 and the last
    /// one goes on for ever, or to the time of a point of probability 1.
    Log,
}

/// The law through a few of its quantiles.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantiles {
    /// See [`Between::Linear`].
    Linear(Linear),
    /// See [`Between::Log`].
    Log(Log),
}

impl Quantiles {
    pub(super) fn new(points: &[(f64, Duration)], between: Between) -> Result<Self, LawError> {
        if points.is_empty() {
            return Err(LawError::TooFew { parameter: "points", needed: 1 });
        }
        for &(probability, _) in points {
            within("points", probability, 0.0..=1.0)?;
        }
        for pair in points.windows(2) {
            let ((before, earlier), (after, later)) = (pair[0], pair[1]);
            if after <= before {
                return Err(LawError::ProbabilityFalls { before, after });
            }
            if later < earlier {
                return Err(LawError::TimeFalls { before: earlier, after: later });
            }
        }
        Ok(match between {
            Between::Linear => Self::Linear(Linear::new(points)),
            Between::Log => Self::Log(Log::new(points)?),
        })
    }

    pub(super) fn sample(&self, u: f64) -> f64 {
        match self {
            Self::Linear(law) => law.sample(u),
            Self::Log(law) => law.sample(u),
        }
    }

    /// The mean of the time to the power of 1 or 2.
    pub(super) fn moment(&self, power: i32) -> f64 {
        match self {
            Self::Linear(law) => law.moment(power),
            Self::Log(law) => law.moment(f64::from(power)),
        }
    }
}

/// Times linear in the probability, from (0, 0 s) to (1, the last).
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Probability and nanoseconds; the first probability is 0, the last 1.
    points: Vec<(f64, f64)>,
}

impl Linear {
    fn new(given: &[(f64, Duration)]) -> Self {
        let given = given.iter().map(|&(p, time)| (p, time.as_nanos() as f64));
        let mut points: Vec<_> = std::iter::once((0.0, 0.0)).chain(given).collect();
        if points[1].0 == 0.0 {
            points.remove(0);
        }
        let last = points[points.len() - 1];
        if last.0 < 1.0 {
            points.push((1.0, last.1));
        }
        Self { points }
    }

    fn sample(&self, u: f64) -> f64 {
        let after = self.points.partition_point(|&(p, _)| p <= u);
        let after = after.clamp(1, self.points.len() - 1);
        let ((p0, t0), (p1, t1)) = (self.points[after - 1], self.points[after]);
        t0 + (t1 - t0) * (u - p0) / (p1 - p0)
    }

    fn moment(&self, power: i32) -> f64 {
        let stretch = |pair: &[(f64, f64)]| {
            let ((p0, t0), (p1, t1)) = (pair[0], pair[1]);
            let mean = if power == 1 {
                f64::midpoint(t0, t1)
            } else {
                (t0 * t0 + t0 * t1 + t1 * t1) / 3.0
            };
            (p1 - p0) * mean
        };
        self.points.windows(2).map(stretch).sum()
    }
}

/// Pieces of Pareto laws, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// From survival 1 downwards.
    stretches: Vec<Stretch>,
    /// No time is longer.
    longest: f64,
}

/// Where the survival function is at most `survival`, until the next stretch,
/// the time is `time × (survival / s)^power`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    survival: f64,
    log_survival: f64,
    time: f64,
    power: f64,
}

impl Log {
    fn new(points: &[(f64, Duration)]) -> Result<Self, LawError> {
        if points.iter().any(|(_, time)| time.is_zero()) {
            return Err(LawError::Zero { parameter: "points" });
        }
        let longest = points.last().filter(|(p, _)| *p == 1.0);
        let longest = longest.map_or(f64::INFINITY, |(_, time)| time.as_nanos() as f64);
        let inner = &points[..points.len() - usize::from(longest.is_finite())];
        if inner.len() < 2 {
            return Err(LawError::TooFew { parameter: "points", needed: 2 });
        }
        let mut stretches: Vec<Stretch> = inner.windows(2).map(Self::stretch).collect();
        // The first one reaches back to survival 1; the last has no end.
        let first = stretches[0];
        let start = first.time * math::exp(first.power * first.log_survival);
        stretches[0] = Stretch { survival: 1.0, log_survival: 0.0, time: start, ..first };
        Ok(Self { stretches, longest })
    }

    fn stretch(pair: &[(f64, Duration)]) -> Stretch {
        let ((p0, t0), (p1, t1)) = (pair[0], pair[1]);
        let (t0, t1) = (t0.as_nanos() as f64, t1.as_nanos() as f64);
        let (log_survival, next) = (math::ln(1.0 - p0), math::ln(1.0 - p1));
        let power = math::ln(t1 / t0) / (log_survival - next);
        Stretch { survival: 1.0 - p0, log_survival, time: t0, power }
    }

    fn sample(&self, u: f64) -> f64 {
        let survival = 1.0 - u;
        let after = self.stretches.partition_point(|stretch| stretch.survival >= survival);
        let stretch = self.stretches[after.max(1) - 1];
        let fall = stretch.log_survival - math::ln(survival);
        (stretch.time * math::exp(stretch.power * fall)).min(self.longest)
    }

    /// The mean of the time to this power. A stretch from survival a down to b
    /// with t(s) = T (a / s)^k gives the integral of t over s, which is
    /// T a (1 − (b / a)^(1 − k)) / (1 − k).
    fn moment(&self, moment: f64) -> f64 {
        let mut sum = 0.0;
        for (index, stretch) in self.stretches.iter().enumerate() {
            let power = stretch.power * moment;
            let time = math::pow(stretch.time, moment);
            let (end, rest) = match self.stretches.get(index + 1) {
                Some(next) => (next.survival, 0.0),
                None => self.end(*stretch, moment),
            };
            let fall = math::ln(stretch.survival / end);
            let integral = if power == 1.0 {
                fall
            } else if end == 0.0 && power > 1.0 {
                f64::INFINITY
            } else {
                -math::exp_m1(-(1.0 - power) * fall) / (1.0 - power)
            };
            sum += time * stretch.survival * integral + rest;
        }
        sum
    }

    /// Where the last stretch meets the longest time, and what that time adds
    /// to a moment.
    fn end(&self, last: Stretch, moment: f64) -> (f64, f64) {
        if self.longest.is_infinite() || last.power == 0.0 {
            return (0.0, 0.0);
        }
        let fall = math::ln(self.longest / last.time) / last.power;
        let survival = last.survival * math::exp(-fall);
        (survival, survival * math::pow(self.longest, moment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn quantiles(points: &[(f64, u64)], between: Between) -> Result<Quantiles, LawError> {
        let points: Vec<_> = points.iter().map(|&(p, millis)| (p, ms(millis))).collect();
        Quantiles::new(&points, between)
    }

    #[test]
    fn linear_between_its_points_and_level_after_the_last() {
        let law = quantiles(&[(0.5, 10), (0.9, 50)], Between::Linear).expect("valid");
        for (u, millis) in [(0.0, 0.0), (0.25, 5.0), (0.5, 10.0), (0.7, 30.0), (0.95, 50.0)] {
            assert!((law.sample(u) / 1e6 - millis).abs() < 1e-9, "{u}: {}", law.sample(u));
        }
        // 0.5 × 5 + 0.4 × 30 + 0.1 × 50, and 0.5 × 100/3 + 0.4 × 3100/3 + 0.1 × 2500.
        assert!((law.moment(1) / 1e6 - 19.5).abs() < 1e-9);
        assert!((law.moment(2) / 1e12 - 680.0).abs() < 1e-9);
        let from_five = quantiles(&[(0.0, 5), (1.0, 15)], Between::Linear).expect("valid");
        assert_eq!(from_five.sample(0.0), 5e6);
        assert_eq!(from_five.sample(0.5), 1e7);
    }

    /// The leaf of "The Tail at Scale" as published: survival 1 at 1 ms, 0.02
    /// at 10 ms, 0.001 at 69 ms, 1e-6 at 1,800 ms, log-log linear between.
    fn tail_at_scale() -> Quantiles {
        let points = [(0.0, 1), (0.98, 10), (0.999, 69), (0.999_999, 1_800)];
        quantiles(&points, Between::Log).expect("valid")
    }

    #[test]
    fn log_goes_through_its_points_and_is_straight_between_them() {
        let law = tail_at_scale();
        for (p, millis) in [(0.0, 1.0), (0.98, 10.0), (0.999, 69.0), (0.999_999, 1_800.0)] {
            assert!((law.sample(p) / 1e6 / millis - 1.0).abs() < 1e-9, "{p}");
        }
        // Halfway between two points both logarithms are halfway.
        let survival = (0.02_f64 * 0.001).sqrt();
        let millis = (10.0_f64 * 69.0).sqrt();
        assert!((law.sample(1.0 - survival) / 1e6 / millis - 1.0).abs() < 1e-9);
        // The slowest of 1,000 leaves: the published median is 82 ms.
        let median = math::pow(0.5, 1e-3);
        assert_eq!(format!("{:.0}", law.sample(median) / 1e6), "82");
    }

    /// A point of probability 1 bounds the last stretch; without one it goes
    /// on, and its moments exist as those of its Pareto law do.
    #[test]
    fn log_has_a_tail_or_a_longest_time() {
        let heavy = quantiles(&[(0.0, 1), (0.9, 10)], Between::Log).expect("valid");
        assert!((heavy.sample(0.999) / 1e9 - 1.0).abs() < 1e-9);
        assert_eq!(heavy.moment(1), f64::INFINITY);
        let bounded = quantiles(&[(0.0, 1), (0.9, 10), (1.0, 100)], Between::Log).expect("valid");
        assert_eq!(bounded.sample(0.999), 1e8);
        // Shape 1 from 1 ms to 100 ms: mean ln 100 + 1, second moment 199.
        assert!((bounded.moment(1) / 1e6 - (math::ln(100.0) + 1.0)).abs() < 1e-9);
        assert!((bounded.moment(2) / 1e12 - 199.0).abs() < 1e-6);
        // Shape 3: mean 3/2, second moment 3; the first stretch reaches back.
        let points = [(0.875, 2), (1.0 - 1.0 / 64.0, 4)];
        let light = quantiles(&points, Between::Log).expect("valid");
        assert!((light.sample(0.0) / 1e6 - 1.0).abs() < 1e-9);
        assert!((light.moment(1) / 1e6 - 1.5).abs() < 1e-9);
        assert!((light.moment(2) / 1e12 - 3.0).abs() < 1e-9);
        // A last stretch that does not rise never reaches the longest time.
        let level = quantiles(&[(0.0, 5), (0.5, 5), (1.0, 9)], Between::Log).expect("valid");
        assert_eq!((level.sample(0.99), level.moment(1)), (5e6, 5e6));
    }

    #[test]
    fn refuses_points_that_are_no_law() {
        let message = |points: &[(f64, u64)], between| {
            quantiles(points, between).expect_err("it is no law").to_string()
        };
        let falls = "the probabilities of `points` must increase from one to the next: \
                     0.5 stands after 0.9";
        assert_eq!(message(&[(0.9, 1), (0.5, 2)], Between::Linear), falls);
        let falls = "the times of `points` must not decrease from one to the next: \
                     1 ms stands after 2 ms";
        assert_eq!(message(&[(0.5, 2), (0.9, 1)], Between::Linear), falls);
        let outside = "`points` must be from 0 to 1, not 1.5";
        assert_eq!(message(&[(1.5, 1)], Between::Linear), outside);
        let nothing = "`points` must have at least one entry";
        assert_eq!(message(&[], Between::Log), nothing);
        let one = "`points` must have at least 2 entries below probability 1";
        assert_eq!(message(&[(0.5, 1), (1.0, 2)], Between::Log), one);
        let zero = "a time in `points` is 0 s: between \"log\" points it must be longer";
        assert_eq!(message(&[(0.5, 0), (0.9, 2)], Between::Log), zero);
    }

    #[test]
    fn a_list_gives_each_of_its_lengths_equally_often() {
        let law = Empirical::new(vec![ms(30), ms(10), ms(20), ms(10)]).expect("valid");
        for (u, millis) in [(0.0, 10), (0.49, 10), (0.5, 20), (0.75, 30), (0.999, 30)] {
            assert_eq!(law.sample(u), ms(millis), "{u}");
        }
        assert_eq!((law.mean(), law.second_moment()), (17.5e6, 375e12));
        assert!(Empirical::new(Vec::new()).is_err());
    }
}
