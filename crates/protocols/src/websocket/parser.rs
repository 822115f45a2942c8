//! Cuts streams into frames, each of which is a transaction.
//!
//! A frame is waited for until as much of its payload is there as is looked at; the rest is passed over.

use weir_applayer::{Endpoints, Factory, Options, Outcome, ParseContext, Parser, TransactionList};
use weir_base::{Direction, PerDirection};

use super::WEBSOCKET;
use super::anomaly::WebSocketAnomaly;
use super::frame::Header;
use super::message::Message;
use super::settings::Settings;
use super::transaction::{COMPLETE, WebSocketTransaction};

/// Most frames that wait to be inspected and logged; further ones go by.
pub const MAX_TRANSACTIONS: usize = 8192;

/// Opens a [`WebSocketParser`] per flow.
#[derive(Debug)]
struct WebSocketFactory {
    settings: Settings,
}

/// Reads `app-layer.protocols.websocket`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    Box::new(WebSocketFactory { settings: Settings::read(options) })
}

impl Factory for WebSocketFactory {
    fn open(&self, _: &Endpoints) -> Box<dyn Parser> {
        Box::new(WebSocketParser {
            settings: self.settings,
            streams: PerDirection::default(),
            transactions: TransactionList::default(),
        })
    }
}

/// One direction's frames.
#[derive(Debug, Default)]
struct Stream {
    /// Bytes of a frame that are passed over.
    skip: u64,
    message: Message,
}

/// One connection.
#[derive(Debug)]
pub struct WebSocketParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    transactions: TransactionList<WebSocketTransaction>,
}

impl Parser for WebSocketParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            match self.step(cx, direction, rest, position) {
                Ok(taken) => position += taken,
                Err(needed) => return Outcome::Incomplete { consumed: position, needed },
            }
        }
        Outcome::Ok
    }

    /// What is not whole then is no frame.
    fn close(&mut self, _: &mut ParseContext<'_>, _: Direction) {}

    weir_applayer::parser_transactions!(&WEBSOCKET);
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
        let stream = &mut self.streams[direction];
        if stream.skip > 0 {
            let taken = usize::try_from(stream.skip).unwrap_or(usize::MAX).min(rest.len());
            stream.skip -= taken as u64;
            return Ok(taken);
        }
        let header = Header::read(rest)?;
        let kept = usize::try_from(header.length).unwrap_or(usize::MAX).min(self.settings.max_payload_size);
        let end = header.size + kept;
        let payload = rest.get(header.size..end).ok_or(end)?;
        stream.skip = header.length - kept as u64;
        self.frame(cx, direction, &header, payload, position);
        Ok(end)
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
        let mut transaction = WebSocketTransaction {
            flags: header.flags,
            opcode: header.opcode,
            mask: header.mask,
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
