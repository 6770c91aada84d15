//! Work that nobody waits for any more: which attempts a service drops or stops
//! when their caller has given up.
//!
//! Where this can happen, the place of every attempt at the service is kept, by
//! its call and number. Nothing walks over these places, so their order is no
//! one's business.

use super::errand::Errand;
use super::event::{Answer, AttemptId};
use super::{Key, World};
use crate::des::Handle;
use std::collections::BTreeMap;

/// Where the attempts at some services are.
#[derive(Default)]
pub(super) struct Whereabouts {
    places: BTreeMap<(u32, u32, u32), Place>,
}

/// Where an attempt is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In a line.
    Line(Handle),
    /// A worker has taken it.
    Visit(Handle),
}

/// An attempt as something to look up.
fn key(attempt: AttemptId) -> (u32, u32, u32) {
    (attempt.call.slot(), attempt.call.generation(), attempt.number)
}

impl World<'_> {
    /// An attempt waits in a line.
    #[inline]
    pub(super) fn track_line(&mut self, site: usize, attempt: AttemptId, waiting: Handle) {
        if self.sites[site].tracked {
            self.whereabouts.places.insert(key(attempt), Place::Line(waiting));
        }
    }

    /// A worker has taken an attempt.
    #[inline]
    pub(super) fn track_visit(&mut self, site: usize, attempt: AttemptId, visit: Handle) {
        if self.sites[site].tracked {
            self.whereabouts.places.insert(key(attempt), Place::Visit(visit));
        }
    }

    /// An attempt is at this service no more, or somewhere else in it.
    #[inline]
    pub(super) fn untrack(&mut self, site: usize, attempt: AttemptId) {
        if self.sites[site].tracked {
            self.whereabouts.places.remove(&key(attempt));
        }
    }

    /// The caller of an attempt has given it up. A service that cancels hears
    /// of it; any other works on, and its work is wasted from now on.
    pub(super) fn abandoned(&mut self, edge: usize, attempt: AttemptId, attempt_key: Key) {
        let target = self.routes[edge].target as usize;
        if !self.sites[target].tracked {
            return;
        }
        if self.model.services[target].cancels {
            self.send_cancellation(edge, attempt, attempt_key);
        } else if let Some(Place::Visit(visit)) = self.whereabouts.places.get(&key(attempt))
            && let Some(visit) = self.visits.get_mut(*visit)
        {
            visit.patience = visit.patience.min(self.now);
        }
    }

    /// Word that a caller has given up reaches the service.
    pub(super) fn cancel(&mut self, attempt: AttemptId) {
        match self.whereabouts.places.get(&key(attempt)).copied() {
            Some(Place::Line(waiting)) => {
                let Some(place) = self.place_of(waiting) else { return };
                self.leave_line(place, waiting);
                self.forget_front(place);
            }
            Some(Place::Visit(visit)) => {
                let Some(visit) = self.stop(visit) else { return };
                let floor = self.steps.len();
                self.take_next(visit, floor);
            }
            None => {}
        }
    }

    /// A visit is stopped where it is, and what it called for is given up.
    /// Gives the place of its instance.
    fn stop(&mut self, handle: Handle) -> Option<u32> {
        let visit = self.end_visit(handle)?;
        self.abandon_call(visit.call);
        Some(visit.instance)
    }

    /// An instance loses its line and its connections: whoever waits there, or is
    /// being served, hears that the connection is broken.
    pub(super) fn lose_connections(&mut self, place: u32) {
        let mut lost: Vec<(Errand, AttemptId, Key)> = Vec::new();
        while let Some(handle) = self.instances[place as usize].line.pop_front(&mut self.lines) {
            if let Some(waiting) = self.leave_line(place, handle) {
                lost.push((waiting.errand, waiting.attempt, waiting.key()));
            }
        }
        let here = self.visits.iter().filter(|(_, visit)| visit.instance == place);
        let visits: Vec<Handle> = here.map(|(handle, _)| handle).collect();
        for handle in visits {
            if let Some(visit) = self.visits.get(handle).copied() {
                self.stop(handle);
                lost.push((visit.errand, visit.attempt, visit.key));
            }
        }
        self.instances[place as usize].frozen.clear();
        for (errand, attempt, key) in lost {
            let step = self.reply(errand, attempt, key, Answer::Unreachable);
            self.steps.extend(step);
        }
    }
}
