//! Work that a person watches: on as many threads as are asked for, with
//! progress, until a signal asks to stop.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use retry_storm::experiment::{self, Observer};

use super::Failure;
use super::progress::Progress;
use crate::cli::Options;

/// What came of the work, and what it took.
pub(super) struct Watched<T> {
    pub(super) result: T,
    pub(super) seconds: f64,
    pub(super) threads: usize,
}

/// Does the work, which tells its observer how far it is.
///
/// # Errors
/// If the threads cannot be started.
pub(super) fn watched<T: Send>(
    options: &Options,
    stop: &AtomicBool,
    work: impl FnOnce(&Observer) -> T + Send,
) -> Result<Watched<T>, Failure> {
    let progress = Progress::begin(!options.quiet);
    let observe = |reached: experiment::Progress| {
        progress.set(reached.done);
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let threads = usize::from(options.threads.unwrap_or(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::Limit(format!("cannot start {threads} threads: {error}; try a smaller --threads"))
    })?;
    let result = pool.install(|| work(&observe));
    let seconds = progress.end().as_secs_f64();
    Ok(Watched { result, seconds, threads: pool.current_num_threads() })
}
