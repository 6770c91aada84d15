//! What a service says when it fails: a status, and when to come back.

use crate::policy::Hint;
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// The statuses of failures, each with its share.
#[derive(Clone, Debug, PartialEq)]
pub struct Statuses {
    /// Each with the sum of the shares up to it; the last sum is 1.
    cumulative: Vec<(f64, u16)>,
}

impl From<u16> for Statuses {
    /// Always this one.
    fn from(status: u16) -> Self {
        Self { cumulative: vec![(1.0, status)] }
    }
}

impl Statuses {
    /// These statuses, with weights that need not sum to 1. `None` without a
    /// status, or if a weight or their sum is no finite number above 0.
    pub fn weighted(list: &[(u16, f64)]) -> Option<Self> {
        let total: f64 = list.iter().map(|&(_, weight)| weight).sum();
        let good = |number: f64| number.is_finite() && number > 0.0;
        if !good(total) || !list.iter().all(|&(_, weight)| good(weight)) {
            return None;
        }
        let mut sum = 0.0;
        let mut cumulative = Vec::with_capacity(list.len());
        for &(status, weight) in list {
            sum += weight;
            cumulative.push((sum / total, status));
        }
        Some(Self { cumulative })
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.cumulative.iter().map(|&(_, status)| status)
    }

    /// The status of a failure. `draw` gives a number in [0, 1), and is called
    /// if there is a choice.
    #[inline]
    pub fn choose(&self, draw: impl FnOnce() -> f64) -> u16 {
        let last = self.cumulative.len() - 1;
        if last == 0 {
            return self.cumulative[0].1;
        }
        let u = draw();
        let chosen = self.cumulative[..last].iter().find(|&&(sum, _)| u < sum);
        chosen.unwrap_or(&self.cumulative[last]).1
    }
}

/// What a failure says about the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing.
    None,
    /// Come back after this long, in a form that every client reads.
    After(Duration),
    /// Come back at the HTTP date that is this far ahead of the answer: a whole
    /// second, cut off. The clock of dates starts on a whole second.
    Date(Duration),
    /// A number below zero.
    Negative,
    /// What no client can read.
    Unreadable,
}

impl Advice {
    /// What a client makes of it that gets it at `now`, in an answer of `sent`.
    /// A date is to be read by clients that know dates.
    #[inline]
    pub fn hint(self, sent: Instant, now: Instant, reads_dates: bool) -> Hint {
        match self {
            Self::None => Hint::None,
            Self::After(length) => Hint::After(length),
            Self::Date(ahead) if reads_dates => {
                let date = (sent + ahead).as_nanos() / NANOS_PER_SECOND * NANOS_PER_SECOND;
                Hint::After(Instant::from_nanos(date).since(now))
            }
            Self::Negative => Hint::Negative,
            Self::Date(_) | Self::Unreadable => Hint::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_come_in_the_order_and_the_shares_of_the_list() {
        let statuses = Statuses::weighted(&[(500, 1.0), (503, 2.0), (429, 1.0)]).expect("good");
        let choose = |u: f64| statuses.choose(|| u);
        assert_eq!(
            [0.0, 0.249, 0.25, 0.749, 0.75, 0.999].map(choose),
            [500, 500, 503, 503, 429, 429]
        );
        assert_eq!(Statuses::from(404).choose(|| panic!("there is no choice")), 404);
        for bad in
            [&[][..], &[(500, 0.0)], &[(500, -1.0)], &[(500, f64::NAN)], &[(500, f64::MAX); 2]]
        {
            assert_eq!(Statuses::weighted(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_date_is_a_whole_second_and_counts_from_when_it_arrives() {
        let at = |millis: u64| Instant::ZERO + Duration::from_millis(millis);
        let date = Advice::Date(Duration::from_secs(30));
        let asked = |sent, now| date.hint(at(sent), at(now), true);
        assert_eq!(asked(0, 0), Hint::After(Duration::from_secs(30)));
        assert_eq!(asked(400, 400), Hint::After(Duration::from_millis(29_600)));
        assert_eq!(asked(400, 500), Hint::After(Duration::from_millis(29_500)));
        assert_eq!(asked(0, 31_000), Hint::After(Duration::ZERO), "it has passed");
        assert_eq!(date.hint(at(0), at(0), false), Hint::Unreadable);
    }
}
