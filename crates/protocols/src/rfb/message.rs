//! The messages of the handshake (RFC 6143 7.1 to 7.3).

use weir_base::{Direction, Reader};

/// Most bytes that are kept of a text: the name of a desktop, a reason.
pub const MAX_TEXT: usize = 16 * 1024;

/// Bytes of a version, of a challenge and of its response.
const VERSION: usize = 12;
const CHALLENGE: usize = 16;

/// Methods of authentication.
pub mod security {
    /// The server refuses; a reason follows.
    pub const INVALID: u32 = 0;
    /// None.
    pub const NONE: u32 = 1;
    /// VNC's own.
    pub const VNC: u32 = 2;
    /// Apple Remote Desktop's.
    pub const APPLE: u32 = 30;
}

/// Results of authentication (RFC 6143 7.1.3).
pub mod result {
    /// The client is let in.
    pub const OK: u32 = 0;
    /// It is not.
    pub const FAILED: u32 = 1;
    /// It is not, having tried too often.
    pub const TOO_MANY: u32 = 2;
}

/// Next message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// The server's version.
    #[default]
    ServerVersion,
    /// The client's version.
    ClientVersion,
    /// The method of authentication, where the server decides (3.3).
    SecurityType,
    /// The methods that the server offers.
    SecurityTypes,
    /// The one that the client chooses.
    Selection,
    /// Challenge for the client to encrypt with the password.
    Challenge,
    /// That, encrypted.
    Response,
    /// Apple's: the server's part of a key exchange.
    AppleKey,
    /// The client's part of it, of this many bytes, and its encrypted credentials, of as many.
    AppleCredentials(u16),
    /// Security result.
    Result,
    /// Reason string of a refused client (RFC 6143 7.1.3).
    Reason,
    /// Whether the client shares the desktop.
    ClientInit,
    /// Server initialisation: the desktop.
    ServerInit,
    /// Nothing that is read.
    Done,
}

impl Stage {
    /// Whether a side says its version.
    pub const fn is_version(self) -> bool {
        matches!(self, Stage::ServerVersion | Stage::ClientVersion)
    }

    /// Returns the side that speaks.
    pub const fn speaker(self) -> Direction {
        match self {
            Stage::ClientVersion
            | Stage::Selection
            | Stage::Response
            | Stage::AppleCredentials(_)
            | Stage::ClientInit => Direction::ToServer,
            _ => Direction::ToClient,
        }
    }
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A version, of either side.
    Version(Version),
    /// The method of authentication.
    SecurityType(u32),
    /// Number of security types that the server offers.
    SecurityTypes(usize),
    /// Challenge, or the client's response to it.
    Challenge([u8; CHALLENGE]),
    /// Apple's key exchange, the server's part: the length of its numbers.
    AppleKey(u16),
    /// Apple's key exchange, the client's part, with its credentials.
    AppleCredentials,
    /// Security result.
    Result(u32),
    /// Reason string of a refused client (RFC 6143 7.1.3).
    Reason(Vec<u8>),
    /// Whether the client shares the desktop.
    ClientInit(bool),
    /// The desktop.
    ServerInit(Desktop),
}

/// A version, as digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version {
    /// The first part.
    pub major: [u8; 3],
    /// The second part.
    pub minor: [u8; 3],
}

impl Version {
    /// The first one, in which the server decides on the authentication.
    pub const OLDEST: Self = Self { major: *b"003", minor: *b"003" };

    fn read(line: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(line.strip_prefix(b"RFB ")?);
        let major: [u8; 3] = reader.array()?;
        (reader.u8()? == b'.').then_some(())?;
        let minor: [u8; 3] = reader.array()?;
        (reader.rest() == b"\n").then_some(Self { major, minor })
    }

    /// The second part as a number.
    pub fn number(self) -> u32 {
        self.minor.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit.wrapping_sub(b'0').min(9)))
    }
}

/// Desktop of the server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Desktop {
    /// Its width.
    pub width: u16,
    /// Its height.
    pub height: u16,
    /// Pixel format.
    pub pixels: PixelFormat,
    /// Its name.
    pub name: Vec<u8>,
}

/// Pixel format (7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PixelFormat {
    /// Bits of a pixel.
    pub bits_per_pixel: u8,
    /// Bits of it that count.
    pub depth: u8,
    /// The high byte comes first.
    pub big_endian: bool,
    /// It is made of red, green and blue.
    pub true_color: bool,
    /// The most of each of those.
    pub maxima: [u16; 3],
    /// Where each of those begins.
    pub shifts: [u8; 3],
}

/// Reasons that there is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// More bytes are needed than there are.
    Needed(usize),
    /// It makes no sense.
    Malformed,
}

