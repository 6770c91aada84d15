//! Waiting lines made of chunks from one shared pool.
//!
//! A line that grows by doubling keeps the room of its longest day for ever,
//! and a thousand lines keep a thousand of them. Here a line is a chain of
//! chunks; a chunk that is used up goes back to the pool, and the next line that
//! needs one takes the one freed last, which is still in the cache. So the
//! memory is the most that ever waited everywhere at once, plus a partly filled
//! chunk at either end of each line.

/// Items in a chunk.
pub(super) const CHUNK: usize = 16;

/// The same, in the type of the places.
const SIZE: u32 = CHUNK as u32;

/// No chunk, no place. The place after it, 0, begins a chunk: see `push`.
const NONE: u32 = u32::MAX;

/// The chunks that many lines share.
#[derive(Clone, Debug)]
pub struct ChunkPool<T> {
    /// All chunks, one after the other; a place is an index into this.
    items: Vec<T>,
    /// The neighbours of each chunk in its chain. `next` also links what is free.
    links: Vec<Links>,
    /// The chunk freed last.
    free: u32,
}

/// A chunk's neighbours.
#[derive(Clone, Copy, Debug)]
struct Links {
    previous: u32,
    next: u32,
}

/// A line that does not know its length: the places of its first and last item.
/// All its chunks but the outer two are full.
#[derive(Debug)]
pub(super) struct Chain {
    first: u32,
    last: u32,
}

/// A first-in-first-out line whose items are in a [`ChunkPool`].
///
/// Every call must name the pool with which the line began. A line dropped
/// before it is empty never gives its chunks back to the pool.
#[derive(Debug, Default)]
pub struct ChunkedQueue {
    chain: Chain,
    len: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl Chain {
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }
}

impl<T> Default for ChunkPool<T> {
    fn default() -> Self {
        Self { items: Vec::new(), links: Vec::new(), free: NONE }
    }
}

impl<T: Copy> ChunkPool<T> {
    /// A pool without a chunk.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of items for which memory is held, in use or free.
    pub fn capacity(&self) -> usize {
        self.items.len()
    }

    /// Appends an item to a chain.
    #[inline]
    pub(super) fn push(&mut self, chain: &mut Chain, item: T) {
        let place = chain.last.wrapping_add(1);
        if place.is_multiple_of(SIZE) {
            self.push_in_new_chunk(chain, item);
        } else {
            self.items[place as usize] = item;
            chain.last = place;
        }
    }

    /// Appends an item to a chain that is empty or whose last chunk is full.
    fn push_in_new_chunk(&mut self, chain: &mut Chain, item: T) {
        let chunk = self.allocate(item);
        let place = chunk * SIZE;
        self.items[place as usize] = item;
        if chain.is_empty() {
            chain.first = place;
        } else {
            let before = chain.last / SIZE;
            self.links[before as usize].next = chunk;
            self.links[chunk as usize].previous = before;
        }
        chain.last = place;
    }

    /// Takes a free chunk, or a new one filled with `filler`.
    fn allocate(&mut self, filler: T) -> u32 {
        if self.free != NONE {
            let chunk = self.free;
            self.free = self.links[chunk as usize].next;
            return chunk;
        }
        let chunk = self.links.len() as u32;
        assert!(chunk < NONE / SIZE, "more than four thousand million items in one pool");
        self.items.resize(self.items.len() + CHUNK, filler);
        self.links.push(Links { previous: NONE, next: NONE });
        chunk
    }

    fn release(&mut self, chunk: u32) {
        self.links[chunk as usize].next = self.free;
        self.free = chunk;
    }

    /// Removes the first item of a chain.
    #[inline]
    pub(super) fn pop(&mut self, chain: &mut Chain) -> Option<T> {
        if chain.is_empty() {
            return None;
        }
        let place = chain.first;
        let item = self.items[place as usize];
        if place == chain.last {
            self.release(place / SIZE);
            *chain = Chain::default();
        } else if (place + 1).is_multiple_of(SIZE) {
            chain.first = self.links[(place / SIZE) as usize].next * SIZE;
            self.release(place / SIZE);
        } else {
            chain.first = place + 1;
        }
        Some(item)
    }

    /// Removes the last item of a chain.
    #[inline]
    pub(super) fn pop_back(&mut self, chain: &mut Chain) -> Option<T> {
        if chain.is_empty() {
            return None;
        }
        let place = chain.last;
        let item = self.items[place as usize];
        if place == chain.first {
            self.release(place / SIZE);
            *chain = Chain::default();
        } else if place.is_multiple_of(SIZE) {
            chain.last = self.links[(place / SIZE) as usize].previous * SIZE + (SIZE - 1);
            self.release(place / SIZE);
        } else {
            chain.last = place - 1;
        }
        Some(item)
    }

