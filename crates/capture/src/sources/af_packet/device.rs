//! An interface that is listened on: its settings, filter, state and counters, whatever takes its packets.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use weir_config::af_packet::{AfPacketSettings, ClusterType};
use weir_packet::LinkType;

use super::fanout::{self, TunnelPorts};
use super::program::{self, Instruction};
use super::shunting::Shunting;
use super::socket::{self, Fanout, Fault, PacketSocket};
use crate::SourceError;
use crate::filter::PacketFilter;
use crate::sources::link::Link;

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
        /// Packets that could not be sent.
        send_errors => "capture.afpacket.send_errors",
        /// Times of the card that were too far from the system's.
        times_replaced => "capture.afpacket.times_replaced",
    }
}

/// Whether an interface is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It is, up or down.
    Here,
    /// It was deleted.
    Gone,
}

/// An interface, as one thread listens on it.
pub struct Device {
    pub(super) settings: AfPacketSettings,
    /// The group of all sockets on the interface, where there are several.
    fanout: Option<Fanout>,
    filter: Option<PacketFilter>,
    /// The filter is not the kernel's: it asks for tags, which the kernel takes off.
    filters_itself: bool,
    pub(super) link_type: LinkType,
    /// The program that shares its packets out and has a memory, where the kernel took one.
    pub(super) remembering: Option<Arc<OwnedFd>>,
    /// Bypassed flows of it that the kernel drops, where it can.
    pub(super) shunting: Option<Arc<Shunting>>,
    /// Whether it is up, and the news of it.
    pub(super) link: Link,
    pub(super) counters: CaptureCounters,
}

impl Device {
    /// One of which no socket is open.
    pub fn new(settings: &AfPacketSettings, filter: Option<PacketFilter>) -> Self {
        let asks_tags = |filter: &PacketFilter| {
            filter.expression().split(|c: char| !c.is_alphanumeric()).any(|word| word == "vlan")
        };
        Self {
            settings: settings.clone(),
            fanout: None,
            filters_itself: filter.as_ref().is_some_and(asks_tags),
            filter,
            link_type: LinkType::ETHERNET,
            remembering: None,
            shunting: None,
            link: Link::of(&settings.interface),
            counters: CaptureCounters::default(),
        }
    }

    /// The error that a call of the system failed.
    pub fn fault(&self, fault: Fault) -> SourceError {
        let name = self.settings.interface.clone();
        let remedy = remedy(&name, &fault.reason).into();
        SourceError::Interface { name, attempt: fault.attempt, reason: fault.reason, remedy }
    }

    /// Learns the link type, and whether the filter suits it.
    pub fn learn(&mut self, socket: &PacketSocket) -> Result<(), SourceError> {
        let hardware = socket.bound().hardware;
        let name = || self.settings.interface.clone();
        self.link_type =
            link_type(hardware).ok_or_else(|| SourceError::Hardware { name: name(), hardware })?;
        if let Some(filter) = &mut self.filter {
            let wrong = |reason| SourceError::Filter { path: self.settings.interface.clone().into(), reason };
            filter.check(self.link_type).map_err(wrong)?;
        }
        Ok(())
    }

    /// Has a socket join the group of the interface; the answer is the group's number.
    pub fn join(
        &mut self,
        socket: &PacketSocket,
        id: Option<u16>,
        tunnels: &TunnelPorts,
    ) -> Result<Option<u16>, SourceError> {
        let mut fanout = group(&self.settings, id, self.link_type, tunnels);
        fanout.remembering.clone_from(&self.remembering);
        let joined = match socket.join(&fanout) {
            // Another program may have made the group with the other kind of program.
            Err(_) if fanout.remembering.take().is_some() => socket.join(&fanout),
            joined => joined,
        };
        fanout.id = Some(joined.map_err(|fault| self.fault(fault))?);
        let id = fanout.id;
        self.fanout = Some(fanout);
        Ok(id)
    }

    /// Returns the program that shares packets out and remembers tunnels that came in fragments, where the kernel takes one.
    pub fn remembering_program(&self, tunnels: &TunnelPorts) -> Option<Arc<OwnedFd>> {
        let length = link_length(self.link_type);
        let by_hosts = self.settings.cluster == ClusterType::Flow;
        by_hosts.then(|| fanout::load(length, tunnels).ok())?.map(Arc::new)
    }

