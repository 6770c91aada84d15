//! A way of waiting of your own, here Fibonacci's, in the simulator and around
//! a call.
//!
//! `cargo run --release --example own_backoff`

use retry_storm::executor::{Executor, Timeouts};
use retry_storm::experiment::run_model;
use retry_storm::policy::{Backoff, Failure, Family, Jitter, RetryPolicy};
use retry_storm::scenario::{ReadOptions, read};
use retry_storm::time::Duration;
use std::error::Error;
use std::ops::ControlFlow;

const CROWD: &str = r#"
[client.app]
calls    = "shop"
arrivals = "together"
count    = 5_000
retry    = { max_attempts = 6, backoff = "exponential", base = "100 ms", cap = "1 s" }
[service.shop]
fails = "always"
"#;

/// 100, 200, 300, 500, 800 ms and so on: any list can be a backoff. Cap,
/// jitter and rounding are steps of their own and go with any family.
fn fibonacci() -> Backoff {
    let mut waits = vec![Duration::from_millis(100), Duration::from_millis(200)];
    while waits.len() < 20 {
        waits.push(waits[waits.len() - 2] + waits[waits.len() - 1]);
    }
    Backoff {
        family: Family::Table(waits.into()),
        jitter: Jitter::EQUAL,
        cap: Duration::from_secs(10),
        ..Backoff::NONE
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // In the simulator: whatever the scenario says of the waits, these are used.
    let read = read(CROWD, &ReadOptions::default()).map_err(|wrong| wrong.render(false))?;
    let mut model = read.scenario.variants[0].model.clone();
    model.edges[0].retry.backoff = fibonacci();
    let outcome = run_model(&model, 0, |_| ControlFlow::Continue(()))?;
    println!("{} retries in the busiest 10 ms", outcome.busiest_retries.count);

    // Around a call that is refused twice. To keep the example short it prints
    // its waits rather than sleep.
    let policy = RetryPolicy { max_attempts: Some(6), backoff: fibonacci(), ..RetryPolicy::NEVER };
    let executor = Executor::new(policy, Timeouts::NONE)?;
    let executor = executor.sleep(|wait: Duration| println!("waits {wait}"));
    let answer = executor.call(
        |result| result.is_err().then(|| Failure::Connection.into()),
        |attempt| if attempt.number < 3 { Err("refused") } else { Ok("hello") },
    );
    println!("{answer:?}");
    Ok(())
}
