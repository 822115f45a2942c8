//! `keyword_perf.log`: what keywords cost, in all and by buffer.

use std::collections::BTreeMap;

use weir_base::profile::Cost;
use weir_base::{JsonWriter, Timestamp};
use weir_detect::profile::KeywordCosts;

use super::rules::date;
use super::table::{WIDE, dashes, row, rule};

/// Names of the columns.
const COLUMNS: [&str; 8] =
    ["Keyword", "Ticks", "Checks", "Matches", "Max Ticks", "Avg", "Avg Match", "Avg No Match"];

/// Widths of the columns.
const WIDTHS: [usize; 8] = [16, 15, 15, 15, 15, 15, 15, 15];

/// Costs of keywords, by name.
type Sums = BTreeMap<&'static str, Cost>;

/// Returns the costs of all buffers together, and of each.
pub(super) fn sums(costs: &KeywordCosts, factor: u64) -> (Sums, BTreeMap<&'static str, Sums>) {
    let (mut total, mut by_buffer) = (Sums::new(), BTreeMap::<_, Sums>::new());
    for keyword in costs.rows() {
        let cost = keyword.cost.times(factor);
        total.entry(keyword.keyword).or_default().merge(&cost);
        by_buffer.entry(keyword.buffer).or_default().entry(keyword.keyword).or_default().merge(&cost);
    }
    (total, by_buffer)
}

/// Appends the log.
pub(super) fn write_text(costs: &KeywordCosts, factor: u64, now: Timestamp, out: &mut String) {
    let (total, by_buffer) = sums(costs, factor);
    rule(out, WIDE);
    out.push_str(&format!("  Date: {}\n", date(now)));
    write_table("total", &total, out);
    for (buffer, sums) in &by_buffer {
        write_table(buffer, sums, out);
    }
    out.push('\n');
}

fn write_table(name: &str, sums: &Sums, out: &mut String) {
    rule(out, WIDE);
    out.push_str(&format!("  Stats for: {name}\n"));
    rule(out, WIDE);
    row(out, 2, COLUMNS.into_iter().zip(WIDTHS));
    dashes(out, WIDTHS);
    let mut sorted: Vec<_> = sums.iter().collect();
    sorted.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.ticks()));
    for (keyword, cost) in sorted {
        let cells: [String; 8] = [
            (*keyword).to_owned(),
            cost.ticks().to_string(),
            cost.checks.to_string(),
            cost.matches.to_string(),
            cost.max.to_string(),
            format!("{:.2}", cost.average()),
            format!("{:.2}", cost.average_match()),
            format!("{:.2}", cost.average_no_match()),
        ];
        row(out, 2, cells.into_iter().zip(WIDTHS));
    }
}

/// Adds the rows to an object.
pub(super) fn write_json(costs: &KeywordCosts, factor: u64, json: &mut JsonWriter<'_>) {
    let (_, by_buffer) = sums(costs, factor);
    let rows = by_buffer.iter().flat_map(|(buffer, sums)| sums.iter().map(move |row| (buffer, row)));
    json.objects("keywords", rows, |json, (buffer, (keyword, cost))| {
        json.string("buffer", buffer);
        json.string("keyword", keyword);
        json.unsigned("ticks", cost.ticks());
        json.unsigned("checks", cost.checks);
        json.unsigned("matches", cost.matches);
        json.unsigned("ticks_max", cost.max);
    });
}
