//! Events of files, raised when what becomes of a file is known.

use weir_applayer::ZeekConnection;
use weir_base::event::FileState;
use weir_base::{EventValue, hex};

use super::Own;
use crate::files::Summary;
use crate::rows::Rows;

/// Events of files.
const EVENTS: [Own; 6] = [
    Own::FileNew,
    Own::FileOverNewConnection,
    Own::FileSniff,
    Own::FileHash,
    Own::FileTimeout,
    Own::FileStateRemove,
];

/// Raises the events of a file.
pub(crate) fn file(fuid: &str, file: &Summary<'_>, connection: &ZeekConnection<'_>, rows: &mut Rows<'_>) {
    if !rows.has_events() || !EVENTS.iter().any(|event| rows.handles(*event)) {
        return;
    }
    let begun = FileState {
        id: fuid.as_bytes(),
        source: file.source,
        is_orig: Some(file.is_orig),
        first_seen: file.ts,
        last_active: file.ts,
        seen: 0,
        total: file.total,
        missing: 0,
        head: &[],
        mime_type: None,
        filename: file.filename,
        depth: file.depth,
    };
    let about = Some(connection);
    rows.raise_of(Own::FileNew, about, &[EventValue::File(&begun)]);
    let over = [EventValue::File(&begun), EventValue::Connection, EventValue::Bool(file.is_orig)];
    rows.raise_of(Own::FileOverNewConnection, about, &over);
    let ended = FileState {
        last_active: file.last,
        seen: file.seen,
        missing: file.missing,
        mime_type: file.mime_type,
        ..begun
    };
    let mime_type = file.mime_type.map_or(EventValue::Unset, EventValue::text);
    let strength = [EventValue::Int(0), mime_type];
    let matches = [EventValue::Record(&strength)];
    let inferred = if file.mime_type.is_some() { EventValue::List(&matches) } else { EventValue::Unset };
    let meta = [mime_type, inferred, EventValue::Bool(true)];
    rows.raise_of(Own::FileSniff, about, &[EventValue::File(&ended), EventValue::Record(&meta)]);
    let digests = [
        ("md5", file.digests.md5.map(|hash| hex::string(&hash))),
        ("sha1", file.digests.sha1.map(|hash| hex::string(&hash))),
        ("sha256", file.digests.sha256.map(|hash| hex::string(&hash))),
    ];
    for (kind, hash) in &digests {
        if let Some(hash) = hash {
            let arguments = [EventValue::File(&ended), EventValue::text(kind), EventValue::text(hash)];
            rows.raise_of(Own::FileHash, about, &arguments);
        }
    }
    if file.timed_out {
        rows.raise_of(Own::FileTimeout, about, &[EventValue::File(&ended)]);
    }
    rows.raise_of(Own::FileStateRemove, about, &[EventValue::File(&ended)]);
}
