//! Tells DNS messages from other bytes on the ports of DNS.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::{HEADER_LENGTH, Header, Message};

/// Least bytes of a question or record.
const RECORD_MINIMUM: usize = 2;

/// Whether `bytes` are DNS, and sent by the side that should send them.
pub fn probe(transport: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let verdict = match transport {
        Transport::Udp => datagram(bytes),
        Transport::Tcp => stream(bytes),
    };
    match verdict {
        Verdict::Message { is_response } if is_response == (direction == Direction::ToClient) => Probe::Yes,
        Verdict::Message { .. } => Probe::Reversed,
        Verdict::More => Probe::More,
        Verdict::Other => Probe::No,
    }
}

/// Whether a stream that lost bytes goes on with a message here.
pub fn resumes(bytes: &[u8]) -> bool {
    matches!(stream(bytes), Verdict::Message { .. })
}

enum Verdict {
    Message { is_response: bool },
    More,
    Other,
}

fn datagram(bytes: &[u8]) -> Verdict {
    let Some(message) = Message::read(bytes) else { return Verdict::Other };
    let questions_read = message.questions.len() == usize::from(message.header.questions);
    let plausible = message.header.total() * RECORD_MINIMUM <= bytes.len() || message.header.questions > 0;
    if questions_read && plausible {
        Verdict::Message { is_response: message.header.is_response() }
    } else {
        Verdict::Other
    }
}

fn stream(bytes: &[u8]) -> Verdict {
    let Some((prefix, rest)) = bytes.split_first_chunk::<2>() else { return Verdict::More };
    let length = usize::from(u16::from_be_bytes(*prefix));
    if length < HEADER_LENGTH {
        return Verdict::Other;
    }
    if let Some(whole) = rest.get(..length) {
        return datagram(whole);
    }
    match Header::read(rest) {
        None => Verdict::More,
        Some(header) if header.total() * RECORD_MINIMUM <= length => {
            Verdict::Message { is_response: header.is_response() }
        }
        Some(_) => Verdict::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::build;
    use super::*;

    #[test]
    fn messages_and_others() {
        let request = build(1, 0x0100, b"\x04zeek\x03org\0", 1, [&[], &[], &[]]);
        let response = build(1, 0x8180, b"\x04zeek\x03org\0", 1, [&[], &[], &[]]);
        let framed = [&(request.len() as u16).to_be_bytes()[..], &request].concat();
        let (udp, tcp) = (Transport::Udp, Transport::Tcp);
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: [(Transport, Direction, &[u8], Probe); 10] = [
            (udp, up, &request, Probe::Yes),
            (udp, up, &response, Probe::Reversed),
            (udp, down, &response, Probe::Yes),
            (udp, down, &request, Probe::Reversed),
            (udp, up, &request[..20], Probe::No),
            (udp, up, b"GET / HTTP/1.1\r\n\r\n", Probe::No),
            (tcp, up, &framed, Probe::Yes),
            (tcp, up, &framed[..1], Probe::More),
            (tcp, up, &framed[..20], Probe::Yes),
            (tcp, up, b"\0\x05GET / HTTP/1.1", Probe::No),
        ];
        for (transport, direction, bytes, expected) in cases {
            assert_eq!(probe(transport, direction, bytes), expected, "{transport:?} {direction:?} {bytes:?}");
        }
    }
}
