//! A TLS conversation: the one transaction of its flow.

use std::cell::{OnceCell, RefCell};

use sha1::{Digest, Sha1};
use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, PerDirection, Timestamp, hex};

use super::anomaly::TlsAnomaly;
use super::certificate::Certificate;
use super::fingerprint::{self, Carrier, Ja3};
use super::hello::{ClientHello, ServerHello};
use super::settings::Settings;
use super::trace::Trace;
use super::version::Version;
use crate::settings::Fingerprints;

/// States of the client.
pub mod client {
    use super::Progress;

    /// Names for rule hooks.
    pub const STATES: &[&str] = &[
        "client_in_progress",
        "client_hello_done",
        "client_cert_done",
        "client_handshake_done",
        "client_finished",
    ];
    /// The hello was read.
    pub const HELLO_DONE: Progress = Progress(1);
    /// Certificates were read.
    pub const CERT_DONE: Progress = Progress(2);
    /// Nothing more is said in the clear.
    pub const HANDSHAKE_DONE: Progress = Progress(3);
    /// Data is exchanged, or the flow ended.
    pub const FINISHED: Progress = Progress(4);
}

/// States of the server.
pub mod server {
    use super::Progress;

    /// Names for rule hooks.
    pub const STATES: &[&str] = &[
        "server_in_progress",
        "server_hello",
        "server_cert_done",
        "server_hello_done",
        "server_handshake_done",
        "server_finished",
    ];
    /// The hello was read.
    pub const HELLO: Progress = Progress(1);
    /// Certificates were read.
    pub const CERT_DONE: Progress = Progress(2);
    /// The server waits for the client's part.
    pub const HELLO_DONE: Progress = Progress(3);
    /// Nothing more is said in the clear.
    pub const HANDSHAKE_DONE: Progress = Progress(4);
    /// Data is exchanged, or the flow ended.
    pub const FINISHED: Progress = Progress(5);
}

/// Steps of the handshake that were seen, for `ssl_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// A client's hello.
    pub client_hello: bool,
    /// A server's hello.
    pub server_hello: bool,
    /// The client's part of the key exchange.
    pub client_key_exchange: bool,
    /// The server's part of the key exchange.
    pub server_key_exchange: bool,
    /// The server asks for the client's certificate.
    pub certificate_request: bool,
    /// A message that makes no sense.
    pub unknown: bool,
}

/// Messages of one side.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Version of its last record; SSLv2's for a hello in that format.
    pub record_version: Version,
    /// Version of its last record before its hello, then its hello's: the one that records show.
    pub shown_version: Version,
    /// Version of its hello: the client's highest in the old field, or what the server chose.
    pub version: Version,
    /// Time and random bytes of its hello.
    pub random: Option<[u8; 32]>,
    /// Its certificates, as sent.
    pub certificates: Vec<Vec<u8>>,
    /// The first of them.
    pub certificate: Option<Certificate>,
    /// When the last byte of its certificates was captured.
    pub certified_at: Timestamp,
    /// Made when it is first asked for.
    fingerprint: OnceCell<String>,
}

impl Side {
    /// Whether its first certificate was read, subject and issuer.
    fn is_certified(&self) -> bool {
        let read = |certificate: &Certificate| certificate.subject.is_some() && certificate.issuer.is_some();
        // What SSLv2 shows is not looked at.
        self.record_version != Version::SSL2 && self.certificate.as_ref().is_some_and(read)
    }

    /// The SHA-1 of the first certificate in lower case, `3a:0b:…`.
    pub fn fingerprint(&self) -> Option<&str> {
        let first = self.certificates.first()?;
        Some(self.fingerprint.get_or_init(|| {
            let mut text = Vec::new();
            hex::append_separated(&mut text, &Sha1::digest(first), b':');
            String::from_utf8(text).unwrap_or_default()
        }))
    }
}

/// Fingerprints, made when they are first asked for: most conversations end unasked.
#[derive(Debug, Default)]
struct LazyFingerprints {
    ja3: OnceCell<Ja3>,
    ja3s: OnceCell<Ja3>,
    ja4: OnceCell<String>,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct TlsTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Protocol that the flow spoke before, by its name in records.
    pub before: Option<&'static str>,
    /// The answer on the server's certificate that came with it, and when.
    pub stapled: Option<(Vec<u8>, Timestamp)>,
    /// The client's first hello.
    pub client_hello: Option<ClientHello>,
    /// The server's hello that counts.
    pub server_hello: Option<ServerHello>,
    /// By who sent it: the client's to the server, the server's to the client.
    pub sides: PerDirection<Side>,
    /// Steps seen.
    pub steps: Steps,
    /// The client offers a ticket, or both sides name the same session: the session may be one of before.
    pub resumed: bool,
    /// The server's hello says TLS 1.3: its certificate cannot be seen.
    pub hides_certificate: bool,
    /// Settings of fingerprints.
    pub settings: Settings,
    fingerprints: LazyFingerprints,
    /// Columns of Zeek's log.
    pub trace: Trace,
    /// Records and messages for scripts; none where they do not ask for them.
    pub seen: Option<Box<RefCell<Vec<Seen>>>>,
}

/// A record or message as it was seen, for scripts.
#[derive(Debug)]
pub struct Seen {
    /// Who sent it: the client to the server, or the other way.
    pub direction: Direction,
    /// The version of the record.
    pub version: Version,
    /// The record or message.
    pub what: What,
}

