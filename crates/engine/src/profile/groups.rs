//! `rule_group_perf.log`: what each group of rules leaves to look at.

use weir_base::{Direction, JsonWriter, Timestamp};
use weir_detect::profile::{GroupCost, GroupCosts};

use super::rules::date;
use super::table::{WIDE, dashes, row, rule};

/// Names of the columns.
const COLUMNS: [&str; 9] = [
    "Sgh",
    "Checks",
    "Non-MPM(gen)",
    "Non-Mpm(syn)",
    "MPM Matches",
    "MPM Match Max",
    "Post-Filter",
    "Post-Filter Max",
    "MPM Checks (HS)",
];

/// Widths of the columns.
const WIDTHS: [usize; 9] = [16, 18, 18, 18, 18, 18, 18, 18, 18];

/// Returns the rows by name.
fn sorted(costs: &GroupCosts) -> Vec<&GroupCost> {
    let mut rows: Vec<_> = costs.rows().iter().collect();
    rows.sort_by_key(|row| row.name);
    rows
}

/// Returns a group's name, a word.
fn name(group: &GroupCost) -> String {
    let of = group.name.of.replace(' ', "_");
    match group.name.direction {
        Direction::ToServer => format!("{of}-toserver"),
        Direction::ToClient => format!("{of}-toclient"),
    }
}

fn average(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// Appends the log as a table.
pub(super) fn write_text(costs: &GroupCosts, factor: u64, now: Timestamp, out: &mut String) {
    rule(out, WIDE);
    out.push_str(&format!("  Date: {}\n", date(now)));
    rule(out, WIDE);
    out.push_str(&format!("  Stats for: rule groups {}\n", costs.rows().len()));
    rule(out, WIDE);
    row(out, 2, COLUMNS.into_iter().zip(WIDTHS));
    dashes(out, WIDTHS);
    for group in sorted(costs) {
        let cells: [String; 9] = [
            name(group),
            (group.checks * factor).to_string(),
            (group.without_literal * factor).to_string(),
            (group.without_literal_syn * factor).to_string(),
            format!("{:.2}", average(group.found, group.checks)),
            group.found_max.to_string(),
            format!("{:.2}", average(group.candidates, group.checks)),
            group.candidates_max.to_string(),
            (group.searches * factor).to_string(),
        ];
        row(out, 2, cells.into_iter().zip(WIDTHS));
    }
    out.push('\n');
}

/// Appends the log as an object.
pub(super) fn write_log_json(costs: &GroupCosts, factor: u64, now: Timestamp, out: &mut Vec<u8>) {
    let mut json = JsonWriter::new(out);
    json.open_object();
    json.string("timestamp", now.iso8601());
    write_json(costs, factor, &mut json);
    json.close_object();
    out.push(b'\n');
}

/// Adds the rows to an object.
pub(super) fn write_json(costs: &GroupCosts, factor: u64, json: &mut JsonWriter<'_>) {
    let rows = (0u64..).zip(sorted(costs));
    json.objects("rule_groups", rows, |json, (id, group)| {
        json.unsigned("id", id);
        json.string("name", name(group));
        json.unsigned("checks", group.checks * factor);
        json.unsigned("non_mpm_generic", group.without_literal * factor);
        json.unsigned("non_mpm_syn", group.without_literal_syn * factor);
        let real =
            |number: f64| move |out: &mut Vec<u8>| out.extend_from_slice(format!("{number:.2}").as_bytes());
        json.raw("avgmpms", real(average(group.found, group.checks)));
        json.unsigned("mpm_match_cnt_max", group.found_max);
        json.raw("avgsigs", real(average(group.candidates, group.checks)));
        json.unsigned("post_prefilter_sigs_max", group.candidates_max);
        json.unsigned("mpm_checks", group.searches * factor);
    });
}
