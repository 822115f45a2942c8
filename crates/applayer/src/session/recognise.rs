//! From bytes to a protocol: when each side is decided, which of two protocols wins, and when to
//! give up. The rules are those of Suricata's protocol detection, so that the same flows get the
//! same `app_proto` and the same events.

use weir_base::Direction;

use super::pending::Pending;
use super::{AppSession, Before, Feed, FlowEvent, HELD_MAX, Known, SessionContext, UPGRADES_MAX};
use crate::audience::{Audience, Beginning};
use crate::detection::{Cursor, Question, Recognition};
use crate::protocol::{AnyPort, Probe, Protocol, Transport};
use crate::registry::Registry;
use crate::session::ParserFailure;

impl AppSession {
    /// Looks at what a side said so far; `last` says that nothing will be added. Answers the side's
    /// direction, which is another one where the flow turned out to be reversed.
    pub(super) fn recognise(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        last: bool,
    ) -> Direction {
        let mut direction = direction;
        if self.sides[direction].known == Known::Undecided {
            if self.skip_line_ends(direction) && !last {
                return direction;
            }
            direction = self.look(cx, direction, last);
            self.ask_other(cx, direction);
        }
        self.settle(cx);
        direction
    }

    /// Takes note of what a side's held bytes tell; `last` says that nothing will be added, or is waited for. A side of
    /// which more bytes would have told more is then at its end rather than nothing known. Answers its direction.
    fn look(&mut self, cx: &mut SessionContext<'_>, direction: Direction, last: bool) -> Direction {
        let pending = std::mem::take(&mut self.sides[direction].pending);
        let mut answer = self.ask(cx, direction, pending.bytes(), false);
        let mut ended = false;
        if last && answer == Recognition::More {
            answer = self.ask(cx, direction, pending.bytes(), true);
            ended = matches!(answer, Recognition::More | Recognition::Unknown);
        }
        self.sides[direction].pending = pending;
        match answer {
            Recognition::Unknown => self.fork_where_zeek_knows(cx, direction, None),
            Recognition::Found(found) => self.fork_where_zeek_differs(cx, direction, found),
            _ => {}
        }
        if ended {
            self.decide(cx, direction, Known::Ended);
            return direction;
        }
        self.note(cx, direction, answer)
    }

    /// A side that is probably something is that, once the other one has said something that is nothing known.
    fn ask_other(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        let other = direction.opposite();
        if self.protocol.is_some()
            || matches!(self.sides[direction].known, Known::Found(_))
            || !self.has_spoken(direction)
            || self.sides[other].known != Known::Undecided
            || self.sides[other].pending.is_empty()
        {
            return;
        }
        let pending = std::mem::take(&mut self.sides[other].pending);
        let answer = self.ask(cx, other, pending.bytes(), false);
        self.sides[other].pending = pending;
        self.note(cx, other, answer);
        if let Known::Found(_) = self.sides[other].known {
            self.decide(cx, direction, Known::Failed);
        }
    }

    /// Whether a side said a line, or what is enough to tell what it is or that it is nothing known.
    fn has_spoken(&self, direction: Direction) -> bool {
        let side = &self.sides[direction];
        side.known != Known::Undecided || side.pending.bytes().contains(&b'\n')
    }

    /// Skips line ends that are left of what came before a tunnel; answers whether nothing else is there.
    fn skip_line_ends(&mut self, direction: Direction) -> bool {
        if self.upgrades == 0 || self.expected.is_some() {
            return false;
        }
        let pending = &mut self.sides[direction].pending;
        let length = pending.bytes().iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        pending.consume(length);
        let nothing = length > 0 && pending.is_empty();
        if nothing && self.first_seen == Some(direction) {
            self.first_seen = None;
        }
        nothing
    }

