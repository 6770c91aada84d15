//! What is kept of a request along its way down, in few bytes: there may be
//! millions of attempts at a time.

use crate::policy::Request;

/// Which request of which client table, and what it is: 16 bits for the table,
/// 5 for the request, 43 for its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestId(u64);

const NUMBER: u32 = 43;
const NUMBERS: u64 = (1 << NUMBER) - 1;

impl RequestId {
    pub(super) fn new(client: usize, request: Request, number: u64) -> Self {
        let client = (client as u64) << (NUMBER + Request::BITS);
        Self(client | u64::from(request.bits()) << NUMBER | number)
    }

    /// A request whose client has given up, so that nobody knows its number.
    pub(super) fn unknown(request: Request) -> Self {
        Self::new(usize::from(u16::MAX), request, NUMBERS)
    }

    /// Whether it is the very first request of the run's first client table.
    pub(super) fn is_first(self) -> bool {
        self.client() == 0 && self.number() == 0
    }

    pub(super) fn client(self) -> usize {
        (self.0 >> (NUMBER + Request::BITS)) as usize
    }

    pub(super) fn request(self) -> Request {
        Request::of_bits((self.0 >> NUMBER) as u8 & ((1 << Request::BITS) - 1))
    }

    pub(super) fn number(self) -> u64 {
        self.0 & NUMBERS
    }
}

/// The edge of an attempt, and what the request is on whose behalf it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errand(u32);

const EDGE: u32 = u32::BITS - Request::BITS;

impl Errand {
    pub(super) fn new(edge: u32, request: Request) -> Self {
        Self(u32::from(request.bits()) << EDGE | edge)
    }

    pub(super) fn edge(self) -> usize {
        (self.0 & ((1 << EDGE) - 1)) as usize
    }

    pub(super) fn request(self) -> Request {
        Request::of_bits((self.0 >> EDGE) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Method;

    #[test]
    fn all_parts_come_back() {
        for (client, number) in [(0, 0), (0, 1), (9_999, 10_000_000_000), (1, 0)] {
            for method in Method::ALL {
                let request = Request { method, has_key: number == 1 };
                let id = RequestId::new(client, request, number);
                assert_eq!((id.client(), id.request(), id.number()), (client, request, number));
                assert_eq!(id.is_first(), client == 0 && number == 0);
                let unknown = RequestId::unknown(request);
                assert_eq!(unknown.request(), request);
                assert!(!unknown.is_first());
                let errand = Errand::new(99_999, request);
                assert_eq!((errand.edge(), errand.request()), (99_999, request));
            }
        }
    }
}
