//! The library in ten lines: two backoffs against the same crowd.
//!
//! `cargo run --release --example compare_backoffs`

use retry_storm::experiment;
use retry_storm::scenario::{ReadOptions, read};
use std::error::Error;
use std::ops::ControlFlow;

const CROWD: &str = r#"
[client.app]
calls    = "shop"
arrivals = "together"
count    = 5_000
retry    = { max_attempts = 4, backoff = "exponential", base = "50 ms", cap = "2 s" }
[service.shop]
fails = "always"
[compare]
"client.app.retry.backoff" = ["exponential", "full-jitter"]
"#;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let read = read(CROWD, &ReadOptions::default()).map_err(|wrong| wrong.render(false))?;
    for result in experiment::run(&read.scenario, &|_| ControlFlow::Continue(()))? {
        let peak = result.outcome.busiest_retries;
        println!("{}: {} retries in the busiest 10 ms", result.name, peak.count);
    }
    Ok(())
}
