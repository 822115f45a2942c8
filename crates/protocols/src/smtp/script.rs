//! Answers to what scripts ask of an envelope and its message (`suricata.smtp`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};

use super::transaction::SmtpTransaction;

/// The library.
pub(super) static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "smtp", methods: METHODS, enable: None, earlier: EARLIER }];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[ScriptNeed::new("smtp", NeededPlace::Protocol)];

/// Functions of earlier releases, with the methods that answer them.
const EARLIER: &[(&str, &str)] = &[
    ("SMTPGetMimeField", "get_mime_field"),
    ("SMTPGetMimeList", "get_mime_list"),
    ("SMTPGetMailFrom", "get_mail_from"),
    ("SMTPGetRcptList", "get_rcpt_list"),
];

const METHODS: &[ScriptMethod] = &[
    script_method!(
        "get_mime_field",
        "Value of the message's header field with this name.",
        SmtpTransaction,
        |tx, name| {
            let Some(message) = &tx.message else { return ScriptValue::missing("no mime state") };
            match message.fields.value(name) {
                Some(value) => vec![ScriptValue::bytes(Some(value))],
                None => ScriptValue::missing("request mime field not found"),
            }
        }
    ),
    script_method!("get_mime_list", "Names of the message's header fields, a list.", SmtpTransaction, |tx| {
        let Some(message) = &tx.message else { return ScriptValue::missing("no mime state") };
        let names = message.fields.iter().map(|field| ScriptValue::Bytes(field.name.clone()));
        vec![ScriptValue::List(names.collect())]
    }),
    script_method!("get_mail_from", "Address in `MAIL FROM`.", SmtpTransaction, |tx| vec![
        ScriptValue::bytes(tx.sender.as_deref())
    ]),
    script_method!("get_rcpt_list", "Addresses in `RCPT TO`, a list.", SmtpTransaction, |tx| {
        vec![ScriptValue::List(tx.recipients.iter().cloned().map(ScriptValue::Bytes).collect())]
    }),
];
