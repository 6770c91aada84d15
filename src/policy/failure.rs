//! What went wrong, and whether a repeat may help or may harm.

/// What the caller saw of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An answer with this status: HTTP's, or gRPC's from 1 to 16.
    Status(u16),
    /// No answer within the attempt's timeout.
    Timeout,
    /// The connection was refused or broke.
    Connection,
}

impl Failure {
    /// The status that a service hands up when a call of its own has failed
    /// like this: the status it got, 504 after a timeout, 503 without a
    /// connection.
    pub const fn status_handed_up(self) -> u16 {
        match self {
            Self::Status(status) => status,
            Self::Timeout => 504,
            Self::Connection => 503,
        }
    }
}

/// A set of statuses: gRPC's 0 to 16, and HTTP's from 400 to 638.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusSet {
    /// A bit for each number below 640: asked for every failure, so it is one
    /// look.
    words: [u64; 10],
}

impl StatusSet {
    /// No status.
    pub const EMPTY: Self = Self { words: [0; 10] };

    /// Whether a status can be in a set.
    pub const fn can_hold(status: u16) -> bool {
        matches!(status, 0..=16 | 400..=638)
    }

    /// The set with this status as well. A status that no set can hold is left
    /// out; ask [`Self::can_hold`] first.
    pub const fn with(mut self, status: u16) -> Self {
        if Self::can_hold(status) {
            self.words[status as usize / 64] |= 1 << (status % 64);
        }
        self
    }

    /// The set without this status.
    pub const fn without(mut self, status: u16) -> Self {
        if Self::can_hold(status) {
            self.words[status as usize / 64] &= !(1 << (status % 64));
        }
        self
    }

    /// The set of these statuses.
    pub const fn of(statuses: &[u16]) -> Self {
        let mut set = Self::EMPTY;
        let mut i = 0;
        while i < statuses.len() {
            set = set.with(statuses[i]);
            i += 1;
        }
        set
    }

    /// The set with every status from `first` to `last` as well.
    pub const fn with_range(mut self, first: u16, last: u16) -> Self {
        let mut status = first;
        while status <= last {
            self = self.with(status);
            status += 1;
        }
        self
    }

    /// Whether it holds this status.
    #[inline]
    pub const fn contains(&self, status: u16) -> bool {
        let word = status as usize / 64;
        word < self.words.len() && self.words[word] >> (status % 64) & 1 == 1
    }

    /// Its statuses, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..=16).chain(400..=638).filter(move |&status| self.contains(status))
    }
}

/// The failures after which a repeat may end better. Any other says that the
/// request itself is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryOn {
    /// Answers with one of these statuses.
    pub statuses: StatusSet,
    /// Whatever says "slow down", even with a status that is not listed.
    pub throttled: bool,
    /// Attempts that ran into their timeout.
    pub timeout: bool,
    /// Connections that were refused or broke.
    pub connection: bool,
}

impl RetryOn {
    /// 408, 429, 500, 502, 503, 504, timeouts and connection errors.
    pub const USUAL: Self = Self {
        statuses: StatusSet::of(&[408, 429, 500, 502, 503, 504]),
        throttled: false,
        timeout: true,
        connection: true,
    };

    /// These statuses and nothing else.
    pub const fn statuses(statuses: &[u16]) -> Self {
        Self {
            statuses: StatusSet::of(statuses),
            throttled: false,
            timeout: false,
            connection: false,
        }
    }

    /// Every failure there is.
    pub const EVERYTHING: Self = Self {
        statuses: StatusSet::EMPTY.with_range(1, 16).with_range(400, 638),
        throttled: true,
        timeout: true,
        connection: true,
    };

    /// Whether a repeat may help after this failure.
    #[inline]
    pub const fn covers(&self, failure: Failure, throttled: bool) -> bool {
        match failure {
            Failure::Status(status) => {
                self.statuses.contains(status) || (self.throttled && throttled)
            }
            Failure::Timeout => self.timeout,
            Failure::Connection => self.connection,
        }
    }
}
