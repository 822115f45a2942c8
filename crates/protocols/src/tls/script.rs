//! Answers to what scripts ask of a TLS session (`suricata.tls`, `suricata.ja3`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};
use weir_base::Direction;

use super::certificate::Certificate;
use super::fingerprint::Ja3;
use super::transaction::TlsTransaction;

/// The libraries.
pub static LIBRARIES: &[ScriptLibrary] = &[
    ScriptLibrary { name: "tls", methods: TLS, enable: None },
    ScriptLibrary { name: "ja3", methods: JA3, enable: Some("enable_ja3") },
];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[
    ScriptNeed::new("tls", NeededPlace::Protocol),
    ScriptNeed::new("ja3", NeededPlace::Field("ja3.hash", None)),
    ScriptNeed::new("ja3s", NeededPlace::Field("ja3s.hash", None)),
];

const CLIENT: Direction = Direction::ToServer;
const SERVER: Direction = Direction::ToClient;

const TLS: &[ScriptMethod] = &[
    script_method!("get_client_version", TlsTransaction, |tx| {
        vec![ScriptValue::bytes(Some(tx.sides[CLIENT].version.eve().into_owned()))]
    }),
    script_method!("get_client_cert_chain", TlsTransaction, |tx| chain(tx, CLIENT)),
    script_method!("get_client_cert_info", TlsTransaction, |tx| information(tx, CLIENT)),
    script_method!("get_client_cert_not_after", TlsTransaction, |tx| not_after(tx, CLIENT)),
    script_method!("get_client_cert_not_before", TlsTransaction, |tx| not_before(tx, CLIENT)),
    script_method!("get_client_serial", TlsTransaction, |tx| serial(tx, CLIENT)),
    script_method!("get_server_version", TlsTransaction, |tx| {
        vec![ScriptValue::bytes(Some(tx.sides[SERVER].version.eve().into_owned()))]
    }),
    script_method!("get_server_cert_chain", TlsTransaction, |tx| chain(tx, SERVER)),
    script_method!("get_server_cert_info", TlsTransaction, |tx| information(tx, SERVER)),
    script_method!("get_server_cert_not_after", TlsTransaction, |tx| not_after(tx, SERVER)),
    script_method!("get_server_cert_not_before", TlsTransaction, |tx| not_before(tx, SERVER)),
    script_method!("get_server_serial", TlsTransaction, |tx| serial(tx, SERVER)),
    script_method!("get_client_sni", TlsTransaction, |tx| {
        let name = tx.client_hello.as_ref().and_then(|hello| hello.server_name.as_deref());
        match name {
            Some(name) => vec![ScriptValue::Bytes(name.to_vec())],
            None => missing("no server name indication"),
        }
    }),
];

const JA3: &[ScriptMethod] = &[
    script_method!("ja3_get_hash", TlsTransaction, |tx| fingerprint(tx.ja3(), |ja3| &ja3.hash)),
    script_method!("ja3_get_string", TlsTransaction, |tx| fingerprint(tx.ja3(), |ja3| &ja3.string)),
    script_method!("ja3s_get_hash", TlsTransaction, |tx| fingerprint(tx.ja3s(), |ja3| &ja3.hash)),
    script_method!("ja3s_get_string", TlsTransaction, |tx| fingerprint(tx.ja3s(), |ja3| &ja3.string)),
];

/// Nothing, and why.
fn missing(why: &str) -> Vec<ScriptValue> {
    vec![ScriptValue::Nil, ScriptValue::Bytes(format!("error: {why}").into_bytes())]
}

fn fingerprint(ja3: Option<&Ja3>, part: fn(&Ja3) -> &String) -> Vec<ScriptValue> {
    match ja3 {
        Some(ja3) => vec![ScriptValue::bytes(Some(part(ja3)))],
        None => missing("no fingerprint"),
    }
}

fn of_certificate(
    tx: &TlsTransaction,
    side: Direction,
    tell: impl FnOnce(&Certificate) -> Vec<ScriptValue>,
) -> Vec<ScriptValue> {
    tx.sides[side].certificate.as_ref().map_or_else(|| missing("no certificate"), tell)
}

fn information(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, |certificate| {
        vec![
            ScriptValue::bytes(Some(tx.version().eve().into_owned())),
            ScriptValue::bytes(certificate.subject.as_ref()),
            ScriptValue::bytes(certificate.issuer.as_ref()),
            ScriptValue::bytes(tx.sides[side].fingerprint()),
        ]
    })
}

fn not_after(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, |certificate| vec![ScriptValue::integer(certificate.not_after)])
}

fn not_before(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, |certificate| vec![ScriptValue::integer(certificate.not_before)])
}

fn serial(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, |certificate| vec![ScriptValue::bytes(certificate.serial.as_ref())])
}

fn chain(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    let certificates = tx.sides[side].certificates.iter().map(|der| {
        ScriptValue::Map(vec![
            (b"length".to_vec(), ScriptValue::Integer(der.len() as i64)),
            (b"data".to_vec(), ScriptValue::Bytes(der.clone())),
        ])
    });
    vec![ScriptValue::Numbered(certificates.collect())]
}
