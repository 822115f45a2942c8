//! DTLS (RFC 6347, RFC 9147) for Zeek's logs: the handshake in the clear, record by record.
//! Rules and EVE know nothing of it.
//!
//! Limits: [`MAX_MESSAGE`] bytes of a message that comes in fragments, [`MAX_RECORDS`] records of a
//! datagram. Fragments that come out of order are lost.

use std::ops::ControlFlow;

use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs, News};
use weir_applayer::{NoOptions, ZeekLogger, ZeekSink};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::handshake::{Assembly, Receiver};
use super::settings::Settings;
use super::transaction::TlsTransaction;
use super::zeek::SslLogger;

/// Longest message that is put together.
const MAX_MESSAGE: usize = 64 * 1024;

/// Most records of a datagram.
const MAX_RECORDS: usize = 32;

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
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
                self.transaction.trace.application_data(direction, time);
                break;
            }
            let _version = reader.u16()?;
            let epoch = reader.u16()?;
            reader.skip(6)?;
            let length = usize::from(reader.u16()?);
            let body = reader.take(length)?;
            self.record(direction, (kind, epoch), body, time);
        }
        Some(())
    }

    fn record(&mut self, direction: Direction, (kind, epoch): (u8, u16), body: &[u8], time: Timestamp) {
        let begins = kind == HANDSHAKE && epoch == 0 && body.first() == Some(&CLIENT_HELLO);
        let direction = self.role(direction, begins);
        let trace = &mut self.transaction.trace;
        match kind {
            _ if epoch > 0 && kind != APPLICATION_DATA => trace.ciphertext(),
            CHANGE_CIPHER_SPEC => trace.change_cipher_spec(direction, time),
            ALERT => {
                if let [_, description] = body {
                    trace.alert(direction, *description, time);
                }
            }
            HANDSHAKE => {
                let mut rest = body;
                while let Some(after) = self.fragment(direction, rest, time) {
                    rest = after;
                }
            }
            APPLICATION_DATA => trace.application_data(direction, time),
            _ => {}
        }
    }

    /// Returns the direction between client and server, where the connection's ends may be the other way round.
    fn role(&mut self, direction: Direction, is_client_hello: bool) -> Direction {
        if is_client_hello && self.flipped.is_none() {
            let flipped = direction == Direction::ToClient;
            self.flipped = Some(flipped);
            if flipped {
                self.transaction.trace.history.push(b'^');
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
        let body = if kind == CLIENT_HELLO { without_cookie(body) } else { Some(body.to_vec()) };
        let Some(body) = body else { return };
        let [_, high, middle, low] = (body.len() as u32).to_be_bytes();
        let whole = [&[kind, high, middle, low][..], &body].concat();
        let mut receiver =
            Receiver { transaction: &mut self.transaction, settings: &self.settings, direction, time };
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
        // What cannot be read is lost, like a datagram that did not come.
        let _read = self.records(direction, payload, time);
        let news = News { transaction: &self.transaction, complete: true };
        self.logger.transaction(news, sink);
        if self.transaction.trace.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.logger.end(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
