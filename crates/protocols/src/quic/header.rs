//! Headers of packets: those that all versions share (RFC 8999), those of version 1 (RFC 9000 section 17)
//! and 2 (RFC 9369 section 3.2), and those of Google's versions, up to number 43 with a header of their own
//! and from 44 on with an earlier form of today's.
//!
//! A datagram holds packets one behind the other; one whose header does not tell its length is the last.

use weir_base::Reader;

use super::version::Version;

/// The bit of the first byte that marks a long header.
pub const LONG: u8 = 0x80;

/// The bit of the first byte that is set in all packets of versions 1 and 2.
pub const FIXED: u8 = 0x40;

/// Bytes of the hash that goes before what Google's versions say in the clear.
const GOOGLE_HASH_LENGTH: usize = 12;

/// Bytes of the tag at the end of a Retry packet.
const RETRY_TAG_LENGTH: usize = 16;

/// Type of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The first of a conversation, with keys that anyone can derive.
    Initial,
    /// A client's data before the handshake is over.
    ZeroRtt,
    /// The rest of the handshake.
    Handshake,
    /// A server asks a client to begin again.
    Retry,
    /// A server lists the versions it speaks.
    VersionNegotiation,
    /// All else, with a short header.
    Short,
}

/// A packet within a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// Type.
    pub kind: Kind,
    /// Its version; zero where it names none.
    pub version: Version,
    /// Destination connection id; empty where a short header does not tell its length.
    pub destination: &'a [u8],
    /// Source connection id.
    pub source: &'a [u8],
    /// Where the packet number stands; of Google's versions where the frames begin.
    pub number_at: usize,
    /// End of the packet by its header.
    pub end: usize,
}

impl<'a> Packet<'a> {
    /// Reads the header of the packet that `bytes` begin with, and may go beyond.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let first = reader.u8()?;
        if first & LONG == 0 {
            return google_packet(first, bytes).or(Some(Self {
                kind: Kind::Short,
                version: Version::default(),
                destination: &[],
                source: &[],
                number_at: bytes.len(),
                end: bytes.len(),
            }));
        }
        let version = Version(reader.u32()?);
        let kind = kind(first, version);
        let (destination, source) = match version.google() {
            Some(_) => {
                let lengths = reader.u8()?;
                (google_id(lengths >> 4, &mut reader)?, google_id(lengths & 15, &mut reader)?)
            }
            None => (connection_id(&mut reader)?, connection_id(&mut reader)?),
        };
        let mut end = bytes.len();
        if version.google().is_some() {
            if kind == Kind::Initial {
                let number = if first & FIXED != 0 && version.google() >= Some(46) { first & 3 } else { 3 };
                reader.skip(usize::from(number) + 1 + GOOGLE_HASH_LENGTH)?;
            }
        } else if matches!(kind, Kind::Initial | Kind::ZeroRtt | Kind::Handshake) {
            if kind == Kind::Initial {
                let token = variable(&mut reader)?;
                reader.skip(usize::try_from(token).ok()?)?;
            }
            let length = variable(&mut reader)?;
            end = reader.position().checked_add(usize::try_from(length).ok()?)?;
        }
        Some(Self { kind, version, destination, source, number_at: reader.position(), end })
    }

    /// Whether a datagram of so many bytes from here on has all of it.
    pub const fn is_within(&self, length: usize) -> bool {
        self.end <= length
    }

    /// Returns the token of a Retry packet, which its tag follows.
    pub fn token(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.number_at..bytes.len().checked_sub(RETRY_TAG_LENGTH)?)
    }
}

fn kind(first: u8, version: Version) -> Kind {
    if version.is_negotiation() {
        return Kind::VersionNegotiation;
    }
    if matches!(version.google(), Some(..=45)) {
        // As the drafts of the time have it, with a number in the low bits.
        return match first & !LONG {
            0x7f => Kind::Initial,
            0x7e => Kind::Retry,
            0x7c => Kind::ZeroRtt,
            _ => Kind::Handshake,
        };
    }
    let order = match version {
        Version::V2 => [Kind::Retry, Kind::Initial, Kind::ZeroRtt, Kind::Handshake],
        _ => [Kind::Initial, Kind::ZeroRtt, Kind::Handshake, Kind::Retry],
    };
    let [zero, one, two, three] = order;
    match first >> 4 & 3 {
        0 => zero,
        1 => one,
        2 => two,
        _ => three,
    }
}

/// A header of Google's versions up to 43: flags, the connection's id, the version, a packet number, and
/// the hash that stands before the frames. Only those that name their version can be recognised.
fn google_packet(first: u8, bytes: &[u8]) -> Option<Packet<'_>> {
    const VERSION: u8 = 0x01;
    const RESET: u8 = 0x02;
    const ID: u8 = 0x08;
    if first & (VERSION | RESET | ID) != VERSION | ID {
        return None;
    }
    let mut reader = Reader::new(bytes);
    reader.skip(1)?;
    let destination = reader.take(8)?;
    let version = Version(reader.u32()?);
    version.google()?;
    let number = match first >> 4 & 3 {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => 6,
    };
    reader.skip(number + GOOGLE_HASH_LENGTH)?;
    let number_at = reader.position();
    Some(Packet { kind: Kind::Initial, version, destination, source: &[], number_at, end: bytes.len() })
}

