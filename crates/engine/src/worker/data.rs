//! Pieces of streams, and of transactions' bodies, for outputs that write them out.

use weir_applayer::{Access, Protocol, Transaction};
use weir_base::{Direction, IdSet};
use weir_flow::Flow;
use weir_output::{DataRecord, Record, RecordContext, RecordKind};

use super::records::view;
use super::{PacketContext, Rest};
use crate::session::Session;

/// A piece that a stream handed out.
pub(crate) struct Said {
    pub(super) direction: Direction,
    pub(super) bytes: Vec<u8>,
}

impl Rest {
    /// Records of what streams handed out, where an output wants them.
    pub(super) fn record_data(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>) {
        if let Some(mut said) = self.app.said.take() {
            let cx = RecordContext { flow: Some(view(flow)), ..context.record() };
            for piece in said.drain(..) {
                let record =
                    DataRecord { direction: piece.direction, transaction: None, bytes: &piece.bytes };
                self.recorder.record(&cx, &Record::Data(record));
            }
            self.app.said = Some(said);
        }
    }

    /// Records of what is new of the bodies of the transactions that changed.
    pub(super) fn record_bodies(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        changed: &mut IdSet,
    ) {
        if !self.recorder.wants(RecordKind::BodyData) {
            return;
        }
        let mut written = flow.session.take_bodies();
        if let Some(parser) = flow.session.parser() {
            let protocol = parser.protocol();
            let cx = RecordContext { flow: Some(view(flow)), ..context.record() };
            if let Some(first) = parser.next_from(0) {
                written.forget_before(first.meta().id);
            }
            for &id in changed.sorted() {
                let Some(transaction) = parser.transaction(id) else { continue };
                for direction in Direction::BOTH {
                    let Some((start, bytes)) = body(protocol, transaction, direction) else { continue };
                    let end = start + bytes.len() as u64;
                    let before = written.advance(id, direction, end);
                    let fresh = bytes.get(before.saturating_sub(start) as usize..).unwrap_or_default();
                    if !fresh.is_empty() {
                        let record = DataRecord { direction, transaction: Some(id), bytes: fresh };
                        self.recorder.record(&cx, &Record::Data(record));
                    }
                }
            }
        }
        flow.session.note_bodies(written);
    }
}

/// The body of a transaction in a direction: where what is kept of it begins, and the bytes.
fn body<'a>(
    protocol: &'static Protocol,
    transaction: &'a dyn Transaction,
    direction: Direction,
) -> Option<(u64, &'a [u8])> {
    protocol.fields.iter().filter(|field| field.direction.covers(direction)).find_map(|field| {
        match field.access {
            Access::Body(read) => read(transaction, direction).map(|body| body.bytes()),
            _ => None,
        }
    })
}
