//! What the discrete-event machinery costs, beside the standard heap.
//!
//! `cargo bench --bench queue` prints three tables; `-- hold`, `-- merge` or
//! `-- parts` prints one alone, and `-- --large` adds ten million pending events.
//! The hold model (Jones 1986) takes one event out and puts one in at its time
//! plus a random gap, so that the number pending stays.

use retry_storm::des::{ChunkPool, ChunkedQueue, Ladder, Lane, Slab};
use retry_storm::time::{Instant, NANOS_PER_MILLI, NANOS_PER_SECOND};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant as Clock;

/// Different gaps of a distribution.
const GAPS: usize = 4096;

/// How often a measurement is repeated; the fastest counts, since everything
/// that disturbs makes it slower.
const REPEATS: usize = 3;

/// A small generator; quality hardly matters here, speed does.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}

/// A distribution of gaps between events.
struct Gaps {
    name: &'static str,
    table: Vec<u64>,
}

impl Gaps {
    /// A table of `gap` of GAPS evenly spread shares.
    fn new(name: &'static str, gap: impl Fn(f64) -> f64) -> Self {
        let share = |index: usize| (index as f64 + 0.5) / GAPS as f64;
        Self { name, table: (0..GAPS).map(|index| gap(share(index)) as u64).collect() }
    }

    fn all() -> Vec<Self> {
        let second = NANOS_PER_SECOND as f64;
        vec![
            Self::new("uniform", |share| 2.0 * second * share),
            Self::new("exponential", |share| -second * libm::log(1.0 - share)),
            Self::new("bimodal", |share| if share < 0.9 { share * 1e6 } else { share * 1e10 }),
            Self::new("whole ms", |share| (2_000.0 * share).floor() * NANOS_PER_MILLI as f64),
            Self::new("all equal", |_| second),
        ]
    }

    fn draw(&self, chance: &mut Chance) -> u64 {
        self.table[chance.below(GAPS)]
    }
}

/// A future event list.
trait Queue {
    fn push(&mut self, at: u64, event: u64);
    fn pop_until(&mut self, limit: u64) -> Option<(u64, u64)>;
}

impl Queue for Ladder<u64> {
    fn push(&mut self, at: u64, event: u64) {
        self.push(Instant::from_nanos(at), event);
    }

    fn pop_until(&mut self, limit: u64) -> Option<(u64, u64)> {
        let (at, event) = self.pop_until(Instant::from_nanos(limit))?;
        Some((at.as_nanos(), event))
    }
}

/// The standard heap, which needs a number for the order of equal times.
#[derive(Default)]
struct Heap {
    events: BinaryHeap<Reverse<(u64, u64, u64)>>,
    pushed: u64,
}

impl Queue for Heap {
    fn push(&mut self, at: u64, event: u64) {
        self.events.push(Reverse((at, self.pushed, event)));
        self.pushed += 1;
    }

    fn pop_until(&mut self, limit: u64) -> Option<(u64, u64)> {
        if self.events.peek()?.0.0 > limit {
            return None;
        }
        self.events.pop().map(|Reverse((at, _, event))| (at, event))
    }
}

/// Nanoseconds that the processor has spent on this thread, where the system
/// tells (Linux, to about 4 ms), so that what else runs disturbs less; else of
/// the clock.
fn spent(start: Clock) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|line| line.split(' ').next()?.parse().ok());
    told.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

/// Nanoseconds for each of `steps` steps, the fastest of a few goes.
fn measure(steps: usize, mut go: impl FnMut(usize)) -> f64 {
    let clock = Clock::now();
    let once = |_| {
        let start = spent(clock);
        go(steps);
        (spent(clock) - start) / steps as f64
    };
    (0..REPEATS).map(once).fold(f64::INFINITY, f64::min)
}

/// The hold model: nanoseconds for a pop and a push with `pending` events.
fn hold(queue: &mut impl Queue, gaps: &Gaps, pending: usize, steps: usize) -> f64 {
    let mut chance = Chance(1);
    for event in 0..pending as u64 {
        queue.push(gaps.draw(&mut chance), event);
    }
    let mut go = |steps: usize| {
        for _ in 0..steps {
            let (now, event) = queue.pop_until(u64::MAX).expect("as many are pushed as popped");
            queue.push(now + gaps.draw(&mut chance), event);
        }
    };
    go(pending + pending / 2);
    measure(steps, go)
}

/// Arrivals that are no events: before each, what is due by then is popped, and
/// each pushes an event. Nanoseconds for each arrival with its event.
fn merge(queue: &mut impl Queue, gaps: &Gaps, pending: usize, steps: usize) -> f64 {
    let mut chance = Chance(1);
    let mean = gaps.table.iter().sum::<u64>() / GAPS as u64;
    let between = (mean / pending as u64).max(1);
    let mut now = 0;
    let mut go = |steps: usize| {
        for _ in 0..steps {
            while let Some(event) = queue.pop_until(now) {
                black_box(event);
            }
            queue.push(now + gaps.draw(&mut chance), now);
            now += between;
        }
    };
    go(4 * pending);
    measure(steps, go)
}

