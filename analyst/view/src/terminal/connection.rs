//! The screen of a connection: all that records tell of it, in the order of time.

use std::collections::HashMap;

use ratatui::style::Style;

use super::document::{Document, Row, SOFT, STRONG, span};
use super::packets::which;
use super::question::Question;
use super::records::{self, Record, field, first, host, kind};
use super::search::{KIND, is_whole, named};
use super::text::{bytes, cell, count, cut, lasting, right, when};
use crate::pages::connection::{Connection, Ends};
use crate::pages::{When, search};

/// Letters of what a record says.
const LONGEST: usize = 600;
/// Names of files with hashes.
const HASHES: [&str; 3] = ["sha256", "sha1", "md5"];

/// A record with its fields.
type Told<'r> = (&'r search::Row, Record);

/// Makes its lines.
pub fn document(found: &Connection, captures: bool, width: usize) -> Document {
    let mut rows: Vec<Told<'_>> = found.rows.iter().map(|row| (row, records::fields(row))).collect();
    rows.sort_by_key(|(row, record)| records::begin(row, record));
    let name = |address: std::net::IpAddr, port: Option<u16>| {
        host(&address.to_string(), &port.map(|port| port.to_string()).unwrap_or_default())
    };
    let title = match &found.ends {
        Some(Ends { client, client_port, server, server_port, protocol }) => {
            format!("{} → {} {protocol}", name(*client, *client_port), name(*server, *server_port))
        }
        None => "Connection".to_owned(),
    };
    let mut document = Document::new(&title, width);
    facts(&mut document, found, &rows);
    said(&mut document, found, captures);
    timeline(&mut document, found, &rows);
    files(&mut document, &rows);
    certificates(&mut document, &rows);
    document
}

fn facts(document: &mut Document, found: &Connection, rows: &[Told<'_>]) {
    let sum = |names: &[&str]| {
        let whole = rows.iter().filter(|(row, _)| is_whole(&row.table));
        let mut sums = whole.filter_map(|(_, record)| records::sum(record, names)).filter(|sum| *sum > 0);
        sums.next().map_or_else(|| "–".to_owned(), bytes)
    };
    let ids = |ids: &std::collections::BTreeSet<String>| {
        if ids.is_empty() { "–".to_owned() } else { ids.iter().cloned().collect::<Vec<_>>().join(" ") }
    };
    let length = found.from.zip(found.to).map(|(from, to)| lasting(to.saturating_sub(from)));
    let facts = [
        ("Begin (UTC)", found.from.map(when).unwrap_or_default()),
        ("Lasted", length.unwrap_or_default()),
        ("To the server", sum(&["flow.bytes_toserver", "orig_ip_bytes"])),
        ("To the client", sum(&["flow.bytes_toclient", "resp_ip_bytes"])),
        ("flow_id", ids(&found.flow_ids)),
        ("uid", ids(&found.uids)),
        ("Community id", found.community_id.clone().unwrap_or_else(|| "–".to_owned())),
    ];
    for (name, value) in facts {
        document.fact(name, &value, Style::new(), None);
    }
}

fn said(document: &mut Document, found: &Connection, captures: bool) {
    let Some(ends) = &found.ends else { return };
    if !captures {
        let words = "No capture was named: `weir view --captures FILE` gives its bytes here.";
        document.text(words, SOFT);
        return;
    }
    let question = Question::Said(which(ends), When { from: found.from, to: found.to });
    document.fact(
        "Bytes",
        "what both sides said; w writes the packets to a file",
        Style::new(),
        Some(question),
    );
}

fn timeline(document: &mut Document, found: &Connection, rows: &[Told<'_>]) {
    document.heading(&format!("{} records", rows.len()));
    let start = rows.first().and_then(|(row, record)| records::begin(row, record)).unwrap_or(0);
    for (row, record) in rows {
        let at = records::begin(row, record);
        let after = at.map(|at| format!("+{}", lasting(at.saturating_sub(start)))).unwrap_or_default();
        let grave = record.get("alert.severity").and_then(serde_json::Value::as_i64);
        let spans = vec![
            span(&(right(&after, 11) + "  "), SOFT),
            span(&(cell(named(&row.table), KIND) + " "), super::document::severity(grave)),
            span(&cut(&records::summary(&row.table, record), LONGEST), Style::new()),
        ];
        let link = Some(records::page(row, record));
        document.rows.push(Row { line: spans.into(), link, connection: None });
    }
    if found.cut {
        document.text("There are more records than are shown.", SOFT);
    }
}

fn files(document: &mut Document, rows: &[Told<'_>]) {
    let is_file = |row: &search::Row| matches!(kind(&row.table), "fileinfo" | "files");
    let files: Vec<_> = rows.iter().filter(|(row, _)| is_file(row)).collect();
    if files.is_empty() {
        return;
    }
    document.heading("Files");
    for (row, record) in files {
        let name = first(record, &["fileinfo.filename", "filename", "fuid"]);
        let what = first(record, &["fileinfo.magic", "mime_type"]);
        let size = records::sum(record, &["fileinfo.size", "seen_bytes"]).map(bytes).unwrap_or_default();
        let line = vec![span(&cut(&name, 80), STRONG), span(&format!("  {size}  {}", cut(&what, 80)), SOFT)];
        document.link(line, Some(records::page(row, record)));
        for hash in HASHES {
            let value = first(record, &[hash, &format!("fileinfo.{hash}")]);
            if !value.is_empty() {
                document.fact(&format!("  {hash}"), &value, Style::new(), None);
            }
        }
    }
}

fn certificates(document: &mut Document, rows: &[Told<'_>]) {
    let of_kind = |wanted: &'static str| rows.iter().filter(move |(row, _)| kind(&row.table) == wanted);
    let mut found: Vec<&Told<'_>> = of_kind("x509").collect();
    let chain = rows.iter().find_map(|(_, record)| record.get("cert_chain_fps")?.as_array());
    let mut places = HashMap::new();
    for (place, print) in chain.into_iter().flatten().filter_map(serde_json::Value::as_str).enumerate() {
        places.entry(print).or_insert(place);
    }
    found.sort_by_key(|(_, record)| record.get("fingerprint").and_then(|print| places.get(print.as_str()?)));
    if found.is_empty() {
        found.extend(of_kind("tls").filter(|(_, record)| record.contains_key("tls.subject")).take(1));
    }
    if found.is_empty() {
        return;
    }
    document.heading(&format!("Certificates: {}", count(i64::try_from(found.len()).unwrap_or(0))));
    for (row, record) in found {
        let subject = first(record, &["certificate.subject", "tls.subject"]);
        let issuer = first(record, &["certificate.issuer", "tls.issuerdn"]);
        let own = if issuer == subject { "  (signed by itself)" } else { "" };
        let day = |names: &[&str]| first(record, names).chars().take(10).collect::<String>();
        let valid = format!(
            "{} – {}",
            day(&["certificate.not_valid_before", "tls.notbefore"]),
            day(&["certificate.not_valid_after", "tls.notafter"])
        );
        let key = [field(record, "certificate.key_type"), field(record, "certificate.key_length")].join(" ");
        document.fact("Subject", &subject, STRONG, Some(records::page(row, record)));
        for (name, value) in [
            ("  Issuer", format!("{issuer}{own}")),
            ("  Valid", valid),
            ("  Names", first(record, &["san.dns", "tls.subjectaltname"])),
            ("  Key", key.trim().to_owned()),
            ("  Fingerprint", first(record, &["fingerprint", "id", "tls.fingerprint"])),
        ] {
            if !value.is_empty() {
                document.fact(name, &value, Style::new(), None);
            }
        }
    }
}
