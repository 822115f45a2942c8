//! Workers that a packet of the capture concerns.
//!
//! All packets between two addresses go to one worker, whichever way they travel and whatever carries
//! them: every flow is then whole there, and so are the fragments of its datagrams and the flows that
//! other flows between the two announce. A frame that carries packets concerns the workers of all of
//! them, a datagram in fragments that carries packets those of these as soon as it is whole, and an ICMP
//! error the worker of the packet that it quotes as well.
//!
//! For nearly all packets a few bytes show that they carry nothing. Only what may carry or quote packets
//! is decoded here, and only fragments of such are put together.

use std::net::IpAddr;

use weir_base::{Reader, Timestamp};

use super::layers::ether_type;
use super::settings::may_be_teredo;
use super::{Decoder, DecoderSettings, PacketList};
use crate::defrag::{DefragSettings, Defragmenter, MAX_REASSEMBLY_DEPTH};
use crate::header::{MAX_VLANS, VlanTags};
use crate::ip_protocol;
use crate::packet::{Packet, UNREACHABLE};
use crate::raw::{LinkType, RawPacket};

const IPV6_LENGTH: usize = 40;
const UDP_LENGTH: usize = 8;

/// Hosts that a packet concerns, as hashes of pairs of addresses; zero where there is no IP header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dispatch {
    /// The two ends of the packet.
    pub ends: u64,
    /// The two ends of the packet that an ICMP error quotes.
    pub quoted: Option<u64>,
}

impl Dispatch {
    /// Returns the hash of the flow that the packet belongs to.
    pub fn flow(&self) -> u64 {
        self.quoted.unwrap_or(self.ends)
    }
}

/// The share of `hash` among so many workers, of which there is at least one.
pub const fn share(hash: u64, workers: usize) -> usize {
    // As the kernel shares out what a packet filter answers.
    (hash % workers as u64) as usize
}

/// Finds the dispatches of all packets of a frame, in the order of the list. A packet without addresses goes with the
/// packet around it; one that was cut off within IP has addresses.
pub fn dispatch_all(packets: &[Packet<'_>], dispatches: &mut Vec<Dispatch>) {
    dispatches.clear();
    let mut around = Dispatch::default();
    for packet in packets.iter().rev() {
        let own = of_packet(packet);
        around = Dispatch { ends: own.map_or(around.ends, |own| own.ends), quoted: None };
        dispatches.push(own.unwrap_or(around));
    }
    dispatches.reverse();
}

/// Returns the hash by which a frame is dealt out that goes to one worker with all that it carries: that of the flow of
/// its innermost packet with addresses. `inner` are the packets inside of `outer`, the innermost first. None where there
/// is no IP header.
pub fn of_innermost(inner: &[Packet<'_>], outer: &Packet<'_>) -> Option<u64> {
    let own = inner.first().and_then(of_packet).map(|own| own.flow());
    own.or_else(|| {
        inner.iter().chain([outer]).find_map(of_packet).map(|around| match inner.is_empty() {
            true => around.flow(),
            false => around.ends,
        })
    })
}

/// Readers of a packet of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Rules and all outputs.
    All,
    /// Zeek's logs alone, for which more tunnels are looked into.
    ZeekAlone,
}

/// A datagram that fragments made whole.
#[derive(Debug)]
pub struct Whole {
    /// Its bytes, from the IP header on.
    pub bytes: Vec<u8>,
    /// Readers.
    pub reading: Reading,
    /// The fragment that completed it.
    pub fragment: FragmentFacts,
    /// Hash of that fragment's flow, whose worker puts the datagram together as well.
    pub of_fragment: u64,
    /// Dispatches of the datagram and of the packets inside it.
    pub packets: Vec<Dispatch>,
}

/// Facts that a reassembled datagram has from the fragment that completed it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentFacts {
    /// Number in the capture.
    pub number: u64,
    /// When it was captured.
    pub time: Timestamp,
    /// Number of the source's interface.
    pub interface: u32,
    /// 802.1Q tags.
    pub vlan: VlanTags,
    /// Number of tunnels around it.
    pub recursion: u8,
    /// Number of headers read to get there.
    pub decoded_layers: u8,
    /// Bytes of the headers in front of its IP header.
    pub below: u32,
}

