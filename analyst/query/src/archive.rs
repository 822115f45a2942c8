//! Keeps records as Apache Parquet: a folder for each table, a file for each hour, columns with types.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use weir_columns::file::{FileSettings, ParquetFile, folder_name, hour_name};

use crate::files::TableName;
use crate::output::each_batch;
use crate::session::{QueryError, Session};

/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;
/// Hours that are written at the same time; the one that was written to first is closed for another.
const OPEN: usize = 32;

/// How records are kept.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// The folder.
    pub folder: PathBuf,
    /// Size and compression of files.
    pub files: FileSettings,
}

/// What was kept of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Archived {
    /// Rows.
    pub rows: u64,
    /// Files.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// Keeps the rows of a table. Files are whole when they have their names: one that is being written is called `.part`.
pub async fn archive(
    session: &Session,
    name: &TableName,
    settings: &ArchiveSettings,
) -> Result<Archived, QueryError> {
    let rows = session.rows(name).await?;
    let answer = session.answer(rows).await?;
    let schema = answer.schema();
    let folder = settings.folder.join(&name.schema).join(folder_name(&name.table));
    let time = schema.fields().iter().position(|field| {
        matches!(field.name().as_str(), "timestamp" | "ts")
            && matches!(field.data_type(), DataType::Timestamp(TimeUnit::Microsecond, _))
    });
    let mut keeper =
        Keeper { name, folder, settings, open: BTreeMap::new(), begun: 0, archived: Archived::default() };
    each_batch(answer, &mut |batch| keeper.take(&batch, time)).await?;
    keeper.finish()
}

/// A file that is being written.
struct Writing {
    file: ParquetFile,
    /// Its place among those that were begun.
    begun: u64,
}

/// Writes rows to the files of their hours.
struct Keeper<'k> {
    name: &'k TableName,
    folder: PathBuf,
    settings: &'k ArchiveSettings,
    open: BTreeMap<Option<i64>, Writing>,
    begun: u64,
    archived: Archived,
}

impl Keeper<'_> {
    fn take(&mut self, batch: &RecordBatch, time: Option<usize>) -> Result<(), QueryError> {
        let times =
            time.and_then(|column| batch.column(column).as_primitive_opt::<TimestampMicrosecondType>());
        let Some(times) = times else { return self.write(None, batch) };
        let hour = |row: usize| (!times.is_null(row)).then(|| times.value(row).div_euclid(HOUR));
        let mut hours: Vec<Option<i64>> = (0..batch.num_rows()).map(hour).collect();
        let of_rows = hours.clone();
        hours.sort_unstable();
        hours.dedup();
        if let [only] = hours.as_slice() {
            return self.write(*only, batch);
        }
        for hour in hours {
            let rows: BooleanArray = of_rows.iter().map(|of_row| Some(*of_row == hour)).collect();
            let rows = filter_record_batch(batch, &rows).map_err(|error| QueryError(error.to_string()))?;
            self.write(hour, &rows)?;
        }
        Ok(())
    }

    fn write(&mut self, hour: Option<i64>, batch: &RecordBatch) -> Result<(), QueryError> {
        if !self.open.contains_key(&hour) {
            if self.open.len() >= OPEN {
                let first = self.open.iter().min_by_key(|(_, writing)| writing.begun).map(|(hour, _)| *hour);
                first.map_or(Ok(()), |hour| self.close(hour))?;
            }
            let writing = self.begin(hour, batch)?;
            self.open.insert(hour, writing);
        }
        let Some(writing) = self.open.get_mut(&hour) else { return Ok(()) };
        writing.file.write(batch).map_err(|error| failed(&self.folder, &error))?;
        self.archived.rows += batch.num_rows() as u64;
        if writing.file.size() >= self.settings.files.roll {
            self.close(hour)?;
        }
        Ok(())
    }

    /// What is there already stays.
    fn begin(&mut self, hour: Option<i64>, first: &RecordBatch) -> Result<Writing, QueryError> {
        self.begun += 1;
        let stem = hour.map_or_else(|| "without-time".to_owned(), hour_name);
        let table = format!("{}.{}", self.name.schema, self.name.table);
        let file = ParquetFile::begin(&self.folder, &stem, &table, first, &self.settings.files)
            .map_err(|error| failed(&self.folder, &error))?;
        Ok(Writing { file, begun: self.begun })
    }

    fn close(&mut self, hour: Option<i64>) -> Result<(), QueryError> {
        let Some(writing) = self.open.remove(&hour) else { return Ok(()) };
        self.archived.bytes += writing.file.close().map_err(|error| failed(&self.folder, &error))?;
        self.archived.files += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Archived, QueryError> {
        while let Some(hour) = self.open.keys().next().copied() {
            self.close(hour)?;
        }
        Ok(self.archived)
    }
}

fn failed(folder: &Path, error: &dyn std::fmt::Display) -> QueryError {
    QueryError(format!("A file in {} cannot be written: {error}.", folder.display()))
}
