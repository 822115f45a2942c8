//! What fuzz targets of protocols share: any bytes in any pieces from both sides, with everything read
//! that rules and records can ask for.

#![forbid(unsafe_code)]

use weir_applayer::audience::{Audience, ZeekOnly};
use weir_applayer::file::FileSettings;
use weir_applayer::zeek::{Datagram, DatagramLogs, FileFate, FilePart, WholeFile};
use weir_applayer::{
    Access, Endpoints, File, NoOptions, Outcome, ParseContext, Parser, Protocol, Request, Transaction,
    Transport, ZeekConnection, ZeekSink, ZeekStream, ZeekValue,
};
use weir_base::{Direction, JsonWriter, PerDirection, Timestamp, Turn};

/// How many values of a list are read.
const MAX_VALUES: usize = 64;

/// What stands before each piece of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// A byte: direction (lowest bit), and the length less one.
    Byte,
    /// Two bytes: direction (highest bit), and the length.
    TwoBytes,
}

impl Head {
    /// The next piece, and what follows it.
    pub fn split(self, bytes: &[u8]) -> Option<(Direction, &[u8], &[u8])> {
        let (from_client, length, rest) = match (self, bytes) {
            (Head::Byte, [head, rest @ ..]) => (head & 1 == 0, usize::from(head >> 1) + 1, rest),
            (Head::TwoBytes, [high, low, rest @ ..]) => {
                (high & 0x80 == 0, usize::from(high & 0x7f) << 8 | usize::from(*low), rest)
            }
            _ => return None,
        };
        let (piece, rest) = rest.split_at(length.min(rest.len()));
        Some((if from_client { Direction::ToServer } else { Direction::ToClient }, piece, rest))
    }
}

/// Two ends that speak `protocol` over `transport`.
pub fn endpoints(protocol: &Protocol, transport: Transport) -> Endpoints {
    ends(protocol.ports, transport)
}

fn ends(ports: &[u16], transport: Transport) -> Endpoints {
    Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 1024,
        server: [10, 0, 0, 2].into(),
        server_port: ports.first().copied().unwrap_or(9),
        transport,
    }
}

/// A parser between two ends, and what surrounds it.
pub struct Conversation {
    /// The two ends.
    pub endpoints: Endpoints,
    /// The parser.
    pub parser: Box<dyn Parser>,
    audience: Audience,
    files: FileSettings,
    requests: Vec<Request>,
    clock: u64,
}

impl Conversation {
    /// Nothing was said yet.
    pub fn new(protocol: &Protocol, transport: Transport, as_zeek: bool) -> Self {
        let audience = if as_zeek { Audience::Zeek(ZeekOnly::Fork) } else { Audience::Records };
        let endpoints = endpoints(protocol, transport);
        let parser = (protocol.configure)(&NoOptions).open(&endpoints);
        let files = FileSettings { magic: true, ..FileSettings::default() };
        Self { endpoints, parser, audience, files, requests: Vec::new(), clock: 0 }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut dyn Parser, &mut ParseContext<'_>) -> T) -> T {
        self.clock += 1;
        self.requests.clear();
        let (order, anomalies) = (Turn::alone(), &mut Vec::new());
        let bare = ParseContext::bare(&self.endpoints, &self.files, &order, &mut self.requests, anomalies);
        let time = Timestamp(self.clock);
        let mut cx = ParseContext { time, audience: self.audience, ..bare };
        act(&mut *self.parser, &mut cx)
    }

    /// The bytes go to the protocol's probe and to the parser.
    pub fn push(&mut self, direction: Direction, bytes: &[u8]) -> Outcome {
        if let Some(probe) = self.parser.protocol().probe {
            let _ = probe(self.endpoints.transport, direction, bytes);
        }
        self.with(|parser, cx| parser.data(cx, direction, bytes))
    }

    /// That many bytes were not seen.
    fn gap(&mut self, direction: Direction, length: u64) -> Outcome {
        self.with(|parser, cx| parser.gap(cx, direction, length))
    }

    /// Nothing more comes.
    pub fn close(&mut self) {
        for direction in Direction::BOTH {
            self.with(|parser, cx| parser.close(cx, direction));
        }
    }

    /// What follows is another parser's.
    fn is_handed_over(&self) -> bool {
        self.requests.iter().any(|request| matches!(request, Request::Upgrade(_)))
    }