impl FragmentFacts {
    /// Returns those of a fragment.
    pub fn of(packet: &Packet<'_>) -> Self {
        Self {
            number: packet.number,
            time: packet.time,
            interface: packet.interface,
            vlan: packet.vlan,
            recursion: packet.recursion,
            decoded_layers: packet.decoded_layers,
            below: packet.below_ip(),
        }
    }

    /// A packet with these facts, around the bytes of the whole, to decode it after
    /// ([`Decoder::decode_ip`]).
    pub fn template<'a>(&self, bytes: &'a [u8]) -> Packet<'a> {
        let raw = RawPacket {
            number: self.number,
            time: self.time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: self.interface,
            bytes,
        };
        let mut packet = Packet::empty(&raw);
        packet.vlan = self.vlan;
        packet.recursion = self.recursion;
        packet.decoded_layers = self.decoded_layers;
        packet.below = self.below;
        packet
    }
}

/// Tells whom packets concern.
#[derive(Debug)]
pub struct Dispatcher {
    carriers: Carriers,
    decoder: Decoder,
    defrag: Defragmenter,
    /// Decoder and defragmenter for packets read for Zeek's logs alone, where those are written.
    aside: Option<Box<(Decoder, Defragmenter)>>,
    room: Option<PacketList<'static>>,
    /// The outermost packet last, behind those that Zeek's logs alone read.
    packets: Vec<Dispatch>,
    wholes: Vec<Whole>,
}

impl Dispatcher {
    /// One that understands what a decoder and a defragmenter with these settings do.
    pub fn new(settings: DecoderSettings, defrag: DefragSettings) -> Self {
        let wider = settings.notes_more.then(|| settings.widened());
        Self {
            carriers: Carriers::of(wider.as_ref().unwrap_or(&settings)),
            aside: wider.map(|wider| Box::new((Decoder::new(wider), Defragmenter::new(defrag.clone())))),
            decoder: Decoder::new(settings),
            defrag: Defragmenter::new(defrag),
            room: None,
            packets: Vec::new(),
            wholes: Vec::new(),
        }
    }

    /// Returns the hosts a packet concerns. None where it is a fragment or carries packets: see
    /// [`Dispatcher::packets`] and [`Dispatcher::wholes`].
    #[inline]
    pub fn dispatch(&mut self, packet: &RawPacket<'_>) -> Option<Dispatch> {
        match plain(packet.link, packet.bytes, &self.carriers) {
            Some(Plain { ends, carries: false }) => Some(Dispatch { ends, quoted: None }),
            plain => self.decoded(packet, plain.map_or(0, |plain| plain.ends)),
        }
    }

    /// The capture's clock enters another second: gives up fragments whose time is over.
    pub fn tick(&mut self, clock: Timestamp) {
        self.defrag.expire(clock);
        if let Some(aside) = &mut self.aside {
            aside.1.expire(clock);
        }
    }

    /// Returns the dispatches of the last frame's packets, the outermost last.
    pub fn packets(&self) -> &[Dispatch] {
        &self.packets
    }

