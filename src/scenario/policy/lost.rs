//! Jitter that does nothing: what chance spreads, a cap or a timer gathers again.

use crate::policy::RetryPolicy;
use crate::policy::backoff::{Clamp, First};
use crate::scenario::report::{Problem, Report};
use crate::scenario::view::View;

/// Warns of waits that are all the same though a draw should spread them.
pub(super) fn check(view: &View<'_>, policy: &RetryPolicy, report: &mut Report) {
    if !view.is_sound() {
        return;
    }
    let backoff = &policy.backoff;
    // A first wait without jitter is meant, even if there is no other.
    let meant = |retry: u32| retry == 1 && backoff.first != First::Jittered;
    let Some(first) = policy.jitter_lost().filter(|&retry| !meant(retry)) else { return };
    let Some(waits) = backoff.ranges().nth(first as usize - 1) else { return };
    let wait = waits.wait.low;
    let from = if first == 1 { String::new() } else { format!(" from retry {first} on") };
    let title = format!("the jitter is lost{from}: every wait is exactly {wait}");
    let help = match (wait == backoff.cap, backoff.clamp) {
        (true, Clamp::After | Clamp::Both) if backoff.base < backoff.cap => {
            "clamp = \"before-jitter\" cuts the ceiling, and jitter spreads what is left"
        }
        (true, _) => "a `cap` well above `base` leaves room for jitter",
        (false, _) => "waits this short end on the same step of the timer: look at `round`",
    };
    let keys = ["clamp", "cap", "round", "jitter", "backoff"];
    let name = keys.into_iter().find(|name| view.has(name)).unwrap_or_default();
    let problem = Problem::new(title, "all callers wait in step").help(help);
    report.warning(view.span_of(name), problem);
}