fn connection_id<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u8()?;
    reader.take(usize::from(length))
}

/// A length of four bits stands for three more, but for none at all.
fn google_id<'a>(length: u8, reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    reader.take(if length == 0 { 0 } else { usize::from(length) + 3 })
}

/// A number of one, two, four or eight bytes (RFC 9000 section 16).
pub fn variable(reader: &mut Reader<'_>) -> Option<u64> {
    let first = reader.u8()?;
    let start = u64::from(first & 0x3f);
    Some(match first >> 6 {
        0 => start,
        1 => start << 8 | u64::from(reader.u8()?),
        2 => start << 24 | u64::from(reader.u24()?),
        _ => start << 56 | u64::from(reader.u24()?) << 32 | u64::from(reader.u32()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_numbers() {
        // RFC 9000 appendix A.1.
        let cases: &[(&[u8], Option<u64>)] = &[
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], Some(151_288_809_941_952_652)),
            (&[0x9d, 0x7f, 0x3e, 0x7d], Some(494_878_333)),
            (&[0x7b, 0xbd], Some(15_293)),
            (&[0x25], Some(37)),
            (&[0x40, 0x25], Some(37)),
            (&[0x40], None),
            (&[], None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(variable(&mut Reader::new(bytes)), *expected, "{bytes:02x?}");
        }
    }

    type Case<'a> = (&'a [u8], Option<(Kind, u32, &'a [u8], &'a [u8], usize, usize)>);

    #[test]
    fn headers() {
        let v1: &[u8] = &[0xc3, 0, 0, 0, 1, 2, 0xaa, 0xbb, 1, 0xcc, 1, 0x77, 5, 1, 2, 3, 4, 5, 0xff];
        let v2: &[u8] = &[0xf0, 0x6b, 0x33, 0x43, 0xcf, 0, 0, 2, 9, 9];
        let retry: &[u8] = &[0xf0, 0, 0, 0, 1, 0, 1, 7, 1, 2, 3];
        let list: &[u8] = &[0x80, 0, 0, 0, 0, 0, 1, 7, 0, 0, 0, 1];
        let q46 = [&[0xc3][..], b"Q046", &[0x50], &[8; 8], &[0, 0, 0, 1], &[0; 12], b"rest"].concat();
        let q44 = [&[0xff][..], b"Q044", &[0x50], &[8; 8], &[0, 0, 0, 1], &[0; 12], b"rest"].concat();
        let q43 = [&[0x0d][..], &[8; 8], b"Q043", &[1], &[0; 12], b"rest"].concat();
        let id: &[u8] = &[8; 8];
        let cases: &[Case<'_>] = &[
            (v1, Some((Kind::Initial, 1, &[0xaa, 0xbb], &[0xcc], 13, 18))),
            (&v1[..14], Some((Kind::Initial, 1, &[0xaa, 0xbb], &[0xcc], 13, 18))),
            (&v1[..12], None),
            (v2, Some((Kind::Handshake, 0x6b33_43cf, &[], &[], 8, 10))),
            (retry, Some((Kind::Retry, 1, &[], &[7], 8, 11))),
            (list, Some((Kind::VersionNegotiation, 0, &[], &[7], 8, 12))),
            (&q46, Some((Kind::Initial, 0x5130_3436, id, &[], 30, 34))),
            (&q44, Some((Kind::Initial, 0x5130_3434, id, &[], 30, 34))),
            (&q43, Some((Kind::Initial, 0x5130_3433, id, &[], 26, 30))),
            (&[0x40, 1, 2], Some((Kind::Short, 0, &[], &[], 3, 3))),
            (&[0xc0, 0, 0, 0, 1, 0xff], None),
            (&[], None),
        ];
        for (bytes, expected) in cases {
            let read = Packet::read(bytes);
            let read = read.map(|p| (p.kind, p.version.0, p.destination, p.source, p.number_at, p.end));
            assert_eq!(read, *expected, "{bytes:02x?}");
        }
        assert!(!Packet::read(&v1[..14]).unwrap().is_within(14));
    }

    #[test]
    fn kinds_by_version() {
        use Kind::{Handshake, Initial, Retry, ZeroRtt};
        for (version, expected) in [
            (Version::V1, [Initial, ZeroRtt, Handshake, Retry]),
            (Version::V2, [Retry, Initial, ZeroRtt, Handshake]),
        ] {
            let kinds = [0xc0, 0xd0, 0xe0, 0xf0].map(|first| kind(first, version));
            assert_eq!(kinds, expected);
        }
    }
}
