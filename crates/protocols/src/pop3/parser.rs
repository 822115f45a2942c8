//! Cuts both sides into lines and puts answers to commands, in their order, for Zeek's logs. Rules and records have a
//! reading of their own ([`super::records`]).

use memchr::memchr;
use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Probe, Request as Wish, TransactionList, factory,
};
use weir_base::{Direction, PerDirection};

use super::POP3;
use super::anomaly::Pop3Anomaly;
use super::command::{Answer, Request};
use super::probe::probe;
use super::records::State;
use super::transaction::{COMPLETE, Pop3Transaction, Response};

/// Most bytes that are kept of a line.
pub const MAX_LINE: usize = 4096;

/// Longest command and longest first line of an answer, with their ends (RFC 2449 4).
const LONGEST_REQUEST: usize = 255;
const LONGEST_RESPONSE: usize = 512;

/// Most commands of a flow that wait for an answer, where nothing is said.
const MAX_TRANSACTIONS: usize = 256;

/// Reads `app-layer.protocols.pop3`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let max_transactions = options.text("max-tx").map_or(MAX_TRANSACTIONS, |text| {
        text.trim().parse().unwrap_or_else(|_| {
            options.complain("max-tx", "Invalid value for pop3.max-tx, the default is used");
            MAX_TRANSACTIONS
        })
    });
    factory(move |_| {
        Box::new(Pop3Parser {
            max_transactions,
            state: State::default(),
            transactions: TransactionList::default(),
            oldest: 0,
            lost: 0,
            sides: PerDirection::default(),
            reading: None,
            steps: false,
        })
    })
}

/// Where a side is.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// In a line of which no more is kept.
    in_line: bool,
    /// Behind something that was not seen.
    lost: bool,
}

/// An answer of several lines of which more comes.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// The transaction that is answered.
    transaction: u64,
    /// Its lines are kept.
    keeps: bool,
    /// Something is missing: its end may be, too.
    has_gap: bool,
}

/// One connection.
#[derive(Debug)]
pub struct Pop3Parser {
    pub(super) max_transactions: usize,
    /// Reading for rules and records.
    pub(super) state: State,
    pub(super) transactions: TransactionList<Pop3Transaction>,
    /// No transaction before this one waits for an answer.
    pub(super) oldest: u64,
    /// Answers to commands before this one may be missing.
    lost: u64,
    sides: PerDirection<Side>,
    reading: Option<Reading>,
    /// Next line of the client is a step of an authentication.
    steps: bool,
}

impl Parser for Pop3Parser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if !cx.reads_as_zeek() {
            self.fork_whole(cx);
            return self.read_records(cx, direction, bytes);
        }
        if self.sides[direction].lost {
            match probe(cx.endpoints.transport, direction, bytes) {
                // Of a line that is passed over anyway the rest is no better.
                _ if self.sides[direction].in_line => {}
                Probe::More => return Outcome::Incomplete { consumed: 0, needed: bytes.len() + 1 },
                Probe::Yes => {}
                // It is tried again behind the line's end.
                _ => self.sides[direction].in_line = true,
            }
            self.sides[direction].lost = false;
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let end = memchr(b'\n', rest);
            let taken = end.map_or(rest.len(), |end| end + 1);
            let whole = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if self.sides[direction].in_line {
                self.sides[direction].in_line = end.is_none();
                position += taken;
                continue;
            }
            if end.is_none() && rest.len() < MAX_LINE {
                return Outcome::Incomplete { consumed: position, needed: rest.len() + 1 };
            }
            self.sides[direction].in_line = end.is_none();
            // A line that is cut ends there, whatever part of it came.
            let line = whole.get(..MAX_LINE).unwrap_or(whole.strip_suffix(b"\r").unwrap_or(whole));
            let place = (position, position + taken - 1);
            position += taken;
            match direction {
                Direction::ToServer => self.request(cx, line, place),
                Direction::ToClient if self.response(cx, line, place) => {
                    return Outcome::Incomplete { consumed: position, needed: 0 };
                }
                Direction::ToClient => {}
            }
        }
        Outcome::Ok
    }

    /// A line goes on behind what is missing. What was asked may have been answered in it, but for what is being
    /// answered: that goes on until its end, or until the client asks for more.
    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        if !cx.reads_as_zeek() {
            self.fork_whole(cx);
            self.lose_records(direction);
            return Outcome::Ok;
        }
        self.sides[direction].lost = true;
        if direction == Direction::ToClient {
            let reading = self.reading.map(|reading| reading.transaction);
            // The one that is read ends by itself.
            self.transactions.newer_mut(&mut self.lost, |transaction| {
                if Some(transaction.meta.id) != reading {
                    transaction.end();
                }
            });
            self.sides[direction].in_line |= reading.is_some();
            self.reading = self.reading.map(|reading| Reading { has_gap: true, ..reading });
        } else {
            self.steps = false;
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToClient {
            self.transactions.iter_mut().for_each(Pop3Transaction::end);
        }
    }

    weir_applayer::parser_transactions!(&POP3);
}

impl Pop3Parser {
    /// A new transaction; none where there is no room.
    fn begin(&mut self) -> Option<&mut Pop3Transaction> {
        if self.transactions.len() >= MAX_LIVE {
            if let Some(last) = self.transactions.last_mut() {
                last.note(Pop3Anomaly::TooManyTransactions);
            }
            return None;
        }
        let waits = Pop3Transaction::waits;
        if let Some(given_up) = self.transactions.one_too_many(&mut self.oldest, self.max_transactions, waits)
        {
            given_up.note(Pop3Anomaly::TooManyTransactions);
            given_up.end();
        }
        Some(self.transactions.push(Pop3Transaction::default()))
    }

