//! A table: rows that wait as columns, and the file that they go to.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};

use crate::column::{Column, Kind, Members, Values};
use crate::file::{FileSettings, ParquetFile};
use crate::fill::Record;

/// Rows that wait: few, so that they are written while packets are read, not all at the end.
const MOST_ROWS: usize = 2048;
/// Bytes of the lines that they came from.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Key of a column's metadata that says that its texts are JSON.
const KIND_KEY: &str = "weir.kind";
/// Columns of a table; objects with more are kept as JSON.
const MOST_COLUMNS: usize = 4096;

/// Rows that were not written, and the error of the system.
#[derive(Debug)]
pub struct Failure {
    /// The number of rows.
    pub lost: u64,
    /// The error.
    pub cause: io::Error,
}

/// A table.
pub(crate) struct Table {
    /// `eve.dns`
    name: String,
    folder: PathBuf,
    members: Members,
    /// Columns that may be added.
    room: usize,
    rows: usize,
    bytes: usize,
    file: Option<ParquetFile>,
    /// The schema of the file.
    schema: Arc<Schema>,
}

impl Table {
    pub(crate) fn new(name: String, folder: PathBuf, declared: &[(String, Kind)]) -> Self {
        let mut members = Members::default();
        for (name, kind) in declared.iter().take(MOST_COLUMNS) {
            members.add(name, Some(kind));
        }
        let room = MOST_COLUMNS - members.columns.len();
        Self { name, folder, members, room, rows: 0, bytes: 0, file: None, schema: Arc::new(Schema::empty()) }
    }

    /// Takes a record; `hour` names the file that may be begun for it.
    pub(crate) fn record(&mut self, line: &str, hour: &str, settings: &FileSettings) -> Result<(), Failure> {
        let mut flushed = Ok(());
        loop {
            let mut record = Record::new(line, self.room);
            let result = record.fill(&mut self.members, self.rows);
            self.room = record.room();
            if !record.misfit && result.is_ok() {
                break;
            }
            // What the line left in columns goes; each pass widens at least one of them, none more than a few times.
            flushed = and(flushed, self.flush(hour, settings));
            if result.is_err() {
                return and(flushed, Err(Failure { lost: 1, cause: io::ErrorKind::InvalidData.into() }));
            }
        }
        self.rows += 1;
        self.bytes += line.len();
        let is_full = self.rows >= MOST_ROWS || self.bytes >= MOST_BYTES;
        if is_full { and(flushed, self.flush(hour, settings)) } else { flushed }
    }

    /// Gives the rows that wait to the file.
    fn flush(&mut self, hour: &str, settings: &FileSettings) -> Result<(), Failure> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        take(&mut self.members, &mut String::new(), self.rows, &mut |name, array, is_json| {
            let field = Field::new(name, array.data_type().clone(), true);
            // Texts and JSON do not come into one file.
            let metadata = if is_json { vec![(KIND_KEY.to_owned(), "json".to_owned())] } else { Vec::new() };
            fields.push(field.with_metadata(metadata.into_iter().collect()));
            arrays.push(array);
        });
        let rows = std::mem::take(&mut self.rows) as u64;
        self.bytes = 0;
        if rows == 0 {
            return Ok(());
        }
        let mut ended = Ok(());
        if *self.schema.fields != *fields.iter().cloned().map(Arc::new).collect::<Vec<_>>() {
            ended = self.end_file();
            self.schema = Arc::new(Schema::new(fields));
        }
        let written = self.write(arrays, hour, settings).map_err(|cause| {
            let lost = rows + self.file.take().map_or(0, |file| file.rows());
            Failure { lost, cause }
        });
        let is_full = self.file.as_ref().is_some_and(|file| file.size() >= settings.roll);
        let rolled = if is_full { self.end_file() } else { Ok(()) };
        and(and(ended, written), rolled)
    }

    fn write(&mut self, arrays: Vec<ArrayRef>, hour: &str, settings: &FileSettings) -> io::Result<()> {
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)?;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(ParquetFile::begin(&self.folder, hour, &self.name, &batch, settings)?),
        };
        file.write(&batch)
    }

    /// Ends the file, whose rows are lost where that fails.
    fn end_file(&mut self) -> Result<(), Failure> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let lost = file.rows();
        file.close().map(drop).map_err(|cause| Failure { lost, cause })
    }

    /// Writes what waits and ends the file.
    pub(crate) fn close(&mut self, hour: &str, settings: &FileSettings) -> Result<(), Failure> {
        let flushed = self.flush(hour, settings);
        and(flushed, self.end_file())
    }

    /// Returns the bytes of its file that are in memory.
    pub(crate) fn in_memory(&self) -> usize {
        self.file.as_ref().map_or(0, ParquetFile::in_memory)
    }

    /// Writes them.
    pub(crate) fn shrink(&mut self) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.flush().map_err(|cause| {
            let lost = self.file.take().map_or(0, |file| file.rows());
            Failure { lost, cause }
        })
    }
}

/// Returns the first error, with all rows that are lost.
pub(crate) fn and(one: Result<(), Failure>, other: Result<(), Failure>) -> Result<(), Failure> {
    match (one, other) {
        (Err(one), Err(other)) => Err(Failure { lost: one.lost + other.lost, cause: one.cause }),
        (one, other) => one.and(other),
    }
}

/// Gives the values of `rows` rows by the names of their columns, objects opened, and begins anew.
fn take(members: &mut Members, path: &mut String, rows: usize, give: &mut dyn FnMut(&str, ArrayRef, bool)) {
    for (name, column) in &mut members.columns {
        let length = path.len();
        path.push_str(name);
        match column {
            Column { values: Values::Object(inner, present), next } => {
                present.finish();
                path.push('.');
                take(inner, path, rows, give);
                if let Some(kind) = next.take() {
                    *column = Column::new(Some(&kind));
                }
            }
            column if column.is_known() => {
                let is_json = matches!(column.values, Values::Json(_));
                give(path, column.take(rows).slice(0, rows), is_json);
            }
            _ => {}
        }
        path.truncate(length);
    }
}
