//! Cuts streams into records and drives the one transaction of a flow.
//!
//! Records of data and under encryption are passed over as they come; others are waited for in
//! full. Handshake messages may be spread over records ([`super::handshake`]).

use std::sync::Arc;

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Protocol, Request, TransactionList, factory,
};
use weir_base::{Direction, PerDirection, Timestamp};

use super::TLS;
use super::anomaly::TlsAnomaly;
use super::frame;
use super::handshake::{self, Assembly};
use super::heartbeat::Heartbeat;
use super::record::{self, Header};
use super::settings::Settings;
use super::sslv2;
use super::transaction::{TlsTransaction, What, client, server};
use super::version::Version;
use crate::settings::EncryptionHandling;

/// Records other than data in one push that are still looked at without complaint.
const MAX_RECORDS: usize = 30;

/// Reads `app-layer.protocols.tls`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Arc::new(Settings::read(options));
    factory(move |_| {
        Box::new(TlsParser {
            settings: Arc::clone(&settings),
            streams: PerDirection::default(),
            heartbeat: Heartbeat::default(),
            is_sslv2: false,
            handed_over: false,
            transactions: TransactionList::default(),
        })
    })
}

/// One direction's bytes.
#[derive(Debug, Default)]
struct Stream {
    assembly: Assembly,
    /// Bytes of a record that are passed over.
    skip: usize,
    /// A TLS record was seen.
    started: bool,
    /// Encryption has begun.
    encrypted: bool,
    /// Data was seen.
    has_data: bool,
}

/// One conversation.
#[derive(Debug)]
pub struct TlsParser {
    settings: Arc<Settings>,
    streams: PerDirection<Stream>,
    heartbeat: Heartbeat,
    /// The server speaks SSLv2, too.
    is_sslv2: bool,
    /// The engine was notified that the conversation is encrypted.
    handed_over: bool,
    transactions: TransactionList<TlsTransaction>,
}

/// Result for the start of the bytes.
enum Step {
    /// This many were taken.
    Taken(usize),
    /// More are needed than there are.
    Needed(usize),
    /// They make no sense.
    Failed,
}

impl Parser for TlsParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.created() == 0 {
            self.begin();
        }
        if cx.files.messages
            && let Some(transaction) = self.transactions.last_mut()
        {
            transaction.seen.get_or_insert_default();
        }
        let (mut position, mut records) = (0, 0);
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            self.begin_record(direction, rest);
            match self.step(cx, direction, rest, position, &mut records) {
                Step::Taken(count) => {
                    self.seen(cx, direction, position, position + count);
                    position += count;
                }
                Step::Needed(needed) => return Outcome::Incomplete { consumed: position, needed },
                Step::Failed => {
                    let time = cx.arrival(position);
                    if let Some(transaction) = self.transactions.last_mut() {
                        transaction.trace.violate(time);
                        transaction.meta.updated[direction] = true;
                    }
                    return Outcome::Error;
                }
            }
        }
        if records > MAX_RECORDS {
            self.note(cx, [TlsAnomaly::TooManyRecordsInPacket]);
        }
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.certified();
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if let Some(transaction) = self.transactions.last_mut() {
            let finished = match direction {
                Direction::ToServer => client::FINISHED,
                Direction::ToClient => server::FINISHED,
            };
            transaction.meta.advance(direction, finished);
        }
    }

    fn follows(&mut self, before: &'static Protocol) {
        self.begin().before = Some(before.eve_name);
    }

    fn held(&self) -> usize {
        Direction::BOTH.iter().map(|&direction| self.streams[direction].assembly.memory()).sum()
    }

    weir_applayer::parser_transactions!(&TLS);

    fn is_one_transaction(&self) -> bool {
        true
    }
}

impl TlsParser {
    /// Opens the one transaction.
    fn begin(&mut self) -> &mut TlsTransaction {
        let transaction = self.transactions.push(TlsTransaction::default());
        transaction.settings = *self.settings;
        transaction
    }

