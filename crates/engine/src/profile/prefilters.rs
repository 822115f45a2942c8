//! `prefilter_perf.log`: what the searches for literals of rules cost, by field.

use weir_base::{JsonWriter, Timestamp};
use weir_detect::profile::{PrefilterCost, PrefilterCosts};

use super::rules::date;
use super::table::{WIDE, dashes, row, rule};

/// Names of the columns.
const COLUMNS: [&str; 10] = [
    "Prefilter",
    "Ticks",
    "Called",
    "Max Ticks",
    "Avg",
    "Bytes",
    "Called",
    "Max Bytes",
    "Avg Bytes",
    "Ticks/Byte",
];

/// Widths of the columns.
const WIDTHS: [usize; 10] = [32, 15, 15, 15, 15, 15, 15, 15, 15, 15];

/// Returns the rows, the dearest first.
fn sorted(costs: &PrefilterCosts) -> Vec<&PrefilterCost> {
    let mut rows: Vec<_> = costs.rows().iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.ticks, row.name)));
    rows
}

fn ratio(sum: u64, count: u64) -> String {
    format!("{:.2}", if count == 0 { 0.0 } else { sum as f64 / count as f64 })
}

/// Appends the log.
pub(super) fn write_text(costs: &PrefilterCosts, factor: u64, now: Timestamp, out: &mut String) {
    rule(out, WIDE);
    out.push_str(&format!("  Date: {}\n", date(now)));
    rule(out, WIDE);
    out.push_str("  Stats for: total\n");
    rule(out, WIDE);
    row(out, 2, COLUMNS.into_iter().zip(WIDTHS));
    dashes(out, WIDTHS);
    for cost in sorted(costs) {
        let calls = (cost.calls * factor).to_string();
        let cells: [String; 10] = [
            cost.name.replace(' ', "_"),
            (cost.ticks * factor).to_string(),
            calls.clone(),
            cost.max_ticks.to_string(),
            ratio(cost.ticks, cost.calls),
            (cost.bytes * factor).to_string(),
            calls,
            cost.max_bytes.to_string(),
            ratio(cost.bytes, cost.calls),
            ratio(cost.ticks, cost.bytes),
        ];
        row(out, 2, cells.into_iter().zip(WIDTHS));
    }
    out.push('\n');
}

/// Adds the rows to an object.
pub(super) fn write_json(costs: &PrefilterCosts, factor: u64, json: &mut JsonWriter<'_>) {
    json.objects("prefilters", sorted(costs), |json, cost| {
        json.string("name", cost.name);
        json.unsigned("ticks", cost.ticks * factor);
        json.unsigned("called", cost.calls * factor);
        json.unsigned("ticks_max", cost.max_ticks);
        json.unsigned("bytes", cost.bytes * factor);
        json.unsigned("bytes_max", cost.max_bytes);
        json.unsigned("rules_found", cost.found * factor);
    });
}
