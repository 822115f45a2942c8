//! Interfaces of Linux: packet sockets with a ring each (`AF_PACKET`, `TPACKET_V3`).
//!
//! Packets are lent from the ring, where the kernel put them; a block goes back to the kernel when all of its packets
//! were processed. Several threads on one interface have a socket each in a fanout group.
//!
//! An interface that goes down is waited for. One that is deleted is, too, with a new ring when it is back.

mod block;
mod fanout;
mod program;
mod ring;

use std::io;
use std::thread::available_parallelism;
use std::time::Duration;

use weir_base::{CounterVisitor, Counters};
use weir_config::DecoderSettings;
use weir_config::af_packet::{AfPacketSettings, ClusterType};
use weir_config::decoder::TunnelSettings;
use weir_packet::LinkType;

use crate::SourceError;
use crate::filter::PacketFilter;
use crate::source::{Batch, PacketSlot, Source, SourceStats};
use crate::sources::{Capability, LiveRequest, LiveSources, Open, SectionOption, SourceKind};

use block::Cursor;
use fanout::TunnelPorts;
use program::Instruction;
use ring::{Fanout, Fault, KernelCounts, Ring, RingSettings};

/// The section of the configuration.
const SECTION: &str = "af-packet";

/// Interfaces of Linux.
pub static KIND: SourceKind = SourceKind {
    name: "af-packet",
    option: 'i',
    value: "INTERFACE",
    help: "Interfaces to listen on",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "af-packet-section",
        help: "Listen on an interface, or on those of the section af-packet",
    }),
    open: Open::AtOnce(open),
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

/// Attempts to listen anew on an interface until the reason of their failure is told.
const PATIENCE: u32 = 50;

weir_base::counters! {
    /// Counters of one thread's capture.
    pub struct CaptureCounters {
        /// Packets for this thread, those that the kernel dropped included.
        packets => "capture.kernel_packets",
        /// Packets for which the ring had no room.
        drops => "capture.kernel_drops",
        /// Errors of the socket.
        errors => "capture.errors",
        /// Waits for a block.
        polls => "capture.afpacket.polls",
        /// Those that a signal ended.
        poll_signal => "capture.afpacket.poll_signal",
        /// Those that ended without a packet.
        poll_timeout => "capture.afpacket.poll_timeout",
        /// Those that a block ended.
        poll_data => "capture.afpacket.poll_data",
        /// Those that an error ended.
        poll_errors => "capture.afpacket.poll_errors",
        /// Looks at the ring while it waits for nothing: there are none.
        busy_loop_avg => "capture.afpacket.busy_loop_avg",
        /// Packets that could not be forwarded: none are.
        send_errors => "capture.afpacket.send_errors",
    }
}

/// State of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    Up,
    Down,
    /// It is not there, or cannot be listened on, after so many attempts.
    Gone(u32),
}

/// One thread's socket on an interface.
pub struct AfPacket {
    settings: AfPacketSettings,
    ring_settings: RingSettings,
    /// The group of all sockets on the interface, where there are several.
    fanout: Option<Fanout>,
    filter: Option<PacketFilter>,
    /// The filter is not the kernel's: it asks for tags, which the kernel takes off.
    filters_itself: bool,
    ring: Option<Ring>,
    link_type: LinkType,
    link: Link,
    /// The way through the block at hand.
    cursor: Option<Cursor>,
    slots: Vec<PacketSlot>,
    counters: CaptureCounters,
    earlier: u64,
    stats: SourceStats,
    news: Vec<String>,
}

/// Opens all sockets, then lets packets into them.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let mut names: Vec<String> =
        request.names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.is_empty() {
        names = AfPacketSettings::interfaces(request.settings);
    }
    if names.is_empty() {
        return Err(SourceError::NoInterface { section: SECTION });
    }
    let common = request.settings.text("bpf-filter").filter(|text| !text.trim().is_empty());
    let tunnels = tunnel_ports(&DecoderSettings::from_settings(request.settings)?);
    let mut sources: Vec<AfPacket> = Vec::new();
    for name in &names {
        let settings = AfPacketSettings::of(request.settings, name)?;
        let expression = common.or(settings.filter.as_deref());
        let filter = request.filter.cloned().or_else(|| expression.map(PacketFilter::new));
        let threads = request.threads.or(settings.threads).unwrap_or_else(|| usual_threads(&settings));
        sources.extend(open_interface(&settings, filter, threads, &tunnels)?);
    }
    sources.iter().try_for_each(AfPacket::let_in)?;
    Ok(sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect())
}

/// The ports at which the decoder looks for tunnels.
fn tunnel_ports(decoder: &DecoderSettings) -> TunnelPorts {
    let ports = |tunnel: &TunnelSettings| {
        if tunnel.enabled { tunnel.ports.clone() } else { Vec::new() }
    };
    TunnelPorts { vxlan: ports(&decoder.vxlan), geneve: ports(&decoder.geneve) }
}

