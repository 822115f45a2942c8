//! DTLS (RFC 6347, RFC 9147) for Zeek's logs and scripts: the handshake in the clear, record by record.
//! Rules and EVE know nothing of it.
//!
//! Limits: [`MAX_MESSAGE`] bytes of a message that comes in fragments, [`MAX_RECORDS`] records of a
//! datagram. Fragments that come out of order are lost.

use std::ops::ControlFlow;

use weir_applayer::zeek::{
    Datagram, DatagramLogger, DatagramLogs, EventRaiser, EventSink, EventsByName, News,
};
use weir_applayer::{NoOptions, ZeekLogger, ZeekSink};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::events::{self, EVENTS};
use super::handshake::{Assembly, Receiver};
use super::record::{ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE, HEARTBEAT, Header};
use super::settings::Settings;
use super::transaction::{TlsTransaction, What};
use super::version::Version;
use super::zeek::SslLogger;

/// Longest message that is put together.
const MAX_MESSAGE: usize = 64 * 1024;

/// Most records of a datagram.
const MAX_RECORDS: usize = 32;

const CLIENT_HELLO: u8 = 1;

/// DTLS in Zeek's logs.
pub const LOGS: DatagramLogs =
    DatagramLogs { name: "dtls", streams: &[], ports: &[], fits, open: || Box::new(DtlsLogger::new()) };

/// Whether a datagram begins with a handshake record that nothing protects.
fn fits(payload: &[u8]) -> bool {
    matches!(payload, [HANDSHAKE, 0xfe, 0xfc..=0xff, 0, 0, _, _, _, _, _, _, _, _, 1..=25, ..])
}

/// A message that has come in part.
#[derive(Debug, Default)]
struct Fragments {
    sequence: u16,
    bytes: Vec<u8>,
}

struct DtlsLogger {
    transaction: TlsTransaction,
    settings: Settings,
    fragments: PerDirection<Fragments>,
    logger: SslLogger,
    /// Raises the events of TLS, where scripts run.
    raiser: Option<Box<dyn EventRaiser>>,
    /// The connection's responder is the client.
    flipped: Option<bool>,
}

impl DtlsLogger {
    fn new() -> Self {
        Self {
            transaction: TlsTransaction::default(),
            settings: Settings::read(&NoOptions),
            fragments: PerDirection::default(),
            logger: SslLogger::named("dtls"),
            raiser: None,
            flipped: None,
        }
    }

    /// The records of a datagram; none where one cannot be read.
    fn records(&mut self, direction: Direction, payload: &[u8], time: Timestamp) -> Option<()> {
        let mut reader = Reader::new(payload);
        for _ in 0..MAX_RECORDS {
            if reader.is_empty() {
                break;
            }
            let kind = reader.u8()?;
            if kind & 0xe0 == 0x20 {
                // RFC 9147 section 4: a short header, which may leave out its length.
                let direction = self.role(direction, false);
                self.hidden(direction, |transaction| transaction.trace.application_data(direction, time));
                break;
            }
            let version = Version(reader.u16()?);
            let epoch = reader.u16()?;
            reader.skip(6)?;
            let length = usize::from(reader.u16()?);
            let body = reader.take(length)?;
            self.record(direction, Header { kind, version, length }, epoch, body, time);
        }
        Some(())
    }

    fn record(&mut self, direction: Direction, header: Header, epoch: u16, body: &[u8], time: Timestamp) {
        let Header { kind, length, .. } = header;
        let begins = kind == HANDSHAKE && epoch == 0 && body.first() == Some(&CLIENT_HELLO);
        let direction = self.role(direction, begins);
        let transaction = &mut self.transaction;
        transaction.sides[direction].record_version = header.version;
        let trace = &mut transaction.trace;
        match kind {
            _ if epoch > 0 => {
                self.hidden(direction, |transaction| match kind {
                    APPLICATION_DATA => transaction.trace.application_data(direction, time),
                    _ => transaction.trace.ciphertext(),
                });
                self.transaction.note_seen(direction, || What::Opaque(kind, length));
                return;
            }
            CHANGE_CIPHER_SPEC => {
                trace.change_cipher_spec(direction, time);
                transaction.note_seen(direction, || What::ChangeCipherSpec);
            }
            ALERT => {
                if let [level, description] = *body {
                    trace.alert(direction, description, time);
                    transaction.note_seen(direction, || What::Alert(level, description));
                }
            }
            HANDSHAKE => {
                let mut rest = body;
                while let Some(after) = self.fragment(direction, rest, time) {
                    rest = after;
                }
            }
            HEARTBEAT => transaction.note_seen(direction, || What::Heartbeat(length, body.into())),
            APPLICATION_DATA => trace.application_data(direction, time),
            _ => {}
        }
        self.transaction.note_seen(direction, || What::Plain(kind, length));
    }

