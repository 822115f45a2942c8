//! Each datagram is a message.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::Direction;

use super::DHCP;
use super::message::Message;
use super::transaction::DhcpTransaction;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 4096;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(DhcpParser { transactions: TransactionList::default() }))
}

/// The messages of one flow.
#[derive(Debug)]
pub struct DhcpParser {
    transactions: TransactionList<DhcpTransaction>,
}

impl Parser for DhcpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.len() >= MAX_TRANSACTIONS {
            return Outcome::Ok;
        }
        let Some(message) = Message::read(bytes) else { return Outcome::Refused };
        let mut transaction = DhcpTransaction::new(direction, message);
        transaction.meta.seen(direction, cx.time);
        self.transactions.push(transaction);
        Outcome::Ok
    }

    parser_transactions!(&DHCP);
}
