//! Chance, keyed: a draw is a function of what it is for, never of when.
//!
//! A [`Stream`] stands for (seed, replication, purpose, table name), a [`Key`]
//! for a place in a request (its number, then the positions of calls and the
//! numbers of attempts on the way down). One stream and one key give one
//! uniform number. So no draw depends on the order of events or on threads,
//! two variants see the same arrivals and service times (common random
//! numbers), and a new client or variant changes no other draw.
//!
//! The published tables of other programs need their own generators, drawn in
//! their order: [`Mt19937`] and [`Mulberry32`].

mod mt19937;
mod mulberry32;

pub use mt19937::Mt19937;
pub use mulberry32::Mulberry32;

use rand::Rng;
use rand_pcg::Pcg64Dxsm;

/// What a draw decides. The numbers are part of the format of a seed: they may
/// be added to, never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The gap before a request.
    Arrival = 1,
    /// The client process that sends a request.
    Process = 2,
    /// The wait before a retry.
    Wait = 3,
    /// Whether a service fails an attempt.
    Failure = 4,
    /// The service time of an attempt.
    ServiceTime = 5,
    /// The status of a failure, where there are several.
    Status = 6,
    /// The kind of a request.
    Kind = 10,
    /// The pause of a client between two requests.
    Pause = 11,
    /// The instance that an attempt goes to.
    Instance = 12,
    /// The time of an attempt on its way.
    There = 13,
    /// The time of an answer on its way.
    Back = 14,
    /// The timeout of an attempt.
    Timeout = 15,
    /// How long an attempt may wait in a queue.
    QueueTimeout = 16,
    /// Whether a fault fails an attempt.
    Fault = 17,
}

/// All draws of one purpose at one table of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    high: u64,
    low: u64,
    increment: u128,
}

/// A place in a request: which attempt of which call of which request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key(u64);

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64
/// bits in which every input bit moves half of the output bits.
const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The odd number nearest to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Folds `value` into `state`, so that order and place matter.
pub(crate) const fn fold(state: u64, value: u64) -> u64 {
    mix(state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(mix(value.wrapping_add(GOLDEN))))
}

/// A number for a name, the same on every machine.
pub const fn name_hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut state = bytes.len() as u64;
    let mut i = 0;
    while i < bytes.len() {
        state = fold(state, bytes[i] as u64);
        i += 1;
    }
    state
}

/// The uniform number in [0, 1) of the upper 53 of 64 random bits.
pub const fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

impl Stream {
    /// The draws for `purpose` at the table called `name`, of one seed and
    /// replication (0 is the plain run).
    pub const fn new(seed: u64, replication: u64, purpose: Purpose, name: &str) -> Self {
        let root = fold(fold(fold(seed, replication), purpose as u64), name_hash(name));
        Self {
            high: fold(root, 1),
            low: fold(root, 2),
            increment: ((fold(root, 3) as u128) << 64) | fold(root, 4) as u128,
        }
    }

    /// 64 random bits for one place.
    ///
    /// The first output of PCG64 DXSM for a state of which every bit depends on
    /// the key, since a key is mixed already: the generator alone keeps
    /// neighbouring seeds correlated.
    #[inline]
    pub fn bits(&self, key: Key) -> u64 {
        let state = (u128::from(self.high ^ key.0) << 64) | u128::from(self.low ^ key.0);
        Pcg64Dxsm::new(state, self.increment).next_u64()
    }

    /// A uniform number in [0, 1) for one place.
    #[inline]
    pub fn draw(&self, key: Key) -> f64 {
        unit(self.bits(key))
    }

    /// Successive independent uniform numbers in [0, 1) for one place, for what
    /// takes more than one. The first is that of [`Stream::draw`].
    pub fn draws(&self, key: Key) -> impl FnMut() -> f64 + use<'_> {
        let mut taken = 0;
        move || {
            let place = if taken == 0 { key } else { key.further(taken) };
            taken += 1;
            self.draw(place)
        }
    }
}

impl Key {
    /// Request `number` of the client table called by a name with this hash.
    pub const fn request(client: u64, number: u64) -> Self {
        Self(fold(client, number))
    }

    /// The call at a position of what this key stands for. Positions are
    /// hashes of names, so that a new call changes no other.
    #[inline]
    pub const fn call(self, position: u64) -> Self {
        Self(fold(self.0, position))
    }

    /// Attempt `number` (the first is 1) of the call that this key stands for:
    /// that output of SplitMix64 with the key as its seed.
    #[inline]
    pub const fn attempt(self, number: u32) -> Self {
        Self(mix(self.0.wrapping_add(GOLDEN.wrapping_mul(number as u64))))
    }

