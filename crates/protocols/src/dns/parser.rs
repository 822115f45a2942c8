//! Cuts datagrams and streams into messages. Over TCP each message follows its length in two bytes
//! (RFC 1035 section 4.2.2).

use std::collections::VecDeque;

use weir_applayer::{
    Factory, FrameKind, Options, Outcome, ParseContext, Parser, Request, TransactionList, Transport, factory,
    parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::flavour::Flavour;
use super::message::Message;
use super::probe;
use super::transaction::DnsTransaction;
use super::zeek;

/// Kinds of frames.
pub const FRAMES: &[&str] = &["pdu"];

/// A message, over TCP without its length.
const PDU: FrameKind = FrameKind(0);

/// Messages that may wait for the engine before more are passed over (`max-tx`).
const DEFAULT_MAX_TRANSACTIONS: u64 = 4096;

/// Most questions without an answer so far that no record is wanted of.
const MAX_SILENCED: usize = 500;

/// Reads the configuration of a flavour's protocol.
pub fn configure(flavour: &'static Flavour, options: &dyn Options) -> Box<dyn Factory> {
    let max_transactions = options.size("max-tx", DEFAULT_MAX_TRANSACTIONS).max(1);
    let max_transactions = usize::try_from(max_transactions).unwrap_or(usize::MAX);
    factory(move |endpoints| {
        Box::new(DnsParser {
            flavour,
            transport: endpoints.transport,
            max_transactions,
            gap: PerDirection::default(),
            was_headless: false,
            silenced: VecDeque::new(),
            transactions: TransactionList::default(),
        })
    })
}

/// The messages of one flow.
#[derive(Debug)]
pub struct DnsParser {
    flavour: &'static Flavour,
    transport: Transport,
    max_transactions: usize,
    /// Bytes were lost: until a message starts again, what comes is passed over.
    gap: PerDirection<bool>,
    /// The weird of too little for a header was reported.
    was_headless: bool,
    /// Ids of messages whose answers are not to be recorded either.
    silenced: VecDeque<u16>,
    transactions: TransactionList<DnsTransaction>,
}

impl DnsParser {
    /// Adds the message between `start` and `end` of a push. None where it is none at all.
    fn message(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
        (start, end): (usize, usize),
    ) -> Option<()> {
        let frame = cx.frame(direction, PDU, end.saturating_sub(bytes.len()), bytes.len());
        let message = Message::read(bytes)?;
        let misdirected = !self.flavour.is_multicast && !message.header.goes(direction);
        let mut transaction = DnsTransaction::of(message, direction, misdirected);
        transaction.meta.silent = self.answers_silenced(&transaction.message);
        cx.frame_transaction(direction, frame, self.transactions.created());
        self.add(cx, direction, transaction, bytes, (start, end));
        Some(())
    }

    /// Adds what was made of bytes.
    fn add(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        mut transaction: DnsTransaction,
        bytes: &[u8],
        (start, end): (usize, usize),
    ) {
        if cx.tells_zeek() {
            let port = cx.endpoints.server_port;
            if self.transport == Transport::Tcp {
                transaction.odd = zeek::oddities(bytes, port);
            }
            transaction.confirms = zeek::is_whole(bytes, port);
        }
        transaction.meta.seen(direction, cx.arrival(start));
        transaction.meta.seen(direction, cx.arrival(end.saturating_sub(1)));
        self.transactions.push(transaction);
    }

    /// There is too little for a header, which only Zeek has anything to say of, once: it reads on, while rules and
    /// records pass over no bytes at all and end with some. None where the stream ends.
    fn headless(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
        (start, end): (usize, usize),
    ) -> Option<()> {
        if cx.reads_as_zeek() {
            if !std::mem::replace(&mut self.was_headless, true) {
                self.add(cx, direction, DnsTransaction::headless(direction), bytes, (start, end));
            }
            return Some(());
        }
        if cx.may_fork() {
            let parser = Self {
                gap: PerDirection::from_fn(|direction| self.gap[direction]),
                silenced: self.silenced.clone(),
                transactions: self.transactions.fork(DnsTransaction::fork),
                ..*self
            };
            cx.fork(start, Box::new(parser));
        }
        bytes.is_empty().then_some(())
    }

    /// Whether a message answers one of which no record is wanted.
    fn answers_silenced(&mut self, message: &Message) -> bool {
        if self.silenced.is_empty() || !message.header.is_response() {
            return false;
        }
        let place = self.silenced.iter().position(|&id| id == message.header.id);
        place.and_then(|place| self.silenced.remove(place)).is_some()
    }

    fn stream(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.gap[direction] {
            if !probe::resumes(bytes) {
                return Outcome::Ok;
            }
            self.gap[direction] = false;
        }
        let mut start = 0;
        while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
            let Some((prefix, rest)) = rest.split_first_chunk::<2>() else {
                return Outcome::Incomplete { consumed: start, needed: 2 };
            };
            let length = usize::from(u16::from_be_bytes(*prefix));
            let end = start + 2 + length;
            let Some(message) = rest.get(..length) else {
                return Outcome::Incomplete { consumed: start, needed: 2 + length };
            };
            let read = match message {
                [] => None,
                _ => self.message(cx, direction, message, (start, end)),
            };
            if read.or_else(|| self.headless(cx, direction, message, (start, end))).is_none() {
                return Outcome::Error;
            }
            start = end;
            // Rules on the stream look at a message once it is whole.
            cx.request(Request::InspectStream(direction));
        }
        Outcome::Ok
    }
}

impl Parser for DnsParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.len() >= self.max_transactions {
            return Outcome::Ok;
        }
        match self.transport {
            Transport::Tcp => self.stream(cx, direction, bytes),
            Transport::Udp => {
                // What is no message on a flow that has others is passed over.
                let _ = self.message(cx, direction, bytes, (0, bytes.len()));
                Outcome::Ok
            }
        }
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.gap[direction] = true;
        Outcome::Ok
    }

    parser_transactions!(|parser| parser.flavour.protocol);

    fn silenced(&mut self, id: u64) {
        let Some(transaction) = self.transactions.by_id(id) else { return };
        let header = &transaction.message.header;
        if !header.is_response() {
            if self.silenced.len() >= MAX_SILENCED {
                self.silenced.pop_front();
            }
            self.silenced.push_back(header.id);
        }
    }
}
