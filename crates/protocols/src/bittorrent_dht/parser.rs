//! Each datagram is a message.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::Direction;

use super::BITTORRENT_DHT;
use super::message::Message;
use super::transaction::BittorrentDhtTransaction;

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 1024;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(BittorrentDhtParser::default()))
}

/// The messages of one flow.
#[derive(Debug, Default)]
pub struct BittorrentDhtParser {
    transactions: TransactionList<BittorrentDhtTransaction>,
}

impl Parser for BittorrentDhtParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if !Message::begins(bytes) || self.transactions.len() >= MAX_TRANSACTIONS {
            return Outcome::Ok;
        }
        let mut transaction = BittorrentDhtTransaction::new(direction, bytes);
        transaction.meta.seen(direction, cx.time);
        let is_sound = transaction.meta.anomalies.is_empty();
        self.transactions.push(transaction);
        if is_sound { Outcome::Ok } else { Outcome::Refused }
    }

    parser_transactions!(&BITTORRENT_DHT);
}
