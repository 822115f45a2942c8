//! Fields of a conversation.

use weir_applayer::field::CheckParser;
use weir_applayer::{Access, Field, FieldDirection, Progress, bytes, integer, list};
use weir_base::Direction;

use super::certificate::Certificate;
use super::checks;
use super::transaction::{Side, TlsTransaction, client, server};

const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at, access, doc }
}

const fn check(name: &'static str, ready_at: Progress, parser: CheckParser, doc: &'static str) -> Field {
    field(name, &[], FieldDirection::Both, ready_at, Access::Check(parser), doc)
}

/// A check of certificates, which each side sends at a state of its own.
const fn certificate_check(
    name: &'static str,
    direction: FieldDirection,
    parser: CheckParser,
    doc: &'static str,
) -> Field {
    let ready_at = match direction {
        FieldDirection::ToServer => client::CERT_DONE,
        _ => server::CERT_DONE,
    };
    field(name, &[], direction, ready_at, Access::Check(parser), doc)
}

fn first(side: &Side) -> Option<&Certificate> {
    side.certificate.as_ref()
}

/// The three parts of a hello's random, by the bytes they span.
fn random(tx: &TlsTransaction, direction: Direction, from: usize, to: usize) -> Option<&[u8]> {
    tx.sides[direction].random.as_ref()?.get(from..to)
}

const SUBJECT: Access =
    bytes!(TlsTransaction, |tx, direction| first(&tx.sides[direction])?.subject.as_deref());
const ISSUER: Access = bytes!(TlsTransaction, |tx, direction| first(&tx.sides[direction])?.issuer.as_deref());
const SERIAL: Access = bytes!(TlsTransaction, |tx, direction| {
    first(&tx.sides[direction])?.serial.as_deref().map(str::as_bytes)
});
const FINGERPRINT: Access =
    bytes!(TlsTransaction, |tx, direction| tx.sides[direction].fingerprint().map(str::as_bytes));
const CERTIFICATES: Access = list!(TlsTransaction, |tx, direction, index| {
    tx.sides[direction].certificates.get(index).map(Vec::as_slice)
});
const CHAIN_LENGTH: Access = integer!(TlsTransaction, 32, &[], |tx, direction, index| {
    let count = tx.sides[direction].certificates.len();
    (index == 0 && count > 0).then_some(count as u64)
});
const RANDOM: Access = bytes!(TlsTransaction, |tx, direction| random(tx, direction, 0, 32));
const RANDOM_TIME: Access = bytes!(TlsTransaction, |tx, direction| random(tx, direction, 0, 4));
const RANDOM_BYTES: Access = bytes!(TlsTransaction, |tx, direction| random(tx, direction, 4, 32));
const ALPN: Access = list!(TlsTransaction, |tx, direction, index| {
    let alpns = match direction {
        Direction::ToServer => &tx.client_hello.as_ref()?.alpns,
        Direction::ToClient => &tx.server_hello.as_ref()?.alpns,
    };
    alpns.get(index).map(Vec::as_slice)
});
const ALTERNATIVE_NAMES: Access = list!(TlsTransaction, |tx, direction, index| {
    first(&tx.sides[direction])?.alternative_names.get(index).map(Vec::as_slice)
});
const SERVER_NAME: Access = bytes!(TlsTransaction, |tx, _| tx.client_hello.as_ref()?.server_name.as_deref());
const JA3_HASH: Access = bytes!(TlsTransaction, |tx, _| Some(tx.ja3()?.hash.as_bytes()));
const JA3_STRING: Access = bytes!(TlsTransaction, |tx, _| Some(tx.ja3()?.string.as_bytes()));
const JA3S_HASH: Access = bytes!(TlsTransaction, |tx, _| Some(tx.ja3s()?.hash.as_bytes()));
const JA3S_STRING: Access = bytes!(TlsTransaction, |tx, _| Some(tx.ja3s()?.string.as_bytes()));
const JA4_HASH: Access = bytes!(TlsTransaction, |tx, _| tx.ja4().map(str::as_bytes));

