//! The contract of a protocol's parser, and its requests to the engine.

use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;

use weir_base::{Counters, Direction, Duration, IdSet, Timestamp, Turn};

use crate::audience::Audience;
use crate::file::FileSettings;
use crate::frame::FrameSink;
use crate::heard::Heard;
use crate::memory::Memory;
use crate::protocol::{Protocol, Transport};
use crate::transaction::{Anomaly, Transaction};

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The client's address.
    pub client: IpAddr,
    /// The client's port.
    pub client_port: u16,
    /// The server's address.
    pub server: IpAddr,
    /// The server's port.
    pub server_port: u16,
    /// Transport that carries the protocol.
    pub transport: Transport,
}

impl Endpoints {
    /// Exchanges client and server.
    pub const fn turn(&mut self) {
        std::mem::swap(&mut self.client, &mut self.server);
        std::mem::swap(&mut self.client_port, &mut self.server_port);
    }
}

/// Opens a parser for each flow; made once from the configuration.
pub trait Factory: Send + Sync {
    /// A parser for a new flow.
    fn open(&self, endpoints: &Endpoints) -> Box<dyn Parser>;

    /// Returns the counters that its parsers share on all workers.
    fn counters(&self) -> Option<&dyn Counters> {
        None
    }
}

/// A factory of parsers that count nothing together.
pub fn factory(open: impl Fn(&Endpoints) -> Box<dyn Parser> + Send + Sync + 'static) -> Box<dyn Factory> {
    Box::new(Opener(open))
}

struct Opener<F>(F);

impl<F: Fn(&Endpoints) -> Box<dyn Parser> + Send + Sync> Factory for Opener<F> {
    fn open(&self, endpoints: &Endpoints) -> Box<dyn Parser> {
        (self.0)(endpoints)
    }
}

/// Outcome of pushed bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All were taken.
    Ok,
    /// The first `consumed` were taken. The rest is pushed again, together with what follows,
    /// once there are at least `needed` bytes (counted from the first one not taken).
    Incomplete {
        /// Bytes taken.
        consumed: usize,
        /// Bytes wanted in the next push, at least.
        needed: usize,
    },
    /// The bytes make no sense; the parser is not to be called again for this flow.
    Error,
    /// A datagram makes no sense; the parser takes later ones all the same. Of a stream, an error.
    Refused,
}

/// Result for the first of the bytes at hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// This many were taken.
    Taken(usize),
    /// So many are needed, more than there are.
    Needed(usize),
    /// This many were taken, and what follows is another protocol.
    Over(usize),
    /// They make no sense.
    Malformed,
}

/// Goes on with `step` over the rest of the bytes of a push, and its place in them, for as long as there are any.
#[inline]
pub fn in_steps(bytes: &[u8], mut step: impl FnMut(&[u8], usize) -> Step) -> Outcome {
    let mut position = 0;
    while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
        match step(rest, position) {
            Step::Taken(count) => position += count,
            Step::Needed(needed) => return Outcome::Incomplete { consumed: position, needed },
            Step::Over(count) => return Outcome::Incomplete { consumed: position + count, needed: 0 },
            Step::Malformed => return Outcome::Error,
        }
    }
    Outcome::Ok
}

/// Something a parser asks of the engine.
#[derive(Clone, Debug)]
pub enum Request {
    /// From the next byte on the flow speaks another protocol: one by name, or whatever is found.
    Upgrade(Option<&'static str>),
    /// Asks for no further parsing of this direction (an encrypted tunnel).
    StopParsing(Direction),
    /// The rest is encrypted or unknown: rules need not look at the raw stream either.
    StopInspection,
    /// The rest says nothing as raw bytes: rules need not look at the stream. The parser goes on.
    StopStreamInspection,
    /// Everything gathered so far is to be inspected and logged by itself, ahead of the packet that brought its end.
    Flush,
    /// The flow may be bypassed where the configuration wants that for encrypted traffic.
    Encrypted,
    /// The stream is read as far as this in both directions; zero is all of it.
    StreamDepth(u64),
    /// A unit ended: rules on the raw stream should look at what is there.
    InspectStream(Direction),
    /// A flow between these ends is expected to speak a protocol (FTP data).
    Expect {
        /// The protocol's name.
        protocol: &'static str,
        /// Side of this flow that will open it.
        opened_by: Direction,
        /// The port it goes to.
        port: u16,
        /// Tag for the new flow's parser.
        tag: Arc<[u8]>,
        /// Time until it is no longer waited for.
        patience: Duration,
    },
}

/// Surroundings of one push of bytes.
pub struct ParseContext<'a> {
    /// The two ends.
    pub endpoints: &'a Endpoints,
    /// Where the first byte of this push stands in the stream; zero in a datagram.
    pub offset: u64,
    /// Time of the packet that caused the push.
    pub time: Timestamp,
    /// When the bytes of this push were captured: index of the first byte of each segment and its
    /// time, in order. The first entry speaks for the first byte.
    pub arrivals: &'a [(usize, Timestamp)],
    /// Treatment of files.
    pub files: &'a FileSettings,
    /// Audience of the reading.
    pub audience: Audience,
    /// Takes a parser for Zeek's logs alone, where the reading may fork ([`ParseContext::fork`]).
    pub fork: Option<&'a mut Option<Fork>>,
    /// Memory that the worker's parsers take together for bytes that they read twice, where that is counted.
    pub memory: Option<&'a Arc<Memory>>,
    /// The worker's part in the order of workers: waited for before what flows share is touched.
    pub order: &'a Turn,
    /// Requests to the engine; bounded by [`MAX_REQUESTS`].
    pub requests: &'a mut Vec<Request>,
    /// Anomalies that belong to no transaction.
    pub anomalies: &'a mut Vec<Anomaly>,
    /// Takes frames; none where nobody asks for them.
    pub frames: Option<FrameSink<'a>>,
}

