//! Methods of scripts on a message (`suricata.ntp`).

use weir_applayer::{ScriptLibrary, ScriptMethod, ScriptValue, script_method};

use super::transaction::NtpTransaction;

/// The library.
pub static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "ntp", methods: METHODS, enable: None, earlier: &[] }];

const METHODS: &[ScriptMethod] = &[
    script_method!("version", "Version.", NtpTransaction, |tx| vec![ScriptValue::Integer(
        tx.message.version.into()
    )]),
    script_method!("mode", "Mode.", NtpTransaction, |tx| vec![ScriptValue::Integer(tx.message.mode.into())]),
    script_method!("stratum", "Stratum.", NtpTransaction, |tx| vec![ScriptValue::Integer(
        tx.message.stratum.into()
    )]),
    script_method!("reference_id", "Reference id, four bytes.", NtpTransaction, |tx| {
        vec![ScriptValue::Bytes(tx.message.reference.to_vec())]
    }),
];
