//! gRPC, Finagle, and the proxies of a mesh.

use super::{DOUBLING, FULL, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{Backoff, Clamp, Family, First, Jitter, Round};
use crate::policy::failure::{RetryOn, StatusSet};
use crate::policy::hint::{Effect, HintRule, Otherwise};
use crate::policy::limit::{Limits, TimeRule};
use crate::policy::retry::RetryPolicy;
use crate::policy::retry_after::Format;

/// The deadline covers all attempts and cuts off what runs or waits.
const CUT_OFF: Limits = Limits { deadline: TimeRule::CutOff, ..Limits::USUAL };

/// UNAVAILABLE, and the HTTP statuses that gRPC takes for it.
const UNAVAILABLE: RetryOn = RetryOn {
    statuses: StatusSet::of(&[14, 429, 502, 503, 504]),
    throttled: false,
    timeout: false,
    connection: true,
};

const GRPC: RetryPolicy = RetryPolicy {
    max_attempts: Some(4),
    backoff: Backoff { base: ms(100), cap: secs(1), jitter: Jitter::symmetric(0.2), ..DOUBLING },
    retry_on: UNAVAILABLE,
    hint: HintRule {
        format: Format::PUSHBACK,
        negative: Otherwise::Stop,
        unreadable: Otherwise::Stop,
        restarts: true,
        ..HintRule::new(Effect::Replace)
    },
    limits: CUT_OFF,
    ..WRAPPER
};

const GRPC_NEEDS: &[&str] = &["max_attempts", "base", "factor", "cap", "retry_on"];

const ENVOY: RetryPolicy = RetryPolicy {
    max_attempts: Some(2),
    backoff: Backoff {
        family: Family::Doubling,
        base: ms(25),
        cap: ms(250),
        jitter: Jitter::FULL,
        round: Round::FloorMillis,
        ..DOUBLING
    },
    retry_on: RetryOn {
        statuses: StatusSet::EMPTY.with_range(500, 599),
        throttled: false,
        timeout: true,
        connection: true,
    },
    limits: CUT_OFF,
    ..WRAPPER
};

const fn finagle(family: Family) -> RetryPolicy {
    RetryPolicy {
        max_attempts: Some(3),
        backoff: Backoff { family, base: ms(5), cap: ms(200), ..DOUBLING },
        ..WRAPPER
    }
}

const ENVOY_LIMIT: &str = "a limit of 3 retries at a time in a cluster";

const BACKOFF_SCALA: &str =
    "twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/Backoff.scala";

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "grpc-a6",
        GRPC,
        "grpc/proposal A6-client-retries.md since 2024-08-29; grpc/grpc-go stream.go",
    )
    .needing(GRPC_NEEDS)
    .at_most(5),
    Preset::new(
        "grpc-a6-old",
        RetryPolicy { backoff: Backoff { base: ms(100), cap: secs(1), ..FULL }, ..GRPC },
        "grpc/proposal A6-client-retries.md before 2024-08-29",
    )
    .needing(GRPC_NEEDS)
    .at_most(5),
    Preset::new(
        "grpc-connect-backoff",
        RetryPolicy {
            backoff: Backoff {
                base: secs(1),
                cap: secs(120),
                factor: 1.6,
                jitter: Jitter::symmetric(0.2),
                first: First::Plain,
                ..DOUBLING
            },
            retry_on: RetryOn { timeout: true, connection: true, ..RetryOn::statuses(&[]) },
            ..WRAPPER
        },
        "grpc/grpc-go backoff/backoff.go, internal/backoff/backoff.go",
    )
    .timeouts(Some(secs(20)), None),
    Preset::new(
        "envoy-default",
        ENVOY,
        "envoyproxy/envoy source/common/common/backoff_strategy.cc, \
         source/common/router/retry_state_impl.cc",
    )
    .needing(&["retry_on"])
    .capped_at(10)
    .lacking(ENVOY_LIMIT)
    .timeouts(None, Some(secs(15))),
    Preset::new(
        "envoy-rate-limited",
        RetryPolicy {
            hint: HintRule {
                longest: secs(300),
                too_long: Otherwise::Ignore,
                zero: Otherwise::Ignore,
                format: Format::SECONDS,
                ..HintRule::new(Effect::Spread)
            },
            ..ENVOY
        },
        "envoyproxy/envoy source/common/router/retry_state_impl.cc (rate_limited_retry_back_off)",
    )
    .needing(&["retry_on"])
    .capped_at(10)
    .lacking(ENVOY_LIMIT)
    .timeouts(None, Some(secs(15))),
    Preset::new(
        "linkerd-route",
        RetryPolicy {
            max_attempts: Some(2),
            backoff: Backoff {
                base: ms(25),
                cap: ms(250),
                jitter: Jitter::added(1.0),
                clamp: Clamp::Both,
                ..DOUBLING
            },
            limits: Limits { last_attempt_untimed: true, ..CUT_OFF },
            ..ENVOY
        },
        "linkerd/linkerd2-proxy linkerd/http/retry/src/lib.rs, linkerd/exp-backoff/src/lib.rs",
    )
    .needing(&["retry_on", "timeout"]),
    Preset::new("finagle-tries", finagle(Family::FinagleDecorrelated), BACKOFF_SCALA)
        .needing(&["max_attempts", "retry_on"])
        .lacking("a retry budget of 20 % and 10 retries per second"),
    Preset::new("finagle-exponential-jittered", finagle(Family::FinagleExponential), BACKOFF_SCALA)
        .needing(&["max_attempts", "base", "cap", "retry_on"]),
    Preset::new("finagle-equal-jittered", finagle(Family::FinagleEqual), BACKOFF_SCALA).needing(&[
        "max_attempts",
        "base",
        "cap",
        "retry_on",
    ]),
];
