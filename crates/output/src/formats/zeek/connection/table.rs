//! The live connections of a worker, and when each is over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use ahash::RandomState;
use weir_base::Timestamp;

use super::{Connection, Key, PacketView};

/// Most live connections of a worker; beyond, the one that would end first is ended.
pub(in super::super) const MAX_CONNECTIONS: usize = 1 << 20;

/// Names a live connection; an old name finds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ConnectionId {
    slot: u32,
    generation: u32,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    live: Option<(Key, Connection)>,
    /// When the timer looks at it next.
    timer: Timestamp,
}

/// The table.
#[derive(Debug)]
pub(in super::super) struct Table {
    index: HashMap<Key, u32, RandomState>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    timers: BinaryHeap<Reverse<(Timestamp, u32, u32)>>,
}

impl Default for Table {
    fn default() -> Self {
        // Fixed seeds: nothing a worker does depends on chance.
        let hasher = RandomState::with_seeds(0x5745_4952, 0x5a45_454b, 1, 2);
        Self {
            index: HashMap::with_hasher(hasher),
            slots: Vec::new(),
            free: Vec::new(),
            timers: BinaryHeap::new(),
        }
    }
}

impl Table {
    /// The connection of a packet.
    pub(in super::super) fn find(&self, packet: &PacketView) -> Option<ConnectionId> {
        let slot = *self.index.get(&packet.key())?;
        Some(ConnectionId { slot, generation: self.slots.get(slot as usize)?.generation })
    }

    /// Adds a connection that is not there.
    pub(in super::super) fn insert(&mut self, key: Key, connection: Connection) -> ConnectionId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        self.index.insert(key, slot);
        let mut id = ConnectionId { slot, generation: 0 };
        if let Some(place) = self.slots.get_mut(slot as usize) {
            id.generation = place.generation;
            place.timer = connection.deadline();
            self.timers.push(Reverse((place.timer, slot, place.generation)));
            place.live = Some((key, connection));
        }
        id
    }

    /// The connection of this name.
    pub(in super::super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.live.as_ref().map(|(_, connection)| connection)
    }

    /// The same, to be changed; [`Table::changed`] must follow where its deadline may be nearer.
    pub(in super::super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.live.as_mut().map(|(_, connection)| connection)
    }

    /// Files the connection anew if it is to end earlier than the timer knows.
    pub(in super::super) fn changed(&mut self, id: ConnectionId) {
        let Some(slot) = self.slots.get_mut(id.slot as usize).filter(|s| s.generation == id.generation)
        else {
            return;
        };
        if let Some((_, connection)) = &slot.live {
            let deadline = connection.deadline();
            if deadline < slot.timer {
                slot.timer = deadline;
                self.timers.push(Reverse((deadline, id.slot, id.generation)));
            }
        }
    }

    /// The next connection that is over at `now`.
    pub(in super::super) fn expired(&mut self, now: Timestamp) -> Option<Connection> {
        loop {
            let Reverse((moment, slot, generation)) = *self.timers.peek()?;
            if moment > now && self.index.len() < MAX_CONNECTIONS {
                return None;
            }
            self.timers.pop();
            let Some(place) = self.slots.get_mut(slot as usize) else { continue };
            if place.generation != generation || place.timer != moment {
                continue;
            }
            let Some((_, connection)) = &place.live else { continue };
            let deadline = connection.deadline();
            if deadline > now && self.index.len() < MAX_CONNECTIONS {
                place.timer = deadline;
                self.timers.push(Reverse((deadline, slot, generation)));
                continue;
            }
            return self.remove(slot);
        }
    }

    fn remove(&mut self, slot: u32) -> Option<Connection> {
        let place = self.slots.get_mut(slot as usize)?;
        let (key, connection) = place.live.take()?;
        place.generation = place.generation.wrapping_add(1);
        self.index.remove(&key);
        self.free.push(slot);
        Some(connection)
    }

    /// Ends all connections, in the order in which they began.
    pub(in super::super) fn drain(&mut self) -> Vec<Connection> {
        let mut rest: Vec<Connection> =
            (0..self.slots.len() as u32).filter_map(|slot| self.remove(slot)).collect();
        rest.sort_by(|a, b| (a.start, &a.uid).cmp(&(b.start, &b.uid)));
        self.timers.clear();
        rest
    }
}
