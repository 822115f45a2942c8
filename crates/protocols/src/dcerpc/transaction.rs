//! A call and what it came to; or a bind, or a change of contexts, and the answer.

use std::any::Any;

use weir_applayer::{Progress, Transaction, TransactionList, TxMeta};
use weir_base::{Direction, PerDirection, Timestamp};

use super::context::Context;
use super::pdu::{Header, Verifier, kind};
use super::uuid::{Order, Uuid};
use crate::gssapi::token::Token;

/// A direction came to its end.
pub const COMPLETE: Progress = Progress(1);

/// Most verifiers of a message that scripts hear of.
const MAX_VERIFIERS: usize = 16;

/// Identity of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Of an association.
    Association {
        /// Its number.
        number: u32,
        /// The minor version of the protocol.
        minor: u8,
    },
    /// In datagrams.
    Datagram {
        /// The activity.
        activity: Uuid,
        /// Its number in that.
        sequence: u32,
    },
}

/// Credential of an end.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A token, and its bytes where scripts want them.
    Token(Box<Token>, Box<[u8]>),
    /// Something of this kind, which is not read.
    Unknown(u8),
}

/// A message as scripts see it.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The data of all fragments, without verifiers.
    pub stub: Vec<u8>,
    /// Verifiers of the fragments.
    pub verifiers: Vec<Verifier>,
}

/// One side of a call.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The message's type, once one was seen.
    pub kind: Option<u8>,
    /// The data, put together.
    pub stub: Vec<u8>,
    /// In how many fragments that came.
    pub fragments: u32,
    /// It cannot come any more.
    pub lost: bool,
    /// When the last of it was captured.
    pub at: Timestamp,
    /// Credentials that the side sent with it, or just before.
    pub credentials: Vec<Credential>,
    /// The data and the verifiers as scripts see them, where any do.
    pub told: Option<Box<Told>>,
}

/// Both sides of one call.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Identity.
    pub call: Call,
    /// The client's side and the server's.
    pub sides: PerDirection<Side>,
    /// The byte order of the data.
    pub order: Order,
    /// The number of the context that the call is made in.
    pub context: u16,
    /// The operation's number.
    pub operation: u16,
    /// The contexts of that number, or those that a bind offers.
    pub contexts: Vec<Context>,
    /// Where the server says that it goes on.
    pub address: Box<[u8]>,
}

impl Exchange {
    /// Bytes that it takes beside itself.
    pub fn held(&self) -> usize {
        let told = |side: &Side| side.told.as_ref().map_or(0, |told| told.stub.capacity());
        let side = |side: &Side| {
            side.stub.capacity() + side.credentials.capacity() * size_of::<Credential>() + told(side)
        };
        let contexts = self.contexts.capacity() * size_of::<Context>();
        side(&self.sides.to_server) + side(&self.sides.to_client) + contexts + self.address.len()
    }

    /// A call of which nothing is known yet.
    pub fn new(call: Call, order: Order) -> Self {
        Self {
            call,
            sides: PerDirection::default(),
            order,
            context: 0,
            operation: 0,
            contexts: Vec::new(),
            address: Box::default(),
        }
    }

    /// Whether the beginning of a call was seen.
    pub fn is_call(&self) -> bool {
        self.sides.to_server.kind == Some(kind::REQUEST)
    }

    /// Takes a fragment of a side's message, of whose data `most` bytes are kept in all.
    pub fn take(&mut self, direction: Direction, kind: u8, data: &[u8], most: usize, at: Timestamp) {
        let side = &mut self.sides[direction];
        side.kind = Some(kind);
        side.fragments = side.fragments.saturating_add(1);
        side.at = at;
        let room = most.saturating_sub(side.stub.len()).min(data.len());
        side.stub.extend_from_slice(data.get(..room).unwrap_or_default());
    }

    /// Keeps a fragment as scripts see it, of whose data `most` bytes are kept in all.
    pub fn tell(&mut self, header: Header, body: &[u8], most: usize) {
        let told = self.sides[header.direction()].told.get_or_insert_default();
        let (verifier, body) = header.verifier(body);
        if told.verifiers.len() < MAX_VERIFIERS {
            told.verifiers.extend(verifier);
        }
        let data = header.data(body);
        let room = most.saturating_sub(told.stub.len()).min(data.len());
        told.stub.extend_from_slice(data.get(..room).unwrap_or_default());
    }

    /// The data of a side's call, or of what it came to.
    pub fn stub(&self, direction: Direction) -> Option<&[u8]> {
        let side = &self.sides[direction];
        matches!(side.kind, Some(kind::REQUEST | kind::RESPONSE)).then_some(side.stub.as_slice())
    }
}

/// One call.
#[derive(Debug)]
pub struct DceRpcTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Both sides.
    pub exchange: Exchange,
}

impl DceRpcTransaction {
    /// A call of which nothing is known yet.
    pub fn new(call: Call, order: Order) -> Self {
        Self { meta: TxMeta::default(), exchange: Exchange::new(call, order) }
    }

    /// Forks it for Zeek's logs alone.
    pub fn fork(&mut self) -> Self {
        Self { meta: self.meta.fork(), exchange: self.exchange.clone() }
    }

    /// Whether all was seen that a side sends.
    pub fn is_complete(&self, direction: Direction) -> bool {
        self.meta.progress[direction] >= COMPLETE
    }

    /// Whether a side's message, which is of this type, was seen to its end.
    pub fn has_come(&self, direction: Direction) -> bool {
        self.is_complete(direction) && !self.exchange.sides[direction].lost
    }

    /// No more comes of a side.
    pub fn give_up(&mut self, direction: Direction) {
        if !self.is_complete(direction) {
            self.exchange.sides[direction].lost = true;
            self.meta.advance(direction, COMPLETE);
        }
    }
}

impl Transaction for DceRpcTransaction {
    fn meta(&self) -> &TxMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut TxMeta {
        &mut self.meta
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn held(&self) -> Option<usize> {
        Some(self.exchange.held())
    }

    fn is_little_endian(&self) -> bool {
        self.exchange.order == Order::Little
    }
}

/// Gives up the oldest call that is open, where there are more than `most`. Those before `given_up` are not.
pub fn give_up_one(transactions: &mut TransactionList<DceRpcTransaction>, given_up: &mut u64, most: usize) {
    let is_open =
        |tx: &DceRpcTransaction| Direction::BOTH.iter().any(|&direction| !tx.is_complete(direction));
    if let Some(transaction) = transactions.one_too_many(given_up, most, is_open) {
        Direction::BOTH.iter().for_each(|&direction| transaction.give_up(direction));
    }
}
