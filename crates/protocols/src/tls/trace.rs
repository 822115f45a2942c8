//! The course of a handshake for Zeek's ssl log. It ends when the connection is
//! established, or when it turns out not to be TLS after all.

use std::borrow::Cow;

use weir_base::{Direction, PerDirection, Timestamp};

use super::cipher;
use super::hello::{ClientHello, ServerHello};
use super::names::history_letter;
use super::version::Version;

/// Longest history that is kept.
const MAX_HISTORY: usize = 100;

const CLIENT_HELLO: u8 = 1;
const HELLO_RETRY_REQUEST: u8 = 6;
const CLIENT_KEY_EXCHANGE: u8 = 16;

/// Course of a handshake so far.
///
/// It has a field for each fact that the handshake tells and a column of Zeek's logs shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// When the first message was complete; zero before.
    pub start: Timestamp,
    /// A letter for each message, the client's in upper case.
    pub history: Vec<u8>,
    /// When it became too long for further letters.
    pub filled: Option<Timestamp>,
    /// The version agreed on.
    pub version: Option<Version>,
    /// The cipher's name.
    pub cipher: Option<Cow<'static, str>>,
    /// The named group of the key exchange.
    pub group: Option<u16>,
    /// The server name the client asks for.
    pub server_name: Option<Vec<u8>>,
    /// The application protocol chosen.
    pub next_protocol: Option<Vec<u8>>,
    /// A session of before.
    pub resumed: bool,
    /// The last alert in the clear.
    pub last_alert: Option<u8>,
    /// Data is exchanged under encryption.
    pub established: bool,
    /// When it turned out not to be TLS.
    pub violated: Option<Timestamp>,
    session_id: Option<Vec<u8>>,
    offers_ticket: bool,
    offers_psk: bool,
    client_key_exchange: bool,
    encrypted: PerDirection<bool>,
}

impl Trace {
    /// Whether nothing more is added.
    pub fn is_over(&self) -> bool {
        self.established || self.violated.is_some()
    }

    /// Notes that the messages make no sense.
    pub fn violate(&mut self, time: Timestamp) {
        self.violated.get_or_insert(time);
    }

    /// The first part of a message came.
    pub fn begin(&mut self, time: Timestamp) {
        if self.start == Timestamp::default() {
            self.start = time;
        }
    }

    fn letter(&mut self, direction: Direction, letter: u8, time: Timestamp) {
        if self.is_over() {
            return;
        }
        self.begin(time);
        if self.history.len() < MAX_HISTORY {
            self.history.push(match direction {
                Direction::ToServer => letter,
                Direction::ToClient => letter.to_ascii_lowercase(),
            });
            if self.history.len() == MAX_HISTORY {
                self.filled = Some(time);
            }
        }
    }

    /// A handshake message.
    pub fn message(&mut self, direction: Direction, message_type: u8, time: Timestamp) {
        self.letter(direction, history_letter(message_type), time);
        if direction == Direction::ToServer && message_type == CLIENT_KEY_EXCHANGE {
            self.client_key_exchange = true;
        }
    }

    /// The client's hello.
    pub fn client_hello(&mut self, hello: &ClientHello, time: Timestamp) {
        if self.is_over() {
            return;
        }
        self.message(Direction::ToServer, CLIENT_HELLO, time);
        self.offers_ticket |= hello.has_ticket;
        self.offers_psk |= hello.has_psk;
        if hello.server_name.is_some() {
            self.server_name.clone_from(&hello.server_name);
        }
        if !hello.session_id.is_empty() && hello.session_id != [0; 32] {
            self.session_id = Some(hello.session_id.clone());
            self.offers_ticket = false;
        }
    }

