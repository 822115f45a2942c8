//! A parser, and the engine's part: what was not taken is kept and pushed again, and Zeek's logs are told of
//! what became of transactions.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use weir_applayer::audience::{Audience, ZeekOnly};
use weir_applayer::file::FileSettings;
use weir_applayer::parser::MAX_REQUESTS;
use weir_applayer::session::PENDING_MAX;
use weir_applayer::zeek::{News, ZeekLogger};
use weir_applayer::{
    Endpoints, NoOptions, Options, Outcome, ParseContext, Parser, Progress, Protocol, Request, Transaction,
    Transport, downcast,
};
use weir_base::{Direction, JsonWriter, PerDirection, Timestamp, Turn};

use super::laws::{Laws, sound};
use super::{Rows, endpoints, values};

/// Conversation of both ends.
pub(crate) struct Conversation {
    pub(crate) parser: Box<dyn Parser>,
    pub(crate) endpoints: Endpoints,
    pub(crate) files: FileSettings,
    pub(crate) as_zeek: bool,
    /// Outcome of the last push.
    pub(crate) outcome: Outcome,
    /// Requests of the parser.
    pub(crate) requests: Vec<Request>,
    /// The second in which something was said last.
    pub(crate) clock: u64,
    /// Rows of Zeek's logger.
    pub(crate) rows: Rows,
    /// Bytes that were not taken, and how many are wanted.
    kept: PerDirection<(Vec<u8>, usize)>,
    logger: Option<Box<dyn ZeekLogger>>,
    /// Transactions that will not change any more.
    ended: BTreeSet<u64>,
    /// Transactions in the order of their records.
    in_order: Vec<u64>,
    laws: Laws,
}

impl Conversation {
    /// Nothing was said yet; over TCP where the protocol is.
    pub(crate) fn new(protocol: &Protocol, options: &dyn Options) -> Self {
        let tcp = protocol.transports.contains(&Transport::Tcp);
        Self::over(if tcp { Transport::Tcp } else { Transport::Udp }, protocol, options)
    }

    /// Nothing was said yet, over this transport.
    pub(crate) fn over(transport: Transport, protocol: &Protocol, options: &dyn Options) -> Self {
        let endpoints = endpoints(protocol, transport);
        Self::with(endpoints, (protocol.configure)(options).open(&endpoints))
    }

    /// Nothing was said yet between these ends, to a parser that was opened for them.
    pub(crate) fn with(endpoints: Endpoints, parser: Box<dyn Parser>) -> Self {
        let logger = parser.protocol().zeek.map(|zeek| (zeek.open)(&NoOptions));
        Self {
            parser,
            endpoints,
            files: FileSettings { magic: true, md5: true, ..FileSettings::default() },
            as_zeek: false,
            outcome: Outcome::Ok,
            requests: Vec::new(),
            clock: 0,
            rows: Rows::new(endpoints),
            kept: PerDirection::default(),
            logger,
            ended: BTreeSet::new(),
            in_order: Vec::new(),
            laws: Laws::default(),
        }
    }

    /// Returns the number of a direction's bytes that were not taken.
    pub(crate) fn waiting(&self, direction: Direction) -> usize {
        self.kept[direction].0.len()
    }

    /// The pieces are said, none of which is an error.
    pub(crate) fn of<B: AsRef<[u8]>>(
        protocol: &Protocol,
        options: &dyn Options,
        pieces: &[(Direction, B)],
    ) -> Self {
        let mut conversation = Self::new(protocol, options);
        conversation.talk(pieces);
        conversation
    }

    /// The pieces are said, none of which is an error.
    pub(crate) fn talk<B: AsRef<[u8]>>(&mut self, pieces: &[(Direction, B)]) {
        for (direction, bytes) in pieces {
            assert_ne!(self.push(*direction, bytes.as_ref()), Outcome::Error);
        }
    }

