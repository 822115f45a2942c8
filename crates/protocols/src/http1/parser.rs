//! The two sides of a connection, read against each other.

mod fork;
mod lines;

use std::sync::Arc;

use weir_applayer::{
    Early, Endpoints, Factory, File, FrameId, FrameKind, Legacy, Options, Outcome, ParseContext, Parser,
    TransactionList, parser_transactions,
};
use weir_base::{Counters, Direction, Timestamp};

use super::HTTP1;
use super::anomaly::Oddity;
use super::as_zeek::Persistence;
use super::header_parser::{Absence, FieldParser, Returns};
use super::headers::Added;
use super::intake::{FlowState, Intake};
use super::octets::tail;
use super::ranges::Ranges;
use super::request::RequestState;
use super::response::ResponseState;
use super::settings::{Configuration, Settings};
use super::transaction::HttpTransaction;
use super::upgraded::UpgradedRequest;

/// Kinds of frames.
pub(super) const FRAMES: &[&str] = &["request", "response"];

/// A message, from its first line to the end of its body.
const fn message_frame(direction: Direction) -> FrameKind {
    match direction {
        Direction::ToServer => FrameKind(0),
        Direction::ToClient => FrameKind(1),
    }
}

/// Opens parsers with the settings of the server.
pub(super) struct HttpFactory {
    configuration: Configuration,
    ranges: Arc<Ranges>,
}

impl HttpFactory {
    /// Reads the configuration.
    pub(super) fn configure(options: &dyn Options) -> Box<dyn Factory> {
        Box::new(Self { configuration: Configuration::read(options), ranges: Ranges::configure(options) })
    }
}

impl Factory for HttpFactory {
    fn open(&self, endpoints: &Endpoints) -> Box<dyn Parser> {
        Box::new(HttpParser::new(self.configuration.of(endpoints.server), Arc::clone(&self.ranges)))
    }

    fn counters(&self) -> Option<&dyn Counters> {
        Some(&*self.ranges)
    }
}

/// Result of one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// This many bytes are done with; go on.
    Next(usize),
    /// This many bytes are done with; the rest waits for more.
    Wait(usize),
    /// From here on Zeek reads something else; the same step follows in this reading.
    Fork,
    /// From here on it is not HTTP/1.
    Leave,
    /// It makes no sense.
    Fail,
}

/// State of one side.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// Bytes that wait for more.
    pending: Vec<u8>,
    /// Waiting bytes already searched for a line end.
    pub scanned: usize,
    /// Id of the transaction.
    pub current: u64,
    /// Bytes left of a body or chunk.
    pub left: u64,
    /// The fields being read are trailers.
    pub in_trailer: bool,
    /// A byte that belongs to the line end before, if it comes next, and the transaction of that line.
    swallow: Option<(u8, u64)>,
    /// No more bytes will come.
    pub closed: bool,
    /// Where the bytes of the step under way begin in the stream.
    pub position: u64,
    /// Where all bytes so far end in the stream.
    end: u64,
    /// The frame of the message under way.
    frame: Option<FrameId>,
    /// The message before had a body.
    pub had_body: bool,
    /// The file for which gaps behind it count.
    pub lost: Option<Box<File>>,
}

impl Side {
    /// The message that ends is not kept: what is left of its line end belongs to none.
    pub(super) fn disown_line_end(&mut self) {
        if let Some((_, owner)) = &mut self.swallow {
            *owner = u64::MAX;
        }
    }
}

/// Where the bytes of a step stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where the rest begins in the push.
    pub index: usize,
    /// When the first of them was captured.
    pub time: Timestamp,
}

/// The parser of one connection.
///
/// Its fields are facts of the connection as a whole; what each direction has is in [`Side`].
#[derive(Debug)]
pub(super) struct HttpParser {
    pub(super) settings: Arc<Settings>,
    ranges: Arc<Ranges>,
    pub(super) transactions: TransactionList<HttpTransaction>,
    pub(super) request: Side,
    pub(super) request_state: RequestState,
    pub(super) response: Side,
    pub(super) response_state: ResponseState,
    pub(super) flow: FlowState,
    /// The flow speaks something else now.
    pub(super) left: bool,
    /// Ambiguous bytes are read as Zeek does, for its logs alone.
    pub(super) as_zeek: bool,
    /// Zeek's logs get another parser's reading.
    forked: bool,
    /// That nothing follows of the client was concluded from the server's end.
    is_end_assumed: bool,
    /// Whether more messages are to come.
    pub(super) persistence: Persistence,
}

