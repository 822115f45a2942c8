//! Events of SMTP for scripts: commands, the lines of replies, and those of messages.

use std::collections::VecDeque;

use weir_applayer::HeardMessage;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable};
use weir_base::{Direction, EventValue};

use super::command::Reply;
use crate::mime::Line;
use crate::mime::events::{MailRaiser, names_with_mail};

const REQUEST: usize = 0;
const REPLY: usize = 1;
const DATA: usize = 2;
const STARTTLS: usize = 3;
const UNEXPECTED: usize = 4;
/// Where the events of mails begin.
const OF_MAIL: usize = 5;

/// Their names.
const NAMES: &[&str] =
    names_with_mail!["smtp_request", "smtp_reply", "smtp_data", "smtp_starttls", "smtp_unexpected"];

/// Kinds of lines that are kept for scripts.
pub(super) mod heard {
    /// A command or a line of a reply.
    pub(in crate::smtp) const LINE: u8 = 0;
    /// A line of a message.
    pub(in crate::smtp) const CONTENT: u8 = 1;
    /// The end of a message that DATA announced.
    pub(in crate::smtp) const END: u8 = 2;
    /// A line of a message in chunks.
    pub(in crate::smtp) const CHUNK: u8 = 3;
    /// The end of a message in chunks.
    pub(in crate::smtp) const END_OF_CHUNKS: u8 = 4;
    /// Bits beside the kind of a message's line: a fragment of it came before, and it goes on.
    pub(in crate::smtp) const CONTINUES: u8 = 0x10;
    pub(in crate::smtp) const GOES_ON: u8 = 0x20;

    /// The kind of a message's line with those bits.
    pub(in crate::smtp) const fn of_line(kind: u8, line: &crate::mime::Line<'_>) -> u8 {
        let continues = if line.continues { CONTINUES } else { 0 };
        kind | continues | if line.end.is_empty() { GOES_ON } else { 0 }
    }
}

/// Most commands that wait for replies; of more the names are not known any more.
const MAX_WAITING: usize = 1024;

/// Names of what is answered that is no command: a connection, and the end of a message.
const CONNECTION: &[u8] = b">";
const END_OF_MESSAGE: &[u8] = b".";

/// The code by which a server is ready, and that by which it asks for more of an authentication (RFC 4954 4).
const READY: u16 = 220;
const GO_ON: u16 = 334;

/// Commands that are known (RFC 5321 4.1, RFC 1869, RFC 1985, RFC 3030, RFC 3207, RFC 4954), and some that are older.
const KNOWN: [&[u8]; 20] = [
    b"HELO",
    b"EHLO",
    b"MAIL",
    b"RCPT",
    b"DATA",
    b"BDAT",
    b"RSET",
    b"QUIT",
    b"VRFY",
    b"EXPN",
    b"HELP",
    b"NOOP",
    b"TURN",
    b"SEND",
    b"SOML",
    b"SAML",
    b"ETRN",
    b"AUTH",
    b"STARTTLS",
    b"X-ANONYMOUSTLS",
];

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/smtp/main",
    bodies: None,
    names: NAMES,
    open: || Box::<SmtpRaiser>::default(),
};

#[derive(Debug, Default)]
struct SmtpRaiser {
    /// Names of commands that wait for replies.
    waiting: VecDeque<Box<[u8]>>,
    /// The mail at hand, where scripts handle its events.
    mail: Option<Box<MailRaiser>>,
    /// The server asked for more of an authentication: the next line is no command.
    authenticates: bool,
    /// A sender, and a recipient, are known.
    has_sender: bool,
    has_recipient: bool,
    /// The server has greeted.
    greeted: bool,
}

/// Tells of a line that is not to be expected.
fn unexpected(is_orig: bool, what: &str, line: &[u8], sink: &mut dyn EventSink) {
    let line = EventValue::String(line.trim_ascii());
    sink.raise(UNEXPECTED, &[EventValue::Connection, is_orig.into(), EventValue::text(what), line]);
}

impl EventRaiser for SmtpRaiser {
    fn end(&mut self, sink: &mut dyn EventSink) {
        if let Some(mail) = self.mail.take() {
            mail.finish(sink);
        }
    }

    fn heard(&mut self, lines: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for line in lines {
            match (line.direction, line.kind & !(heard::CONTINUES | heard::GOES_ON)) {
                (Direction::ToClient, _) => self.reply(&line, sink),
                (_, heard::CONTENT) => {
                    let text = EventValue::String(line.bytes.strip_prefix(b".").unwrap_or(&line.bytes));
                    sink.raise(DATA, &[EventValue::Connection, EventValue::Bool(true), text]);
                    self.content(&line, true, sink);
                }
                (_, heard::CHUNK) => self.content(&line, false, sink),
                (_, heard::END) => {
                    self.end_mail(sink);
                    self.request(END_OF_MESSAGE, b"", sink);
                }
                (_, heard::END_OF_CHUNKS) => self.end_mail(sink),
                _ => {
                    self.look(&line.bytes, sink);
                    let text = line.bytes.trim_ascii_start();
                    let text = text.strip_suffix(b"\r").unwrap_or(text);
                    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
                    let (name, rest) = text.split_at(end);
                    self.request(&name.to_ascii_uppercase(), rest.trim_ascii_start(), sink);
                }
            }
        }
    }
}