    /// Takes the datagrams that the last frame made whole, in the order in which they are to be
    /// processed, before the frame.
    pub fn wholes(&mut self) -> std::vec::Drain<'_, Whole> {
        self.wholes.drain(..)
    }

    fn decoded(&mut self, raw: &RawPacket<'_>, ends: u64) -> Option<Dispatch> {
        let mut list: PacketList<'_> = self.room.take().unwrap_or_default().recycle();
        let mut wider = PacketList::default();
        self.decoder.decode(raw, &mut list);
        if self.decoder.may_hold_more()
            && let Some(aside) = &mut self.aside
        {
            aside.0.decode(raw, &mut wider);
        }
        let is_read_once = wider.iter().all(|packet| list.iter().any(|other| other.is_same(packet)));
        let dispatch = match list.as_slice() {
            [only] if !only.is_fragment() && is_read_once => {
                // Damage may hide the addresses from the decoder.
                Some(of_packet(only).unwrap_or(Dispatch { ends, quoted: None }))
            }
            _ => None,
        };
        if dispatch.is_none() {
            self.wholes.clear();
            self.packets = self.put_together(list.as_mut_slice(), wider.as_mut_slice());
        }
        self.room = Some(list.recycle());
        dispatch
    }

    /// Keeps fragments; what becomes whole is noted, innermost first. Answers whom the packets concern: `list`, and
    /// `wider`, in which Zeek's logs read more.
    fn put_together(&mut self, list: &mut [Packet<'_>], wider: &mut [Packet<'_>]) -> Vec<Dispatch> {
        let (mut packets, mut all) = (Vec::new(), Vec::new());
        dispatch_all(wider, &mut all);
        for (packet, dispatch) in wider.iter_mut().zip(&all) {
            if !list.iter().any(|other| other.is_same(packet)) {
                self.keep(packet, *dispatch, Reading::ZeekAlone);
            }
        }
        dispatch_all(list, &mut packets);
        for (packet, dispatch) in list.iter_mut().zip(&packets) {
            self.keep(packet, *dispatch, Reading::All);
        }
        all.extend(packets);
        all
    }

    /// Keeps a packet if it is a fragment.
    fn keep(&mut self, packet: &mut Packet<'_>, dispatch: Dispatch, reading: Reading) {
        let (decoder, defrag) = match (&mut self.aside, reading) {
            (Some(aside), Reading::ZeekAlone) => (&mut aside.0, &mut aside.1),
            _ => (&mut self.decoder, &mut self.defrag),
        };
        let Some(whole) = defrag.push(packet, decoder.event_counters()) else { return };
        if packet.recursion >= MAX_REASSEMBLY_DEPTH {
            return;
        }
        let (mut list, mut wider) = (PacketList::new(), PacketList::default());
        decoder.decode_ip(&whole.bytes, packet, &mut list);
        let may_hold_more = reading == Reading::All && decoder.may_hold_more();
        if let Some(aside) = self.aside.as_mut().filter(|_| may_hold_more) {
            aside.0.decode_ip(&whole.bytes, packet, &mut wider);
        }
        let packets = match reading {
            Reading::All => self.put_together(list.as_mut_slice(), wider.as_mut_slice()),
            Reading::ZeekAlone => self.put_together(&mut [], list.as_mut_slice()),
        };
        let fragment = FragmentFacts::of(packet);
        let of_fragment = dispatch.flow();
        self.wholes.push(Whole { bytes: whole.bytes, reading, fragment, of_fragment, packets });
    }
}

fn of_packet(packet: &Packet<'_>) -> Option<Dispatch> {
    let quoted = packet.undelivered();
    let ends = match (packet.source(), packet.destination()) {
        (Some(source), Some(destination)) => pair(source, destination),
        // Where less was captured than the header says, the decoder does not tell what it says.
        _ => ends(packet.cut_off()?)?,
    };
    Some(Dispatch { ends, quoted: quoted.map(|quoted| pair(quoted.source, quoted.destination)) })
}

/// The two ends that an IP header names.
fn ends(header: &[u8]) -> Option<u64> {
    match header.first()? >> 4 {
        4 => ends_v4(header),
        6 => ends_v6(header),
        _ => None,
    }
}

/// Where tunnels over UDP are looked for.
struct Carriers {
    /// A bit for each port at which there may be one, at either end.
    ports: Box<[u64; 1024]>,
    /// Teredo may be at any port.
    teredo_anywhere: bool,
}

impl std::fmt::Debug for Carriers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Carriers").field("teredo_anywhere", &self.teredo_anywhere).finish_non_exhaustive()
    }
}

impl Carriers {
    fn of(settings: &DecoderSettings) -> Self {
        let teredo: &[u16] = if settings.teredo_enabled { &settings.teredo_ports } else { &[] };
        let all = [
            teredo,
            &settings.vxlan_ports,
            &settings.vxlan_gpe_ports,
            &settings.geneve_ports,
            &settings.gtp_ports,
            &settings.ayiya_ports,
            &settings.l2tp_ports,
        ];
        let mut ports = Box::new([0u64; 1024]);
        for port in all.into_iter().flatten() {
            if let Some(word) = ports.get_mut(usize::from(port >> 6)) {
                *word |= 1 << (port & 63);
            }
        }
        Self { ports, teredo_anywhere: settings.teredo_enabled && settings.teredo_ports.is_empty() }
    }

