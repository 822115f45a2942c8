//! A total reader over wire bytes: every read answers `Option`, so `?` ends a parse where the
//! bytes end and nothing can run past them.

use crate::steps;

/// A position in a byte slice. Integers are big-endian unless the name says `le`.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Bytes read so far.
    pub const fn position(&self) -> usize {
        self.position
    }

    /// Bytes not yet read.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Returns the number of bytes left.
    pub const fn len(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    /// Whether all bytes are read.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        steps::count(1);
        let end = self.position.checked_add(count)?;
        let taken = self.bytes.get(self.position..end)?;
        self.position = end;
        Some(taken)
    }

    /// A reader over the next `count` bytes, which this one skips.
    pub fn sub(&mut self, count: usize) -> Option<Reader<'a>> {
        self.take(count).map(Reader::new)
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Skips `count` bytes.
    #[inline]
    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    /// The next byte, not consumed.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// An unsigned 8-bit integer.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }

    /// An unsigned 16-bit integer.
    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// An unsigned 24-bit integer.
    #[inline]
    pub fn u24(&mut self) -> Option<u32> {
        self.array().map(|[a, b, c]| u32::from_be_bytes([0, a, b, c]))
    }

    /// An unsigned 32-bit integer.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// An unsigned 64-bit integer.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// A little-endian unsigned 16-bit integer.
    #[inline]
    pub fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// A little-endian unsigned 32-bit integer.
    #[inline]
    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A little-endian unsigned 64-bit integer.
    #[inline]
    pub fn u64_le(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Reader;

    #[test]
    fn reads_until_the_bytes_end() {
        let mut reader = Reader::new(&[1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(reader.u8(), Some(1));
        assert_eq!(reader.u24(), Some(0x020304));
        assert_eq!(reader.u32(), None, "a read past the end takes nothing");
        assert_eq!(reader.u16(), Some(0x0506));
        assert_eq!(reader.rest(), &[7]);
        assert_eq!(reader.take(usize::MAX), None);
    }
}
