//! When requests start at a rate that changes: the instant at which the
//! integral of the rate reaches a value.
//!
//! Inverting the integral keeps one draw for each request, so that two profiles
//! see the same chance (Lewis, Shedler 1979 thin instead, which draws more).

use crate::model::spec::{Fault, Model, Piece, Profile, Target};
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// A profile with its surges, and where its reader has come to.
#[derive(Clone, Debug)]
pub(super) struct Clockwork {
    pieces: Vec<Piece>,
    /// The piece read last: time does not go back.
    piece: usize,
    /// The integral of the rate up to the start of that piece.
    passed: f64,
}

impl Clockwork {
    /// The rate of a client table as the faults of the model make it.
    pub(super) fn new(profile: &Profile, client: usize, model: &Model) -> Self {
        let mut pieces = profile.pieces.clone();
        for fault in &model.faults {
            if let Target::Surge { client: struck, factor } = fault.target
                && struck == client
            {
                pieces = surged(&pieces, fault, factor);
            }
        }
        Self { pieces, piece: 0, passed: 0.0 }
    }

    /// The rate, if it never changes.
    pub(super) fn steady_rate(&self) -> Option<f64> {
        match self.pieces[..] {
            [piece] if piece.slope == 0.0 => Some(piece.rate),
            _ => None,
        }
    }

    /// The instant at which the integral of the rate from `from` reaches `mass`;
    /// never, if it does not. `from` must not go back from call to call.
    pub(super) fn after(&mut self, from: Instant, mass: f64) -> Instant {
        while self.end().is_some_and(|end| end <= from) {
            self.piece += 1;
        }
        let mut start = from;
        let mut rest = mass;
        loop {
            let now = self.rate_at(start);
            let Some(end) = self.end() else { return start + reach(now, rest) };
            let in_piece = integral(now, end.since(start));
            if rest < in_piece {
                return start + reach(now, rest).min(end.since(start));
            }
            rest -= in_piece;
            start = end;
            self.piece += 1;
        }
    }

    /// The instant at which the integral of the rate from the start reaches
    /// `mass`. It must not go back from call to call.
    pub(super) fn at(&mut self, mass: f64) -> Instant {
        loop {
            let piece = self.pieces[self.piece];
            let rest = (mass - self.passed).max(0.0);
            let Some(end) = self.end() else { return piece.from + reach(piece, rest) };
            let in_piece = integral(piece, end.since(piece.from));
            if rest < in_piece {
                return piece.from + reach(piece, rest).min(end.since(piece.from));
            }
            self.passed += in_piece;
            self.piece += 1;
        }
    }

    /// Where the piece ends; the last has no end.
    fn end(&self) -> Option<Instant> {
        self.pieces.get(self.piece + 1).map(|next| next.from)
    }

    /// What is left of the piece from an instant within it.
    fn rate_at(&self, at: Instant) -> Piece {
        cut(self.pieces[self.piece], at)
    }
}

/// The part of a piece from an instant within it.
fn cut(piece: Piece, at: Instant) -> Piece {
    let gone = at.since(piece.from).as_secs_f64();
    Piece { from: at, rate: (piece.rate + piece.slope * gone).max(0.0), slope: piece.slope }
}

/// The integral of the rate over the first while of a piece.
fn integral(piece: Piece, length: Duration) -> f64 {
    let seconds = length.as_secs_f64();
    (piece.rate + piece.slope * seconds / 2.0) * seconds
}

/// How long it takes from the start of a piece until the integral is `mass`.
fn reach(piece: Piece, mass: f64) -> Duration {
    let nanos = NANOS_PER_SECOND as f64;
    if piece.slope == 0.0 {
        if piece.rate <= 0.0 {
            return Duration::MAX;
        }
        return Duration::from_nanos_f64(mass * nanos / piece.rate);
    }
    // The root of mass = rate·x + slope·x²/2 that does not cancel.
    let root = piece.rate * piece.rate + 2.0 * piece.slope * mass;
    if root < 0.0 {
        return Duration::MAX;
    }
    let below = piece.rate + root.sqrt();
    if below <= 0.0 {
        return if mass > 0.0 { Duration::MAX } else { Duration::ZERO };
    }
    Duration::from_nanos_f64(2.0 * mass / below * nanos)
}

