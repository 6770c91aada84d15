//! Keys of a policy that do nothing where they stand.

use crate::policy::{Backoff, Family};
use crate::scenario::report::{Problem, Report};
use crate::scenario::view::View;

/// Warns of keys about waits that the shape of the waits does not use.
pub(super) fn check(view: &View<'_>, backoff: &Backoff, has_preset: bool, report: &mut Report) {
    if !view.has("backoff") && !has_preset {
        for name in WAITS {
            if view.has(name) {
                let title = format!("`{name}` has no effect without `backoff`");
                let problem = Problem::new(title, "not used: the policy retries at once");
                let help = "add backoff = \"full-jitter\", or another shape of waits";
                report.warning(view.span_of(name), problem.help(help));
            }
        }
        return;
    }
    let family = &backoff.family;
    let own_chance = matches!(
        family,
        Family::Random(_)
            | Family::Decorrelated
            | Family::FinagleDecorrelated
            | Family::FinagleExponential
            | Family::FinagleEqual
            | Family::PollyV2
    );
    let at_once = matches!(family, Family::None);
    let no_jitter = if at_once { "it retries at once" } else { "it has a chance of its own" };
    for (name, used, help) in [
        ("step", matches!(family, Family::Linear { .. }), "only backoff = \"linear\" has steps"),
        ("waits", matches!(family, Family::Table(_)), "only backoff = \"table\" has a list"),
        ("wait", matches!(family, Family::Random(_)), "only backoff = \"random\" has a law"),
        ("jitter", !own_chance && !at_once, no_jitter),
    ] {
        if view.has(name) && !used && view.is_sound() {
            let title = match view.word("backoff") {
                Some(word) if view.has("backoff") => {
                    format!("`{name}` has no effect with backoff = \"{word}\"")
                }
                _ => format!("`{name}` has no effect on the waits of this policy"),
            };
            report.warning(view.span_of(name), Problem::new(title, "not used").help(help));
        }
    }
}

/// Keys that say something about waits.
const WAITS: &[&str] = &[
    "base",
    "throttled_base",
    "factor",
    "first_exponent",
    "step",
    "waits",
    "wait",
    "cap",
    "least",
    "clamp",
    "jitter",
    "first_wait",
    "at_cap",
    "round",
];

/// Warns of a base that the cap makes meaningless.
pub(super) fn base_above_cap(view: &View<'_>, backoff: &Backoff, report: &mut Report) {
    let (base, cap) = (backoff.base, backoff.cap);
    let grows = !matches!(backoff.family, Family::None | Family::Table(_) | Family::Random(_));
    if base > cap && grows {
        let name = if view.has("base") { "base" } else { "cap" };
        let title = format!("`base` ({base}) is above `cap` ({cap})");
        let problem = Problem::new(title, "longer than the cap");
        let help = format!("no wait is longer than {cap}");
        report.warning(view.span_of(name), problem.help(help));
    }
}
