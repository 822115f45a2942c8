//! Fields of a conversation.

use weir_applayer::{Access, Digits, Field, Progress, bytes, integer, list};
use weir_base::Direction;

use super::certificate::Certificate;
use super::checks;
use super::transaction::{Side, TlsTransaction, client, server};

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

/// Digits of serial numbers.
const SERIAL_DIGITS: Digits =
    Digits { case: <[u8]>::make_ascii_uppercase, length: None, separator: Some(b':') };
/// Digits of fingerprints: SHA-1 hashes in pairs.
const FINGERPRINT_DIGITS: Digits = Digits { length: Some(59), separator: Some(b':'), ..Digits::HASH };

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
    Field::to_server("tls.sni", client::HELLO_DONE, SERVER_NAME)
        .aliases(&["tls_sni"])
        .doc("The server name a client asks for."),
    Field::to_client("tls.cert_subject", server::CERT_DONE, SUBJECT)
        .aliases(&["tls_cert_subject"])
        .doc(SUBJECT_DOC),
    Field::to_server("tls.cert_subject", client::CERT_DONE, SUBJECT)
        .aliases(&["tls_cert_subject"])
        .doc(SUBJECT_DOC),
    Field::to_client("tls.cert_issuer", server::CERT_DONE, ISSUER)
        .aliases(&["tls_cert_issuer"])
        .doc(ISSUER_DOC),
    Field::to_server("tls.cert_issuer", client::CERT_DONE, ISSUER)
        .aliases(&["tls_cert_issuer"])
        .doc(ISSUER_DOC),
    Field::to_client("tls.cert_serial", server::CERT_DONE, SERIAL)
        .digits(SERIAL_DIGITS)
        .aliases(&["tls_cert_serial"])
        .doc(SERIAL_DOC),
    Field::to_server("tls.cert_serial", client::CERT_DONE, SERIAL)
        .digits(SERIAL_DIGITS)
        .aliases(&["tls_cert_serial"])
        .doc(SERIAL_DOC),
    Field::to_client("tls.cert_fingerprint", server::CERT_DONE, FINGERPRINT)
        .digits(FINGERPRINT_DIGITS)
        .aliases(&["tls_cert_fingerprint"])
        .doc(FINGERPRINT_DOC),
    Field::to_server("tls.cert_fingerprint", client::CERT_DONE, FINGERPRINT)
        .digits(FINGERPRINT_DIGITS)
        .aliases(&["tls_cert_fingerprint"])
        .doc(FINGERPRINT_DOC),
    Field::to_client("tls.certs", server::CERT_DONE, CERTIFICATES).aliases(&["tls_certs"]).doc(CERTS_DOC),
    Field::to_server("tls.certs", client::CERT_DONE, CERTIFICATES).aliases(&["tls_certs"]).doc(CERTS_DOC),
    Field::to_client("tls.cert_chain_len", server::CERT_DONE, CHAIN_LENGTH).doc(CHAIN_DOC),
    Field::to_server("tls.cert_chain_len", client::CERT_DONE, CHAIN_LENGTH).doc(CHAIN_DOC),
    Field::to_client("tls.subjectaltname", server::CERT_DONE, ALTERNATIVE_NAMES).doc(ALTERNATIVE_DOC),
    Field::to_server("tls.subjectaltname", client::CERT_DONE, ALTERNATIVE_NAMES).doc(ALTERNATIVE_DOC),
    Field::to_server("tls.random", client::HELLO_DONE, RANDOM).doc(RANDOM_DOC),
    Field::to_client("tls.random", server::HELLO, RANDOM).doc(RANDOM_DOC),
    Field::to_server("tls.random_time", client::HELLO_DONE, RANDOM_TIME).doc(RANDOM_TIME_DOC),
    Field::to_client("tls.random_time", server::HELLO, RANDOM_TIME).doc(RANDOM_TIME_DOC),
    Field::to_server("tls.random_bytes", client::HELLO_DONE, RANDOM_BYTES).doc(RANDOM_BYTES_DOC),
    Field::to_client("tls.random_bytes", server::HELLO, RANDOM_BYTES).doc(RANDOM_BYTES_DOC),
    Field::to_server("tls.alpn", client::HELLO_DONE, ALPN).doc(ALPN_DOC),
    Field::to_client("tls.alpn", server::HELLO, ALPN).doc(ALPN_DOC),
    Field::to_server("ja3.hash", client::HELLO_DONE, JA3_HASH)
        .digits(Digits::HASH)
        .aliases(&["ja3_hash"])
        .doc("The JA3 hash of a client."),
    Field::to_server("ja3.string", client::HELLO_DONE, JA3_STRING)
        .aliases(&["ja3_string"])
        .doc("The JA3 string of a client."),
    Field::to_client("ja3s.hash", server::HELLO, JA3S_HASH)
        .digits(Digits::HASH)
        .doc("The JA3S hash of a server."),
    Field::to_client("ja3s.string", server::HELLO, JA3S_STRING).doc("The JA3S string of a server."),
    Field::to_server("ja4.hash", client::HELLO_DONE, JA4_HASH)
        .aliases(&["ja4_hash"])
        .doc("The JA4 fingerprint of a client."),
    Field::both("tls.version", Progress(0), Access::Check(checks::version)).doc(
        "The version of a hello, or of the first record as long as there is no hello: `1.2`, or a \
         number.",
    ),
    Field::both("ssl_version", client::HELLO_DONE, Access::Check(checks::record_version))
        .doc("Versions of records, `sslv3,tls1.0`."),
    Field::both("ssl_state", Progress(0), Access::Check(checks::state))
        .doc("Steps of the handshake that were seen, joined by `|`."),
    Field::to_client("tls.subject", server::CERT_DONE, Access::Check(checks::subject)).doc(OLD_SUBJECT_DOC),
    Field::to_server("tls.subject", client::CERT_DONE, Access::Check(checks::subject)).doc(OLD_SUBJECT_DOC),
    Field::to_client("tls.issuerdn", server::CERT_DONE, Access::Check(checks::issuer)).doc(OLD_ISSUER_DOC),
    Field::to_server("tls.issuerdn", client::CERT_DONE, Access::Check(checks::issuer)).doc(OLD_ISSUER_DOC),
    Field::to_client("tls.fingerprint", server::CERT_DONE, Access::Check(checks::fingerprint))
        .doc(OLD_FINGERPRINT_DOC),
    Field::to_server("tls.fingerprint", client::CERT_DONE, Access::Check(checks::fingerprint))
        .doc(OLD_FINGERPRINT_DOC),
    Field::to_client("tls_cert_notbefore", server::CERT_DONE, Access::Check(checks::not_before))
        .doc(NOT_BEFORE_DOC),
    Field::to_server("tls_cert_notbefore", client::CERT_DONE, Access::Check(checks::not_before))
        .doc(NOT_BEFORE_DOC),
    Field::to_client("tls_cert_notafter", server::CERT_DONE, Access::Check(checks::not_after))
        .doc(NOT_AFTER_DOC),
    Field::to_server("tls_cert_notafter", client::CERT_DONE, Access::Check(checks::not_after))
        .doc(NOT_AFTER_DOC),
    Field::to_client("tls_cert_expired", server::CERT_DONE, Access::Check(checks::expired)).doc(EXPIRED_DOC),
    Field::to_server("tls_cert_expired", client::CERT_DONE, Access::Check(checks::expired)).doc(EXPIRED_DOC),
    Field::to_client("tls_cert_valid", server::CERT_DONE, Access::Check(checks::valid)).doc(VALID_DOC),
    Field::to_server("tls_cert_valid", client::CERT_DONE, Access::Check(checks::valid)).doc(VALID_DOC),
    Field::to_client("tls.store", server::CERT_DONE, Access::Check(checks::store)).doc(STORE_DOC),
    Field::to_server("tls.store", client::CERT_DONE, Access::Check(checks::store)).doc(STORE_DOC),
];
