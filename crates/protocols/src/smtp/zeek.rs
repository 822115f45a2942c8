//! Zeek's smtp log.

use std::net::IpAddr;

use memchr::memmem;
use smallvec::{SmallVec, smallvec};
use weir_applayer::extraction::to_extract;
use weir_applayer::zeek::column::Vector;
use weir_applayer::zeek::{
    FileFate, HandlePart, News, Script, Software, SoftwareHost, ZeekLogger, ZeekLogs, ZeekSink, ZeekValue,
};
use weir_applayer::{File, Transaction, downcast, zeek_stream};

use super::SMTP;
use super::envelope::{Envelope, MailFields, mailbox};
use super::events::EVENTS;
use super::transaction::SmtpTransaction;

zeek_stream! {
    static STREAM: "smtp" of a connection;
    struct Row {
        trans_depth: Count,
        helo: Text,
        mailfrom: Text,
        rcptto: Set<Text>,
        date: Text,
        from: Text,
        to: Set<Text>,
        cc: Set<Text>,
        reply_to: Text,
        msg_id: Text,
        in_reply_to: Text,
        subject: Text,
        x_originating_ip: Addr,
        first_received: Text,
        second_received: Text,
        last_reply: Text,
        path: Vector<Addr>,
        user_agent: Text,
        tls: Bool,
        fuids: Vector<Text>,
    }
    with static MORE {
        is_webmail: Bool of SmtpSoftware,
    }
}

/// The logs of SMTP.
pub(super) static ZEEK: ZeekLogs = ZeekLogs {
    more: &MORE,
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::new(SmtpLogger::default()))
};

#[derive(Default)]
struct SmtpLogger {
    /// A command was seen.
    confirmed: bool,
    /// Weirds that were logged.
    told: Vec<&'static str>,
}

impl ZeekLogger for SmtpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<SmtpTransaction>() else { return };
        if !std::mem::replace(&mut self.confirmed, true) {
            sink.service(SMTP.zeek_service);
        }
        let Some(envelope) = tx.envelope.as_deref() else { return };
        let is_whole = tells_whole(envelope, sink);
        if !news.complete {
            tell_whole(envelope, FileFate::Open, sink);
            for file in to_extract(&envelope.entities.files) {
                let fate = if file.is_end_due() { FileFate::Over } else { FileFate::Open };
                sink.file_of(file, fate, &handle(envelope, file, is_whole));
            }
            return;
        }
        for (time, oddity) in &envelope.oddities {
            if !self.told.contains(&oddity.name) {
                self.told.push(oddity.name);
                sink.weird(*time, oddity.name, Some(&*oddity.addl).filter(|addl| !addl.is_empty()));
            }
        }
        // A greeting alone makes no row.
        if tx.sender.is_some() || !tx.recipients.is_empty() || envelope.mail.any || envelope.tls {
            write(tx, envelope, sink);
        }
        tell_whole(envelope, FileFate::Over, sink);
    }

    fn has_news(&self, news: News<'_>) -> bool {
        news.complete || !self.confirmed || has_extract(news.transaction)
    }
}

/// Whether something of a mail is to be extracted while more of it comes.
fn has_extract(transaction: &dyn Transaction) -> bool {
    let envelope = downcast::<SmtpTransaction>(transaction).and_then(|tx| tx.envelope.as_deref());
    envelope.is_some_and(|envelope| {
        let whole = envelope.whole.as_ref().is_some_and(|(_, file)| file.is_extract_due());
        whole || !to_extract(&envelope.entities.files).is_empty()
    })
}

/// The setting by which scripts are told of mails as files.
const WHOLE_MAILS: &str = "SMTP::enable_rfc822_msg_file_analysis";

/// Returns whether scripts are told of a mail as a file.
fn tells_whole(envelope: &Envelope, sink: &dyn ZeekSink) -> bool {
    let is_asked = sink.settings().is_some_and(|settings| settings.is_set(WHOLE_MAILS));
    if let Some((_, file)) = envelope.whole.as_ref().filter(|_| !is_asked) {
        file.stop_extracting();
    }
    is_asked && envelope.whole.is_some()
}

