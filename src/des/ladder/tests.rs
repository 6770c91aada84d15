//! The ladder against a sorted map of (time, number of the push).

use super::*;
use crate::des::fifo::CHUNK;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A ladder and what it should do. Every event is the number of its push.
#[derive(Default)]
struct Pair {
    ladder: Ladder<u64>,
    model: BTreeSet<(u64, u64)>,
    now: u64,
    pushed: u64,
}

impl Pair {
    fn push(&mut self, at: u64) {
        self.ladder.push(Instant::from_nanos(at), self.pushed);
        self.model.insert((at, self.pushed));
        self.pushed += 1;
        assert_eq!(self.ladder.len(), self.model.len());
    }

    /// Pops up to a limit; whether there was something.
    fn pop(&mut self, limit: u64) -> bool {
        let expected = self.model.first().copied();
        let expected = expected.filter(|(at, _)| *at <= limit);
        let popped = self.ladder.pop_until(Instant::from_nanos(limit));
        assert_eq!(popped.map(|(at, event)| (at.as_nanos(), event)), expected);
        if let Some(key) = expected {
            self.model.remove(&key);
            self.now = key.0;
        }
        assert_eq!(self.ladder.is_empty(), self.model.is_empty());
        expected.is_some()
    }

    /// A time `gap` after now, before the end of time.
    fn after(&self, gap: u64) -> u64 {
        self.now.saturating_add(gap).min(u64::MAX - 1)
    }

    fn drain(&mut self) {
        while self.pop(u64::MAX - 1) {}
        assert!(self.model.is_empty());
    }
}

/// Gaps of every size: none, a few for ties, and any number of bits.
fn gap() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => Just(0),
        2 => 1_u64..4,
        3 => 0_u64..1_000,
        3 => (0_u32..64, any::<u64>()).prop_map(|(shift, bits)| bits >> shift),
    ]
}

/// What is done to both.
#[derive(Clone, Debug)]
enum Step {
    /// Push this often, each at its own gap of `spread` or less after `gap`.
    Push { count: u16, gap: u64, spread: u64 },
    /// Pop this often at most, up to a limit this far away.
    Pop { count: u16, limit: u64 },
    /// Pop and push this often, as a simulation does.
    Hold { count: u16, spread: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_u16..200, gap(), gap()).prop_map(|(count, gap, spread)| Step::Push {
            count,
            gap,
            spread
        }),
        (0_u16..200, gap()).prop_map(|(count, limit)| Step::Pop { count, limit }),
        (0_u16..200, gap()).prop_map(|(count, spread)| Step::Hold { count, spread }),
    ]
}

