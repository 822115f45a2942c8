//! `tls-store`: the certificates of a side as a PEM file, where a rule asks for them, and beside it a text
//! that says whose they are. Files are named after the packet's time and a number that counts on.

use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_applayer::{Access, Field, Transaction};
use weir_base::{Direction, Position, Timestamp, Turn};
use weir_config::{OutputsSettings, Settings};

use crate::outlet::{OutletId, Outlets};
use crate::sinks::file_store::Command;
use crate::timestamp::TimeWriter;

/// Characters of a line of a PEM file.
const LINE_LENGTH: usize = 64;

/// The folder of the store; none where it is not in use. A relative one is below `log_folder`.
pub(crate) fn certificate_folder(settings: &Settings, log_folder: &Path) -> Option<PathBuf> {
    let outputs = OutputsSettings::from_settings(settings);
    let output = outputs.enabled("tls-store").next()?;
    Some(log_folder.join(output.section(settings).text("certs-log-dir").unwrap_or_default()))
}

/// Ends of a connection, and the time.
#[derive(Clone, Copy, Debug)]
pub struct Occasion {
    /// Time of the packet that completed the rule.
    pub time: Timestamp,
    /// Its number in the capture; none where it was in none.
    pub packet: Option<u64>,
    /// The client's address and port.
    pub client: (IpAddr, u16),
    /// The server's address and port.
    pub server: (IpAddr, u16),
    /// Number of the transport protocol.
    pub transport: u8,
}

/// A worker's store.
#[derive(Debug)]
pub struct CertificateStore {
    outlet: OutletId,
    /// Chains stored by all workers.
    stored: Arc<AtomicU64>,
    turn: Turn,
}

impl CertificateStore {
    /// A store that was not used yet. Workers share the count of what is `stored`, in turns.
    pub(crate) const fn new(outlet: OutletId, stored: Arc<AtomicU64>, turn: Turn) -> Self {
        Self { outlet, stored, turn }
    }

    /// Has the log thread write the certificates that one side of a transaction sent. `fields` are its
    /// protocol's.
    pub fn store(
        &self,
        fields: &[Field],
        transaction: &dyn Transaction,
        direction: Direction,
        occasion: &Occasion,
        (position, out): (Position, &mut Outlets),
    ) {
        let shown = Shown { fields, transaction, direction };
        self.turn.wait();
        let number = self.stored.fetch_add(1, Ordering::Relaxed) + 1;
        let side = match direction {
            Direction::ToServer => "client-",
            Direction::ToClient => "",
        };
        let (seconds, micros) = (occasion.time.seconds(), occasion.time.micros());
        let files = [("pem", shown.pem()), ("meta", shown.description(occasion))];
        for (extension, content) in files {
            out.line(self.outlet, position, |line| {
                let name = format!("{side}{seconds}.{micros}-{number}.{extension}");
                Command::Write(&name, &content).write(line);
                true
            });
        }
    }
}

/// One side's certificates, read as rules read them.
struct Shown<'a> {
    fields: &'a [Field],
    transaction: &'a dyn Transaction,
    direction: Direction,
}

