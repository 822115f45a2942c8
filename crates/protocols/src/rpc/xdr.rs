//! External data (RFC 4506) as scripts are told of it: behind what is not there all reads as nothing, so that the records
//! of a call that failed have their fields.

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};

/// Reads values one after another.
#[derive(Clone, Debug)]
pub(super) struct Xdr<'a> {
    rest: &'a [u8],
    length: usize,
    is_short: bool,
}

impl<'a> Xdr<'a> {
    /// Reads these bytes.
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, length: bytes.len(), is_short: false }
    }

    /// There is nothing to read.
    pub(super) const fn nothing() -> Self {
        Self { rest: &[], length: 0, is_short: true }
    }

    /// Returns whether all that was asked for was there.
    pub(super) const fn is_whole(&self) -> bool {
        !self.is_short
    }

    /// Returns the bytes that are left.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the bytes that were read.
    pub(super) const fn position(&self) -> usize {
        self.length.saturating_sub(self.rest.len())
    }

    /// Passes over what is left.
    pub(super) const fn pass_over(&mut self) {
        self.rest = &[];
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) if !self.is_short => {
                self.rest = rest;
                Some(taken)
            }
            _ => {
                self.is_short = true;
                None
            }
        }
    }

    /// An unsigned integer (4.2).
    pub(super) fn u32(&mut self) -> u32 {
        self.take(4).and_then(|bytes| Reader::new(bytes).u32()).unwrap_or(0)
    }

    /// An unsigned hyper integer (4.5).
    pub(super) fn u64(&mut self) -> u64 {
        self.take(8).and_then(|bytes| Reader::new(bytes).u64()).unwrap_or(0)
    }

    /// A boolean (4.4).
    pub(super) fn flag(&mut self) -> bool {
        self.u32() != 0
    }

    /// A moment: seconds and nanoseconds.
    pub(super) fn moment(&mut self) -> EventValue<'static> {
        let (seconds, nanos) = self.take(8).map_or((0, 0), |bytes| {
            let mut reader = Reader::new(bytes);
            (reader.u32().unwrap_or(0), reader.u32().unwrap_or(0))
        });
        EventValue::Moment(f64::from(seconds) + f64::from(nanos) / 1e9)
    }

    /// Opaque bytes or a text (4.10, 4.11) of at most so many bytes. What fills up the last unit may be missing.
    pub(super) fn opaque(&mut self, most: usize) -> Option<&'a [u8]> {
        let length = self.u32() as usize;
        if length > most || length > self.rest.len() {
            self.is_short = true;
        }
        self.padded(length)
    }

    /// Opaque bytes, as far as they are there.
    pub(super) fn data(&mut self) -> &'a [u8] {
        let length = self.u32() as usize;
        self.padded(length.min(self.rest.len())).unwrap_or_default()
    }

    fn padded(&mut self, length: usize) -> Option<&'a [u8]> {
        let bytes = self.take(length)?;
        let filling = (length.wrapping_neg() % 4).min(self.rest.len());
        self.take(filling)?;
        Some(bytes)
    }

    /// A value behind a boolean that says whether it is there.
    pub(super) fn optional(&mut self, read: fn(&mut Self) -> Nested<'a>) -> Nested<'a> {
        if self.flag() { read(self) } else { EventValue::Unset.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let mut xdr = Xdr::new(b"\0\0\0\x07\0\0\0\x05hello\0\0\0\0\0\0\x01\0\0\0\x09ab");
        assert_eq!((xdr.u32(), xdr.opaque(5), xdr.flag()), (7, Some(&b"hello"[..]), true));
        assert_eq!((xdr.position(), xdr.is_whole()), (20, true));
        assert_eq!((xdr.data(), xdr.rest().len(), xdr.is_whole()), (&b"ab"[..], 0, true));
        assert_eq!((xdr.u32(), xdr.is_whole()), (0, false));
    }

    #[test]
    fn nothing_is_read_behind_what_is_not_there() {
        for bytes in [&b"\0\0\0\x05hell"[..], b"\0\0\0\x09123456789", b"\xff\xff\xff\xff1234"] {
            let mut xdr = Xdr::new(bytes);
            assert_eq!((xdr.opaque(8), xdr.is_whole(), xdr.u32()), (None, false, 0), "{bytes:?}");
        }
        let mut xdr = Xdr::nothing();
        assert_eq!((xdr.u64(), xdr.flag(), xdr.data(), xdr.is_whole()), (0, false, &b""[..], false));
    }
}