    /// Takes a record that is encrypted, and tells where it shows that the connection is established.
    fn hidden(&mut self, direction: Direction, take: impl FnOnce(&mut TlsTransaction)) {
        let was_established = self.transaction.trace.established;
        take(&mut self.transaction);
        if !was_established && self.transaction.trace.established {
            self.transaction.note_seen(direction, || What::Established);
        }
    }

    /// Returns the direction between client and server, where the connection's ends may be the other way round.
    fn role(&mut self, direction: Direction, is_client_hello: bool) -> Direction {
        if is_client_hello && self.flipped.is_none() {
            let flipped = direction == Direction::ToClient;
            self.flipped = Some(flipped);
            if flipped {
                self.transaction.trace.history.push(b'^');
                self.transaction.note_seen(Direction::ToServer, || What::Flipped);
            }
        }
        if self.flipped == Some(true) { direction.opposite() } else { direction }
    }

    /// A fragment of a message; answers what follows it.
    fn fragment<'a>(&mut self, direction: Direction, bytes: &'a [u8], time: Timestamp) -> Option<&'a [u8]> {
        let mut reader = Reader::new(bytes);
        let kind = reader.u8()?;
        let length = reader.u24()? as usize;
        let sequence = reader.u16()?;
        let offset = reader.u24()? as usize;
        let part_length = reader.u24()? as usize;
        let part = reader.take(part_length)?;
        self.transaction.trace.begin(time);
        let fragments = &mut self.fragments[direction];
        if offset == 0 {
            *fragments = Fragments { sequence, bytes: Vec::new() };
        }
        if length <= MAX_MESSAGE && fragments.sequence == sequence && fragments.bytes.len() == offset {
            fragments.bytes.extend_from_slice(part);
            if fragments.bytes.len() == length {
                let body = std::mem::take(&mut fragments.bytes);
                self.message(direction, kind, &body, time);
            }
        }
        Some(reader.rest())
    }

    /// A whole message, given on in the form of TLS.
    fn message(&mut self, direction: Direction, kind: u8, body: &[u8], time: Timestamp) {
        let length = body.len();
        let body = if kind == CLIENT_HELLO { without_cookie(body) } else { Some(body.to_vec()) };
        let Some(body) = body else { return };
        let [_, high, middle, low] = (body.len() as u32).to_be_bytes();
        let whole = [&[kind, high, middle, low][..], &body].concat();
        let left_out = length - body.len();
        let mut receiver = Receiver {
            transaction: &mut self.transaction,
            settings: &self.settings,
            direction,
            time,
            left_out,
        };
        // Datagrams are read one by one: after a message that makes no sense others may.
        Assembly::default().push(&whole, &mut receiver);
    }
}

/// A client's hello without the cookie that TLS does not have.
fn without_cookie(body: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(body);
    // Version and random, then the session.
    reader.skip(34)?;
    let session = usize::from(reader.u8()?);
    reader.skip(session)?;
    let before = body.len() - reader.len();
    let cookie = usize::from(reader.u8()?);
    reader.skip(cookie)?;
    Some([body.get(..before)?, reader.rest()].concat())
}

