//! Recognition of protocols by what the two sides say first.
//!
//! All literals of a transport and direction are looked for in one scan; where none is found the
//! probes are asked: first those whose ports include the server's, then those whose ports include
//! the client's (the flow may have been seen the wrong way round), then those that take any port:
//! by one side first, by both last ([`AnyPort`]). A port alone never decides. Every question ends:
//! past [`RECOGNITION_LIMIT`] bytes of a direction, "more" means "no".

use weir_base::{Direction, PerDirection};
use weir_mpm::{Backend, BuildError, Literal, MatchScratch, MultiMatcher, PatternSet};

use crate::audience::{Audience, ZeekOnly};
use crate::parser::Endpoints;
use crate::ports::{PortMap, PortSet};
use crate::protocol::{AnyPort, Hint, HintReaders, Probe, Protocol, Transport};

/// Bytes of one direction after which recognition gives up on it.
pub const RECOGNITION_LIMIT: usize = 4096;

/// The audience that knows most protocols.
const FOR_ZEEK: Audience = Audience::Zeek(ZeekOnly::Fork);

/// A protocol that may be recognised on a transport.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// Where it is looked for.
    pub transport: Transport,
    /// The ports on which its probe comes first.
    pub ports: PortSet,
    /// Ports from which a datagram that opens a flow is asked about, too: the flow stays as it is.
    pub client_ports: PortSet,
    /// For Zeek's logs alone.
    pub alone: bool,
}

impl Candidate {
    /// Asks its probe about the bytes of one side.
    fn probe(&self, direction: Direction, bytes: &[u8]) -> Option<Probe> {
        self.protocol.probe.map(|probe| probe(self.transport, direction, bytes))
    }

    /// Whether one side that fits is enough at this port.
    fn is_at(&self, port: u16, audience: Audience) -> bool {
        let is_enough = match self.protocol.any_port {
            AnyPort::BothSides => false,
            AnyPort::ProbedForZeek => audience.reads_as_zeek(),
            _ => true,
        };
        is_enough && self.ports.contains(port)
    }

    /// Whether one side that fits is enough at any port.
    fn is_at_any_port(&self, audience: Audience) -> bool {
        match self.protocol.any_port {
            AnyPort::OneSide => true,
            AnyPort::OneSideForZeek | AnyPort::ProbedForZeek => audience.reads_as_zeek(),
            AnyPort::No | AnyPort::BothSides | AnyPort::BothSidesForZeek => false,
        }
    }

    /// Whether it is asked about what comes from this port of the client. A flow of datagrams whose beginning was seen
    /// is the client's, whatever its port, but for Zeek's logs.
    fn is_from(&self, port: u16, question: &Question<'_>) -> bool {
        let by_port =
            self.transport == Transport::Tcp || question.may_be_reversed || question.audience.reads_as_zeek();
        if by_port { self.is_at(port, question.audience) } else { self.client_ports.contains(port) }
    }

    /// Whether it is looked for where both sides fit.
    fn wants_both(&self, audience: Audience) -> bool {
        match self.protocol.any_port {
            AnyPort::No | AnyPort::OneSide | AnyPort::OneSideForZeek | AnyPort::ProbedForZeek => false,
            AnyPort::BothSides => audience.reads_as_zeek() || !self.alone,
            AnyPort::BothSidesForZeek => audience.reads_as_zeek(),
        }
    }

    /// Whether both sides fit.
    fn probe_both(&self, said: PerDirection<&[u8]>) -> Option<Probe> {
        let ours = |direction: Direction| self.probe(direction, said[direction]);
        match (ours(Direction::ToServer)?, ours(Direction::ToClient)?) {
            (Probe::Yes, Probe::Yes) => Some(Probe::Yes),
            (Probe::Yes | Probe::More, Probe::Yes | Probe::More) => Some(Probe::More),
            _ => Some(Probe::No),
        }
    }
}

