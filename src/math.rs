//! Mathematics with the same bits on every machine.
//!
//! The functions of the standard library call the platform's, whose last bits
//! differ between processors and C libraries. All transcendental functions of
//! the crate come from here; tests/tidy.rs refuses any other.

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// e to the power of x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `base` to the power of `exponent`.
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Decimal logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
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
        assert_eq!(ln(0.3).to_bits(), 0xbff3_4378_fcbd_a721);
        assert_eq!(exp(1.0).to_bits(), 0x4005_bf0a_8b14_576a);
        assert_eq!(pow(1.3, 7.0).to_bits(), 0x4019_1972_b95b_0002);
        assert_eq!(tanh(0.7).to_bits(), 0x3fe3_56fb_17af_2e90);
    }
}
