//! Cuts streams and datagrams into messages and puts responses to requests.
//!
//! After a gap, bytes are passed over up to where a message seems to begin.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, Transport, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::ENIP;
use super::anomaly::EnipAnomaly;
use super::message::{HEADER, Header, Message};
use super::transaction::EnipTransaction;
use super::{frame, probe};

/// Most requests of a flow that wait for a response, where nothing is said.
const MAX_TRANSACTIONS: usize = 1024;

/// Most memory of requests of a flow that wait for a response; beyond it the oldest one waits no more.
pub const MAX_HELD: usize = 16 << 20;

/// Reads `app-layer.protocols.enip`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let path = "max-tx";
    let max_transactions = options.text(path).map_or(MAX_TRANSACTIONS, |text| {
        text.trim().parse().unwrap_or_else(|_| {
            options.complain(path, "Invalid value for enip.max-tx, the default is used");
            MAX_TRANSACTIONS
        })
    });
    factory(move |_| {
        Box::new(EnipParser {
            max_transactions,
            transactions: TransactionList::default(),
            waiting: 0,
            held: 0,
            oldest: 0,
            lost: PerDirection::default(),
        })
    })
}

/// One conversation.
#[derive(Debug)]
pub struct EnipParser {
    max_transactions: usize,
    transactions: TransactionList<EnipTransaction>,
    /// Number of requests that wait for a response.
    waiting: usize,
    /// Bytes of all of them.
    held: usize,
    /// None before this one waits.
    oldest: u64,
    /// Bytes are missing: where the next message begins is to be found out.
    lost: PerDirection<bool>,
}

impl Parser for EnipParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let is_datagram = cx.endpoints.transport == Transport::Udp;
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.lost[direction] {
                let Some(start) = probe::search(rest) else {
                    // What is left may be the beginning of a header.
                    let kept = rest.len().min(HEADER - 1);
                    return Outcome::Incomplete { consumed: bytes.len() - kept, needed: kept + 1 };
                };
                self.lost[direction] = false;
                position += start;
                continue;
            }
            let header = Header::read(rest);
            let needed = header.map_or(HEADER, |header| header.whole());
            let (Some(header), Some(whole)) = (header, rest.get(..needed)) else {
                return if is_datagram {
                    Outcome::Refused
                } else {
                    Outcome::Incomplete { consumed: position, needed }
                };
            };
            let time = cx.arrival(position + needed - 1);
            self.take(cx, direction, Message::read(header, whole, time), position);
            // A datagram is one message.
            if is_datagram {
                return Outcome::Ok;
            }
            position += needed;
        }
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.lost[direction] = true;
        Outcome::Ok
    }

    parser_transactions!(&ENIP);
}

impl EnipParser {
    /// A message that begins at `position` of the push.
    fn take(&mut self, cx: &mut ParseContext<'_>, direction: Direction, message: Message, position: usize) {
        let is_response = direction == Direction::ToClient;
        let asked = if is_response { self.asked(&message) } else { None };
        let id = asked.unwrap_or_else(|| self.transactions.push(EnipTransaction::default()).meta.id);
        frame::report(cx, direction, &message, position, id);
        if let Some(tx) = self.transactions.by_id_mut(id) {
            tx.add(direction, message);
            if is_response {
                tx.end();
            } else {
                self.wait(id);
            }
        }
    }

    /// The request that a response answers; those before it wait no more.
    fn asked(&mut self, response: &Message) -> Option<u64> {
        while let Some(id) = self.next_waiting() {
            let answered = self.transactions.by_id(id).and_then(|tx| tx.request.as_ref());
            let answered = answered.is_some_and(|request| response.answers(request));
            self.end(id);
            if answered {
                return Some(id);
            }
        }
        None
    }

    /// The oldest request that waits.
    fn next_waiting(&mut self) -> Option<u64> {
        if self.waiting == 0 {
            return None;
        }
        loop {
            let tx = self.transactions.next_from(self.oldest)?;
            self.oldest = tx.meta.id;
            if tx.waits {
                return Some(tx.meta.id);
            }
            self.oldest += 1;
        }
    }

    /// A request begins to wait.
    fn wait(&mut self, id: u64) {
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        tx.waits = true;
        self.waiting += 1;
        self.held += tx.held();
        while self.waiting > self.max_transactions.max(1) || self.held > MAX_HELD {
            let Some(oldest) = self.next_waiting() else { break };
            if let Some(tx) = self.transactions.by_id_mut(oldest) {
                tx.meta.anomaly(EnipAnomaly::TooManyTransactions.into());
            }
            self.end(oldest);
        }
    }

    /// A request waits no more.
    fn end(&mut self, id: u64) {
        if let Some(tx) = self.transactions.by_id_mut(id).filter(|tx| tx.waits) {
            self.waiting = self.waiting.saturating_sub(1);
            self.held = self.held.saturating_sub(tx.held());
            tx.end();
        }
    }
}
