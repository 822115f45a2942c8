//! Interfaces of Linux: packet sockets with a ring each (`AF_PACKET`, `TPACKET_V3`).
//!
//! Packets are lent from the ring, where the kernel put them; a block goes back to the kernel when all of its packets
//! were processed. Several threads on one interface have a socket each in a fanout group.
//!
//! Two interfaces between which packets are forwarded (`copy-mode`) are one source, a [`bridge::Bridge`].
//!
//! An interface that goes down is waited for. One that is deleted is, too, with a new ring when it is back.

mod block;
mod bridge;
mod card_clock;
mod device;
pub(crate) mod fanout;
mod messages;
pub mod opener;
mod plan;
pub(crate) mod program;
mod ring;
mod shunting;
pub(super) mod socket;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use weir_base::{CounterVisitor, Counters};
use weir_config::DecoderSettings;
use weir_config::af_packet::{AfPacketSettings, Times};
use weir_config::decoder::TunnelSettings;
use weir_config::flow::FlowSettings;

use crate::SourceError;
use crate::batch::Batch;
use crate::shunt::{Shunt, Tracking};
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::{
    Capability, LiveRequest, LiveSources, Open, OpenLive, SectionOption, SourceKind, Stance, Standing,
};

use block::Cursor;
use bridge::Bridge;
use card_clock::CardClock;
use device::{Device, Presence};
use fanout::TunnelPorts;
pub use plan::PairFault;
use plan::{Plan, Post};
use ring::{Ring, RingSettings};
use shunting::Shunting;

/// The section of the configuration.
const SECTION: &str = "af-packet";

/// Interfaces of Linux.
pub static KIND: SourceKind = SourceKind {
    name: "af-packet",
    option: Some('i'),
    value: "INTERFACE",
    help: "Interfaces to listen on",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "af-packet-section",
        help: "Listen on an interface, or on those of the section af-packet",
    }),
    run_mode: "AF_PACKET_DEV",
    against_loss: "More threads (-t) help where processors are free, a larger ring-size (section af-packet) against bursts.",
    open: Open::AtOnce(OpenLive { open, stance, goes_on_needing: Some(Standing::PacketSockets) }),
};

/// Shortest ring of a thread, in bytes.
const SHORTEST_RING: u64 = 16 << 20;

/// Longest ring of a thread, in bytes.
const LONGEST_RING: u64 = 1 << 30;

/// Part of a second that the rings of an interface hold at its full speed.
const PART_OF_A_SECOND: u64 = 10;

/// Speed of an interface that tells none, in Mbit/s.
const USUAL_SPEED: u64 = 10_000;

/// Bytes of a ring for each packet of `ring-size`.
const BYTES_PER_PACKET: u64 = 1600;

/// One thread's socket on an interface.
pub struct AfPacket {
    device: Device,
    ring_settings: RingSettings,
    ring: Option<Ring>,
    /// The way through the block at hand.
    cursor: Option<Cursor>,
    card_clock: CardClock,
    slots: Vec<PacketSlot>,
    earlier: u64,
    stats: SourceStats,
}

/// Opens all sockets, then lets packets into them.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let posts = plan::posts(request)?;
    for interface in posts.iter().flat_map(Post::interfaces) {
        AfPacketSettings::warn_of_unused(request.settings, interface);
    }
    let decoder = DecoderSettings::from_settings(request.settings)?;
    let tunnels = tunnel_ports(&decoder);
    let tracking = Tracking {
        tags: FlowSettings::from_settings(request.settings)?.vlan_tracking,
        tunnels: decoder.recursion_level_tracking,
    };
    let mut listening: Vec<AfPacket> = Vec::new();
    let mut bridges: Vec<Bridge> = Vec::new();
    for post in &posts {
        match post {
            Post::Beside(plan) => {
                let mut sources = open_interface(plan, &tunnels)?;
                if plan.settings.bypass {
                    shunt_at(&mut sources, &tunnels, tracking);
                }
                listening.extend(sources);
            }
            Post::Between(pair) => bridges.extend(bridge::open(pair, &tunnels)?),
        }
    }
    for source in &listening {
        if let Some(ring) = &source.ring {
            source.device.let_in(ring.socket())?;
        }
    }
    bridges.iter().try_for_each(Bridge::let_in)?;
    let listening = listening.into_iter().map(|source| Box::new(source) as Box<dyn Source>);
    Ok(listening.chain(bridges.into_iter().map(|bridge| Box::new(bridge) as Box<dyn Source>)).collect())
}

/// Returns where the interfaces are in the network.
fn stance(request: &LiveRequest<'_>) -> Result<Stance, SourceError> {
    let posts = plan::posts(request)?;
    Ok(if posts.iter().any(Post::holds_back) { Stance::Between } else { Stance::Beside })
}