const SUBJECT_DOC: &str = "The subject of the first certificate.";
const ISSUER_DOC: &str = "The issuer of the first certificate.";
const SERIAL_DOC: &str = "The serial number of the first certificate, as `5C:19:B7`.";
const FINGERPRINT_DOC: &str = "The SHA-1 of the first certificate, as `4a:a3:66`.";
const CERTS_DOC: &str = "Each certificate of the chain, in DER.";
const CHAIN_DOC: &str = "How many certificates the chain has.";
const RANDOM_DOC: &str = "The 32 random bytes of a hello.";
const RANDOM_TIME_DOC: &str = "The first 4 of a hello's random bytes, which once were the time.";
const RANDOM_BYTES_DOC: &str = "The last 28 of a hello's random bytes.";
const ALPN_DOC: &str = "Each application protocol that is offered, or the one chosen.";
const ALTERNATIVE_DOC: &str = "Each alternative name of the first certificate's subject.";
const NOT_BEFORE_DOC: &str = "From when on the first certificate is valid.";
const NOT_AFTER_DOC: &str = "Until when the first certificate is valid.";
const EXPIRED_DOC: &str = "The first certificate's time has passed.";
const VALID_DOC: &str = "The time lies within the first certificate's.";
const STORE_DOC: &str = "Stores the certificates; fulfilled wherever there are any.";
const OLD_SUBJECT_DOC: &str = "Text within the first certificate's subject; tls.cert_subject replaces it.";
const OLD_ISSUER_DOC: &str = "Text within the first certificate's issuer; tls.cert_issuer replaces it.";
const OLD_FINGERPRINT_DOC: &str = "The first certificate's SHA-1; tls.cert_fingerprint replaces it.";

