//! Cuts streams and datagrams into messages.
//!
//! Over TCP a message stands behind its length (RFC 4120 7.2.2); one that is too long is passed over as it comes.

use weir_applayer::{
    Factory, Heard, Options, Outcome, ParseContext, Parser, TransactionList, Transport, factory,
    parser_transactions,
};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::KRB5;
use super::anomaly::Krb5Anomaly;
use super::message::{Message, is_heard, is_read, kind, kind_of};
use super::transaction::Krb5Transaction;
use crate::ber;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 4096;

/// Longest message that is read.
pub const MAX_MESSAGE: usize = weir_applayer::session::PENDING_MAX - LENGTH;

/// Bytes of the length before a message.
pub(super) const LENGTH: usize = 4;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| {
        Box::new(Krb5Parser {
            request: 0,
            skip: PerDirection::default(),
            others: Heard::default(),
            transactions: TransactionList::default(),
        })
    })
}

/// The messages of one flow.
#[derive(Debug)]
pub struct Krb5Parser {
    /// The kind of the latest request that has no answer; zero for none.
    request: u8,
    /// Bytes that are passed over.
    skip: PerDirection<usize>,
    /// Messages that only scripts hear of.
    others: Heard,
    transactions: TransactionList<Krb5Transaction>,
}

impl Parser for Krb5Parser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if cx.endpoints.transport == Transport::Udp {
            let time = cx.time;
            return if self.take(cx, direction, bytes, (time, time)) {
                Outcome::Ok
            } else {
                Outcome::Refused
            };
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let skipped = rest.len().min(self.skip[direction]);
            if skipped > 0 {
                self.skip[direction] -= skipped;
                position += skipped;
                continue;
            }
            let Some(length) = Reader::new(rest).u32() else {
                return Outcome::Incomplete { consumed: position, needed: LENGTH };
            };
            let whole = LENGTH.saturating_add(length as usize);
            if length as usize > MAX_MESSAGE {
                self.skip[direction] = whole;
                continue;
            }
            let Some(message) = rest.get(LENGTH..whole) else {
                return Outcome::Incomplete { consumed: position, needed: whole };
            };
            let times = (cx.arrival(position), cx.arrival((position + whole).saturating_sub(1)));
            if !self.take(cx, direction, message, times) {
                return Outcome::Error;
            }
            position += whole;
        }
        Outcome::Ok
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.others)
    }

    parser_transactions!(&KRB5);
}

impl Krb5Parser {
    /// Takes a message, which was captured from one time to another. Answers whether it looks like one.
    fn take(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
        (begun, ended): (Timestamp, Timestamp),
    ) -> bool {
        let Some((tag, _)) = ber::element(&mut Reader::new(bytes)) else {
            cx.anomalies.push(Krb5Anomaly::MalformedData.into());
            return false;
        };
        let Some(kind) = kind_of(tag) else { return true };
        let is_request = matches!(kind, kind::AS_REQ | kind::TGS_REQ | kind::AP_REQ);
        let before = std::mem::replace(&mut self.request, if is_request { kind } else { 0 });
        if is_heard(kind) {
            self.others.note(cx.files.messages && cx.tells_zeek(), direction, ended, kind, bytes);
        }
        if !is_read(kind) || self.transactions.len() >= MAX_TRANSACTIONS {
            return true;
        }
        match Message::read(bytes) {
            Some(message) => {
                let mut transaction = Krb5Transaction::new(direction, message, before);
                transaction.meta.seen(direction, begun);
                transaction.meta.seen(direction, ended);
                transaction.meta.heard.note(cx.files.messages, direction, ended, kind, bytes);
                self.transactions.push(transaction);
            }
            None => cx.anomalies.push(Krb5Anomaly::MalformedData.into()),
        }
        true
    }
}
