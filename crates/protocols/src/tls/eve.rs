//! EVE records of type `tls`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::JsonWriter;

use super::certificate::{Certificate, date_text};
use super::fingerprint::{self, Carrier};
use super::hello::{ClientHello, ServerHello};
use super::transaction::{Side, TlsTransaction, client, server};
use super::version::is_grease;
use crate::settings::Fingerprints;

/// The record type.
pub static EVE: EveLog = EveLog {
    log_at: Some((client::HANDSHAKE_DONE, server::HANDSHAKE_DONE)),
    ..EveLog::new("tls", LogDirection::Flow, configure)
};

/// Parts of a record, by the names of the `custom` list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Subject,
    Issuer,
    AlternativeNames,
    SessionResumed,
    Serial,
    Fingerprint,
    ServerName,
    Version,
    NotBefore,
    NotAfter,
    Certificate,
    Chain,
    Ja3,
    Ja3s,
    Ja4,
    Client,
    ClientCertificate,
    ClientChain,
    ClientAlpns,
    ServerAlpns,
    ClientHandshake,
    ServerHandshake,
}

const NAMES: &[(&str, Part)] = &[
    ("subject", Part::Subject),
    ("issuer", Part::Issuer),
    ("subjectaltname", Part::AlternativeNames),
    ("session_resumed", Part::SessionResumed),
    ("serial", Part::Serial),
    ("fingerprint", Part::Fingerprint),
    ("sni", Part::ServerName),
    ("version", Part::Version),
    ("not_before", Part::NotBefore),
    ("not_after", Part::NotAfter),
    ("certificate", Part::Certificate),
    ("chain", Part::Chain),
    ("ja3", Part::Ja3),
    ("ja3s", Part::Ja3s),
    ("ja4", Part::Ja4),
    ("client", Part::Client),
    ("client_certificate", Part::ClientCertificate),
    ("client_chain", Part::ClientChain),
    ("client_alpns", Part::ClientAlpns),
    ("server_alpns", Part::ServerAlpns),
    ("client_handshake", Part::ClientHandshake),
    ("server_handshake", Part::ServerHandshake),
];

const BASIC: &[Part] = &[Part::Subject, Part::Issuer, Part::AlternativeNames, Part::SessionResumed];

const EXTENDED: &[Part] = &[
    Part::Subject,
    Part::Issuer,
    Part::AlternativeNames,
    Part::SessionResumed,
    Part::Serial,
    Part::Fingerprint,
    Part::ServerName,
    Part::Version,
    Part::NotBefore,
    Part::NotAfter,
    Part::Ja3,
    Part::Ja3s,
    Part::Ja4,
    Part::Client,
    Part::ClientAlpns,
    Part::ServerAlpns,
];

#[derive(Debug)]
struct TlsWriter {
    parts: Vec<Part>,
    /// Records of sessions of before, which bring no certificate.
    resumed_sessions: bool,
    /// JA4 is shown unless the records' own setting says otherwise.
    shows_ja4: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    // Where the type is named and nothing said of it, records are short and those of resumed sessions left
    // out.
    let described = !options.children("").is_empty();
    let custom = options.list("custom");
    let parts = if !custom.is_empty() {
        custom.iter().filter_map(|name| part(options, name)).collect()
    } else if options.flag("extended", described) {
        EXTENDED.to_vec()
    } else {
        BASIC.to_vec()
    };
    Box::new(TlsWriter {
        parts,
        resumed_sessions: options.flag("session-resumption", described),
        shows_ja4: options.flag("ja4", true),
    })
}

fn part(options: &dyn Options, name: &str) -> Option<Part> {
    let found = NAMES.iter().find(|(known, _)| *known == name).map(|&(_, part)| part);
    if found.is_none() {
        options.complain("custom", &format!("there is no field {name}; it is left out"));
    }
    found
}

impl EveWriter for TlsWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<TlsTransaction>(transaction) else { return false };
        for &part in &self.parts {
            self.part(part, tx, json);
        }
        json.optional_string("from_proto", tx.before);
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        let Some(tx) = downcast::<TlsTransaction>(transaction) else { return false };
        // A record says who the server is, that a session goes on, or that the certificate cannot be seen.
        tx.is_certified() || tx.resumed && self.resumed_sessions || tx.hides_certificate
    }
}

