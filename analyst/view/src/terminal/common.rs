//! The screen of what found records have in common: their types, and the most frequent values of a field.

use ratatui::style::Style;

use super::document::{Document, SOFT, span};
use super::question::Question;
use super::records::quoted;
use super::state::PAGE;
use super::text::{cell, count, right};
use crate::pages::search::{Facets, Words};

/// Letters of a value.
const LONGEST: usize = 200;

/// Makes its lines.
pub fn document(words: &Words, found: &Facets, width: usize) -> Document {
    let mut document = Document::new(&format!("In common: {}", super::search::title(words)), width);
    let question = |q: String, table: &str| {
        Question::Search(Words { q, table: table.to_owned(), limit: Some(PAGE), ..Words::default() })
    };
    let line = |records: i64, name: &str| {
        let name = cell(name, LONGEST.min(width.saturating_sub(12)));
        vec![span(&(right(&count(records), 10) + "  "), SOFT), span(&name, Style::new())]
    };
    document.heading("Types");
    let mut tables: Vec<_> = found.tables.iter().collect();
    tables.sort_by_key(|listed| std::cmp::Reverse(listed.records));
    for listed in tables {
        document.link(line(listed.records, &listed.name), Some(question(words.q.clone(), &listed.name)));
    }
    document.heading(&format!("Values of {}", words.field));
    for value in &found.values {
        let condition = format!("{}:{}", words.field, quoted(&value.name));
        let narrower = question(also(&words.q, &condition), &words.table);
        document.link(line(value.records, &value.name), Some(narrower));
    }
    if found.values.is_empty() {
        document.text("None of these records has it. f asks for another field.", SOFT);
    }
    if found.more {
        document.text("There are more.", SOFT);
    }
    document
}

/// A search with one more condition.
fn also(search: &str, condition: &str) -> String {
    match search.trim() {
        "" => condition.to_owned(),
        search => format!("({search}) and {condition}"),
    }
}