/// A lane of timeouts of which each tenth ends and the others are cancelled.
fn lane(pending: usize, steps: usize) -> f64 {
    let mut lane = Lane::new();
    let mut chance = Chance(1);
    let mut now = 0;
    let mut tickets = Vec::new();
    for event in 0..pending as u64 {
        tickets.push(lane.push(Instant::from_nanos(now), event));
    }
    measure(steps, |steps| {
        for _ in 0..steps {
            now += 1;
            let at = Instant::from_nanos(now);
            // The event holds the index of its ticket, as a call would.
            let index = if chance.below(10) == 0 {
                lane.pop().map_or(0, |(_, event)| event as usize)
            } else {
                let index = chance.below(pending);
                lane.cancel(tickets[index]);
                index
            };
            tickets[index] = lane.push(at, index as u64);
        }
    })
}

/// A slab of 12-byte things in which a random one is read, removed and replaced.
fn slab(pending: usize, steps: usize) -> f64 {
    let mut slab = Slab::new();
    let mut chance = Chance(1);
    let mut handles: Vec<_> = (0..pending as u32).map(|n| slab.insert([n; 3])).collect();
    measure(steps, |steps| {
        for _ in 0..steps {
            let handle = &mut handles[chance.below(pending)];
            let value = slab.remove(*handle).expect("each handle is replaced when it is removed");
            *handle = slab.insert(value);
        }
    })
}

/// A thousand lines of one pool, into and out of random ones of which items go.
fn lines(pending: usize, steps: usize) -> f64 {
    let mut pool = ChunkPool::new();
    let mut chance = Chance(1);
    let mut lines: Vec<ChunkedQueue> = (0..1_000).map(|_| ChunkedQueue::new()).collect();
    for item in 0..pending as u64 {
        lines[chance.below(1_000)].push_back(&mut pool, item);
    }
    measure(steps, |steps| {
        for _ in 0..steps {
            let item = lines[chance.below(1_000)].pop_front(&mut pool);
            lines[chance.below(1_000)].push_back(&mut pool, item.unwrap_or(0));
        }
    })
}

/// A number with a sign between groups of three digits.
fn grouped(number: usize) -> String {
    if number < 1_000 {
        number.to_string()
    } else {
        format!("{},{:03}", grouped(number / 1_000), number % 1_000)
    }
}

/// A pop and a push of each distribution at each size.
fn compare(
    all: &[Gaps],
    sizes: &[usize],
    on_ladder: impl Fn(&mut Ladder<u64>, &Gaps, usize, usize) -> f64,
    on_heap: impl Fn(&mut Heap, &Gaps, usize, usize) -> f64,
) {
    println!("{:<12} {:>12} {:>10} {:>10} {:>7}", "gaps", "pending", "ladder", "heap", "ratio");
    for gaps in all {
        for &pending in sizes {
            let steps = (2 * pending).max(10_000_000);
            let ladder = on_ladder(&mut Ladder::new(), gaps, pending, steps);
            let steps = (1_000_000_000 / pending).clamp(1_000_000, 10_000_000);
            let heap = on_heap(&mut Heap::default(), gaps, pending, steps);
            let (name, ratio) = (gaps.name, heap / ladder);
            println!(
                "{name:<12} {:>12} {ladder:>10.1} {heap:>10.1} {ratio:>7.1}",
                grouped(pending)
            );
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !["hold", "merge", "parts"].into_iter().any(asked);
    let mut sizes = vec![1_000, 100_000, 1_000_000];
    if asked("--large") {
        sizes.push(10_000_000);
    }
    let gaps = Gaps::all();
    println!("Nanoseconds of one core.");
    if all || asked("hold") {
        println!("\nHold: a pop and a push, `pending` events\n");
        compare(&gaps, &sizes, hold, hold);
    }
    if all || asked("merge") {
        println!("\nMerge: an arrival, and a push and a pop, asked for with a limit\n");
        compare(&gaps[..3], &sizes, merge, merge);
    }
    if all || asked("parts") {
        println!("\nThe rest: an item out and one in\n");
        println!("{:>12} {:>10} {:>10} {:>10}", "pending", "lane", "slab", "lines");
        for &pending in &sizes {
            let steps = 20_000_000;
            let (lane, slab) = (lane(pending, steps), slab(pending, steps));
            let lines = lines(pending, steps);
            println!("{:>12} {lane:>10.1} {slab:>10.1} {lines:>10.1}", grouped(pending));
        }
    }
}
