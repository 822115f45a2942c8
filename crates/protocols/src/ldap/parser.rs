//! Cuts streams and datagrams into messages and puts answers to what they answer.
//!
//! A message is waited for until it is whole; one that is too long is passed over as it comes. After a gap a
//! message has to begin.

use weir_applayer::{
    Early, Factory, FrameKind, Heard, Options, Outcome, ParseContext, Parser, Request, Step, TransactionList,
    Transport, TxMeta, Waiting, WaitingLimits, factory,
};
use weir_base::{Direction, PerDirection, Timestamp};

use super::anomaly::LdapAnomaly;
use super::content::{Authentication, Content};
use super::message::{Extent, MAX_MESSAGE, Message, extent};
use super::names::operation;
use super::sasl::{Layer, Token};
use super::transaction::{LdapTransaction, outcome};
use super::{LDAP, events};

/// Kinds of frames.
pub const FRAMES: &[&str] = &["pdu"];

const PDU: FrameKind = FrameKind(0);

/// Most transactions of a flow that wait for an answer, where nothing is said.
const MAX_TRANSACTIONS: usize = 1024;

/// Most bytes of transactions of a flow that wait for an answer; beyond them the oldest one waits no more.
pub const MAX_HELD: usize = 4 << 20;

/// Answers of a request that are none too many, where nothing is said.
const MANY_RESPONSES: usize = 1024;

/// Most bytes of a message that scripts are told of.
const MAX_TOLD: usize = 1 << 16;

/// The name of the operation that begins TLS (RFC 4511 4.14).
pub const START_TLS: &[u8] = b"1.3.6.1.4.1.1466.20037";

/// Reads `app-layer.protocols.ldap`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let number = |path: &str, default: usize| {
        options.text(path).map_or(default, |text| {
            text.trim().parse().unwrap_or_else(|_| {
                options.complain(path, &format!("Invalid value for ldap.{path}, the default is used"));
                default
            })
        })
    };
    let (max_transactions, max_responses) =
        (number("max-tx", MAX_TRANSACTIONS), number("max-responses", MANY_RESPONSES));
    factory(move |_| {
        Box::new(LdapParser {
            transactions: TransactionList::default(),
            waiting: Waiting::new(WaitingLimits {
                transactions: max_transactions,
                bytes: MAX_HELD,
                anomaly: LdapAnomaly::TooManyTransactions.into(),
            }),
            max_responses,
            datagrams: 0,
            skip: PerDirection::default(),
            lost: PerDirection::default(),
            start_tls: false,
            tls_agreed: false,
            mechanism: Vec::new(),
            layer: Layer::Plain,
            is_wrapped: false,
            heard: Heard::default(),
        })
    })
}

/// One conversation.
#[derive(Debug)]
pub struct LdapParser {
    transactions: TransactionList<LdapTransaction>,
    /// Requests that wait for an answer, by number.
    waiting: Waiting<u32>,
    /// Most answers of a request.
    max_responses: usize,
    /// Datagrams of the server's so far.
    datagrams: u64,
    /// Bytes that are passed over.
    skip: PerDirection<usize>,
    /// Bytes are missing: where the next message begins is to be seen.
    lost: PerDirection<bool>,
    /// The client wants to begin TLS.
    start_tls: bool,
    /// The server agreed: TLS comes next.
    tls_agreed: bool,
    /// SASL mechanism of the client's authentication.
    mechanism: Vec<u8>,
    /// Security layer of messages.
    layer: Layer,
    /// Messages read now were wrapped: they are for Zeek's logs alone.
    is_wrapped: bool,
    /// Messages that scripts have not taken.
    heard: Heard,
}

impl Parser for LdapParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let outcome = self.messages(cx, direction, bytes);
        if cx.endpoints.transport == Transport::Udp && direction == Direction::ToClient {
            self.datagrams += 1;
        }
        outcome
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let skip = &mut self.skip[direction];
        let missing = usize::try_from(length).unwrap_or(usize::MAX);
        self.lost[direction] |= missing > *skip;
        *skip = skip.saturating_sub(missing);
        Outcome::Ok
    }

    fn fork(&mut self, _: Direction, early: Early) -> Option<Box<dyn Parser>> {
        (early == Early::Depth).then(|| Box::new(self.forked()) as Box<dyn Parser>)
    }

    fn held(&self) -> usize {
        self.waiting.memory() + self.mechanism.capacity()
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.heard)
    }

    weir_applayer::parser_transactions!(&LDAP);
}

