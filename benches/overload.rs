//! How fast an overload runs that outlives its outage: requests at random at
//! 80 % of the capacity, exponential service, an unbounded queue, timeouts,
//! three attempts with full jitter, and ten seconds in which nothing is served.
//! Prints events per second and core, and the memory for each attempt that
//! waits.
//!
//! `cargo bench --bench overload` runs a million requests; `-- 100000` that
//! many. The rate and the workers grow with them, so that it always takes 125
//! simulated seconds.

use retry_storm::law::Law;
use retry_storm::model::spec::{
    Arrivals, Caller, Client, Edge, Effect, Fault, Model, Profile, Service, Target,
};
use retry_storm::model::{Outcome, World};
use retry_storm::policy::{Backoff, RetryPolicy, Strategy};
use retry_storm::time::{Duration, Instant};
use std::hint::black_box;

fn overload(requests: u64) -> Model {
    let client = Client {
        arrivals: Arrivals::Poisson { rate: Profile::steady(requests as f64 / 125.0) },
        requests: Some(requests),
        ..Client::new("web", vec![0])
    };
    let service = Service {
        workers: Some((requests / 10_000).max(1) as u32),
        service_time: Law::Exponential { mean: Duration::from_millis(10) },
        ..Service::new("api")
    };
    let backoff =
        Backoff::new(Strategy::FullJitter, Duration::from_millis(100), Duration::from_secs(1));
    let edge = Edge {
        timeout: Some(Law::Constant(Duration::from_millis(500))),
        retry: RetryPolicy { max_attempts: Some(3), backoff, ..RetryPolicy::NEVER },
        ..Edge::new(Caller::Client(0), 0, 1)
    };
    let outage = Fault {
        name: "outage".into(),
        target: Target::Service { service: 0, instance: None, effect: Effect::Hang },
        from: Instant::ZERO + Duration::from_secs(20),
        until: Instant::ZERO + Duration::from_secs(30),
    };
    Model {
        faults: vec![outage],
        most_live: 100_000_000,
        ..Model::new(vec![client], vec![service], vec![edge])
    }
}

fn run(model: &Model) -> Outcome {
    let mut world = World::new(model, 0);
    while world.advance(u64::MAX).expect("no limit is reached") {}
    world.finish().expect("counts are conserved")
}

/// The most memory that the process ever had, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

fn main() {
    let given = std::env::args().find_map(|argument| argument.parse().ok());
    let requests: u64 = given.unwrap_or(1_000_000);
    // What the program needs by itself, without anyone who waits.
    black_box(run(&overload(10_000.min(requests))));
    let before = peak_memory();
    let model = overload(requests);
    let (mut best, mut outcome) = (f64::INFINITY, None);
    for _ in 0..3 {
        let start = std::time::Instant::now();
        outcome = Some(run(&model));
        best = best.min(start.elapsed().as_secs_f64());
    }
    let outcome = outcome.expect("it ran three times");
    let (edge, service) = (&outcome.edges[0], &outcome.services[0]);
    // An arrival, a retry, a timeout that fires and a completion are events; every
    // attempt is completed in the end.
    let events = outcome.requests + edge.retries + edge.timed_out + edge.attempts;
    assert_eq!(outcome.requests, requests, "every request was sent");
    assert_eq!(edge.answered, outcome.answered, "each is answered once");
    // Beside these there are the two ends of the outage, and the work that stood
    // still in it comes to its end twice.
    let workers = u64::from(model.services[0].workers.unwrap_or(0));
    assert!((events..=events + 2 + workers).contains(&outcome.events), "nothing else happened");
    println!("{requests} requests, {} attempts, {events} events", edge.attempts);
    println!("{:.1} million events a second and core", events as f64 / best / 1e6);
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        let each = (after - before) as f64 / service.peak_queue as f64;
        println!("{} attempts wait at most: {each:.0} bytes each", service.peak_queue);
    }
}
