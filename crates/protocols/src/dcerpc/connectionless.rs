//! Calls in datagrams (C706 12.5): their header, and the parser that puts fragments together.
//!
//! The header names the interface, so that nothing is bound.

use weir_applayer::{Outcome, ParseContext, Parser, TransactionList};
use weir_base::{Direction, Reader};

use super::DCERPC;
use super::context::Context;
use super::index::{Index, MAX_ALIKE};
use super::pdu::kind;
use super::settings::Settings;
use super::transaction::{COMPLETE, Call, DceRpcTransaction, give_up_one};
use super::uuid::{Order, Uuid};

/// Bytes of the header.
pub const HEADER_LENGTH: usize = 80;

/// Flags of the header: the last fragment, and one of several.
const LAST_FRAGMENT: u8 = 2;
const FRAGMENT: u8 = 4;

/// Packet type of a rejection in place of a response (C706 12.5).
const REJECT: u8 = 6;

/// A datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram<'a> {
    /// The type.
    pub kind: u8,
    /// No further fragment follows.
    pub is_last: bool,
    /// The byte order of numbers.
    pub order: Order,
    /// The interface.
    pub interface: Uuid,
    /// The interface's version, major and minor.
    pub version: (u16, u16),
    /// The activity.
    pub activity: Uuid,
    /// The call's number in the activity.
    pub sequence: u32,
    /// The operation's number.
    pub operation: u16,
    /// The data.
    pub stub: &'a [u8],
}

impl<'a> Datagram<'a> {
    /// Reads a datagram; none where it is too short, or of another version.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let [version, kind, flags, _, representation, _, _, _] = reader.array()?;
        if version != 4 {
            return None;
        }
        let order = Order::of(representation);
        Uuid::read(&mut reader, order)?;
        let interface = Uuid::read(&mut reader, order)?;
        let activity = Uuid::read(&mut reader, order)?;
        // When the server began.
        reader.skip(4)?;
        let version = order.u32(&mut reader)?;
        let sequence = order.u32(&mut reader)?;
        let operation = order.u16(&mut reader)?;
        // Hints.
        reader.skip(4)?;
        let length = order.u16(&mut reader)?;
        // The fragment's number, the authentication, the end of the serial number.
        reader.skip(4)?;
        Some(Self {
            kind,
            is_last: flags & FRAGMENT == 0 || flags & LAST_FRAGMENT != 0,
            order,
            interface,
            version: (version as u16, (version >> 16) as u16),
            activity,
            sequence,
            operation,
            stub: reader.take(length.into())?,
        })
    }
}

/// Identity of a call: its activity, and its number in that.
type Number = (Uuid, u32);

/// The calls of one flow.
#[derive(Debug)]
pub struct DatagramParser {
    settings: Settings,
    transactions: TransactionList<DceRpcTransaction>,
    by_number: Index<Number>,
    /// Those before it were given up for want of room.
    given_up: u64,
}

impl DatagramParser {
    /// A parser of a new flow.
    pub fn new(settings: Settings) -> Self {
        Self { settings, transactions: TransactionList::default(), by_number: Index::default(), given_up: 0 }
    }

    /// The call that a datagram belongs to; none where that is to be a new one.
    fn find(&self, direction: Direction, number: Number) -> Option<u64> {
        let mut alike = self.by_number.of(number, &self.transactions).take(MAX_ALIKE);
        alike.find(|tx| !tx.is_complete(direction)).map(|transaction| transaction.meta.id)
    }

    fn take(&mut self, cx: &ParseContext<'_>, datagram: &Datagram<'_>) -> Option<()> {
        let direction = match datagram.kind {
            kind::REQUEST => Direction::ToServer,
            kind::RESPONSE | kind::FAULT | REJECT => Direction::ToClient,
            // What keeps a call alive says nothing of it.
            _ => return Some(()),
        };
        let Datagram { activity, sequence, .. } = *datagram;
        let id = match self.find(direction, (activity, sequence)) {
            Some(id) => id,
            None => {
                give_up_one(&mut self.transactions, &mut self.given_up, self.settings.max_transactions);
                let call = Call::Datagram { activity, sequence };
                let id = self.transactions.push(DceRpcTransaction::new(call, datagram.order)).meta.id;
                self.by_number.add((activity, sequence), id, &self.transactions);
                id
            }
        };
        let transaction = self.transactions.by_id_mut(id)?;
        if datagram.kind == kind::REQUEST {
            transaction.exchange.operation = datagram.operation;
            transaction.exchange.contexts = vec![Context::unbound(datagram.interface, datagram.version)];
        }
        transaction.meta.seen(direction, cx.time);
        let most = self.settings.max_stub_size;
        transaction.exchange.take(direction, datagram.kind, datagram.stub, most, cx.time);
        if datagram.is_last {
            transaction.meta.advance(direction, COMPLETE);
        }
        Some(())
    }
}

impl Parser for DatagramParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, _: Direction, bytes: &[u8]) -> Outcome {
        match Datagram::read(bytes).and_then(|datagram| self.take(cx, &datagram)) {
            Some(()) => Outcome::Ok,
            None => Outcome::Refused,
        }
    }

    weir_applayer::parser_transactions!(&DCERPC);
}
