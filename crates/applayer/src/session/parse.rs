//! From bytes to the parser, and what it answers.

use weir_base::profile::{Stage, enter_part};
use weir_base::{Direction, PerDirection, Timestamp};

use super::pending::{Pending, relative_arrivals};
use super::{
    AppSession, Before, Feed, Known, PENDING_MAX, ParserAnomaly, ParserFailure, REPORTED_MAX, SessionContext,
};
use crate::frame::{FrameKind, FrameList, FrameSink};
use crate::parser::{Legacy, Outcome, ParseContext, Parser, Request};

/// Bytes that a parser consumed.
struct Taken {
    bytes: usize,
    /// Bytes that it wants in the next push, at least.
    needed: usize,
    failure: Option<ParserFailure>,
}

impl AppSession {
    /// Gives bytes to the parser, behind what it left before.
    pub(super) fn parse(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        offset: u64,
        bytes: &[u8],
        arrivals: &[(u64, Timestamp)],
    ) {
        self.begin_stream_frame(cx, direction, offset);
        let mut pending = std::mem::take(&mut self.sides[direction].pending);
        let needed = self.sides[direction].needed as usize;
        let taken;
        if pending.is_empty() && bytes.len() >= needed {
            taken = self.present(cx, direction, offset, bytes, arrivals);
            let rest = bytes.get(taken.bytes..).unwrap_or_default();
            if !rest.is_empty() {
                pending.push(offset.saturating_add(taken.bytes as u64), rest, arrivals, cx.time);
            }
        } else {
            pending.push(offset, bytes, arrivals, cx.time);
            if pending.len() < needed {
                self.sides[direction].pending = pending;
                return;
            }
            taken = self.present(cx, direction, pending.offset(), pending.bytes(), pending.arrivals());
            pending.consume(taken.bytes);
        }
        let side = &mut self.sides[direction];
        side.presented = u32::try_from(pending.len()).unwrap_or(u32::MAX);
        side.pending = pending;
        side.needed = u32::try_from(taken.needed).unwrap_or(u32::MAX);
        self.conclude(cx, direction, taken.failure);
    }

    /// Shows what waits to the parser, which is asked even where that is nothing.
    pub(super) fn read_pending(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        let mut pending = std::mem::take(&mut self.sides[direction].pending);
        let taken = self.present(cx, direction, pending.offset(), pending.bytes(), pending.arrivals());
        pending.consume(taken.bytes);
        let side = &mut self.sides[direction];
        side.presented = u32::try_from(pending.len()).unwrap_or(u32::MAX);
        side.pending = pending;
        side.needed = u32::try_from(taken.needed).unwrap_or(u32::MAX);
        self.conclude(cx, direction, taken.failure);
    }

    /// Shows bytes to the parser until it has taken what it can.
    fn present(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        offset: u64,
        bytes: &[u8],
        arrivals: &[(u64, Timestamp)],
    ) -> Taken {
        let time = cx.time;
        let mut taken = 0;
        loop {
            let Some(parser) = &mut self.parser else {
                return Taken { bytes: bytes.len(), needed: 0, failure: None };
            };
            cx.report.parsed[direction] = true;
            let rest = bytes.get(taken..).unwrap_or_default();
            let start = offset.saturating_add(taken as u64);
            let before = self.sides[direction].reached;
            relative_arrivals(arrivals, start, rest.len(), cx.time, &mut cx.scratch.arrivals);
            let reached = &mut self.sides[direction].reached;
            for (_, time) in &mut cx.scratch.arrivals {
                *reached = (*reached).max(*time);
                *time = *reached;
            }
            let outcome = call(&mut **parser, &mut self.frames, cx, start, |parser, cx| {
                parser.data(cx, direction, rest)
            });
            self.fork_in_push(cx, direction, before, |taken| {
                let mut unread = Pending::default();
                let start = start.saturating_add(taken as u64);
                unread.push(start, rest.get(taken..).unwrap_or_default(), arrivals, time);
                unread
            });
            let (consumed, needed) = match outcome {
                Outcome::Ok => return Taken { bytes: bytes.len(), needed: 0, failure: None },
                Outcome::Error | Outcome::Refused => {
                    return Taken { bytes: bytes.len(), needed: 0, failure: Some(ParserFailure::Parser) };
                }
                Outcome::Incomplete { consumed, needed } => (consumed.min(rest.len()), needed),
            };
            taken += consumed;
            let left = rest.len() - consumed;
            let asked = cx.scratch.requests.iter().any(ends_the_push);
            if !asked && needed > PENDING_MAX.max(left) {
                return Taken { bytes: bytes.len(), needed: 0, failure: Some(ParserFailure::Internal) };
            }
            if asked || consumed == 0 || left == 0 || needed > left {
                // One that took nothing is not shown the same again.
                let least = if left == 0 { 0 } else { left + 1 };
                return Taken { bytes: taken, needed: needed.max(least), failure: None };
            }
        }
    }