/// Knowledge of a direction's protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recognition {
    /// It speaks this.
    Found(&'static Protocol),
    /// Both sides speak this, as what both said tells.
    FoundInBoth(&'static Protocol),
    /// It speaks this, but it is the other side that sends it: client and server are to be swapped.
    Reversed(&'static Protocol),
    /// More bytes may tell.
    More,
    /// It speaks nothing that is known here.
    Unknown,
}

/// A question about the bytes of one side.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The two ends, with the transport.
    pub endpoints: &'a Endpoints,
    /// Side that sent the bytes.
    pub direction: Direction,
    /// The flow's beginning was not seen, or Zeek's logs ask about datagrams, so that client and server may be swapped.
    pub may_be_reversed: bool,
    /// The protocol that was announced; its probe is asked first, whatever the port.
    pub expected: Option<&'static Protocol>,
    /// No more bytes will come: the answer is not [`Recognition::More`].
    pub last: bool,
    /// The other side said a line, or enough to tell what it is or that it is nothing known.
    pub other_has_spoken: bool,
    /// All bytes of the other side so far.
    pub other: &'a [u8],
    /// The protocol that the other side was recognised to speak.
    pub other_protocol: Option<&'static Protocol>,
    /// Audience of the answer.
    pub audience: Audience,
}

impl<'a> Question<'a> {
    /// Returns the bytes of both sides, this one's being `bytes`.
    fn said(&self, bytes: &'a [u8]) -> PerDirection<&'a [u8]> {
        PerDirection::from_fn(|direction| if direction == self.direction { bytes } else { self.other })
    }
}

/// State of the recognition of one direction between two pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// No literal can match any more.
    hints_done: bool,
    /// All probes said no.
    probes_done: bool,
    /// Probes that said no, by index of candidate; those past the last bit are asked again.
    refused: [u64; 2],
}

impl Cursor {
    /// Whether only literals may yet tell.
    pub const fn waits_for_hints_alone(&self) -> bool {
        self.probes_done && !self.hints_done
    }

    fn has_refused(&self, candidate: usize) -> bool {
        self.refused.get(candidate / 64).is_some_and(|word| word & (1 << (candidate % 64)) != 0)
    }

    fn refuse(&mut self, candidate: usize) {
        if let Some(word) = self.refused.get_mut(candidate / 64) {
            *word |= 1 << (candidate % 64);
        }
    }
}

/// Working memory, one per worker.
#[derive(Debug, Default)]
pub struct RecognitionScratch {
    scan: MatchScratch,
    found: PatternSet,
}

/// Audience of a recognised protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Readers {
    /// Rules and records, and Zeek's logs.
    All,
    /// Zeek's logs, which know more protocols.
    Zeek,
}

/// The literals of one transport and direction.
#[derive(Debug)]
struct HintTable {
    matcher: MultiMatcher,
    /// The candidate and hint of each pattern id.
    owners: Vec<(usize, Hint)>,
    /// Past this many bytes nothing can match.
    depth: usize,
}

impl HintTable {
    /// The literals of their protocols.
    fn new(candidates: &[Candidate], direction: Direction, readers: Readers) -> Result<Self, BuildError> {
        let mut literals = Vec::new();
        let mut owners = Vec::new();
        let mut depth = 0;
        let asked = |candidate: &Candidate| readers == Readers::Zeek || !candidate.alone;
        for (index, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| asked(candidate)) {
            for hint in candidate.protocol.hints.iter().filter(|hint| hint.direction == direction) {
                let Hint { literal, nocase, offset, depth: end, .. } = *hint;
                if literal.is_empty() {
                    continue;
                }
                literals.push(
                    Literal::new(literal, nocase, owners.len() as u32)
                        .within(u32::from(offset), u32::from(end)),
                );
                owners.push((index, *hint));
                depth = depth.max(usize::from(end));
            }
        }
        Ok(Self { matcher: MultiMatcher::build(literals, Backend::Auto)?, owners, depth })
    }

    /// The candidates that a literal at the start of `bytes` speaks for, longest literal first.
    fn scan(
        &self,
        question: &Question<'_>,
        bytes: &[u8],
        scratch: &mut RecognitionScratch,
    ) -> Vec<(usize, usize)> {
        if self.owners.is_empty() {
            return Vec::new();
        }
        scratch.found.clear();
        let start = bytes.get(..self.depth).unwrap_or(bytes);
        self.matcher.find_set(start, &mut scratch.scan, &mut scratch.found);
        let found = scratch.found.as_slice().iter().filter_map(|&id| self.owners.get(id as usize));
        let is_told = |hint: &Hint| hint.tells == HintReaders::All || !question.audience.reads_as_zeek();
        let is_other = |name| question.other_protocol.is_some_and(|other| other.is_named(name));
        let mut matches: Vec<_> = found
            .filter(|(_, hint)| is_told(hint) && !hint.unless.is_some_and(is_other))
            .map(|&(candidate, hint)| (candidate, hint.literal.len()))
            .collect();
        matches.sort_unstable_by_key(|&(candidate, length)| (std::cmp::Reverse(length), candidate));
        matches
    }
}

/// Protocols that can be recognised on one transport.
#[derive(Debug)]
struct TransportTable {
    candidates: Vec<Candidate>,
    hints: PerDirection<HintTable>,
    /// Hints of all protocols, of those for Zeek's logs alone too, where there are such.
    hints_for_zeek: Option<PerDirection<HintTable>>,
    /// Those of the candidates that are for Zeek's logs alone, by the bytes of one side.
    of_one_side: Vec<usize>,
    /// Those that only Zeek's logs look for, by what both sides say.
    of_both_sides: Vec<usize>,
    /// All of them.
    all: Vec<usize>,
    /// Ports of the server or of the client that any candidate is asked about.
    ports: PortMap,
    /// Those that are asked about at any port.
    anywhere: Anywhere,
    /// Those that Zeek's logs ask about so.
    anywhere_for_zeek: Anywhere,
}

