//! Identity of a row's connection.

use weir_applayer::{Endpoints, Transport, ZeekConnection};
use weir_base::Timestamp;

use super::Connection;
use crate::identifier::Id;

/// The uid of a connection, its ends and its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) uid: Id,
    /// The two ends, the originator as client.
    pub(crate) endpoints: Endpoints,
    pub(crate) start: Timestamp,
}

impl Identity {
    /// As loggers and rows take it.
    pub(crate) fn view(&self) -> ZeekConnection<'_> {
        ZeekConnection { endpoints: &self.endpoints, start: self.start, uid: self.uid.as_bytes() }
    }

    /// The connection before its ends were exchanged.
    pub(crate) fn flipped(mut self) -> Self {
        self.endpoints.turn();
        self
    }
}

impl Connection {
    /// As it is now: its ends may be exchanged later.
    pub(crate) fn identity(&self) -> Identity {
        let ((client, client_port), (server, server_port)) = (self.originator(), self.responder());
        let transport = match self.protocol() {
            17 => Transport::Udp,
            _ => Transport::Tcp,
        };
        let endpoints = Endpoints { client, client_port, server, server_port, transport };
        Identity { uid: self.uid, endpoints, start: self.start }
    }
}
