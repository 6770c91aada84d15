//! The decision after a failed attempt, with its reason.

use super::backoff::{Backoff, Jitter, Memory, Round, Wait};
use super::budget::Budget;
use super::failure::{Failure, RetryOn};
use super::hint::{Asked, Effect, Hint, HintRule};
use super::limit::Limits;
use super::request::{Repeatable, Request};
use crate::time::Duration;

/// Why a call is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It would fail the same way again.
    NotRetryable,
    /// The server may have acted, and a repeat would act twice.
    NotRepeatable,
    /// All attempts are used.
    AttemptsExhausted,
    /// The server asked for no retry, for a wait that is too long, or for none
    /// where the policy needs one.
    HintForbids,
    /// The wait does not end before the time is over.
    OutOfTime,
    /// The budget has no token for the retry.
    BudgetDenied,
}

impl Reason {
    /// All reasons, in the order in which a policy asks.
    pub const ALL: [Self; 6] = [
        Self::NotRetryable,
        Self::NotRepeatable,
        Self::AttemptsExhausted,
        Self::HintForbids,
        Self::OutOfTime,
        Self::BudgetDenied,
    ];
}

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send another attempt after this wait.
    RetryAfter(Duration),
    /// Report the failure to the caller.
    GiveUp(Reason),
}

/// A decision and what led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What to do.
    pub decision: Decision,
    /// The wait that was weighed; `None` if it did not come to that.
    pub wait: Option<Duration>,
    /// Whether the server asked for that wait, rather than the backoff.
    pub asked_for: bool,
}

/// A failed attempt, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What went wrong.
    pub failure: Failure,
    /// Whether it says "slow down".
    pub throttled: bool,
    /// What was sent.
    pub request: Request,
    /// What the server asked for.
    pub hint: Hint,
    /// The time since the call began.
    pub elapsed: Duration,
    /// The time from the start of the call to its deadline; `Duration::MAX` if
    /// there is none.
    pub allowed: Duration,
}

impl From<Failure> for Failed {
    /// A failed GET without hint and deadline. A status of 429 says "slow down".
    #[inline]
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            throttled: failure == Failure::Status(429),
            request: Request::default(),
            hint: Hint::None,
            elapsed: Duration::ZERO,
            allowed: Duration::MAX,
        }
    }
}

/// What a policy must know of the call so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Attempts sent, the first included.
    pub attempts: u32,
    /// The attempts after which the backoff began anew.
    restarted: u32,
    memory: Memory,
}

impl Progress {
    /// After so many attempts whose waits left no trace.
    pub const fn after(attempts: u32) -> Self {
        Self { attempts, restarted: 0, memory: Memory::EMPTY }
    }

    /// The number of the next retry, counted from where the backoff began.
    const fn step(&self) -> u32 {
        self.attempts.saturating_sub(self.restarted)
    }
}

/// When to retry, and after how long.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    /// All attempts of a call, the first included; `None` is without limit.
    pub max_attempts: Option<u32>,
    /// The waits.
    pub backoff: Backoff,
    /// The failures after which a retry may help.
    pub retry_on: RetryOn,
    /// The requests that may be repeated.
    pub repeatable: Repeatable,
    /// What the server may ask for.
    pub hint: HintRule,
    /// How much time a call may take.
    pub limits: Limits,
}

impl RetryPolicy {
    /// One attempt, no retry. Its other settings are the usual ones, so that a
    /// policy may name what differs and take the rest from here.
    pub const NEVER: Self = Self {
        max_attempts: Some(1),
        backoff: Backoff::NONE,
        retry_on: RetryOn::USUAL,
        repeatable: Repeatable::IDEMPOTENT,
        hint: HintRule::new(Effect::Floor),
        limits: Limits::USUAL,
    };