/// The ports at which the decoder looks for tunnels.
fn tunnel_ports(decoder: &DecoderSettings) -> TunnelPorts {
    let ports = |tunnel: &TunnelSettings| {
        if tunnel.enabled { tunnel.ports.clone() } else { Vec::new() }
    };
    TunnelPorts { vxlan: ports(&decoder.vxlan), geneve: ports(&decoder.geneve) }
}

/// Opens the sockets of an interface, which take in nothing yet.
fn open_interface(plan: &Plan, tunnels: &TunnelPorts) -> Result<Vec<AfPacket>, SourceError> {
    let ring_settings = ring_settings(&plan.settings, plan.threads.into());
    let mut sources = Vec::new();
    let mut id = plan.settings.cluster_id;
    let mut remembering = None;
    for number in 0..plan.threads {
        let mut source = AfPacket::new(plan.device(), &ring_settings);
        let ring = source.open_ring()?;
        if plan.threads > 1 {
            if number == 0 {
                remembering = source.device.remembering_program(tunnels);
            }
            source.device.remembering.clone_from(&remembering);
            id = source.device.join(ring.socket(), id, tunnels)?;
        }
        source.ring = Some(ring);
        sources.push(source);
    }
    Ok(sources)
}

/// Has the kernel drop what follows of bypassed flows, where it can.
fn shunt_at(sources: &mut [AfPacket], tunnels: &TunnelPorts, tracking: Tracking) {
    let Some((source, index)) = sources.first_mut().and_then(|source| {
        let index = source.ring.as_ref()?.socket().bound().index;
        Some((source, index))
    }) else {
        return;
    };
    let (shunting, told) = Shunting::at(&source.device, index, tunnels, tracking);
    told.into_iter().for_each(|sentence| source.device.link.tell(sentence));
    let shunting = shunting.map(Arc::new);
    sources.iter_mut().for_each(|source| source.device.shunting.clone_from(&shunting));
}

/// The ring of each of so many threads.
fn ring_settings(settings: &AfPacketSettings, threads: u64) -> RingSettings {
    let speed = std::fs::read_to_string(format!("/sys/class/net/{}/speed", settings.interface));
    let speed = speed.ok().and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(USUAL_SPEED);
    let bytes = match settings.ring_size {
        Some(packets) => u64::from(packets) * BYTES_PER_PACKET,
        None => (speed * 1_000_000 / 8 / PART_OF_A_SECOND / threads.max(1)).max(SHORTEST_RING),
    };
    // A ring of one block could not be read while it is filled.
    let blocks = bytes.min(LONGEST_RING).div_ceil(settings.block_size.into()).max(2);
    RingSettings {
        block_size: settings.block_size,
        blocks: u32::try_from(blocks).unwrap_or(2),
        block_timeout: settings.block_timeout,
        locked: settings.locked,
        promiscuous: settings.promiscuous,
        times: settings.times,
    }
}

impl AfPacket {
    fn new(device: Device, ring: &RingSettings) -> Self {
        Self {
            device,
            ring_settings: ring.clone(),
            ring: None,
            cursor: None,
            card_clock: CardClock::default(),
            slots: Vec::new(),
            earlier: 0,
            stats: SourceStats::default(),
        }
    }

    /// Opens a ring.
    fn open_ring(&mut self) -> Result<Ring, SourceError> {
        if self.ring_settings.times == Times::Card {
            card_clock::have_told(&self.device.settings.interface);
        }
        let ring = Ring::open(&self.device.settings.interface, &self.ring_settings);
        let ring = ring.map_err(|fault| self.device.fault(fault))?;
        self.device.learn(ring.socket())?;
        Ok(ring)
    }

