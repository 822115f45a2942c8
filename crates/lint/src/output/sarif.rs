//! Findings as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines.

use weir_base::JsonWriter;

use crate::check::Checked;
use crate::finding::{Finding, Severity};
use crate::lints::LINTS;

/// Where the schema is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log.
pub fn sarif(checked: &Checked, version: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut json = JsonWriter::new(&mut out);
    json.open_object();
    json.string("$schema", SCHEMA);
    json.string("version", "2.1.0");
    json.array("runs");
    json.open_object();
    json.object("tool");
    json.object("driver");
    json.string("name", "weir check");
    json.string("version", version);
    json.array("rules");
    for lint in LINTS {
        json.open_object();
        json.string("id", lint.name);
        message("shortDescription", lint.summary, &mut json);
        message("fullDescription", lint.why, &mut json);
        json.object("defaultConfiguration");
        json.string("level", level(lint.severity));
        json.close_object();
        json.close_object();
    }
    json.close_array();
    json.close_object();
    json.close_object();
    json.string("columnKind", "unicodeCodePoints");
    json.array("results");
    for finding in &checked.findings {
        result(finding, &mut json);
    }
    json.close_array();
    json.close_object();
    json.close_array();
    json.close_object();
    out.push(b'\n');
    out
}

fn message(key: &str, text: &str, json: &mut JsonWriter<'_>) {
    json.object(key);
    json.string("text", text);
    json.close_object();
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn result(finding: &Finding, json: &mut JsonWriter<'_>) {
    let diagnostic = &finding.diagnostic;
    json.open_object();
    json.string("ruleId", finding.lint.name);
    if let Some(index) = LINTS.iter().position(|lint| lint.name == finding.lint.name) {
        json.unsigned("ruleIndex", index as u64);
    }
    json.string("level", level(finding.severity));
    let text = match &diagnostic.help {
        Some(help) => format!("{} {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    message("message", &text, json);
    json.array("locations");
    json.open_object();
    json.object("physicalLocation");
    json.object("artifactLocation");
    json.string("uri", uri(&diagnostic.file));
    json.close_object();
    json.object("region");
    json.unsigned("startLine", diagnostic.line);
    json.unsigned("startColumn", diagnostic.column);
    json.unsigned("endColumn", finding.end_column());
    json.close_object();
    json.close_object();
    json.close_object();
    json.close_array();
    json.close_object();
}

/// A path as a relative or absolute URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("my.rules", "my.rules"),
            ("a b/c.rules", "a%20b/c.rules"),
            ("/etc/x.rules", "file:///etc/x.rules"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
