//! The one transaction of a connection: its handshake.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::message::{Reply, Request};

/// The state of a side that has said all of its part.
pub const COMPLETE: Progress = Progress(1);

/// Message, and the time of its last byte.
pub type Said<T> = Option<(Timestamp, T)>;

/// A handshake.
#[derive(Debug, Default)]
pub struct SocksTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Name and password of the client.
    pub login: Said<Vec<u8>>,
    /// The password, which only scripts may show.
    pub password: Option<Box<[u8]>>,
    /// Whether the server takes that.
    pub login_code: Said<u8>,
    /// Request of the client.
    pub request: Said<Request>,
    /// Reply of the server.
    pub reply: Said<Reply>,
    /// Authentication that is not read: when, what that is called, and which it is; one for each side.
    pub unread: Vec<(Timestamp, &'static str, String)>,
}

weir_applayer::transaction!(SocksTransaction);

impl SocksTransaction {
    /// A side has said its part.
    pub fn complete(&mut self, direction: Direction, time: Timestamp) {
        self.meta.seen(direction, time);
        self.meta.advance(direction, COMPLETE);
    }
}
