//! One record with all that is in it; of an alert, where its rule's contents are in the payload.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::DataType;
use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::logical_expr::{cast, lit};
use serde::{Deserialize, Serialize};
use weir_query::Search;

use super::search::Row;
use super::{Asked, optional};
use crate::answer::{Json, Problem, in_base64};
use crate::asker::collect;
use crate::records::{numbers, objects, texts};
use crate::rules::{Mark, marks};
use crate::shared::Shared;
use crate::tables::{Span, Table, column};

/// Records of the same table, moment and connection at most.
const MOST: usize = 20;
/// Bytes of a text of it.
const LONGEST: usize = 1 << 20;
/// Bytes of a payload that are shown.
const PAYLOAD: usize = 256 << 10;

/// Which record: there is no number of it, but table, moment and connection together are few.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// Its table.
    pub table: String,
    /// Its moment in microseconds.
    #[serde(default, deserialize_with = "optional")]
    pub time: Option<i64>,
    /// Its `flow_id`.
    #[serde(default)]
    pub flow: String,
    /// Its `uid`.
    #[serde(default)]
    pub uid: String,
    /// The number of its rule.
    #[serde(default, deserialize_with = "optional")]
    pub sid: Option<i64>,
}

/// Bytes that fired a rule.
#[derive(Serialize, Clone, Debug)]
pub struct Payload {
    /// What the bytes are in the record.
    pub field: &'static str,
    /// The bytes.
    #[serde(serialize_with = "in_base64")]
    pub bytes: Vec<u8>,
    /// Where contents of the rule are.
    pub marks: Vec<Mark>,
    /// Bytes that are not shown.
    pub more: usize,
}

/// Records of the same table, moment and connection; of an alert also what is known of its rule.
#[derive(Serialize, Clone, Debug)]
pub struct Records {
    /// The records.
    pub rows: Vec<Row>,
    /// The text of the rule.
    pub rule: Option<String>,
    /// What fired it.
    pub payloads: Vec<Payload>,
    /// The command that explains why the rule fired.
    pub explain: Option<String>,
}

/// Gives records with all that is in them.
pub async fn record(
    State(shared): State<Arc<Shared>>,
    Asked(which): Asked<Which>,
) -> Result<Json<impl Serialize>, Problem> {
    Ok(Json(found(shared, which).await?))
}

/// Finds records with all that is in them.
pub async fn found(shared: Arc<Shared>, which: Which) -> Result<Records, Problem> {
    let asked = shared.clone();
    shared.asker.ask(async move { records(&asked, &which).await }).await
}

async fn records(shared: &Shared, which: &Which) -> Result<Records, Problem> {
    let table = shared.tables.named(&which.table).await?;
    let span = Span { from: which.time, to: which.time.and_then(|time| time.checked_add(1)) };
    let mut frame = shared.tables.rows(&table, &Search::All, span).await?;
    for (name, value) in [("flow_id", &which.flow), ("uid", &which.uid)] {
        if !value.is_empty() {
            let same =
                if table.has(name) { cast(column(name), DataType::Utf8).eq(lit(value)) } else { lit(false) };
            frame = frame.filter(same)?;
        }
    }
    if let Some(sid) = which.sid {
        let same = if table.has("alert.signature_id") {
            column("alert.signature_id").eq(lit(sid))
        } else {
            lit(false)
        };
        frame = frame.filter(same)?;
    }
    let found = collect(frame, MOST, shared.asker.limits.bytes).await?;
    let mut records = Records { rows: Vec::new(), rule: None, payloads: Vec::new(), explain: None };
    for batch in &found.batches {
        if records.rows.is_empty() {
            about_alert(shared, &table, batch, &mut records);
        }
        let times = table.time().map_or_else(|| vec![None; batch.num_rows()], |time| numbers(batch, time));
        for (time, record) in times.into_iter().zip(objects(std::slice::from_ref(batch), LONGEST)?) {
            records.rows.push(Row { table: table.full_name(), time, record });
        }
    }
    super::search::bound(&mut records.rows, shared.asker.limits.bytes);
    if records.rows.is_empty() {
        return Err(Problem::missing("There is no such record here. The link may be of other records."));
    }
    Ok(records)
}

/// Adds what is known of the first alert.
fn about_alert(shared: &Shared, table: &Table, batch: &arrow::array::RecordBatch, records: &mut Records) {
    let text = |name: &str| texts(batch, name).into_iter().next().flatten();
    let sid = numbers(batch, "alert.signature_id").into_iter().next().flatten();
    let Some(sid) = sid.filter(|_| table.has("alert.signature_id")) else { return };
    let named = || u64::try_from(sid).ok().and_then(|sid| shared.rules.text(sid)).map(str::to_owned);
    records.rule = text("alert.rule").or_else(named);
    let rule = records.rule.clone().unwrap_or_default();
    let encoded = ["payload", "packet", "http.http_request_body", "http.http_response_body"];
    for field in encoded {
        let Some(bytes) = text(field).and_then(|text| STANDARD.decode(text).ok()) else { continue };
        records.payloads.push(payload(field, &bytes, &rule));
    }
    if records.payloads.is_empty() {
        let printable =
            text("payload_printable").map(|text| payload("payload_printable", text.as_bytes(), &rule));
        records.payloads.extend(printable);
    }
    let words = |paths: &[PathBuf], unknown: &str, before: &str| {
        let words: Vec<String> =
            paths.iter().map(|path| before.to_owned() + &in_shell(&path.display().to_string())).collect();
        if words.is_empty() { format!("{before}{unknown}") } else { words.join(" ") }
    };
    let captures = words(&shared.captures, "CAPTURE", "");
    let rules = words(&shared.rule_files, "RULES", "-S ");
    let flow = text("flow_id").map_or_else(String::new, |flow| format!(" --flow {flow}"));
    records.explain = Some(format!("weir explain sid:{sid} {captures} {rules}{flow}"));
}

fn payload(field: &'static str, bytes: &[u8], rule: &str) -> Payload {
    let shown = bytes.get(..PAYLOAD).unwrap_or(bytes);
    Payload { field, bytes: shown.to_vec(), marks: marks(rule, shown), more: bytes.len() - shown.len() }
}

/// A word as a shell reads it as one.
fn in_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:,@%".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_shells() {
        for (word, expected) in [("/a/b.pcap", "/a/b.pcap"), ("a b", "'a b'"), ("$(x)'", "'$(x)'\\'''")] {
            assert_eq!(in_shell(word), expected);
        }
    }
}