/// The pieces with the rate multiplied while a fault lasts.
fn surged(pieces: &[Piece], fault: &Fault, factor: f64) -> Vec<Piece> {
    let mut all = Vec::with_capacity(pieces.len() + 2);
    for (index, &piece) in pieces.iter().enumerate() {
        let end = pieces.get(index + 1).map_or(Instant::NEVER, |next| next.from);
        let mut starts = vec![piece.from];
        starts.extend(
            [fault.from, fault.until].into_iter().filter(|&at| piece.from < at && at < end),
        );
        for start in starts {
            let part = cut(piece, start);
            let struck = fault.from <= start && start < fault.until;
            let times = if struck { factor } else { 1.0 };
            all.push(Piece { rate: part.rate * times, slope: part.slope * times, ..part });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Instant {
        Instant::ZERO + Duration::from_nanos_f64(seconds * 1e9)
    }

    fn piece(from: f64, rate: f64, slope: f64) -> Piece {
        Piece { from: seconds(from), rate, slope }
    }

    fn clockwork(pieces: Vec<Piece>) -> Clockwork {
        Clockwork { pieces, piece: 0, passed: 0.0 }
    }

    /// 10/s for 1 s, nothing for 1 s, a ramp from 0 to 20/s in 2 s, then 20/s.
    fn course() -> Clockwork {
        let pieces = [(0.0, 10.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 10.0), (4.0, 20.0, 0.0)];
        clockwork(pieces.map(|(from, rate, slope)| piece(from, rate, slope)).to_vec())
    }

    #[test]
    fn the_integral_is_reached_where_it_should_be() {
        // 10 in the first second, 20 in the ramp: half of the ramp's mass after
        // sqrt(1/2) of its time.
        let expected =
            [(0.0, 0.0), (5.0, 0.5), (20.0, 2.0 + 2.0_f64.sqrt()), (30.0, 4.0), (50.0, 5.0)];
        let mut clock = course();
        for (mass, at) in expected {
            let found = clock.at(mass).as_nanos() as f64 / 1e9;
            assert!((found - at).abs() < 1e-8, "{mass}: {found} rather than {at}");
        }
    }

    #[test]
    fn both_ways_to_read_it_agree() {
        let (mut from_start, mut from_last) = (course(), course());
        let mut last = Instant::ZERO;
        for k in 1..100 {
            last = from_last.after(last, 0.7);
            let at = from_start.at(0.7 * f64::from(k));
            let apart = at.as_nanos().abs_diff(last.as_nanos());
            assert!(apart < 1_000, "{k}: {apart} ns");
        }
    }

    #[test]
    fn a_rate_that_falls_to_zero_ends() {
        let mut clock = clockwork(vec![piece(0.0, 10.0, -10.0)]);
        assert_eq!(clock.at(5.1), Instant::NEVER);
        let mut clock = clockwork(vec![piece(0.0, 10.0, -10.0)]);
        assert_eq!(clock.at(5.0), seconds(1.0));
        let mut silent = clockwork(vec![piece(0.0, 0.0, 0.0)]);
        assert_eq!(silent.after(Instant::ZERO, 1e-9), Instant::NEVER);
    }

    #[test]
    fn a_surge_multiplies_the_rate_while_it_lasts() {
        let fault = Fault {
            name: "surge".into(),
            target: Target::Surge { client: 0, factor: 3.0 },
            from: seconds(1.0),
            until: seconds(3.0),
        };
        let pieces = surged(&[piece(0.0, 10.0, 0.0), piece(2.0, 0.0, 10.0)], &fault, 3.0);
        let expected = [
            piece(0.0, 10.0, 0.0),
            piece(1.0, 30.0, 0.0),
            piece(2.0, 0.0, 30.0),
            piece(3.0, 10.0, 10.0),
        ];
        assert_eq!(pieces, expected);
    }
}
