//! Connections as Zeek counts them: who is the originator, how much each side sent, how it began
//! and how it ended.
//!
//! Behaviour equals Zeek 8's `conn.log` with its default settings. Limits:
//! `memcap` of the settings for live connections ([`table::CONNECTION_BYTES`] each), [`MAX_SERVICES`] services of each.

pub(crate) mod count;
mod damaged;
mod ends;
pub(crate) mod expected;
mod gaps;
mod history;
pub(crate) mod identity;
mod key;
pub(crate) mod mobile;
mod observed;
pub(crate) mod ports;
pub(crate) mod recognition;
mod reuse;
mod segment;
mod sequence;
pub(crate) mod stats;
pub(crate) mod table;
mod tcp;
pub(crate) mod timeouts;
mod timers;
mod truncated;
pub(crate) mod tunnels;
mod unseen;
mod view;
pub(crate) mod watch;
mod wireless;

use std::net::IpAddr;

use smallvec::SmallVec;
use weir_applayer::Transport;
use weir_base::event::TunnelState;
use weir_base::{Duration, Timestamp};
use weir_packet::header::VlanTags;
use weir_packet::{Packet, Tcp};

use crate::connection::watch::Watched;
use crate::identifier::Id;
use history::{History, Repeated};
pub(crate) use key::Key;
pub(crate) use observed::TcpStates;
use ports::Ports;
use recognition::Known;
use recognition::Recognition;
pub(crate) use segment::{Acknowledged, MAX_WINDOW_SCALE};
use segment::{NextSegment, Segment};
use stats::EndStats;
pub(crate) use tcp::State as TcpState;
use tcp::{Closing, TcpConnection};
use timeouts::{Timeouts, after};
pub use unseen::Unseen;
pub(crate) use view::{NextDatagram, PacketView, Payload};

/// Most services of one connection.
const MAX_SERVICES: usize = 16;

/// A moment that does not come.
const NEVER: Timestamp = Timestamp(u64::MAX);

/// Transport of a connection.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "each packet looks at it: it is to lie beside the rest")]
enum Carrier {
    Tcp(TcpConnection),
    Udp,
    Icmp,
    Unknown,
}

/// Counts of one side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Side {
    pub(crate) packets: u64,
    pub(crate) ip_bytes: u64,
    /// Payload of datagrams.
    payload: u64,
}

/// VLANs and link-layer addresses of a connection's first packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link {
    pub(crate) vlan: VlanTags,
    /// The originator's address and the responder's.
    pub(crate) macs: Option<[[u8; 6]; 2]>,
    pub(crate) pppoe_session: Option<u16>,
}

/// State that few connections have.
#[derive(Debug, Default)]
struct Rare {
    /// Where the first packet came from, if that is asked for.
    link: Link,
    /// The tunnels it was met in, in the order of time; one more than changes are followed at most.
    parents: SmallVec<[Id; 1]>,
    /// The tunnels around the first packet, from the outermost on, where scripts are told.
    around: Vec<TunnelState>,
    /// The tunnel of the packet before, where it is not the first one, and how often it changed.
    current_parent: Option<Id>,
    tunnel_changes: u32,
    /// The ends that sent packets of the tunnel that it carries.
    tunnel_ends: [bool; 2],
    /// Name of the tunnel that it carries.
    tunnel: Option<&'static str>,
    /// Weirds logged already.
    told: Vec<&'static str>,
    /// Protocols and tunnels whose violation was logged.
    violated: Vec<&'static str>,
    /// Packets of the originator and of the responder with a wrong checksum.
    corrupt: [Repeated; 2],
    /// Flow labels of the last packets of the originator and of the responder, where scripts ask for them.
    flow_labels: [u32; 2],
    /// Statistics of both ends of TCP, where scripts ask for them.
    stats: Option<Box<[EndStats; 2]>>,
    /// Scripts were told that the originator has acknowledged.
    has_acknowledged: bool,
}

/// One connection. Each packet touches it when its memory is no longer near, so it is kept small and in
/// one piece.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) uid: Id,
    key: Key,
    /// The originator is the high end of the key.
    from_high: bool,
    /// The ends were exchanged, an odd number of times.
    pub(crate) flipped: bool,
    /// A logger follows its datagrams, or a flow of TCP is read for its rows.
    pub(crate) followed: bool,
    pub(crate) start: Timestamp,
    last: Timestamp,
    /// Time of the last packet, whether or not it still counts.
    touched: Timestamp,
    history: History,
    pub(crate) sides: [Side; 2],
    carrier: Carrier,
    pub(crate) services: SmallVec<[&'static str; 1]>,
    recognition: Recognition,
    /// Progress of the checks for odd payloads.
    pub(crate) watched: Watched,
    over: Timestamp,
    /// When the originator ended its side.
    end: Option<Timestamp>,
    rare: Option<Box<Rare>>,
}