    fn has(&self, port: u16) -> bool {
        self.ports.get(usize::from(port >> 6)).is_some_and(|word| word >> (port & 63) & 1 == 1)
    }

    /// Whether a datagram may carry a packet.
    fn has_datagram(&self, datagram: &[u8]) -> bool {
        let ports = (be16(datagram, 0), be16(datagram, 2));
        let (Some(source), Some(destination)) = ports else { return false };
        self.has(source)
            || self.has(destination)
            || self.teredo_anywhere && may_be_teredo(datagram.get(UDP_LENGTH..).unwrap_or_default())
    }
}

/// Tells by their first bytes where packets belong that carry nothing.
#[derive(Debug)]
pub struct PlainReader(Carriers);

impl PlainReader {
    /// One that knows the tunnels that a decoder with these settings does.
    pub fn new(settings: &DecoderSettings) -> Self {
        Self(Carriers::of(settings))
    }

    /// Returns the hash of a packet's two ends. None where it may carry packets, or be a part of what does.
    pub fn ends(&self, packet: &RawPacket<'_>) -> Option<u64> {
        plain(packet.link, packet.bytes, &self.0).filter(|plain| !plain.carries).map(|plain| plain.ends)
    }
}

/// Ends of a packet, read from its first bytes.
#[derive(Clone, Copy)]
struct Plain {
    /// The two ends of the packet.
    ends: u64,
    /// It may carry packets or quote one, or is a fragment of what may.
    carries: bool,
}

/// Reads what nearly all packets are: IP, in Ethernet with or without VLAN tags, or bare.
fn plain(kind: LinkType, bytes: &[u8], carriers: &Carriers) -> Option<Plain> {
    match kind {
        LinkType::ETHERNET => network(be16(bytes, 12)?, bytes.get(14..)?, carriers),
        LinkType::LINUX_SLL => network(be16(bytes, 14)?, bytes.get(16..)?, carriers),
        LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => ip(bytes, carriers),
        _ => None,
    }
}

/// Steps over tags to the IP header.
fn network(mut kind: u16, mut bytes: &[u8], carriers: &Carriers) -> Option<Plain> {
    for _ in 0..=MAX_VLANS {
        match kind {
            ether_type::IPV4 | ether_type::IPV6 => return ip(bytes, carriers),
            ether_type::VLAN | ether_type::PROVIDER_BRIDGE | ether_type::QINQ => {
                (kind, bytes) = (be16(bytes, 2)?, bytes.get(4..)?);
            }
            _ => return None,
        }
    }
    None
}

fn ip(bytes: &[u8], carriers: &Carriers) -> Option<Plain> {
    match bytes.first()? >> 4 {
        4 => ipv4(bytes, carriers),
        6 => ipv6(bytes, carriers),
        _ => None,
    }
}

fn ipv4(bytes: &[u8], carriers: &Carriers) -> Option<Plain> {
    let is_fragment = be16(bytes, 6)? & 0x3fff != 0;
    let above = bytes.get(usize::from(bytes.first()? & 0x0f) * 4..).unwrap_or_default();
    let carries = match *bytes.get(9)? {
        ip_protocol::TCP => false,
        _ if is_fragment => true,
        ip_protocol::UDP => carriers.has_datagram(above),
        ip_protocol::ICMPV4 => above.first() == Some(&UNREACHABLE),
        ip_protocol::GRE | ip_protocol::IPV4 | ip_protocol::IPV6 => true,
        _ => false,
    };
    Some(Plain { ends: ends_v4(bytes)?, carries })
}

fn ipv6(bytes: &[u8], carriers: &Carriers) -> Option<Plain> {
    let above = bytes.get(IPV6_LENGTH..).unwrap_or_default();
    let carries = match *bytes.get(6)? {
        ip_protocol::TCP | ip_protocol::SCTP | ip_protocol::ESP | ip_protocol::ICMPV6 => false,
        ip_protocol::UDP => carriers.has_datagram(above),
        // Perhaps a chain of headers with anything at its end.
        _ => true,
    };
    Some(Plain { ends: ends_v6(bytes)?, carries })
}

