//! How many attempts become of one request: by failures, layers and overload.

use super::{is_share, positive};
use crate::math;

/// `1 + p + … + p^(n−1)`, exact for p near 1 and for any n.
fn geometric(p: f64, terms: f64) -> f64 {
    if p == 1.0 {
        return terms;
    }
    if p == 0.0 {
        return if terms == 0.0 { 0.0 } else { 1.0 };
    }
    -math::exp_m1(terms * math::ln(p)) / (1.0 - p)
}

/// The mean attempts of a call of which each attempt fails with probability
/// `failure`, independently, and that is tried at most `attempts` times:
/// `(1 − pⁿ) / (1 − p)`.
pub fn attempts_per_call(failure: f64, attempts: u32) -> Option<f64> {
    is_share(failure).then(|| geometric(failure, f64::from(attempts)))
}

/// The probability that all `attempts` fail: `pⁿ`.
pub fn failure_of_call(failure: f64, attempts: u32) -> Option<f64> {
    is_share(failure).then(|| math::pow(failure, f64::from(attempts)))
}

/// The attempts per second of `rate` calls per second:
/// `λ (1 + p + … + p^(n−1))`, whatever the waits between them.
pub fn attempt_rate(rate: f64, failure: f64, attempts: u32) -> Option<f64> {
    attempts_per_call(failure, attempts).filter(|_| positive(&[rate])).map(|mean| rate * mean)
}

/// What becomes of one request on its way through layers that all retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layered {
    /// The mean attempts that reach the lowest service.
    pub attempts: f64,
    /// The probability that the request fails in the end.
    pub failure: f64,
}

/// `layers` above a service whose attempts fail with probability `failure`,
/// each trying at most `attempts` times, nothing else failing:
/// `(1 − p^N) / (1 − p)` attempts reach it with `N = n^k`, and at most N.
pub fn layers(failure: f64, attempts: u32, layers: u32) -> Option<Layered> {
    let most = math::pow(f64::from(attempts), f64::from(layers));
    is_share(failure)
        .then(|| Layered { attempts: geometric(failure, most), failure: math::pow(failure, most) })
}

/// The same where each attempt at any layer also fails before it goes on, with
/// probability `lost`: layer i makes `m_i = (1 − f_i^n) / (1 − f_i)` attempts
/// with `f_i = q + (1 − q) f_(i−1)^n`, counted from the bottom, and
/// `Π (1 − q) m_i` of them reach the lowest service.
pub fn lossy_layers(failure: f64, lost: f64, attempts: u32, layers: u32) -> Option<Layered> {
    if !is_share(failure) || !is_share(lost) || layers > MOST_LAYERS {
        return None;
    }
    let mut below = Layered { attempts: 1.0, failure };
    for _ in 0..layers {
        let fails = lost + (1.0 - lost) * below.failure;
        below.attempts *= (1.0 - lost) * geometric(fails, f64::from(attempts));
        below.failure = math::pow(fails, f64::from(attempts));
    }
    Some(below)
}

const MOST_LAYERS: u32 = 1_000_000;

/// The balance of a server that refuses what is too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusing {
    /// The share of attempts that are refused.
    pub refused: f64,
    /// Attempts per second.
    pub attempts: f64,
}

/// A server that answers `capacity` attempts per second and refuses the rest,
/// for `rate` calls per second that are tried at most `attempts` times: in the
/// long run `p = (1 − C / λ)^(1/n)` are refused of `C / (1 − p)` attempts per
/// second, whatever the backoff; a backoff only delays it. Below capacity
/// nothing is refused.
pub fn loss_server(rate: f64, capacity: f64, attempts: u32) -> Option<Refusing> {
    if !positive(&[rate, capacity]) || attempts == 0 {
        return None;
    }
    if rate <= capacity {
        return Some(Refusing { refused: 0.0, attempts: rate });
    }
    let fails = 1.0 - capacity / rate;
    let refused = math::pow(fails, 1.0 / f64::from(attempts));
    // Of what fails in the end each call made all its attempts.
    Some(Refusing { refused, attempts: rate * geometric(refused, f64::from(attempts)) })
}

