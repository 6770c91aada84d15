//! What is explained: a policy by its name, with what is changed of it.

use std::fmt;

use crate::policy::backoff::{Clamp, Round};
use crate::policy::preset::{self, Preset};
use crate::policy::schedule::Timing;
use crate::policy::{Backoff, Family, Jitter, RetryPolicy, Strategy};
use crate::scenario::nearest;
use crate::time::Duration;

/// The plain strategies, by name.
pub const STRATEGIES: [(&str, Strategy); 7] = [
    ("none", Strategy::None),
    ("constant", Strategy::Constant),
    ("linear", Strategy::Linear),
    ("exponential", Strategy::Exponential),
    ("full-jitter", Strategy::FullJitter),
    ("equal-jitter", Strategy::EqualJitter),
    ("decorrelated-jitter", Strategy::DecorrelatedJitter),
];

/// What is changed of a policy, and what its calls meet. Where a setting may be
/// without limit, the inner `None` says so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Where the waits start.
    pub base: Option<Duration>,
    /// Their limit.
    pub cap: Option<Option<Duration>>,
    /// Their growth.
    pub factor: Option<f64>,
    /// All attempts of a call.
    pub max_attempts: Option<Option<u32>>,
    /// What chance does.
    pub jitter: Option<Jitter>,
    /// When the cap applies.
    pub clamp: Option<Clamp>,
    /// The grid of the timer.
    pub round: Option<Round>,
    /// How long an attempt may take.
    pub timeout: Option<Option<Duration>>,
    /// How long a call may take.
    pub deadline: Option<Option<Duration>>,
    /// Whether the failures say "slow down".
    pub throttled: bool,
}

/// A policy under its name, ready to be explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// The policy.
    pub policy: RetryPolicy,
    /// The time of its calls.
    pub timing: Timing,
    /// Where a preset comes from.
    pub source: Option<&'static str>,
    /// Settings that the library leaves to its user and that were not given:
    /// what stands for them is an example.
    pub examples: Vec<&'static str>,
    /// The attempts that were asked for, if the library makes fewer.
    pub clamped_from: Option<Option<u32>>,
}

/// Why there is no such subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectError {
    /// No policy has the name.
    Unknown {
        /// The name.
        name: String,
        /// The most similar name that there is.
        nearest: Option<&'static str>,
    },
    /// A strategy that waits needs to know how long.
    NeedsBase {
        /// The strategy.
        name: &'static str,
    },
    /// The policy has nothing that the setting would change.
    Useless {
        /// The policy.
        name: &'static str,
        /// The setting.
        setting: &'static str,
        /// Why.
        why: &'static str,
    },
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, .. } => write!(f, "no policy is called `{name}`"),
            Self::NeedsBase { name } => write!(f, "`{name}` needs a base"),
            Self::Useless { name, setting, .. } => write!(f, "`{name}` has no use for `{setting}`"),
        }
    }
}

impl std::error::Error for SubjectError {}

impl SubjectError {
    /// What to do.
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { nearest: Some(near), .. } => {
                format!("a policy with a similar name exists: `{near}`")
            }
            Self::Unknown { .. } => {
                let names: Vec<_> = STRATEGIES.iter().map(|(name, _)| *name).collect();
                format!("there are the presets of docs/policies.md, and {}", names.join(", "))
            }
            Self::NeedsBase { .. } => "for example --base 100ms".to_owned(),
            Self::Useless { why, .. } => (*why).to_owned(),
        }
    }
}

/// All names of policies.
pub fn names() -> impl Iterator<Item = &'static str> {
    preset::all().map(|preset| preset.name).chain(STRATEGIES.iter().map(|(name, _)| *name))
}

impl Subject {
    /// The policy of a name, with what is changed of it.
    ///
    /// # Errors
    /// If there is none, or a setting makes no sense with it.
    pub fn new(name: &str, settings: &Settings) -> Result<Self, SubjectError> {
        if let Some(preset) = preset::find(name) {
            return Self::of_preset(preset, settings);
        }
        if let Some(&(name, strategy)) = STRATEGIES.iter().find(|(known, _)| *known == name) {
            return Self::of_strategy(name, strategy, settings);
        }
        let nearest = nearest(name, names());
        Err(SubjectError::Unknown { name: name.to_owned(), nearest })
    }

