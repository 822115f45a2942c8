//! Puts together messages of several frames (RFC 6455 5.4), and undoes their compression.

use super::anomaly::WebSocketAnomaly;
use super::frame::{COMPRESSED, Header, opcode};
use super::inflate::Inflater;
use super::transaction::WebSocketTransaction;

/// Bytes that undoing compression takes: the window of 32 KiB (RFC 1951, section 2), tables, and a piece of output.
const INFLATER_SIZE: usize = 48 * 1024;

/// The message that one side is at.
#[derive(Debug, Default)]
pub struct Message {
    /// Bytes of its frames so far, where it has several.
    payload: Vec<u8>,
    /// Its first frame was seen, but not its last one.
    is_open: bool,
    compressed: bool,
    /// Something of it was left out.
    cut: bool,
    /// Made with the first compressed message.
    inflater: Option<Box<Inflater>>,
}

impl Message {
    /// Bytes of what its frames brought, and of what undoes compression.
    pub fn memory(&self) -> usize {
        self.payload.capacity() + self.inflater.as_ref().map_or(0, |_| INFLATER_SIZE)
    }

    /// Takes in a frame, of which as much was kept as `limit` allows; the last one gets the whole message.
    pub fn take(&mut self, header: &Header, transaction: &mut WebSocketTransaction, limit: usize) {
        if opcode::is_control(header.opcode) {
            return;
        }
        let is_last = header.is_last();
        if !self.is_open || header.opcode != opcode::CONTINUATION {
            self.payload.clear();
            self.is_open = false;
            self.compressed = header.flags & COMPRESSED != 0;
            self.cut = false;
        }
        self.cut |= (transaction.payload.len() as u64) < header.length;
        if self.is_open || !is_last {
            let room = limit.saturating_sub(self.payload.len());
            if transaction.payload.len() > room {
                transaction.note(WebSocketAnomaly::ReassemblyLimitReached);
                self.cut = true;
            }
            let part = transaction.payload.get(..room).unwrap_or(&transaction.payload);
            self.payload.extend_from_slice(part);
        }
        if is_last && self.is_open {
            transaction.payload = std::mem::take(&mut self.payload);
        }
        self.is_open = !is_last;
        if is_last && self.compressed {
            self.inflate(transaction, limit);
        }
    }

    fn inflate(&mut self, transaction: &mut WebSocketTransaction, limit: usize) {
        let inflater = self.inflater.get_or_insert_default();
        match inflater.message(&transaction.payload, limit) {
            Some(found) => {
                if found.cut {
                    transaction.note(WebSocketAnomaly::SkipEndOfPayload);
                }
                transaction.payload = found.bytes;
                if self.cut {
                    inflater.forget();
                }
            }
            None => inflater.forget(),
        }
    }
}
