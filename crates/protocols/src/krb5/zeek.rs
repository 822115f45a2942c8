//! Zeek's kerberos log: a row for each connection, with the first request and what became of it.
//!
//! That a client is to show first who it is, is no answer yet: the row is about the request that comes then.

use weir_applayer::zeek::{News, WholeFile};
use weir_applayer::{Transport, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, Timestamp};

use super::events::EVENTS;
use super::message::{Content, Message, kind};
use super::names;
use super::transaction::Krb5Transaction;
use crate::tls::certificate::sha256;
use crate::tls::zeek::x509;

zeek_stream! {
    /// The stream.
    pub static STREAM: "kerberos" of a connection;
    /// A row as it is written.
    struct Columns {
        request_type: Text,
        client: Text,
        service: Text,
        success: Bool,
        error_msg: Text,
        from: Time,
        till: Time,
        cipher: Text,
        forwardable: Bool,
        renewable: Bool,
        client_cert_subject: Text,
        client_cert_fuid: Text,
        server_cert_subject: Text,
        server_cert_fuid: Text,
    }
}

/// The log.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&STREAM, &x509::STREAM], |_| Box::<KerberosLogger>::default())
};

/// The row of a connection of another protocol whose client shows a ticket: nothing is said of it.
pub fn write_ticket(time: Timestamp, sink: &mut dyn ZeekSink) {
    sink.row(&STREAM, time, &Columns::default().values());
}

/// Texts of servers that ask for preauthentication.
const NO_ANSWER: [&[u8]; 2] = [b"NEEDED_PREAUTH", b"Need to use PA-ENC-TIMESTAMP/PA-PK-AS-REQ"];

/// A certificate that an end showed.
#[derive(Debug)]
struct Shown {
    fuid: String,
    /// Subject, where it can be read.
    subject: Option<Vec<u8>>,
}

/// The row of a connection.
#[derive(Debug, Default)]
struct Row {
    time: Timestamp,
    request: Option<&'static str>,
    client: Option<Vec<u8>>,
    service: Option<Vec<u8>>,
    success: Option<bool>,
    error: Option<Vec<u8>>,
    from: Option<Timestamp>,
    till: Option<Timestamp>,
    cipher: Option<String>,
    /// Forwardable, and renewable.
    wishes: Option<(bool, bool)>,
    client_certificate: Option<Shown>,
    server_certificate: Option<Shown>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct KerberosLogger {
    row: Option<Box<Row>>,
    written: bool,
    confirmed: bool,
}

impl ZeekLogger for KerberosLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Krb5Transaction>().filter(|_| news.complete) else { return };
        let is_answer = !matches!(tx.message.content, Content::Request(_));
        if is_answer && !std::mem::replace(&mut self.confirmed, true) {
            let is_tcp = sink.connection().endpoints.transport == Transport::Tcp;
            sink.service(if is_tcp { "krb_tcp" } else { "krb" });
        }
        if self.written {
            return;
        }
        if is_no_answer(&tx.message) {
            self.row = None;
            return;
        }
        let time = Direction::BOTH.into_iter().map(|direction| tx.meta.last_seen[direction]).max();
        let time = time.unwrap_or_default();
        let row = self.row.get_or_insert_with(|| Box::new(Row { time, ..Row::default() }));
        row.add(&tx.message);
        row.show(&tx.message, time, sink);
        if is_answer {
            self.end(sink);
        }
    }

    fn has_news(&self, _: News<'_>) -> bool {
        !(self.written && self.confirmed)
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(row) = self.row.take() {
            self.written = true;
            row.write(sink);
        }
    }
}

fn is_no_answer(message: &Message) -> bool {
    match message.content {
        Content::Error { text: Some(text), .. } => NO_ANSWER.contains(&message.at(text)),
        _ => false,
    }
}

/// The client with its realm; one of the two may be missing.
fn client(message: &Message) -> Vec<u8> {
    let name = message.client.as_ref().map(|client| message.name(client));
    let mut text = name.map(|name| [&name[..], b"/"].concat()).unwrap_or_default();
    text.extend_from_slice(message.realm.map_or(&[], |realm| message.at(realm)));
    text
}

impl Row {
    fn add(&mut self, message: &Message) {
        let service = message.service.as_ref().map(|service| message.name(service));
        match message.content {
            Content::Request(wishes) => {
                let is_first = message.kind == kind::AS_REQ;
                self.request = Some(if is_first { "AS" } else { "TGS" });
                // Who asks for a ticket for a service says that in another one.
                if is_first {
                    self.client = Some(client(message));
                }
                self.service = service.or(self.service.take());
                self.from = wishes.from;
                self.till = wishes.till;
                self.wishes = Some((wishes.forwardable, wishes.renewable));
            }
            Content::Reply { ticket, .. } => {
                self.client.get_or_insert_with(|| client(message));
                self.service = service;
                self.cipher = Some(
                    names::encryption(ticket).map_or_else(|| format!("unknown-{ticket}"), str::to_owned),
                );
                self.success = Some(true);
            }
            Content::Error { code, text } => {
                if message.client.is_some() || message.realm.is_some() {
                    self.client.get_or_insert_with(|| client(message));
                }
                self.service = self.service.take().or(service);
                self.error = Some(match (text, names::error(code)) {
                    (Some(text), _) => message.at(text).to_vec(),
                    (None, Some(name)) => name.as_bytes().to_vec(),
                    (None, None) => format!("unknown-{code}").into_bytes(),
                });
                self.success = Some(false);
            }
        }
    }

    /// Tells of the certificate of a message.
    fn show(&mut self, message: &Message, time: Timestamp, sink: &mut dyn ZeekSink) {
        let Some(der) = message.certificate.map(|place| message.at(place)) else { return };
        let is_client = matches!(message.content, Content::Request(_));
        let first = WholeFile::certificate(der, "KRB", is_client, 0, time);
        let fuid = sink.unlogged_file(&WholeFile { place: Some(u64::from(!is_client)), ..first });
        let fingerprint = sha256(der);
        let subject = x509::with_facts(der, &fingerprint, |found| found.map(|found| found.subject.to_vec()));
        if subject.is_some() {
            let row = x509::Row { der, fingerprint: &fingerprint, is_host: true, is_client };
            x509::write(&row, None, time, sink);
        } else if sink.is_new_certificate(&fingerprint, time) {
            sink.weird_of_none(time, "x509_cert_parse_error", Some(&fuid));
        }
        let end = if is_client { &mut self.client_certificate } else { &mut self.server_certificate };
        *end = Some(Shown { fuid, subject });
    }

    fn write(&self, sink: &mut dyn ZeekSink) {
        let (of_client, of_server) = (self.client_certificate.as_ref(), self.server_certificate.as_ref());
        let row = Columns {
            request_type: self.request.into(),
            client: self.client.as_deref().into(),
            service: self.service.as_deref().into(),
            success: self.success.into(),
            error_msg: self.error.as_deref().into(),
            from: self.from.into(),
            till: self.till.into(),
            cipher: self.cipher.as_deref().into(),
            forwardable: self.wishes.map(|wishes| wishes.0).into(),
            renewable: self.wishes.map(|wishes| wishes.1).into(),
            client_cert_subject: of_client.and_then(|shown| shown.subject.as_deref()).into(),
            client_cert_fuid: of_client.map(|shown| &shown.fuid).into(),
            server_cert_subject: of_server.and_then(|shown| shown.subject.as_deref()).into(),
            server_cert_fuid: of_server.map(|shown| &shown.fuid).into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }
}
