//! Cuts streams into frames, each of which is a transaction.
//!
//! A frame is waited for until as much of its payload is there as is looked at; the rest is passed over.

use weir_applayer::{
    Carried, Factory, Options, Outcome, ParseContext, Parser, Request, Step, TransactionList, factory,
    in_steps,
};
use weir_base::{Direction, PerDirection};

use super::WEBSOCKET;
use super::anomaly::WebSocketAnomaly;
use super::frame::{Header, opcode};
use super::message::Message;
use super::settings::Settings;
use super::transaction::{COMPLETE, WebSocketTransaction};

/// Most frames that wait to be inspected and logged; further ones go by.
pub const MAX_TRANSACTIONS: usize = 8192;

/// Bytes of a message's pieces for the protocol inside, as in Zeek.
const PIECE: usize = 8192;

/// Reads `app-layer.protocols.websocket`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(WebSocketParser {
            settings,
            streams: PerDirection::default(),
            transactions: TransactionList::default(),
            carried: Vec::new(),
        })
    })
}

/// One direction's frames.
#[derive(Debug, Default)]
struct Stream {
    /// The frame of which the rest is passed over.
    rest: Option<Rest>,
    /// Bytes of the payload at hand that were handed on.
    handed_on: usize,
    /// Opcode of the message's first frame.
    kind: u8,
    message: Message,
}

/// The end of a payload, which is not kept.
#[derive(Clone, Copy, Debug)]
struct Rest {
    header: Header,
    /// Where it goes on in the payload.
    position: u64,
}

/// One connection.
#[derive(Debug)]
pub struct WebSocketParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    transactions: TransactionList<WebSocketTransaction>,
    carried: Vec<Carried>,
}

impl Parser for WebSocketParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        in_steps(bytes, |rest, position| {
            self.step(cx, direction, rest, position).map_or_else(Step::Needed, Step::Taken)
        })
    }

    fn held(&self) -> usize {
        Direction::BOTH.iter().map(|&direction| self.streams[direction].message.memory()).sum()
    }

    weir_applayer::parser_transactions!(&WEBSOCKET);

    fn take_carried(&mut self) -> Vec<Carried> {
        std::mem::take(&mut self.carried)
    }
}

impl WebSocketParser {
    /// Takes what `rest` begins with; answers its length, or how many bytes are needed.
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Result<usize, usize> {
        if let Some(Rest { header, position: at }) = self.streams[direction].rest {
            let taken = usize::try_from(header.length - at).unwrap_or(usize::MAX).min(rest.len());
            let next = at + taken as u64;
            self.streams[direction].rest = (next < header.length).then_some(Rest { header, position: next });
            self.hand_on(cx, direction, &header, rest.get(..taken).unwrap_or_default(), (at, position));
            return Ok(taken);
        }
        let header = Header::read(rest)?;
        let kept = usize::try_from(header.length).unwrap_or(usize::MAX).min(self.settings.max_payload_size);
        let end = header.size + kept;
        if cx.reads_carried() {
            self.hand_on_pieces(cx, direction, &header, rest, (kept, position))?;
        }
        let payload = rest.get(header.size..end).ok_or(end)?;
        let stream = &mut self.streams[direction];
        stream.handed_on = 0;
        stream.rest = (header.length > kept as u64).then_some(Rest { header, position: kept as u64 });
        self.frame(cx, direction, &header, payload, position);
        Ok(end)
    }

    /// Hands on what is there of a frame that `rest` begins with, which begins at `position` of the push and
    /// has `kept` bytes; answers how many bytes are needed for the next piece.
    fn hand_on_pieces(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        rest: &[u8],
        (kept, position): (usize, usize),
    ) -> Result<(), usize> {
        let stream = &mut self.streams[direction];
        if !opcode::is_control(header.opcode) && header.opcode != opcode::CONTINUATION {
            stream.kind = header.opcode;
        }
        loop {
            let from = self.streams[direction].handed_on;
            if from == kept {
                return Ok(());
            }
            let (start, end) = (header.size + from, header.size + kept.min(from + PIECE));
            let piece = rest.get(start..end).ok_or(end)?;
            self.hand_on(cx, direction, header, piece, (from as u64, position + start));
            self.streams[direction].handed_on = end - header.size;
        }
    }

    /// Hands on a part of a payload, which begins there and at `index` of the push.
    fn hand_on(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        header: &Header,
        part: &[u8],
        (position, index): (u64, usize),
    ) {
        let carries = matches!(self.streams[direction].kind, opcode::TEXT | opcode::BINARY);
        if !cx.reads_carried() || !carries || opcode::is_control(header.opcode) || part.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(part.len());
        header.unmask(part, position, &mut bytes);
        self.carried.push(Carried { direction, bytes, time: cx.arrival(index + part.len() - 1) });
    }

    /// A frame that begins at `position` of the push, with what is kept of its payload.
    fn frame(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        payload: &[u8],
        position: usize,
    ) {
        header.report(cx, direction, position, self.transactions.created());
        cx.request(Request::InspectStream(direction));
        let mut transaction = WebSocketTransaction {
            flags: header.flags,
            opcode: header.opcode,
            mask: header.mask,
            length: header.length,
            ..WebSocketTransaction::default()
        };
        header.unmask(payload, 0, &mut transaction.payload);
        if payload.len() as u64 != header.length {
            transaction.note(WebSocketAnomaly::SkipEndOfPayload);
        }
        self.streams[direction].message.take(header, &mut transaction, self.settings.max_payload_size);
        if self.transactions.len() >= MAX_TRANSACTIONS {
            if let Some(last) = self.transactions.last_mut() {
                last.note(WebSocketAnomaly::ReassemblyLimitReached);
            }
            return;
        }
        transaction.meta.only = Some(direction);
        let transaction = self.transactions.push(transaction);
        transaction.meta.seen(direction, cx.arrival(position));
        transaction.meta.seen(direction, cx.arrival(position + header.size + payload.len() - 1));
        transaction.meta.advance(direction, COMPLETE);
    }
}
