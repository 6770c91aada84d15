//! Libraries of Python and JavaScript.

use super::{CAPPED_LAST, DOUBLING, FULL, Preset, WRAPPER, ms, secs};
use crate::policy::backoff::{Backoff, Family, First, Jitter, Round};
use crate::policy::failure::{RetryOn, StatusSet};
use crate::policy::hint::{Effect, HintRule, Otherwise, Scope};
use crate::policy::limit::{Limits, TimeRule};
use crate::policy::request::{MethodSet, Repeatable};
use crate::policy::retry::RetryPolicy;
use crate::policy::retry_after::Format;

/// The statuses at which some clients read Retry-After and others do not.
const ASKING: Scope = Scope::TOO_LARGE.and(Scope::TOO_MANY).and(Scope::UNAVAILABLE);

/// Idempotent methods; a key makes no difference.
const BY_METHOD: Repeatable = Repeatable { with_key: MethodSet::NONE, ..Repeatable::IDEMPOTENT };

/// Retry-After as JavaScript reads numbers.
const SCRIPT: Format = Format { fractions: true, ..Format::HTTP };

pub(super) const PRESETS: &[Preset] = &[
    Preset::new(
        "urllib3",
        RetryPolicy {
            max_attempts: Some(11),
            backoff: Backoff { first: First::Zero, cap: secs(120), ..CAPPED_LAST },
            // No status is retried by itself; these are if they say when.
            retry_on: RetryOn {
                statuses: StatusSet::of(&[413, 429, 503]),
                throttled: false,
                timeout: true,
                connection: true,
            },
            repeatable: BY_METHOD,
            hint: HintRule {
                read_at: ASKING,
                needed_at: ASKING,
                longest: secs(21_600),
                zero: Otherwise::Ignore,
                unreadable: Otherwise::Stop,
                negative: Otherwise::Stop,
                ..HintRule::new(Effect::Replace)
            },
            ..WRAPPER
        },
        "urllib3 2.8.0 urllib3/util/retry.py",
    ),
    Preset::new(
        "tenacity-random-exponential",
        RetryPolicy { backoff: Backoff { base: secs(1), ..FULL }, ..WRAPPER },
        "tenacity 9.2.1 tenacity/wait.py",
    ),
    Preset::new(
        "stamina",
        RetryPolicy {
            max_attempts: Some(10),
            backoff: Backoff {
                base: ms(100),
                cap: secs(5),
                jitter: Jitter::plus(secs(1)),
                ..CAPPED_LAST
            },
            limits: Limits { own: secs(45), own_rule: TimeRule::Elapsed, ..Limits::USUAL },
            ..WRAPPER
        },
        "stamina 26.1.0 stamina/_core.py",
    ),
    Preset::new(
        "celery",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { family: Family::Constant, base: secs(180), ..DOUBLING },
            ..WRAPPER
        },
        "celery 5.7.0 celery/app/task.py",
    ),
    Preset::new(
        "celery-backoff",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff { base: secs(1), cap: secs(600), round: Round::WholeSeconds, ..FULL },
            ..WRAPPER
        },
        "celery 5.7.0 celery/app/autoretry.py, celery/utils/time.py",
    ),
    Preset::new(
        "pymongo-overload",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { base: ms(100), cap: secs(10), first_exponent: 1, ..FULL },
            retry_on: RetryOn { throttled: true, ..RetryOn::statuses(&[]) },
            hint: HintRule { format: Format::MILLIS, ..HintRule::new(Effect::Base) },
            limits: Limits { deadline: TimeRule::NotLonger, ..Limits::USUAL },
            ..WRAPPER
        },
        "pymongo 4.20.1 pymongo/helpers_shared.py",
    ),
    Preset::new(
        "axios-retry",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff::NONE,
            retry_on: AXIOS,
            repeatable: BY_METHOD,
            hint: HintRule { format: SCRIPT, ..HintRule::new(Effect::Floor) },
            limits: Limits { deadline: TimeRule::CutOff, ..Limits::USUAL },
        },
        "axios-retry 4.5.0",
    ),
    Preset::new(
        "axios-retry-exponential",
        RetryPolicy {
            max_attempts: Some(4),
            backoff: Backoff {
                base: ms(100),
                first_exponent: 1,
                jitter: Jitter::added(0.2),
                ..DOUBLING
            },
            retry_on: AXIOS,
            repeatable: BY_METHOD,
            hint: HintRule { format: SCRIPT, ..HintRule::new(Effect::FloorBeforeJitter) },
            limits: Limits { deadline: TimeRule::CutOff, ..Limits::USUAL },
        },
        "axios-retry 4.5.0 (exponentialDelay)",
    ),
    Preset::new(
        "node-retry",
        RetryPolicy {
            max_attempts: Some(11),
            backoff: Backoff { base: secs(1), round: Round::NearestMillis, ..CAPPED_LAST },
            ..WRAPPER
        },
        "retry 0.13.1 lib/retry.js; p-retry 7.1.1",
    ),
    Preset::new(
        "node-retry-randomize",
        RetryPolicy {
            max_attempts: Some(11),
            backoff: Backoff {
                family: Family::Sorted { retries: 10 },
                base: secs(1),
                jitter: Jitter::multiplied(2.0),
                round: Round::NearestMillis,
                ..CAPPED_LAST
            },
            ..WRAPPER
        },
        "retry 0.13.1 lib/retry.js (randomize)",
    ),
    Preset::new(
        "got",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { base: secs(1), jitter: Jitter::plus(ms(100)), ..DOUBLING },
            retry_on: RetryOn {
                statuses: StatusSet::of(&[408, 413, 429, 500, 502, 503, 504, 521, 522, 524]),
                ..RetryOn::USUAL
            },
            repeatable: BY_METHOD,
            hint: HintRule {
                format: SCRIPT,
                needed_at: Scope::TOO_LARGE,
                too_long: Otherwise::Stop,
                ..HintRule::new(Effect::Replace)
            },
            ..WRAPPER
        },
        "got 14.6.6",
    ),
    Preset::new(
        "ky",
        RetryPolicy {
            max_attempts: Some(3),
            backoff: Backoff { base: ms(300), ..DOUBLING },
            retry_on: RetryOn {
                statuses: StatusSet::of(&[408, 413, 429, 500, 502, 503, 504]),
                timeout: false,
                ..RetryOn::USUAL
            },
            repeatable: BY_METHOD,
            hint: HintRule { format: SCRIPT, read_at: ASKING, ..HintRule::new(Effect::Replace) },
            ..WRAPPER
        },
        "ky 1.14.3",
    )
    .timeouts(Some(secs(10)), None),
    Preset::new(
        "cockatiel",
        RetryPolicy {
            backoff: Backoff {
                family: Family::PollyV2,
                base: ms(128),
                cap: secs(30),
                ..CAPPED_LAST
            },
            ..WRAPPER
        },
        "cockatiel 3.2.1",
    ),
];

/// Network errors and server errors; not an attempt that ran into its timeout.
const AXIOS: RetryOn = RetryOn {
    statuses: StatusSet::of(&[429]).with_range(500, 599),
    throttled: false,
    timeout: false,
    connection: true,
};
