//! The ntlm log: a row for each connection whose client makes itself known by NTLM.

use weir_applayer::{ZeekConnection, ZeekSink, ZeekStream, ZeekType, ZeekValue};
use weir_base::Timestamp;

use crate::smb::ntlmssp::{Authenticate, Challenge, utf8_of_utf16};
use crate::smb::transaction::Setup;

pub(super) static STREAM: ZeekStream = ZeekStream {
    name: "ntlm",
    connection: true,
    columns: &[
        ("username", ZeekType::String),
        ("hostname", ZeekType::String),
        ("domainname", ZeekType::String),
        ("server_nb_computer_name", ZeekType::String),
        ("server_dns_computer_name", ZeekType::String),
        ("server_tree_name", ZeekType::String),
        ("success", ZeekType::Bool),
    ],
};

/// Outcomes of a negotiation: it succeeded; it goes on.
const ACCEPTED: u8 = 0;
const INCOMPLETE: u8 = 1;

/// The row.
#[derive(Debug)]
pub(super) struct Session {
    time: Timestamp,
    user: Option<Vec<u8>>,
    host: Option<Vec<u8>>,
    domain: Option<Vec<u8>>,
    server: Challenge,
    success: Option<bool>,
    is_written: bool,
}

impl Session {
    /// The first message was seen at `time`.
    pub(super) fn new(time: Timestamp) -> Self {
        Self {
            time,
            user: None,
            host: None,
            domain: None,
            server: Challenge::default(),
            success: None,
            is_written: false,
        }
    }

    /// The client says something.
    pub(super) fn asked(&mut self, setup: &Setup) {
        if let Some(client) = &setup.ntlm {
            self.take(client);
        }
    }

    fn take(&mut self, client: &Authenticate) {
        for (known, text) in [
            (&mut self.user, &client.user),
            (&mut self.host, &client.host),
            (&mut self.domain, &client.domain),
        ] {
            if !text.is_empty() {
                *known = Some(if client.is_unicode { utf8_of_utf16(text) } else { text.clone() });
            }
        }
    }

    /// The server answers.
    pub(super) fn answered(
        &mut self,
        setup: &Setup,
        connection: &ZeekConnection<'_>,
        sink: &mut dyn ZeekSink,
    ) {
        if let Some(server) = &setup.challenge {
            self.server = server.clone();
        }
        if let Some(outcome) = setup.outcome.filter(|outcome| *outcome != INCOMPLETE) {
            self.success = Some(outcome == ACCEPTED);
            self.write(connection, sink);
        }
    }

    /// Writes the row, once.
    pub(super) fn write(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink) {
        if std::mem::replace(&mut self.is_written, true) {
            return;
        }
        let values = [
            ZeekValue::text(self.user.as_deref()),
            ZeekValue::text(self.host.as_deref()),
            ZeekValue::text(self.domain.as_deref()),
            ZeekValue::text(self.server.computer.as_deref()),
            ZeekValue::text(self.server.dns_computer.as_deref()),
            ZeekValue::text(self.server.dns_tree.as_deref()),
            self.success.map_or(ZeekValue::Unset, ZeekValue::Bool),
        ];
        sink.row(&STREAM, connection, self.time, &values);
    }
}
