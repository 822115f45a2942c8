//! Events of WebSocket for scripts: frames, and messages that they make.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, PerDirection, Reader};

use super::frame::{COMPRESSED, FIN, opcode};
use super::transaction::WebSocketTransaction;

event_names! {
    /// Their names.
    const NAMES;
    ESTABLISHED = "websocket_established",
    FRAME = "websocket_frame",
    DATA = "websocket_frame_data",
    MESSAGE = "websocket_message",
    CLOSE = "websocket_close",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/websocket/main",
    bodies: None,
    names: NAMES,
    open: || Box::<WebSocketRaiser>::default(),
};

/// Bits of a frame's first byte beside the opcode that are no end of a message.
const RESERVED: u8 = 0x70;

#[derive(Debug, Default)]
struct WebSocketRaiser {
    is_established: bool,
    /// The opcode of the message that is under way.
    opcode: PerDirection<u8>,
}

impl EventRaiser for WebSocketRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<WebSocketTransaction>().filter(|_| news.complete) else { return };
        let Some(direction) = tx.meta.only else { return };
        let c = EventValue::Connection;
        if !std::mem::replace(&mut self.is_established, true) {
            sink.raise(ESTABLISHED, &[c, EventValue::Count(0)]);
        }
        let is_orig = EventValue::Bool(direction == Direction::ToServer);
        let is_last = tx.flags & FIN != 0;
        let reserved = EventValue::from((tx.flags & RESERVED) >> 4);
        sink.raise(FRAME, &[c, is_orig, is_last.into(), reserved, tx.opcode.into(), tx.length.into()]);
        let data = own_payload(tx);
        if !data.is_empty() {
            sink.raise(DATA, &[c, is_orig, EventValue::String(data)]);
        }
        if tx.opcode == opcode::CLOSE {
            let mut reader = Reader::new(data);
            let status = EventValue::from(reader.u16().unwrap_or(0));
            sink.raise(CLOSE, &[c, is_orig, status, EventValue::String(reader.rest())]);
        }
        let known = &mut self.opcode[direction];
        if !opcode::is_control(tx.opcode) && tx.opcode != opcode::CONTINUATION {
            *known = tx.opcode;
        }
        if is_last {
            let opcode = if tx.opcode == opcode::CONTINUATION { *known } else { tx.opcode };
            sink.raise(MESSAGE, &[c, is_orig, opcode.into()]);
        }
    }
}

/// The part of a payload that is the frame's own: the last frame of a message has all of it.
fn own_payload(tx: &WebSocketTransaction) -> &[u8] {
    let length = usize::try_from(tx.length).unwrap_or(usize::MAX);
    if tx.flags & COMPRESSED != 0 {
        return &[];
    }
    tx.payload.get(tx.payload.len().saturating_sub(length)..).unwrap_or_default()
}
