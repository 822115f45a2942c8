//! The screen of what both sides of a connection said.

use super::bytes::{self, Form, LINES};
use super::document::{CLIENT, Document, ERROR, SERVER, SOFT, STRONG, span};
use super::text::{count, when};
use crate::pages::packets::Said;

/// Makes its lines.
pub fn document(found: &Said, form: Form, width: usize) -> Document {
    let packets = i64::try_from(found.packets).unwrap_or(i64::MAX);
    let mut document = Document::new(&format!("What both sides said: {} packets", count(packets)), width);
    for remark in &found.remarks {
        document.text(remark, ERROR);
    }
    let mut left = 0;
    for piece in &found.pieces {
        if piece.gap > 0 {
            let gap = i64::try_from(piece.gap).unwrap_or(i64::MAX);
            document.text(&format!("{} bytes are missing", count(gap)), SOFT);
        }
        let (name, style) = if piece.from_client { ("→ client", CLIENT) } else { ("← server", SERVER) };
        let room = LINES.saturating_sub(document.rows.len());
        if room > 0 {
            let size = i64::try_from(piece.bytes.len()).unwrap_or(i64::MAX);
            let about = format!("  {} bytes  {}", count(size), when(piece.time));
            document.line(vec![span(name, style.patch(STRONG)), span(&about, SOFT)]);
        }
        let shown = bytes::lines(&piece.bytes, &[], form, style, width, room);
        shown.lines.into_iter().for_each(|line| document.line(line));
        left += shown.left;
    }
    if found.pieces.is_empty() {
        document.text("Neither side said anything in these captures.", SOFT);
    }
    if left > 0 {
        let left = count(i64::try_from(left).unwrap_or(i64::MAX));
        document.text(&format!("{left} bytes more are not shown."), SOFT);
    }
    if found.cut {
        document.text("No more than 256 KiB of each side are shown.", SOFT);
    }
    document.text("x shows hexadecimal digits or text.", SOFT);
    document
}
