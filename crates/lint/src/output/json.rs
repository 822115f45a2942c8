//! Findings as one JSON object.

use weir_base::JsonWriter;

use super::count;
use crate::check::Checked;
use crate::finding::{Finding, Severity};

/// The object.
pub fn json(checked: &Checked, files: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut json = JsonWriter::new(&mut out);
    json.open_object();
    json.unsigned("files", files as u64);
    json.unsigned("rules", checked.rules as u64);
    for (key, severity) in
        [("errors", Severity::Error), ("warnings", Severity::Warning), ("hints", Severity::Hint)]
    {
        json.unsigned(key, count(&checked.findings, severity) as u64);
    }
    json.array("findings");
    for finding in &checked.findings {
        write(finding, &mut json);
    }
    json.close_array();
    json.close_object();
    out.push(b'\n');
    out
}

fn write(finding: &Finding, json: &mut JsonWriter<'_>) {
    let diagnostic = &finding.diagnostic;
    json.open_object();
    json.string("name", finding.lint.name);
    json.string("severity", finding.severity.name());
    json.string("file", diagnostic.file.as_bytes());
    json.unsigned("line", diagnostic.line);
    json.unsigned("column", diagnostic.column);
    json.unsigned("end_column", finding.end_column());
    if let Some(sid) = finding.sid {
        json.unsigned("sid", sid);
    }
    json.string("message", &diagnostic.message);
    if let Some(help) = &diagnostic.help {
        json.string("help", help.as_bytes());
    }
    json.boolean("fixable", finding.fix.is_some());
    json.close_object();
}
