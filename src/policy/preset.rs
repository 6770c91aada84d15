//! The policies of real libraries, by name.
//!
//! Each preset is the waits and the rules that a library ships, with the place
//! that says so. Every one is replayed against numbers that its library's own
//! tests, or a run of its published package, give (tests/vectors). Budgets and
//! breakers are not here; a preset says which of them its library has.

mod aws;
mod go;
mod jvm;
mod rpc;
mod rust;
mod script;

use super::backoff::{Backoff, Clamp, Family, Jitter};
use super::failure::RetryOn;
use super::hint::HintRule;
use super::request::Repeatable;
use super::retry::RetryPolicy;
use crate::time::Duration;

/// A policy that a library ships.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// The policy.
    pub policy: RetryPolicy,
    /// Settings that the library leaves to its user; what stands in `policy` for
    /// them is an example.
    pub needs: &'static [&'static str],
    /// The most attempts that the library makes, whatever is asked for.
    pub most_attempts: Option<u32>,
    /// How many bases the cap is as long as nobody sets it, if it follows them.
    pub cap_in_bases: Option<u64>,
    /// What else limits retries in the library and is not in `policy`: a budget
    /// or a breaker.
    pub lacks: Option<&'static str>,
    /// How long each attempt may take, if the library says.
    pub attempt_timeout: Option<Duration>,
    /// How long a call may take in all, if the library says.
    pub call_timeout: Option<Duration>,
    /// Where it comes from.
    pub source: &'static str,
}

/// All presets, by families of libraries.
pub fn all() -> impl Iterator<Item = &'static Preset> {
    [aws::PRESETS, rpc::PRESETS, rust::PRESETS, go::PRESETS, jvm::PRESETS, script::PRESETS]
        .into_iter()
        .flatten()
}

/// The preset of a name.
pub fn find(name: &str) -> Option<&'static Preset> {
    all().find(|preset| preset.name == name)
}

impl Preset {
    /// A preset that needs and lacks nothing and sets no timeout.
    const fn new(name: &'static str, policy: RetryPolicy, source: &'static str) -> Self {
        Self {
            name,
            policy,
            needs: &[],
            most_attempts: None,
            cap_in_bases: None,
            lacks: None,
            attempt_timeout: None,
            call_timeout: None,
            source,
        }
    }

    const fn needing(mut self, needs: &'static [&'static str]) -> Self {
        self.needs = needs;
        self
    }

    const fn at_most(mut self, attempts: u32) -> Self {
        self.most_attempts = Some(attempts);
        self
    }

    const fn capped_at(mut self, bases: u64) -> Self {
        self.cap_in_bases = Some(bases);
        self
    }

    const fn lacking(mut self, what: &'static str) -> Self {
        self.lacks = Some(what);
        self
    }

    const fn timeouts(mut self, attempt: Option<Duration>, call: Option<Duration>) -> Self {
        self.attempt_timeout = attempt;
        self.call_timeout = call;
        self
    }
}

/// Retries whatever failed and whatever was sent, and does not listen to the
/// server: what most libraries do that wrap any function.
const WRAPPER: RetryPolicy = RetryPolicy {
    max_attempts: None,
    retry_on: RetryOn::EVERYTHING,
    repeatable: Repeatable::ANYTHING,
    hint: HintRule::IGNORE,
    ..RetryPolicy::NEVER
};

/// Doubles from the base to the cap, without jitter.
const DOUBLING: Backoff = Backoff { family: Family::Exponential, ..Backoff::NONE };

/// Uniform below what doubles from the base to the cap.
const FULL: Backoff = Backoff { jitter: Jitter::FULL, ..DOUBLING };

/// Doubles from the base; the cap comes after jitter.
const CAPPED_LAST: Backoff = Backoff { clamp: Clamp::After, ..DOUBLING };

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
