//! Cuts both sides into frames and gives them to the transactions of their streams.
//!
//! Content of DATA frames is taken as it comes; other frames are waited for until they are whole.

mod block;

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Factory, FileState, Legacy, Options, Outcome, ParseContext, Parser, Shared, Step, Transaction,
    TransactionList, factory, in_steps,
};
use weir_base::{Direction, PerDirection, Reader};

use super::HTTP2;
use super::anomaly::Http2Anomaly;
use super::body::Intake;
use super::doh2::DOH2;
use super::frame::{self, Header, kind};
use super::hpack::{Credit, HeaderField, Item, Table};
use super::probe::PREFACE;
use super::setting;
use super::settings::Settings;
use super::transaction::{Controls, Http2Transaction, MAX_VALUES};
use crate::http1::ranges::Ranges;
use crate::http1::upgraded::UpgradedRequest;

use block::Block;

/// Longest frame that is waited for; longer ones are passed over.
pub const MAX_FRAME: usize = 1 << 18;

/// Most bytes that streams of a connection hold which are not over; beyond them the oldest one is done with.
pub const MAX_HELD: usize = 32 << 20;

/// The stream of the request that upgraded a connection.
const UPGRADED_STREAM: u32 = 1;

/// The number of no transaction: there is no room for one.
const NOWHERE: u64 = u64::MAX;

/// Bytes of a priority before a header block: the stream that it depends on, and a weight.
const PRIORITY: usize = 5;

/// Reads `app-layer.protocols.http2`; files in ranges are bounded as those of HTTP/1 are.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    let ranges = Ranges::configure(&OfHttp1(options));
    factory(move |_| {
        let side =
            || Side { started: false, table: Table::new(settings.max_table_size), rest: None, block: None };
        Box::new(Http2Parser {
            settings,
            ranges: Arc::clone(&ranges),
            sides: PerDirection { to_server: side(), to_client: side() },
            transactions: TransactionList::default(),
            streams: HashMap::new(),
            sweep_at: settings.max_streams,
            oldest: 0,
            held: 0,
            credit: Credit::default(),
            next_file: 0,
            has_dns: false,
            upgraded: None,
        })
    })
}

/// The configuration of HTTP/1, asked for by HTTP/2.
struct OfHttp1<'a>(&'a dyn Options);

impl Options for OfHttp1<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.0.of_protocol("http", path)
    }

    fn children(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn shared(&self) -> Option<&Shared> {
        self.0.shared()
    }

    /// HTTP/1 complains itself.
    fn complain(&self, _: &str, _: &str) {}
}

/// One direction's frames.
#[derive(Debug)]
struct Side {
    /// Bytes before the first frame were looked at.
    started: bool,
    table: Table,
    /// The frame of which the rest is taken as it comes.
    rest: Option<Rest>,
    block: Option<Block>,
}

/// The rest of a frame.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// The transaction whose body it is part of; none for what is passed over.
    body: Option<u64>,
    /// Bytes of content left.
    content: u64,
    /// Bytes of padding behind them.
    padding: u64,
    ends_stream: bool,
}

/// One connection.
#[derive(Debug)]
pub struct Http2Parser {
    settings: Settings,
    ranges: Arc<Ranges>,
    sides: PerDirection<Side>,
    transactions: TransactionList<Http2Transaction>,
    /// Transactions by stream.
    streams: HashMap<u32, u64>,
    /// With so many of them, those are left out whose transactions the engine has freed.
    sweep_at: usize,
    /// No transaction before this one is open.
    oldest: u64,
    /// Bytes that those hold which are open.
    held: usize,
    credit: Credit,
    next_file: u64,
    /// Some stream carried a DNS message.
    has_dns: bool,
    /// The request in HTTP/1 that led here, which is stream 1's.
    upgraded: Option<Legacy>,
}

impl Parser for Http2Parser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if let Some(request) = self.upgraded.take() {
            self.begin_upgraded(cx, &request);
        }
        in_steps(bytes, |rest, position| {
            self.step(cx, direction, rest, position).map_or_else(Step::Needed, Step::Taken)
        })
    }

    /// Where the next frame begins is known only within one.
    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let Some(rest) = self.sides[direction].rest else { return Outcome::Error };
        if length > rest.content + rest.padding {
            return Outcome::Error;
        }
        let content = length.min(rest.content);
        if let Some(id) = rest.body {
            self.intake(cx, direction, id, 0, |intake| intake.gap(content));
        }
        self.advance(cx, direction, rest, content, length - content, 0);
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        let open: Vec<u64> = self
            .transactions
            .iter()
            .filter(|tx| !tx.messages[direction].ended)
            .map(|tx| tx.meta.id)
            .collect();
        for id in open {
            self.end(cx, direction, id, FileState::Truncated, 0);
        }
    }

    fn inherit(&mut self, legacy: &Legacy) {
        self.upgraded = Some(Arc::clone(legacy));
    }

    fn held(&self) -> usize {
        let streams = self.streams.capacity() * size_of::<(u32, u64)>();
        let sides = Direction::BOTH.map(|direction| {
            let Side { table, block, .. } = &self.sides[direction];
            table.memory() + block.as_ref().map_or(0, |block| block.bytes.capacity())
        });
        streams + sides.into_iter().sum::<usize>()
    }

    weir_applayer::parser_transactions!(|parser| if parser.has_dns { &DOH2 } else { &HTTP2 });
}

