//! Zeek's irc log: a row for each name that a client takes, each channel that it joins, and each file that is sent,
//! which is written with the next line, or at the end.

use std::net::IpAddr;

use weir_applayer::zeek::column::{Count, Text};
use weir_applayer::zeek::{Announced, News, OneFile};
use weir_applayer::{Said, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, Timestamp};

use super::IRC;
use super::data::DataTransaction;
use super::events::EVENTS;
use super::message::{Message, Offer};
use super::parser::LINE_TOO_LONG;

zeek_stream! {
    static STREAM: "irc" of a connection;
    struct Row {
        nick: Text,
        user: Text,
        command: Text,
        value: Text,
        addl: Text,
        dcc_file_name: Text,
        dcc_file_size: Count,
        dcc_mime_type: Text,
        fuid: Text,
    }
}

/// The logs.
pub static LOGS: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[&STREAM], |_| Box::<IrcLogger>::default()) };

/// The logs of connections for files, which are named by what announced them.
pub static DATA_LOGS: ZeekLogs =
    ZeekLogs { events: Some(&super::data::EVENTS), ..ZeekLogs::new(&[], |_| Box::<DataLogger>::default()) };

/// Most files of a connection that are waited for; the oldest is forgotten first.
pub const MAX_OFFERS: usize = 64;

/// Name of the weird for more files than that.
pub const TOO_MANY_FILES: &str = "irc_too_many_files";

/// Setting of scripts for fewer files, and the name of its weird.
const MOST_EXPECTED: &str = "IRC::max_dcc_expected_transfers";
const TOO_MANY_EXPECTED: &str = "irc_max_dcc_expected_transfers_exceeded";

/// Follows one connection.
#[derive(Debug, Default)]
struct IrcLogger {
    nick: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
    /// Last name or channel, and when something was said that Zeek makes a row of.
    value: Option<Vec<u8>>,
    last: Timestamp,
    offers: Vec<Offer>,
    /// Additional text of the last row; the next one repeats it where it has none.
    more: Option<Vec<u8>>,
}

impl ZeekLogger for IrcLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete) else { return };
        self.write_files(sink);
        let is_of_client = tx.meta.only == Some(Direction::ToServer);
        if is_of_client && !matches!(tx.message, Message::Odd(..) | Message::Failure(..) | Message::Heard) {
            sink.service(IRC.zeek_service);
        }
        match &tx.message {
            Message::Known | Message::Tls | Message::Heard => {}
            Message::Nick(name) => {
                self.write("NICK", name, tx.time, sink);
                self.nick = Some(name.clone());
            }
            Message::User(name, more) => {
                self.more = Some(more.clone());
                self.write("USER", name, tx.time, sink);
                self.user = Some(name.clone());
            }
            Message::Join(channels) => {
                for (channel, key) in channels {
                    let more = [&b" with channel key: '"[..], key, b"'"].concat();
                    self.more = Some(if key.is_empty() { Vec::new() } else { more });
                    self.write("JOIN", channel, tx.time, sink);
                }
            }
            Message::File(offer) => {
                let most = sink.settings().and_then(|settings| settings.count(MOST_EXPECTED)).unwrap_or(0);
                if most > 0 && self.offers.len() as u64 >= most {
                    sink.weird_of(tx.time, TOO_MANY_EXPECTED, None, None);
                    return;
                }
                let announced = Announced { server: server(offer), service: "irc-dcc-data" };
                sink.announce(announced, tx.time);
                self.last = tx.time;
                self.offers.retain(|known| server(known) != server(offer));
                if self.offers.len() >= MAX_OFFERS {
                    sink.weird(tx.time, TOO_MANY_FILES, None);
                    self.offers.remove(0);
                }
                self.offers.push(offer.clone());
            }
            Message::Odd(LINE_TOO_LONG, _) => {
                sink.weird_of(tx.time, LINE_TOO_LONG, None, Some("CONTENTLINE"));
            }
            Message::Odd(name, about) => sink.weird(tx.time, name, about.as_deref()),
            Message::Failure(name, reason) => {
                sink.weird(tx.time, name, None);
                sink.violation(tx.time, reason, None);
            }
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.write_files(sink);
    }
}

/// Where a file is to be had.
fn server(offer: &Offer) -> (IpAddr, u16) {
    (offer.host.into(), offer.port)
}

impl IrcLogger {
    /// Writes rows of files that came meanwhile.
    fn write_files(&mut self, sink: &mut dyn ZeekSink) {
        let mut sent = Vec::new();
        self.offers.retain(|offer| match sink.take_sent(server(offer)) {
            Some(file) => {
                sent.push((offer.clone(), file));
                false
            }
            None => true,
        });
        for (offer, file) in sent {
            let row = Row {
                nick: self.nick.as_deref().into(),
                user: self.user.as_deref().into(),
                command: "DCC".into(),
                value: self.value.as_deref().into(),
                addl: self.more.as_deref().into(),
                dcc_file_name: (&offer.name).into(),
                dcc_file_size: offer.size.into(),
                dcc_mime_type: file.mime_type.into(),
                fuid: (&file.fuid).into(),
            };
            sink.row(&STREAM, self.last, &row.values());
        }
    }

    fn write(&mut self, command: &str, value: &[u8], time: Timestamp, sink: &mut dyn ZeekSink) {
        (self.value, self.last) = (Some(value.to_vec()), time);
        let row = Row {
            nick: self.nick.as_deref().into(),
            user: self.user.as_deref().into(),
            command: command.into(),
            value: value.into(),
            addl: self.more.as_deref().into(),
            dcc_file_name: Text::UNSET,
            dcc_file_size: Count::UNSET,
            dcc_mime_type: Text::UNSET,
            fuid: Text::UNSET,
        };
        sink.row(&STREAM, time, &row.values());
    }
}

/// Follows one connection for a file.
#[derive(Debug, Default)]
struct DataLogger {
    file: OneFile,
}

impl ZeekLogger for DataLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        if let Some(file) = news.of::<DataTransaction>().and_then(|tx| tx.file.as_ref()) {
            self.file.tell(file, news.complete, sink);
        }
    }
}
