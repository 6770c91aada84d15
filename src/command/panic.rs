//! The last line of defence: a panic is a mistake in this program, and is told
//! as one.

use std::any::Any;
use std::panic::{self, UnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Failure, terminal};

/// What was being done, as far as it is needed to do it again.
static TASK: Mutex<Option<String>> = Mutex::new(None);

/// Several threads may fail of one cause; the first has said enough.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Remembers what is being done, for the report of a bug.
pub(super) fn remember(file: &str, seed: u64) {
    let mut task = TASK.lock().unwrap_or_else(PoisonError::into_inner);
    *task = Some(format!("scenario {file}, seed {seed}"));
}

/// The report of a bug.
pub(super) fn bug(what: &str) -> String {
    let task = TASK.lock().unwrap_or_else(PoisonError::into_inner);
    let task = task.as_deref().map(|task| format!("\n  = with: {task}")).unwrap_or_default();
    format!(
        "a bug in this program: {what}{task}\n  = with: sim {}\n  = help: please report it, \
         with the scenario file and these lines",
        env!("CARGO_PKG_VERSION")
    )
}

/// Does something; if it panics, says so as a bug and gives the exit code.
pub(crate) fn guarded(work: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    panic::set_hook(Box::new(|info| {
        if !TOLD.swap(true, Ordering::Relaxed) {
            let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
            terminal::error(&bug(&format!("{}{place}", message(info.payload()))), None);
        }
    }));
    panic::catch_unwind(work).unwrap_or(Failure::Bug(String::new()).code())
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_says_what_is_needed_to_repeat_it() {
        remember("storm.toml", 2026);
        let bug = bug("counts differ");
        for part in ["counts differ", "scenario storm.toml, seed 2026", env!("CARGO_PKG_VERSION")] {
            assert!(bug.contains(part), "{bug}");
        }
    }
}
