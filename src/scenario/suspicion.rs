//! What is allowed and hardly meant: retries that never happen, or happen where
//! they do harm. One call after another is looked at, with what can fail there.

use super::build::Places;
use super::fates::{Fates, refusal};
use super::report::{Problem, Report};
use super::text::Span;
use crate::law::Law;
use crate::model::Model;
use crate::model::spec::{Advice, Caller, Edge};
use crate::policy::schedule::{Stop, Target, Timing};
use crate::policy::{
    Decision, Effect, Failed, Failure, Hint, Progress, Reason, Repeatable, Request, RetryPolicy,
};
use crate::time::Duration;

/// Attempts beyond this are not played through.
const MOST_PLAYED: u32 = 1_000;

/// Warns of what is suspicious about the calls of a model.
pub(super) fn check(model: &Model, places: &Places, fates: &Fates<'_>, report: &mut Report) {
    for (number, edge) in model.edges.iter().enumerate() {
        let sound = places.sound.edges[number] && places.sound.services[edge.target];
        if !sound || edge.retry.max_attempts == Some(1) {
            continue;
        }
        let call = Call {
            edge,
            target: &model.services[edge.target].name,
            whole: whole(model, edge),
            deadline: deadline(model, edge),
            span: places.policies[number],
            failures: fates.failures(edge),
            requests: fates.requests(number).collect(),
        };
        call.never_retried(report);
        call.unsafe_retries(report);
        call.timeout_of_the_whole(report);
        call.hint_beyond_the_whole(report);
        call.attempts_out_of_time(report);
    }
    unheeded(model, places, report);
}

/// The time that a call may take in all, and the key that says so.
fn whole(model: &Model, edge: &Edge) -> Option<(Duration, &'static str)> {
    let own = edge.retry.limits.own;
    let own = (own != Duration::MAX).then_some((own, "max_elapsed"));
    own.into_iter().chain(deadline(model, edge).map(|deadline| (deadline, "deadline"))).min()
}

/// The time to the deadline of the request, at a client's own call.
fn deadline(model: &Model, edge: &Edge) -> Option<Duration> {
    match edge.caller {
        Caller::Client(client) if edge.has_deadline => model.clients[client].deadline,
        _ => None,
    }
}

/// A call that may be retried, and what can happen to it.
struct Call<'a> {
    edge: &'a Edge,
    target: &'a str,
    whole: Option<(Duration, &'static str)>,
    deadline: Option<Duration>,
    span: Span,
    failures: Vec<(Failure, Hint)>,
    requests: Vec<Request>,
}