    /// The parser is called.
    pub(crate) fn call<T>(&mut self, act: impl FnOnce(&mut dyn Parser, &mut ParseContext<'_>) -> T) -> T {
        let time = Timestamp::new(self.clock, 0);
        let (order, anomalies) = (Turn::alone(), &mut Vec::new());
        let bare = ParseContext::bare(&self.endpoints, &self.files, &order, &mut self.requests, anomalies);
        let audience = if self.as_zeek { Audience::Zeek(ZeekOnly::Fork) } else { Audience::Records };
        let mut cx = ParseContext { time, audience, ..bare };
        let answer = act(&mut *self.parser, &mut cx);
        self.laws.hold(&*self.parser);
        assert!(self.requests.len() <= MAX_REQUESTS, "{:?}: too many requests", self.requests);
        answer
    }

    /// An end says something a second later.
    pub(crate) fn push(&mut self, direction: Direction, bytes: &[u8]) -> Outcome {
        self.push_in(direction, bytes, usize::MAX)
    }

    /// An end says something a second later, in pieces of this length.
    pub(crate) fn push_in(&mut self, direction: Direction, bytes: &[u8], length: usize) -> Outcome {
        self.clock += 1;
        for piece in bytes.chunks(length) {
            self.push_piece(direction, piece);
        }
        self.outcome
    }

    /// An end says something, unless the conversation is at its end or another parser's.
    pub(crate) fn push_piece(&mut self, direction: Direction, piece: &[u8]) {
        if self.outcome == Outcome::Error || self.is_handed_over() {
            return;
        }
        let (mut kept, needed) = std::mem::take(&mut self.kept[direction]);
        kept.extend_from_slice(piece);
        if kept.len() < needed {
            self.kept[direction] = (kept, needed);
            return;
        }
        self.outcome = self.call(|parser, cx| parser.data(cx, direction, &kept));
        if let Outcome::Incomplete { consumed, needed } = self.outcome
            && self.endpoints.transport == Transport::Tcp
        {
            let rest = kept.split_off(consumed);
            assert!(self.is_handed_over() || needed > rest.len(), "it would be asked again at once");
            assert!(needed <= PENDING_MAX, "{needed} bytes are more than wait for a parser");
            self.kept[direction] = (rest, needed);
        }
        self.tell_zeek(false);
    }

    /// Bytes are missing.
    pub(crate) fn gap(&mut self, direction: Direction, length: u64) -> Outcome {
        self.kept[direction] = Default::default();
        self.outcome = self.call(|parser, cx| parser.gap(cx, direction, length));
        self.outcome
    }

    /// Nothing more is said.
    pub(crate) fn close(&mut self) {
        for direction in Direction::BOTH {
            self.call(|parser, cx| parser.close(cx, direction));
            self.tell_zeek(false);
        }
    }

    fn is_handed_over(&self) -> bool {
        self.requests.iter().any(|request| matches!(request, Request::Upgrade(_)))
    }

    /// Returns the parser's requests, except those that rules look at what ended.
    pub(crate) fn wishes(&self) -> Vec<Request> {
        let wishes = self.requests.iter().filter(|wish| !matches!(wish, Request::InspectStream(_)));
        wishes.cloned().collect()
    }

    /// Directions of the requests that rules look at the stream.
    pub(crate) fn inspected(&self) -> Vec<Direction> {
        let direction = |request: &Request| match request {
            Request::InspectStream(direction) => Some(*direction),
            _ => None,
        };
        self.requests.iter().filter_map(direction).collect()
    }

    /// A transaction.
    pub(crate) fn transaction(&self, id: u64) -> &dyn Transaction {
        self.parser.transaction(id).unwrap()
    }

    /// A transaction, by its own type.
    pub(crate) fn tx<T: Transaction>(&self, id: u64) -> &T {
        downcast(self.transaction(id)).unwrap()
    }

    /// The numbers of those that will not change any more, in the order of their records.
    pub(crate) fn in_order(&self) -> &[u64] {
        &self.in_order
    }

    /// The numbers of all transactions.
    pub(crate) fn ids(&self) -> Vec<u64> {
        (0..self.parser.created()).filter(|&id| self.parser.transaction(id).is_some()).collect()
    }

    /// Returns the names of a transaction's anomalies.
    pub(crate) fn anomalies(&self, id: u64) -> Vec<&'static str> {
        let names = self.parser.protocol().anomalies;
        self.transaction(id).meta().anomalies.iter().map(|anomaly| names[usize::from(anomaly.0)]).collect()
    }

