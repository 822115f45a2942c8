//! Answers as tables: objects as names and values below each other, lists of objects as columns.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Returns an answer as lines.
pub(super) fn text(answer: &Value) -> String {
    match answer {
        Value::Array(items) => list(items),
        Value::Object(object) => match counted(object) {
            Some(items) => list(items),
            None => {
                let mut rows = Vec::new();
                flatten("", object, &mut rows);
                aligned(&rows)
            }
        },
        value => format!("{}\n", plain(value)),
    }
}

/// The items of an object that is a list with its length.
fn counted(object: &Map<String, Value>) -> Option<&Vec<Value>> {
    let mut others = object.iter().filter(|(name, _)| *name != "count");
    match (object.get("count"), others.next(), others.next()) {
        (Some(_), Some((_, Value::Array(items))), None) => Some(items),
        _ => None,
    }
}

fn list(items: &[Value]) -> String {
    let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if objects.len() < items.len() || objects.is_empty() {
        return items.iter().map(|item| plain(item) + "\n").collect();
    }
    let mut seen = BTreeSet::new();
    let names: Vec<&String> =
        objects.iter().flat_map(|object| object.keys()).filter(|name| seen.insert(*name)).collect();
    let mut rows = vec![names.iter().map(|name| safe(name)).collect::<Vec<_>>()];
    for object in objects {
        rows.push(names.iter().map(|name| object.get(*name).map(plain).unwrap_or_default()).collect());
    }
    aligned(&rows)
}

/// Rows of names, with dots between the parts, and values.
fn flatten(above: &str, object: &Map<String, Value>, rows: &mut Vec<Vec<String>>) {
    for (name, value) in object {
        let name = if above.is_empty() { safe(name) } else { format!("{above}.{}", safe(name)) };
        match value {
            Value::Object(below) => flatten(&name, below, rows),
            value => rows.push(vec![name, plain(value)]),
        }
    }
}

/// Rows with their columns below each other.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// A value in a line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => safe(text),
        value => safe(&value.to_string()),
    }
}

/// A text without characters that control a terminal.
pub fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_lines() {
        for (answer, expected) in [
            (json!("done"), "done\n"),
            (json!(7), "7\n"),
            (json!("a\u{1b}[2J\nb"), "a\u{fffd}[2J\u{fffd}b\n"),
            (json!({"count": 2, "ifaces": ["eth0", "eth1"]}), "eth0\neth1\n"),
            (json!({"count": 0, "hostbits": []}), ""),
            (json!({"pkts": 1, "drop": 20}), "drop  20\npkts  1\n"),
            (json!({"a": {"b": 1, "long": 2}, "c": null}), "a.b     1\na.long  2\nc       null\n"),
            (
                json!([{"name": "flow", "value": "96mb"}, {"name": "ftp", "value": "unlimited", "more": 1}]),
                "name  value      more\nflow  96mb\nftp   unlimited  1\n",
            ),
            (json!([1, {"a": 2}]), "1\n{\"a\":2}\n"),
        ] {
            assert_eq!(text(&answer), expected, "{answer}");
        }
    }
}
