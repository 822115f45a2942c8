//! Zeek's quic log, and its ssl log of the handshake in QUIC. Zeek follows a connection datagram by
//! datagram to its end, rules only until both sides said hello: it is not the parser's transactions that
//! these logs are written from.
//!
//! Limits: [`MAX_HISTORY`] letters, [`MAX_PACKETS`] packets of a datagram, and what is put together of a
//! handshake ([`super::crypto`]).

use weir_applayer::zeek::{DatagramLogger, DatagramLogs};
use weir_applayer::{
    NoOptions, Options, Transaction, ZeekConnection, ZeekLogger, ZeekLogs, ZeekSink, ZeekStream, ZeekType,
    ZeekValue,
};
use weir_base::{Direction, PerDirection, Timestamp, hex};

use super::crypto::CryptoStream;
use super::frames::{self, Frame};
use super::header::{FIXED, Kind, LONG, Packet};
use super::keys::InitialKeys;
use super::version::Version;
use crate::tls::handshake::{Assembly, Receiver};
use crate::tls::settings::Settings;
use crate::tls::transaction::TlsTransaction;
use crate::tls::zeek::SslLogger;

static STREAM: ZeekStream = ZeekStream {
    name: "quic",
    connection: true,
    columns: &[
        ("version", ZeekType::String),
        ("client_initial_dcid", ZeekType::String),
        ("client_scid", ZeekType::String),
        ("server_scid", ZeekType::String),
        ("server_name", ZeekType::String),
        ("client_protocol", ZeekType::String),
        ("history", ZeekType::String),
    ],
};

/// The log's stream; its rows come from [`DATAGRAMS`].
pub static LOGS: ZeekLogs =
    ZeekLogs { streams: &[&STREAM], more: &[], from_start: false, confirms: true, open };

/// QUIC in Zeek's logs.
pub const DATAGRAMS: DatagramLogs =
    DatagramLogs { name: "quic", ports: PORTS, fits, open: || Box::new(QuicLogger::new()) };

/// Where Zeek expects QUIC, and DNS over it (RFC 9250, and the ports of its drafts).
const PORTS: &[u16] = &[443, 853, 784, 8853];

/// Longest history.
const MAX_HISTORY: usize = 100;

/// Packets that are not QUIC's of which the history tells.
const MAX_DISCARDED: u32 = 100;

/// Most packets of a datagram.
const MAX_PACKETS: usize = 64;

/// Zeek's clock shows no earlier time.
const FIRST_TIME: Timestamp = Timestamp::new(1, 0);

/// Writes nothing of transactions.
#[derive(Debug)]
struct Silent;

fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
    Box::new(Silent)
}

impl ZeekLogger for Silent {
    fn transaction(
        &mut self,
        _: &ZeekConnection<'_>,
        _: &dyn Transaction,
        _: Direction,
        _: bool,
        _: &mut dyn ZeekSink,
    ) {
    }

    fn end(&mut self, _: &ZeekConnection<'_>, _: &mut dyn ZeekSink) {}
}

/// Whether a datagram begins with a long header.
fn fits(payload: &[u8]) -> bool {
    matches!(payload, [first, _, _, _, _, _, ..] if first & (LONG | FIXED) == LONG | FIXED)
}

/// What a row tells.
#[derive(Debug)]
struct Row {
    time: Timestamp,
    version: Version,
    client_initial_dcid: Option<String>,
    client_scid: Option<String>,
    server_scid: Option<String>,
    server_name: Option<Vec<u8>>,
    client_protocol: Option<Vec<u8>>,
    history: Vec<u8>,
}

/// What a side said of TLS.
#[derive(Default)]
struct Side {
    crypto: CryptoStream,
    assembly: Assembly,
    /// How much of the stream the assembly has.
    given: usize,
    /// Its hello was read: Zeek decrypts no more of what it sends.
    greeted: bool,
    /// Packets with short headers so far.
    short: u64,
}

/// Follows one connection.
struct QuicLogger {
    row: Option<Row>,
    keys: Option<Box<InitialKeys>>,
    sides: PerDirection<Side>,
    buffer: Vec<u8>,
    discarded: u32,
    /// A packet could not be read: Zeek looks at no more of the connection.
    over: bool,
    tls: TlsTransaction,
    settings: Settings,
    ssl: SslLogger,
}

/// A datagram's connection and time, and where rows go.
struct Surroundings<'a, 'b> {
    connection: &'a ZeekConnection<'b>,
    direction: Direction,
    time: Timestamp,
    sink: &'a mut dyn ZeekSink,
}

impl QuicLogger {
    fn new() -> Self {
        Self {
            row: None,
            keys: None,
            sides: PerDirection::default(),
            buffer: Vec::new(),
            discarded: 0,
            over: false,
            tls: TlsTransaction::default(),
            settings: Settings::read(&NoOptions),
            ssl: SslLogger::named("ssl"),
        }
    }

