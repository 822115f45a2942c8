//! Zeek's quic log, and its ssl log of the handshake in QUIC. Zeek follows a connection datagram by
//! datagram to its end, rules only until both sides said hello: it is not the parser's transactions that
//! these logs are written from.
//!
//! Limits: [`MAX_HISTORY`] letters, [`MAX_PACKETS`] packets of a datagram, and what is put together of a
//! handshake ([`super::crypto`]).

use std::ops::ControlFlow;

use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs, EventRaiser, EventsByName, News, Silent};
use weir_applayer::{NoOptions, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, PerDirection, Timestamp, hex};

use super::crypto::CryptoStream;
use super::events;
use super::frames::{self, Frame};
use super::header::{FIXED, Kind, LONG, Packet};
use super::keys::Keyring;
use super::version::Version;
use crate::tls;
use crate::tls::handshake::{Assembly, Receiver};
use crate::tls::settings::Settings;
use crate::tls::transaction::TlsTransaction;
use crate::tls::zeek::SslLogger;

zeek_stream! {
    static STREAM: "quic" of a connection;
    /// A row as it is written.
    struct Columns {
        version: Text,
        client_initial_dcid: Text,
        client_scid: Text,
        server_scid: Text,
        server_name: Text,
        client_protocol: Text,
        history: Text,
    }
}

/// The log's stream; its rows come from [`DATAGRAMS`].
pub static LOGS: ZeekLogs = ZeekLogs::new(&[&STREAM], Silent::open);

/// QUIC in Zeek's logs.
pub const DATAGRAMS: DatagramLogs =
    DatagramLogs { name: "quic", streams: &[], ports: PORTS, fits, open: || Box::new(QuicLogger::new()) };

/// Where Zeek expects QUIC, and DNS over it (RFC 9250, and the ports of its drafts).
const PORTS: &[u16] = &[443, 853, 784, 8853];

/// Longest history.
const MAX_HISTORY: usize = 100;

/// Packets that are not QUIC's of which the history tells.
const MAX_DISCARDED: u32 = 100;

/// Most packets of a datagram.
const MAX_PACKETS: usize = 64;

/// The version of records that the events of TLS name: there are no records.
const RECORDS: tls::version::Version = tls::version::Version(0x0301);

/// Whether a datagram begins with a long header.
fn fits(payload: &[u8]) -> bool {
    matches!(payload, [first, _, _, _, _, _, ..] if first & (LONG | FIXED) == LONG | FIXED)
}

/// Columns of a row.
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

/// TLS messages of a side.
#[derive(Default)]
struct Side {
    crypto: CryptoStream,
    assembly: Assembly,
    /// Bytes of the stream that the assembly has.
    given: usize,
    /// Its hello was read: Zeek decrypts no more of what it sends.
    greeted: bool,
}

/// TLS handshake until both sides said hello.
struct Handshake {
    keys: Option<Keyring>,
    sides: PerDirection<Side>,
    buffer: Vec<u8>,
    tls: TlsTransaction,
    settings: Settings,
}

/// Follows one connection.
struct QuicLogger {
    row: Option<Row>,
    handshake: Option<Box<Handshake>>,
    ssl: SslLogger,
    /// Raises the events of TLS, where scripts run.
    raiser: Option<Box<dyn EventRaiser>>,
    /// Packets with short headers so far.
    short: PerDirection<u64>,
    discarded: u32,
    /// Packets that were decrypted.
    decrypted: u64,
    /// A packet could not be read: Zeek looks at no more of the connection.
    over: bool,
}

/// Client hello.
struct Greeting {
    server_name: Option<Vec<u8>>,
    protocols: Vec<Vec<u8>>,
}

/// Content of an Initial packet.
#[derive(Default)]
struct Found {
    /// Hellos of this direction.
    hellos: usize,
    /// The client's.
    greeting: Option<Greeting>,
    /// The error that ends the connection, and what is said of it.
    close: Option<(u64, Vec<u8>)>,
}

