//! How property tests draw their cases: the same ones in every run, so that a
//! run that passed passes again. `PROPTEST_RNG_SEED` asks for others.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many cases.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let chosen = ProptestConfig::default();
    let rng_seed = match chosen.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..chosen }
}
