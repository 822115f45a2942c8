//! Whole IP packets out of fragments (RFC 791, RFC 815, RFC 8200 4.5, RFC 5722).
//!
//! Overlaps are settled by the policy of the destination. Memory, packets in the making and fragments
//! are limited by [`DefragSettings`]; what does not fit is counted and left out. Time is that of the
//! packets. An IPv6 packet in one fragment (RFC 6946) needs none of this: the decoder reads it on.

mod assembly;
mod fragment;
mod policy;
mod refused;
mod settings;
mod tracker;

use weir_base::{CounterVisitor, Counters, Timestamp};

use crate::event::{DecodeEvent, EventCounters};
use crate::packet::Packet;
use assembly::{Assembly, PIECE_SIZE, Refused};
use fragment::Fragment;
use refused::RefusedPackets;
use tracker::{Tracker, TrackerTable};

pub use policy::{Extent, OverlapPolicy};
pub use settings::{DefragSettings, Network};

/// Most tunnels around fragments that are put together.
pub const MAX_REASSEMBLY_DEPTH: u8 = 8;
/// Most buffers kept to be used again.
const MAX_POOLED: usize = 64;
/// Buffers that grew past this many bytes are not kept: a small fragment may come to lie in one for long.
const MAX_POOLED_BYTES: usize = 16 << 10;

weir_base::counters! {
    /// Counters of the defragmenter.
    pub struct DefragCounters {
        /// IPv4 fragments.
        ipv4_fragments => "defrag.ipv4.fragments",
        /// IPv4 packets put together.
        ipv4_reassembled => "defrag.ipv4.reassembled",
        /// IPv4 packets given up.
        ipv4_timeouts => "defrag.ipv4.timeouts",
        /// IPv6 fragments.
        ipv6_fragments => "defrag.ipv6.fragments",
        /// IPv6 packets put together.
        ipv6_reassembled => "defrag.ipv6.reassembled",
        /// IPv6 packets given up.
        ipv6_timeouts => "defrag.ipv6.timeouts",
        /// Fragments of new packets while there were as many packets as allowed.
        max_trackers_reached => "defrag.max_trackers_reached",
        /// Fragments left out as there were as many as allowed.
        max_frags_reached => "defrag.max_frags_reached",
        /// Fragments left out for want of memory.
        memcap_drops => "defrag.memcap_drops",
        /// Expired packets whose room was used at once.
        tracker_soft_reuse => "defrag.tracker_soft_reuse",
        /// Packets given up early for room.
        tracker_hard_reuse => "defrag.tracker_hard_reuse",
        /// Packets given up as their time was over.
        tracker_timeout => "defrag.wrk.tracker_timeout",
        /// Memory in use.
        memuse => "defrag.memuse",
    }
}

/// A packet put together from fragments.
#[derive(Debug, PartialEq, Eq)]
pub struct Reassembled {
    /// The IP packet, to be decoded with [`crate::Decoder::decode_ip`] and given back with
    /// [`Defragmenter::recycle`].
    pub bytes: Vec<u8>,
}

/// Conflicts of a fragment with those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Misfit {
    /// It gives bytes again.
    pub overlaps: bool,
    /// And some of them are others.
    pub differs: bool,
    /// It ends where the packet, by another one, does not.
    pub size: bool,
}

/// Gathers fragments.
#[derive(Debug)]
pub struct Defragmenter {
    settings: DefragSettings,
    trackers: TrackerTable,
    fragments: usize,
    memory: usize,
    pool: Vec<Vec<u8>>,
    out_of_memory: bool,
    misfit: Misfit,
    refused: RefusedPackets,
    counters: DefragCounters,
}

impl Defragmenter {
    /// Changes the bound of its memory; what is beyond it makes room with the next fragment.
    pub fn set_memcap(&mut self, bytes: usize) {
        self.settings.memcap = bytes;
    }

    /// One that holds nothing yet.
    pub fn new(settings: DefragSettings) -> Self {
        Self {
            settings,
            trackers: TrackerTable::new(),
            fragments: 0,
            memory: 0,
            pool: Vec::new(),
            out_of_memory: false,
            misfit: Misfit::default(),
            refused: RefusedPackets::new(),
            counters: DefragCounters::default(),
        }
    }

