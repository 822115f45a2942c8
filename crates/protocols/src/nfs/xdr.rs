//! External data representation, RFC 4506: big-endian, in units of four bytes.

use weir_base::Reader;

/// Opaque bytes (4.10) of which perhaps not all are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data<'a> {
    /// Bytes there are to be.
    pub length: u32,
    /// Those that are there.
    pub bytes: &'a [u8],
}

impl Data<'_> {
    /// Returns the bytes still to come.
    pub fn left(&self) -> u32 {
        self.length.saturating_sub(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX))
    }

    /// Bytes that fill up to a unit behind them.
    pub const fn padding(&self) -> u32 {
        self.length.wrapping_neg() % 4
    }
}

/// Bytes that fill up to a unit; at the end of a message they may be missing.
fn skip_padding(reader: &mut Reader<'_>, length: usize) -> Option<()> {
    reader.skip((length.wrapping_neg() % 4).min(reader.len()))
}

/// Opaque bytes or a text, at most so long.
pub fn opaque<'a>(reader: &mut Reader<'a>, most: usize) -> Option<&'a [u8]> {
    let length = usize::try_from(reader.u32()?).ok().filter(|&length| length <= most)?;
    let bytes = reader.take(length)?;
    skip_padding(reader, length)?;
    Some(bytes)
}

/// Opaque bytes, as far as they are there.
pub fn data<'a>(reader: &mut Reader<'a>) -> Option<Data<'a>> {
    let length = reader.u32()?;
    let bytes = reader.take(reader.len().min(usize::try_from(length).ok()?))?;
    skip_padding(reader, bytes.len())?;
    Some(Data { length, bytes })
}

/// An array of units, at most so many.
pub fn skip_units(reader: &mut Reader<'_>, most: usize) -> Option<()> {
    let count = usize::try_from(reader.u32()?).ok().filter(|&count| count <= most)?;
    reader.skip(count * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_their_padding() {
        let mut reader = Reader::new(b"\0\0\0\x05hello\0\0\0\0\0\0\x01a");
        assert_eq!(opaque(&mut reader, 5), Some(&b"hello"[..]));
        assert_eq!(opaque(&mut reader, 5), Some(&b"a"[..]), "no padding at the end");
        assert_eq!(opaque(&mut Reader::new(b"\0\0\0\x05hello"), 4), None, "too long");
        assert_eq!(opaque(&mut Reader::new(b"\0\0\0\x05hell"), 5), None, "not all there");
    }

    #[test]
    fn data_that_is_not_all_there() {
        let part = data(&mut Reader::new(b"\0\0\0\x05hel")).unwrap();
        assert_eq!((part.bytes, part.length, part.left()), (&b"hel"[..], 5, 2));
    }
}
