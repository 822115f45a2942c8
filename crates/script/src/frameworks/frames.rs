//! What scripts ask of the bytes of the packet at hand: options of TCP (RFC 9293 3.1) and of Geneve (RFC 8926 3.5), the session
//! of PPPoE (RFC 2516 4), the numbers of the bytes of TCP.
//!
//! Limit: [`MAX_LAYERS`] headers of a packet.

use std::rc::Rc;

use weir_base::Reader;

use crate::builtins::{Builtin, argument, is_true, row};
use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::Engine;

/// Most headers of a packet that are looked at, and most options of one.
const MAX_LAYERS: usize = 64;
const MAX_OPTIONS: usize = 256;

/// Functions that ask for each packet.
pub const ASKING: [&str; 5] = [
    "TCP::raw_options",
    "PacketAnalyzer::PPPoE::session_id",
    "PacketAnalyzer::Geneve::get_options",
    "get_orig_seq",
    "get_resp_seq",
];

/// The functions of those that ask for what a connection has sent.
pub const ASKING_FOR_NUMBERS: [&str; 2] = ["get_orig_seq", "get_resp_seq"];

/// What says that there is no session.
const NO_SESSION: u64 = 0xffff_ffff;

/// Kinds of links.
mod link {
    pub(super) const NULL: u64 = 0;
    pub(super) const ETHERNET: u64 = 1;
    pub(super) const RAW: [u64; 4] = [12, 14, 101, 228];
}

/// Kinds of what Ethernet carries.
mod ethertype {
    pub(super) const IPV4: u16 = 0x0800;
    pub(super) const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
    pub(super) const IPV6: u16 = 0x86dd;
    pub(super) const PPPOE_SESSION: u16 = 0x8864;
    pub(super) const BRIDGED: u16 = 0x6558;
}

/// Protocols of PPP.
mod ppp {
    pub(super) const IPV4: u16 = 0x0021;
    pub(super) const IPV6: u16 = 0x0057;
}

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Extension headers of IPv6 whose length stands in their second byte.
const EXTENSIONS: [u8; 3] = [0, 43, 60];

/// The port of Geneve.
const GENEVE_PORT: u16 = 6081;

/// A segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    options: &'a [u8],
    /// The number behind its last byte; beginning and end of a connection count as bytes.
    pub next: u32,
}

/// An option of Geneve: class, type, data.
type GeneveOption<'a> = (u16, u8, &'a [u8]);

/// What the headers of a packet say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    session: Option<u16>,
    geneve: Vec<Vec<GeneveOption<'a>>>,
    /// The innermost segment of TCP.
    pub segment: Option<Segment<'a>>,
}

