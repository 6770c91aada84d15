//! Requests: when they start, which client process sends them, and how they end.

use super::serve::Visit;
use super::{Key, RequestId, Step, World};
use crate::draw::{Purpose, Stream, name_hash};
use crate::law;
use crate::model::error::RunError;
use crate::model::meter::EndedRequest;
use crate::model::spec::{Arrivals, Client, Model};
use crate::policy::Reason;
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// The requests that are still to come, of all client tables.
pub(super) struct Sources<'m> {
    sources: Vec<Source<'m>>,
    next: Instant,
    ended: u64,
}

/// The requests that are still to come, of one client table.
struct Source<'m> {
    client: &'m Client,
    name: u64,
    gaps: Stream,
    processes: Stream,
    /// How many have started.
    started: u64,
    /// When the next one starts.
    next: Instant,
}

impl<'m> Source<'m> {
    fn new(client: &'m Client, seed: u64, replication: u64) -> Self {
        let stream = |purpose| Stream::new(seed, replication, purpose, &client.name);
        let mut source = Self {
            client,
            name: name_hash(&client.name),
            gaps: stream(Purpose::Arrival),
            processes: stream(Purpose::Process),
            started: 0,
            next: Instant::ZERO,
        };
        if let Arrivals::Poisson { .. } = client.arrivals {
            source.next = source.following(Instant::ZERO);
        }
        if client.requests == Some(0) {
            source.next = Instant::NEVER;
        }
        source
    }

    /// When request number `started` starts, if the one before it started at `last`.
    fn following(&self, last: Instant) -> Instant {
        if self.client.requests.is_some_and(|most| self.started >= most) {
            return Instant::NEVER;
        }
        match &self.client.arrivals {
            Arrivals::Together { .. } => last,
            Arrivals::OneByOne | Arrivals::Closed { .. } | Arrivals::Trace(_) => Instant::NEVER,
            Arrivals::Poisson { rate } => {
                let rate = rate.steady_rate().unwrap_or(1.0);
                let u = self.gaps.draw(Key::request(self.name, self.started));
                last + law::exponential(NANOS_PER_SECOND as f64 / rate, u)
            }
            Arrivals::Constant { rate } => {
                let rate = rate.steady_rate().unwrap_or(1.0);
                let nanos = self.started as f64 * NANOS_PER_SECOND as f64 / rate;
                Instant::ZERO + Duration::from_nanos_f64(nanos)
            }
        }
    }

    /// The client process that sends request `number`.
    fn process(&self, number: u64) -> u64 {
        let processes = self.client.processes;
        match &self.client.arrivals {
            Arrivals::Together { .. } | Arrivals::Constant { .. } => number % processes,
            _ if processes == 1 => 0,
            _ => {
                let u = self.processes.draw(Key::request(self.name, number));
                ((u * processes as f64) as u64).min(processes - 1)
            }
        }
    }
}

impl<'m> Sources<'m> {
    pub(super) fn new(model: &'m Model, replication: u64) -> Self {
        let source = |client| Source::new(client, model.seed, replication);
        let mut sources = Self {
            sources: model.clients.iter().map(source).collect(),
            next: Instant::ZERO,
            ended: 0,
        };
        sources.find_next();
        sources
    }

    /// When the next request starts.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Requests that have ended.
    pub(super) fn ended(&self) -> u64 {
        self.ended
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
        self.next = self.sources.iter().map(|source| source.next).min().unwrap_or(Instant::NEVER);
    }
}

impl World<'_> {
    /// The next request starts: its client calls the first service.
    pub(super) fn start_request(&mut self) -> Result<(), RunError> {
        self.check_alive()?;
        let now = self.now;
        let due = self.sources.sources.iter_mut().enumerate().find(|(_, s)| s.next == now);
        let Some((client, source)) = due else { return Ok(()) };
        let number = source.started;
        source.started += 1;
        source.next = source.following(now);
        let process = source.process(number);
        let key = Key::request(source.name, number);
        self.sources.find_next();
        self.meter.request_started(client, now);
        let id = RequestId::new(client, self.model.clients[client].kinds[0].request, number);
        let visit = self.visits.insert(Visit::request(key, id, process as u32, now));
        self.callers.request_started(self.model, client, visit);
        self.steps.push(Step::Proceed(visit));
        Ok(())
    }

    /// A request ends, well or with the reason for which its client gave up.
    pub(super) fn end_request(&mut self, visit: &Visit, failure: Option<Reason>) {
        let client = visit.request.client();
        let ended = EndedRequest { client, started: visit.started, waited: visit.waited, failure };
        self.meter.request_ended(&ended, self.now);
        self.sources.ended += 1;
        let source = &mut self.sources.sources[client];
        let more = source.client.requests.is_none_or(|most| source.started < most);
        if source.client.arrivals == Arrivals::OneByOne && more {
            source.next = self.now;
            self.sources.next = self.sources.next.min(self.now);
        }
    }
}
