//! The screen of found records, the newest first, a page at a time.

use std::path::Path;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::document::{Document, Row, SOFT, STRONG, severity, span};
use super::question::Question;
use super::records::{self, Record, kind};
use super::state::PAGE;
use super::text::{bytes, cell, count, when};
use crate::pages::search::{self, Page, Words};

/// Letters of what a record says.
const LONGEST: usize = 400;

/// What a search is called.
pub fn title(words: &Words) -> String {
    let of = if words.table.is_empty() { "all records" } else { &words.table };
    if words.q.trim().is_empty() { of.to_owned() } else { format!("{} in {of}", words.q) }
}

/// Makes its lines.
pub fn document(words: &Words, found: &Page, width: usize) -> Document {
    let mut document = Document::new(&title(words), width);
    let offset = words.offset.unwrap_or(0);
    if found.rows.is_empty() {
        document.text(
            if offset > 0 {
                "There are no more records."
            } else {
                "No record is like this. A field is named as in the logs, as src_ip or id.orig_h; ? shows how to search."
            },
            SOFT,
        );
        return document;
    }
    let heads = format!("{} {} {}", cell("Time (UTC)", 26), cell("Type", KIND), "What");
    document.head.push(Line::from(span(&cell(&heads, width), STRONG)));
    for row in &found.rows {
        document.rows.push(line(row));
    }
    let number = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX));
    let range = format!("{} – {}", number(offset + 1), number(offset + found.rows.len()));
    let step =
        |offset| Some(Question::Search(Words { offset: Some(offset), limit: Some(PAGE), ..words.clone() }));
    if found.cut {
        document.line(vec![span("Some records were too long for this list.", SOFT)]);
    }
    if found.more {
        document.link(vec![span(&format!("{range}; older records"), SOFT)], step(offset + PAGE));
    } else {
        document.line(vec![span(&format!("{range}; these are all"), SOFT)]);
    }
    document
}

/// Places of a type of records.
pub const KIND: usize = 12;

/// A table's name as people know it: that of Zeek's logs has its origin before it.
pub fn named(table: &str) -> &str {
    if table.starts_with("zeek.") { table } else { kind(table) }
}

fn line(row: &search::Row) -> Row {
    let record = records::fields(row);
    let spans = told(&row.table, &record);
    let time = row.time.map(when).unwrap_or_default();
    let mut line = vec![span(&(cell(&time, 26) + " "), SOFT)];
    line.extend(spans);
    let connection = records::connection(row, &record);
    // Of a connection, all of it is told, and not only the record of its end.
    let whole = if is_whole(&row.table) { connection.clone() } else { None };
    let link = whole.or_else(|| Some(records::page(row, &record)));
    Row { line: Line::from(line), link, connection }
}

/// Whether records of a table tell of whole connections.
pub fn is_whole(table: &str) -> bool {
    matches!(kind(table), "flow" | "conn")
}

/// What a record says: its type, its ends, and the rest.
pub fn told(table: &str, record: &Record) -> Vec<Span<'static>> {
    let level = record.get("alert.severity").and_then(serde_json::Value::as_i64);
    let ends = records::ends(record);
    let ends = ends.map_or_else(String::new, |(from, to)| format!("{} → {}  ", cut(&from), cut(&to)));
    let summary = super::text::cut(&records::summary(table, record), LONGEST);
    vec![
        span(&(cell(named(table), KIND) + " "), severity(level)),
        span(&ends, SOFT),
        span(&summary, Style::new()),
    ]
}

/// An end of a connection: an address of IPv6 with its port fits.
fn cut(end: &str) -> String {
    super::text::cut(end, 47)
}

/// Makes the lines of a file that was written.
pub fn exported(path: &Path, size: u64, width: usize) -> Document {
    let mut document = Document::new("Export", width);
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    document.text(&format!("{} were written to {}.", bytes(size), path.display()), Style::new());
    document
}
