//! Two readings of one flow: that of rules and records, and Zeek's where it differs.
//!
//! Peers, and with them Suricata and Zeek, read holes and malformed bytes in more than one way. A flow is read once
//! as long as both readings agree, as most flows are to their end. Where they do not, the session forks: Zeek's
//! logs are told what a second one reads, which begins as the first one was there, and rules and records never hear
//! of it. Without Zeek's logs no session forks.

use weir_base::{Delivery, Direction, PerDirection, Piece, Timestamp};

use super::pending::Pending;
use super::{AppSession, Feed, SessionContext};
use crate::audience::{Audience, Beginning, ZeekOnly};
use crate::detection::{Cursor, RECOGNITION_LIMIT, Recognition};
use crate::memory::TakenMemory;
use crate::parser::{Early, Parser};
use crate::protocol::{Hint, HintReaders, Probe, Protocol};

/// Bytes of a side that show whether it begins a protocol for Zeek's logs alone.
const BEGINNING_MAX: usize = 1024;

/// The reading for Zeek's logs in place of the one that it forked off.
pub(super) struct ForkedSession {
    session: AppSession,
    /// The part that it has not read of the piece during which it forked off.
    unread: Unread,
    /// Up to where what was not seen counts as missing, whatever may yet come.
    given_up: PerDirection<u64>,
    /// Its client is the server of the session that it forked off.
    reversed: bool,
    /// Nobody has asked yet whether it is new.
    new: bool,
}

impl ForkedSession {
    /// Goes on with a piece.
    fn follow(&mut self, cx: &mut SessionContext<'_>, delivery: Delivery<'_>) {
        match std::mem::replace(&mut self.unread, Unread::Nothing) {
            Unread::Nothing | Unread::All => return self.take(cx, delivery),
            Unread::Held => self.session.recognise_held(cx),
            Unread::Pending(direction) => self.session.catch_up(cx, direction),
            Unread::End(direction) => self.session.catch_up_with_end(cx, direction),
        }
        // Bytes have been read, or are among what waited.
        if !matches!(delivery.piece, Piece::Data { .. } | Piece::Datagram(_)) {
            self.take(cx, delivery);
        }
    }

    /// The session that it forked off has turned around.
    pub(super) fn turn(&mut self) {
        if !std::mem::take(&mut self.reversed) {
            self.session.swap_sides();
            self.swap_given_up();
        }
    }

    fn swap_given_up(&mut self) {
        std::mem::swap(&mut self.given_up.to_server, &mut self.given_up.to_client);
    }

    /// Reads on, less what counts as missing.
    fn take(&mut self, cx: &mut SessionContext<'_>, delivery: Delivery<'_>) {
        let direction = delivery.direction;
        let late = |offset: u64| self.given_up[direction].saturating_sub(offset);
        match delivery.piece {
            Piece::Data { offset, bytes, arrivals } => {
                let late = late(offset);
                let known = usize::try_from(late).ok().and_then(|late| bytes.get(late..)).unwrap_or_default();
                self.session.data(cx, direction, offset.saturating_add(late), known, arrivals);
            }
            Piece::Gap { offset, length } => {
                let late = late(offset);
                if late < length {
                    self.given_up[direction] = offset.saturating_add(length);
                    self.session.gap(cx, direction, offset.saturating_add(late), length - late);
                }
            }
            Piece::End => self.session.close(cx, direction),
            Piece::Datagram(_) => self.session.take(cx, delivery),
        }
    }
}

/// The part of a piece that a forked session has not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unread {
    /// Nothing: it has read all.
    Nothing,
    /// All of it.
    All,
    /// Bytes that wait in this direction.
    Pending(Direction),
    /// Bytes held of both sides, which are recognised from their beginning.
    Held,
    /// That this direction ended.
    End(Direction),
}

