//! The packets that one captured packet gives.

use crate::packet::Packet;

/// Most packets that one captured packet gives: itself and what is inside of it, level by level.
pub const MAX_PACKETS: usize = 32;

/// Packets in the order in which they are to be processed: inner ones before the one that carries
/// them. Kept and passed again to the decoder, it does not allocate.
#[derive(Debug, Default)]
pub struct PacketList<'a> {
    packets: Vec<Packet<'a>>,
}

impl<'a> PacketList<'a> {
    /// An empty list, with room for the usual case.
    pub fn new() -> Self {
        Self { packets: Vec::with_capacity(4) }
    }

    /// Drops all packets, keeps the room.
    pub fn clear(&mut self) {
        self.packets.clear();
    }

    /// Empties the list, for packets that borrow from elsewhere.
    pub fn recycle<'b>(mut self) -> PacketList<'b> {
        self.packets.clear();
        // Nothing is left to convert: the collection takes over the allocation.
        PacketList { packets: self.packets.into_iter().map_while(|_| None).collect() }
    }

    /// Adds a packet, unless the list is full.
    pub fn push(&mut self, packet: Packet<'a>) {
        if self.packets.len() < MAX_PACKETS {
            self.packets.push(packet);
        }
    }

    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether it has room that can be used again.
    pub fn has_room(&self) -> bool {
        self.packets.capacity() > 0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The packets, inner ones first.
    pub fn iter(&self) -> std::slice::Iter<'_, Packet<'a>> {
        self.packets.iter()
    }

    /// The packets, inner ones first, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Packet<'a>> {
        self.packets.iter_mut()
    }

    /// The packets as a slice, inner ones first.
    pub fn as_slice(&self) -> &[Packet<'a>] {
        &self.packets
    }

    /// The packets as a slice to be changed, inner ones first.
    pub fn as_mut_slice(&mut self) -> &mut [Packet<'a>] {
        &mut self.packets
    }

    /// The outer packet, which is last.
    pub fn outer(&self) -> Option<&Packet<'a>> {
        self.packets.last()
    }
}

impl<'l, 'a> IntoIterator for &'l PacketList<'a> {
    type Item = &'l Packet<'a>;
    type IntoIter = std::slice::Iter<'l, Packet<'a>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'l, 'a> IntoIterator for &'l mut PacketList<'a> {
    type Item = &'l mut Packet<'a>;
    type IntoIter = std::slice::IterMut<'l, Packet<'a>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