impl Call<'_> {
    /// Nothing that can fail is ever retried.
    fn never_retried(&self, report: &mut Report) {
        let Self { target, span, .. } = *self;
        let pairs = self.failures.iter().flat_map(|&(failure, hint)| {
            self.requests.iter().map(move |&request| (failure, hint, request))
        });
        let mut furthest = None;
        for (failure, hint, request) in pairs {
            match refusal(&self.edge.retry, failure, hint, request) {
                Some(reason) => furthest = furthest.max(Some(reason)),
                None => return,
            }
        }
        let (why, label, help) = match furthest {
            Some(Reason::NotRetryable) => (
                format!("it fails with {}, which `retry_on` does not name", self.shown_failures()),
                "no attempt after the first",
                "name the failure in `retry_on`, or write retry = \"never\"",
            ),
            Some(Reason::NotRepeatable) => (
                format!("{} is not safe to repeat", shown(&self.requests)),
                "no attempt after the first",
                "give the client `idempotency_key = true`, or the policy another `repeatable`",
            ),
            Some(Reason::HintForbids) => (
                "what it says about when to come back ends the call".to_owned(),
                "no attempt after the first",
                "look at `retry_after` of the service and of the policy",
            ),
            _ => return,
        };
        let title = format!("no call of `{target}` is ever retried: {why}");
        report.warning(span, Problem::new(title, label).help(help));
    }

    fn shown_failures(&self) -> String {
        const FEW: usize = 4;
        let mut shown: Vec<String> = Vec::new();
        for (failure, _) in self.failures.iter().take(FEW) {
            shown.push(match failure {
                Failure::Status(status) => status.to_string(),
                Failure::Timeout => "a timeout".to_owned(),
                Failure::Connection => "a broken connection".to_owned(),
            });
        }
        if self.failures.len() > FEW {
            shown.push("others".to_owned());
        }
        shown.join(", ")
    }

    /// A request that acts twice if it is sent twice, sent twice.
    fn unsafe_retries(&self, report: &mut Report) {
        let Self { target, span, .. } = *self;
        let retry = &self.edge.retry;
        let harmful = |request: &Request| {
            !Repeatable::IDEMPOTENT.allows(*request) && retry.repeatable.allows(*request)
        };
        let harmful: Vec<Request> = self.requests.iter().copied().filter(harmful).collect();
        let after_timeout = (Failure::Timeout, Hint::None);
        if harmful.is_empty() || !retry.retry_on.timeout || !self.failures.contains(&after_timeout)
        {
            return;
        }
        let title = format!(
            "a call of `{target}` is retried after a timeout though {} is not safe to repeat",
            shown(&harmful)
        );
        let problem = Problem::new(title, "the server may have acted, and acts again")
            .help("give the client `idempotency_key = true`, or write repeatable = \"idempotent\"");
        report.warning(span, problem);
    }

    /// An attempt that times out leaves no time for another.
    fn timeout_of_the_whole(&self, report: &mut Report) {
        let (Some((whole, key)), Some(Law::Constant(timeout))) = (self.whole, &self.edge.timeout)
        else {
            return;
        };
        if (Timing { timeout: Some(*timeout), deadline: Some(whole) }).timeout_takes_all() {
            let title = format!("`timeout` ({timeout}) is not below `{key}` ({whole})");
            let problem = Problem::new(title, "no attempt after one that times out")
                .help("`timeout` is of each attempt: make it shorter than the whole");
            report.warning(self.span, problem);
        }
    }

    /// What the service asks for takes longer than the call may.
    fn hint_beyond_the_whole(&self, report: &mut Report) {
        let Some((whole, key)) = self.whole else { return };
        let policy = RetryPolicy { max_attempts: None, ..self.edge.retry.clone() };
        for &(failure, hint) in &self.failures {
            let Hint::After(asked) = hint else { continue };
            let allowed = self.deadline.unwrap_or(Duration::MAX);
            let decide = |hint| {
                let failed = Failed { hint, allowed, ..failure.into() };
                policy.decide(failed, &mut Progress::after(1), || 0.0, None)
            };
            let no_time = Decision::GiveUp(Reason::OutOfTime);
            if decide(hint) == no_time && decide(Hint::None) != no_time {
                let target = self.target;
                let title = format!("`{target}` asks for {asked}, and `{key}` is {whole}");
                let problem = Problem::new(title, "no attempt after a failure that asks for it")
                    .help("the call is given up at once; ask for less, or limit what is taken");
                report.warning(self.span, problem);
                return;
            }
        }
    }

    /// The waits alone, as short as they can be, leave no time for the last
    /// attempts.
    fn attempts_out_of_time(&self, report: &mut Report) {
        let (Some((whole, key)), Some(most)) = (self.whole, self.edge.retry.max_attempts) else {
            return;
        };
        let timing = Timing { timeout: None, deadline: self.deadline };
        let course = self.edge.retry.course(timing, Target::Fails, MOST_PLAYED);
        let started = course.starts.len() as u32;
        if !matches!(course.stop, Stop::Deadline | Stop::OwnLimit) {
            return;
        }
        let which = match most - started {
            1 => format!("attempt {most} never happens"),
            _ => format!("attempts {} to {most} never happen", started + 1),
        };
        let title = format!("{which}: `{key}` ({whole}) is over before");
        let problem = Problem::new(title, "the waits alone take longer")
            .help("lower `max_attempts` or the waits, or allow more time");
        report.warning(self.span, problem);
    }
}

/// Requests in words.
fn shown(requests: &[Request]) -> String {
    let request = |request: &Request| {
        let key = if request.has_key { "with" } else { "without" };
        format!("{} {key} a key", request.method.name())
    };
    requests.iter().map(request).collect::<Vec<_>>().join(", ")
}

/// Services that say when to come back, and nobody listens.
fn unheeded(model: &Model, places: &Places, report: &mut Report) {
    let mut heeded = vec![false; model.services.len()];
    let mut called = vec![false; model.services.len()];
    for (number, edge) in model.edges.iter().enumerate() {
        called[edge.target] = true;
        let deaf = edge.retry.hint.effect == Effect::Ignore || edge.retry.max_attempts == Some(1);
        heeded[edge.target] |= !deaf || !places.sound.edges[number];
    }
    for (number, service) in model.services.iter().enumerate() {
        if service.retry_after != Advice::None && called[number] && !heeded[number] {
            let title = format!("nobody heeds `retry_after` of `{}`", service.name);
            let problem = Problem::new(title, "its callers never retry, or ignore what it asks")
                .help("write retry_after = \"floor\" into the policy of a caller");
            report.warning(places.services[number], problem);
        }
    }
}