    /// The first datagram of each side is looked at; answers the datagram's direction, which is
    /// another one where the flow turned out to be reversed.
    pub(super) fn recognise_datagram(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        bytes: &[u8],
    ) -> Direction {
        if self.sides[direction].known != Known::Undecided {
            return direction;
        }
        let answer = self.ask(cx, direction, bytes, true);
        if answer == Recognition::Unknown {
            self.fork_where_zeek_knows(cx, direction, Some(bytes));
        }
        let direction = self.note(cx, direction, answer);
        match (self.sides[direction].known, self.protocol) {
            (Known::Found(found), Some(current)) if found != current => {
                cx.report.event(FlowEvent::MismatchProtocolBothDirections);
            }
            (Known::Found(found), None) => {
                self.failed = false;
                self.open_datagrams(cx, found);
            }
            // An answer that is like none is believed to be what the other side speaks.
            (Known::Failed, Some(current)) => self.sides[direction].known = Known::Found(current),
            (Known::Failed, None) if self.failed_in(direction.opposite()) => self.give_up(cx),
            // The flow is nothing known until its other side tells.
            (Known::Failed, None) => self.note_failure(cx),
            _ => {}
        }
        direction
    }

    /// The first datagram of a side settles what it speaks, also where it is empty; Zeek goes by the next one.
    pub(super) fn empty_datagram(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        if cx.audience.reads_as_zeek() || self.sides[direction].known != Known::Undecided {
            return;
        }
        self.fork_here(cx);
        self.recognise_datagram(cx, direction, &[]);
    }

    fn ask(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        bytes: &[u8],
        last: bool,
    ) -> Recognition {
        let mut cursor = self.sides[direction].cursor;
        let answer = self.ask_for(cx, cx.audience, direction, bytes, &mut cursor, last);
        self.sides[direction].cursor = cursor;
        match (answer, self.announced.as_deref()) {
            (Recognition::More | Recognition::Unknown, Some(announced)) if !bytes.is_empty() => {
                let entry = cx.registry.by_name(announced.protocol);
                entry.map_or(answer, |entry| Recognition::Found(entry.protocol))
            }
            _ => answer,
        }
    }

    /// Asks for an audience. `last` says that nothing will be added.
    pub(super) fn ask_for(
        &self,
        cx: &mut SessionContext<'_>,
        audience: Audience,
        direction: Direction,
        bytes: &[u8],
        cursor: &mut Cursor,
        last: bool,
    ) -> Recognition {
        // Zeek goes by the ports of datagrams.
        let by_ports = audience.reads_as_zeek() && Self::transport(cx) == Transport::Udp;
        let other = direction.opposite();
        let question = Question {
            endpoints: &cx.endpoints,
            direction,
            may_be_reversed: self.protocol.is_none()
                && self.upgrades == 0
                && (cx.beginning == Beginning::Midstream || by_ports)
                && self.sides[other].known == Known::Undecided,
            expected: self.expected,
            last,
            other_has_spoken: self.has_spoken(other),
            other: self.sides[other].pending.bytes(),
            other_protocol: self.protocol_of(other),
            audience,
        };
        cx.registry.recogniser().recognise(&question, bytes, cursor, &mut cx.scratch.recognition)
    }

    /// Records an answer; answers the direction that it is about.
    fn note(&mut self, cx: &mut SessionContext<'_>, direction: Direction, answer: Recognition) -> Direction {
        let known = match answer {
            Recognition::More => Known::Undecided,
            Recognition::Unknown => Known::Failed,
            Recognition::Found(protocol) => Known::Found(protocol),
            Recognition::FoundInBoth(protocol) => {
                if protocol.any_port == AnyPort::BothSidesForZeek {
                    self.postpone();
                }
                self.decide(cx, direction.opposite(), Known::Found(protocol));
                Known::Found(protocol)
            }
            Recognition::Reversed(protocol) => {
                self.reverse(cx);
                self.decide(cx, direction.opposite(), Known::Found(protocol));
                return direction.opposite();
            }
        };
        self.decide(cx, direction, known);
        direction
    }

    /// All that was held counts as said when the last of it was: Zeek reads it once both sides have spoken. What
    /// another protocol follows, as behind a proxy's greeting, keeps its times, for they tell in which order to read.
    fn postpone(&mut self) {
        let last = |direction| self.sides[direction].pending.arrivals().last().map(|&(_, time)| time);
        let Some(time) = Direction::BOTH.into_iter().filter_map(last).max() else { return };
        Direction::BOTH.iter().for_each(|&direction| self.sides[direction].pending.postpone(time));
    }

