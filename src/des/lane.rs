//! Timeouts that all take equally long.
//!
//! What is set later ends later, so they need no sorting: a list in the order
//! in which they were set is in the order in which they end. It is linked both
//! ways, so that one in the middle (most are called off) leaves at once and
//! takes its memory along.

use crate::time::Instant;

/// No node.
const NONE: u32 = u32::MAX;

/// Marks a node as free, in the place of `previous`.
const FREE: u32 = u32::MAX - 1;

/// Names an event in a [`Lane`] from its push until it is popped or cancelled,
/// and not longer: after that the number may be given to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(u32);

impl Ticket {
    /// The ticket of no event.
    pub const NONE: Self = Self(NONE);
}

/// A queue of events whose times never decrease, in which each can be cancelled.
///
/// Everything takes constant time. Memory is that of the most events that were
/// ever pending at once, 24 bytes each if `T` has 8.
#[derive(Clone, Debug)]
pub struct Lane<T> {
    nodes: Vec<Node<T>>,
    /// The node freed last; free ones are linked by `next`.
    free: u32,
    head: u32,
    tail: u32,
    len: u32,
    /// The time of the head, here so that asking for it touches no node.
    first: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Node<T> {
    at: Instant,
    event: T,
    previous: u32,
    next: u32,
}

impl<T: Copy> Default for Lane<T> {
    fn default() -> Self {
        let nodes = Vec::new();
        Self { nodes, free: NONE, head: NONE, tail: NONE, len: 0, first: Instant::NEVER }
    }
}

impl<T: Copy> Lane<T> {
    /// An empty lane.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an event. Its time must not be earlier than that of the event
    /// pushed before it, nor [`Instant::NEVER`].
    ///
    /// # Panics
    ///
    /// If the time is earlier than that of the last pending event: a bug of the
    /// caller.
    #[inline]
    pub fn push(&mut self, at: Instant, event: T) -> Ticket {
        let node = Node { at, event, previous: self.tail, next: NONE };
        let place = self.store(node);
        if let Some(tail) = self.nodes.get_mut(self.tail as usize) {
            assert!(tail.at <= at, "a lane's times must not decrease");
            tail.next = place;
        } else {
            self.head = place;
            self.first = at;
        }
        self.tail = place;
        self.len += 1;
        Ticket(place)
    }

    /// Puts a node into the place freed last, or a new one.
    fn store(&mut self, node: Node<T>) -> u32 {
        let place = self.free;
        if let Some(free) = self.nodes.get_mut(place as usize) {
            self.free = free.next;
            *free = node;
            return place;
        }
        let place = self.nodes.len() as u32;
        assert!(place < FREE, "more than four thousand million timeouts at once");
        self.nodes.push(node);
        place
    }

    /// Removes an event that is still pending.
    ///
    /// # Panics
    ///
    /// If the place is free, so the event has been popped or cancelled: a bug of
    /// the caller.
    #[inline]
    pub fn cancel(&mut self, ticket: Ticket) {
        self.unlink(ticket.0);
    }

    /// The time of the earliest event; [`Instant::NEVER`] if there is none.
    #[inline]
    pub fn first(&self) -> Instant {
        self.first
    }

    /// Removes the earliest event: of equal times, the one pushed first.
    #[inline]
    pub fn pop(&mut self) -> Option<(Instant, T)> {
        if self.head == NONE {
            return None;
        }
        let node = self.unlink(self.head);
        Some((node.at, node.event))
    }

    /// Takes a node out of the list and frees it.
    fn unlink(&mut self, place: u32) -> Node<T> {
        let node = self.nodes[place as usize];
        assert!(node.previous != FREE, "an event that has left its lane was cancelled");
        if let Some(next) = self.nodes.get_mut(node.next as usize) {
            next.previous = node.previous;
        } else {
            self.tail = node.previous;
        }
        if let Some(previous) = self.nodes.get_mut(node.previous as usize) {
            previous.next = node.next;
        } else {
            self.head = node.next;
            self.first = self.nodes.get(self.head as usize).map_or(Instant::NEVER, |head| head.at);
        }
        let free = &mut self.nodes[place as usize];
        free.previous = FREE;
        free.next = self.free;
        self.free = place;
        self.len -= 1;
        node
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn agrees_with_a_map(
            steps in prop::collection::vec((0_u8..4, 0_u64..3, any::<u16>()), 0..400),
        ) {
            let mut lane = Lane::new();
            let mut model = BTreeMap::new();
            let (mut now, mut peak) = (Instant::ZERO, 0);
            for (number, (action, gap, pick)) in (0_u64..).zip(steps) {
                match action {
                    0 | 1 => {
                        now = Instant::from_nanos(now.as_nanos() + gap);
                        model.insert(number, (now, lane.push(now, number)));
                    }
                    2 => {
                        let expected = model.pop_first().map(|(number, (at, _))| (at, number));
                        prop_assert_eq!(lane.pop(), expected);
                    }
                    _ if model.is_empty() => {}
                    _ => {
                        let index = pick as usize % model.len();
                        let number = *model.keys().nth(index).expect("the index is below the length");
                        let (_, ticket) = model.remove(&number).expect("the key was just read");
                        lane.cancel(ticket);
                    }
                }
                peak = peak.max(model.len());
                let first = model.first_key_value().map_or(Instant::NEVER, |(_, (at, _))| *at);
                prop_assert_eq!(lane.first(), first);
                prop_assert_eq!(lane.len(), model.len());
                prop_assert_eq!(lane.is_empty(), model.is_empty());
            }
            prop_assert_eq!(lane.nodes.len(), peak);
        }
    }

    #[test]
    #[should_panic(expected = "has left its lane")]
    fn cancelling_what_has_left_is_a_bug() {
        let mut lane = Lane::new();
        let ticket = lane.push(Instant::ZERO, 'a');
        assert_eq!(lane.pop(), Some((Instant::ZERO, 'a')));
        lane.cancel(ticket);
    }

    #[test]
    #[should_panic(expected = "must not decrease")]
    fn going_back_in_time_is_a_bug() {
        let mut lane = Lane::new();
        lane.push(Instant::from_nanos(2), 'a');
        lane.push(Instant::from_nanos(1), 'b');
    }
}