/// Candidates that are asked about at any port.
#[derive(Debug)]
struct Anywhere {
    one_side: Vec<usize>,
    both_sides: Vec<usize>,
}

impl Anywhere {
    fn new(candidates: &[Candidate], audience: Audience) -> Self {
        let asked = |candidate: &Candidate| !candidate.alone || audience.reads_as_zeek();
        let those = |is_one: &dyn Fn(&Candidate) -> bool| {
            let all = candidates.iter().enumerate();
            all.filter(|(_, candidate)| asked(candidate) && is_one(candidate))
                .map(|(index, _)| index)
                .collect()
        };
        Self {
            one_side: those(&|candidate| candidate.is_at_any_port(audience)),
            both_sides: those(&|candidate| candidate.wants_both(audience)),
        }
    }
}

impl TransportTable {
    fn new(all: &[Candidate], transport: Transport) -> Result<Self, BuildError> {
        let candidates: Vec<_> = all.iter().filter(|c| c.transport == transport).cloned().collect();
        let hints = |readers| -> Result<_, BuildError> {
            Ok(PerDirection {
                to_server: HintTable::new(&candidates, Direction::ToServer, readers)?,
                to_client: HintTable::new(&candidates, Direction::ToClient, readers)?,
            })
        };
        let has_more =
            candidates.iter().any(|candidate| candidate.alone && !candidate.protocol.hints.is_empty());
        let hints_for_zeek = has_more.then(|| hints(Readers::Zeek)).transpose()?;
        let hints = hints(Readers::All)?;
        let those = |is_one: &dyn Fn(&Candidate) -> bool| {
            (0..)
                .zip(&candidates)
                .filter(|(_, candidate)| is_one(candidate))
                .map(|(index, _)| index)
                .collect()
        };
        let of_one_side = those(&|candidate| candidate.alone);
        let of_both_sides =
            those(&|candidate| candidate.wants_both(FOR_ZEEK) && !candidate.wants_both(Audience::Everyone));
        let mut ports = PortMap::default();
        candidates.iter().for_each(|candidate| {
            ports.insert(&candidate.ports);
            ports.insert(&candidate.client_ports);
        });
        let anywhere = Anywhere::new(&candidates, Audience::Everyone);
        let anywhere_for_zeek = Anywhere::new(&candidates, FOR_ZEEK);
        Ok(Self {
            all: (0..candidates.len()).collect(),
            candidates,
            hints,
            hints_for_zeek,
            of_one_side,
            of_both_sides,
            ports,
            anywhere,
            anywhere_for_zeek,
        })
    }

    /// The literals that are asked about.
    fn hints(&self, question: &Question<'_>) -> &PerDirection<HintTable> {
        self.hints_for_zeek.as_ref().filter(|_| question.audience.reads_as_zeek()).unwrap_or(&self.hints)
    }

