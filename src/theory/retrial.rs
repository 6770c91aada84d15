//! Queues whose refused customers come back: the blocked join an orbit, from
//! which each tries again after an exponential delay. For other delays no
//! formula is known. G. I. Falin and J. G. C. Templeton, "Retrial Queues",
//! Chapman & Hall 1997.

use super::queue::{Queue, mmck};
use super::{is_share, positive};

/// The steady state of a queue with an orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retrial {
    /// The share of first attempts that find all places taken.
    pub blocked: f64,
    /// The mean number in the orbit.
    pub orbit: f64,
    /// The mean number at the servers and in the queue before them.
    pub present: f64,
    /// First and further attempts per second.
    pub attempts: f64,
}

impl Retrial {
    /// The mean time in the orbit of all customers, those that never enter it
    /// included, in seconds.
    pub fn orbit_time(&self, arrival_rate: f64) -> f64 {
        self.orbit / arrival_rate
    }

    /// The mean number of further attempts of a customer.
    pub fn retrials(&self, arrival_rate: f64) -> f64 {
        self.attempts / arrival_rate - 1.0
    }
}

/// M/M/1/1 with an orbit in which each waits at rate `retrial_rate`: the server
/// is busy with probability ρ, the orbit holds
/// `ρ² / (1 − ρ) + λ ρ / (ν (1 − ρ))`. All three rates above zero; a steady state
/// exists while λ < μ.
pub fn single(arrival_rate: f64, service_rate: f64, retrial_rate: f64) -> Option<Retrial> {
    let load = arrival_rate / service_rate;
    if !positive(&[arrival_rate, service_rate, retrial_rate]) || load >= 1.0 {
        return None;
    }
    let orbit = load * (load + arrival_rate / retrial_rate) / (1.0 - load);
    let attempts = arrival_rate + retrial_rate * orbit;
    Some(Retrial { blocked: load, orbit, present: load, attempts })
}

/// What defines M/M/c/K with an orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Servers (c), at least one.
    pub servers: u32,
    /// Places in all (K), from the number of servers up.
    pub places: u32,
    /// First attempts per second (λ).
    pub arrival_rate: f64,
    /// Services per second and server (μ).
    pub service_rate: f64,
    /// Attempts per second of each in the orbit (ν).
    pub retrial_rate: f64,
    /// The probability that one who is refused tries again (H); 1 is never to
    /// give up.
    pub persistence: f64,
}

/// Levels × places that are worked through before it is given up.
const MOST_WORK: u64 = 20_000_000;

impl Station {
    /// Its steady state, to about ten digits.
    ///
    /// That of the Markov chain of (number present, number in orbit), cut off
    /// where the orbit is so long that more of it changes nothing. A steady
    /// state exists while λ < c μ, or for all rates if the persistence is below
    /// one. `None` also if the load lies so near the edge that the orbit is too
    /// long to work through.
    pub fn steady_state(&self) -> Option<Retrial> {
        let rates = positive(&[self.arrival_rate, self.service_rate, self.retrial_rate]);
        let sizes = self.servers > 0 && self.places >= self.servers;
        let most = f64::from(self.servers) * self.service_rate;
        let stable = self.persistence < 1.0 || self.arrival_rate < most;
        if !rates || !sizes || !is_share(self.persistence) || !stable {
            return None;
        }
        if self.persistence == 0.0 {
            return self.without_orbit();
        }
        let (mut levels, mut orbit) = (64, 0.0);
        while levels * (u64::from(self.places) + 1) <= MOST_WORK {
            let found = self.cut_off(levels);
            if (found.orbit - orbit).abs() <= 1e-12 * found.orbit {
                return Some(found);
            }
            orbit = found.orbit;
            levels *= 2;
        }
        None
    }

    fn without_orbit(&self) -> Option<Retrial> {
        let (servers, places) = (u64::from(self.servers), u64::from(self.places));
        let queue = mmck(servers, places, self.arrival_rate, self.service_rate)?;
        let Queue { blocked, present, .. } = queue;
        Some(Retrial { blocked, orbit: 0.0, present, attempts: self.arrival_rate })
    }

