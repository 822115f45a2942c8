//! Pieces of streams, and of transactions' bodies, for outputs that write them out.

use weir_applayer::{Access, Body, Protocol, Transaction};
use weir_base::event::PayloadExtent;
use weir_base::{Delivery, Direction, IdSet, Piece, Position, Timestamp};
use weir_flow::Flow;
use weir_output::{DataPlace, DataRecord, Record, RecordContext, RecordKind};
use weir_zeek::StreamPiece;

use super::records::view;
use super::{PacketContext, Rest};
use crate::session::Session;

/// A piece that a stream handed out.
pub(crate) struct Said {
    pub(super) direction: Direction,
    pub(super) bytes: Vec<u8>,
    pub(super) place: DataPlace,
}

impl Said {
    /// The bytes of a delivery, or the end.
    pub(super) fn of(delivery: &Delivery<'_>) -> Option<Self> {
        let (bytes, place) = match delivery.piece {
            Piece::Data { offset, bytes, .. } => (bytes.to_vec(), DataPlace::of(offset, false)),
            Piece::End => (Vec::new(), DataPlace::Last),
            Piece::Gap { .. } | Piece::Datagram(_) => return None,
        };
        Some(Self { direction: delivery.direction, bytes, place })
    }
}

/// Room for pieces that is kept from packet to packet, in bytes.
const ROOM: usize = 1 << 20;

/// Pieces of streams for signatures of scripts, each as it was captured: those that one packet brought, so that they are no
/// more than a flow's reassembly holds.
pub(super) struct MatchedPieces {
    extent: PayloadExtent,
    pieces: Vec<MatchedPiece>,
    /// Their bytes, one after the other.
    bytes: Vec<u8>,
}

struct MatchedPiece {
    direction: Direction,
    offset: u64,
    length: usize,
    captured: Timestamp,
}

impl MatchedPieces {
    pub(super) const fn new(extent: PayloadExtent) -> Self {
        Self { extent, pieces: Vec::new(), bytes: Vec::new() }
    }

    /// Adds the bytes of a delivery.
    #[cold]
    pub(super) fn add(&mut self, delivery: &Delivery<'_>) {
        let Piece::Data { offset, bytes, arrivals } = delivery.piece else { return };
        let end = offset + bytes.len() as u64;
        for (place, (start, captured)) in arrivals.iter().enumerate() {
            let start = (*start).max(offset);
            let next = arrivals.get(place + 1).map_or(end, |(next, _)| *next).min(end);
            let range = usize::try_from(start - offset).ok().zip(next.checked_sub(offset));
            let part = range.and_then(|(first, last)| bytes.get(first..usize::try_from(last).ok()?));
            if let Some(part) = part.filter(|part| !part.is_empty() && self.extent.has(start)) {
                let (direction, length, captured) = (delivery.direction, part.len(), *captured);
                self.bytes.extend_from_slice(part);
                self.pieces.push(MatchedPiece { direction, offset: start, length, captured });
            }
        }
    }
}

impl Rest {
    /// Gives scripts the pieces of streams that their signatures are matched against.
    pub(super) fn match_pieces(&mut self, flow: &mut Flow<Session>, position: Position) {
        let Some(matched) = &mut self.app.matched else { return };
        let mut rest = matched.bytes.as_slice();
        for piece in matched.pieces.drain(..) {
            let Some((bytes, behind)) = rest.split_at_checked(piece.length) else { break };
            rest = behind;
            let key = &flow.core.key;
            let source = match piece.direction {
                Direction::ToServer => (key.source, key.source_port),
                Direction::ToClient => (key.destination, key.destination_port),
            };
            let given = StreamPiece { source, offset: piece.offset, bytes, captured: piece.captured };
            self.recorder.match_piece(&mut flow.session, given, position);
        }
        matched.bytes.clear();
        matched.bytes.shrink_to(ROOM);
        matched.pieces.shrink_to(ROOM / size_of::<MatchedPiece>());
    }

    /// Records of what streams handed out, where an output wants them.
    pub(super) fn record_data(&mut self, flow: &mut Flow<Session>, context: &PacketContext<'_>) {
        if let Some(mut said) = self.app.said.take() {
            let cx = RecordContext { flow: Some(view(flow)), ..context.record() };
            for piece in said.drain(..) {
                let record = DataRecord {
                    direction: piece.direction,
                    transaction: None,
                    bytes: &piece.bytes,
                    place: piece.place,
                };
                self.recorder.record(&cx, &Record::Data(record));
            }
            self.app.said = Some(said);
        }
    }

    /// Records of what is new of the bodies of the transactions that changed, where an output wants them.
    #[inline]
    pub(super) fn record_bodies(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        changed: &mut IdSet,
    ) {
        if self.recorder.wants(RecordKind::BodyData) {
            self.record_wanted_bodies(flow, context, changed);
        }
    }

    #[cold]
    fn record_wanted_bodies(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        changed: &mut IdSet,
    ) {
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
                    let Some(body) = body(protocol, transaction, direction) else { continue };
                    let (start, bytes) = body.bytes();
                    let Some(before) = written.advance(id, direction, body) else { continue };
                    let fresh = bytes.get(before.saturating_sub(start) as usize..).unwrap_or_default();
                    let place = DataPlace::of(before, body.is_complete());
                    if !fresh.is_empty() || place == DataPlace::Last {
                        let record = DataRecord { direction, transaction: Some(id), bytes: fresh, place };
                        self.recorder.record(&cx, &Record::Data(record));
                    }
                }
            }
        }
        flow.session.note_bodies(written);
    }
}

/// The body of a transaction in a direction.
fn body<'a>(
    protocol: &'static Protocol,
    transaction: &'a dyn Transaction,
    direction: Direction,
) -> Option<&'a Body> {
    protocol.fields.iter().filter(|field| field.direction.covers(direction)).find_map(|field| {
        match field.access {
            Access::Body(read) => read(transaction, direction),
            _ => None,
        }
    })
}
