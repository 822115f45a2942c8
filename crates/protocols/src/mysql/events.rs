//! Events of MySQL for scripts: what each side says, a row each.

use weir_applayer::Said;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::EventValue;

use super::message::Message;

const HANDSHAKE: usize = 0;
const SSL_REQUEST: usize = 1;
const COMMAND: usize = 2;
const OK: usize = 3;
const ERROR: usize = 4;
const EOF: usize = 5;

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/mysql/main",
    bodies: None,
    names: &[
        "mysql_handshake",
        "mysql_ssl_request",
        "mysql_command_request",
        "mysql_ok",
        "mysql_error",
        "mysql_eof",
    ],
    open: || Box::new(MySqlRaiser),
};

#[derive(Debug)]
struct MySqlRaiser;

impl EventRaiser for MySqlRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete) else { return };
        let c = EventValue::Connection;
        match &tx.message {
            Message::Login(user) => sink.raise(HANDSHAKE, &[c, user.into()]),
            Message::Tls => sink.raise(SSL_REQUEST, &[c]),
            Message::Command { command, text } => sink.raise(COMMAND, &[c, (*command).into(), text.into()]),
            Message::Done { rows } => sink.raise(OK, &[c, (*rows).into()]),
            Message::End => sink.raise(EOF, &[c, EventValue::Bool(false)]),
            Message::Error { code, text } => sink.raise(ERROR, &[c, (*code).into(), text.into()]),
            Message::Failure | Message::TooMany => {}
        }
    }
}
