//! The executor beside the simulator. Random policies meet a simulated service;
//! every attempt is recorded, and executors replay the records: each attempt
//! takes as long and ends as it did, each wait gets the draw that it got. Then
//! every attempt must come at the same time, and every decision be the same.

use super::fake::{Later, block_on};
use proptest::prelude::*;
use retry_storm::draw::{Key, Purpose, Stream, name_hash};
use retry_storm::executor::{
    Attempt, Clock, Event, Executor, Observer, Random, SharedBudget, Timeouts,
};
use retry_storm::experiment::run_model;
use retry_storm::law::Law;
use retry_storm::model::Model;
use retry_storm::model::outcome::{AttemptRecord, Next};
use retry_storm::policy::backoff::{Clamp, First, Round};
use retry_storm::policy::{Backoff, Failed, Failure, Family, Jitter, RetryOn, RetryPolicy, preset};
use retry_storm::scenario::{ReadOptions, read};
use retry_storm::time::{Duration, Instant};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

/// The calls in the simulated world.
const CALLS: usize = 30;

/// A client that makes its calls one after the other under this policy, and a
/// service that is slow at times and fails most of the time with this status.
fn model(seed: u32, policy: RetryPolicy, status: u16, budgeted: bool) -> Model {
    let budget = if budgeted { ", budget = \"shared\"" } else { "" };
    let text = format!(
        r#"
name = "replayed"
seed = {seed}
record_attempts = true
[client.app]
calls    = "shop"
arrivals = "one-by-one"
requests = {CALLS}
timeout  = "30 ms"
retry    = {{ max_attempts = 2, backoff = "none"{budget} }}
[service.shop]
service_time = {{ kind = "exponential", mean = "10 ms" }}
fails  = "60 %"
status = {status}
[budget.shared]
kind    = "token-bucket"
ratio   = 0.7
reserve = 10
"#
    );
    let read = read(&text, &ReadOptions::default());
    let read = read.unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    let mut model = read.scenario.variants.into_iter().next().expect("there is one variant").model;
    model.edges[0].retry = policy;
    model
}

/// What became of an attempt: when it was sent, and what its caller did next.
type Seen = (Instant, Next);

/// A world in which executors make recorded calls, one after the other.
struct Replay<'m> {
    model: &'m Model,
    records: &'m [AttemptRecord],
    waits: Stream,
    now: Cell<Instant>,
    seen: RefCell<Vec<Seen>>,
}

impl<'m> Replay<'m> {
    fn new(model: &'m Model, records: &'m [AttemptRecord]) -> Self {
        let waits = Stream::new(model.seed, 0, Purpose::Wait, "app");
        let (now, seen) = (Cell::new(records[0].sent), RefCell::default());
        Self { model, records, waits, now, seen }
    }

    /// The record of the attempt that is out, or was out last.
    fn record(&self) -> &AttemptRecord {
        &self.records[self.seen.borrow().len() - 1]
    }

    /// An executor that lives in this world.
    fn executor<S>(&self, sleep: S) -> Executor<impl Clock, S, impl Random, impl Observer> {
        let edge = &self.model.edges[0];
        let executor = Executor::new(edge.retry.clone(), Timeouts::NONE).expect("it is sound");
        let executor = executor
            .clock(|| self.now.get())
            .sleep(sleep)
            .random(|| {
                let AttemptRecord { request, attempt, .. } = *self.record();
                let call = Key::request(name_hash("app"), request).call(edge.position);
                self.waits.draw(call.attempt(attempt))
            })
            .observer(|event: &Event| self.next_is(event.verdict.decision.into()));
        match edge.budget {
            Some(budget) => executor.budget(SharedBudget::new(self.model.budgets[budget].bucket)),
            None => executor,
        }
    }

    fn next_is(&self, next: Next) {
        self.seen.borrow_mut().last_mut().expect("an attempt has ended").1 = next;
    }

    fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
    }

    /// An attempt that takes as long and ends as it did.
    fn play(&self, attempt: Attempt) -> Result<(), Failure> {
        self.seen.borrow_mut().push((self.now.get(), Next::Done));
        let AttemptRecord { sent, ended, end, attempt: number, .. } = *self.record();
        assert_eq!(attempt.number, number);
        self.pass(ended.since(sent));
        end.failure().map_or(Ok(()), Err)
    }
}