/// Most requests of one push.
pub const MAX_REQUESTS: usize = 16;

impl<'a> ParseContext<'a> {
    /// Makes a context without an engine: no frames are wanted, and all is at one time.
    pub const fn bare(
        endpoints: &'a Endpoints,
        files: &'a FileSettings,
        order: &'a Turn,
        requests: &'a mut Vec<Request>,
        anomalies: &'a mut Vec<Anomaly>,
    ) -> Self {
        Self {
            endpoints,
            offset: 0,
            time: Timestamp(0),
            arrivals: &[],
            files,
            audience: Audience::Records,
            fork: None,
            memory: None,
            order,
            requests,
            anomalies,
            frames: None,
        }
    }

    /// When the byte at `index` of this push was captured.
    #[inline]
    pub fn arrival(&self, index: usize) -> Timestamp {
        let after = self.arrivals.partition_point(|&(start, _)| start <= index);
        self.arrivals.get(after.saturating_sub(1)).map_or(self.time, |&(_, time)| time)
    }

    /// Returns where the segment ends, among `length` bytes that are pushed, that brought the byte at `index`.
    pub fn segment_end(&self, index: usize, length: usize) -> usize {
        let after = self.arrivals.partition_point(|&(start, _)| start <= index);
        self.arrivals.get(after).map_or(length, |&(start, _)| start)
    }

    /// Whether bytes are read as Zeek reads them, for its logs alone.
    pub const fn reads_as_zeek(&self) -> bool {
        self.audience.reads_as_zeek()
    }

    /// Whether the reading is for Zeek's logs, too: what they alone want is kept for them.
    pub const fn tells_zeek(&self) -> bool {
        self.audience.tells_zeek()
    }

    /// Whether what goes through the protocol is read, too ([`Parser::take_carried`]).
    pub const fn reads_carried(&self) -> bool {
        self.audience.reads_carried()
    }

    /// Whether the reading is to fork where Zeek's differs from that of rules and records.
    pub fn may_fork(&self) -> bool {
        self.fork.as_ref().is_some_and(|fork| fork.is_none())
    }

    /// Forks: from here on Zeek's logs are told what `parser` reads, which is as this one is, but is asked to read as
    /// Zeek does. It begins with the bytes of this push behind the first `taken`, which may be none; with the gap, end
    /// or datagram where it is that.
    pub fn fork(&mut self, taken: usize, parser: Box<dyn Parser>) {
        if let Some(fork) = self.fork.as_deref_mut() {
            fork.get_or_insert(Fork { parser, taken });
        }
    }

    /// Asks something of the engine.
    pub fn request(&mut self, request: Request) {
        if self.requests.len() < MAX_REQUESTS {
            self.requests.push(request);
        }
    }
}

/// News for Zeek's logs that rules and records do not get, or get later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Early {
    /// So many bytes are missing that may yet come.
    Hole(u64),
    /// One side is at its end, while the other one may go on.
    End,
    /// One side reached the depth to which rules and records follow it.
    Depth,
}

/// A parser for Zeek's logs alone, as of where its reading differs.
pub struct Fork {
    /// The parser.
    pub parser: Box<dyn Parser>,
    /// Number of bytes of the push that it has taken.
    pub taken: usize,
}

/// Bytes of another protocol, which a protocol carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Direction of the bytes.
    pub direction: Direction,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// When the last of them was captured.
    pub time: Timestamp,
}

/// A legacy of the parser of a flow's protocol to that of the next one; both know its type.
pub type Legacy = Arc<dyn Any + Send + Sync>;

/// The state of one flow in one protocol.
///
/// Total on any bytes, bounded in memory by the limits it was configured with. Finished
/// transactions stay until the engine frees them.
pub trait Parser: Send {
    /// Bytes in order. A datagram protocol gets each datagram whole.
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome;

