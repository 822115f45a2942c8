//! Zeek's smtp log.

use std::net::IpAddr;

use memchr::memmem;
use weir_applayer::extraction::to_extract;
use weir_applayer::zeek::{
    FileFate, MoreColumns, Script, Software, SoftwareHost, ZeekConnection, ZeekLogger, ZeekLogs, ZeekSink,
    ZeekStream, ZeekType, ZeekValue,
};
use weir_applayer::{Transaction, downcast};
use weir_base::Direction;

use super::SMTP;
use super::envelope::{Envelope, MailFields, mailbox};
use super::transaction::SmtpTransaction;

static STREAM: ZeekStream = ZeekStream {
    name: "smtp",
    connection: true,
    columns: &[
        ("trans_depth", ZeekType::Count),
        ("helo", ZeekType::String),
        ("mailfrom", ZeekType::String),
        ("rcptto", ZeekType::Set(&ZeekType::String)),
        ("date", ZeekType::String),
        ("from", ZeekType::String),
        ("to", ZeekType::Set(&ZeekType::String)),
        ("cc", ZeekType::Set(&ZeekType::String)),
        ("reply_to", ZeekType::String),
        ("msg_id", ZeekType::String),
        ("in_reply_to", ZeekType::String),
        ("subject", ZeekType::String),
        ("x_originating_ip", ZeekType::Addr),
        ("first_received", ZeekType::String),
        ("second_received", ZeekType::String),
        ("last_reply", ZeekType::String),
        ("path", ZeekType::Vector(&ZeekType::Addr)),
        ("user_agent", ZeekType::String),
        ("tls", ZeekType::Bool),
        ("fuids", ZeekType::Vector(&ZeekType::String)),
    ],
};

/// The logs of SMTP.
pub(super) static ZEEK: ZeekLogs = ZeekLogs {
    more: &[MoreColumns {
        stream: &STREAM,
        script: Script::SmtpSoftware,
        columns: &[("is_webmail", ZeekType::Bool)],
    }],
    ..ZeekLogs::new(&[&STREAM], |_| Box::new(SmtpLogger::default()))
};

#[derive(Default)]
struct SmtpLogger {
    /// A command was seen.
    confirmed: bool,
    /// Oddities that were told of.
    told: Vec<&'static str>,
}

impl ZeekLogger for SmtpLogger {
    fn transaction(
        &mut self,
        connection: &ZeekConnection<'_>,
        transaction: &dyn Transaction,
        _: Direction,
        complete: bool,
        sink: &mut dyn ZeekSink,
    ) {
        let Some(tx) = downcast::<SmtpTransaction>(transaction) else { return };
        if !std::mem::replace(&mut self.confirmed, true) {
            sink.service(connection, SMTP.zeek_service);
        }
        let Some(envelope) = tx.envelope.as_deref() else { return };
        if !complete {
            for file in to_extract(&envelope.entities.files) {
                sink.file(connection, file, FileFate::Open);
            }
            return;
        }
        for (time, oddity) in &envelope.oddities {
            if !self.told.contains(&oddity.name) {
                self.told.push(oddity.name);
                sink.weird(connection, *time, oddity.name, Some(&oddity.addl));
            }
        }
        // A greeting alone is nothing to tell of.
        if tx.sender.is_some() || !tx.recipients.is_empty() || envelope.mail.any || envelope.tls {
            write(connection, tx, envelope, sink);
        }
    }

    fn has_news(&self, transaction: &dyn Transaction, complete: bool) -> bool {
        complete || !self.confirmed || has_extract(transaction)
    }

    fn end(&mut self, _: &ZeekConnection<'_>, _: &mut dyn ZeekSink) {}
}

/// Whether something of a mail is to be extracted while more of it comes.
fn has_extract(transaction: &dyn Transaction) -> bool {
    let envelope = downcast::<SmtpTransaction>(transaction).and_then(|tx| tx.envelope.as_deref());
    envelope.is_some_and(|envelope| !to_extract(&envelope.entities.files).is_empty())
}

fn write(
    connection: &ZeekConnection<'_>,
    tx: &SmtpTransaction,
    envelope: &Envelope,
    sink: &mut dyn ZeekSink,
) {
    let files = envelope.entities.files.iter();
    let fuids: Vec<String> = files.map(|file| sink.file(connection, file, FileFate::Over)).collect();
    let mail = &envelope.mail;
    let mut recipients: Vec<&[u8]> =
        tx.recipients.iter().filter_map(|recipient| mailbox(recipient)).collect();
    recipients.sort_unstable();
    recipients.dedup();
    let (recipients, to, cc) = (
        ZeekValue::texts(&recipients),
        ZeekValue::texts(mail.to.as_slice()),
        ZeekValue::texts(mail.cc.as_slice()),
    );
    let ends = connection.endpoints;
    let mut path = vec![ends.server, ends.client];
    path.extend(mail.path.iter().skip(usize::from(mail.path.first() == Some(&ends.client))));
    let addresses: Vec<_> = path.iter().copied().map(ZeekValue::Addr).collect();
    let fuids = ZeekValue::texts(&fuids);
    let values = [
        ZeekValue::Count(envelope.depth),
        ZeekValue::text(tx.hello.as_deref()),
        ZeekValue::text(tx.sender.as_deref().and_then(mailbox)),
        ZeekValue::list(&recipients),
        ZeekValue::text(mail.date.as_deref()),
        ZeekValue::text(mail.from.as_deref()),
        ZeekValue::list(&to),
        ZeekValue::list(&cc),
        ZeekValue::text(mail.reply_to.as_deref()),
        ZeekValue::text(mail.message_id.as_deref()),
        ZeekValue::text(mail.in_reply_to.as_deref()),
        ZeekValue::text(mail.subject.as_deref()),
        mail.originating_ip.map_or(ZeekValue::Unset, ZeekValue::Addr),
        ZeekValue::text(mail.first_received.as_deref()),
        ZeekValue::text(mail.second_received.as_deref()),
        ZeekValue::text(envelope.last_reply.as_deref()),
        ZeekValue::List(&addresses),
        ZeekValue::text(mail.user_agent.as_deref()),
        ZeekValue::Bool(envelope.tls),
        ZeekValue::List(&fuids),
        ZeekValue::Bool(mail.is_webmail),
    ];
    let more = usize::from(sink.has(Script::SmtpSoftware));
    let shown = values.get(..STREAM.columns.len() + more).unwrap_or(&values);
    sink.row(&STREAM, connection, envelope.start, shown);
    if more > 0 {
        tell_of_software(connection, mail, &path, sink);
    }
}

/// The program that the mail was written with runs where its path begins; what strangers say is not believed.
fn tell_of_software(
    connection: &ZeekConnection<'_>,
    mail: &MailFields,
    path: &[IpAddr],
    sink: &mut dyn ZeekSink,
) {
    let Some(text) = mail.user_agent.as_deref().filter(|_| sink.is_local(connection.endpoints.client)) else {
        return;
    };
    let kind = if mail.is_webmail { "SMTP::WEBMAIL_SERVER" } else { "SMTP::MAIL_CLIENT" };
    let over_http = |field: &Vec<u8>| memmem::find(field, b"via HTTP").is_some();
    // The visitor of a web site comes first, the site second.
    let is_visitor_known = mail.is_webmail && mail.first_received.as_ref().is_some_and(over_http);
    if let Some(&host) = path.iter().rev().nth(usize::from(is_visitor_known)) {
        sink.software(connection, &Software { kind, host: SoftwareHost::Other(host), text });
    }
}
