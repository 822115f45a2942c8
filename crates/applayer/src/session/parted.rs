//! Two readings of one flow: that of rules and records, and Zeek's where it differs.
//!
//! Peers, and with them Suricata and Zeek, read holes and malformed bytes in more than one way. A flow is read once
//! as long as both readings agree, as most flows are to their end. Where they do not, the session parts: Zeek's
//! logs are told what a second one reads, which begins as the first one was there, and rules and records never hear
//! of it. Without Zeek's logs no session parts.

use weir_base::{Direction, PerDirection, Timestamp};

use super::pending::Pending;
use super::{AppSession, Feed, SessionContext, StreamEvent};
use crate::detection::RECOGNITION_LIMIT;
use crate::memory::TakenMemory;
use crate::parser::{Early, Parser};

/// Bytes of a side that tell whether it begins a protocol that only Zeek's logs are told of.
const BEGINNING_MAX: usize = 1024;

/// What Zeek's logs are told of in place of the session that it parted from.
pub(super) struct Parted {
    session: AppSession,
    /// What it has not read of the event during which it parted.
    unread: Unread,
    /// Up to where what was not seen counts as missing, whatever may yet come.
    given_up: PerDirection<u64>,
    /// Its client is the server of the session that it parted from.
    turned: bool,
    /// Nobody has asked yet whether it is new.
    new: bool,
}

impl Parted {
    /// Goes on with an event.
    fn follow(&mut self, cx: &mut SessionContext<'_>, event: StreamEvent<'_>) {
        match std::mem::replace(&mut self.unread, Unread::Nothing) {
            Unread::Nothing | Unread::All => return self.take(cx, event),
            Unread::Held => self.session.recognise_held(cx),
            Unread::Pending(direction) => self.session.catch_up(cx, direction),
            Unread::End(direction) => self.session.catch_up_with_end(cx, direction),
        }
        // Bytes have been read, or are among what waited.
        if !matches!(event, StreamEvent::Data { .. } | StreamEvent::Datagram { .. }) {
            self.take(cx, event);
        }
    }

    /// The session that it parted from has turned around.
    pub(super) fn turn(&mut self) {
        if !std::mem::take(&mut self.turned) {
            self.session.swap_sides();
            self.swap_given_up();
        }
    }

    fn swap_given_up(&mut self) {
        std::mem::swap(&mut self.given_up.to_server, &mut self.given_up.to_client);
    }

    /// Reads on, less what counts as missing.
    fn take(&mut self, cx: &mut SessionContext<'_>, event: StreamEvent<'_>) {
        let given_up = |direction: Direction, offset: u64| self.given_up[direction].saturating_sub(offset);
        match event {
            StreamEvent::Data { direction, offset, bytes, arrivals }
            | StreamEvent::Beyond { direction, offset, bytes, arrivals } => {
                let late = given_up(direction, offset);
                let known = usize::try_from(late).ok().and_then(|late| bytes.get(late..)).unwrap_or_default();
                self.session.data(cx, direction, offset.saturating_add(late), known, arrivals);
            }
            StreamEvent::Gap { direction, offset, length }
            | StreamEvent::GapBeyond { direction, offset, length }
            | StreamEvent::Lack { direction, offset, length } => {
                let late = given_up(direction, offset);
                if late < length {
                    self.given_up[direction] = offset.saturating_add(length);
                    self.session.gap(cx, direction, offset.saturating_add(late), length - late);
                }
            }
            StreamEvent::Close(direction) | StreamEvent::End(direction) => self.session.close(cx, direction),
            StreamEvent::Datagram { .. } => self.session.take(cx, event),
        }
    }
}

/// What a session has not read of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unread {
    /// Nothing: it has read all.
    Nothing,
    /// All of it.
    All,
    /// What waits in this direction.
    Pending(Direction),
    /// What was held of both sides, which is recognised from its beginning.
    Held,
    /// That this direction ended.
    End(Direction),
}

impl AppSession {
    /// Whether Zeek's logs are told of another reading.
    #[inline]
    pub fn is_parted(&self) -> bool {
        self.parted.is_some()
    }

    /// The session that Zeek's logs are told of, where it is not this one.
    pub fn parted_mut(&mut self) -> Option<&mut Self> {
        self.parted.as_deref_mut().map(|parted| &mut parted.session)
    }

    /// Whether the client of that session is the server of this one.
    pub fn is_parted_turned(&self) -> bool {
        self.parted.as_deref().is_some_and(|parted| parted.turned)
    }

    /// Whether it parted since this was asked last.
    pub fn take_parted_anew(&mut self) -> bool {
        self.parted.as_mut().is_some_and(|parted| std::mem::take(&mut parted.new))
    }

    /// Gives an event to the session that it parted to, which it may have done during that very event. `cx` is not
    /// that of this session, but what only Zeek's logs learn of.
    pub fn follow_parted(&mut self, cx: &mut SessionContext<'_>, event: StreamEvent<'_>) {
        let Some(parted) = &mut self.parted else { return };
        let mut event = event;
        if parted.turned {
            cx.endpoints.turn();
            event = event.turned();
        }
        let was_reversed = cx.report.reversed;
        parted.follow(cx, event);
        parted.session.account(cx);
        if cx.report.reversed != was_reversed {
            parted.turned ^= true;
            parted.swap_given_up();
        }
    }

    /// Parts where Zeek does not wait, if that makes a difference.
    pub(super) fn part_early(&mut self, cx: &mut SessionContext<'_>, direction: Direction, early: Early) {
        if !cx.parts {
            return;
        }
        let feed = self.sides[direction].feed;
        if feed == Feed::Held && matches!(early, Early::Hole(_)) && self.leaves_it_to_the_other(direction) {
            self.part_at_event(cx);
        }
        if (feed == Feed::Parsing || feed == Feed::Held && early == Early::Depth)
            && let Some(parser) = self.parser.as_mut().and_then(|parser| parser.part_early(direction, early))
        {
            self.part(cx, Some(parser), Unread::All);
        }
    }

