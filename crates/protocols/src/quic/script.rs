//! Methods of scripts on a hello over QUIC (`suricata.ja3`, as of TLS).

use weir_applayer::{ScriptLibrary, ScriptMethod, ScriptValue, script_method};

use super::transaction::QuicTransaction;
use crate::tls::fingerprint::Ja3;

/// The libraries.
pub static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "ja3", methods: JA3, enable: Some("enable_ja3"), earlier: &[] }];

const JA3: &[ScriptMethod] = &[
    script_method!("ja3_get_hash", "JA3 of the client.", QuicTransaction, |tx| fingerprint(
        tx.ja3(),
        |ja3| &ja3.hash
    )),
    script_method!("ja3_get_string", "Text that the JA3 is made of.", QuicTransaction, |tx| fingerprint(
        tx.ja3(),
        |ja3| &ja3.string
    )),
    script_method!("ja3s_get_hash", "JA3S of the server.", QuicTransaction, |tx| fingerprint(
        tx.ja3s(),
        |ja3| &ja3.hash
    )),
    script_method!("ja3s_get_string", "Text that the JA3S is made of.", QuicTransaction, |tx| fingerprint(
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