/// Returns the number of threads where none is written: one for each core.
fn usual_threads(settings: &AfPacketSettings) -> u16 {
    let cores = available_parallelism().map_or(1, usize::from);
    let queues = queues(&settings.interface).filter(|_| settings.cluster == ClusterType::Queue);
    u16::try_from(queues.unwrap_or(cores)).unwrap_or(u16::MAX).clamp(1, 256)
}

/// Returns the number of receive queues, where the system tells.
fn queues(interface: &str) -> Option<usize> {
    let entries = std::fs::read_dir(format!("/sys/class/net/{interface}/queues")).ok()?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let queues = names.filter(|name| name.to_string_lossy().starts_with("rx-")).count();
    (queues > 0).then_some(queues)
}

/// Opens the sockets of an interface, which take in nothing yet.
fn open_interface(
    settings: &AfPacketSettings,
    filter: Option<PacketFilter>,
    threads: u16,
    tunnels: &TunnelPorts,
) -> Result<Vec<AfPacket>, SourceError> {
    let ring_settings = ring_settings(settings, threads.into());
    let mut sources = Vec::new();
    let mut id = settings.cluster_id;
    for _ in 0..threads {
        let mut source = AfPacket::new(settings, &ring_settings, filter.clone());
        let ring = source.open_ring()?;
        if threads > 1 {
            let mut fanout = fanout(settings, id, source.link_type, tunnels);
            id = Some(ring.join(&fanout).map_err(|fault| source.fault(fault))?);
            fanout.id = id;
            source.fanout = Some(fanout);
        }
        source.ring = Some(ring);
        sources.push(source);
    }
    Ok(sources)
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
    }
}

fn fanout(settings: &AfPacketSettings, id: Option<u16>, link: LinkType, tunnels: &TunnelPorts) -> Fanout {
    let defragment = if settings.defrag { ring::DEFRAGMENT } else { 0 };
    let (kind, program) = match settings.cluster {
        ClusterType::Flow => {
            let length = if link == LinkType::ETHERNET { 14 } else { 0 };
            // Fragments of a datagram have the same addresses.
            (ring::BY_PROGRAM, Some(fanout::program(length, tunnels)))
        }
        ClusterType::Cpu => (ring::BY_CPU | defragment, None),
        ClusterType::Queue => (ring::BY_QUEUE | defragment, None),
        ClusterType::RoundRobin => (ring::IN_TURN | defragment, None),
        ClusterType::Random => (ring::AT_RANDOM | defragment, None),
    };
    Fanout { id, kind, program }
}

/// Hardware type of interfaces that carry bare IP (`ARPHRD_RAWIP`).
const RAW_IP: u16 = 519;

/// Returns the link type of packets, by the hardware type of an interface (`ARPHRD_*`).
const fn link_type(hardware: u16) -> Option<LinkType> {
    match hardware {
        libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => Some(LinkType::ETHERNET),
        libc::ARPHRD_NONE | RAW_IP | libc::ARPHRD_TUNNEL | libc::ARPHRD_TUNNEL6 | libc::ARPHRD_SIT => {
            Some(LinkType::RAW)
        }
        libc::ARPHRD_IEEE80211 => Some(LinkType::IEEE802_11),
        libc::ARPHRD_IEEE80211_RADIOTAP => Some(LinkType::IEEE802_11_RADIOTAP),
        _ => None,
    }
}

/// Remedy for an error of the system, as a sentence behind a space.
fn remedy(reason: &io::Error) -> &'static str {
    match reason.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            " Start it as root, or with the capabilities: `setcap cap_net_raw,cap_net_admin+ep` on the program."
        }
        Some(libc::ENODEV | libc::ENXIO) => " `ip link` lists the interfaces.",
        Some(libc::ENOMEM) => " A smaller ring-size in the section af-packet takes less memory.",
        _ => "",
    }
}

impl AfPacket {
    fn new(settings: &AfPacketSettings, ring: &RingSettings, filter: Option<PacketFilter>) -> Self {
        let asks_tags = |filter: &PacketFilter| {
            filter.expression().split(|c: char| !c.is_alphanumeric()).any(|word| word == "vlan")
        };
        Self {
            settings: settings.clone(),
            ring_settings: ring.clone(),
            fanout: None,
            filters_itself: filter.as_ref().is_some_and(asks_tags),
            filter,
            ring: None,
            link_type: LinkType::ETHERNET,
            link: Link::Up,
            cursor: None,
            slots: Vec::new(),
            counters: CaptureCounters::default(),
            earlier: 0,
            stats: SourceStats::default(),
            news: Vec::new(),
        }
    }

    fn fault(&self, fault: Fault) -> SourceError {
        let remedy = remedy(&fault.reason);
        let name = self.settings.interface.clone();
        SourceError::Interface { name, attempt: fault.attempt, reason: fault.reason, remedy }
    }

    /// Opens a ring and learns the link type.
    fn open_ring(&mut self) -> Result<Ring, SourceError> {
        let ring = Ring::open(&self.settings.interface, &self.ring_settings);
        let ring = ring.map_err(|fault| self.fault(fault))?;
        let hardware = ring.bound().hardware;
        let name = || self.settings.interface.clone();
        self.link_type =
            link_type(hardware).ok_or_else(|| SourceError::Hardware { name: name(), hardware })?;
        if let Some(filter) = &mut self.filter {
            let wrong = |reason| SourceError::Filter { path: self.settings.interface.clone().into(), reason };
            filter.check(self.link_type).map_err(wrong)?;
        }
        Ok(ring)
    }

