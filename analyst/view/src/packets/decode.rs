//! Finds addresses, ports and payload of a packet. What is within tunnels is not looked at.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Tags and extension headers at most.
const DEEPEST: usize = 8;

/// What a packet says of itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded<'p> {
    /// Who sent it.
    pub source: IpAddr,
    /// Who shall have it.
    pub destination: IpAddr,
    /// The number of the protocol of IP.
    pub protocol: u8,
    /// Ports, where it has some.
    pub source_port: Option<u16>,
    /// The other one.
    pub destination_port: Option<u16>,
    /// The number of the first byte, and whether that is one before the bytes (SYN); of TCP alone.
    pub sequence: Option<(u32, bool)>,
    /// What it carries.
    pub payload: &'p [u8],
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Reads a packet of a link, as tcpdump numbers them.
pub fn decode(link: u32, bytes: &[u8]) -> Option<Decoded<'_>> {
    match link {
        1 => ethernet(half(bytes, 12)?, bytes.get(14..)?),
        113 => ethernet(half(bytes, 14)?, bytes.get(16..)?),
        276 => ethernet(half(bytes, 0)?, bytes.get(20..)?),
        0 | 108 => internet(bytes.get(4..)?),
        12 | 14 | 101 | 228 | 229 => internet(bytes),
        _ => None,
    }
}

fn ethernet(mut kind: u16, mut rest: &[u8]) -> Option<Decoded<'_>> {
    for _ in 0..DEEPEST {
        match kind {
            0x0800 | 0x86dd => return internet(rest),
            // Tags of VLANs.
            0x8100 | 0x88a8 | 0x9100 => {
                kind = half(rest, 2)?;
                rest = rest.get(4..)?;
            }
            // PPP over Ethernet.
            0x8864 => return internet(rest.get(8..)?),
            _ => return None,
        }
    }
    None
}

fn internet(bytes: &[u8]) -> Option<Decoded<'_>> {
    match bytes.first()? >> 4 {
        4 => version_4(bytes),
        6 => version_6(bytes),
        _ => None,
    }
}

fn version_4(bytes: &[u8]) -> Option<Decoded<'_>> {
    let header = usize::from(bytes.first()? & 15) * 4;
    let address = |at: usize| Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?).into());
    // Cards that cut segments themselves leave no length.
    let length = match usize::from(half(bytes, 2)?) {
        0 => bytes.len(),
        length => length.min(bytes.len()),
    };
    let first = half(bytes, 6)? & 0x1fff == 0;
    transport((address(12)?, address(16)?), *bytes.get(9)?, bytes.get(header..length)?, first)
}

fn version_6(bytes: &[u8]) -> Option<Decoded<'_>> {
    let address =
        |at: usize| Some(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.get(at..at + 16)?).ok()?).into());
    let ends = (address(8)?, address(24)?);
    let length = match usize::from(half(bytes, 4)?) {
        0 => bytes.len(),
        length => (length + 40).min(bytes.len()),
    };
    let (mut protocol, mut rest, mut first) = (*bytes.get(6)?, bytes.get(40..length)?, true);
    for _ in 0..DEEPEST {
        let size = match protocol {
            0 | 43 | 60 => (usize::from(*rest.get(1)?) + 1) * 8,
            51 => (usize::from(*rest.get(1)?) + 2) * 4,
            44 => {
                first &= half(rest, 2)? & 0xfff8 == 0;
                8
            }
            _ => break,
        };
        protocol = *rest.first()?;
        rest = rest.get(size..)?;
    }
    transport(ends, protocol, rest, first)
}

fn transport(ends: (IpAddr, IpAddr), protocol: u8, rest: &[u8], first: bool) -> Option<Decoded<'_>> {
    let (source, destination) = ends;
    let mut decoded = Decoded {
        source,
        destination,
        protocol,
        source_port: None,
        destination_port: None,
        sequence: None,
        payload: rest,
    };
    if first && matches!(protocol, 6 | 17 | 132) {
        decoded.source_port = half(rest, 0);
        decoded.destination_port = half(rest, 2);
        decoded.payload = match protocol {
            6 => {
                let sequence =
                    rest.get(4..8).and_then(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)));
                let syn = rest.get(13).is_some_and(|flags| flags & 2 != 0);
                decoded.sequence = sequence.map(|sequence| (sequence, syn));
                rest.get(usize::from(rest.get(12).copied().unwrap_or(0xf0) >> 4) * 4..).unwrap_or_default()
            }
            17 => rest.get(8..).unwrap_or_default(),
            _ => rest.get(12..).unwrap_or_default(),
        };
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_any_bytes() {
        let udp = [
            &[0x45, 0, 0, 30, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2][..],
            &[0, 53, 4, 0, 0, 10, 0, 0, b'h', b'i', 0, 0],
        ]
        .concat();
        let tagged = [&[0; 12][..], &[0x81, 0, 0, 7, 0x08, 0], &udp].concat();
        for (link, bytes) in [(101, &udp), (1, &tagged)] {
            let decoded = decode(link, bytes).unwrap();
            let ports = (decoded.source_port, decoded.destination_port);
            assert_eq!((decoded.protocol, ports, decoded.payload), (17, (Some(53), Some(1024)), &b"hi"[..]));
            for length in 0..bytes.len() {
                let _ = decode(link, &bytes[..length]);
            }
        }
        let mut random = 1_u32;
        let mut bytes = vec![0; 80];
        for round in 0..20_000 {
            for byte in &mut bytes {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = (random >> 24) as u8;
            }
            bytes[0] = if round % 2 == 0 { 0x45 } else { 0x60 };
            bytes[6] = [0, 43, 44, 51, 60, 6, 17, 132][round % 8];
            let _ = decode(101, &bytes);
            let _ = decode(1, &bytes);
        }
    }
}