    /// Adds a letter to the history, the client's in upper case.
    fn letter(&mut self, direction: Direction, letter: u8) {
        if let Some(row) = self.row.as_mut().filter(|row| row.history.len() < MAX_HISTORY) {
            row.history.push(match direction {
                Direction::ToServer => letter,
                Direction::ToClient => letter.to_ascii_lowercase(),
            });
        }
    }

    /// Notes what a long header says that is not known so far.
    fn note(&mut self, packet: &Packet<'_>, around: &Surroundings<'_, '_>) {
        let row = self.row.get_or_insert_with(|| Row {
            time: around.time,
            version: packet.version,
            client_initial_dcid: None,
            client_scid: None,
            server_scid: None,
            server_name: None,
            client_protocol: None,
            history: Vec::new(),
        });
        match around.direction {
            Direction::ToServer => {
                if row.client_initial_dcid.is_none() && !packet.destination.is_empty() {
                    row.client_initial_dcid = Some(hex::string(packet.destination));
                }
                row.client_scid.get_or_insert_with(|| hex::string(packet.source));
            }
            Direction::ToClient => {
                row.server_scid.get_or_insert_with(|| hex::string(packet.source));
            }
        }
    }

    /// Reads the packet that `bytes` begin with; answers what follows it.
    fn packet<'p>(&mut self, bytes: &'p [u8], around: &mut Surroundings<'_, '_>) -> Option<&'p [u8]> {
        let &first = bytes.first()?;
        let direction = around.direction;
        if first & FIXED == 0 {
            if self.row.is_some() && self.discarded < MAX_DISCARDED {
                self.discarded += 1;
                self.letter(direction, b'X');
            }
            return None;
        }
        if first & LONG == 0 {
            let short = &mut self.sides[direction].short;
            *short += 1;
            if short.is_power_of_two() {
                self.letter(direction, b'O');
            }
            return None;
        }
        let Some(packet) = Packet::read(bytes) else {
            self.over = true;
            return None;
        };
        if packet.version.protection().is_none() {
            self.note(&packet, around);
            self.letter(direction, b'U');
            return None;
        }
        if packet.kind == Kind::Retry {
            self.retry(&packet, around);
            return None;
        }
        self.note(&packet, around);
        self.letter(
            direction,
            match packet.kind {
                Kind::Initial => b'I',
                Kind::ZeroRtt => b'Z',
                _ => b'H',
            },
        );
        let Some((whole, rest)) = bytes.split_at_checked(packet.end) else {
            self.over = true;
            return None;
        };
        if packet.kind == Kind::Initial && !self.sides[direction].greeted {
            self.initial(&packet, whole, around);
        }
        Some(rest)
    }

    /// The server asks to begin again: what was said so far makes a row of its own.
    fn retry(&mut self, packet: &Packet<'_>, around: &mut Surroundings<'_, '_>) {
        if self.row.is_none() {
            self.note(packet, around);
        }
        self.letter(around.direction, b'R');
        self.write(around.connection, around.sink);
        self.keys = None;
        for side in [&mut self.sides.to_server, &mut self.sides.to_client] {
            *side = Side { short: side.short, ..Side::default() };
        }
    }

    /// Reads what an Initial packet holds.
    fn initial(&mut self, packet: &Packet<'_>, whole: &[u8], around: &mut Surroundings<'_, '_>) {
        let direction = around.direction;
        if self.keys.is_none() && direction == Direction::ToServer {
            self.keys = InitialKeys::derive(packet.version, packet.destination).map(Box::new);
        }
        let Some(keys) = &self.keys else { return };
        let Some(content) = keys.open(direction, whole, packet.number_at, &mut self.buffer) else { return };
        let crypto = &mut self.sides[direction].crypto;
        let mut closes = false;
        let read = frames::each(content, |frame| match frame {
            // What lies too far from the start is lost.
            Frame::Crypto { offset, data } => drop(crypto.insert(offset, data)),
            Frame::ConnectionClose => closes = true,
        });
        if read.is_err() {
            return;
        }
        around.sink.service(around.connection, "quic");
        self.handshake(around);
        if closes {
            self.letter(direction, b'C');
            self.write(around.connection, around.sink);
        }
    }

    /// Gives what is new of a handshake to TLS.
    fn handshake(&mut self, around: &mut Surroundings<'_, '_>) {
        let Surroundings { direction, time, .. } = *around;
        let Side { crypto, assembly, given, .. } = &mut self.sides[direction];
        let fresh = crypto.start().get(*given..).unwrap_or_default();
        if fresh.is_empty() {
            return;
        }
        *given += fresh.len();
        let before = self.tls.trace.history.len();
        let mut receiver = Receiver { transaction: &mut self.tls, settings: &self.settings, direction, time };
        // What makes no sense is lost; others may follow.
        let _ = assembly.push(fresh, &mut receiver);
        let hellos = self.tls.trace.history.get(before..).unwrap_or_default();
        let hellos = hellos.iter().filter(|letter| matches!(letter, b'C' | b's' | b'j')).count();
        for _ in 0..hellos {
            self.hello(around);
        }
        self.ssl.transaction(around.connection, &self.tls, direction, false, around.sink);
    }

    /// One side said hello.
    fn hello(&mut self, around: &mut Surroundings<'_, '_>) {
        self.letter(around.direction, b'S');
        self.sides[around.direction].greeted = true;
        let (Some(row), Some(hello), Direction::ToServer) =
            (&mut self.row, &self.tls.client_hello, around.direction)
        else {
            return;
        };
        around.sink.service(around.connection, "ssl");
        row.server_name.clone_from(&hello.server_name);
        row.client_protocol = hello.alpns.first().cloned();
        if hello.alpns.len() > 1 {
            let names: Vec<_> = hello.alpns.iter().map(|alpn| String::from_utf8_lossy(alpn)).collect();
            let about = format!("[{}]", names.join(", "));
            around.sink.weird_of(around.connection, around.time, "QUIC_many_protocols", Some(&about), None);
        }
    }

    fn write(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink) {
        let Some(row) = self.row.take() else { return };
        let text = |text: &'_ Option<String>| text.as_ref().map(|text| text.as_bytes().to_vec());
        let [initial, client, server] =
            [&row.client_initial_dcid, &row.client_scid, &row.server_scid].map(text);
        let values = [
            ZeekValue::String(&row.version.zeek().into_owned().into_bytes()),
            ZeekValue::text(initial.as_deref()),
            ZeekValue::text(client.as_deref()),
            ZeekValue::text(server.as_deref()),
            ZeekValue::text(row.server_name.as_deref()),
            ZeekValue::text(row.client_protocol.as_deref()),
            ZeekValue::String(&row.history),
        ];
        sink.row(&STREAM, connection, row.time, &values);
    }
}

impl DatagramLogger for QuicLogger {
    fn datagram(
        &mut self,
        connection: &ZeekConnection<'_>,
        direction: Direction,
        payload: &[u8],
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) {
        let mut around = Surroundings { connection, direction, time: time.max(FIRST_TIME), sink };
        let mut rest = payload;
        for _ in 0..MAX_PACKETS {
            if self.over {
                return;
            }
            match self.packet(rest, &mut around) {
                Some(after) => rest = after,
                None => return,
            }
        }
    }

    fn end(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink) {
        self.write(connection, sink);
        self.ssl.end(connection, sink);
    }
}
