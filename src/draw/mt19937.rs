//! The Mersenne Twister as `CPython` seeds and reads it, for tables that were
//! published from `random.Random(seed)`.

const LENGTH: usize = 624;
const SHIFT: usize = 397;

/// MT19937 (Matsumoto and Nishimura 1998), seeded by an array as
/// `random.Random(seed)` does for a non-negative integer seed.
#[derive(Clone, Debug)]
pub struct Mt19937 {
    state: [u32; LENGTH],
    next: usize,
}

impl Mt19937 {
    /// The generator of `random.Random(seed)`.
    pub fn cpython(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32];
        let used = if words[1] == 0 { 1 } else { 2 };
        Self::by_array(&words[..used])
    }

    fn by_array(key: &[u32]) -> Self {
        let mut state = [0_u32; LENGTH];
        state[0] = 19_650_218;
        for i in 1..LENGTH {
            let last = state[i - 1];
            state[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        let mut i = 1;
        let mut step = |state: &mut [u32; LENGTH], factor: u32, add: u32, subtract: bool| {
            let last = state[i - 1];
            let mixed = state[i] ^ (last ^ (last >> 30)).wrapping_mul(factor);
            state[i] =
                if subtract { mixed.wrapping_sub(i as u32) } else { mixed.wrapping_add(add) };
            i += 1;
            if i == LENGTH {
                state[0] = state[LENGTH - 1];
                i = 1;
            }
        };
        for k in 0..LENGTH.max(key.len()) {
            let j = k % key.len();
            step(&mut state, 1_664_525, key[j].wrapping_add(j as u32), false);
        }
        for _ in 1..LENGTH {
            step(&mut state, 1_566_083_941, 0, true);
        }
        state[0] = 0x8000_0000;
        Self { state, next: LENGTH }
    }

    fn next_u32(&mut self) -> u32 {
        if self.next == LENGTH {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn refill(&mut self) {
        for i in 0..LENGTH {
            let high = self.state[i] & 0x8000_0000;
            let low = self.state[(i + 1) % LENGTH] & 0x7fff_ffff;
            let joined = high | low;
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % LENGTH] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// The next number of `random.random()`: 53 bits from two words, in [0, 1).
    pub fn draw(&mut self) -> f64 {
        let high = f64::from(self.next_u32() >> 5);
        let low = f64::from(self.next_u32() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::Mt19937;

    /// The first numbers that `CPython` prints for these seeds.
    #[test]
    fn draws_what_cpython_draws() {
        for (seed, expected) in [
            (11, [0.452_379_553_509_818_6, 0.559_772_386_080_496, 0.924_210_584_023_729_4]),
            (2026, [0.119_119_884_963_963_09, 0.502_515_755_231_250_6, 0.511_822_712_773_071]),
        ] {
            let mut source = Mt19937::cpython(seed);
            for value in expected {
                assert_eq!(source.draw(), value, "seed {seed}");
            }
        }
    }
}
