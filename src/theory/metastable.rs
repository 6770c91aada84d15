//! Overloads that feed themselves: when a queue with timeouts and retries can
//! collapse, what starts it, and what prevents it.

use super::positive;

/// Which steady states a load has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// It recovers from every outage: even if all attempts time out, they do
    /// not fill the capacity.
    Stable,
    /// It runs well until an outage, or chance, has filled the queue; then the
    /// retries keep it full for ever.
    Bistable,
    /// Too much without any retry.
    Overloaded,
}

/// What a load does to a server whose clients retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Which steady states there are.
    pub regime: Regime,
    /// Attempts per second while all of them time out: n λ.
    pub offered: f64,
    /// How fast a backlog falls meanwhile, in attempts per second: `C − n λ`.
    /// Negative where it grows.
    pub drain: f64,
}

/// The condition for metastable failure: `rate` requests per second, each tried
/// at most `attempts` times (`None` is without limit) when it times out, on a
/// server of `capacity` attempts per second that works on for callers that
/// have given up. It is bistable exactly where `C / n < λ < C`. N. Bronson,
/// A. Aghayev, A. Charapko, T. Zhu, "Metastable failures in distributed
/// systems", HotOS 2021.
pub fn verdict(rate: f64, capacity: f64, attempts: Option<u32>) -> Option<Verdict> {
    if !positive(&[rate, capacity]) || attempts == Some(0) {
        return None;
    }
    let offered = attempts.map_or(f64::INFINITY, |attempts| rate * f64::from(attempts));
    let regime = if rate >= capacity {
        Regime::Overloaded
    } else if offered > capacity {
        Regime::Bistable
    } else {
        Regime::Stable
    };
    Some(Verdict { regime, offered, drain: capacity - offered })
}

/// The highest load that recovers from everything: `C / (w_L w_C)`, where
/// `work` (at least 1) is the factor by which the load grows in the bad state
/// (n attempts) and `loss` (at least 1) that by which the capacity shrinks. L.
/// Huang and others, "Metastable failures in the wild", OSDI 2022.
pub fn stable_load(capacity: f64, work: f64, loss: f64) -> Option<f64> {
    let valid = positive(&[capacity, work, loss]) && work >= 1.0 && loss >= 1.0;
    valid.then(|| capacity / (work * loss))
}

/// The load below which a retry budget of `ratio` retries for each request
/// (filled by calls) breaks the loop, whatever the attempts: `C / (1 + r)`.
pub fn stable_load_with_budget(capacity: f64, ratio: f64) -> Option<f64> {
    (positive(&[capacity]) && ratio >= 0.0).then(|| capacity / (1.0 + ratio))
}

/// The rate at which one worker serves requests that each take `work` seconds
/// of its own and wait out a `timeout` of a dead dependency: `1 / (s + τ)`.
pub fn rate_behind_timeout(work: f64, timeout: f64) -> Option<f64> {
    positive(&[work, timeout]).then(|| 1.0 / (work + timeout))
}

/// The time of an attempt at a service that slows with the number in flight,
/// `base (1 + k n)` seconds, in the steady state where `n = λ W`:
/// `W = base / (1 − k λ base)`. `None` from its capacity `1 / (k base)` up.
pub fn slowed_time(rate: f64, base: f64, per_request: f64) -> Option<f64> {
    let room = 1.0 - per_request * rate * base;
    (positive(&[rate, base, per_request]) && room > 0.0).then(|| base / room)
}

/// The load at which that time is `time` (above `base`): where timeouts begin.
pub fn slowed_rate(time: f64, base: f64, per_request: f64) -> Option<f64> {
    let valid = positive(&[time, base, per_request]) && time > base;
    valid.then(|| (1.0 - base / time) / (per_request * base))
}

