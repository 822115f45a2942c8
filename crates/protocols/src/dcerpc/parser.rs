//! Cuts the streams of an association into messages, and puts these together to calls.
//!
//! A message is waited for until all of it is there (at most 64 KiB). What is not the beginning of one, at the start
//! of a direction or after a gap, is passed over up to where one seems to begin.

use memchr::memmem;
use weir_applayer::{Outcome, ParseContext, Parser, Request as Wish, TransactionList};
use weir_base::{Direction, PerDirection, Timestamp};

use super::DCERPC;
use super::context::Contexts;
use super::frame;
use super::pdu::{self, Answer, HEADER_LENGTH, Header, Malformed, Request, kind};
use super::settings::Settings;
use super::transaction::{COMPLETE, Call, DceRpcTransaction, give_up_one};

/// What a message begins with: the version.
const START: &[u8] = b"\x05\0";

/// One direction's bytes.
#[derive(Debug)]
struct Stream {
    /// Where the next message begins is to be found out.
    searching: bool,
    /// Something is missing.
    gap: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self { searching: true, gap: false }
    }
}

/// One association.
#[derive(Debug)]
pub struct DceRpcParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    contexts: Contexts,
    transactions: TransactionList<DceRpcTransaction>,
    /// Those before it were given up for want of room.
    given_up: u64,
}

impl Parser for DceRpcParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.streams[direction].searching {
                match memmem::find(rest, START) {
                    Some(start) => position += start,
                    None => {
                        // The last byte may be the first of the two.
                        let kept = usize::from(rest.last() == START.first());
                        return Outcome::Incomplete { consumed: bytes.len() - kept, needed: kept + 1 };
                    }
                }
                self.streams[direction].searching = false;
                continue;
            }
            let header = match Header::read(rest) {
                Ok(Some(header)) => header,
                Ok(None) => return Outcome::Incomplete { consumed: position, needed: HEADER_LENGTH },
                Err(Malformed) => return Outcome::Error,
            };
            let Some(body) = rest.get(HEADER_LENGTH..header.length) else {
                return Outcome::Incomplete { consumed: position, needed: header.length };
            };
            frame::report(cx, direction, position, header.length);
            let end = position + header.length;
            let Some(current) = self.message(cx, header, body, position) else { return Outcome::Error };
            self.settle(direction, current);
            cx.request(Wish::InspectStream(direction));
            position = end;
        }
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.streams[direction] = Stream { searching: true, gap: true };
        Outcome::Ok
    }

    /// What is not whole then is no message, and what is not answered stays so.
    fn close(&mut self, _: &mut ParseContext<'_>, _: Direction) {}

    weir_applayer::parser_transactions!(&DCERPC);
}

/// The transaction that a message belongs to, if it does to one.
type Current = Option<u64>;

