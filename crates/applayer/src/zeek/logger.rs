//! Loggers: each follows one connection of a protocol and writes its rows.

use std::ops::ControlFlow;

use weir_base::{Direction, Timestamp};

use super::events::EventTable;
use super::sink::ZeekSink;
use super::stream::{ScriptColumn, ZeekStream};
use crate::options::Options;
use crate::transaction::{Transaction, downcast};

/// A transaction that may have made progress.
#[derive(Clone, Copy)]
pub struct News<'a> {
    /// The transaction.
    pub transaction: &'a dyn Transaction,
    /// Whether it will not change any more: it is not given again.
    pub complete: bool,
}

impl<'a> News<'a> {
    /// The transaction as its protocol's own type.
    #[inline]
    pub fn of<T: Transaction>(self) -> Option<&'a T> {
        downcast(self.transaction)
    }
}

/// Follows one connection and writes its rows when Zeek would.
pub trait ZeekLogger: Send {
    /// A transaction that has news may have made progress.
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink);

    /// Whether a transaction may have anything to log that was not logged. One that is `complete` has.
    fn has_news(&self, _: News<'_>) -> bool {
        true
    }

    /// The connection speaks another protocol from now on: what goes on inside of that one, if this protocol
    /// is met there; told of its end instead of this where it is not.
    fn hand_over(&mut self) -> Option<Box<dyn ZeekLogger>> {
        None
    }

    /// Bytes of memory of what waits to be written, where that may be much. Where there is no room for it, it is told
    /// of an end and goes on, if nothing waits then.
    fn held(&self) -> usize {
        0
    }

    /// The connection ended: write what is still open.
    fn end(&mut self, sink: &mut dyn ZeekSink) {
        let _ = sink;
    }
}

/// Writes nothing of transactions: the rows come from datagrams.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Silent {
    /// For [`ZeekLogs::open`].
    pub fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
        Box::new(Self)
    }
}

impl ZeekLogger for Silent {
    fn transaction(&mut self, _: News<'_>, _: &mut dyn ZeekSink) {}
}

/// A datagram of a connection.
#[derive(Clone, Copy)]
pub struct Datagram<'a> {
    /// By the ends of the connection.
    pub direction: Direction,
    /// Behind the UDP header.
    pub payload: &'a [u8],
    /// When it was captured.
    pub time: Timestamp,
}

/// Follows one connection of datagrams for a protocol that rules do not know, or not as long.
pub trait DatagramLogger: Send {
    /// A datagram of the connection. [`ControlFlow::Break`] where nothing more of it is to be read.
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()>;

    /// The connection ended: write what is still open.
    fn end(&mut self, sink: &mut dyn ZeekSink) {
        let _ = sink;
    }
}

/// A connection that a logger follows for as long as it wants to.
pub struct FollowedDatagrams {
    logger: Box<dyn DatagramLogger>,
    is_over: bool,
}

impl FollowedDatagrams {
    /// A datagram of the connection.
    pub fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) {
        if !self.is_over {
            self.is_over = self.logger.datagram(datagram, sink).is_break();
        }
    }

    /// The connection ended: writes what is still open.
    pub fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.logger.end(sink);
    }
}

/// A protocol over datagrams that Zeek's logs follow by themselves.
#[derive(Clone, Copy, Debug)]
pub struct DatagramLogs {
    /// Its entry of `service`.
    pub name: &'static str,
    /// The streams that it brings: those that no protocol of rules has.
    pub streams: &'static [&'static ZeekStream],
    /// The responder's ports; any where empty.
    pub ports: &'static [u16],
    /// Whether a payload is the beginning of its conversations.
    pub fits: fn(&[u8]) -> bool,
    /// Opens a logger for a connection.
    pub open: fn() -> Box<dyn DatagramLogger>,
}

impl DatagramLogs {
    /// Whether connections to a port may speak it.
    pub fn is_for(&self, port: u16) -> bool {
        self.ports.is_empty() || self.ports.contains(&port)
    }

    /// Begins to follow a connection.
    pub fn follow(&self) -> FollowedDatagrams {
        FollowedDatagrams { logger: (self.open)(), is_over: false }
    }
}

/// The Zeek logs of a protocol.
pub struct ZeekLogs {
    /// The streams it writes.
    pub streams: &'static [&'static ZeekStream],
    /// Columns that scripts add to them.
    pub more: &'static [ScriptColumn],
    /// Only connections whose beginning was seen are logged.
    pub from_start: bool,
    /// The logger says itself that the connection speaks the protocol.
    pub confirms: bool,
    /// Events that scripts can handle.
    pub events: Option<&'static EventTable>,
    /// Opens a logger for a connection.
    pub open: fn(&dyn Options) -> Box<dyn ZeekLogger>,
}

impl ZeekLogs {
    /// The logs of connections wherever they were met, by a logger that confirms their protocol.
    pub const fn new(
        streams: &'static [&'static ZeekStream],
        open: fn(&dyn Options) -> Box<dyn ZeekLogger>,
    ) -> Self {
        Self { streams, more: &[], from_start: false, confirms: true, events: None, open }
    }
}