    /// The items of a chain's first chunk, in order; none if it is empty.
    pub(super) fn first_chunk(&self, chain: &Chain) -> &[T] {
        self.chunks(chain).next().unwrap_or_default()
    }

    /// The items of a chain in order, chunk by chunk.
    pub(super) fn chunks(&self, chain: &Chain) -> impl Iterator<Item = &[T]> {
        let (mut first, last) = (chain.first, chain.last);
        std::iter::from_fn(move || {
            if first == NONE {
                return None;
            }
            let chunk = first / SIZE;
            let ends_here = chunk == last / SIZE;
            let end = if ends_here { last + 1 } else { (chunk + 1) * SIZE };
            let items = &self.items[first as usize..end as usize];
            first = if ends_here { NONE } else { self.links[chunk as usize].next * SIZE };
            Some(items)
        })
    }

    /// The number of items of a chain, if it is not more than `most`.
    pub(super) fn len_up_to(&self, chain: &Chain, most: usize) -> Option<usize> {
        let mut len = 0;
        for chunk in self.chunks(chain) {
            len += chunk.len();
            if len > most {
                return None;
            }
        }
        Some(len)
    }

    /// Removes all items of a chain's first chunk.
    pub(super) fn drop_first_chunk(&mut self, chain: &mut Chain) {
        if chain.is_empty() {
            return;
        }
        let chunk = chain.first / SIZE;
        if chunk == chain.last / SIZE {
            *chain = Chain::default();
        } else {
            chain.first = self.links[chunk as usize].next * SIZE;
        }
        self.release(chunk);
    }
}

impl ChunkedQueue {
    /// An empty line. It takes its first chunk when something is pushed.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first item, which stays.
    #[inline]
    pub fn front<T: Copy>(&self, pool: &ChunkPool<T>) -> Option<T> {
        pool.items.get(self.chain.first as usize).copied()
    }

    /// Appends an item at the back.
    #[inline]
    pub fn push_back<T: Copy>(&mut self, pool: &mut ChunkPool<T>, item: T) {
        pool.push(&mut self.chain, item);
        self.len += 1;
    }

    /// Removes the item at the front, which has waited longest.
    #[inline]
    pub fn pop_front<T: Copy>(&mut self, pool: &mut ChunkPool<T>) -> Option<T> {
        let item = pool.pop(&mut self.chain)?;
        self.len -= 1;
        Some(item)
    }

    /// Removes the item at the back, which came last.
    #[inline]
    pub fn pop_back<T: Copy>(&mut self, pool: &mut ChunkPool<T>) -> Option<T> {
        let item = pool.pop_back(&mut self.chain)?;
        self.len -= 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// Plays random steps on four lines of one pool and on four `VecDeque`s.
    fn check(steps: impl Iterator<Item = (u8, u8, u8)>) {
        let mut pool = ChunkPool::new();
        let mut lines: [ChunkedQueue; 4] = Default::default();
        let mut models: [VecDeque<u32>; 4] = Default::default();
        let mut peak = 0;
        for (number, (line, action, count)) in (0_u32..).zip(steps) {
            let (line, model) = (&mut lines[line as usize % 4], &mut models[line as usize % 4]);
            for _ in 0..count {
                match action % 3 {
                    0 => {
                        line.push_back(&mut pool, number);
                        model.push_back(number);
                    }
                    1 => assert_eq!(line.pop_front(&mut pool), model.pop_front()),
                    _ => assert_eq!(line.pop_back(&mut pool), model.pop_back()),
                }
            }
            assert_eq!(line.len(), model.len());
            assert_eq!(line.is_empty(), model.is_empty());
            peak = peak.max(models.iter().map(VecDeque::len).sum());
        }
        assert!(pool.capacity() <= peak + 4 * 2 * CHUNK, "{} for {peak}", pool.capacity());
        for (line, model) in lines.iter_mut().zip(&models) {
            let items: Vec<u32> = pool.chunks(&line.chain).flatten().copied().collect();
            assert!(items.iter().eq(model), "what is seen without removing it");
        }
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn agrees_with_a_deque(
            steps in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 0..200),
        ) {
            check(steps.into_iter());
        }
    }

    #[test]
    fn a_freed_chunk_serves_another_line() {
        let mut pool = ChunkPool::new();
        let (mut one, mut other) = (ChunkedQueue::new(), ChunkedQueue::new());
        for round in 0..1_000_u32 {
            let (line, item) = if round % 2 == 0 { (&mut one, 2) } else { (&mut other, 3) };
            (0..CHUNK).for_each(|_| line.push_back(&mut pool, item));
            (0..CHUNK).for_each(|_| assert_eq!(line.pop_front(&mut pool), Some(item)));
        }
        assert_eq!(pool.capacity(), CHUNK);
        assert_eq!(one.pop_front(&mut pool), None);
        assert_eq!(other.pop_back(&mut pool), None);
    }
}