    /// A preset, with what is changed of it.
    ///
    /// # Errors
    /// If a setting makes no sense with it.
    pub fn of_preset(preset: &Preset, settings: &Settings) -> Result<Self, SubjectError> {
        let timing = Timing { timeout: preset.attempt_timeout, deadline: preset.call_timeout };
        let mut subject = Self {
            name: preset.name,
            policy: preset.policy.clone(),
            timing,
            source: Some(preset.source),
            examples: preset.needs.to_vec(),
            clamped_from: None,
        };
        let backoff = &mut subject.policy.backoff;
        if let (Some(base), None, Some(times)) = (settings.base, settings.cap, preset.cap_in_bases)
        {
            backoff.cap = Duration::from_nanos(base.as_nanos().saturating_mul(times));
        }
        subject.change(settings)?;
        let given: &[(&str, bool)] = &[
            ("base", settings.base.is_some()),
            ("cap", settings.cap.is_some()),
            ("factor", settings.factor.is_some()),
            ("jitter", settings.jitter.is_some()),
            ("max_attempts", settings.max_attempts.is_some()),
            ("timeout", settings.timeout.is_some()),
        ];
        subject.examples.retain(|need| !given.contains(&(need, true)));
        subject.clamp_attempts(preset.most_attempts);
        Ok(subject)
    }

    fn of_strategy(
        name: &'static str,
        strategy: Strategy,
        settings: &Settings,
    ) -> Result<Self, SubjectError> {
        let needs_base = strategy != Strategy::None;
        let base = settings.base.or((!needs_base).then_some(Duration::ZERO));
        let base = base.ok_or(SubjectError::NeedsBase { name })?;
        let backoff = Backoff::new(strategy, base, Duration::MAX);
        let mut subject = Self {
            name,
            policy: RetryPolicy { max_attempts: None, backoff, ..RetryPolicy::NEVER },
            timing: Timing::default(),
            source: None,
            examples: Vec::new(),
            clamped_from: None,
        };
        subject.change(settings)?;
        Ok(subject)
    }

    fn change(&mut self, settings: &Settings) -> Result<(), SubjectError> {
        self.refuse_useless(settings)?;
        if let Some(most) = settings.max_attempts {
            self.policy.max_attempts = most;
        }
        let backoff = &mut self.policy.backoff;
        if let (Family::Sorted { retries }, Some(Some(most))) =
            (&mut backoff.family, settings.max_attempts)
        {
            *retries = most - 1;
        }
        if let Some(base) = settings.base {
            // What grows by its base goes on to do so.
            if let Family::Linear { step } = &mut backoff.family
                && *step == backoff.base
            {
                *step = base;
            }
            backoff.base = base;
        } else if settings.throttled {
            backoff.base = backoff.throttled_base.unwrap_or(backoff.base);
        }
        backoff.cap = settings.cap.map_or(backoff.cap, |cap| cap.unwrap_or(Duration::MAX));
        backoff.factor = settings.factor.unwrap_or(backoff.factor);
        backoff.jitter = settings.jitter.unwrap_or(backoff.jitter);
        backoff.clamp = settings.clamp.unwrap_or(backoff.clamp);
        backoff.round = settings.round.unwrap_or(backoff.round);
        self.timing.timeout = settings.timeout.unwrap_or(self.timing.timeout);
        self.timing.deadline = settings.deadline.unwrap_or(self.timing.deadline);
        Ok(())
    }

    /// Refuses settings that would change nothing, so that nobody takes what is
    /// shown for their effect.
    fn refuse_useless(&self, settings: &Settings) -> Result<(), SubjectError> {
        let backoff = &self.policy.backoff;
        let refuse = |setting, why| Err(SubjectError::Useless { name: self.name, setting, why });
        if !backoff.waits() {
            let at_once = "it retries at once";
            for (setting, given) in [
                ("base", settings.base.is_some()),
                ("cap", settings.cap.is_some()),
                ("factor", settings.factor.is_some()),
                ("jitter", settings.jitter.is_some()),
            ] {
                if given {
                    return refuse(setting, at_once);
                }
            }
        }
        let grows = !matches!(
            backoff.family,
            Family::Constant
                | Family::Linear { .. }
                | Family::Table(_)
                | Family::Random(_)
                | Family::Doubling
                | Family::Decorrelated
                | Family::FinagleDecorrelated
                | Family::FinagleExponential
                | Family::FinagleEqual
        );
        if settings.factor.is_some() && !grows {
            return refuse("factor", "its waits do not grow by a factor");
        }
        let own_chance = matches!(
            backoff.family,
            Family::Random(_)
                | Family::Decorrelated
                | Family::FinagleDecorrelated
                | Family::FinagleExponential
                | Family::FinagleEqual
                | Family::PollyV2
        );
        if settings.jitter.is_some() && own_chance {
            return refuse("jitter", "its waits are random in a way of their own");
        }
        if settings.throttled && backoff.throttled_base.is_none() {
            return refuse("throttled", "its waits are the same after every failure");
        }
        Ok(())
    }

