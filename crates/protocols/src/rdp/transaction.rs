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
    /// Client data blocks.
    Client(Box<Client>),
    /// Server data blocks.
    Server(Server),
    /// The serial numbers of the server's certificates.
    Certificates(Vec<String>),
}

impl Item {
    /// Bytes of memory that it takes beside itself.
    fn memory(&self) -> usize {
        match self {
            Self::Request(request) => request.cookie.as_ref().map_or(0, Vec::capacity),
            Self::Client(client) => size_of::<Client>() + client.channels.as_deref().map_or(0, size_of_val),
            Self::Certificates(serials) => {
                serials.iter().map(|text| size_of::<String>() + text.capacity()).sum()
            }
            Self::Server(server) => server.memory(),
            Self::Confirm(_) => 0,
        }
    }
}

/// One message.
#[derive(Debug)]
pub struct RdpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The message.
    pub item: Item,
}

weir_applayer::transaction!(RdpTransaction, |tx| Some(tx.item.memory()));

impl RdpTransaction {
    /// Forks it for Zeek's logs alone, which another parser feeds from here on.
    pub fn fork(&mut self) -> Self {
        Self { meta: self.meta.fork(), item: self.item.clone() }
    }

    /// Of a message in `direction`, captured at `time`.
    pub fn new(direction: Direction, item: Item, time: Timestamp) -> Self {
        let mut meta = TxMeta::of_message(direction);
        meta.seen(direction, time);
        Self { meta, item }
    }
}