/// The length in seconds of the shortest full stop of a FIFO server after which
/// the retries never let it recover, in the fluid limit: `rate` requests per
/// second on a `capacity` per second, each attempt given up after `timeout`
/// seconds and repeated at once, up to `attempts` (`None` is without limit),
/// abandoned work done all the same. Infinite where [`Regime::Stable`], zero
/// where [`Regime::Overloaded`]. `None` also if more than a thousand attempts
/// at once would be needed to fill the capacity.
///
/// While the queue lasts, an attempt sent at s waits `w(s) = D + N(s) / C − s`,
/// where D is the stop and N(s) counts the attempts sent before. It times out
/// if `w > τ`, and its retry is sent at s + τ. All attempts of one instant share
/// their fate, so their rate at s + τ is λ times one more attempt than at s (up
/// to n) if those at s timed out, else λ. So w is a chain of straight pieces
/// that each stretch of length τ hands to the next. It has collapsed once a
/// whole stretch times out at a rate above C, since w then only grows; it has
/// recovered once a whole stretch is in time. The shortest D between is found
/// by bisection.
pub fn shortest_collapsing_stop(
    rate: f64,
    capacity: f64,
    timeout: f64,
    attempts: Option<u32>,
) -> Option<f64> {
    let verdict = verdict(rate, capacity, attempts).filter(|_| positive(&[timeout]))?;
    match verdict.regime {
        Regime::Stable => return Some(f64::INFINITY),
        Regime::Overloaded => return Some(0.0),
        Regime::Bistable => {}
    }
    // So many attempts at once are more than the capacity.
    let fatal = (capacity / rate).floor() + 1.0;
    if fatal > MOST_AT_ONCE {
        return None;
    }
    let most = attempts.map_or(f64::INFINITY, f64::from);
    let fluid = Fluid { load: rate / capacity, attempts: most };
    // In units of the timeout. No shorter stop makes anyone time out; one this
    // long is still there when the retries alone are too much.
    let (mut low, mut high) = (1.0, fatal + 1.0);
    while high - low > PRECISION * low {
        let middle = f64::midpoint(low, high);
        if fluid.collapses(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high * timeout)
}

const MOST_AT_ONCE: f64 = 1_000.0;
/// Relative, of the stop that is searched.
const PRECISION: f64 = 1e-12;
/// Each stretch multiplies the distance from the edge, so it is soon decided.
const MOST_STRETCHES: u32 = 10_000;

/// The fluid in units of the timeout and the capacity.
struct Fluid {
    load: f64,
    attempts: f64,
}

/// A time during which so many attempts of each request are sent at once.
#[derive(Clone, Copy)]
struct Piece {
    length: f64,
    attempts: f64,
}

/// The wait of the attempts sent, and the pieces that follow one timeout later.
struct Course {
    wait: f64,
    next: Vec<Piece>,
}

impl Fluid {
    /// Whether the queue never recovers after a stop of this length.
    fn collapses(&self, stop: f64) -> bool {
        let mut wait = stop;
        let mut pieces = vec![Piece { length: 1.0, attempts: 1.0 }];
        for _ in 0..MOST_STRETCHES {
            let mut course = Course { wait, next: Vec::with_capacity(pieces.len() + 2) };
            for piece in pieces {
                self.send(piece, &mut course);
            }
            wait = course.wait;
            pieces = course.next;
            let in_time = pieces.iter().all(|piece| piece.attempts == 1.0);
            if in_time && wait <= 1.0 {
                return false;
            }
            let late = pieces.iter().all(|piece| piece.attempts > 1.0);
            let fatal = |piece: &Piece| piece.attempts * self.load >= 1.0;
            if late && wait > 1.0 && pieces.iter().all(fatal) {
                return true;
            }
        }
        true
    }

    /// Sends a piece: the wait changes along it, and parts of it time out.
    fn send(&self, piece: Piece, course: &mut Course) {
        let slope = piece.attempts * self.load - 1.0;
        let mut left = piece.length;
        while left > 0.0 {
            let late = course.wait > 1.0 || course.wait == 1.0 && slope > 0.0;
            let to_border = if slope == 0.0 { f64::INFINITY } else { (1.0 - course.wait) / slope };
            let crosses = to_border > 0.0 && to_border < left;
            let length = if crosses { to_border } else { left };
            course.wait = if crosses { 1.0 } else { (course.wait + slope * length).max(0.0) };
            let again = (piece.attempts + 1.0).min(self.attempts);
            course.push(length, if late { again } else { 1.0 });
            left -= length;
        }
    }
}

impl Course {
    fn push(&mut self, length: f64, attempts: f64) {
        match self.next.last_mut() {
            Some(last) if last.attempts == attempts => last.length += length,
            _ => self.next.push(Piece { length, attempts }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prints;
    use super::*;

    #[test]
    fn the_condition_as_printed() {
        prints(stable_load(300.0, 2.0, 1.0), "150");
        prints(stable_load(100.0, 3.0, 1.0), "33.3");
        let collapsed = verdict(280.0, 300.0, Some(2)).expect("valid");
        assert_eq!(collapsed.regime, Regime::Bistable);
        prints(collapsed.offered, "560.0");
        assert_eq!(collapsed.drain, -260.0);
        let edge = verdict(150.0, 300.0, Some(2)).expect("valid");
        assert_eq!((edge.regime, edge.drain), (Regime::Stable, 0.0));
        let calm = verdict(100.0, 300.0, Some(2)).expect("valid");
        assert_eq!((calm.regime, calm.drain), (Regime::Stable, 100.0));
        let flooded = verdict(300.0, 300.0, Some(2)).expect("valid");
        assert_eq!(flooded.regime, Regime::Overloaded);
        // Without a limit on attempts no load is safe.
        let endless = verdict(1e-3, 300.0, None).expect("valid");
        assert_eq!((endless.regime, endless.offered), (Regime::Bistable, f64::INFINITY));
        prints(stable_load_with_budget(300.0, 0.1), "272.7");
        prints(rate_behind_timeout(0.2, 2.0), "0.4545");
    }

    #[test]
    fn a_service_that_slows_as_printed() {
        let time = slowed_time(40.0, 1.0, 0.01).expect("below capacity");
        prints(time, "1.667");
        prints(40.0 * time, "66.7");
        // Timeouts of 3 s begin with 2.8 s of service and 0.1 s each way.
        let timeouts = slowed_rate(2.8, 1.0, 0.01).expect("valid");
        prints(timeouts, "64.3");
        prints(stable_load(timeouts, 3.0, 1.0), "21.4");
        assert_eq!(slowed_time(100.0, 1.0, 0.01), None, "the capacity");
        assert_eq!(slowed_rate(1.0, 1.0, 0.01), None);
    }

    #[test]
    fn the_shortest_stop_as_printed() {
        prints(shortest_collapsing_stop(80.0, 100.0, 1.0, Some(3)), "1.06");
        for (rate, printed) in [(280.0, "1.01"), (200.0, "1.22"), (151.0, "1.50")] {
            prints(shortest_collapsing_stop(rate, 300.0, 1.0, Some(2)), printed);
        }
        for rate in [10.0, 149.0, 150.0] {
            let stop = shortest_collapsing_stop(rate, 300.0, 1.0, Some(2));
            assert_eq!(stop, Some(f64::INFINITY), "{rate}");
        }
        assert_eq!(shortest_collapsing_stop(300.0, 300.0, 1.0, Some(2)), Some(0.0));
    }

    /// With two attempts the map of one stretch to the next has a closed form.
    /// With r = λ/C, m = 1 − r (how fast the wait falls with first attempts
    /// alone) and g = 2 r − 1 (how fast it rises with the retries), a late time
    /// of x is followed by one of (g x − m (τ − x)) (1/g + 1/m), and the border
    /// is where that is x again.
    #[test]
    fn two_attempts_in_closed_form() {
        for rate in [150.5, 160.0, 200.0, 250.0, 299.0] {
            let r = rate / 300.0;
            let (falls, rises) = (1.0 - r, 2.0 * r - 1.0);
            let late = falls * r / (r * r - rises * falls);
            let exact = 2.0 * (1.0 + falls * late);
            let found = shortest_collapsing_stop(rate, 300.0, 2.0, Some(2)).expect("valid");
            assert!((found / exact - 1.0).abs() < 1e-9, "{rate}: {found}, not {exact}");
        }
    }

    /// More attempts never make a system safer, and a longer stop never better.
    #[test]
    fn the_shortest_stop_is_the_only_border() {
        let mut last = f64::INFINITY;
        for attempts in [Some(2), Some(3), Some(4), Some(10), Some(1_000_000), None] {
            let stop = shortest_collapsing_stop(40.0, 100.0, 1.0, attempts).expect("valid");
            assert!(stop <= last, "{attempts:?}: {stop} after {last}");
            last = stop;
        }
        let border = shortest_collapsing_stop(80.0, 100.0, 1.0, Some(3)).expect("valid");
        let fluid = Fluid { load: 0.8, attempts: 3.0 };
        for i in 0..1_000 {
            let stop = 0.5 + f64::from(i) / 200.0;
            assert_eq!(fluid.collapses(stop), stop > border, "{stop}");
        }
    }

    #[test]
    fn nothing_is_said_outside_the_range() {
        assert_eq!(verdict(1.0, 0.0, Some(3)), None);
        assert_eq!(verdict(1.0, 1.0, Some(0)), None);
        assert_eq!(stable_load(1.0, 0.5, 1.0), None);
        assert_eq!(stable_load_with_budget(1.0, f64::NAN), None);
        assert_eq!(shortest_collapsing_stop(80.0, 100.0, 0.0, Some(3)), None);
        assert_eq!(shortest_collapsing_stop(1e-9, 100.0, 1.0, None), None);
        let many = shortest_collapsing_stop(0.11, 100.0, 1.0, None).expect("valid");
        assert!(many.is_finite() && many > 1.0, "{many}");
    }
}