    /// Takes a fragment in; gives the whole packet if that was the last one missing. What is odd about
    /// the fragment is put on `packet` and counted in `events`. Other packets are none of its business.
    pub fn push(&mut self, packet: &mut Packet<'_>, events: &mut EventCounters) -> Option<Reassembled> {
        if !packet.is_fragment() {
            return None;
        }
        let fragment = Fragment::of(packet)?;
        match fragment.is_v4 {
            true => self.counters.ipv4_fragments += 1,
            false => self.counters.ipv6_fragments += 1,
        }
        self.out_of_memory = false;
        self.misfit = Misfit::default();
        match self.take_in(&fragment, packet.time) {
            Ok(whole) => {
                if self.misfit.overlaps {
                    raise(packet, events, fragment.overlap_event());
                }
                whole
            }
            Err(Some(event)) => {
                raise(packet, events, event);
                None
            }
            Err(None) => None,
        }
    }

    /// Notes that what this fragment completed is held back.
    pub fn refuse(&mut self, packet: &Packet<'_>) {
        if let Some(fragment) = Fragment::of(packet) {
            let until = packet.time.plus(self.settings.timeout_of(fragment.key.destination));
            self.refused.add(fragment.key, until, self.settings.max_trackers);
        }
    }

    #[cfg(test)]
    fn refused_count(&self) -> usize {
        self.refused.count()
    }

    /// Whether a packet is a fragment of one that was held back.
    pub fn is_refused(&self, packet: &Packet<'_>) -> bool {
        let fragment = packet.is_fragment().then(|| Fragment::of(packet)).flatten();
        fragment.is_some_and(|fragment| self.refused.has(&fragment.key, packet.time))
    }

    /// Gives up the packets whose time is over, oldest first. To be called at the same times of the capture
    /// whatever packets come here: what is counted is then the same, whoever else gathers fragments.
    pub fn expire(&mut self, now: Timestamp) {
        self.refused.expire(now);
        while let Some((index, tracker, is_v4)) = self.trackers.oldest()
            && tracker.expires < now
        {
            self.count_timeout(is_v4);
            self.drop_tracker(index);
        }
    }

    /// Whether the last fragment was left out for want of memory or because there are as many as
    /// allowed.
    pub const fn out_of_memory(&self) -> bool {
        self.out_of_memory
    }

    /// Returns the conflicts of the last fragment with those before it.
    pub const fn misfit(&self) -> Misfit {
        self.misfit
    }

    /// Gives the bytes of a packet back, to be used again.
    pub fn recycle(&mut self, bytes: Vec<u8>) {
        if self.pool.len() < MAX_POOLED && bytes.capacity() <= MAX_POOLED_BYTES {
            self.pool.push(bytes);
        }
    }

    /// Returns the counters.
    pub fn counters(&self) -> DefragCounters {
        DefragCounters { memuse: self.memory as u64, ..self.counters.clone() }
    }

    /// Adds a fragment to its packet, and keeps how it fits. The error is the event, if there is one for it.
    fn take_in(
        &mut self,
        fragment: &Fragment<'_>,
        now: Timestamp,
    ) -> Result<Option<Reassembled>, Option<DecodeEvent>> {
        if fragment.payload.is_empty() {
            return Err(None);
        }
        if fragment.is_too_large() {
            return Err(Some(fragment.too_large_event()));
        }
        if fragment.has_invalid_length() {
            if let Some(index) = self.trackers.find(&fragment.key) {
                self.drop_tracker(index);
            }
            return Err(Some(DecodeEvent::IPV6_FRAG_INVALID_LENGTH));
        }
        let index = self.tracker_for(fragment, now).ok_or(Some(fragment.ignored_event()))?;
        let policy = self.settings.policy_of(fragment.key.destination);
        let timeout = self.settings.timeout_of(fragment.key.destination);
        let tracker = self.trackers.get(index).ok_or(None)?;
        let memory_before = tracker.memory();
        let added = match tracker.assembly.add(fragment.offset, fragment.payload, policy) {
            Ok(added) => added,
            Err(Refused::TooLong) => return Err(Some(fragment.too_large_event())),
            Err(Refused::TooMuch) => return Err(Some(fragment.ignored_event())),
        };
        tracker.expires = now.plus(timeout);
        tracker.fragments += 1;
        let end = fragment.offset + fragment.payload.len() as u32;
        let size = tracker.assembly.end().is_some_and(|known| end > known || !fragment.more && end < known);
        self.misfit = Misfit { overlaps: added.overlap, differs: added.differs, size };
        if !fragment.more {
            tracker.assembly.end_at(end);
        }
        if added.first_byte {
            fragment.copy_header(&mut tracker.header);
        }
        self.memory = (self.memory + tracker.memory()).saturating_sub(memory_before);
        self.fragments += 1;
        Ok(self.complete(index, fragment.is_v4))
    }

