//! Requests of a client.

use weir_base::Reader;

use super::message::{LENGTH, opening, text};

/// Most parameters that are kept of the beginning of a session.
const MAX_PARAMETERS: usize = 64;

/// Request of a client.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Request {
    /// Nothing: the server speaks by itself, or what led to it was not seen.
    #[default]
    None,
    /// The wish for TLS.
    Ssl,
    /// A session is to begin.
    Startup(Startup),
    /// A password, or its hash.
    Password(Vec<u8>),
    /// The first message of SASL: the mechanism, and what it begins with.
    SaslInitial(Vec<u8>, Vec<u8>),
    /// A further message of SASL.
    SaslResponse(Vec<u8>),
    /// A query.
    Query(Vec<u8>),
    /// Data is copied to the server.
    Copy(CopyIn),
    /// A query of another connection is to be cancelled.
    Cancel {
        /// The process that runs it.
        process: u32,
        /// Secret key that permits it.
        key: u32,
    },
    /// The session is to end.
    Terminate,
    /// Something else.
    Unknown,
}

impl Request {
    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        match self {
            Self::Password(text) | Self::SaslResponse(text) | Self::Query(text) => text.capacity(),
            Self::SaslInitial(mechanism, begin) => mechanism.capacity() + begin.capacity(),
            Self::Startup(Startup { parameters, .. }) => {
                let texts = parameters.iter().map(|(name, value)| name.capacity() + value.capacity());
                size_of_val(&parameters[..]) + texts.sum::<usize>()
            }
            Self::None
            | Self::Ssl
            | Self::Copy(_)
            | Self::Cancel { .. }
            | Self::Terminate
            | Self::Unknown => 0,
        }
    }
}

/// The beginning of a session.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Startup {
    /// The version of the protocol.
    pub version: (u16, u16),
    /// Names and values, in order.
    pub parameters: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Startup {
    /// The value of a parameter.
    pub fn parameter(&self, name: &[u8]) -> Option<&[u8]> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_slice())
    }
}

/// Data that is copied to the server.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CopyIn {
    /// Messages of it.
    pub messages: u64,
    /// Bytes of it.
    pub bytes: u64,
    /// End of the copy.
    pub end: Option<CopyEnd>,
}

/// End of a copy to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    /// All of it was sent.
    Done,
    /// It is not to be copied.
    Fail,
}

/// A message that a connection begins with, whole, as far as it is one; and whether a byte answers it.
pub fn open(bytes: &[u8]) -> Option<(Request, bool)> {
    let mut reader = Reader::new(bytes.get(LENGTH..)?);
    let code = reader.u32()?;
    let is_wish = bytes.len() == opening::WISH_LENGTH;
    match code {
        opening::SSL if is_wish => Some((Request::Ssl, true)),
        opening::CANCEL => Some((Request::Cancel { process: reader.u32()?, key: reader.u32()? }, false)),
        _ if code >> 16 == opening::VERSION => {
            let version = (opening::VERSION as u16, code as u16);
            startup(version, reader.rest()).map(|startup| (Request::Startup(startup), false))
        }
        _ => Some((Request::Unknown, is_wish)),
    }
}

/// Names and values, each with a zero byte, and another one.
fn startup(version: (u16, u16), bytes: &[u8]) -> Option<Startup> {
    let mut startup = Startup { version, parameters: Vec::new() };
    let mut parts = bytes.strip_suffix(b"\0\0")?.split(|&byte| byte == 0);
    while let Some(name) = parts.next().filter(|name| !name.is_empty()) {
        let value = parts.next().unwrap_or_default();
        if startup.parameters.len() < MAX_PARAMETERS {
            startup.parameters.push((name.to_vec(), value.to_vec()));
        }
    }
    Some(startup)
}

/// The first message of SASL: the mechanism, a length, and what that begins with.
pub fn sasl_initial(body: &[u8]) -> Request {
    let mechanism = text(body);
    let begin = body.get(mechanism.len() + 1 + LENGTH..).unwrap_or_default();
    Request::SaslInitial(mechanism.to_vec(), begin.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings() {
        let startup = |parameters: &[(&[u8], &[u8])]| {
            let parameters = parameters.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
            Some((Request::Startup(Startup { version: (3, 2), parameters }), false))
        };
        type Case<'a> = (&'a [u8], Option<(Request, bool)>);
        let cases: &[Case<'_>] = &[
            (b"\0\0\0\x08\x04\xd2\x16\x2f", Some((Request::Ssl, true))),
            (b"\0\0\0\x08\x04\xd2\x16\x30", Some((Request::Unknown, true))),
            (
                b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x01\0\0\0\x02",
                Some((Request::Cancel { process: 1, key: 2 }, false)),
            ),
            (b"\0\0\0\x0c\x04\xd2\x16\x2e\0\0\0\x01", None),
            (b"\0\0\0\x0e\0\x03\0\x02user\0a\0\0", startup(&[(b"user", b"a")])),
            (b"\0\0\0\x0e\0\x03\0\x02user\0a\0empty\0\0\0", startup(&[(b"user", b"a"), (b"empty", b"")])),
            (b"\0\0\0\x0e\0\x03\0\x02user\0a", None),
            (b"\0\0\0\x09\0\x02\0\0\0", Some((Request::Unknown, false))),
            (b"\0\0\0\x06\0\x03", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(open(bytes), *expected, "{bytes:?}");
        }
    }

    #[test]
    fn first_message_of_sasl() {
        let cases: &[(&[u8], &str, &str)] = &[
            (b"SCRAM-SHA-256\0\0\0\0\x04n,,n", "SCRAM-SHA-256", "n,,n"),
            (b"PLAIN\0\xff\xff\xff\xff", "PLAIN", ""),
            (b"PLAIN", "PLAIN", ""),
        ];
        for (body, mechanism, begin) in cases {
            let expected = Request::SaslInitial(mechanism.as_bytes().to_vec(), begin.as_bytes().to_vec());
            assert_eq!(sasl_initial(body), expected);
        }
    }
}
