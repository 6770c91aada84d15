//! Things that live and end, each behind a handle that goes stale with it.

/// Names one thing in a [`Slab`], and nothing once that has been removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    slot: u32,
    generation: u32,
}

impl Handle {
    /// The handle of nothing: no slab ever gives it out.
    pub const NONE: Self = Self { slot: u32::MAX, generation: 0 };

    /// Puts a handle together again from its [`slot`](Self::slot) and
    /// [`generation`](Self::generation).
    pub const fn from_parts(slot: u32, generation: u32) -> Self {
        debug_assert!(generation % 2 == 1 || slot == u32::MAX, "no handle has these parts");
        Self { slot, generation }
    }

    /// The place in the slab. At one time no two things share it.
    pub const fn slot(self) -> u32 {
        self.slot
    }

    /// Which of the things that had this place in turn: odd for every handle
    /// given out.
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

/// A store of what is alive, with constant time for everything.
///
/// A removed thing's place goes to the next one inserted (last freed, first
/// used), so the memory is that of the most that were ever alive at once, each
/// with 4 bytes for its generation, and 4 more for each place that is free.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot<T> {
    /// Odd while something lives here; it grows by one at each insertion and at
    /// each removal.
    generation: u32,
    value: T,
}

impl<T: Copy> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T: Copy> Slab<T> {
    /// An empty slab.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty slab with room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { slots: Vec::with_capacity(capacity), ..Self::default() }
    }

    /// Stores a value and names it.
    ///
    /// # Panics
    ///
    /// If four thousand million things are alive.
    #[inline]
    pub fn insert(&mut self, value: T) -> Handle {
        self.len += 1;
        if let Some(slot) = self.free.pop() {
            let place = &mut self.slots[slot as usize];
            place.generation += 1;
            place.value = value;
            return Handle { slot, generation: place.generation };
        }
        let slot = self.slots.len() as u32;
        assert!(slot < Handle::NONE.slot, "more than four thousand million things alive");
        self.slots.push(Slot { generation: 1, value });
        Handle { slot, generation: 1 }
    }

    /// The value, unless it has been removed.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        let slot = self.slots.get(handle.slot as usize)?;
        (slot.generation == handle.generation).then_some(&slot.value)
    }

    /// The value to change, unless it has been removed.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot as usize)?;
        (slot.generation == handle.generation).then_some(&mut slot.value)
    }

    /// The handle of what lives at a place now, for who knows that something
    /// does and keeps 4 bytes rather than 8.
    #[inline]
    pub fn handle_at(&self, slot: u32) -> Option<Handle> {
        let generation = self.slots.get(slot as usize)?.generation;
        (generation % 2 == 1).then_some(Handle { slot, generation })
    }

    /// What lives at a place now, for who knows that something does.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<&T> {
        let slot = self.slots.get(slot as usize)?;
        (slot.generation % 2 == 1).then_some(&slot.value)
    }

    /// Whether the handle's value is still here.
    #[inline]
    pub fn contains(&self, handle: Handle) -> bool {
        self.get(handle).is_some()
    }

    /// Takes a value out, unless that has been done; its handle is stale from
    /// now on.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let slot = self.slots.get_mut(handle.slot as usize)?;
        if slot.generation != handle.generation {
            return None;
        }
        // A place that has used up its generations is never used again: handing
        // out an old number anew could bring a stale handle back to life.
        slot.generation = slot.generation.wrapping_add(1);
        if slot.generation != 0 {
            self.free.push(handle.slot);
        }
        self.len -= 1;
        Some(slot.value)
    }

    /// All that is alive, in the order of its places.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        let numbered = self.slots.iter().zip(0..);
        numbered.filter(|(slot, _)| slot.generation % 2 == 1).map(|(slot, number)| {
            (Handle { slot: number, generation: slot.generation }, &slot.value)
        })
    }

    /// The number of things alive.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether nothing is alive.
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

        /// Steps insert, or remove and look at any handle ever given out.
        #[test]
        fn agrees_with_a_map(steps in prop::collection::vec((any::<bool>(), any::<u16>()), 0..300)) {
            let mut slab = Slab::new();
            let mut model = BTreeMap::new();
            let mut handles: Vec<Handle> = Vec::new();
            let mut peak = 0;
            for (number, (insert, pick)) in (0_u64..).zip(steps) {
                if insert || handles.is_empty() {
                    let handle = slab.insert(number);
                    prop_assert!(!handles.contains(&handle));
                    model.insert(handles.len(), number);
                    handles.push(handle);
                } else {
                    let index = pick as usize % handles.len();
                    prop_assert_eq!(slab.remove(handles[index]), model.remove(&index));
                }
                peak = peak.max(model.len());
                prop_assert_eq!(slab.len(), model.len());
                prop_assert_eq!(slab.is_empty(), model.is_empty());
            }
            for (index, handle) in handles.iter().enumerate() {
                prop_assert_eq!(slab.get(*handle), model.get(&index));
                prop_assert_eq!(slab.contains(*handle), model.contains_key(&index));
                if let Some(value) = slab.get_mut(*handle) {
                    *value += 1;
                    prop_assert_eq!(slab.remove(*handle), Some(model[&index] + 1));
                }
            }
            prop_assert_eq!(slab.slots.len(), peak);
        }
    }

    #[test]
    fn none_and_stale_handles_find_nothing() {
        let mut slab = Slab::new();
        assert_eq!(slab.get(Handle::NONE), None);
        let handle = slab.insert('a');
        assert_eq!(Handle::from_parts(handle.slot(), handle.generation()), handle);
        assert_eq!(slab.remove(handle), Some('a'));
        let next = slab.insert('b');
        assert_eq!(next.slot(), handle.slot());
        assert_eq!(slab.get(handle), None);
        assert_eq!(slab.remove(handle), None);
        assert_eq!(slab.remove(Handle::NONE), None);
        assert_eq!(slab.get(next), Some(&'b'));
    }

    #[test]
    fn a_place_without_generations_left_is_retired() {
        let mut slab = Slab::new();
        let first = slab.insert('a');
        slab.slots[0].generation = u32::MAX;
        let last = Handle::from_parts(first.slot(), u32::MAX);
        assert_eq!(slab.remove(last), Some('a'));
        assert!(slab.is_empty());
        assert_ne!(slab.insert('b').slot(), first.slot());
        assert_eq!((slab.get(first), slab.get(last), slab.len()), (None, None, 1));
    }
}
