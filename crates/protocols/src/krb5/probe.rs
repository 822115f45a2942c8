//! Tells Kerberos from other bytes, at its ports: by how a message begins.

use weir_applayer::{Probe, Transport};
use weir_base::{Direction, Reader};

use super::message::kind_of;
use super::parser::LENGTH;
use crate::ber::{self, tag};

/// Longest first message over TCP.
const MAX_FIRST: u32 = 16_384;

/// Bytes by which a message is recognised: its tag and that of its sequence, with their lengths, and the version.
const HEAD: usize = 17;

/// A message begins, which says version 5. That looks the same in both directions.
pub fn probe(transport: Transport, _: Direction, bytes: &[u8]) -> Probe {
    if transport == Transport::Udp {
        return if head(bytes).is_some() { Probe::Yes } else { Probe::No };
    }
    let mut reader = Reader::new(bytes);
    match reader.u32() {
        Some(length) if length > MAX_FIRST => Probe::No,
        Some(_) if head(reader.rest()).is_some() => Probe::Yes,
        Some(_) if reader.peek().is_some_and(|tag| kind_of(tag).is_none()) => Probe::No,
        _ if bytes.len() < LENGTH + HEAD => Probe::More,
        _ => Probe::No,
    }
}

/// Whether a message begins here, of which the end may be missing.
fn head(bytes: &[u8]) -> Option<()> {
    let mut reader = Reader::new(bytes);
    kind_of(reader.peek()?)?;
    ber::enter(&mut reader)?;
    (ber::enter(&mut reader)? == tag::SEQUENCE).then_some(())?;
    // The version is the first part, whatever number that has.
    let [_, 3, tag::INTEGER, 1, 5] = reader.array()? else { return None };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let request = b"\x6a\x0c\x30\x0a\xa1\x03\x02\x01\x05\xa2\x03\x02\x01\x0a";
        let long = b"\x6a\x82\x05\xb7\x30\x82\x05\xb3\xa1\x03\x02\x01\x05\xa2\x03\x02\x01\x0a";
        let framed = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
        let cases: &[(Transport, Vec<u8>, Probe)] = &[
            (Transport::Udp, request.to_vec(), Probe::Yes),
            (Transport::Udp, long.to_vec(), Probe::Yes),
            (Transport::Udp, b"\x6a\x0c\x30\x0a\xa1\x03\x02\x01\x04".to_vec(), Probe::No),
            (Transport::Udp, b"\x6a\x0c\x31\x0a\xa1\x03\x02\x01\x05".to_vec(), Probe::No),
            (Transport::Udp, b"\x30\x0c\x30\x0a\xa1\x03\x02\x01\x05".to_vec(), Probe::No),
            (Transport::Udp, request[..8].to_vec(), Probe::No),
            (Transport::Udp, Vec::new(), Probe::No),
            (Transport::Tcp, framed(request), Probe::Yes),
            (Transport::Tcp, framed(long), Probe::Yes),
            (Transport::Tcp, framed(long)[..12].to_vec(), Probe::More),
            (Transport::Tcp, framed(long)[..3].to_vec(), Probe::More),
            (Transport::Tcp, b"\0\0\0\x0c\x30".to_vec(), Probe::No),
            (Transport::Tcp, b"\0\x01\0\0\x6a".to_vec(), Probe::No),
            (Transport::Tcp, [b"\0\0\0\x20\x6a", &[0; 20][..]].concat(), Probe::No),
        ];
        for (transport, bytes, expected) in cases {
            assert_eq!(probe(*transport, Direction::ToServer, bytes), *expected, "{bytes:02x?}");
        }
    }
}
