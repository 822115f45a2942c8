//! The chain of payloads, which both versions have: each says what the next one is, RFC 2408 3.2 and RFC 7296 3.2.

use weir_base::Reader;

/// Most payloads that are read of a chain.
pub const MAX_PAYLOADS: usize = 256;

/// The length of what a payload begins with.
const HEADER_LENGTH: u16 = 4;

/// A payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payload<'a> {
    /// Type.
    pub kind: u8,
    /// Type of the next one.
    pub next: u8,
    /// Data.
    pub data: &'a [u8],
}

/// The payloads of a chain.
#[derive(Clone, Debug)]
pub struct Payloads<'a> {
    reader: Reader<'a>,
    next: u8,
    count: usize,
}

impl<'a> Payloads<'a> {
    /// Those in `bytes`, of which the first one is `first`.
    pub const fn new(bytes: &'a [u8], first: u8) -> Self {
        Self { reader: Reader::new(bytes), next: first, count: 0 }
    }

    /// Whether bytes are left that are no payload.
    pub const fn has_rest(&self) -> bool {
        !self.reader.is_empty()
    }
}

impl<'a> Iterator for Payloads<'a> {
    type Item = Payload<'a>;

    /// A length that is shorter than what it is the length of counts as that.
    fn next(&mut self) -> Option<Payload<'a>> {
        let mut reader = self.reader;
        let next = reader.u8()?;
        reader.skip(1)?;
        let length = reader.u16()?.saturating_sub(HEADER_LENGTH);
        let data = reader.take(length.into())?;
        if self.count >= MAX_PAYLOADS {
            return None;
        }
        self.count += 1;
        self.reader = reader;
        Some(Payload { kind: std::mem::replace(&mut self.next, next), next, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains() {
        let mut payloads = Payloads::new(b"\x02\0\0\x06ab\x03\0\0\x04\0\0\0\x01\0\0\0\x09x", 1);
        let found: Vec<_> = payloads.by_ref().map(|found| (found.kind, found.next, found.data)).collect();
        assert_eq!(found, [(1, 2, &b"ab"[..]), (2, 3, b""), (3, 0, b"")]);
        assert!(payloads.has_rest());
        assert!(!Payloads::new(b"", 1).has_rest());
    }

    #[test]
    fn chains_are_limited() {
        assert_eq!(Payloads::new(&[0; 4 * (MAX_PAYLOADS + 9)], 1).count(), MAX_PAYLOADS);
    }
}
