//! Attempts as their callers see them: sent, answered or timed out, and what
//! the policy decides then.

use super::call::{Call, Marks};
use super::errand::Errand;
use super::event::{Answer, AttemptId, Author, Turn};
use super::route::Route;
use super::serve::Arrival;
use super::timeouts::Patience;
use super::{Event, Happening, Key, World};
use crate::des::{Handle, Ticket};
use crate::model::error::{MOST_AT_ONE_INSTANT, RunError};
use crate::model::outcome::AttemptEnd;
use crate::policy::{Decision, Failed, Hint};
use crate::time::Instant;

impl From<Answer> for AttemptEnd {
    #[inline]
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Good => Self::Answered,
            Answer::Failed { status, .. } => Self::Failed(status),
            Answer::Refused => Self::Refused,
            Answer::Unreachable => Self::Unreachable,
        }
    }
}

impl World<'_> {
    /// A call's wait is over, unless the call has gone since. Tells which.
    #[inline]
    pub(super) fn retry(&mut self, handle: Handle) -> Result<bool, RunError> {
        let Some(call) = self.calls.get(handle) else { return Ok(false) };
        let edge = call.edge as usize;
        if !(self.routes[edge].may_hang && self.holds_back(handle)) {
            self.send(handle, edge)?;
        }
        Ok(true)
    }

    /// Sends the next attempt of a call.
    #[inline]
    pub(super) fn send(&mut self, handle: Handle, edge: usize) -> Result<(), RunError> {
        match self.routes[edge].sure_failure {
            Some(status) => self.fail_at_once(handle, status),
            None => self.try_out(handle, edge),
        }
    }

    /// Sends an attempt of which nobody knows how it will end.
    fn try_out(&mut self, handle: Handle, edge: usize) -> Result<(), RunError> {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let route = &self.routes[edge];
        let retry = call.progress.attempts > 0;
        if retry && route.timed && self.terms[handle.slot() as usize].deadline <= now {
            self.out_of_time(handle);
            return Ok(());
        }
        if call.marks.send(retry && call.sent == now) >= MOST_AT_ONE_INSTANT as u32 {
            return Err(self.endless(edge));
        }
        call.progress.attempts += 1;
        call.sent = now;
        let target = route.target as usize;
        let first_of_all = call.marks.is(Marks::FIRST);
        self.meter.attempt_sent(edge, target, retry, first_of_all, now);
        if route.at_once {
            // Answered in this instant: there is nothing to wait for.
            self.meter.service_began(target, now, now);
            let key = || call.key.attempt(call.progress.attempts);
            let site = &self.sites[target];
            let answer = site.own_answer(&self.model.services[target], key);
            let hint = if route.advised { self.hint(edge, answer, now) } else { Hint::None };
            self.end_attempt(handle, answer.into(), hint);
            return Ok(());
        }
        self.send_out(handle)
    }

    /// An attempt that was sent now is on its way.
    fn send_out(&mut self, handle: Handle) -> Result<(), RunError> {
        let Some(call) = self.calls.get(handle) else { return Ok(()) };
        let edge = call.edge as usize;
        let attempt = AttemptId { call: handle, number: call.progress.attempts };
        let errand = Errand::new(call.edge, call.marks.request());
        let arrival = Arrival { attempt, errand, call_key: call.key };
        let Route { timed, near, .. } = self.routes[edge];
        if timed {
            // Before it arrives: the service is to know when its caller has gone.
            self.set_terms(handle, edge, arrival.key());
        }
        if near {
            if let Some(answer) = self.arrive(arrival)? {
                let hint = self.hint(edge, answer, self.now);
                self.end_attempt(handle, answer.into(), hint);
                return Ok(());
            }
        } else {
            self.send_far(arrival)?;
        }
        self.set_timeout(handle, edge);
        Ok(())
    }

    /// An attempt of a call that has terms is sent now: how long it may take.
    fn set_terms(&mut self, handle: Handle, edge: usize, key: Key) {
        let Some(call) = self.calls.get(handle) else { return };
        let terms = &mut self.terms[handle.slot() as usize];
        let own = match self.timeouts.patience(edge, || key) {
            Patience::Endless => None,
            Patience::Constant(length) | Patience::Drawn(length) => Some(length),
        };
        let left = (terms.deadline != Instant::NEVER).then(|| terms.deadline.since(self.now));
        let policy = &self.model.edges[edge].retry;
        let length = policy.attempt_timeout(call.progress.attempts, own, left);
        terms.expires = length.map_or(Instant::NEVER, |length| self.now + length);
    }

    /// An attempt that was sent now is out: its timeout begins.
    fn set_timeout(&mut self, handle: Handle, edge: usize) {
        let Some(call) = self.calls.get_mut(handle) else { return };
        if !self.routes[edge].timed {
            call.timeout = self.timeouts.set(edge, handle, self.now);
            return;
        }
        let expires = self.terms[handle.slot() as usize].expires;
        if expires != Instant::NEVER {
            self.schedule(expires, Turn::Timeout, Event::new(Happening::TimedOut(handle)));
        }
    }

    pub(super) fn endless(&self, edge: usize) -> RunError {
        let edge = &self.model.edges[edge];
        RunError::EndlessRetries {
            caller: self.model.caller_name(edge.caller).to_owned(),
            target: self.model.services[edge.target].name.clone(),
            at: self.now,
        }
    }

    /// An attempt is answered. Its caller may have given it up long ago.
    pub(super) fn answer(&mut self, attempt: AttemptId, answer: Answer, given: Instant) {
        let Some(call) = self.calls.get_mut(attempt.call) else { return };
        if !call.awaits(attempt) {
            return;
        }
        let edge = call.edge as usize;
        self.timeouts.cancel(edge, call.timeout);
        let hint = self.hint(edge, answer, given);
        self.end_attempt(attempt.call, answer.into(), hint);
    }

    /// What a caller reads in an answer, given at `given`, about its next attempt.
    #[inline]
    fn hint(&self, edge: usize, answer: Answer, given: Instant) -> Hint {
        let Answer::Failed { by: Author::Itself, .. } = answer else { return Hint::None };
        let edge = &self.model.edges[edge];
        let advice = self.model.services[edge.target].retry_after;
        advice.hint(given, self.now, edge.retry.hint.format.dates)
    }

    /// The attempt whose timeout is due in a lane has not been answered.
    pub(super) fn fire_timeout(&mut self) {
        let Some(handle) = self.timeouts.fire() else { return };
        self.time_out(handle);
    }

    /// Whether the timeout of an attempt that has one of its own was not called
    /// off since.
    pub(super) fn is_due(&self, handle: Handle) -> bool {
        self.calls.get(handle).is_some_and(Call::is_out)
            && self.terms[handle.slot() as usize].expires == self.now
    }

    /// An attempt has not been answered in time.
    pub(super) fn time_out(&mut self, handle: Handle) {
        let Some(&call) = self.calls.get(handle) else { return };
        self.end_attempt(handle, AttemptEnd::TimedOut, Hint::None);
        self.give_up_on(&call, handle);
    }

    /// The caller knows how an attempt ended, and decides what follows.
    fn end_attempt(&mut self, handle: Handle, end: AttemptEnd, hint: Hint) {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return };
        call.marks.end();
        call.timeout = Ticket::NONE;
        let edge = call.edge as usize;
        let route = &self.routes[edge];
        self.meter.attempt_ended(edge, route.target as usize, call.sent, end, now);
        let Some(failure) = end.failure() else {
            self.settle(handle, end, None);
            return;
        };
        let mut failed = Failed { request: call.marks.request(), hint, ..failure.into() };
        if route.timed {
            let terms = &self.terms[handle.slot() as usize];
            failed.elapsed = now.since(terms.started);
            if terms.deadline != Instant::NEVER {
                failed.allowed = terms.deadline.since(terms.started);
            }
        }
        let owner = match (route.own_budgets, route.from_client, call.maker) {
            (false, ..) => 0,
            (true, true, maker) => self.requests.at(maker).map_or(0, |request| request.process),
            (true, false, maker) => self.visits.at(maker).map_or(0, |visit| visit.number),
        };
        let decision = self.callers.decide(route, owner, call, failed);
        if let Decision::RetryAfter(wait) = decision
            && !self.meter.records()
        {
            call.waited += wait;
            self.schedule(now + wait, Turn::Event, Event::new(Happening::Retry(handle)));
            return;
        }
        self.settle(handle, end, Some((failure, decision.into())));
    }

    /// Nobody waits any more for the attempt that a call had out.
    pub(super) fn give_up_on(&mut self, call: &Call, handle: Handle) {
        let number = call.progress.attempts;
        let attempt = AttemptId { call: handle, number };
        self.abandoned(call.edge as usize, attempt, call.key.attempt(number));
    }
}
