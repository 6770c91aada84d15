//! The line of an instance: who waits for a worker, who is next, and who has
//! waited too long.

use super::event::{Answer, Turn};
use super::serve::{Burden, Waiting};
use super::{Event, Happening, World};
use crate::des::Handle;
use crate::model::error::RunError;
use crate::model::spec::{Codel, CodelLaw, Order, Queue};
use crate::time::{Duration, Instant};

/// What RFC 8289 remembers of a line. The names are its own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CodelState {
    /// When the wait will have been too long for an interval.
    first_above: Option<Instant>,
    dropping: bool,
    drop_next: Instant,
    count: u32,
    last_count: u32,
}

impl CodelState {
    /// Whether the attempt whose turn has come, after this wait, is dropped
    /// rather than served. `last` tells that nobody waits behind it.
    fn drops(&mut self, codel: Codel, wait: Duration, last: bool, now: Instant) -> bool {
        let Codel { target, interval, .. } = codel;
        let mut too_long = false;
        if wait < target || last {
            self.first_above = None;
        } else if let Some(above) = self.first_above {
            too_long = now >= above;
        } else {
            self.first_above = Some(now + interval);
        }
        if self.dropping {
            if !too_long {
                self.dropping = false;
                return false;
            }
            if now < self.drop_next {
                return false;
            }
            self.count += 1;
            self.drop_next += self.gap(interval);
            return true;
        }
        if !too_long {
            return false;
        }
        self.dropping = true;
        // A line that stood a short while ago is cut as fast as it was then.
        let delta = self.count - self.last_count;
        let recently = now.since(self.drop_next) < Duration::from_nanos(16 * interval.as_nanos());
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.drop_next = now + self.gap(interval);
        self.last_count = self.count;
        true
    }

    fn gap(&self, interval: Duration) -> Duration {
        Duration::from_nanos_f64(interval.as_nanos() as f64 / f64::from(self.count).sqrt())
    }
}

