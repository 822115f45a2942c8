//! The ntlm log: a row for each connection whose client makes itself known by NTLM; and a row of the kerberos log for one
//! that shows a ticket.

use weir_applayer::{ZeekSink, zeek_stream};
use weir_base::Timestamp;

use super::ntlmssp::{Authenticate, Challenge, Message, utf8_of_utf16};
use super::token::Token;
use crate::krb5::zeek::write_ticket;

zeek_stream! {
    pub(crate) static STREAM: "ntlm" of a connection;
    struct Row {
        username: Text,
        hostname: Text,
        domainname: Text,
        server_nb_computer_name: Text,
        server_dns_computer_name: Text,
        server_tree_name: Text,
        success: Bool,
    }
}

/// Outcomes of a negotiation: it succeeded; it goes on.
const ACCEPTED: u8 = 0;
const INCOMPLETE: u8 = 1;

/// The row of NTLM.
#[derive(Debug, Default)]
struct Session {
    time: Timestamp,
    user: Option<Vec<u8>>,
    host: Option<Vec<u8>>,
    domain: Option<Vec<u8>>,
    server: Challenge,
    success: Option<bool>,
    is_written: bool,
}

impl Session {
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

    /// Writes the row, once.
    fn write(&mut self, sink: &mut dyn ZeekSink) {
        if std::mem::replace(&mut self.is_written, true) {
            return;
        }
        let row = Row {
            username: self.user.as_deref().into(),
            hostname: self.host.as_deref().into(),
            domainname: self.domain.as_deref().into(),
            server_nb_computer_name: self.server.computer.as_deref().into(),
            server_dns_computer_name: self.server.dns_computer.as_deref().into(),
            server_tree_name: self.server.dns_tree.as_deref().into(),
            success: self.success.into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }
}

/// Authentication of the client of one connection.
#[derive(Debug, Default)]
pub(crate) struct Client {
    ntlm: Option<Session>,
    /// When it showed a ticket of Kerberos.
    ticket: Option<Timestamp>,
}

impl Client {
    /// A token was seen at `time`.
    pub(crate) fn token(&mut self, token: &Token, time: Timestamp, sink: &mut dyn ZeekSink) {
        if token.ticket.is_some() {
            self.ticket(time, sink);
        }
        if let Some(message) = &token.ntlm {
            sink.service("ntlm");
            let who = match message {
                Message::Authenticate(who) | Message::Malformed(Some(who)) => Some(who),
                _ => None,
            };
            self.ntlm(time, who);
            if let Message::Challenge(server) = message {
                self.challenge(server);
            }
        }
        // What a negotiation carries is read before it.
        if token.is_negotiation {
            sink.service("gssapi");
        }
        if let Some(outcome) = token.outcome {
            self.outcome(outcome, sink);
        }
    }

    /// A message of NTLM was seen, which may say who the client is.
    pub(crate) fn ntlm(&mut self, time: Timestamp, who: Option<&Authenticate>) {
        let session = self.ntlm.get_or_insert_with(|| Session { time, ..Session::default() });
        if let Some(who) = who {
            session.take(who);
        }
    }

    /// Adds the server's challenge.
    pub(crate) fn challenge(&mut self, server: &Challenge) {
        if let Some(Session { server: known, .. }) = &mut self.ntlm {
            for (known, text) in [
                (&mut known.computer, &server.computer),
                (&mut known.dns_computer, &server.dns_computer),
                (&mut known.dns_tree, &server.dns_tree),
            ] {
                if text.is_some() {
                    known.clone_from(text);
                }
            }
        }
    }

    /// The outcome of a negotiation, as far as it got.
    pub(crate) fn outcome(&mut self, outcome: u8, sink: &mut dyn ZeekSink) {
        if let Some(session) = self.ntlm.as_mut().filter(|_| outcome != INCOMPLETE) {
            session.success = Some(outcome == ACCEPTED);
            session.write(sink);
        }
    }

    /// The client shows a ticket.
    pub(crate) fn ticket(&mut self, time: Timestamp, sink: &mut dyn ZeekSink) {
        self.ticket.get_or_insert(time);
        sink.service("krb");
    }

    /// Writes what is open.
    pub(crate) fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(time) = self.ticket.take() {
            write_ticket(time, sink);
        }
        if let Some(session) = &mut self.ntlm {
            session.write(sink);
        }
    }
}
