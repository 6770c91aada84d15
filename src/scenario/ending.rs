//! When requests start and when the run ends: what `arrivals`, `rate`,
//! `requests`, `duration` and `warmup` mean together.

use super::quantity::LONGEST;
use super::report::{Problem, Report};
use super::text::Span;
use super::view::View;
use crate::model::spec::{Arrivals, Client, Profile};

/// The most requests that a client may be expected to send.
const MOST_REQUESTS: f64 = 1e10;

/// When a client's requests start; reports keys that do not fit.
pub(super) fn arrivals(view: &View<'_>, report: &mut Report) -> Arrivals {
    view.require("arrivals", "arrivals = \"poisson\"", report);
    let Some(word) = view.word("arrivals") else { return Arrivals::OneByOne };
    if matches!(word, "poisson" | "constant") {
        view.require("rate", "rate = \"800 /s\"", report);
    } else {
        let help = "only arrivals = \"poisson\" and \"constant\" have a rate";
        unused(view, "rate", word, help, report);
    }
    if word == "together" {
        let help = "each of `count` clients sends one request";
        unused(view, "requests", word, help, report);
    }
    let rate = view.rate("rate").unwrap_or(1.0);
    match word {
        "together" => Arrivals::TOGETHER,
        "poisson" => Arrivals::Poisson { rate: Profile::steady(rate) },
        "constant" => Arrivals::Constant { rate: Profile::steady(rate) },
        _ => Arrivals::OneByOne,
    }
}

fn unused(view: &View<'_>, key: &str, word: &str, help: &str, report: &mut Report) {
    if view.has(key) {
        let title = format!("`{key}` has no effect with arrivals = \"{word}\"");
        report.warning(view.span_of(key), Problem::new(title, "not used").help(help));
    }
}

/// Whether anything is left to measure after the warm-up.
pub(super) fn warm_up(whole: &View<'_>, report: &mut Report) {
    let (Some(duration), Some(warmup)) = (whole.time("duration"), whole.time("warmup")) else {
        return;
    };
    if warmup >= duration {
        let problem = Problem::new("the warm-up is not shorter than the run", "nothing is left")
            .help(format!("`duration` is {duration}; metrics leave out what is before `warmup`"));
        report.error(whole.span_of("warmup"), problem);
    }
}

/// Whether a client's requests end, and after how much. `whole` is the top
/// level of the scenario.
pub(super) fn client(client: &Client, whole: &View<'_>, span: Span, report: &mut Report) {
    let name = &client.name;
    if client.requests.is_none() && !whole.has("duration") {
        let title = format!("the run has no end: `{name}` sends requests for ever");
        let problem = Problem::new(title, "neither `requests` nor `duration`")
            .help("give the client `requests = 10_000`, or the scenario `duration = \"60 s\"`");
        report.error(span, problem);
    }
    let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = &client.arrivals else {
        return;
    };
    let Some(rate) = rate.steady_rate() else { return };
    let seconds = whole.time("duration").unwrap_or_default().as_secs_f64();
    match client.requests {
        None if rate * seconds > MOST_REQUESTS => {
            let title = format!("`{name}` would send {:.0e} requests", rate * seconds);
            let problem = Problem::new(title, "too many requests")
                .help("at most 10_000_000_000: lower `rate` or `duration`, or give `requests`");
            report.error(span, problem);
        }
        Some(requests) if requests as f64 / rate > LONGEST.as_secs_f64() => {
            let title = format!("the requests of `{name}` take more than ten years");
            let problem = Problem::new(title, "too slow").help("raise `rate` or lower `requests`");
            report.error(span, problem);
        }
        _ => {}
    }
}
