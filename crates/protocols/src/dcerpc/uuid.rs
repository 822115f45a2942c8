//! Universal unique identifiers (C706 appendix A), and the byte order in which they and numbers stand.

use std::fmt;

use weir_base::{Reader, hex};

/// In which order the bytes of numbers stand, by the sender's own word (C706 14.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Most significant byte first.
    Big,
    /// Least significant byte first.
    #[default]
    Little,
}

impl Order {
    /// Returns the byte order of a data representation's first byte.
    pub const fn of(representation: u8) -> Self {
        if representation & 0x10 == 0 { Self::Big } else { Self::Little }
    }

    /// A number of two bytes.
    pub fn u16(self, reader: &mut Reader<'_>) -> Option<u16> {
        match self {
            Self::Big => reader.u16(),
            Self::Little => reader.u16_le(),
        }
    }

    /// A number of four bytes.
    pub fn u32(self, reader: &mut Reader<'_>) -> Option<u32> {
        match self {
            Self::Big => reader.u32(),
            Self::Little => reader.u32_le(),
        }
    }
}

/// An identifier, as the number that its digits are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Uuid(pub u128);

/// Digits of an identifier by part.
const PARTS: [usize; 5] = [8, 4, 4, 4, 12];

impl Uuid {
    /// The next identifier.
    pub fn read(reader: &mut Reader<'_>, order: Order) -> Option<Self> {
        let (first, second, third) = (order.u32(reader)?, order.u16(reader)?, order.u16(reader)?);
        let start = u128::from(first) << 96 | u128::from(second) << 80 | u128::from(third) << 64;
        Some(Self(start | u128::from(reader.u64()?)))
    }

    /// An identifier as text, with or without dashes.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = if text.contains('-') {
            let parts: Vec<&str> = text.split('-').collect();
            if !parts.iter().map(|part| part.len()).eq(PARTS) {
                return None;
            }
            parts.concat()
        } else {
            text.to_owned()
        };
        if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        u128::from_str_radix(&digits, 16).ok().map(Self)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::uuid(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "4d9f4ab8-7d1c-11cf-861e-0020af6e7c57";

    #[test]
    fn identifiers_of_bytes() {
        let little = b"\xb8\x4a\x9f\x4d\x1c\x7d\xcf\x11\x86\x1e\x00\x20\xaf\x6e\x7c\x57";
        let big = b"\x4d\x9f\x4a\xb8\x7d\x1c\x11\xcf\x86\x1e\x00\x20\xaf\x6e\x7c\x57";
        for (bytes, order) in [(little, Order::of(0x10)), (big, Order::of(0))] {
            let read = Uuid::read(&mut Reader::new(bytes), order);
            assert_eq!(read.map(|uuid| uuid.to_string()).as_deref(), Some(TEXT), "{order:?}");
            assert_eq!(Uuid::read(&mut Reader::new(&bytes[..15]), order), None);
        }
    }

    #[test]
    fn identifiers_of_text() {
        let simple = TEXT.replace('-', "");
        let upper = TEXT.to_uppercase();
        for text in [TEXT, &simple, &upper] {
            assert_eq!(Uuid::parse(text).map(|uuid| uuid.to_string()).as_deref(), Some(TEXT), "{text}");
        }
        for text in ["", "4d9f4ab8-7d1c-11cf-861e-0020af6e7c5", "4d9f4ab87-d1c-11cf-861e-0020af6e7c57", "x"] {
            assert_eq!(Uuid::parse(text), None, "{text}");
        }
    }
}
