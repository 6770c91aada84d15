//! Libraries of the JVM and of .NET.

use super::{CAPPED_LAST, DOUBLING, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{AtCap, Backoff, Clamp, Family, Jitter, Round};
use crate::policy::failure::{RetryOn, StatusSet};
use crate::policy::hint::{Effect, HintRule};
use crate::policy::limit::{Limits, TimeRule};
use crate::policy::retry::RetryPolicy;

const SPRING: Backoff = Backoff {
    family: Family::WholeExponential,
    base: ms(100),
    cap: secs(30),
    clamp: Clamp::Both,
    round: Round::FloorMillis,
    ..DOUBLING
};

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "google-http-java",
        RetryPolicy {
            backoff: Backoff {
                family: Family::WholeExponential,
                base: ms(500),
                factor: 1.5,
                cap: secs(60),
                jitter: Jitter::symmetric(0.5),
                round: Round::WholeMillis,
                ..DOUBLING
            },
            limits: Limits { own: secs(15 * 60), own_rule: TimeRule::Elapsed, ..Limits::USUAL },
            retry_on: RetryOn { statuses: StatusSet::EMPTY.with_range(500, 599), ..RetryOn::USUAL },
            ..WRAPPER
        },
        "googleapis/google-http-java-client \
         google-http-client/src/main/java/com/google/api/client/util/ExponentialBackOff.java",
    ),
    Preset::new(
        "resilience4j-retry",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { family: Family::Constant, base: ms(500), ..DOUBLING },
            ..WRAPPER
        },
        "resilience4j/resilience4j RetryConfig.java",
    ),
    Preset::new(
        "resilience4j-exp-random",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff {
                family: Family::WholeExponential,
                base: ms(500),
                factor: 1.5,
                jitter: Jitter::symmetric(0.5),
                round: Round::WholeMillis,
                ..CAPPED_LAST
            },
            ..WRAPPER
        },
        "resilience4j/resilience4j core/IntervalFunction.java",
    ),
    Preset::new(
        "spring-retry-exp",
        RetryPolicy { max_attempts: Some(3), backoff: SPRING, ..WRAPPER },
        "spring-projects/spring-retry backoff/ExponentialBackOffPolicy.java",
    ),
    Preset::new(
        "spring-retry-exp-random",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { jitter: Jitter::multiplied(2.0), ..SPRING },
            ..WRAPPER
        },
        "spring-projects/spring-retry backoff/ExponentialRandomBackOffPolicy.java",
    ),
    Preset::new(
        "failsafe-backoff",
        RetryPolicy {
            max_attempts: Some(3),
            // Failsafe subtracts its draw: the longest wait is at u = 0.
            backoff: Backoff {
                base: secs(1),
                jitter: Jitter::Scale { low: 1.25, high: 0.75 },
                ..DOUBLING
            },
            limits: Limits { deadline: TimeRule::Clip, own_rule: TimeRule::Clip, ..Limits::USUAL },
            ..WRAPPER
        },
        "failsafe-lib/failsafe internal/RetryPolicyExecutor.java, internal/util/RandomDelay.java",
    )
    .needing(&["base", "cap", "jitter"]),
    Preset::new(
        "kafka-client",
        RetryPolicy {
            backoff: Backoff {
                base: ms(100),
                cap: secs(1),
                jitter: Jitter::symmetric(0.2),
                clamp: Clamp::Both,
                at_cap: AtCap::PlainFromBase,
                round: Round::FloorMillis,
                ..DOUBLING
            },
            ..WRAPPER
        },
        "apache/kafka clients/src/main/java/org/apache/kafka/common/utils/ExponentialBackoff.java",
    )
    .timeouts(Some(secs(30)), Some(secs(120))),
    Preset::new(
        "polly-default",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { family: Family::Constant, base: secs(2), ..CAPPED_LAST },
            hint: HintRule::new(Effect::Replace),
            ..WRAPPER
        },
        "App-vNext/Polly src/Polly.Core/Retry/RetryConstants.cs, RetryHelper.cs",
    ),
    Preset::new(
        "dotnet-standard-resilience",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { family: Family::PollyV2, base: secs(2), ..CAPPED_LAST },
            retry_on: RetryOn {
                statuses: StatusSet::of(&[408, 429]).with_range(500, 599),
                ..RetryOn::USUAL
            },
            hint: HintRule::new(Effect::Replace),
            limits: Limits { deadline: TimeRule::CutOff, ..Limits::USUAL },
            ..WRAPPER
        },
        "dotnet/extensions Microsoft.Extensions.Http.Resilience; App-vNext/Polly RetryHelper.cs",
    )
    .lacking("a circuit breaker and a limit of 1,000 requests at a time")
    .timeouts(Some(secs(10)), Some(secs(30))),
];
