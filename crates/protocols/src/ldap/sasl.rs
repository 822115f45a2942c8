//! Security layer that SASL negotiated when the client has authenticated, as Zeek reads it: messages go on as they are,
//! or inside of tokens with their length before (RFC 4422 3.7), of which those of
//! Kerberos (RFC 4121 4.2.6.2) may only be signed.

use std::ops::Range;

use weir_base::Reader;

/// Security layer of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layer {
    /// As they are.
    #[default]
    Plain,
    /// The next one tells.
    Undecided,
    /// Inside of what nobody can read.
    Sealed,
    /// Inside of tokens of Kerberos.
    Kerberos,
}

/// Next token of a wrapped message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// More is needed to tell: so many bytes.
    Needed(usize),
    /// So many bytes that say nothing.
    Opaque(usize),
    /// A token of this length, with messages at a place of it.
    Messages(usize, Range<usize>),
}

/// The length before a token.
const LENGTH: usize = 4;

/// Identifier of a token that wraps messages (`TOK_ID`, RFC 4121 4.2.6.2).
const WRAP: u16 = 0x0504;

/// Bytes of its header.
const HEADER: usize = 16;

/// The flag of one that is encrypted.
const SEALED: u8 = 0x02;

impl Layer {
    /// Decides on the layer from the next bytes, after a client used `mechanism`; none where there are too few.
    pub fn decide(self, mechanism: &[u8], bytes: &[u8]) -> Option<Self> {
        if self != Self::Undecided {
            return Some(self);
        }
        let mut reader = Reader::new(bytes);
        if reader.peek()? == crate::ber::tag::SEQUENCE {
            return Some(Self::Plain);
        }
        if !mechanism.starts_with(b"GSS") {
            return Some(Self::Sealed);
        }
        let length = reader.u32()?;
        if length < 2 {
            return Some(Self::Sealed);
        }
        Some(if reader.u16()? == WRAP { Self::Kerberos } else { Self::Sealed })
    }

    /// The next token.
    pub fn token(self, bytes: &[u8], most: usize) -> Token {
        let mut reader = Reader::new(bytes);
        let Some(length) = reader.u32() else { return Token::Needed(LENGTH) };
        let whole = LENGTH.saturating_add(length as usize);
        if self != Self::Kerberos || (length as usize) < HEADER || whole > most {
            return Token::Opaque(whole);
        }
        let (Some(WRAP), Some(flags)) = (reader.u16(), reader.u8()) else {
            return if bytes.len() < LENGTH + HEADER {
                Token::Needed(LENGTH + HEADER)
            } else {
                Token::Opaque(whole)
            };
        };
        let _filler = reader.u8();
        let (Some(extra), Some(rotation)) = (reader.u16(), reader.u16()) else {
            return Token::Needed(LENGTH + HEADER);
        };
        if flags & SEALED != 0 {
            return Token::Opaque(whole);
        }
        let start = LENGTH + HEADER;
        let extra = usize::from(extra);
        let place = match rotation {
            0 => start..whole.saturating_sub(extra),
            rotation if usize::from(rotation) == extra => start + extra..whole,
            _ => return Token::Opaque(whole),
        };
        if place.start >= place.end { Token::Opaque(whole) } else { Token::Messages(whole, place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers() {
        let wrapped = b"\0\0\0\x20\x05\x04";
        type Case<'a> = (Layer, &'a [u8], &'a [u8], Option<Layer>);
        let cases: &[Case<'_>] = &[
            (Layer::Plain, b"GSSAPI", wrapped, Some(Layer::Plain)),
            (Layer::Undecided, b"GSSAPI", b"\x30", Some(Layer::Plain)),
            (Layer::Undecided, b"GSSAPI", wrapped, Some(Layer::Kerberos)),
            (Layer::Undecided, b"GSSAPI", b"\0\0\0\x20\x06\x04", Some(Layer::Sealed)),
            (Layer::Undecided, b"GSSAPI", b"\0\0\0\x01", Some(Layer::Sealed)),
            (Layer::Undecided, b"GSSAPI", b"\0\0\0", None),
            (Layer::Undecided, b"SRP", b"\0\0\0", Some(Layer::Sealed)),
            (Layer::Undecided, b"SRP", b"", None),
        ];
        for (layer, mechanism, bytes, expected) in cases {
            assert_eq!(layer.decide(mechanism, bytes), *expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn tokens() {
        let token = |flags: u8, extra: u8, rotation: u8| {
            [&[0, 0, 0, 30, 5, 4, flags, 0xff, 0, extra, 0, rotation][..], &[0; 22]].concat()
        };
        let cases: &[(Layer, Vec<u8>, Token)] = &[
            (Layer::Sealed, vec![0, 0, 1, 0], Token::Opaque(260)),
            (Layer::Sealed, vec![0, 0, 1], Token::Needed(4)),
            (Layer::Kerberos, vec![0, 0, 0, 30, 5], Token::Needed(20)),
            (Layer::Kerberos, vec![0, 0, 0, 30, 5, 4, 0, 0xff, 0], Token::Needed(20)),
            (Layer::Kerberos, token(2, 0, 0), Token::Opaque(34)),
            (Layer::Kerberos, token(0, 12, 12), Token::Messages(34, 32..34)),
            (Layer::Kerberos, token(0, 12, 0), Token::Messages(34, 20..22)),
            (Layer::Kerberos, token(0, 12, 3), Token::Opaque(34)),
            (Layer::Kerberos, token(0, 14, 14), Token::Opaque(34)),
            (Layer::Kerberos, vec![0xff; 30], Token::Opaque(0xffff_ffff + 4)),
        ];
        for (layer, bytes, expected) in cases {
            assert_eq!(layer.token(bytes, 1 << 20), *expected, "{bytes:02x?}");
        }
    }
}