impl Http2Parser {
    /// The connection was upgraded from HTTP/1: the request that asked for it is stream 1's, on which the
    /// client says no more (RFC 7540, 3.2).
    fn begin_upgraded(&mut self, cx: &mut ParseContext<'_>, request: &Legacy) {
        let Some(request) = request.downcast_ref::<UpgradedRequest>() else { return };
        let id = self.transaction_of(Direction::ToServer, UPGRADED_STREAM);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let before = transaction.size();
        transaction.meta.seen(Direction::ToServer, cx.arrival(0));
        let message = &mut transaction.messages.to_server;
        message.has_headers = true;
        let pseudo = [(&b":method"[..], &request.method), (b":path", &request.target)];
        let fields = request.fields.iter().map(|(name, value)| (&**name, value));
        for (name, value) in pseudo.into_iter().chain(fields) {
            if !message.keep(Item::Field(HeaderField::sent(name, value))) {
                self.note(id, Http2Anomaly::TooManyFrames);
                break;
            }
        }
        self.took_fields(Direction::ToServer, id, 0, before);
        self.end(cx, Direction::ToServer, id, FileState::Closed, 0);
    }

    /// Takes what `rest` begins with; answers its length, or how many bytes are needed.
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Result<usize, usize> {
        if !self.sides[direction].started {
            let length = self.preface(cx, direction, rest)?;
            self.sides[direction].started = true;
            if length > 0 {
                return Ok(length);
            }
        }
        if let Some(left) = self.sides[direction].rest {
            let taken = self.go_on(cx, direction, rest, left, position);
            self.credit.earn(taken);
            return Ok(taken);
        }
        let header = Header::read(rest).ok_or(Header::SIZE)?;
        if header.kind == kind::DATA {
            return self.begin_data(cx, direction, &header, rest, position);
        }
        let length = header.length as usize;
        if length > MAX_FRAME {
            let id = self.transaction_of(direction, header.stream);
            self.saw(cx, direction, id, &header, position);
            self.note(id, Http2Anomaly::LongFrameData);
            self.pass_over(direction, length);
            return Ok(Header::SIZE);
        }
        let end = Header::SIZE + length;
        let payload = rest.get(Header::SIZE..end).ok_or(end)?;
        self.credit.earn(end);
        self.frame(cx, direction, &header, payload, position);
        Ok(end)
    }

    /// The client's preface, of which an upgraded connection, or one seen midstream, may have none.
    fn preface(&self, cx: &mut ParseContext<'_>, direction: Direction, rest: &[u8]) -> Result<usize, usize> {
        if direction == Direction::ToClient {
            return Ok(0);
        }
        let length = rest.len().min(PREFACE.len());
        if rest.get(..length) != PREFACE.get(..length) {
            cx.anomalies.push(Http2Anomaly::InvalidClientMagic.into());
            return Ok(0);
        }
        if length == PREFACE.len() { Ok(length) } else { Err(PREFACE.len()) }
    }

    fn pass_over(&mut self, direction: Direction, length: usize) {
        let rest = Rest { body: None, content: length as u64, padding: 0, ends_stream: false };
        self.sides[direction].rest = (length > 0).then_some(rest);
    }

    /// A part of a body begins.
    fn begin_data(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        rest: &[u8],
        position: usize,
    ) -> Result<usize, usize> {
        let length = u64::from(header.length);
        let is_padded = header.has(frame::PADDED) && length > 0;
        let padding = if is_padded { *rest.get(Header::SIZE).ok_or(Header::SIZE + 1)? } else { 0 };
        let id = self.transaction_of(direction, header.stream);
        self.saw(cx, direction, id, header, position);
        if header.stream == 0 {
            self.note(id, Http2Anomaly::DataStreamZero);
            self.pass_over(direction, header.length as usize);
            return Ok(Header::SIZE);
        }
        let content = length - u64::from(is_padded);
        if u64::from(padding) > content {
            self.note(id, Http2Anomaly::InvalidFrameData);
        }
        let padding = content.min(padding.into());
        let ends_stream = header.has(frame::END_STREAM);
        let rest = Rest { body: Some(id), content: content - padding, padding, ends_stream };
        self.advance(cx, direction, rest, 0, 0, position);
        Ok(Header::SIZE + usize::from(is_padded))
    }

