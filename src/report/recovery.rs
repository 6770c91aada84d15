//! What becomes of a run after its faults, in words: whether and when goodput
//! comes back, what keeps it away, and what theory says of it.

use super::feedback::{Feedback, feedback};
use super::number::{Plain, fixed, rate};
use super::run::quoted;
use crate::experiment::VariantResult;
use crate::model::Model;
use crate::model::outcome::Outcome;
use crate::model::recovery::{Goodput, Recovery};
use crate::model::spec::{Effect, Fault, Target};
use crate::theory::metastable::Regime;
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// More variants than this are not told one by one.
const MOST_TOLD: usize = 3;

/// How each variant came through its faults, in one or two sentences; of many
/// variants, how many came back, and what keeps the first of the others away.
pub fn recoveries(results: &[VariantResult]) -> Vec<String> {
    let fates: Vec<Fate> = results.iter().filter_map(Fate::of).collect();
    if fates.len() <= MOST_TOLD {
        let alone = results.len() == 1;
        return fates.iter().map(|fate| fate.told(alone)).collect();
    }
    let back = fates.iter().filter_map(|fate| fate.recovered().map(|time| (time, fate)));
    let first = back.clone().min_by_key(|(time, _)| *time).map_or(String::new(), |(time, fate)| {
        format!("; {} is first, after {}", quoted(fate.name), length(time))
    });
    let (number, all, noun) = (back.count(), fates.len(), fates[0].disturbance.noun);
    let mut told = vec![format!("{number} of {all} variants recover from {noun}{first}.")];
    told.extend(fates.iter().find(|fate| fate.recovered().is_none()).map(|fate| fate.told(false)));
    told
}

/// What became of one variant.
pub(super) struct Fate<'r> {
    pub(super) name: &'r str,
    pub(super) disturbance: Disturbance,
    recovery: Recovery,
    goodput: Goodput,
    pressure: Option<Pressure<'r>>,
    feedback: Option<Feedback>,
}

impl<'r> Fate<'r> {
    /// What became of a variant, if there were faults and a goodput to return to.
    pub(super) fn of(result: &'r VariantResult) -> Option<Self> {
        let goodput = result.outcome.goodput?;
        Some(Self {
            name: &result.name,
            disturbance: Disturbance::of(&result.model.faults, result.outcome.ended)?,
            recovery: goodput.recovery?,
            goodput,
            pressure: Pressure::of(&result.model, &result.outcome),
            feedback: feedback(&result.model),
        })
    }

    /// How long after its faults it came back, if it did.
    pub(super) fn recovered(&self) -> Option<Duration> {
        match self.recovery {
            Recovery::At(time) => Some(time),
            Recovery::Never => None,
        }
    }

    /// Whether retries keep it away.
    pub(super) fn retries_hold_it(&self) -> bool {
        !self.disturbance.lasts && self.cause() == Some(Cause::Retries)
    }

    /// Whether next to nothing is answered after the faults.
    pub(super) fn is_down(&self) -> bool {
        const NEXT_TO_NOTHING: f64 = 0.1;
        let Goodput { before, after, .. } = self.goodput;
        before.zip(after).is_some_and(|(before, after)| after < NEXT_TO_NOTHING * before)
    }

    fn told(&self, alone: bool) -> String {
        let who = if alone { "Goodput".to_owned() } else { quoted(self.name) };
        let Disturbance { noun, end, lasts } = self.disturbance;
        let becomes = match self.recovery {
            Recovery::At(Duration::ZERO) => format!("recovers as soon as {noun} {end}"),
            Recovery::At(time) => format!("recovers {} after {noun} {end}", length(time)),
            Recovery::Never if lasts => {
                return format!("{who} does not recover: {noun} lasts to the end of the run.");
            }
            Recovery::Never => self.kept_away(),
        };
        let theory = self.feedback.map_or(String::new(), |theory| self.condition(&theory));
        format!("{who} {becomes}.{theory}")
    }

