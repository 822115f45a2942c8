//! The fate of packets that were lent: decided by a worker, done by a source that stands between networks.

use std::ops::Range;

/// Bytes of changed packets and messages of a batch, at most.
pub const MOST_BYTES: usize = 8 << 20;

/// Messages of a batch, at most.
pub const MOST_MESSAGES: usize = 1024;

/// The fate of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It goes on.
    #[default]
    Forward,
    /// It goes on with other bytes, as many.
    Changed(Range<usize>),
    /// It is held back.
    Drop,
    /// It goes on, and what follows of its flow need not be inspected.
    Bypass,
}

/// A side of a source, as seen from a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where the packet came from.
    Sender,
    /// Where it would have gone.
    Receiver,
}

/// A packet to send that no one lent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Place in the batch of the packet that brings it about.
    pub cause: usize,
    /// Where it is sent to.
    pub side: Side,
    /// Its place among the bytes.
    place: Range<usize>,
}

/// The fates of the packets of a batch, in their order, and messages to send beside them.
#[derive(Debug, Default)]
pub struct Fates {
    list: Vec<Fate>,
    messages: Vec<Message>,
    bytes: Vec<u8>,
    /// Messages that were too many.
    lost: u64,
}

impl Fates {
    /// Nothing is decided.
    pub const fn new() -> Self {
        Self { list: Vec::new(), messages: Vec::new(), bytes: Vec::new(), lost: 0 }
    }

    /// Forgets all, for the next batch.
    pub fn clear(&mut self) {
        self.list.clear();
        self.messages.clear();
        self.bytes.clear();
        self.lost = 0;
    }

    /// The next packet: it goes on unless something else is said.
    #[inline]
    pub fn begin(&mut self) {
        self.list.push(Fate::Forward);
    }

    /// Decides of the packet at hand.
    #[inline]
    pub fn decide(&mut self, fate: Fate) {
        if let Some(last) = self.list.last_mut() {
            *last = fate;
        }
    }

    /// The packet at hand goes on with other bytes; it is held back where there is no room for them.
    pub fn change(&mut self, parts: &[&[u8]]) {
        let fate = self.keep(parts).map_or(Fate::Drop, Fate::Changed);
        self.decide(fate);
    }

    /// The bytes with which the packet at hand goes on, where they are other ones.
    pub fn changed(&mut self) -> Option<&mut [u8]> {
        match self.list.last() {
            Some(Fate::Changed(place)) => self.bytes.get_mut(place.clone()),
            _ => None,
        }
    }

    /// Has a packet of at most `length` bytes sent to a side, because of the packet at hand; `append` makes it, or none.
    pub fn send(&mut self, side: Side, length: usize, append: impl FnOnce(&mut Vec<u8>) -> Option<()>) {
        let start = self.bytes.len();
        if self.messages.len() >= MOST_MESSAGES || start + length > MOST_BYTES {
            self.lost += 1;
        } else if append(&mut self.bytes).is_some() {
            let cause = self.list.len().saturating_sub(1);
            self.messages.push(Message { cause, side, place: start..self.bytes.len() });
        }
    }

    fn keep(&mut self, parts: &[&[u8]]) -> Option<Range<usize>> {
        let start = self.bytes.len();
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if start + length > MOST_BYTES {
            return None;
        }
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        Some(start..start + length)
    }

    /// The fate of the packet at a place of the batch.
    pub fn get(&self, index: usize) -> &Fate {
        self.list.get(index).unwrap_or(&Fate::Forward)
    }

    /// Bytes of a changed packet.
    pub fn bytes(&self, place: &Range<usize>) -> &[u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = (&Message, &[u8])> {
        self.messages.iter().map(|message| (message, self.bytes(&message.place)))
    }

    /// Messages that were not kept, as there were too many at once.
    pub const fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_go_on_unless_something_else_is_said() {
        let mut fates = Fates::new();
        (0..3).for_each(|_| fates.begin());
        fates.decide(Fate::Drop);
        fates.send(Side::Sender, 3, |bytes| {
            bytes.extend(b"no!");
            Some(())
        });
        fates.send(Side::Sender, 3, |_| None);
        fates.begin();
        fates.change(&[b"ab"]);
        if let Some(bytes) = fates.changed() {
            bytes.reverse();
        }
        assert_eq!((fates.get(0), fates.get(2), fates.get(9)), (&Fate::Forward, &Fate::Drop, &Fate::Forward));
        let Fate::Changed(place) = fates.get(3).clone() else { panic!("not changed") };
        assert_eq!(fates.bytes(&place), b"ba");
        let messages: Vec<_> = fates.messages().map(|(m, bytes)| (m.cause, m.side, bytes)).collect();
        assert_eq!(messages, [(2, Side::Sender, &b"no!"[..])]);
        fates.clear();
        assert_eq!((fates.get(2), fates.messages().count()), (&Fate::Forward, 0));
        assert_eq!(fates.changed(), None);
    }

    #[test]
    fn what_finds_no_room_is_held_back_or_counted() {
        let mut fates = Fates::new();
        fates.begin();
        let much = vec![0; MOST_BYTES + 1];
        fates.change(&[&much]);
        assert_eq!(fates.get(0), &Fate::Drop);
        (0..=MOST_MESSAGES).for_each(|_| fates.send(Side::Receiver, 0, |_| Some(())));
        assert_eq!((fates.messages().count(), fates.lost()), (MOST_MESSAGES, 1));
    }
}
