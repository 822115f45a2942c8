//! Cuts both sides into lines.

use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, Said, TransactionList, factory,
    parser_transactions,
};
use weir_base::{Direction, Duration, PerDirection};

use super::IRC;
use super::data::IRC_DATA;
use super::message::{self, INVALID_COMMAND, Message, Offer};

/// Most bytes of a line; what is longer is several.
pub const MAX_LINE: usize = 1000;

/// Most invalid commands of a connection; with the next one it is none of IRC.
pub const MAX_INVALID: u32 = 20;

/// Time for which a file is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::<IrcParser>::default())
}

/// Line of a side that has not ended.
#[derive(Debug, Default)]
struct Line {
    bytes: Vec<u8>,
    /// Its beginning is missing: it is passed over.
    is_cut: bool,
    /// The last line ended with a carriage return.
    is_behind_return: bool,
}

/// One connection.
#[derive(Debug, Default)]
struct IrcParser {
    lines: PerDirection<Line>,
    invalid: u32,
    /// The client said a command that is one of IRC.
    is_known: bool,
    /// The server agreed to TLS, and the rest of its line's end may follow.
    tls_follows: bool,
    /// Bytes that are no line of IRC came: nothing more is read.
    has_failed: bool,
    transactions: TransactionList<Said<Message>>,
}

impl Parser for IrcParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.tls_follows && direction == Direction::ToClient {
            cx.request(Request::Upgrade(Some("tls")));
            return Outcome::Incomplete { consumed: usize::from(bytes.starts_with(b"\n")), needed: 0 };
        }
        for (position, &byte) in bytes.iter().enumerate() {
            if self.has_failed {
                break;
            }
            let line = &mut self.lines[direction];
            let is_end = matches!(byte, b'\r' | b'\n');
            let is_rest_of_end = byte == b'\n' && line.is_behind_return;
            line.is_behind_return = byte == b'\r';
            if is_rest_of_end {
                continue;
            }
            if !is_end && line.bytes.len() < MAX_LINE {
                line.bytes.push(byte);
                continue;
            }
            let mut text = std::mem::take(&mut line.bytes);
            let is_cut = std::mem::take(&mut line.is_cut);
            if !is_end && !is_cut {
                self.tell(cx, direction, position, Message::Odd(LINE_TOO_LONG, None));
            }
            // The end of a line that was cut is one of its own.
            self.tls_follows = !is_cut && self.line(cx, direction, position, &text);
            text.clear();
            text.extend((!is_end).then_some(byte));
            self.lines[direction].bytes = text;
            if self.tls_follows {
                let behind = bytes.get(position + 1..).unwrap_or_default();
                if byte == b'\r' && behind.is_empty() {
                    return Outcome::Ok;
                }
                cx.request(Request::Upgrade(Some("tls")));
                let rest = usize::from(byte == b'\r' && behind.starts_with(b"\n"));
                return Outcome::Incomplete { consumed: position + 1 + rest, needed: 0 };
            }
        }
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.lines[direction] = Line { is_cut: true, ..Line::default() };
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        let line = std::mem::take(&mut self.lines[direction]);
        if !(line.bytes.is_empty() || line.is_cut || self.has_failed) {
            self.line(cx, direction, 0, &line.bytes);
        }
    }

    fn held(&self) -> usize {
        self.lines.to_server.bytes.capacity() + self.lines.to_client.bytes.capacity()
    }

    parser_transactions!(&IRC);
}

/// Name of the weird for a line that is longer than [`MAX_LINE`].
pub const LINE_TOO_LONG: &str = "contentline_size_exceeded";

/// Name of the weird for more lines at once than wait for the engine.
pub const TOO_MANY_LINES: &str = "irc_too_many_lines";

impl IrcParser {
    /// Reads a line; answers whether TLS follows.
    fn line(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        position: usize,
        text: &[u8],
    ) -> bool {
        if cx.files.messages && self.transactions.len() < MAX_LIVE {
            let time = cx.arrival(position);
            let mut said = Said::new(direction, time, Message::Heard);
            said.meta.heard.note(true, direction, time, 0, text);
            self.transactions.push(said);
        }
        let Some(message) = message::read(text) else { return false };
        match (&message, direction) {
            (Message::Tls, Direction::ToClient) => return true,
            (Message::Odd(INVALID_COMMAND, _), _) => {
                self.invalid += 1;
                if self.invalid > MAX_INVALID {
                    self.tell(cx, direction, position, message);
                    self.has_failed = true;
                    let message = Message::Failure("irc_too_many_invalid", "too many long lines");
                    self.tell(cx, direction, position, message);
                    return false;
                }
            }
            (Message::Known, Direction::ToServer) if std::mem::replace(&mut self.is_known, true) => {
                return false;
            }
            (Message::Failure(..), _) => self.has_failed = true,
            (Message::File(offer), _) => Self::expect(cx, offer),
            (Message::Odd(..), _) => {}
            // Lines that a server repeats are not reported.
            (_, Direction::ToClient) => return false,
            (_, Direction::ToServer) => {}
        }
        self.tell(cx, direction, position, message);
        false
    }

    /// The file will come between the same hosts, if the engine is to know of it.
    fn expect(cx: &mut ParseContext<'_>, offer: &Offer) {
        let ends = cx.endpoints;
        let opened_by = match IpAddr::from(offer.host) {
            host if host == ends.server => Direction::ToServer,
            host if host == ends.client => Direction::ToClient,
            _ => return,
        };
        let tag = Arc::from(&offer.name[..]);
        let port = offer.port;
        cx.request(Request::Expect { protocol: IRC_DATA.name, opened_by, port, tag, patience: PATIENCE });
    }

    fn tell(&mut self, cx: &ParseContext<'_>, direction: Direction, position: usize, message: Message) {
        let message = match MAX_LIVE.saturating_sub(self.transactions.len()) {
            0 => return,
            1 => Message::Odd(TOO_MANY_LINES, None),
            _ => message,
        };
        self.transactions.push(Said::new(direction, cx.arrival(position), message));
    }
}