/// Tells of a mail as a file.
fn tell_whole(envelope: &Envelope, fate: FileFate, sink: &mut dyn ZeekSink) {
    if let Some((number, file)) = &envelope.whole
        && file.is_extract_due()
        && tells_whole(envelope, sink)
    {
        let handle = [HandlePart::Start, HandlePart::Number(envelope.depth), HandlePart::Number(*number)];
        sink.file_of(file, fate, &handle);
    }
}

/// Returns the handle of a part of a mail, which may be a file itself.
fn handle(envelope: &Envelope, file: &File, is_whole: bool) -> SmallVec<[HandlePart; 4]> {
    let mut parts = smallvec![HandlePart::Start, HandlePart::Number(envelope.depth)];
    if let Some((number, _)) = envelope.whole.as_ref().filter(|_| is_whole) {
        parts.push(HandlePart::IdOf(envelope.depth, *number));
    }
    parts.push(HandlePart::Number(file.depth));
    parts
}

fn write(tx: &SmtpTransaction, envelope: &Envelope, sink: &mut dyn ZeekSink) {
    let is_whole = tells_whole(envelope, sink);
    tell_whole(envelope, FileFate::Open, sink);
    let files = envelope.entities.files.iter();
    let fuids: Vec<String> =
        files.map(|file| sink.file_of(file, FileFate::Over, &handle(envelope, file, is_whole))).collect();
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
    let ends = sink.connection().endpoints;
    let mut path = vec![ends.server, ends.client];
    path.extend(mail.path.iter().skip(usize::from(mail.path.first() == Some(&ends.client))));
    let addresses: Vec<_> = path.iter().copied().map(ZeekValue::Addr).collect();
    let fuids = ZeekValue::texts(&fuids);
    let row = Row {
        trans_depth: envelope.depth.into(),
        helo: tx.hello.as_deref().into(),
        mailfrom: tx.sender.as_deref().and_then(mailbox).into(),
        rcptto: recipients.as_slice().into(),
        date: mail.date.as_deref().into(),
        from: mail.from.as_deref().into(),
        to: to.as_slice().into(),
        cc: cc.as_slice().into(),
        reply_to: mail.reply_to.as_deref().into(),
        msg_id: mail.message_id.as_deref().into(),
        in_reply_to: mail.in_reply_to.as_deref().into(),
        subject: mail.subject.as_deref().into(),
        x_originating_ip: mail.originating_ip.into(),
        first_received: mail.first_received.as_deref().into(),
        second_received: mail.second_received.as_deref().into(),
        last_reply: envelope.last_reply.as_deref().into(),
        path: Vector::even_if_empty(&addresses),
        user_agent: mail.user_agent.as_deref().into(),
        tls: envelope.tls.into(),
        fuids: Vector::even_if_empty(&fuids),
        is_webmail: mail.is_webmail.into(),
    };
    let values = row.values(|script| sink.has(script));
    sink.row(&STREAM, envelope.start, &values);
    if sink.has(Script::SmtpSoftware) {
        tell_of_software(mail, &path, sink);
    }
}

/// The program that the mail was written with runs where its path begins; what strangers say is not believed.
fn tell_of_software(mail: &MailFields, path: &[IpAddr], sink: &mut dyn ZeekSink) {
    let Some(text) = mail.user_agent.as_deref().filter(|_| sink.is_local(sink.connection().endpoints.client))
    else {
        return;
    };
    let kind = if mail.is_webmail { "SMTP::WEBMAIL_SERVER" } else { "SMTP::MAIL_CLIENT" };
    let over_http = |field: &Vec<u8>| memmem::find(field, b"via HTTP").is_some();
    // The visitor of a web site comes first, the site second.
    let is_visitor_known = mail.is_webmail && mail.first_received.as_ref().is_some_and(over_http);
    if let Some(&host) = path.iter().rev().nth(usize::from(is_visitor_known)) {
        sink.software(&Software { kind, host: SoftwareHost::Other(host), text });
    }
}
