//! The `smtp` object of EVE records, and the `email` object beside it.

use md5::{Digest, Md5};
use weir_applayer::eve::{EveLog, EveWriter, LogDirection};
use weir_applayer::{Endpoints, Options, Transaction, downcast};
use weir_base::{JsonWriter, hex};

use super::transaction::{COMPLETE, SmtpTransaction};
use crate::mime::{Message, fields};

/// The record of an envelope.
pub(super) static EVE: EveLog = EveLog {
    log_at: Some((COMPLETE, COMPLETE)),
    ..EveLog::new("smtp", LogDirection::Flow, |options| Box::new(SmtpEve::read(options)))
};

/// Form of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The first one, as text.
    Text,
    /// The entries of the first one.
    Entries,
    /// All of them.
    All,
}

/// A field that `custom` may name, by its key or its name in mails.
struct Known {
    key: &'static str,
    name: &'static str,
    form: Form,
    /// Records that are `extended` have it.
    extended: bool,
}

const fn known(key: &'static str, name: &'static str, form: Form, extended: bool) -> Known {
    Known { key, name, form, extended }
}

const KNOWN: &[Known] = &[
    known("reply_to", "reply-to", Form::Text, false),
    known("bcc", "bcc", Form::Entries, true),
    known("message_id", "message-id", Form::Text, true),
    known("subject", "subject", Form::Text, true),
    known("x_mailer", "x-mailer", Form::Text, true),
    known("user_agent", "user-agent", Form::Text, true),
    known("received", "received", Form::All, false),
    known("x_originating_ip", "x-originating-ip", Form::Text, false),
    known("in_reply_to", "in-reply-to", Form::Text, false),
    known("references", "references", Form::Text, false),
    known("importance", "importance", Form::Text, false),
    known("priority", "priority", Form::Text, false),
    known("sensitivity", "sensitivity", Form::Text, false),
    known("organization", "organization", Form::Text, false),
    known("content_md5", "content-md5", Form::Text, false),
    known("date", "date", Form::Text, false),
    known("relays", "relays", Form::Text, false),
];

struct SmtpEve {
    fields: Vec<&'static Known>,
    body_md5: bool,
    subject_md5: bool,
}

impl SmtpEve {
    fn read(options: &dyn Options) -> Self {
        // Alerts show what every record does.
        let extended = options.flag("extended", false) && !options.flag("alert", false);
        let custom = options.list("custom");
        for name in &custom {
            if !KNOWN.iter().any(|known| known.is_named(name)) {
                options.complain("custom", &format!("{name} is no field that can be logged; it is skipped"));
            }
        }
        let wanted =
            |known: &&Known| extended && known.extended || custom.iter().any(|name| known.is_named(name));
        let md5 = options.list("md5");
        let hashes = |what: &str| md5.iter().any(|name| name.eq_ignore_ascii_case(what));
        Self {
            fields: KNOWN.iter().filter(wanted).collect(),
            body_md5: hashes("body"),
            subject_md5: hashes("subject"),
        }
    }
}

impl Known {
    fn is_named(&self, name: &str) -> bool {
        self.key == name || self.name.eq_ignore_ascii_case(name)
    }
}

impl EveWriter for SmtpEve {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<SmtpTransaction>(transaction) else { return false };
        json.optional_string("helo", tx.hello.as_deref());
        json.optional_string("mail_from", tx.sender.as_deref());
        list(json, "rcpt_to", tx.recipients.iter().map(|recipient| &recipient[..]));
        true
    }

    fn write_beside(&self, transaction: &dyn Transaction, json: &mut JsonWriter<'_>) {
        let Some(tx) = downcast::<SmtpTransaction>(transaction).filter(|tx| tx.shows_mail) else { return };
        json.object("email");
        json.string("status", "PARSE_DONE");
        let Some(message) = &tx.message else { return json.close_object() };
        basic(message, json);
        for known in &self.fields {
            let values = || message.fields.values(known.name.as_bytes());
            match known.form {
                Form::Text => json.optional_string(known.key, values().next()),
                Form::Entries => list(json, known.key, values().take(1).flat_map(fields::entries)),
                Form::All => list(json, known.key, values()),
            }
        }
        if self.subject_md5
            && let Some(subject) = message.fields.value(b"subject")
        {
            json.string("subject_md5", hex::string(&Md5::digest(subject)));
        }
        if self.body_md5
            && let Some(digest) = message.body_md5()
        {
            json.string("body_md5", hex::string(&digest));
        }
        json.close_object();
    }
}

fn basic(message: &Message, json: &mut JsonWriter<'_>) {
    json.optional_string("from", message.fields.value(b"from"));
    for name in ["to", "cc"] {
        list(json, name, message.fields.values(name.as_bytes()).take(1).flat_map(fields::entries));
    }
    list(json, "attachment", message.attachments.iter().map(|name| &name[..]));
    list(json, "url", message.urls().iter().rev().map(|url| &url[..]));
}

/// A list where there is anything in it.
fn list<'a>(json: &mut JsonWriter<'_>, key: &str, values: impl Iterator<Item = &'a [u8]>) {
    let mut values = values.filter(|value| !value.is_empty()).peekable();
    if values.peek().is_none() {
        return;
    }
    json.strings(key, values);
}
