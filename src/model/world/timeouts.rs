//! The timeouts of attempts: one lane for each length, since timeouts of one
//! length fire in the order in which they were set.

use crate::des::{Handle, Lane, Ticket};
use crate::law::Law;
use crate::model::spec::{Edge, Model};
use crate::time::{Duration, Instant};

pub(super) struct Timeouts {
    lengths: Vec<Duration>,
    lanes: Vec<Lane<Handle>>,
    /// The lane of each edge, if its attempts time out.
    lane_of: Vec<Option<u32>>,
    next: Instant,
}

impl Timeouts {
    pub(super) fn new(model: &Model) -> Self {
        let constant = |edge: &Edge| match edge.timeout {
            Some(Law::Constant(length)) => Some(length),
            _ => None,
        };
        let mut lengths: Vec<_> = model.edges.iter().filter_map(constant).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let lane_of = |timeout: Duration| {
            lengths.binary_search(&timeout).expect("every length has its lane") as u32
        };
        Self {
            lane_of: model.edges.iter().map(|edge| constant(edge).map(lane_of)).collect(),
            lanes: lengths.iter().map(|_| Lane::new()).collect(),
            lengths,
            next: Instant::NEVER,
        }
    }

    /// When the next attempt times out.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// An attempt of this call is sent now. Gives the ticket that cancels its
    /// timeout, or none if attempts on the edge have no timeout.
    #[inline]
    pub(super) fn set(&mut self, edge: usize, call: Handle, now: Instant) -> Ticket {
        let Some(lane) = self.lane_of[edge] else { return Ticket::NONE };
        let at = now + self.lengths[lane as usize];
        self.next = self.next.min(at);
        self.lanes[lane as usize].push(at, call)
    }

    /// The attempt with this ticket has its answer.
    #[inline]
    pub(super) fn cancel(&mut self, edge: usize, ticket: Ticket) {
        let Some(lane) = self.lane_of[edge].filter(|_| ticket != Ticket::NONE) else { return };
        let lane = &mut self.lanes[lane as usize];
        let was_first = lane.first() == self.next;
        lane.cancel(ticket);
        if was_first && lane.first() != self.next {
            self.find_next();
        }
    }

    /// The call whose timeout fires next; of several at one instant the one
    /// with the shorter timeout, which was sent later, comes first.
    pub(super) fn fire(&mut self) -> Option<Handle> {
        let lane = self.lanes.iter_mut().find(|lane| lane.first() == self.next)?;
        let fired = lane.pop().map(|(_, call)| call);
        self.find_next();
        fired
    }

    fn find_next(&mut self) {
        self.next = self.lanes.iter().map(Lane::first).min().unwrap_or(Instant::NEVER);
    }
}
