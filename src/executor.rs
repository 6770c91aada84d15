//! Retries around a real call: the policies of the simulator, for programs.
//!
//! An [`Executor`] wraps any operation that can fail. A classifier, given with
//! each call, says whether a result is a failure and of which kind; the
//! [`RetryPolicy`] decides what follows. So a program retries by the very code
//! whose storms were simulated.
//!
//! ```
//! use retry_storm::executor::{Attempt, Executor, Timeouts};
//! use retry_storm::policy::{Backoff, Failure, RetryPolicy, Strategy};
//! use retry_storm::time::Duration;
//!
//! let (base, cap) = (Duration::from_millis(1), Duration::from_millis(10));
//! let policy = RetryPolicy {
//!     max_attempts: Some(4),
//!     backoff: Backoff::new(Strategy::FullJitter, base, cap),
//!     ..RetryPolicy::NEVER
//! };
//! let timeouts = Timeouts { call: Some(Duration::from_secs(5)), ..Timeouts::NONE };
//! let executor = Executor::new(policy, timeouts)?;
//!
//! // Stands for a call that is refused twice: its status is all it gives.
//! let send = |attempt: Attempt| -> Result<u16, std::io::Error> {
//!     Ok(if attempt.number < 3 { 503 } else { 200 })
//! };
//! let status = executor.call(
//!     |result| match result {
//!         Ok(200..=399) => None,
//!         Ok(status) => Some(Failure::Status(*status).into()),
//!         Err(_) => Some(Failure::Connection.into()),
//!     },
//!     send,
//! )?;
//! assert_eq!(status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Executor::call_async`] does the same for futures. It needs no runtime but
//! a way to sleep, for example
//! `executor.sleep(|wait: Duration| tokio::time::sleep(wait.into()))`. Both are
//! thin loops around one [`Execution`], which does no I/O at all and which a
//! program with a loop of its own can drive by hand.
//!
//! Clock, sleep and random source are handed in ([`Clock`], [`Sleep`],
//! [`AsyncSleep`], [`Random`]); those of the machine are the default. An
//! attempt is told how long it may take but never cut off: give its timeout to
//! what can keep it, a socket or a timer of the runtime.

mod error;
mod execution;
mod outside;
mod shared_budget;
mod system;
mod timeouts;

pub use error::Error;
pub use execution::{Attempt, Execution, OutOfTime};
pub use outside::{AsyncSleep, Clock, Event, Observer, Random, Sleep, Unobserved};
pub use shared_budget::SharedBudget;
pub use system::{SystemClock, SystemRandom, ThreadSleep};
pub use timeouts::{SettingsError, Timeouts};

use crate::policy::{Decision, Failed, Reason, RetryPolicy, Verdict};
use crate::time::Duration;

/// Makes calls under a retry policy. One executor serves any number of calls,
/// also at the same time on several threads.
#[derive(Clone, Debug)]
pub struct Executor<C = SystemClock, S = ThreadSleep, R = SystemRandom, O = Unobserved> {
    rules: Rules,
    clock: C,
    sleep: S,
    random: R,
    observer: O,
}

/// What does not depend on the outside.
#[derive(Clone, Debug)]
struct Rules {
    policy: RetryPolicy,
    timeouts: Timeouts,
    budget: Option<SharedBudget>,
}

impl Executor {
    /// An executor with the clock, the sleep and the chance of this machine,
    /// without budget and observer.
    ///
    /// # Errors
    /// If the policy allows no attempt or a timeout is zero.
    pub fn new(policy: RetryPolicy, timeouts: Timeouts) -> Result<Self, SettingsError> {
        timeouts.check(&policy)?;
        Ok(Self {
            rules: Rules { policy, timeouts, budget: None },
            clock: SystemClock::new(),
            sleep: ThreadSleep,
            random: SystemRandom::new(),
            observer: Unobserved,
        })
    }
}

impl<C, S, R, O> Executor<C, S, R, O> {
    /// Lets this budget pay for the retries. Clones of it share its tokens, so
    /// several executors can draw on one.
    pub fn budget(mut self, budget: SharedBudget) -> Self {
        self.rules.budget = Some(budget);
        self
    }

    /// Reads this clock.
    pub fn clock<D>(self, clock: D) -> Executor<D, S, R, O> {
        let Self { rules, sleep, random, observer, .. } = self;
        Executor { rules, clock, sleep, random, observer }
    }

    /// Waits in this way: a [`Sleep`] for [`Executor::call`], an [`AsyncSleep`]
    /// for [`Executor::call_async`].
    pub fn sleep<T>(self, sleep: T) -> Executor<C, T, R, O> {
        let Self { rules, clock, random, observer, .. } = self;
        Executor { rules, clock, sleep, random, observer }
    }

    /// Draws from this source.
    pub fn random<Q>(self, random: Q) -> Executor<C, S, Q, O> {
        let Self { rules, clock, sleep, observer, .. } = self;
        Executor { rules, clock, sleep, random, observer }
    }