impl World<'_> {
    /// An attempt joins the line of an instance, or someone is turned away. Gives
    /// the answer if it is the one that comes.
    pub(super) fn join_line(
        &mut self,
        place: u32,
        waiting: Waiting,
        burden: Burden,
    ) -> Result<Option<Answer>, RunError> {
        let now = self.now;
        let site = self.instances[place as usize].site as usize;
        let queue = &self.model.services[site].queue;
        if queue.limit.is_some_and(|most| self.instances[place as usize].waiting >= most) {
            if !queue.drops_oldest || queue.limit == Some(0) {
                return Ok(Some(Answer::Refused));
            }
            self.drop_oldest(place);
        }
        let handle = self.waiting.insert(waiting);
        if self.burdened {
            let slot = handle.slot() as usize;
            if self.burdens.len() <= slot {
                self.burdens.resize(slot + 1, Burden::NONE);
            }
            self.burdens[slot] = burden;
        }
        let instance = &mut self.instances[place as usize];
        if instance.waiting == 0 {
            instance.stands_since = now;
        }
        instance.waiting += 1;
        instance.line.push_back(&mut self.lines, handle);
        self.meter.service_changed(site, 1, 0, now);
        if let Some(length) = self.longest_wait(site, place, &waiting) {
            self.schedule(now + length, Turn::Timeout, Event::new(Happening::Expired(handle)));
        }
        self.track_line(site, waiting.attempt, handle);
        self.check_alive()?;
        Ok(None)
    }

    /// How long an attempt that joins a line now may wait, if there is a limit.
    fn longest_wait(&self, site: usize, place: u32, waiting: &Waiting) -> Option<Duration> {
        let queue = &self.model.services[site].queue;
        let draws = &self.sites[site].queue_timeouts;
        let own = queue.timeout.as_ref().map(|law| law.sample(draws.draws(waiting.key())));
        let cut = queue.codel.filter(|codel| codel.law == CodelLaw::FailAtScale).map(|codel| {
            let stands = self.stands(place, codel.interval);
            if stands { codel.target } else { codel.interval }
        });
        match (own, cut) {
            (Some(own), Some(cut)) => Some(own.min(cut)),
            (own, cut) => own.or(cut),
        }
    }

    /// Whether the line has not been empty for this long.
    fn stands(&self, place: u32, length: Duration) -> bool {
        let instance = &self.instances[place as usize];
        instance.waiting > 0 && self.now.since(instance.stands_since) > length
    }

    /// The attempt whose turn it is leaves the line; those that are dropped on
    /// the way are answered.
    pub(super) fn next_in_line(&mut self, place: u32) -> Option<(Waiting, Burden)> {
        loop {
            if self.instances[place as usize].waiting == 0 {
                return None;
            }
            let site = self.instances[place as usize].site as usize;
            let queue: &Queue = &self.model.services[site].queue;
            let newest = match queue.order {
                Order::Fifo => false,
                Order::Lifo => true,
                Order::AdaptiveLifo { after } => self.stands(place, after),
            };
            let codel = queue.codel.filter(|codel| codel.law == CodelLaw::Rfc8289);
            let line = &mut self.instances[place as usize].line;
            let lines = &mut self.lines;
            let handle = if newest { line.pop_back(lines) } else { line.pop_front(lines) }?;
            let Some(waiting) = self.leave_line(place, handle) else { continue };
            let burden = self.burdens.get(handle.slot() as usize).copied();
            let instance = &mut self.instances[place as usize];
            let wait = self.now.since(waiting.arrived);
            let last = instance.waiting == 0;
            if codel.is_some_and(|codel| instance.codel.drops(codel, wait, last, self.now)) {
                self.turn_away(&waiting);
                continue;
            }
            return Some((waiting, burden.unwrap_or(Burden::NONE)));
        }
    }

    /// Someone who waits leaves, if he has not left before.
    pub(super) fn leave_line(&mut self, place: u32, handle: Handle) -> Option<Waiting> {
        let waiting = self.waiting.remove(handle)?;
        let instance = &mut self.instances[place as usize];
        instance.waiting -= 1;
        let site = instance.site as usize;
        self.meter.service_changed(site, -1, 0, self.now);
        self.untrack(site, waiting.attempt);
        Some(waiting)
    }

    /// The instance in whose line someone waits.
    pub(super) fn place_of(&self, handle: Handle) -> Option<u32> {
        let waiting = self.waiting.get(handle)?;
        let site = &self.sites[self.routes[waiting.errand.edge()].target as usize];
        let burden = self.burdens.get(handle.slot() as usize);
        Some(if site.count == 1 { site.first } else { burden?.instance })
    }

    /// An attempt has waited as long as it may.
    pub(super) fn expire(&mut self, handle: Handle) {
        let Some(place) = self.place_of(handle) else { return };
        let Some(waiting) = self.leave_line(place, handle) else { return };
        self.forget_front(place);
        self.turn_away(&waiting);
    }

    /// Whoever has waited longest is turned away.
    fn drop_oldest(&mut self, place: u32) {
        let lines = &mut self.lines;
        while let Some(handle) = self.instances[place as usize].line.pop_front(lines) {
            if let Some(waiting) = self.waiting.get(handle).copied() {
                self.leave_line(place, handle);
                self.turn_away(&waiting);
                return;
            }
        }
    }

    /// Takes those out of the front of a line who have left it, so that it does
    /// not grow when only its end is served.
    pub(super) fn forget_front(&mut self, place: u32) {
        let line = &mut self.instances[place as usize].line;
        while let Some(handle) = line.front(&self.lines) {
            if self.waiting.contains(handle) {
                return;
            }
            line.pop_front(&mut self.lines);
        }
    }

    /// Answers an attempt that waited in vain.
    fn turn_away(&mut self, waiting: &Waiting) {
        let step = self.reply(waiting.errand, waiting.attempt, waiting.key(), Answer::Refused);
        self.steps.extend(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODEL: Codel = Codel {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        law: CodelLaw::Rfc8289,
    };

    /// When attempts are dropped of those that come to their turn every
    /// millisecond after a wait of 10 ms each.
    fn dropped(from: u64, to: u64, state: &mut CodelState) -> Vec<u64> {
        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        (from..to)
            .filter(|&now| state.drops(CODEL, Duration::from_millis(10), false, at(now)))
            .collect()
    }

    /// The first after an interval, then after 100, 100/√2, 100/√3 ms and so on.
    #[test]
    fn a_standing_line_is_cut_more_and_more_often() {
        assert_eq!(
            dropped(0, 500, &mut CodelState::default()),
            [100, 200, 271, 329, 379, 424, 464]
        );
    }

    #[test]
    fn a_short_wait_ends_the_cutting() {
        let mut state = CodelState::default();
        dropped(0, 300, &mut state);
        let now = Instant::ZERO + Duration::from_millis(300);
        assert!(!state.drops(CODEL, Duration::from_millis(4), false, now));
        assert!(!state.dropping);
        // It must stand for an interval again, and then is cut as fast as before.
        assert_eq!(dropped(301, 500, &mut state), [401, 472]);
    }

    #[test]
    fn the_last_in_line_is_never_dropped() {
        let mut state = CodelState::default();
        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        assert!((0..1_000).all(|now| !state.drops(CODEL, Duration::from_secs(1), true, at(now))));
    }
}
