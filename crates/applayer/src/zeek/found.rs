//! Findings about hosts that loggers pass on: software, habits, notices, handshakes.

use std::net::IpAddr;

use weir_base::{Direction, Duration, Timestamp};

/// Software that an end names.
#[derive(Clone, Copy, Debug)]
pub struct Software<'a> {
    /// Zeek's name of the kind (`HTTP::SERVER`).
    pub kind: &'static str,
    /// Where it runs.
    pub host: SoftwareHost,
    /// Name and version, as sent.
    pub text: &'a [u8],
}

/// Where software runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SoftwareHost {
    /// The client of the connection.
    Client,
    /// Its server, at the port of the connection.
    Server,
    /// Another host, of which the connection tells.
    Other(IpAddr),
}

impl SoftwareHost {
    /// The end that sends in a direction.
    pub const fn sender(direction: Direction) -> Self {
        match direction {
            Direction::ToServer => Self::Client,
            Direction::ToClient => Self::Server,
        }
    }
}

/// Notice of a Zeek script.
#[derive(Clone, Copy, Debug)]
pub struct ZeekNotice<'a> {
    /// Zeek's name of its type (`FTP::Site_Exec_Success`).
    pub note: &'static str,
    /// Text of the notice.
    pub message: &'a str,
    /// Subject beside the type: notices alike are suppressed for an hour (Zeek's `$identifier`).
    pub identifier: &'a [u8],
}

/// Behaviour of a host that makes a notice where it is frequent.
#[derive(Debug)]
pub struct ZeekHabit {
    /// Zeek's name of the type of its notice (`SSH::Password_Guessing`).
    pub note: &'static str,
    /// For how long is counted before all is forgotten.
    pub epoch: Duration,
    /// Least count that makes the notice.
    pub limit: u64,
    /// Writes the notice's text for a host and its count.
    pub message: fn(IpAddr, u64) -> String,
}

/// TLS handshake as the server's side showed it.
#[derive(Clone, Copy, Debug)]
pub struct Handshake<'a> {
    /// The handshake was completed.
    pub established: bool,
    /// The version agreed on, as sent, and Zeek's name of it.
    pub version: Option<(u16, &'a str)>,
    /// The cipher suite agreed on.
    pub cipher: Option<&'a str>,
    /// The server's own certificate, where it can be read.
    pub certificate: Option<ServerCertificate<'a>>,
}

/// The certificate of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerCertificate<'a> {
    /// Its SHA-256.
    pub fingerprint: &'a str,
    /// Its subject as Zeek writes it.
    pub subject: &'a [u8],
    /// Its issuer.
    pub issuer: &'a [u8],
    /// Its serial number.
    pub serial: &'a str,
    /// From when until when it is valid.
    pub validity: (Timestamp, Timestamp),
    /// Zeek's name of the kind of its key (`rsa`).
    pub key_type: Option<&'static str>,
    /// The length of that in bits.
    pub key_length: Option<u64>,
}