    /// Makes the whole packet, if nothing is missing.
    fn complete(&mut self, index: u32, is_v4: bool) -> Option<Reassembled> {
        let tracker = self.trackers.get(index)?;
        if tracker.header.is_empty() || !tracker.assembly.is_whole() {
            return None;
        }
        let mut bytes = self.pool.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(&tracker.header);
        tracker.assembly.write(&mut bytes);
        let sound = fragment::set_length(&mut bytes, tracker.header.len(), is_v4);
        self.drop_tracker(index);
        if sound.is_none() {
            // The first fragment's header is longer than those of the others: together it is too much.
            self.recycle(bytes);
            return None;
        }
        match is_v4 {
            true => self.counters.ipv4_reassembled += 1,
            false => self.counters.ipv6_reassembled += 1,
        }
        Some(Reassembled { bytes })
    }

    /// The tracker of a fragment's packet, with room for the fragment; made if need be. Now the newest.
    fn tracker_for(&mut self, fragment: &Fragment<'_>, now: Timestamp) -> Option<u32> {
        if self.fragments >= self.settings.max_fragments {
            self.counters.max_frags_reached += 1;
            self.out_of_memory = true;
            return None;
        }
        let mut found = self.trackers.find(&fragment.key);
        if let Some(index) = found
            && self.trackers.get(index)?.expires < now
        {
            self.count_timeout(fragment.is_v4);
            self.counters.tracker_soft_reuse += 1;
            self.drop_tracker(index);
            found = None;
        }
        if let Some(index) = found {
            self.trackers.touch(index);
        } else if self.trackers.len() >= self.settings.max_trackers {
            self.counters.max_trackers_reached += 1;
            self.drop_oldest(None)?;
        }
        let room = match found {
            Some(index) => self.trackers.get(index)?.assembly.growth(fragment.payload.len()),
            None => fragment.payload.len(),
        };
        let needed = size_of::<Tracker>() + room + PIECE_SIZE;
        // Each turn frees what one tracker took.
        while self.memory + needed > self.settings.memcap {
            if self.drop_oldest(found).is_none() {
                self.counters.memcap_drops += 1;
                self.out_of_memory = true;
                return None;
            }
        }
        if found.is_some() {
            return found;
        }
        let fits = |buffer: &Vec<u8>| self.memory + needed + buffer.capacity() <= self.settings.memcap;
        let buffer = self.pool.pop().filter(fits).unwrap_or_default();
        let tracker = Tracker { assembly: Assembly::with_buffer(buffer), ..Tracker::default() };
        self.memory += tracker.memory();
        Some(self.trackers.insert(fragment.key, tracker))
    }

    /// Gives the oldest packet up for room, unless it is the one that the room is for.
    fn drop_oldest(&mut self, wanted: Option<u32>) -> Option<()> {
        let (oldest, ..) = self.trackers.oldest()?;
        if wanted == Some(oldest) {
            return None;
        }
        self.counters.tracker_hard_reuse += 1;
        self.drop_tracker(oldest);
        Some(())
    }

    fn count_timeout(&mut self, is_v4: bool) {
        match is_v4 {
            true => self.counters.ipv4_timeouts += 1,
            false => self.counters.ipv6_timeouts += 1,
        }
        self.counters.tracker_timeout += 1;
    }

    fn drop_tracker(&mut self, index: u32) {
        if let Some(tracker) = self.trackers.remove(index) {
            self.memory = self.memory.saturating_sub(tracker.memory());
            self.fragments = self.fragments.saturating_sub(tracker.fragments);
            self.recycle(tracker.assembly.into_buffer());
        }
    }
}

impl Counters for Defragmenter {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        self.counters().visit(visitor);
    }
}

fn raise(packet: &mut Packet<'_>, events: &mut EventCounters, event: DecodeEvent) {
    packet.events.push(event);
    events.add(event);
}

#[cfg(test)]
mod tests;
