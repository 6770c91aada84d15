//! Student's t distribution and its inverse, for whole degrees of freedom.
//!
//! M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964),
//! has the formulas in section 26.7.

#![allow(clippy::excessive_precision, reason = "digits stand here as they were published")]

use std::f64::consts::FRAC_2_PI;

use super::normal_quantile;

/// From so many degrees of freedom on, the expansion is exact to 12 digits, and
/// the sum would be long.
const MANY: u32 = 500;

/// The point below which the share `p` of Student's law with `freedom` degrees
/// of freedom lies: minus infinity at 0, infinity at 1, not a number outside.
/// Twelve digits are right for `p` from 0.0005 to 0.9995.
///
/// # Panics
/// If there is no degree of freedom.
pub fn student_quantile(p: f64, freedom: u32) -> f64 {
    assert!(freedom > 0, "one value alone has no deviation");
    let z = normal_quantile(p);
    if freedom >= MANY || !z.is_finite() {
        return expansion(z, f64::from(freedom));
    }
    let wanted = (2.0 * p - 1.0).abs();
    // Its tails are heavier than the normal law's.
    let (mut low, mut high) = (z.abs(), 2.0 * z.abs() + 1.0);
    while within(high, freedom) < wanted {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle.copysign(z);
        }
        if within(middle, freedom) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The share of the law that lies between −t and t, for t ≥ 0: with θ =
/// arctan(t/√ν) a finite sum of powers of cos θ (26.7.3 and 26.7.4).
fn within(t: f64, freedom: u32) -> f64 {
    let nu = f64::from(freedom);
    let hypotenuse = (nu + t * t).sqrt();
    let (sine, cosine) = (t / hypotenuse, nu.sqrt() / hypotenuse);
    // The powers are even where the freedom is, and odd where it is.
    let odd = freedom % 2;
    let mut term = if odd == 1 { cosine } else { 1.0 };
    let mut sum = 0.0;
    let mut power = odd;
    while power + 2 <= freedom {
        sum += term;
        term *= cosine * cosine * f64::from(power + 1) / f64::from(power + 2);
        power += 2;
    }
    if odd == 1 { FRAC_2_PI * (libm::atan(t / nu.sqrt()) + sine * sum) } else { sine * sum }
}

/// The quantile as a series in 1/ν around the normal law's (26.7.5).
fn expansion(z: f64, nu: f64) -> f64 {
    if !z.is_finite() {
        return z;
    }
    let s = z * z;
    let terms = [
        1.0,
        (s + 1.0) / 4.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((((79.0 * s + 776.0) * s + 1_482.0) * s - 1_920.0) * s - 945.0) / 92_160.0,
    ];
    z * terms.iter().rev().fold(0.0, |sum, term| sum / nu + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of 22 digits from an arbitrary-precision library; the first four
    /// or five digits are those of every printed table.
    #[test]
    fn the_quantile_agrees_with_exact_values() {
        for (p, freedom, exact) in [
            (0.95, 1, 6.313_751_514_675_043_099),
            (0.95, 10, 1.812_461_122_811_676_413),
            (0.95, 99_999, 1.644_868_864_937_351_013),
            (0.975, 1, 12.706_204_736_174_704_602),
            (0.975, 2, 4.302_652_729_749_463_852),
            (0.975, 3, 3.182_446_305_283_709_592),
            (0.975, 4, 2.776_445_105_197_794_357),
            (0.975, 9, 2.262_157_162_798_205_542),
            (0.975, 29, 2.045_229_642_132_704_298),
            (0.975, 30, 2.042_272_456_301_238_309),
            (0.975, 99, 1.984_216_951_586_417_495),
            (0.975, 199, 1.971_956_544_251_753_834),
            (0.975, 200, 1.971_896_223_633_909_382),
            (0.975, 999, 1.962_341_461_133_449_978),
            (0.975, 99_999, 1.959_987_707_771_844_779),
            (0.995, 1, 63.656_741_162_871_580_995),
            (0.995, 5, 4.032_142_983_555_228_078),
            (0.995, 200, 2.600_634_436_191_557_958),
        ] {
            let found = student_quantile(p, freedom);
            let error = (found / exact - 1.0).abs();
            assert!(error <= 2e-12, "{p}, {freedom}: {found} is off by {error:e}");
        }
    }

    /// Two laws whose quantiles can be written down.
    #[test]
    fn the_quantile_agrees_with_closed_forms() {
        for p in [0.001, 0.2, 0.5, 0.7, 0.999_5] {
            let centred: f64 = 2.0 * p - 1.0;
            let two = centred * (2.0 / (1.0 - centred * centred)).sqrt();
            assert!((student_quantile(p, 2) - two).abs() <= 1e-12 * two.abs(), "{p}");
            let four = student_quantile(p, 4);
            let back = within(four.abs(), 4).copysign(four);
            assert!((back - centred).abs() <= 1e-14, "{p} came back as {back}");
        }
    }

    #[test]
    fn the_sum_and_the_expansion_meet() {
        for p in [0.9, 0.975, 0.999] {
            let (sum, series) =
                (student_quantile(p, MANY - 1), expansion(normal_quantile(p), 499.0));
            assert!((sum - series).abs() <= 2e-12 * series, "{p}: {sum} against {series}");
        }
    }

    #[test]
    fn more_freedom_is_closer_to_the_normal_law() {
        let normal = normal_quantile(0.975);
        let mut last = f64::INFINITY;
        for freedom in 1..1_000 {
            let t = student_quantile(0.975, freedom);
            assert!(t < last && t > normal, "{freedom}");
            last = t;
        }
    }

    #[test]
    fn symmetric_about_the_median_and_infinite_at_the_ends() {
        for freedom in [1, 7, 500] {
            assert_eq!(student_quantile(0.5, freedom), 0.0);
            let (low, high) = (student_quantile(0.025, freedom), student_quantile(0.975, freedom));
            assert!((low + high).abs() <= 1e-12 * high, "{low} {high}");
            assert_eq!(student_quantile(0.0, freedom), f64::NEG_INFINITY);
            assert_eq!(student_quantile(1.0, freedom), f64::INFINITY);
            assert!(student_quantile(1.1, freedom).is_nan());
        }
    }
}