/// The way there with a constant backoff of one slot: the attempts in each of
/// `slots`, of `load` new calls a slot against room for `capacity`. The refused
/// share of each slot is the same for all attempts in it, and all of them that
/// may come again do so in the next slot.
pub fn loss_server_slots(load: f64, capacity: f64, attempts: u32, slots: usize) -> Vec<f64> {
    let mut by_attempt = vec![0.0; attempts as usize];
    let mut totals = Vec::with_capacity(slots);
    for _ in 0..slots {
        by_attempt.rotate_right(1);
        if let Some(first) = by_attempt.first_mut() {
            *first = load;
        }
        let total: f64 = by_attempt.iter().sum();
        let refused = (1.0 - capacity / total).max(0.0);
        for attempts in &mut by_attempt {
            *attempts *= refused;
        }
        totals.push(total);
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    #[test]
    fn attempts_of_a_call_as_printed() {
        for (failure, attempts, fails) in
            [(0.1, "1.11", "0.001"), (0.5, "1.75", "0.125"), (0.9, "2.71", "0.729")]
        {
            prints(attempts_per_call(failure, 3), attempts);
            prints(failure_of_call(failure, 3), fails);
        }
        prints(attempt_rate(100.0, 0.3, 3), "139");
        // "Just below 3": 90 % to 99.9 % refused.
        prints(attempts_per_call(0.999, 3), "2.997");
        // Without and with three retries at half the attempts failing.
        prints(attempts_per_call(0.5, 4), "1.875");
        prints(failure_of_call(0.5, 4).map(|fails| 1.0 - fails), "0.9375");
    }

    #[test]
    fn layers_as_printed() {
        let reach = |failure| layers(failure, 3, 3).map(|layered| layered.attempts);
        prints(reach(0.5), "2.000000");
        prints(reach(0.9), "9.418503");
        prints(reach(1.0), "27");
        // Five layers of three tries, three of four, nine of two.
        for (attempts, count, most) in [(3, 5, "243"), (4, 3, "64"), (2, 9, "512")] {
            prints(layers(1.0, attempts, count).map(|layered| layered.attempts), most);
        }
    }

    #[test]
    fn lossy_layers_as_printed() {
        let reach = |failure, lost| lossy_layers(failure, lost, 3, 3).map(|l| l.attempts);
        prints(reach(0.5, 0.1), "1.99704");
        prints(reach(1.0, 0.1), "19.683");
        for failure in [0.0, 0.2, 0.9, 1.0] {
            let (sure, lossy) = (layers(failure, 3, 3), lossy_layers(failure, 0.0, 3, 3));
            let (sure, lossy) = (sure.expect("valid"), lossy.expect("valid"));
            assert!((sure.attempts / lossy.attempts - 1.0).abs() < 1e-12, "{failure}");
            assert!((sure.failure - lossy.failure).abs() < 1e-12, "{failure}");
        }
        let dead = lossy_layers(0.0, 1.0, 3, 3).expect("valid");
        assert_eq!((dead.attempts, dead.failure), (0.0, 1.0));
    }

    #[test]
    fn overload_as_printed() {
        let server = loss_server(10_100.0, 10_000.0, 10).expect("valid");
        prints(server.refused, "0.630330");
        prints(server.attempts, "27051");
        assert!((server.attempts * (1.0 - server.refused) - 10_000.0).abs() < 1e-6);
        let slots = loss_server_slots(10_100.0, 10_000.0, 10, 2_000);
        for (slot, attempts) in ["10100", "10200", "10300"].into_iter().enumerate() {
            prints(slots[slot], attempts);
        }
        prints(slots[100], "19984");
        prints(slots[1_999], "27051");
        let calm = loss_server(5.0, 10.0, 3).expect("valid");
        assert_eq!((calm.refused, calm.attempts), (0.0, 5.0));
        assert_eq!(loss_server_slots(5.0, 10.0, 3, 2), [5.0, 5.0]);
    }

    /// The closed formula loses all digits near 1 if it is taken literally.
    #[test]
    fn exact_where_nearly_all_fails() {
        let nearly = attempts_per_call(1.0 - 1e-15, 1_000).expect("valid");
        assert!((nearly - 1_000.0).abs() < 1e-6, "{nearly}");
        assert_eq!(attempts_per_call(0.0, 0), Some(0.0));
        assert_eq!(attempts_per_call(0.5, u32::MAX), Some(2.0));
        assert_eq!(layers(0.5, u32::MAX, u32::MAX).map(|l| l.attempts), Some(2.0));
    }

    #[test]
    fn nothing_is_said_outside_the_range() {
        assert_eq!(attempts_per_call(1.1, 3), None);
        assert_eq!(attempts_per_call(f64::NAN, 3), None);
        assert_eq!(loss_server(1.0, 1.0, 0), None);
        assert_eq!(lossy_layers(0.5, -0.1, 3, 3), None);
        assert_eq!(attempt_rate(-1.0, 0.5, 3), None);
    }
}