    /// Reads everything that rules and records can ask for.
    pub fn read_all(&self) {
        let protocol = self.parser.protocol();
        let eve = protocol.eve.map(|eve| (eve.configure)(&NoOptions));
        let (mut next, mut out) = (0, Vec::new());
        while let Some(transaction) = self.parser.next_from(next) {
            next = transaction.meta().id + 1;
            for field in protocol.fields {
                for direction in Direction::BOTH {
                    out.clear();
                    let _ = read(&field.access.value(), transaction, direction, &mut out);
                }
            }
            if let Some(eve) = &eve {
                out.clear();
                let mut json = JsonWriter::new(&mut out);
                json.open_object();
                eve.write(transaction, &self.endpoints, &mut json);
                eve.write_beside(transaction, &mut json);
                json.close_object();
            }
        }
    }
}

/// How many values the field has.
fn read(access: &Access, transaction: &dyn Transaction, direction: Direction, out: &mut Vec<u8>) -> usize {
    let indices = 0..MAX_VALUES;
    match access {
        Access::Bytes(read) => read(transaction, direction).into_iter().count(),
        Access::Build(build) => usize::from(build(transaction, direction, out)),
        Access::List(read) => indices.map_while(|index| read(transaction, direction, index)).count(),
        Access::BuildList(build) => {
            indices.take_while(|&index| build(transaction, direction, index, out)).count()
        }
        Access::Body(read) | Access::BodyAndFiles(read) => read(transaction, direction).into_iter().count(),
        Access::Integer { read, .. } | Access::Flags { read, .. } => {
            indices.map_while(|index| read(transaction, direction, index)).count()
        }
        _ => 0,
    }
}

/// Any bytes in any pieces from both sides of a connection. What the parser does not take is pushed again
/// with what follows; where it is told of gaps, an empty piece is one. Of the inputs, half are read as Zeek
/// reads them.
pub fn connection(protocol: &Protocol, head: Head, bytes: &[u8]) {
    let mut conversation = Conversation::new(protocol, Transport::Tcp, bytes.len() % 2 == 1);
    let mut kept: PerDirection<Vec<u8>> = PerDirection::default();
    let mut rest = bytes;
    let mut broken = false;
    while let Some((direction, piece, after)) = head.split(rest) {
        rest = after;
        let buffer = &mut kept[direction];
        let outcome = if piece.is_empty() && protocol.accepts_gaps {
            buffer.clear();
            conversation.gap(direction, rest.len() as u64 + 1)
        } else {
            buffer.extend_from_slice(piece);
            conversation.push(direction, buffer)
        };
        broken = outcome == Outcome::Error;
        if broken || conversation.is_handed_over() {
            break;
        }
        match outcome {
            Outcome::Incomplete { consumed, needed } => {
                assert!(consumed <= buffer.len() && needed > buffer.len() - consumed);
                buffer.drain(..consumed);
            }
            _ => buffer.clear(),
        }
    }
    if !broken {
        conversation.close();
    }
    conversation.read_all();
}

/// Any bytes in any datagrams from both sides. Of the inputs, half are read as Zeek reads them.
pub fn datagrams(protocol: &Protocol, head: Head, bytes: &[u8]) {
    let mut conversation = Conversation::new(protocol, Transport::Udp, bytes.len() % 2 == 1);
    let mut rest = bytes;
    while let Some((direction, datagram, after)) = head.split(rest) {
        rest = after;
        if conversation.push(direction, datagram) == Outcome::Error {
            break;
        }
    }
    conversation.close();
    conversation.read_all();
}

/// Rows of logs go nowhere.
struct Nowhere(Endpoints);

impl ZeekSink for Nowhere {
    fn connection(&self) -> ZeekConnection<'_> {
        ZeekConnection { endpoints: &self.0, start: Timestamp(1), uid: b"C1" }
    }
    fn row(&mut self, stream: &'static ZeekStream, _: Timestamp, values: &[ZeekValue<'_>]) {
        assert_eq!(stream.columns.len(), values.len());
    }
    fn weird(&mut self, _: Timestamp, _: &str, _: Option<&str>) {}
    fn file(&mut self, _: &File, _: FileFate) -> String {
        String::new()
    }
    fn file_part(&mut self, _: &[u8], _: &File, _: FileFate) -> FilePart {
        FilePart::default()
    }
    fn whole_file(&mut self, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn unlogged_file(&mut self, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn service(&mut self, _: &'static str) {}
}

/// Any datagrams from both sides, to a logger of Zeek's.
pub fn logged(logs: &DatagramLogs, head: Head, bytes: &[u8]) {
    let mut nowhere = Nowhere(ends(logs.ports, Transport::Udp));
    let mut followed = logs.follow();
    let mut rest = bytes;
    while let Some((direction, datagram, after)) = head.split(rest) {
        rest = after;
        let _ = (logs.fits)(datagram);
        followed.datagram(Datagram { direction, payload: datagram, time: Timestamp(1) }, &mut nowhere);
    }
    followed.end(&mut nowhere);
}
