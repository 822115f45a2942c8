//! Bypassed flows whose packets the kernel drops from then on, and counts ([`Shunt`]).
//!
//! Once a second of the packets' clock the counts are taken over into flows and connections, so that these live while packets
//! go by; so they are when a flow ends, and when a segment of it comes that begins or ends something, which the kernel
//! lets through.

use std::net::IpAddr;

use weir_base::{Direction, Duration, PerDirection, Timestamp};
use weir_capture::{Counts, Refusal, Shunt, ShuntKey, ShuntPlace};
use weir_flow::{Flow, FlowFlags, FlowIndex, FlowState};
use weir_packet::{Origin, Packet, Tcp};
use weir_zeek::Unseen;

use super::{PacketContext, Rest, Worker};
use crate::session::Session;

/// Time after which packets from before a flow was handed over have left the ring: until then counts would overtake them.
const IN_THE_RING: Duration = Duration::from_secs(2);

/// Origins of packets in tunnels that the kernel's programs look into.
pub(super) const LOOKED_INTO: [Origin; 5] =
    [Origin::Gre, Origin::Ipv4Tunnel, Origin::Ipv6Tunnel, Origin::Vxlan, Origin::Geneve];

/// A worker's part in the table of flows that the kernel drops.
pub(crate) struct Shunting {
    shunt: Shunt,
    flows: Vec<FlowIndex>,
    /// Entries that were taken out since the last tick, and since the one before: they are given back at the next one.
    taken_out: Vec<ShuntPlace>,
    resting: Vec<ShuntPlace>,
}

/// State of a flow whose packets the kernel drops.
pub(crate) struct Shunted {
    since: Timestamp,
    is_ipv4: bool,
    sides: PerDirection<Side>,
}

/// One direction of it.
#[derive(Default)]
struct Side {
    /// Its entry, while there is one.
    place: Option<ShuntPlace>,
    /// Counts as they were taken over.
    counted: Counts,
}

impl Shunted {
    /// Packets and bytes that were dropped.
    pub(crate) fn totals(&self) -> PerDirection<(u64, u64)> {
        PerDirection::from_fn(|direction| {
            let counted = self.sides[direction].counted;
            (counted.packets, counted.bytes)
        })
    }
}

impl Worker {
    /// Has the kernel drop what follows of bypassed flows from now on.
    pub(crate) fn shunt_by(&mut self, shunt: Shunt) {
        let (flows, taken_out, resting) = (Vec::new(), Vec::new(), Vec::new());
        self.rest.shunting = Some(Box::new(Shunting { shunt, flows, taken_out, resting }));
    }

    /// A flow came to be bypassed with the packet at hand: the kernel is to drop what follows, if it can.
    #[cold]
    pub(super) fn hand_over(&mut self, index: FlowIndex, context: &PacketContext<'_>) {
        let (Some(flow), Some(shunting)) = (self.flows.flow_mut(index), &mut self.rest.shunting) else {
            return;
        };
        if flow.core.state() != FlowState::Bypassed || !is_looked_at(context.packet) {
            return;
        }
        let keys = [flow.core.key, flow.core.key.reversed()].map(|key| ShuntKey::of(&key));
        let [Some(there), Some(back)] = keys else { return };
        let is_ipv4 = there.is_ipv4();
        let counters = &mut self.rest.bypassed;
        let added = shunting.shunt.add(&there).and_then(|place| match shunting.shunt.add(&back) {
            Ok(other) => Ok((place, Some(other))),
            // A flow between one port and itself has one key.
            Err(Refusal::Known) if there == back => Ok((place, None)),
            Err(refusal) => {
                shunting.take_out(place);
                Err(refusal)
            }
        });
        let Ok((to_server, to_client)) = added else {
            *(if is_ipv4 { &mut counters.refused_ipv4 } else { &mut counters.refused_ipv6 }) += 1;
            return;
        };
        *(if is_ipv4 { &mut counters.shunted_ipv4 } else { &mut counters.shunted_ipv6 }) += 1;
        *(if is_ipv4 { &mut counters.open_ipv4 } else { &mut counters.open_ipv6 }) += 1;
        shunting.flows.push(index);
        let side = |place| Side { place, counted: Counts::default() };
        let sides = PerDirection { to_server: side(Some(to_server)), to_client: side(to_client) };
        *flow.session.shunted_mut() = Some(Box::new(Shunted { since: self.rest.stream.now, is_ipv4, sides }));
        flow.core.flags.insert(FlowFlags::CAPTURE_BYPASS);
    }

