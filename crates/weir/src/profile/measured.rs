//! The page of what the engine measures of itself: a table of all rows, and a chart of those that cost most.

use serde_json::{Map, Value};
use weir_lab::report::{Cell, Chart, Look, Part, Report, Series, Table};

/// Bars of a chart.
const MAX_BARS: usize = 12;

/// Longest word below a bar, in letters.
const MAX_WORD: usize = 28;

/// Numbers that name a row.
const IDS: [&str; 6] = ["signature_id", "gid", "rev", "id", "ip_version", "protocol"];

/// Numbers that rows are compared by: the first one that they have.
const MEASURES: [&str; 5] = ["ticks_total", "ticks", "ticks_waited", "checks", "packets"];

/// A row of what was measured, by the names of its values.
type Row = Map<String, Value>;

/// Returns the page of a profile, from its JSON object.
pub(super) fn report(title: &str, json: &str) -> Report {
    let object: Row = serde_json::from_str(json).unwrap_or_default();
    let number = |name: &str| object.get(name).and_then(Value::as_f64).unwrap_or_default();
    let nanos = 1e9 / number("ticks_per_second").max(1.0);
    let how = match number("measured_one_in") {
        0.0 => "Each event was counted.".to_owned(),
        1.0 => "Each packet was measured.".to_owned(),
        many => format!("One packet in {many} was measured, and stands for as many."),
    };
    let inner = object.get("profile").and_then(Value::as_object);
    let lists = object.iter().chain(inner.into_iter().flatten()).filter_map(|(name, value)| {
        let rows: Vec<&Row> = value.as_array()?.iter().filter_map(Value::as_object).collect();
        Some((name.replace('_', " "), rows)).filter(|(_, rows)| !rows.is_empty())
    });
    let findings = object.get("findings").and_then(Value::as_array).into_iter().flatten();
    Report {
        title: title.to_owned(),
        subtitle: format!("Weir {}. {how}", env!("CARGO_PKG_VERSION")),
        findings: findings.filter_map(Value::as_str).map(str::to_owned).collect(),
        parts: lists.flat_map(|(name, rows)| parts(&name, &rows, nanos)).collect(),
    }
}

fn parts(name: &str, rows: &[&Row], nanos: f64) -> Vec<Part> {
    let measure = MEASURES.into_iter().find(|measure| rows.iter().any(|row| row.contains_key(*measure)));
    let chart = measure.and_then(|measure| chart(name, rows, measure, nanos));
    chart.map(Part::Chart).into_iter().chain([Part::Table(table(name, rows, nanos))]).collect()
}

/// Returns whether a value is in ticks of the cycle counter.
fn is_time(column: &str) -> bool {
    column.split('_').any(|word| word == "ticks")
}

/// Returns the bars of the rows that cost most; none where nothing was measured.
fn chart(name: &str, rows: &[&Row], measure: &str, nanos: f64) -> Option<Chart> {
    let (factor, unit) = if is_time(measure) { (nanos / 1e6, "milliseconds") } else { (1.0, measure) };
    let cost = |row: &Row| row.get(measure).and_then(Value::as_f64).unwrap_or_default() * factor;
    let mut bars: Vec<(f64, String)> = rows.iter().map(|row| (cost(row), label(row))).collect();
    bars.sort_by(|one, other| other.0.total_cmp(&one.0));
    bars.retain(|(cost, _)| *cost > 0.0);
    bars.truncate(MAX_BARS);
    let points = bars.iter().enumerate().map(|(at, (cost, _))| (at as f64, *cost)).collect();
    (!bars.is_empty()).then(|| Chart {
        title: format!("Most of {name}"),
        look: Look::Bars,
        upward: unit.to_owned(),
        words: bars.into_iter().map(|(_, word)| word).collect(),
        series: vec![Series { name: unit.to_owned(), points, errors: Vec::new() }],
        ..Chart::default()
    })
}

/// Returns the name of a row: where it has none, its texts, or else the number of its rule or its numbers.
fn label(row: &Row) -> String {
    let named = ["name", "signature_id"].into_iter().find_map(|name| row.get(name));
    let parts: Vec<String> = match named {
        Some(name) => vec![word(name)],
        None => {
            let texts: Vec<String> = row.values().filter_map(Value::as_str).map(str::to_owned).collect();
            let ids = IDS.iter().filter_map(|id| row.get(*id)).map(word);
            if texts.is_empty() { ids.collect() } else { texts }
        }
    };
    parts.join(" ").chars().take(MAX_WORD).collect()
}

/// Returns a value as a word.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn table(name: &str, rows: &[&Row], nanos: f64) -> Table {
    let mut columns: Vec<&str> = rows.iter().flat_map(|row| row.keys().map(String::as_str)).collect();
    columns.sort_unstable();
    columns.dedup();
    let is_text = |column: &str| {
        IDS.contains(&column) || rows.iter().any(|row| row.get(column).is_some_and(Value::is_string))
    };
    let id = |column: &str| IDS.iter().position(|id| *id == column).unwrap_or(IDS.len());
    columns.sort_by_key(|column| (!is_text(column), id(column) == IDS.len(), id(column), !is_time(column)));
    let cell = |row: &Row, column: &str| match row.get(column) {
        Some(Value::Number(number)) if !is_text(column) => {
            let factor = if is_time(column) { nanos } else { 1.0 };
            Cell::Number(number.as_f64().unwrap_or_default() * factor)
        }
        Some(other) => Cell::Text(word(other)),
        None => Cell::Empty,
    };
    let unit = |column: &str| match column {
        column if is_text(column) => "",
        column if is_time(column) => "nanoseconds",
        "percent" => "percent",
        _ => "count",
    };
    let title = |column: &str| column.replace("ticks", "time").replace('_', " ");
    let mut first = name.chars();
    let name = first.next().map(|letter| letter.to_uppercase().chain(first).collect()).unwrap_or_default();
    Table {
        title: name,
        note: String::new(),
        columns: columns.iter().map(|column| (title(column), unit(column).to_owned())).collect(),
        rows: rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_tables_with_charts() {
        let json = r#"{"measured_one_in":16,"ticks_per_second":2000000000,"findings":["One."],"slow":[],
            "profile":{"rules":[{"signature_id":7,"ticks_total":2000000,"checks":3},{"signature_id":8,"ticks_total":4000000,
            "checks":1}]},"locks":[{"name":"<b>","ticks_waited":0}]}"#;
        let report = report("Rules of a.pcap", json);
        assert_eq!(report.findings, ["One."]);
        assert!(report.subtitle.ends_with("One packet in 16 was measured, and stands for as many."));
        let [Part::Table(locks), Part::Chart(chart), Part::Table(rules)] = report.parts.as_slice() else {
            panic!("{report:?}");
        };
        assert_eq!(
            (locks.rows.as_slice(), locks.title.as_str()),
            ([vec!["<b>".into(), 0.0.into()]].as_slice(), "Locks")
        );
        assert_eq!(
            (chart.words.as_slice(), chart.upward.as_str()),
            (["8".to_owned(), "7".to_owned()].as_slice(), "milliseconds")
        );
        assert_eq!(chart.series[0].points, [(0.0, 2.0), (1.0, 1.0)]);
        let titles: Vec<(&str, &str)> =
            rules.columns.iter().map(|(name, unit)| (name.as_str(), unit.as_str())).collect();
        assert_eq!(titles, [("signature id", ""), ("time total", "nanoseconds"), ("checks", "count")]);
        assert_eq!(rules.rows[1], ["8".into(), 2_000_000.0.into(), 1.0.into()]);
    }
}