    /// The protocol that literals speak for. Where they speak for several, a probe that agrees
    /// decides, else the longest literal.
    fn by_hint(
        &self,
        question: &Question<'_>,
        direction: Direction,
        bytes: &[u8],
        scratch: &mut RecognitionScratch,
    ) -> Option<&'static Protocol> {
        let matches = self.hints(question)[direction].scan(question, bytes, scratch);
        let (first, _) = *matches.first()?;
        let agreed = if matches.iter().all(|&(candidate, _)| candidate == first) {
            None
        } else {
            matches.iter().map(|&(candidate, _)| candidate).find(|&candidate| {
                self.candidates
                    .get(candidate)
                    .and_then(|c| c.protocol.probe)
                    .is_some_and(|probe| probe(question.endpoints.transport, direction, bytes) == Probe::Yes)
            })
        };
        self.candidates.get(agreed.unwrap_or(first)).map(|candidate| candidate.protocol)
    }

    /// Returns the candidates that may be asked in a turn.
    fn possible(&self, turn: Turn, question: &Question<'_>) -> &[usize] {
        let Endpoints { client_port, server_port, .. } = *question.endpoints;
        let anywhere = match question.audience.reads_as_zeek() {
            true => &self.anywhere_for_zeek,
            false => &self.anywhere,
        };
        let any_is_asked = match turn {
            Turn::Expected => question.expected.is_some(),
            Turn::ServerPort => self.ports.contains(server_port),
            Turn::ClientPort => self.ports.contains(client_port),
            Turn::AnyPort => return &anywhere.one_side,
            Turn::BothSides => return &anywhere.both_sides,
        };
        if any_is_asked { &self.all } else { &[] }
    }

    /// Asks the probes in turn.
    fn by_probe(
        &self,
        question: &Question<'_>,
        bytes: &[u8],
        last: bool,
        cursor: &mut Cursor,
    ) -> Recognition {
        let Endpoints { client_port, server_port, .. } = *question.endpoints;
        let mut undecided = false;
        for turn in [Turn::Expected, Turn::ServerPort, Turn::ClientPort, Turn::AnyPort, Turn::BothSides] {
            for &index in self.possible(turn, question) {
                let Some(candidate) = self.candidates.get(index) else { continue };
                let its_turn = match turn {
                    Turn::Expected => {
                        question.expected.is_some_and(|expected| expected == candidate.protocol)
                    }
                    Turn::ServerPort => candidate.is_at(server_port, question.audience),
                    Turn::ClientPort => candidate.is_from(client_port, question),
                    Turn::AnyPort | Turn::BothSides => true,
                };
                if !its_turn
                    || cursor.has_refused(index)
                    || candidate.alone && !question.audience.reads_as_zeek()
                {
                    continue;
                }
                let answer = match turn {
                    Turn::BothSides => candidate.probe_both(question.said(bytes)),
                    _ => candidate.probe(question.direction, bytes),
                };
                let Some(mut answer) = answer else { continue };
                if turn == Turn::ClientPort
                    && (question.may_be_reversed || candidate.client_ports.contains(client_port))
                    && matches!(answer, Probe::No | Probe::More)
                    && candidate.probe(question.direction.opposite(), bytes) == Some(Probe::Yes)
                {
                    answer = if question.may_be_reversed { Probe::Reversed } else { Probe::Yes };
                }
                if answer == Probe::ForZeek {
                    answer = if question.audience.reads_as_zeek() { Probe::EitherWay } else { Probe::No };
                }
                if answer == Probe::EitherWay {
                    let turn_around = turn == Turn::ClientPort && question.may_be_reversed;
                    answer = if turn_around { Probe::Reversed } else { Probe::Yes };
                }
                if answer == Probe::ReversedUnseen {
                    answer = if question.may_be_reversed { Probe::Reversed } else { Probe::Yes };
                }
                match answer {
                    Probe::Yes if turn == Turn::BothSides => {
                        return Recognition::FoundInBoth(candidate.protocol);
                    }
                    Probe::Yes | Probe::EitherWay => return Recognition::Found(candidate.protocol),
                    Probe::Reversed => return Recognition::Reversed(candidate.protocol),
                    Probe::Likely if last || question.other_has_spoken => {
                        return Recognition::Found(candidate.protocol);
                    }
                    Probe::Likely => undecided = true,
                    Probe::More if !last => undecided = true,
                    Probe::More | Probe::No | Probe::ForZeek | Probe::ReversedUnseen => cursor.refuse(index),
                }
            }
        }
        if undecided { Recognition::More } else { Recognition::Unknown }
    }
}

/// The order in which probes are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Expected,
    ServerPort,
    ClientPort,
    AnyPort,
    BothSides,
}

/// Recognises protocols. Immutable, shared by workers.
#[derive(Debug)]
pub struct Recogniser {
    tcp: TransportTable,
    udp: TransportTable,
}

impl Recogniser {
    /// A recogniser of `candidates`; where two fit equally well the earlier one is found.
    pub fn new(candidates: &[Candidate]) -> Result<Self, BuildError> {
        Ok(Self {
            tcp: TransportTable::new(candidates, Transport::Tcp)?,
            udp: TransportTable::new(candidates, Transport::Udp)?,
        })
    }

    /// Whether a side of a stream begins as a protocol for Zeek's logs alone does.
    pub fn begins_for_zeek_alone(&self, endpoints: &Endpoints, direction: Direction, bytes: &[u8]) -> bool {
        let table = &self.tcp;
        table.of_one_side.iter().filter_map(|&index| table.candidates.get(index)).any(|candidate| {
            let mut hints = candidate.protocol.hints.iter().filter(|hint| hint.direction == direction);
            if hints.any(|hint| hint.is_in(bytes)) {
                return true;
            }
            let is_here =
                candidate.is_at(endpoints.server_port, FOR_ZEEK) || candidate.is_at_any_port(FOR_ZEEK);
            let answer = is_here.then(|| candidate.probe(direction, bytes)).flatten();
            matches!(answer, Some(Probe::Yes | Probe::Likely | Probe::EitherWay))
        })
    }

    /// Whether there is any such protocol.
    pub fn has_any_for_zeek_alone(&self) -> bool {
        !self.tcp.of_one_side.is_empty()
    }

