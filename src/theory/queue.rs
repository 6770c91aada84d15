//! Queues without retries: waits, lengths, losses.
//!
//! Names follow Kendall: M for Poisson arrivals or exponential service, D for
//! constant, G for any law, then the number of servers and of places. Service
//! is in order of arrival. The formulae stand in every textbook, for instance
//! L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley 1975, chapters 3
//! and 5.

use super::{MOST_STATES, is_share, positive};
use crate::math;

/// The steady state of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// The share of arrivals that are refused because all places are taken.
    pub blocked: f64,
    /// The share of arrivals that are let in and must wait.
    pub waits: f64,
    /// The mean number that wait.
    pub waiting: f64,
    /// The mean number that wait or are served (L).
    pub present: f64,
    /// The mean wait of those let in, in seconds (Wq).
    pub wait: f64,
    /// The mean time from arrival to end of those let in, in seconds (W).
    pub time: f64,
}

/// The mean number present, λ W, from the arrival rate of those let in and
/// their mean time; or the mean number waiting, from their mean wait.
/// J. D. C. Little, "A proof for the queuing formula L = λW", Operations
/// Research 9 (1961) 383-387.
pub fn little(arrival_rate: f64, time: f64) -> f64 {
    arrival_rate * time
}

/// M/M/1: `L = ρ / (1 − ρ)`, `W = 1 / (μ − λ)`. Both rates above zero; a steady state
/// exists while λ < μ.
pub fn mm1(arrival_rate: f64, service_rate: f64) -> Option<Queue> {
    mmc(1, arrival_rate, service_rate)
}

/// The probability in M/M/1 of a time of more than `time` from arrival to end:
/// `e^(−(μ − λ) t)`.
pub fn mm1_time_beyond(arrival_rate: f64, service_rate: f64, time: f64) -> Option<f64> {
    let stable = positive(&[arrival_rate, service_rate]) && arrival_rate < service_rate;
    (stable && time >= 0.0).then(|| math::exp(-(service_rate - arrival_rate) * time))
}

/// The time in M/M/1 that the share `share` (below 1) of all does not exceed:
/// `−ln(1 − share) / (μ − λ)`.
pub fn mm1_time_quantile(arrival_rate: f64, service_rate: f64, share: f64) -> Option<f64> {
    let stable = positive(&[arrival_rate, service_rate]) && arrival_rate < service_rate;
    let valid = stable && is_share(share) && share < 1.0;
    valid.then(|| -math::ln_1p(-share) / (service_rate - arrival_rate))
}

/// The variance of the mean number present that one run of M/M/1 over `duration`
/// seconds measures, `2 ρ (1 + ρ) / (μ (1 − ρ)^4 T)`, for runs that are long
/// against the memory of the queue, `1 / (μ (1 − ρ)²)`. Its root is what a
/// single simulation is off by. W. Whitt, "Planning queueing simulations",
/// Management Science 35 (1989) 1341-1366.
pub fn mm1_variance_of_mean(arrival_rate: f64, service_rate: f64, duration: f64) -> Option<f64> {
    let stable = positive(&[arrival_rate, service_rate, duration]) && arrival_rate < service_rate;
    let load = arrival_rate / service_rate;
    let idle = (1.0 - load) * (1.0 - load);
    stable.then(|| 2.0 * load * (1.0 + load) / (service_rate * idle * idle * duration))
}

/// Erlang's loss formula: the probability that all `servers` are busy when
/// nobody may wait, for an offered load `a = λ / μ` of any size above zero,
/// whatever the law of service. By the recursion `B_k = a B_(k−1) / (k + a B_(k−1))`
/// from `B_0 = 1`, which loses no digits; up to ten million servers.
/// A. K. Erlang, "Solution of some problems in the theory of probabilities of
/// significance in automatic telephone exchanges", 1917.
pub fn erlang_b(servers: u64, offered: f64) -> Option<f64> {
    if !positive(&[offered]) || servers > MOST_STATES {
        return None;
    }
    let step = |blocked: f64, k: u64| offered * blocked / (k as f64 + offered * blocked);
    Some((1..=servers).fold(1.0, step))
}

