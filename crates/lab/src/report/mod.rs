//! A report as one HTML file: tables that sort, flame graphs that zoom, charts with axes and units. It loads nothing
//! from anywhere; all strings are data, which the page's script puts in as text.

use serde_json::{Value, json};

use crate::formats::svg::escaped;
use crate::summary::Node;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Most rows of a table.
const MAX_ROWS: usize = 500;

/// Report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Title.
    pub title: String,
    /// What was run, in one line.
    pub subtitle: String,
    /// Sentences that say what the numbers mean.
    pub findings: Vec<String>,
    /// Parts, in order.
    pub parts: Vec<Part>,
}

/// Part of a report.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// A table.
    Table(Table),
    /// A flame graph.
    Flame {
        /// Title.
        title: String,
        /// Unit of values.
        unit: String,
        /// Tree of calls.
        root: Node,
    },
    /// A chart.
    Chart(Chart),
    /// Text as it stands.
    Text {
        /// Title.
        title: String,
        /// Text.
        text: String,
    },
}

/// Table. A click on the title of a column sorts it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// Title.
    pub title: String,
    /// What is to be known of it; may be empty.
    pub note: String,
    /// Titles of the columns, each with the unit of its numbers: "bytes", "nanoseconds", "percent", "count", a word of its
    /// own, or nothing for text.
    pub columns: Vec<(String, String)>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
}

/// Cell of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number, in the unit of its column.
    Number(f64),
    /// Nothing.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// How a chart shows its series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Look {
    /// Lines.
    #[default]
    Lines,
    /// Areas on top of each other.
    Stacked,
    /// Bars beside each other, at words in place of numbers.
    Bars,
}

/// Chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// What is to be known of it; may be empty.
    pub note: String,
    /// Look.
    pub look: Look,
    /// Title of the axis along the bottom, with its unit.
    pub across: String,
    /// Title of the axis at the left, with its unit.
    pub upward: String,
    /// Words at the bottom, for bars.
    pub words: Vec<String>,
    /// Series.
    pub series: Vec<Series>,
}

/// Series of a chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// Name.
    pub name: String,
    /// Points; of bars the first number is the index of the word.
    pub points: Vec<(f64, f64)>,
    /// Half the length of the line that shows how sure each point is; empty where none is known.
    pub errors: Vec<f64>,
}

impl Report {
    /// Returns the report as HTML.
    pub fn html(&self) -> String {
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        let data = json!({
            "title": self.title,
            "subtitle": self.subtitle,
            "findings": self.findings,
            "parts": parts,
        });
        // The order matters: what is put in is not looked through again.
        let mut page = String::new();
        for (at, piece) in PAGE.split("@@").enumerate() {
            match (at % 2, piece) {
                (1, "title") => page += &escaped(&self.title),
                (1, "style") => page += STYLE,
                (1, "data") => page += &within_script(&data.to_string()),
                (1, "script") => page += SCRIPT,
                _ => page += piece,
            }
        }
        page
    }
}

/// JSON that cannot end the element it stands in.
fn within_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn part(part: &Part) -> Value {
    match part {
        Part::Table(table) => json!({
            "kind": "table",
            "title": table.title,
            "note": table.note,
            "columns": table.columns.iter().map(|(title, unit)| json!([title, unit])).collect::<Vec<_>>(),
            "rows": table.rows.iter().take(MAX_ROWS).map(|row| row.iter().map(cell).collect()).collect::<Vec<Value>>(),
            "hidden": table.rows.len().saturating_sub(MAX_ROWS),
        }),
        Part::Flame { title, unit, root } => {
            json!({ "kind": "flame", "title": title, "unit": unit, "root": node(root) })
        }
        Part::Chart(chart) => json!({
            "kind": "chart",
            "title": chart.title,
            "note": chart.note,
            "look": match chart.look {
                Look::Lines => "lines",
                Look::Stacked => "stacked",
                Look::Bars => "bars",
            },
            "across": chart.across,
            "upward": chart.upward,
            "words": chart.words,
            "series": chart.series.iter().map(|series| json!({
                "name": series.name,
                "points": series.points.iter().map(|(x, y)| json!([x, y])).collect::<Vec<_>>(),
                "errors": series.errors,
            })).collect::<Vec<_>>(),
        }),
        Part::Text { title, text } => json!({ "kind": "text", "title": title, "text": text }),
    }
}

fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::Number(number) => json!(number),
        Cell::Empty => Value::Null,
    }
}

/// A function as name, value and calls, which is what there are most of.
fn node(node_of: &Node) -> Value {
    json!([node_of.name, node_of.value, node_of.children.iter().map(node).collect::<Vec<_>>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_strings_are_data() {
        let hostile = "</script><img src=x onerror=alert(1)>&@@script@@";
        let report = Report {
            title: hostile.to_owned(),
            findings: vec![hostile.to_owned()],
            parts: vec![
                Part::Text { title: hostile.to_owned(), text: hostile.to_owned() },
                Part::Table(Table {
                    columns: vec![(hostile.to_owned(), String::new())],
                    rows: vec![vec![hostile.into(), 3.5.into(), Cell::Empty]],
                    ..Table::default()
                }),
                Part::Chart(Chart {
                    series: vec![Series { name: hostile.to_owned(), ..Series::default() }],
                    ..Chart::default()
                }),
            ],
            ..Report::default()
        };
        let html = report.html();
        assert!(!html.contains("<img"), "{html}");
        assert_eq!(html.matches("</script>").count(), 2, "the data and the script: {html}");
        assert!(!html.contains("http://") && !html.contains("https://"), "nothing is loaded: {html}");
    }

    #[test]
    fn long_tables_say_what_they_leave_out() {
        let rows = vec![vec![Cell::from(1.0)]; MAX_ROWS + 7];
        let table = part(&Part::Table(Table { rows, ..Table::default() }));
        assert_eq!(
            (table["hidden"].as_u64(), table["rows"].as_array().map(Vec::len)),
            (Some(7), Some(MAX_ROWS))
        );
    }
}
