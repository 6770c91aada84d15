//! When the requests of a client start: what `arrivals` and the keys that go
//! with its words mean together. When they end is the ending's business.

use super::data::Data;
use super::keys::STEP;
use super::law::law;
use super::report::{Problem, Report};
use super::values::{self, short};
use super::view::View;
use crate::law::Law;
use crate::model::spec::{Arrivals, Pause, Piece, Profile};
use crate::time::{Duration, Instant};

/// The keys that only some words of `arrivals` use, and why the others do not.
const OWN_KEYS: [(&str, &[&str], &str); 5] = [
    ("rate", &["poisson", "constant"], "only arrivals = \"poisson\" and \"constant\" have a rate"),
    ("spread", &["together"], "only arrivals = \"together\" are spread"),
    ("think_time", &["closed"], "only arrivals = \"closed\" wait between requests"),
    ("every", &["closed"], "only arrivals = \"closed\" wait between requests"),
    ("file", &["trace"], "only arrivals = \"trace\" are read from a file"),
];

/// When a client's requests start; reports keys that do not fit.
pub(super) fn arrivals(view: &View<'_>, data: &mut Data<'_>, report: &mut Report) -> Arrivals {
    view.require("arrivals", "arrivals = \"poisson\"", report);
    let Some(word) = view.word("arrivals") else { return Arrivals::OneByOne };
    for (key, words, help) in OWN_KEYS {
        if !words.contains(&word) {
            view.idle(key, ("arrivals", word), help, report);
        }
    }
    match word {
        "together" => {
            let help = "each of `count` clients sends one request";
            view.idle("requests", ("arrivals", word), help, report);
            Arrivals::Together { spread: view.time("spread").unwrap_or_default() }
        }
        "poisson" => Arrivals::Poisson { rate: profile(view, report) },
        "constant" => Arrivals::Constant { rate: profile(view, report) },
        "closed" => Arrivals::Closed { pause: pause(view, data, report) },
        "trace" => trace(view, data, report),
        _ => Arrivals::OneByOne,
    }
}

fn pause(view: &View<'_>, data: &mut Data<'_>, report: &mut Report) -> Pause {
    if view.has("every") && view.has("think_time") {
        let problem = Problem::new("`every` stands beside `think_time`", "one too many")
            .help("leave one of them out: the next request starts a while after the last one ended, or after it started");
        report.error(view.span_of("every"), problem);
        view.set_broken();
    }
    let mut law = |name| law(view, name, data, report);
    match law("every") {
        Some(every) => Pause::Every(every),
        None => Pause::Think(law("think_time").unwrap_or(Law::Constant(Duration::ZERO))),
    }
}

fn trace(view: &View<'_>, data: &mut Data<'_>, report: &mut Report) -> Arrivals {
    view.require("file", "file = \"arrivals.csv\"", report);
    let span = view.span_of("file");
    let trace = view.file("file").and_then(|path| data.trace(path, span, report));
    let Some(trace) = trace else {
        view.set_broken();
        return Arrivals::OneByOne;
    };
    let count = view.whole("count").unwrap_or(1);
    if let Some((process, line)) = trace.highest.filter(|(process, _)| *process >= count) {
        let file = short(view.file("file").unwrap_or_default());
        let title = format!("line {line} of {file} is of client {process}, and `count` is {count}");
        let problem = Problem::new(title, "more clients than there are");
        report.error(
            span,
            problem.help(format!(
                "clients are numbered from 0: set count = {}",
                process.saturating_add(1)
            )),
        );
        view.set_broken();
    }
    Arrivals::Trace(trace.starts)
}

/// The rate in the course of time.
fn profile(view: &View<'_>, report: &mut Report) -> Profile {
    view.require("rate", "rate = \"800 /s\"", report);
    let Some(node) = view.node("rate") else { return Profile::steady(1.0) };
    let Some(entries) = node.list() else {
        let rate = view.read(values::rate("rate", node, false));
        return Profile::steady(rate.unwrap_or(1.0));
    };
    let mut course = Course { pieces: Vec::new(), last: None, over: Instant::ZERO };
    for entry in entries {
        let Some(table) = entry.table() else {
            view.set_broken();
            continue;
        };
        let step = View::new(&STEP, table, entry.span);
        course.add(&step, report);
        view.take_over(&step);
    }
    if view.is_sound() && course.pieces.iter().all(|piece| piece.rate == 0.0) {
        let problem = Problem::new("`rate` is never above 0", "no requests at all")
            .help("leave the client out if it sends nothing");
        report.error(node.span, problem);
        view.set_broken();
    }
    if view.is_sound() { Profile { pieces: course.pieces } } else { Profile::steady(1.0) }
}

/// A rate while its steps and ramps are added one after another.
struct Course {
    pieces: Vec<Piece>,
    /// Where the last step or ramp begins, and where it is over.
    last: Option<Instant>,
    over: Instant,
}

impl Course {
    fn add(&mut self, step: &View<'_>, report: &mut Report) {
        step.require("from", "from = \"10 s\"", report);
        step.require("rate", "rate = \"800 /s\"", report);
        let (from, rate) = (step.time("from"), step.rate("rate"));
        let ramp = step.time("ramp").unwrap_or_default();
        let (Some(from), Some(rate)) = (from, rate) else { return };
        let from = Instant::ZERO + from;
        if self.last.is_some_and(|last| from <= last) || from < self.over {
            report.error(step.span_of("from"), self.out_of_turn(from));
            step.set_broken();
            return;
        }
        let before = self.pieces.last().map_or(0.0, |piece| piece.rate);
        if self.pieces.is_empty() && from > Instant::ZERO {
            self.push(Instant::ZERO, 0.0, 0.0);
        }
        if !ramp.is_zero() {
            self.push(from, before, (rate - before) / ramp.as_secs_f64());
        }
        self.push(from + ramp, rate, 0.0);
        (self.last, self.over) = (Some(from), from + ramp);
    }

    /// A piece from where the last one ends; one of no length is left out.
    fn push(&mut self, from: Instant, rate: f64, slope: f64) {
        if self.pieces.last().is_some_and(|last| last.from == from) {
            self.pieces.pop();
        }
        self.pieces.push(Piece { from, rate, slope });
    }

    fn out_of_turn(&self, from: Instant) -> Problem {
        let since_start = |at: Instant| at.since(Instant::ZERO);
        let (from, over) = (since_start(from), since_start(self.over));
        let title = format!("the step at {from} is not after the one before, which ends at {over}");
        Problem::new(title, "too early").help(
            "list steps and ramps in ascending order, each ramp shorter than the time to the next",
        )
    }
}