    /// A line of the client, of which the first and the last byte stand at these places of the push.
    fn request(&mut self, cx: &mut ParseContext<'_>, line: &[u8], (first, last): (usize, usize)) {
        let is_step = std::mem::take(&mut self.steps);
        if line.is_empty() && !is_step {
            return;
        }
        cx.request(Wish::InspectStream(Direction::ToServer));
        if let Some(reading) = self.reading.take_if(|reading| reading.has_gap)
            && let Some(answered) = self.transactions.by_id_mut(reading.transaction)
        {
            answered.end();
        }
        let Some(transaction) = self.begin() else { return };
        transaction.meta.seen(Direction::ToServer, cx.arrival(first));
        transaction.meta.seen(Direction::ToServer, cx.arrival(last));
        transaction.meta.advance(Direction::ToServer, COMPLETE);
        let request = if is_step { Request::step() } else { Request::read(line) };
        if !is_step && last - first >= LONGEST_REQUEST {
            transaction.note(Pop3Anomaly::RequestTooLong);
        }
        match request.known {
            None if !is_step => transaction.note(Pop3Anomaly::UnknownCommand),
            Some(known) if !known.takes(request.arguments.len()) => {
                transaction.note(Pop3Anomaly::IncorrectArgumentCount);
            }
            _ => {}
        }
        transaction.request = Some(request);
    }

    /// A line of the server. Answers whether TLS follows.
    fn response(&mut self, cx: &mut ParseContext<'_>, line: &[u8], (first, last): (usize, usize)) -> bool {
        if let Some(reading) = self.reading {
            self.go_on(cx, reading, line, last);
            return false;
        }
        let Some(response) = Response::read(line) else {
            self.stray(cx, line, last);
            return false;
        };
        let is_open = self.transactions.oldest_mut(&mut self.oldest, Pop3Transaction::waits).is_some();
        if !is_open && self.begin().is_none() {
            return false;
        }
        let Some(transaction) = self.transactions.oldest_mut(&mut self.oldest, Pop3Transaction::waits) else {
            return false;
        };
        transaction.meta.seen(Direction::ToClient, cx.arrival(first));
        transaction.meta.seen(Direction::ToClient, cx.arrival(last));
        if last - first >= LONGEST_RESPONSE {
            transaction.note(Pop3Anomaly::ResponseTooLong);
        }
        let success = response.success;
        let answer = transaction.request.as_ref().map_or(Answer::Line, Request::answer);
        let begins_tls =
            success && transaction.request.as_ref().is_some_and(|request| request.word == b"STLS");
        transaction.response = Some(response);
        if success && matches!(answer, Answer::Lines | Answer::Mail) {
            let keeps = answer == Answer::Lines;
            self.reading = Some(Reading { transaction: transaction.meta.id, keeps, has_gap: false });
            return false;
        }
        // A step ends with what the server wants next.
        let is_ok = line.get(..3).is_some_and(|status| status.eq_ignore_ascii_case(b"+OK"));
        self.steps = answer == Answer::Steps && line.first() == Some(&b'+') && !is_ok;
        transaction.end();
        cx.request(Wish::InspectStream(Direction::ToClient));
        if begins_tls {
            cx.request(Wish::Upgrade(Some("tls")));
        }
        begins_tls
    }

    /// A line of the server that is no response, of which the last byte stands at this place of the push.
    fn stray(&mut self, cx: &mut ParseContext<'_>, line: &[u8], last: usize) {
        let word = line.trim_ascii().split(|&byte| byte == b' ').next().unwrap_or_default();
        let stray = (word.to_vec(), cx.arrival(last));
        if let Some(waiting) = self.transactions.oldest_mut(&mut self.oldest, Pop3Transaction::waits) {
            waiting.stray.get_or_insert(stray);
        } else if let Some(transaction) = self.begin() {
            transaction.meta.seen(Direction::ToClient, stray.1);
            transaction.stray = Some(stray);
            transaction.end();
        }
    }

    /// Gives Zeek's logs a parser of their own, which reads lines, from the beginning.
    fn fork_whole(&mut self, cx: &mut ParseContext<'_>) {
        if cx.may_fork() {
            let transactions = self.transactions.fork(Pop3Transaction::fork);
            let sides = PerDirection::from_fn(|direction| self.sides[direction]);
            cx.fork(0, Box::new(Self { transactions, sides, ..*self }));
        }
    }

    /// A further line of an answer.
    fn go_on(&mut self, cx: &mut ParseContext<'_>, reading: Reading, line: &[u8], last: usize) {
        let is_end = line == b".";
        if is_end {
            self.reading = None;
            cx.request(Wish::InspectStream(Direction::ToClient));
        }
        let Some(transaction) = self.transactions.by_id_mut(reading.transaction) else { return };
        transaction.meta.seen(Direction::ToClient, cx.arrival(last));
        if is_end {
            transaction.end();
        } else if reading.keeps
            && let Some(response) = &mut transaction.response
        {
            // A dot at the beginning stands there twice.
            response.add(line.strip_prefix(b".").unwrap_or(line));
        }
    }
}
