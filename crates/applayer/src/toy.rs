//! Protocols made for tests: lines of text, and records of four bytes.

use std::net::IpAddr;
use std::sync::Arc;

use weir_base::{Direction, Duration, IdSet, PerDirection, Timestamp};

use crate::detection::Candidate;
use crate::options::{NoOptions, Options};
use crate::parser::{Early, Endpoints, Factory, Outcome, ParseContext, Parser, Request};
use crate::ports::PortSet;
use crate::protocol::{Hint, Probe, Protocol, Transport};
use crate::registry::{Enabled, Registry};
use crate::session::FlowEvent;
use crate::transaction::{Anomaly, Transaction, TransactionList, TxMeta};

const fn protocol(name: &'static str, configure: fn(&dyn Options) -> Box<dyn Factory>) -> Protocol {
    let states = PerDirection { to_server: STATES, to_client: STATES };
    Protocol { states, frames: &["line"], anomalies: &["odd"], ..Protocol::named(name, configure) }
}

const STATES: &[&str] = &["started", "complete"];

/// Lines; the client starts with `LINE `, the server with `+OK`. `RENAME`, `UPGRADE`, `UPGRADE tls`,
/// `STOP`, `ODD`, `ODD END`, `EXPECT`, `BAD`, `PART` and `PART END` are commands.
pub(crate) static LINE: Protocol = Protocol {
    hints: &[
        Hint { nocase: true, ..Hint::starts(Direction::ToServer, b"LINE ") },
        Hint::starts(Direction::ToClient, b"+OK"),
    ],
    ..protocol("line", |_| Box::new(Opener { protocol: &LINE, lines: true }))
};

/// A protocol recognised by `ASK`, with a client that must speak first.
pub(crate) static ASK: Protocol = Protocol {
    hints: &[Hint::starts(Direction::ToServer, b"ASK"), Hint::starts(Direction::ToClient, b"ANSWER")],
    first_speaker: Some(Direction::ToServer),
    ..protocol("ask", |_| Box::new(Opener { protocol: &ASK, lines: true }))
};

/// Records of four bytes that start with 7 to the server and 8 to the client. `PRT`, `GAP` and `END` in them are
/// commands: Zeek's reading parts there, at the next gap, or at the end of a side.
pub(crate) static BINARY: Protocol = Protocol {
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[7],
    probe: Some(|_, direction, bytes| {
        let first = if direction == Direction::ToServer { 7 } else { 8 };
        match bytes {
            [byte, ..] if *byte != first => Probe::No,
            [_, _, _, _, ..] => Probe::Yes,
            _ => Probe::More,
        }
    }),
    accepts_gaps: true,
    ..protocol("bin", |_| Box::new(Opener { protocol: &BINARY, lines: false }))
};

/// Records of four bytes that start with 22.
pub(crate) static TLS: Protocol = Protocol {
    hints: &[Hint::starts(Direction::ToServer, b"\x16\x03"), Hint::starts(Direction::ToClient, b"\x16\x03")],
    begins_anew: Some(|bytes| bytes.starts_with(b"\x16\x03")),
    absence: Some(FlowEvent::NoTlsAfterStarttls),
    ..protocol("tls", |_| Box::new(Opener { protocol: &TLS, lines: false }))
};

/// Records that nothing recognises: only another protocol or flow can announce it.
pub(crate) static HIDDEN: Protocol =
    protocol("hidden", |_| Box::new(Opener { protocol: &HIDDEN, lines: false }));

pub(crate) fn candidates() -> Vec<Candidate> {
    [&LINE, &BINARY]
        .map(|protocol| Candidate {
            protocol,
            transport: Transport::Tcp,
            ports: PortSet::of(protocol.ports),
            client_ports: PortSet::default(),
            alone: false,
        })
        .into()
}

pub(crate) fn registry() -> Registry {
    let options = || Box::new(NoOptions) as Box<dyn Options>;
    Registry::new(&[&LINE, &ASK, &BINARY, &TLS, &HIDDEN], |_| (options(), Enabled::Yes)).unwrap()
}

pub(crate) fn endpoints(transport: Transport, client_port: u16, server_port: u16) -> Endpoints {
    let address = |last| IpAddr::from([192, 0, 2, last]);
    Endpoints { client: address(1), client_port, server: address(2), server_port, transport }
}

struct Opener {
    protocol: &'static Protocol,
    lines: bool,
}

impl Factory for Opener {
    fn open(&self, _: &Endpoints) -> Box<dyn Parser> {
        Box::new(Toy::new(self.protocol, self.lines))
    }
}

/// One line or record, or another event of the parser.
pub(crate) struct Said {
    meta: TxMeta,
    pub(crate) direction: Direction,
    pub(crate) text: String,
    pub(crate) time: Timestamp,
}

crate::transaction!(Said);

struct Toy {
    protocol: &'static Protocol,
    lines: bool,
    /// The next gap parts the readings.
    forks_at_gap: bool,
    /// The end of a side parts the readings.
    forks_at_end: bool,
    /// The end of a side is odd.
    odd_end: bool,
    transactions: TransactionList<Said>,
}