impl Connection {
    /// The connection whose first packet is `packet`.
    pub(crate) fn new(packet: &PacketView, uid: Id, parent: Option<Id>, ports: &Ports) -> Self {
        let carrier = match packet.payload {
            Payload::Tcp { .. } | Payload::Headless(_) => Carrier::Tcp(TcpConnection::default()),
            Payload::Udp(_) => Carrier::Udp,
            Payload::Icmp(_) => Carrier::Icmp,
            Payload::Other => Carrier::Unknown,
        };
        let key = packet.key();
        let mut connection = Self {
            uid,
            key,
            from_high: key.end(false) != packet.source,
            flipped: false,
            followed: false,
            start: packet.time,
            last: packet.time,
            touched: packet.time,
            history: History::default(),
            sides: [Side::default(); 2],
            carrier,
            services: SmallVec::new(),
            recognition: Recognition::default(),
            watched: Watched::default(),
            over: NEVER,
            end: None,
            rare: parent.map(|parent| Box::new(Rare { parents: [parent].into(), ..Rare::default() })),
        };
        if connection.is_backwards(packet, ports) {
            connection.flip();
        }
        connection
    }

    /// The number of what carries it.
    pub(crate) const fn protocol(&self) -> u8 {
        self.key.protocol()
    }

    /// Returns the originator.
    pub(crate) fn originator(&self) -> (IpAddr, u16) {
        self.key.end(self.from_high)
    }

    /// The other end.
    pub(crate) fn responder(&self) -> (IpAddr, u16) {
        self.key.end(!self.from_high)
    }

    /// Keeps what the link says of the first packet.
    pub(crate) fn on_link(&mut self, packet: &Packet<'_>, has_scripts: bool) {
        let wired = packet.ethernet.map(|ethernet| [ethernet.source, ethernet.destination]);
        let ends = wired.or_else(|| wireless::addresses(packet).filter(|_| has_scripts));
        let macs = ends.map(|[source, destination]| match packet.source() {
            Some(address) if address == self.originator().0 => [source, destination],
            _ => [destination, source],
        });
        self.rare().link = Link { vlan: packet.vlan, macs, pppoe_session: packet.pppoe_session };
    }

    /// Returns the link of the first packet, if that was kept.
    pub(crate) fn link(&self) -> Option<&Link> {
        self.rare.as_ref().map(|rare| &rare.link)
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Whether one of its packets is the originator's.
    #[inline]
    pub(crate) fn is_originator(&self, packet: &PacketView) -> bool {
        packet.source == self.originator()
    }

    /// Whether a packet begins another connection between the same ends; within, the weird of that.
    pub(crate) fn reuse(&self, packet: &PacketView) -> Option<Option<&'static str>> {
        match (&self.carrier, packet.payload) {
            (Carrier::Tcp(tcp), Payload::Tcp { flags, seq, .. }) => {
                tcp.reuse(flags, seq, packet.time.since(self.last))
            }
            _ => None,
        }
    }

    /// Counts in a packet of the kind that nearly all are, if it is one; whether the originator sent it.
    #[inline]
    pub(crate) fn goes_on(&mut self, segment: &NextSegment, packet: &Packet<'_>) -> Option<bool> {
        let Carrier::Tcp(tcp) = &mut self.carrier else { return None };
        let (port, other) = (self.key.port(self.from_high), self.key.port(!self.from_high));
        let originator = segment.source_port == port
            && (port != other || packet.source() == Some(self.key.end(self.from_high).0));
        if !tcp.goes_on(segment, originator, &mut self.history) {
            return None;
        }
        let [sent, received] = &mut self.sides;
        let side = if originator { sent } else { received };
        side.packets += 1;
        side.ip_bytes += u64::from(segment.ip_length);
        self.touched = self.touched.max(segment.time);
        self.last = segment.time;
        Some(originator)
    }

    /// Counts in a datagram that is not the first one; whether the originator sent it.
    pub(crate) fn datagram(&mut self, datagram: &NextDatagram) -> Option<bool> {
        if !matches!(self.carrier, Carrier::Udp) || self.is_unanswered() {
            return None;
        }
        let originator = datagram.source == self.originator();
        let [sent, received] = &mut self.sides;
        let side = if originator { sent } else { received };
        side.packets += 1;
        side.ip_bytes += u64::from(datagram.ip_length);
        side.payload += u64::from(datagram.length);
        self.touched = self.touched.max(datagram.time);
        self.last = datagram.time;
        self.history.first(b'D', originator);
        Some(originator)
    }