    /// Whether both sides of a stream begin as a protocol does that only Zeek's logs look for there, or `may_yet` do so.
    pub fn both_begin_for_zeek_alone(&self, said: PerDirection<&[u8]>, enough: Probe) -> bool {
        let table = &self.tcp;
        table.of_both_sides.iter().filter_map(|&index| table.candidates.get(index)).any(|candidate| {
            candidate.probe_both(said).is_some_and(|probe| probe == Probe::Yes || probe == enough)
        })
    }

    /// Recognises the protocol from all bytes of the direction so far. `cursor` belongs to the flow and
    /// direction, and remembers what need not be asked again.
    pub fn recognise(
        &self,
        question: &Question<'_>,
        bytes: &[u8],
        cursor: &mut Cursor,
        scratch: &mut RecognitionScratch,
    ) -> Recognition {
        let table = match question.endpoints.transport {
            Transport::Tcp => &self.tcp,
            Transport::Udp => &self.udp,
        };
        let direction = question.direction;
        let last = question.last || bytes.len() >= RECOGNITION_LIMIT;
        if !cursor.hints_done {
            if let Some(protocol) = table.by_hint(question, direction, bytes, scratch) {
                return Recognition::Found(protocol);
            }
            let other = direction.opposite();
            let mut depth = table.hints(question)[direction].depth;
            if question.may_be_reversed {
                if let Some(protocol) = table.by_hint(question, other, bytes, scratch) {
                    return Recognition::Reversed(protocol);
                }
                depth = depth.max(table.hints(question)[other].depth);
            }
            cursor.hints_done = last || bytes.len() >= depth;
        }
        let answer = table.by_probe(question, bytes, last, cursor);
        cursor.probes_done = answer == Recognition::Unknown;
        if cursor.probes_done && !cursor.hints_done { Recognition::More } else { answer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    const ALL: Audience = Audience::Everyone;
    const ZEEK: Audience = Audience::Zeek(ZeekOnly::Fork);

    fn question(endpoints: &Endpoints, direction: Direction) -> Question<'_> {
        Question {
            endpoints,
            direction,
            may_be_reversed: false,
            expected: None,
            last: false,
            other_has_spoken: false,
            other: &[],
            other_protocol: None,
            audience: Audience::Records,
        }
    }

    fn ask(
        bytes: &[u8],
        direction: Direction,
        ports: (u16, u16),
        may_be_reversed: bool,
        last: bool,
    ) -> Recognition {
        let recogniser = Recogniser::new(&toy::candidates()).unwrap();
        let endpoints = toy::endpoints(Transport::Tcp, ports.0, ports.1);
        let question = Question { may_be_reversed, last, ..question(&endpoints, direction) };
        recogniser.recognise(&question, bytes, &mut Cursor::default(), &mut RecognitionScratch::default())
    }

    #[test]
    fn answers() {
        use Direction::{ToClient, ToServer};
        use Recognition::{Found, More, Reversed, Unknown};
        let long = [b'?'; RECOGNITION_LIMIT];
        type Case<'a> = (&'a [u8], Direction, (u16, u16), bool, bool, Recognition);
        let cases: &[Case<'_>] = &[
            (b"LINE hello", ToServer, (1, 2), false, false, Found(&toy::LINE)),
            (b"line hello", ToServer, (1, 2), false, false, Found(&toy::LINE)),
            (b"LIN", ToServer, (1, 2), false, false, More),
            (b"LIN", ToServer, (1, 2), false, true, Unknown),
            (b"+OK", ToClient, (1, 2), false, false, Found(&toy::LINE)),
            (b"+OK", ToServer, (1, 2), true, false, Reversed(&toy::LINE)),
            (b"+OK nothing", ToServer, (1, 2), false, false, Unknown),
            (b"\x07\x01", ToServer, (1, 2), false, false, More),
            (b"\x07\x01\x02\x03", ToServer, (1, 7), false, false, Found(&toy::BINARY)),
            (b"\x07\x01\x02\x03\x04\x05", ToServer, (1, 2), false, false, Unknown),
            (b"\x08\x01\x02\x03", ToServer, (7, 2), true, false, Reversed(&toy::BINARY)),
            (b"\x08\x01\x02\x03", ToClient, (1, 7), false, false, Found(&toy::BINARY)),
            (&long, ToServer, (1, 7), false, false, Unknown),
            (b"", ToServer, (1, 7), false, true, Unknown),
        ];
        for &(bytes, direction, ports, reversed, last, expected) in cases {
            let answer = ask(bytes, direction, ports, reversed, last);
            assert_eq!(answer, expected, "{bytes:?} {direction:?} {ports:?} {reversed} {last}");
        }
    }

