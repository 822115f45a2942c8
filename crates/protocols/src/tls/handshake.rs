//! Handshake messages, RFC 5246 section 7.4 and RFC 8446 section 4: put together from records, and
//! taken into the transaction.

use weir_base::{Direction, Reader, Timestamp};

use super::anomaly::TlsAnomaly;
use super::certificate::Certificate;
use super::hello::{ClientHello, ServerHello};
use super::settings::Settings;
use super::transaction::{TlsTransaction, What, client, server};

/// Length of a message's header: type, and length in three bytes.
const HEADER_LENGTH: usize = 4;

/// A longer message is passed over.
pub const MAX_MESSAGE: usize = 256 * 1024;

/// Most certificates of one message.
const MAX_CERTIFICATES: usize = 256;

/// Longest stapled response that is kept.
const MAX_STAPLED: usize = 64 * 1024;

/// Message types.
pub(super) mod message_type {
    pub const HELLO_REQUEST: u8 = 0;
    pub const CLIENT_HELLO: u8 = 1;
    pub const SERVER_HELLO: u8 = 2;
    pub const NEW_SESSION_TICKET: u8 = 4;
    pub const CERTIFICATE: u8 = 11;
    pub const SERVER_KEY_EXCHANGE: u8 = 12;
    pub const CERTIFICATE_REQUEST: u8 = 13;
    pub const SERVER_HELLO_DONE: u8 = 14;
    pub const CERTIFICATE_VERIFY: u8 = 15;
    pub const CLIENT_KEY_EXCHANGE: u8 = 16;
    pub const FINISHED: u8 = 20;
    pub const CERTIFICATE_URL: u8 = 21;
    pub const CERTIFICATE_STATUS: u8 = 22;
    /// The highest that is assigned, but for one of its own.
    pub const LAST: u8 = 25;
    pub const MESSAGE_HASH: u8 = 254;
}

/// Whether messages of a type are read, or at least waited for.
const fn is_known(kind: u8) -> bool {
    use message_type as is;
    matches!(
        kind,
        is::HELLO_REQUEST
            | is::CLIENT_HELLO
            | is::SERVER_HELLO
            | is::NEW_SESSION_TICKET
            | is::CERTIFICATE
            | is::SERVER_KEY_EXCHANGE
            | is::CERTIFICATE_REQUEST
            | is::SERVER_HELLO_DONE
            | is::CERTIFICATE_VERIFY
            | is::CLIENT_KEY_EXCHANGE
            | is::FINISHED
            | is::CERTIFICATE_URL
            | is::CERTIFICATE_STATUS
    )
}

/// The part of a message that has come.
#[derive(Debug, Default)]
pub struct Assembly {
    partial: Vec<u8>,
    /// Bytes of a message that are passed over.
    skip: usize,
}

impl Assembly {
    /// Bytes of what waits for its rest.
    pub fn memory(&self) -> usize {
        self.partial.capacity()
    }

    /// Takes the content of a record; calls the receiver for each message that is complete.
    pub fn push(&mut self, content: &[u8], receiver: &mut Receiver<'_>) {
        let skipped = self.skip.min(content.len());
        self.skip -= skipped;
        let content = content.get(skipped..).unwrap_or_default();
        if self.partial.is_empty() {
            let rest = self.messages(content, receiver);
            self.partial.extend_from_slice(rest);
        } else {
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(content);
            let consumed = whole.len() - self.messages(&whole, receiver).len();
            whole.drain(..consumed);
            self.partial = whole;
        }
    }

    /// Hands out the complete messages; answers what is left.
    fn messages<'a>(&mut self, bytes: &'a [u8], receiver: &mut Receiver<'_>) -> &'a [u8] {
        let mut rest = bytes;
        loop {
            let mut reader = Reader::new(rest);
            let (Some(kind), Some(length)) = (reader.u8(), reader.u24()) else { return rest };
            let length = length as usize;
            if !is_known(kind) {
                // What goes on behind the record is none of it.
                let whole = reader.rest().split_at_checked(length);
                receiver.unknown(kind, whole.map(|(body, _)| body));
                rest = whole.map_or(&[], |(_, after)| after);
                continue;
            }
            if length > MAX_MESSAGE {
                receiver.too_long();
                let present = reader.len().min(length);
                self.skip = length - present;
                rest = rest.get(HEADER_LENGTH + present..).unwrap_or_default();
                continue;
            }
            let Some(body) = reader.take(length) else { return rest };
            receiver.message(kind, body);
            rest = reader.rest();
        }
    }
}

/// Takes messages into a transaction.
pub struct Receiver<'a> {
    /// The conversation.
    pub transaction: &'a mut TlsTransaction,
    /// The configuration.
    pub settings: &'a Settings,
    /// Sender's direction: the client to the server, or the other way.
    pub direction: Direction,
    /// When the record's last byte was captured.
    pub time: Timestamp,
    /// Bytes of a message that are not in what is pushed: those that TLS does not have.
    pub left_out: usize,
}

