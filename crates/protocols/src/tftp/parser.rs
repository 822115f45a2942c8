//! Each datagram to the server's port is a request, or nothing that is looked at.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::Direction;

use super::TFTP;
use super::request::TftpTransaction;

/// Requests that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 1024;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(TftpParser::default()))
}

/// The requests of one flow.
#[derive(Debug, Default)]
pub struct TftpParser {
    transactions: TransactionList<TftpTransaction>,
}

impl Parser for TftpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if direction == Direction::ToServer
            && self.transactions.len() < MAX_TRANSACTIONS
            && let Some(mut request) = TftpTransaction::read(bytes)
        {
            request.meta.seen(direction, cx.time);
            self.transactions.push(request);
        }
        Outcome::Ok
    }

    parser_transactions!(&TFTP);
}