impl HttpParser {
    pub(super) fn new(settings: Arc<Settings>, ranges: Arc<Ranges>) -> Self {
        Self {
            settings,
            ranges,
            transactions: TransactionList::default(),
            request: Side::default(),
            request_state: RequestState::Idle,
            response: Side::default(),
            response_state: ResponseState::Idle,
            flow: FlowState::default(),
            left: false,
            as_zeek: false,
            forked: false,
            is_end_assumed: false,
            persistence: Persistence::default(),
        }
    }

    pub(super) fn side(&mut self, direction: Direction) -> &mut Side {
        match direction {
            Direction::ToServer => &mut self.request,
            Direction::ToClient => &mut self.response,
        }
    }

    /// The transaction that a side is at; made where it is the first there. None where there are too
    /// many, or the engine has already forgotten it.
    pub(super) fn transaction(&mut self, direction: Direction) -> Option<&mut HttpTransaction> {
        let id = self.side(direction).current;
        if id < self.transactions.created() {
            return self.transactions.by_id_mut(id);
        }
        if self.transactions.len() >= self.settings.max_transactions {
            return None;
        }
        let transaction = HttpTransaction::new(&self.settings);
        Some(self.transactions.push(transaction))
    }

    /// Lets a side's transaction take in a part of its body.
    pub(super) fn intake(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        place: Place,
        take: impl FnOnce(&mut Intake<'_, '_>),
    ) {
        let id = self.side(direction).current;
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.seen(direction, place.time);
        take(&mut Intake {
            transaction,
            direction,
            settings: &self.settings,
            ranges: &self.ranges,
            flow: &mut self.flow,
            cx,
            time: place.time,
            until: place.time,
            index: place.index,
            forked: self.forked,
        });
    }

    /// A message begins.
    pub(super) fn begin_frame(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        let side = self.side(direction);
        side.frame = cx.open_frame(direction, message_frame(direction), side.position);
        cx.frame_transaction(direction, side.frame, side.current);
    }

    /// The message under way is over.
    pub(super) fn end_frame(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        let id = self.side(direction).current;
        let had_body = self.transactions.by_id(id).is_some_and(|tx| tx.message(direction).body_started);
        let side = self.side(direction);
        side.had_body = had_body;
        cx.close_frame(direction, side.frame.take(), side.position);
    }

    /// Counts the memory of the transaction that a side is at.
    pub(super) fn count(&mut self, direction: Direction) {
        let id = self.side(direction).current;
        self.transactions.count(id, HttpTransaction::memory);
    }

