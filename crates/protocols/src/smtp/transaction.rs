//! One envelope, its message, and what the server made of it.

use weir_applayer::{File, Progress, TxMeta};
use weir_base::Direction;

use super::anomaly::Oddity;
use super::envelope::Envelope;
use crate::mime::Message;

/// Most recipients kept.
pub(super) const MAX_RECIPIENTS: usize = 1024;

/// Most files of a message.
pub(super) const MAX_FILES: usize = 256;

/// The client asked to send a message.
pub(super) const DATA: Progress = Progress(1);
/// The server waits for it.
pub(super) const RESPONSE_DATA: Progress = Progress(1);
/// The server has answered.
pub(super) const COMPLETE: Progress = Progress(2);

/// The states of what the client sends.
pub(super) const REQUEST_STATES: &[&str] = &["request_started", "request_data", "request_complete"];

/// The states of what the server sends.
pub(super) const RESPONSE_STATES: &[&str] = &["response_started", "response_data", "response_complete"];

/// One envelope with its message.
#[derive(Debug, Default)]
pub struct SmtpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Name in the client's HELO or EHLO.
    pub(super) hello: Option<Vec<u8>>,
    /// The sender, as written.
    pub(super) sender: Option<Vec<u8>>,
    /// The recipients, as written.
    pub(super) recipients: Vec<Vec<u8>>,
    /// Bytes of these.
    pub(super) recipient_bytes: usize,
    /// The client asked to send a message.
    pub(super) data_asked: bool,
    /// The client asked with DATA, and messages are taken apart: records tell of the message, whatever came of it.
    pub(super) shows_mail: bool,
    /// The message, where it is taken apart.
    pub(super) message: Option<Box<Message>>,
    /// Some of the message came.
    pub(super) has_content: bool,
    /// Columns of Zeek's log, where somebody wants that.
    pub(super) envelope: Option<Box<Envelope>>,
    /// The client has ended it: commands that follow belong to another one.
    pub(super) ended: bool,
}

weir_applayer::transaction!(SmtpTransaction, |tx| Some(tx.memory()));

impl SmtpTransaction {
    /// Forks it for Zeek's logs alone, which take the columns kept for them.
    pub(super) fn fork(&mut self) -> Self {
        Self {
            meta: self.meta.fork(),
            hello: self.hello.clone(),
            sender: self.sender.clone(),
            recipients: self.recipients.clone(),
            message: None,
            envelope: self.envelope.take(),
            ..*self
        }
    }

    /// Bytes of memory that it takes beside itself.
    fn memory(&self) -> usize {
        let texts = [&self.hello, &self.sender].into_iter().flatten().map(Vec::capacity).sum::<usize>();
        let recipients = self.recipient_bytes + self.recipients.capacity() * size_of::<Vec<u8>>();
        let message = self.message.as_ref().map_or(0, |message| message.memory());
        let envelope = self.envelope.as_ref().map_or(0, |envelope| envelope.memory());
        let files = self.meta.files.iter().map(File::memory).sum::<usize>();
        texts + recipients + message + envelope + files
    }

    /// Notes an oddity.
    pub(super) fn odd(&mut self, direction: Direction, oddity: Oddity) {
        self.meta.anomaly(oddity.into());
        self.meta.updated[direction] = true;
    }

    /// Whether there is something that a new greeting or a reset takes back.
    pub(super) fn has_envelope(&self) -> bool {
        self.sender.is_some() || !self.recipients.is_empty() || self.data_asked
    }

    /// The recipients, once no more of them can come.
    pub(super) fn recipients(&self) -> &[Vec<u8>] {
        if self.data_asked || self.ended { &self.recipients } else { &[] }
    }

    /// The message, once all of its fields are there.
    pub(super) fn mail(&self) -> Option<&Message> {
        self.message.as_deref().filter(|message| message.has_header())
    }

    /// Whether both sides are done with it: its records are written.
    pub(super) fn is_complete(&self) -> bool {
        Direction::BOTH.iter().all(|&direction| self.meta.progress[direction] >= COMPLETE)
    }

    /// Both sides are done with it.
    pub(super) fn complete(&mut self) {
        Direction::BOTH.iter().for_each(|&direction| self.meta.advance(direction, COMPLETE));
    }
}
