//! Every law against its formulae: moments, the whole distribution, extreme
//! parameters, and bits that must not drift.

use super::*;
use crate::draw::{Key, Purpose, Stream};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn valid(law: Result<Law, LawError>) -> Law {
    law.expect("its parameters are valid")
}

fn sample(law: &Law, number: u64) -> Duration {
    let stream = Stream::new(2026, 0, Purpose::ServiceTime, "api");
    law.sample(stream.draws(Key::request(1, number)))
}

/// The regularised lower incomplete gamma function, by its power series.
fn lower_gamma(shape: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / (shape + n);
        sum += term;
    }
    math::pow(x, shape) * math::exp(-x) / math::gamma(shape + 1.0) * sum
}

/// A law and the share of its lengths below so many milliseconds, written down
/// apart from the code that samples.
type Case = (&'static str, Law, Box<dyn Fn(f64) -> f64>);

fn case(
    name: &'static str,
    law: Result<Law, LawError>,
    cdf: impl Fn(f64) -> f64 + 'static,
) -> Case {
    (name, valid(law), Box::new(cdf))
}

fn cases() -> Vec<Case> {
    let fast = || valid(Law::exponential(ms(2)));
    let slow = || valid(Law::exponential(ms(50)));
    // Γ(1 + 1/2) = √π / 2 and Γ(1 + 1/0.7) make these scales of mean 10.
    let weibull_scale = 10.0 / (std::f64::consts::PI.sqrt() / 2.0);
    let sigma = |cv: f64| math::ln_1p(cv * cv).sqrt();
    vec![
        case("exponential", Law::exponential(ms(10)), |x| 1.0 - math::exp(-x / 10.0)),
        case("erlang 3", Law::erlang(ms(12), 3), |x| {
            let y = x / 4.0;
            1.0 - math::exp(-y) * (1.0 + y + y * y / 2.0)
        }),
        case("erlang 50", Law::erlang(ms(100), 50), |x| lower_gamma(50.0, x / 2.0)),
        case("gamma cv 0.5", Law::gamma(ms(8), 0.5), |x| lower_gamma(4.0, x / 2.0)),
        case("gamma cv 2", Law::gamma(ms(10), 2.0), |x| lower_gamma(0.25, x / 40.0)),
        case("lognormal cv 1", Law::lognormal(ms(10), 1.0), move |x| {
            math::normal_cdf(math::ln(x * 2_f64.sqrt() / 10.0) / sigma(1.0))
        }),
        case("lognormal median", Law::lognormal_of_median(ms(10), 0.25), |x| {
            math::normal_cdf(math::ln(x / 10.0) / 0.25)
        }),
        case("uniform", Law::uniform(ms(5), ms(25)), |x| ((x - 5.0) / 20.0).clamp(0.0, 1.0)),
        case("normal", Law::normal(ms(10), ms(2)), |x| math::normal_cdf((x - 10.0) / 2.0)),
        case("weibull 2", Law::weibull(ms(10), 2.0), move |x| {
            1.0 - math::exp(-(x / weibull_scale) * (x / weibull_scale))
        }),
        case("weibull 1", Law::weibull(ms(10), 1.0), |x| 1.0 - math::exp(-x / 10.0)),
        case("pareto 5", Law::pareto(ms(10), 5.0), |x| 1.0 - math::pow(10.0 / x.max(10.0), 5.0)),
        case("mixture", Law::mixture(vec![(3.0, fast()), (1.0, slow())]), |x| {
            1.0 - 0.75 * math::exp(-x / 2.0) - 0.25 * math::exp(-x / 50.0)
        }),
        case("quantiles", Law::quantiles(&[(0.5, ms(10)), (1.0, ms(50))], Between::Linear), |x| {
            if x < 10.0 { x / 20.0 } else { 0.5 + (x - 10.0) / 80.0 }
        }),
        case(
            "log quantiles",
            Law::quantiles(&[(0.0, ms(1)), (0.96875, ms(2))], Between::Log),
            |x| 1.0 - math::pow(x.max(1.0), -5.0),
        ),
    ]
}

/// Draws of each law in the tests below.
const N: u32 = 100_000;
/// Standard errors that a mean may be off: one in two million by chance.
const SIGMAS: f64 = 5.0;

/// A mean of N values may be off by SIGMAS × sd / √N. For the second moment
/// the sd of the squares is taken from the sample.
#[test]
fn the_moments_are_those_of_the_formulae() {
    let n = f64::from(N);
    for (name, law, _) in cases() {
        let lengths = (0..N).map(|i| sample(&law, u64::from(i)).as_nanos() as f64);
        let (mut first, mut second, mut fourth) = (0.0, 0.0, 0.0);
        for x in lengths {
            first += x / n;
            second += x * x / n;
            fourth += x * x * x * x / n;
        }
        let (mean, square) = (law.mean_nanos(), law.second_moment().expect("it is finite"));
        let bound = SIGMAS * ((square - mean * mean) / n).sqrt();
        assert!((first - mean).abs() < bound, "{name}: mean {first}, not {mean} ± {bound}");
        let bound = SIGMAS * ((fourth - second * second) / n).sqrt();
        assert!((second - square).abs() < bound, "{name}: {second}, not {square} ± {bound}");
    }
}

/// Kolmogorov and Smirnov: the greatest distance between the sample's
/// distribution and the law's exceeds 2.5 / √N one time in 130,000. A length
/// stands for all times that round to it.
#[test]
fn the_distribution_is_that_of_the_formula() {
    const HALF_NANO_MS: f64 = 0.5e-6;
    let n = f64::from(N);
    for (name, law, cdf) in cases() {
        let mut lengths: Vec<_> = (0..N).map(|i| sample(&law, u64::from(i))).collect();
        lengths.sort_unstable();
        let mut distance = 0.0_f64;
        for (length, before) in lengths.iter().zip(0..N) {
            let millis = length.as_millis_f64();
            let (low, high) = (f64::from(before) / n, f64::from(before + 1) / n);
            let too_early = high - cdf(millis + HALF_NANO_MS);
            let too_late = cdf((millis - HALF_NANO_MS).max(0.0)) - low;
            distance = distance.max(too_early).max(too_late);
        }
        assert!(distance < 2.5 / n.sqrt(), "{name}: {distance}");
    }
}

/// The share of zeros is that of the normal law below zero, and the mean is
/// that of the larger of zero and the variable.
#[test]
fn a_normal_length_below_zero_is_zero() {
    let law = valid(Law::normal(ms(1), ms(1)));
    let n = f64::from(N);
    let lengths = || (0..N).map(|i| sample(&law, u64::from(i)));
    let zeros = lengths().filter(|length| length.is_zero()).count() as f64 / n;
    let share = math::normal_cdf(-1.0);
    assert!((zeros - share).abs() < SIGMAS * (share * (1.0 - share) / n).sqrt(), "{zeros}");
    let mean = lengths().map(Duration::as_millis_f64).sum::<f64>() / n;
    // Φ(1) + φ(1); the standard deviation is below 1 ms.
    assert!((mean - 1.083_315_470_587_686).abs() < SIGMAS / n.sqrt(), "{mean}");
    assert!((law.mean_nanos() / 1e6 - 1.083_315_470_587_686).abs() < 1e-12);
    // Twice Φ(1), plus φ(1).
    let square = law.second_moment().expect("it is finite");
    assert!((square / 1e12 - 1.924_660_216_656_229).abs() < 1e-12);
}

/// Common random numbers need it: a greater draw is a longer time.
#[test]
fn laws_of_one_draw_rise_with_it() {
    for (name, law, _) in cases() {
        let mut draws_taken = 0;
        let mut last = Duration::ZERO;
        let mut rises = true;
        for i in 0..1_000 {
            let length = law.sample(|| {
                draws_taken += 1;
                f64::from(i) / 1_000.0
            });
            rises &= length >= last;
            last = length;
        }
        assert!(rises || draws_taken > 1_000, "{name}");
    }
}

#[test]
fn exponential_by_inversion() {
    let law = Law::Exponential { mean: ms(10) };
    assert_eq!(law.sample(|| 0.0), Duration::ZERO);
    // The median is mean times ln 2.
    assert_eq!(law.sample(|| 0.5), Duration::from_nanos(6_931_472));
    assert!(law.sample(|| 1.0 - f64::EPSILON / 2.0) < Duration::from_secs(1));
}

#[test]
fn a_constant_takes_no_draw() {
    assert_eq!(Law::Constant(ms(3)).sample(|| unreachable!("it needs none")), ms(3));
}

#[test]
fn a_law_is_three_words() {
    assert!(size_of::<Law>() <= 24, "{}", size_of::<Law>());
}

/// The longest and the shortest parameters, at both ends of the draw.
#[test]
fn extreme_parameters_saturate() {
    let least = Duration::from_nanos(1);
    let mut laws = Vec::new();
    for length in [least, Duration::MAX] {
        laws.extend([
            Law::exponential(length),
            Law::erlang(length, 1),
            Law::erlang(length, 16),
            Law::erlang(length, u32::MAX),
            Law::gamma(length, 1e-6),
            Law::gamma(length, 1_000.0),
            Law::lognormal(length, 1e-6),
            Law::lognormal(length, 1_000.0),
            Law::lognormal_of_median(length, 10.0),
            Law::uniform(Duration::ZERO, length),
            Law::normal(Duration::ZERO, length),
            Law::normal(length, least),
            Law::weibull(length, 0.05),
            Law::weibull(length, 1_000.0),
            Law::pareto(length, 0.01),
            Law::pareto(length, 1e6),
            Law::quantiles(&[(0.5, length)], Between::Linear),
            Law::quantiles(&[(0.0, least), (1e-15, length)], Between::Log),
            Law::quantiles(&[(0.0, least), (0.1, length), (1.0, length)], Between::Log),
            Law::empirical(vec![length]),
            Law::mixture(vec![(1e-12, Law::Constant(least)), (1e12, Law::Constant(length))]),
        ]);
    }
    for law in laws.into_iter().map(valid) {
        for u in [0.0, f64::EPSILON / 2.0, 0.5, 1.0 - f64::EPSILON / 2.0] {
            // A Duration cannot be negative or no number; what is left to see
            // is that no number in between was lost on the way to zero.
            let length = law.sample(|| u);
            let above = law.sample(|| (u + 0.5).min(1.0 - f64::EPSILON / 2.0));
            let random = matches!(law, Law::Gamma(_));
            assert!(random || above >= length, "{law:?} at {u}: {length}, then {above}");
        }
        assert!(law.mean_nanos() > 0.0, "{law:?}");
        assert!(law.second_moment().is_none_or(|square| square > 0.0), "{law:?}");
    }
    let heavy = valid(Law::pareto(ms(1), 0.01));
    assert_eq!(heavy.sample(|| 1.0 - f64::EPSILON / 2.0), Duration::MAX);
    assert_eq!((heavy.mean_nanos(), heavy.second_moment()), (f64::INFINITY, None));
    assert_eq!(valid(Law::pareto(ms(1), 1.5)).mean_nanos(), 3e6);
}

#[test]
fn constructors_name_the_parameter_that_is_wrong() {
    let zero = Duration::ZERO;
    for (law, parameter) in [
        (Law::exponential(zero), "mean"),
        (Law::erlang(zero, 2), "mean"),
        (Law::erlang(ms(1), 0), "stages"),
        (Law::erlang(zero, 17), "mean"),
        (Law::gamma(zero, 1.0), "mean"),
        (Law::gamma(ms(1), 0.0), "cv"),
        (Law::gamma(ms(1), f64::NAN), "cv"),
        (Law::lognormal(ms(1), -1.0), "cv"),
        (Law::lognormal_of_median(zero, 1.0), "median"),
        (Law::lognormal_of_median(ms(1), f64::INFINITY), "sigma"),
        (Law::uniform(ms(2), ms(1)), "from"),
        (Law::normal(ms(1), zero), "sd"),
        (Law::weibull(ms(1), 0.0), "shape"),
        (Law::pareto(zero, 1.0), "min"),
        (Law::pareto(ms(1), -2.0), "shape"),
        (Law::quantiles(&[], Between::Linear), "points"),
        (Law::mixture(Vec::new()), "parts"),
    ] {
        assert_eq!(law.expect_err("it is no law").parameter(), parameter);
    }
}

/// A seed promises the same files for ever: the sum of a thousand lengths of
/// each law, in nanoseconds.
#[test]
fn golden_lengths() {
    let sums: Vec<_> = cases()
        .into_iter()
        .map(|(name, law, _)| (name, (0..1_000).map(|i| sample(&law, i).as_nanos()).sum::<u64>()))
        .collect();
    assert_eq!(sums, GOLDEN);
}
const GOLDEN: [(&str, u64); 15] = [
    ("exponential", 10_368_732_113),
    ("erlang 3", 11_983_136_755),
    ("erlang 50", 100_497_769_076),
    ("gamma cv 0.5", 8_109_619_663),
    ("gamma cv 2", 9_239_485_389),
    ("lognormal cv 1", 10_278_078_419),
    ("lognormal median", 10_419_824_842),
    ("uniform", 15_257_123_525),
    ("normal", 10_078_121_632),
    ("weibull 2", 10_212_806_521),
    ("weibull 1", 10_368_732_113),
    ("pareto 5", 12_586_718_974),
    ("mixture", 13_979_086_285),
    ("quantiles", 18_183_504_284),
    ("log quantiles", 1_258_671_896),
];

#[test]
fn the_ends_of_every_law() {
    let support = |law: Result<Law, LawError>| valid(law).support();
    let (zero, never) = (Duration::ZERO, Duration::MAX);
    let points = [(0.5, ms(3)), (1.0, ms(7))];
    assert_eq!(support(Law::uniform(ms(3), ms(7))), (ms(3), ms(7)));
    assert_eq!(support(Law::quantiles(&points, Between::Linear)), (zero, ms(7)));
    assert_eq!(support(Law::pareto(ms(3), 2.0)), (ms(3), never));
    assert_eq!(support(Law::empirical(vec![ms(7), ms(3)])), (ms(3), ms(7)));
    assert_eq!(support(Law::lognormal(ms(3), 1.0)), (zero, never));
    let parts = vec![(1.0, Law::Constant(ms(3))), (1.0, valid(Law::uniform(ms(5), ms(7))))];
    assert_eq!(support(Law::mixture(parts)), (ms(3), ms(7)));
    for (name, law, _) in cases() {
        let (shortest, longest) = law.support();
        let sampled = (0..2_000).map(|number| sample(&law, number));
        for length in sampled {
            assert!(shortest <= length && length <= longest, "{name}: {length}");
        }
    }
}
