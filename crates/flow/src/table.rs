//! The flow table of one worker: finds the flow of a packet, makes it where there is none, and
//! ends it when its time is over.
//!
//! Limits: [`FlowSettings::memcap`] bounds flows and table. Where it is reached the table enters
//! emergency mode with its shorter timeouts, and ends the flow that is nearest to its deadline
//! among a bounded number looked at. The same happens while whoever hangs sessions on flows says that
//! memory for those is short ([`FlowTable::press`]).

use hashbrown::HashTable;
use weir_base::{Blocks, Direction, Timestamp, prefetch};
use weir_packet::{FlowKey, Packet, Tcp, Transport, VlanTags, ip_protocol};

use crate::core::{Counted, Flow, FlowCore};
use crate::counters::FlowCounters;
use crate::flags::FlowFlags;
use crate::hash;
use crate::id::FlowId;
use crate::settings::{FlowSettings, IcmpErrors};
use crate::state::{EndReason, FlowState};
use crate::wheel::{Entry, Wheel};

/// Most flows looked at to make room for one.
const MAX_PRUNE_TRIES: usize = 64;

/// Flows that end for a new one while memory for sessions is short.
const PRESSED_OUT: usize = 4;

/// Cache lines of a flow that are fetched before its packet comes; nearly all packets touch them.
const FETCHED_LINES: usize = 5;

/// Bytes that a flow costs beside its own: table bucket, timer entry, allocator.
const FLOW_OVERHEAD: u64 = 64;

/// A place in the table. It stays good until its flow ends; after that it finds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct FlowIndex {
    slot: u32,
    generation: u32,
}

/// The flow of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it is.
    pub index: FlowIndex,
    /// Direction of the packet in it.
    pub direction: Direction,
    /// Whether the packet is its first.
    pub created: bool,
    /// Whether both sides had spoken, this packet included, or TCP is established.
    pub established: bool,
}

/// The key of a packet in a table, and what that makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketKey {
    key: FlowKey,
    hash: u32,
    /// Whether the packet may make a flow.
    may_create: bool,
}

/// Reasons that a packet has no flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoFlow {
    /// Packets of this kind have none: no IP, a fragment, an unread transport, an ICMP error
    /// whose flow is not there.
    NotTracked,
    /// Memory is short and no flow could be ended.
    Memcap,
}

#[derive(Debug)]
struct Slot<S> {
    generation: u32,
    /// Of the flow's key, see [`spread`].
    hash: u32,
    flow: Option<Flow<S>>,
}

/// A hash as the index takes it, which looks at its lowest and at its highest bits.
const fn spread(hash: u32) -> u64 {
    (hash as u64) << 32 | hash as u64
}

/// All flows of one worker.
///
/// Its fields are the table itself, its wheel of timeouts and its bounds, which each look-up touches together.
#[derive(Debug)]
pub struct FlowTable<S> {
    settings: FlowSettings,
    index: HashTable<u32>,
    slots: Blocks<Slot<S>>,
    free: Vec<u32>,
    wheel: Wheel,
    /// Entries of the tick at hand, kept for its memory.
    due: Vec<Entry>,
    /// Flows that ended outside [`FlowTable::expire`], waiting for [`FlowTable::hand_out_ended`].
    ended: Vec<Flow<S>>,
    /// The flow that the latest packet was counted into as it was before, where that packet may
    /// turn out to begin another.
    before: Option<(FlowIndex, Counted)>,
    created: u32,
    latest: Timestamp,
    emergency: bool,
    /// Memory is short that sessions take elsewhere.
    pressed: bool,
    counters: FlowCounters,
}

impl<S> FlowTable<S> {
    /// An empty table.
    pub fn new(settings: FlowSettings) -> Self {
        Self {
            index: HashTable::with_capacity(settings.prealloc),
            slots: Blocks::default(),
            free: Vec::new(),
            wheel: Wheel::new(),
            due: Vec::new(),
            ended: Vec::new(),
            before: None,
            created: 0,
            latest: Timestamp::default(),
            emergency: false,
            pressed: false,
            counters: FlowCounters::default(),
            settings,
        }
    }

