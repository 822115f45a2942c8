//! BitTorrent over TCP: what peers say to each other, and what they ask of trackers ([`tracker`]). Only scripts ask for it, at ports
//! that they register.
//!
//! Limit: [`MAX_MESSAGE`], behind which nothing more is read; the content of a piece is passed over, whatever its length.

pub mod bencode;
pub mod tracker;

use weir_base::event::{ReadStreams, StreamFindings, StreamReader, transport};
use weir_base::{EventValue, Reader};

/// The reader of what peers say.
pub const PEER: StreamReader = StreamReader {
    analyzer: "BITTORRENT",
    events: &[
        "bittorrent_peer_handshake",
        "bittorrent_peer_keep_alive",
        "bittorrent_peer_choke",
        "bittorrent_peer_unchoke",
        "bittorrent_peer_interested",
        "bittorrent_peer_not_interested",
        "bittorrent_peer_have",
        "bittorrent_peer_bitfield",
        "bittorrent_peer_request",
        "bittorrent_peer_piece",
        "bittorrent_peer_cancel",
        "bittorrent_peer_port",
        "bittorrent_peer_unknown",
        "bittorrent_peer_weird",
    ],
    tells_weirds: false,
    lasts: None,
    open: || Box::<Peers>::default(),
};

/// Most bytes of a message that is read.
const MAX_MESSAGE: usize = 1 << 20;

/// Length and name of the protocol, with which a handshake begins.
const NAME: &[u8] = b"\x13BitTorrent protocol";
/// Bytes of a handshake: the name, eight that are reserved, the hash of what is shared, the id of the peer.
const HANDSHAKE: usize = 20 + 8 + 20 + 20;
/// Number of the message that has a piece, and the bytes in front of its content.
const PIECE: u8 = 7;
const PIECE_HEADER: usize = 9;

/// The stream of one side.
#[derive(Debug, Default)]
struct Side {
    waiting: Vec<u8>,
    is_greeted: bool,
    /// Bytes of a piece that are passed over.
    skip: usize,
    is_over: bool,
}

/// One connection.
#[derive(Debug, Default)]
struct Peers([Side; 2]);

impl ReadStreams for Peers {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let Some(side) = self.0.get_mut(usize::from(!is_orig)).filter(|side| !side.is_over) else { return };
        let skipped = side.skip.min(bytes.len());
        side.skip -= skipped;
        side.waiting.extend_from_slice(bytes.get(skipped..).unwrap_or_default());
        let mut taken = 0;
        let mut waiting = std::mem::take(&mut side.waiting);
        while let Some(length) = side.message(waiting.get(taken..).unwrap_or_default(), is_orig, findings) {
            taken += length;
        }
        side.skip += taken.saturating_sub(waiting.len());
        if !side.is_over {
            waiting.drain(..taken.min(waiting.len()));
            side.waiting = waiting;
        }
    }
}

impl Side {
    /// Tells of what bytes begin with; returns its length, which may be beyond them, where it is complete.
    fn message(&mut self, bytes: &[u8], is_orig: bool, findings: &mut dyn StreamFindings) -> Option<usize> {
        if !self.is_greeted {
            let begins = bytes.get(..NAME.len().min(bytes.len()))?;
            if !NAME.starts_with(begins) {
                return self.give_up("Not a handshake of BitTorrent", is_orig, findings);
            }
            let mut reader = Reader::new(bytes.get(NAME.len()..HANDSHAKE)?);
            let [reserved, hash, peer] =
                [reader.take(8)?, reader.take(20)?, reader.take(20)?].map(EventValue::String);
            self.is_greeted = true;
            findings.raise(
                "bittorrent_peer_handshake",
                &[EventValue::Connection, is_orig.into(), reserved, hash, peer],
            );
            return Some(HANDSHAKE);
        }
        let length = usize::try_from(Reader::new(bytes).u32()?).ok()?;
        let rest = bytes.get(4..)?;
        if length == 0 {
            findings.raise("bittorrent_peer_keep_alive", &[EventValue::Connection, is_orig.into()]);
            return Some(4);
        }
        if *rest.first()? == PIECE && length >= PIECE_HEADER {
            let mut reader = Reader::new(rest.get(1..PIECE_HEADER)?);
            let (index, begin) = (reader.u32()?, reader.u32()?);
            let content = EventValue::Count((length - PIECE_HEADER) as u64);
            findings.raise(
                "bittorrent_peer_piece",
                &[EventValue::Connection, is_orig.into(), index.into(), begin.into(), content],
            );
            return Some(4 + length);
        }
        if length > MAX_MESSAGE {
            return self.give_up("Message is too long", is_orig, findings);
        }
        let (kind, body) = rest.get(..length)?.split_first()?;
        if tell(*kind, body, is_orig, findings).is_none() {
            findings.raise(
                "bittorrent_peer_unknown",
                &[EventValue::Connection, is_orig.into(), (*kind).into(), body.into()],
            );
        }
        Some(4 + length)
    }