impl Toy {
    fn new(protocol: &'static Protocol, lines: bool) -> Self {
        let (forks_at_gap, forks_at_end, odd_end) = (false, false, false);
        let transactions = TransactionList::default();
        Self { protocol, lines, forks_at_gap, forks_at_end, odd_end, transactions }
    }

    /// Forks, where that is wanted.
    fn fork_at(&self, cx: &mut ParseContext<'_>, taken: usize) {
        if cx.may_fork() {
            cx.fork(taken, Box::new(Self::new(self.protocol, self.lines)));
        }
    }

    fn say(&mut self, direction: Direction, text: String, time: Timestamp) {
        self.transactions.push(Said { meta: TxMeta::default(), direction, text, time });
    }

    /// Length of the unit at the start, or how many bytes are needed to tell.
    fn unit(&self, bytes: &[u8]) -> Result<usize, usize> {
        if self.lines {
            bytes.iter().position(|&b| b == b'\n').map(|end| end + 1).ok_or(bytes.len() + 1)
        } else {
            if bytes.len() < 4 { Err(4) } else { Ok(4) }
        }
    }
}

impl Parser for Toy {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut consumed = 0;
        while consumed < bytes.len() {
            let rest = &bytes[consumed..];
            let length = match self.unit(rest) {
                Ok(length) => length,
                Err(needed) => return Outcome::Incomplete { consumed, needed },
            };
            let text: String = rest[..length].iter().map(|&b| b as char).collect();
            let text = text.trim_end_matches('\n').to_owned();
            let time = cx.arrival(consumed);
            match text.trim_start_matches('\x07') {
                "PART" | "PRT" => self.fork_at(cx, consumed),
                "GAP" => self.forks_at_gap = true,
                "PART END" | "END" => self.forks_at_end = true,
                "ODD END" => self.odd_end = true,
                _ => {}
            }
            consumed += length;
            let request = match text.as_str() {
                "BAD" => return Outcome::Error,
                "\x07NO!" => {
                    cx.anomalies.push(Anomaly(0));
                    return Outcome::Refused;
                }
                "HUGE" => return Outcome::Incomplete { consumed, needed: usize::MAX },
                "ODD" => {
                    cx.anomalies.push(Anomaly(0));
                    None
                }
                "RENAME" => {
                    self.protocol = &ASK;
                    None
                }
                "UPGRADE" => Some(Request::Upgrade(None)),
                "UPGRADE tls" => Some(Request::Upgrade(Some("tls"))),
                "UPGRADE hidden" => Some(Request::Upgrade(Some("hidden"))),
                "STOP" => Some(Request::StopParsing(direction)),
                "EXPECT" => Some(Request::Expect {
                    protocol: "hidden",
                    opened_by: Direction::ToServer,
                    port: 5,
                    tag: b"9"[..].into(),
                    patience: Duration::from_secs(1),
                }),
                _ => None,
            };
            self.say(direction, text, time);
            if let Some(request) = request {
                cx.request(request);
                return Outcome::Incomplete { consumed, needed: 0 };
            }
        }
        Outcome::Ok
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        if std::mem::take(&mut self.forks_at_gap) {
            self.fork_at(cx, 0);
        }
        self.say(direction, format!("gap {length}"), cx.time);
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if std::mem::take(&mut self.forks_at_end) {
            self.fork_at(cx, 0);
        }
        if std::mem::take(&mut self.odd_end) {
            cx.anomalies.push(Anomaly(0));
        }
        self.say(direction, "close".to_owned(), cx.time);
    }

    fn announced(&mut self, tag: &Arc<[u8]>) {
        self.say(Direction::ToServer, format!("tag {}", String::from_utf8_lossy(tag)), Timestamp::default());
    }

    fn fork(&mut self, _: Direction, _: Early) -> Option<Box<dyn Parser>> {
        std::mem::take(&mut self.forks_at_end)
            .then(|| Box::new(Self::new(self.protocol, self.lines)) as Box<dyn Parser>)
    }

    fn created(&self) -> u64 {
        self.transactions.created()
    }
    fn take_changed(&mut self, changed: &mut IdSet) {
        self.transactions.take_changed(changed);
    }
    fn next_from(&self, id: u64) -> Option<&dyn Transaction> {
        self.transactions.next_from(id).map(|said| said as &dyn Transaction)
    }
    fn transaction(&self, id: u64) -> Option<&dyn Transaction> {
        self.transactions.by_id(id).map(|said| said as &dyn Transaction)
    }
    fn transaction_mut(&mut self, id: u64) -> Option<&mut dyn Transaction> {
        self.transactions.by_id_mut(id).map(|said| said as &mut dyn Transaction)
    }
    fn free(&mut self, id: u64) {
        self.transactions.free(id);
    }
    fn memory(&self) -> usize {
        size_of::<Self>() + self.transactions.memory()
    }
    fn protocol(&self) -> &'static Protocol {
        self.protocol
    }
}