    /// Begins the frame of all that a side says, with the first bytes that the parser gets of it.
    fn begin_stream_frame(&mut self, cx: &mut SessionContext<'_>, direction: Direction, offset: u64) {
        if std::mem::replace(&mut self.sides[direction].framed, true) {
            return;
        }
        let (Some(wants), Some(protocol)) = (cx.frames, self.protocol) else { return };
        let kinds = wants.of(protocol);
        if !kinds.is_empty() {
            let lists = self.frames.get_or_insert_default();
            FrameSink { protocol, kinds, lists, refused: &mut cx.counters.frames_refused }.open(
                direction,
                FrameKind::STREAM,
                offset,
            );
        }
    }

    /// Gives one datagram to the parser; what it leaves is lost.
    pub(super) fn parse_datagram(&mut self, cx: &mut SessionContext<'_>, direction: Direction, bytes: &[u8]) {
        let Some(parser) = &mut self.parser else { return };
        cx.report.parsed[direction] = true;
        cx.scratch.arrivals.clear();
        cx.scratch.arrivals.push((0, cx.time));
        let outcome =
            call(&mut **parser, &mut self.frames, cx, 0, |parser, cx| parser.data(cx, direction, bytes));
        let time = cx.time;
        self.fork_in_push(cx, direction, time, |taken| {
            let mut unread = Pending::default();
            unread.push(0, bytes.get(taken..).unwrap_or_default(), &[], time);
            unread
        });
        let failure = match outcome {
            Outcome::Ok | Outcome::Incomplete { .. } => None,
            Outcome::Error => Some(ParserFailure::Parser),
            Outcome::Refused => Some(ParserFailure::Datagram),
        };
        self.conclude(cx, direction, failure);
    }

    /// Tells the parser of a gap, or closes it where the protocol takes none.
    pub(super) fn parse_gap(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        offset: u64,
        length: u64,
    ) {
        let accepts_gaps = self.protocol.is_some_and(|protocol| protocol.accepts_gaps);
        let side = &mut self.sides[direction];
        // What the parser left can never be completed: it is part of what is missing.
        let missing = length.saturating_add(side.pending.len() as u64);
        let offset = offset.saturating_sub(side.pending.len() as u64);
        let waited = std::mem::take(&mut side.pending);
        side.needed = 0;
        side.presented = 0;
        let Some(parser) = &mut self.parser else { return };
        cx.scratch.arrivals.clear();
        if accepts_gaps {
            cx.report.parsed[direction] = true;
            let outcome = call(&mut **parser, &mut self.frames, cx, offset, |parser, cx| {
                parser.gap(cx, direction, missing)
            });
            self.fork_at_gap(cx, direction, waited);
            let failure =
                matches!(outcome, Outcome::Error | Outcome::Refused).then_some(ParserFailure::Parser);
            return self.conclude(cx, direction, failure);
        }
        for direction in Direction::BOTH {
            call(&mut **parser, &mut self.frames, cx, offset, |parser, cx| parser.close(cx, direction));
        }
        // To Zeek, too, it is over.
        cx.scratch.fork = None;
        self.conclude(cx, direction, Some(ParserFailure::Gap));
    }