    /// Finds or makes the flow of `packet` and counts the packet in. `make` gives the session of a
    /// new flow.
    ///
    /// A flow found whose time was over before this packet is ended, and the packet begins another.
    pub fn lookup(
        &mut self,
        packet: &Packet<'_>,
        make: impl FnOnce(&FlowCore) -> S,
    ) -> Result<Found, NoFlow> {
        self.lookup_by(self.key(packet), packet, make)
    }

    /// Does what [`FlowTable::lookup`] does, for a packet whose key is known ([`FlowTable::key`]).
    pub fn lookup_by(
        &mut self,
        key: Option<PacketKey>,
        packet: &Packet<'_>,
        make: impl FnOnce(&FlowCore) -> S,
    ) -> Result<Found, NoFlow> {
        self.latest = self.latest.max(packet.time);
        let PacketKey { key, hash, may_create } = key.ok_or(NoFlow::NotTracked)?;
        if let Some(slot) = self.find(&key, hash) {
            let over = self
                .flow_in(slot)
                .is_some_and(|f| f.core.deadline(&self.settings, self.emergency) < packet.time);
            if !over {
                return self.count_in(slot, &key, packet, false).ok_or(NoFlow::NotTracked);
            }
            self.counters.wrk_flows_evicted += 1;
            self.end(slot, EndReason::Timeout);
        }
        if !may_create {
            return Err(NoFlow::NotTracked);
        }
        let slot = self.create(key, hash, packet, make)?;
        self.count_in(slot, &key, packet, true).ok_or(NoFlow::NotTracked)
    }

    /// Ends the flow at `index`, in which `packet` was just looked up but whose 5-tuple it uses
    /// again, and begins another with `packet`, which is taken out of the old flow's counts.
    pub fn replace(
        &mut self,
        index: FlowIndex,
        packet: &Packet<'_>,
        make: impl FnOnce(&FlowCore) -> S,
    ) -> Result<Found, NoFlow> {
        let before = self.before.take().filter(|(of, _)| *of == index);
        if let Some(flow) = self.flow_mut(index) {
            if let Some((_, counted)) = before {
                flow.core.restore(counted);
            }
            flow.core.flags.insert(FlowFlags::REUSED);
            self.counters.tcp_reuse += 1;
            self.end(index.slot, EndReason::TcpReuse);
        }
        self.lookup(packet, make)
    }

    /// The flow at `index`, unless it ended.
    pub fn flow(&self, index: FlowIndex) -> Option<&Flow<S>> {
        self.slots.get(index.slot as usize).filter(|s| s.generation == index.generation)?.flow.as_ref()
    }

    /// The flow at `index`, unless it ended.
    pub fn flow_mut(&mut self, index: FlowIndex) -> Option<&mut Flow<S>> {
        self.slots.get_mut(index.slot as usize).filter(|s| s.generation == index.generation)?.flow.as_mut()
    }

    /// Returns the flow of an id. All are looked at.
    pub fn by_id(&self, id: FlowId) -> Option<&Flow<S>> {
        let slots = (0..self.slots.len()).filter_map(|slot| self.slots.get(slot)?.flow.as_ref());
        slots.into_iter().find(|flow| flow.core.id == id)
    }

    /// Changes the bound of the table's memory. Flows that are beyond it stay, and no further ones come.
    pub fn set_memcap(&mut self, bytes: u64) {
        self.settings.memcap = bytes;
    }

    /// Changes a flow's state, and files it under its new deadline where that is nearer.
    pub fn set_state(&mut self, index: FlowIndex, state: FlowState) {
        let Some(flow) = self.flow_mut(index) else {
            return;
        };
        let before = flow.core.state();
        flow.core.set_state(state);
        if flow.core.state() != before {
            self.file(index.slot, true);
        }
    }

    /// Asks the processor for the memory of the flow of a packet that comes soon.
    #[inline]
    pub fn fetch(&self, key: &PacketKey) {
        // Nothing is looked at but the index, which is near.
        self.index.find(spread(key.hash), |&slot| {
            if let Some(slot) = self.slots.get(slot as usize) {
                prefetch(slot, FETCHED_LINES);
            }
            false
        });
    }

    /// The flow that was fetched a while ago, or one like it: what it refers to may be fetched as well.
    #[inline]
    pub fn fetched(&self, key: &PacketKey) -> Option<&Flow<S>> {
        let is = |&slot: &u32| self.slots.get(slot as usize).is_some_and(|slot| slot.hash == key.hash);
        self.flow_in(*self.index.find(spread(key.hash), is)?)
    }