    /// Notes an oddity of a side's transaction.
    pub(super) fn odd(&mut self, direction: Direction, oddity: Oddity) {
        let id = self.side(direction).current;
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.odd(oddity);
        }
    }

    /// Bytes are missing where no message can go on without them: the transaction that waits for its response has the anomaly, or
    /// the one before it.
    pub(super) fn invalid_gap(&mut self) {
        let next = self.response.current;
        let id = if self.transactions.by_id(next).is_some() { next } else { next.saturating_sub(1) };
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.odd(Oddity::InvalidGap);
        }
    }

    /// A line or field is too long to wait for its end.
    pub(super) fn check_length(&mut self, direction: Direction, length: usize) -> Turn {
        if length <= self.settings.field_limit {
            return Turn::Wait(0);
        }
        self.odd(
            direction,
            match direction {
                Direction::ToServer => Oddity::RequestFieldTooLong,
                Direction::ToClient => Oddity::ResponseFieldTooLong,
            },
        );
        Turn::Fail
    }

    /// Reads header or trailer fields. Answers how many bytes they took and whether they ended.
    pub(super) fn fields(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        time: Timestamp,
    ) -> Result<(usize, bool), Turn> {
        let response = direction == Direction::ToClient;
        let closed = self.side(direction).closed;
        let returns = match self.as_zeek {
            true => Returns::AsZeek,
            false if cx.may_fork() => Returns::Fork,
            false => Returns::AsLibhtp,
        };
        let parser = FieldParser { response, complete: closed, returns };
        let mut position = 0;
        loop {
            let bytes = tail(rest, position);
            if self.as_zeek
                && let Some(length) = parser.end_of_fields(bytes)
            {
                self.end_fields(direction, bytes, length);
                return Ok((position + length, true));
            }
            match parser.field(bytes) {
                Ok(field) => {
                    self.add_field(direction, bytes, &field, time)?;
                    position += field.length;
                    let after = tail(rest, position);
                    if let Some(length) = parser.end_of_fields(after) {
                        self.end_fields(direction, after, length);
                        return Ok((position + length, true));
                    }
                }
                Err(Absence::Fork) if position == 0 => return Err(Turn::Fork),
                Err(Absence::Fork) => return Err(Turn::Next(position)),
                Err(Absence::More) if position == 0 && self.is_lone_line_end(direction, bytes) => {
                    self.end_fields(direction, bytes, bytes.len());
                    return Ok((bytes.len(), true));
                }
                Err(Absence::Mismatch) if position == 0 && !bytes.is_empty() => {
                    let Ok(length) = parser.any_eol(bytes) else { return Ok((position, false)) };
                    self.end_fields(direction, bytes, length);
                    return Ok((length, true));
                }
                Err(_) => {
                    self.side(direction).scanned = 0;
                    if !closed {
                        match self.check_length(direction, bytes.len()) {
                            Turn::Fail => return Err(Turn::Fail),
                            _ => return Ok((position, false)),
                        }
                    }
                    return Ok((position, false));
                }
            }
        }
    }

    /// Whether all there is is an empty line.
    fn is_lone_line_end(&self, direction: Direction, bytes: &[u8]) -> bool {
        bytes == b"\r\n" || bytes == b"\n" || direction == Direction::ToServer && bytes.starts_with(b"\n")
    }

    fn end_fields(&mut self, direction: Direction, bytes: &[u8], length: usize) {
        // A response may also end lines with LF CR; what of it has not come yet must not count as body.
        if (direction == Direction::ToClient || self.as_zeek) && bytes.len() == 1 {
            let as_zeek = self.as_zeek;
            let side = self.side(direction);
            side.swallow = match bytes {
                b"\r" => Some((b'\n', side.current)),
                b"\n" if !as_zeek => Some((b'\r', side.current)),
                _ => None,
            };
        }
        if let Some(transaction) = self.transaction(direction) {
            transaction.message_mut(direction).headers.append_raw(super::octets::head(bytes, length));
        }
    }

    fn add_field(
        &mut self,
        direction: Direction,
        bytes: &[u8],
        field: &super::header_parser::ParsedField<'_>,
        time: Timestamp,
    ) -> Result<(), Turn> {
        let limit = self.settings.header_limit;
        let block = super::octets::head(bytes, field.length);
        let Some(transaction) = self.transaction(direction) else { return Err(Turn::Fail) };
        let message = transaction.message_mut(direction);
        message.field_arrives(time);
        let headers = &mut message.headers;
        let added = headers.add(block, field.name, &field.value, limit);
        let response = direction == Direction::ToClient;
        let side = |request: Oddity, answer: Oddity| if response { answer } else { request };
        let odd = &field.oddities;
        let oddities = [
            (odd.deformed_eol && response, Oddity::DeformedEol),
            (odd.space_after_name, side(Oddity::RequestSpaceAfterName, Oddity::ResponseSpaceAfterName)),
            (odd.space_before_name, side(Oddity::InvalidRequestFolding, Oddity::InvalidResponseFolding)),
            (odd.name_not_token, side(Oddity::RequestHeaderInvalid, Oddity::ResponseHeaderInvalid)),
            (odd.missing_colon, side(Oddity::RequestFieldMissingColon, Oddity::ResponseFieldMissingColon)),
            (odd.empty_name, side(Oddity::RequestInvalidEmptyName, Oddity::ResponseInvalidEmptyName)),
            (
                added == Added::Repeated,
                side(Oddity::RequestHeaderRepetition, Oddity::ResponseHeaderRepetition),
            ),
            (
                added == Added::AmbiguousLength,
                side(Oddity::DuplicateContentLengthInRequest, Oddity::DuplicateContentLengthInResponse),
            ),
            (added == Added::TooMany, side(Oddity::RequestTooManyHeaders, Oddity::ResponseTooManyHeaders)),
        ];
        for (_, oddity) in oddities.into_iter().filter(|&(there, _)| there) {
            transaction.odd(oddity);
        }
        if added == Added::TooMany { Err(Turn::Fail) } else { Ok(()) }
    }

    /// Runs a side's states over its waiting bytes and the new ones.
    fn run(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut joined = std::mem::take(&mut self.side(direction).pending);
        let base = joined.len();
        let input = if base == 0 {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        let mut position = self.swallow(direction, input);
        loop {
            let rest = tail(input, position);
            let side = self.side(direction);
            side.position = side.end.saturating_sub(rest.len() as u64);
            let index = position.saturating_sub(base);
            let place = Place { time: cx.arrival(index), index };
            let turn = match direction {
                Direction::ToServer => self.request_turn(cx, rest, place),
                Direction::ToClient => self.response_turn(cx, rest, place),
            };
            match turn {
                Turn::Next(length) => position += length,
                Turn::Wait(length) => {
                    position += length;
                    if position == 0 && base > 0 {
                        self.side(direction).pending = joined;
                    } else {
                        self.side(direction).pending.extend_from_slice(tail(input, position));
                    }
                    return Outcome::Ok;
                }
                Turn::Fork => {
                    let unread = input.get(position..base).unwrap_or_default();
                    self.fork_at(cx, direction, unread, index);
                }
                Turn::Leave => {
                    self.left = true;
                    let rest = input.len().saturating_sub(position);
                    if rest == 0 {
                        return Outcome::Ok;
                    }
                    return Outcome::Incomplete { consumed: bytes.len().saturating_sub(rest), needed: 1 };
                }
                Turn::Fail => return Outcome::Error,
            }
        }
    }

    /// Skips what is left of a line end.
    fn swallow(&mut self, direction: Direction, input: &[u8]) -> usize {
        let Some(&first) = input.first() else { return 0 };
        let Some((byte, id)) = self.side(direction).swallow.take() else { return 0 };
        if byte != first {
            return 0;
        }
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.message_mut(direction).headers.append_raw(&[byte]);
        }
        1
    }

    /// Lets the client's waiting bytes go on after the server said how.
    pub(super) fn resume_request(&mut self, cx: &mut ParseContext<'_>) -> Outcome {
        self.run(cx, Direction::ToServer, &[])
    }
}