impl LdapParser {
    /// Takes the messages of a push.
    fn messages(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let is_datagram = cx.endpoints.transport == Transport::Udp;
        let is_request = direction == Direction::ToServer;
        if is_datagram && is_request {
            cx.frame(direction, PDU, 0, bytes.len());
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            // With the first byte of it, so that the last answer is recorded with the packet that brings it.
            if self.tls_agreed {
                cx.request(Request::Upgrade(Some("tls")));
                return Outcome::Incomplete { consumed: position, needed: 0 };
            }
            match self.step(cx, direction, rest, position) {
                // A datagram is one request.
                Step::Taken(_) if is_datagram && is_request => return Outcome::Ok,
                Step::Taken(count) => position += count,
                Step::Over(count) => {
                    self.tls_agreed = true;
                    position += count;
                }
                Step::Needed(_) if is_datagram => {
                    self.note(LdapAnomaly::IncompleteData);
                    return Outcome::Refused;
                }
                Step::Needed(_) if self.lost[direction] => return Outcome::Error,
                Step::Needed(needed) => return Outcome::Incomplete { consumed: position, needed },
                Step::Malformed => {
                    if is_datagram || !self.lost[direction] {
                        self.note(LdapAnomaly::InvalidData);
                    }
                    return if is_datagram { Outcome::Refused } else { Outcome::Error };
                }
            }
        }
        Outcome::Ok
    }