    /// Tells the parser that a direction ended, after a last look at what it left.
    pub(super) fn close_parser(&mut self, cx: &mut SessionContext<'_>, direction: Direction) {
        if self.failure.is_some() {
            return;
        }
        let upgrades = self.upgrades;
        let side = &mut self.sides[direction];
        if side.feed == Feed::Parsing && side.pending.len() > side.presented as usize {
            let mut pending = std::mem::take(&mut side.pending);
            let taken = self.present(cx, direction, pending.offset(), pending.bytes(), pending.arrivals());
            pending.consume(taken.bytes);
            self.sides[direction].pending = pending;
            self.conclude(cx, direction, taken.failure);
            if self.upgrades != upgrades || self.failure.is_some() {
                return;
            }
        }
        if let Some(parser) = &mut self.parser {
            cx.scratch.arrivals.clear();
            call(&mut **parser, &mut self.frames, cx, 0, |parser, cx| parser.close(cx, direction));
            self.fork_at_end(cx, direction);
            // Nothing is left of this direction that a new protocol could be found in.
            cx.scratch.requests.retain(|request| !matches!(request, Request::Upgrade(_)));
            self.conclude(cx, direction, None);
        }
        self.sides[direction].pending.clear();
    }

    /// Ends the parser before another protocol follows.
    /// Answers what it left for the next one.
    pub(super) fn retire(&mut self, cx: &mut SessionContext<'_>) -> Option<Legacy> {
        let mut parser = self.parser.take()?;
        cx.scratch.arrivals.clear();
        for direction in Direction::BOTH {
            call(&mut *parser, &mut self.frames, cx, 0, |parser, cx| parser.close(cx, direction));
        }
        let legacy = parser.legacy();
        if !parser.is_one_transaction() {
            self.count_transactions(cx, parser.created().saturating_sub(self.counted));
        }
        self.counted = 0;
        cx.scratch.requests.clear();
        cx.scratch.fork = None;
        self.report_anomalies(cx);
        cx.report.retired.push(parser);
        legacy
    }

    /// Acts on what a call of the parser left in the scratch memory.
    fn conclude(
        &mut self,
        cx: &mut SessionContext<'_>,
        direction: Direction,
        failure: Option<ParserFailure>,
    ) {
        self.report_anomalies(cx);
        if let Some(parser) = self.parser.as_ref().filter(|parser| !parser.is_one_transaction()) {
            let created = parser.created();
            let new = created.saturating_sub(self.counted);
            self.counted = created;
            if self.protocol != Some(parser.protocol()) {
                self.rename(cx);
            }
            self.count_transactions(cx, new);
        }
        let mut upgrade = None;
        let mut requests = std::mem::take(&mut cx.scratch.requests);
        for request in requests.drain(..) {
            match request {
                Request::Upgrade(name) => upgrade = Some(name),
                Request::StopParsing(direction) => self.sides[direction].stop(),
                Request::StopInspection => self.stop(),
                Request::StopStreamInspection
                | Request::Flush
                | Request::Encrypted
                | Request::StreamDepth(_)
                | Request::InspectStream(_)
                | Request::Expect { .. } => {}
            }
            if !matches!(request, Request::Upgrade(_)) && cx.report.requests.len() < REPORTED_MAX {
                cx.report.requests.push(request);
            }
        }
        cx.scratch.requests = requests;
        match (failure, upgrade) {
            (Some(failure), _) => self.fail(cx, failure),
            (None, Some(name)) => self.upgrade(cx, direction, name),
            (None, None) => {}
        }
    }