impl SmtpRaiser {
    fn mail(&mut self, sink: &dyn EventSink) -> Option<&mut MailRaiser> {
        if !MailRaiser::is_wanted(OF_MAIL, sink) {
            return None;
        }
        Some(self.mail.get_or_insert_with(|| Box::new(MailRaiser::new(OF_MAIL))))
    }

    fn content(&mut self, heard: &HeardMessage, stuffed: bool, sink: &mut dyn EventSink) {
        let Some(mail) = self.mail(sink) else { return };
        let end: &[u8] = if heard.kind & heard::GOES_ON == 0 { b"\r\n" } else { b"" };
        let continues = heard.kind & heard::CONTINUES != 0;
        mail.line(&Line { text: &heard.bytes, end, continues }, stuffed, sink);
    }

    fn end_mail(&mut self, sink: &mut dyn EventSink) {
        if self.mail(sink).is_some()
            && let Some(mail) = self.mail.take()
        {
            mail.finish(sink);
        }
    }

    /// Tells of a command that is not known, or comes too early.
    fn look(&mut self, line: &[u8], sink: &mut dyn EventSink) {
        if std::mem::take(&mut self.authenticates) {
            return;
        }
        let text = line.trim_ascii();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let name = text.get(..end).unwrap_or_default().to_ascii_uppercase();
        let is_early = match &name[..] {
            b"MAIL" => {
                (self.has_sender, self.has_recipient) = (true, false);
                false
            }
            b"RCPT" => {
                self.has_recipient = true;
                !self.has_sender
            }
            b"DATA" | b"BDAT" => !self.has_recipient,
            b"RSET" => {
                (self.has_sender, self.has_recipient) = (false, false);
                false
            }
            _ => false,
        };
        if !KNOWN.contains(&&name[..]) {
            unexpected(true, "unknown command", text, sink);
        } else if is_early {
            unexpected(true, "unexpected command", text, sink);
        }
    }

    fn request(&mut self, name: &[u8], argument: &[u8], sink: &mut dyn EventSink) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(name.into());
        }
        let [name, argument] = [name, argument].map(EventValue::String);
        sink.raise(REQUEST, &[EventValue::Connection, EventValue::Bool(true), name, argument]);
    }

    fn reply(&mut self, line: &HeardMessage, sink: &mut dyn EventSink) {
        let Some(reply) = Reply::read(&line.bytes) else {
            return unexpected(false, "invalid reply", &line.bytes, sink);
        };
        if self.waiting.is_empty() && self.greeted {
            unexpected(false, "unexpected reply", &line.bytes, sink);
        }
        self.greeted |= !reply.goes_on;
        self.authenticates = reply.code == GO_ON;
        let name = self.waiting.front().map_or(CONNECTION, |name| name);
        let arguments = [
            EventValue::Connection,
            EventValue::Bool(false),
            reply.code.into(),
            EventValue::String(name),
            EventValue::String(reply.text),
            EventValue::Bool(reply.goes_on),
        ];
        sink.raise(REPLY, &arguments);
        let switches = matches!(name, b"STARTTLS" | b"X-ANONYMOUSTLS") && reply.code == READY;
        if !reply.goes_on {
            self.waiting.pop_front();
            if switches {
                sink.raise(STARTTLS, &[EventValue::Connection]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;

    use super::*;
    use crate::testing::Events;

    #[test]
    fn what_is_not_expected() {
        type Case<'a> = (&'a [(bool, &'a str)], &'a [&'a str]);
        let cases: [Case<'_>; 5] = [
            (
                &[(false, "220 a"), (true, "HELO b"), (false, "250 c"), (true, "RCPT TO:<d@e>")],
                &["smtp_unexpected c T unexpected command RCPT TO:<d@e>"],
            ),
            (&[(true, "WHAT is\r")], &["smtp_unexpected c T unknown command WHAT is"]),
            (
                &[(false, "220-a"), (false, "220 a"), (false, "250 b"), (false, "no")],
                &["smtp_unexpected c F unexpected reply 250 b", "smtp_unexpected c F invalid reply no"],
            ),
            (&[(true, "AUTH LOGIN"), (false, "334 VXNlcg=="), (true, "YQ=="), (false, "235 ok")], &[]),
            (&[(true, "MAIL FROM:<a@b>"), (true, "rcpt TO:<c@d>"), (true, "DATA"), (false, "250 a")], &[]),
        ];
        for (lines, expected) in cases {
            let mut sink = Events::new(NAMES);
            let heard = |(is_orig, text): &(bool, &str)| HeardMessage {
                direction: if *is_orig { Direction::ToServer } else { Direction::ToClient },
                time: Timestamp::default(),
                kind: heard::LINE,
                bytes: text.as_bytes().into(),
            };
            SmtpRaiser::default().heard(lines.iter().map(heard).collect(), &mut sink);
            sink.raised.retain(|line| line.starts_with("smtp_unexpected"));
            assert_eq!(sink.raised, expected);
        }
    }
}
