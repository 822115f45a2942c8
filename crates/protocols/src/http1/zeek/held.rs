//! Rows that wait for an answer inside of WebSocket. To Zeek, the status by which a server changes to it is not
//! the last one: the first answer inside belongs to the request that led there, the second one to the first
//! request inside, and so on.

use std::collections::VecDeque;

use weir_applayer::zeek::{ZeekSink, ZeekValue};
use weir_base::Timestamp;

use super::STREAM;

/// Most rows that wait.
const MAX_HELD: usize = 64;

/// Columns that the answer fills.
const ANSWERED: [&str; 9] = [
    "version",
    "response_body_len",
    "status_code",
    "status_msg",
    "info_code",
    "info_msg",
    "resp_fuids",
    "resp_filenames",
    "resp_mime_types",
];

/// Those of them that only an informational answer changes.
const INFORMATIONAL: [&str; 2] = ["info_code", "info_msg"];

/// A value of a row.
#[derive(Debug, Clone)]
enum Value {
    Unset,
    Count(u64),
    Text(Vec<u8>),
    List(Vec<Vec<u8>>),
}

impl Value {
    fn of(value: &ZeekValue<'_>) -> Self {
        match *value {
            ZeekValue::Count(count) => Self::Count(count),
            ZeekValue::String(text) => Self::Text(text.to_vec()),
            ZeekValue::List(values) => Self::List(
                values
                    .iter()
                    .filter_map(|value| match value {
                        ZeekValue::String(text) => Some(text.to_vec()),
                        _ => None,
                    })
                    .collect(),
            ),
            _ => Self::Unset,
        }
    }
}

/// A row.
#[derive(Debug)]
struct Row {
    time: Timestamp,
    values: Vec<Value>,
}

impl Row {
    fn of(time: Timestamp, values: &[ZeekValue<'_>]) -> Self {
        Self { time, values: values.iter().map(Value::of).collect() }
    }

    /// Moves what an answer fills from `self` to an earlier row.
    fn answer(&mut self, earlier: &mut Row) {
        let columns = STREAM.columns.iter().zip(&mut self.values).zip(&mut earlier.values);
        for (((name, _), from), to) in columns.filter(|(((name, _), _), _)| ANSWERED.contains(name)) {
            let value = std::mem::replace(from, Value::Unset);
            if !(INFORMATIONAL.contains(name) && matches!(value, Value::Unset)) {
                *to = value;
            }
            if *name == "response_body_len" {
                *from = Value::Count(0);
            }
        }
    }

    fn write(&self, sink: &mut dyn ZeekSink) {
        let lists: Vec<Vec<ZeekValue<'_>>> = self
            .values
            .iter()
            .map(|value| match value {
                Value::List(items) => items.iter().map(|item| ZeekValue::String(item)).collect(),
                _ => Vec::new(),
            })
            .collect();
        let values: Vec<ZeekValue<'_>> = self
            .values
            .iter()
            .zip(&lists)
            .map(|(value, list)| match value {
                Value::Unset => ZeekValue::Unset,
                Value::Count(count) => ZeekValue::Count(*count),
                Value::Text(text) => ZeekValue::String(text),
                Value::List(_) => ZeekValue::List(list),
            })
            .collect();
        sink.row(&STREAM, self.time, &values);
    }
}

/// The rows that wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct Held {
    rows: VecDeque<Row>,
}

impl Held {
    /// Whether answers go to earlier rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps a row until there is an answer.
    pub(super) fn keep(&mut self, time: Timestamp, values: &[ZeekValue<'_>]) {
        self.rows.push_back(Row::of(time, values));
    }

    /// Takes in an exchange: its answer, where it has one, goes to the oldest row.
    pub(super) fn take(
        &mut self,
        time: Timestamp,
        values: &[ZeekValue<'_>],
        answered: bool,
        sink: &mut dyn ZeekSink,
    ) {
        let mut row = Row::of(time, values);
        if answered && let Some(mut earlier) = self.rows.pop_front() {
            row.answer(&mut earlier);
            earlier.write(sink);
        }
        self.rows.push_back(row);
        if self.rows.len() > MAX_HELD
            && let Some(oldest) = self.rows.pop_front()
        {
            oldest.write(sink);
        }
    }

    /// Writes what had no answer.
    pub(super) fn end(&mut self, sink: &mut dyn ZeekSink) {
        for row in self.rows.drain(..) {
            row.write(sink);
        }
    }
}
