//! What happens at a known time, packed small, and the order of all things.
//!
//! At one instant changes of faults come first, then queued events in the order
//! in which they were scheduled, then timeouts, then arrivals. The event list
//! keeps events of one time in order, so the turn is a part of the time: its two
//! lowest bits.

use crate::des::Handle;
use crate::time::Instant;

/// The turns at one instant, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A fault begins or ends, or the run.
    Change = 0,
    /// A wait, a way or a service that is over.
    Event = 1,
    /// Someone has waited too long.
    Timeout = 2,
    /// A request starts.
    Arrival = 3,
}

/// The bits of a moment that hold the turn.
const TURN_BITS: u32 = 2;

/// Where something stands in the order of all things; [`Instant::NEVER`] for
/// what lies beyond the 146 years that fit.
#[inline]
pub(super) fn moment(at: Instant, turn: Turn) -> Instant {
    let nanos = at.as_nanos();
    if nanos >> (u64::BITS - TURN_BITS) != 0 {
        return Instant::NEVER;
    }
    Instant::from_nanos(nanos << TURN_BITS | turn as u64)
}

/// The instant of a moment.
#[inline]
pub(super) fn instant(moment: Instant) -> Instant {
    Instant::from_nanos(moment.as_nanos() >> TURN_BITS)
}

/// Something that happens at a known time: the kind in the lowest bits, then
/// the slot, then the generation of what it happens to. Eight bytes, so that a
/// queued event takes sixteen with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event(u64);

/// The bits of an event that hold its kind.
const KIND_BITS: u32 = 4;

/// More things of one kind than this cannot be told apart in events.
pub(super) const MOST_ALIVE: u64 = 1 << (u32::BITS - KIND_BITS);

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// A call's wait before a retry is over.
    Retry(Handle),
    /// A service has finished its own work for a visit.
    Served(Handle),
    /// What was on the wire reaches its end.
    Delivered(Handle),
    /// A call has waited for its attempt as long as it may.
    TimedOut(Handle),
    /// An attempt has waited in a queue as long as it may.
    Expired(Handle),
    /// The deadline of a request that has not begun is over.
    Overdue(Handle),
    /// A process of a closed client table sends its next request.
    Start {
        /// Index of the client table.
        client: u32,
        /// The process.
        process: u32,
    },
}

impl Event {
    #[inline]
    pub(super) fn new(happening: Happening) -> Self {
        let (kind, slot, generation) = match happening {
            Happening::Retry(of) => (0, of.slot(), of.generation()),
            Happening::Served(of) => (1, of.slot(), of.generation()),
            Happening::Delivered(of) => (2, of.slot(), of.generation()),
            Happening::TimedOut(of) => (3, of.slot(), of.generation()),
            Happening::Expired(of) => (4, of.slot(), of.generation()),
            Happening::Overdue(of) => (5, of.slot(), of.generation()),
            Happening::Start { client, process } => (6, process, client),
        };
        debug_assert!(u64::from(slot) < MOST_ALIVE, "a slot that fits into an event");
        Self(u64::from(generation) << 32 | u64::from(slot) << KIND_BITS | kind)
    }

    #[inline]
    pub(super) fn happening(self) -> Happening {
        let (slot, generation) = ((self.0 as u32) >> KIND_BITS, (self.0 >> 32) as u32);
        let of = || Handle::from_parts(slot, generation);
        match self.0 % (1 << KIND_BITS) {
            0 => Happening::Retry(of()),
            1 => Happening::Served(of()),
            2 => Happening::Delivered(of()),
            3 => Happening::TimedOut(of()),
            4 => Happening::Expired(of()),
            5 => Happening::Overdue(of()),
            _ => Happening::Start { client: generation, process: slot },
        }
    }
}

/// One attempt of one call. The call may have given it up, or have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttemptId {
    pub(super) call: Handle,
    pub(super) number: u32,
}

/// What a service answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Good,
    /// It failed.
    Failed {
        status: u16,
        by: Author,
    },
    /// It was turned away by a queue, with 503.
    Refused,
    /// Nobody was there, or the connection broke.
    Unreachable,
}

/// Whose failure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The service's own, with what it says about the next attempt.
    Itself,
    /// That of a fault, or of a service below: only the status is handed up.
    Another,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::Slab;

    #[test]
    fn an_event_is_what_it_was_made_of() {
        let of = Slab::new().insert(0);
        for happening in [
            Happening::Retry(of),
            Happening::Served(of),
            Happening::Delivered(of),
            Happening::TimedOut(of),
            Happening::Expired(of),
            Happening::Overdue(of),
            Happening::Start { client: 7, process: 99_999_999 },
        ] {
            assert_eq!(Event::new(happening).happening(), happening);
        }
    }

    #[test]
    fn turns_order_what_happens_at_one_instant() {
        let at = Instant::from_nanos;
        let order = [
            moment(at(4), Turn::Arrival),
            moment(at(5), Turn::Change),
            moment(at(5), Turn::Event),
            moment(at(5), Turn::Timeout),
            moment(at(5), Turn::Arrival),
            moment(at(6), Turn::Event),
            moment(Instant::NEVER, Turn::Event),
        ];
        assert!(order.is_sorted());
        assert_eq!(instant(order[4]), at(5));
        assert_eq!(order[6], Instant::NEVER);
    }
}