    /// Takes note of what is known of what a side speaks.
    fn decide(&mut self, cx: &mut SessionContext<'_>, direction: Direction, known: Known) {
        let side = &mut self.sides[direction];
        cx.report.recognised[direction] |= side.known == Known::Undecided && known != Known::Undecided;
        side.known = known;
    }

    /// Swaps client and server.
    fn reverse(&mut self, cx: &mut SessionContext<'_>) {
        self.swap_sides();
        if let Some(forked) = &mut self.forked {
            forked.turn();
        }
        cx.endpoints.turn();
        cx.report.reversed = !cx.report.reversed;
    }

    pub(super) fn swap_sides(&mut self) {
        std::mem::swap(&mut self.sides.to_server, &mut self.sides.to_client);
        self.first_seen = self.first_seen.map(Direction::opposite);
    }

    /// Acts on what is known of both sides.
    pub(super) fn settle(&mut self, cx: &mut SessionContext<'_>) {
        if self.protocol.is_some() {
            return self.join_both(cx, Direction::ToServer);
        }
        let protocol = match (self.sides.to_server.known, self.sides.to_client.known) {
            // Nothing was parsed yet, and where the two differ the server is trusted more.
            (_, Known::Found(server)) => server,
            (Known::Found(client), _) => client,
            (client, server) if client.is_nothing() && server.is_nothing() => {
                self.fork_by_both(cx, Probe::More);
                return self.end_recognition(cx);
            }
            (_, Known::Failed) if self.client_says_too_little(cx) => {
                self.fork_held(cx);
                return self.give_up(cx);
            }
            _ => {
                if Direction::BOTH.iter().any(|&d| self.sides[d].pending.len() > HELD_MAX) {
                    cx.report.event(FlowEvent::ProtoDetectionSkipped);
                    self.give_up(cx);
                } else if cx.beginning == Beginning::Midstream
                    && self.upgrades == 0
                    && self.client_is_in_the_middle()
                {
                    // The middle of a request cannot be distinguished from nothing at all, and a parser that
                    // is started by the response alone would misread what follows.
                    self.give_up(cx);
                } else {
                    self.fork_by_both(cx, Probe::Yes);
                }
                return;
            }
        };
        self.start(cx, protocol);
    }

    /// Whether the client said something that is too short for all that it might begin, and nothing that probes know:
    /// it is not waited for. A server that said as little is.
    fn client_says_too_little(&self, cx: &SessionContext<'_>) -> bool {
        let client = &self.sides.to_server;
        !cx.audience.reads_as_zeek()
            && client.known == Known::Undecided
            && !client.pending.is_empty()
            && client.cursor.waits_for_hints_alone()
    }

    /// Whether the client said something that is nothing known. A client that was never heard is
    /// none of those: its server may yet tell.
    fn client_is_in_the_middle(&self) -> bool {
        let client = &self.sides.to_server;
        client.known == Known::Failed && !client.pending.is_empty()
    }

    /// Begins to parse what was held.
    fn start(&mut self, cx: &mut SessionContext<'_>, protocol: &'static Protocol) {
        self.open(cx, protocol);
        let first = self.first_seen.unwrap_or(Direction::ToServer);
        if self.upgrades == 0 && protocol.first_speaker.is_some_and(|speaker| speaker != first) {
            cx.report.event(FlowEvent::WrongDirectionFirstData);
            return self.stop();
        }
        if self.sides[first].known == Known::Undecided && !self.sides[first].pending.is_empty() {
            // What was said first is to be parsed first, so it cannot wait for more.
            self.look(cx, first, true);
        }
        self.join_both(cx, first);
    }

    /// Gives the held bytes of both sides to the parser, as long as they are the same protocol's.
    fn join_both(&mut self, cx: &mut SessionContext<'_>, first: Direction) {
        let (upgrades, other) = (self.upgrades, first.opposite());
        let held = self.held_beside(cx, other);
        self.join(cx, first);
        match held {
            // Of what the first side said the parser could make no sense; that of the other side waited for it only.
            Some(held) if self.failure == Some(ParserFailure::Parser) => {
                self.parse(cx, other, held.offset(), held.bytes(), held.arrivals());
            }
            _ if self.upgrades == upgrades => self.join(cx, other),
            _ => {}
        }
    }

