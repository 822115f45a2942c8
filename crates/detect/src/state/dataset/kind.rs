//! Kinds of values of datasets, and how they are written in files.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_base::hex;

/// Bytes of the longest address.
pub(super) const LONGEST_ADDRESS: usize = 16;

/// The kind of a set's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataKind {
    /// Any bytes; base64 in files.
    Text,
    /// MD5, hexadecimal in files.
    Md5,
    /// SHA-256, hexadecimal in files.
    Sha256,
    /// IPv4 addresses.
    Ipv4,
    /// Addresses of either version.
    Ip,
}

impl DataKind {
    /// The kind that a rule calls `name`.
    pub fn named(name: &str) -> Option<Self> {
        // Sets of addresses of either version are known under two names.
        let name = if name == "ipv6" { "ip" } else { name };
        [Self::Text, Self::Md5, Self::Sha256, Self::Ipv4, Self::Ip]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Its name in rules.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Md5 => "md5",
            Self::Sha256 => "sha256",
            Self::Ipv4 => "ipv4",
            Self::Ip => "ip",
        }
    }

    /// Returns the value that a buffer is in the set; none where it cannot be one. An IPv4 address among those of
    /// either version is a mapped one.
    pub(super) fn key<'a>(self, value: &'a [u8], room: &'a mut [u8; LONGEST_ADDRESS]) -> Option<&'a [u8]> {
        let length = match self {
            Self::Text => return Some(value),
            Self::Md5 | Self::Ip => 16,
            Self::Sha256 => 32,
            Self::Ipv4 => 4,
        };
        if let (Self::Ip, &[a, b, c, d]) = (self, value) {
            *room = Ipv4Addr::new(a, b, c, d).to_ipv6_mapped().octets();
            return Some(room);
        }
        (value.len() == length).then_some(value)
    }

    /// Reads a value from a file of JSON, where a text is as it is.
    pub(super) fn read_plain(self, text: &str) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Text => Ok(text.as_bytes().to_vec()),
            _ => self.read(text),
        }
    }

    /// Reads a value from a file; the error says what it is not.
    pub(super) fn read(self, text: &str) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Text => STANDARD.decode(text).map_err(|_| "bad base64 encoding"),
            Self::Md5 | Self::Sha256 => {
                let bytes = decode_hex(text).ok_or("bad hash")?;
                let mut room = [0; LONGEST_ADDRESS];
                self.key(&bytes, &mut room).map(<[u8]>::to_vec).ok_or("bad hash")
            }
            Self::Ipv4 => {
                text.parse::<Ipv4Addr>().map(|a| a.octets().to_vec()).map_err(|_| "bad IPv4 address")
            }
            Self::Ip => match text.parse::<IpAddr>() {
                Ok(IpAddr::V4(address)) => Ok(address.to_ipv6_mapped().octets().to_vec()),
                Ok(IpAddr::V6(address)) => Ok(address.octets().to_vec()),
                Err(_) => Err("bad address"),
            },
        }
    }

    /// Writes a value as files have it.
    pub(super) fn write(self, value: &[u8], text: &mut Vec<u8>) {
        match (self, value) {
            (Self::Text, _) => text.extend_from_slice(STANDARD.encode(value).as_bytes()),
            (Self::Ipv4, &[a, b, c, d]) => {
                text.extend_from_slice(Ipv4Addr::new(a, b, c, d).to_string().as_bytes());
            }
            (Self::Ip, _) => {
                let octets = <[u8; LONGEST_ADDRESS]>::try_from(value).unwrap_or_default();
                text.extend_from_slice(Ipv6Addr::from(octets).to_string().as_bytes());
            }
            _ => {
                for byte in value {
                    text.extend_from_slice(format!("{byte:02x}").as_bytes());
                }
            }
        }
    }
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some((hex::value(*high)? << 4) | hex::value(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_files() {
        let cases: [(DataKind, &str, Option<&[u8]>); 9] = [
            (DataKind::Text, "YWJj", Some(b"abc")),
            (DataKind::Text, "YW;Jj", None),
            (DataKind::Ipv4, "10.0.0.1", Some(&[10, 0, 0, 1])),
            (DataKind::Ipv4, "::1", None),
            (DataKind::Ip, "::ffff:10.0.0.1", Some(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1])),
            (DataKind::Ip, "nowhere", None),
            (
                DataKind::Md5,
                "000102030405060708090a0b0c0d0e0f",
                Some(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
            ),
            (DataKind::Md5, "0001", None),
            (DataKind::Sha256, "zz", None),
        ];
        for (kind, text, expected) in cases {
            let read = kind.read(text).ok();
            assert_eq!(read.as_deref(), expected, "{kind:?} {text}");
            if let Some(bytes) = read {
                let mut written = Vec::new();
                kind.write(&bytes, &mut written);
                assert_eq!(String::from_utf8_lossy(&written), text);
            }
        }
    }

    #[test]
    fn an_ipv4_address_among_addresses() {
        let mut room = [0; LONGEST_ADDRESS];
        let key = DataKind::Ip.key(&[10, 0, 0, 1], &mut room).map(<[u8]>::to_vec);
        assert_eq!(key, DataKind::Ip.read("10.0.0.1").ok());
        assert_eq!(DataKind::Ipv4.key(&[1, 2, 3], &mut room), None);
    }
}
