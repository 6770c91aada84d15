//! Requests: they start, make their calls one after another, and end.

use super::call::Caller;
use super::errand::RequestId;
use super::event::Turn;
use super::sources::Starting;
use super::{Event, Happening, Key, Maker, Step, World};
use crate::des::Handle;
use crate::model::error::RunError;
use crate::model::meter::EndedRequest;
use crate::model::spec::Model;
use crate::policy::Reason;
use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// A request that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) key: Key,
    pub(super) id: RequestId,
    pub(super) started: Instant,
    /// Its waits so far.
    pub(super) waited: Duration,
    /// When it is over, whatever has become of it.
    pub(super) deadline: Instant,
    /// The client process that sends it.
    pub(super) process: u32,
    /// Index of its kind at its client table.
    kind: u32,
    /// How many of its calls have begun.
    calls_begun: u32,
    /// Whether it waits for a place in the pool of its process.
    pooled: bool,
}

/// The requests that the processes of a client table have out at once.
pub(super) struct Pool {
    most: u32,
    /// Of each process: how many are out, and which wait.
    processes: Vec<(u32, VecDeque<Handle>)>,
}

/// The pools of all client tables, for those that have one.
pub(super) fn pools(model: &Model) -> Vec<Option<Pool>> {
    let pool = |client: &crate::model::spec::Client| {
        let most = client.pool?;
        let processes = (0..client.processes).map(|_| (0, VecDeque::new())).collect();
        Some(Pool { most, processes })
    };
    model.clients.iter().map(pool).collect()
}

impl World<'_> {
    /// The next request of those that do not wait for another starts.
    pub(super) fn start_request(&mut self) -> Result<(), RunError> {
        match self.sources.start(self.now)? {
            Some(starting) => self.start(&starting),
            None => Ok(()),
        }
    }

    /// A process of a closed client table sends its next request.
    pub(super) fn start_of(&mut self, client: u32, process: u32) -> Result<(), RunError> {
        match self.sources.start_of(client, process, self.now)? {
            Some(starting) => self.start(&starting),
            None => Ok(()),
        }
    }

    fn start(&mut self, starting: &Starting) -> Result<(), RunError> {
        let &Starting { client, number, process, kind, key } = starting;
        self.check_alive()?;
        let now = self.now;
        self.meter.request_started(client, now);
        let deadline = self.model.clients[client].deadline;
        let what = self.model.clients[client].kinds[kind as usize].request;
        let request = self.requests.insert(Request {
            key,
            id: RequestId::new(client, what, number),
            started: now,
            waited: Duration::ZERO,
            deadline: deadline.map_or(Instant::NEVER, |length| now + length),
            process,
            kind,
            calls_begun: 0,
            pooled: false,
        });
        self.callers.request_started(self.model, client, request);
        if self.takes_place(client, process, request) {
            return self.request_proceeds(request);
        }
        Ok(())
    }

    /// Whether a request has a place in the pool of its process. If not, it
    /// waits for one.
    fn takes_place(&mut self, client: usize, process: u32, handle: Handle) -> bool {
        let Some(pool) = &mut self.pools[client] else { return true };
        let (out, line) = &mut pool.processes[process as usize];
        if *out < pool.most {
            *out += 1;
            return true;
        }
        line.push_back(handle);
        if let Some(request) = self.requests.get_mut(handle) {
            request.pooled = true;
            let deadline = request.deadline;
            if deadline != Instant::NEVER {
                self.schedule(deadline, Turn::Timeout, Event::new(Happening::Overdue(handle)));
            }
        }
        false
    }

    /// Whether a request still waits for a place in its pool.
    pub(super) fn is_pooled(&self, handle: Handle) -> bool {
        self.requests.get(handle).is_some_and(|request| request.pooled)
    }

    /// The deadline of a request that waits for a place is over.
    pub(super) fn overdue(&mut self, handle: Handle) {
        self.end_request(handle, Some(Reason::OutOfTime));
    }

    /// A request makes its next call, or has been answered well.
    pub(super) fn request_proceeds(&mut self, handle: Handle) -> Result<(), RunError> {
        let Some(request) = self.requests.get_mut(handle) else { return Ok(()) };
        let kind = &self.model.clients[request.id.client()].kinds[request.kind as usize];
        let Some(&edge) = kind.calls.get(request.calls_begun as usize) else {
            self.end_request(handle, None);
            return Ok(());
        };
        request.calls_begun += 1;
        let caller = Caller::of_request(request);
        self.begin_call(Maker::Request(handle), &caller, edge)
    }

    /// A request ends, well or with the reason for which its client gave up.
    pub(super) fn end_request(&mut self, handle: Handle, failure: Option<Reason>) {
        let Some(request) = self.requests.remove(handle) else { return };
        let client = request.id.client();
        let Request { key, started, waited, process, .. } = request;
        let ended = EndedRequest { client, started, waited, failure };
        self.meter.request_ended(&ended, self.now);
        self.ended += 1;
        if !request.pooled {
            self.leave_pool(client, process);
        }
        if let Some((at, event)) = self.sources.ended(client, process, key, started, self.now) {
            self.schedule(at, Turn::Arrival, event);
        }
    }

    /// A place in the pool of a process is free: the request that waits longest
    /// takes it.
    fn leave_pool(&mut self, client: usize, process: u32) {
        let Some(pool) = &mut self.pools[client] else { return };
        let (out, line) = &mut pool.processes[process as usize];
        // Some that wait may have ended at their deadline.
        while let Some(next) = line.pop_front() {
            if let Some(request) = self.requests.get_mut(next) {
                request.pooled = false;
                self.steps.push(Step::Proceed(Maker::Request(next)));
                return;
            }
        }
        *out -= 1;
    }
}
