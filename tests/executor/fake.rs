//! A world for an executor: a clock that only a sleep or an operation moves,
//! answers in a row, and a runtime of one thread for the future.

use retry_storm::draw::Mulberry32;
use retry_storm::executor::{
    Attempt, Clock, Error, Event, Executor, Observer, Random, SharedBudget, Timeouts,
};
use retry_storm::policy::retry_after::Format;
use retry_storm::policy::{Failed, Failure, Request, RetryPolicy, TokenBucket};
use retry_storm::time::{Duration, Instant};
use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// What the operation gives for one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The status of a response, or what there is instead of one.
    pub(super) end: Result<u16, Failure>,
    /// Its Retry-After.
    pub(super) retry_after: Option<&'static str>,
    /// How long it takes.
    pub(super) takes: Duration,
}

impl Answer {
    /// A response that comes at once.
    pub(super) const fn status(status: u16) -> Self {
        Self::at_once(Ok(status))
    }

    /// No connection, and that at once.
    pub(super) const REFUSED: Self = Self::at_once(Err(Failure::Connection));

    /// No answer, as the operation finds out at once.
    pub(super) const SILENT: Self = Self::at_once(Err(Failure::Timeout));

    const fn at_once(end: Result<u16, Failure>) -> Self {
        Self { end, retry_after: None, takes: Duration::ZERO }
    }

    pub(super) const fn asking(mut self, retry_after: &'static str) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    pub(super) const fn after(mut self, takes: Duration) -> Self {
        self.takes = takes;
        self
    }
}

/// A call, and the world in which it is made.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) policy: RetryPolicy,
    pub(super) timeouts: Timeouts,
    pub(super) budget: Option<TokenBucket>,
    pub(super) request: Request,
    /// The answers, in order; the last one repeats.
    pub(super) answers: Vec<Answer>,
    /// Every sleep takes this much longer than it should.
    pub(super) oversleep: Duration,
    pub(super) chance: Chance,
}

/// Where draws come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Chance {
    Always(f64),
    Mulberry32(u32),
}

/// What a call came to.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    /// The time of each attempt, and how long it may take.
    pub(super) attempts: Vec<(Duration, Option<Duration>)>,
    /// What the executor slept, as it asked for it.
    pub(super) sleeps: Vec<Duration>,
    pub(super) events: Vec<Event>,
    pub(super) result: Result<u16, Error<Failure>>,
}

impl Seen {
    /// When the attempts were made.
    pub(super) fn times(&self) -> Vec<Duration> {
        self.attempts.iter().map(|(at, _)| *at).collect()
    }
}

impl Case {
    /// Without budget, timeouts and surprises; the request is a GET.
    pub(super) fn new(policy: RetryPolicy, answers: impl Into<Vec<Answer>>) -> Self {
        Self {
            policy,
            timeouts: Timeouts::NONE,
            budget: None,
            request: Request::default(),
            answers: answers.into(),
            oversleep: Duration::ZERO,
            chance: Chance::Always(0.5),
        }
    }
}

/// The clock, and what is written down.
struct World<'c> {
    case: &'c Case,
    now: Cell<Instant>,
    generator: RefCell<Mulberry32>,
    attempts: RefCell<Vec<(Duration, Option<Duration>)>>,
    sleeps: RefCell<Vec<Duration>>,
    events: RefCell<Vec<Event>>,
}

/// When the clock of a world starts: nothing may depend on it.
const START: Instant = Instant::from_nanos(1_234_567_890);

impl<'c> World<'c> {
    fn new(case: &'c Case) -> Self {
        let seed = if let Chance::Mulberry32(seed) = case.chance { seed } else { 0 };
        Self {
            case,
            now: Cell::new(START),
            generator: RefCell::new(Mulberry32::new(seed)),
            attempts: RefCell::default(),
            sleeps: RefCell::default(),
            events: RefCell::default(),
        }
    }

    fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
    }

    fn sleep(&self, wait: Duration) {
        self.sleeps.borrow_mut().push(wait);
        self.pass(wait + self.case.oversleep);
    }

    fn draw(&self) -> f64 {
        match self.case.chance {
            Chance::Always(u) => u,
            Chance::Mulberry32(_) => self.generator.borrow_mut().draw(),
        }
    }

    fn answer(&self, attempt: Attempt) -> Result<Answer, Failure> {
        let at = self.now.get().since(START);
        self.attempts.borrow_mut().push((at, attempt.timeout));
        assert_eq!(attempt.number as usize, self.attempts.borrow().len());
        let answers = &self.case.answers;
        let answer = answers[(attempt.number as usize).min(answers.len()) - 1];
        self.pass(answer.takes);
        answer.end.map(|_| answer)
    }

    fn classify(&self, result: &Result<Answer, Failure>) -> Option<Failed> {
        let failure = match result.and_then(|answer| answer.end) {
            Ok(..400) => return None,
            Ok(status) => Failure::Status(status),
            Err(failure) => failure,
        };
        let values: Vec<&str> = result.iter().filter_map(|answer| answer.retry_after).collect();
        let hint = Format::HTTP.read(&values, Duration::ZERO);
        // The executor must not read these two times.
        let nonsense = Duration::from_secs(77);
        let request = self.case.request;
        Some(Failed { request, hint, elapsed: nonsense, allowed: nonsense, ..failure.into() })
    }

    /// An executor in this world that sleeps like this.
    fn executor<S>(&self, sleep: S) -> Executor<impl Clock, S, impl Random, impl Observer> {
        let Case { policy, timeouts, budget, .. } = self.case;
        let executor = Executor::new(policy.clone(), *timeouts).expect("the settings are sound");
        let executor = executor
            .clock(|| self.now.get())
            .sleep(sleep)
            .random(|| self.draw())
            .observer(|event: &Event| self.events.borrow_mut().push(*event));
        match budget {
            Some(bucket) => executor.budget(SharedBudget::new(*bucket)),
            None => executor,
        }
    }

    fn seen(self, result: Result<Answer, Error<Failure>>) -> Seen {
        Seen {
            attempts: self.attempts.into_inner(),
            sleeps: self.sleeps.into_inner(),
            events: self.events.into_inner(),
            result: result.and_then(|answer| answer.end.map_err(Error::Final)),
        }
    }
}

/// Makes the call in both ways and gives what both saw.
pub(super) fn both(case: &Case) -> Seen {
    let blocking = blocking(case);
    assert_eq!(blocking, as_future(case), "blocking and as a future");
    blocking
}

fn blocking(case: &Case) -> Seen {
    let world = World::new(case);
    let executor = world.executor(|wait| world.sleep(wait));
    let result = executor.call(|result| world.classify(result), |attempt| world.answer(attempt));
    drop(executor);
    world.seen(result)
}

fn as_future(case: &Case) -> Seen {
    let world = World::new(case);
    let sleep = |wait| world.sleep(wait);
    let executor = world.executor(|wait| Later::new(move || sleep(wait)));
    let call = executor.call_async(
        |result| world.classify(result),
        async |attempt| {
            Later::new(|| ()).await;
            world.answer(attempt)
        },
    );
    let result = block_on(call);
    drop(executor);
    world.seen(result)
}

/// A future that is not ready when it is first asked, and then does something.
pub(super) struct Later<F> {
    asked: bool,
    then: Option<F>,
}

impl<F: FnOnce() + Unpin> Later<F> {
    pub(super) fn new(then: F) -> Self {
        Self { asked: false, then: Some(then) }
    }
}

impl<F: FnOnce() + Unpin> Future for Later<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if !std::mem::replace(&mut self.asked, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(then) = self.then.take() {
            then();
        }
        Poll::Ready(())
    }
}

/// The smallest runtime: one future on this thread, which parks in between.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
