//! Libraries of the Go world, and Temporal's.

use super::{DOUBLING, FULL, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{Backoff, Family, Jitter};
use crate::policy::failure::{RetryOn, StatusSet};
use crate::policy::hint::{Effect, HintRule, Scope};
use crate::policy::limit::{Limits, TimeRule};
use crate::policy::retry::RetryPolicy;

const RETRYABLEHTTP: RetryPolicy = RetryPolicy {
    max_attempts: Some(5),
    backoff: Backoff { base: secs(1), cap: secs(30), ..DOUBLING },
    retry_on: RetryOn {
        statuses: StatusSet::of(&[429]).with_range(500, 599).without(501),
        throttled: false,
        timeout: true,
        connection: true,
    },
    hint: HintRule {
        read_at: Scope::TOO_MANY.and(Scope::UNAVAILABLE),
        ..HintRule::new(Effect::Replace)
    },
    ..WRAPPER
};

const CENKALTI: RetryPolicy = RetryPolicy {
    backoff: Backoff {
        base: ms(500),
        factor: 1.5,
        cap: secs(60),
        jitter: Jitter::symmetric(0.5),
        ..DOUBLING
    },
    limits: Limits { own: secs(15 * 60), own_rule: TimeRule::NotLonger, ..Limits::USUAL },
    ..WRAPPER
};

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "go-retryablehttp",
        RETRYABLEHTTP,
        "hashicorp/go-retryablehttp client.go (DefaultBackoff)",
    ),
    Preset::new(
        "go-retryablehttp-linear",
        RetryPolicy {
            backoff: Backoff {
                family: Family::Linear { step: secs(1) },
                base: secs(1),
                ..DOUBLING
            },
            ..RETRYABLEHTTP
        },
        "hashicorp/go-retryablehttp client.go (LinearJitterBackoff)",
    )
    .needing(&["base", "jitter"]),
    Preset::new(
        "avast-retry-go",
        RetryPolicy {
            max_attempts: Some(10),
            backoff: Backoff { base: ms(100), jitter: Jitter::plus(ms(100)), ..DOUBLING },
            ..WRAPPER
        },
        "avast/retry-go options.go",
    ),
    Preset::new(
        "client-go-workqueue",
        RetryPolicy { backoff: Backoff { base: ms(5), cap: secs(1_000), ..DOUBLING }, ..WRAPPER },
        "kubernetes/client-go util/workqueue/default_rate_limiters.go",
    )
    .lacking("a bucket of 10 retries per second and 100 at once"),
    Preset::new("cenkalti-v4", CENKALTI, "cenkalti/backoff exponential.go @720b789"),
    Preset::new(
        "cenkalti-v5",
        RetryPolicy {
            hint: HintRule { restarts: true, ..HintRule::new(Effect::Replace) },
            ..CENKALTI
        },
        "cenkalti/backoff v5 retry.go",
    ),
    Preset::new(
        "gax-go",
        RetryPolicy {
            backoff: Backoff { base: secs(1), cap: secs(30), ..FULL },
            limits: Limits { deadline: TimeRule::CutOff, ..Limits::USUAL },
            ..WRAPPER
        },
        "googleapis/gax-go v2/call_option.go",
    )
    .needing(&["retry_on"]),
    Preset::new(
        "temporal-default",
        RetryPolicy {
            backoff: Backoff { base: secs(1), cap: secs(100), ..DOUBLING },
            hint: HintRule::new(Effect::Replace),
            ..WRAPPER
        },
        "Temporal documentation, retry policies",
    )
    .capped_at(100),
    Preset::new(
        "temporal-sdk-go-rpc",
        RetryPolicy {
            backoff: Backoff {
                base: secs(1),
                cap: secs(10),
                jitter: Jitter::Scale { low: 0.8, high: 1.0 },
                ..DOUBLING
            },
            limits: Limits { own: secs(60), own_rule: TimeRule::NotLonger, ..Limits::USUAL },
            ..WRAPPER
        },
        "temporalio/sdk-go internal/common/backoff/retrypolicy.go",
    )
    .needing(&["base"]),
];
