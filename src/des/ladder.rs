//! The future event list: events at any time, taken out in the order of time
//! and, at one time, in the order in which they were put in.
//!
//! `docs/queue.md` draws the structure, proves the order and gives the cost.

use super::fifo::{Chain, ChunkPool};
use crate::time::Instant;
use std::mem;

/// Bits of the time that one rung owns.
const BITS: u32 = 8;

/// Slots of a rung.
const SLOTS: usize = 1 << BITS;

/// Rungs that own all bits of a time.
const RUNGS: usize = (u64::BITS / BITS) as usize;

/// As many events are quicker sorted by insertion than by the general sort.
const FEW: usize = 6;

/// Bits of the time by which the events of one slot are spread before the rest
/// is left to insertion: most then stand alone.
const SPREAD_BITS: u32 = 7;

/// The places that they are spread over.
const SPREAD: usize = 1 << SPREAD_BITS;

/// Most events in the near part, beyond which it goes back to the rungs.
const NEAR_MAX: usize = 256;

/// Most events that are brought to hand together: enough that a slot is seldom
/// spread over finer ones, and few enough that they stay in the cache.
const GATHERED: usize = 128;

const _: () = assert!(GATHERED <= u8::MAX as usize, "few enough to be counted in a byte");

/// The value of `soonest` when the rungs have to be searched for it. No event of
/// a rung has this time, since it is later than `last`.
const UNKNOWN: u64 = 0;

/// A priority queue of events for a clock that never goes back.
///
/// Two groups of times: what is not later than `last` is at hand, sorted (`near`,
/// then `tail`); what is later is in the rungs, in the slot that its bits name,
/// and is sorted only when its turn comes.
#[derive(Debug)]
pub struct Ladder<T> {
    /// Events not later than `last`, the next one at the end.
    near: Vec<Entry<T>>,
    /// Events exactly at `last` that came after those in `near`.
    tail: Chain,
    last: u64,
    /// The time of the event popped last.
    now: u64,
    /// The earliest time in the rungs, or `UNKNOWN`; the maximum if there is none.
    soonest: u64,
    /// `SLOTS` chains for each rung, those of the lowest bits first.
    slots: Vec<Chain>,
    /// A bit for each slot: whether it holds something.
    filled: [u64; RUNGS * SLOTS / 64],
    pool: ChunkPool<Entry<T>>,
    len: usize,
    /// Whether `near` was filled since this was last asked.
    gathered: bool,
    /// Events on their way from one place to another.
    moving: Vec<Entry<T>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    at: u64,
    event: T,
}

impl<T: Copy> Default for Ladder<T> {
    fn default() -> Self {
        Self {
            near: Vec::with_capacity(NEAR_MAX),
            tail: Chain::default(),
            last: 0,
            now: 0,
            soonest: u64::MAX,
            slots: std::iter::repeat_with(Chain::default).take(RUNGS * SLOTS).collect(),
            filled: [0; RUNGS * SLOTS / 64],
            pool: ChunkPool::new(),
            len: 0,
            gathered: false,
            moving: Vec::with_capacity(GATHERED),
        }
    }
}

impl<T: Copy> Ladder<T> {
    /// An empty queue at the start of time.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an event at a time not before that of the event popped last. It comes
    /// after all that were pushed before it for the same time.
    ///
    /// # Panics
    ///
    /// If the time is seen to be in the past: a bug of the caller.
    #[inline]
    pub fn push(&mut self, at: Instant, event: T) {
        let entry = Entry { at: at.as_nanos(), event };
        debug_assert!(entry.at >= self.now, "an event in the past");
        self.len += 1;
        if entry.at >= self.last {
            self.place(entry);
        } else {
            self.insert(entry);
        }
    }

    /// Removes the earliest event if it is not later than `limit`.
    ///
    /// A call that returns `None` changes nothing that is seen or felt: events
    /// may then be pushed for any time from that of the event popped last, before
    /// or after `limit`, at the usual cost.
    #[inline]
    pub fn pop_until(&mut self, limit: Instant) -> Option<(Instant, T)> {
        let limit = limit.as_nanos();
        if self.near.is_empty() && self.tail.is_empty() && !self.advance(limit) {
            return None;
        }
        let entry = if let Some(entry) = self.near.last() {
            let entry = *entry;
            if entry.at > limit {
                return None;
            }
            self.near.pop();
            entry
        } else {
            if self.last > limit {
                return None;
            }
            self.pool.pop(&mut self.tail)?
        };
        self.len -= 1;
        self.now = entry.at;
        Some((Instant::from_nanos(entry.at), entry.event))
    }

    /// Whether events came to hand with the one popped last; no when this is
    /// asked again.
    #[inline]
    pub fn has_gathered(&mut self) -> bool {
        mem::take(&mut self.gathered)
    }

    /// The events at hand, those of the last moment aside, in no stated order.
    ///
    /// It serves speed only. In a world too large for the cache each event waits
    /// for its own state from memory. Who reads the state of all these at once,
    /// when they [came to hand](Self::has_gathered), waits about once, since the
    /// processor fetches them side by side.
    #[inline]
    pub fn at_hand(&self) -> impl Iterator<Item = T> {
        self.near.iter().map(|entry| entry.event)
    }