    #[test]
    fn where_literals_of_several_fit_a_probe_decides() {
        static LONGER: Protocol =
            Protocol { name: "longer", hints: &[Hint::starts(Direction::ToServer, b"\x07ab")], ..toy::TLS };
        static SHORTER: Protocol = Protocol {
            name: "shorter",
            hints: &[Hint::starts(Direction::ToServer, b"\x07a")],
            probe: Some(|_, _, bytes| if bytes.get(3) == Some(&b'!') { Probe::Yes } else { Probe::No }),
            ..toy::TLS
        };
        let candidates = [&LONGER, &SHORTER].map(|protocol| Candidate {
            protocol,
            transport: Transport::Tcp,
            ports: PortSet::default(),
            client_ports: PortSet::default(),
            alone: false,
        });
        let recogniser = Recogniser::new(&candidates).unwrap();
        let endpoints = toy::endpoints(Transport::Tcp, 1, 2);
        let question = question(&endpoints, Direction::ToServer);
        for (bytes, expected) in [(b"\x07abc", &LONGER), (b"\x07ab!", &SHORTER), (b"\x07acc", &SHORTER)] {
            let mut scratch = RecognitionScratch::default();
            let answer = recogniser.recognise(&question, bytes, &mut Cursor::default(), &mut scratch);
            assert_eq!(answer, Recognition::Found(expected), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_likely_waits_for_the_other_side() {
        static BANNER: Protocol = Protocol {
            hints: &[],
            probe: Some(|_, _, bytes| if bytes.starts_with(b"220 ") { Probe::Likely } else { Probe::No }),
            any_port: AnyPort::OneSide,
            ..toy::TLS
        };
        let candidate = Candidate {
            protocol: &BANNER,
            transport: Transport::Tcp,
            ports: PortSet::default(),
            client_ports: PortSet::default(),
            alone: false,
        };
        let recogniser = Recogniser::new(&[candidate]).unwrap();
        let endpoints = toy::endpoints(Transport::Tcp, 1, 2);
        let cases = [
            (b"220 a", false, false, Recognition::More),
            (b"220 a", true, false, Recognition::Found(&BANNER)),
            (b"220 a", false, true, Recognition::Found(&BANNER)),
            (b"250 a", true, true, Recognition::Unknown),
        ];
        for (bytes, last, other_has_spoken, expected) in cases {
            let question = Question { last, other_has_spoken, ..question(&endpoints, Direction::ToClient) };
            let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
            assert_eq!(recogniser.recognise(&question, bytes, &mut cursor, &mut scratch), expected);
        }
    }

    #[test]
    fn where_both_sides_have_to_fit() {
        fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
            match (direction, bytes) {
                (_, []) => Probe::More,
                (Direction::ToServer, [b'?', ..]) | (Direction::ToClient, [b'!', ..]) => Probe::Yes,
                _ => Probe::No,
            }
        }
        const BOTH: Protocol =
            Protocol { hints: &[], probe: Some(probe), any_port: AnyPort::BothSides, ..toy::TLS };
        static FOR_ALL: Protocol = BOTH;
        static FOR_ZEEK: Protocol = Protocol { any_port: AnyPort::BothSidesForZeek, ..BOTH };
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &[u8], &[u8], Recognition)] = &[
            (up, b"?", b"", Recognition::More),
            (down, b"!", b"", Recognition::More),
            (up, b"?", b"!", Recognition::FoundInBoth(&BOTH)),
            (down, b"!", b"?", Recognition::FoundInBoth(&BOTH)),
            (up, b"?", b"?", Recognition::Unknown),
            (up, b"!", b"!", Recognition::Unknown),
        ];
        // Its own port is 9.
        for (protocol, alone, audience, port, is_asked) in [
            (&FOR_ALL, false, ALL, 10, true),
            (&FOR_ALL, false, ALL, 9, true),
            (&FOR_ALL, true, ALL, 10, false),
            (&FOR_ALL, true, ZEEK, 10, true),
            (&FOR_ZEEK, false, ALL, 10, false),
            (&FOR_ZEEK, false, ZEEK, 10, true),
        ] {
            let ports = PortSet::of(&[9]);
            let candidate = Candidate {
                protocol,
                transport: Transport::Tcp,
                ports,
                client_ports: PortSet::default(),
                alone,
            };
            let recogniser = Recogniser::new(&[candidate]).unwrap();
            let endpoints = toy::endpoints(Transport::Tcp, 1, port);
            for &(direction, bytes, other, expected) in cases {
                let question = Question { other, audience, ..question(&endpoints, direction) };
                let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
                let answer = recogniser.recognise(&question, bytes, &mut cursor, &mut scratch);
                let expected = if is_asked { expected } else { Recognition::Unknown };
                let context = format!("{:?} {alone} {audience:?} {port}", protocol.any_port);
                assert_eq!(answer, expected, "{context}: {direction:?} {bytes:?} {other:?}");
            }
            let for_zeek = alone || protocol.any_port == AnyPort::BothSidesForZeek;
            let said = |to_server, to_client| PerDirection { to_server, to_client };
            for (said, begin) in [
                (said(&b"?"[..], &b"!"[..]), [true, true]),
                (said(b"?", b""), [false, true]),
                (said(b"!", b""), [false, false]),
            ] {
                let answers = [Probe::Yes, Probe::More]
                    .map(|enough| recogniser.both_begin_for_zeek_alone(said, enough));
                let expected = begin.map(|begin| begin && for_zeek);
                assert_eq!(answers, expected, "{:?} {alone} {said:?}", protocol.any_port);
            }
        }
    }