    /// The chain with at most so many in orbit.
    ///
    /// Only from a full station does it climb a level. So the probabilities of
    /// a level are that of a full station one level below, times a vector; the
    /// vectors follow from the top down, each from a tridiagonal system.
    fn cut_off(&self, levels: u64) -> Retrial {
        let full = self.places as usize;
        let climb = self.arrival_rate * self.persistence;
        let mut only_full = vec![0.0; full + 1];
        only_full[full] = climb;
        let mut falling = vec![0.0; full + 1];
        let mut above = Above::default();
        for level in (1..=levels).rev() {
            // What a level gets is what climbs into it, plus what falls back
            // of that which it sends up itself when it is full.
            let from_below = self.balance(level, level < levels, &only_full);
            let from_above = self.balance(level, level < levels, &falling);
            let again = from_below[full] / (1.0 - from_above[full]);
            let pairs = from_below.iter().zip(&from_above);
            let vector: Vec<f64> = pairs.map(|(below, above)| below + above * again).collect();
            above = above.with_level(&vector);
            falling = self.falling(level, &vector);
        }
        // The lowest level, up to a factor: nothing climbs into it.
        let base = self.balance(0, true, &falling);
        let all = Above::default().with_level(&base);
        let total = all.all + base[full] * above.all;
        let orbit = base[full] * above.height / total;
        Retrial {
            blocked: base[full] * (1.0 + above.full) / total,
            orbit,
            present: (all.present + base[full] * above.present) / total,
            attempts: self.arrival_rate + self.retrial_rate * orbit,
        }
    }

    /// The rate at which service ends with so many present.
    fn ends(&self, present: usize) -> f64 {
        present.min(self.servers as usize) as f64 * self.service_rate
    }

    /// The rates at which those of this level come out of the orbit: into the
    /// station, or away because it is full and they give up.
    fn leaves_orbit(&self, level: u64, present: usize) -> f64 {
        let tries = level as f64 * self.retrial_rate;
        let full = present == self.places as usize;
        if full { tries * (1.0 - self.persistence) } else { tries }
    }

    /// What flows into each state of the level below from probabilities here.
    fn falling(&self, level: u64, here: &[f64]) -> Vec<f64> {
        let full = self.places as usize;
        let mut inflow = vec![0.0; full + 1];
        for (present, probability) in here.iter().enumerate() {
            inflow[(present + 1).min(full)] += probability * self.leaves_orbit(level, present);
        }
        inflow
    }

    /// The probabilities of a level into whose states these rates flow from
    /// other levels: in each state, what flows in flows out.
    fn balance(&self, level: u64, climbs: bool, inflow: &[f64]) -> Vec<f64> {
        let full = self.places as usize;
        let mut solution = inflow.to_vec();
        let mut factors = vec![0.0; full + 1];
        for present in 0..=full {
            let onward = match (present == full, climbs) {
                (false, _) => self.arrival_rate,
                (true, true) => self.arrival_rate * self.persistence,
                (true, false) => 0.0,
            };
            let mut out = onward + self.ends(present) + self.leaves_orbit(level, present);
            if present > 0 {
                out -= self.arrival_rate * factors[present - 1];
                solution[present] += self.arrival_rate * solution[present - 1];
            }
            factors[present] = self.ends(present + 1) / out;
            solution[present] /= out;
        }
        for present in (0..full).rev() {
            solution[present] += factors[present] * solution[present + 1];
        }
        solution
    }
}

/// Sums over all levels above some level, relative to the probability that the
/// station is full at that level.
#[derive(Clone, Copy, Debug, Default)]
struct Above {
    /// Of the probabilities.
    all: f64,
    /// Of those of a full station.
    full: f64,
    /// Of the number present.
    present: f64,
    /// Of how many levels higher.
    height: f64,
}

