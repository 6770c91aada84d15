//! How fast a storm runs: a crowd of clients that fail together and retry five
//! times, under each strategy. Prints retries per second and core, and the
//! memory, which must not grow with attempts already made.
//!
//! `cargo bench --bench storm` runs a million clients; `-- 10000` that many.

use retry_storm::model::spec::{Arrivals, Caller, Client, Edge, Model, Service};
use retry_storm::model::{Outcome, World};
use retry_storm::policy::{Backoff, RetryPolicy, Strategy};
use retry_storm::time::Duration;
use std::time::Instant;

fn storm(clients: u64, strategy: Strategy) -> Model {
    let backoff = Backoff::new(strategy, Duration::from_millis(100), Duration::from_secs(1));
    let client = Client {
        processes: clients,
        arrivals: Arrivals::TOGETHER,
        requests: Some(clients),
        ..Client::new("app", vec![0])
    };
    let shop = Service { fails: 1.0, ..Service::new("shop") };
    let retry = RetryPolicy { max_attempts: Some(6), backoff, ..RetryPolicy::NEVER };
    let edge = Edge { retry, ..Edge::new(Caller::Client(0), 0, 1) };
    Model { seed: 2026, most_live: 100_000_000, ..Model::new(vec![client], vec![shop], vec![edge]) }
}

fn run(model: &Model) -> Outcome {
    let mut world = World::new(model, 0);
    while world.advance(u64::MAX).expect("no limit is reached") {}
    world.finish().expect("counts are conserved")
}

/// Runs the storm until a second has passed, and gives the last outcome and
/// the mean seconds of a run.
fn measure(model: &Model) -> (Outcome, f64) {
    let start = Instant::now();
    let mut runs = 0.0;
    loop {
        let outcome = run(model);
        runs += 1.0;
        let seconds = start.elapsed().as_secs_f64();
        if seconds >= 1.0 {
            return (outcome, seconds / runs);
        }
    }
}

/// The most memory that the process ever had, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}

fn main() {
    let given = std::env::args().find_map(|argument| argument.parse().ok());
    let clients: u64 = given.unwrap_or(1_000_000);
    println!("{clients} clients, 5 retries each, one core");
    println!("{:20} {:>12} {:>12}", "strategy", "retries/s", "busiest");
    for strategy in [
        Strategy::Constant,
        Strategy::Exponential,
        Strategy::FullJitter,
        Strategy::EqualJitter,
        Strategy::DecorrelatedJitter,
    ] {
        let (outcome, seconds) = measure(&storm(clients, strategy));
        let retries = outcome.retries_in_all();
        assert_eq!(retries, 5 * clients, "every client retries five times");
        println!(
            "{:20} {:>10.1} M {:>12}",
            format!("{strategy:?}"),
            retries as f64 / seconds / 1e6,
            outcome.busiest_retries.count
        );
    }
    if let Some(memory) = peak_memory() {
        println!("peak memory {memory}");
    }
    let mut long = storm(clients, Strategy::FullJitter);
    long.edges[0].retry.max_attempts = Some(24);
    let (outcome, _) = measure(&long);
    if let Some(memory) = peak_memory() {
        println!("with 23 retries each, {} in all: {memory}", outcome.retries_in_all());
    }
}