    fn give_up(&mut self, reason: &str, is_orig: bool, findings: &mut dyn StreamFindings) -> Option<usize> {
        self.is_over = true;
        findings.raise("bittorrent_peer_weird", &[EventValue::Connection, is_orig.into(), reason.into()]);
        None
    }
}

/// Raises the event of a message; none where its number or its length has no meaning.
fn tell(kind: u8, body: &[u8], is_orig: bool, findings: &mut dyn StreamFindings) -> Option<()> {
    let (c, is_orig) = (EventValue::Connection, EventValue::Bool(is_orig));
    let mut reader = Reader::new(body);
    match (kind, body.len()) {
        (0, 0) => findings.raise("bittorrent_peer_choke", &[c, is_orig]),
        (1, 0) => findings.raise("bittorrent_peer_unchoke", &[c, is_orig]),
        (2, 0) => findings.raise("bittorrent_peer_interested", &[c, is_orig]),
        (3, 0) => findings.raise("bittorrent_peer_not_interested", &[c, is_orig]),
        (4, 4) => findings.raise("bittorrent_peer_have", &[c, is_orig, reader.u32()?.into()]),
        (5, _) => findings.raise("bittorrent_peer_bitfield", &[c, is_orig, body.into()]),
        (6 | 8, 12) => {
            let event = if kind == 6 { "bittorrent_peer_request" } else { "bittorrent_peer_cancel" };
            let [index, begin, length] = [reader.u32()?, reader.u32()?, reader.u32()?].map(EventValue::from);
            findings.raise(event, &[c, is_orig, index, begin, length]);
        }
        (9, 2) => {
            let port = EventValue::Port(reader.u16()?, transport::TCP);
            findings.raise("bittorrent_peer_port", &[c, is_orig, port]);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        [&(body.len() as u32 + 1).to_be_bytes()[..], &[kind], body].concat()
    }

    #[test]
    fn messages() {
        let hello = [NAME, b"12345678", &[b'h'; 20], &[b'p'; 20]].concat();
        let greeted = format!("bittorrent_peer_handshake c T 12345678 {} {}", "h".repeat(20), "p".repeat(20));
        let three: Vec<u8> = [1_u32, 2, 3].iter().flat_map(|number| number.to_be_bytes()).collect();
        let piece = [&three[..8], b"content"].concat();
        let cases: &[(Vec<u8>, &str)] = &[
            (vec![0; 4], "bittorrent_peer_keep_alive c T"),
            (message(0, b""), "bittorrent_peer_choke c T"),
            (message(1, b""), "bittorrent_peer_unchoke c T"),
            (message(2, b""), "bittorrent_peer_interested c T"),
            (message(3, b""), "bittorrent_peer_not_interested c T"),
            (message(4, &[0, 0, 0, 9]), "bittorrent_peer_have c T 9"),
            (message(5, b"bits"), "bittorrent_peer_bitfield c T bits"),
            (message(6, &three), "bittorrent_peer_request c T 1 2 3"),
            (message(7, &piece), "bittorrent_peer_piece c T 1 2 7"),
            (message(8, &three), "bittorrent_peer_cancel c T 1 2 3"),
            (message(9, &[0x1a, 0xe1]), "bittorrent_peer_port c T 6881"),
            (message(20, b"more"), "bittorrent_peer_unknown c T 20 more"),
            (message(4, b"x"), "bittorrent_peer_unknown c T 4 x"),
            (vec![1, 0, 0, 0, 5], "bittorrent_peer_weird c T Message is too long"),
        ];
        for (bytes, expected) in cases {
            let both = [hello.clone(), bytes.clone()].concat();
            assert_eq!(told(&PEER, &[(true, &both)]), [greeted.as_str(), *expected], "{bytes:?}");
        }
        let many = [hello.clone(), message(7, &piece), message(0, b"")].concat();
        assert_eq!(told(&PEER, &[(false, &many)]).len(), 3);
        assert_eq!(
            told(&PEER, &[(false, b"GET")]),
            ["bittorrent_peer_weird c F Not a handshake of BitTorrent"]
        );
        assert_eq!(told(&PEER, &[(false, &hello[..50])]), [""; 0]);
    }
}