    /// The server's hello, or its request for another one.
    pub fn server_hello(&mut self, hello: &ServerHello, time: Timestamp) {
        if self.is_over() {
            return;
        }
        let message_type = if hello.is_retry_request { HELLO_RETRY_REQUEST } else { 2 };
        self.message(Direction::ToClient, message_type, time);
        let version = match hello.version {
            // Early drafts are known by the field alone.
            Version::TLS13_EARLY_DRAFT => Version::TLS13,
            version => version,
        };
        self.version = Some(version);
        self.cipher = Some(cipher::name(hello.cipher));
        self.group = hello.group.or(self.group);
        if let Some(protocol) = hello.alpns.first() {
            self.next_protocol = Some(protocol.clone());
        }
        let same_session = self.session_id.as_ref() == Some(&hello.session_id);
        self.resumed |= same_session && !version.is_13() || hello.has_psk && self.offers_psk;
        if version.is_13() && !hello.is_retry_request {
            self.encrypted[Direction::ToClient] = true;
        }
    }

    /// The server's part of the key exchange.
    pub fn server_key_exchange(&mut self, suite: u16, body: &[u8]) {
        // RFC 8422 section 5.4: type 3 is a named curve.
        if let ([3, high, low, ..], true) = (body, cipher::has_ephemeral_curve(suite)) {
            self.group = Some(u16::from_be_bytes([*high, *low]));
        }
    }

    /// One side changes to encryption.
    pub fn change_cipher_spec(&mut self, direction: Direction, time: Timestamp) {
        if self.is_over() {
            return;
        }
        self.letter(direction, b'I', time);
        if direction == Direction::ToServer && self.offers_ticket && !self.client_key_exchange {
            self.resumed = true;
        }
        if !self.version.is_some_and(Version::is_13) {
            self.encrypted[direction] = true;
        }
    }

    /// An alert in the clear.
    pub fn alert(&mut self, direction: Direction, description: u8, time: Timestamp) {
        if !self.is_over() {
            self.letter(direction, b'L', time);
            self.last_alert = Some(description);
        }
    }

    /// A heartbeat in the clear.
    pub fn heartbeat(&mut self, direction: Direction, time: Timestamp) {
        self.letter(direction, b'B', time);
    }

    /// Data that no change of ciphers went before, unless it is TLS 1.3's.
    pub fn application_data(&mut self, direction: Direction, time: Timestamp) {
        let Some(version) = self.version else { return };
        if version.is_13() {
            // The server's encryption starts behind its hello, the client's with its first data.
            if direction == Direction::ToServer {
                self.encrypted[direction] = true;
                self.ciphertext();
            }
        } else if self.encrypted[direction] {
            self.ciphertext();
        } else {
            self.letter(direction, b'D', time);
        }
    }

    /// A record under encryption: once both sides send them, the connection is established.
    pub fn ciphertext(&mut self) {
        if self.encrypted.to_server && self.encrypted.to_client && self.violated.is_none() {
            self.established = true;
        }
    }

    /// SSLv2: the client's hello.
    pub fn sslv2_client_hello(&mut self, time: Timestamp) {
        self.message(Direction::ToServer, CLIENT_HELLO, time);
    }

    /// SSLv2: the server's hello and the first cipher kind it offers.
    pub fn sslv2_server_hello(&mut self, kind: Option<u32>, time: Timestamp) {
        self.message(Direction::ToClient, 2, time);
        self.version = Some(Version::SSL2);
        self.cipher = kind.map(cipher::sslv2_name);
    }

    /// SSLv2: the client chose a cipher kind, which ends what is in the clear.
    pub fn sslv2_master_key(&mut self, kind: u32) {
        if !self.is_over() {
            self.cipher = Some(cipher::sslv2_name(kind));
            self.established = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_that_is_full() {
        let mut trace = Trace::default();
        for second in 1..=200 {
            trace.message(Direction::ToClient, CLIENT_KEY_EXCHANGE, Timestamp::new(second, 0));
        }
        assert_eq!(trace.history.len(), MAX_HISTORY);
        assert_eq!(trace.filled, Some(Timestamp::new(MAX_HISTORY as u64, 0)));
    }
}