fn ends_v4(header: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(header.get(12..20)?);
    Some(pair(v4(reader.array()?), v4(reader.array()?)))
}

fn ends_v6(header: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(header.get(8..IPV6_LENGTH)?);
    Some(pair(v6(reader.array()?), v6(reader.array()?)))
}

fn v4(bytes: [u8; 4]) -> IpAddr {
    IpAddr::from(bytes)
}

fn v6(bytes: [u8; 16]) -> IpAddr {
    IpAddr::from(bytes)
}

/// The hash of two addresses in either order. It takes steps of 32 bits that a packet filter in the kernel can take,
/// too, so that a live capture is shared out in the same way.
fn pair(one: IpAddr, other: IpAddr) -> u64 {
    spread(folded(one) ^ folded(other)).into()
}

/// The words of an address, put together.
fn folded(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(v4) => v4.to_bits(),
        IpAddr::V6(v6) => {
            let bits = v6.to_bits();
            [96, 64, 32, 0].iter().fold(0, |folded, shift| folded ^ (bits >> shift) as u32)
        }
    }
}

/// Factor of [`spread`].
pub const SPREAD_FACTOR: u32 = 0x045d_9f3b;

/// Bits by which [`spread`] shifts: before its product, after it, and at its end.
pub const SPREAD_SHIFTS: [u32; 3] = [16, 15, 3];

