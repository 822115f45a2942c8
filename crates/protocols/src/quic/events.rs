//! Events of QUIC for scripts: packets, and what ends a connection. Zeek's log tells of them.

use weir_applayer::ZeekSink;
use weir_base::{Direction, EventValue};

use super::header::Packet;

/// Bytes of the tag at the end of a Retry packet.
const RETRY_TAG_LENGTH: usize = 16;

/// Raises an event of a packet with a long header.
pub fn packet(event: &'static str, packet: &Packet<'_>, direction: Direction, sink: &mut dyn ZeekSink) {
    sink.raise(event, &of(packet, direction));
}

/// Raises the event of a packet by which a server asks to begin again.
pub fn retried(packet: &Packet<'_>, bytes: &[u8], direction: Direction, sink: &mut dyn ZeekSink) {
    let Some(token) = packet.token(bytes) else { return };
    let tag = bytes.len().checked_sub(RETRY_TAG_LENGTH).and_then(|start| bytes.get(start..));
    let [c, is_orig, version, destination, source] = of(packet, direction);
    let rest = [EventValue::String(token), EventValue::bytes(tag)];
    let [token, tag] = rest;
    sink.raise("QUIC::retry_packet", &[c, is_orig, version, destination, source, token, tag]);
}

/// Raises the event of a frame that ends the connection.
pub fn closed(packet: &Packet<'_>, error: u64, reason: &[u8], direction: Direction, sink: &mut dyn ZeekSink) {
    let [c, is_orig, version, destination, source] = of(packet, direction);
    let (error, reason) = (error.into(), EventValue::String(reason));
    sink.raise("QUIC::connection_close_frame", &[c, is_orig, version, destination, source, error, reason]);
}

/// Raises the event of a packet that is none of QUIC's, where packets were decrypted before.
pub fn discarded(decrypted: u64, direction: Direction, sink: &mut dyn ZeekSink) {
    if decrypted > 0 {
        let is_orig = EventValue::Bool(direction == Direction::ToServer);
        sink.raise("QUIC::discarded_packet", &[EventValue::Connection, is_orig, decrypted.into()]);
    }
}

/// Raises the event of a number of packets with short headers that is a power of two.
pub fn many_short(count: u64, direction: Direction, sink: &mut dyn ZeekSink) {
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    let event = "QUIC::short_header_packet_threshold_crossed";
    sink.raise(event, &[EventValue::Connection, is_orig, count.into()]);
}

/// The arguments that events of packets have: the connection, who sent it, the version, both identifiers.
fn of<'a>(packet: &Packet<'a>, direction: Direction) -> [EventValue<'a>; 5] {
    [
        EventValue::Connection,
        EventValue::Bool(direction == Direction::ToServer),
        packet.version.0.into(),
        EventValue::String(packet.destination),
        EventValue::String(packet.source),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quic::zeek::DATAGRAMS;
    use crate::testing::{UP, logged};

    #[test]
    fn packets() {
        let tag = [b't'; RETRY_TAG_LENGTH];
        let retry = [&b"\xf0\0\0\0\x01\x01a\x01btoken"[..], &tag].concat();
        let many = b"\x40";
        let cases: [(&[u8], &str); 4] = [
            (b"\xe0\0\0\0\x01\x01a\x01b\x01x", "QUIC::handshake_packet c T 1 a b"),
            (b"\xe0\x0a\x0a\x0a\x0a\x01a\x01b\x01x", "QUIC::unhandled_version c T 168430090 a b"),
            (&retry, "QUIC::retry_packet c T 1 a b token tttttttttttttttt"),
            (many, "QUIC::short_header_packet_threshold_crossed c T 1"),
        ];
        for (payload, expected) in cases {
            assert_eq!(logged(&DATAGRAMS, &[(UP, payload)]).raised, [expected]);
        }
    }
}