    /// What keeps it away, as far as that was measured.
    fn kept_away(&self) -> String {
        let Some(pressure) = &self.pressure else {
            let (Goodput { before, after, .. }, noun) = (self.goodput, self.disturbance.noun);
            let before = before.map_or(String::new(), |n| format!(", of {}/s before", rate(n)));
            let after = rate(after.unwrap_or(0.0));
            return format!("never recovers: it is {after}/s after {noun}{before}");
        };
        let [first, load, most] =
            [pressure.first_attempts, pressure.attempts, pressure.capacity].map(rate);
        let at = pressure.service.map_or(String::new(), |name| format!(" at {name}"));
        match self.cause().unwrap_or(Cause::Backlog) {
            Cause::Arrivals => {
                format!("never recovers: {first}/s arrive{at} on a capacity of {most}/s")
            }
            Cause::Retries => format!(
                "never recovers: retries keep the offered load{at} at {load}/s on a capacity of \
                 {most}/s"
            ),
            Cause::Backlog => format!(
                "has not recovered when the run ends: the offered load{at} is {load}/s then, on a \
                 capacity of {most}/s"
            ),
        }
    }

    /// What theory says of a queue in which every attempt times out. It holds
    /// whatever this run shows.
    fn condition(&self, theory: &Feedback) -> String {
        let all = match (theory.attempts, theory.limiting_budget()) {
            (_, Some(retries)) => format!("Requests and {} % retries", percent(retries)),
            (Some(1), None) => "Requests without retries".to_owned(),
            (Some(attempts), None) => format!("All {attempts} attempts of every request"),
            (None, None) => "Attempts without limit".to_owned(),
        };
        let load = match theory.offered() {
            f64::INFINITY => "too many".to_owned(),
            offered => format!("{}/s", rate(offered)),
        };
        let [most, left] = [theory.capacity, theory.capacity - theory.offered()].map(rate);
        match (theory.regime(), self.cause()) {
            (Regime::Overloaded, _) => {
                let arriving = rate(theory.rate);
                format!(" Requests alone are {arriving}/s, more than {most}/s without any fault.")
            }
            (Regime::Stable, None) => format!(
                " {all} are {load}, within the capacity of {most}/s: it recovers from every outage."
            ),
            (Regime::Stable, Some(_)) => format!(
                " {all} are {load}, so the backlog falls by {left}/s: it takes longer than this run."
            ),
            (Regime::Bistable, None | Some(Cause::Backlog)) => format!(
                " {all} are {load}, above the capacity of {most}/s: a longer outage may last for \
                 ever."
            ),
            (Regime::Bistable, Some(_)) => format!(" {all} are {load}: {}.", remedies(theory)),
        }
    }

    /// Why it is not back, if it is not and that was measured.
    fn cause(&self) -> Option<Cause> {
        let pressure = self.pressure.as_ref().filter(|_| self.recovered().is_none())?;
        let drains = self.feedback.is_some_and(|theory| theory.regime() == Regime::Stable);
        Some(if drains { Cause::Backlog } else { pressure.cause() })
    }
}

/// What would let a queue drain that retries keep full.
fn remedies(theory: &Feedback) -> String {
    let attempts = match theory.most_attempts() {
        0 | 1 => "without retries".to_owned(),
        most => format!("with at most {most} attempts"),
    };
    let budget = percent(below(theory.stable_budget() * 100.0) / 100.0);
    let load = theory.stable_load().filter(|_| theory.limiting_budget().is_none());
    match load.map(|load| rate(below(load))) {
        Some(load) => format!(
            "it would recover {attempts}, with a retry budget below {budget} %, or with less than \
             {load}/s of requests"
        ),
        None => format!("it would recover {attempts}, or with a retry budget below {budget} %"),
    }
}

/// What comes to the service that has least room for it, at the end of a run.
struct Pressure<'r> {
    /// Its name, where there are several services.
    service: Option<&'r str>,
    capacity: f64,
    first_attempts: f64,
    attempts: f64,
}

/// Why a queue does not drain, or that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// More arrives than can be done.
    Arrivals,
    /// What arrives could be done, but not the retries as well.
    Retries,
    /// Nothing: what is left of the queue takes its time.
    Backlog,
}

impl<'r> Pressure<'r> {
    fn of(model: &'r Model, outcome: &Outcome) -> Option<Self> {
        let several = model.services.len() > 1;
        let services = model.services.iter().zip(&outcome.services);
        let known = services.filter_map(|(service, seen)| {
            let (capacity, load) = (service.capacity()?, seen.at_last?);
            Some(Pressure {
                service: several.then_some(service.name.as_str()),
                capacity,
                first_attempts: load.first_attempts,
                attempts: load.attempts,
            })
        });
        known.max_by(|a, b| (a.attempts / a.capacity).total_cmp(&(b.attempts / b.capacity)))
    }

