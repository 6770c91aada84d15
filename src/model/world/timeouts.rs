//! How long callers wait for their attempts.
//!
//! Timeouts of one constant length fire in the order in which they were set, so
//! there is a lane for each length. A timeout that is drawn from a law, or that
//! a deadline cuts short, is an event of its own; one that is called off is
//! found stale when it comes.

use super::event::{Turn, moment};
use crate::des::{Handle, Lane, Ticket};
use crate::draw::{Key, Purpose, Stream};
use crate::law::Law;
use crate::model::spec::Model;
use crate::time::{Duration, Instant};

pub(super) struct Timeouts {
    lengths: Vec<Duration>,
    lanes: Vec<Lane<Handle>>,
    /// Of each edge, how long its attempts may take.
    rules: Vec<Rule>,
    /// The moment at which the next one fires, of those in lanes.
    next: Instant,
}

/// How long the attempts on an edge may take by themselves.
#[derive(Clone, Debug)]
enum Rule {
    Endless,
    /// Index of the lane.
    Lane(u32),
    Drawn(Law, Stream),
}

/// When the caller of an attempt gives it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    Endless,
    /// This long from now, by a lane.
    Constant(Duration),
    /// Drawn.
    Drawn(Duration),
}

impl Timeouts {
    pub(super) fn new(model: &Model, replication: u64) -> Self {
        let constant =
            |law: &Law| if let Law::Constant(length) = law { Some(*length) } else { None };
        let timeouts = model.edges.iter().filter_map(|edge| edge.timeout.as_ref());
        let mut lengths: Vec<_> = timeouts.filter_map(constant).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let lane = |length| lengths.binary_search(&length).expect("every length has its lane");
        let rule = |edge: &crate::model::spec::Edge| match &edge.timeout {
            None => Rule::Endless,
            Some(Law::Constant(length)) => Rule::Lane(lane(*length) as u32),
            Some(law) => {
                let name = model.caller_name(edge.caller);
                let stream = Stream::new(model.seed, replication, Purpose::Timeout, name);
                Rule::Drawn(law.clone(), stream)
            }
        };
        Self {
            rules: model.edges.iter().map(rule).collect(),
            lanes: lengths.iter().map(|_| Lane::new()).collect(),
            lengths,
            next: Instant::NEVER,
        }
    }

    /// The moment at which the next attempt in a lane times out.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// How long an attempt on this edge may take by itself; `key` is that of the
    /// attempt.
    #[inline]
    pub(super) fn patience(&self, edge: usize, key: impl FnOnce() -> Key) -> Patience {
        match &self.rules[edge] {
            Rule::Endless => Patience::Endless,
            Rule::Lane(lane) => Patience::Constant(self.lengths[*lane as usize]),
            Rule::Drawn(law, stream) => Patience::Drawn(law.sample(stream.draws(key()))),
        }
    }

    /// The constant timeout of attempts on this edge, if they have one.
    pub(super) fn length(&self, edge: usize) -> Option<Duration> {
        match self.rules[edge] {
            Rule::Lane(lane) => Some(self.lengths[lane as usize]),
            Rule::Endless | Rule::Drawn(..) => None,
        }
    }

    /// Attempts on this edge have the constant timeout of a lane, and one is sent
    /// now. Gives the ticket that calls it off; none, if there is no timeout.
    #[inline]
    pub(super) fn set(&mut self, edge: usize, call: Handle, now: Instant) -> Ticket {
        let Rule::Lane(lane) = self.rules[edge] else { return Ticket::NONE };
        let at = now + self.lengths[lane as usize];
        self.next = self.next.min(moment(at, Turn::Timeout));
        self.lanes[lane as usize].push(at, call)
    }

    /// The attempt with this ticket has its answer.
    #[inline]
    pub(super) fn cancel(&mut self, edge: usize, ticket: Ticket) {
        if ticket == Ticket::NONE {
            return;
        }
        let Rule::Lane(lane) = self.rules[edge] else { return };
        let lane = &mut self.lanes[lane as usize];
        let first = lane.first();
        lane.cancel(ticket);
        if lane.first() != first && moment(first, Turn::Timeout) == self.next {
            self.find_next();
        }
    }

    /// The call whose timeout fires next; of several at one instant the one
    /// with the shorter timeout, which was sent later, comes first.
    pub(super) fn fire(&mut self) -> Option<Handle> {
        let next = self.next;
        let due = |lane: &&mut Lane<Handle>| moment(lane.first(), Turn::Timeout) == next;
        let fired = self.lanes.iter_mut().find(due)?.pop().map(|(_, call)| call);
        self.find_next();
        fired
    }

    fn find_next(&mut self) {
        let first = self.lanes.iter().map(Lane::first).min().unwrap_or(Instant::NEVER);
        self.next = moment(first, Turn::Timeout);
    }
}
