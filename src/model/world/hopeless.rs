//! Attempts at services that are sure to fail at once: the storm itself. Nothing
//! is asked of the service and nothing but the number of attempts decides, so an
//! attempt, its failure and the next wait are one short step. What comes out is
//! what `attempt.rs` would make of it, which a test holds it to.

use super::call::Marks;
use super::callers::Callers;
use super::event::Turn;
use super::site::Site;
use super::{Event, Happening, World};
use crate::des::Handle;
use crate::model::error::{MOST_AT_ONE_INSTANT, RunError};
use crate::model::spec::{Advice, Edge, Model};
use crate::policy::{Failure, Reason};

/// The status with which all attempts on an edge fail, in the instant in which
/// they are sent, if after it a call of any client goes on until its attempts
/// are used up.
pub(super) fn sure_failure(
    model: &Model,
    edge: &Edge,
    site: &Site,
    callers: &Callers<'_>,
) -> Option<u16> {
    let service = &model.services[edge.target];
    let mut statuses = service.status.iter();
    let (Some(status), None) = (statuses.next(), statuses.next()) else { return None };
    let requests = || model.clients.iter().flat_map(|client| &client.kinds);
    let plain = service.fails >= 1.0
        && site.at_once
        && service.retry_after == Advice::None
        && edge.budget.is_none()
        && !model.record_attempts
        && callers.draws_are_keyed()
        && requests().all(|kind| edge.retry.repeats(Failure::Status(status), kind.request));
    plain.then_some(status)
}

impl World<'_> {
    /// Sends an attempt that is sure to fail with this status, and settles what
    /// follows.
    #[inline]
    pub(super) fn fail_at_once(&mut self, handle: Handle, status: u16) -> Result<(), RunError> {
        let now = self.now;
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let edge = call.edge as usize;
        let route = &self.routes[edge];
        let retry = call.progress.attempts > 0;
        if call.marks.send(retry && call.sent == now) >= MOST_AT_ONE_INSTANT as u32 {
            return Err(self.endless(edge));
        }
        call.progress.attempts += 1;
        call.sent = now;
        call.marks.end();
        let first_of_all = call.marks.is(Marks::FIRST);
        self.meter.attempt_failed_at_once(edge, route.target as usize, retry, first_of_all, now);
        let Some(wait) = self.callers.next_wait(call) else {
            let call = *call;
            self.calls.remove(handle);
            let (failure, reason) = (Failure::Status(status), Reason::AttemptsExhausted);
            self.fail_maker(self.maker(&call), call.waited, failure, reason);
            return Ok(());
        };
        call.waited += wait;
        self.schedule(now + wait, Turn::Event, Event::new(Happening::Retry(handle)));
        Ok(())
    }
}