/// Spreads the bits of the exclusive or of two addresses' words.
const fn spread(word: u32) -> u32 {
    let [before, after, last] = SPREAD_SHIFTS;
    let product = (word ^ (word >> before)).wrapping_mul(SPREAD_FACTOR);
    (product ^ (product >> after)) >> last
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|pair| u16::from_be_bytes(*pair))
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_testkit::{Frame, fragment_ipv4};

    use super::*;

    fn dispatcher() -> Dispatcher {
        Dispatcher::new(DecoderSettings::default(), DefragSettings::default())
    }

    fn raw(link: LinkType, bytes: &[u8]) -> RawPacket<'_> {
        let (number, time, wire_length) = (1, Timestamp::default(), bytes.len() as u32);
        RawPacket { number, time, link, wire_length, interface: 0, bytes }
    }

    fn of(link: LinkType, bytes: &[u8]) -> Dispatch {
        dispatcher().dispatch(&raw(link, bytes)).expect("nothing inside")
    }

    /// Returns the dispatches of a frame and of the packets inside, the outermost last.
    fn all(bytes: &[u8]) -> Vec<Dispatch> {
        let mut dispatcher = dispatcher();
        match dispatcher.dispatch(&raw(LinkType::RAW, bytes)) {
            Some(only) => vec![only],
            None => dispatcher.packets().to_vec(),
        }
    }

    const A: &str = "10.0.0.1";
    const B: &str = "192.0.2.7";

    #[test]
    fn both_ways_and_all_wrappings_of_two_ends_are_one() {
        let there = of(LinkType::ETHERNET, &Frame::ethernet().ipv4(A, B).tcp(1, 2).build());
        assert_ne!(there.ends, 0);
        let inner = Frame::ethernet().ipv4(B, A).tcp(2, 1).build();
        let fabric_path =
            Frame::ethernet().ether_type(0x8903).payload([&[0, 0], inner.as_slice()].concat()).build();
        let cases: [(&str, LinkType, Vec<u8>); 7] = [
            ("fabric path", LinkType::ETHERNET, fabric_path),
            ("back", LinkType::ETHERNET, Frame::ethernet().ipv4(B, A).tcp(2, 1).build()),
            ("other ports", LinkType::ETHERNET, Frame::ethernet().ipv4(A, B).udp(9, 9).build()),
            ("tags", LinkType::ETHERNET, Frame::ethernet().vlan(5).vlan(6).ipv4(A, B).tcp(1, 2).build()),
            ("labels", LinkType::ETHERNET, Frame::ethernet().mpls(&[16, 17]).ipv4(A, B).tcp(1, 2).build()),
            ("pppoe", LinkType::ETHERNET, Frame::ethernet().pppoe(1).ipv4(B, A).tcp(1, 2).build()),
            ("raw", LinkType::RAW, Frame::bare().ipv4(A, B).tcp(1, 2).build()),
        ];
        for (name, link, bytes) in cases {
            assert_eq!(of(link, &bytes), there, "{name}");
        }
        let six = |a, b| of(LinkType::ETHERNET, &Frame::ethernet().ipv6(a, b).tcp(1, 2).build());
        assert_eq!(six("2001:db8::1", "2001:db8::2"), six("2001:db8::2", "2001:db8::1"));
        assert_ne!(six("2001:db8::1", "2001:db8::2"), six("2001:db8::1", "2001:db8::3"));
    }

    #[test]
    fn packets_that_were_cut_off_are_of_the_same_ends() {
        let whole = of(LinkType::ETHERNET, &Frame::ethernet().ipv4(A, B).tcp(1, 2).build());
        let six = of(LinkType::RAW, &Frame::bare().ipv6("::1", "::2").tcp(1, 2).build());
        let bare = || Frame::bare().ipv4(A, B).tcp(1, 2).payload([1; 40]).build();
        let cases: [(&str, LinkType, Vec<u8>, usize, Dispatch); 5] = [
            ("ethernet", LinkType::ETHERNET, Frame::ethernet().ipv4(A, B).tcp(1, 2).build(), 34, whole),
            ("null", LinkType::NULL, [&[2, 0, 0, 0], bare().as_slice()].concat(), 24, whole),
            ("ppp", LinkType::PPP, [&[0, 0x21], bare().as_slice()].concat(), 22, whole),
            (
                "labels",
                LinkType::ETHERNET,
                Frame::ethernet().mpls(&[16]).ipv4(A, B).tcp(1, 2).build(),
                38,
                whole,
            ),
            ("ipv6", LinkType::RAW, Frame::bare().ipv6("::1", "::2").tcp(1, 2).build(), 40, six),
        ];
        for (name, link, bytes, least, expected) in cases {
            for length in least..bytes.len() {
                assert_eq!(of(link, &bytes[..length]), expected, "{name}, {length} bytes");
            }
        }
    }

    #[test]
    fn all_that_a_tunnel_carries_has_ends() {
        let (outer, inner) = (Frame::bare().ipv4("1.1.1.1", "2.2.2.2"), Frame::bare().ipv4(A, B));
        let [of_outer, of_inner] = [outer, inner].map(|f| of(LinkType::RAW, &f.tcp(1, 2).build()));
        let tunnel = || Frame::bare().ipv4("2.2.2.2", "1.1.1.1");
        let cases = [
            ("gre", tunnel().gre().ipv4(A, B).tcp(1, 2).build(), vec![of_inner, of_outer]),
            ("ip in ip", tunnel().ipv4(B, A).udp(1, 2).build(), vec![of_inner, of_outer]),
            ("vxlan", tunnel().vxlan(7).ipv4(A, B).udp(1, 2).build(), vec![of_inner, of_outer]),
            ("not at the port", tunnel().udp(9, 4788).payload([0x45; 60]).build(), vec![of_outer]),
            ("no ip", tunnel().geneve(7).ether_type(0x0806).payload([0; 28]).build(), vec![of_outer; 2]),
            (
                "tunnel in a tunnel",
                tunnel().vxlan(7).ipv4(A, B).gre().ipv4("1.1.1.1", "2.2.2.2").udp(1, 2).build(),
                vec![of_outer, of_inner, of_outer],
            ),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(all(&bytes), expected, "{name}");
        }
    }

    #[test]
    fn a_frame_as_a_whole_belongs_to_its_innermost_packet() {
        let tunnel = || Frame::ethernet().ipv4("2.2.2.2", "1.1.1.1");
        let lost = Frame::bare().ipv4(A, B).tcp(1, 2).build();
        let inner = of(LinkType::RAW, &lost).ends;
        let outer = of(LinkType::ETHERNET, &tunnel().tcp(1, 2).build()).ends;
        let within = tunnel().gre().ipv4("3.3.3.3", A).icmpv4(3, 1, [0; 4]).payload(&lost).build();
        for (name, frame, expected) in [
            ("nothing inside", tunnel().udp(1, 2).build(), Some(outer)),
            ("gre", tunnel().gre().ipv4(B, A).tcp(2, 1).build(), Some(inner)),
            (
                "tunnel in a tunnel",
                tunnel().vxlan(7).ipv4("3.3.3.3", "4.4.4.4").gre().ipv4(A, B).tcp(1, 2).build(),
                Some(inner),
            ),
            ("quoted", tunnel().icmpv4(3, 1, [0; 4]).payload(&lost).build(), Some(inner)),
            ("quoted inside", within, Some(inner)),
            ("no ip inside", tunnel().geneve(7).ether_type(0x0806).payload([0; 28]).build(), Some(outer)),
            ("no ip", Frame::ethernet().ether_type(0x88cc).payload([1; 60]).build(), None),
        ] {
            let mut list = PacketList::new();
            Decoder::default().decode(&raw(LinkType::ETHERNET, &frame), &mut list);
            let (outer, inner) = list.as_slice().split_last().expect("a packet");
            assert_eq!(of_innermost(inner, outer), expected, "{name}");
        }
    }

    #[test]
    fn few_bytes_tell_where_plain_packets_belong() {
        let reader = PlainReader::new(&DecoderSettings::default());
        let ends = of(LinkType::RAW, &Frame::bare().ipv4(A, B).tcp(1, 2).build()).ends;
        for (frame, expected) in [
            (Frame::ethernet().vlan(5).ipv4(A, B).tcp(1, 2).build(), Some(ends)),
            (Frame::ethernet().ipv4(B, A).udp(1, 53).build(), Some(ends)),
            (Frame::ethernet().ipv4(A, B).vxlan(7).ipv4(A, B).udp(1, 2).build(), None),
            (Frame::ethernet().mpls(&[16]).ipv4(A, B).tcp(1, 2).build(), None),
        ] {
            assert_eq!(reader.ends(&raw(LinkType::ETHERNET, &frame)), expected);
        }
    }

    #[test]
    fn fragments_tell_of_what_they_make_whole() {
        let inner = of(LinkType::RAW, &Frame::bare().ipv4(A, B).tcp(1, 2).build());
        let outer = of(LinkType::RAW, &Frame::bare().ipv4("1.1.1.1", "2.2.2.2").tcp(1, 2).build());
        let tunnel = Frame::bare().ipv4("1.1.1.1", "2.2.2.2").vxlan(7);
        let datagram = tunnel.ipv4(A, B).udp(1, 2).payload([1; 90]).build();
        let mut dispatcher = dispatcher();
        let mut wholes = Vec::new();
        for fragment in fragment_ipv4(&datagram, 48).into_iter().rev() {
            assert_eq!(dispatcher.dispatch(&raw(LinkType::RAW, &fragment)), None);
            assert_eq!(dispatcher.packets(), [outer]);
            wholes.extend(dispatcher.wholes());
        }
        let [whole] = wholes.as_slice() else { panic!("one datagram: {wholes:?}") };
        assert_eq!((whole.bytes.len(), whole.of_fragment), (datagram.len(), outer.ends));
        assert_eq!(whole.packets, [inner, outer]);
    }

    #[test]
    fn teredo_is_looked_for_where_it_may_be() {
        let six = Frame::bare().ipv6("2001:db8::1", "2001:db8::2").udp(1, 2).payload([1; 9]).build();
        let frame = |port, payload: &[u8]| Frame::bare().ipv4(A, B).udp(9, port).payload(payload).build();
        let mut settings = DecoderSettings::default();
        let carries = |settings: &DecoderSettings, bytes: &[u8]| {
            let mut dispatcher = Dispatcher::new(settings.clone(), DefragSettings::default());
            dispatcher.dispatch(&raw(LinkType::RAW, bytes)).is_none()
        };
        assert!(carries(&settings, &frame(3544, &six)) && !carries(&settings, &frame(3545, &six)));
        settings.notes_more = true;
        assert!(carries(&settings, &frame(3545, &six)) && !carries(&settings, &frame(3545, &six[..20])));
        let origin = [&[0, 0, 1, 2, 3, 4, 5, 6], six.as_slice()].concat();
        assert!(carries(&settings, &frame(3545, &origin)));
    }

    #[test]
    fn errors_tell_of_the_packet_they_quote() {
        let lost = Frame::bare().ipv4(A, B).tcp(1, 2).build();
        let router = "203.0.113.1";
        let error = Frame::ethernet().ipv4(router, A).icmpv4(3, 1, [0; 4]).payload(&lost).build();
        let found = of(LinkType::ETHERNET, &error);
        assert_eq!(found.quoted, Some(of(LinkType::RAW, &lost).ends));
        assert_ne!(found.quoted, Some(found.ends));
        let echo = Frame::ethernet().ipv4(router, A).icmpv4(8, 0, [0; 4]).payload(&lost).build();
        assert_eq!(of(LinkType::ETHERNET, &echo).quoted, None);
    }

    #[test]
    fn few_bytes_tell_what_decoding_does() {
        let settings = DecoderSettings::default().widened();
        let mut dispatcher = Dispatcher::new(settings.clone(), DefragSettings::default());
        let mut decoder = Decoder::new(settings);
        let lost = Frame::bare().ipv4(A, B).tcp(1, 2).build();
        let tunnel = || Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2");
        let frames = [
            tunnel().vxlan(7).ipv4(A, B).udp(1, 2).payload([1; 40]),
            tunnel().gre().ipv4(A, B).tcp(1, 2),
            tunnel().ipv4(A, B).udp(1, 2152).payload([0x30; 40]),
            tunnel().udp(3544, 3544).payload([0x60; 48]),
            tunnel().icmpv4(3, 1, [0; 4]).payload(&lost),
            Frame::ethernet().vlan(7).ipv6("::1", "::2").extension(60, &[0; 7]).udp(1, 4789).payload([0; 60]),
            Frame::ethernet().ipv6("::1", "::2").icmpv6(1, 0, [0; 4]).payload([0x60; 60]),
        ];
        let mut random = weir_testkit::Random::new(3);
        let mut told = [0; 2];
        for number in 0..20_000 {
            let mut bytes = frames[number % frames.len()].build();
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.below(256) as u8;
            }
            let raw = raw(LinkType::ETHERNET, &bytes);
            let mut list = PacketList::new();
            decoder.decode(&raw, &mut list);
            let found = dispatcher.dispatch(&raw);
            told[usize::from(found.is_some())] += 1;
            match (found, list.as_slice()) {
                (Some(found), [only]) => {
                    assert!(
                        !only.is_fragment() || only.ip.is_some_and(|ip| ip.protocol() == 6),
                        "{bytes:x?}"
                    );
                    assert!(of_packet(only).is_none_or(|wanted| wanted == found), "{bytes:x?}");
                }
                (None, packets) => {
                    let mut wanted = Vec::new();
                    dispatch_all(packets, &mut wanted);
                    assert_eq!(dispatcher.packets(), wanted, "{bytes:x?}");
                }
                (Some(_), _) => panic!("something is inside of {bytes:x?}"),
            }
        }
        assert!(told.iter().all(|&times| times > 5000), "{told:?}");
    }

    #[test]
    fn anything_has_an_answer() {
        let frame =
            Frame::ethernet().vlan(1).ipv6("::1", "::2").icmpv6(1, 0, [0; 4]).payload([0x60; 60]).build();
        for link in [0, 1, 9, 50, 101, 104, 105, 108, 113, 228, 229, 276] {
            for length in 0..=frame.len() {
                let dispatch = dispatcher().dispatch(&raw(LinkType(link), &frame[..length]));
                let dispatch = dispatch.unwrap_or_default();
                for workers in 1..9 {
                    assert!(share(dispatch.ends, workers) < workers);
                }
            }
        }
        assert_eq!([share(0, 4), share(7, 4), share(1 << 28 | 2, 4)], [0, 3, 2]);
    }
}
