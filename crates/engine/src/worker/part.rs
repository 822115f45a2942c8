//! A worker's part of frames that concern several workers: those that carry packets of other hosts, that
//! complete fragments of such, and ICMP errors about packets of other hosts.
//!
//! Each worker decodes the whole frame, and goes about its own packets of it as one worker alone would
//! about all of them: its results stand at a [`Place`](weir_base::Place) of their own, by which records
//! get their order and workers their turn. The worker of the outermost packet counts the frame.
//!
//! Consequences of a frame's packets (one of them is dropped, one of them is to be logged) are noted where all workers
//! see them, for as long as the frame is under way: these are as many as the reader is
//! ahead of the slowest worker.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};

use weir_base::profile::locks::Lock;
use weir_base::{Position, Timestamp};
use weir_packet::decode::dispatch::{Dispatch, FragmentFacts, Reading, dispatch_all, share};
use weir_packet::decode::{Decoder, PacketList};
use weir_packet::{DecoderSettings, LinkType, Packet, RawPacket};

use super::packet_log::{PacketLog, Wish};
use super::verdict::CarriedVerdict;
use super::zeek_only::tunnels::Frame;
use super::{Connection, InFrame, Processed, Rest, Worker, quotes};

/// Part of a frame that a worker has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// All of it.
    Whole,
    /// Some of its packets.
    Part {
        /// The frame is counted here.
        counts: bool,
    },
}

/// Consequences of packets for the frame that they came in.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    verdict: CarriedVerdict,
    wish: Wish,
}

/// Notes on frames that are under way, by their numbers.
#[derive(Clone, Debug)]
pub struct FrameNotes(Arc<Lock<BTreeMap<u64, Note>>>);

impl Default for FrameNotes {
    fn default() -> Self {
        Self(Arc::new(Lock::new("notes on shared frames", BTreeMap::new())))
    }
}

impl FrameNotes {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Note>> {
        self.0.lock()
    }
}

/// State for frames of which a worker has a part.
#[derive(Debug)]
pub(super) struct Parts {
    /// Decodes what is counted elsewhere.
    uncounted: Decoder,
    /// Room for whom the packets of a frame concern.
    dispatches: Vec<Dispatch>,
    pub(super) notes: FrameNotes,
    /// The last frame that was shared with other workers.
    number: u64,
    /// Verdict of this worker's packets of that frame on those that carry them.
    carried: CarriedVerdict,
}

impl Parts {
    pub(super) fn new(settings: DecoderSettings) -> Self {
        let (uncounted, dispatches) = (Decoder::new(settings), Vec::new());
        let notes = FrameNotes::default();
        Self { uncounted, dispatches, notes, number: 0, carried: CarriedVerdict::default() }
    }
}

impl Parts {
    /// The decoder of what is counted elsewhere.
    pub(super) fn uncounted(&mut self) -> &mut Decoder {
        &mut self.uncounted
    }
}

impl Worker {
    /// Keeps notes on frames together with other workers.
    pub fn share_notes(&mut self, notes: FrameNotes) {
        self.parts.notes = notes;
    }

    /// Takes what is this worker's of a packet of the capture, whose clock shows `clock`.
    pub fn part(&mut self, raw: &RawPacket<'_>, clock: Timestamp, counts: bool) {
        self.begin_part(raw.number, raw.link, clock);
        let position = Position::new(clock, raw.number);
        let mut list: PacketList<'_> = self.room.take().unwrap_or_default();
        match counts {
            true => {
                self.rest.tally.packet(raw.time, raw.wire_length);
                self.decoder.decode(raw, &mut list);
            }
            false => self.parts.uncounted.decode(raw, &mut list),
        }
        let decoder = if counts { &self.decoder } else { &self.parts.uncounted };
        let mut wider = match decoder.may_hold_more() {
            false => PacketList::default(),
            true => self.read_wider(list.as_slice(), None, |decoder, list| decoder.decode(raw, list)),
        };
        let mut carried = self.parts.carried;
        let processed =
            self.process_own(list.as_mut_slice(), wider.as_mut_slice(), position, false, &mut carried);
        self.parts.carried = carried;
        if counts {
            self.rest.log_packet(raw, processed.position);
            self.account_for(processed.dropped, list.outer().is_some_and(|outer| outer.invalid));
        }
        self.room = Some(list.recycle());
        self.keep_room(wider);
    }

    /// Takes what is this worker's of a datagram that another worker puts together from fragments, too.
    pub fn whole(
        &mut self,
        bytes: &[u8],
        reading: Reading,
        fragment: &FragmentFacts,
        link: LinkType,
        clock: Timestamp,
    ) {
        self.begin_part(fragment.number, link, clock);
        if reading == Reading::ZeekAlone {
            return self.whole_of_tunnels(bytes, fragment, &Frame { number: fragment.number, link, clock });
        }
        let template = fragment.template(bytes);
        let mut list = PacketList::new();
        self.parts.uncounted.decode_ip(bytes, &template, &mut list);
        let mut wider = match self.parts.uncounted.may_hold_more() {
            false => PacketList::default(),
            true => self
                .read_wider(list.as_slice(), None, |decoder, list| decoder.decode_ip(bytes, &template, list)),
        };
        let position = Position::new(clock, fragment.number);
        let mut carried = self.parts.carried;
        self.process_own(list.as_mut_slice(), wider.as_mut_slice(), position, true, &mut carried);
        self.parts.carried = carried;
        self.keep_room(wider);
    }

