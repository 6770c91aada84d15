//! When a run ends: what `arrivals`, `rate`, `requests`, `duration` and
//! `warmup` mean together, and how many requests there are by then.

use super::build::Places;
use super::quantity::{HIGHEST_RATE, LONGEST};
use super::report::{Problem, Report};
use super::text::Span;
use super::view::View;
use crate::model::Model;
use crate::model::spec::{Arrivals, Client, Profile, Target};
use crate::time::Instant;

/// The most requests that a client may be expected to send.
const MOST_REQUESTS: f64 = 1e10;

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

/// Whether the requests of all clients end, and after how many. `has_duration`
/// says whether a duration was typed, right or not.
pub(super) fn check(model: &Model, places: &Places, has_duration: bool, report: &mut Report) {
    for (number, client) in model.clients.iter().enumerate() {
        if !places.sound.clients[number] {
            continue;
        }
        let span = places.clients[number];
        let rate = surged(model, number, places, report);
        let ends = client.requests.is_some() || rate.as_ref().is_some_and(Profile::ends);
        if !ends && !has_duration {
            let name = &client.name;
            let title = format!("the run has no end: `{name}` sends requests for ever");
            let problem = Problem::new(title, "neither `requests` nor `duration`")
                .help("give the client `requests = 10_000`, or the scenario `duration = \"60 s\"`");
            report.error(span, problem);
        }
        if let Some(rate) = rate {
            amount(client, &rate, model, span, report);
        }
    }
}

/// The rate of a client with all its surges, if it has one; reports a surge
/// that is too strong for the clock.
fn surged(model: &Model, client: usize, places: &Places, report: &mut Report) -> Option<Profile> {
    let Client { name, arrivals, .. } = &model.clients[client];
    let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = arrivals else { return None };
    let mut rate = rate.clone();
    for (fault, &span) in model.faults.iter().zip(&places.faults) {
        let Target::Surge { client: struck, factor } = fault.target else { continue };
        if struck != client {
            continue;
        }
        let surged = rate.surged(fault.from, fault.until, factor);
        if surged.peak() > HIGHEST_RATE {
            let title = format!("the surge makes the rate of `{name}` {:.0e} /s", surged.peak());
            let problem = Problem::new(title, "too high")
                .help("at most 1_000_000_000 /s: lower `factor`, or the `rate` of the client");
            report.error(span, problem);
            return None;
        }
        rate = surged;
    }
    Some(rate)
}

/// Whether a client with a rate sends neither too many requests nor fewer than
/// it is asked to.
fn amount(client: &Client, rate: &Profile, model: &Model, span: Span, report: &mut Report) {
    let name = &client.name;
    let end = model.duration.map_or(Instant::NEVER, |duration| Instant::ZERO + duration);
    let Some(requests) = client.requests else {
        let expected = rate.expected(end);
        if expected > MOST_REQUESTS && (model.duration.is_some() || rate.ends()) {
            let title = format!("`{name}` would send {expected:.0e} requests");
            let problem = Problem::new(title, "too many requests")
                .help("at most 10_000_000_000: lower `rate` or `duration`, or give `requests`");
            report.error(span, problem);
        }
        return;
    };
    let expected = rate.expected(Instant::ZERO + LONGEST);
    if model.duration.is_some() || expected >= requests as f64 {
        return;
    }
    if rate.ends() {
        let title = format!("`{name}` sends about {expected:.0} of {requests} requests");
        let problem = Problem::new(title, "the rate ends at 0")
            .help("leave `requests` out, or let the last step of `rate` be above 0");
        report.warning(span, problem);
    } else {
        let title = format!("the requests of `{name}` take more than ten years");
        let problem = Problem::new(title, "too slow").help("raise `rate` or lower `requests`");
        report.error(span, problem);
    }
}