/// Erlang's delay formula: the probability of having to wait for one of
/// `servers`, `c B / (c − a (1 − B))`, for an offered load `a = λ / μ` below c.
pub fn erlang_c(servers: u64, offered: f64) -> Option<f64> {
    let c = servers as f64;
    let blocked = erlang_b(servers, offered).filter(|_| offered < c)?;
    Some(c * blocked / (c - offered * (1.0 - blocked)))
}

/// M/M/c: `Wq = C / (c μ − λ)` with [`erlang_c`]. A steady state exists while
/// λ < c μ.
pub fn mmc(servers: u64, arrival_rate: f64, service_rate: f64) -> Option<Queue> {
    if !positive(&[arrival_rate, service_rate]) {
        return None;
    }
    let offered = arrival_rate / service_rate;
    let waits = erlang_c(servers, offered)?;
    let wait = waits / (servers as f64 * service_rate - arrival_rate);
    Some(unlimited(arrival_rate, 1.0 / service_rate, waits, wait))
}

/// The probability in M/M/c of a wait of more than `time` seconds:
/// `C e^(−(c μ − λ) t)`.
pub fn mmc_wait_beyond(
    servers: u64,
    arrival_rate: f64,
    service_rate: f64,
    time: f64,
) -> Option<f64> {
    let waits = mmc(servers, arrival_rate, service_rate).filter(|_| time >= 0.0)?.waits;
    Some(waits * math::exp(-(servers as f64 * service_rate - arrival_rate) * time))
}

/// The probability in M/M/c of more than `time` seconds from arrival to end:
/// `e^(−μ t) (1 + C (1 − e^(−μ t x)) / x)` with `x = c − 1 − a`, the wait and
/// the service being independent.
pub fn mmc_time_beyond(
    servers: u64,
    arrival_rate: f64,
    service_rate: f64,
    time: f64,
) -> Option<f64> {
    let waits = mmc(servers, arrival_rate, service_rate).filter(|_| time >= 0.0)?.waits;
    let spare = servers as f64 - 1.0 - arrival_rate / service_rate;
    let steps = service_rate * time;
    let growth = if spare == 0.0 { steps } else { -math::exp_m1(-steps * spare) / spare };
    Some(math::exp(-steps) * (1.0 + waits * growth))
}

/// M/M/c/K: `places` (from `servers` up) in all, whoever finds them taken is
/// refused. A steady state exists for all rates above zero. The waits and times
/// are those of arrivals let in. Up to ten million places.
pub fn mmck(servers: u64, places: u64, arrival_rate: f64, service_rate: f64) -> Option<Queue> {
    let valid = positive(&[arrival_rate, service_rate]) && servers > 0 && servers <= places;
    if !valid || places > MOST_STATES {
        return None;
    }
    let offered = arrival_rate / service_rate;
    let lost = erlang_b(servers, offered)?;
    let load = offered / servers as f64;
    // With all servers busy, each state weighs `load` times the one before. The
    // sums go from the heaviest, of weight 1, to the lightest, so that nothing
    // overflows. The states below add up to 1 / B − 1 times the first of them.
    let seats = places - servers;
    let ratio = load.min(1.0 / load);
    let (mut weight, mut all_busy, mut waiting) = (1.0, 0.0, 0.0);
    for step in 0..=seats {
        weight = if step == 0 { 1.0 } else { weight * ratio };
        all_busy += weight;
        waiting += weight * (if load > 1.0 { seats - step } else { step }) as f64;
        if weight < f64::MIN_POSITIVE {
            weight = 0.0;
            break;
        }
    }
    let (first, full) = if load > 1.0 { (weight, 1.0) } else { (1.0, weight) };
    let total = first * (1.0 / lost - 1.0) + all_busy;
    let (blocked, waiting) = (full / total, waiting / total);
    let let_in = arrival_rate * (1.0 - blocked);
    let wait = waiting / let_in;
    Some(Queue {
        blocked,
        waits: (all_busy - full) / total,
        waiting,
        present: waiting + let_in / service_rate,
        wait,
        time: wait + 1.0 / service_rate,
    })
}

/// M/D/1, constant service of `service_time` seconds: `Wq = ρ D / (2 (1 − ρ))`.
/// A steady state exists while λ D < 1.
pub fn md1(arrival_rate: f64, service_time: f64) -> Option<Queue> {
    mg1(arrival_rate, service_time, service_time * service_time)
}

