//! Queues whose customers give up while they wait.

use super::queue::erlang_b;
use super::{MOST_STATES, positive};
use crate::math;

/// The steady state of a queue that customers may leave unserved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impatient {
    /// The share of arrivals that do not begin service at once.
    pub waits: f64,
    /// The share of arrivals that leave unserved.
    pub abandoned: f64,
    /// The mean number that wait.
    pub waiting: f64,
    /// The mean share of servers that are busy.
    pub busy: f64,
}

/// Erlang A, M/M/c+M: each who waits leaves at rate `patience_rate` (1 / mean
/// patience). All four above zero; a steady state always exists. The share
/// that leaves is `θ Lq / λ`. O. Garnett, A. Mandelbaum, M. Reiman, "Designing
/// a call center with impatient customers", Manufacturing & Service Operations
/// Management 4 (2002) 208-227.
pub fn erlang_a(
    servers: u64,
    arrival_rate: f64,
    service_rate: f64,
    patience_rate: f64,
) -> Option<Impatient> {
    if servers == 0 || !positive(&[arrival_rate, service_rate, patience_rate]) {
        return None;
    }
    let all_busy_rate = servers as f64 * service_rate;
    // Weights relative to the state with all servers busy and nobody waiting.
    let mut below = 1.0 / erlang_b(servers, arrival_rate / service_rate)? - 1.0;
    let (mut weight, mut at_least, mut waiting) = (1.0, 1.0, 0.0);
    for queued in 1..=MOST_STATES {
        let leaving = all_busy_rate + queued as f64 * patience_rate;
        weight *= arrival_rate / leaving;
        at_least += weight;
        waiting += weight * queued as f64;
        if leaving > arrival_rate && weight * queued as f64 <= 1e-18 * waiting {
            let total = below + at_least;
            let waiting = waiting / total;
            let abandoned = patience_rate * waiting / arrival_rate;
            return Some(Impatient {
                waits: at_least / total,
                abandoned,
                waiting,
                busy: arrival_rate * (1.0 - abandoned) / all_busy_rate,
            });
        }
        if weight > LARGE {
            for sum in [&mut below, &mut weight, &mut at_least, &mut waiting] {
                *sum /= LARGE;
            }
        }
    }
    None
}

/// Weights are scaled down before they overflow.
const LARGE: f64 = 1e200;