impl Above {
    /// The same one level lower: with a level of these probabilities below.
    fn with_level(self, level: &[f64]) -> Self {
        let full = level[level.len() - 1];
        let here: f64 = level.iter().sum();
        let present: f64 = level.iter().zip(0_u32..).map(|(p, number)| p * f64::from(number)).sum();
        Self {
            all: here + full * self.all,
            full: full * (1.0 + self.full),
            present: present + full * self.present,
            height: here + full * (self.all + self.height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    fn station(servers: u32, places: u32, arrival_rate: f64, service_rate: f64) -> Station {
        let (retrial_rate, persistence) = (1.0, 1.0);
        Station { servers, places, arrival_rate, service_rate, retrial_rate, persistence }
    }

    #[test]
    fn one_server_as_printed() {
        let half = single(0.5, 1.0, 1.0).expect("it is stable");
        assert_eq!((half.orbit, half.orbit_time(0.5), half.retrials(0.5)), (1.0, 2.0, 2.0));
        let busy = single(0.8, 1.0, 1.0).expect("it is stable");
        prints(busy.orbit, "6.4");
        prints(busy.orbit_time(0.8), "8.0");
    }

    #[test]
    fn several_servers_as_printed() {
        let two = station(2, 2, 1.6, 1.0).steady_state().expect("it is stable");
        prints(two.orbit, "6.04703");
        prints(two.blocked, "0.675297");
        let five = station(5, 5, 4.0, 1.0).steady_state().expect("it is stable");
        prints(five.orbit, "5.26139");
        prints(five.blocked, "0.455345");
    }

    #[test]
    fn a_short_queue_as_printed() {
        let queue = station(1, 10, 9.0, 10.0).steady_state().expect("it is stable");
        prints(queue.orbit, "3.69582");
        prints(queue.present, "5.43644");
        prints(queue.attempts, "12.6958");
    }

    /// The numeric chain against the closed formula, and against what must
    /// balance: all who arrive are served if nobody gives up.
    #[test]
    fn the_chain_agrees_with_the_formula() {
        for (arrivals, retrials) in [(0.3, 0.1), (0.5, 1.0), (0.9, 20.0)] {
            let chain = Station { retrial_rate: retrials, ..station(1, 1, arrivals, 1.0) };
            let chain = chain.steady_state().expect("it is stable");
            let formula = single(arrivals, 1.0, retrials).expect("it is stable");
            for (here, there) in [
                (chain.orbit, formula.orbit),
                (chain.blocked, formula.blocked),
                (chain.present, formula.present),
                (chain.attempts, formula.attempts),
            ] {
                assert!((here / there - 1.0).abs() < 1e-9, "{chain:?} and {formula:?}");
            }
        }
        let loss = station(5, 5, 4.0, 1.0).steady_state().expect("it is stable");
        assert!((loss.present - 4.0).abs() < 1e-9, "servers busy are λ / μ");
    }

    /// Who gives up at once leaves the queue without an orbit; who nearly
    /// does, nearly so, even in overload.
    #[test]
    fn giving_up_keeps_any_load_stable() {
        let overload = |persistence| {
            let station = Station { persistence, ..station(2, 4, 5.0, 1.0) };
            station.steady_state().expect("it is stable")
        };
        let (never, hardly) = (overload(0.0), overload(1e-6));
        assert_eq!(Some(never.blocked), mmck(2, 4, 5.0, 1.0).map(|queue| queue.blocked));
        assert!((hardly.blocked / never.blocked - 1.0).abs() < 1e-5);
        let stubborn = overload(0.9);
        assert!(stubborn.orbit > 1.0 && stubborn.blocked > never.blocked);
        assert_eq!(station(2, 4, 5.0, 1.0).steady_state(), None);
        assert_eq!(station(2, 1, 1.0, 1.0).steady_state(), None);
        assert_eq!(single(1.0, 1.0, 1.0), None);
    }
}
