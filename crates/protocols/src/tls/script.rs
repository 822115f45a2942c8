//! Answers to what scripts ask of a TLS session (`suricata.tls`, `suricata.ja3`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};
use weir_base::Direction;

use super::certificate::Certificate;
use super::fingerprint::Ja3;
use super::transaction::TlsTransaction;

/// The libraries.
pub static LIBRARIES: &[ScriptLibrary] = &[
    ScriptLibrary { name: "tls", methods: TLS, enable: None, earlier: EARLIER_TLS },
    ScriptLibrary { name: "ja3", methods: JA3, enable: Some("enable_ja3"), earlier: EARLIER_JA3 },
];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[
    ScriptNeed::new("tls", NeededPlace::Protocol),
    ScriptNeed::new("ja3", NeededPlace::Field("ja3.hash", None)),
    ScriptNeed::new("ja3s", NeededPlace::Field("ja3s.hash", None)),
];

const CLIENT: Direction = Direction::ToServer;
const SERVER: Direction = Direction::ToClient;

/// Functions of earlier releases, with the methods that answer them.
const EARLIER_TLS: &[(&str, &str)] = &[
    ("TlsGetVersion", "get_server_version"),
    ("TlsGetCertInfo", "get_server_cert_info"),
    ("TlsGetCertChain", "get_server_cert_chain"),
    ("TlsGetCertNotAfter", "get_server_cert_not_after"),
    ("TlsGetCertNotBefore", "get_server_cert_not_before"),
    ("TlsGetCertSerial", "get_server_serial"),
    ("TlsGetSNI", "get_client_sni"),
];

const TLS: &[ScriptMethod] = &[
    script_method!("get_client_version", "Version that the client offers.", TlsTransaction, |tx| {
        vec![ScriptValue::bytes(Some(tx.sides[CLIENT].version.eve().into_owned()))]
    }),
    script_method!(
        "get_client_cert_chain",
        "The client's certificates, tables of `length` and `data`, from 0.",
        TlsTransaction,
        |tx| chain(tx, CLIENT)
    ),
    script_method!(
        "get_client_cert_info",
        "Version of TLS, and subject, issuer and fingerprint of the client's certificate; nothing and a sentence without one.",
        TlsTransaction,
        |tx| information(tx, CLIENT)
    ),
    script_method!(
        "get_client_cert_not_after",
        "End of the validity of the client's certificate, in seconds since 1970.",
        TlsTransaction,
        |tx| not_after(tx, CLIENT)
    ),
    script_method!(
        "get_client_cert_not_before",
        "Begin of the validity of the client's certificate, in seconds since 1970.",
        TlsTransaction,
        |tx| not_before(tx, CLIENT)
    ),
    script_method!("get_client_serial", "Serial number of the client's certificate.", TlsTransaction, |tx| {
        serial(tx, CLIENT)
    }),
    script_method!("get_server_version", "Version that the server chose.", TlsTransaction, |tx| {
        vec![ScriptValue::bytes(Some(tx.sides[SERVER].version.eve().into_owned()))]
    }),
    script_method!(
        "get_server_cert_chain",
        "The server's certificates, tables of `length` and `data`, from 0.",
        TlsTransaction,
        |tx| chain(tx, SERVER)
    ),
    script_method!(
        "get_server_cert_info",
        "Version of TLS, and subject, issuer and fingerprint of the server's certificate; nothing and a sentence without one.",
        TlsTransaction,
        |tx| information(tx, SERVER)
    ),
    script_method!(
        "get_server_cert_not_after",
        "End of the validity of the server's certificate, in seconds since 1970.",
        TlsTransaction,
        |tx| not_after(tx, SERVER)
    ),
    script_method!(
        "get_server_cert_not_before",
        "Begin of the validity of the server's certificate, in seconds since 1970.",
        TlsTransaction,
        |tx| not_before(tx, SERVER)
    ),
    script_method!("get_server_serial", "Serial number of the server's certificate.", TlsTransaction, |tx| {
        serial(tx, SERVER)
    }),
    script_method!(
        "get_client_sni",
        "Name of the server that the client asks for; nothing and a sentence where it names none.",
        TlsTransaction,
        |tx| {
            let name = tx.client_hello.as_ref().and_then(|hello| hello.server_name.as_deref());
            match name {
                Some(name) => vec![ScriptValue::Bytes(name.to_vec())],
                None => ScriptValue::missing("error: no server name indication"),
            }
        }
    ),
];

/// Functions of earlier releases, with the methods that answer them.
const EARLIER_JA3: &[(&str, &str)] = &[
    ("Ja3GetHash", "ja3_get_hash"),
    ("Ja3GetString", "ja3_get_string"),
    ("Ja3SGetHash", "ja3s_get_hash"),
    ("Ja3SGetString", "ja3s_get_string"),
];

const JA3: &[ScriptMethod] = &[
    script_method!("ja3_get_hash", "JA3 of the client.", TlsTransaction, |tx| fingerprint(tx.ja3(), |ja3| {
        &ja3.hash
    })),
    script_method!("ja3_get_string", "Text that the JA3 is made of.", TlsTransaction, |tx| fingerprint(
        tx.ja3(),
        |ja3| &ja3.string
    )),
    script_method!("ja3s_get_hash", "JA3S of the server.", TlsTransaction, |tx| fingerprint(
        tx.ja3s(),
        |ja3| &ja3.hash
    )),
    script_method!("ja3s_get_string", "Text that the JA3S is made of.", TlsTransaction, |tx| fingerprint(
        tx.ja3s(),
        |ja3| &ja3.string
    )),
];

fn fingerprint(ja3: Option<&Ja3>, part: fn(&Ja3) -> &String) -> Vec<ScriptValue> {
    match ja3 {
        Some(ja3) => vec![ScriptValue::bytes(Some(part(ja3)))],
        None => ScriptValue::missing("error: no fingerprint"),
    }
}

fn of_certificate(
    tx: &TlsTransaction,
    side: Direction,
    what: &str,
    tell: impl FnOnce(&Certificate) -> Vec<ScriptValue>,
) -> Vec<ScriptValue> {
    let missing = || ScriptValue::missing(&format!("error: no {what}"));
    tx.sides[side].certificate.as_ref().map_or_else(missing, tell)
}

fn information(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, "cert", |certificate| {
        vec![
            ScriptValue::bytes(Some(tx.version().eve().into_owned())),
            ScriptValue::bytes(certificate.subject.as_ref()),
            ScriptValue::bytes(certificate.issuer.as_ref()),
            ScriptValue::bytes(tx.sides[side].fingerprint()),
        ]
    })
}

fn not_after(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, "certificate NotAfter", |certificate| {
        vec![ScriptValue::integer(certificate.not_after)]
    })
}

fn not_before(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, "certificate NotBefore", |certificate| {
        vec![ScriptValue::integer(certificate.not_before)]
    })
}

fn serial(tx: &TlsTransaction, side: Direction) -> Vec<ScriptValue> {
    of_certificate(tx, side, "certificate serial", |certificate| {
        vec![ScriptValue::bytes(certificate.serial.as_ref())]
    })
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