    /// Counts a packet in; whether the connection may end sooner than it would have before.
    pub(crate) fn packet(
        &mut self,
        packet: &PacketView,
        timeouts: &Timeouts,
        ports: &Ports,
        weird: &mut dyn FnMut(&'static str),
    ) -> bool {
        let mut sooner = false;
        let mut unasked = false;
        if let Payload::Tcp { flags, .. } = packet.payload
            && flags & (Tcp::SYN | Tcp::ACK) == Tcp::SYN | Tcp::ACK
            && self.is_unanswered()
            && self.is_originator(packet)
        {
            weird("connection_originator_SYN_ack");
            unasked = true;
            let to_server = ports.likely(self.protocol(), packet.destination.1);
            if !to_server || ports.likely(self.protocol(), packet.source.1) {
                self.flip();
            }
        }
        let answers_nothing = packet.answer && self.is_unanswered() && self.is_originator(packet);
        let originator = self.is_originator(packet);
        self.touched = self.touched.max(packet.time);
        let [sent, received] = &mut self.sides;
        let side = if originator { sent } else { received };
        side.packets += 1;
        side.ip_bytes += u64::from(packet.ip_length);
        match (&mut self.carrier, packet.payload) {
            (Carrier::Tcp(tcp), Payload::Tcp { seq, ack, flags, window, scale, length, captured }) => {
                if tcp.counts_time() {
                    self.last = packet.time;
                }
                if originator && flags & Tcp::FIN != 0 {
                    self.end.get_or_insert(packet.time);
                }
                let segment =
                    Segment { originator, unasked, seq, ack, flags, window, scale, length, captured };
                sooner = flags & Tcp::SYN != 0;
                match tcp.follow(&segment, packet.time, &mut self.history, weird) {
                    Closing::Open => {}
                    Closing::Over => {
                        sooner = true;
                        let delay = if tcp.is_reset() { timeouts.reset } else { timeouts.close };
                        self.end_after(packet.time.plus(delay));
                    }
                }
            }
            (_, payload) => {
                self.last = packet.time;
                match payload {
                    Payload::Udp(length) => {
                        self.history.first(b'D', originator);
                        side.payload += u64::from(length);
                    }
                    Payload::Icmp(length) => side.payload += u64::from(length),
                    Payload::Other | Payload::Tcp { .. } | Payload::Headless(_) => {}
                }
            }
        }
        if answers_nothing {
            // A server that speaks from the port it serves: what it sent stays the originator's.
            self.flip();
        }
        sooner
    }

    /// Notes a packet with a wrong checksum; what it carries is not looked at. Messages of ICMP leave no letter.
    pub(crate) fn corrupt(&mut self, originator: bool) {
        if matches!(self.carrier, Carrier::Tcp(_) | Carrier::Udp) {
            let rare = self.rare.get_or_insert_default();
            let [sent, received] = &mut rare.corrupt;
            self.history.repeated(if originator { sent } else { received }, b'C', originator);
        }
    }

    fn is_unanswered(&self) -> bool {
        self.sides.iter().all(|side| side.packets == 0)
    }

    fn end_after(&mut self, moment: Timestamp) {
        self.over = self.over.min(moment);
    }

    /// When the connection is over unless another packet comes.
    pub(crate) fn deadline(&self, timeouts: &Timeouts) -> Timestamp {
        let silence = match self.carrier {
            Carrier::Tcp(_) => timeouts.tcp,
            Carrier::Udp => timeouts.udp,
            Carrier::Icmp => timeouts.icmp,
            Carrier::Unknown => timeouts.unknown,
        };
        let mut deadline = after(self.touched, silence);
        if matches!(self.carrier, Carrier::Udp) && view::is_dns(self.key.port(!self.from_high)) {
            deadline = deadline.min(timeouts.dns(self.start, self.touched));
        }
        deadline = deadline.min(self.over);
        if let Carrier::Tcp(tcp) = &self.carrier
            && tcp.is_attempt()
            && let Some(began) = tcp.attempt
        {
            deadline = deadline.min(after(began, timeouts.attempt));
        }
        deadline
    }

    /// Whether a weird was not logged before.
    pub(crate) fn is_new_weird(&mut self, name: &'static str) -> bool {
        // The names are few: the list cannot grow beyond them.
        let told = &mut self.rare().told;
        let new = !told.contains(&name);
        if new {
            told.push(name);
        }
        new
    }

    /// Whether the violation of a protocol or tunnel was not logged before.
    pub(crate) fn is_new_violation(&mut self, of: &'static str) -> bool {
        let violated = &mut self.rare().violated;
        let new = violated.len() < MAX_SERVICES && !violated.contains(&of);
        if new {
            violated.push(of);
        }
        new
    }

    /// Notes a service, once; whether it is new.
    pub(crate) fn service(&mut self, name: &'static str) -> bool {
        let is_new = self.services.len() < MAX_SERVICES && !self.services.contains(&name);
        if is_new {
            self.services.push(name);
        }
        is_new
    }

    /// Notes that what is read of it reached a limit.
    pub(crate) fn reached_limit(&mut self) {
        self.history.first(b'X', true);
    }

    /// Takes a service back.
    pub(crate) fn no_service(&mut self, name: &str) {
        self.services.retain(|service| *service != name);
    }

    /// Looks at a payload, of the originator or not, for a protocol that is only named.
    #[inline]
    pub(crate) fn recognise(&mut self, known: &Known, originator: bool, payload: &[u8]) {
        if payload.is_empty()
            || !(self.services.is_empty() || self.recognition.is_confirmed())
            || self.recognition.is_over(originator)
        {
            return;
        }
        self.look(known, originator, payload);
    }

    fn look(&mut self, known: &Known, originator: bool, payload: &[u8]) {
        let transport = match self.carrier {
            Carrier::Tcp(_) => Transport::Tcp,
            Carrier::Udp => Transport::Udp,
            Carrier::Icmp | Carrier::Unknown => return,
        };
        let services = self.recognition.payload(known, transport, self.responder().1, originator, payload);
        for service in services {
            self.service(service);
        }
    }

    /// When the originator ended its side.
    pub(crate) const fn originator_end(&self) -> Option<Timestamp> {
        self.end
    }

    /// `duration`, zero where all packets came at once.
    pub(crate) const fn duration(&self) -> Duration {
        self.last.since(self.start)
    }

    /// `orig_bytes` and `resp_bytes`
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let [sent, received] = &self.sides;
        match &self.carrier {
            Carrier::Tcp(tcp) => tcp.sizes(),
            _ => (sent.payload, received.payload),
        }
    }