/// A datagram's direction and time, and where rows go.
struct Surroundings<'a> {
    direction: Direction,
    time: Timestamp,
    sink: &'a mut dyn ZeekSink,
}

impl Handshake {
    /// Reads what an Initial packet holds; nothing where it cannot be read.
    fn initial(&mut self, packet: &Packet<'_>, whole: &[u8], around: &Surroundings<'_>) -> Option<Found> {
        let Surroundings { direction, time, .. } = *around;
        let side = &mut self.sides[direction];
        if side.greeted {
            return None;
        }
        if self.keys.is_none() && direction == Direction::ToServer {
            self.keys = Keyring::new(packet.version, packet.destination);
        }
        let content = self.keys.as_mut()?.of(packet.version)?.open(
            direction,
            whole,
            packet.number_at,
            &mut self.buffer,
        )?;
        let mut found = Found::default();
        frames::each(content, |frame| match frame {
            // What lies too far from the start is lost.
            Frame::Crypto { offset, data } => drop(side.crypto.insert(offset, data)),
            Frame::ConnectionClose { error, reason } => found.close = Some((error, reason.to_vec())),
        })
        .ok()?;
        let fresh = side.crypto.start().get(side.given..).unwrap_or_default();
        if fresh.is_empty() {
            return Some(found);
        }
        side.given += fresh.len();
        let before = self.tls.trace.history.len();
        let mut receiver =
            Receiver { transaction: &mut self.tls, settings: &self.settings, direction, time, left_out: 0 };
        // What makes no sense is lost; others may follow.
        side.assembly.push(fresh, &mut receiver);
        let letters = self.tls.trace.history.get(before..).unwrap_or_default();
        found.hellos = letters.iter().filter(|letter| matches!(letter, b'C' | b's' | b'j')).count();
        side.greeted = found.hellos > 0;
        if side.greeted && direction == Direction::ToServer {
            found.greeting = self.tls.client_hello.as_ref().map(|hello| Greeting {
                server_name: hello.server_name.clone(),
                protocols: hello.alpns.clone(),
            });
        }
        Some(found)
    }

    fn is_over(&self) -> bool {
        Direction::BOTH.iter().all(|&direction| self.sides[direction].greeted)
    }
}

