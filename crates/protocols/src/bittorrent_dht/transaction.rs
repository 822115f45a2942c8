//! A transaction: one message.

use weir_applayer::TxMeta;
use weir_base::Direction;

use super::anomaly::BittorrentDhtAnomaly;
use super::message::Message;

/// One message.
#[derive(Debug)]
pub struct BittorrentDhtTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The datagram.
    datagram: Box<[u8]>,
}

weir_applayer::transaction!(BittorrentDhtTransaction, |tx| Some(tx.datagram.len()));

impl BittorrentDhtTransaction {
    /// Of a datagram in `direction`, which may be malformed.
    pub fn new(direction: Direction, datagram: &[u8]) -> Self {
        let mut meta = TxMeta::of_message(direction);
        let message = Message::read(datagram);
        if message.is_none_or(|message| message.transaction.is_none()) {
            meta.anomaly(BittorrentDhtAnomaly::MalformedPacket.into());
        }
        Self { meta, datagram: message.map(|_| datagram.into()).unwrap_or_default() }
    }

    /// Returns the message, as far as it can be read.
    pub fn message(&self) -> Option<Message<'_>> {
        Message::read(&self.datagram)
    }
}
