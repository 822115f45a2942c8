//! The messages by which NTLM makes a client known (MS-NLMP 2.2.1).

use memchr::memmem;
use weir_base::Reader;

/// Signature that begins all messages (MS-NLMP 2.2.1).
pub(super) const SIGNATURE: &[u8] = b"NTLMSSP\0";

/// Flags (MS-NLMP 2.2.2.5): texts are in UTF-16; there is a version.
const UNICODE: u32 = 0x0000_0001;
const VERSION: u32 = 0x0200_0000;

/// Flag of target information (`NTLMSSP_NEGOTIATE_TARGET_INFO`, MS-NLMP 2.2.2.5).
const TARGET_INFO: u32 = 0x0080_0000;

/// Most AV pairs of the server's target information.
const MAX_PAIRS: usize = 32;

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A client begins.
    Negotiate,
    /// The server's answer.
    Challenge(Challenge),
    /// The client says who it is.
    Authenticate(Authenticate),
    /// Authentication with fields not all where they belong: the part that Zeek's logs write, as long as none of them
    /// that has a content lies outside of the message.
    Malformed(Option<Authenticate>),
}

/// Target information of a server's challenge, in UTF-8 (MS-NLMP 2.2.2.1).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Challenge {
    /// Its NetBIOS name.
    pub computer: Option<Vec<u8>>,
    /// Its DNS name.
    pub dns_computer: Option<Vec<u8>>,
    /// The DNS name of its forest.
    pub dns_tree: Option<Vec<u8>>,
}

/// Authentication of a client. Texts are as sent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Authenticate {
    /// The domain.
    pub domain: Vec<u8>,
    /// The user.
    pub user: Vec<u8>,
    /// The client's own name.
    pub host: Vec<u8>,
    /// Texts are in UTF-16.
    pub is_unicode: bool,
    /// The version: major, minor, build, revision.
    pub version: Option<(u8, u8, u16, u8)>,
    /// The fields stand in an unusual order.
    pub is_unusual: bool,
}

/// Where a field's content stands in a message.
#[derive(Clone, Copy)]
struct Place {
    length: usize,
    offset: usize,
}

impl Place {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let length = reader.u16_le()?;
        reader.skip(2)?;
        Some(Self { length: length.into(), offset: reader.u32_le()? as usize })
    }

    fn of(self, message: &[u8]) -> Option<&[u8]> {
        message.get(self.offset..self.offset.checked_add(self.length)?)
    }

    const fn end(self) -> usize {
        self.offset.saturating_add(self.length)
    }
}

impl Message {
    /// The first message in these bytes.
    pub(crate) fn find(bytes: &[u8]) -> Option<Self> {
        let message = bytes.get(memmem::find(bytes, SIGNATURE)?..)?;
        let mut reader = Reader::new(message);
        reader.skip(SIGNATURE.len())?;
        Some(match reader.u32_le()? {
            1 => Message::Negotiate,
            2 => Message::Challenge(Challenge::read(message, reader).unwrap_or_default()),
            3 => match Authenticate::read(message, reader) {
                Some((who, true)) => Message::Authenticate(who),
                other => Message::Malformed(other.map(|(who, _)| who)),
            },
            _ => return None,
        })
    }
}

impl Challenge {
    fn read(message: &[u8], mut reader: Reader<'_>) -> Option<Self> {
        // The target's name comes first, the challenge and what is reserved behind the flags.
        reader.skip(8)?;
        if reader.u32_le()? & TARGET_INFO == 0 {
            return None;
        }
        reader.skip(8 + 8)?;
        let mut pairs = Reader::new(Place::read(&mut reader)?.of(message)?);
        let mut challenge = Self::default();
        for _ in 0..MAX_PAIRS {
            let (Some(kind), Some(length)) = (pairs.u16_le(), pairs.u16_le()) else { break };
            let Some(value) = pairs.take(length.into()) else { break };
            let field = match kind {
                0 => break,
                1 => &mut challenge.computer,
                3 => &mut challenge.dns_computer,
                5 => &mut challenge.dns_tree,
                _ => continue,
            };
            *field = Some(utf8_of_utf16(value));
        }
        Some(challenge)
    }
}

