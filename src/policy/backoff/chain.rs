//! Families in which a wait feeds on what was drawn before it.

use super::{Backoff, Family, Jitter, before};
use crate::draw;
use crate::math;
use crate::time::Duration;

/// What a call remembers of its waits: eight bytes, of which each family makes
/// what it needs. Empty before the first wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory(u64);

impl Memory {
    /// Nothing yet.
    pub const EMPTY: Self = Self(0);

    /// The number that was kept. Numbers are stored with all bits turned, so
    /// that the empty memory differs from a zero.
    fn number(self) -> Option<f64> {
        (self != Self::EMPTY).then(|| f64::from_bits(!self.0))
    }

    fn keep_number(&mut self, number: f64) {
        self.0 = !number.to_bits();
    }

    /// The length that was kept.
    pub(super) fn last(self) -> Option<Duration> {
        self.number().map(Duration::from_nanos_f64)
    }

    /// Keeps a length: of decorrelated jitter, the wait before.
    pub fn keep(&mut self, length: Duration) {
        self.keep_number(length.as_nanos() as f64);
    }
}

/// The most waits among which a sorted family looks for the next one.
const WINDOW: usize = 127;

impl Backoff {
    /// The wait before retry `n`, in a family with a memory. Nanoseconds are
    /// kept as they were drawn, not as they are rounded; of the decorrelated
    /// family the caller keeps the wait itself.
    #[inline(never)]
    pub(super) fn chained(&self, base: Duration, n: u32, memory: &mut Memory, u: f64) -> Duration {
        if let Family::Sorted { retries } = self.family {
            return self.sorted(base, n, retries, memory, u);
        }
        if matches!(self.family, Family::PollyV2) {
            return self.polly_v2(base, n, memory, u);
        }
        let (base, cap) = (base.as_nanos() as f64, self.cap.as_nanos() as f64);
        let last = memory.number();
        let wait = match (&self.family, last) {
            (Family::Decorrelated, last) => {
                let high = 3.0 * last.unwrap_or(base).max(base);
                (base + (high - base) * u).min(cap)
            }
            (_, None) => base.min(cap),
            (Family::FinagleDecorrelated, Some(last)) => {
                let high = (3.0 * last).min(cap);
                last + (high - last).max(0.0) * u
            }
            (Family::FinagleExponential, Some(last)) => {
                let high = last * doublings(before(n));
                if high >= cap { cap } else { high * u }
            }
            (_, Some(last)) => {
                let half = base * doublings(before(n).saturating_sub(1));
                let sum = half + half * u;
                if last >= cap || half >= cap || sum >= cap { cap } else { sum }
            }
        };
        memory.keep_number(wait);
        Duration::from_nanos_f64(wait)
    }

    /// The difference of two points of a curve whose medians double. What
    /// overflows is the cap.
    fn polly_v2(&self, base: Duration, n: u32, memory: &mut Memory, u: f64) -> Duration {
        /// Puts the medians near base × 1, 2, 4 and so on.
        const SCALE: f64 = 1.0 / 1.4;
        let t = f64::from(before(n)) + u;
        let point = math::pow(self.factor, t) * math::tanh((4.0 * t).sqrt());
        let last = memory.number().unwrap_or(0.0);
        memory.keep_number(point);
        if base.is_zero() {
            return base;
        }
        if point.is_infinite() {
            return self.cap;
        }
        let nanos = (point - last) * SCALE * base.as_nanos() as f64;
        Duration::from_nanos_f64(nanos).min(self.cap)
    }

    /// The n-th smallest of the waits of a call.
    fn sorted(
        &self,
        base: Duration,
        n: u32,
        retries: u32,
        memory: &mut Memory,
        u: f64,
    ) -> Duration {
        let Some(overlap) = self.overlap() else {
            return self.jittered(self.power(base, n), base, Duration::ZERO, n).at(u);
        };
        let seed = memory.number().unwrap_or(u);
        memory.keep_number(seed);
        // Waits that are `overlap` places apart are in order whatever was drawn,
        // so the n-th smallest is among those less than that from place n, and
        // all before them are smaller.
        let n = n.clamp(1, retries.max(1));
        let reach = overlap.min(WINDOW as u32 / 2 + 1) - 1;
        let low = n.saturating_sub(reach).max(1);
        let high = n.saturating_add(reach).min(retries.max(1));
        let mut waits = [Duration::ZERO; WINDOW];
        let window = &mut waits[..=(high - low) as usize];
        for (place, wait) in (low..=high).zip(window.iter_mut()) {
            let u = draw::unit(draw::fold(seed.to_bits(), u64::from(place)));
            *wait = self.jittered(self.power(base, place), base, Duration::ZERO, place).at(u);
        }
        window.sort_unstable();
        window[(n - low) as usize]
    }

    /// How many places apart two waits must be to be in order whatever is
    /// drawn; `None` if all neighbours are.
    fn overlap(&self) -> Option<u32> {
        match self.jitter {
            Jitter::None => None,
            Jitter::Scale { low, high } if low * self.factor >= high => None,
            Jitter::Scale { low, high } if low > 0.0 && self.factor > 1.0 => {
                Some((math::ln(high / low) / math::ln(self.factor)).ceil() as u32)
            }
            _ => Some(u32::MAX),
        }
    }
}

/// 2 to the power of `times`; infinite where that is too large.
fn doublings(times: u32) -> f64 {
    if times < 1024 { f64::from_bits((u64::from(times) + 1023) << 52) } else { f64::INFINITY }
}