/// M/M/1+D: whoever would have to wait longer than `patience` seconds leaves
/// the queue then. The work ahead of an arrival, of those who will be served,
/// has the density `λ P₀ e^((λ − μ) x)` up to the patience and falls as
/// `e^(−μ x)` beyond it. All three above zero; a steady state always exists.
/// `waiting` counts those who will leave as well. D. Y. Barrer, "Queuing with
/// impatient customers and ordered service", Operations Research 5 (1957)
/// 650-656.
pub fn mm1_deadline(arrival_rate: f64, service_rate: f64, patience: f64) -> Option<Impatient> {
    if !positive(&[arrival_rate, service_rate, patience]) {
        return None;
    }
    let load = arrival_rate / service_rate;
    let drift = arrival_rate - service_rate;
    // Weights relative to the empty queue or to the end of the patience,
    // whichever is greater, so that nothing overflows.
    let size = (drift * patience).abs();
    let fall = math::exp(-size);
    let (empty, end) = if drift > 0.0 { (fall, 1.0) } else { (1.0, fall) };
    let inside = if size == 0.0 { patience } else { -math::exp_m1(-size) / drift.abs() };
    let total = empty + arrival_rate * inside + load * end;
    let abandoned = load * end / total;
    let moment = if size < 1e-3 {
        // The two terms of the formula below would cancel.
        let s = drift * patience;
        let series = 0.5 + s * (1.0 / 3.0 + s * (1.0 / 8.0 + s / 30.0));
        empty * patience * patience * series
    } else {
        (patience * end - inside) / drift
    };
    let wait = arrival_rate * moment / total + abandoned * patience;
    let busy = 1.0 - empty / total;
    Some(Impatient { waits: busy, abandoned, waiting: arrival_rate * wait, busy })
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::super::queue::mm1;
    use super::*;

    #[test]
    fn erlang_a_as_printed() {
        let one = erlang_a(1, 0.9, 1.0, 0.5).expect("it is valid");
        prints(one.waits, "0.643539");
        prints(one.abandoned, "0.284956");
        let ten = erlang_a(10, 12.0, 1.0, 1.0).expect("it is valid");
        prints(ten.waits, "0.757608");
        prints(ten.abandoned, "0.213632");
    }

    /// With patience like service the number present is Poisson, whatever the
    /// number of servers.
    #[test]
    fn patience_like_service_makes_the_number_present_poisson() {
        let queue = erlang_a(1, 3.0, 1.0, 1.0).expect("it is valid");
        // Mean 3; waiting is what exceeds one server: 3 − (1 − e^−3).
        assert!((queue.waiting - (3.0 - 1.0 + math::exp(-3.0))).abs() < 1e-12);
        assert!((queue.waits - (1.0 - math::exp(-3.0))).abs() < 1e-12);
    }

    /// Very patient: a stable queue hardly loses anyone, an overloaded one
    /// loses just what is too much.
    #[test]
    fn hardly_impatient_is_no_trouble() {
        let stable = erlang_a(1, 0.5, 1.0, 1e-9).expect("it is valid");
        let endless = mm1(0.5, 1.0).expect("it is stable");
        assert!((stable.waiting / endless.waiting - 1.0).abs() < 1e-7);
        let overloaded = erlang_a(10, 20.0, 1.0, 1e-4).expect("it is valid");
        assert!((overloaded.abandoned - 0.5).abs() < 1e-9, "{}", overloaded.abandoned);
        assert!((overloaded.busy - 1.0).abs() < 1e-9);
    }

    #[test]
    fn deadline_as_printed() {
        let queue = mm1_deadline(9.5, 10.0, 1.0).expect("it is valid");
        prints(queue.abandoned, "0.063654");
        prints(queue.busy, "0.889529");
    }

    /// Conservation holds on both sides of λ = μ and at it, and the mean wait
    /// is the integral of the share that waits longer.
    #[test]
    fn deadline_agrees_with_itself() {
        for arrivals in [0.5, 8.0, 9.999_9, 10.0, 10.000_1, 10.002, 15.0, 1e4] {
            let (service, patience) = (10.0, 1.0);
            let queue = mm1_deadline(arrivals, service, patience).expect("it is valid");
            let served = arrivals * (1.0 - queue.abandoned);
            assert!((served / (service * queue.busy) - 1.0).abs() < 1e-12, "{arrivals}: {queue:?}");
            let steps = 20_000;
            let width = patience / f64::from(steps);
            let drift = arrivals - service;
            let densities = (0..steps).map(|i| {
                let x = (f64::from(i) + 0.5) * width;
                // Relative to the end, where the share beyond is known.
                let end = queue.abandoned * service;
                (x, end * math::exp(drift * (x - patience)))
            });
            let inside: f64 = densities.map(|(x, density)| x * density * width).sum();
            let waiting = arrivals * (inside + queue.abandoned * patience);
            assert!((waiting / queue.waiting - 1.0).abs() < 1e-2, "{arrivals}: {waiting}");
            if arrivals < 100.0 {
                assert!((waiting / queue.waiting - 1.0).abs() < 1e-6, "{arrivals}: {waiting}");
            }
        }
    }

    #[test]
    fn nothing_is_said_outside_the_range() {
        assert_eq!(erlang_a(0, 1.0, 1.0, 1.0), None);
        assert_eq!(erlang_a(1, 1.0, 1.0, 0.0), None);
        assert_eq!(mm1_deadline(1.0, 1.0, f64::INFINITY), None);
        assert!(mm1_deadline(1e9, 1.0, 1e9).is_some_and(|queue| queue.abandoned < 1.0));
    }
}
