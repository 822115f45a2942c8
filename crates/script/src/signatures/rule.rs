//! Signatures as they are read: conditions and actions.

use std::rc::Rc;

use crate::values::{Addr, Subnet};

/// What a pattern is matched against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Payload of the connection.
    Payload,
    /// Decoded URIs of HTTP requests.
    HttpRequest,
    /// Header fields of HTTP requests, each a line.
    HttpRequestHeader,
    /// Bodies of HTTP requests.
    HttpRequestBody,
    /// Header fields of HTTP replies, each a line.
    HttpReplyHeader,
    /// Bodies of HTTP replies.
    HttpReplyBody,
    /// Command lines of FTP.
    Ftp,
    /// Requests of Finger.
    Finger,
}

impl Content {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Payload,
        Self::HttpRequest,
        Self::HttpRequestHeader,
        Self::HttpRequestBody,
        Self::HttpReplyHeader,
        Self::HttpReplyBody,
        Self::Ftp,
        Self::Finger,
    ];

    /// Returns the event of scripts that brings it; none of payload, which workers send.
    pub const fn event(self) -> Option<&'static str> {
        match self {
            Self::Payload => None,
            Self::HttpRequest => Some("http_request"),
            Self::HttpRequestHeader | Self::HttpReplyHeader => Some("http_header"),
            Self::HttpRequestBody | Self::HttpReplyBody => Some("http_entity_data"),
            Self::Ftp => Some("ftp_request"),
            Self::Finger => Some("finger_request"),
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Compares a number with another.
    pub const fn holds(self, number: u64, with: u64) -> bool {
        match self {
            Self::Equal => number == with,
            Self::Unequal => number != with,
            Self::Less => number < with,
            Self::AtMost => number <= with,
            Self::Greater => number > with,
            Self::AtLeast => number >= with,
        }
    }
}

/// A value that a field of a header is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first number.
    pub first: u64,
    /// The last number.
    pub last: u64,
    /// Bits of the field that count.
    pub mask: u64,
}

/// The header that a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// IP version 4.
    Ip,
    /// IP version 6.
    Ip6,
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP.
    Icmp,
    /// ICMP of IP version 6.
    Icmp6,
}

/// An end of the first packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Its sender.
    Source,
    /// Its receiver.
    Destination,
}

/// A condition on the first packet of an end.
#[derive(Clone, PartialEq, Debug)]
pub enum HeaderCondition {
    /// A number at a place of a header.
    Field {
        /// The header.
        header: Header,
        /// Place of the number's first byte.
        offset: usize,
        /// Bytes of the number: 1, 2 or 4.
        size: usize,
        /// Bits of it that count.
        mask: u64,
        /// The comparison.
        comparison: Comparison,
        /// What it is compared with.
        values: Vec<Range>,
    },
    /// `src-ip`, `dst-ip`
    Address(End, Comparison, Vec<Subnet>),
    /// `src-port`, `dst-port`
    Port(End, Comparison, Vec<Range>),
    /// `ip-proto`
    Protocol(Comparison, Vec<Range>),
}

/// A state of `tcp-state` or `udp-state`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowState {
    /// Both ends agreed to the connection.
    Established,
    /// The originator sends.
    Originator,
    /// The responder sends.
    Responder,
}

/// The transport that states are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// TCP
    Tcp,
    /// UDP
    Udp,
}

/// Options of IP that `ip-options` asks for, by their numbers.
pub const IP_OPTIONS: [(&str, &[u8]); 4] =
    [("rr", &[7]), ("lsrr", &[131]), ("lsrre", &[131]), ("ssrr", &[137])];

/// A condition beyond header and patterns.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// `payload-size`
    PayloadSize(Comparison, u64),
    /// `same-ip`
    SameAddress,
    /// `tcp-state`, `udp-state`
    State(Carrier, Vec<FlowState>),
    /// `ip-options`, by the options' numbers.
    IpOptions(Vec<u8>),
    /// `eval`: the function, by its full name.
    Eval(Rc<str>),
}

/// Another signature that a signature depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Its name.
    pub name: Rc<str>,
    /// It is to match in the other direction.
    pub is_reverse: bool,
    /// It is not to match.
    pub is_negated: bool,
}