    fn cause(&self) -> Cause {
        if self.first_attempts > self.capacity {
            Cause::Arrivals
        } else if self.attempts > self.capacity {
            Cause::Retries
        } else {
            Cause::Backlog
        }
    }
}

/// How sentences call what disturbed a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disturbance {
    /// `the outage`.
    pub(super) noun: &'static str,
    /// `ends`.
    pub(super) end: &'static str,
    /// Whether it lasts to the end of the run.
    pub(super) lasts: bool,
}

impl Disturbance {
    /// The faults of a run together.
    fn of(faults: &[Fault], ended: Instant) -> Option<Self> {
        let mut came = faults.iter().filter(|fault| fault.from < ended);
        let last = came.clone().max_by_key(|fault| fault.until)?;
        let (noun, end) = match (came.nth(1), last.target) {
            (Some(_), _) => ("the last fault", "ends"),
            (None, Target::Surge { .. }) => ("the surge", "ends"),
            (None, Target::Service { effect, .. }) => match effect {
                Effect::Down | Effect::Hang => ("the outage", "ends"),
                Effect::Slow { .. } => ("the slowdown", "ends"),
                Effect::Errors { .. } => ("the errors", "end"),
                Effect::Capacity(_) => ("the change of capacity", "ends"),
                Effect::Restart { .. } => ("the restart", "ends"),
            },
        };
        Some(Self { noun, end, lasts: last.until >= ended })
    }
}

/// A length of time in a sentence: `70 ms`, `3.2 s`, `1,026 s`.
pub(super) fn length(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_nanos() {
        nanos if nanos < NANOS_PER_SECOND => format!("{} ms", fixed(seconds * 1e3, 0)),
        _ if seconds < 99.95 => format!("{} s", fixed(seconds, 1)),
        _ => format!("{} s", fixed(seconds, 0)),
    }
}

/// A share in percent, with a decimal where there is one.
fn percent(share: f64) -> String {
    Plain((share * 1_000.0).round() / 10.0).to_string()
}