    /// Returns a transaction's progress to the server, and to the client.
    pub(crate) fn progress(&self, id: u64) -> (Progress, Progress) {
        let progress = self.transaction(id).meta().progress;
        (progress.to_server, progress.to_client)
    }

    /// Both directions of a transaction are complete.
    pub(crate) fn is_complete(&self, id: u64) -> bool {
        is_complete(self.transaction(id), self.parser.protocol())
    }

    /// The values of a field as text.
    pub(crate) fn values(&self, id: u64, name: &str, direction: Direction) -> Vec<String> {
        values(self.parser.protocol(), self.transaction(id), name, direction)
    }

    /// The EVE record as text: the event's object, and what stands beside it. None where nothing is logged.
    pub(crate) fn record(&self, id: u64, options: &dyn Options) -> Option<String> {
        let log = self.parser.protocol().eve?;
        let writer = (log.configure)(options);
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        json.object(log.key);
        let wrote = writer.write(self.transaction(id), &self.endpoints, &mut json);
        json.close_object();
        writer.write_beside(self.transaction(id), &mut json);
        json.close_object();
        (wrote && writer.logs(self.transaction(id))).then(|| sound(String::from_utf8(out).unwrap(), log.key))
    }

    /// The event's object of the EVE record.
    pub(crate) fn eve(&self, id: u64, options: &dyn Options) -> Option<Value> {
        let record: Value = serde_json::from_str(&self.record(id, options)?).unwrap();
        Some(record[self.parser.protocol().eve?.key].clone())
    }

    /// Takes note of the transactions that will not change any more, and tells Zeek's logger of all: of those once.
    fn tell_zeek(&mut self, last: bool) {
        let protocol = self.parser.protocol();
        let live = (0..self.parser.created()).filter_map(|id| self.parser.transaction(id));
        let mut open: Vec<_> = live.filter(|live| !self.ended.contains(&live.meta().id)).collect();
        open.sort_by_key(|transaction| transaction.meta().advanced_at);
        for transaction in open {
            let ended = last || is_complete(transaction, protocol) && !transaction.may_change();
            if ended {
                self.ended.insert(transaction.meta().id);
                self.in_order.push(transaction.meta().id);
            }
            if let Some(logger) = &mut self.logger {
                logger.transaction(News { transaction, complete: ended }, &mut self.rows);
            }
        }
    }

    /// The connection's end, and all that Zeek's logger wrote.
    pub(crate) fn zeek(&mut self) -> &Rows {
        self.tell_zeek(true);
        if let Some(mut logger) = self.logger.take() {
            logger.end(&mut self.rows);
        }
        self.rows.finish();
        &self.rows
    }

    /// Everything that rules and records see, as text.
    pub(crate) fn summary(&mut self) -> String {
        let mut text = format!("{:?}\n", self.wishes());
        for id in self.ids() {
            let meta = self.transaction(id).meta();
            writeln!(text, "{id} {:?} {:?}", meta.progress, self.anomalies(id)).unwrap();
            writeln!(text, "{:?}", self.record(id, &NoOptions)).unwrap();
            for file in &meta.files {
                let shown = (&file.name, file.state, file.size, file.content.bytes());
                writeln!(text, "{shown:?}").unwrap();
            }
            for field in self.parser.protocol().fields {
                for direction in Direction::BOTH {
                    let values = self.values(id, field.name, direction);
                    writeln!(text, "{} {direction:?}: {values:?}", field.name).unwrap();
                }
            }
        }
        let rows = self.zeek().lines.join("\n");
        format!("{text}in the order of {:?}\n{rows}", self.in_order)
    }
}

/// Whether both directions of a transaction have reached the protocol's last state.
fn is_complete(transaction: &dyn Transaction, protocol: &Protocol) -> bool {
    let meta = transaction.meta();
    Direction::BOTH.into_iter().all(|direction| {
        meta.only.is_some_and(|only| only != direction)
            || meta.progress[direction] >= protocol.complete(direction)
    })
}