    /// The flow is what its parser found its protocol to be, in both directions.
    fn rename(&mut self, cx: &mut SessionContext<'_>) {
        let Some(protocol) = self.parser.as_ref().map(|parser| parser.protocol()) else { return };
        self.before =
            self.protocol.replace(protocol).map(|protocol| Box::new(Before { protocol, legacy: None }));
        self.id = cx.registry.id_of(protocol);
        for direction in Direction::BOTH {
            let known = std::mem::replace(&mut self.sides[direction].known, Known::Found(protocol));
            cx.report.recognised[direction] |= known != Known::Undecided;
        }
        cx.report.renamed = true;
    }

    /// Reports what a parser found outside of any transaction: it is told with those that are under way, and with none it
    /// is lost.
    fn report_anomalies(&self, cx: &mut SessionContext<'_>) {
        let is_heard = self.parser.as_ref().is_some_and(|parser| parser.next_from(0).is_some());
        let Some(protocol) = self.protocol.filter(|_| is_heard) else { return cx.scratch.anomalies.clear() };
        for anomaly in cx.scratch.anomalies.drain(..) {
            if cx.report.anomalies.len() < REPORTED_MAX {
                cx.report.anomalies.push(ParserAnomaly { protocol, anomaly });
            }
        }
    }

    fn count_transactions(&self, cx: &mut SessionContext<'_>, count: u64) {
        let transport = Self::transport(cx);
        if let Some(counters) = self.id.and_then(|id| cx.counters.of(id, transport)) {
            counters.transactions += count;
        }
    }

    /// The parser gets nothing any more, or nothing of a datagram; its transactions stay.
    pub(super) fn fail(&mut self, cx: &mut SessionContext<'_>, failure: ParserFailure) {
        cx.report.failed = Some(failure);
        let transport = Self::transport(cx);
        if let Some(counters) = self.id.and_then(|id| cx.counters.of(id, transport)) {
            match failure {
                ParserFailure::Gap => counters.gap_errors += 1,
                ParserFailure::Parser | ParserFailure::Datagram => counters.parser_errors += 1,
                ParserFailure::Internal => counters.internal_errors += 1,
                ParserFailure::Memory => counters.alloc_errors += 1,
            }
        }
        if failure == ParserFailure::Datagram {
            return;
        }
        self.failure = Some(failure);
        self.stop();
    }
}

/// Whether what the parser left is not to be shown to it at once.
fn ends_the_push(request: &Request) -> bool {
    matches!(request, Request::Upgrade(_) | Request::StopParsing(_) | Request::StopInspection)
}

/// Calls the parser with a context of its own, whose arrivals are those in the scratch memory;
/// `offset` is where the bytes stand in the stream.
fn call<T>(
    parser: &mut (dyn Parser + 'static),
    frames: &mut Option<Box<PerDirection<FrameList>>>,
    cx: &mut SessionContext<'_>,
    offset: u64,
    run: impl FnOnce(&mut (dyn Parser + 'static), &mut ParseContext<'_>) -> T,
) -> T {
    let scratch = &mut *cx.scratch;
    let protocol = parser.protocol();
    let _layer = enter_part(Stage::Parser, protocol.name);
    let kinds = cx.frames.map(|wants| wants.of(protocol)).filter(|kinds| !kinds.is_empty());
    let refused = &mut cx.counters.frames_refused;
    let frames = kinds.map(|kinds| {
        let lists = frames.get_or_insert_default().as_mut();
        FrameSink { protocol, kinds, lists, refused }
    });
    let mut context = ParseContext {
        endpoints: &cx.endpoints,
        offset,
        time: cx.time,
        arrivals: &scratch.arrivals,
        files: cx.files,
        audience: cx.audience,
        fork: cx.audience.may_fork().then_some(&mut scratch.fork),
        memory: scratch.bodies.as_ref(),
        order: cx.order,
        requests: &mut scratch.requests,
        anomalies: &mut scratch.anomalies,
        frames,
    };
    run(parser, &mut context)
}
