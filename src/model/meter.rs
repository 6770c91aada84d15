//! What is measured while a world runs. Every number that a report shows is
//! counted here, once, when it happens; [`Outcome`] is the sum of it.
//!
//! What was sent before the end of the warm-up is left out, whenever it ends.
//! Only the courses over time show the whole run.

mod peaks;
mod service;

use super::bins::Bins;
use super::outcome::{
    AttemptEnd, AttemptRecord, ClientOutcome, EdgeOutcome, GaveUp, Next, Outcome,
};
use super::recovery::{Course, Flow, Span};
use super::spec::{Arrivals, Client, Model};
use crate::policy::Reason;
use crate::stats::{Distribution, Recorder};
use crate::time::{Duration, Instant, NANOS_PER_MILLI};
use peaks::Peaks;
use service::{ServiceMeter, Spans};

/// Courses over time are counted this fine at first, in nanoseconds, and
/// coarser as the run goes on.
const FINEST: u64 = 100_000;

/// All counters of a run.
pub(super) struct Meter {
    warmup: Instant,
    clients: Vec<ClientMeter>,
    pub(super) edges: Vec<EdgeOutcome>,
    services: Vec<ServiceMeter>,
    gave_up: GaveUp,
    wait_bins: Bins<u64>,
    flow: Bins<Flow>,
    peaks: Peaks,
    records: Option<Records>,
    first_start: Option<Instant>,
    last_start: Instant,
}

/// Every attempt so far, and of each place of a call the wait after its last
/// attempt. Calls themselves do not keep their waits: few runs record them.
#[derive(Default)]
struct Records {
    attempts: Vec<AttemptRecord>,
    waits: Vec<Duration>,
}

#[derive(Default)]
struct ClientMeter {
    requests: u64,
    answered: u64,
    gave_up: u64,
    wait: Recorder,
    latency: Recorder,
}

/// A request that has ended, as its client saw it.
pub(super) struct EndedRequest {
    pub(super) client: usize,
    pub(super) started: Instant,
    pub(super) waited: Duration,
    /// Why it was given up, if it was.
    pub(super) failure: Option<Reason>,
}

impl Meter {
    pub(super) fn new(model: &Model) -> Self {
        let service = |_| ServiceMeter::new(model.timeline_slice, model.slice);
        let edge = |edge: &super::spec::Edge| EdgeOutcome::new(edge.caller, edge.target);
        Self {
            warmup: Instant::ZERO + model.warmup,
            clients: model.clients.iter().map(|_| ClientMeter::default()).collect(),
            edges: model.edges.iter().map(edge).collect(),
            services: model.services.iter().map(service).collect(),
            gave_up: GaveUp::default(),
            wait_bins: Bins::for_rows(NANOS_PER_MILLI, 0),
            flow: Bins::new(FINEST),
            peaks: Peaks::new(model.slice),
            records: model.record_attempts.then(Records::default),
            first_start: None,
            last_start: Instant::ZERO,
        }
    }

    /// Whether what was sent at `sent` is counted.
    #[inline]
    pub(super) fn counts(&self, sent: Instant) -> bool {
        sent >= self.warmup
    }

    pub(super) fn request_started(&mut self, client: usize, now: Instant) {
        self.first_start.get_or_insert(now);
        self.last_start = now;
        self.flow.at(now.as_nanos()).started += 1;
        if self.counts(now) {
            self.clients[client].requests += 1;
        }
    }

    pub(super) fn request_ended(&mut self, request: &EndedRequest, now: Instant) {
        if request.failure.is_none() {
            self.flow.at(now.as_nanos()).answered += 1;
        }
        if !self.counts(request.started) {
            return;
        }
        let latency = now.since(request.started);
        *self.wait_bins.at(request.waited.as_nanos()) += 1;
        let client = &mut self.clients[request.client];
        client.wait.record(request.waited);
        client.latency.record(latency);
        if let Some(reason) = request.failure {
            self.gave_up.add(reason);
            client.gave_up += 1;
        } else {
            client.answered += 1;
        }
    }