    /// Whether the kernel shares packets out among several sockets by their hosts.
    pub fn deals_by_hosts(&self) -> bool {
        self.fanout.is_some() && self.settings.cluster == ClusterType::Flow
    }

    /// Lets packets into a socket.
    pub fn let_in(&self, socket: &PacketSocket) -> Result<(), SourceError> {
        let let_in = match &self.shunting {
            Some(shunting) => socket.let_in_by(shunting.program()),
            None => socket.let_in(&self.kernel_filter()),
        };
        let_in.map_err(|fault| self.fault(fault))
    }

    /// Has a new socket join the others, and lets packets into it.
    pub fn enter(&self, socket: &PacketSocket) -> Result<(), SourceError> {
        if let Some(fanout) = &self.fanout {
            socket.join(fanout).map_err(|fault| self.fault(fault))?;
        }
        self.let_in(socket)
    }

    /// Lets no more packets into a socket.
    pub fn shut(&mut self, socket: &PacketSocket) {
        if let Err(fault) = socket.let_in(&program::nothing()) {
            self.link.tell(self.fault(fault).to_string());
        }
    }

    /// The filter that the kernel runs.
    pub fn kernel_filter(&self) -> Vec<Instruction> {
        let mut filter = self.filter.clone().filter(|_| !self.filters_itself);
        let compiled = filter.as_mut().and_then(|filter| filter.program(self.link_type).ok());
        compiled.map_or_else(program::everything, program::of_filter)
    }

    /// Whether the filter takes a frame, where that is not up to the kernel.
    #[inline]
    pub fn takes(&mut self, frame: &[u8]) -> bool {
        match &mut self.filter {
            // It was compiled when the interface was opened.
            Some(filter) if self.filters_itself => {
                filter.matches_bytes(self.link_type, frame).unwrap_or(true)
            }
            _ => true,
        }
    }

    /// The socket has an error, or had one, perhaps this one: looks whether the interface is still there.
    pub fn look_after(&mut self, socket: &PacketSocket, error: Option<io::Error>) -> Presence {
        let error = error.or_else(|| socket.take_error());
        let is_there =
            socket::index_of(&self.settings.interface).is_ok_and(|index| index == socket.bound().index);
        self.counters.errors += u64::from(error.is_some());
        if !is_there {
            self.take_counts(socket);
            self.link.goes_away();
            return Presence::Gone;
        }
        if error.is_some() {
            self.link.goes_down();
        }
        Presence::Here
    }

    /// Whether an interface that was gone is there again.
    pub fn may_return(&self) -> bool {
        socket::index_of(&self.settings.interface).is_ok()
    }

    /// Adds what the kernel counted.
    pub fn take_counts(&mut self, socket: &PacketSocket) {
        let counts = socket.take_counts();
        self.counters.packets += counts.packets;
        self.counters.drops += counts.drops;
    }
}

/// The group of the sockets of an interface.
fn group(settings: &AfPacketSettings, id: Option<u16>, link: LinkType, tunnels: &TunnelPorts) -> Fanout {
    let defragment = if settings.defrag { socket::DEFRAGMENT } else { 0 };
    let (kind, program) = match settings.cluster {
        ClusterType::Flow => {
            let program = fanout::program(link_length(link), tunnels, fanout::Memory::Without);
            // Fragments of a datagram have the same addresses.
            (socket::BY_PROGRAM, Some(program))
        }
        ClusterType::Cpu => (socket::BY_CPU | defragment, None),
        ClusterType::Queue => (socket::BY_QUEUE | defragment, None),
        ClusterType::RoundRobin => (socket::IN_TURN | defragment, None),
        ClusterType::Random => (socket::AT_RANDOM | defragment, None),
    };
    Fanout { id, kind, program, remembering: None }
}

/// Bytes of the link header that comes before what the program sees, where this machine sends.
fn link_length(link: LinkType) -> u32 {
    if link == LinkType::ETHERNET { 14 } else { 0 }
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
fn remedy(interface: &str, reason: &io::Error) -> &'static str {
    match reason.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            " Start it as root, or with the capabilities: `setcap cap_net_raw,cap_net_admin+ep` on the program."
        }
        Some(libc::ENODEV | libc::ENXIO) if interface == "any" => " `--pcap=any` listens on all interfaces.",
        Some(libc::ENODEV | libc::ENXIO) => " `ip link` lists the interfaces.",
        Some(libc::ENOMEM) => " A smaller ring-size in the section af-packet takes less memory.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
