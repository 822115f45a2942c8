//! Addresses, networks and ports.

use std::net::{Ipv4Addr, Ipv6Addr};

/// An address of IP. One of version 4 is held as the one of version 6 that maps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Addr(pub [u8; 16]);

const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

impl Addr {
    /// Returns an address of version 4.
    pub fn v4(octets: [u8; 4]) -> Self {
        Self(Ipv4Addr::from(octets).to_ipv6_mapped().octets())
    }

    /// Returns whether the address is of version 4.
    pub fn is_v4(self) -> bool {
        self.0.starts_with(&MAPPED)
    }

    /// Returns the octets: four or sixteen.
    pub fn octets(&self) -> &[u8] {
        if self.is_v4() { self.0.get(12..).unwrap_or(&[]) } else { &self.0 }
    }

    /// Reads an address, without brackets.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::v4(address.octets()));
        }
        text.parse::<Ipv6Addr>().ok().map(|address| Self(address.octets()))
    }

    /// Returns the address as a number.
    pub fn number(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// Returns the width in bits.
    pub fn width(self) -> u8 {
        if self.is_v4() { 32 } else { 128 }
    }

    /// Returns the address with all bits beyond `length` cleared, counted in bits of version 6.
    #[must_use]
    pub fn masked(self, length: u8) -> Self {
        let mask = if length == 0 { 0 } else { u128::MAX << (128 - u32::from(length.min(128))) };
        Self((self.number() & mask).to_be_bytes())
    }
}

impl std::fmt::Display for Addr {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = Ipv6Addr::from(self.0);
        match (self.is_v4(), address.to_ipv4_mapped()) {
            (true, Some(address)) => write!(out, "{address}"),
            // Old addresses that hold one of version 4 are written so.
            _ if self.0.starts_with(&[0; 12]) && !self.0.starts_with(&[0; 14]) => {
                let [.., a, b, c, d] = self.0;
                write!(out, "::{a}.{b}.{c}.{d}")
            }
            _ if self.0.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0]) => {
                let [.., a, b, c, d] = self.0;
                write!(out, "::ffff:0:{a}.{b}.{c}.{d}")
            }
            _ => write!(out, "{address}"),
        }
    }
}

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subnet {
    /// The address, all bits behind the prefix cleared.
    pub prefix: Addr,
    /// The length of the prefix in bits of version 6: that of a network of version 4 is 96 more.
    pub length: u8,
}

impl Subnet {
    /// Returns the network of an address; `length` in bits of its version.
    pub fn new(address: Addr, length: u8) -> Self {
        let length = if address.is_v4() { 96 + length.min(32) } else { length.min(128) };
        Self { prefix: address.masked(length), length }
    }

    /// Reads `ADDRESS/LENGTH`.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let address = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
        let is_six = address.contains(':');
        let address = Addr::parse(address)?;
        let length: u8 = length.parse().ok()?;
        if is_six {
            return (length <= 128).then(|| Self { prefix: address.masked(length), length });
        }
        (length <= 32).then(|| Self::new(address, length))
    }

    /// Returns whether the network holds the address.
    pub fn contains(self, address: Addr) -> bool {
        address.masked(self.length) == self.prefix
    }

    /// Returns whether the network is of version 4.
    pub fn is_v4(self) -> bool {
        self.length >= 96 && self.prefix.is_v4()
    }

    /// Returns the length of the prefix in bits of its version.
    pub fn width(self) -> u8 {
        if self.is_v4() { self.length - 96 } else { self.length }
    }
}

impl std::fmt::Display for Subnet {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.prefix, self.width())
    }
}

/// A port with its transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    /// The number.
    pub number: u16,
    /// One of [`protocol`].
    pub protocol: u8,
}

/// Transport protocols of ports, in Zeek's order.
pub mod protocol {
    /// None known.
    pub const UNKNOWN: u8 = 0;
    /// TCP.
    pub const TCP: u8 = 1;
    /// UDP.
    pub const UDP: u8 = 2;
    /// ICMP.
    pub const ICMP: u8 = 3;
    /// Their words.
    pub const WORDS: [&str; 4] = ["unknown", "tcp", "udp", "icmp"];
}

impl Port {
    /// Reads `NUMBER/PROTOCOL`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, word) = text.split_once('/')?;
        let protocol = protocol::WORDS.iter().position(|known| *known == word)?;
        Some(Self { number: number.parse().ok()?, protocol: u8::try_from(protocol).ok()? })
    }

    /// Returns the word of the protocol.
    pub fn word(self) -> &'static str {
        protocol::WORDS.get(usize::from(self.protocol)).copied().unwrap_or("unknown")
    }

    /// Returns the key by which ports are ordered.
    pub fn rank(self) -> u32 {
        u32::from(self.protocol) << 16 | u32::from(self.number)
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.number, self.word())
    }
}