impl TlsWriter {
    fn part(&self, part: Part, tx: &TlsTransaction, json: &mut JsonWriter<'_>) {
        let server = &tx.sides.to_client;
        match part {
            Part::SessionResumed => {
                if tx.is_resumed() {
                    json.boolean("session_resumed", true);
                }
            }
            Part::ServerName => {
                json.optional_string(
                    "sni",
                    tx.client_hello.as_ref().and_then(|hello| hello.server_name.as_ref()),
                );
            }
            Part::Version => json.string("version", tx.version().eve().as_bytes()),
            Part::Ja3 | Part::Ja3s => {
                // Of what is made for rules alone, records say nothing.
                if tx.settings.ja3 != Fingerprints::Yes {
                    return;
                }
                let (key, ja3) = if part == Part::Ja3 { ("ja3", tx.ja3()) } else { ("ja3s", tx.ja3s()) };
                if let Some(ja3) = ja3 {
                    json.object(key);
                    json.string("hash", &ja3.hash);
                    json.string("string", &ja3.string);
                    json.close_object();
                }
            }
            Part::Ja4 => {
                if !self.shows_ja4 || tx.settings.ja4 == Fingerprints::No {
                    return;
                }
                match tx.ja4() {
                    Some(ja4) => json.string("ja4", ja4),
                    // The client said nothing that it is made of: a hello of SSLv2, or none that was seen.
                    None => json.string("ja4", fingerprint::ja4(&ClientHello::default(), Carrier::Tcp)),
                }
            }
            Part::ClientAlpns => {
                alpns("client_alpns", tx.client_hello.as_ref().map(|hello| &hello.alpns), json)
            }
            Part::ServerAlpns => {
                alpns("server_alpns", tx.server_hello.as_ref().map(|hello| &hello.alpns), json)
            }
            Part::Client => self.client(&tx.sides.to_server, json),
            Part::ClientHandshake => {
                if let Some(hello) = &tx.client_hello {
                    client_handshake(hello, json);
                }
            }
            Part::ServerHandshake => {
                if let Some(hello) = &tx.server_hello {
                    server_handshake(hello, json);
                }
            }
            // They stand within the client's object.
            Part::ClientCertificate | Part::ClientChain => {}
            Part::Certificate => first_certificate(server, json),
            Part::Chain => chain(server, json),
            _ => {
                if let Some(certificate) = &server.certificate {
                    certificate_part(part, certificate, server, json);
                }
            }
        }
    }

    /// Writes the client's certificate.
    fn client(&self, side: &Side, json: &mut JsonWriter<'_>) {
        let Some(certificate) = &side.certificate else { return };
        json.object("client");
        let parts =
            [Part::Subject, Part::Issuer, Part::Fingerprint, Part::Serial, Part::NotBefore, Part::NotAfter];
        for part in parts {
            certificate_part(part, certificate, side, json);
        }
        if self.parts.contains(&Part::ClientCertificate) {
            first_certificate(side, json);
        }
        if self.parts.contains(&Part::ClientChain) {
            chain(side, json);
        }
        json.close_object();
    }
}

fn certificate_part(part: Part, certificate: &Certificate, side: &Side, json: &mut JsonWriter<'_>) {
    let mut text = |key, value: Option<&[u8]>| {
        json.optional_string(key, value);
    };
    match part {
        Part::Subject => text("subject", certificate.subject.as_deref()),
        Part::Issuer => text("issuerdn", certificate.issuer.as_deref()),
        Part::Serial => text("serial", certificate.serial.as_deref().map(str::as_bytes)),
        Part::Fingerprint => text("fingerprint", side.fingerprint().map(str::as_bytes)),
        Part::NotBefore => {
            text("notbefore", certificate.not_before.map(date_text).as_deref().map(str::as_bytes));
        }
        Part::NotAfter => {
            text("notafter", certificate.not_after.map(date_text).as_deref().map(str::as_bytes));
        }
        Part::AlternativeNames if !certificate.alternative_names.is_empty() => {
            json.strings("subjectaltname", &certificate.alternative_names);
        }
        _ => {}
    }
}

fn first_certificate(side: &Side, json: &mut JsonWriter<'_>) {
    if let Some(der) = side.certificates.first() {
        json.string("certificate", STANDARD.encode(der));
    }
}

fn chain(side: &Side, json: &mut JsonWriter<'_>) {
    json.some_strings("chain", side.certificates.iter().map(|der| STANDARD.encode(der)));
}

fn alpns(key: &str, list: Option<&Vec<Vec<u8>>>, json: &mut JsonWriter<'_>) {
    let Some(list) = list.filter(|list| !list.is_empty()) else { return };
    json.strings(key, list);
}

fn numbers(key: &str, list: &[u16], json: &mut JsonWriter<'_>) {
    json.array(key);
    list.iter().filter(|&&number| !is_grease(number)).for_each(|&number| json.push_unsigned(number));
    json.close_array();
}

fn client_handshake(hello: &ClientHello, json: &mut JsonWriter<'_>) {
    let offered = hello.versions.iter().copied().filter(|version| !is_grease(version.0)).max();
    json.object("client_handshake");
    json.string("version", offered.unwrap_or(hello.version).eve().as_bytes());
    numbers("ciphers", &hello.ciphers, json);
    numbers("exts", &hello.extensions, json);
    numbers("sig_algs", &hello.signature_algorithms, json);
    json.close_object();
}

fn server_handshake(hello: &ServerHello, json: &mut JsonWriter<'_>) {
    json.object("server_handshake");
    json.string("version", hello.version.eve().as_bytes());
    json.unsigned("cipher", hello.cipher);
    numbers("exts", &hello.extensions, json);
    json.close_object();
}