    pub(super) fn call_started(&mut self, edge: usize, now: Instant) {
        if self.counts(now) {
            self.edges[edge].calls += 1;
        }
    }

    /// An attempt is sent; `first_request` tells whether the very first request
    /// of the run caused it.
    #[inline]
    pub(super) fn attempt_sent(
        &mut self,
        edge: usize,
        service: usize,
        retry: bool,
        first_request: bool,
        now: Instant,
    ) {
        let counts = &mut self.edges[edge];
        let row = self.services[service].row(now);
        row.retries += u64::from(retry);
        row.first_attempts += u64::from(!retry);
        if now >= self.warmup {
            counts.attempts += 1;
            counts.retries += u64::from(retry);
            counts.first_request += u64::from(first_request);
            self.peaks.record(now, retry);
        }
    }

    /// An attempt is sent and fails in the same instant, at a service that takes
    /// no time.
    #[inline]
    pub(super) fn attempt_failed_at_once(
        &mut self,
        edge: usize,
        service: usize,
        retry: bool,
        first_request: bool,
        now: Instant,
    ) {
        let service = &mut self.services[service];
        service.began(now, now, self.warmup);
        let row = service.row(now);
        row.retries += u64::from(retry);
        row.first_attempts += u64::from(!retry);
        row.failed += 1;
        if now >= self.warmup {
            let counts = &mut self.edges[edge];
            counts.attempts += 1;
            counts.retries += u64::from(retry);
            counts.first_request += u64::from(first_request);
            counts.failed += 1;
            self.peaks.record(now, retry);
        }
    }

    /// An attempt ended for its caller.
    #[inline]
    pub(super) fn attempt_ended(
        &mut self,
        edge: usize,
        service: usize,
        sent: Instant,
        end: AttemptEnd,
        now: Instant,
    ) {
        let edge = &mut self.edges[edge];
        let row = self.services[service].row(now);
        let (in_row, in_edge) = match end {
            AttemptEnd::Answered => (&mut row.answered, &mut edge.answered),
            AttemptEnd::Failed(_) | AttemptEnd::Unreachable => (&mut row.failed, &mut edge.failed),
            AttemptEnd::Refused => (&mut row.refused, &mut edge.refused_queue),
            AttemptEnd::TimedOut => (&mut row.timed_out, &mut edge.timed_out),
        };
        *in_row += 1;
        *in_edge += u64::from(sent >= self.warmup);
    }

    /// The queue and the busy workers of a service change by so much.
    pub(super) fn service_changed(&mut self, service: usize, queue: i64, busy: i64, now: Instant) {
        self.services[service].change(queue, busy, now, self.warmup);
    }

    /// A worker takes an attempt that arrived at `arrived`.
    #[inline]
    pub(super) fn service_began(&mut self, service: usize, arrived: Instant, now: Instant) {
        self.services[service].began(arrived, now, self.warmup);
    }

    /// A worker spent this time on an attempt whose caller had given up.
    pub(super) fn wasted(&mut self, service: usize, time: Duration) {
        self.services[service].wasted(time);
    }

    pub(super) fn denied_by_budget(&mut self, edge: usize, sent: Instant) {
        self.edges[edge].denied_budget += u64::from(self.counts(sent));
    }

    /// An attempt is not made, because no time is left for it.
    pub(super) fn denied_by_deadline(&mut self, edge: usize, sent: Instant) {
        self.edges[edge].denied_deadline += u64::from(self.counts(sent));
    }

    /// An attempt ends because whoever asks has been stopped.
    pub(super) fn attempt_abandoned(&mut self, edge: usize, sent: Instant) {
        self.edges[edge].abandoned += u64::from(self.counts(sent));
    }

    /// Whether every attempt is to be recorded.
    #[inline]
    pub(super) fn records(&self) -> bool {
        self.records.is_some()
    }