impl Authenticate {
    /// Answers as well whether all fields are where they belong.
    fn read(message: &[u8], mut reader: Reader<'_>) -> Option<(Self, bool)> {
        let mut place = || Place::read(&mut reader);
        // Two answers to the challenge come first, the session's key last.
        let places @ [_, answer, domain, user, host, key] =
            [place()?, place()?, place()?, place()?, place()?, place()?];
        let is_well = places.iter().all(|place| place.length.max(place.offset) < message.len());
        let text = |place: Place| if place.length == 0 { Some(&[][..]) } else { place.of(message) };
        if !is_well {
            text(answer)?;
            text(key)?;
        }
        let flags = reader.u32_le()?;
        let version = (flags & VERSION != 0).then(|| {
            let (major, minor, build) = (reader.u8()?, reader.u8()?, reader.u16_le()?);
            reader.skip(3)?;
            Some((major, minor, build, reader.u8()?))
        });
        let who = Self {
            domain: text(domain)?.to_vec(),
            user: text(user)?.to_vec(),
            host: text(host)?.to_vec(),
            is_unicode: flags & UNICODE != 0,
            version: version.flatten(),
            is_unusual: user.offset < domain.end() || host.offset < user.end(),
        };
        Some((who, is_well))
    }
}

/// A text in UTF-16, least significant byte first, in UTF-8.
pub(crate) fn utf8_of_utf16(text: &[u8]) -> Vec<u8> {
    let units = text.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
    text.into_bytes()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// A message that says who a client is.
    pub(crate) fn authenticate(domain: &str, user: &str, host: &str) -> Vec<u8> {
        let texts = [String::new(), String::new(), domain.into(), user.into(), host.into(), String::new()];
        let mut message = [SIGNATURE, &3u32.to_le_bytes()].concat();
        let mut payload = Vec::new();
        for text in texts {
            let text = utf16(&text);
            let length = (text.len() as u16).to_le_bytes();
            message.extend([length, length].concat());
            message.extend((72 + payload.len() as u32).to_le_bytes());
            payload.extend(text);
        }
        message.extend((UNICODE | VERSION).to_le_bytes());
        message.extend([6, 1, 0xb1, 0x1d, 0, 0, 0, 15]);
        message.extend(payload);
        message.push(0);
        message
    }

    /// A message by which a server makes itself known.
    pub(crate) fn challenge(pairs: &[(u16, &str)]) -> Vec<u8> {
        let mut info = Vec::new();
        for (kind, text) in pairs {
            let text = utf16(text);
            info.extend(kind.to_le_bytes());
            info.extend((text.len() as u16).to_le_bytes());
            info.extend(text);
        }
        let length = (info.len() as u16).to_le_bytes();
        let (flags, place) = (TARGET_INFO.to_le_bytes(), 48u32.to_le_bytes());
        [SIGNATURE, &2u32.to_le_bytes(), &[0; 8], &flags, &[0; 16], &length, &length, &place, &info].concat()
    }

    #[test]
    fn who_a_client_is() {
        let message = authenticate("CONTOSO", "Admin", "HOST");
        let expected = Authenticate {
            domain: utf16("CONTOSO"),
            user: utf16("Admin"),
            host: utf16("HOST"),
            is_unicode: true,
            version: Some((6, 1, 7601, 15)),
            is_unusual: false,
        };
        let found = Message::find(&[b"before", &message[..]].concat());
        assert_eq!(found, Some(Message::Authenticate(expected.clone())));
        for length in 12..72 {
            assert_eq!(Message::find(&message[..length]), Some(Message::Malformed(None)), "{length}");
        }
        // Texts that are empty may stand at the very end, as the session's key does where none is agreed on.
        let end = message.len() - 1;
        assert_eq!(Message::find(&message[..end]), Some(Message::Malformed(Some(expected))));
        assert_eq!(Message::find(&message[..end - 1]), Some(Message::Malformed(None)));
        assert_eq!(Message::find(&message[..11]), None);
        let mut swapped = message;
        // The user's text is said to stand where the domain's does.
        swapped[40] = 72;
        assert!(matches!(
            Message::find(&swapped),
            Some(Message::Authenticate(Authenticate { is_unusual: true, .. }))
        ));
    }

    #[test]
    fn what_a_server_tells() {
        let message =
            challenge(&[(2, "DOMAIN"), (1, "SERVER"), (3, "server.example"), (5, "example"), (0, "")]);
        let expected = Challenge {
            computer: Some(b"SERVER".to_vec()),
            dns_computer: Some(b"server.example".to_vec()),
            dns_tree: Some(b"example".to_vec()),
        };
        assert_eq!(Message::find(&message), Some(Message::Challenge(expected)));
        // What is told of itself need not be: there is text where it would be announced.
        let mut older = message.clone();
        older[20..24].fill(0);
        assert_eq!(Message::find(&older), Some(Message::Challenge(Challenge::default())));
        assert_eq!(Message::find(&message[..20]), Some(Message::Challenge(Challenge::default())));
        assert_eq!(Message::find(b"NTLMSSP\0\x01\0\0\0"), Some(Message::Negotiate));
        assert_eq!(Message::find(b"NTLMSSP\0\x09\0\0\0"), None);
    }
}