impl Shown<'_> {
    /// The value of a field at an index.
    fn field(&self, name: &str, index: usize) -> Option<&[u8]> {
        let mut rows = self.fields.iter();
        let row = rows.find(|field| field.name == name && field.direction.covers(self.direction))?;
        match row.access {
            Access::Bytes(read) => read(self.transaction, self.direction).filter(|_| index == 0),
            Access::List(read) => read(self.transaction, self.direction, index),
            _ => None,
        }
    }

    /// The chain, as RFC 7468 writes it.
    fn pem(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for certificate in (0..).map_while(|index| self.field("tls.certs", index)) {
            text.extend_from_slice(b"-----BEGIN CERTIFICATE-----\n");
            for line in STANDARD.encode(certificate).as_bytes().chunks(LINE_LENGTH) {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            text.extend_from_slice(b"-----END CERTIFICATE-----\n");
        }
        text
    }

    /// Returns the text on the sender of the first certificate, and on its subject.
    fn description(&self, occasion: &Occasion) -> Vec<u8> {
        let mut text = b"TIME:              ".to_vec();
        TimeWriter::default().fast(&mut text, occasion.time);
        text.push(b'\n');
        let ((client, from), (server, to)) = (occasion.client, occasion.server);
        let packet = occasion.packet.map(|number| number.to_string());
        let facts = [
            ("PCAP PKT NUM:      ", packet),
            ("SRC IP:            ", Some(client.to_string())),
            ("DST IP:            ", Some(server.to_string())),
            ("PROTO:             ", Some(occasion.transport.to_string())),
            ("SRC PORT:          ", Some(from.to_string())),
            ("DST PORT:          ", Some(to.to_string())),
        ];
        // Writing into memory does not fail.
        for (label, fact) in facts.iter().filter_map(|(label, fact)| Some((label, fact.as_ref()?))) {
            let _ = writeln!(text, "{label}{fact}");
        }
        for (label, name) in [
            ("TLS SUBJECT:       ", "tls.cert_subject"),
            ("TLS ISSUERDN:      ", "tls.cert_issuer"),
            ("TLS FINGERPRINT:   ", "tls.cert_fingerprint"),
        ] {
            text.extend_from_slice(label.as_bytes());
            text.extend_from_slice(self.field(name, 0).unwrap_or_default());
            text.push(b'\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use weir_applayer::{Progress, TxMeta};

    use super::*;
    use crate::outlet::{Destination, OutletSettings};
    use crate::sinks::file_store::{StoreErrors, StoreRoom};
    use crate::writer::{LogWriter, Order};

    #[derive(Default)]
    struct Sent {
        meta: TxMeta,
    }
    weir_applayer::transaction!(Sent);

    const fn row(name: &'static str, access: Access) -> Field {
        Field::both(name, Progress(0), access)
    }

    static FIELDS: [Field; 2] = [
        row("tls.certs", Access::List(|_, _, index| [&[0xff; 60][..], b"b"].get(index).copied())),
        row("tls.cert_subject", Access::Bytes(|_, _| Some(b"CN=weir"))),
    ];

    #[test]
    fn a_chain_and_what_is_said_of_it() {
        let folder = std::env::temp_dir().join(format!("weir-certificates-{}", std::process::id()));
        let errors = StoreErrors::counted_as("tls_store.fs_errors");
        let destination = Destination::FileStore { folder: folder.clone(), errors, room: StoreRoom::Any };
        let outlets = vec![OutletSettings::new(destination)];
        let writer = LogWriter::start(outlets, 1, Order::Arrival, |_| {}).unwrap();
        let mut out = writer.outlets(0);
        let store = CertificateStore::new(OutletId(0), Arc::default(), Turn::alone());
        let occasion = Occasion {
            time: Timestamp::new(1_523_912_382, 235_074_000),
            packet: Some(7),
            client: ([10, 0, 0, 1].into(), 4000),
            server: ([10, 0, 0, 2].into(), 443),
            transport: 6,
        };
        for direction in [Direction::ToClient, Direction::ToServer] {
            let place = (Position::default(), &mut out);
            store.store(&FIELDS, &Sent::default(), direction, &occasion, place);
        }
        out.finish();
        assert!(writer.finish().errors.is_empty());
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (begin, end) = ("-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n");
        let long = "/".repeat(64);
        let expected = format!("{begin}{long}\n{}\n{end}{begin}Yg==\n{end}", &long[..16]);
        assert_eq!(read("1523912382.235074-1.pem"), expected);
        assert_eq!(read("client-1523912382.235074-2.pem"), expected);
        let expected = "TIME:              04/16/2018-20:59:42.235074\nPCAP PKT NUM:      7\n\
            SRC IP:            10.0.0.1\nDST IP:            10.0.0.2\nPROTO:             6\n\
            SRC PORT:          4000\nDST PORT:          443\n\
            TLS SUBJECT:       CN=weir\nTLS ISSUERDN:      \nTLS FINGERPRINT:   \n";
        assert_eq!(read("1523912382.235074-1.meta"), expected);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn folders() {
        let cases = [
            ("  - tls-store:\n      enabled: yes\n", Some("/logs")),
            ("  - tls-store:\n      enabled: yes\n      certs-log-dir: certs\n", Some("/logs/certs")),
            ("  - tls-store:\n      enabled: no\n", None),
        ];
        for (text, expected) in cases {
            let text = format!("%YAML 1.1\n---\noutputs:\n{text}");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "test", &[]).unwrap();
            let folder = certificate_folder(&settings, Path::new("/logs"));
            assert_eq!(folder.map(|path| path.join("")), expected.map(|path| Path::new(path).join("")));
        }
    }
}
