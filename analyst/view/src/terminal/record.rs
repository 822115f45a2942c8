//! The screen of a record with all that is in it; of an alert also its rule and the bytes that fired it.

use ratatui::style::Style;

use super::alerts::level;
use super::bytes::{self, Form, LINES};
use super::document::{Document, SOFT, severity};
use super::question::Question;
use super::records::{self, Record, field};
use super::state::PAGE;
use super::text::{count, when};
use crate::pages::record::{Payload, Records};
use crate::pages::search::{Row, Words};

/// Fields that are shown as bytes.
const IN_BASE64: [&str; 2] = ["payload", "packet"];
/// Letters of a value that can be searched for.
const SEARCHED: usize = 200;

/// Makes its lines.
pub fn document(found: &Records, form: Form, width: usize) -> Document {
    let Some(row) = found.rows.first() else { return Document::new("No record", width) };
    let record = records::fields(row);
    let summary = records::summary(&row.table, &record);
    let mut document = Document::new(if summary.is_empty() { &row.table } else { &summary }, width);
    let is_alert = record.contains_key("alert.signature_id");
    facts(&mut document, row, &record, is_alert);
    if is_alert {
        rule(&mut document, found);
        for payload in &found.payloads {
            bytes_of(&mut document, payload, found.rule.is_some(), form);
        }
        if found.payloads.is_empty() {
            document.heading("Payload");
            document.text("The record has no payload: outputs write it with payload: yes.", SOFT);
        }
    }
    document.heading("All fields");
    let is_shown = |name: &str| !is_alert || !IN_BASE64.contains(&name);
    fields(&mut document, row, record.iter().filter(|(name, _)| is_shown(name)));
    for other in found.rows.iter().skip(1) {
        document.heading("Another one of the same moment");
        fields(&mut document, other, records::fields(other).iter());
    }
    document
}

fn facts(document: &mut Document, row: &Row, record: &Record, is_alert: bool) {
    document.fact("Type", &row.table, Style::new(), None);
    if let Some(time) = row.time {
        document.fact("Time (UTC)", &when(time), Style::new(), None);
    }
    if let Some((from, to)) = records::ends(record) {
        document.fact("Ends", &format!("{from} → {to} {}", field(record, "proto")), Style::new(), None);
    }
    if is_alert {
        let grave = record.get("alert.severity").and_then(serde_json::Value::as_i64);
        let [sid, class, action] =
            ["alert.signature_id", "alert.category", "alert.action"].map(|name| field(record, name));
        let words = format!("severity {}, sid {sid}, {class}, {action}", level(grave));
        document.fact("Rule", &words, severity(grave), None);
    }
    if let Some(connection) = records::connection(row, record) {
        document.fact("Connection", "all that records tell of it", Style::new(), Some(connection));
    }
    let whole = records::connection(row, record);
    document.rows.iter_mut().for_each(|row| row.connection.clone_from(&whole));
}

fn rule(document: &mut Document, found: &Records) {
    document.heading("Rule");
    match &found.rule {
        Some(rule) => document.text(rule, Style::new()),
        None => document.text(
            "Its text is not known: outputs write it with metadata.rule.raw, and --rules names files of rules.",
            SOFT,
        ),
    }
    if let Some(explain) = &found.explain {
        document.text("Why it fires in this capture, step by step:", SOFT);
        document.text(explain, Style::new());
    }
}

fn bytes_of(document: &mut Document, payload: &Payload, open: bool, form: Form) {
    document.heading(if payload.field == "payload" { "Payload" } else { payload.field });
    let shown = bytes::lines(&payload.bytes, &payload.marks, form, Style::new(), document.width, LINES);
    shown.lines.into_iter().for_each(|line| document.line(line));
    let number = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX));
    let left = payload.more + shown.left;
    let left = if left > 0 { format!(", {} of them are not shown", number(left)) } else { String::new() };
    let marked = match payload.marks.len() {
        0 if open => "No plain content of the rule is in them.".to_owned(),
        0 => "The rule's text is not known, so nothing is marked.".to_owned(),
        places => format!(
            "Contents of the rule are marked, in {places} places; its offsets and patterns are not looked at."
        ),
    };
    let all = number(payload.bytes.len() + payload.more);
    document.text(&format!("{all} bytes{left}. {marked} x shows hexadecimal digits or text."), SOFT);
}

/// Adds all fields, of which each leads to records that have the same value.
fn fields<'f>(
    document: &mut Document,
    row: &Row,
    fields: impl Iterator<Item = (&'f String, &'f serde_json::Value)>,
) {
    let places = (document.width / 2).min(34);
    for (name, value) in fields {
        let (text, link) = match value {
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => (value.to_string(), None),
            value => {
                let text = records::shown(value);
                let q = format!("{name}:{}", records::quoted(&text));
                let words = Words { q, table: row.table.clone(), limit: Some(PAGE), ..Words::default() };
                let link = if text.len() < SEARCHED { Some(Question::Search(words)) } else { None };
                (text, link)
            }
        };
        document.named(name, places, &text, Style::new(), link);
    }
}
