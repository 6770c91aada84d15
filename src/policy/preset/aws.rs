//! AWS: the SDKs of both generations, and the three algorithms of its blog.

use super::{DOUBLING, FULL, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{AtCap, Backoff, Family, Jitter};
use crate::policy::failure::{RetryOn, StatusSet};
use crate::policy::hint::{Effect, HintRule, Otherwise};
use crate::policy::retry::RetryPolicy;
use crate::policy::retry_after::Format;

/// Server errors, and whatever says "slow down" in a code of its own.
const TRANSIENT: RetryOn = RetryOn {
    statuses: StatusSet::of(&[500, 502, 503, 504]),
    throttled: true,
    timeout: true,
    connection: true,
};

const LEGACY: RetryPolicy = RetryPolicy {
    max_attempts: Some(5),
    backoff: Backoff { base: secs(1), ..FULL },
    retry_on: RetryOn { statuses: StatusSet::of(&[429, 500, 502, 503, 504, 509]), ..TRANSIENT },
    ..WRAPPER
};

const STANDARD_2_0: RetryPolicy = RetryPolicy {
    max_attempts: Some(3),
    backoff: Backoff { base: secs(1), cap: secs(20), ..FULL },
    retry_on: TRANSIENT,
    hint: HintRule {
        longest: secs(20),
        too_long: Otherwise::Take,
        format: Format::SECONDS,
        ..HintRule::new(Effect::Replace)
    },
    ..WRAPPER
};

const STANDARD_2_1: RetryPolicy = RetryPolicy {
    backoff: Backoff { base: ms(50), throttled_base: Some(secs(1)), cap: secs(20), ..FULL },
    retry_on: RetryOn { statuses: StatusSet::of(&[429, 500, 502, 503, 504]), ..TRANSIENT },
    hint: HintRule { format: Format::MILLIS, ..HintRule::new(Effect::Clamp { above: secs(5) }) },
    ..STANDARD_2_0
};

/// The blog's simulator raises the factor to the number of the retry, not to
/// one less: its first ceiling is twice the base.
const BLOG: Backoff = Backoff { base: ms(100), cap: secs(10), first_exponent: 1, ..DOUBLING };

const QUOTA: &str = "a retry quota of 500 tokens in each client";

const SIMULATOR: &str = "aws-samples/aws-arch-backoff-simulator src/backoff_simulator.py";

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "aws-legacy-python",
        LEGACY,
        "boto/botocore botocore/data/_retry.json, botocore/retryhandler.py",
    )
    .timeouts(Some(secs(60)), None),
    Preset::new(
        "aws-legacy-python-dynamodb",
        RetryPolicy {
            max_attempts: Some(10),
            backoff: Backoff { base: ms(50), ..DOUBLING },
            ..LEGACY
        },
        "boto/botocore botocore/data/_retry.json (dynamodb)",
    )
    .timeouts(Some(secs(60)), None),
    Preset::new(
        "aws-standard-2.0",
        STANDARD_2_0,
        "boto/botocore botocore/retries/standard.py before 1.44; smithy-lang/smithy-rs \
         rust-runtime/aws-smithy-runtime/src/client/retries/strategy/standard.rs",
    )
    .lacking(QUOTA),
    Preset::new(
        "aws-standard-2.1",
        STANDARD_2_1,
        "botocore 1.44.8 botocore/retries/standard.py; aws/aws-sdk-go-v2 \
         aws/retry/retry2026_test.go",
    )
    .lacking(QUOTA),
    Preset::new(
        "aws-standard-2.1-dynamodb",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { base: ms(25), throttled_base: Some(secs(1)), cap: secs(20), ..FULL },
            ..STANDARD_2_1
        },
        "botocore 1.44.8 botocore/retries/standard.py",
    )
    .lacking(QUOTA),
    Preset::new(
        "aws-go-legacy",
        RetryPolicy {
            backoff: Backoff {
                base: secs(1),
                cap: secs(20),
                first_exponent: 1,
                at_cap: AtCap::PlainBeyond,
                ..FULL
            },
            ..STANDARD_2_0
        },
        "aws/aws-sdk-go-v2 aws/retry/jitter_backoff.go",
    )
    .lacking(QUOTA),
    Preset::new(
        "aws-blog-full",
        RetryPolicy { backoff: Backoff { jitter: Jitter::FULL, ..BLOG }, ..WRAPPER },
        SIMULATOR,
    )
    .needing(&["base", "cap"]),
    Preset::new(
        "aws-blog-equal",
        RetryPolicy { backoff: Backoff { jitter: Jitter::EQUAL, ..BLOG }, ..WRAPPER },
        SIMULATOR,
    )
    .needing(&["base", "cap"]),
    Preset::new(
        "aws-blog-decorrelated",
        RetryPolicy { backoff: Backoff { family: Family::Decorrelated, ..BLOG }, ..WRAPPER },
        SIMULATOR,
    )
    .needing(&["base", "cap"]),
];
