//! Mathematics with the same bits on every machine.
//!
//! The functions of the standard library call the platform's, whose last bits
//! differ between processors and C libraries. All transcendental functions of
//! the crate come from here; tests/tidy.rs refuses any other. Square roots may
//! come from the standard library: IEEE 754 fixes every bit of them.

mod normal;
mod student;

pub use normal::{normal_cdf, normal_quantile};
pub use student::student_quantile;

/// The complementary error function, 2/√π times the integral of e^(−t²) from x
/// to infinity.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// e to the power of x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e to the power of x, minus 1, exact for small x.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The gamma function, (x − 1)! for whole x.
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Natural logarithm of 1 + x, exact for small x.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Decimal logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `base` to the power of `exponent`.
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits written down once; a machine or a library version that computes
    /// others would change every published file.
    #[test]
    fn golden_bits() {
        for (what, value, bits) in [
            ("erfc", erfc(0.7), 0x3fd4_9ee7_bdd1_d374),
            ("exp", exp(1.0), 0x4005_bf0a_8b14_576a),
            ("exp_m1", exp_m1(1e-5), 0x3ee4_f8bc_681c_dfb6),
            ("gamma", gamma(3.7), 0x4010_aebf_5759_a453),
            ("ln", ln(0.3), 0xbff3_4378_fcbd_a721),
            ("ln_1p", ln_1p(1e-5), 0x3ee4_f8ae_a9ae_7317),
            ("pow", pow(1.3, 7.0), 0x4019_1972_b95b_0002),
            ("student_quantile", student_quantile(0.975, 29), 0x4000_5ca1_5bce_287c),
            ("tanh", tanh(0.7), 0x3fe3_56fb_17af_2e90),
        ] {
            assert_eq!(value.to_bits(), bits, "{what} is {value}, {:#x}", value.to_bits());
        }
    }
}