    /// Tells this observer of every failed attempt and what follows it.
    pub fn observer<P>(self, observer: P) -> Executor<C, S, R, P> {
        let Self { rules, clock, sleep, random, .. } = self;
        Executor { rules, clock, sleep, random, observer }
    }
}

impl<C: Clock, S, R: Random, O: Observer> Executor<C, S, R, O> {
    /// Calls `operation` until `classify` finds no failure in its result or the
    /// policy gives up, and sleeps in between.
    ///
    /// `classify` gives `None` for a result that ends the call, good or bad. Of
    /// the failure that it gives, times are filled in here.
    ///
    /// A response that is a failure is a response all the same: when the policy
    /// gives up, the last one is returned.
    ///
    /// # Errors
    /// The error of the last attempt with the reason why there was no other, or
    /// that the time was over just before an attempt.
    pub fn call<T, E>(
        &self,
        classify: impl Fn(&Result<T, E>) -> Option<Failed>,
        mut operation: impl FnMut(Attempt) -> Result<T, E>,
    ) -> Result<T, Error<E>>
    where
        S: Sleep,
    {
        let mut call = Call::start(self);
        loop {
            let attempt = call.begin()?;
            let result = operation(attempt);
            match call.end(classify(&result)) {
                Next::Wait(wait) => {
                    // A response may hold a connection: it is let go before the wait.
                    drop(result);
                    self.sleep.sleep(wait);
                }
                Next::Return(reason) => return call.finish(result, reason),
            }
        }
    }

    /// [`Self::call`] for an operation and a sleep that are futures. Nothing
    /// runs in the background: to drop the future is to abandon the call.
    ///
    /// # Errors
    /// Those of [`Self::call`].
    pub async fn call_async<T, E>(
        &self,
        classify: impl Fn(&Result<T, E>) -> Option<Failed>,
        mut operation: impl AsyncFnMut(Attempt) -> Result<T, E>,
    ) -> Result<T, Error<E>>
    where
        S: AsyncSleep,
    {
        let mut call = Call::start(self);
        loop {
            let attempt = call.begin()?;
            let result = operation(attempt).await;
            match call.end(classify(&result)) {
                Next::Wait(wait) => {
                    drop(result);
                    self.sleep.sleep(wait).await;
                }
                Next::Return(reason) => return call.finish(result, reason),
            }
        }
    }
}

/// What follows an attempt.
enum Next {
    Wait(Duration),
    /// With the reason if the policy gave up.
    Return(Option<Reason>),
}

/// One call on its way: an [`Execution`] and the outside it lives in.
struct Call<'e, C, S, R, O> {
    executor: &'e Executor<C, S, R, O>,
    execution: Execution<'e>,
}

impl<'e, C: Clock, S, R: Random, O: Observer> Call<'e, C, S, R, O> {
    fn start(executor: &'e Executor<C, S, R, O>) -> Self {
        let Rules { policy, timeouts, budget } = &executor.rules;
        if let Some(budget) = budget {
            budget.lock().call_started();
        }
        Self { executor, execution: Execution::start(policy, *timeouts, executor.clock.now()) }
    }

    fn begin(&mut self) -> Result<Attempt, OutOfTime> {
        let begun = self.execution.begin(self.executor.clock.now());
        if let Err(OutOfTime { attempts, last: Some(failure) }) = begun {
            let decision = Decision::GiveUp(Reason::OutOfTime);
            let verdict = Verdict { decision, wait: None, asked_for: false };
            let left = Some(Duration::ZERO);
            self.executor.observer.observe(&Event { attempt: attempts, failure, verdict, left });
        }
        begun
    }

    fn end(&mut self, failed: Option<Failed>) -> Next {
        let Executor { rules, clock, random, observer, .. } = self.executor;
        let mut budget = rules.budget.as_ref().map(SharedBudget::lock);
        let attempt = self.execution.attempts();
        let Some(failed) = failed else {
            if let Some(budget) = &mut budget {
                budget.call_succeeded(attempt);
            }
            return Next::Return(None);
        };
        let (failure, now) = (failed.failure, clock.now());
        let verdict = self.execution.failed(failed, now, || random.draw(), budget.as_deref_mut());
        // An observer may make calls of its own.
        drop(budget);
        let left = self.execution.left(now);
        observer.observe(&Event { attempt, failure, verdict, left });
        match verdict.decision {
            Decision::RetryAfter(wait) => Next::Wait(wait),
            Decision::GiveUp(reason) => Next::Return(Some(reason)),
        }
    }

    fn finish<T, E>(&self, result: Result<T, E>, reason: Option<Reason>) -> Result<T, Error<E>> {
        let attempts = self.execution.attempts();
        result.map_err(|error| match reason {
            Some(reason) => Error::GaveUp { error, reason, attempts },
            None => Error::Final(error),
        })
    }
}
