//! The live connections of a worker, and when each is over.

use std::num::NonZeroU32;

use hashbrown::HashTable;
use weir_applayer::zeek::SentFile;
use weir_base::{Blocks, Place, Position, Timestamp, prefetch};

use super::Connection;
use super::key::Key;
use super::timeouts::Timeouts;
use super::timers::{Timer, Timers};
use crate::policy::measure::Measure;
use crate::recent::Recent;
use crate::tunnel::Proxies;

/// Bytes that a connection takes, with its timer, its place in the index, and what some of them have besides. The
/// memory there is gives the most connections that live; beyond, the one that would end first is ended.
pub(crate) const CONNECTION_BYTES: u64 = size_of::<Slot>() as u64 + 128;

/// Most connections that are over and wait for their rows: as a row runs through more code than the first
/// cache of a processor holds, they are written together.
const MAX_ENDED: usize = 64;

/// Cache lines of a connection that are fetched before its packet comes.
const FETCHED_LINES: usize = 12;

/// Names a live connection; an old name finds nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ConnectionId {
    slot: u32,
    generation: NonZeroU32,
}

#[derive(Debug)]
struct Slot {
    generation: NonZeroU32,
    live: Option<Connection>,
    /// Where its first packet stands.
    first: Place,
    /// Place among all connections of the table by age.
    order: u64,
    /// When the timer looks at it next.
    timer: Timestamp,
}

impl Slot {
    #[inline]
    fn has(&self, key: &Key) -> bool {
        self.live.as_ref().is_some_and(|connection| connection.key == *key)
    }

    fn hash(&self, seed: u64) -> u64 {
        self.live.as_ref().map_or(0, |connection| connection.key.hash(seed))
    }

    fn timer(&self, slot: u32) -> Timer {
        let at = Position::at(self.timer, self.first);
        Timer { at, order: self.order, slot, generation: self.generation }
    }

    /// As [`Self::timer`], set by a packet at `position`. Packets older than the clock, as of another capture,
    /// may leave a connection over already: it ends behind what they cause.
    fn timer_set(&self, slot: u32, position: Position) -> Timer {
        let mut timer = self.timer(slot);
        if self.timer <= position.clock {
            timer.at.place = position.place.overdue();
        }
        timer
    }
}

/// Seed of the table's hash, drawn once for each process.
#[derive(Debug)]
struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Self(weir_base::hash_seed())
    }
}

/// The table.
///
/// Its fields are the connections, their timeouts and their bounds, touched together by each packet.
#[derive(Debug, Default)]
pub(crate) struct Table {
    seed: Seed,
    index: HashTable<u32>,
    slots: Blocks<Slot>,
    free: Vec<u32>,
    /// Connections that are over and have no row yet, and where their ends stand.
    ended: Vec<(u32, Position)>,
    timers: Timers,
    pub(crate) timeouts: Timeouts,
    /// Most that live.
    most: usize,
    /// Connections ended to make room.
    ended_early: u64,
    created: u64,
    /// Counts of connections made and present, without timers.
    pub(crate) tally: Measure,
    /// Files that went over connections of their own, until the connection that agreed on them asks.
    pub(crate) sent: Recent<SentFile>,
    /// Proxies that clients use.
    pub(crate) proxies: Proxies,
}

impl Table {
    /// An empty one, which takes so many bytes at most, but has room for one connection whatever they are.
    pub(crate) fn new(timeouts: Timeouts, memcap: u64) -> Self {
        let most = usize::try_from(memcap / CONNECTION_BYTES).unwrap_or(usize::MAX);
        Self { timeouts, most: most.max(1), ..Self::default() }
    }

    /// Returns the number of connections ended to make room for others.
    pub(crate) const fn ended_early(&self) -> u64 {
        self.ended_early
    }

    /// The connection of a packet.
    #[inline]
    pub(crate) fn find(&self, key: &Key) -> Option<ConnectionId> {
        let is = |&slot: &u32| self.slots.get(slot as usize).is_some_and(|place| place.has(key));
        let slot = *self.index.find(key.hash(self.seed.0), is)?;
        Some(ConnectionId { slot, generation: self.slots.get(slot as usize)?.generation })
    }