    /// A copy of what is held of a side that is to be parsed, as rules and records see it, whatever the other one said.
    fn held_beside(&self, cx: &SessionContext<'_>, direction: Direction) -> Option<Pending> {
        let side = &self.sides[direction];
        let is_own = matches!(side.known, Known::Found(found) if self.protocol == Some(found));
        let is_held = side.feed == Feed::Held && !side.pending.is_empty();
        (is_own && is_held && self.failure.is_none() && !cx.audience.reads_as_zeek())
            .then(|| side.pending.clone())
    }

    /// Makes `protocol` the flow's and opens its parser, where it is parsed.
    fn open(&mut self, cx: &mut SessionContext<'_>, protocol: &'static Protocol) {
        self.protocol = Some(protocol);
        self.id = cx.registry.id_of(protocol);
        if let Some(expected) = self.expected
            && expected != protocol
        {
            cx.report.event(FlowEvent::UnexpectedProtocol);
            if let Some(event) = expected.absence {
                cx.report.event(event);
            }
        }
        let transport = Self::transport(cx);
        let Some(id) = self.id else { return };
        if let Some(counters) = cx.counters.of(id, transport) {
            counters.flows += 1;
        }
        let unread = cx.beginning == Beginning::Missed && protocol.zeek.is_some_and(|logs| logs.from_start);
        let factory = cx.registry.entry(id).filter(|_| !unread).and_then(|entry| entry.factory(transport));
        self.parser = factory.map(|factory| factory.open(&cx.endpoints));
        if let Some(announced) =
            self.announced.as_deref().filter(|announced| protocol.is_named(announced.protocol))
            && let Some(parser) = &mut self.parser
        {
            parser.announced(&announced.tag);
        }
        if let (Some(before), Some(parser)) = (self.before.as_deref(), &mut self.parser) {
            parser.follows(before.protocol);
            before.legacy.iter().for_each(|legacy| parser.inherit(legacy));
        }
    }

    /// Opens a protocol over datagrams, which are never held.
    fn open_datagrams(&mut self, cx: &mut SessionContext<'_>, protocol: &'static Protocol) {
        self.open(cx, protocol);
        for direction in Direction::BOTH {
            self.sides[direction].feed = self.feed();
        }
    }

    /// Returns where bytes go now that the protocol is known.
    fn feed(&self) -> Feed {
        if self.parser.is_some() && self.failure.is_none() { Feed::Parsing } else { Feed::Stopped }
    }

    /// Gives a decided side's held bytes to the parser.
    fn join(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        let feed = self.feed();
        let side = &mut self.sides[direction];
        if side.feed != Feed::Held {
            return;
        }
        match side.known {
            Known::Undecided if side.pending.len() <= HELD_MAX && feed == Feed::Parsing => return,
            Known::Found(found) if self.protocol.is_some_and(|current| current != found) => {
                cx.report.event(FlowEvent::MismatchProtocolBothDirections);
            }
            Known::Failed if !side.pending.is_empty() => {
                cx.report.event(FlowEvent::DetectProtocolOnlyOneDirection)
            }
            _ => {}
        }
        side.feed = feed;
        let held: Pending = std::mem::take(&mut side.pending);
        let was_nothing = side.known == Known::Failed && !held.is_empty();
        let upgrades = self.upgrades;
        if feed == Feed::Parsing && !held.is_empty() {
            self.parse(cx, direction, held.offset(), held.bytes(), held.arrivals());
        }
        if let Some(protocol) =
            self.protocol.filter(|_| was_nothing && self.failure == Some(ParserFailure::Parser))
        {
            // Where the parser cannot make sense of it either, it stays what the parser took it for.
            self.sides[direction].known = Known::Found(protocol);
        }
        if self.upgrades == upgrades && self.sides[direction].closed {
            self.close_parser(cx, direction);
        }
    }

    /// No side will tell. Where one of them ended before it could, the flow may have spoken anything.
    pub(super) fn end_recognition(&mut self, cx: &mut SessionContext<'_>) {
        let is_open = Direction::BOTH.iter().any(|&direction| !self.failed_in(direction));
        if self.upgrades > 0 || !is_open {
            return self.give_up(cx);
        }
        for direction in Direction::BOTH {
            if self.sides[direction].known == Known::Undecided {
                self.decide(cx, direction, Known::Ended);
            }
        }
        self.stop();
    }

