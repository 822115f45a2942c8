//! Fields of an envelope and its message.

use weir_applayer::{Access, Field, Progress, build, bytes, late, list};
use weir_base::hex;

use super::transaction::{DATA, SmtpTransaction};
use crate::mime::Message;

/// The envelope is under way.
const ENVELOPE: Progress = Progress(0);

/// The first value of a field of the message.
macro_rules! header {
    ($name:literal) => {
        late!(bytes!(SmtpTransaction, |tx, _| tx.mail()?.fields.value($name)))
    };
}

/// The rows.
pub(super) const FIELDS: &[Field] = &[
    Field::to_server("smtp.helo", ENVELOPE, late!(bytes!(SmtpTransaction, |tx, _| tx.hello.as_deref())))
        .doc("What the client called itself."),
    Field::to_server(
        "smtp.mail_from",
        ENVELOPE,
        late!(bytes!(SmtpTransaction, |tx, _| tx.sender.as_deref())),
    )
    .doc("The sender of the envelope, as written behind MAIL FROM."),
    Field::to_server(
        "smtp.rcpt_to",
        ENVELOPE,
        late!(list!(SmtpTransaction, |tx, _, index| tx
            .recipients()
            .get(index)
            .map(|recipient| &recipient[..]))),
    )
    .doc("Each recipient of the envelope by itself, as written behind RCPT TO."),
    Field::to_server("email.from", DATA, header!(b"from")).doc("The From field of a mail."),
    Field::to_server("email.to", DATA, header!(b"to")).doc("The To field of a mail."),
    Field::to_server("email.cc", DATA, header!(b"cc")).doc("The Cc field of a mail."),
    Field::to_server("email.subject", DATA, header!(b"subject")).doc("The Subject field of a mail."),
    Field::to_server("email.date", DATA, header!(b"date")).doc("The Date field of a mail."),
    Field::to_server("email.message_id", DATA, header!(b"message-id")).doc("The Message-Id field of a mail."),
    Field::to_server("email.x_mailer", DATA, header!(b"x-mailer")).doc("The X-Mailer field of a mail."),
    Field::to_server(
        "email.received",
        DATA,
        late!(list!(SmtpTransaction, |tx, _, index| tx.mail()?.fields.values(b"received").nth(index))),
    )
    .doc("Each Received field of a mail by itself."),
    Field::to_server(
        "email.url",
        DATA,
        late!(list!(SmtpTransaction, |tx, _, index| tx.mail()?.urls().get(index).map(|url| &url[..]))),
    )
    .doc("Each address in the text of a mail by itself, with its scheme where that is logged."),
    Field::to_server(
        "email.body_md5",
        DATA,
        late!(build!(SmtpTransaction, |tx, _, out| {
            let digest = tx.mail().and_then(Message::body_md5);
            out.extend_from_slice(digest.map(|digest| hex::string(&digest)).unwrap_or_default().as_bytes());
            digest.is_some()
        })),
    )
    .doc("The MD5 of a mail's body as sent, in hexadecimal."),
    Field::to_server("file.data", DATA, Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of attachments."),
    Field::to_server("file.name", DATA, Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of attachments."),
];
