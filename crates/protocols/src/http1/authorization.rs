//! `Authorization` of a request (RFC 7617, 7616, 6750): who the user says to be.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::octets::{run, strip_prefix, tail};

/// Credentials.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Authorization {
    /// User and password.
    Basic { user: Vec<u8>, password: Vec<u8> },
    /// User.
    Digest { user: Vec<u8> },
    /// A token.
    Bearer,
    /// A known scheme, but what follows cannot be read.
    Broken,
    /// Another scheme.
    Unrecognized,
}

impl Authorization {
    /// Reads the field's value.
    pub(super) fn parse(value: &[u8]) -> Self {
        if let Some(rest) = strip_prefix(value, b"basic") {
            let encoded = tail(rest, run(rest, |byte| byte.is_ascii_whitespace()));
            let Ok(decoded) = STANDARD.decode(encoded) else { return Self::Broken };
            let Some(colon) = memchr::memchr(b':', &decoded) else { return Self::Broken };
            let (user, password) = (decoded.get(..colon), decoded.get(colon + 1..));
            return Self::Basic {
                user: user.unwrap_or_default().into(),
                password: password.unwrap_or_default().into(),
            };
        }
        if let Some(rest) = strip_prefix(value, b"digest") {
            return digest_user(rest).map_or(Self::Broken, |user| Self::Digest { user });
        }
        if strip_prefix(value, b"bearer").is_some() {
            return Self::Bearer;
        }
        Self::Unrecognized
    }
}

fn digest_user(value: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"username=";
    let rest = tail(value, memchr::memmem::find(value, KEY)? + KEY.len());
    let quoted = tail(rest, run(rest, |byte| byte.is_ascii_whitespace())).strip_prefix(b"\"")?;
    let mut user = Vec::new();
    for &byte in quoted {
        match (byte, user.last()) {
            (b'"', Some(b'\\')) => {
                user.pop();
                user.push(b'"');
            }
            (b'"', _) => return Some(user),
            _ => user.push(byte),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials() {
        let basic = |user: &str, password: &str| Authorization::Basic {
            user: user.into(),
            password: password.into(),
        };
        let cases: [(&[u8], Authorization); 8] = [
            (b"Basic dXNlcjpwYTpzcw==", basic("user", "pa:ss")),
            (b"basic  dXNlcjo=", basic("user", "")),
            (b"Basic ???", Authorization::Broken),
            (b"Basic dXNlcg==", Authorization::Broken),
            (
                b"Digest realm=\"x\", username=\"iv\\\"an\"",
                Authorization::Digest { user: b"iv\"an".to_vec() },
            ),
            (b"Digest username=ivan", Authorization::Broken),
            (b"Bearer abc", Authorization::Bearer),
            (b"Hawk id=1", Authorization::Unrecognized),
        ];
        for (value, expected) in cases {
            assert_eq!(Authorization::parse(value), expected, "{value:?}");
        }
    }
}
