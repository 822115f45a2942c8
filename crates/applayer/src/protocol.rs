//! A protocol, as one table.

use weir_base::{Direction, PerDirection, Timestamp};

use crate::eve::EveLog;
use crate::field::Field;
use crate::options::Options;
use crate::parser::Factory;
use crate::script::{ScriptLibrary, ScriptNeed};
use crate::session::FlowEvent;
use crate::transaction::{Progress, TxMeta};
use crate::zeek::ZeekLogs;

/// EVE's name of a protocol that was not recognised, or that it has no name for.
pub const NO_EVE_NAME: &str = "failed";

/// Transport of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Transport {
    /// A byte stream.
    Tcp,
    /// Datagrams: each is pushed to the parser by itself.
    Udp,
}

/// A literal that marks a protocol when it stands at the start of a direction's bytes.
#[derive(Clone, Copy, Debug)]
pub struct Hint {
    /// The direction in which it is sent.
    pub direction: Direction,
    /// The literal.
    pub literal: &'static [u8],
    /// Letters match in either case.
    pub nocase: bool,
    /// First byte of the window in which the whole literal must lie.
    pub offset: u16,
    /// End of that window.
    pub depth: u16,
    /// A protocol of the other side beside which the literal says nothing.
    pub unless: Option<&'static str>,
    /// Those whom it tells.
    pub tells: HintReaders,
}

/// Those whom a literal tells what a side speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintReaders {
    /// All.
    All,
    /// Rules and records: to Zeek's logs it says nothing.
    Records,
}

impl Hint {
    /// A case-sensitive literal that the direction starts with.
    pub const fn starts(direction: Direction, literal: &'static [u8]) -> Self {
        Self {
            direction,
            literal,
            nocase: false,
            offset: 0,
            depth: literal.len() as u16,
            unless: None,
            tells: HintReaders::All,
        }
    }

    /// Whether the direction that starts with `bytes` has the literal where it is looked for.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        let end = bytes.len().min(usize::from(self.depth));
        let window = bytes.get(usize::from(self.offset)..end).unwrap_or_default();
        !self.literal.is_empty()
            && window.windows(self.literal.len()).any(|bytes| match self.nocase {
                true => bytes.eq_ignore_ascii_case(self.literal),
                false => bytes == self.literal,
            })
    }
}

/// Answer of a probe about the bytes at the start of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    /// They are this protocol's.
    Yes,
    /// They are this protocol's, but sent by the side that was taken for the other one: the flow
    /// is to be turned around.
    Reversed,
    /// They are this protocol's. Where the beginning was not seen, the side that was taken for the other one sent
    /// them, and the flow is to be turned around.
    ReversedUnseen,
    /// They are not.
    No,
    /// More bytes are needed to tell.
    More,
    /// They are this protocol's, and either side may have sent them: where the beginning was not seen, ports
    /// tell who is the client.
    EitherWay,
    /// They are this protocol's, unless the other side says that it is another one's.
    Likely,
    /// For Zeek's logs as [`Probe::EitherWay`]; for rules and records they are not this protocol's.
    ForZeek,
}

/// Looks at the bytes at the start of a direction.
pub type ProbeFunction = fn(Transport, Direction, bytes: &[u8]) -> Probe;

/// Whether a protocol's probe is asked at ports that nobody names for it. Who is told of the protocol where it is found
/// at its own ports is another question ([`crate::Enabled`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyPort {
    /// It is not.
    No,
    /// It is, and one side that fits is enough.
    OneSide,
    /// It is for Zeek's logs, and one side that fits is enough. Rules and records go by the hints, and by the protocol's
    /// own ports.
    OneSideForZeek,
    /// It is for Zeek's logs, and one side that fits is enough. Rules and records go by the hints alone, at the protocol's
    /// own ports, too.
    ProbedForZeek,
    /// It is, and both sides have to fit, at the protocol's own ports, too: either alone says too little.
    BothSides,
    /// It is for Zeek's logs, where both sides have to fit. Rules and records go by the protocol's own ports.
    BothSidesForZeek,
}

/// Directions whose rules look at a transaction that the bytes of one direction changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Review {
    /// Both, as both belong to one exchange.
    Both,
    /// The direction of those bytes: rules on a response wait until there is something of it.
    Own,
}

