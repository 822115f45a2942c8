//! A transaction: one message.

use weir_applayer::TxMeta;
use weir_base::{Direction, Timestamp};

use super::client::Client;
use super::negotiation::{Confirm, Request};
use super::server::Server;

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// The client asks for a connection.
    Request(Request),
    /// The server confirms it.
    Confirm(Confirm),
    /// What the client says of itself.
    Client(Box<Client>),
    /// What the server says of itself.
    Server(Server),
    /// The serial numbers of the server's certificates.
    Certificates(Vec<String>),
}

/// One message.
#[derive(Debug)]
pub struct RdpTransaction {
    /// What every transaction has.
    pub meta: TxMeta,
    /// The message.
    pub item: Item,
}

weir_applayer::transaction!(RdpTransaction);

impl RdpTransaction {
    /// The same for Zeek's logs alone, which from here on are told what another parser reads.
    pub fn part(&mut self) -> Self {
        Self { meta: self.meta.part(), item: self.item.clone() }
    }

    /// Of a message in `direction`, captured at `time`.
    pub fn new(direction: Direction, item: Item, time: Timestamp) -> Self {
        let mut meta = TxMeta::of_message(direction);
        meta.seen(direction, time);
        Self { meta, item }
    }
}
