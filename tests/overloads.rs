//! Laws that hold in every overload: random services with queues, instances,
//! faults, networks and deadlines, through the reader and the engine.

use proptest::prelude::*;
use retry_storm::experiment::run_model;
use retry_storm::model::outcome::Outcome;
use retry_storm::model::{Model, RunError};
use retry_storm::scenario::{ReadOptions, read};
use retry_storm::time::{Duration, Instant};
use std::ops::ControlFlow;

fn model(text: &str) -> Model {
    let options = ReadOptions { file: "random.toml".into(), ..ReadOptions::default() };
    let read = read(text, &options).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    read.scenario.variants.into_iter().next().expect("there is one variant").model
}

/// A run, in which every count is conserved: a run that loses one is an error.
fn outcome(model: &Model) -> Result<Outcome, RunError> {
    run_model(model, 0, |_| ControlFlow::Continue(()))
}

const ARRIVALS: [&str; 6] = [
    "arrivals = \"poisson\"\nrate = \"400 /s\"\nrequests = 300",
    "arrivals = \"constant\"\nrate = [{ from = \"0 s\", rate = \"100 /s\" }, \
     { from = \"200 ms\", rate = \"800 /s\", ramp = \"200 ms\" }]\nrequests = 300",
    "arrivals = \"together\"\nspread = \"100 ms\"",
    "arrivals = \"closed\"\nthink_time = { kind = \"exponential\", mean = \"5 ms\" }\nrequests = 300",
    "arrivals = \"closed\"\nevery = \"20 ms\"\nrequests = 300",
    "arrivals = \"one-by-one\"\nrequests = 40",
];

const QUEUES: [&str; 7] = [
    "",
    "queue = { limit = 7 }",
    "queue = { limit = 7, when_full = \"drop-oldest\" }",
    "queue = { order = \"lifo\", timeout = \"60 ms\" }",
    "queue = { order = \"adaptive-lifo\", timeout = { kind = \"uniform\", from = \"10 ms\", to = \"90 ms\" } }",
    "queue = { codel = { target = \"5 ms\", interval = \"50 ms\", law = \"fail-at-scale\" } }",
    "queue = { limit = 30, codel = { target = \"5 ms\", interval = \"50 ms\", law = \"rfc8289\" } }",
];

const FAULTS: [&str; 9] = [
    "",
    "kind = \"hang\"\nfrom = \"50 ms\"\nfor = \"200 ms\"",
    "kind = \"hang\"\nfrom = \"0 s\"\nfor = \"1 s\"\ninstance = 0",
    "kind = \"down\"\nfrom = \"100 ms\"\nfor = \"100 ms\"",
    "kind = \"slow\"\nfactor = 5\nfrom = \"0 s\"\nfor = \"300 ms\"",
    "kind = \"errors\"\nshare = \"30 %\"\nfrom = \"100 ms\"",
    "kind = \"capacity\"\nworkers = 1\nfrom = \"100 ms\"\nfor = \"300 ms\"",
    "kind = \"restart\"\nfrom = \"150 ms\"\nfor = \"50 ms\"\nwarm_up = { for = \"200 ms\", factor = 4 }",
    "kind = \"restart\"\nfrom = \"150 ms\"",
];

const BALANCES: [&str; 4] = ["random", "round-robin", "least-busy", "two-choices"];

/// The choices of a random scenario, and the lengths in ms.
#[derive(Clone, Debug)]
struct Setup {
    seed: u32,
    arrivals: usize,
    queue: usize,
    fault: usize,
    struck: &'static str,
    balance: usize,
    instances: u32,
    workers: u32,
    service: u32,
    timeout: u32,
    attempts: u32,
    deadline: Option<u32>,
    travels: bool,
    latency: bool,
    pool: Option<u32>,
    cancels: [bool; 2],
    on_arrival: bool,
}

