//! Signals that ask to stop.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen to signals, and gives the flag that they set. Before this
/// a signal ends the program at once, which is right as long as there is
/// nothing to clean up. A second signal ends it at once as well; what is left
/// on the disk then is removed by the next run.
pub(super) fn listen() -> &'static AtomicBool {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(super::Failure::Interrupted.code()));
        }
    };
    // If the system has no signals to offer there is nothing to listen to.
    let _ = ctrlc::set_handler(handler);
    &ASKED
}
