//! Zeek's `mqtt_connect`, `mqtt_subscribe` and `mqtt_publish` logs.
//!
//! A row is written with the answer that it waits for, or at the end of the connection. One that got none for
//! [`PATIENCE`] is written when [`TICK`] is over the next time, as Zeek's tables forget it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use weir_applayer::zeek::News;
use weir_applayer::zeek::column::Vector;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::{Direction, Duration, Timestamp};

use super::MQTT;
use super::content::Content;
use super::events::{EVENTS, MOST_SHOWN, PAYLOAD_SHOWN};
use super::header::kind;
use super::transaction::{Message, MqttTransaction};

zeek_stream! {
    static CONNECT: "mqtt_connect" of a connection;
    struct ConnectRow {
        proto_name: Text,
        proto_version: Text,
        client_id: Text,
        connect_status: Text,
        will_topic: Text,
        will_payload: Text,
    }
}

zeek_stream! {
    static SUBSCRIBE: "mqtt_subscribe" of a connection;
    struct SubscribeRow {
        action: Enum,
        topics: Vector<Text>,
        qos_levels: Vector<Count>,
        granted_qos_level: Count,
        ack: Bool,
    }
}

zeek_stream! {
    static PUBLISH: "mqtt_publish" of a connection;
    struct PublishRow {
        from_client: Bool,
        retain: Bool,
        qos: Text,
        status: Text,
        topic: Text,
        payload: Text,
        payload_len: Count,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&CONNECT, &SUBSCRIBE, &PUBLISH], |_| Box::<MqttLogger>::default())
};

/// Time for which a row waits for an answer.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Interval of looking for rows that have waited.
pub const TICK: Duration = Duration::from_secs(10);

/// Most topics of a row.
const MAX_TOPICS: usize = 1024;

/// Most bytes of rows that wait for answers; beyond them all are written as they are.
pub const MAX_HELD: usize = 1 << 20;

/// Bytes of a row or a topic beside its texts, about.
const ROW: usize = 64;

/// Session as the client opened it.
#[derive(Debug, Default)]
struct Session {
    time: Timestamp,
    protocol: Option<Vec<u8>>,
    version: u8,
    client: Vec<u8>,
    will: Option<(Vec<u8>, Vec<u8>)>,
}

/// Something published.
#[derive(Debug)]
struct Published {
    time: Timestamp,
    from_client: bool,
    retain: bool,
    qos: u8,
    received: bool,
    released: bool,
    topic: Vec<u8>,
    payload: Vec<u8>,
    length: usize,
}

/// Topics that a client subscribes to, or unsubscribes from.
#[derive(Debug)]
struct Subscribed {
    time: Timestamp,
    topics: Vec<Vec<u8>>,
    /// None where it is no longer.
    qos: Option<Vec<u8>>,
}

/// A row that waits.
enum Waiting {
    Published(Published),
    Subscribed(Subscribed),
}

/// Follows one connection.
#[derive(Debug, Default)]
struct MqttLogger {
    session: Option<Session>,
    /// Messages that wait for an answer, by packet identifier.
    published: BTreeMap<u16, Published>,
    subscribed: BTreeMap<u16, Subscribed>,
    /// Bytes of those rows.
    held: usize,
    /// When it is looked for rows that have waited.
    due: Option<Timestamp>,
    /// Messages logged of transactions that wait for more.
    told: BTreeMap<u64, usize>,
    /// The number of the message that is to be looked at next.
    next: u64,
    /// Answers before which other messages of the same packet came, by their numbers: no more than there are
    /// transactions that wait, each with its few answers.
    early: BTreeMap<u64, Answer>,
}

/// Answer to a message.
#[derive(Clone, Copy, Debug)]
struct Answer {
    time: Timestamp,
    kind: u8,
    id: Option<u16>,
    /// Reason code, or the first of those granted.
    code: Option<u8>,
}

impl Answer {
    /// None where the message is no answer.
    fn of(message: &Message) -> Option<Self> {
        let Message { header, payload, time, .. } = message;
        let (id, code) = match payload.content {
            Content::Connack { return_code, .. } => (None, Some(return_code)),
            Content::Acknowledgement { id, .. } => (Some(id), None),
            Content::Granted { id, codes } => {
                let first = payload.bytes(codes).first().copied();
                (Some(id), first.filter(|_| header.kind == kind::SUBACK))
            }
            _ => return None,
        };
        Some(Self { time: *time, kind: header.kind, id, code })
    }
}

impl ZeekLogger for MqttLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<MqttTransaction>() else { return };
        let told = self.told.remove(&tx.meta.id).unwrap_or_default();
        for message in tx.messages.iter().skip(told) {
            self.in_turn(message, sink);
        }
        if !news.complete {
            self.told.insert(tx.meta.id, tx.messages.len());
        }
    }

    fn held(&self) -> usize {
        let rows =
            self.published.len() * size_of::<Published>() + self.subscribed.len() * size_of::<Subscribed>();
        self.held + rows + self.early.len() * size_of::<(u64, Answer)>()
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.answers_before(u64::MAX, sink);
        self.give_up(|_| true, sink);
    }
}