/// What a match does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Raises an event, with a message where there is one.
    Event(Rc<str>, Option<Rc<str>>),
    /// Enables the analyzer of a protocol.
    Enable(Rc<str>),
}

/// A type of files that content tells.
#[derive(Clone, PartialEq, Debug)]
pub struct FileType {
    /// The type.
    pub mime_type: Rc<str>,
    /// Its weight among several.
    pub strength: i64,
}

/// A signature.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rule {
    /// Its name.
    pub name: Rc<str>,
    /// The file it is in.
    pub file: Rc<str>,
    /// The line of its name.
    pub line: u32,
    /// Conditions on the first packet of an end.
    pub headers: Vec<HeaderCondition>,
    /// Patterns in the engine's syntax, and what they are matched against.
    pub patterns: Vec<(Content, String)>,
    /// Other conditions, and their lines.
    pub conditions: Vec<(Condition, u32)>,
    /// Signatures that it depends on.
    pub requirements: Vec<Requirement>,
    /// What a match does, and the line.
    pub actions: Vec<(Action, u32)>,
    /// Patterns that files begin with, in the engine's syntax.
    pub magics: Vec<String>,
    /// The type of files that begin so.
    pub file_type: Option<FileType>,
}

/// The first packet of an end, as conditions see it.
#[derive(Clone, Copy, Debug)]
pub struct FirstPacket<'a> {
    /// Header of IP, with options.
    pub ip: &'a [u8],
    /// Header above it.
    pub transport: &'a [u8],
    /// The number of what is above IP.
    pub protocol: u8,
    /// Its sender and its receiver.
    pub ends: [(Addr, u16); 2],
}

impl FirstPacket<'_> {
    fn end(&self, end: End) -> (Addr, u16) {
        let [source, destination] = self.ends;
        match end {
            End::Source => source,
            End::Destination => destination,
        }
    }

    fn header(&self, header: Header) -> Option<&[u8]> {
        let version = self.ip.first().map_or(0, |byte| byte >> 4);
        match (header, version, self.protocol) {
            (Header::Ip, 4, _) | (Header::Ip6, 6, _) => Some(self.ip),
            (Header::Tcp, _, 6) | (Header::Udp, _, 17) | (Header::Icmp, _, 1) | (Header::Icmp6, _, 58) => {
                Some(self.transport)
            }
            _ => None,
        }
    }
}

fn compare(comparison: Comparison, number: u64, values: &[Range]) -> bool {
    let is_in = |range: &Range| (range.first..=range.last).contains(&(number & range.mask));
    match comparison {
        Comparison::Equal => values.iter().any(is_in),
        Comparison::Unequal => !values.iter().any(is_in),
        _ => values.iter().any(|range| comparison.holds(number & range.mask, range.first)),
    }
}

impl HeaderCondition {
    /// Returns whether the packet fulfils the condition.
    pub fn holds(&self, packet: &FirstPacket<'_>) -> bool {
        match self {
            Self::Field { header, offset, size, mask, comparison, values } => {
                let bytes =
                    packet.header(*header).and_then(|bytes| bytes.get(*offset..offset.saturating_add(*size)));
                bytes.is_some_and(|bytes| {
                    let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
                    compare(*comparison, number & mask, values)
                })
            }
            Self::Address(end, comparison, nets) => {
                let (address, _) = packet.end(*end);
                nets.iter().any(|net| net.contains(address)) == (*comparison == Comparison::Equal)
            }
            Self::Port(end, comparison, values) => {
                matches!(packet.protocol, 6 | 17) && compare(*comparison, packet.end(*end).1.into(), values)
            }
            Self::Protocol(comparison, values) => compare(*comparison, packet.protocol.into(), values),
        }
    }
}

/// Returns whether options of IP have one of these numbers.
pub fn has_option(options: &[u8], numbers: &[u8]) -> bool {
    let mut rest = options;
    loop {
        rest = match rest {
            [] | [0, ..] => return false,
            [number, ..] if numbers.contains(number) => return true,
            [1, behind @ ..] => behind,
            [_, length, ..] if *length >= 2 => rest.get(usize::from(*length)..).unwrap_or_default(),
            _ => return false,
        };
    }
}