    fn begin_part(&mut self, number: u64, link: LinkType, clock: Timestamp) {
        self.link = link;
        self.rest.stream.now = clock;
        if std::mem::replace(&mut self.parts.number, number) != number {
            self.parts.carried = CarriedVerdict::default();
            if let Some(log) = self.rest.packet_log.as_deref_mut() {
                log.begin();
            }
        }
    }

    /// Processes this worker's packets among those of one frame, which stands at `position`, inner ones
    /// first; `from_fragments`: they were put together and are inside of another one. `wider` are those that Zeek's
    /// logs read, where these are others.
    pub(super) fn process_own(
        &mut self,
        list: &mut [Packet<'_>],
        wider: &mut [Packet<'_>],
        position: Position,
        from_fragments: bool,
        carried: &mut CarriedVerdict,
    ) -> Processed {
        let mut processed = Processed { dropped: false, position };
        let mut dispatches = std::mem::take(&mut self.parts.dispatches);
        dispatch_all(list, &mut dispatches);
        let outer = if list.len() > 1 { list.last().cloned() } else { None };
        let has_fragment = list.iter().chain(&*wider).any(Packet::is_fragment);
        if !wider.is_empty() {
            let mut all = Vec::new();
            dispatch_all(wider, &mut all);
            if !has_fragment {
                self.rest.recorder.frame_in_part(wider, &all, position);
            }
            self.process_tunnels(list, wider, Some(&all), !has_fragment, position);
        } else if !has_fragment {
            self.rest.recorder.frame_in_part(list, &dispatches, position);
        }
        let is_shared = self.parts.number == position.place.packet();
        let concerns_others = is_shared && (from_fragments || has_fragment || list.len() > 1);
        for (index, packet) in list.iter_mut().enumerate() {
            let flow = dispatches.get(index).map_or(0, Dispatch::flow);
            if share(flow, self.rest.order.workers()) != self.rest.order.worker() {
                continue;
            }
            let fragment = packet.is_fragment();
            let refused = fragment && !self.take_fragment(packet, position, carried);
            processed.position = Position::at(position.clock, self.place(packet));
            self.rest.order.reach(processed.position);
            if concerns_others {
                self.learn(packet, carried);
            }
            let known = !has_fragment && !quotes(packet);
            let recorder = &self.rest.recorder;
            let connection = known.then(|| recorder.connection_of(index, packet, wider)).flatten();
            let root = outer.as_ref().filter(|_| packet.recursion > 0);
            let in_frame = InFrame { root, connection: Connection::Found(connection), key: None, refused };
            let moment = self.moment(packet, processed.position);
            processed.dropped = self.process(packet, &in_frame, &moment, carried);
            if concerns_others {
                self.tell(packet, from_fragments, carried);
            }
        }
        self.parts.dispatches = dispatches;
        processed
    }

    /// Learns what the packets before this one mean for it, where that matters.
    fn learn(&mut self, packet: &Packet<'_>, carried: &mut CarriedVerdict) {
        if self.rest.may_drop() || packet.recursion == 0 && self.rest.asks_packets() {
            self.rest.order.wait();
            if let Some(note) = self.parts.notes.all().get(&packet.number) {
                carried.add(note.verdict);
                if let Some(log) = self.rest.packet_log.as_deref_mut() {
                    log.frame.add(note.wish);
                }
            }
        }
    }

    /// Tells what this packet means for those after it, where that matters; after the last one there is
    /// nothing more to say.
    fn tell(&mut self, packet: &Packet<'_>, from_fragments: bool, carried: &CarriedVerdict) {
        if !self.rest.may_drop() && !self.rest.asks_packets() {
            return;
        }
        let mut notes = self.parts.notes.all();
        if packet.recursion == 0 && !from_fragments {
            notes.remove(&packet.number);
            return;
        }
        let wish = self.rest.packet_log.as_deref().map(|log| log.frame).unwrap_or_default();
        if *carried != CarriedVerdict::default() || wish != Wish::default() {
            let note = notes.entry(packet.number).or_default();
            note.verdict.add(*carried);
            note.wish.add(wish);
        }
    }
}

impl Rest {
    /// Whether packets may be dropped.
    fn may_drop(&self) -> bool {
        self.settings.inline || self.firewalled
    }

    /// Whether it depends on packets whether their frame is logged.
    fn asks_packets(&self) -> bool {
        self.packet_log.as_deref().is_some_and(PacketLog::asks_packets)
    }
}