fn blocking(model: &Model, records: &[AttemptRecord]) -> Vec<Seen> {
    let replay = Replay::new(model, records);
    let executor = replay.executor(|wait| replay.pass(wait));
    for _ in 0..CALLS {
        let _ = executor.call(|end| end.err().map(Failed::from), |attempt| replay.play(attempt));
    }
    replay.seen.take()
}

fn as_future(model: &Model, records: &[AttemptRecord]) -> Vec<Seen> {
    let replay = Replay::new(model, records);
    let pass = |wait| replay.pass(wait);
    let executor = replay.executor(|wait| Later::new(move || pass(wait)));
    for _ in 0..CALLS {
        let call = executor
            .call_async(|end| end.err().map(Failed::from), async |attempt| replay.play(attempt));
        let _ = block_on(call);
    }
    replay.seen.take()
}

proptest! {
    #![proptest_config(crate::testing::cases(300))]

    #[test]
    fn attempts_come_when_the_simulator_sends_them(
        seed in any::<u32>(),
        policy in policies(),
        status in prop::sample::select(vec![404, 429, 500, 503]),
        budgeted in any::<bool>(),
    ) {
        let model = model(seed, policy, status, budgeted);
        let outcome = run_model(&model, 0, |_| ControlFlow::Continue(())).expect("it ends");
        let records = &outcome.attempts;
        let expected: Vec<Seen> = records.iter().map(|record| (record.sent, record.next)).collect();
        prop_assert_eq!(&blocking(&model, records), &expected);
        prop_assert_eq!(&as_future(&model, records), &expected);
    }
}

/// Policies of all kinds, and those of libraries. The simulator knows neither
/// deadlines nor hints here, so nothing of them may stand in a policy.
pub(super) fn policies() -> impl Strategy<Value = RetryPolicy> {
    let shipped = prop::sample::select(preset::all().collect::<Vec<_>>());
    let backoff = prop_oneof![
        backoffs().boxed(),
        shipped.prop_map(|preset| preset.policy.backoff.clone()).boxed()
    ];
    let attempts = proptest::option::of(1..8_u32);
    let retry_on = prop::sample::select(vec![RetryOn::USUAL, RetryOn::EVERYTHING]);
    (attempts, backoff, retry_on).prop_map(|(max_attempts, backoff, retry_on)| {
        // Some libraries' waits grow without a cap. Without a limit of attempts
        // either, an unlucky request would outlive the clock.
        let grows = backoff.cap > Duration::from_secs(3_600);
        let max_attempts = max_attempts.or(grows.then_some(8));
        RetryPolicy { max_attempts, backoff, retry_on, ..RetryPolicy::NEVER }
    })
}

fn backoffs() -> impl Strategy<Value = Backoff> {
    let millis = |range: std::ops::Range<u64>| range.prop_map(Duration::from_millis);
    let table = prop::collection::vec(millis(0..500), 1..5);
    let family = prop_oneof![
        prop::sample::select(vec![
            Family::None,
            Family::Constant,
            Family::Exponential,
            Family::WholeExponential,
            Family::Doubling,
            Family::Compounding,
            Family::Decorrelated,
            Family::FinagleDecorrelated,
            Family::FinagleExponential,
            Family::FinagleEqual,
            Family::PollyV2,
            Family::Sorted { retries: 5 },
        ]),
        millis(0..100).prop_map(|step| Family::Linear { step }),
        table.prop_map(|waits| Family::Table(waits.into())),
        millis(1..100).prop_map(|mean| Family::Random(Law::Exponential { mean }.into())),
    ];
    let jitter = prop::sample::select(vec![
        Jitter::None,
        Jitter::FULL,
        Jitter::EQUAL,
        Jitter::symmetric(0.2),
        Jitter::plus(Duration::from_millis(30)),
        Jitter::Above { low: Duration::from_millis(20) },
    ]);
    let clamp = prop::sample::select(vec![Clamp::Before, Clamp::After, Clamp::Both]);
    let first = prop::sample::select(vec![First::Jittered, First::Plain, First::Zero]);
    let round = prop::sample::select(vec![Round::No, Round::FloorMillis, Round::WholeMillis]);
    let lengths = (millis(0..300), proptest::option::of(millis(0..900)), millis(0..50));
    (family, jitter, lengths, 1.0..3.0, (clamp, first, round)).prop_map(
        |(family, jitter, (base, throttled_base, least), factor, (clamp, first, round))| Backoff {
            family,
            base,
            throttled_base,
            factor,
            cap: Duration::from_secs(1),
            least,
            clamp,
            jitter,
            first,
            round,
            ..Backoff::NONE
        },
    )
}