    /// `length` bytes were never seen. Only asked where the protocol accepts gaps.
    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let _ = (cx, direction, length);
        Outcome::Error
    }

    /// No more bytes will come in this direction: finish what is open.
    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        let _ = (cx, direction);
    }

    /// Another flow announced this one with [`Request::Expect`] and this `tag`; called before any bytes.
    fn announced(&mut self, tag: &Arc<[u8]>) {
        let _ = tag;
    }

    /// The flow spoke this protocol before; called before any bytes.
    fn follows(&mut self, before: &'static Protocol) {
        let _ = before;
    }

    /// The flow changes to another protocol: what that one's parser is to know. Asked when this one is
    /// closed.
    fn legacy(&self) -> Option<Legacy> {
        None
    }

    /// Takes the legacy of the parser before this one; called before any bytes.
    fn inherit(&mut self, legacy: &Legacy) {
        let _ = legacy;
    }

    /// Returns the number of transactions ever made; ids lie below.
    fn created(&self) -> u64;

    /// Messages for the events of scripts that are of no transaction, where the protocol keeps such.
    fn heard(&self) -> Option<&Heard> {
        None
    }

    /// Whether the flow as a whole is its one transaction, which statistics do not count.
    fn is_one_transaction(&self) -> bool {
        false
    }

    /// The first live transaction whose id is at least `id`.
    fn next_from(&self, id: u64) -> Option<&dyn Transaction>;

    /// The live transaction with this id.
    fn transaction(&self, id: u64) -> Option<&dyn Transaction>;

    /// The live transaction with this id, to change its meta data.
    fn transaction_mut(&mut self, id: u64) -> Option<&mut dyn Transaction>;

    /// Forks: answers a parser for Zeek's logs alone, which goes on as this one and is asked to read as Zeek does;
    /// there `early` is news of this direction now. None where that makes no difference.
    fn fork(&mut self, direction: Direction, early: Early) -> Option<Box<dyn Parser>> {
        let _ = (direction, early);
        None
    }

    /// Adds the ids of the transactions that may have changed since this was asked last, to `changed`.
    fn take_changed(&mut self, changed: &mut IdSet);

    /// Takes the other protocol's bytes that the last pushes carried. Asked only of forks for Zeek's logs, of protocols
    /// that another one led to.
    fn take_carried(&mut self) -> Vec<Carried> {
        Vec::new()
    }

    /// Bytes of memory that it takes, its transactions included.
    fn memory(&self) -> usize;

    /// Bytes of those that it takes beside itself and its transactions.
    fn held(&self) -> usize {
        0
    }

    /// A rule wants no record of a transaction, nor of others that belong to it.
    fn silenced(&mut self, id: u64) {
        let _ = id;
    }

    /// Forgets a transaction.
    fn free(&mut self, id: u64);

    /// The protocol that this parser reads. One that turns out to carry another may become a protocol of its
    /// own, once and with the same transactions.
    fn protocol(&self) -> &'static Protocol;
}

/// Implements the transaction methods of [`Parser`] over a field `transactions: TransactionList<_>`, or over
/// one that is named: `parser_transactions!(&NFS, conversation.transactions)`. Where the protocol depends on the
/// parser: `parser_transactions!(|parser| parser.protocol)`.
#[macro_export]
macro_rules! parser_transactions {
    (@list $($list:ident).+) => {
        fn created(&self) -> u64 {
            self.$($list).+.created()
        }
        fn next_from(&self, id: u64) -> Option<&dyn $crate::Transaction> {
            self.$($list).+.next_from(id).map(|t| t as &dyn $crate::Transaction)
        }
        fn transaction(&self, id: u64) -> Option<&dyn $crate::Transaction> {
            self.$($list).+.by_id(id).map(|t| t as &dyn $crate::Transaction)
        }
        fn transaction_mut(&mut self, id: u64) -> Option<&mut dyn $crate::Transaction> {
            self.$($list).+.lent(id).map(|t| t as &mut dyn $crate::Transaction)
        }
        fn take_changed(&mut self, changed: &mut $crate::IdSet) {
            self.$($list).+.take_changed(changed);
        }
        fn free(&mut self, id: u64) {
            self.$($list).+.free(id);
        }
        fn memory(&self) -> usize {
            size_of_val(self) + self.$($list).+.memory() + self.held()
        }
    };
    (|$parser:ident| $protocol:expr) => {
        $crate::parser_transactions!(@list transactions);
        fn protocol(&self) -> &'static $crate::Protocol {
            let $parser = self;
            $protocol
        }
    };
    ($protocol:expr) => {
        $crate::parser_transactions!($protocol, transactions);
    };
    ($protocol:expr, $($list:ident).+) => {
        $crate::parser_transactions!(@list $($list).+);
        fn protocol(&self) -> &'static $crate::Protocol {
            $protocol
        }
    };
}

/// Implements the transaction methods of [`Parser`] where there are none.
#[macro_export]
macro_rules! no_transactions {
    ($protocol:expr) => {
        fn created(&self) -> u64 {
            0
        }
        fn next_from(&self, _: u64) -> Option<&dyn $crate::Transaction> {
            None
        }
        fn transaction(&self, _: u64) -> Option<&dyn $crate::Transaction> {
            None
        }
        fn transaction_mut(&mut self, _: u64) -> Option<&mut dyn $crate::Transaction> {
            None
        }
        fn take_changed(&mut self, _: &mut $crate::IdSet) {}
        fn free(&mut self, _: u64) {}
        fn memory(&self) -> usize {
            size_of_val(self) + self.held()
        }
        fn protocol(&self) -> &'static $crate::Protocol {
            $protocol
        }
    };
}
