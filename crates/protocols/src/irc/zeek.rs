//! Zeek's irc log: a row for each name that a client takes and each channel that it joins.

use weir_applayer::zeek::Announced;
use weir_applayer::{
    Transaction, ZeekConnection, ZeekLogger, ZeekLogs, ZeekSink, ZeekStream, ZeekType, ZeekValue, downcast,
};
use weir_base::{Direction, Timestamp};

use super::IRC;
use super::message::Message;
use super::parser::LINE_TOO_LONG;
use super::transaction::IrcTransaction;

static STREAM: ZeekStream = ZeekStream {
    name: "irc",
    connection: true,
    columns: &[
        ("nick", ZeekType::String),
        ("user", ZeekType::String),
        ("command", ZeekType::String),
        ("value", ZeekType::String),
        ("addl", ZeekType::String),
        ("dcc_file_name", ZeekType::String),
        ("dcc_file_size", ZeekType::Count),
        ("dcc_mime_type", ZeekType::String),
        ("fuid", ZeekType::String),
    ],
};

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs::new(&[&STREAM], |_| Box::<IrcLogger>::default());

/// Follows one connection.
#[derive(Debug, Default)]
struct IrcLogger {
    nick: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
    /// What the last row said more; the next one repeats it where it says nothing.
    more: Option<Vec<u8>>,
}

impl ZeekLogger for IrcLogger {
    fn transaction(
        &mut self,
        connection: &ZeekConnection<'_>,
        transaction: &dyn Transaction,
        _: Direction,
        complete: bool,
        sink: &mut dyn ZeekSink,
    ) {
        let Some(tx) = downcast::<IrcTransaction>(transaction).filter(|_| complete) else { return };
        let is_of_client = tx.meta.only == Some(Direction::ToServer);
        if is_of_client && !matches!(tx.message, Message::Odd(..) | Message::Failure(..)) {
            sink.service(connection, IRC.zeek_service);
        }
        match &tx.message {
            Message::Known | Message::Tls => {}
            Message::Nick(name) => {
                self.write("NICK", name, tx.time, connection, sink);
                self.nick = Some(name.clone());
            }
            Message::User(name, more) => {
                self.more = Some(more.clone());
                self.write("USER", name, tx.time, connection, sink);
                self.user = Some(name.clone());
            }
            Message::Join(channels) => {
                for (channel, key) in channels {
                    let more = [&b" with channel key: '"[..], key, b"'"].concat();
                    self.more = Some(if key.is_empty() { Vec::new() } else { more });
                    self.write("JOIN", channel, tx.time, connection, sink);
                }
            }
            Message::File(address, port) => {
                let announced = Announced { server: ((*address).into(), *port), service: "irc-dcc-data" };
                sink.announce(connection, announced, tx.time);
            }
            Message::Odd(LINE_TOO_LONG, _) => {
                sink.weird_of(connection, tx.time, LINE_TOO_LONG, None, Some("CONTENTLINE"));
            }
            Message::Odd(name, about) => sink.weird(connection, tx.time, name, about.as_deref()),
            Message::Failure(name, reason) => {
                sink.weird(connection, tx.time, name, None);
                sink.violation(connection, tx.time, reason, None);
            }
        }
    }

    fn end(&mut self, _: &ZeekConnection<'_>, _: &mut dyn ZeekSink) {}
}

impl IrcLogger {
    fn write(
        &self,
        command: &str,
        value: &[u8],
        time: Timestamp,
        connection: &ZeekConnection<'_>,
        sink: &mut dyn ZeekSink,
    ) {
        let values = [
            ZeekValue::text(self.nick.as_deref()),
            ZeekValue::text(self.user.as_deref()),
            ZeekValue::String(command.as_bytes()),
            ZeekValue::String(value),
            ZeekValue::text(self.more.as_deref()),
            // Of files that are sent nothing is told.
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::Unset,
        ];
        sink.row(&STREAM, connection, time, &values);
    }
}
