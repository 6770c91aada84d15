//! How long jittered backoff waits in all: means and variances.
//!
//! The strategies are those of Marc Brooker, "Exponential Backoff And Jitter",
//! AWS Architecture Blog, 2015. Lengths are in any unit, the same for all.

use super::positive;
use crate::math;

/// Mean and variance of a sum of waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

/// Whether these can be the ceilings of waits.
fn are_ceilings(ceilings: &[f64]) -> bool {
    ceilings.iter().all(|ceiling| ceiling.is_finite() && *ceiling >= 0.0)
}

/// Waits that are uniform between 0 and each ceiling w: mean `Σ w / 2`, variance
/// `Σ w² / 12`. `None` if a ceiling is negative or no number.
pub fn full(ceilings: &[f64]) -> Option<Total> {
    are_ceilings(ceilings).then(|| Total {
        mean: ceilings.iter().map(|w| w / 2.0).sum(),
        variance: ceilings.iter().map(|w| w * w / 12.0).sum(),
    })
}

/// Waits that are uniform between half of each ceiling w and all of it: mean
/// `¾ Σ w`, variance `Σ w² / 48`. `None` if a ceiling is negative or no number.
pub fn equal(ceilings: &[f64]) -> Option<Total> {
    are_ceilings(ceilings).then(|| Total {
        mean: ceilings.iter().map(|w| 0.75 * w).sum(),
        variance: ceilings.iter().map(|w| w * w / 48.0).sum(),
    })
}

/// Decorrelated jitter: each wait is uniform between the base and three times
/// the wait before (the base at first), but at most the cap.
///
/// Wait follows wait as a Markov chain on [base, cap] with a positive
/// probability of the cap itself. Its expectations are integrals over the next
/// wait, taken numerically on a grid that is even in the logarithm, to about six
/// digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Decorrelated {
    /// From the base to the cap.
    grid: Vec<f64>,
    /// The logarithm of the step from one to the next.
    step: f64,
}

/// The waits of decorrelated jitter, one by one and together.
#[derive(Clone, Debug, PartialEq)]
pub struct Decorrelation {
    /// The mean of each wait.
    pub means: Vec<f64>,
    /// The probability of each wait to be the cap.
    pub at_cap: Vec<f64>,
    /// Their sum.
    pub total: Total,
}

/// The mean wait after very many retries, and the probability that it is the cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stationary {
    /// The mean.
    pub mean: f64,
    /// The probability of the cap.
    pub at_cap: f64,
}

/// Cells of the grid.
const CELLS: usize = 4_096;

/// Retries after which the chain is taken to have settled in any case.
const VERY_MANY: u32 = 10_000;

/// A function of the last wait: its values on the grid, and at the cap itself,
/// where it may jump.
struct Function {
    values: Vec<f64>,
    at_cap: f64,
}

impl Decorrelated {
    /// Both above zero, the base not above the cap.
    pub fn new(base: f64, cap: f64) -> Option<Self> {
        if !positive(&[base, cap]) || base > cap {
            return None;
        }
        let step = math::ln(cap / base) / CELLS as f64;
        let mut grid: Vec<_> = (0..CELLS).map(|i| base * math::exp(step * i as f64)).collect();
        grid.push(cap);
        Some(Self { grid, step })
    }

    /// The first `retries` waits.
    pub fn waits(&self, retries: usize) -> Decorrelation {
        let (mut wait, mut capped) = (self.function(|y| y), self.cap_only());
        let (mut means, mut at_cap) = (Vec::new(), Vec::new());
        // The sum of the waits to come, and its square, as functions of the
        // wait before: the next wait, and what comes after that.
        let (mut sum, mut square) = (self.function(|_| 0.0), self.function(|_| 0.0));
        for _ in 0..retries {
            wait = self.next(&wait);
            capped = self.next(&capped);
            means.push(wait.values[0]);
            at_cap.push(capped.values[0]);
            square = self.next(&self.combine(&sum, &square, |y, s, q| y * y + 2.0 * y * s + q));
            sum = self.next(&self.combine(&sum, &square, |y, s, _| y + s));
        }
        let mean = sum.values[0];
        let variance = (square.values[0] - mean * mean).max(0.0);
        Decorrelation { means, at_cap, total: Total { mean, variance } }
    }

    /// What the waits tend to.
    pub fn stationary(&self) -> Stationary {
        let (mut wait, mut capped) = (self.function(|y| y), self.cap_only());
        for _ in 0..VERY_MANY {
            let before = wait.values[0];
            wait = self.next(&wait);
            capped = self.next(&capped);
            if (wait.values[0] - before).abs() <= 1e-12 * before {
                break;
            }
        }
        Stationary { mean: wait.values[0], at_cap: capped.values[0] }
    }

    fn base(&self) -> f64 {
        self.grid[0]
    }

    fn cap(&self) -> f64 {
        self.grid[CELLS]
    }

