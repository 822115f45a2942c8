//! Transactions: a side's request, and the messages that answer it.

use smallvec::SmallVec;
use weir_applayer::{Progress, TxMeta, Waits};
use weir_base::{Direction, Timestamp};

use super::anomaly::MqttAnomaly;
use super::content::{Connect, Content, Payload};
use super::header::Header;
use super::settings::TopicLimits;

/// No more answers will come.
pub const COMPLETE: Progress = Progress(1);

/// One message.
#[derive(Debug)]
pub struct Message {
    /// Its header.
    pub header: Header,
    /// Payload.
    pub payload: Payload,
    /// Direction.
    pub direction: Direction,
    /// When its end was captured.
    pub time: Timestamp,
    /// Its number among the messages of the connection, as they came.
    pub number: u64,
}

/// Key by which answers find their request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// There is one CONNECT.
    Connect,
    /// The number that a sender gave.
    Packet(u16),
}

/// One transaction.
#[derive(Debug, Default)]
pub struct MqttTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The messages, in order.
    pub messages: SmallVec<[Message; 1]>,
    /// The version that the client speaks; none where that was not seen.
    pub version: u8,
    /// Key by which answers find it.
    pub key: Option<Key>,
    /// It waits for an answer.
    pub waits: bool,
    /// Limits of the topics that rules look at.
    pub limits: TopicLimits,
}

weir_applayer::transaction!(MqttTransaction, |tx| Some(Waits::size(tx)));

impl Waits for MqttTransaction {
    type Key = Key;

    fn key(&self) -> Option<Key> {
        self.key
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn size(&self) -> usize {
        self.messages.iter().map(|message| message.payload.len()).sum()
    }

    fn end(&mut self) {
        self.waits = false;
        if let Some(direction) = self.meta.only {
            self.meta.advance(direction, COMPLETE);
        }
    }
}

impl MqttTransaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: MqttAnomaly) {
        self.meta.anomaly(anomaly.into());
    }

    /// The CONNECT, with its bytes.
    pub fn connect(&self) -> Option<(&Connect, &Payload)> {
        self.messages.iter().find_map(|message| match &message.payload.content {
            Content::Connect(connect) => Some((&**connect, &message.payload)),
            _ => None,
        })
    }

    /// Topic and message of a PUBLISH.
    pub fn publish(&self) -> Option<(&[u8], &[u8])> {
        self.messages.iter().find_map(|message| match message.payload.content {
            Content::Publish { topic, message: published, .. } => {
                Some((message.payload.bytes(topic), message.payload.bytes(published)))
            }
            _ => None,
        })
    }

    /// A topic that a SUBSCRIBE names.
    pub fn subscribed(&self, index: usize) -> Option<&[u8]> {
        self.messages.iter().find_map(|message| match &message.payload.content {
            Content::Subscribe { topics, .. } if index < self.limits.subscribe as usize => {
                topics.get(index).map(|subscription| message.payload.bytes(subscription.topic))
            }
            _ => None,
        })
    }

    /// A topic that an UNSUBSCRIBE names.
    pub fn unsubscribed(&self, index: usize) -> Option<&[u8]> {
        self.messages.iter().find_map(|message| match &message.payload.content {
            Content::Unsubscribe { topics, .. } if index < self.limits.unsubscribe as usize => {
                topics.get(index).map(|topic| message.payload.bytes(*topic))
            }
            _ => None,
        })
    }

    /// A reason that an answer gives.
    pub fn reason(&self, index: usize) -> Option<u8> {
        let mut reasons = self.messages.iter().flat_map(|message| message.payload.reasons());
        reasons.nth(index).copied()
    }

    /// Whether the server knows of a session before.
    pub fn session_present(&self) -> Option<bool> {
        self.messages.iter().find_map(|message| match message.payload.content {
            Content::Connack { session_present, .. } => Some(session_present),
            _ => None,
        })
    }
}