impl DceRpcParser {
    /// A parser of a new flow.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            streams: PerDirection::default(),
            contexts: Contexts::default(),
            transactions: TransactionList::default(),
            given_up: 0,
        }
    }

    /// Takes a message that begins at `start` of the push; none where its body makes no sense.
    fn message(
        &mut self,
        cx: &ParseContext<'_>,
        header: Header,
        body: &[u8],
        start: usize,
    ) -> Option<Current> {
        let at = cx.arrival(start + header.length - 1);
        let id = match header.kind {
            kind::BIND | kind::ALTER_CONTEXT => self.bind(header, body)?,
            kind::BIND_ACK | kind::ALTER_CONTEXT_RESPONSE => self.answer(header, body)?,
            kind::REQUEST => self.request(header, body)?,
            kind::RESPONSE => self.response(header, body)?,
            kind::BIND_NAK => return Some(self.failure(header, at, &[kind::BIND])),
            kind::FAULT => return Some(self.failure(header, at, &[kind::REQUEST, kind::ALTER_CONTEXT])),
            _ => return Some(None),
        };
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.meta.seen(header.direction(), cx.arrival(start));
        let (data, is_last) = match header.kind {
            kind::REQUEST => (Request::read(header.order, body)?.stub, header.is_last()),
            // What stands before the data counts as data.
            kind::RESPONSE => (body, header.is_last()),
            _ => (&[][..], true),
        };
        transaction.take(header.direction(), header.kind, data, self.settings.max_stub_size, at);
        if is_last {
            transaction.meta.advance(header.direction(), COMPLETE);
        }
        Some(Some(id))
    }

    /// The newest call of the header's number that waits for `direction`, and fits.
    fn find(
        &self,
        header: Header,
        direction: Direction,
        fits: impl Fn(&DceRpcTransaction) -> bool,
    ) -> Option<u64> {
        let is_it = |tx: &&DceRpcTransaction| {
            matches!(tx.call, Call::Association { number, .. } if number == header.call)
                && !tx.is_complete(direction)
                && fits(tx)
        };
        self.transactions.iter().filter(is_it).last().map(|transaction| transaction.meta.id)
    }

    /// A new call, for which an old one is given up where there are too many.
    fn open(&mut self, header: Header) -> u64 {
        give_up_one(&mut self.transactions, &mut self.given_up, self.settings.max_transactions);
        let call = Call::Association { number: header.call, minor: header.minor };
        self.transactions.push(DceRpcTransaction::new(call, header.order)).meta.id
    }

    fn bind(&mut self, header: Header, body: &[u8]) -> Option<u64> {
        let offers = pdu::offers(header.order, body)?;
        self.contexts.offer(header.call, header.is_first(), &offers);
        let id = self.open(header);
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.contexts = self.contexts.offered_by(header.call);
        Some(id)
    }

    fn answer(&mut self, header: Header, body: &[u8]) -> Option<u64> {
        let answer = Answer::read(header.order, body)?;
        self.contexts.answer(header.call, &answer.results);
        let asked = if header.kind == kind::BIND_ACK { kind::BIND } else { kind::ALTER_CONTEXT };
        let id = self.find(header, Direction::ToClient, |tx| tx.sides.to_server.kind == Some(asked));
        let id = id.unwrap_or_else(|| self.open(header));
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.contexts = self.contexts.offered_by(header.call);
        transaction.address = answer.address.into();
        Some(id)
    }

    fn request(&mut self, header: Header, body: &[u8]) -> Option<u64> {
        let request = Request::read(header.order, body)?;
        // A later fragment, or the call of an answer that was seen before it.
        let id = self.find(header, Direction::ToServer, |tx| {
            tx.is_call() && !header.is_first()
                || tx.sides.to_server.kind.is_none() && tx.sides.to_client.kind == Some(kind::RESPONSE)
        });
        let id = id.unwrap_or_else(|| self.open(header));
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.context = request.context;
        transaction.operation = request.operation;
        transaction.contexts = self.contexts.numbered(request.context);
        Some(id)
    }

    fn response(&mut self, header: Header, body: &[u8]) -> Option<u64> {
        let context = pdu::response_context(header.order, body)?;
        let id = self.find(header, Direction::ToClient, |tx| {
            tx.is_call() || tx.sides.to_client.kind == Some(kind::RESPONSE)
        });
        let id = id.unwrap_or_else(|| self.open(header));
        let transaction = self.transactions.by_id_mut(id)?;
        if !transaction.is_call() {
            transaction.context = context;
        }
        transaction.contexts = self.contexts.numbered(transaction.context);
        Some(id)
    }

    /// There is no association, or a call failed, of one of these types.
    fn failure(&mut self, header: Header, at: Timestamp, asked: &[u8]) -> Current {
        let direction = Direction::ToClient;
        let id = self
            .find(header, direction, |tx| tx.sides.to_server.kind.is_some_and(|kind| asked.contains(&kind)));
        let transaction = self.transactions.by_id_mut(id?)?;
        transaction.meta.seen(direction, at);
        transaction.take(direction, header.kind, &[], 0, at);
        transaction.meta.advance(direction, COMPLETE);
        id
    }

    /// After a gap, what was not complete when more came is not completed any more.
    fn settle(&mut self, direction: Direction, current: Current) {
        if !self.streams[direction].gap {
            return;
        }
        for transaction in self.transactions.iter_mut().filter(|tx| Some(tx.meta.id) != current) {
            transaction.give_up(Direction::ToServer);
            if direction == Direction::ToClient {
                transaction.give_up(Direction::ToClient);
            }
        }
    }
}
