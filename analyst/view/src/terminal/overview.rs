//! The first screen: traffic by time and protocol, alerts, who talks to whom, and what was lost.

use ratatui::style::Style;

use super::alerts::{alerts_of, level};
use super::document::{CLIENT, Document, ERROR, SOFT, severity, span};
use super::question::{Overview, Question};
use super::records::quoted;
use super::state::PAGE;
use super::text::{bytes, cell, count, right, when};
use crate::answer::Problem;
use crate::pages::about::About;
use crate::pages::alerts::Alerts;
use crate::pages::overview::{Loss, Series, Talkers, Traffic};
use crate::pages::search::Words;

/// Rules, pairs of hosts and types that are shown.
const FEW: usize = 10;
/// Rows of the chart of all traffic.
const ROWS: usize = 4;
/// Places of a protocol's name.
const NAME: usize = 12;
/// Places of numbers behind a chart.
const NUMBERS: usize = 24;
/// Bars by eighths.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Makes its lines.
pub fn document(found: &Overview, width: usize) -> Document {
    let mut document = Document::new("Overview", width);
    part(&mut document, "Traffic: connections over time", &found.traffic, traffic);
    part(&mut document, "Alerts", &found.alerts, alerts);
    part(&mut document, "Who talks to whom", &found.talkers, talkers);
    part(&mut document, "What was lost", &found.lost, |document, lost| losses(document, lost));
    document.heading("Records");
    types(&mut document, &found.about);
    if !found.about.remarks.is_empty() {
        document.heading("What could not be read");
        found.about.remarks.iter().for_each(|remark| document.text(remark, ERROR));
    }
    document
}

fn part<T>(
    document: &mut Document,
    name: &str,
    found: &Result<T, Problem>,
    show: impl Fn(&mut Document, &T),
) {
    document.heading(name);
    match found {
        Ok(found) => show(document, found),
        Err(problem) => document.text(&problem.sentence, ERROR),
    }
}

fn search(table: &str, q: String) -> Question {
    Question::Search(Words { q, table: table.to_owned(), limit: Some(PAGE), ..Words::default() })
}

fn traffic(document: &mut Document, found: &Traffic) {
    let (Some(table), false) = (&found.table, found.series.is_empty()) else {
        document.text("No record tells of connections: EVE's flow or Zeek's conn.", SOFT);
        return;
    };
    let bars = found.series.iter().map(|series| series.connections.len()).max().unwrap_or(0);
    let at =
        |bar: usize| found.series.iter().filter_map(move |series| series.connections.get(bar)).sum::<i64>();
    let all: Vec<i64> = (0..bars).map(at).collect();
    let room = document.width.saturating_sub(NAME + NUMBERS).max(1);
    let (columns, wide) = merged(&all, room);
    let most = columns.iter().copied().max().unwrap_or(0);
    for (place, line) in chart(&columns, most, ROWS).into_iter().enumerate() {
        let name = if place == 0 { format!("{} ", right(&count(most), NAME - 1)) } else { " ".repeat(NAME) };
        document.line(vec![span(&name, SOFT), span(&line, CLIENT)]);
    }
    let end = found.from.saturating_add(found.step.saturating_mul(i64::try_from(bars).unwrap_or(i64::MAX)));
    let moment = |micros: i64| when(micros).get(..19).unwrap_or_default().to_owned();
    let (from, to) = (moment(found.from), moment(end));
    let step = super::text::lasting(found.step.saturating_mul(i64::try_from(wide).unwrap_or(i64::MAX)));
    document.line(vec![span(&format!("{}{from} – {to} UTC, a bar is {step}", " ".repeat(NAME)), SOFT)]);
    let shared =
        found.series.iter().flat_map(|series| merged(&series.connections, room).0).max().unwrap_or(0);
    for series in &found.series {
        document.link(protocol(series, shared, room), link(table, series));
    }
}

/// The line of a protocol. All lines have the same scale.
fn protocol(series: &Series, most: i64, room: usize) -> Vec<ratatui::text::Span<'static>> {
    let (columns, _) = merged(&series.connections, room);
    let line = chart(&columns, most, 1).concat();
    let sums = [&series.connections, &series.bytes].map(|list| list.iter().sum::<i64>());
    let [connections, size] = sums;
    vec![
        span(&cell(&series.name, NAME), Style::new()),
        span(&line, CLIENT),
        span(&format!(" {} {}", right(&count(connections), 10), right(&bytes(size), 10)), Style::new()),
    ]
}

/// The question for the connections of a protocol.
fn link(table: &str, series: &Series) -> Option<Question> {
    if series.name == "other" {
        return None;
    }
    let is_zeek = table.starts_with("zeek.");
    let (service, plain) =
        if is_zeek { ("service", series.name.clone()) } else { ("app_proto", series.name.to_uppercase()) };
    Some(search(table, format!("{service}:{} or proto:{}", quoted(&series.name), quoted(&plain))))
}

/// Returns values so that they fit, and how many became one.
fn merged(values: &[i64], room: usize) -> (Vec<i64>, usize) {
    let wide = values.len().div_ceil(room.max(1)).max(1);
    (values.chunks(wide).map(|chunk| chunk.iter().sum()).collect(), wide)
}