impl Setup {
    fn text(&self) -> String {
        let given = |line: Option<String>| line.unwrap_or_default();
        let abandoned = |cancels: bool| if cancels { "cancel" } else { "finish" };
        let fault = match FAULTS[self.fault] {
            "" => String::new(),
            fault => format!("[fault.f]\nservice = \"{}\"\n{fault}", self.struck),
        };
        format!(
            r#"
seed = {seed}
record_attempts = true
[client.web]
calls = "front"
count = 40
{arrivals}
timeout = "{timeout} ms"
{deadline}
propagate_deadline = {travels}
{latency}
{pool}
retry = {{ max_attempts = {attempts}, backoff = "full-jitter", base = "10 ms", cap = "50 ms" }}
[service.front]
calls = "back"
service_time = "1 ms"
timeout = {{ kind = "uniform", from = "5 ms", to = "{timeout}.5 ms" }}
retry = {{ max_attempts = 2, backoff = "none" }}
abandoned = "{front}"
instances = {instances}
[service.back]
workers = {workers}
instances = {instances}
balance = "{balance}"
service_time = {{ kind = "exponential", mean = "{service} ms" }}
service_time_drawn = "{drawn}"
slowdown = {{ per_request = 0.01 }}
abandoned = "{back}"
{queue}
{fault}
"#,
            seed = self.seed,
            arrivals = ARRIVALS[self.arrivals],
            timeout = self.timeout,
            deadline = given(self.deadline.map(|ms| format!("deadline = \"{ms} ms\""))),
            travels = self.travels && self.deadline.is_some(),
            latency = given(self.latency.then(|| {
                "latency = { there = { kind = \"exponential\", mean = \"1 ms\" }, back = \"2 ms\" }"
                    .to_owned()
            })),
            pool = given(self.pool.map(|most| format!("pool = {most}"))),
            attempts = self.attempts,
            front = abandoned(self.cancels[0]),
            back = abandoned(self.cancels[1]),
            instances = self.instances,
            workers = self.workers,
            balance = BALANCES[self.balance],
            service = self.service,
            drawn = if self.on_arrival { "arrival" } else { "start" },
            queue = QUEUES[self.queue],
        )
    }
}

fn setups() -> impl Strategy<Value = Setup> {
    let struck = prop::sample::select(vec!["front", "back"]);
    let choices = (0..ARRIVALS.len(), 0..QUEUES.len(), 0..FAULTS.len(), struck, 0..BALANCES.len());
    let numbers = (1..4_u32, 1..4_u32, 1..20_u32, 6..120_u32, 1..5_u32);
    let limits = (
        proptest::option::of(10..400_u32),
        any::<bool>(),
        any::<bool>(),
        proptest::option::of(1..4_u32),
    );
    let flags = (prop::array::uniform2(any::<bool>()), any::<bool>());
    (any::<u32>(), choices, numbers, limits, flags).prop_map(
        |(seed, choices, numbers, limits, flags)| Setup {
            seed,
            arrivals: choices.0,
            queue: choices.1,
            fault: choices.2,
            struck: choices.3,
            balance: choices.4,
            instances: numbers.0,
            workers: numbers.1,
            service: numbers.2,
            timeout: numbers.3,
            attempts: numbers.4,
            deadline: limits.0,
            travels: limits.1,
            latency: limits.2,
            pool: limits.3,
            cancels: flags.0,
            on_arrival: flags.1,
        },
    )
}

proptest! {
    #![proptest_config(crate::testing::cases(300))]

    /// A run ends, and nothing that was sent is lost or left: all that the faults
    /// held up goes on.
    #[test]
    fn everything_ends(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near and no count is lost");
        prop_assert_eq!(outcome.still_out, 0);
        for edge in &outcome.edges {
            prop_assert_eq!(edge.still_out, 0);
        }
        prop_assert_eq!(outcome.requests, outcome.answered + outcome.gave_up.total());
        let records = outcome.attempts.len() as u64;
        let abandoned: u64 = outcome.edges.iter().map(|edge| edge.abandoned).sum();
        prop_assert_eq!(records + abandoned, outcome.attempts_in_all());
    }

    /// Nobody waits longer than allowed, no line is longer than its limit, and no
    /// more work than there are workers.
    #[test]
    fn limits_are_kept(setup in setups()) {
        let model = model(&setup.text());
        let outcome = outcome(&model).expect("no limit is near and no count is lost");
        if let Some(deadline) = setup.deadline {
            prop_assert!(outcome.latency.longest <= Duration::from_millis(u64::from(deadline)));
        }
        let back = &outcome.services[1];
        let all = u64::from(setup.instances);
        if let Some(limit) = model.services[1].queue.limit {
            prop_assert!(back.peak_queue <= u64::from(limit) * all);
        }
        prop_assert!(back.peak_busy_workers <= u64::from(setup.workers) * all);
        for attempt in outcome.attempts.iter().filter(|attempt| attempt.edge == 0) {
            let took = attempt.ended.since(attempt.sent);
            prop_assert!(took <= Duration::from_millis(u64::from(setup.timeout)));
        }
        prop_assert!(outcome.ended < Instant::NEVER);
    }

    /// Work that is stopped with its caller is never wasted, if word of it takes no
    /// time and nothing comes back late.
    #[test]
    fn cancelled_work_is_not_wasted(setup in setups()) {
        let setup = Setup { cancels: [true, true], latency: false, ..setup };
        let outcome = outcome(&model(&setup.text())).expect("no count is lost");
        for service in &outcome.services {
            prop_assert_eq!(service.wasted_work, Duration::ZERO);
        }
    }

    /// The same scenario and seed give the same outcome.
    #[test]
    fn chance_is_the_seed(setup in setups()) {
        let model = model(&setup.text());
        let runs = [outcome(&model), outcome(&model)];
        prop_assert!(runs[0] == runs[1]);
    }
}