impl Parser for HttpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.left || bytes.is_empty() && !cx.reads_as_zeek() {
            return Outcome::Ok;
        }
        self.as_zeek = cx.reads_as_zeek();
        self.fork_behind_end(cx, direction);
        self.side(direction).end = cx.offset.saturating_add(bytes.len() as u64);
        let waiting = self.request_state == RequestState::ConnectWait;
        let outcome = self.run(cx, direction, bytes);
        self.count(direction);
        if direction == Direction::ToClient && outcome == Outcome::Ok && waiting && !self.left {
            return self.resume_request(cx);
        }
        outcome
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        if self.left {
            return Outcome::Ok;
        }
        self.as_zeek = cx.reads_as_zeek();
        let place = Place { time: cx.time, index: 0 };
        self.fork_at_gap(cx, direction, length);
        let side = self.side(direction);
        side.position = cx.offset;
        side.end = cx.offset.saturating_add(length);
        if self.as_zeek && !self.is_within_body(direction, length) {
            self.settle(cx, place);
            self.interrupt(cx, direction, place, length);
            return Outcome::Ok;
        }
        match direction {
            Direction::ToServer => self.request_gap(cx, place, length),
            Direction::ToClient => self.response_gap(cx, place, length),
        }
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if self.left {
            return;
        }
        self.as_zeek = cx.reads_as_zeek();
        if direction == Direction::ToClient && !self.request.closed && !self.as_zeek {
            self.fork_at_end(cx);
            self.close(cx, Direction::ToServer);
        }
        if !std::mem::replace(&mut self.side(direction).closed, true) {
            self.run(cx, direction, &[]);
        }
        self.hand_on_lost(direction);
    }

    fn fork(&mut self, direction: Direction, early: Early) -> Option<Box<dyn Parser>> {
        use {RequestState as Request, ResponseState as Response};
        let is_between = match direction {
            Direction::ToServer => matches!(self.request_state, Request::Idle | Request::Ignore),
            Direction::ToClient => matches!(self.response_state, Response::Idle | Response::Ignore),
        };
        let id = self.side(direction).current;
        let decompressor =
            self.transactions.by_id(id).and_then(|tx| tx.message(direction).decompressor.as_ref());
        let is_single = decompressor.is_some_and(|decompressor| !decompressor.has_double());
        let stays_whole = match early {
            // It goes on behind a hole in its body.
            Early::Hole(length) => is_single && self.is_within_body(direction, length),
            Early::End => is_between,
            // What rules and records are yet told at the end cannot be told twice.
            Early::Depth => is_single && decompressor.is_some_and(|decompressor| decompressor.holds_back()),
        };
        if self.left || self.forked || stays_whole {
            return None;
        }
        let mut zeek = self.fork_behind(direction, &[]);
        if early == Early::Depth
            && is_single
            && let Some(own) = self.transactions.by_id_mut(id)
            && let Some(theirs) = zeek.transactions.by_id_mut(id)
        {
            // What it has read is at its end here.
            theirs.message_mut(direction).decompressor = own.message_mut(direction).decompressor.take();
        }
        Some(zeek)
    }

    fn legacy(&self) -> Option<Legacy> {
        let transaction = self.transactions.by_id(self.response.current)?;
        let request = transaction.is_upgraded().then(|| UpgradedRequest::of(transaction))??;
        Some(Arc::new(request))
    }

    fn held(&self) -> usize {
        self.request.pending.capacity() + self.response.pending.capacity()
    }

    parser_transactions!(&HTTP1);
}
