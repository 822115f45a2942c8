//! A DNS transaction: one message. A request and its response are two transactions, each of one
//! direction.

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::message::Message;
use super::zeek::Odd;

/// The state of a message that has been read: messages are never seen in part.
pub const COMPLETE: Progress = Progress(1);

weir_applayer::anomalies! {
    /// Anomalies of a message.
    pub enum DnsAnomaly {
        /// Questions or answers could not be read.
        MalformedData = "malformed_data",
        /// A response was sent to the server.
        NotRequest = "not_request",
        /// A request was sent to the client.
        NotResponse = "not_response",
        /// The reserved bit is set.
        ZFlagSet = "z_flag_set",
        /// Operation code 7 or above.
        InvalidOpcode = "invalid_opcode",
        /// A name was too long.
        NameTooLong = "name_too_long",
        /// A name's pointers lead in a circle.
        InfiniteLoop = "infinite_loop",
        /// A name had too many labels.
        TooManyLabels = "too_many_labels",
        /// Additional records could not be read.
        InvalidAdditionals = "invalid_additionals",
        /// Authority records could not be read.
        InvalidAuthorities = "invalid_authorities",
    }
}

/// One message.
#[derive(Debug, Default)]
pub struct DnsTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The message.
    pub message: Message,
    /// A response sent to the server or a request sent to the client.
    pub misdirected: bool,
    /// Weirds of a message of a stream, where Zeek's logs ask for them. Those of datagrams are found at
    /// their ports, whatever they are.
    pub odd: Vec<Odd>,
    /// It is too short for a header: there is nothing of it but what is odd.
    pub headless: bool,
    /// Zeek's logs take the connection for one of DNS by it.
    pub confirms: bool,
}

weir_applayer::transaction!(DnsTransaction);

impl DnsTransaction {
    /// A message that went this way, with all that is wrong with it.
    pub fn of(message: Message, direction: Direction, misdirected: bool) -> Self {
        let meta = TxMeta::of_message(direction);
        let mut transaction = Self { meta, message, misdirected, ..Self::default() };
        transaction.find_anomalies();
        transaction
    }

    /// Bytes that went this way for a message, but are too few for its header.
    pub fn headless(direction: Direction) -> Self {
        Self { headless: true, ..Self::of(Message::default(), direction, false) }
    }

    /// Forks it for Zeek's logs.
    pub fn fork(&mut self) -> Self {
        let (message, odd) = (self.message.clone(), self.odd.clone());
        Self { meta: self.meta.fork(), message, odd, ..*self }
    }

    /// Whether records and fields are made of it. One that is malformed or goes the wrong way only
    /// carries its anomaly.
    pub fn is_sound(&self) -> bool {
        !self.misdirected && !self.message.malformed
    }

    /// The message of a sound transaction.
    pub fn sound(&self) -> Option<&Message> {
        self.is_sound().then_some(&self.message)
    }

    /// Everything that is wrong with the message.
    fn find_anomalies(&mut self) {
        let header = self.message.header;
        let flaws = self.message.flaws;
        let found = [
            (self.message.malformed, DnsAnomaly::MalformedData),
            (self.misdirected && header.is_response(), DnsAnomaly::NotRequest),
            (self.misdirected && !header.is_response(), DnsAnomaly::NotResponse),
            (header.z(), DnsAnomaly::ZFlagSet),
            (header.opcode() >= 7, DnsAnomaly::InvalidOpcode),
            (flaws.truncated, DnsAnomaly::NameTooLong),
            (flaws.infinite_loop, DnsAnomaly::InfiniteLoop),
            (flaws.too_many_labels, DnsAnomaly::TooManyLabels),
            (self.message.invalid_additionals, DnsAnomaly::InvalidAdditionals),
            (self.message.invalid_authorities, DnsAnomaly::InvalidAuthorities),
        ];
        for (_, anomaly) in found.into_iter().filter(|&(wrong, _)| wrong) {
            self.meta.anomaly(anomaly.into());
        }
    }
}