/// The message that the bytes begin with, at most, and how long it is; a long text may end behind that.
pub fn read(stage: Stage, bytes: &[u8]) -> Result<(Message, usize), Missing> {
    let take = |length: usize| bytes.get(..length).ok_or(Missing::Needed(length));
    let number = || {
        let bytes = take(4)?.try_into().map_err(|_| Missing::Malformed)?;
        Ok(u32::from_be_bytes(bytes))
    };
    Ok(match stage {
        Stage::ServerVersion | Stage::ClientVersion => {
            let version = Version::read(take(VERSION)?).ok_or(Missing::Malformed)?;
            (Message::Version(version), VERSION)
        }
        Stage::SecurityType => (Message::SecurityType(number()?), 4),
        Stage::SecurityTypes => {
            let count = usize::from(take(1)?.first().copied().unwrap_or_default());
            take(1 + count)?;
            (Message::SecurityTypes(count), 1 + count)
        }
        Stage::Selection => (Message::SecurityType(take(1)?.first().copied().unwrap_or_default().into()), 1),
        Stage::Challenge | Stage::Response => {
            let challenge = take(CHALLENGE)?.try_into().map_err(|_| Missing::Malformed)?;
            (Message::Challenge(challenge), CHALLENGE)
        }
        Stage::AppleKey => {
            let length = number()? as u16;
            let whole = 4 + 2 * usize::from(length);
            take(whole)?;
            (Message::AppleKey(length), whole)
        }
        Stage::AppleCredentials(length) => {
            let whole = 2 * usize::from(length);
            take(whole)?;
            (Message::AppleCredentials, whole)
        }
        Stage::Result => (Message::Result(number()?), 4),
        Stage::Reason => {
            let (text, end) = text(bytes, 0)?;
            (Message::Reason(text), end)
        }
        Stage::ClientInit => (Message::ClientInit(take(1)? != [0]), 1),
        Stage::ServerInit => {
            let fixed = take(DESKTOP)?;
            let (name, end) = text(bytes, DESKTOP)?;
            let desktop = desktop(fixed).ok_or(Missing::Malformed)?;
            (Message::ServerInit(Desktop { name, ..desktop }), end)
        }
        Stage::Done => return Err(Missing::Malformed),
    })
}

/// Bytes of what is said of the desktop before its name.
const DESKTOP: usize = 20;

/// A text behind its length, which stands there; as far as it is kept.
fn text(bytes: &[u8], at: usize) -> Result<(Vec<u8>, usize), Missing> {
    let start = at + 4;
    let length = bytes.get(at..start).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes);
    let length = length.ok_or(Missing::Needed(start))?;
    let end = start + usize::try_from(length).unwrap_or(usize::MAX).min(MAX_TEXT);
    let text = bytes.get(start..end).ok_or(Missing::Needed(end))?;
    Ok((text.to_vec(), end))
}

fn desktop(bytes: &[u8]) -> Option<Desktop> {
    let mut reader = Reader::new(bytes);
    let (width, height) = (reader.u16()?, reader.u16()?);
    let pixels = PixelFormat {
        bits_per_pixel: reader.u8()?,
        depth: reader.u8()?,
        big_endian: reader.u8()? != 0,
        true_color: reader.u8()? != 0,
        maxima: [reader.u16()?, reader.u16()?, reader.u16()?],
        shifts: reader.array()?,
    };
    Some(Desktop { width, height, pixels, name: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        type Case<'a> = (Stage, &'a [u8], Result<(Message, usize), Missing>);
        let version = |minor| Message::Version(Version { major: *b"003", minor });
        let desktop = Desktop {
            width: 800,
            height: 600,
            pixels: PixelFormat {
                bits_per_pixel: 32,
                depth: 24,
                big_endian: false,
                true_color: true,
                maxima: [255, 255, 254],
                shifts: [16, 8, 0],
            },
            name: b"mine".to_vec(),
        };
        let server = b"\x03\x20\x02\x58\x20\x18\0\x01\0\xff\0\xff\0\xfe\x10\x08\0\0\0\0\0\0\0\x04mine";
        let cases: &[Case<'_>] = &[
            (Stage::ServerVersion, b"RFB 003.889\nmore", Ok((version(*b"889"), 12))),
            (Stage::ClientVersion, b"RFB 003.008", Err(Missing::Needed(12))),
            (Stage::ClientVersion, b"RFB 003,008\n", Err(Missing::Malformed)),
            (Stage::SecurityType, b"\0\0\0\x02", Ok((Message::SecurityType(2), 4))),
            (Stage::SecurityTypes, b"\x02\x01", Err(Missing::Needed(3))),
            (Stage::SecurityTypes, b"\x02\x01\x02", Ok((Message::SecurityTypes(2), 3))),
            (Stage::Selection, b"\x1e", Ok((Message::SecurityType(30), 1))),
            (Stage::Challenge, &[7; 20], Ok((Message::Challenge([7; 16]), 16))),
            (Stage::AppleKey, b"\0\x02\0\x01ab", Ok((Message::AppleKey(1), 6))),
            (Stage::AppleKey, b"\0\x02\0\x80ab", Err(Missing::Needed(260))),
            (Stage::AppleCredentials(1), b"abc", Ok((Message::AppleCredentials, 2))),
            (Stage::Result, b"\0\0\0", Err(Missing::Needed(4))),
            (Stage::Reason, b"\0\0\0\x02", Err(Missing::Needed(6))),
            (Stage::Reason, b"\0\0\0\x02no", Ok((Message::Reason(b"no".to_vec()), 6))),
            (Stage::Reason, b"\xff\xff\xff\xff", Err(Missing::Needed(4 + MAX_TEXT))),
            (Stage::ClientInit, b"\x01", Ok((Message::ClientInit(true), 1))),
            (Stage::ServerInit, server, Ok((Message::ServerInit(desktop), server.len()))),
            (Stage::ServerInit, &server[..22], Err(Missing::Needed(24))),
        ];
        for (stage, bytes, expected) in cases {
            assert_eq!(read(*stage, bytes), *expected, "{stage:?} {bytes:?}");
        }
    }

    #[test]
    fn numbers_of_versions() {
        for (minor, expected) in [(b"003", 3), (b"008", 8), (b"889", 889), (b"xyz", 999)] {
            assert_eq!(Version { major: *b"003", minor: *minor }.number(), expected);
        }
    }
}