    /// Takes note, once, that the flow speaks nothing that is known here.
    fn note_failure(&mut self, cx: &mut SessionContext<'_>) {
        if std::mem::replace(&mut self.failed, true) {
            return;
        }
        match Self::transport(cx) {
            Transport::Tcp => cx.counters.failed_tcp += 1,
            Transport::Udp => cx.counters.failed_udp += 1,
        }
    }

    /// The flow speaks nothing that is known here.
    pub(super) fn give_up(&mut self, cx: &mut SessionContext<'_>) {
        self.note_failure(cx);
        for direction in Direction::BOTH {
            self.decide(cx, direction, Known::Failed);
        }
        if let Some(event) = self.expected.and_then(|expected| expected.absence) {
            cx.report.event(event);
        }
        self.stop();
    }

    /// The protocol that a client which spoke something that is not read begins with these bytes.
    pub(super) fn begins_anew(
        &self,
        registry: &Registry,
        direction: Direction,
        bytes: &[u8],
    ) -> Option<&'static str> {
        let spoke = Direction::BOTH.iter().any(|&direction| !self.sides[direction].pending.is_empty());
        // It may be one that is only told from others.
        let is_unread = match self.protocol {
            Some(_) => self.parser.is_none(),
            None => spoke,
        };
        let is_over = self.failed || Direction::BOTH.iter().any(|&d| self.sides[d].known == Known::Ended);
        if !(is_over || is_unread) || direction != Direction::ToServer || self.upgrades >= UPGRADES_MAX {
            return None;
        }
        registry.begun_anew(bytes).map(|protocol| protocol.name)
    }

    /// Drops all that comes from now on.
    pub(super) fn stop(&mut self) {
        for direction in Direction::BOTH {
            self.sides[direction].stop();
        }
    }

    /// The flow's protocol ends after what the parser took: another one follows, `name` or any.
    pub(super) fn upgrade(&mut self, cx: &mut SessionContext<'_>, direction: Direction, name: Option<&str>) {
        if self.upgrades >= UPGRADES_MAX {
            return self.fail(cx, ParserFailure::Internal);
        }
        self.upgrades += 1;
        let legacy = self.retire(cx);
        self.before = self.protocol.take().map(|protocol| Box::new(Before { protocol, legacy }));
        self.id = None;
        self.announced = None;
        self.first_seen = None;
        self.expected = name.and_then(|name| cx.registry.by_name(name)).map(|entry| entry.protocol);
        // One that nothing can recognise is believed.
        let known = match self.expected {
            Some(named) if named.hints.is_empty() && named.probe.is_none() => Known::Found(named),
            _ => Known::Undecided,
        };
        for direction in Direction::BOTH {
            self.sides[direction].known = Known::Undecided;
            self.decide(cx, direction, known);
            let side = &mut self.sides[direction];
            side.feed = Feed::Held;
            side.cursor = Default::default();
            side.needed = 0;
            side.presented = 0;
            side.framed = false;
        }
        match (Self::transport(cx), known) {
            (Transport::Udp, Known::Found(named)) => return self.open_datagrams(cx, named),
            (Transport::Udp, _) => return,
            (Transport::Tcp, _) => {}
        }
        let upgrades = self.upgrades;
        if known != Known::Undecided {
            self.first_seen = Some(direction);
            return self.settle(cx);
        }
        // What was said first is looked at first.
        let since = |direction| self.sides[direction].pending.arrivals().first().map(|&(_, time)| time);
        let other = direction.opposite();
        let is_later = since(other).is_some_and(|other| since(direction).is_some_and(|own| other < own));
        let order = if is_later { [other, direction] } else { [direction, other] };
        for direction in order {
            let side = &self.sides[direction];
            if self.upgrades != upgrades
                || side.feed != Feed::Held
                || (side.pending.is_empty() && !side.closed)
            {
                continue;
            }
            if !side.pending.is_empty() {
                self.first_seen.get_or_insert(direction);
            }
            let closed = side.closed;
            self.recognise(cx, direction, closed);
        }
    }
}