impl MqttLogger {
    /// Looks at messages in the order in which they came. Transactions are given in the order in which they began, each
    /// with its answers: one of these waits for what came before it and begins others.
    fn in_turn(&mut self, message: &Message, sink: &mut dyn ZeekSink) {
        let answer = Answer::of(message).filter(|_| message.number > self.next);
        if let Some(answer) = answer {
            self.early.insert(message.number, answer);
            return;
        }
        self.answers_before(message.number, sink);
        self.forget(message.time, sink);
        match Answer::of(message) {
            Some(answer) => self.answer(&answer, sink),
            None => self.message(message, sink),
        }
        self.next = self.next.max(message.number.saturating_add(1));
        while let Some(answer) = self.early.remove(&self.next) {
            self.forget(answer.time, sink);
            self.answer(&answer, sink);
            self.next = self.next.saturating_add(1);
        }
    }

    /// Looks at the answers that wait and came before the message with this number.
    fn answers_before(&mut self, number: u64, sink: &mut dyn ZeekSink) {
        while let Some(first) = self.early.first_entry().filter(|first| *first.key() < number) {
            let answer = first.remove();
            self.forget(answer.time, sink);
            self.answer(&answer, sink);
        }
    }

    /// Writes what has waited too long by `now`.
    fn forget(&mut self, now: Timestamp, sink: &mut dyn ZeekSink) {
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        self.due = Some(now.plus(TICK));
        self.give_up(|time| time.plus(PATIENCE) < now, sink);
    }

    /// Writes what waits since a time that `is_late`.
    fn give_up(&mut self, is_late: impl Fn(Timestamp) -> bool, sink: &mut dyn ZeekSink) {
        self.published.retain(|_, row| {
            let late = is_late(row.time);
            if late {
                self.held = self.held.saturating_sub(row.size());
                row.write(false, sink);
            }
            !late
        });
        self.subscribed.retain(|_, row| {
            let late = is_late(row.time);
            if late {
                self.held = self.held.saturating_sub(row.size());
                row.write(None, false, sink);
            }
            !late
        });
    }

    /// A row waits for its answer. Where too much does, nothing waits any more.
    fn waits(&mut self, id: u16, row: Waiting, sink: &mut dyn ZeekSink) {
        let (new, old) = match row {
            Waiting::Published(row) => (row.size(), self.published.insert(id, row).map(|old| old.size())),
            Waiting::Subscribed(row) => (row.size(), self.subscribed.insert(id, row).map(|old| old.size())),
        };
        self.held = (self.held + new).saturating_sub(old.unwrap_or_default());
        if self.held > MAX_HELD {
            self.give_up(|_| true, sink);
        }
    }

    fn message(&mut self, message: &Message, sink: &mut dyn ZeekSink) {
        let Message { payload, time, .. } = message;
        match &payload.content {
            Content::Connect(connect) => {
                sink.service(MQTT.zeek_service);
                let session = self.session_at(*time);
                session.protocol = Some(payload.bytes(connect.protocol).to_vec());
                session.version = connect.version;
                session.client = payload.bytes(connect.client).to_vec();
                if let Some(will) = connect.will {
                    let (topic, message) = (payload.bytes(will.topic), payload.bytes(will.message));
                    session.will = Some((topic.to_vec(), message.to_vec()));
                }
            }
            Content::Publish { .. } => {
                sink.service(MQTT.zeek_service);
                self.session_at(*time);
                self.publish(message, sink);
            }
            Content::Subscribe { id, topics, .. } => {
                self.session_at(*time);
                let topics = topics.iter().take(MAX_TOPICS);
                let (topics, qos) =
                    topics.map(|found| (payload.bytes(found.topic).to_vec(), found.qos)).unzip();
                let row = Waiting::Subscribed(Subscribed { time: *time, topics, qos: Some(qos) });
                self.waits(*id, row, sink);
            }
            Content::Unsubscribe { id, topics } => {
                self.session_at(*time);
                let topics = topics.iter().take(MAX_TOPICS);
                let topics = topics.map(|topic| payload.bytes(*topic).to_vec()).collect();
                let row = Waiting::Subscribed(Subscribed { time: *time, topics, qos: None });
                self.waits(*id, row, sink);
            }
            // Answers are looked at by themselves.
            Content::Connack { .. } | Content::Acknowledgement { .. } | Content::Granted { .. } => {}
            Content::Reason { .. } | Content::Nothing | Content::Truncated => {}
        }
    }

    fn answer(&mut self, answer: &Answer, sink: &mut dyn ZeekSink) {
        let session = self.session_at(answer.time);
        match (answer.kind, answer.id) {
            (kind::CONNACK, _) => session.write(answer.code.unwrap_or_default(), sink),
            (kind::SUBACK | kind::UNSUBACK, Some(id)) => {
                if let Some(row) = self.subscribed.remove(&id) {
                    self.held = self.held.saturating_sub(row.size());
                    row.write(answer.code, true, sink);
                }
            }
            (kind, Some(id)) => self.acknowledged(kind, id, sink),
            (_, None) => {}
        }
    }

