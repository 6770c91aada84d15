//! The network between callers and services: attempts, answers and
//! cancellations that are on their way.

use super::errand::Errand;
use super::event::{Answer, AttemptId, Turn};
use super::serve::Arrival;
use super::{Event, Happening, Key, Step, World};
use crate::des::Handle;
use crate::draw::{Purpose, Stream};
use crate::law::Law;
use crate::model::error::RunError;
use crate::model::spec::Model;
use crate::time::{Duration, Instant};

/// Something on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parcel {
    /// An attempt, to the service.
    Attempt(Arrival),
    /// Its answer, to the caller, and when it was given.
    Answer(AttemptId, Answer, Instant),
    /// Word to the service that the caller has given up.
    Cancellation(AttemptId),
}

/// The ways of each edge.
pub(super) struct Wires {
    ways: Vec<Ways>,
}

struct Ways {
    there: Way,
    back: Way,
}

/// One way of one edge.
struct Way {
    law: Law,
    draws: Stream,
}

impl Way {
    /// The time on the way of the attempt with this key: the same each time it
    /// is asked, so that what is sent later for it does not overtake it.
    fn time(&self, key: Key) -> Duration {
        self.law.sample(self.draws.draws(key))
    }
}

impl Wires {
    pub(super) fn new(model: &Model, replication: u64) -> Self {
        let ways = |edge: &crate::model::spec::Edge| {
            let name = model.caller_name(edge.caller);
            let way = |law: &Law, purpose| Way {
                law: law.clone(),
                draws: Stream::new(model.seed, replication, purpose, name),
            };
            Ways { there: way(&edge.there, Purpose::There), back: way(&edge.back, Purpose::Back) }
        };
        Self { ways: model.edges.iter().map(ways).collect() }
    }
}

impl World<'_> {
    /// Sends an attempt over the network.
    pub(super) fn send_far(&mut self, arrival: Arrival) -> Result<(), RunError> {
        let time = self.wires.ways[arrival.errand.edge()].there.time(arrival.key());
        self.post(time, Parcel::Attempt(arrival));
        self.check_alive()
    }

    /// A service answers an attempt. Gives what follows in this instant, if the
    /// answer has no way to go.
    pub(super) fn reply(
        &mut self,
        errand: Errand,
        attempt: AttemptId,
        key: Key,
        answer: Answer,
    ) -> Option<Step> {
        let edge = errand.edge();
        if self.routes[edge].near {
            return Some(Step::Answer(attempt, answer));
        }
        // Nobody is there to hear it, and nobody comes back.
        if self.calls.get(attempt.call).is_some_and(|call| call.awaits(attempt)) {
            let time = self.wires.ways[edge].back.time(key);
            self.post(time, Parcel::Answer(attempt, answer, self.now));
        }
        None
    }

    /// Tells a service that the caller of an attempt has given it up.
    pub(super) fn send_cancellation(&mut self, edge: usize, attempt: AttemptId, key: Key) {
        if self.routes[edge].near {
            self.cancel(attempt);
        } else {
            let time = self.wires.ways[edge].there.time(key);
            self.post(time, Parcel::Cancellation(attempt));
        }
    }

    fn post(&mut self, time: Duration, parcel: Parcel) {
        let parcel = self.wire.insert(parcel);
        self.schedule(self.now + time, Turn::Event, Event::new(Happening::Delivered(parcel)));
    }

    /// What was on its way reaches its end.
    pub(super) fn deliver(&mut self, parcel: Handle) -> Result<(), RunError> {
        match self.wire.remove(parcel) {
            Some(Parcel::Attempt(arrival)) => {
                if let Some(answer) = self.arrive(arrival)? {
                    let (attempt, key) = (arrival.attempt, arrival.key());
                    let step = self.reply(arrival.errand, attempt, key, answer);
                    self.steps.extend(step);
                }
            }
            Some(Parcel::Answer(attempt, answer, given)) => self.answer(attempt, answer, given),
            Some(Parcel::Cancellation(attempt)) => self.cancel(attempt),
            None => {}
        }
        Ok(())
    }
}