/// Everything the engine knows of a protocol. One static per protocol folder.
///
/// It has many fields, as a row of a table has columns: each with a default, of which a protocol names those that it
/// changes.
pub struct Protocol {
    /// The name in rules' protocol field, in `app-layer-protocol`, in the configuration
    /// (`app-layer.protocols.<name>`) and in statistics.
    pub name: &'static str,
    /// Other names that rules may use in the protocol field (`http` also means `http1`).
    pub aliases: &'static [&'static str],
    /// `app_proto` in EVE records.
    pub eve_name: &'static str,
    /// `service` in Zeek's conn log; empty where Zeek does not know the protocol.
    pub zeek_service: &'static str,
    /// Transports that carry it.
    pub transports: &'static [Transport],
    /// Ports whose probes are tried first, and the only ones where `any_port` says nothing else.
    /// Configured detection ports replace them.
    pub ports: &'static [u16],
    /// Whether the probe is asked at other ports.
    pub any_port: AnyPort,
    /// Literals that recognise it in one scan.
    pub hints: &'static [Hint],
    /// Asked after the hints; `bytes` are all bytes of the direction so far.
    pub probe: Option<ProbeFunction>,
    /// Whether a client that begins like this speaks it, where the flow was of something that is not read so far:
    /// what follows a STARTTLS or a proxy's greeting that nobody understood.
    pub begins_anew: Option<fn(&[u8]) -> bool>,
    /// The event of a flow in which it was announced and did not follow.
    pub absence: Option<FlowEvent>,
    /// Side that may speak first; `None` for either.
    pub first_speaker: Option<Direction>,
    /// Whether the parser handles gaps rather than be closed at the first one.
    pub accepts_gaps: bool,
    /// The names of a transaction's states by direction (`request_started`, …), in order; the last
    /// one is complete. Rule hooks (`http1:request_line`) use them.
    pub states: PerDirection<&'static [&'static str]>,
    /// State of a transaction before which alerts show the one that is under way, rather than the last one that is done.
    pub shown_under_way: Progress,
    /// Fields that rules can look at.
    pub fields: &'static [Field],
    /// Names of the kinds of frames that the parser reports, by [`crate::FrameKind`]
    /// (rules: `frame:<name>.<frame>`); at most 63.
    pub frames: &'static [&'static str],
    /// Directions whose rules look at a transaction that was changed.
    pub review: Review,
    /// Names of the anomalies, by [`crate::Anomaly`] number (rules: `app-layer-event:<name>.<anomaly>`).
    pub anomalies: &'static [&'static str],
    /// Names that rules have for anomalies, with those that records have.
    pub anomaly_aliases: &'static [(&'static str, &'static str)],
    /// Reads the configuration once and gives what opens a parser per flow.
    pub configure: fn(&dyn Options) -> Box<dyn Factory>,
    /// EVE records.
    pub eve: Option<&'static EveLog>,
    /// Zeek logs.
    pub zeek: Option<&'static ZeekLogs>,
    /// Libraries by which scripts of rules ask about transactions.
    pub scripts: &'static [ScriptLibrary],
    /// Words by which scripts of rules ask to be run.
    pub script_needs: &'static [ScriptNeed],
    /// Its transactions carry messages of this one ([`crate::Transaction::carried`]), whose fields it has, too.
    pub carries: Option<&'static Protocol>,
}

impl Protocol {
    /// A protocol over TCP that goes by one name everywhere. Nothing recognises it, rules see no field of it and
    /// nothing is logged: its row says what is different.
    pub const fn named(name: &'static str, configure: fn(&dyn Options) -> Box<dyn Factory>) -> Self {
        Self {
            name,
            aliases: &[],
            eve_name: name,
            zeek_service: name,
            transports: &[Transport::Tcp],
            ports: &[],
            any_port: AnyPort::No,
            hints: &[],
            probe: None,
            begins_anew: None,
            absence: None,
            first_speaker: None,
            accepts_gaps: false,
            states: PerDirection {
                to_server: &["request_started", "request_complete"],
                to_client: &["response_started", "response_complete"],
            },
            shown_under_way: Progress(0),
            fields: &[],
            frames: &[],
            review: Review::Both,
            anomalies: &[],
            anomaly_aliases: &[],
            configure,
            eve: None,
            zeek: None,
            scripts: &[],
            script_needs: &[],
            carries: None,
        }
    }

    /// The state of a transaction that is complete in `direction`.
    pub fn complete(&self, direction: Direction) -> Progress {
        Progress(self.states[direction].len().saturating_sub(1) as u8)
    }

    /// The state of a direction of a transaction that alerts show.
    pub fn shown_progress(&self, meta: &TxMeta, direction: Direction) -> Progress {
        let progress = meta.progress[direction];
        let is_under_way =
            progress < self.shown_under_way && meta.first_seen[direction] != Timestamp::default();
        Progress(progress.0 + u8::from(is_under_way))
    }

    /// Whether its transactions have more states than to have begun and to be complete.
    pub const fn has_own_states(&self) -> bool {
        self.states.to_server.len() > 2
    }

    /// Whether a rule that names `name` in its protocol field means this protocol.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.aliases.iter().any(|a| a.eq_ignore_ascii_case(name))
    }
}

impl std::fmt::Debug for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Protocol").field(&self.name).finish()
    }
}

impl PartialEq for Protocol {
    /// Protocols are statics: one is another only where their names are the same.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn what_is_under_way_is_shown() {
        static SHOWS: Protocol = Protocol { shown_under_way: Progress(2), ..toy::TLS };
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let mut meta = TxMeta::default();
        meta.seen(up, Timestamp::new(1, 0));
        for (progress, shown) in [(0, 1), (1, 2), (2, 2), (5, 5)] {
            meta.progress[up] = Progress(progress);
            assert_eq!(SHOWS.shown_progress(&meta, up), Progress(shown));
        }
        assert_eq!(SHOWS.shown_progress(&meta, down), Progress(0), "nothing was seen of it");
        meta.progress[up] = Progress(1);
        assert_eq!(toy::LINE.shown_progress(&meta, up), Progress(1));
    }
}