/// Returns the rows of a bar chart, the uppermost first. What is not nothing is seen.
fn chart(values: &[i64], most: i64, rows: usize) -> Vec<String> {
    let height = |value: i64| {
        let eighths = (rows * 8) as f64 * value.max(0) as f64 / most.max(1) as f64;
        (eighths.round() as usize).max(usize::from(value > 0))
    };
    let row = |below: usize| {
        let letter = |value: &i64| {
            let part = height(*value).saturating_sub(below * 8).min(8);
            EIGHTHS.get(part).copied().unwrap_or_default()
        };
        values.iter().map(letter).collect::<String>()
    };
    (0..rows).rev().map(row).collect()
}

fn alerts(document: &mut Document, found: &Alerts) {
    let Some(table) = found.table.as_ref().filter(|_| !found.groups.is_empty()) else {
        let nothing =
            if found.table.is_some() { "No rule fired." } else { "There are no records of alerts." };
        document.text(nothing, SOFT);
        return;
    };
    let mut levels: Vec<(Option<i64>, i64)> = Vec::new();
    for group in &found.groups {
        match levels.last_mut().filter(|(level, _)| *level == group.severity) {
            Some((_, sum)) => *sum += group.alerts,
            None => levels.push((group.severity, group.alerts)),
        }
    }
    for (grave, sum) in levels {
        let words = format!("Severity {}: {} alerts", level(grave), count(sum));
        let question = grave.map(|grave| search(table, format!("alert.severity:{grave}")));
        document.link(vec![span(&words, severity(grave))], question);
    }
    let name = document.width.saturating_sub(16);
    for group in found.groups.iter().take(FEW) {
        let rule = group.signature.clone().unwrap_or_else(|| group.sid.unwrap_or_default().to_string());
        let line = vec![
            span(&cell(&level(group.severity), 4), severity(group.severity)),
            span(&(right(&count(group.alerts), 9) + "  "), Style::new()),
            span(&cell(&rule, name), Style::new()),
        ];
        document.link(line, alerts_of(found, group));
    }
    if found.groups.len() > FEW {
        let words = format!("all {} rules", found.groups.len());
        document.link(vec![span(&words, SOFT)], Some(Question::Alerts));
    }
}

fn talkers(document: &mut Document, found: &Talkers) {
    let (Some(table), [one, other]) = (&found.table, found.ends.as_slice()) else {
        document.text("No record tells of connections.", SOFT);
        return;
    };
    for pair in found.pairs.iter().take(FEW) {
        let [here, there] = [&pair.one, &pair.other].map(|host| quoted(host));
        let q = format!("({one}:{here} and {other}:{there}) or ({one}:{there} and {other}:{here})");
        let name = document.width.saturating_sub(32);
        let line = vec![
            span(&cell(&format!("{} ↔ {}", pair.one, pair.other), name), Style::new()),
            span(
                &format!(
                    "{} connections {}",
                    right(&count(pair.connections), 8),
                    right(&bytes(pair.bytes), 10)
                ),
                SOFT,
            ),
        ];
        document.link(line, Some(search(table, q)));
    }
    if found.more || found.pairs.len() > FEW {
        document.text("These pairs sent most; there are more.", SOFT);
    }
}

fn losses(document: &mut Document, lost: &[Loss]) {
    for loss in lost {
        let whole = match (loss.value, loss.of) {
            (Some(value), Some(of)) if of > 0 => {
                format!(" of {} ({:.2} %)", count(of), 100.0 * value as f64 / of as f64)
            }
            _ => String::new(),
        };
        let value = loss.value.map_or_else(|| "not known".to_owned(), count);
        document.named(
            loss.name,
            (document.width / 2).min(40),
            &format!("{value}{whole}"),
            Style::new(),
            None,
        );
    }
    document.text("Not known: no record tells. It does not mean nothing.", SOFT);
}

fn types(document: &mut Document, about: &About) {
    let mut tables: Vec<_> = about.tables.iter().collect();
    tables.sort_by_key(|listed| std::cmp::Reverse(listed.rows));
    for listed in tables {
        let name = format!("{}.{}", listed.schema, listed.table);
        let rows = count(i64::try_from(listed.rows).unwrap_or(i64::MAX));
        let line = vec![span(&(right(&rows, 12) + "  "), SOFT), span(&cell(&name, 40), Style::new())];
        document.link(line, Some(search(&name, String::new())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_they_are() {
        assert_eq!(chart(&[0, 1, 4, 8], 8, 1), [" ▁▄█"]);
        assert_eq!(chart(&[0, 1, 1000, 500], 1000, 2), ["  █ ", " ▁██"]);
        assert_eq!(chart(&[i64::MAX, -1, 0], i64::MAX, 1), ["█  "]);
        assert_eq!(chart(&[], 0, 1), [""]);
        assert_eq!(merged(&[1, 2, 3, 4, 5], 3), (vec![3, 7, 5], 2));
        assert_eq!(merged(&[1, 2], 0), (vec![3], 2));
        assert_eq!(merged(&[], 5), (vec![], 1));
    }
}
