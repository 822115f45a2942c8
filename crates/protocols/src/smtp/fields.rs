//! Fields of an envelope and its message.

use weir_applayer::{Access, Field, FieldDirection, Progress, build, bytes, late, list};
use weir_base::hex;

use super::transaction::{DATA, SmtpTransaction};
use crate::mime::Message;

/// The envelope is under way.
const ENVELOPE: Progress = Progress(0);

const fn field(name: &'static str, ready_at: Progress, access: Access, doc: &'static str) -> Field {
    field_with(name, &[], ready_at, access, doc)
}

const fn field_with(
    name: &'static str,
    aliases: &'static [&'static str],
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction: FieldDirection::ToServer, ready_at, access, doc }
}

/// The first value of a field of the message.
macro_rules! header {
    ($name:literal) => {
        late!(bytes!(SmtpTransaction, |tx, _| tx.mail()?.fields.value($name)))
    };
}

/// The rows.
pub(super) const FIELDS: &[Field] = &[
    field(
        "smtp.helo",
        ENVELOPE,
        late!(bytes!(SmtpTransaction, |tx, _| tx.hello.as_deref())),
        "What the client called itself.",
    ),
    field(
        "smtp.mail_from",
        ENVELOPE,
        late!(bytes!(SmtpTransaction, |tx, _| tx.sender.as_deref())),
        "The sender of the envelope, as written behind MAIL FROM.",
    ),
    field(
        "smtp.rcpt_to",
        ENVELOPE,
        late!(list!(SmtpTransaction, |tx, _, index| tx
            .recipients()
            .get(index)
            .map(|recipient| &recipient[..]))),
        "Each recipient of the envelope by itself, as written behind RCPT TO.",
    ),
    field("email.from", DATA, header!(b"from"), "The From field of a mail."),
    field("email.to", DATA, header!(b"to"), "The To field of a mail."),
    field("email.cc", DATA, header!(b"cc"), "The Cc field of a mail."),
    field("email.subject", DATA, header!(b"subject"), "The Subject field of a mail."),
    field("email.date", DATA, header!(b"date"), "The Date field of a mail."),
    field("email.message_id", DATA, header!(b"message-id"), "The Message-Id field of a mail."),
    field("email.x_mailer", DATA, header!(b"x-mailer"), "The X-Mailer field of a mail."),
    field(
        "email.received",
        DATA,
        late!(list!(SmtpTransaction, |tx, _, index| tx.mail()?.fields.values(b"received").nth(index))),
        "Each Received field of a mail by itself.",
    ),
    field(
        "email.url",
        DATA,
        late!(list!(SmtpTransaction, |tx, _, index| tx.mail()?.urls().get(index).map(|url| &url[..]))),
        "Each address in the text of a mail by itself, with its scheme where that is logged.",
    ),
    field(
        "email.body_md5",
        DATA,
        late!(build!(SmtpTransaction, |tx, _, out| {
            let digest = tx.mail().and_then(Message::body_md5);
            out.extend_from_slice(digest.map(|digest| hex::string(&digest)).unwrap_or_default().as_bytes());
            digest.is_some()
        })),
        "The MD5 of a mail's body as sent, in hexadecimal.",
    ),
    field_with("file.data", &["file_data"], DATA, Access::FileData, "The content of attachments."),
    field_with("file.name", &["file_name"], DATA, Access::FileName, "The names of attachments."),
];