    /// Returns the client's session, begun where there was none.
    fn session_at(&mut self, time: Timestamp) -> &mut Session {
        self.due.get_or_insert(time.plus(TICK));
        self.session.get_or_insert_with(|| Session { time, ..Session::default() })
    }

    fn publish(&mut self, message: &Message, sink: &mut dyn ZeekSink) {
        let Message { header, payload, direction, time, .. } = message;
        let Content::Publish { topic, id, message, .. } = payload.content else { return };
        let published = payload.bytes(message);
        let set = sink.settings().and_then(|settings| settings.count(MOST_SHOWN));
        let most = usize::try_from(set.unwrap_or(PAYLOAD_SHOWN)).unwrap_or(usize::MAX);
        let shown = published.get(..most).unwrap_or(published);
        let row = Published {
            time: *time,
            from_client: *direction == Direction::ToServer,
            retain: header.retain(),
            qos: header.qos(),
            received: false,
            released: false,
            topic: payload.bytes(topic).to_vec(),
            payload: shown.to_vec(),
            length: published.len(),
        };
        match id {
            None => row.write(true, sink),
            Some(id) => self.waits(id, Waiting::Published(row), sink),
        }
    }

    fn acknowledged(&mut self, kind: u8, id: u16, sink: &mut dyn ZeekSink) {
        let Some(row) = self.published.get_mut(&id) else { return };
        let is_done = match kind {
            kind::PUBACK => row.qos == 1,
            kind::PUBREC => {
                row.received = true;
                false
            }
            kind::PUBREL => {
                row.released = true;
                false
            }
            _ => row.qos == 2 && row.received && row.released,
        };
        if is_done && let Some(row) = self.published.remove(&id) {
            self.held = self.held.saturating_sub(row.size());
            row.write(true, sink);
        }
    }
}

impl Session {
    fn write(&self, return_code: u8, sink: &mut dyn ZeekSink) {
        let said = self.protocol.is_some();
        let version = name_of(VERSIONS, self.version, "version");
        let status = name_of(RETURN_CODES, return_code, "return-code");
        let row = ConnectRow {
            proto_name: self.protocol.as_deref().into(),
            proto_version: said.then_some(&*version).into(),
            client_id: said.then_some(&self.client).into(),
            connect_status: (&*status).into(),
            will_topic: self.will.as_ref().map(|(topic, _)| topic).into(),
            will_payload: self.will.as_ref().map(|(_, message)| message).into(),
        };
        sink.row(&CONNECT, self.time, &row.values());
    }
}

impl Published {
    const fn size(&self) -> usize {
        ROW + self.topic.len() + self.payload.len()
    }

    fn write(&self, is_done: bool, sink: &mut dyn ZeekSink) {
        let qos = name_of(QOS_LEVELS, self.qos, "qos-level");
        let status = if is_done { "ok" } else { "incomplete_qos" };
        let row = PublishRow {
            from_client: self.from_client.into(),
            retain: self.retain.into(),
            qos: (&*qos).into(),
            status: status.into(),
            topic: (&self.topic).into(),
            payload: (&self.payload).into(),
            payload_len: self.length.into(),
        };
        sink.row(&PUBLISH, self.time, &row.values());
    }
}

impl Subscribed {
    fn size(&self) -> usize {
        ROW + self.topics.iter().map(|topic| ROW + topic.len()).sum::<usize>()
    }

    fn write(&self, granted: Option<u8>, answered: bool, sink: &mut dyn ZeekSink) {
        let action = if self.qos.is_some() { "MQTT::SUBSCRIBE" } else { "MQTT::UNSUBSCRIBE" };
        let topics = ZeekValue::texts(&self.topics);
        let levels = self.qos.as_ref().map(|levels| -> Vec<_> {
            levels.iter().map(|level| ZeekValue::Count(u64::from(*level))).collect()
        });
        let row = SubscribeRow {
            action: action.into(),
            topics: Vector::even_if_empty(&topics),
            qos_levels: levels.as_deref().map_or(Vector::UNSET, Vector::even_if_empty),
            granted_qos_level: granted.into(),
            ack: answered.into(),
        };
        sink.row(&SUBSCRIBE, self.time, &row.values());
    }
}

const VERSIONS: &[(u8, &str)] = &[(3, "3.1"), (4, "3.1.1"), (5, "5.0")];

const QOS_LEVELS: &[(u8, &str)] = &[(0, "at most once"), (1, "at least once"), (2, "exactly once")];

const RETURN_CODES: &[(u8, &str)] = &[
    (0, "Connection Accepted"),
    (1, "Refused: unacceptable protocol version"),
    (2, "Refused: identifier rejected"),
    (3, "Refused: server unavailable"),
    (4, "Refused: bad user name or password"),
    (5, "Refused: not authorized"),
];

/// Zeek's name of a number.
fn name_of(names: &[(u8, &'static str)], number: u8, of: &str) -> Cow<'static, str> {
    let found = names.iter().find(|(known, _)| *known == number);
    found.map_or_else(|| format!("unknown-{of}-{number}").into(), |(_, name)| (*name).into())
}
