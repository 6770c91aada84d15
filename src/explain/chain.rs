//! The mean of each wait in order, also where a wait feeds on the draws before
//! it: by carrying the distribution of the wait from retry to retry.

use super::expected::Expected;
use crate::policy::schedule::Range;
use crate::policy::{Backoff, Family, Memory};
use crate::time::Duration;

/// How finely a distribution is carried: so many waits that are equally likely,
/// each followed by so many draws.
const FINE: usize = 256;

/// The same again, coarser: the difference tells the error.
const COARSE: usize = FINE / 2;

/// Seeds of the families whose first draw stands for all.
const SEEDS: u32 = 65_536;

/// The mean waits of a backoff, from the first on.
#[derive(Clone, Debug)]
pub(super) struct Means<'a> {
    backoff: &'a Backoff,
    retry: u32,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// Waits that feed on no draw: what the call remembers is certain.
    Free(Memory),
    /// Waits that feed on the wait before: how it is distributed.
    Chained { fine: Carried, coarse: Carried },
    /// Polly's waits, which feed on the draw before and no more.
    Curve,
    /// Waits in ascending order, all from the first draw.
    Sorted,
}

impl<'a> Means<'a> {
    pub(super) fn new(backoff: &'a Backoff) -> Self {
        let way = match backoff.family {
            Family::Compounding
            | Family::Decorrelated
            | Family::FinagleDecorrelated
            | Family::FinagleExponential
            | Family::FinagleEqual => {
                Way::Chained { fine: Carried::new(FINE), coarse: Carried::new(COARSE) }
            }
            Family::PollyV2 => Way::Curve,
            Family::Sorted { .. } => Way::Sorted,
            _ => Way::Free(Memory::EMPTY),
        };
        Self { backoff, retry: 0, way }
    }

    /// The mean of the next wait, which is in this range.
    pub(super) fn advance(&mut self, range: Range) -> Expected {
        self.retry += 1;
        let (backoff, n) = (self.backoff, self.retry);
        let expected = match &mut self.way {
            Way::Free(memory) => {
                let expected = Expected::of(backoff, n, *memory);
                backoff.wait(n, memory, || 0.5);
                expected
            }
            Way::Chained { fine, coarse } => {
                let coarse = coarse.advance(backoff, n);
                let fine = fine.advance(backoff, n);
                Expected { error: (fine.nanos - coarse.nanos).abs() + 1.0, ..fine }
            }
            Way::Curve => curve(backoff, n),
            Way::Sorted => sorted(backoff, n),
        };
        if range.is_point() { Expected::always(range.low, backoff.cap) } else { expected }
    }
}

/// A distribution of waits: each as likely as the others, in ascending order.
/// Empty before the first wait.
#[derive(Clone, Debug)]
struct Carried {
    size: usize,
    waits: Vec<Duration>,
}

impl Carried {
    fn new(size: usize) -> Self {
        Self { size, waits: Vec::new() }
    }

    /// Goes on to the waits after these, and says their mean.
    fn advance(&mut self, backoff: &Backoff, n: u32) -> Expected {
        let mut memories = vec![Memory::EMPTY; self.waits.len().max(1)];
        for (memory, wait) in memories.iter_mut().zip(&self.waits) {
            memory.keep(*wait);
        }
        // The first wait knows nothing before it, so all detail is in its draw.
        let draws = self.size * self.size / memories.len();
        let mut next = Vec::with_capacity(memories.len() * draws);
        for memory in memories {
            next.extend((0..draws).map(|draw| {
                let mut memory = memory;
                backoff.wait(n, &mut memory, || (draw as f64 + 0.5) / draws as f64)
            }));
        }
        next.sort_unstable();
        let expected = mean(&next, backoff.cap);
        let group = next.len() / self.size;
        self.waits = next.chunks(group).map(middle).collect();
        expected
    }
}

/// The mean of some waits, that keeps the mean of all when it stands for them.
fn middle(waits: &[Duration]) -> Duration {
    Duration::from_nanos_f64(sum(waits) / waits.len() as f64)
}

fn sum(waits: &[Duration]) -> f64 {
    waits.iter().map(|wait| wait.as_nanos() as f64).sum()
}

fn mean(waits: &[Duration], cap: Duration) -> Expected {
    let count = waits.len() as f64;
    let capped = waits.iter().filter(|wait| **wait == cap).count();
    Expected { nanos: sum(waits) / count, error: 0.0, at_cap: capped as f64 / count }
}

/// Integrates over the draw before and this one.
fn curve(backoff: &Backoff, n: u32) -> Expected {
    let of = |draws: usize| {
        let u = |draw: usize| (draw as f64 + 0.5) / draws as f64;
        // At the first retry there is no draw before.
        let before = if n > 1 { draws } else { 1 };
        let mut waits = Vec::with_capacity(before * draws);
        for last in 0..before {
            let mut memory = Memory::EMPTY;
            if n > 1 {
                backoff.wait(n - 1, &mut memory, || u(last));
            }
            waits.extend((0..draws).map(|draw| {
                let mut memory = memory;
                backoff.wait(n, &mut memory, || u(draw))
            }));
        }
        mean(&waits, backoff.cap)
    };
    let (fine, coarse) = (of(FINE), of(COARSE));
    Expected { error: (fine.nanos - coarse.nanos).abs() + 1.0, ..fine }
}