/// A limit that is not to be reached: not above it, so that it is true.
fn below(limit: f64) -> f64 {
    let step = if limit >= 100.0 { 1.0 } else { 0.01 };
    // A limit that was meant to be round may be a little less.
    (limit / step + 1e-6).floor() * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, outage_of};

    const NEVER: Recovery = Recovery::Never;

    fn after(millis: u64) -> Recovery {
        Recovery::At(Duration::from_millis(millis))
    }

    /// What is said of one variant without a name.
    fn said(result: &VariantResult) -> String {
        recoveries(std::slice::from_ref(result)).concat()
    }

    #[test]
    fn two_variants_are_told_one_by_one() {
        let told = recoveries(&sample::outage().results);
        assert_eq!(
            told,
            [
                "\"3 attempts, no retry budget\" never recovers: retries keep the offered load at \
                 2,400/s on a capacity of 1,000/s. All 3 attempts of every request are 2,400/s: it \
                 would recover without retries, with a retry budget below 25 %, or with less than \
                 333/s of requests.",
                "\"3 attempts, 10 % retry budget\" recovers 26.3 s after the outage ends. Requests \
                 and 10 % retries are 880/s, within the capacity of 1,000/s: it recovers from every \
                 outage.",
            ]
        );
    }

    #[test]
    fn the_condition_stands_beside_what_happened() {
        for (attempts, rate, load, recovery, words) in [
            (
                2,
                800.0,
                1_590.0,
                NEVER,
                "Goodput never recovers: retries keep the offered load at 1,590/s on a capacity of \
                 1,000/s. All 2 attempts of every request are 1,600/s: it would recover without \
                 retries, with a retry budget below 25 %, or with less than 500/s of requests.",
            ),
            (
                5,
                280.0,
                1_400.0,
                NEVER,
                "Goodput never recovers: retries keep the offered load at 1,400/s on a capacity of \
                 1,000/s. All 5 attempts of every request are 1,400/s: it would recover with at \
                 most 3 attempts, with a retry budget below 257 %, or with less than 200/s of \
                 requests.",
            ),
            (
                2,
                400.0,
                400.0,
                after(3_200),
                "Goodput recovers 3.2 s after the outage ends. All 2 attempts of every request are \
                 800/s, within the capacity of 1,000/s: it recovers from every outage.",
            ),
            (
                2,
                480.0,
                960.0,
                NEVER,
                "Goodput has not recovered when the run ends: the offered load is 960/s then, on a \
                 capacity of 1,000/s. All 2 attempts of every request are 960/s, so the backlog \
                 falls by 40.0/s: it takes longer than this run.",
            ),
            (
                2,
                800.0,
                810.0,
                after(0),
                "Goodput recovers as soon as the outage ends. All 2 attempts of every request are \
                 1,600/s, above the capacity of 1,000/s: a longer outage may last for ever.",
            ),
            (
                1,
                1_200.0,
                1_200.0,
                NEVER,
                "Goodput never recovers: 1,200/s arrive on a capacity of 1,000/s. Requests alone \
                 are 1,200/s, more than 1,000/s without any fault.",
            ),
        ] {
            assert_eq!(said(&outage_of(attempts, rate, Some(load), recovery)), words);
        }
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let mut slowing = outage_of(3, 800.0, Some(2_400.0), NEVER);
        slowing.model.services[0].slowdown = 0.01;
        assert_eq!(
            said(&slowing),
            "Goodput never recovers: it is 0/s after the outage, of 800/s before."
        );
        let mut cancels = outage_of(3, 800.0, Some(2_400.0), NEVER);
        cancels.model.services[0].cancels = true;
        assert_eq!(
            said(&cancels),
            "Goodput never recovers: retries keep the offered load at 2,400/s on a capacity of \
             1,000/s."
        );
        let mut quiet = outage_of(3, 800.0, None, after(70));
        quiet.model.services[0].cancels = true;
        assert_eq!(said(&quiet), "Goodput recovers 70 ms after the outage ends.");
        quiet.outcome.goodput = None;
        assert!(recoveries(&[quiet]).is_empty());
        assert!(recoveries(&sample::storm().results).is_empty());
    }

    #[test]
    fn the_fault_has_its_word() {
        let mut one = outage_of(3, 800.0, None, after(1_000));
        one.model.services[0].cancels = true;
        let mut with = |target, word: &str| {
            one.model.faults[0].target = target;
            assert_eq!(said(&one), format!("Goodput recovers 1.0 s after {word}."));
        };
        let service = |effect| Target::Service { service: 0, instance: None, effect };
        with(service(Effect::Slow { factor: 2.0 }), "the slowdown ends");
        with(service(Effect::Errors { share: 0.5, status: 500 }), "the errors end");
        with(Target::Surge { client: 0, factor: 2.0 }, "the surge ends");
        let mut more = one.model.faults[0].clone();
        (more.from, more.until) = (more.until, more.until + Duration::from_secs(1));
        one.model.faults.push(more);
        assert_eq!(said(&one), "Goodput recovers 1.0 s after the last fault ends.");
        one.model.faults[1].until = Instant::NEVER;
        one.outcome.goodput =
            one.outcome.goodput.map(|goodput| Goodput { recovery: Some(NEVER), ..goodput });
        assert_eq!(
            said(&one),
            "Goodput does not recover: the last fault lasts to the end of the run."
        );
    }

    #[test]
    fn many_variants_are_counted() {
        let mut results = sample::outage().results;
        for (name, millis) in [("c", 5_000), ("d", 4_000)] {
            let mut more = outage_of(2, 400.0, Some(400.0), after(millis));
            name.clone_into(&mut more.name);
            results.push(more);
        }
        let told = recoveries(&results);
        assert_eq!(told.len(), 2);
        assert_eq!(told[0], "3 of 4 variants recover from the outage; d is first, after 4.0 s.");
        assert!(told[1].starts_with("\"3 attempts, no retry budget\" never recovers: "));
        let lost: Vec<_> = std::iter::repeat_n(results[0].clone(), 4).collect();
        assert_eq!(recoveries(&lost)[0], "0 of 4 variants recover from the outage.");
    }

    #[test]
    fn a_limit_is_not_rounded_up() {
        for (limit, text) in [(366.7, "366"), (333.333, "333"), (500.0, "500"), (0.1 * 3.0, "0.30")]
        {
            assert_eq!(rate(below(limit)), text);
        }
        assert_eq!([percent(0.1), percent(0.125), percent(2.5714)], ["10", "12.5", "257.1"]);
    }

    #[test]
    fn lengths_have_few_digits() {
        for (millis, text) in [
            (70, "70 ms"),
            (999, "999 ms"),
            (3_249, "3.2 s"),
            (99_960, "100 s"),
            (1_026_000, "1,026 s"),
        ] {
            assert_eq!(length(Duration::from_millis(millis)), text);
        }
    }
}
