//! Crates of the Rust world.

use super::{DOUBLING, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{Backoff, Jitter};
use crate::policy::limit::{Limits, TimeRule};
use crate::policy::retry::RetryPolicy;

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "tower-exponential",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { base: ms(50), jitter: Jitter::added(0.99), ..DOUBLING },
            ..WRAPPER
        },
        "tower-rs/tower tower/src/retry/backoff.rs",
    )
    .needing(&["max_attempts", "cap", "jitter", "retry_on"]),
    Preset::new(
        "backon",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { base: secs(1), cap: secs(60), ..DOUBLING },
            ..WRAPPER
        },
        "Xuanwo/backon backon/src/backoff/exponential.rs",
    ),
    Preset::new(
        "backon-jitter",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff {
                base: secs(1),
                cap: secs(60),
                jitter: Jitter::added(1.0),
                ..DOUBLING
            },
            ..WRAPPER
        },
        "Xuanwo/backon backon/src/backoff/exponential.rs (with_jitter)",
    ),
    Preset::new(
        "backoff-crate",
        RetryPolicy {
            backoff: Backoff {
                base: ms(500),
                factor: 1.5,
                cap: secs(60),
                jitter: Jitter::symmetric(0.5),
                ..DOUBLING
            },
            limits: Limits { own: secs(15 * 60), own_rule: TimeRule::NotLonger, ..Limits::USUAL },
            ..WRAPPER
        },
        "ihrwein/backoff src/default.rs, src/exponential.rs",
    ),
    Preset::new(
        "tokio-retry",
        RetryPolicy { backoff: Backoff { base: ms(10), factor: 10.0, ..DOUBLING }, ..WRAPPER },
        "srijs/rust-tokio-retry src/strategy/exponential_backoff.rs",
    )
    .needing(&["max_attempts", "base"]),
];