    /// Hands out the flows whose time is over at `now`, in the order of their creation. A flow may be
    /// handed out a tick (about a second) after its deadline.
    pub fn expire(&mut self, now: Timestamp, ended: &mut dyn FnMut(Flow<S>)) {
        self.latest = self.latest.max(now);
        let end = Wheel::tick_of(self.latest);
        let mut due = std::mem::take(&mut self.due);
        let mut over: Vec<((u64, u32), u32)> = Vec::new();
        while self.wheel.take_before(end, &mut due) {
            for entry in due.drain(..) {
                self.examine(entry, &mut over);
            }
        }
        self.due = due;
        over.sort_unstable();
        for (_, slot) in over {
            self.counters.mgr_flows_evicted += 1;
            if let Some(flow) = self.take(slot, EndReason::Timeout) {
                ended(flow);
            }
        }
        self.leave_emergency();
    }

    /// Hands out the flows that ended while packets were looked up. To be called for each packet: they
    /// are out of the table, and no longer count against its memcap.
    #[inline]
    pub fn hand_out_ended(&mut self, ended: &mut dyn FnMut(Flow<S>)) {
        if !self.ended.is_empty() {
            self.ended.drain(..).for_each(ended);
        }
    }

    /// Hands out all flows in order of creation: the capture ended.
    pub fn drain(&mut self, ended: &mut dyn FnMut(Flow<S>)) {
        self.hand_out_ended(ended);
        let mut order: Vec<((u64, u32), u32)> = self
            .slots
            .iter()
            .zip(0u32..)
            .filter_map(|(slot, number)| slot.flow.as_ref().map(|f| (f.core.creation(), number)))
            .collect();
        order.sort_unstable();
        for (_, slot) in order {
            if let Some(flow) = self.take(slot, EndReason::Shutdown) {
                ended(flow);
            }
        }
    }

    /// Returns the number of flows.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no flow.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    #[cfg(test)]
    const fn emergency(&self) -> bool {
        self.emergency
    }

    /// Returns the counters.
    pub const fn counters(&self) -> &FlowCounters {
        &self.counters
    }

    /// Memory that sessions take elsewhere is short, or is so no more: while it is, each new flow ends a few others, as
    /// where the memcap is reached.
    pub const fn press(&mut self, short: bool) {
        self.pressed = short;
    }

    /// Whether memory of sessions is short.
    pub const fn is_pressed(&self) -> bool {
        self.pressed
    }

    /// Returns the key under which `packet` is looked up; none where it belongs to no flow.
    pub fn key(&self, packet: &Packet<'_>) -> Option<PacketKey> {
        let mut key = FlowKey::of(packet)?;
        if !self.settings.track_vlan {
            key.vlan = VlanTags::default();
        }
        if !self.settings.track_recursion {
            key.recursion = 0;
        }
        let quoted = match &packet.transport {
            // A tunnel of IP in IP is a flow of its own.
            Transport::None if matches!(key.protocol, ip_protocol::IPV4 | ip_protocol::IPV6) => None,
            Transport::None | Transport::Igmp(_) => return None,
            _ => packet.undelivered(),
        };
        let of_quoted = self.settings.icmp_errors == IcmpErrors::QuotedFlow;
        let mut may_create = !(of_quoted && packet.is_icmpv4_error());
        if let Some(quoted) = quoted.filter(|_| of_quoted) {
            key = FlowKey {
                source: quoted.destination,
                destination: quoted.source,
                source_port: quoted.destination_port,
                destination_port: quoted.source_port,
                protocol: quoted.protocol,
                ..key
            };
            may_create = false;
        }
        let hash = hash::of_key(&key, self.settings.hash_seed) as u32;
        Some(PacketKey { key, hash, may_create })
    }

    /// Returns the place of the flow of a key.
    pub fn place_of(&self, key: &PacketKey) -> Option<FlowIndex> {
        let slot = self.find(&key.key, key.hash)?;
        Some(FlowIndex { slot, generation: self.slots.get(slot as usize)?.generation })
    }

    fn find(&self, key: &FlowKey, hash: u32) -> Option<u32> {
        self.index
            .find(spread(hash), |&slot| self.flow_in(slot).is_some_and(|f| f.core.matches(key)))
            .copied()
    }