impl DatagramLogger for DtlsLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { direction, payload, time } = datagram;
        if sink.settings().is_some() && self.raiser.is_none() {
            self.raiser = Some((EVENTS.open)());
            self.transaction.seen.get_or_insert_default();
        }
        // What cannot be read is lost, like a datagram that did not come.
        let _read = self.records(direction, payload, time);
        let news = News { transaction: &self.transaction, complete: true };
        let mut goes_on = false;
        if let Some(raiser) = &mut self.raiser {
            let mut events = EventsByName { names: EVENTS.names, sink };
            raiser.transaction(news, &mut events);
            goes_on = !events.is_set(events::STOPS);
        }
        self.logger.transaction(news, sink);
        let is_over = self.transaction.trace.is_over() && !goes_on;
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.logger.end(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Events;

    fn record(kind: u8, epoch: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![kind, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 0, 0, body.len() as u8];
        bytes.extend_from_slice(body);
        bytes
    }

    /// A fragment of a message.
    fn part(kind: u8, length: usize, offset: usize, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![kind, 0, 0, length as u8, 0, 0, 0, 0, offset as u8, 0, 0, body.len() as u8];
        bytes.extend_from_slice(body);
        bytes
    }

    fn client_hello() -> Vec<u8> {
        [&[0xfe, 0xfd][..], &[7; 32], &[0, 3, 9, 9, 9, 0, 2, 0xc0, 0x30, 1, 0]].concat()
    }

    fn server_hello() -> Vec<u8> {
        [&[0xfe, 0xfd][..], &[8; 32], &[0, 0xc0, 0x30, 0]].concat()
    }

    #[test]
    fn a_handshake_in_fragments() {
        use Direction::{ToClient, ToServer};
        let (client, server) = (client_hello(), server_hello());
        for flipped in [false, true] {
            let mut logger = DtlsLogger::new();
            let turned = |direction: Direction| if flipped { direction.opposite() } else { direction };
            let mut say = |direction, bytes: &[u8]| logger.records(turned(direction), bytes, Timestamp(5));
            let first = part(1, client.len(), 0, &client[..20]);
            assert!(fits(&record(22, 0, &first)));
            say(ToServer, &record(22, 0, &first));
            say(ToServer, &record(22, 0, &part(1, client.len(), 20, &client[20..])));
            // The server asks for a proof of the address first.
            say(ToClient, &record(22, 0, &part(3, 3, 0, &[0xfe, 0xff, 0])));
            say(ToClient, &record(22, 0, &part(2, server.len(), 0, &server)));
            for direction in [ToServer, ToClient] {
                say(direction, &[record(20, 0, &[1]), record(22, 1, &[0; 9])].concat());
            }
            let trace = &logger.transaction.trace;
            assert_eq!(String::from_utf8_lossy(&trace.history), if flipped { "^CvsIi" } else { "CvsIi" });
            assert!(trace.established);
            assert_eq!(trace.version.map(|version| version.zeek().into_owned()).as_deref(), Some("DTLSv12"));
        }
    }

    #[test]
    fn what_scripts_hear() {
        use Direction::{ToClient, ToServer};
        let (client, server) = (client_hello(), server_hello());
        let mut logger = DtlsLogger::new();
        logger.transaction.seen.get_or_insert_default();
        let mut say = |direction, bytes: &[u8]| logger.records(direction, bytes, Timestamp(5));
        say(ToServer, &record(22, 0, &part(1, client.len(), 0, &client)));
        say(ToClient, &record(22, 0, &part(3, 3, 0, &[0xfe, 0xff, 0])));
        say(ToClient, &record(22, 0, &part(2, server.len(), 0, &server)));
        for direction in [ToServer, ToClient] {
            say(direction, &[record(20, 0, &[1]), record(22, 1, &[0; 9])].concat());
        }
        say(ToServer, &record(23, 1, &[0; 7]));
        let mut events = Events::new(EVENTS.names);
        let news = News { transaction: &logger.transaction, complete: true };
        (EVENTS.open)().transaction(news, &mut events);
        let raised: Vec<&str> =
            events.raised.iter().map(|line| line.split(" \\x").next().unwrap_or(line)).collect();
        let expected = [
            "ssl_client_hello c 65277 65277 117901063",
            // With the cookie.
            "ssl_handshake_message c T 1 45",
            "ssl_plaintext_data c T 65277 22 57",
            "ssl_handshake_message c F 3 3",
            "ssl_plaintext_data c F 65277 22 15",
            "ssl_server_hello c 65277 65277 134744072",
            "ssl_handshake_message c F 2 38",
            "ssl_plaintext_data c F 65277 22 50",
            "ssl_change_cipher_spec c T",
            "ssl_plaintext_data c T 65277 20 1",
            "ssl_encrypted_data c T 65277 22 9",
            "ssl_change_cipher_spec c F",
            "ssl_plaintext_data c F 65277 20 1",
            "ssl_established c",
            "ssl_encrypted_data c F 65277 22 9",
            "ssl_encrypted_data c T 65277 23 7",
        ];
        assert_eq!(raised, expected);
    }

    #[test]
    fn any_bytes_are_taken() {
        let whole = record(22, 0, &part(1, 43, 0, &client_hello()));
        for length in 0..whole.len() {
            for byte in [0, 0x2f, 0xff] {
                let mut bytes = whole[..length].to_vec();
                bytes.push(byte);
                DtlsLogger::new().records(Direction::ToServer, &bytes, Timestamp(1));
            }
        }
        assert!(!fits(b"") && !fits(&[22, 3, 3, 0, 0]));
    }
}
