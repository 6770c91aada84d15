//! Load: queues that only grow, and runs that take very long. Both run, and
//! both are most often a slip, so they are warnings.

use super::build::{Notes, Places};
use super::graph::all_have_deadlines;
use super::keys::grouped;
use super::report::{Problem, Report};
use super::text::Span;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Arrivals, Client, Edge, Fault, Pause, Profile, Queue, Service, Target};
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// A queue of fewer attempts than this at the end of a run is no trouble.
const LONG_QUEUE: f64 = 1_000.0;

/// More attempts than this take long: some hundred thousand a second at worst,
/// some million at best, are simulated.
const MANY_ATTEMPTS: f64 = 2e9;

/// Warns of queues that grow without bound, and notes how much there is to do.
/// `order` has services after those they call.
pub(super) fn check(
    model: &Model,
    places: &Places,
    order: &[usize],
    report: &mut Report,
    notes: &mut Notes,
) {
    let sound = &places.sound;
    if !(sound.clients.iter().chain(&sound.services).chain(&sound.edges)).all(|&sound| sound) {
        return;
    }
    let held = held(model, order);
    notes.attempts += attempts(model, &held);
    // Requests a second, of those clients that do not wait for answers.
    let rates: Vec<f64> = model.clients.iter().map(|client| rate(client, model.duration)).collect();
    let offered = |of_call: &dyn Fn(&Edge) -> f64| {
        model.expected_attempts(|client, share| rates[client] * share, of_call)
    };
    let (once, worst) = (offered(&|_| 1.0), offered(&most_attempts));
    let growing = growing(model);
    for (number, service) in model.services.iter().enumerate() {
        let Some(workers) = service.workers.filter(|_| growing[number]) else { continue };
        let workers = f64::from(workers) * f64::from(service.instances);
        let load = Load { rate: once[number], retried: worst[number], held: held[number], workers };
        if let Some(problem) = load.problem(&service.name, length(model, &rates)) {
            report.warning(places.services[number], problem);
        }
    }
}

/// What comes to a service and what it can serve.
struct Load {
    /// Attempts a second, if nothing fails.
    rate: f64,
    /// Attempts a second, if everything is retried.
    retried: f64,
    /// How long an attempt holds a worker, in seconds.
    held: f64,
    /// Workers of all instances.
    workers: f64,
}

impl Load {
    /// The warning that more comes than can be served in a run of so many
    /// seconds, if it makes a long queue.
    fn problem(&self, name: &str, seconds: f64) -> Option<Problem> {
        let Self { rate, retried, held, workers } = *self;
        let served = workers / held;
        let waiting = (rate - served) * seconds;
        if !served.is_finite() || waiting.is_nan() || waiting < LONG_QUEUE {
            return None;
        }
        let title = format!("more comes to `{name}` than it can serve, and its queue has no limit");
        let held = Duration::from_nanos_f64(held * NANOS_PER_SECOND as f64);
        let load = rate / served;
        let label = format!("{rate:.0} /s \u{d7} {held} / {workers} workers = {load:.2}");
        let times = retried / rate;
        let retries = match times {
            f64::INFINITY => "; retries have no limit at all".to_owned(),
            times if times > 1.0 => format!("; with all retries {times:.0} times as many come"),
            _ => String::new(),
        };
        let help = format!(
            "about {} wait at the end{retries}: add `workers`, lower the rate, or limit the queue",
            grouped(waiting as u64)
        );
        Some(Problem::new(title, label).help(help))
    }
}

/// Whether nothing bounds the queue of each service.
fn growing(model: &Model) -> Vec<bool> {
    // Whether all that wait there leave in the end.
    let mut leave = vec![true; model.services.len()];
    let has_deadline = all_have_deadlines(model);
    for edge in &model.edges {
        leave[edge.target] &= edge.timeout.is_some() || has_deadline(edge);
    }
    let grows = |(service, leave): (&Service, bool)| {
        let Queue { limit, timeout, codel, .. } = &service.queue;
        let bounded = limit.is_some() || timeout.is_some() || codel.is_some();
        let leaves = service.cancels && leave;
        !bounded && !leaves
    };
    model.services.iter().zip(leave).map(grows).collect()
}

/// The most attempts of a call.
fn most_attempts(edge: &Edge) -> f64 {
    edge.retry.max_attempts.map_or(f64::INFINITY, f64::from)
}