    /// More of a frame that is taken as it comes.
    fn go_on(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
        rest: Rest,
        position: usize,
    ) -> usize {
        let content = bytes.len().min(usize::try_from(rest.content).unwrap_or(usize::MAX));
        let after = bytes.len() - content;
        let padding = after.min(usize::try_from(rest.padding).unwrap_or(usize::MAX));
        if let Some(id) = rest.body {
            let bytes = bytes.get(..content).unwrap_or_default();
            self.intake(cx, direction, id, position, |intake| intake.push(bytes));
        }
        self.advance(cx, direction, rest, content as u64, padding as u64, position);
        content + padding
    }

    /// So much of the rest of a frame is done with.
    fn advance(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: Rest,
        content: u64,
        padding: u64,
        position: usize,
    ) {
        let left = Rest { content: rest.content - content, padding: rest.padding - padding, ..rest };
        let is_over = left.content + left.padding == 0;
        self.sides[direction].rest = (!is_over).then_some(left);
        if let (true, true, Some(id)) = (is_over, rest.ends_stream, rest.body) {
            self.end(cx, direction, id, FileState::Closed, position);
        }
    }

    fn intake(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        id: u64,
        position: usize,
        take: impl FnOnce(&mut Intake<'_, '_>),
    ) {
        let time = cx.arrival(position);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.seen(direction, time);
        let (ranges, next_file) = (&self.ranges, &mut self.next_file);
        let (before, bomb_limit) = (transaction.size(), self.settings.bomb_limit);
        take(&mut Intake { transaction, direction, ranges, next_file, bomb_limit, cx, time });
        self.hold(id, before);
    }

    /// A side says no more in a stream.
    fn end(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        id: u64,
        state: FileState,
        position: usize,
    ) {
        let time = cx.arrival(position);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let (ranges, next_file) = (&self.ranges, &mut self.next_file);
        let (before, was_open) = (transaction.size(), !transaction.is_closed());
        let bomb_limit = self.settings.bomb_limit;
        Intake { transaction, direction, ranges, next_file, bomb_limit, cx, time }.finish(state);
        transaction.end(direction);
        self.has_dns |= transaction.carried(direction).is_some();
        if was_open {
            let after = if transaction.is_closed() { 0 } else { transaction.size() };
            self.held = (self.held + after).saturating_sub(before);
        }
        self.transactions.count(id, Http2Transaction::memory);
    }

    /// A transaction held so much before; where it is open and all hold too much, the oldest ones are done with.
    fn hold(&mut self, id: u64, before: usize) {
        self.transactions.count(id, Http2Transaction::memory);
        let Some(transaction) = self.transactions.by_id(id).filter(|transaction| !transaction.is_closed())
        else {
            return;
        };
        self.held = (self.held + transaction.size()).saturating_sub(before);
        while self.held > MAX_HELD && self.give_up_oldest() {}
    }

    /// The transaction of a stream, or a new one; [`NOWHERE`] where there is no room.
    fn transaction_of(&mut self, direction: Direction, stream: u32) -> u64 {
        if let Some(&id) = self.streams.get(&stream)
            && self.transactions.by_id(id).is_some()
        {
            return id;
        }
        if self.transactions.len() >= MAX_LIVE {
            if let Some(last) = self.transactions.last_mut() {
                last.note(Http2Anomaly::TooManyStreams);
            }
            return NOWHERE;
        }
        if stream == 0 {
            // Each frame is a transaction of its own.
            let transaction = self.transactions.push(Http2Transaction::default());
            transaction.meta.only = Some(direction);
            Direction::BOTH.into_iter().for_each(|direction| transaction.end(direction));
            return transaction.meta.id;
        }
        if self.streams.len() >= self.sweep_at {
            let live = &self.transactions;
            self.streams.retain(|_, id| live.by_id(*id).is_some());
            self.sweep_at = self.settings.max_streams.max(2 * self.streams.len());
        }
        if self.transactions.len() >= self.settings.max_streams {
            self.give_up_oldest();
        }
        let transaction = self.transactions.push(Http2Transaction { stream, ..Http2Transaction::default() });
        self.streams.insert(stream, transaction.meta.id);
        transaction.meta.id
    }