/// The rows.
pub const FIELDS: &[Field] = &[
    field("tls.sni", &["tls_sni"], UP, client::HELLO_DONE, SERVER_NAME, "The server name a client asks for."),
    field("tls.cert_subject", &["tls_cert_subject"], DOWN, server::CERT_DONE, SUBJECT, SUBJECT_DOC),
    field("tls.cert_subject", &["tls_cert_subject"], UP, client::CERT_DONE, SUBJECT, SUBJECT_DOC),
    field("tls.cert_issuer", &["tls_cert_issuer"], DOWN, server::CERT_DONE, ISSUER, ISSUER_DOC),
    field("tls.cert_issuer", &["tls_cert_issuer"], UP, client::CERT_DONE, ISSUER, ISSUER_DOC),
    field("tls.cert_serial", &["tls_cert_serial"], DOWN, server::CERT_DONE, SERIAL, SERIAL_DOC),
    field("tls.cert_serial", &["tls_cert_serial"], UP, client::CERT_DONE, SERIAL, SERIAL_DOC),
    field(
        "tls.cert_fingerprint",
        &["tls_cert_fingerprint"],
        DOWN,
        server::CERT_DONE,
        FINGERPRINT,
        FINGERPRINT_DOC,
    ),
    field(
        "tls.cert_fingerprint",
        &["tls_cert_fingerprint"],
        UP,
        client::CERT_DONE,
        FINGERPRINT,
        FINGERPRINT_DOC,
    ),
    field("tls.certs", &["tls_certs"], DOWN, server::CERT_DONE, CERTIFICATES, CERTS_DOC),
    field("tls.certs", &["tls_certs"], UP, client::CERT_DONE, CERTIFICATES, CERTS_DOC),
    field("tls.cert_chain_len", &[], DOWN, server::CERT_DONE, CHAIN_LENGTH, CHAIN_DOC),
    field("tls.cert_chain_len", &[], UP, client::CERT_DONE, CHAIN_LENGTH, CHAIN_DOC),
    field("tls.subjectaltname", &[], DOWN, server::CERT_DONE, ALTERNATIVE_NAMES, ALTERNATIVE_DOC),
    field("tls.subjectaltname", &[], UP, client::CERT_DONE, ALTERNATIVE_NAMES, ALTERNATIVE_DOC),
    field("tls.random", &[], UP, client::HELLO_DONE, RANDOM, RANDOM_DOC),
    field("tls.random", &[], DOWN, server::HELLO, RANDOM, RANDOM_DOC),
    field("tls.random_time", &[], UP, client::HELLO_DONE, RANDOM_TIME, RANDOM_TIME_DOC),
    field("tls.random_time", &[], DOWN, server::HELLO, RANDOM_TIME, RANDOM_TIME_DOC),
    field("tls.random_bytes", &[], UP, client::HELLO_DONE, RANDOM_BYTES, RANDOM_BYTES_DOC),
    field("tls.random_bytes", &[], DOWN, server::HELLO, RANDOM_BYTES, RANDOM_BYTES_DOC),
    field("tls.alpn", &[], UP, client::HELLO_DONE, ALPN, ALPN_DOC),
    field("tls.alpn", &[], DOWN, server::HELLO, ALPN, ALPN_DOC),
    field("ja3.hash", &["ja3_hash"], UP, client::HELLO_DONE, JA3_HASH, "The JA3 hash of a client."),
    field("ja3.string", &["ja3_string"], UP, client::HELLO_DONE, JA3_STRING, "The JA3 string of a client."),
    field("ja3s.hash", &[], DOWN, server::HELLO, JA3S_HASH, "The JA3S hash of a server."),
    field("ja3s.string", &[], DOWN, server::HELLO, JA3S_STRING, "The JA3S string of a server."),
    field("ja4.hash", &["ja4_hash"], UP, client::HELLO_DONE, JA4_HASH, "The JA4 fingerprint of a client."),
    check(
        "tls.version",
        Progress(0),
        checks::version,
        "The version of a hello, or of the first record as long as there is no hello: `1.2`, or a number.",
    ),
    check("ssl_version", client::HELLO_DONE, checks::record_version, "Versions of records, `sslv3,tls1.0`."),
    check("ssl_state", Progress(0), checks::state, "Steps of the handshake that were seen, joined by `|`."),
    certificate_check("tls.subject", DOWN, checks::subject, OLD_SUBJECT_DOC),
    certificate_check("tls.subject", UP, checks::subject, OLD_SUBJECT_DOC),
    certificate_check("tls.issuerdn", DOWN, checks::issuer, OLD_ISSUER_DOC),
    certificate_check("tls.issuerdn", UP, checks::issuer, OLD_ISSUER_DOC),
    certificate_check("tls.fingerprint", DOWN, checks::fingerprint, OLD_FINGERPRINT_DOC),
    certificate_check("tls.fingerprint", UP, checks::fingerprint, OLD_FINGERPRINT_DOC),
    certificate_check("tls_cert_notbefore", DOWN, checks::not_before, NOT_BEFORE_DOC),
    certificate_check("tls_cert_notbefore", UP, checks::not_before, NOT_BEFORE_DOC),
    certificate_check("tls_cert_notafter", DOWN, checks::not_after, NOT_AFTER_DOC),
    certificate_check("tls_cert_notafter", UP, checks::not_after, NOT_AFTER_DOC),
    certificate_check("tls_cert_expired", DOWN, checks::expired, EXPIRED_DOC),
    certificate_check("tls_cert_expired", UP, checks::expired, EXPIRED_DOC),
    certificate_check("tls_cert_valid", DOWN, checks::valid, VALID_DOC),
    certificate_check("tls_cert_valid", UP, checks::valid, VALID_DOC),
    certificate_check("tls.store", DOWN, checks::store, STORE_DOC),
    certificate_check("tls.store", UP, checks::store, STORE_DOC),
];
