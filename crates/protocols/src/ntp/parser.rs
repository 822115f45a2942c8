//! Each datagram is a message.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::Direction;

use super::NTP;
use super::anomaly::NtpAnomaly;
use super::message::Message;
use super::transaction::NtpTransaction;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 4096;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(NtpParser { transactions: TransactionList::default() }))
}

/// The messages of one flow.
#[derive(Debug)]
pub struct NtpParser {
    transactions: TransactionList<NtpTransaction>,
}

impl Parser for NtpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.len() >= MAX_TRANSACTIONS {
            return Outcome::Ok;
        }
        let Some(message) = Message::read_current(bytes) else {
            cx.anomalies.push(NtpAnomaly::MalformedData.into());
            return Outcome::Refused;
        };
        let mut transaction = NtpTransaction::new(direction, message);
        transaction.meta.seen(direction, cx.time);
        self.transactions.push(transaction);
        Outcome::Ok
    }

    parser_transactions!(&NTP);
}
