//! Cuts the streams of an association into messages, and puts these together to calls.
//!
//! A message is waited for until all of it is there (at most 64 KiB). What is not the beginning of one, at the start
//! of a direction or after a gap, is passed over up to where one seems to begin. A gap ends what rules and records are
//! told.

use memchr::memmem;
use weir_applayer::{
    Early, Outcome, ParseContext, Parser, Probe, Request as Wish, TransactionList, Transport, TxMeta,
};
use weir_base::{Direction, PerDirection};

use super::DCERPC;
use super::association::{Association, Calls, Current, Message};
use super::frame;
use super::index::{Index, MAX_ALIKE};
use super::pdu::{HEADER_LENGTH, Header, Malformed, kind};
use super::probe::probe;
use super::settings::Settings;
use super::transaction::{Call, DceRpcTransaction, Exchange, give_up_one};

/// First bytes of a message: the version.
const START: &[u8] = b"\x05\0";

/// One direction's bytes.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Where the next message begins is to be found out.
    searching: bool,
    /// Something is missing.
    gap: bool,
    /// Calls before this one are not completed any more,
    settled: u64,
    /// but for the one that was current at the last gap.
    spared: Current,
}

impl Default for Stream {
    fn default() -> Self {
        Self { searching: true, gap: false, settled: 0, spared: None }
    }
}

/// One association.
#[derive(Debug)]
pub struct DceRpcParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    association: Association,
    calls: AllCalls,
}

/// The calls of one association.
#[derive(Debug)]
struct AllCalls {
    transactions: TransactionList<DceRpcTransaction>,
    by_number: Index<u32>,
    /// Those before it were given up for want of room.
    given_up: u64,
    /// Most that are open.
    most: usize,
}

impl Calls for AllCalls {
    fn find(&self, wanted: u32, direction: Direction, fits: &dyn Fn(&Exchange) -> bool) -> Option<u64> {
        let mut alike = self.by_number.of(wanted, &self.transactions).rev().take(MAX_ALIKE);
        let found = alike.find(|tx| !tx.is_complete(direction) && fits(&tx.exchange));
        found.map(|transaction| transaction.meta.id)
    }

    /// For which an old one is given up where there are too many.
    fn open(&mut self, header: Header) -> Option<u64> {
        if !is_read(header.kind) {
            return None;
        }
        give_up_one(&mut self.transactions, &mut self.given_up, self.most);
        let call = Call::Association { number: header.call, minor: header.minor };
        let id = self.transactions.push(DceRpcTransaction::new(call, header.order)).meta.id;
        self.by_number.add(header.call, id, &self.transactions);
        Some(id)
    }

    fn exchange(&mut self, id: u64) -> Option<(&mut TxMeta, &mut Exchange)> {
        self.transactions.by_id_mut(id).map(|tx| (&mut tx.meta, &mut tx.exchange))
    }

    /// Takes the bytes before the data as data, too.
    fn response_data<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        body
    }
}

/// Whether messages of a type begin calls, or are answers.
const fn is_read(kind: u8) -> bool {
    matches!(kind, kind::REQUEST | kind::RESPONSE | kind::BIND..=kind::ALTER_CONTEXT_RESPONSE)
}

impl Parser for DceRpcParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.streams[direction].searching {
                let Some(start) = memmem::find(rest, START) else {
                    // The last byte may be the first of the two.
                    let kept = usize::from(rest.last() == START.first());
                    return Outcome::Incomplete { consumed: bytes.len() - kept, needed: kept + 1 };
                };
                position += start;
                match probe(Transport::Tcp, direction, rest.get(start..).unwrap_or_default()) {
                    Probe::More => return Outcome::Incomplete { consumed: position, needed: HEADER_LENGTH },
                    Probe::No => position += 1,
                    _ => self.streams[direction].searching = false,
                }
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
            let (first, last) = (cx.arrival(position), cx.arrival(end - 1));
            let message = Message { header, body, first, last, keeps: cx.files.messages };
            let most = self.settings.max_stub_size;
            let Some(current) = self.association.take(&mut self.calls, message, most) else {
                return Outcome::Error;
            };
            self.settle(direction, current);
            cx.request(Wish::InspectStream(direction));
            position = end;
        }
        Outcome::Ok
    }

    /// Ends the reading for rules and records; Zeek's logs go on with the next message.
    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        if !cx.reads_as_zeek() {
            if cx.may_fork() {
                cx.fork(0, Box::new(self.forked()));
            }
            for transaction in self.calls.transactions.iter_mut() {
                Direction::BOTH.into_iter().for_each(|direction| transaction.give_up(direction));
            }
            return Outcome::Error;
        }
        let stream = &mut self.streams[direction];
        (stream.searching, stream.gap) = (true, true);
        Outcome::Ok
    }

    fn fork(&mut self, _: Direction, early: Early) -> Option<Box<dyn Parser>> {
        (early == Early::Depth).then(|| Box::new(self.forked()) as Box<dyn Parser>)
    }

    weir_applayer::parser_transactions!(&DCERPC, calls.transactions);
}

impl DceRpcParser {
    /// A parser of a new flow.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            streams: PerDirection::default(),
            association: Association::default(),
            calls: AllCalls {
                transactions: TransactionList::default(),
                by_number: Index::default(),
                given_up: 0,
                most: settings.max_transactions,
            },
        }
    }

    fn forked(&mut self) -> Self {
        Self {
            association: self.association.clone(),
            calls: AllCalls {
                transactions: self.calls.transactions.fork(DceRpcTransaction::fork),
                by_number: self.calls.by_number.clone(),
                ..self.calls
            },
            ..*self
        }
    }

    /// After a gap, what was not complete when more came is not completed any more.
    fn settle(&mut self, direction: Direction, current: Current) {
        let stream = &mut self.streams[direction];
        if !std::mem::take(&mut stream.gap) {
            return;
        }
        let give_up = |transaction: &mut DceRpcTransaction| {
            transaction.give_up(Direction::ToServer);
            if direction == Direction::ToClient {
                transaction.give_up(Direction::ToClient);
            }
        };
        let spared = std::mem::replace(&mut stream.spared, current).filter(|id| Some(*id) != current);
        let transactions = &mut self.calls.transactions;
        if let Some(transaction) = spared.and_then(|id| transactions.by_id_mut(id)) {
            give_up(transaction);
        }
        transactions.newer_mut(&mut stream.settled, |transaction| {
            if Some(transaction.meta.id) != current {
                give_up(transaction);
            }
        });
    }
}
