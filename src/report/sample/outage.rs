//! An outage made by hand: 800 requests a second on a capacity of 1,000, nothing
//! served from 15 s to 25 s of a minute.

use super::{Sample, edge, result, scenario, service};
use crate::experiment::VariantResult;
use crate::law::Law;
use crate::model::bins::Bins;
use crate::model::outcome::{Load, Outcome, Row};
use crate::model::recovery::{Flow, Goodput, Recovery};
use crate::model::spec::{
    Arrivals, Budget, Caller, Client, Edge, Effect, Fault, Model, Profile, Scope, Service, Target,
};
use crate::policy::{Backoff, Fill, RetryPolicy, Strategy, TokenBucket};
use crate::time::{Duration, Instant};

fn at(tenths: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(tenths * 100)
}

/// With three attempts goodput never comes back; with a budget it does.
pub(in crate::report) fn outage() -> Sample {
    let stuck = result("3 attempts, no retry budget", model(), outcome(2_400, None));
    let mut paid = model();
    paid.budgets = vec![Budget {
        name: "tenth".to_owned(),
        bucket: TokenBucket { ratio_millis: 100, reserve_millis: 10_000, fill: Fill::OnCall },
        scope: Scope::Client,
    }];
    paid.edges[0].budget = Some(0);
    let back = Duration::from_millis(26_300);
    let back = result("3 attempts, 10 % retry budget", paid, outcome(880, Some(back)));
    Sample {
        scenario: scenario("An overload that outlives its outage", 7, "variant"),
        results: vec![stuck, back],
        verdicts: Vec::new(),
    }
}

/// The same with so many attempts and such a rate and without a deadline, as one
/// variant without a name.
pub(in crate::report) fn outage_of(
    attempts: u32,
    rate: f64,
    load: Option<f64>,
    recovery: Recovery,
) -> VariantResult {
    let mut one = result("", model(), outcome(0, None));
    one.model.clients[0].arrivals = Arrivals::Poisson { rate: Profile::steady(rate) };
    one.model.clients[0].deadline = None;
    one.model.edges[0].retry.max_attempts = Some(attempts);
    let load = load.map(|attempts| Load { first_attempts: rate, attempts });
    one.outcome.services[0].at_last = load;
    if let Some(goodput) = &mut one.outcome.goodput {
        goodput.recovery = Some(recovery);
    }
    one
}

fn model() -> Model {
    let client = Client {
        processes: 100,
        arrivals: Arrivals::Poisson { rate: Profile::steady(800.0) },
        deadline: Some(Duration::from_secs(5)),
        ..Client::new("web", vec![0])
    };
    let api = Service {
        workers: Some(10),
        service_time: Law::Exponential { mean: Duration::from_millis(10) },
        ..Service::new("api")
    };
    let (base, cap) = (Duration::from_millis(100), Duration::from_secs(1));
    let backoff = Backoff::new(Strategy::FullJitter, base, cap);
    let call = Edge {
        timeout: Some(Law::Constant(Duration::from_secs(1))),
        retry: RetryPolicy { max_attempts: Some(3), backoff, ..RetryPolicy::NEVER },
        ..Edge::new(Caller::Client(0), 0, 0)
    };
    let target = Target::Service { service: 0, instance: None, effect: Effect::Hang };
    Model {
        seed: 7,
        duration: Some(Duration::from_secs(60)),
        faults: vec![Fault { name: "outage".to_owned(), target, from: at(150), until: at(250) }],
        ..Model::new(vec![client], vec![api], vec![call])
    }
}

/// So many attempts a second from the outage on, until goodput is back.
fn outcome(load: u64, back: Option<Duration>) -> Outcome {
    let recovered = back.map_or(at(600), |back| at(250) + back);
    let (mut course, mut flow) = (Bins::<Row>::new(100_000_000), Bins::<Flow>::new(100_000_000));
    for tenth in 0..600 {
        let collapsed = (150..600).contains(&tenth) && at(tenth) < recovered;
        let answered = if collapsed { 0 } else { 80 };
        let retries = if collapsed { load.saturating_sub(800) / 10 } else { 0 };
        let timed_out = 80 + retries - answered;
        *flow.at(at(tenth).as_nanos()) = Flow { started: 80, answered };
        *course.at(at(tenth).as_nanos()) =
            Row { first_attempts: 80, retries, answered, timed_out, ..Row::default() };
    }
    let rows = || course.bins().iter();
    let (answered, retries) =
        (rows().map(|row| row.answered).sum(), rows().map(|row| row.retries).sum::<u64>());
    let mut api = service(48_000 + retries, 48_000.0, 1);
    let last = if back.is_some() { 800 } else { load };
    api.at_last = Some(Load { first_attempts: 800.0, attempts: last as f64 });
    api.amplification_peak = load.max(800) as f64 / 800.0;
    api.timeline = course;
    let share = back.map_or(0.0, |back| 1.0 - back.as_secs_f64() / 35.0);
    let mut outcome = super::outcome();
    outcome.requests = 48_000;
    outcome.answered = answered;
    outcome.gave_up = super::exhausted(48_000 - answered);
    outcome.edges = vec![super::EdgeOutcome {
        calls: 48_000,
        attempts: 48_000 + retries,
        retries,
        answered,
        timed_out: 48_000 + retries - answered,
        ..edge(Caller::Client(0), 0)
    }];
    outcome.services = vec![api];
    outcome.flow = flow;
    outcome.goodput = Some(Goodput {
        before: Some(800.0),
        during: Some(0.0),
        after: Some(800.0 * share),
        recovery: Some(back.map_or(Recovery::Never, Recovery::At)),
    });
    outcome.ended = at(600);
    outcome.measured = Duration::from_secs(60);
    outcome
}
