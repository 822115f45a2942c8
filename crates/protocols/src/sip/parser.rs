//! Cuts datagrams and streams into messages. A datagram is one message; over TCP a message is as long as its
//! `Content-Length` says (RFC 3261 18.3).
//!
//! After bytes that were lost, what comes is passed over until a message begins.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Probe, Request, Step, TransactionList, Transport,
    factory, in_steps, parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::anomaly::SipAnomaly;
use super::message::{Head, MAX_HEAD, Search};
use super::transaction::SipTransaction;
use super::{SIP, frames, probe};

/// Bytes of a body over TCP that are waited for and read; the rest is passed over.
pub const MAX_BODY: u64 = 256 * 1024;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 4096;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|endpoints| {
        Box::new(SipParser {
            transport: endpoints.transport,
            sides: PerDirection::default(),
            transactions: TransactionList::default(),
        })
    })
}

/// One direction of a stream.
#[derive(Debug, Default)]
struct Side {
    /// Progress of the search for the end of the head at hand.
    search: Search,
    /// Bytes of a body that are passed over.
    skip: u64,
    /// Bytes were lost: what comes is passed over until a message begins.
    lost: bool,
}

/// The messages of one flow.
#[derive(Debug)]
pub struct SipParser {
    transport: Transport,
    sides: PerDirection<Side>,
    transactions: TransactionList<SipTransaction>,
}

impl SipParser {
    fn datagram(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let start = line_ends(bytes);
        let text = bytes.get(start..).unwrap_or_default();
        if text.is_empty() {
            // What keeps an address translator's mapping alive (RFC 5626 4.4.1).
            return Outcome::Ok;
        }
        let head = match Search::default().end(text) {
            Some(end) if end <= MAX_HEAD => Head::read(direction, text.get(..end).unwrap_or_default()),
            _ => None,
        };
        let transaction = head.is_some().then_some(self.transactions.created());
        frames::message(cx, direction, 0, bytes.len(), transaction);
        let Some(head) = head else {
            cx.anomalies.push(what_is_wrong(direction, text).into());
            return Outcome::Refused;
        };
        let body = text.get(head.length()..).unwrap_or_default();
        self.message(cx, direction, head, (body, body.len()), start);
        Outcome::Ok
    }

    /// Takes what `rest` begins with, which begins at `position` of the push.
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let side = &mut self.sides[direction];
        if side.skip > 0 {
            let taken = usize::try_from(side.skip).unwrap_or(usize::MAX).min(rest.len());
            side.skip -= taken as u64;
            return Step::Taken(taken);
        }
        let ends = line_ends(rest);
        if ends > 0 && side.search == Search::default() {
            return Step::Taken(ends);
        }
        let mut search = side.search;
        let end = search.end(rest);
        if end.unwrap_or(rest.len()) > MAX_HEAD {
            return Step::Malformed;
        }
        let Some(end) = end else {
            side.search = search;
            return Step::Needed(rest.len() + 1);
        };
        let Some(head) = Head::read(direction, rest.get(..end).unwrap_or_default()) else {
            return Step::Malformed;
        };
        let length = head.content_length().unwrap_or(0);
        let kept = length.min(MAX_BODY) as usize;
        let Some(body) = rest.get(end..end + kept) else { return Step::Needed(end + kept) };
        side.search = Search::default();
        side.skip = length - kept as u64;
        let whole = usize::try_from(length).unwrap_or(usize::MAX);
        frames::message(
            cx,
            direction,
            position,
            end.saturating_add(whole),
            Some(self.transactions.created()),
        );
        self.message(cx, direction, head, (body, whole), position);
        // Rules on the stream look at a message once it is whole.
        cx.request(Request::InspectStream(direction));
        Step::Taken(end + kept)
    }

    /// Adds a message, which begins at `start` of the push, with what there is of its body and the whole
    /// length of that.
    fn message(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        head: Head,
        (body, length): (&[u8], usize),
        start: usize,
    ) {
        if self.transactions.len() >= MAX_TRANSACTIONS {
            return;
        }
        frames::parts(cx, direction, start, (&head, length), self.transactions.created());
        let end = start + head.length() + body.len();
        let mut transaction = SipTransaction::new(direction, head, body);
        transaction.meta.seen(direction, cx.arrival(start));
        transaction.meta.seen(direction, cx.arrival(end - 1));
        self.transactions.push(transaction);
    }
}

/// Returns the number of line ends at the start: they may stand before a message (RFC 3261 7.5).
fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// Returns the anomaly of a datagram that is no message.
fn what_is_wrong(direction: Direction, text: &[u8]) -> SipAnomaly {
    let begins = probe::probe(Transport::Udp, direction, text) != Probe::No;
    if begins && Search::default().end(text).is_none() {
        SipAnomaly::IncompleteData
    } else {
        SipAnomaly::InvalidData
    }
}

impl Parser for SipParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transport == Transport::Udp {
            return self.datagram(cx, direction, bytes);
        }
        if self.sides[direction].lost {
            let text = bytes.get(line_ends(bytes)..).unwrap_or_default();
            if probe::probe(Transport::Tcp, direction, text) == Probe::No {
                return Outcome::Ok;
            }
            self.sides[direction].lost = false;
        }
        let outcome = in_steps(bytes, |rest, position| self.step(cx, direction, rest, position));
        if outcome == Outcome::Error {
            cx.anomalies.push(SipAnomaly::InvalidData.into());
        }
        outcome
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let side = &mut self.sides[direction];
        side.search = Search::default();
        side.lost |= length > side.skip;
        side.skip = side.skip.saturating_sub(length);
        Outcome::Ok
    }

    parser_transactions!(&SIP);
}
