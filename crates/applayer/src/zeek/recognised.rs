//! Protocols and oddities that first payloads tell, without a parser.

use std::net::IpAddr;

use crate::protocol::Transport;

/// A protocol that `conn.log` names although its messages are not read any further: its first
/// payloads tell it.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    /// Entries of `service`.
    pub services: &'static [&'static str],
    /// Transport that carries it.
    pub transport: Transport,
    /// The responder's ports; any where empty.
    pub ports: &'static [u16],
    /// Whether a payload is the originator's.
    pub originator: fn(&[u8]) -> bool,
    /// Whether a payload is the responder's.
    pub responder: fn(&[u8]) -> bool,
    /// Both ends are to have spoken it; one is enough otherwise.
    pub both: bool,
    /// Services that later payloads show in addition.
    pub inner: &'static [InnerService],
}

/// Checks of Zeek's analyzers on payloads at their ports, whatever is spoken there.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Transport that carries them.
    pub transport: Transport,
    /// The responder's ports.
    pub ports: &'static [u16],
    /// Most payloads of a connection that are looked at; all of them where there is no such number.
    pub most: Option<u8>,
    /// Whether connections are looked at whose beginning was not seen.
    pub midway: bool,
    /// Looks at a payload, of the originator or not, of a connection to a port.
    pub look: Look,
}

/// Looks at a payload for [`Watch`], and reports its weirds. `begun` is what [`Watching::Amid`] left.
pub type Look =
    fn(originator: bool, payload: &[u8], port: u16, begun: Begun, tell: &mut dyn FnMut(Oddity)) -> Watching;

/// First character of a line whose end has not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Begun {
    /// No line has begun.
    #[default]
    Nothing,
    /// One of a word (RFC 9110, section 5.6.2, token).
    Word,
    /// Another one that shows.
    Sign,
    /// One that does not show.
    Unseen,
}

/// Whether payloads are looked at any longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watching {
    /// The next one, too.
    On,
    /// The next one, too; the originator has begun a line that is not at its end.
    Amid(Begun),
    /// None.
    Over,
}

/// Something odd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oddity {
    /// Zeek's name of it.
    pub name: &'static str,
    /// Additional text (Zeek's `addl`).
    pub addl: Option<String>,
    /// The analyzer.
    pub source: &'static str,
}

/// A service inside another one, and whether a payload shows it.
pub type InnerService = (&'static str, fn(&[u8]) -> bool);

/// A connection that another one announced: what is sent to this address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Its responder.
    pub server: (IpAddr, u16),
    /// Its entry of `service`.
    pub service: &'static str,
}
