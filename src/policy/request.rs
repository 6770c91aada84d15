//! Whether a request may be sent twice.

/// The method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Read.
    #[default]
    Get,
    /// Read the header only.
    Head,
    /// Ask what is possible.
    Options,
    /// Echo.
    Trace,
    /// Store under a name.
    Put,
    /// Remove.
    Delete,
    /// Act; twice is not the same as once.
    Post,
    /// Change in part; twice need not be the same as once.
    Patch,
    /// Any other.
    Other,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 9] = [
        Self::Get,
        Self::Head,
        Self::Options,
        Self::Trace,
        Self::Put,
        Self::Delete,
        Self::Post,
        Self::Patch,
        Self::Other,
    ];

    /// Its name, in capitals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Other => "OTHER",
        }
    }

    /// The method with this name, in capitals or not.
    pub fn of_name(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|method| method.name().eq_ignore_ascii_case(name))
            .unwrap_or(Self::Other)
    }
}

/// What a policy must know of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Whether it carries a key by which the server knows a repeat.
    pub has_key: bool,
}

impl Request {
    /// A request by the name of its method and the key it carries. A blank key
    /// is none.
    pub fn new(method: &str, key: Option<&str>) -> Self {
        Self {
            method: Method::of_name(method),
            has_key: key.is_some_and(|key| !key.trim().is_empty()),
        }
    }

    /// How many bits [`Self::bits`] takes.
    pub const BITS: u32 = 5;

    /// The request in a few bits, for those who keep many.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.method as u8 | (self.has_key as u8) << 4
    }

    /// The request of these bits.
    #[inline]
    pub const fn of_bits(bits: u8) -> Self {
        let method = (bits & 0b1111) as usize;
        let method = if method < Method::ALL.len() { Method::ALL[method] } else { Method::Other };
        Self { method, has_key: bits >> 4 & 1 == 1 }
    }
}

/// A set of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSet(u16);

impl MethodSet {
    /// No method.
    pub const NONE: Self = Self(0);
    /// Every method.
    pub const ALL: Self = Self((1 << Method::ALL.len()) - 1);

    /// The set of these methods.
    pub const fn of(methods: &[Method]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < methods.len() {
            bits |= 1 << methods[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// Whether it holds this method.
    #[inline]
    pub const fn contains(self, method: Method) -> bool {
        self.0 >> method as u16 & 1 == 1
    }
}

/// Which requests may be repeated. The server may have acted on an attempt that
/// failed, whatever the failure was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// Methods that may be repeated as they are.
    pub plain: MethodSet,
    /// Methods that may be repeated if the request has a key.
    pub with_key: MethodSet,
}

impl Repeatable {
    /// The idempotent methods of RFC 9110, and any with a key.
    pub const IDEMPOTENT: Self = Self {
        plain: MethodSet::of(&[
            Method::Get,
            Method::Head,
            Method::Options,
            Method::Trace,
            Method::Put,
            Method::Delete,
        ]),
        with_key: MethodSet::ALL,
    };

    /// Everything: the policy does not ask.
    pub const ANYTHING: Self = Self { plain: MethodSet::ALL, with_key: MethodSet::ALL };

    /// Whether this request may be repeated.
    #[inline]
    pub const fn allows(self, request: Request) -> bool {
        self.plain.contains(request.method)
            || (request.has_key && self.with_key.contains(request.method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_as_good_as_the_request() {
        for method in Method::ALL {
            for has_key in [false, true] {
                let request = Request { method, has_key };
                assert!(request.bits() < 1 << Request::BITS);
                assert_eq!(Request::of_bits(request.bits()), request);
            }
        }
    }
}