    /// Parts from here on, with the event at hand; false where it has done so before, or is not to.
    pub(super) fn part_at_event(&mut self, cx: &mut SessionContext<'_>) -> bool {
        cx.parts && self.part(cx, None, Unread::All)
    }

    /// Parts where a side begins as a protocol does that only Zeek's logs are told of: what was said is recognised there
    /// from its beginning. `bytes` are those of the event at hand.
    pub(super) fn part_for_zeek_alone(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        bytes: &[u8],
    ) {
        let recogniser = cx.registry.recogniser();
        let before = self.sides[direction].pending.bytes();
        if !cx.parts
            || self.protocol.is_some()
            || before.len() >= BEGINNING_MAX
            || !recogniser.has_any_for_zeek_alone()
        {
            return;
        }
        let begins = if before.is_empty() {
            recogniser.begins_for_zeek_alone(&cx.endpoints, direction, bytes)
        } else {
            let said = [before, bytes.get(..BEGINNING_MAX).unwrap_or(bytes)].concat();
            recogniser.begins_for_zeek_alone(&cx.endpoints, direction, &said)
        };
        if begins && self.part_at_event(cx) {
            self.forget_parted();
        }
    }

    /// Parts where both sides begin as a protocol does that only Zeek's logs look for there, or, once recognition is
    /// given up, where they may yet turn out to.
    pub(super) fn part_by_both(&mut self, cx: &mut SessionContext<'_>, given_up: bool) {
        if !cx.parts || self.expected.is_some() || cx.midstream {
            return;
        }
        let said = PerDirection::from_fn(|direction| {
            let bytes = self.sides[direction].pending.bytes();
            bytes.get(..RECOGNITION_LIMIT).unwrap_or(bytes)
        });
        if cx.registry.recogniser().both_begin_for_zeek_alone(said, given_up)
            && self.part(cx, None, Unread::Held)
        {
            self.forget_parted();
        }
    }

    /// What was said so far is asked about anew in what Zeek's logs are told of.
    fn forget_parted(&mut self) {
        let Some(parted) = &mut self.parted else { return };
        for side in [&mut parted.session.sides.to_server, &mut parted.session.sides.to_client] {
            (side.known, side.cursor) = Default::default();
        }
    }

    /// Looks at what was held of both sides.
    fn recognise_held(&mut self, cx: &mut SessionContext<'_>) {
        let first = self.first_seen.unwrap_or(Direction::ToServer);
        for direction in [first, first.opposite()] {
            let side = &self.sides[direction];
            if side.feed == Feed::Held && (side.closed || !side.pending.is_empty()) {
                self.recognise(cx, direction, side.closed);
            }
        }
    }

    /// Does what the parser asked for in a push of which `rest` is what it has not taken; `reached`: when what comes
    /// before the push could be read.
    pub(super) fn part_in_push(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        reached: Timestamp,
        rest: impl FnOnce(usize) -> Pending,
    ) {
        let Some(parting) = cx.scratch.parting.take() else { return };
        if self.part(cx, Some(parting.parser), Unread::Pending(direction))
            && let Some(parted) = &mut self.parted
        {
            let side = &mut parted.session.sides[direction];
            (side.reached, side.pending) = (reached, rest(parting.taken));
        }
    }

    /// Does what the parser asked for when told of a gap, behind what `waited`.
    pub(super) fn part_at_gap(&mut self, cx: &mut SessionContext<'_>, direction: Direction, waited: Pending) {
        let Some(parting) = cx.scratch.parting.take() else { return };
        if self.part(cx, Some(parting.parser), Unread::All)
            && let Some(parted) = &mut self.parted
        {
            parted.session.sides[direction].pending = waited;
        }
    }

    /// Does what the parser asked for when told that this direction ended, which may have been long before the event
    /// at hand.
    pub(super) fn part_at_end(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        if let Some(parting) = cx.scratch.parting.take() {
            self.part(cx, Some(parting.parser), Unread::End(direction));
        }
    }

    fn part(&mut self, cx: &mut SessionContext<'_>, parser: Option<Box<dyn Parser>>, unread: Unread) -> bool {
        if self.parted.is_some() {
            return false;
        }
        cx.parts = false;
        let session = Self {
            sides: PerDirection::from_fn(|direction| self.sides[direction].clone()),
            counted: self.counted,
            parser,
            frames: None,
            protocol: self.protocol,
            id: self.id,
            before: self.before.clone(),
            expected: self.expected,
            announced: self.announced.clone(),
            first_seen: self.first_seen,
            upgrades: self.upgrades,
            unheard: false,
            failed: self.failed,
            failure: self.failure,
            taken: TakenMemory::default(),
            parted: None,
        };
        self.parted = Some(Box::new(Parted {
            session,
            unread,
            given_up: PerDirection::default(),
            turned: false,
            new: true,
        }));
        true
    }

    /// Reads what waits in this direction.
    fn catch_up(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        let upgrades = self.upgrades;
        self.sides[direction].needed = 0;
        self.read_pending(cx, direction);
        if self.upgrades != upgrades {
            return;
        }
        self.catch_up_with_end(cx, direction);
    }

    /// Closes this direction if it ended.
    fn catch_up_with_end(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        if self.sides[direction].closed {
            self.close_parser(cx, direction);
        }
        // The other side may wait for what came first.
        self.settle(cx);
    }
}