    #[test]
    fn probes_for_zeeks_logs() {
        static AT_PORT: Protocol = Protocol {
            probe: Some(|_, _, bytes| if bytes == b"!" { Probe::Yes } else { Probe::No }),
            any_port: AnyPort::OneSideForZeek,
            ..toy::TLS
        };
        static HINTED: Protocol = Protocol { any_port: AnyPort::ProbedForZeek, ..AT_PORT };
        for (protocol, audience, port, is_found) in [
            (&AT_PORT, ALL, 9, true),
            (&AT_PORT, ALL, 10, false),
            (&AT_PORT, ZEEK, 10, true),
            (&HINTED, ALL, 9, false),
            (&HINTED, ALL, 10, false),
            (&HINTED, ZEEK, 9, true),
            (&HINTED, ZEEK, 10, true),
        ] {
            let candidate = Candidate {
                protocol,
                transport: Transport::Tcp,
                ports: PortSet::of(&[9]),
                client_ports: PortSet::default(),
                alone: false,
            };
            let recogniser = Recogniser::new(&[candidate]).unwrap();
            let endpoints = toy::endpoints(Transport::Tcp, 1, port);
            let question = Question { audience, last: true, ..question(&endpoints, Direction::ToServer) };
            let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
            let answer = recogniser.recognise(&question, b"!", &mut cursor, &mut scratch);
            let expected = if is_found { Recognition::Found(protocol) } else { Recognition::Unknown };
            assert_eq!(answer, expected, "{:?} {audience:?} {port}", protocol.any_port);
            assert!(!cursor.waits_for_hints_alone());
        }
    }

    #[test]
    fn a_literal_may_say_nothing_beside_another_protocol_or_to_zeek() {
        static SHARED: Protocol = Protocol {
            hints: &[Hint {
                unless: Some("line"),
                tells: HintReaders::Records,
                ..Hint::starts(Direction::ToServer, b"USER ")
            }],
            ..toy::TLS
        };
        let candidate = Candidate {
            protocol: &SHARED,
            transport: Transport::Tcp,
            ports: PortSet::default(),
            client_ports: PortSet::default(),
            alone: false,
        };
        let recogniser = Recogniser::new(&[candidate]).unwrap();
        let endpoints = toy::endpoints(Transport::Tcp, 1, 2);
        for (other_protocol, audience, expected) in [
            (None, ALL, Recognition::Found(&SHARED)),
            (Some(&toy::BINARY), ALL, Recognition::Found(&SHARED)),
            (Some(&toy::LINE), ALL, Recognition::Unknown),
            (None, ZEEK, Recognition::Unknown),
        ] {
            let question = Question { other_protocol, audience, ..question(&endpoints, Direction::ToServer) };
            let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
            let answer = recogniser.recognise(&question, b"USER bob", &mut cursor, &mut scratch);
            assert_eq!(answer, expected, "{other_protocol:?}");
        }
    }

    #[test]
    fn what_only_zeeks_logs_are_told_of() {
        static ALONE: Protocol = Protocol {
            hints: &[
                Hint::starts(Direction::ToServer, b"alone"),
                Hint { offset: 2, depth: 6, nocase: true, ..Hint::starts(Direction::ToServer, b"AT") },
            ],
            probe: Some(|_, _, bytes| if bytes == b"!" { Probe::Yes } else { Probe::No }),
            ..toy::TLS
        };
        let candidate = Candidate {
            protocol: &ALONE,
            transport: Transport::Tcp,
            ports: PortSet::of(&[9]),
            client_ports: PortSet::default(),
            alone: true,
        };
        let recogniser = Recogniser::new(&[candidate]).unwrap();
        for (port, bytes, begins) in [
            (9, &b"!"[..], true),
            (9, b"?", false),
            (10, b"!", false),
            (10, b"alone", true),
            (10, b".alone", false),
            (10, b"--at", true),
            (10, b"----At", true),
            (10, b"-----at", false),
        ] {
            let endpoints = &toy::endpoints(Transport::Tcp, 1, port);
            let direction = Direction::ToServer;
            assert_eq!(recogniser.begins_for_zeek_alone(endpoints, direction, bytes), begins, "{port}");
            for audience in [ALL, ZEEK] {
                let question = Question { audience, last: true, ..question(endpoints, direction) };
                let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
                let answer = recogniser.recognise(&question, bytes, &mut cursor, &mut scratch);
                let expected = if begins && audience == ZEEK {
                    Recognition::Found(&ALONE)
                } else {
                    Recognition::Unknown
                };
                assert_eq!(answer, expected, "{port} {audience:?}");
            }
        }
        assert!(recogniser.has_any_for_zeek_alone());
        assert!(!Recogniser::new(&toy::candidates()).unwrap().has_any_for_zeek_alone());
    }

