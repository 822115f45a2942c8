//! Events of FTP for scripts: commands and the lines of replies.

use smallvec::SmallVec;
use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue};

use super::command::Command;
use super::nvt;
use super::transaction::{FtpTransaction, Reply};
use super::zeek::argument_of;

event_names! {
    /// Their names.
    const NAMES;
    REQUEST = "ftp_request",
    REPLY = "ftp_reply",
    STARTTLS = "ftp_starttls",
}

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/ftp/main",
    bodies: None,
    names: NAMES,
    open: || Box::<FtpRaiser>::default(),
};

/// The code by which a server agrees to TLS (RFC 4217 4.1).
const AGREED: &[u8] = b"234";

/// What scripts know of a transaction.
#[derive(Clone, Copy, Debug)]
struct Told {
    id: u64,
    replies: usize,
    /// The code of a reply of several lines that is under way.
    open: Option<u64>,
}

#[derive(Debug, Default)]
struct FtpRaiser {
    /// No command before this one is new.
    next: u64,
    told: SmallVec<[Told; 2]>,
}

impl EventRaiser for FtpRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<FtpTransaction>() else { return };
        if tx.meta.only != Some(Direction::ToClient) && tx.meta.id >= self.next {
            self.next = tx.meta.id + 1;
            request(tx, sink);
        }
        let place = self.told.iter().position(|told| told.id == tx.meta.id);
        let mut told = place
            .map_or(Told { id: tx.meta.id, replies: 0, open: None }, |place| self.told.swap_remove(place));
        for reply in tx.replies.iter().skip(told.replies) {
            told.replies += 1;
            told.reply(reply, sink);
            if reply.final_code() == Some(AGREED) && tx.command.is_some_and(Command::is_auth) {
                sink.raise(STARTTLS, &[EventValue::Connection]);
            }
        }
        if !news.complete {
            self.told.push(told);
        }
    }
}

fn request(tx: &FtpTransaction, sink: &mut dyn EventSink) {
    match tx.command.map(Command::name) {
        Some(name) => {
            let argument = nvt::text(argument_of(tx));
            let arguments = [EventValue::Connection, EventValue::text(name), EventValue::String(&argument)];
            sink.raise(REQUEST, &arguments);
        }
        None => {
            let line = nvt::text(&tx.argument);
            let line = line.trim_ascii_start();
            let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
            let (name, rest) = line.split_at(end);
            let name = name.to_ascii_uppercase();
            let rest = rest.trim_ascii_start();
            let arguments = [EventValue::Connection, EventValue::String(&name), EventValue::String(rest)];
            sink.raise(REQUEST, &arguments);
        }
    }
}

/// The number of a code of three digits.
fn number(code: &[u8]) -> u64 {
    code.iter().fold(0, |number, digit| number * 10 + u64::from(digit.wrapping_sub(b'0') % 10))
}

impl Told {
    fn reply(&mut self, reply: &Reply, sink: &mut dyn EventSink) {
        let code = reply.code().map(number);
        let is_last = reply.final_code().is_some();
        let (shown, text, goes_on) = match self.open {
            Some(open) if !(is_last && code == Some(open)) => (open, reply.line(), true),
            Some(open) => {
                self.open = None;
                (open, reply.text().unwrap_or_default(), false)
            }
            None => {
                self.open = code.filter(|_| !is_last);
                (code.unwrap_or(0), reply.text().unwrap_or_default(), self.open.is_some())
            }
        };
        let arguments = [
            EventValue::Connection,
            EventValue::Count(shown),
            EventValue::String(text),
            EventValue::Bool(goes_on),
        ];
        sink.raise(REPLY, &arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Events;

    #[test]
    fn the_server_agrees_to_tls() {
        let cases: [(&[u8], &[u8], bool); 4] = [
            (b"AUTH TLS", b"234 go ahead", true),
            (b"AUTH TLS", b"234-go", false),
            (b"AUTH TLS", b"534 no", false),
            (b"FEAT", b"234 go ahead", false),
        ];
        for (command, reply, expected) in cases {
            let command = Command::read(command).map(|(command, _)| command);
            let tx =
                FtpTransaction { command, replies: vec![Reply::new(reply)], ..FtpTransaction::default() };
            let mut sink = Events::new(NAMES);
            Box::<FtpRaiser>::default().transaction(News { transaction: &tx, complete: true }, &mut sink);
            let is_told = sink.raised.iter().any(|line| line == "ftp_starttls c");
            assert_eq!(is_told, expected, "{reply:?}");
        }
    }
}
