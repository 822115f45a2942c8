//! Cuts both sides into lines, as far as they are needed to recognise Finger.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Said, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection, Timestamp};

use super::FINGER;

/// Most bytes of a line with its end, as Zeek reads it.
pub const MAX_LINE: usize = 1024;

/// An answer has a line of more bytes than these.
const MIN_ANSWER: usize = 10;

/// Verdict of a line on the connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// It is Finger.
    Confirmed,
    /// It is not: this line is too long.
    TooLong(Vec<u8>),
}

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::<FingerParser>::default())
}

/// One connection.
#[derive(Debug, Default)]
struct FingerParser {
    /// A side says nothing more that matters.
    is_done: PerDirection<bool>,
    /// Bytes of the client so far are a request, though its line has not ended.
    is_request: bool,
    is_confirmed: bool,
    transactions: TransactionList<Said<Finding>>,
}

impl Parser for FingerParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut consumed = 0;
        while !self.is_done[direction] {
            let rest = bytes.get(consumed..).unwrap_or_default();
            let within = rest.get(..MAX_LINE).unwrap_or(rest);
            match within.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    let line = rest.get(..end).unwrap_or_default();
                    self.line(cx.arrival(consumed + end), direction, line);
                    consumed += end + 1;
                }
                None if rest.len() >= MAX_LINE => {
                    let time = cx.arrival(consumed + MAX_LINE - 1);
                    self.is_done = PerDirection { to_server: true, to_client: true };
                    self.find(time, direction, Finding::TooLong(within.to_vec()));
                }
                None if rest.is_empty() => return Outcome::Ok,
                None => {
                    self.is_request |= is_finger(direction, rest) && direction == Direction::ToServer;
                    return Outcome::Incomplete { consumed, needed: rest.len() + 1 };
                }
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToServer && self.is_request && !self.is_done[direction] {
            self.confirm(cx.time, direction);
        }
    }

    parser_transactions!(&FINGER);
}

impl FingerParser {
    fn line(&mut self, time: Timestamp, direction: Direction, line: &[u8]) {
        // A request has one line; of an answer, all are looked at.
        self.is_done[direction] |= direction == Direction::ToServer;
        if is_finger(direction, line) {
            self.confirm(time, direction);
        }
    }

    fn confirm(&mut self, time: Timestamp, direction: Direction) {
        if !std::mem::replace(&mut self.is_confirmed, true) {
            self.find(time, direction, Finding::Confirmed);
        }
    }

    fn find(&mut self, time: Timestamp, direction: Direction, finding: Finding) {
        self.transactions.push(Said::new(direction, time, finding));
    }
}

/// Whether a line, without its end, is one of Finger's: it asks for somebody, or at length (RFC 1288 2.3), or answers
/// with more than a few words.
fn is_finger(direction: Direction, line: &[u8]) -> bool {
    let text = line.trim_ascii();
    match direction {
        Direction::ToServer => text.starts_with(b"/W") || text.first().is_some_and(|first| *first != b'@'),
        Direction::ToClient => line.strip_suffix(b"\r").unwrap_or(line).len() > MIN_ANSWER,
    }
}