    #[test]
    fn what_the_other_side_may_have_sent() {
        static SYMMETRIC: Protocol =
            Protocol { hints: &[], probe: Some(|_, _, _| Probe::EitherWay), ..toy::TLS };
        static ONE_SIDED: Protocol =
            Protocol { hints: &[], probe: Some(|_, _, _| Probe::ReversedUnseen), ..toy::TLS };
        for (protocol, ports, may_be_reversed, is_reversed) in [
            (&SYMMETRIC, (1, 9), true, false),
            (&SYMMETRIC, (9, 1), true, true),
            (&SYMMETRIC, (9, 1), false, false),
            (&ONE_SIDED, (1, 9), true, true),
            (&ONE_SIDED, (1, 9), false, false),
        ] {
            let candidate = Candidate {
                protocol,
                transport: Transport::Tcp,
                ports: PortSet::of(&[9]),
                client_ports: PortSet::default(),
                alone: false,
            };
            let recogniser = Recogniser::new(&[candidate]).unwrap();
            let endpoints = toy::endpoints(Transport::Tcp, ports.0, ports.1);
            let question = Question { may_be_reversed, ..question(&endpoints, Direction::ToServer) };
            let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
            let answer = recogniser.recognise(&question, b"any", &mut cursor, &mut scratch);
            assert_eq!(answer == Recognition::Reversed(protocol), is_reversed, "{answer:?}");
        }
    }

    #[test]
    fn datagrams_from_a_port_of_the_server() {
        const ONLY_ZEEK: fn(Transport, Direction, &[u8]) -> Probe = |_, _, _| Probe::ForZeek;
        static OF_ZEEK: Protocol = Protocol { hints: &[], probe: Some(ONLY_ZEEK), ..toy::BINARY };
        let answer = |protocol, client_ports: &[u16], may_be_reversed, audience| {
            let (transport, ports) = (Transport::Udp, PortSet::of(&[7]));
            let client_ports = PortSet::of(client_ports);
            let candidate = Candidate { protocol, transport, ports, client_ports, alone: false };
            let recogniser = Recogniser::new(&[candidate]).unwrap();
            let endpoints = toy::endpoints(transport, 7, 1000);
            let question = Question {
                may_be_reversed,
                audience,
                last: true,
                ..question(&endpoints, Direction::ToServer)
            };
            let (mut cursor, mut scratch) = (Cursor::default(), RecognitionScratch::default());
            recogniser.recognise(&question, b"\x08\x01\x02\x03", &mut cursor, &mut scratch)
        };
        let bin = &toy::BINARY;
        assert_eq!(answer(bin, &[], false, ALL), Recognition::Unknown);
        assert_eq!(answer(bin, &[7], false, ALL), Recognition::Found(bin), "a port that a setting names");
        assert_eq!(answer(bin, &[], true, ALL), Recognition::Reversed(bin));
        assert_eq!(answer(bin, &[], true, ZEEK), Recognition::Reversed(bin));
        assert_eq!(answer(&OF_ZEEK, &[], true, ALL), Recognition::Unknown);
        assert_eq!(answer(&OF_ZEEK, &[], true, ZEEK), Recognition::Reversed(&OF_ZEEK));
    }

    #[test]
    fn the_cursor_remembers_what_was_refused() {
        let recogniser = Recogniser::new(&toy::candidates()).unwrap();
        let endpoints = toy::endpoints(Transport::Tcp, 1, 7);
        let question = question(&endpoints, Direction::ToServer);
        let mut cursor = Cursor::default();
        let mut scratch = RecognitionScratch::default();
        let mut answers = Vec::new();
        for bytes in [&b"LI"[..], b"LINE"] {
            answers.push(recogniser.recognise(&question, bytes, &mut cursor, &mut scratch));
        }
        assert_eq!(answers, [Recognition::More, Recognition::More]);
        assert!(cursor.has_refused(1), "the binary protocol's probe said no");
        let answer = recogniser.recognise(&question, b"LINE ", &mut cursor, &mut scratch);
        assert_eq!(answer, Recognition::Found(&toy::LINE));
    }
}
