//! A request, and the messages that answer it.

use weir_applayer::{Progress, TxMeta, Waits};
use weir_base::{Direction, Timestamp};

use super::anomaly::LdapAnomaly;
use super::content::{Attribute, Content, Outcome, Search};
use super::message::Message;
use crate::span::Span;

/// No more answers will come.
pub const COMPLETE: Progress = Progress(1);

/// Most answers of a request that are kept.
pub const MAX_RESPONSES: usize = 4096;

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// Message.
    pub message: Message,
    /// When its end was captured.
    pub time: Timestamp,
    /// Number of attributes in the answers before.
    attributes_before: usize,
}

/// One transaction.
#[derive(Debug, Default)]
pub struct LdapTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The request, and when its end was captured; none where there was none.
    pub request: Option<(Message, Timestamp)>,
    /// The answers, in order.
    pub responses: Vec<Response>,
    /// Datagrams of the server's that came before it.
    pub datagrams_before: u64,
    /// It waits for an answer.
    pub waits: bool,
    /// Bytes that its messages take.
    pub size: usize,
    /// Attributes of all answers together.
    pub attributes: usize,
}

weir_applayer::transaction!(LdapTransaction, |tx| Some(Waits::size(tx)));

impl LdapTransaction {
    /// Forks it for Zeek's logs alone, which another parser feeds from here on.
    pub fn fork(&mut self) -> Self {
        Self {
            meta: self.meta.fork(),
            request: self.request.clone(),
            responses: self.responses.clone(),
            ..*self
        }
    }
}

impl Waits for LdapTransaction {
    type Key = u32;

    fn key(&self) -> Option<u32> {
        self.request.as_ref().map(|(message, _)| message.id)
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn size(&self) -> usize {
        self.size
    }

    fn end(&mut self) {
        self.waits = false;
        for direction in Direction::BOTH {
            self.meta.advance(direction, COMPLETE);
        }
    }
}

impl LdapTransaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: LdapAnomaly) {
        self.meta.anomaly(anomaly.into());
    }

    /// Adds an answer, of which `most` are none too many. Beyond [`MAX_RESPONSES`] none is kept.
    pub fn answer(&mut self, message: Message, time: Timestamp, most: usize) {
        if self.responses.len() == most {
            self.note(LdapAnomaly::TooManyResponses);
        }
        if self.responses.len() >= MAX_RESPONSES {
            return;
        }
        self.size += message.len() + size_of::<Response>();
        let attributes_before = self.attributes;
        self.attributes += attributes(&message).len();
        self.responses.push(Response { message, time, attributes_before });
    }

    /// The object that the request is about.
    pub fn request_name(&self) -> Option<&[u8]> {
        let (message, _) = self.request.as_ref()?;
        Some(message.at(message.content.name()?))
    }

    /// The object that an answer is about; empty where it is about none.
    pub fn response_name(&self, index: usize) -> Option<&[u8]> {
        let message = &self.responses.get(index)?.message;
        let name = match &message.content {
            Content::Result { outcome, .. } => Some(outcome.matched),
            content => content.name(),
        };
        Some(name.map_or(&[], |name| message.at(name)))
    }

    /// Returns the diagnostic message of an answer; empty where it has none.
    pub fn response_text(&self, index: usize) -> Option<&[u8]> {
        let message = &self.responses.get(index)?.message;
        Some(outcome(message).map_or(&[], |outcome| message.at(outcome.message)))
    }

    /// Returns the result code of the request, by those of its answers that have one.
    pub fn result_code(&self, index: usize) -> Option<u32> {
        let mut outcomes = self.responses.iter().filter_map(|response| outcome(&response.message));
        outcomes.nth(index).map(|outcome| outcome.code)
    }

    /// The name of an attribute that the request is about.
    pub fn request_attribute(&self, index: usize) -> Option<&[u8]> {
        let (message, _) = self.request.as_ref()?;
        let name = match &message.content {
            Content::Search(search) => *search.attributes.get(index)?,
            Content::Modify { changes, .. } => changes.get(index)?.1.name,
            Content::Entry { attributes, .. } => attributes.get(index)?.name,
            Content::Compare { attribute, .. } if index == 0 => *attribute,
            _ => return None,
        };
        Some(message.at(name))
    }

    /// The name of an attribute in the answers.
    pub fn response_attribute(&self, index: usize) -> Option<&[u8]> {
        let after = self.responses.partition_point(|response| response.attributes_before <= index);
        let response = self.responses.get(after.checked_sub(1)?)?;
        let attribute = attributes(&response.message).get(index - response.attributes_before)?;
        Some(response.message.at(attribute.name))
    }
}

/// Returns the result of a request, where a message has one.
pub fn outcome(message: &Message) -> Option<&Outcome> {
    match &message.content {
        Content::Result { outcome, .. } => Some(outcome),
        _ => None,
    }
}

fn attributes(message: &Message) -> &[Attribute] {
    match &message.content {
        Content::Entry { attributes, .. } => attributes,
        _ => &[],
    }
}

impl Content {
    /// The object that it is about.
    pub fn name(&self) -> Option<Span> {
        Some(match self {
            Content::Bind { name, .. } | Content::Entry { name, .. } | Content::Delete(name) => *name,
            Content::Search(search) => {
                let Search { base, .. } = &**search;
                *base
            }
            Content::Modify { object, .. } => *object,
            Content::ModifyDn { entry, .. } | Content::Compare { entry, .. } => *entry,
            _ => return None,
        })
    }
}