    fn flow_in(&self, slot: u32) -> Option<&Flow<S>> {
        self.slots.get(slot as usize)?.flow.as_ref()
    }

    /// Counts `packet` into the flow in `slot`.
    fn count_in(&mut self, slot: u32, key: &FlowKey, packet: &Packet<'_>, created: bool) -> Option<Found> {
        let place = self.slots.get_mut(slot as usize)?;
        let core = &mut place.flow.as_mut()?.core;
        let direction = core.direction(key);
        if !created && packet.tcp().is_some_and(|tcp| tcp.has(Tcp::SYN)) {
            self.before = Some((FlowIndex { slot, generation: place.generation }, core.counted()));
        }
        if core.update(packet, direction, &self.settings) {
            self.counters.elephant += 1;
        }
        let established = core.state() == FlowState::Established
            || (core.key.protocol != ip_protocol::TCP && core.both_seen());
        Some(Found {
            index: FlowIndex { slot, generation: place.generation },
            direction,
            created,
            established,
        })
    }

    fn create(
        &mut self,
        key: FlowKey,
        hash: u32,
        packet: &Packet<'_>,
        make: impl FnOnce(&FlowCore) -> S,
    ) -> Result<u32, NoFlow> {
        if self.pressed {
            self.enter_emergency();
            (0..PRESSED_OUT).for_each(|_| {
                self.make_room();
            });
        }
        if self.memory_short() {
            self.enter_emergency();
            if !self.make_room() {
                self.counters.memcap += 1;
                return Err(NoFlow::Memcap);
            }
        }
        self.created = self.created.wrapping_add(1);
        let core = FlowCore::new(key, packet, self.created);
        self.count_created(&packet.transport);
        let session = make(&core);
        let slot = self.place(Flow { core, session }, hash);
        let slots = &self.slots;
        let of_slot = |&slot: &u32| slots.get(slot as usize).map_or(0, |s| spread(s.hash));
        self.index.insert_unique(spread(hash), slot, of_slot);
        self.counters.active += 1;
        self.counters.memuse = self.memuse();
        self.file(slot, false);
        Ok(slot)
    }

