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
/// Where the events of mails begin.
const OF_MAIL: usize = 4;

/// Their names.
const NAMES: &[&str] = names_with_mail!["smtp_request", "smtp_reply", "smtp_data", "smtp_starttls"];

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

/// The code by which a server is ready.
const READY: u16 = 220;

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

    fn request(&mut self, name: &[u8], argument: &[u8], sink: &mut dyn EventSink) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(name.into());
        }
        let [name, argument] = [name, argument].map(EventValue::String);
        sink.raise(REQUEST, &[EventValue::Connection, EventValue::Bool(true), name, argument]);
    }

    fn reply(&mut self, line: &HeardMessage, sink: &mut dyn EventSink) {
        let Some(reply) = Reply::read(&line.bytes) else { return };
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
