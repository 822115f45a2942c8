//! Answers to what scripts ask of an envelope and its message (`suricata.smtp`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};

use super::transaction::SmtpTransaction;

/// The library.
pub(super) static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "smtp", methods: METHODS, enable: None }];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[ScriptNeed::new("smtp", NeededPlace::Protocol)];

const METHODS: &[ScriptMethod] = &[
    script_method!("get_mime_field", SmtpTransaction, |tx, name| {
        vec![ScriptValue::bytes(tx.message.as_ref().and_then(|message| message.fields.value(name)))]
    }),
    script_method!("get_mime_list", SmtpTransaction, |tx| {
        let Some(message) = &tx.message else { return vec![ScriptValue::Nil] };
        let names = message.fields.iter().map(|field| ScriptValue::Bytes(field.name.clone()));
        vec![ScriptValue::List(names.collect())]
    }),
    script_method!("get_mail_from", SmtpTransaction, |tx| vec![ScriptValue::bytes(tx.sender.as_deref())]),
    script_method!("get_rcpt_list", SmtpTransaction, |tx| {
        vec![ScriptValue::List(tx.recipients.iter().cloned().map(ScriptValue::Bytes).collect())]
    }),
];