    fn clamp_attempts(&mut self, most: Option<u32>) {
        let asked = self.policy.max_attempts;
        if most.is_some_and(|most| asked.is_none_or(|asked| asked > most)) {
            self.clamped_from = Some(asked);
            self.policy.max_attempts = most;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str, settings: Settings) -> Result<Subject, SubjectError> {
        Subject::new(name, &settings)
    }

    fn based(seconds: u64) -> Settings {
        Settings { base: Some(Duration::from_secs(seconds)), ..Settings::default() }
    }

    #[test]
    fn what_is_changed_is_no_example_any_more() {
        let grpc = subject("grpc-a6", based(1)).expect("it is a preset");
        assert_eq!(grpc.policy.backoff.base, Duration::from_secs(1));
        assert_eq!(grpc.examples, ["max_attempts", "factor", "cap", "retry_on"]);
        assert!(subject("ky", Settings::default()).is_ok_and(|ky| ky.examples.is_empty()));
    }

    #[test]
    fn grpc_makes_five_attempts_at_most() {
        let asked = |most| Settings { max_attempts: Some(most), ..Settings::default() };
        for (most, made, clamped) in [
            (Some(3), Some(3), None),
            (Some(5), Some(5), None),
            (Some(10), Some(5), Some(Some(10))),
            (None, Some(5), Some(None)),
        ] {
            let grpc = subject("grpc-a6", asked(most)).expect("it is a preset");
            assert_eq!((grpc.policy.max_attempts, grpc.clamped_from), (made, clamped));
        }
        let envoy = subject("envoy-default", asked(Some(100))).expect("it is a preset");
        assert_eq!((envoy.policy.max_attempts, envoy.clamped_from), (Some(100), None));
    }

    #[test]
    fn a_cap_may_follow_the_base() {
        let cap = |name, settings| subject(name, settings).expect("it is one").policy.backoff.cap;
        assert_eq!(cap("envoy-default", based(1)), Duration::from_secs(10));
        assert_eq!(cap("temporal-default", based(2)), Duration::from_secs(200));
        let both = Settings { cap: Some(Some(Duration::from_secs(3))), ..based(1) };
        assert_eq!(cap("envoy-default", both), Duration::from_secs(3));
        assert_eq!(cap("ky", based(1)), Duration::MAX);
        let none = Settings { cap: Some(None), ..Settings::default() };
        assert_eq!(cap("stamina", none), Duration::MAX);
    }

    #[test]
    fn a_step_that_is_the_base_stays_so() {
        for name in ["linear", "go-retryablehttp-linear"] {
            let linear = subject(name, based(3)).expect("it is one").policy.backoff;
            assert_eq!(linear.family, Family::Linear { step: Duration::from_secs(3) });
        }
    }

    #[test]
    fn a_preset_brings_its_timeouts() {
        let timing = |settings| subject("kafka-client", settings).expect("it is one").timing;
        let (timeout, deadline) = (Some(Duration::from_secs(30)), Some(Duration::from_secs(120)));
        assert_eq!(timing(Settings::default()), Timing { timeout, deadline });
        let free = Settings { timeout: Some(None), ..Settings::default() };
        assert_eq!(timing(free), Timing { timeout: None, deadline });
    }

    #[test]
    fn after_slow_down_some_wait_longer() {
        let throttled = Settings { throttled: true, ..Settings::default() };
        let aws = subject("aws-standard-2.1", throttled).expect("it is a preset");
        assert_eq!(aws.policy.backoff.base, Duration::from_secs(1));
        assert!(subject("ky", throttled).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let error = subject("grpc-a7", Settings::default()).expect_err("there is none");
        assert_eq!(error.to_string(), "no policy is called `grpc-a7`");
        assert_eq!(error.help(), "a policy with a similar name exists: `grpc-a6`");
        let error = subject("zzzzz", Settings::default()).expect_err("there is none");
        assert!(error.help().contains("full-jitter"), "{}", error.help());
        let error = subject("full-jitter", Settings::default()).expect_err("it has no base");
        assert_eq!(error, SubjectError::NeedsBase { name: "full-jitter" });
        let jitter = Settings { jitter: Some(Jitter::FULL), ..based(1) };
        let factor = Settings { factor: Some(2.0), ..based(1) };
        for (name, settings, useless) in [
            ("axios-retry", based(1), "base"),
            ("none", jitter, "base"),
            ("decorrelated-jitter", jitter, "jitter"),
            ("cockatiel", jitter, "jitter"),
            ("constant", factor, "factor"),
            ("envoy-default", factor, "factor"),
        ] {
            let error = subject(name, settings).expect_err("it is useless");
            assert_eq!(error.to_string(), format!("`{name}` has no use for `{useless}`"));
        }
        assert!(subject("constant", jitter).is_ok());
    }

    #[test]
    fn every_name_is_a_policy() {
        let waits = |name: &str| STRATEGIES[1..].iter().any(|(known, _)| *known == name);
        let settings = |name| if waits(name) { based(1) } else { Settings::default() };
        for name in names() {
            assert!(subject(name, settings(name)).is_ok(), "{name}");
        }
    }
}