/// A record or message for scripts.
#[derive(Debug)]
pub enum What {
    /// A record in the clear: its kind and length.
    Plain(u8, usize),
    /// A record that is encrypted, or data: its kind and length.
    Opaque(u8, usize),
    /// A message of the handshake: its type and body, and its length as it was sent.
    Message(u8, Box<[u8]>, usize),
    /// The sender changes to encryption.
    ChangeCipherSpec,
    /// An alert: its level and description.
    Alert(u8, u8),
    /// A heartbeat: the length of its record, and what is in it in the clear.
    Heartbeat(usize, Box<[u8]>),
    /// A record of this length that hides a message of the handshake.
    Hidden(usize),
    /// The connection is established.
    Established,
    /// The responder of the connection is the client.
    Flipped,
}

/// Most records and messages that wait for scripts; scripts take them with each packet.
const MAX_SEEN: usize = 512;

weir_applayer::transaction!(TlsTransaction, |tx| Some(tx.held_bytes()));

impl TlsTransaction {
    /// Bytes of certificates and of what is stapled to them: no more than those of one message of each side.
    fn held_bytes(&self) -> usize {
        let certificates = Direction::BOTH.iter().flat_map(|&direction| &self.sides[direction].certificates);
        let stapled = self.stapled.as_ref().map_or(0, |(bytes, _)| bytes.len());
        certificates.map(|der| size_of::<Vec<u8>>() + der.capacity()).sum::<usize>() + stapled
    }

    /// Keeps what was seen for scripts, where they ask for it.
    pub fn note_seen(&mut self, direction: Direction, what: impl FnOnce() -> What) {
        let version = self.sides[direction].record_version;
        let Some(seen) = &mut self.seen else { return };
        let seen = seen.get_mut();
        if seen.len() < MAX_SEEN {
            seen.push(Seen { direction, version, what: what() });
        }
    }

    /// Takes what was seen since the last time.
    pub fn take_seen(&self) -> Vec<Seen> {
        let taken = self.seen.as_ref().and_then(|seen| seen.try_borrow_mut().ok());
        taken.map(|mut seen| std::mem::take(&mut *seen)).unwrap_or_default()
    }

    /// The server's version: its hello's, or that of its last record before; the client's where it said nothing.
    pub fn version(&self) -> Version {
        match self.sides.to_client.shown_version {
            Version(0) => self.sides.to_server.shown_version,
            version => version,
        }
    }

    /// Whether a certificate of the server's was read, subject and issuer.
    pub fn is_certified(&self) -> bool {
        self.sides.to_client.is_certified()
    }

    /// Whether the session goes on where one of before was.
    pub fn is_resumed(&self) -> bool {
        self.resumed && !self.is_certified() && self.steps.server_hello && !self.hides_certificate
    }

    /// Takes the handshake to be done once the certificate of the side that shows its own last was read.
    pub fn certified(&mut self) {
        let last = if self.steps.certificate_request { &self.sides.to_server } else { &self.sides.to_client };
        if last.is_certified() {
            self.advance(client::HANDSHAKE_DONE, server::HANDSHAKE_DONE);
        }
    }

    /// Takes the handshake of a side to be done once it sends data, but for a client's data before it knows
    /// its server, RFC 8446 section 2.3.
    pub fn exchanges_data(&mut self, direction: Direction) {
        let early = self.client_hello.as_ref().is_some_and(|hello| hello.has_early_data);
        if early && !self.steps.server_hello {
            return;
        }
        let done = match direction {
            Direction::ToServer => client::HANDSHAKE_DONE,
            Direction::ToClient => server::HANDSHAKE_DONE,
        };
        self.reach(direction, done);
    }

    /// Whether both sides are done with the handshake.
    pub fn is_done(&self) -> bool {
        let progress = &self.meta.progress;
        progress.to_server >= client::HANDSHAKE_DONE && progress.to_client >= server::HANDSHAKE_DONE
    }

    /// The server's hello that counts from now on.
    pub fn take_server_hello(&mut self, hello: ServerHello) {
        self.server_hello = Some(hello);
        self.fingerprints.ja3s.take();
    }

    /// The client's fingerprint.
    pub fn ja3(&self) -> Option<&Ja3> {
        let hello = self.client_hello.as_ref().filter(|_| self.settings.ja3 != Fingerprints::No)?;
        Some(self.fingerprints.ja3.get_or_init(|| Ja3::of_client(hello)))
    }

    /// The server's fingerprint.
    pub fn ja3s(&self) -> Option<&Ja3> {
        let hello = self.server_hello.as_ref().filter(|_| self.settings.ja3 != Fingerprints::No)?;
        Some(self.fingerprints.ja3s.get_or_init(|| Ja3::of_server(hello)))
    }

    /// The client's fingerprint of the newer kind.
    pub fn ja4(&self) -> Option<&str> {
        let hello = self.client_hello.as_ref().filter(|_| self.settings.ja4 != Fingerprints::No)?;
        Some(self.fingerprints.ja4.get_or_init(|| fingerprint::ja4(hello, Carrier::Tcp)))
    }

    /// Moves both directions on.
    pub fn advance(&mut self, client: Progress, server: Progress) {
        self.reach(Direction::ToServer, client);
        self.reach(Direction::ToClient, server);
    }

    /// Moves one direction on.
    pub fn reach(&mut self, direction: Direction, progress: Progress) {
        if self.meta.progress[direction] < progress {
            self.meta.advance(direction, progress);
        }
    }

    /// Records anomalies.
    pub fn note(&mut self, anomalies: impl IntoIterator<Item = TlsAnomaly>) {
        for anomaly in anomalies {
            self.meta.anomaly_once(anomaly.into());
        }
    }
}
