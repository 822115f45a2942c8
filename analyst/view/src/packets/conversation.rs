//! What both sides of a connection said, in the order of the packets.

use std::collections::BTreeMap;

use super::Found;

/// Segments that wait for what is missing before them.
const WAITING: usize = 1024;

/// Who sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who began.
    Client,
    /// Who answered.
    Server,
}

/// A piece of what one side said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Who said it.
    pub side: Side,
    /// Bytes that are missing before it.
    pub gap: u64,
    /// The moment of its first packet in microseconds.
    pub time: i64,
    /// What was said.
    pub bytes: Vec<u8>,
}

/// What is known of one side.
#[derive(Default)]
struct Sent {
    /// The number of the next byte.
    next: Option<u32>,
    /// What came early, by its distance from the first byte.
    early: BTreeMap<u64, (i64, Vec<u8>)>,
    /// The distance of the next byte from the first one.
    done: u64,
    /// Bytes that are held.
    held: usize,
}

/// Puts pieces together.
pub struct Conversation {
    pieces: Vec<Piece>,
    client: Sent,
    server: Sent,
    most: usize,
    packets: u64,
}

impl Conversation {
    /// Holds so many bytes of each side.
    pub fn new(most: usize) -> Self {
        Self { pieces: Vec::new(), client: Sent::default(), server: Sent::default(), most, packets: 0 }
    }

    /// Packets so far.
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Whether both sides have more than is held.
    pub fn is_full(&self) -> bool {
        self.client.held.max(self.server.held) >= self.most
    }

    /// Adds a packet.
    pub fn add(&mut self, found: &Found<'_>) {
        self.packets += 1;
        let time = found.packet.nanos.div_euclid(1000);
        self.add_bytes(found.side, time, found.decoded.sequence, found.decoded.payload);
    }

    fn add_bytes(&mut self, side: Side, time: i64, sequence: Option<(u32, bool)>, bytes: &[u8]) {
        let most = self.most;
        let sent = match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        };
        let room = most.saturating_sub(sent.held);
        let bytes = bytes.get(..room).unwrap_or(bytes);
        let Some((number, syn)) = sequence else {
            // A datagram is whole.
            sent.held += bytes.len();
            if !bytes.is_empty() {
                self.pieces.push(Piece { side, gap: 0, time, bytes: bytes.to_vec() });
            }
            return;
        };
        let number = number.wrapping_add(u32::from(syn));
        let next = *sent.next.get_or_insert(number);
        // The distance from the next byte; numbers begin again behind the greatest.
        let ahead = number.wrapping_sub(next) as i32;
        let known = usize::try_from(-i64::from(ahead)).unwrap_or(0);
        let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) else { return };
        let place = sent.done + u64::try_from(ahead).unwrap_or(0);
        let is_longer = sent.early.get(&place).is_none_or(|(_, known)| known.len() < new.len());
        if is_longer && sent.early.len() < WAITING {
            sent.held += new.len();
            sent.early.insert(place, (time, new.to_vec()));
        }
        while let Some(entry) = sent.early.first_entry().filter(|entry| *entry.key() <= sent.done) {
            let (place, (time, bytes)) = entry.remove_entry();
            let known = usize::try_from(sent.done - place).unwrap_or(usize::MAX);
            let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) else { continue };
            sent.done += new.len() as u64;
            sent.next = sent.next.map(|next| next.wrapping_add(new.len() as u32));
            self.pieces.push(Piece { side, gap: 0, time, bytes: new.to_vec() });
        }
    }

    /// Gives out all pieces; those behind a gap come at the end.
    pub fn finish(self) -> Vec<Piece> {
        let mut pieces = self.pieces;
        for (side, mut sent) in [(Side::Client, self.client), (Side::Server, self.server)] {
            for (place, (time, bytes)) in std::mem::take(&mut sent.early) {
                let known = usize::try_from(sent.done.saturating_sub(place)).unwrap_or(usize::MAX);
                let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) else { continue };
                pieces.push(Piece { side, gap: place.saturating_sub(sent.done), time, bytes: new.to_vec() });
                sent.done = place.max(sent.done) + new.len() as u64;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_order_and_once() {
        type Packets = &'static [(u32, &'static str)];
        let cases: [(Packets, &[(u64, &str)]); 6] = [
            (&[(10, "ab"), (12, "cd")], &[(0, "ab"), (0, "cd")]),
            (&[(10, "ab"), (14, "ef"), (12, "cd")], &[(0, "ab"), (0, "cd"), (0, "ef")]),
            (&[(10, "abc"), (11, "bcd"), (10, "a")], &[(0, "abc"), (0, "d")]),
            (&[(10, "a"), (15, "f"), (17, "h")], &[(0, "a"), (4, "f"), (1, "h")]),
            (&[(u32::MAX, "ab"), (1, "cd")], &[(0, "ab"), (0, "cd")]),
            (&[(10, ""), (5, "x")], &[]),
        ];
        for (packets, expected) in cases {
            let mut conversation = Conversation::new(1000);
            for (number, text) in packets {
                conversation.add_bytes(Side::Client, 7, Some((*number, false)), text.as_bytes());
            }
            let pieces = conversation.finish();
            let said: Vec<(u64, &str)> =
                pieces.iter().map(|piece| (piece.gap, std::str::from_utf8(&piece.bytes).unwrap())).collect();
            assert_eq!(said, expected, "{packets:?}");
        }
        let mut small = Conversation::new(3);
        small.add_bytes(Side::Server, 7, None, b"abcdef");
        assert!(small.is_full());
        assert_eq!(small.finish()[0].bytes, b"abc");
    }
}
