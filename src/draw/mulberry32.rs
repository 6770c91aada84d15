//! The mulberry32 generator, for schedules that were published with it.

/// 32 bits of state, 32 bits a draw (Tommy Ettinger 2017).
#[derive(Clone, Copy, Debug)]
pub struct Mulberry32 {
    state: u32,
}

impl Mulberry32 {
    /// The generator that starts from `seed`.
    pub const fn new(seed: u32) -> Self {
        Self { state: seed }
    }

    fn next_u32(&mut self) -> u32 {
        self.state = self.state.wrapping_add(0x6d2b_79f5);
        let a = self.state;
        let b = (a ^ (a >> 15)).wrapping_mul(a | 1);
        let c = b ^ b.wrapping_add((b ^ (b >> 7)).wrapping_mul(b | 0x3d));
        c ^ (c >> 14)
    }

    /// The next number in [0, 1).
    pub fn draw(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::Mulberry32;

    #[test]
    fn first_words_of_seed_11() {
        let mut source = Mulberry32::new(11);
        let words: Vec<u32> = (0..5).map(|_| source.next_u32()).collect();
        assert_eq!(
            words,
            [2_197_249_643, 2_276_102_492, 2_611_849_345, 2_534_707_746, 3_654_058_086]
        );
    }
}
