//! Files on their way to scripts that follow them: what came of each, piece by piece, as it was captured.

use weir_applayer::File;
use weir_applayer::extraction::Extract;
use weir_base::event::{ConnectionState, FILE};
use weir_base::{Direction, EventValue, Timestamp};

use crate::rows::Rows;

/// A file as scripts are told of it.
#[derive(Clone, Copy)]
pub(crate) struct Told<'a> {
    pub(crate) fuid: &'a str,
    pub(crate) source: &'a [u8],
    pub(crate) is_orig: bool,
    pub(crate) name: &'a [u8],
    pub(crate) depth: u64,
    pub(crate) total: Option<u64>,
    /// Its type, where the protocol tells it.
    pub(crate) mime_type: Option<&'a str>,
    /// Parts of it come by themselves, in any order.
    pub(crate) is_in_parts: bool,
}

impl<'a> Told<'a> {
    /// The file that a connection carries.
    pub(crate) fn of(file: &'a File, fuid: &'a str, source: &'a [u8]) -> Self {
        Self {
            fuid,
            source,
            is_orig: file.direction == Direction::ToServer,
            name: if file.name_is_path { &[] } else { &file.name },
            depth: file.depth,
            total: file.announced,
            mime_type: file.told_type,
            is_in_parts: file.start.is_some(),
        }
    }

    /// Sends what was gathered of it, which belongs at `base`.
    pub(crate) fn pieces(
        &self,
        (pieces, base): (&Extract, u64),
        connection: &ConnectionState<'_>,
        rows: &mut Rows<'_>,
    ) {
        for (offset, bytes, captured) in pieces.captured() {
            let piece = (base.saturating_add(offset), bytes);
            self.send(piece, None, Some(captured), connection, rows);
        }
    }

    /// Sends its end, at this length where that is known.
    pub(crate) fn end(
        &self,
        length: u64,
        captured: Option<Timestamp>,
        connection: &ConnectionState<'_>,
        rows: &mut Rows<'_>,
    ) {
        self.send((0, b""), Some(length), captured, connection, rows);
    }

    /// Sends a file that is known in full.
    pub(crate) fn whole(
        &self,
        bytes: &[u8],
        captured: Timestamp,
        connection: &ConnectionState<'_>,
        rows: &mut Rows<'_>,
    ) {
        self.send((0, bytes), None, Some(captured), connection, rows);
        self.end(bytes.len() as u64, Some(captured), connection, rows);
    }

    fn send(
        &self,
        (offset, bytes): (u64, &[u8]),
        end: Option<u64>,
        captured: Option<Timestamp>,
        connection: &ConnectionState<'_>,
        rows: &mut Rows<'_>,
    ) {
        let Some(events) = &rows.plan.events else { return };
        let now = rows.position.clock;
        let captured = captured.filter(|time| *time != Timestamp::default());
        let moment = captured.map_or(EventValue::Unset, EventValue::Time);
        let captured = captured.filter(|time| *time < now);
        let arguments = [
            EventValue::Connection,
            EventValue::text(self.fuid),
            EventValue::String(self.source),
            EventValue::Bool(self.is_orig),
            EventValue::String(self.name),
            EventValue::Count(self.depth),
            EventValue::count(self.total),
            self.mime_type.map_or(EventValue::Unset, EventValue::text),
            EventValue::Bool(self.is_in_parts),
            EventValue::Count(offset),
            EventValue::String(bytes),
            EventValue::count(end),
            moment,
        ];
        events.send_of(rows.out, rows.position, captured, FILE, &arguments, Some(connection));
    }
}
