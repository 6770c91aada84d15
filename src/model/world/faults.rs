//! Faults: when the state of services changes, and what follows at once.

use super::World;
use super::event::{Turn, moment};
use super::site::{Condition, Frozen, Warming};
use super::{Event, Happening, Maker, Step};
use crate::model::spec::{Capacity, Effect, Model, Target};
use crate::time::Instant;

/// The changes that are still to come, and the faults that hold.
pub(super) struct Faults {
    /// In the order in which they happen.
    changes: Vec<Change>,
    /// How many have happened.
    done: usize,
    /// The moment of the next.
    next: Instant,
    /// Of each fault, whether it holds.
    holds: Vec<bool>,
}

/// A fault begins or ends.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: Instant,
    fault: usize,
    begins: bool,
}

impl Faults {
    pub(super) fn new(model: &Model) -> Self {
        let mut changes = Vec::new();
        for (index, fault) in model.faults.iter().enumerate() {
            // The rate of a client has its surges in it already.
            if matches!(fault.target, Target::Service { .. }) {
                changes.push(Change { at: fault.from, fault: index, begins: true });
                changes.push(Change { at: fault.until, fault: index, begins: false });
            }
        }
        // At one instant in file order, a fault's begin before its own end.
        changes.sort_by_key(|change| change.at);
        let holds = vec![false; model.faults.len()];
        let mut faults = Self { changes, done: 0, next: Instant::NEVER, holds };
        faults.find_next();
        faults
    }

    /// The moment of the next change.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    fn find_next(&mut self) {
        let next = self.changes.get(self.done);
        self.next = next.map_or(Instant::NEVER, |change| moment(change.at, Turn::Change));
    }
}

impl World<'_> {
    /// The next fault begins or ends.
    pub(super) fn change_fault(&mut self) {
        let Some(&Change { at, fault, begins }) = self.faults.changes.get(self.faults.done) else {
            return;
        };
        self.now = at;
        self.faults.done += 1;
        self.faults.find_next();
        self.faults.holds[fault] = begins;
        let Target::Service { service, instance, effect } = self.model.faults[fault].target else {
            return;
        };
        let site = &self.sites[service];
        let all = site.first..site.first + site.count;
        let struck = instance.map_or(all.clone(), |of| all.start + of..all.start + of + 1);
        for place in struck {
            if let Effect::Restart { warm_up } = effect {
                if begins {
                    self.lose_connections(place);
                } else {
                    self.instances[place as usize].warm_up = warm_up.map(|warm_up| Warming {
                        since: at,
                        length: warm_up.length,
                        factor: warm_up.factor,
                    });
                }
            }
            self.change_condition(service, place);
        }
    }

    /// The faults that hold at an instance are others than before.
    fn change_condition(&mut self, service: usize, place: u32) {
        let number = place - self.sites[service].first;
        let condition = self.condition(service, number);
        let now = self.now;
        let instance = &mut self.instances[place as usize];
        let hung = instance.condition.hangs;
        instance.condition = condition;
        if condition.hangs && !hung {
            instance.hangs_since = now;
        } else if hung && !condition.hangs {
            self.thaw(place);
        }
        let floor = self.steps.len();
        self.take_next(place, floor);
    }

    /// What the faults that hold make of an instance of a service.
    fn condition(&self, service: usize, number: u32) -> Condition {
        let workers = self.model.services[service].workers;
        let mut condition = Condition::sound(workers);
        let mut capacity: Option<u32> = None;
        for (fault, _) in
            self.model.faults.iter().zip(&self.faults.holds).filter(|(_, holds)| **holds)
        {
            let Target::Service { service: struck, instance, effect } = fault.target else {
                continue;
            };
            if struck != service || instance.is_some_and(|instance| instance != number) {
                continue;
            }
            match effect {
                Effect::Down | Effect::Restart { .. } => condition.down = true,
                Effect::Hang => condition.hangs = true,
                Effect::Slow { factor } => condition.slow *= factor,
                Effect::Errors { share, status } => {
                    let (before, status) = condition.errors.unwrap_or((0.0, status));
                    condition.errors = Some((1.0 - (1.0 - before) * (1.0 - share), status));
                }
                Effect::Capacity(left) => {
                    let left = match (left, workers) {
                        (Capacity::Workers(left), _) => Some(left),
                        (Capacity::Share(share), Some(workers)) => {
                            Some((f64::from(workers) * share) as u32)
                        }
                        (Capacity::Share(_), None) => None,
                    };
                    capacity = [capacity, left].into_iter().flatten().min();
                }
            }
        }
        condition.workers = capacity.or(workers);
        condition
    }

    /// An instance that hung goes on where it stopped.
    fn thaw(&mut self, place: u32) {
        let now = self.now;
        let instance = &mut self.instances[place as usize];
        let since = instance.hangs_since;
        instance.hung += now.since(since);
        let hung = instance.hung;
        let mut later = Vec::new();
        for frozen in std::mem::take(&mut instance.frozen) {
            match frozen {
                Frozen::Served(visit, due) => {
                    let Some(of) = self.visits.get_mut(visit) else { continue };
                    let at = of.thaw(hung, due, since, now);
                    self.schedule(at, Turn::Event, Event::new(Happening::Served(visit)));
                }
                Frozen::Proceed(visit) => later.push(Step::Proceed(Maker::Visit(visit))),
                Frozen::Fail(visit, status) => later.push(Step::Fail(visit, status)),
                Frozen::Send(call) => {
                    self.schedule(now, Turn::Event, Event::new(Happening::Retry(call)));
                }
            }
        }
        // The stack's top is next.
        self.steps.extend(later.into_iter().rev());
    }

    /// Whether the instance that makes a call hangs; then its retry is kept back.
    pub(super) fn holds_back(&mut self, call: crate::des::Handle) -> bool {
        let Some(maker) = self.calls.get(call).map(|call| self.maker(call)) else { return false };
        let Maker::Visit(visit) = maker else { return false };
        let Some(place) = self.visits.get(visit).map(|visit| visit.instance) else { return false };
        let instance = &mut self.instances[place as usize];
        if instance.condition.hangs {
            instance.frozen.push(Frozen::Send(call));
        }
        instance.condition.hangs
    }
}