impl QuicLogger {
    fn new() -> Self {
        let handshake = Handshake {
            keys: None,
            sides: PerDirection::default(),
            buffer: Vec::new(),
            tls: TlsTransaction::default(),
            settings: Settings::read(&NoOptions),
        };
        Self {
            row: None,
            handshake: Some(Box::new(handshake)),
            ssl: SslLogger::named("ssl"),
            raiser: None,
            short: PerDirection::default(),
            discarded: 0,
            decrypted: 0,
            over: false,
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
    fn note(&mut self, packet: &Packet<'_>, around: &Surroundings<'_>) {
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
    fn packet<'p>(&mut self, bytes: &'p [u8], around: &mut Surroundings<'_>) -> Option<&'p [u8]> {
        let &first = bytes.first()?;
        let direction = around.direction;
        if first & FIXED == 0 {
            events::discarded(self.decrypted, direction, around.sink);
            if self.row.is_some() && self.discarded < MAX_DISCARDED {
                self.discarded += 1;
                self.letter(direction, b'X');
            }
            return None;
        }
        if first & LONG == 0 {
            let short = &mut self.short[direction];
            *short += 1;
            if short.is_power_of_two() {
                events::many_short(*short, direction, around.sink);
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
            events::packet("QUIC::unhandled_version", &packet, direction, around.sink);
            self.letter(direction, b'U');
            return None;
        }
        if packet.kind == Kind::Retry {
            events::retried(&packet, bytes, direction, around.sink);
            self.retry(&packet, around);
            return None;
        }
        self.note(&packet, around);
        let (letter, event) = match packet.kind {
            Kind::Initial => (b'I', "QUIC::initial_packet"),
            Kind::ZeroRtt => (b'Z', "QUIC::zero_rtt_packet"),
            _ => (b'H', "QUIC::handshake_packet"),
        };
        self.letter(direction, letter);
        events::packet(event, &packet, direction, around.sink);
        let Some((whole, rest)) = bytes.split_at_checked(packet.end) else {
            self.over = true;
            return None;
        };
        if packet.kind == Kind::Initial {
            self.initial(&packet, whole, around);
        }
        Some(rest)
    }

    /// The server asks to begin again: what was said so far makes a row of its own.
    fn retry(&mut self, packet: &Packet<'_>, around: &mut Surroundings<'_>) {
        if self.row.is_none() {
            self.note(packet, around);
        }
        self.letter(around.direction, b'R');
        self.write(around.sink);
        if let Some(handshake) = &mut self.handshake {
            handshake.keys = None;
            handshake.sides = PerDirection::default();
        }
    }

    /// Takes what an Initial packet holds into rows.
    fn initial(&mut self, packet: &Packet<'_>, whole: &[u8], around: &mut Surroundings<'_>) {
        let Some(handshake) = &mut self.handshake else { return };
        if around.sink.settings().is_some() && self.raiser.is_none() {
            self.raiser = Some((tls::events::EVENTS.open)());
            handshake.tls.seen.get_or_insert_default();
            for direction in Direction::BOTH {
                handshake.tls.sides[direction].record_version = RECORDS;
            }
        }
        let Some(found) = handshake.initial(packet, whole, around) else { return };
        self.decrypted += 1;
        around.sink.service("quic");
        if let Some(greeting) = &found.greeting {
            around.sink.service("ssl");
            if let Some(row) = &mut self.row {
                row.server_name.clone_from(&greeting.server_name);
                row.client_protocol = greeting.protocols.first().cloned();
            }
            if greeting.protocols.len() > 1 {
                let names: Vec<_> =
                    greeting.protocols.iter().map(|name| String::from_utf8_lossy(name)).collect();
                let about = format!("[{}]", names.join(", "));
                around.sink.weird_of(around.time, "QUIC_many_protocols", Some(&about), None);
            }
        }
        let news = News { transaction: &handshake.tls, complete: true };
        if let Some(raiser) = &mut self.raiser {
            raiser
                .transaction(news, &mut EventsByName { names: tls::events::EVENTS.names, sink: around.sink });
        }
        self.ssl.transaction(news, around.sink);
        if handshake.is_over() {
            self.handshake = None;
        }
        for _ in 0..found.hellos {
            self.letter(around.direction, b'S');
        }
        if let Some((error, reason)) = &found.close {
            events::closed(packet, *error, reason, around.direction, around.sink);
            self.letter(around.direction, b'C');
            self.write(around.sink);
        }
    }

    fn write(&mut self, sink: &mut dyn ZeekSink) {
        let Some(row) = self.row.take() else { return };
        let version = row.version.zeek();
        let columns = Columns {
            version: (&*version).into(),
            client_initial_dcid: row.client_initial_dcid.as_deref().into(),
            client_scid: row.client_scid.as_deref().into(),
            server_scid: row.server_scid.as_deref().into(),
            server_name: row.server_name.as_deref().into(),
            client_protocol: row.client_protocol.as_deref().into(),
            history: row.history.as_slice().into(),
        };
        sink.row(&STREAM, row.time, &columns.values());
    }
}

impl DatagramLogger for QuicLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { direction, payload, time } = datagram;
        let mut around = Surroundings { direction, time, sink };
        let mut rest = payload;
        for _ in 0..MAX_PACKETS {
            let after = self.packet(rest, &mut around);
            if self.over {
                return ControlFlow::Break(());
            }
            match after {
                Some(after) => rest = after,
                None => break,
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.write(sink);
        self.ssl.end(sink);
    }
}