    fn place(&mut self, flow: Flow<S>, hash: u32) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(number as usize)
        {
            slot.hash = hash;
            slot.flow = Some(flow);
            return number;
        }
        let number = self.slots.len() as u32;
        self.slots.push(Slot { generation: 0, hash, flow: Some(flow) });
        number
    }

    const fn count_created(&mut self, transport: &Transport<'_>) {
        self.counters.total += 1;
        match transport {
            Transport::Tcp(_) => self.counters.tcp += 1,
            Transport::Udp(_) => self.counters.udp += 1,
            Transport::Icmpv4(_) => self.counters.icmpv4 += 1,
            Transport::Icmpv6(_) => self.counters.icmpv6 += 1,
            _ => {}
        }
    }

    /// Files the flow in `slot` under its deadline; with `nearer`, only where that is before the
    /// tick it is filed under.
    fn file(&mut self, slot: u32, nearer: bool) {
        let Some(place) = self.slots.get_mut(slot as usize) else {
            return;
        };
        let Some(flow) = place.flow.as_mut() else {
            return;
        };
        let deadline = flow.core.deadline(&self.settings, self.emergency);
        if nearer && Wheel::ticks_past(deadline, flow.core.tick) >= 0 {
            return;
        }
        flow.core.tick = self.wheel.file(slot, place.generation, deadline, self.latest);
    }

    /// Looks at a flow whose tick has come: adds it to `over`, or files it anew.
    fn examine(&mut self, entry: Entry, over: &mut Vec<((u64, u32), u32)>) {
        let Some(core) = self.entry_core(entry) else {
            return;
        };
        let deadline = core.deadline(&self.settings, self.emergency);
        let order = core.creation();
        self.counters.mgr_flows_checked += 1;
        if Wheel::tick_of(deadline) < Wheel::tick_of(self.latest) {
            self.counters.mgr_flows_timeout += 1;
            over.push((order, entry.slot));
        } else {
            self.counters.mgr_flows_notimeout += 1;
            self.file(entry.slot, false);
        }
    }

    /// The flow that a timer entry stands for, unless the entry is void.
    fn entry_core(&self, entry: Entry) -> Option<&FlowCore> {
        let slot = self.slots.get(entry.slot as usize).filter(|s| s.generation == entry.generation)?;
        slot.flow.as_ref().map(|f| &f.core).filter(|core| core.tick == entry.tick)
    }

    /// Takes a flow out of the table.
    fn take(&mut self, slot: u32, reason: EndReason) -> Option<Flow<S>> {
        let place = self.slots.get_mut(slot as usize)?;
        let mut flow = place.flow.take()?;
        place.generation = place.generation.wrapping_add(1);
        if let Ok(found) = self.index.find_entry(spread(place.hash), |&s| s == slot) {
            found.remove();
        }
        self.free.push(slot);
        if self.emergency {
            flow.core.flags.insert(FlowFlags::EMERGENCY);
        }
        flow.core.end_reason = Some(reason);
        self.count_ended(&flow.core);
        Some(flow)
    }

    /// Takes a flow out of the table and keeps it for [`FlowTable::hand_out_ended`].
    fn end(&mut self, slot: u32, reason: EndReason) {
        if let Some(flow) = self.take(slot, reason) {
            self.ended.push(flow);
        }
    }

    fn count_ended(&mut self, core: &FlowCore) {
        self.counters.recycled += 1;
        self.counters.active = self.counters.active.saturating_sub(1);
        self.counters.memuse = self.memuse();
        match core.state() {
            FlowState::New => self.counters.end_state_new += 1,
            FlowState::Established => self.counters.end_state_established += 1,
            FlowState::Closed => self.counters.end_state_closed += 1,
            FlowState::Bypassed if core.flags.contains(FlowFlags::CAPTURE_BYPASS) => {
                self.counters.end_state_capture_bypassed += 1;
            }
            FlowState::Bypassed => self.counters.end_state_local_bypassed += 1,
        }
    }

    /// Bytes that one flow costs.
    const fn flow_bytes() -> u64 {
        size_of::<Slot<S>>() as u64 + FLOW_OVERHEAD
    }

    fn memuse(&self) -> u64 {
        (self.index.len() as u64).saturating_mul(Self::flow_bytes())
    }

    fn memory_short(&self) -> bool {
        self.settings.memcap > 0 && self.memuse().saturating_add(Self::flow_bytes()) > self.settings.memcap
    }

    /// Emergency mode: all flows get the shorter timeouts and are filed anew. That is a pass over
    /// the table, made once per emergency, and one ends only after a share of all flows has.
    fn enter_emergency(&mut self) {
        if self.emergency {
            return;
        }
        self.emergency = true;
        self.counters.emergency_entered += 1;
        for slot in 0..self.slots.len() as u32 {
            self.file(slot, true);
        }
    }

    fn leave_emergency(&mut self) {
        if !self.emergency || self.pressed {
            return;
        }
        let percent = 100u64.saturating_sub(u64::from(self.settings.emergency_recovery));
        let enough = self.settings.memcap / 100 * percent;
        if self.memuse() <= enough || self.settings.memcap == 0 {
            self.emergency = false;
            self.counters.emergency_over += 1;
        }
    }

    /// Ends the flow nearest to its deadline among [`MAX_PRUNE_TRIES`]; false where there is none.
    ///
    /// Entries are taken from the earliest tick on. One whose flow is due in that tick ends the
    /// search; one whose flow has since been busy is filed where it belongs.
    fn make_room(&mut self) -> bool {
        let mut nearest: Option<(Timestamp, (u64, u32), u32)> = None;
        let mut tries = 0;
        while tries < MAX_PRUNE_TRIES
            && let Some(entry) = self.wheel.pop_earliest()
        {
            let Some(core) = self.entry_core(entry) else {
                continue;
            };
            let candidate = (core.deadline(&self.settings, self.emergency), core.creation(), entry.slot);
            tries += 1;
            self.counters.get_used_eval += 1;
            if Wheel::ticks_past(candidate.0, entry.tick) <= 0 {
                nearest = Some(candidate);
                break;
            }
            self.counters.get_used_eval_reject += 1;
            self.file(entry.slot, false);
            nearest = Some(nearest.map_or(candidate, |n| n.min(candidate)));
        }
        let Some((_, _, slot)) = nearest else {
            self.counters.get_used_failed += 1;
            return false;
        };
        self.counters.get_used += 1;
        self.end(slot, EndReason::Forced);
        true
    }
}

#[cfg(test)]
mod tests;