    /// Takes what `rest` begins with, which stands at `position` of the push.
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let skip = &mut self.skip[direction];
        if *skip > 0 {
            let count = rest.len().min(*skip);
            *skip -= count;
            return Step::Taken(count);
        }
        match self.layer.decide(&self.mechanism, rest) {
            Some(Layer::Plain) => (self.layer, self.is_wrapped) = (Layer::Plain, false),
            Some(layer) if cx.reads_as_zeek() => {
                self.layer = layer;
                return self.token(cx, direction, rest, position);
            }
            None if cx.reads_as_zeek() => return Step::Needed(rest.len() + 1),
            _ => self.fork_at(cx, position),
        }
        let length = match extent(rest) {
            Extent::Short => return Step::Needed(rest.len() + 1),
            Extent::Malformed => return Step::Malformed,
            Extent::Of(length) => length,
        };
        if length > MAX_MESSAGE && !self.lost[direction] {
            self.note(LdapAnomaly::IncompleteData);
            self.skip[direction] = length;
            return Step::Taken(0);
        }
        let Some(whole) = rest.get(..length) else { return Step::Needed(length) };
        let Some(message) = Message::read(whole, cx.reads_as_zeek()) else {
            self.fork_at(cx, position);
            return Step::Malformed;
        };
        self.lost[direction] = false;
        let tls_follows = self.take(cx, direction, message, (position, length));
        self.tell(cx, direction, whole, (position + length, tls_follows));
        if tls_follows { Step::Over(length) } else { Step::Taken(length) }
    }

    /// Zeek reads what follows, and is lenient with what is malformed.
    fn fork_at(&mut self, cx: &mut ParseContext<'_>, position: usize) {
        if cx.may_fork() {
            let parser = self.forked();
            cx.fork(position, Box::new(parser));
        }
    }

    fn forked(&mut self) -> Self {
        Self {
            transactions: self.transactions.fork(LdapTransaction::fork),
            waiting: self.waiting.clone(),
            mechanism: self.mechanism.clone(),
            heard: std::mem::take(&mut self.heard),
            ..*self
        }
    }

    /// Takes messages that are wrapped.
    fn token(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        match self.layer.token(rest, MAX_MESSAGE) {
            Token::Needed(needed) => Step::Needed(needed.max(rest.len() + 1)),
            Token::Opaque(length) => {
                self.skip[direction] = length;
                Step::Taken(0)
            }
            Token::Messages(length, place) => {
                if rest.len() < length {
                    return Step::Needed(length);
                }
                self.is_wrapped = true;
                let mut inner = place.clone();
                while let Some(bytes) = rest.get(inner.clone()).filter(|bytes| !bytes.is_empty()) {
                    let Extent::Of(count) = extent(bytes) else { return Step::Malformed };
                    let Some(whole) = bytes.get(..count) else { return Step::Malformed };
                    let Some(message) = Message::read_for_logs(whole) else { return Step::Malformed };
                    self.take(cx, direction, message, (position + inner.start, count));
                    self.tell(cx, direction, whole, (position + length, false));
                    inner.start += count;
                }
                Step::Taken(length)
            }
        }
    }

    /// Keeps a message, or its beginning, that ends there in the push, for scripts; TLS may begin behind it.
    fn tell(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        message: &[u8],
        (end, tls_follows): (usize, bool),
    ) {
        if cx.files.messages && cx.tells_zeek() {
            let time = cx.arrival(end.saturating_sub(1));
            let kind = if tls_follows { events::BEFORE_TLS } else { 0 };
            self.heard.note(true, direction, time, kind, message.get(..MAX_TOLD).unwrap_or(message));
        }
    }

    /// A message that begins at a position of the push and has this length. Answers whether TLS follows.
    fn take(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        message: Message,
        (position, length): (usize, usize),
    ) -> bool {
        let begun = cx.arrival(position);
        let ended = cx.arrival((position + length).saturating_sub(1));
        let mut tls_follows = false;
        let id = if direction == Direction::ToServer {
            self.client_says(&message);
            self.request(message, begun, ended)
        } else {
            tls_follows = self.server_says(cx, &message);
            self.response(message, begun, ended)
        };
        if cx.endpoints.transport == Transport::Tcp {
            cx.request(Request::InspectStream(direction));
        }
        if let Some(id) = id
            && (cx.endpoints.transport == Transport::Tcp || direction == Direction::ToClient)
        {
            let frame = cx.frame(direction, PDU, position, length);
            // Frames count transactions from one on.
            cx.frame_transaction(direction, frame, id + 1);
        }
        tls_follows
    }

    fn client_says(&mut self, message: &Message) {
        match message.content {
            Content::Extended { name: Some(name), .. } => self.start_tls |= message.at(name) == START_TLS,
            Content::Bind { authentication: Authentication::Sasl(mechanism, _), .. } => {
                let name = message.at(mechanism);
                self.mechanism = name.get(..MAX_MECHANISM).unwrap_or(name).to_vec();
            }
            _ => {}
        }
    }

    /// Whether what the server says means that TLS follows.
    fn server_says(&mut self, cx: &mut ParseContext<'_>, message: &Message) -> bool {
        if outcome(message).is_none_or(|outcome| outcome.code != SUCCESS) {
            return false;
        }
        if message.operation == operation::BIND_RESPONSE && !self.mechanism.is_empty() {
            self.layer = Layer::Undecided;
        }
        self.start_tls
            && message.operation == operation::EXTENDED_RESPONSE
            && cx.endpoints.transport == Transport::Tcp
    }

    /// A transaction of what is read now.
    fn transaction(&self) -> LdapTransaction {
        let meta = TxMeta { silent: self.is_wrapped, ..TxMeta::default() };
        LdapTransaction { meta, datagrams_before: self.datagrams, ..LdapTransaction::default() }
    }

    /// Adds a request. Answers the transaction's number, where there is room for one.
    fn request(&mut self, message: Message, begun: Timestamp, ended: Timestamp) -> Option<u64> {
        let waits = !matches!(message.operation, operation::UNBIND_REQUEST | operation::ABANDON_REQUEST);
        let size = message.len();
        let transaction =
            LdapTransaction { request: Some((message, ended)), waits, size, ..self.transaction() };
        let transaction = self.waiting.begin(&mut self.transactions, transaction)?;
        transaction.meta.seen(Direction::ToServer, begun);
        transaction.meta.seen(Direction::ToServer, ended);
        Some(transaction.meta.id)
    }

    /// Adds an answer. Answers the transaction's number, where there is room for one.
    fn response(&mut self, message: Message, begun: Timestamp, ended: Timestamp) -> Option<u64> {
        let is_last = operation::is_result(message.operation);
        let most = self.max_responses;
        let Some(id) = self.waiting.find(&self.transactions, message.id) else {
            let is_notice = message.operation == operation::EXTENDED_RESPONSE;
            let new = self.transaction();
            let transaction = self.waiting.begin(&mut self.transactions, new)?;
            if !is_notice && !transaction.meta.silent {
                transaction.note(LdapAnomaly::RequestNotFound);
            }
            answer(transaction, message, (begun, ended), most);
            return Some(transaction.meta.id);
        };
        let datagrams = self.datagrams;
        self.waiting.answer(&mut self.transactions, id, |transaction| {
            // Records and rules look at it with the server's next datagram alone.
            transaction.meta.silent |= transaction.datagrams_before < datagrams;
            answer(transaction, message, (begun, ended), most);
            is_last
        });
        Some(id)
    }

    /// Records an anomaly with the latest transaction, where there is one.
    fn note(&mut self, anomaly: LdapAnomaly) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.note(anomaly);
        }
    }
}

/// The code of a request that was done.
const SUCCESS: u32 = 0;

/// Bytes of a mechanism's name that are kept.
const MAX_MECHANISM: usize = 20;

/// Adds an answer, whose first and last bytes came at these times.
fn answer(
    transaction: &mut LdapTransaction,
    message: Message,
    (begun, ended): (Timestamp, Timestamp),
    most: usize,
) {
    transaction.meta.seen(Direction::ToClient, begun);
    transaction.meta.seen(Direction::ToClient, ended);
    transaction.answer(message, ended, most);
}