    /// Tells the version that a record's first byte alone says: SSLv2 sets one of the two highest bits.
    fn begin_record(&mut self, direction: Direction, rest: &[u8]) {
        if self.streams[direction].skip > 0 {
            return;
        }
        if let (Some(first), Some(transaction)) = (rest.first(), self.transactions.last_mut()) {
            let side = &mut transaction.sides[direction];
            if first & 0xc0 != 0 {
                side.shown_version = Version::SSL2;
            } else if side.shown_version == Version::SSL2 {
                side.shown_version = Version::default();
            }
        }
    }

    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
        records: &mut usize,
    ) -> Step {
        let stream = &mut self.streams[direction];
        if stream.skip > 0 {
            let count = stream.skip.min(rest.len());
            stream.skip -= count;
            if stream.skip == 0 {
                cx.request(Request::InspectStream(direction));
            }
            return Step::Taken(count);
        }
        if self.is_sslv2 || !stream.started && rest.first().is_some_and(|first| first & 0x80 != 0) {
            return self.sslv2_record(cx, direction, rest, position);
        }
        let Some(header) = Header::read(rest) else {
            return match rest.first() {
                Some(&kind) if !is_known(kind) => self.unknown_record(cx),
                _ => Step::Needed(record::HEADER_LENGTH),
            };
        };
        if let Some(failed) = self.check(cx, header) {
            return failed;
        }
        if let Some(transaction) = self.transactions.last_mut() {
            let hello = match direction {
                Direction::ToServer => transaction.steps.client_hello,
                Direction::ToClient => transaction.steps.server_hello,
            };
            let side = &mut transaction.sides[direction];
            side.record_version = header.version;
            if !hello || side.shown_version == Version::default() {
                side.shown_version = header.version;
            }
        }
        let whole = record::HEADER_LENGTH + header.length;
        let opaque = header.kind == record::APPLICATION_DATA || self.streams[direction].encrypted;
        if !opaque && rest.len() < whole {
            return Step::Needed(whole);
        }
        self.streams[direction].started = true;
        frame::report(cx, direction, position, header);
        if opaque {
            let time = cx.arrival(position + record::HEADER_LENGTH - 1);
            self.opaque_record(cx, direction, header, time);
            self.streams[direction].skip = header.length;
            return Step::Taken(record::HEADER_LENGTH);
        }
        *records += 1;
        let time = cx.arrival(position + whole - 1);
        let body = rest.get(record::HEADER_LENGTH..whole).unwrap_or_default();
        match self.plain_record(cx, direction, header, body, time) {
            Some(()) => {
                // Rules on the stream look at a record once it is whole.
                cx.request(Request::InspectStream(direction));
                Step::Taken(whole)
            }
            None => Step::Failed,
        }
    }

    /// Whether a header cannot be one.
    fn check(&mut self, cx: &mut ParseContext<'_>, header: Header) -> Option<Step> {
        if !is_known(header.kind) {
            return Some(self.unknown_record(cx));
        }
        let anomaly = if !header.version.is_for_records() {
            TlsAnomaly::InvalidRecordVersion
        } else if header.length > record::MAX_LENGTH {
            TlsAnomaly::InvalidRecordLength
        } else {
            return None;
        };
        self.note(cx, [anomaly]);
        Some(Step::Failed)
    }

    fn unknown_record(&mut self, cx: &mut ParseContext<'_>) -> Step {
        self.note(cx, [TlsAnomaly::InvalidRecordType]);
        Step::Failed
    }

    /// Reads a record in the clear; none where it cannot be one.
    fn plain_record(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: Header,
        body: &[u8],
        time: Timestamp,
    ) -> Option<()> {
        match header.kind {
            record::HANDSHAKE => {
                let stream = &mut self.streams[direction];
                let transaction = self.transactions.last_mut()?;
                let mut receiver = handshake::Receiver {
                    transaction,
                    settings: &self.settings,
                    direction,
                    time,
                    left_out: 0,
                };
                stream.assembly.push(body, &mut receiver);
            }
            record::CHANGE_CIPHER_SPEC => self.change_cipher_spec(direction, time),
            record::ALERT => match (body, self.transactions.last_mut()) {
                ([], _) | ([_], _) => {
                    self.note(cx, [TlsAnomaly::InvalidAlertMessage]);
                    return None;
                }
                (&[level, description], Some(transaction)) => {
                    transaction.trace.alert(direction, description, time);
                    transaction.note_seen(direction, || What::Alert(level, description));
                    if level == record::FATAL {
                        transaction.advance(client::FINISHED, server::FINISHED);
                    }
                }
                // A longer one is encrypted.
                _ => {}
            },
            record::HEARTBEAT => {
                let found = self.heartbeat.plain(direction, body);
                self.note(cx, found);
                if let Some(transaction) = self.transactions.last_mut() {
                    transaction.trace.heartbeat(direction, time);
                    transaction.note_seen(direction, || What::Heartbeat(header.length, body.into()));
                }
            }
            _ => {}
        }
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.note_seen(direction, || What::Plain(header.kind, header.length));
        }
        Some(())
    }

    /// Reads a record that is encrypted, or data: only its header is looked at.
    fn opaque_record(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: Header,
        time: Timestamp,
    ) {
        if header.kind == record::HEARTBEAT {
            let found = self.heartbeat.encrypted(direction, header.length);
            self.note(cx, found);
        }
        if let Some(transaction) = self.transactions.last_mut() {
            let was_established = transaction.trace.established;
            let is_13 = transaction.server_hello.as_ref().is_some_and(|hello| hello.version.is_13());
            if is_13 && !was_established && header.kind == record::APPLICATION_DATA {
                transaction.note_seen(direction, || What::Hidden(header.length));
            }
            if header.kind == record::HEARTBEAT {
                transaction.note_seen(direction, || What::Heartbeat(header.length, [].into()));
            }
            if header.kind == record::APPLICATION_DATA {
                transaction.trace.application_data(direction, time);
                transaction.exchanges_data(direction);
            } else if header.kind != record::CHANGE_CIPHER_SPEC {
                transaction.trace.ciphertext();
            }
            if !was_established && transaction.trace.established {
                transaction.note_seen(direction, || What::Established);
            }
            transaction.note_seen(direction, || What::Opaque(header.kind, header.length));
        }
        if header.kind == record::APPLICATION_DATA {
            self.streams[direction].has_data = true;
            self.hand_over(cx);
        }
    }

    fn change_cipher_spec(&mut self, direction: Direction, time: Timestamp) {
        let Some(transaction) = self.transactions.last_mut() else { return };
        transaction.trace.change_cipher_spec(direction, time);
        transaction.note_seen(direction, || What::ChangeCipherSpec);
        if direction == Direction::ToServer {
            transaction.reach(direction, client::HANDSHAKE_DONE);
        }
        if transaction.server_hello.as_ref().is_some_and(|hello| hello.version.is_13()) {
            // Sent for the sake of middle boxes; it changes nothing.
            return;
        }
        if transaction.server_hello.is_none() && transaction.client_hello.is_some() {
            // Likewise, around a request for another hello.
            return;
        }
        self.streams[direction].encrypted = true;
    }

    /// Once both sides exchange data: tells the engine what the configuration says.
    fn hand_over(&mut self, cx: &mut ParseContext<'_>) {
        let Some(transaction) = self.transactions.last_mut() else { return };
        let is_13 = transaction.server_hello.as_ref().is_some_and(|hello| hello.version.is_13());
        let [up, down] = [&self.streams.to_server, &self.streams.to_client];
        let ready = if is_13 { up.has_data && down.has_data } else { up.encrypted && down.encrypted };
        if !ready || !transaction.is_done() {
            return;
        }
        let followed = self.settings.followed || cx.files.messages;
        let ends = !followed || self.settings.encryption == EncryptionHandling::Bypass;
        if ends {
            transaction.advance(client::FINISHED, server::FINISHED);
        }
        if self.handed_over {
            return;
        }
        self.handed_over = true;
        match self.settings.encryption {
            EncryptionHandling::Full => {}
            // The frames of encrypted records may be asked for, or the end of the conversation.
            EncryptionHandling::TrackOnly if cx.frames.is_some() || followed => {
                cx.request(Request::StopStreamInspection);
            }
            EncryptionHandling::TrackOnly => cx.request(Request::StopInspection),
            EncryptionHandling::Bypass => {
                cx.request(Request::StopInspection);
                cx.request(Request::StopParsing(Direction::ToServer));
                cx.request(Request::StopParsing(Direction::ToClient));
                cx.request(Request::Encrypted);
            }
        }
    }

    fn sslv2_record(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        if self.streams[direction].encrypted {
            return Step::Taken(rest.len());
        }
        let Some(length) = sslv2::record_length(rest) else {
            if rest.len() < sslv2::HEADER_LENGTH {
                return Step::Needed(sslv2::HEADER_LENGTH);
            }
            // The header of three bytes only comes with padding, which only comes with encryption.
            self.streams[direction].encrypted = true;
            return Step::Taken(rest.len());
        };
        let whole = sslv2::HEADER_LENGTH + length;
        let Some(content) = rest.get(sslv2::HEADER_LENGTH..whole) else { return Step::Needed(whole) };
        frame::report_sslv2(cx, direction, position, length);
        let time = cx.arrival(position + whole - 1);
        let read =
            content.split_first().and_then(|(kind, body)| self.sslv2_message(direction, *kind, body, time));
        if read.is_none() {
            self.note(cx, [TlsAnomaly::InvalidSslv2Header, TlsAnomaly::InvalidSslRecord]);
            return Step::Failed;
        }
        Step::Taken(whole)
    }

    fn sslv2_message(&mut self, direction: Direction, kind: u8, body: &[u8], time: Timestamp) -> Option<()> {
        let transaction = self.transactions.last_mut()?;
        transaction.sides[direction].record_version = Version::SSL2;
        match (kind, direction) {
            (sslv2::message_type::ERROR, _) => transaction.note([TlsAnomaly::ErrorMessageEncountered]),
            (sslv2::message_type::CLIENT_HELLO, Direction::ToServer) => {
                let hello = sslv2::ClientHello::read(body)?;
                transaction.sides[direction].version = hello.version;
                transaction.sides[direction].shown_version = hello.version;
                transaction.steps.client_hello = true;
                transaction.trace.sslv2_client_hello(time);
                transaction.meta.advance(direction, client::HELLO_DONE);
            }
            (sslv2::message_type::SERVER_HELLO, Direction::ToClient) => {
                let hello = sslv2::ServerHello::read(body)?;
                self.is_sslv2 = true;
                transaction.sides[direction].version = Version::SSL2;
                transaction.steps.server_hello = true;
                transaction.trace.sslv2_server_hello(hello.kinds.first().copied(), time);
                if !hello.certificate.is_empty() {
                    handshake::certificates(transaction, direction, vec![hello.certificate], time);
                }
                transaction.reach(direction, server::HELLO);
            }
            (sslv2::message_type::CLIENT_MASTER_KEY, Direction::ToServer) => {
                let kind = <[u8; 3]>::try_from(body.get(..3)?).ok()?;
                transaction.steps.client_key_exchange = true;
                let [high, middle, low] = kind;
                transaction.trace.sslv2_master_key(u32::from_be_bytes([0, high, middle, low]));
                self.streams.to_server.encrypted = true;
                self.streams.to_client.encrypted = true;
            }
            (sslv2::message_type::CLIENT_CERTIFICATE, Direction::ToServer) => {}
            _ => return None,
        }
        Some(())
    }

    fn seen(&mut self, cx: &ParseContext<'_>, direction: Direction, start: usize, end: usize) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.meta.seen(direction, cx.arrival(start));
            transaction.meta.seen(direction, cx.arrival(end.saturating_sub(1)));
        }
    }

    /// Records anomalies of the conversation, or of the flow where the transaction is gone.
    fn note(&mut self, cx: &mut ParseContext<'_>, anomalies: impl IntoIterator<Item = TlsAnomaly>) {
        match self.transactions.last_mut() {
            Some(transaction) => transaction.note(anomalies),
            None => cx.anomalies.extend(anomalies.into_iter().map(weir_applayer::Anomaly::from)),
        }
    }
}

const fn is_known(kind: u8) -> bool {
    matches!(kind, record::CHANGE_CIPHER_SPEC..=record::HEARTBEAT)
}