    /// `missed_bytes`
    pub(crate) fn missed(&self) -> u64 {
        match &self.carrier {
            Carrier::Tcp(tcp) => tcp.missed,
            _ => 0,
        }
    }

    /// `history`
    pub(crate) fn history(&self) -> &[u8] {
        self.history.letters()
    }

    /// Whether it is one of TCP.
    pub(crate) const fn is_tcp(&self) -> bool {
        matches!(self.carrier, Carrier::Tcp(_))
    }

    /// Returns the transport's name, as `proto` has it.
    pub(crate) const fn transport(&self) -> &'static str {
        match self.carrier {
            Carrier::Tcp(_) => "tcp",
            Carrier::Udp => "udp",
            Carrier::Icmp => "icmp",
            Carrier::Unknown => "unknown_transport",
        }
    }

    /// Its place among TCP, UDP and ICMP.
    pub(crate) const fn carrier_index(&self) -> Option<usize> {
        match self.carrier {
            Carrier::Tcp(_) => Some(0),
            Carrier::Udp => Some(1),
            Carrier::Icmp => Some(2),
            Carrier::Unknown => None,
        }
    }

    /// Whether both ends of a TCP connection agreed to it, and neither has closed.
    pub(crate) fn is_established(&self) -> bool {
        matches!(&self.carrier, Carrier::Tcp(tcp) if tcp.is_established())
    }

    /// Returns the last packet's acknowledgement.
    pub(crate) fn acknowledged(&self) -> Acknowledged {
        match &self.carrier {
            Carrier::Tcp(tcp) => tcp.acknowledged,
            _ => Acknowledged::Nothing,
        }
    }

    /// Whether the beginning of a TCP connection was not seen.
    pub(crate) fn is_partial(&self) -> bool {
        let begins = |letter: &u8| matches!(letter.to_ascii_uppercase(), b'S' | b'H');
        matches!(self.carrier, Carrier::Tcp(_)) && !self.history().iter().any(begins)
    }

    /// `conn_state`
    pub(crate) fn state(&self) -> &'static str {
        let [sent, received] = &self.sides;
        match &self.carrier {
            Carrier::Tcp(tcp) => tcp.state_name(self.history.letters()),
            Carrier::Udp => match (sent.packets > 0, received.packets > 0) {
                (true, true) => "SF",
                (true, false) => "S0",
                (false, true) => "SHR",
                (false, false) => "OTH",
            },
            Carrier::Icmp | Carrier::Unknown => "OTH",
        }
    }
}

#[cfg(test)]
mod tests;