impl Receiver<'_> {
    fn too_long(&mut self) {
        self.transaction.note([TlsAnomaly::HandshakeInvalidLength]);
    }

    fn message(&mut self, kind: u8, body: &[u8]) {
        use message_type as is;
        let up = self.direction == Direction::ToServer;
        let length = body.len() + self.left_out;
        self.transaction.note_seen(self.direction, || What::Message(kind, body.into(), length));
        let transaction = &mut *self.transaction;
        match kind {
            is::CLIENT_HELLO if up => return self.client_hello(body),
            is::SERVER_HELLO if !up => return self.server_hello(body),
            is::CERTIFICATE => return self.certificate(body),
            _ => transaction.trace.message(self.direction, kind, self.time),
        }
        match kind {
            is::SERVER_KEY_EXCHANGE if !up => {
                transaction.steps.server_key_exchange = true;
                if let Some(hello) = &transaction.server_hello {
                    transaction.trace.server_key_exchange(hello.cipher, body);
                }
            }
            is::CERTIFICATE_STATUS if !up => {
                // RFC 6066 section 8: type 1 is a response of OCSP.
                if let [1, _, _, _, response @ ..] = body
                    && transaction.stapled.is_none()
                    && response.len() <= MAX_STAPLED
                {
                    transaction.stapled = Some((response.to_vec(), self.time));
                }
            }
            is::CERTIFICATE_REQUEST if !up => transaction.steps.certificate_request = true,
            is::SERVER_HELLO_DONE if !up => transaction.reach(self.direction, server::HELLO_DONE),
            is::CLIENT_KEY_EXCHANGE if up => transaction.steps.client_key_exchange = true,
            _ => {}
        }
    }

    fn unknown(&mut self, kind: u8, body: Option<&[u8]>) {
        if let Some(body) = body {
            self.transaction.note_seen(self.direction, || What::Message(kind, body.into(), body.len()));
        }
        if kind <= message_type::LAST || kind == message_type::MESSAGE_HASH {
            self.transaction.trace.message(self.direction, kind, self.time);
        }
        self.transaction.steps.unknown = true;
        self.transaction.note([TlsAnomaly::InvalidHandshakeMessage]);
    }

    /// Passes over a message that ends too early: what follows it is still read.
    fn cut_short(&mut self) {
        self.transaction.note([TlsAnomaly::HandshakeInvalidLength]);
        self.transaction.trace.violate(self.time);
    }

    fn client_hello(&mut self, body: &[u8]) {
        let mut anomalies = Vec::new();
        let hello = ClientHello::read(body, &mut anomalies);
        let transaction = &mut *self.transaction;
        transaction.note(anomalies);
        let Some(hello) = hello else { return self.cut_short() };
        transaction.trace.client_hello(&hello, self.time);
        transaction.steps.client_hello = true;
        transaction.settings = *self.settings;
        // A second hello, which a server may ask for, repeats the first with what it asked for.
        if transaction.client_hello.is_none() {
            let version = hello.preferred_version();
            transaction.sides.to_server.version = version;
            transaction.sides.to_server.shown_version = version;
            transaction.resumed |= hello.offers_ticket;
            transaction.sides.to_server.random = Some(hello.random);
            transaction.client_hello = Some(hello);
        }
        transaction.reach(Direction::ToServer, client::HELLO_DONE);
    }

    fn server_hello(&mut self, body: &[u8]) {
        let mut anomalies = Vec::new();
        let hello = ServerHello::read(body, &mut anomalies);
        let transaction = &mut *self.transaction;
        transaction.note(anomalies);
        let Some(hello) = hello else { return self.cut_short() };
        transaction.trace.server_hello(&hello, self.time);
        if hello.is_retry_request {
            return;
        }
        transaction.settings = *self.settings;
        transaction.steps.server_hello = true;
        transaction.sides.to_client.version = hello.version;
        transaction.sides.to_client.shown_version = hello.version;
        transaction.sides.to_client.random = Some(hello.random);
        let is_13 = hello.version.is_13();
        let offered = transaction.client_hello.as_ref().map(|client| client.session_id.as_slice());
        transaction.resumed |= !is_13
            && !hello.session_id.is_empty()
            && offered.is_some_and(|session| session == hello.session_id.as_slice());
        transaction.take_server_hello(hello);
        transaction.hides_certificate |= is_13;
        transaction.reach(Direction::ToClient, server::HELLO);
    }

    fn certificate(&mut self, body: &[u8]) {
        let Some((chain, whole)) = read_chain(body) else {
            self.transaction.trace.violate(self.time);
            return;
        };
        self.transaction.trace.message(self.direction, message_type::CERTIFICATE, self.time);
        let readable = certificates(self.transaction, self.direction, chain, self.time);
        if !whole {
            self.transaction.note([TlsAnomaly::InvalidCertificate]);
        }
        if !(whole && readable) {
            self.transaction.trace.violate(self.time);
        }
        match self.direction {
            Direction::ToServer => self.transaction.reach(self.direction, client::CERT_DONE),
            Direction::ToClient => self.transaction.reach(self.direction, server::CERT_DONE),
        }
    }
}

/// RFC 5246 section 7.4.2: the certificates, and whether the last is whole; none where the list does not
/// fit its message.
fn read_chain(body: &[u8]) -> Option<(Vec<Vec<u8>>, bool)> {
    let mut reader = Reader::new(body);
    let length = reader.u24()?;
    let mut list = reader.sub(length as usize)?;
    let mut chain = Vec::new();
    while !list.is_empty() && chain.len() < MAX_CERTIFICATES {
        let Some(certificate) = list.u24().and_then(|length| list.take(length as usize)) else {
            return Some((chain, false));
        };
        chain.push(certificate.to_vec());
    }
    Some((chain, true))
}

/// Takes a side's certificates into the transaction; whether the first of them can be read. Only those
/// that come first count.
pub fn certificates(
    transaction: &mut TlsTransaction,
    direction: Direction,
    chain: Vec<Vec<u8>>,
    time: Timestamp,
) -> bool {
    let mut anomalies = Vec::new();
    let side = &mut transaction.sides[direction];
    if side.certificates.is_empty() {
        side.certificate = chain.first().map(|der| Certificate::read(der, &mut anomalies));
        side.certificates = chain;
        side.certified_at = time;
    }
    let readable = anomalies.is_empty();
    transaction.note(anomalies);
    readable
}
