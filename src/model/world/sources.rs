//! The requests that are still to come: when each starts, and which process
//! sends it.

use super::clockwork::Clockwork;
use super::event::{Turn, moment};
use super::{Event, Happening, Key};
use crate::draw::{Purpose, Stream, name_hash};
use crate::law;
use crate::math;
use crate::model::error::{MOST_AT_ONE_INSTANT, RunError};
use crate::model::spec::{Arrivals, Client, Model, Pause};
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// Room is made for so many requests in advance at most; more may still come.
const MOST_EXPECTED: u64 = 1 << 20;

/// The requests that are still to come, of all client tables.
pub(super) struct Sources<'m> {
    sources: Vec<Source<'m>>,
    /// The moment of the next request.
    next: Instant,
}

/// The requests that are still to come, of one client table.
pub(super) struct Source<'m> {
    client: &'m Client,
    name: u64,
    draws: Draws,
    clock: Clockwork,
    /// How many have started.
    started: u64,
    /// When the next one starts.
    next: Instant,
    /// How many started at the instant of the last one.
    at_once: u64,
    last: Instant,
    /// Of a closed table: how many processes have begun, and how many requests
    /// each has sent.
    begun: u64,
    rounds: Vec<u32>,
    /// Of a crowd that arrives within a while: the share of it that has passed.
    passed: f64,
}

/// The streams of one client table.
struct Draws {
    gaps: Stream,
    processes: Stream,
    kinds: Stream,
    pauses: Stream,
}

/// A request that starts now.
pub(super) struct Starting {
    pub(super) client: usize,
    pub(super) number: u64,
    pub(super) process: u32,
    /// Index of its kind.
    pub(super) kind: u32,
    pub(super) key: Key,
}

impl<'m> Source<'m> {
    fn new(model: &'m Model, index: usize, replication: u64) -> Self {
        let client = &model.clients[index];
        let stream = |purpose| Stream::new(model.seed, replication, purpose, &client.name);
        let profile = match &client.arrivals {
            Arrivals::Poisson { rate } | Arrivals::Constant { rate } => rate.clone(),
            _ => crate::model::spec::Profile::steady(0.0),
        };
        let closed = matches!(client.arrivals, Arrivals::Closed { .. });
        let mut source = Self {
            client,
            name: name_hash(&client.name),
            draws: Draws {
                gaps: stream(Purpose::Arrival),
                processes: stream(Purpose::Process),
                kinds: stream(Purpose::Kind),
                pauses: stream(Purpose::Pause),
            },
            clock: Clockwork::new(&profile, index, model),
            started: 0,
            next: Instant::ZERO,
            at_once: 0,
            last: Instant::NEVER,
            begun: 0,
            rounds: if closed { vec![0; client.processes as usize] } else { Vec::new() },
            passed: 0.0,
        };
        source.next = if client.requests == Some(0) { Instant::NEVER } else { source.first() };
        source
    }

    /// When the first request starts.
    fn first(&mut self) -> Instant {
        match &self.client.arrivals {
            Arrivals::OneByOne | Arrivals::Closed { .. } => Instant::ZERO,
            _ => self.following(Instant::ZERO),
        }
    }

    /// When request number `started` starts, if the one before it started at
    /// `last`; never, if that does not depend on `last`.
    fn following(&mut self, last: Instant) -> Instant {
        if self.client.requests.is_some_and(|most| self.started >= most) {
            return Instant::NEVER;
        }
        let number = self.started;
        let draw = || self.draws.gaps.draw(Key::request(self.name, number));
        match &self.client.arrivals {
            Arrivals::Together { spread } if spread.is_zero() => Instant::ZERO,
            Arrivals::Together { spread } => {
                // The next of so many uniform numbers in ascending order, each
                // from the one before it and a draw.
                let left = (self.client.processes - number) as f64;
                self.passed = 1.0 - (1.0 - self.passed) * math::pow(1.0 - draw(), 1.0 / left);
                Instant::ZERO + Duration::from_nanos_f64(spread.as_nanos() as f64 * self.passed)
            }
            Arrivals::Poisson { .. } => {
                let u = draw();
                match self.clock.steady_rate() {
                    Some(rate) => last + law::exponential(NANOS_PER_SECOND as f64 / rate, u),
                    None => self.clock.after(last, -math::ln(1.0 - u)),
                }
            }
            Arrivals::Constant { .. } => self.clock.at(number as f64),
            Arrivals::Closed { .. } if self.begun < self.client.processes => Instant::ZERO,
            Arrivals::OneByOne | Arrivals::Closed { .. } => Instant::NEVER,
            Arrivals::Trace(starts) => {
                starts.get(number as usize).map_or(Instant::NEVER, |start| start.at)
            }
        }
    }

