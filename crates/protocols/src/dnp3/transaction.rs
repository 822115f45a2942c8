//! A transaction: one message of the application layer.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::link::Header;
use super::object::Objects;

/// The state of a message that is whole, or as much of it as comes.
pub const COMPLETE: Progress = Progress(1);

/// A message.
#[derive(Debug, Default)]
pub struct Dnp3Transaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The header of its first frame.
    pub link: Header,
    /// Reassembled fragment: its header, and its objects.
    pub data: Vec<u8>,
    /// Its objects.
    pub objects: Objects,
    /// All of it came.
    pub whole: bool,
    /// When its last frame was captured.
    pub time: Timestamp,
}

weir_applayer::transaction!(Dnp3Transaction);

impl Dnp3Transaction {
    /// Forks it for Zeek's logs alone, which another parser feeds from here on.
    pub fn fork(&mut self) -> Self {
        let (data, objects) = (self.data.clone(), self.objects.clone());
        Self { meta: self.meta.fork(), data, objects, ..*self }
    }

    /// Flags of the application layer, and the sequence number.
    pub fn control(&self) -> u8 {
        self.data.first().copied().unwrap_or_default()
    }

    /// The function code.
    pub fn function(&self) -> u8 {
        self.data.get(1).copied().unwrap_or_default()
    }

    /// Internal indications of a response.
    pub fn indications(&self) -> Option<u16> {
        match *self.data.get(2..4)? {
            [first, second] if !self.is_request() => Some(u16::from_be_bytes([first, second])),
            _ => None,
        }
    }

    /// It is a request.
    pub fn is_request(&self) -> bool {
        self.meta.only == Some(Direction::ToServer)
    }

    /// No more of it will come.
    pub fn end(&mut self) {
        for direction in Direction::BOTH {
            self.meta.advance(direction, COMPLETE);
        }
    }
}
