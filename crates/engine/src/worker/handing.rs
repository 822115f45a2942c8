//! Frames that belong to other workers than the one to which the kernel dealt them: it does not see what lies deep, or in
//! fragments. They are handed over, and taken over from others.
//!
//! A frame goes to the worker of its innermost packet, with all that it carries, as the kernel has it where it sees that
//! packet; a datagram that was put together goes so, too. A frame of the worker's own, in which the kernel does not see
//! that packet, takes the same way, to be in order with those that others hand over. The worker that it came to counts it, the other one records it.

use weir_base::{Position, Timestamp};
use weir_packet::decode::PacketList;
use weir_packet::decode::dispatch::{FragmentFacts, of_innermost};
use weir_packet::{Decoder, Packet, RawPacket};

use super::ahead::{Decoded, Inside};
use super::shunting::LOOKED_INTO;
use super::verdict::CarriedVerdict;
use super::{Rest, Worker};
use crate::handing::{Handed, HandingCounters, Outbox, Owner};

/// Most bytes of headers before one of IP that the kernel's program steps over whatever they are: those of Ethernet and
/// of two tags.
const SEEN: u32 = 22;

impl Worker {
    /// Hands packets over to others from now on.
    pub(crate) fn hand_over_by(&mut self, outbox: Outbox) {
        self.handing = Some(Box::new(outbox));
    }

    /// The way to the other workers, if there is one.
    pub(crate) fn outbox(&mut self) -> Option<&mut Outbox> {
        self.handing.as_deref_mut()
    }

    /// Returns what was handed over.
    pub(crate) fn handing_counters(&self) -> Option<&HandingCounters> {
        self.handing.as_deref().map(|outbox| &outbox.counters)
    }

    /// Hands a frame over that belongs to another worker, and counts it; whether it does. What it carries is `inside`.
    /// Fragments before it in the chunk have gone on by then: what they made whole comes first.
    pub(super) fn hand_over_frame(&mut self, frame: &Decoded<'_>, inside: Option<&Inside<'_>>) -> bool {
        let Some(outbox) = self.handing.as_deref_mut() else { return false };
        let (outer, inner) = (&frame.outer, inside.map_or(&[][..], |inside| inside.list.as_slice()));
        if inner.is_empty() && outer.below_ip() <= SEEN {
            return false;
        }
        let Some(thread) = receiver(outbox, inner, outer) else { return false };
        outbox.hand(thread, &Handed { raw: outer.captured(), checksums: frame.checksums, fragment: None });
        self.rest.tally.packet(outer.time, outer.wire_length);
        self.account_for(false, outer.invalid);
        true
    }

    /// Hands a datagram over that was put together and belongs to another worker; whether it does. `packets` are what it
    /// is and carries, the innermost first.
    pub(super) fn hand_over_whole(
        &mut self,
        bytes: &[u8],
        fragment: &Packet<'_>,
        packets: &[Packet<'_>],
    ) -> bool {
        let Some(outbox) = self.handing.as_deref_mut() else { return false };
        let Some((outer, inner @ [_, ..])) = packets.split_last() else { return false };
        let Some(thread) = receiver(outbox, inner, outer) else { return false };
        let raw = RawPacket {
            number: 0,
            time: fragment.time,
            link: self.link,
            wire_length: bytes.len() as u32,
            interface: fragment.interface,
            bytes,
        };
        let fragment = Some(FragmentFacts::of(fragment));
        outbox.hand(thread, &Handed { raw, checksums: self.rest.checksums, fragment });
        true
    }

    /// Takes a packet over from another worker, as the one of this `number`, when the capture's clock shows `clock`.
    pub(crate) fn take_over(&mut self, packet: &Handed<'_>, number: u64, clock: Timestamp) {
        let raw = RawPacket { number, ..packet.raw };
        self.link = raw.link;
        self.rest.begin_frame_of_another(packet, clock);
        let position = Position::new(clock, number);
        self.rest.order.reach(position);
        match packet.fragment {
            Some(facts) => {
                let facts = FragmentFacts { number, ..facts };
                let mut list = PacketList::new();
                let template = facts.template(raw.bytes);
                self.parts.uncounted().decode_ip(raw.bytes, &template, &mut list);
                self.process_taken_over(&mut list, position, |decoder, list| {
                    decoder.decode_ip(raw.bytes, &template, list);
                });
            }
            None => {
                let mut list: PacketList<'_> = self.room.take().unwrap_or_default();
                self.parts.uncounted().decode(&raw, &mut list);
                self.process_taken_over(&mut list, position, |decoder, list| decoder.decode(&raw, list));
                self.rest.log_packet(&raw, position);
                self.room = Some(list.recycle());
            }
        }
    }

    fn process_taken_over<'a>(
        &mut self,
        list: &mut PacketList<'a>,
        position: Position,
        decode: impl FnOnce(&mut Decoder, &mut PacketList<'a>),
    ) {
        let mut wider = match self.parts.uncounted().may_hold_more() {
            false => PacketList::default(),
            true => self.read_wider(list.as_slice(), None, decode),
        };
        let mut carried = CarriedVerdict::default();
        self.process_all(list.as_mut_slice(), wider.as_mut_slice(), position, &mut carried);
        self.keep_room(wider);
    }
}

/// Returns the thread that a frame is to be handed to: another one, or this one, where packets inside of a frame like this
/// one come from others, too.
fn receiver(outbox: &Outbox, inner: &[Packet<'_>], outer: &Packet<'_>) -> Option<usize> {
    let owner = outbox.owner(of_innermost(inner, outer)?)?;
    let is_seen =
        inner.first().is_none_or(|first| first.recursion == 1 && LOOKED_INTO.contains(&first.origin));
    match owner {
        Owner::Other(thread) => Some(thread),
        Owner::This(thread) => (!is_seen).then_some(thread),
    }
}

impl Rest {
    fn begin_frame_of_another(&mut self, packet: &Handed<'_>, clock: Timestamp) {
        self.stream.now = clock;
        self.checksums = packet.checksums;
        if let Some(log) = self.packet_log.as_deref_mut() {
            log.begin();
        }
    }
}
