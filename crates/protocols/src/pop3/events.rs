//! Events of POP3 for scripts: commands, replies with their lines, and logins.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue};

use super::command::Request;
use super::transaction::{COMPLETE, Pop3Transaction, Response};

event_names! {
    /// Their names.
    const NAMES;
    REQUEST = "pop3_request",
    REPLY = "pop3_reply",
    DATA = "pop3_data",
    UNEXPECTED = "pop3_unexpected",
    STARTTLS = "pop3_starttls",
    LOGIN_SUCCESS = "pop3_login_success",
    LOGIN_FAILURE = "pop3_login_failure",
}

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/pop3/__load__",
    bodies: None,
    names: NAMES,
    open: || Box::<Pop3Raiser>::default(),
};

/// Longest name of a user that is remembered.
const MAX_NAME: usize = 4096;

#[derive(Debug, Default)]
struct Pop3Raiser {
    /// The next transactions whose commands and replies were not told.
    next_request: u64,
    next_reply: u64,
    user: Vec<u8>,
}

impl EventRaiser for Pop3Raiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Pop3Transaction>() else { return };
        let id = tx.meta.id;
        let is_asked = news.complete || tx.meta.progress[Direction::ToServer] >= COMPLETE;
        if is_asked && id >= self.next_request {
            self.next_request = id + 1;
            if let Some(request) = &tx.request {
                self.request(request, sink);
            }
        }
        if news.complete && id >= self.next_reply {
            self.next_reply = id + 1;
            self.reply(tx, sink);
        }
    }
}

impl Pop3Raiser {
    fn request(&mut self, request: &Request, sink: &mut dyn EventSink) {
        let word = request.word.to_ascii_uppercase();
        let argument = request.arguments.join(&b' ');
        if matches!(&word[..], b"USER" | b"APOP") {
            let name = request.arguments.first().map(Vec::as_slice).unwrap_or_default();
            self.user = name.get(..MAX_NAME).unwrap_or(name).to_vec();
        }
        let [word, argument] = [&word, &argument].map(|text| EventValue::String(text));
        sink.raise(REQUEST, &[EventValue::Connection, EventValue::Bool(true), word, argument]);
    }

    fn reply(&self, tx: &Pop3Transaction, sink: &mut dyn EventSink) {
        let (c, is_orig) = (EventValue::Connection, EventValue::Bool(false));
        if let Some((word, _)) = &tx.stray {
            let text = EventValue::text("unknown server command");
            sink.raise(UNEXPECTED, &[c, is_orig, text, EventValue::String(word)]);
        }
        let Some(response) = &tx.response else { return };
        let word = EventValue::text(if response.success { "OK" } else { "ERR" });
        sink.raise(REPLY, &[c, is_orig, word, EventValue::String(&response.header)]);
        for line in &response.data {
            sink.raise(DATA, &[c, is_orig, EventValue::String(line)]);
        }
        if let Some(request) = &tx.request {
            self.outcome(request, response, sink);
        }
    }

    /// The result of a login, or of the wish for TLS.
    fn outcome(&self, request: &Request, response: &Response, sink: &mut dyn EventSink) {
        let c = EventValue::Connection;
        let password: &[u8] = match &request.word.to_ascii_uppercase()[..] {
            b"PASS" => request.arguments.first().map(Vec::as_slice).unwrap_or_default(),
            b"APOP" => b"",
            b"STLS" if response.success => return sink.raise(STARTTLS, &[c]),
            _ => return,
        };
        let event = if response.success { LOGIN_SUCCESS } else { LOGIN_FAILURE };
        let [user, password] = [&self.user, password].map(EventValue::String);
        sink.raise(event, &[c, EventValue::Bool(false), user, password]);
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::NoOptions;

    use super::super::POP3;
    use super::*;
    use crate::testing::{Conversation, DOWN, Events, UP};

    #[test]
    fn commands_and_replies() {
        let said = [
            (DOWN, "+OK ready\r\n"),
            (UP, "user me\r\n"),
            (DOWN, "+OK\r\n"),
            (UP, "PASS x\r\n"),
            (DOWN, "-ERR no\r\n"),
            (UP, "CAPA\r\n"),
            (DOWN, "+OK list\r\nTOP\r\n.\r\n"),
            (UP, "STLS\r\n"),
            (DOWN, "+OK go\r\n"),
        ];
        let conversation = Conversation::of(&POP3, &NoOptions, &said);
        let (mut raiser, mut sink) = (Pop3Raiser::default(), Events::new(NAMES));
        for id in conversation.ids() {
            for complete in [false, true] {
                let transaction = conversation.transaction(id);
                raiser.transaction(News { transaction, complete }, &mut sink);
            }
        }
        assert_eq!(
            sink.raised,
            [
                "pop3_reply c F OK ready",
                "pop3_request c T USER me",
                "pop3_reply c F OK ",
                "pop3_request c T PASS x",
                "pop3_reply c F ERR no",
                "pop3_login_failure c F me x",
                "pop3_request c T CAPA ",
                "pop3_reply c F OK list",
                "pop3_data c F TOP",
                "pop3_request c T STLS ",
                "pop3_reply c F OK go",
                "pop3_starttls c",
            ]
        );
    }
}