    /// Where draw `number` of what this key stands for comes from; the draw
    /// that belongs to the key itself is number 0.
    const fn further(self, number: u64) -> Self {
        Self(fold(!self.0, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(seed: u64, name: &str) -> Stream {
        Stream::new(seed, 0, Purpose::Wait, name)
    }

    #[test]
    fn a_draw_is_a_function_of_its_key_alone() {
        let key = Key::request(name_hash("app"), 7).call(1).attempt(2);
        assert_eq!(stream(1, "app").bits(key), stream(1, "app").bits(key));
        assert_ne!(stream(1, "app").bits(key), stream(2, "app").bits(key));
        assert_ne!(stream(1, "app").bits(key), stream(1, "web").bits(key));
        assert_ne!(
            stream(1, "app").bits(key),
            Stream::new(1, 1, Purpose::Wait, "app").bits(key),
            "a replication has draws of its own"
        );
    }

    /// A seed promises the same files for ever, so its bits are written down.
    #[test]
    fn golden_bits() {
        let key = Key::request(name_hash("app"), 7).call(1).attempt(2);
        assert_eq!(stream(2026, "app").bits(key), GOLDEN_BITS);
    }
    const GOLDEN_BITS: u64 = 6_384_606_870_051_151_954;

    #[test]
    fn further_draws_of_one_place_are_its_own() {
        let key = Key::request(name_hash("app"), 7).call(1).attempt(2);
        let stream = stream(2026, "app");
        let mut draws = stream.draws(key);
        assert_eq!(draws(), stream.draw(key));
        let (second, third) = (draws(), draws());
        assert_eq!((second, third), (0.136_523_799_405_273_04, 0.680_479_175_894_782_8));
        assert_ne!(stream.draws(key.attempt(1))(), second, "an attempt draws elsewhere");
        assert_ne!(stream.draws(key.call(1))(), second, "a call draws elsewhere");
    }

    /// Two draws that must have nothing to do with each other, for each number.
    type Pair<'a> = (&'a str, &'a dyn Fn(u32) -> [u64; 2]);

    /// Neighbouring places in one stream, and one place in neighbouring streams.
    fn with_pairs(check: impl Fn(Pair)) {
        let app = name_hash("app");
        let base = Key::request(app, 0);
        let waits = stream(1, "app");
        let attempt = |i| Key::request(app, u64::from(i)).call(1).attempt(1);
        let along = |key: &dyn Fn(u32) -> Key, i| [waits.bits(key(i)), waits.bits(key(i + 1))];
        let beside = |other: Stream, i| [waits.bits(attempt(i)), other.bits(attempt(i))];
        let pairs: [Pair; 9] = [
            ("requests", &|i| along(&|i| Key::request(app, u64::from(i)), i)),
            ("attempts", &|i| along(&|i| base.attempt(i), i)),
            ("further draws", &|i| along(&|i| base.further(u64::from(i)), i)),
            ("calls and attempts", &|i| {
                let call = Key::request(app, u64::from(i));
                [waits.bits(call), waits.bits(call.attempt(1))]
            }),
            ("seeds", &|i| [i, i + 1].map(|seed| stream(u64::from(seed), "app").bits(base))),
            ("streams of two seeds", &|i| beside(stream(2, "app"), i)),
            ("streams of two tables", &|i| beside(stream(1, "web"), i)),
            ("purposes", &|i| beside(Stream::new(1, 0, Purpose::ServiceTime, "app"), i)),
            ("replications", &|i| beside(Stream::new(1, 1, Purpose::Wait, "app"), i)),
        ];
        pairs.into_iter().for_each(check);
    }

    /// For n uniform draws the mean of (u - 1/2)(v - 1/2) over neighbours has
    /// standard deviation 1 / (12 sqrt n); five of them are allowed.
    #[test]
    fn neighbours_are_uncorrelated() {
        let n = 200_000_u32;
        let bound = 5.0 / (12.0 * f64::from(n).sqrt());
        with_pairs(|(what, bits)| {
            let mut sum = 0.0;
            let mut product = 0.0;
            for i in 0..n {
                let [u, v] = bits(i).map(|bits| unit(bits) - 0.5);
                sum += u;
                product += u * v;
            }
            assert!((product / f64::from(n)).abs() < bound, "{what}: correlated");
            // The mean of n uniforms has standard deviation 1 / sqrt(12 n).
            assert!(
                (sum / f64::from(n)).abs() < 5.0 / (12.0 * f64::from(n)).sqrt(),
                "{what}: mean"
            );
        });
    }

    /// Two random bits differ in half of n cases, with standard deviation
    /// sqrt(n) / 2. Among 9 × 4,096 pairs of bits, one beyond six of them would
    /// be a chance of 1 to 10,000.
    #[test]
    fn no_bit_follows_a_bit_of_a_neighbour() {
        let n = 20_000_u32;
        let bound = 6.0 * f64::from(n).sqrt() / 2.0;
        with_pairs(|(what, bits)| {
            let pairs: Vec<_> = (0..n).map(bits).collect();
            for turn in 0..64 {
                let mut differ = [0_u32; 64];
                for [one, other] in &pairs {
                    let bits = one ^ other.rotate_left(turn);
                    for (place, count) in differ.iter_mut().enumerate() {
                        *count += (bits >> place) as u32 & 1;
                    }
                }
                for (place, count) in differ.into_iter().enumerate() {
                    let off = (f64::from(count) - f64::from(n) / 2.0).abs();
                    assert!(off < bound, "{what}: bit {place}, turned by {turn}: {count}");
                }
            }
        });
    }
}
