//! Each datagram is a message.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::Direction;

use super::SNMP;
use super::anomaly::SnmpAnomaly;
use super::message::Message;
use super::transaction::SnmpTransaction;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 4096;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(SnmpParser { version: None, transactions: TransactionList::default() }))
}

/// The messages of one flow.
#[derive(Debug)]
pub struct SnmpParser {
    /// The version of the first one.
    version: Option<u32>,
    transactions: TransactionList<SnmpTransaction>,
}

impl Parser for SnmpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.len() >= MAX_TRANSACTIONS {
            return Outcome::Ok;
        }
        let Some(message) = Message::read(bytes) else {
            cx.anomalies.push(SnmpAnomaly::MalformedData.into());
            return Outcome::Refused;
        };
        let expected = *self.version.get_or_insert(message.version);
        let mismatched = expected != message.version && message.fits;
        let mut transaction = SnmpTransaction::new(direction, message);
        if mismatched {
            transaction.meta.anomaly(SnmpAnomaly::VersionMismatch.into());
        }
        transaction.meta.seen(direction, cx.time);
        self.transactions.push(transaction);
        Outcome::Ok
    }

    parser_transactions!(&SNMP);
}
