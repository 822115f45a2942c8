//! Keeps records as Apache Parquet: a folder for each table, a file for each hour, columns with types.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::files::TableName;
use crate::output::each_batch;
use crate::parquet_files::TABLE_KEY;
use crate::session::{QueryError, Session};

/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;
/// Hours that are written at the same time; the one that was written to first is closed for another.
const OPEN: usize = 32;
/// Rows of a group, which are in memory until it is whole.
const GROUP_ROWS: usize = 256 * 1024;

/// How records are kept.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// The folder.
    pub folder: PathBuf,
    /// Bytes of a file after which another one is begun for the same hour.
    pub roll: usize,
    /// Strength of compression by Zstandard, 1 to 22.
    pub level: i32,
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
    let folder = settings.folder.join(&name.schema).join(file_name(&name.table));
    fs::create_dir_all(&folder)
        .map_err(|error| QueryError(format!("{} cannot be made: {error}.", folder.display())))?;
    let time = schema.fields().iter().position(|field| {
        matches!(field.name().as_str(), "timestamp" | "ts")
            && matches!(field.data_type(), DataType::Timestamp(TimeUnit::Microsecond, _))
    });
    let mut keeper = Keeper {
        name,
        folder,
        settings,
        schema: with_table(&schema, name),
        open: BTreeMap::new(),
        begun: 0,
        archived: Archived::default(),
    };
    each_batch(answer, &mut |batch| keeper.take(&batch, time)).await?;
    keeper.finish()
}

/// The table's name as that of a folder.
fn file_name(table: &str) -> String {
    table.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

fn with_table(schema: &SchemaRef, name: &TableName) -> SchemaRef {
    let fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    let table = format!("{}.{}", name.schema, name.table);
    Arc::new(Schema::new_with_metadata(fields, [(TABLE_KEY.to_owned(), table)].into()))
}

/// A file that is being written.
struct Writing {
    writer: ArrowWriter<File>,
    path: PathBuf,
    /// Its place among those that were begun.
    begun: u64,
}

/// Writes rows to the files of their hours.
struct Keeper<'k> {
    name: &'k TableName,
    folder: PathBuf,
    settings: &'k ArchiveSettings,
    schema: SchemaRef,
    open: BTreeMap<Option<i64>, Writing>,
    begun: u64,
    archived: Archived,
}

impl Keeper<'_> {
    fn take(&mut self, batch: &RecordBatch, time: Option<usize>) -> Result<(), QueryError> {
        let batch = RecordBatch::try_new(self.schema.clone(), batch.columns().to_vec())
            .map_err(|error| QueryError(error.to_string()))?;
        let times =
            time.and_then(|column| batch.column(column).as_primitive_opt::<TimestampMicrosecondType>());
        let Some(times) = times else { return self.write(None, &batch) };
        let hour = |row: usize| (!times.is_null(row)).then(|| times.value(row).div_euclid(HOUR));
        let mut hours: Vec<Option<i64>> = (0..batch.num_rows()).map(hour).collect();
        let of_rows = hours.clone();
        hours.sort_unstable();
        hours.dedup();
        if let [only] = hours.as_slice() {
            return self.write(*only, &batch);
        }
        for hour in hours {
            let rows: BooleanArray = of_rows.iter().map(|of_row| Some(*of_row == hour)).collect();
            let rows = filter_record_batch(&batch, &rows).map_err(|error| QueryError(error.to_string()))?;
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
            let writing = self.begin(hour)?;
            self.open.insert(hour, writing);
        }
        let Some(writing) = self.open.get_mut(&hour) else { return Ok(()) };
        writing.writer.write(batch).map_err(|error| failed(&writing.path, &error))?;
        self.archived.rows += batch.num_rows() as u64;
        if writing.writer.bytes_written() + writing.writer.in_progress_size() >= self.settings.roll {
            self.close(hour)?;
        }
        Ok(())
    }

    fn begin(&mut self, hour: Option<i64>) -> Result<Writing, QueryError> {
        self.begun += 1;
        let stem = hour.map_or_else(|| "without-time".to_owned(), hour_name);
        // What is there already stays.
        let path = (0..=u32::MAX)
            .map(|number| {
                self.folder.join(if number == 0 {
                    format!("{stem}.part")
                } else {
                    format!("{stem}-{number}.part")
                })
            })
            .find(|path| !path.exists() && !path.with_extension("parquet").exists())
            .unwrap_or_else(|| self.folder.join("records.part"));
        let file = File::create_new(&path).map_err(|error| failed(&path, &error))?;
        let level = ZstdLevel::try_new(self.settings.level).map_err(|error| failed(&path, &error))?;
        let table = format!("{}.{}", self.name.schema, self.name.table);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_key_value_metadata(Some(vec![KeyValue::new(TABLE_KEY.to_owned(), table)]))
            .build();
        let writer = ArrowWriter::try_new(file, self.schema.clone(), Some(properties));
        Ok(Writing { writer: writer.map_err(|error| failed(&path, &error))?, path, begun: self.begun })
    }

    /// Ends a file and gives it its name.
    fn close(&mut self, hour: Option<i64>) -> Result<(), QueryError> {
        let Some(writing) = self.open.remove(&hour) else { return Ok(()) };
        let path = writing.path.with_extension("parquet");
        writing.writer.close().map_err(|error| failed(&writing.path, &error))?;
        fs::rename(&writing.path, &path).map_err(|error| failed(&path, &error))?;
        self.archived.files += 1;
        self.archived.bytes += fs::metadata(&path).map_or(0, |metadata| metadata.len());
        Ok(())
    }

    fn finish(mut self) -> Result<Archived, QueryError> {
        while let Some(hour) = self.open.keys().next().copied() {
            self.close(hour)?;
        }
        Ok(self.archived)
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> QueryError {
    QueryError(format!("{} cannot be written: {error}.", path.display()))
}

/// `2024-01-31T12` of hours since 1970, in UTC.
fn hour_name(hour: i64) -> String {
    let moment =
        jiff::Timestamp::from_second(hour.saturating_mul(3600)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime("%Y-%m-%dT%H").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hours() {
        assert_eq!(hour_name(0), "1970-01-01T00");
        assert_eq!(hour_name(474_084), "2024-01-31T12");
        assert_eq!(hour_name(-1), "1969-12-31T23");
        assert_eq!(file_name("dns/../x"), "dns____x");
    }
}
