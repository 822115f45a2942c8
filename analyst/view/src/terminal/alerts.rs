//! The screen of alerts by rule: the gravest first.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::document::{Document, SOFT, STRONG, severity, span};
use super::question::Question;
use super::state::PAGE;
use super::text::{cell, count, right, when};
use crate::pages::alerts::{Alerts, Group};
use crate::pages::search::Words;

/// Makes its lines.
pub fn document(found: &Alerts, width: usize) -> Document {
    let all: i64 = found.groups.iter().map(|group| group.alerts).sum();
    let more = if found.more { "+" } else { "" };
    let title = format!("{} alerts of {}{more} rules", count(all), found.groups.len());
    let mut document = Document::new(&title, width);
    if found.groups.is_empty() {
        let nothing = if found.table.is_some() {
            "No rule fired."
        } else {
            "There are no records of alerts: the event type alert of EVE."
        };
        document.text(nothing, SOFT);
        return document;
    }
    let name = name_places(width);
    let heads = format!(
        "{}{} {} {} {} {}",
        cell("Sev", 4),
        right("Alerts", 9),
        cell("Rule", name),
        right("From", 6),
        right("To", 6),
        cell("Last (UTC)", 19)
    );
    document.head.push(Line::from(span(&cell(&heads, width), STRONG)));
    for group in &found.groups {
        document.link(line(group, name), alerts_of(found, group));
    }
    document
}

/// Places that names of rules have beside all else.
fn name_places(width: usize) -> usize {
    width.saturating_sub(4 + 9 + 1 + 1 + 6 + 1 + 6 + 1 + 19).max(20)
}

fn line(group: &Group, name: usize) -> Vec<Span<'static>> {
    let sid = group.sid.map_or_else(String::new, |sid| format!("  sid {sid}"));
    let rule = group.signature.clone().unwrap_or_default() + &sid;
    let class = group.category.as_deref().unwrap_or_default();
    vec![
        span(&cell(&level(group.severity), 4), severity(group.severity)),
        span(&(right(&count(group.alerts), 9) + " "), Style::new()),
        span(&(cell(&rule, name) + " "), Style::new()),
        span(&(right(&count(group.sources), 6) + " "), Style::new()),
        span(&(right(&count(group.targets), 6) + " "), Style::new()),
        span(&cell(group.last.map(when).unwrap_or_default().get(..19).unwrap_or_default(), 19), SOFT),
        span(&("  ".to_owned() + &cell(class, 40)), SOFT),
    ]
}

/// A severity in as few letters as there are.
pub fn level(severity: Option<i64>) -> String {
    severity.map_or_else(|| "–".to_owned(), |level| level.to_string())
}

/// The question for the alerts of a rule.
pub fn alerts_of(found: &Alerts, group: &Group) -> Option<Question> {
    let (table, sid) = (found.table.clone()?, group.sid?);
    let q = format!("alert.signature_id:{sid}");
    Some(Question::Search(Words { q, table, limit: Some(PAGE), ..Words::default() }))
}