/// A number below `bound`, from a counter: enough like chance for a test.
fn scatter(counter: u64, bound: u64) -> u64 {
    let mixed = (counter ^ (counter >> 7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(17) % bound.max(1)
}

fn play(pair: &mut Pair, step: &Step) {
    match *step {
        Step::Push { count, gap, spread } => {
            for _ in 0..count {
                let gap = gap.saturating_add(scatter(pair.pushed, spread));
                pair.push(pair.after(gap));
            }
        }
        Step::Pop { count, limit } => {
            let limit = pair.after(limit);
            let _ = (0..count).all(|_| pair.pop(limit));
        }
        Step::Hold { count, spread } => {
            for _ in 0..count {
                pair.pop(u64::MAX);
                pair.push(pair.after(scatter(pair.pushed, spread)));
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::testing::cases(256))]

    #[test]
    fn agrees_with_a_sorted_map(steps in prop::collection::vec(step(), 0..60)) {
        let mut pair = Pair::default();
        for step in &steps {
            play(&mut pair, step);
        }
        pair.drain();
    }
}

#[test]
fn agrees_with_a_sorted_map_in_a_long_run() {
    let mut pair = Pair::default();
    for round in 0..3_000 {
        let bits = scatter(round, 40) as u32;
        let (gap, spread) =
            (scatter(round + 1, 1 << bits), scatter(round + 2, 1 << (bits / 2 + 5)));
        let count = scatter(round + 3, 300) as u16;
        play(
            &mut pair,
            &match scatter(round + 4, 3) {
                0 => Step::Push { count, gap, spread },
                1 => Step::Pop { count, limit: gap },
                _ => Step::Hold { count, spread },
            },
        );
    }
    assert!(pair.pushed > 100_000);
    pair.drain();
}

#[test]
fn equal_times_come_out_as_they_went_in() {
    let mut pair = Pair::default();
    for at in [0, 5, 1 << 20, (1 << 20) + 255, u64::MAX - 1] {
        for _ in 0..5 * CHUNK {
            pair.push(at);
            pair.push(at + u64::from(at < 1 << 30));
        }
    }
    pair.drain();
}

#[test]
fn a_zero_delay_comes_after_what_is_already_due() {
    let mut pair = Pair::default();
    (0..200).for_each(|_| pair.push(1_000));
    for _ in 0..1_000 {
        assert!(pair.pop(u64::MAX));
        pair.push(pair.now);
    }
    pair.drain();
}

#[test]
fn a_pop_that_finds_nothing_leaves_the_past_of_the_limit_open() {
    for far in [1 << 10, 1 << 20, 1 << 40] {
        let mut pair = Pair::default();
        (0..2 * GATHERED as u64).for_each(|gap| pair.push(far + gap));
        for limit in (0..far).step_by(far as usize / 64) {
            let last = pair.ladder.last;
            assert!(!pair.pop(limit));
            assert_eq!((pair.ladder.last, pair.ladder.near.len()), (last, 0), "nothing was moved");
            pair.push(limit);
            assert!(pair.pop(limit));
        }
        pair.drain();
    }
}

#[test]
fn many_events_before_a_far_one_that_is_at_hand() {
    let mut pair = Pair::default();
    (1..10).for_each(|second| pair.push(second << 40));
    assert!(pair.pop(u64::MAX));
    for number in 0..10_000 {
        pair.push(pair.after(scatter(number, 1 << 30)));
    }
    assert!(pair.ladder.near.len() <= NEAR_MAX, "{} at hand", pair.ladder.near.len());
    pair.drain();
}

#[test]
fn ties_at_the_last_time_at_hand_survive_a_retreat() {
    let mut pair = Pair::default();
    pair.push(0x10000);
    pair.push(0x1ffff);
    assert!(pair.pop(u64::MAX));
    assert_eq!(pair.ladder.last, 0x1ffff, "the slot's last time, so that the next go to the tail");
    (0..3 * CHUNK).for_each(|_| pair.push(0x1ffff));
    (0..=NEAR_MAX as u64).for_each(|gap| pair.push(0x10000 + gap));
    assert_eq!(pair.ladder.last, 0x10000, "it has retreated");
    pair.drain();
}

#[test]
fn a_limit_before_what_is_at_hand_is_kept() {
    let mut pair = Pair::default();
    (0..2 * GATHERED).for_each(|_| pair.push(1_000));
    assert!(pair.pop(1_000));
    assert_eq!(pair.ladder.last, 1_000, "the rest waits in the tail");
    assert!(!pair.pop(999));
    pair.drain();
}

#[test]
fn what_comes_to_hand_is_told_once() {
    let mut ladder = Ladder::new();
    (1..=10).for_each(|at| ladder.push(Instant::from_nanos(at), at));
    assert!(!ladder.has_gathered(), "nothing was asked for yet");
    assert_eq!(ladder.pop_until(Instant::NEVER), Some((Instant::from_nanos(1), 1)));
    assert!(ladder.has_gathered());
    let mut events: Vec<u64> = ladder.at_hand().collect();
    events.sort_unstable();
    assert!(events.iter().copied().eq(2..=10), "{events:?}");
    assert!(!ladder.has_gathered(), "that was told");
    assert!(ladder.pop_until(Instant::NEVER).is_some());
    assert!(!ladder.has_gathered(), "it was at hand before");
}

#[test]
fn memory_is_that_of_the_pending_events() {
    const PENDING: u64 = 100_000;
    let mut ladder = Ladder::new();
    for number in 0..PENDING {
        ladder.push(Instant::from_nanos(scatter(number, 1 << 30)), number);
    }
    let mut steps = 0..20 * PENDING;
    let mut hold = |count| {
        for number in steps.by_ref().take(count) {
            let (now, event) = ladder.pop_until(Instant::NEVER).expect("the number pending stays");
            ladder.push(Instant::from_nanos(now.as_nanos() + scatter(number, 1 << 31)), event);
        }
        (ladder.pool.capacity(), ladder.near.capacity(), ladder.moving.capacity())
    };
    let (pool, near, moving) = hold(10 * PENDING as usize);
    assert!(pool < PENDING as usize * 5 / 4, "{pool} places for {PENDING} events");
    let later = hold(10 * PENDING as usize);
    assert!(later.0 < pool + pool / 50, "{} places have become {}", pool, later.0);
    assert_eq!((later.1, later.2), (near, moving), "nothing else has grown");
    assert_eq!((near, size_of::<Entry<u64>>()), (NEAR_MAX, 16));
}

#[test]
fn the_end_of_time_is_a_time() {
    let mut pair = Pair::default();
    for at in [u64::MAX, 0, u64::MAX - 1, u64::MAX, u64::MAX - 1] {
        pair.push(at);
    }
    while pair.pop(u64::MAX) {}
    assert!(pair.model.is_empty());
}

#[test]
#[should_panic(expected = "in the past")]
fn the_past_is_refused() {
    let mut ladder = Ladder::new();
    ladder.push(Instant::from_nanos(10), ());
    assert!(ladder.pop_until(Instant::NEVER).is_some());
    ladder.push(Instant::from_nanos(9), ());
}
