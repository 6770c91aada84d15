//! The standard normal distribution and its inverse.

#![allow(clippy::excessive_precision, reason = "digits stand here as they were published")]

use std::f64::consts::FRAC_1_SQRT_2;

/// The share of the standard normal law below z.
pub fn normal_cdf(z: f64) -> f64 {
    super::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

/// A ratio of two polynomials of degree seven, constants first.
fn ratio(above: &[f64; 8], below: &[f64; 8], x: f64) -> f64 {
    let horner = |terms: &[f64; 8]| terms.iter().rev().fold(0.0, |sum, term| sum * x + term);
    horner(above) / horner(below)
}

/// The point below which the share `p` of the standard normal law lies: minus
/// infinity at 0, infinity at 1, not a number outside.
///
/// Three rational approximations, one for the middle and two for the tails, of
/// M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
/// distribution", Applied Statistics 37 (1988) 477-484 (its PPND16). The
/// relative error is about 1e-16 down to p = 1e-316.
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&MIDDLE.0, &MIDDLE.1, 0.180_625 - q * q);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    // The logarithm of what is negative or no number is no number.
    let r = (-super::ln(tail)).sqrt();
    let size = if r <= 5.0 {
        ratio(&TAIL.0, &TAIL.1, r - 1.6)
    } else {
        ratio(&FAR_TAIL.0, &FAR_TAIL.1, r - 5.0)
    };
    size.copysign(q)
}

/// The middle, in 0.180625 − q².
const MIDDLE: ([f64; 8], [f64; 8]) = (
    [
        3.387_132_872_796_366_608_0,
        1.331_416_678_917_843_774_5e2,
        1.971_590_950_306_551_442_7e3,
        1.373_169_376_550_946_112_5e4,
        4.592_195_393_154_987_145_7e4,
        6.726_577_092_700_870_085_3e4,
        3.343_057_558_358_812_810_5e4,
        2.509_080_928_730_122_672_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091_125_2e1,
        6.871_870_074_920_579_083_0e2,
        5.394_196_021_424_751_107_7e3,
        2.121_379_430_158_659_586_7e4,
        3.930_789_580_009_271_061_0e4,
        2.872_908_573_572_194_267_4e4,
        5.226_495_278_852_854_561_0e3,
    ],
);

/// The tails, in √(−ln p) − 1.6 where that root is at most 5.
const TAIL: ([f64; 8], [f64; 8]) = (
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_90,
        5.769_497_221_460_691_405_50,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        2.417_807_251_774_506_117_70e-1,
        2.272_384_498_926_918_458_33e-2,
        7.745_450_142_783_414_076_40e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_40,
        6.897_673_349_851_000_045_50e-1,
        1.481_039_764_274_800_745_90e-1,
        1.519_866_656_361_645_719_66e-2,
        5.475_938_084_995_344_946_00e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
);

/// The far tails, in √(−ln p) − 5.
const FAR_TAIL: ([f64; 8], [f64; 8]) = (
    [
        6.657_904_643_501_103_777_20,
        5.463_784_911_164_114_369_90,
        1.784_826_539_917_291_335_80,
        2.965_605_718_285_048_912_30e-1,
        2.653_218_952_657_612_309_30e-2,
        1.242_660_947_388_078_438_60e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879_376_90e-1,
        1.369_298_809_227_358_053_10e-1,
        1.487_536_129_085_061_485_25e-2,
        7.868_691_311_456_132_591_00e-4,
        1.846_318_317_510_054_681_80e-5,
        1.421_511_758_316_445_888_70e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of 22 digits from an arbitrary-precision library.
    #[test]
    fn the_quantile_agrees_with_exact_values() {
        for (p, exact) in [
            (0.5, 0.0),
            (0.6, 0.253_347_103_135_799_741),
            (0.9, 1.281_551_565_544_600_593),
            (0.925, 1.439_531_470_938_456_229),
            (0.975, 1.959_963_984_540_053_856),
            (0.99, 2.326_347_874_040_840_768),
            (0.999, 3.090_232_306_167_813_278),
            (1e-3, -3.090_232_306_167_813_535),
            (1e-6, -4.753_424_308_822_898_957),
            (1e-10, -6.361_340_902_404_056_199),
            (1e-16, -8.222_082_216_130_435_615),
            (1e-20, -9.262_340_089_798_407_580),
            (1e-100, -21.273_453_560_965_324_294),
            (1e-300, -37.047_096_299_361_199_237),
        ] {
            let error = (normal_quantile(p) - exact).abs();
            assert!(
                error <= 2e-15 * exact.abs(),
                "{p}: {} is off by {error:e}",
                normal_quantile(p)
            );
        }
    }

    /// The distribution function is another algorithm altogether.
    #[test]
    fn the_quantile_inverts_the_distribution() {
        for i in 1..100_000 {
            let p = f64::from(i) / 100_000.0;
            let back = normal_cdf(normal_quantile(p));
            assert!((back - p).abs() < 1e-15 + 4e-15 * p, "{p} came back as {back}");
        }
    }

    #[test]
    fn the_ends_are_infinite_and_the_outside_is_nothing() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(f64::from_bits(1)) > -39.0);
        for p in [-0.1, 1.1, f64::NAN] {
            assert!(normal_quantile(p).is_nan(), "{p}");
        }
    }

    #[test]
    fn symmetric_about_the_median() {
        for p in [0.001, 0.05, 0.3, 0.45] {
            assert!((normal_quantile(p) + normal_quantile(1.0 - p)).abs() < 1e-12, "{p}");
        }
        assert!((normal_cdf(1.0) - 0.841_344_746_068_542_949).abs() < 1e-15);
        assert!((normal_cdf(-2_f64.sqrt()) - 0.078_649_603_525_142_58).abs() < 1e-15);
    }
}