    /// Takes over the counts of all flows that the kernel drops.
    pub(super) fn count_unseen(&mut self, clock: Timestamp) {
        let Some(mut shunting) = self.rest.shunting.take() else { return };
        shunting.give_back();
        let mut flows = std::mem::take(&mut shunting.flows);
        flows.retain(|index| {
            let Some(flow) = self.flows.flow_mut(*index) else { return false };
            let is_due =
                flow.session.shunted().is_some_and(|shunted| shunted.since.plus(IN_THE_RING) <= clock);
            if is_due {
                self.rest.take_over(&shunting, flow, clock);
            }
            true
        });
        shunting.flows = flows;
        self.rest.shunting = Some(shunting);
    }

    /// Packets of a frame go by: as [`Worker::count_before`] for each.
    #[cold]
    pub(super) fn count_before_all(&mut self, packets: &[Packet<'_>]) {
        for packet in packets {
            if let Some(index) = self.flows.key(packet).and_then(|key| self.flows.place_of(&key)) {
                self.count_before(index, packet);
            }
        }
    }

    /// A packet of a flow goes by that the kernel may have dropped others of: where it ends something, these come first.
    #[cold]
    pub(super) fn count_before(&mut self, index: FlowIndex, packet: &Packet<'_>) {
        let settles = packet.tcp().is_some_and(|tcp| tcp.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST) != 0);
        let Some(flow) = self.flows.flow_mut(index).filter(|_| settles) else { return };
        if flow.core.flags.contains(FlowFlags::CAPTURE_BYPASS)
            && let Some(shunting) = self.rest.shunting.take()
        {
            self.rest.take_over(&shunting, flow, packet.time);
            self.rest.shunting = Some(shunting);
        }
    }
}

/// Whether the kernel's program knows packets like this one, and may drop them: none of those that carry others.
fn is_looked_at(packet: &Packet<'_>) -> bool {
    match packet.recursion {
        0 => packet.origin == Origin::Wire && !packet.skip_payload,
        1 => LOOKED_INTO.contains(&packet.origin) && !packet.skip_payload,
        _ => false,
    }
}

impl Rest {
    /// Takes over the counts of a flow.
    fn take_over(&mut self, shunting: &Shunting, flow: &mut Flow<Session>, time: Timestamp) {
        let Flow { core, session } = flow;
        let connection = session.connection;
        let Some(shunted) = session.shunted_mut() else { return };
        for direction in Direction::BOTH {
            let side = &mut shunted.sides[direction];
            let Some(place) = &side.place else { continue };
            let now = shunting.shunt.counts(place);
            let new = now.since(&side.counted);
            if new.packets == 0 {
                continue;
            }
            side.counted = now;
            core.add_unseen(direction, new.packets, new.bytes, time);
            self.bypassed.unseen_packets += new.packets;
            self.bypassed.unseen_bytes += new.bytes;
            self.tally.accounts.in_flows += new.packets;
            if let Some(connection) = connection {
                let source: (IpAddr, u16) = match direction {
                    Direction::ToServer => (core.key.source, core.key.source_port),
                    Direction::ToClient => (core.key.destination, core.key.destination_port),
                };
                let unseen = Unseen { packets: new.packets, ip_bytes: new.ip_bytes, payload: new.payload };
                self.recorder.unseen(connection, source, &unseen, time);
            }
        }
    }

    /// A flow ends that the kernel drops: it does so no more, and its last counts are taken over.
    #[cold]
    pub(super) fn end_shunted(&mut self, flow: &mut Flow<Session>, time: Timestamp) {
        let Some(mut shunting) = self.shunting.take() else { return };
        if let Some(shunted) = flow.session.shunted() {
            let places =
                Direction::BOTH.iter().filter_map(|direction| shunted.sides[*direction].place.as_ref());
            places.for_each(|place| shunting.shunt.take_out(place));
            let counters = &mut self.bypassed;
            *(if shunted.is_ipv4 { &mut counters.open_ipv4 } else { &mut counters.open_ipv6 }) -= 1;
            counters.closed += 1;
        }
        self.take_over(&shunting, flow, time);
        if let Some(shunted) = flow.session.shunted_mut() {
            let sides = Direction::BOTH.map(|direction| shunted.sides[direction].place.take());
            shunting.taken_out.extend(sides.into_iter().flatten());
        }
        self.shunting = Some(shunting);
    }
}

impl Shunting {
    fn take_out(&mut self, place: ShuntPlace) {
        self.shunt.take_out(&place);
        self.taken_out.push(place);
    }

    /// Gives back what was taken out before the last tick.
    fn give_back(&mut self) {
        self.resting.drain(..).for_each(|place| self.shunt.give_back(place));
        std::mem::swap(&mut self.resting, &mut self.taken_out);
    }
}
