//! Cuts streams into messages and puts answers to what they answer.
//!
//! A message is waited for until it is whole; one that is too long is passed over as it comes.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, Step, TransactionList, Waiting, WaitingLimits,
    factory, in_steps,
};
use weir_base::{Direction, PerDirection};

use super::MQTT;
use super::anomaly::MqttAnomaly;
use super::content::{Content, Payload};
use super::frame;
use super::header::{Header, NoHeader, kind};
use super::settings::Settings;
use super::transaction::{Key, Message, MqttTransaction};

/// Most bytes of transactions of a flow that wait for an answer; beyond them the oldest one waits no more.
pub const MAX_HELD: usize = 4 << 20;

/// The version that Zeek reads all others as.
const WITHOUT_PROPERTIES: u8 = 4;

/// Reads `app-layer.protocols.mqtt`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(MqttParser {
            settings,
            version: 0,
            connected: false,
            skip: PerDirection::default(),
            waiting: Waiting::new(WaitingLimits {
                transactions: settings.max_transactions,
                bytes: MAX_HELD,
                anomaly: MqttAnomaly::TooManyTransactions.into(),
            }),
            messages: 0,
            transactions: TransactionList::default(),
        })
    })
}

/// One connection.
#[derive(Debug)]
pub struct MqttParser {
    settings: Settings,
    /// The version that the client speaks.
    version: u8,
    /// The server took the client.
    connected: bool,
    /// Bytes of a message that are passed over.
    skip: PerDirection<usize>,
    /// Transactions that wait for an answer.
    waiting: Waiting<Key>,
    /// Number of messages.
    messages: u64,
    transactions: TransactionList<MqttTransaction>,
}

impl Parser for MqttParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        in_steps(bytes, |rest, position| {
            let step = self.step(cx, direction, rest, position);
            if step == Step::Malformed {
                self.malformed(cx, direction, position);
            }
            step
        })
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        for transaction in self.transactions.iter_mut() {
            if transaction.waits && transaction.meta.only == Some(direction) {
                self.waiting.end(transaction);
            }
        }
    }

    fn held(&self) -> usize {
        self.waiting.memory()
    }

    weir_applayer::parser_transactions!(&MQTT);
}

impl MqttParser {
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
        let header = match Header::read(rest) {
            Ok(header) => header,
            Err(NoHeader::Short) => return Step::Needed(rest.len() + 1),
            Err(NoHeader::Malformed) => return Step::Malformed,
        };
        let length = header.length();
        if header.remaining as usize > self.settings.max_message {
            frame::report_skipped(cx, direction, &header, position);
            *skip = length;
            self.take(cx, direction, header, Payload::truncated(), (position, position));
            return Step::Taken(0);
        }
        let Some(body) = rest.get(usize::from(header.size)..length) else { return Step::Needed(length) };
        let version = if cx.reads_as_zeek() { WITHOUT_PROPERTIES } else { self.version };
        let Some(payload) = Payload::read(&header, version, cx.reads_as_zeek(), body) else {
            return Step::Malformed;
        };
        frame::report(cx, direction, &header, position);
        self.take(cx, direction, header, payload, (position, position + length - 1));
        Step::Taken(length)
    }

    /// A message whose first and last bytes stand at these places of the push.
    fn take(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: Header,
        payload: Payload,
        (first, last): (usize, usize),
    ) {
        let is_answer = matches!(
            header.kind,
            kind::CONNACK
                | kind::PUBACK
                | kind::PUBREC
                | kind::PUBREL
                | kind::PUBCOMP
                | kind::SUBACK
                | kind::UNSUBACK
        );
        let begun = cx.arrival(first);
        let message = Message { header, payload, direction, time: cx.arrival(last), number: self.messages };
        self.messages += 1;
        cx.request(Request::InspectStream(direction));
        let is_read = message.payload.content != Content::Truncated;
        let message = if is_answer && is_read { self.answer(message) } else { Some(message) };
        let Some(message) = message else { return };
        let mut transaction = self.begin(&message);
        let time = message.time;
        transaction.messages.push(message);
        if let Some(transaction) = self.waiting.begin(&mut self.transactions, transaction) {
            transaction.meta.seen(direction, begun);
            transaction.meta.seen(direction, time);
        }
    }

    /// Puts an answer to what it answers; gives it back where there is nothing.
    fn answer(&mut self, message: Message) -> Option<Message> {
        let key = message.payload.id().map_or(Key::Connect, Key::Packet);
        let Some(id) = self.waiting.find(&self.transactions, key) else { return Some(message) };
        let is_last = !matches!(message.header.kind, kind::PUBREC | kind::PUBREL);
        self.connected |= message.header.kind == kind::CONNACK;
        let most = self.settings.max_messages;
        self.waiting.answer(&mut self.transactions, id, |transaction| {
            transaction.meta.seen(message.direction, message.time);
            transaction.messages.push(message);
            let is_full = !is_last && transaction.messages.len() >= most;
            if is_full {
                transaction.note(MqttAnomaly::TooManyMessages);
            }
            is_last || is_full
        });
        None
    }

    /// The transaction that a message begins.
    fn begin(&mut self, message: &Message) -> MqttTransaction {
        let mut transaction = MqttTransaction { limits: self.settings.topics, ..MqttTransaction::default() };
        transaction.meta.only = Some(message.direction);
        let mut introduced = self.connected;
        match (message.header.kind, &message.payload.content) {
            (_, Content::Truncated) => introduced = true,
            (_, Content::Connect(connect)) => {
                self.version = connect.version;
                transaction.key = Some(Key::Connect);
                transaction.waits = true;
                introduced = true;
                if self.connected {
                    transaction.note(MqttAnomaly::DoubleConnect);
                }
            }
            (kind::PUBLISH | kind::SUBSCRIBE | kind::UNSUBSCRIBE, _) => match message.header.qos() {
                0 => {}
                1 | 2 => {
                    transaction.key = message.payload.id().map(Key::Packet);
                    transaction.waits = true;
                }
                _ => {
                    transaction.waits = true;
                    transaction.note(MqttAnomaly::InvalidQosLevel);
                }
            },
            (kind::CONNACK, _) => {
                introduced = true;
                transaction.note(MqttAnomaly::MissingConnect);
            }
            (kind::PUBACK | kind::PUBREC | kind::PUBREL | kind::PUBCOMP, _) => {
                transaction.note(MqttAnomaly::MissingPublish);
            }
            (kind::SUBACK, _) => transaction.note(MqttAnomaly::MissingSubscribe),
            (kind::UNSUBACK, _) => transaction.note(MqttAnomaly::MissingUnsubscribe),
            (kind::UNASSIGNED, _) => {
                introduced = true;
                transaction.note(MqttAnomaly::UnassignedMsgType);
            }
            _ => {}
        }
        if !introduced {
            transaction.note(MqttAnomaly::UnintroducedMessage);
        }
        transaction.version = self.version;
        transaction
    }

    /// Bytes that make no sense, which stand there: a transaction of nothing says so.
    fn malformed(&mut self, cx: &ParseContext<'_>, direction: Direction, position: usize) {
        let mut transaction = MqttTransaction { version: self.version, ..MqttTransaction::default() };
        transaction.meta.only = Some(direction);
        transaction.note(MqttAnomaly::MalformedTraffic);
        if let Some(transaction) = self.waiting.begin(&mut self.transactions, transaction) {
            transaction.meta.seen(direction, cx.arrival(position));
        }
    }
}
