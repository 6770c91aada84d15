//! How far a run has come, for somebody who watches. The only place that reads
//! a clock.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Shorter runs show nothing: a bar that flashes up is a disturbance.
const PATIENCE: Duration = Duration::from_millis(500);

/// Steps of the bar.
const STEPS: u64 = 1_000;

/// A bar on standard error that appears when a run takes long. It is never
/// drawn where there is no terminal.
pub(super) struct Progress {
    begun: Instant,
    bar: OnceLock<ProgressBar>,
    wanted: bool,
}

impl Progress {
    /// Starts the clock.
    pub(super) fn begin(wanted: bool) -> Self {
        Self { begun: Instant::now(), bar: OnceLock::new(), wanted }
    }

    /// The share that is done, from 0 to 1.
    pub(super) fn set(&self, done: f64) {
        if self.wanted && self.begun.elapsed() >= PATIENCE {
            let position = (done * STEPS as f64) as u64;
            self.bar.get_or_init(|| bar(self.begun)).set_position(position);
        }
    }

    /// Removes the bar, and says how long it took.
    pub(super) fn end(self) -> Duration {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
        self.begun.elapsed()
    }
}

fn bar(begun: Instant) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %{left}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("left", left));
    bar.with_elapsed(begun.elapsed())
}

/// How long it may still take, once there is anything to guess from.
fn left(state: &ProgressState, to: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // A bar that cannot be drawn is no reason to stop.
        let _ = write!(to, ", {:#} left", HumanDuration(state.eta()));
    }
}