    /// The request that starts now. `of` names its process where that is known.
    fn start(&mut self, index: usize, of: Option<u32>, now: Instant) -> Result<Starting, RunError> {
        self.at_once = if self.last == now { self.at_once + 1 } else { 1 };
        self.last = now;
        let (processes, in_turn) = (self.client.processes, self.started);
        self.started += 1;
        let (process, number) = match &self.client.arrivals {
            Arrivals::Closed { .. } => {
                let process = of.unwrap_or(self.begun as u32);
                self.begun += u64::from(of.is_none());
                let round = &mut self.rounds[process as usize];
                *round += 1;
                // Numbers by process and round, so that what one process draws
                // does not depend on how long the requests of others take.
                (process, u64::from(*round - 1) * processes + u64::from(process))
            }
            Arrivals::Together { .. } | Arrivals::Constant { .. } => {
                // Most often there are no more requests than processes, and a
                // division takes long.
                let turn = if in_turn < processes { in_turn } else { in_turn % processes };
                (turn as u32, in_turn)
            }
            Arrivals::Trace(starts) => {
                let named = starts.get(in_turn as usize).and_then(|start| start.process);
                (named.map_or_else(|| self.drawn_process(in_turn), |of| of as u32), in_turn)
            }
            Arrivals::OneByOne | Arrivals::Poisson { .. } => (self.drawn_process(in_turn), in_turn),
        };
        let cycles = matches!(self.client.arrivals, Arrivals::Closed { .. } | Arrivals::OneByOne);
        if cycles && self.at_once > MOST_AT_ONE_INSTANT + 2 * processes {
            return Err(RunError::EndlessCycles { client: self.client.name.clone(), at: now });
        }
        let key = Key::request(self.name, number);
        Ok(Starting { client: index, number, process, kind: self.kind(key), key })
    }

    /// The client process that sends request `number`.
    fn drawn_process(&self, number: u64) -> u32 {
        let processes = self.client.processes;
        if processes == 1 {
            return 0;
        }
        let u = self.draws.processes.draw(Key::request(self.name, number));
        ((u * processes as f64) as u64).min(processes - 1) as u32
    }

    /// Of which kind a request is.
    fn kind(&self, key: Key) -> u32 {
        let kinds = &self.client.kinds;
        if kinds.len() < 2 {
            return 0;
        }
        let all: f64 = kinds.iter().map(|kind| kind.weight).sum();
        let mut left = self.draws.kinds.draw(key) * all;
        let chosen = kinds.iter().position(|kind| {
            left -= kind.weight;
            left < 0.0
        });
        chosen.unwrap_or(kinds.len() - 1) as u32
    }

    /// Whether more requests may start.
    fn has_more(&self) -> bool {
        self.client.requests.is_none_or(|most| self.started < most)
    }
}

impl<'m> Sources<'m> {
    pub(super) fn new(model: &'m Model, replication: u64) -> Self {
        let source = |index| Source::new(model, index, replication);
        let mut sources =
            Self { sources: (0..model.clients.len()).map(source).collect(), next: Instant::ZERO };
        sources.find_next();
        sources
    }

    /// The moment of the next request, of those that do not wait for another.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// So many requests are sure to be alive together soon: those of clients
    /// that start together.
    pub(super) fn crowd(&self) -> usize {
        let together = |source: &&Source| matches!(source.client.arrivals, Arrivals::Together { spread } if spread.is_zero());
        let requests = |source: &Source| source.client.requests.unwrap_or_default();
        self.sources.iter().filter(together).map(requests).sum::<u64>().min(MOST_EXPECTED) as usize
    }

    /// Requests that have started.
    pub(super) fn started(&self) -> u64 {
        self.sources.iter().map(|source| source.started).sum()
    }

    /// Requests in all, where that is known.
    pub(super) fn expected(&self) -> Option<u64> {
        self.sources.iter().map(|source| source.client.requests).sum()
    }

    fn find_next(&mut self) {
        let next = self.sources.iter().map(|source| source.next).min().unwrap_or(Instant::NEVER);
        self.next = moment(next, Turn::Arrival);
    }

    /// The next request starts; of several at one instant that of the first
    /// table. None, if none is due.
    pub(super) fn start(&mut self, now: Instant) -> Result<Option<Starting>, RunError> {
        let due = self.sources.iter_mut().enumerate().find(|(_, source)| source.next == now);
        let Some((index, source)) = due else { return Ok(None) };
        let starting = source.start(index, None, now)?;
        source.next = source.following(now);
        self.find_next();
        Ok(Some(starting))
    }

    /// A process of a closed table sends its next request, if there is one left.
    pub(super) fn start_of(
        &mut self,
        client: u32,
        process: u32,
        now: Instant,
    ) -> Result<Option<Starting>, RunError> {
        let source = &mut self.sources[client as usize];
        if !source.has_more() {
            return Ok(None);
        }
        source.start(client as usize, Some(process), now).map(Some)
    }

    /// A request that started at `started` has ended: of a table whose requests
    /// wait for one another the next is due. Gives the event of it, if it is one.
    pub(super) fn ended(
        &mut self,
        client: usize,
        process: u32,
        key: Key,
        started: Instant,
        now: Instant,
    ) -> Option<(Instant, Event)> {
        let source = &mut self.sources[client];
        match &source.client.arrivals {
            Arrivals::OneByOne if source.has_more() => {
                source.next = now;
                self.next = self.next.min(moment(now, Turn::Arrival));
                None
            }
            Arrivals::Closed { pause } => {
                let draws = source.draws.pauses.draws(key);
                let at = match pause {
                    Pause::Think(law) => now + law.sample(draws),
                    Pause::Every(law) => now.max(started + law.sample(draws)),
                };
                let client = client as u32;
                Some((at, Event::new(Happening::Start { client, process })))
            }
            _ => None,
        }
    }
}
