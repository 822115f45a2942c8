//! IMAP as Zeek reads it: what servers are capable of, until the conversation goes on over TLS. It is a reading for Zeek's
//! logs alone.

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News, ZeekLogger, ZeekLogs, ZeekSink};
use weir_applayer::{Heard, HeardMessage, Outcome, ParseContext, Parser, Request, event_names};
use weir_base::{Direction, EventValue, PerDirection};

use super::IMAP;
use crate::mime::Lines;

event_names! {
    /// Their names.
    const NAMES;
    CAPABILITIES = "imap_capabilities",
    STARTTLS = "imap_starttls",
}

/// The events.
static EVENTS: EventTable = EventTable {
    package: "base/protocols/imap/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(ImapRaiser),
};

/// There are no logs but events.
pub(super) static ZEEK: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[], |_| Box::new(Silent)) };

/// Kinds of lines that are kept for scripts.
const LIST: u8 = 0;
const AGREED: u8 = 1;

/// Longest tag that is remembered.
const MAX_TAG: usize = 64;

/// Most lines of a side that are looked at.
const MAX_LINES: usize = 10_000;

struct Silent;

impl ZeekLogger for Silent {
    fn transaction(&mut self, _: News<'_>, _: &mut dyn ZeekSink) {}
}

struct ImapRaiser;

impl EventRaiser for ImapRaiser {
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for message in messages {
            if message.kind == AGREED {
                sink.raise(STARTTLS, &[EventValue::Connection]);
                continue;
            }
            let words: Vec<EventValue<'_>> = words(&message.bytes).map(EventValue::String).collect();
            sink.raise(CAPABILITIES, &[EventValue::Connection, EventValue::List(&words)]);
        }
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The reader of one connection.
#[derive(Debug, Default)]
pub(super) struct ImapReader {
    lines: PerDirection<Lines>,
    seen: usize,
    /// The tag of the command that asks for TLS.
    asked: Option<Vec<u8>>,
    /// TLS follows.
    is_left: bool,
    heard: Heard,
}

impl ImapReader {
    fn line(&mut self, cx: &mut ParseContext<'_>, direction: Direction, line: &[u8]) {
        let mut words = words(line);
        let (tag, word) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match direction {
            Direction::ToServer if word.eq_ignore_ascii_case(b"STARTTLS") && tag.len() <= MAX_TAG => {
                self.asked = Some(tag.to_vec());
            }
            Direction::ToClient if tag == b"*" && word.eq_ignore_ascii_case(b"CAPABILITY") => {
                let list: Vec<&[u8]> = words.collect();
                self.heard.note(cx.files.messages, direction, cx.time, LIST, &list.join(&b' '));
            }
            Direction::ToClient if self.asked.as_deref() == Some(tag) => {
                self.asked = None;
                if word.eq_ignore_ascii_case(b"OK") {
                    self.heard.note(cx.files.messages, direction, cx.time, AGREED, b"");
                    self.is_left = true;
                    cx.request(Request::Upgrade(Some("tls")));
                }
            }
            _ => {}
        }
    }
}

impl Parser for ImapReader {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.is_left {
                return Outcome::Incomplete { consumed: position, needed: 1 };
            }
            let mut lines = std::mem::take(&mut self.lines[direction]);
            let (taken, line) = lines.next(rest);
            position += taken;
            if let Some(line) = line.filter(|line| !line.continues) {
                self.seen += 1;
                self.line(cx, direction, line.text);
            }
            self.lines[direction] = lines;
        }
        // A session that goes on in the clear is of no interest.
        if self.seen > MAX_LINES {
            cx.request(Request::StopParsing(direction));
        }
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, _: Direction, _: u64) -> Outcome {
        Outcome::Ok
    }

    fn held(&self) -> usize {
        Direction::BOTH.into_iter().map(|direction| self.lines[direction].memory()).sum()
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.heard)
    }

    weir_applayer::no_transactions!(&IMAP);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Conversation, DOWN, Events, UP, endpoints};
    use weir_applayer::Transport;

    #[test]
    fn capabilities_until_tls_begins() {
        for piece in [1, 7, 1000] {
            let ends = endpoints(&IMAP, Transport::Tcp);
            let mut talk = Conversation::with(ends, Box::<ImapReader>::default());
            talk.as_zeek = true;
            talk.files.messages = true;
            talk.push_in(DOWN, b"* OK ready\r\n", piece);
            talk.push_in(UP, b"a1 CAPABILITY\r\n", piece);
            talk.push_in(DOWN, b"* CAPABILITY IMAP4rev1 STARTTLS\r\na1 OK done\r\n", piece);
            talk.push_in(UP, b"a2 starttls\r\n", piece);
            talk.push_in(DOWN, b"a1 NO\r\na2 OK go\r\n", piece);
            let mut sink = Events::new(NAMES);
            ImapRaiser.heard(talk.parser.heard().unwrap().take(), &mut sink);
            assert_eq!(sink.raised, ["imap_capabilities c (IMAP4rev1, STARTTLS)", "imap_starttls c"]);
            assert_eq!(talk.requests.len(), 1, "{piece}");
        }
    }
}