/// M/G/1, the formula of Pollaczek and Khinchine: `Wq = λ E[S²] / (2 (1 − ρ))`
/// for a service time of mean `service_mean` seconds and mean square
/// `second_moment` (at least the square of the mean). A steady state exists
/// while `ρ = λ E[S]` is below 1.
pub fn mg1(arrival_rate: f64, service_mean: f64, second_moment: f64) -> Option<Queue> {
    let load = arrival_rate * service_mean;
    let valid = positive(&[arrival_rate, service_mean, second_moment]);
    // The last digits of a constant's square may fall short.
    let possible = second_moment >= service_mean * service_mean * (1.0 - 1e-12);
    if !valid || !possible || load >= 1.0 {
        return None;
    }
    let wait = arrival_rate * second_moment / (2.0 * (1.0 - load));
    Some(unlimited(arrival_rate, service_mean, load, wait))
}

/// A queue that refuses nobody, from its waits.
fn unlimited(arrival_rate: f64, service_mean: f64, waits: f64, wait: f64) -> Queue {
    let time = wait + service_mean;
    Queue {
        blocked: 0.0,
        waits,
        waiting: little(arrival_rate, wait),
        present: little(arrival_rate, time),
        wait,
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    #[test]
    fn mm1_as_printed() {
        let half = mm1(5.0, 10.0).expect("it is stable");
        assert_eq!((half.present, half.time, half.waits), (1.0, 0.2, 0.5));
        prints(mm1_time_quantile(5.0, 10.0, 0.99), "0.92103");
        let busy = mm1(8.0, 10.0).expect("it is stable");
        prints(busy.present, "4.00000");
        prints(busy.time, "0.50000");
        prints(mm1_time_quantile(8.0, 10.0, 0.99), "2.30259");
        prints(mm1_time_beyond(8.0, 10.0, 2.3), "0.010052");
    }

    /// 1 % on a mean of 4 present needs μ T of 1.1 million, which are 0.9
    /// million arrivals.
    #[test]
    fn the_error_of_one_simulation_as_printed() {
        let variance = mm1_variance_of_mean(0.8, 1.0, 1.125e6).expect("it is stable");
        prints(variance.sqrt() / 4.0, "0.01000");
        prints(0.8 * 1.125, "0.9");
    }

    #[test]
    fn erlang_as_printed() {
        prints(erlang_c(5, 2.5), "0.130371");
        prints(mmc(5, 2.5, 1.0).map(|queue| queue.wait), "0.0521485");
        prints(erlang_c(10, 8.0), "0.40918");
        prints(mmc(10, 8.0, 1.0).map(|queue| queue.wait), "0.20459");
        prints(erlang_b(10, 8.0), "0.121661");
        prints(erlang_b(100, 90.0), "0.026957");
        // "13 %" and "3.6 %" of calls wait at half load.
        prints(erlang_c(5, 2.5), "0.13037");
        prints(erlang_c(10, 5.0), "0.03611");
        // The mean time falls towards the service time as servers are added.
        let times = ["5.000", "2.778", "1.554", "1.205", "1.064", "1.009"];
        for (servers, printed) in [1_u32, 2, 5, 10, 20, 50].into_iter().zip(times) {
            let rate = 0.8 * f64::from(servers);
            prints(mmc(u64::from(servers), rate, 1.0).map(|queue| queue.time), printed);
        }
    }

    /// A million servers at the edge: by the asymptotic formula of Halfin and
    /// Whitt, C = 1 / (1 + β Φ(β) / φ(β)) with c = a + β √a, within 1/√a.
    #[test]
    fn erlang_stays_exact_for_a_million_servers() {
        let offered = 1e6_f64 - 1_000.0;
        let beta = 1_000.0 / offered.sqrt();
        let density = math::exp(-beta * beta / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        let limit = 1.0 / (1.0 + beta * math::normal_cdf(beta) / density);
        let exact = erlang_c(1_000_000, offered).expect("it is stable");
        assert!((exact / limit - 1.0).abs() < 1e-3, "{exact} and {limit}");
        assert_eq!(erlang_b(1_000_000, 1e-3), Some(0.0), "too small for an f64");
    }

    #[test]
    fn limited_places_as_printed() {
        let ninety = mmck(1, 10, 9.0, 10.0).expect("it is valid");
        prints(ninety.blocked, "0.0508137");
        prints(ninety.present, "3.96944");
        prints(ninety.time, "0.46466");
        let overload = mmck(1, 10, 12.0, 10.0).expect("it is valid");
        prints(overload.blocked, "0.192586");
        prints(overload.present, "6.71071");
        prints(overload.time, "0.692614");
    }

    /// Birth and death by hand, and both ends: no place to wait is Erlang's
    /// loss system, very many places are M/M/c.
    #[test]
    fn limited_places_between_loss_and_delay() {
        let few = mmck(2, 3, 3.0, 1.0).expect("it is valid");
        // Weights 1, 3, 4.5, 6.75.
        assert!((few.blocked - 6.75 / 15.25).abs() < 1e-14);
        assert!((few.waits - 4.5 / 15.25).abs() < 1e-14);
        assert!((few.present - (3.0 + 9.0 + 20.25) / 15.25).abs() < 1e-14);
        let loss = mmck(10, 10, 8.0, 1.0).expect("it is valid");
        assert_eq!(Some(loss.blocked), erlang_b(10, 8.0));
        let (many, endless) = (mmck(5, 2_000, 4.0, 1.0), mmc(5, 4.0, 1.0));
        let (many, endless) = (many.expect("it is valid"), endless.expect("it is stable"));
        assert!((many.wait / endless.wait - 1.0).abs() < 1e-12);
        let flooded = mmck(1, 100_000, 1_000.0, 1.0).expect("it is valid");
        assert!((flooded.blocked - 0.999).abs() < 1e-12);
        assert!((flooded.waiting - 99_998.998_998_999).abs() < 1e-6, "{}", flooded.waiting);
    }

    #[test]
    fn one_server_of_any_law_as_printed() {
        prints(md1(5.0, 0.1).map(|queue| queue.wait), "0.05");
        prints(md1(8.0, 0.1).map(|queue| queue.wait), "0.2");
        // Lognormal of mean 0.1: E[S²] = 0.01 e^(σ²).
        let square = |sigma: f64| 0.01 * math::exp(sigma * sigma);
        prints(mg1(8.0, 0.1, square(0.25)).map(|queue| queue.wait), "0.212899");
        prints(mg1(8.0, 0.1, square(1.0)).map(|queue| queue.wait), "0.543656");
        let (any, exponential) = (mg1(8.0, 0.1, 0.02), mm1(8.0, 10.0));
        let (any, exponential) = (any.expect("stable"), exponential.expect("stable"));
        assert!((any.wait - exponential.wait).abs() < 1e-15);
    }

    #[test]
    fn tails_agree_with_means() {
        // The mean is the integral of the tail.
        let (c, rate) = (3, 2.2);
        let queue = mmc(c, rate, 1.0).expect("it is stable");
        let step = 1e-3;
        let sum = |beyond: &dyn Fn(f64) -> Option<f64>| -> f64 {
            (0..60_000).map(|i| beyond((f64::from(i) + 0.5) * step).expect("valid") * step).sum()
        };
        assert!((sum(&|t| mmc_wait_beyond(c, rate, 1.0, t)) / queue.wait - 1.0).abs() < 1e-6);
        assert!((sum(&|t| mmc_time_beyond(c, rate, 1.0, t)) / queue.time - 1.0).abs() < 1e-6);
        // Where the two rates meet the formula has a limit of its own.
        let near = mmc_time_beyond(2, 1.0 + 1e-9, 1.0, 3.0).expect("stable");
        let there = mmc_time_beyond(2, 1.0, 1.0, 3.0).expect("stable");
        assert!((near - there).abs() < 1e-8);
    }

    #[test]
    fn nothing_is_said_outside_the_range() {
        assert_eq!(mm1(10.0, 10.0), None);
        assert_eq!(mmc(0, 1.0, 1.0), None);
        assert_eq!(mmc(2, f64::NAN, 1.0), None);
        assert_eq!(mmck(3, 2, 1.0, 1.0), None);
        assert_eq!(mmck(1, u64::MAX, 1.0, 1.0), None);
        assert_eq!(mg1(1.0, 0.5, 0.2), None, "no law has such a square");
        assert_eq!(mg1(1.0, 0.5, f64::INFINITY), None);
        assert_eq!(erlang_b(u64::MAX, 1.0), None);
        assert_eq!(mm1_time_quantile(1.0, 2.0, 1.0), None);
    }
}