impl AppSession {
    /// Whether Zeek's logs have another reading.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.forked.is_some()
    }

    /// The session for Zeek's logs, where it is not this one.
    pub fn fork_mut(&mut self) -> Option<&mut Self> {
        self.forked.as_deref_mut().map(|forked| &mut forked.session)
    }

    /// Whether the client of that session is the server of this one.
    pub fn is_fork_reversed(&self) -> bool {
        self.forked.as_deref().is_some_and(|forked| forked.reversed)
    }

    /// Whether it forked since this was asked last.
    pub fn take_forked_anew(&mut self) -> bool {
        self.forked.as_mut().is_some_and(|forked| std::mem::take(&mut forked.new))
    }

    /// Gives a piece to the fork, which may have been made during that very piece. `cx` is that of the fork.
    pub fn follow_fork(&mut self, cx: &mut SessionContext<'_>, delivery: Delivery<'_>) {
        let Some(forked) = &mut self.forked else { return };
        let mut delivery = delivery;
        if forked.reversed {
            cx.endpoints.turn();
            delivery = delivery.reversed();
        }
        let was_reversed = cx.report.reversed;
        forked.follow(cx, delivery);
        forked.session.account(cx);
        if cx.report.reversed != was_reversed {
            forked.reversed ^= true;
            forked.swap_given_up();
        }
    }

    /// Forks where Zeek does not wait, if that makes a difference.
    pub(super) fn fork_early(&mut self, cx: &mut SessionContext<'_>, direction: Direction, early: Early) {
        if !cx.audience.may_fork() {
            return;
        }
        let feed = self.sides[direction].feed;
        if let (Feed::Held, Early::Hole(length)) = (feed, early)
            && self.leaves_it_to_the_other(direction)
        {
            self.fork_at_beginning(cx, direction, length);
        }
        if (feed == Feed::Parsing || feed == Feed::Held && early == Early::Depth)
            && let Some(parser) = self.parser.as_mut().and_then(|parser| parser.fork(direction, early))
        {
            self.fork(cx, Some(parser), Unread::All);
        }
    }

    /// Forks where the first bytes of a side are missing, so many of them: with the parser of what the other side
    /// says, if it is known.
    pub(super) fn fork_at_beginning(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        length: u64,
    ) {
        if cx.audience.may_fork() {
            let early = Early::Hole(length);
            let parser = self.parser.as_mut().and_then(|parser| parser.fork(direction, early));
            self.fork(cx, parser, Unread::All);
        }
    }

    /// Forks from here on, with the piece at hand; false where it has done so before, or is not to.
    pub(super) fn fork_here(&mut self, cx: &mut SessionContext<'_>) -> bool {
        cx.audience.may_fork() && self.fork(cx, None, Unread::All)
    }

    /// Forks where a side begins as a protocol for Zeek's logs alone does: what was said is recognised there
    /// from its beginning. `bytes` are those of the piece at hand.
    pub(super) fn fork_for_zeek_alone(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        bytes: &[u8],
    ) {
        let recogniser = cx.registry.recogniser();
        let before = self.sides[direction].pending.bytes();
        if !cx.audience.may_fork()
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
        if begins && self.fork_here(cx) {
            self.forget_fork();
        }
    }

    /// Forks where both sides begin as a protocol does that only Zeek's logs look for there; with [`Probe::More`] as
    /// `enough`, where they may yet turn out to.
    pub(super) fn fork_by_both(&mut self, cx: &mut SessionContext<'_>, enough: Probe) {
        if !cx.audience.may_fork() || self.expected.is_some() || cx.beginning == Beginning::Midstream {
            return;
        }
        let said = PerDirection::from_fn(|direction| {
            let bytes = self.sides[direction].pending.bytes();
            bytes.get(..RECOGNITION_LIMIT).unwrap_or(bytes)
        });
        if cx.registry.recogniser().both_begin_for_zeek_alone(said, enough)
            && self.fork(cx, None, Unread::Held)
        {
            self.forget_fork();
        }
    }

    /// Forks where Zeek's logs know what one side says, in a stream or in this `datagram`, though rules and records do
    /// not.
    pub(super) fn fork_where_zeek_knows(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        datagram: Option<&[u8]>,
    ) {
        // What has a protocol goes on with its parser, for all.
        if !cx.audience.may_fork() || self.is_forked() || self.protocol.is_some() {
            return;
        }
        let pending = std::mem::take(&mut self.sides[direction].pending);
        let bytes = datagram.unwrap_or(pending.bytes());
        let audience = Audience::Zeek(ZeekOnly::Fork);
        let cursor = &mut Cursor::default();
        let answer = self.ask_for(cx, audience, direction, bytes, cursor, datagram.is_some());
        self.sides[direction].pending = pending;
        let unread = if datagram.is_some() { Unread::All } else { Unread::Held };
        if matches!(answer, Recognition::Found(_) | Recognition::Reversed(_)) && self.fork(cx, None, unread) {
            self.forget_fork();
        }
    }

    /// Forks where literals that tell rules and records alone made a side `found`, and Zeek's logs know it as something
    /// else.
    pub(super) fn fork_where_zeek_differs(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        found: &'static Protocol,
    ) {
        let tells_records = |hint: &Hint| hint.tells == HintReaders::Records;
        if !cx.audience.may_fork() || self.protocol.is_some() || !found.hints.iter().any(tells_records) {
            return;
        }
        let pending = std::mem::take(&mut self.sides[direction].pending);
        let audience = Audience::Zeek(ZeekOnly::Fork);
        let answer = self.ask_for(cx, audience, direction, pending.bytes(), &mut Cursor::default(), false);
        self.sides[direction].pending = pending;
        if answer != Recognition::Found(found) {
            self.fork_held(cx);
        }
    }

    /// Forks with all that was held, which is recognised anew.
    pub(super) fn fork_held(&mut self, cx: &mut SessionContext<'_>) {
        if cx.audience.may_fork() && !self.is_forked() && self.fork(cx, None, Unread::Held) {
            self.forget_fork();
        }
    }

    /// Drops the fork's answers so far, which are asked for anew.
    fn forget_fork(&mut self) {
        let Some(forked) = &mut self.forked else { return };
        for side in [&mut forked.session.sides.to_server, &mut forked.session.sides.to_client] {
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
    pub(super) fn fork_in_push(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        reached: Timestamp,
        rest: impl FnOnce(usize) -> Pending,
    ) {
        let Some(fork) = cx.scratch.fork.take() else { return };
        if self.fork(cx, Some(fork.parser), Unread::Pending(direction))
            && let Some(forked) = &mut self.forked
        {
            let side = &mut forked.session.sides[direction];
            (side.reached, side.pending) = (reached, rest(fork.taken));
        }
    }

    /// Does what the parser asked for when told of a gap, behind what `waited`.
    pub(super) fn fork_at_gap(&mut self, cx: &mut SessionContext<'_>, direction: Direction, waited: Pending) {
        let Some(fork) = cx.scratch.fork.take() else { return };
        if self.fork(cx, Some(fork.parser), Unread::All)
            && let Some(forked) = &mut self.forked
        {
            forked.session.sides[direction].pending = waited;
        }
    }

    /// Does what the parser asked for when told that this direction ended, which may have been long before the event
    /// at hand.
    pub(super) fn fork_at_end(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        if let Some(fork) = cx.scratch.fork.take() {
            self.fork(cx, Some(fork.parser), Unread::End(direction));
        }
    }

    fn fork(&mut self, cx: &mut SessionContext<'_>, parser: Option<Box<dyn Parser>>, unread: Unread) -> bool {
        if self.forked.is_some() {
            return false;
        }
        cx.audience = Audience::Records;
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
            forked: None,
        };
        self.forked = Some(Box::new(ForkedSession {
            session,
            unread,
            given_up: PerDirection::default(),
            reversed: false,
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