    /// Has a block at hand, waiting for one; false where none came.
    fn has_block(&mut self, wait: Duration) -> bool {
        let Some(ring) = &mut self.ring else {
            self.reopen(wait);
            return false;
        };
        if let Some(block) = ring.block() {
            self.cursor = Some(Cursor::new(block));
            return true;
        }
        self.device.counters.polls += 1;
        match ring.wait(wait) {
            Ok(true) => match ring.block() {
                Some(block) => {
                    self.cursor = Some(Cursor::new(block));
                    self.device.counters.poll_data += 1;
                    self.device.link.is_up();
                    return true;
                }
                None => self.look_after_link(),
            },
            Ok(false) => {
                self.device.counters.poll_timeout += 1;
                if self.device.link.is_down() {
                    self.look_after_link();
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.device.counters.poll_signal += 1,
            Err(_) => self.device.counters.poll_errors += 1,
        }
        false
    }

    /// The socket has an error, or had one: looks whether the interface is still there.
    fn look_after_link(&mut self) {
        let Some(ring) = &self.ring else { return };
        if self.device.look_after(ring.socket(), None) == Presence::Gone {
            (self.ring, self.cursor) = (None, None);
        }
    }

    /// The interface is gone: listens on it anew where it is back, or waits a while.
    fn reopen(&mut self, wait: Duration) {
        std::thread::sleep(wait);
        if !self.device.may_return() {
            return;
        }
        let opened = self.open_ring().and_then(|ring| {
            self.device.enter(ring.socket())?;
            Ok(ring)
        });
        match opened {
            Ok(ring) => {
                self.ring = Some(ring);
                self.device.link.returns();
            }
            Err(error) => self.device.link.stays_away(&error),
        }
    }
}

impl Source for AfPacket {
    fn name(&self) -> String {
        self.device.settings.interface.clone()
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        if self.cursor.take_if(|cursor| cursor.is_at_end()).is_some()
            && let Some(ring) = &mut self.ring
        {
            ring.release();
        }
        if self.cursor.is_none() && !self.has_block(wait) {
            return Ok(Batch::empty());
        }
        let Some((cursor, block)) = self.cursor.as_mut().zip(self.ring.as_mut().and_then(Ring::block)) else {
            return Ok(Batch::empty());
        };
        let device = &mut self.device;
        if device.settings.times == Times::Card {
            self.card_clock.look();
        }
        while self.slots.len() < max
            && let Some(mut slot) = cursor.packet(block, device.link_type, device.settings.checksums)
        {
            if cursor.has_card_time() {
                slot.time = self.card_clock.settle(slot.time);
            }
            let bytes = block.get(slot.start..slot.start + slot.length as usize).unwrap_or_default();
            if !device.takes(bytes) {
                self.stats.filtered += 1;
                continue;
            }
            self.stats.bytes += u64::from(slot.length);
            self.slots.push(slot);
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        Ok(Batch::new(block, &self.slots, first_number))
    }

    fn deals_by_hosts(&self) -> bool {
        self.device.deals_by_hosts()
    }

    fn shunt(&self) -> Option<Shunt> {
        self.device.shunting.as_ref().map(|shunting| shunting.shunt())
    }

    fn stats(&self) -> SourceStats {
        SourceStats { dropped: self.device.counters.drops, ..self.stats }
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        if let Some(ring) = &self.ring {
            self.device.take_counts(ring.socket());
        }
        self.device.counters.times_replaced = self.card_clock.replaced();
        self.device.counters.visit(visitor);
    }

    fn stop(&mut self) {
        if let Some(ring) = &self.ring {
            self.device.shut(ring.socket());
        }
    }

    fn news(&mut self) -> Vec<String> {
        let mut news = self.device.link.take_news();
        news.extend(self.card_clock.take_news(&self.device.settings.interface));
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_hold_a_part_of_a_second() {
        let settings = weir_config::Settings::from_text(b"", "t", &[] as &[&str]).expect("settings");
        let settings = AfPacketSettings::of(&settings, "no-such-interface").expect("defaults");
        for (ring_size, threads, bytes) in [
            (None, 1, 125_000_000),
            (None, 2, 62_500_000),
            (None, 64, SHORTEST_RING),
            (Some(1000), 1, 1_600_000),
            (Some(1), 1, 2 << 17),
            (Some(u32::MAX), 1, LONGEST_RING),
        ] {
            let ring = ring_settings(&AfPacketSettings { ring_size, ..settings.clone() }, threads);
            let found = u64::from(ring.blocks) * u64::from(ring.block_size);
            assert!((bytes..bytes + (1 << 17)).contains(&found), "{ring_size:?} {threads}: {found}");
        }
    }

    #[test]
    fn errors_say_what_helps() {
        let settings = weir_config::Settings::from_text(b"", "t", &[] as &[&str]).expect("settings");
        let open = |names: &[&str]| {
            let names: Vec<std::path::PathBuf> = names.iter().map(Into::into).collect();
            let request = LiveRequest { names: &names, settings: &settings, filter: None, threads: Some(1) };
            open(&request).err().expect("an error").to_string()
        };
        assert!(open(&[]).contains("-i, or in the section af-packet"));
        // Without the right to open sockets that is what is told.
        let said = open(&["no-such-if"]);
        assert!(said.contains("`ip link`") || said.contains("setcap"), "{said}");
    }

    #[test]
    fn tunnels_are_where_the_decoder_looks_for_them() {
        let overrides = ["decoder.vxlan.ports=8472", "decoder.geneve.enabled=no"];
        let settings = weir_config::Settings::from_text(b"", "t", &overrides).expect("settings");
        let decoder = DecoderSettings::from_settings(&settings).expect("valid");
        assert_eq!(tunnel_ports(&decoder), TunnelPorts { vxlan: vec![8472], geneve: Vec::new() });
    }
}