    /// Decides what follows a failed attempt: would a retry help, is it safe,
    /// is an attempt left, how long to wait, is there time for it, does the
    /// budget allow it. The budget is charged only when everything else said
    /// yes; `draw` gives a number in [0, 1) and is called at most once.
    /// `progress` learns of the wait; counting attempts is the caller's.
    #[inline]
    pub fn decide(
        &self,
        failed: impl Into<Failed>,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
    ) -> Decision {
        self.judge(failed, progress, draw, budget).decision
    }

    /// [`Self::decide`], and what led to the decision.
    #[inline]
    pub fn judge(
        &self,
        failed: impl Into<Failed>,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
    ) -> Verdict {
        self.weigh(failed.into(), progress, draw, budget, |_| None)
    }

    /// [`Self::judge`], where the wait before retry n may be known in advance.
    #[inline]
    pub(super) fn weigh(
        &self,
        failed: Failed,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
        budget: Option<&mut Budget>,
        known: impl FnOnce(u32) -> Option<Wait>,
    ) -> Verdict {
        let give_up =
            |reason| Verdict { decision: Decision::GiveUp(reason), wait: None, asked_for: false };
        if !self.retry_on.covers(failed.failure, failed.throttled) {
            return give_up(Reason::NotRetryable);
        }
        if !self.repeatable.allows(failed.request) {
            return give_up(Reason::NotRepeatable);
        }
        if self.max_attempts.is_some_and(|most| progress.attempts >= most) {
            return give_up(Reason::AttemptsExhausted);
        }
        let base = || self.backoff.base_for(failed.throttled);
        let (wait, asked_for) = match self.hint.read(failed.failure, failed.hint) {
            Asked::Stop => return give_up(Reason::HintForbids),
            Asked::Nothing => (self.own_wait(base, progress, draw, known), false),
            Asked::Wait(hint) => {
                let u = if self.draws() { draw() } else { 0.0 };
                self.asked_wait(hint, base(), progress, u)
            }
        };
        let verdict = |decision| Verdict { decision, wait: Some(wait), asked_for };
        let Some(wait) = self.in_time(wait, &failed) else {
            return verdict(Decision::GiveUp(Reason::OutOfTime));
        };
        if budget.is_some_and(|budget| !budget.withdraw()) {
            return verdict(Decision::GiveUp(Reason::BudgetDenied));
        }
        verdict(Decision::RetryAfter(wait))
    }

    /// Whether only the number of attempts, time or a budget can keep the policy
    /// from repeating a request after this failure, when the server asks for
    /// nothing; and the wait is the usual one.
    pub fn repeats(&self, failure: Failure, request: Request) -> bool {
        let Failed { throttled, .. } = failure.into();
        self.retry_on.covers(failure, throttled)
            && self.repeatable.allows(request)
            && self.hint.read(failure, Hint::None) == Asked::Nothing
            && self.backoff.base_for(throttled) == self.backoff.base
    }

    /// Whether a decision may depend on a draw.
    #[inline]
    pub fn draws(&self) -> bool {
        let lifted = self.hint.effect == Effect::FloorBeforeJitter;
        self.backoff.is_random()
            || self.hint.effect == Effect::Spread
            || lifted && self.backoff.jitter != Jitter::None
    }

    /// Whether attempt number `attempt` has a timeout, if attempts have one.
    #[inline]
    pub fn times_out(&self, attempt: u32) -> bool {
        let last = self.max_attempts.is_some_and(|most| attempt >= most);
        !(last && self.limits.last_attempt_untimed)
    }

    /// The timeout of attempt number `attempt`, where each has `own` and the
    /// call has `left`: an attempt never gets more time than is left.
    pub fn attempt_timeout(
        &self,
        attempt: u32,
        own: Option<Duration>,
        left: Option<Duration>,
    ) -> Option<Duration> {
        let own = own.filter(|_| self.times_out(attempt));
        match (own, left) {
            (Some(own), Some(left)) => Some(own.min(left)),
            (own, left) => own.or(left),
        }
    }