    /// Records an attempt of the call in this place, with the wait before it.
    pub(super) fn record(&mut self, call: u32, mut record: AttemptRecord) {
        let Some(Records { attempts, waits }) = &mut self.records else { return };
        let place = call as usize;
        if waits.len() <= place {
            waits.resize(place + 1, Duration::ZERO);
        }
        record.wait_before = if record.attempt > 1 { waits[place] } else { Duration::ZERO };
        if let Next::RetryAfter(wait) = record.next {
            waits[place] = wait;
        }
        attempts.push(record);
    }

    /// What recovery is judged by, in a run that ended at `ended`.
    fn course<'a>(&'a self, model: &'a Model, ended: Instant) -> Course<'a> {
        let expected = model.clients.iter().map(requests_of).sum::<Option<u64>>();
        let started: u64 = self.flow.bins().iter().map(|flow| flow.started).sum();
        let no_more = expected.is_some_and(|expected| expected <= started);
        Course {
            flow: &self.flow,
            faults: &model.faults,
            from: self.warmup,
            ended,
            ceased: if no_more { self.last_start } else { Instant::NEVER },
            slice: model.timeline_slice,
            window: model.recovery_window,
        }
    }

    /// The sum of everything, for a run that ended at `ended`.
    pub(super) fn outcome(
        mut self,
        model: &Model,
        still_out: u64,
        ended: Instant,
        events: u64,
    ) -> Outcome {
        let clients: Vec<_> = self.clients.iter().map(ClientMeter::outcome).collect();
        let requests: Vec<u64> = clients.iter().map(|client| client.requests).collect();
        let normal = model.normal_attempts(&requests);
        let course = self.course(model, ended);
        let goodput = course.goodput();
        let spans = Spans {
            measured: Span { from: self.warmup, until: ended },
            arrivals: Span { from: self.first_start.unwrap_or_default(), until: self.last_start },
            last_part: course.last_part(),
        };
        let services = std::mem::take(&mut self.services);
        let services =
            services.into_iter().zip(normal).enumerate().map(|(index, (meter, normal))| {
                let edges = self.edges.iter().filter(|edge| edge.target == index);
                meter.outcome(edges, normal, &spans)
            });
        let services = services.collect();
        let wait = self.over_all(|client| &client.wait);
        let latency = self.over_all(|client| &client.latency);
        let (busiest_retries, busiest_attempts) = self.peaks.finish();
        let answered = clients.iter().map(|client| client.answered).sum();
        Outcome {
            requests: requests.iter().sum(),
            answered,
            still_out,
            gave_up: self.gave_up,
            wait,
            latency,
            wait_bins: self.wait_bins,
            goodput,
            flow: self.flow,
            busiest_retries,
            busiest_attempts,
            clients,
            edges: self.edges,
            services,
            ended,
            measured: ended.since(self.warmup),
            events,
            attempts: self.records.unwrap_or_default().attempts,
        }
    }

    /// The summary of all clients together.
    fn over_all(&self, of: fn(&ClientMeter) -> &Recorder) -> Distribution {
        let recorders: Vec<_> = self.clients.iter().map(of).collect();
        Recorder::summary_of(&recorders)
    }
}

/// How many requests a client table sends before it falls silent, if it does.
fn requests_of(client: &Client) -> Option<u64> {
    match &client.arrivals {
        Arrivals::Trace(starts) => {
            Some(client.requests.unwrap_or(u64::MAX).min(starts.len() as u64))
        }
        _ => client.requests,
    }
}

impl ClientMeter {
    fn outcome(&self) -> ClientOutcome {
        ClientOutcome {
            requests: self.requests,
            answered: self.answered,
            gave_up: self.gave_up,
            wait: self.wait.summary(),
            latency: self.latency.summary(),
        }
    }
}

/// What a decision looks like in the record of an attempt.
impl From<crate::policy::Decision> for Next {
    fn from(decision: crate::policy::Decision) -> Self {
        match decision {
            crate::policy::Decision::RetryAfter(wait) => Self::RetryAfter(wait),
            crate::policy::Decision::GiveUp(reason) => Self::GaveUp(reason),
        }
    }
}