    /// Lets packets in.
    fn let_in(&self) -> Result<(), SourceError> {
        let Some(ring) = &self.ring else { return Ok(()) };
        ring.let_in(&self.kernel_filter()).map_err(|fault| self.fault(fault))
    }

    fn kernel_filter(&self) -> Vec<Instruction> {
        let mut filter = self.filter.clone().filter(|_| !self.filters_itself);
        let compiled = filter.as_mut().and_then(|filter| filter.program(self.link_type).ok());
        compiled.map_or_else(program::everything, program::of_filter)
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
        self.counters.polls += 1;
        match ring.wait(wait) {
            Ok(true) => match ring.block() {
                Some(block) => {
                    self.cursor = Some(Cursor::new(block));
                    self.counters.poll_data += 1;
                    if self.link == Link::Down {
                        self.link = Link::Up;
                        self.tell("is up again");
                    }
                    return true;
                }
                None => self.look_after_link(),
            },
            Ok(false) => {
                self.counters.poll_timeout += 1;
                if self.link == Link::Down {
                    self.look_after_link();
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.counters.poll_signal += 1,
            Err(_) => self.counters.poll_errors += 1,
        }
        false
    }

    /// The socket has an error, or had one: looks whether the interface is still there.
    fn look_after_link(&mut self) {
        let Some(ring) = &self.ring else { return };
        let error = ring.take_error();
        let is_there =
            ring::index_of(&self.settings.interface).is_ok_and(|index| index == ring.bound().index);
        self.counters.errors += u64::from(error.is_some());
        if !is_there {
            self.take_counts();
            (self.ring, self.cursor, self.link) = (None, None, Link::Gone(0));
            self.tell("is gone: it is waited for");
        } else if error.is_some() && self.link == Link::Up {
            self.link = Link::Down;
            self.tell("went down: it is waited for");
        }
    }

    /// The interface is gone: listens on it anew where it is back, or waits a while.
    fn reopen(&mut self, wait: Duration) {
        std::thread::sleep(wait);
        if ring::index_of(&self.settings.interface).is_err() {
            return;
        }
        let opened = self.open_ring().and_then(|ring| {
            if let Some(fanout) = &self.fanout {
                ring.join(fanout).map_err(|fault| self.fault(fault))?;
            }
            ring.let_in(&self.kernel_filter()).map_err(|fault| self.fault(fault))?;
            Ok(ring)
        });
        match (opened, self.link) {
            (Ok(ring), _) => {
                (self.ring, self.link) = (Some(ring), Link::Up);
                self.tell("is back");
            }
            // Others may still hold what is left of their group.
            (Err(error), Link::Gone(attempts)) => {
                if attempts == PATIENCE {
                    self.news.push(error.to_string());
                }
                self.link = Link::Gone(attempts.saturating_add(1));
            }
            (Err(_), _) => {}
        }
    }

    fn tell(&mut self, what: &str) {
        self.news.push(format!("The interface {} {what}.", self.settings.interface));
    }

    fn take_counts(&mut self) {
        let counts = self.ring.as_ref().map_or(KernelCounts::default(), Ring::take_counts);
        self.counters.packets += counts.packets;
        self.counters.drops += counts.drops;
        self.stats.dropped += counts.drops;
    }
}

impl Source for AfPacket {
    fn name(&self) -> String {
        self.settings.interface.clone()
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
        while self.slots.len() < max
            && let Some(slot) = cursor.packet(block, self.link_type, self.settings.checksums)
        {
            if let Some(filter) = self.filter.as_mut().filter(|_| self.filters_itself) {
                let bytes = block.get(slot.start..slot.start + slot.length as usize).unwrap_or_default();
                // It was compiled when the interface was opened.
                if !filter.matches_bytes(slot.link, bytes).unwrap_or(true) {
                    self.stats.filtered += 1;
                    continue;
                }
            }
            self.stats.bytes += u64::from(slot.length);
            self.slots.push(slot);
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        Ok(Batch::new(block, &self.slots, first_number))
    }

    fn stats(&self) -> SourceStats {
        self.stats
    }

    fn count(&mut self, visitor: &mut dyn CounterVisitor) {
        self.take_counts();
        self.counters.visit(visitor);
    }

    fn stop(&mut self) {
        if let Some(Err(error)) = self.ring.as_ref().map(|ring| ring.let_in(&program::nothing())) {
            let error = self.fault(error);
            self.news.push(error.to_string());
        }
    }

    fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
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

    #[test]
    fn what_is_read_of_an_interface() {
        for (hardware, expected) in [
            (1, Some(LinkType::ETHERNET)),
            (772, Some(LinkType::ETHERNET)),
            (0xfffe, Some(LinkType::RAW)),
            (32, None),
        ] {
            assert_eq!(link_type(hardware), expected, "{hardware}");
        }
    }
}