    /// Too many streams are open, or they hold too much: the oldest one is done with. Answers whether there is one.
    fn give_up_oldest(&mut self) -> bool {
        let is_open = |transaction: &Http2Transaction| !transaction.is_closed();
        let Some(oldest) = self.transactions.oldest_mut(&mut self.oldest, is_open) else { return false };
        self.held = self.held.saturating_sub(oldest.size());
        oldest.note(Http2Anomaly::TooManyStreams);
        Direction::BOTH.into_iter().for_each(|direction| oldest.give_up(direction));
        self.streams.remove(&oldest.stream);
        true
    }

    fn note(&mut self, id: u64, anomaly: Http2Anomaly) {
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.note(anomaly);
        }
    }

    /// A frame of a transaction came.
    fn saw(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        id: u64,
        header: &Header,
        position: usize,
    ) {
        header.report(cx, direction, position, id);
        if let Some(transaction) = self.transactions.by_id_mut(id) {
            transaction.meta.seen(direction, cx.arrival(position));
            let message = &mut transaction.messages[direction];
            let frames = message.note_kind(header.kind);
            let is_over =
                message.ended && header.stream != 0 && matches!(header.kind, kind::DATA | kind::HEADERS);
            if is_over {
                transaction.note(Http2Anomaly::StreamIdReuse);
            }
            if frames > self.settings.max_frames {
                transaction.note(Http2Anomaly::TooManyFrames);
            }
        }
    }

    /// A whole frame.
    fn frame(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        payload: &[u8],
        position: usize,
    ) {
        let is_push = header.kind == kind::PUSH_PROMISE;
        let content = if matches!(header.kind, kind::HEADERS | kind::PUSH_PROMISE) {
            header.unpadded(payload)
        } else {
            Some(payload)
        };
        let mut reader = Reader::new(content.unwrap_or_default());
        let promised = if is_push { reader.u32().map(|stream| stream & 0x7fff_ffff) } else { None };
        let id = self.transaction_of(direction, promised.unwrap_or(header.stream));
        self.saw(cx, direction, id, header, position);
        if content.is_none() || is_push && promised.is_none() {
            return self.note(id, Http2Anomaly::InvalidFrameData);
        }
        match header.kind {
            kind::HEADERS => {
                if header.has(frame::WITH_PRIORITY) {
                    let Some(weight) = reader.take(PRIORITY).and_then(<[u8]>::last) else {
                        return self.note(id, Http2Anomaly::InvalidFrameData);
                    };
                    self.keep(id, direction, |controls| (&mut controls.priorities, *weight));
                }
                self.block_part(cx, direction, header, id, reader.rest(), position);
            }
            kind::PUSH_PROMISE | kind::CONTINUATION => {
                self.block_part(cx, direction, header, id, reader.rest(), position);
            }
            _ => self.control(cx, direction, header, id, payload, position),
        }
    }

    /// Keeps a value of a side, where there is room.
    fn keep<T>(
        &mut self,
        id: u64,
        direction: Direction,
        place: impl FnOnce(&mut Controls) -> (&mut Vec<T>, T),
    ) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let (values, value) = place(transaction.messages[direction].controls_mut());
        if values.len() < MAX_VALUES {
            values.push(value);
        } else {
            transaction.note(Http2Anomaly::TooManyFrames);
        }
    }

    /// A frame that is no part of a message.
    fn control(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        id: u64,
        payload: &[u8],
        position: usize,
    ) {
        let length = payload.len();
        let fits = match header.kind {
            kind::PRIORITY => length == PRIORITY,
            kind::RST_STREAM | kind::WINDOW_UPDATE => length == 4,
            kind::SETTINGS => length.is_multiple_of(6),
            kind::GOAWAY => length >= 8,
            _ => true,
        };
        if !fits {
            return self.note(id, Http2Anomaly::InvalidFrameLength);
        }
        let mut reader = Reader::new(payload);
        match header.kind {
            kind::PRIORITY => {
                let weight = payload.last().copied().unwrap_or_default();
                self.keep(id, direction, |controls| (&mut controls.priorities, weight));
            }
            kind::RST_STREAM => {
                let error = reader.u32().unwrap_or_default();
                self.keep(id, direction, |controls| (&mut controls.errors, error));
                for side in Direction::BOTH {
                    self.end(cx, side, id, FileState::Truncated, position);
                }
            }
            kind::SETTINGS => {
                for setting in setting::read(payload) {
                    self.keep(id, direction, |controls| (&mut controls.settings, setting));
                }
            }
            kind::GOAWAY => {
                let error = reader.skip(4).and_then(|()| reader.u32()).unwrap_or_default();
                self.keep(id, direction, |controls| (&mut controls.errors, error));
            }
            kind::WINDOW_UPDATE => {
                let window = reader.u32().unwrap_or_default() & 0x7fff_ffff;
                self.keep(id, direction, |controls| (&mut controls.windows, window));
            }
            _ => {}
        }
    }
}
