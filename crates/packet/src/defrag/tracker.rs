//! The packets of which fragments are kept, and in which order they go when room is needed.
//!
//! Trackers lie in slots that are used again; a doubly linked list through them holds the one that
//! got a fragment last at its end.

use std::collections::HashMap;
use std::net::IpAddr;

use weir_base::Timestamp;

use super::assembly::Assembly;
use crate::header::VlanTags;

/// Key of the fragments of one packet (RFC 791, RFC 8200), with the VLANs and tunnels around them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) id: u32,
    /// Zero for IPv6, whose fragments need not agree on it.
    pub(super) protocol: u8,
    pub(super) vlan: VlanTags,
    pub(super) recursion: u8,
}

/// One packet in the making.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    pub(super) assembly: Assembly,
    /// The header of the fragment that gave the first byte, without its fragment header.
    pub(super) header: Vec<u8>,
    pub(super) fragments: usize,
    pub(super) expires: Timestamp,
}

impl Tracker {
    pub(super) fn memory(&self) -> usize {
        size_of::<Slot>() + self.assembly.memory() + self.header.capacity()
    }
}

/// Stands for no slot.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Slot {
    key: Option<Key>,
    tracker: Tracker,
    /// The slot that got a fragment before this one, or the next free slot.
    before: u32,
    after: u32,
}

/// All trackers.
#[derive(Debug)]
pub(super) struct TrackerTable {
    by_key: HashMap<Key, u32, ahash::RandomState>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
}

impl TrackerTable {
    pub(super) fn new() -> Self {
        Self {
            // Fixed seeds: the same capture gives the same run.
            by_key: HashMap::with_hasher(weir_base::keyed_hash()),
            slots: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
        }
    }

    /// Returns the number of trackers.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The tracker of a packet.
    pub(super) fn find(&self, key: &Key) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    pub(super) fn get(&mut self, index: u32) -> Option<&mut Tracker> {
        self.slots.get_mut(index as usize).map(|slot| &mut slot.tracker)
    }

    /// Adds a tracker as the newest.
    pub(super) fn insert(&mut self, key: Key, tracker: Tracker) -> u32 {
        let slot = Slot { key: Some(key), tracker, before: NONE, after: NONE };
        let index = match self.free.pop() {
            Some(index) => {
                if let Some(place) = self.slots.get_mut(index as usize) {
                    *place = slot;
                }
                index
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        self.by_key.insert(key, index);
        self.link_newest(index);
        index
    }

    /// Takes a tracker out.
    pub(super) fn remove(&mut self, index: u32) -> Option<Tracker> {
        let key = self.slots.get_mut(index as usize)?.key.take()?;
        self.unlink(index);
        self.by_key.remove(&key);
        self.free.push(index);
        self.slots.get_mut(index as usize).map(|slot| std::mem::take(&mut slot.tracker))
    }

    /// Makes a tracker the newest.
    pub(super) fn touch(&mut self, index: u32) {
        if self.newest != index {
            self.unlink(index);
            self.link_newest(index);
        }
    }

    /// The tracker that has been longest without a fragment, and whether it is one of IPv4.
    pub(super) fn oldest(&self) -> Option<(u32, &Tracker, bool)> {
        let slot = self.slots.get(self.oldest as usize)?;
        let is_v4 = slot.key.is_some_and(|key| key.source.is_ipv4());
        Some((self.oldest, &slot.tracker, is_v4))
    }

    fn link_newest(&mut self, index: u32) {
        let before = std::mem::replace(&mut self.newest, index);
        if let Some(slot) = self.slots.get_mut(index as usize) {
            (slot.before, slot.after) = (before, NONE);
        }
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.after = index,
            None => self.oldest = index,
        }
    }

    fn unlink(&mut self, index: u32) {
        let Some((before, after)) = self.slots.get(index as usize).map(|slot| (slot.before, slot.after))
        else {
            return;
        };
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.after = after,
            None => self.oldest = after,
        }
        match self.slots.get_mut(after as usize) {
            Some(slot) => slot.before = before,
            None => self.newest = before,
        }
    }
}