/// Requests a second of a client that does not wait for answers: the mean over
/// the run, or what the rate comes to in the end.
fn rate(client: &Client, duration: Option<Duration>) -> f64 {
    let (Arrivals::Poisson { rate } | Arrivals::Constant { rate }) = &client.arrivals else {
        return 0.0;
    };
    match duration {
        Some(duration) => rate.expected(Instant::ZERO + duration) / duration.as_secs_f64(),
        None => rate.pieces.last().map_or(0.0, |last| last.rate),
    }
}

/// How long requests arrive, in seconds, as far as rates say it.
fn length(model: &Model, rates: &[f64]) -> f64 {
    let of_client = |(client, rate): (&Client, &f64)| match client.requests {
        Some(requests) if *rate > 0.0 => requests as f64 / rate,
        _ => 0.0,
    };
    let longest = model.clients.iter().zip(rates).map(of_client).fold(0.0, f64::max);
    model.duration.map_or(longest, |duration| {
        let all = duration.as_secs_f64();
        if longest > 0.0 { longest.min(all) } else { all }
    })
}

/// How long an attempt holds a worker of each service, in seconds, if it never
/// waits for one and nothing fails. `order` has services after those they call.
fn held(model: &Model, order: &[usize]) -> Vec<f64> {
    let seconds = |law: &Law| law.mean_nanos() / NANOS_PER_SECOND as f64;
    let mut held = vec![0.0; model.services.len()];
    for &number in order {
        let Service { service_time, slowdown, calls, .. } = &model.services[number];
        let of_call = |&edge: &usize| {
            let Edge { target, timeout, there, back, .. } = &model.edges[edge];
            let whole = seconds(there) + held[*target] + seconds(back);
            timeout.as_ref().map_or(whole, |timeout| whole.min(seconds(timeout)))
        };
        let below: f64 = calls.iter().map(of_call).sum();
        held[number] = seconds(service_time) * (1.0 + slowdown) + below;
    }
    held
}

/// The attempts of a run, if nothing fails.
fn attempts(model: &Model, held: &[f64]) -> f64 {
    let requests = |number: usize| requests(model, number, held);
    let all = model.expected_attempts(|client, share| requests(client) * share, |_| 1.0);
    all.iter().sum()
}

/// About how many requests a client sends.
fn requests(model: &Model, number: usize, held: &[f64]) -> f64 {
    let client = &model.clients[number];
    let most = client.requests.map_or(f64::INFINITY, |requests| requests as f64);
    let Some(duration) = model.duration.map(Duration::as_secs_f64) else {
        return if most.is_finite() { most } else { 0.0 };
    };
    let end = Instant::ZERO + Duration::from_nanos_f64(duration * NANOS_PER_SECOND as f64);
    let cycles = |processes: f64, pause: f64| {
        let calls = client.kinds.first().map_or(&[][..], |kind| &kind.calls);
        let time: f64 = calls.iter().map(|&edge| held[model.edges[edge].target]).sum();
        processes * duration / (pause + time).max(1e-9)
    };
    let sent = match &client.arrivals {
        Arrivals::Poisson { rate } | Arrivals::Constant { rate } => {
            let surge = |rate: Profile, fault: &Fault| match fault.target {
                Target::Surge { client, factor } if client == number => {
                    rate.surged(fault.from, fault.until, factor)
                }
                _ => rate,
            };
            model.faults.iter().fold(rate.clone(), surge).expected(end)
        }
        Arrivals::OneByOne => cycles(1.0, 0.0),
        Arrivals::Closed { pause: Pause::Think(law) | Pause::Every(law) } => {
            cycles(client.processes as f64, law.mean_nanos() / NANOS_PER_SECOND as f64)
        }
        Arrivals::Together { .. } | Arrivals::Trace(_) => most,
    };
    sent.min(most)
}

/// Warns of a scenario that takes very long.
pub(super) fn warn(notes: &Notes, report: &mut Report) {
    if notes.attempts <= MANY_ATTEMPTS {
        return;
    }
    let title = format!(
        "{:.0e} attempts in all, even if nothing fails: this may take hours",
        notes.attempts
    );
    let problem = Problem::new(title, "").help("lower `duration`, rates, `requests` or `count`");
    report.warning(Span::new(0, &(0..0)), problem);
}