    /// Adds a connection that is not there, whose first packet stands at `position`.
    pub(crate) fn insert(&mut self, connection: Connection, position: Position) -> ConnectionId {
        if let Some(carrier) = connection.carrier_index() {
            count(&mut self.tally.counts.connections, carrier, true);
            count(&mut self.tally.levels.connections, carrier, true);
        }
        self.created += 1;
        let mut place = Slot {
            generation: NonZeroU32::MIN,
            timer: connection.deadline(&self.timeouts).max(position.clock),
            first: position.place,
            order: self.created,
            live: Some(connection),
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                if let Some(old) = self.slots.get_mut(slot as usize) {
                    place.generation = old.generation;
                    *old = place;
                }
                slot
            }
            None => {
                self.slots.push(place);
                (self.slots.len() - 1) as u32
            }
        };
        let (slots, seed) = (&self.slots, self.seed.0);
        let hash = |&slot: &u32| slots.get(slot as usize).map_or(0, |slot| slot.hash(seed));
        self.index.insert_unique(hash(&slot), slot, hash);
        let place = slots.get(slot as usize);
        if let Some(place) = place {
            self.timers.push(place.timer_set(slot, position));
        }
        ConnectionId { slot, generation: place.map_or(NonZeroU32::MIN, |place| place.generation) }
    }

    /// The connection of this name.
    #[inline]
    pub(crate) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.live.as_ref()
    }

    /// Asks the processor for the memory of a connection.
    #[inline]
    pub(crate) fn fetch(&self, id: ConnectionId) {
        if let Some(slot) = self.slots.get(id.slot as usize) {
            prefetch(slot, FETCHED_LINES);
        }
    }

    /// Returns the connection, to be changed; [`Table::changed`] must follow where its deadline may be nearer.
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.live.as_mut()
    }

    /// Files the connection anew if it is to end earlier than the timer knows, though not before
    /// the packet at `position` that changed it.
    pub(crate) fn changed(&mut self, id: ConnectionId, position: Position) {
        let Some(slot) = self.slots.get_mut(id.slot as usize).filter(|s| s.generation == id.generation)
        else {
            return;
        };
        if let Some(connection) = &slot.live {
            let deadline = connection.deadline(&self.timeouts).max(position.clock);
            if deadline < slot.timer {
                slot.timer = deadline;
                self.timers.push(slot.timer_set(id.slot, position));
            }
        }
    }

    /// Whether a connection may be over at `now`.
    #[inline]
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.timers.is_due(now) || self.index.len() > self.most
    }

    /// The next connection that is over at `now`, and where its end stands. It is to be removed then.
    pub(crate) fn due(&mut self, now: Timestamp) -> Option<(ConnectionId, Position)> {
        loop {
            let full = self.index.len() > self.most;
            let next = if full { self.timers.earliest() } else { self.timers.due(now) };
            let Timer { at: moment, slot, generation, .. } = next?;
            self.timers.pop();
            let Some(place) = self.slots.get_mut(slot as usize) else { continue };
            if place.generation != generation || place.timer != moment.clock {
                continue;
            }
            let Some(connection) = &place.live else { continue };
            let deadline = connection.deadline(&self.timeouts);
            if deadline > moment.clock && !full {
                place.timer = deadline;
                self.timers.push(place.timer(slot));
                continue;
            }
            self.ended_early += u64::from(full && deadline > now);
            let position = Position::at(moment.clock.min(now), moment.place);
            return Some((ConnectionId { slot, generation }, position));
        }
    }

    /// A connection is over, and its end stands at `position`: it is kept until it has its row, and not found
    /// any more. Whether so many wait for theirs that they are worth the way.
    pub(crate) fn end(&mut self, id: ConnectionId, position: Position) -> bool {
        let slot = id.slot;
        let Some(place) = self.slots.get_mut(slot as usize).filter(|place| place.generation == id.generation)
        else {
            return false;
        };
        let Some(connection) = &place.live else { return false };
        if let Some(carrier) = connection.carrier_index() {
            count(&mut self.tally.levels.connections, carrier, false);
        }
        place.generation = place.generation.checked_add(1).unwrap_or(NonZeroU32::MIN);
        if let Ok(entry) = self.index.find_entry(place.hash(self.seed.0), |&known| known == slot) {
            entry.remove();
        }
        self.ended.push((slot, position));
        self.ended.len() >= MAX_ENDED
    }

    /// Gives the connections that are over, in the order of their ends, and forgets them.
    pub(crate) fn ended(&mut self, mut give: impl FnMut(&Connection, Position)) {
        for (slot, position) in self.ended.drain(..) {
            let ended = self.slots.get_mut(slot as usize).and_then(|place| place.live.as_ref());
            if let Some(connection) = ended {
                give(connection, position);
            }
            if let Some(place) = self.slots.get_mut(slot as usize) {
                place.live = None;
            }
            self.free.push(slot);
        }
    }

    /// Returns the counts of connections made and present.
    pub(crate) fn measure(&self) -> Measure {
        let mut measure = self.tally;
        measure.levels.timers = self.timers.len() as u64;
        measure.counts.timers = self.created;
        measure
    }

    /// All connections, in the order of their first packets, which are given too.
    pub(crate) fn by_age(&self) -> Vec<(ConnectionId, Place)> {
        let live = self.slots.iter().zip(0u32..).filter(|(place, _)| place.live.is_some());
        let mut order: Vec<(u64, ConnectionId, Place)> = live
            .map(|(place, slot)| {
                (place.order, ConnectionId { slot, generation: place.generation }, place.first)
            })
            .collect();
        order.sort_unstable_by_key(|&(order, ..)| order);
        order.into_iter().map(|(_, id, first)| (id, first)).collect()
    }
}

/// One more or one less.
fn count(counters: &mut [u64; 3], which: usize, more: bool) {
    if let Some(counter) = counters.get_mut(which) {
        *counter = if more { *counter + 1 } else { counter.saturating_sub(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sensor holds a million of them.
    #[test]
    fn connections_are_small() {
        assert!(size_of::<Slot>() <= 552, "{}", size_of::<Slot>());
    }
}