    /// The wait when the server asked for none.
    #[inline]
    pub(super) fn own_wait(
        &self,
        base: impl FnOnce() -> Duration,
        progress: &mut Progress,
        draw: impl FnOnce() -> f64,
        known: impl FnOnce(u32) -> Option<Wait>,
    ) -> Duration {
        let n = progress.step();
        match known(n) {
            Some(Wait::Fixed(wait)) => wait,
            Some(wait) => wait.at(draw()),
            None => {
                let u = self.backoff.draw(draw);
                self.backoff.wait_from(base(), Duration::ZERO, n, &mut progress.memory, u)
            }
        }
    }

    /// The wait when the server asked for one, and whether it is that.
    fn asked_wait(
        &self,
        hint: Duration,
        base: Duration,
        progress: &mut Progress,
        u: f64,
    ) -> (Duration, bool) {
        let n = progress.step();
        if self.hint.restarts {
            progress.restarted = progress.attempts;
            progress.memory = Memory::EMPTY;
        }
        let mut own = |base, lift| self.backoff.wait_from(base, lift, n, &mut progress.memory, u);
        match self.hint.effect {
            Effect::Replace => (hint, true),
            Effect::Spread => {
                let half = Duration::from_nanos_f64(hint.as_nanos() as f64 / 2.0 * u);
                (hint + Round::FloorMillis.apply(half), true)
            }
            Effect::Base => (own(hint, Duration::ZERO), true),
            Effect::FloorBeforeJitter => (own(base, hint), true),
            Effect::Clamp { above } => {
                let own = own(base, Duration::ZERO);
                (own.max(hint.min(own + above)), hint > own)
            }
            Effect::Floor | Effect::Ignore => {
                let own = own(base, Duration::ZERO);
                (own.max(hint), hint > own)
            }
        }
    }

    /// The wait as far as there is time for it; `None` if there is not enough.
    #[inline]
    fn in_time(&self, wait: Duration, failed: &Failed) -> Option<Duration> {
        let limits = &self.limits;
        let wait = limits.deadline.judge(wait, failed.elapsed, failed.allowed)?;
        limits.own_rule.judge(wait, failed.elapsed, limits.own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Fill, TokenBucket};

    const THREE: RetryPolicy =
        RetryPolicy { max_attempts: Some(3), backoff: Backoff::NONE, ..RetryPolicy::NEVER };

    fn decide(failure: Failure, attempts: u32, budget: Option<&mut Budget>) -> Decision {
        THREE.decide(failure, &mut Progress::after(attempts), || 0.5, budget)
    }

    #[test]
    fn says_why_it_stops() {
        let empty = TokenBucket { ratio_millis: 0, reserve_millis: 0, fill: Fill::OnCall };
        let mut budget = Budget::new(empty);
        let retry = Decision::RetryAfter(Duration::ZERO);
        assert_eq!(decide(Failure::Status(503), 1, None), retry);
        assert_eq!(decide(Failure::Timeout, 2, None), retry);
        assert_eq!(decide(Failure::Status(404), 1, None), Decision::GiveUp(Reason::NotRetryable));
        assert_eq!(decide(Failure::Timeout, 3, None), Decision::GiveUp(Reason::AttemptsExhausted));
        assert_eq!(
            decide(Failure::Timeout, 1, Some(&mut budget)),
            Decision::GiveUp(Reason::BudgetDenied)
        );
    }

    #[test]
    fn a_refused_retry_costs_no_token() {
        let one = TokenBucket { ratio_millis: 0, reserve_millis: 1_000, fill: Fill::OnCall };
        let mut budget = Budget::new(one);
        let _ = decide(Failure::Status(404), 1, Some(&mut budget));
        let _ = decide(Failure::Timeout, 3, Some(&mut budget));
        assert_eq!(budget.level_millis(), 1_000);
    }
}