/// Averages over many seeds; four standard errors of that are the error.
fn sorted(backoff: &Backoff, n: u32) -> Expected {
    let seeds = 0..SEEDS;
    let wait = |seed: u32| {
        let u = (f64::from(seed) + 0.5) / f64::from(SEEDS);
        let mut memory = Memory::EMPTY;
        backoff.wait(n, &mut memory, || u)
    };
    let waits: Vec<_> = seeds.map(wait).collect();
    let expected = mean(&waits, backoff.cap);
    let off = |wait: &Duration| {
        let off = wait.as_nanos() as f64 - expected.nanos;
        off * off
    };
    let count = f64::from(SEEDS);
    let variance = waits.iter().map(off).sum::<f64>() / count;
    Expected { error: 4.0 * (variance / count).sqrt() + 1.0, ..expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Mt19937;
    use crate::policy::{Jitter, Strategy, preset};
    use crate::theory::jitter::Decorrelated;

    fn means(backoff: &Backoff, retries: usize) -> Vec<Expected> {
        let mut means = Means::new(backoff);
        backoff.ranges().take(retries).map(|waits| means.advance(waits.wait)).collect()
    }

    fn named(name: &str) -> Backoff {
        preset::find(name).expect("it is a preset").policy.backoff.clone()
    }

    #[test]
    fn decorrelated_jitter_is_as_theory_says() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
        let found = means(&Backoff::new(Strategy::DecorrelatedJitter, base, cap), 8);
        let theory = Decorrelated::new(100.0, 1_000.0).expect("it is valid").waits(8);
        for (n, found) in found.iter().enumerate() {
            let off = (found.nanos / 1e6 - theory.means[n]).abs();
            assert!(off <= found.error / 1e6, "{n}: off by {off}: {found:?}");
            assert!((found.at_cap - theory.at_cap[n]).abs() < 4e-3, "{n}: {found:?}");
            assert!(found.error < 1e5, "{n}: {found:?}");
        }
    }

    /// Without a cap the mean of a wait follows from the mean of the last.
    #[test]
    fn chains_without_a_cap() {
        let free = |family| Backoff { family, cap: Duration::MAX, ..named("finagle-tries") };
        let ratio = |backoff: &Backoff, n: usize| {
            let means = means(backoff, n + 1);
            means[n].nanos / means[n - 1].nanos
        };
        for n in 1..4 {
            assert!((ratio(&free(Family::FinagleDecorrelated), n) - 2.0).abs() < 1e-6);
            let doubled = f64::from(1_u32 << (n - 1));
            let exponential = ratio(&free(Family::FinagleExponential), n);
            assert!((exponential - doubled).abs() < 1e-6, "{exponential}");
            let compounding =
                Backoff { jitter: Jitter::symmetric(0.25), ..free(Family::Compounding) };
            assert!((ratio(&compounding, n) - 2.0).abs() < 1e-6);
        }
        let equal = means(&free(Family::FinagleEqual), 4);
        for (found, expected) in equal.iter().zip([5.0, 7.5, 15.0, 30.0]) {
            assert!((found.nanos / 1e6 - expected).abs() < 1e-6, "{found:?}");
        }
    }

    /// Against a plain average over draws of a generator that has nothing to
    /// do with this; within five standard errors.
    #[test]
    fn means_are_what_chance_gives() {
        const TRIALS: u32 = 40_000;
        let capped = |name, cap| Backoff { cap: Duration::from_millis(cap), ..named(name) };
        let overlapping = Backoff { factor: 1.2, ..named("node-retry-randomize") };
        for backoff in [
            named("finagle-tries"),
            capped("finagle-exponential-jittered", 60),
            capped("finagle-equal-jittered", 15),
            named("dotnet-standard-resilience"),
            capped("cockatiel", 300),
            overlapping,
            named("grpc-a6"),
        ] {
            let found = means(&backoff, 4);
            let mut generator = Mt19937::cpython(1);
            let (mut sums, mut squares) = ([0.0; 4], [0.0; 4]);
            for _ in 0..TRIALS {
                let mut memory = Memory::EMPTY;
                for n in 0..4 {
                    let wait = backoff.wait(n as u32 + 1, &mut memory, || generator.draw());
                    sums[n] += wait.as_nanos() as f64;
                    squares[n] += wait.as_nanos() as f64 * wait.as_nanos() as f64;
                }
            }
            for n in 0..4 {
                let mean = sums[n] / f64::from(TRIALS);
                let variance = squares[n] / f64::from(TRIALS) - mean * mean;
                let near = 5.0 * (variance.max(0.0) / f64::from(TRIALS)).sqrt() + found[n].error;
                let off = (found[n].nanos - mean).abs();
                assert!(off <= near + 1.0, "{:?}, retry {}: {:?}", backoff.family, n + 1, found[n]);
            }
        }
    }
}