/// What follows next.
enum Next<'a> {
    Ethernet(&'a [u8]),
    Type(u16, &'a [u8]),
    Transport(u8, &'a [u8]),
}

impl<'a> Headers<'a> {
    /// Reads the headers of a packet that came from a kind of link.
    pub fn of(kind: u64, bytes: &'a [u8]) -> Self {
        let mut headers = Self::default();
        let mut next = match kind {
            link::ETHERNET => Some(Next::Ethernet(bytes)),
            link::NULL => bytes.get(4..).and_then(ip),
            kind if link::RAW.contains(&kind) => ip(bytes),
            _ => None,
        };
        for _ in 0..MAX_LAYERS {
            let Some(layer) = next else { break };
            next = headers.layer(&layer);
        }
        headers
    }

    fn layer(&mut self, layer: &Next<'a>) -> Option<Next<'a>> {
        match *layer {
            Next::Ethernet(bytes) => {
                let mut reader = Reader::new(bytes);
                reader.skip(12)?;
                Some(Next::Type(reader.u16()?, reader.rest()))
            }
            Next::Type(kind, bytes) => self.ethertype(kind, bytes),
            Next::Transport(TCP, bytes) => {
                self.segment = segment(bytes);
                None
            }
            Next::Transport(UDP, bytes) => self.datagram(bytes),
            Next::Transport(4 | 41, bytes) => ip(bytes),
            Next::Transport(..) => None,
        }
    }

    fn ethertype(&mut self, kind: u16, bytes: &'a [u8]) -> Option<Next<'a>> {
        let mut reader = Reader::new(bytes);
        match kind {
            kind if ethertype::VLAN.contains(&kind) => {
                reader.skip(2)?;
                Some(Next::Type(reader.u16()?, reader.rest()))
            }
            ethertype::PPPOE_SESSION => {
                reader.skip(2)?;
                self.session = Some(reader.u16()?);
                reader.skip(2)?;
                match reader.u16()? {
                    ppp::IPV4 | ppp::IPV6 => ip(reader.rest()),
                    _ => None,
                }
            }
            ethertype::IPV4 | ethertype::IPV6 => ip(bytes),
            ethertype::BRIDGED => Some(Next::Ethernet(bytes)),
            _ => None,
        }
    }

    /// Looks into what Geneve carries.
    fn datagram(&mut self, bytes: &'a [u8]) -> Option<Next<'a>> {
        let mut reader = Reader::new(bytes);
        reader.skip(2)?;
        let port = reader.u16()?;
        reader.skip(4)?;
        if port != GENEVE_PORT {
            return None;
        }
        let length = reader.u8()?;
        if length >> 6 != 0 {
            return None;
        }
        reader.skip(1)?;
        let kind = reader.u16()?;
        reader.skip(4)?;
        let mut options = Reader::new(reader.take(usize::from(length & 0x3f) * 4)?);
        let mut found = Vec::new();
        while found.len() < MAX_OPTIONS && !options.is_empty() {
            let (class, kind, length) = (options.u16()?, options.u8()?, options.u8()?);
            found.push((class, kind, options.take(usize::from(length & 0x1f) * 4)?));
        }
        self.geneve.push(found);
        Some(Next::Type(kind, reader.rest()))
    }
}

/// Returns what a packet of either version of IP carries.
fn ip(bytes: &[u8]) -> Option<Next<'_>> {
    let mut reader = Reader::new(bytes);
    let first = reader.u8()?;
    if first >> 4 == 4 {
        reader.skip(1)?;
        let length = usize::from(reader.u16()?);
        reader.skip(2)?;
        let fragment = reader.u16()?;
        reader.skip(1)?;
        let protocol = reader.u8()?;
        // Only the first fragment has what follows; what is behind the packet only fills the frame.
        let end = if length == 0 { bytes.len() } else { length.min(bytes.len()) };
        let content = bytes.get(usize::from(first & 15) * 4..end)?;
        return (fragment & 0x1fff == 0).then_some(Next::Transport(protocol, content));
    }
    if first >> 4 != 6 {
        return None;
    }
    reader.skip(3)?;
    let length = usize::from(reader.u16()?);
    let mut protocol = reader.u8()?;
    reader.skip(33)?;
    let rest = reader.rest();
    let mut content = rest.get(..length).filter(|_| length > 0).unwrap_or(rest);
    for _ in 0..MAX_LAYERS {
        if !EXTENSIONS.contains(&protocol) {
            break;
        }
        let mut header = Reader::new(content);
        protocol = header.u8()?;
        let length = usize::from(header.u8()?);
        content = content.get(8 + length * 8..)?;
    }
    Some(Next::Transport(protocol, content))
}

fn segment(bytes: &[u8]) -> Option<Segment<'_>> {
    let mut reader = Reader::new(bytes);
    reader.skip(4)?;
    let number = reader.u32()?;
    reader.skip(4)?;
    let (offset, flags) = (reader.u8()?, reader.u8()?);
    let length = usize::from(offset >> 4) * 4;
    let options = bytes.get(20..length)?;
    let payload = (bytes.len() - length) as u32;
    let beginning_and_end = u32::from(flags & 1) + u32::from(flags >> 1 & 1);
    Some(Segment { options, next: number.wrapping_add(payload).wrapping_add(beginning_and_end) })
}

/// Options of TCP by their kind, as they were sent.
fn options(bytes: &[u8], stops: bool) -> Vec<(u8, &[u8])> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((&kind, _)) = rest.split_first()
        && found.len() < MAX_OPTIONS
    {
        let length = match kind {
            0 | 1 => 1,
            _ => usize::from(rest.get(1).copied().unwrap_or(0)),
        };
        let Some((option, behind)) = rest.split_at_checked(length).filter(|_| length > 0) else { break };
        found.push((kind, option));
        rest = behind;
        if kind == 0 && stops {
            break;
        }
    }
    found
}

/// Functions of the packet at hand; their declarations are in the prelude.
pub const ROWS: &[Builtin] = &[
    row("TCP::raw_options", "", |e, a| {
        let bytes = e.frameworks.packets.current().map(|(kind, bytes)| (kind, bytes.to_vec()));
        let (kind, bytes) = bytes.unwrap_or_default();
        let segment = Headers::of(kind, &bytes).segment;
        let stops = !argument(a, 0).is_set() || is_true(a, 0);
        let found = segment.map(|segment| options(segment.options, stops)).unwrap_or_default();
        let list = found.into_iter().map(|(kind, data)| {
            let fields = [("kind", Value::Count(kind.into())), ("data", Value::string(data))];
            e.record_of("TCP::RawOption", &fields)
        });
        let list = list.collect();
        Ok(vector(e, "TCP::RawOptionList", list))
    }),
    row("PacketAnalyzer::PPPoE::session_id", "", |e, _| {
        let session =
            e.frameworks.packets.current().and_then(|(kind, bytes)| Headers::of(kind, bytes).session);
        Ok(Value::Count(session.map_or(NO_SESSION, u64::from)))
    }),
    row("PacketAnalyzer::Geneve::get_options", "", |e, _| {
        let bytes = e.frameworks.packets.current().map(|(kind, bytes)| (kind, bytes.to_vec()));
        let (kind, bytes) = bytes.unwrap_or_default();
        let layers = Headers::of(kind, &bytes).geneve;
        let mut all = Vec::new();
        for layer in layers {
            let mut list = Vec::new();
            for (class, kind, data) in layer {
                let fields = [
                    ("class", Value::Count(class.into())),
                    ("critical", Value::Bool(kind & 0x80 != 0)),
                    ("typ", Value::Count((kind & 0x7f).into())),
                    ("data", Value::string(data)),
                ];
                list.push(e.record_of("PacketAnalyzer::Geneve::Option", &fields));
            }
            all.push(vector(e, "geneve_options_vec", list));
        }
        Ok(vector(e, "geneve_options_vec_vec", all))
    }),
];

fn vector(engine: &Engine, ty: &str, values: Vec<Value>) -> Value {
    let ty = engine.program.type_named(ty).unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACS: [u8; 12] = [0; 12];

    fn tcp(flags: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
        let offset = (((20 + options.len()) / 4) << 4) as u8;
        [&[0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 0, offset, flags, 0, 0, 0, 0, 0, 0][..], options, payload]
            .concat()
    }

    fn ipv4(protocol: u8, content: &[u8]) -> Vec<u8> {
        let length = (20 + content.len() as u16).to_be_bytes();
        [&[0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol][..], &[0; 10], content].concat()
    }

    fn ethernet(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [&MACS, kind, content].concat()
    }

    #[test]
    fn segments_and_their_options() {
        let syn = tcp(2, &[2, 4, 5, 0xb4, 1, 0, 7, 7], b"");
        let packet = ethernet(&[8, 0], &[ipv4(6, &syn), b"padding".to_vec()].concat());
        let headers = Headers::of(1, &packet);
        let segment = headers.segment.unwrap();
        assert_eq!(segment.next, 101);
        let all: [(u8, &[u8]); 3] = [(2, &[2, 4, 5, 0xb4]), (1, &[1]), (0, &[0])];
        assert_eq!(options(segment.options, true), all);
        // Behind the end of the list, nothing fits.
        assert_eq!(options(segment.options, false), all);
        assert_eq!(options(&[0, 1, 3, 0], false), [(0, &[0][..]), (1, &[1])]);
        let data = ipv4(6, &tcp(0x18, b"", b"hello"));
        assert_eq!(Headers::of(101, &data).segment.unwrap().next, 105);
        for length in 0..packet.len() {
            let _ = Headers::of(1, &packet[..length]);
        }
    }

    #[test]
    fn sessions_and_tunnels() {
        let inner = ipv4(6, &tcp(0, b"", b""));
        let session = ethernet(&[0x88, 0x64], &[&[0x11, 0, 0x12, 0x34, 0, 42, 0, 0x21][..], &inner].concat());
        let tagged = ethernet(&[0x81, 0, 0, 5, 0x88, 0x64], &session[14..]);
        for packet in [&session, &tagged] {
            let headers = Headers::of(1, packet);
            assert_eq!((headers.session, headers.segment.map(|one| one.next)), (Some(0x1234), Some(100)));
        }
        let geneve = [&[2, 0, 0x65, 0x58, 0, 0, 1, 0][..], &[1, 2, 0x83, 1, 9, 9, 9, 9]].concat();
        let frame = ethernet(&[8, 0], &inner);
        let datagram = [&[0, 9, 0x17, 0xc1, 0, 0, 0, 0][..], &geneve, &frame].concat();
        let packet = ethernet(&[8, 0], &ipv4(17, &datagram));
        let headers = Headers::of(1, &packet);
        assert_eq!(headers.geneve, [[(0x102, 0x83, &[9; 4][..])]]);
        assert_eq!(headers.segment.map(|one| one.next), Some(100));
        for length in 0..packet.len() {
            let _ = Headers::of(1, &packet[..length]);
        }
    }
}