    fn function(&self, of: impl Fn(f64) -> f64) -> Function {
        Function { values: self.grid.iter().map(|y| of(*y)).collect(), at_cap: of(self.cap()) }
    }

    fn cap_only(&self) -> Function {
        Function { at_cap: 1.0, ..self.function(|_| 0.0) }
    }

    fn combine(&self, a: &Function, b: &Function, of: impl Fn(f64, f64, f64) -> f64) -> Function {
        let values = self.grid.iter().zip(&a.values).zip(&b.values);
        let values = values.map(|((y, a), b)| of(*y, *a, *b)).collect();
        Function { values, at_cap: of(self.cap(), a.at_cap, b.at_cap) }
    }

    /// The expectation of a function of the next wait, as a function of the
    /// last: the integral up to three times the last or the cap, and the cap
    /// with all the rest. Between points of the grid the function is linear.
    fn next(&self, of: &Function) -> Function {
        let mut integrals = vec![0.0; CELLS + 1];
        for i in 0..CELLS {
            let width = self.grid[i + 1] - self.grid[i];
            integrals[i + 1] = integrals[i] + width * f64::midpoint(of.values[i], of.values[i + 1]);
        }
        self.function(|last| {
            let (base, highest) = (self.base(), 3.0 * last);
            let range = highest - base;
            if highest >= self.cap() {
                return (integrals[CELLS] + (highest - self.cap()) * of.at_cap) / range;
            }
            let cell = ((math::ln(highest / base) / self.step) as usize).min(CELLS - 1);
            let width = self.grid[cell + 1] - self.grid[cell];
            let rest = highest - self.grid[cell];
            let slope = (of.values[cell + 1] - of.values[cell]) / width;
            (integrals[cell] + rest * (of.values[cell] + slope * rest / 2.0)) / range
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    const CEILINGS: [f64; 5] = [100.0, 200.0, 400.0, 800.0, 1_000.0];

    #[test]
    fn full_and_equal_jitter_as_printed() {
        let full_jitter = full(&CEILINGS).expect("valid");
        prints(full_jitter.mean, "1250");
        prints(full_jitter.variance.sqrt(), "392.641");
        let equal_jitter = equal(&CEILINGS).expect("valid");
        prints(equal_jitter.mean, "1875");
        prints(equal_jitter.variance.sqrt(), "196.320");
        // Four waits below 0.5, 1, 2 and 4 s.
        let seconds = full(&[0.5, 1.0, 2.0, 4.0]).expect("valid");
        prints(seconds.mean, "3.75");
        prints(seconds.variance.sqrt(), "1.331");
        assert_eq!(full(&[-1.0]), None);
        assert_eq!(equal(&[f64::NAN]), None);
    }

    #[test]
    fn decorrelated_jitter_as_printed() {
        let chain = Decorrelated::new(100.0, 1_000.0).expect("valid");
        let waits = chain.waits(5);
        for (mean, printed) in waits.means.iter().zip(["200", "350", "522.16", "625.98", "680.07"])
        {
            prints(*mean, printed);
        }
        for (share, printed) in waits.at_cap.iter().zip(["0", "0", "0.1476", "0.3054", "0.3921"]) {
            prints(*share, printed);
        }
        prints(waits.total.mean, "2378.2");
        prints(waits.total.variance.sqrt(), "881");
        let end = chain.stationary();
        prints(end.mean, "736.5");
        prints(end.at_cap, "0.483");
    }

    /// The sum is the sum of its parts, and a cap out of reach changes nothing:
    /// then the k-th mean is m_k = (base + 3 m_(k−1)) / 2.
    #[test]
    fn decorrelated_jitter_agrees_with_itself() {
        for cap in [81.0, 1e3, 1e6] {
            let chain = Decorrelated::new(1.0, cap).expect("valid");
            let waits = chain.waits(4);
            let mut mean = 1.0;
            for found in &waits.means {
                mean = f64::midpoint(1.0, 3.0 * mean);
                assert!((found / mean - 1.0).abs() < 1e-5, "{found}, not {mean}");
            }
            assert!((waits.total.mean / waits.means.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            // One wait is uniform over [1, 3]: the variance is 4 / 12.
            let one = chain.waits(1).total.variance;
            assert!((one * 3.0 - 1.0).abs() < 1e-4, "{one}");
        }
        let chain = Decorrelated::new(1.0, 1e3).expect("valid");
        let late = chain.waits(400).means[399];
        assert!((chain.stationary().mean / late - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_cap_at_the_base_is_constant() {
        let waits = Decorrelated::new(5.0, 5.0).expect("valid").waits(3);
        assert_eq!(waits.means, [5.0; 3]);
        assert_eq!(waits.at_cap, [1.0; 3]);
        assert_eq!(waits.total, Total { mean: 15.0, variance: 0.0 });
        assert_eq!(Decorrelated::new(5.0, 4.0), None);
        assert_eq!(Decorrelated::new(0.0, 4.0), None);
    }
}