    /// Adds an event that is not earlier than `last`.
    #[inline]
    fn place(&mut self, entry: Entry<T>) {
        if entry.at == self.last {
            return self.pool.push(&mut self.tail, entry);
        }
        self.soonest = self.soonest.min(entry.at);
        let rung = ((entry.at ^ self.last).ilog2() / BITS) as usize;
        let index = rung * SLOTS + (entry.at >> (rung as u32 * BITS)) as usize % SLOTS;
        self.filled[index / 64] |= 1 << (index % 64);
        self.pool.push(&mut self.slots[index], entry);
    }

    /// Adds an event that is earlier than `last`, among those at hand.
    fn insert(&mut self, entry: Entry<T>) {
        assert!(entry.at >= self.now, "an event in the past");
        if self.near.len() >= NEAR_MAX {
            self.retreat();
            return self.place(entry);
        }
        let place = self.near.partition_point(|other| other.at > entry.at);
        self.near.insert(place, entry);
    }

    /// Takes `last` back to `now` and puts what is at hand into the rungs: `near`
    /// was filled from slots that turned out to be too wide for what came since.
    #[cold]
    fn retreat(&mut self) {
        let mut tail = mem::take(&mut self.tail);
        self.last = self.now;
        while let Some(entry) = self.near.pop() {
            self.place(entry);
        }
        self.move_all(&mut tail);
    }

    /// Places all events of a chain anew, in order.
    fn move_all(&mut self, chain: &mut Chain) {
        let mut moving = mem::take(&mut self.moving);
        while !chain.is_empty() {
            moving.clear();
            moving.extend_from_slice(self.pool.first_chunk(chain));
            self.pool.drop_first_chunk(chain);
            for entry in &moving {
                self.place(*entry);
            }
        }
        self.moving = moving;
    }

    /// Brings the earliest events of the rungs to hand, if there is one not later
    /// than `limit`. Nothing was at hand before.
    #[inline(never)]
    fn advance(&mut self, limit: u64) -> bool {
        if self.soonest > limit {
            return false;
        }
        let Some(index) = self.first_slot() else {
            self.soonest = u64::MAX;
            return false;
        };
        if self.soonest == UNKNOWN {
            let times = self.pool.chunks(&self.slots[index]).flatten().map(|entry| entry.at);
            self.soonest = times.min().unwrap_or(u64::MAX);
            if self.soonest > limit {
                return false;
            }
        }
        let soonest = mem::replace(&mut self.soonest, UNKNOWN);
        if self.pool.len_up_to(&self.slots[index], GATHERED).is_some() {
            self.gather(index);
        } else {
            self.last = soonest;
            let mut chain = self.take_slot(index);
            self.move_all(&mut chain);
        }
        true
    }

    /// Brings one slot to hand, and those after it for which there is room.
    fn gather(&mut self, first: usize) {
        let mut next = Some(first);
        while let Some(index) = next {
            match self.pool.len_up_to(&self.slots[index], GATHERED) {
                Some(len) if self.near.len() + len <= GATHERED => {}
                _ => break,
            }
            let mut chain = self.take_slot(index);
            let start = self.near.len();
            while !chain.is_empty() {
                self.near.extend_from_slice(self.pool.first_chunk(&chain));
                self.pool.drop_first_chunk(&mut chain);
            }
            let rung = (index / SLOTS) as u32;
            // In a slot of the finest rung all times are the same.
            if rung > 0 {
                self.sort(start, rung * BITS - SPREAD_BITS);
            }
            self.last = self.end_of(index);
            next = self.first_slot();
        }
        self.near.reverse();
        self.gathered = true;
    }

    /// Puts the events of one slot, from `start` in `near`, in the order of time,
    /// those of one time in the order in which they are. `shift` is that of the
    /// highest bits in which they differ.
    fn sort(&mut self, start: usize, shift: u32) {
        if self.near.len() - start > FEW {
            let place = |entry: &Entry<T>| (entry.at >> shift) as usize % SPREAD;
            let mut ends = [0_u8; SPREAD];
            for entry in &self.near[start..] {
                ends[place(entry)] += 1;
            }
            let mut sum = 0;
            for end in &mut ends {
                sum += *end;
                *end = sum;
            }
            self.moving.clear();
            self.moving.extend_from_slice(&self.near[start..]);
            let near = &mut self.near[start..];
            for entry in self.moving.iter().rev() {
                let end = &mut ends[place(entry)];
                *end -= 1;
                near[*end as usize] = *entry;
            }
        }
        insertion_sort(&mut self.near[start..]);
    }

    /// The slot with the earliest events.
    fn first_slot(&self) -> Option<usize> {
        let word = self.filled.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }

    fn take_slot(&mut self, index: usize) -> Chain {
        self.filled[index / 64] &= !(1 << (index % 64));
        mem::take(&mut self.slots[index])
    }

    /// The latest time that belongs into a slot.
    fn end_of(&self, index: usize) -> u64 {
        let shift = (index / SLOTS) as u32 * BITS;
        let above = self.last & !(u64::MAX >> (u64::BITS - BITS - shift));
        above | ((index % SLOTS) as u64) << shift | ((1 << shift) - 1)
    }
}

/// Puts events in the order of time, those of one time in the order given.
#[inline]
fn insertion_sort<T: Copy>(events: &mut [Entry<T>]) {
    for end in 1..events.len() {
        let event = events[end];
        let mut place = end;
        while place > 0 && events[place - 1].at > event.at {
            events[place] = events[place - 1];
            place -= 1;
        }
        events[place] = event;
    }
}

#[cfg(test)]
mod tests;
