//! A file of Parquet, which has its name when it is whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::TABLE_KEY;

/// Rows of a group, which are in memory until it is whole.
const GROUP_ROWS: usize = 256 * 1024;

/// Bytes of a column's first rows from which on setting up the compressor pays.
const WORTH_COMPRESSING: usize = 32 * 1024;

/// First values of a column of which it is seen whether they come again.
const SAMPLED: usize = 64;

/// Size and compression of files.
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// Bytes after which another file is begun for the same hour.
    pub roll: u64,
    /// Strength of compression by Zstandard, 1 to 22.
    pub level: i32,
}

/// A file that is being written.
pub struct ParquetFile {
    writer: ArrowWriter<File>,
    path: PathBuf,
    rows: u64,
}

impl ParquetFile {
    /// Begins a file for rows of a table, called `stem`, with a number where there is one of that name. How each column is
    /// written is seen from its `first` rows.
    pub fn begin(
        folder: &Path,
        stem: &str,
        table: &str,
        first: &RecordBatch,
        settings: &FileSettings,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let (path, file) = free(folder, stem)?;
        let level = ZstdLevel::try_new(settings.level).unwrap_or_default();
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(vec![KeyValue::new(TABLE_KEY.to_owned(), table.to_owned())]));
        for (field, array) in first.schema().fields().iter().zip(first.columns()) {
            let column = ColumnPath::new(vec![field.name().clone()]);
            if matches!(field.data_type(), DataType::Timestamp(..)) {
                properties =
                    properties.set_column_statistics_enabled(column.clone(), EnabledStatistics::Chunk);
            }
            if let Some(encoding) = without_dictionary(array) {
                properties = properties
                    .set_column_dictionary_enabled(column.clone(), false)
                    .set_column_encoding(column.clone(), encoding);
            }
            if array.get_array_memory_size() < WORTH_COMPRESSING && !field.data_type().is_nested() {
                properties = properties.set_column_compression(column, Compression::UNCOMPRESSED);
            }
        }
        let options =
            ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(file, first.schema(), options).map_err(io::Error::other)?;
        Ok(Self { writer, path, rows: 0 })
    }

    /// Adds rows.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.writer.write(batch).map_err(io::Error::other)?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Writes the rows that are in memory.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(io::Error::other)
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the bytes that are in memory.
    pub fn in_memory(&self) -> usize {
        self.writer.in_progress_size()
    }

    /// Returns about as many bytes as it will have.
    pub fn size(&self) -> u64 {
        (self.writer.bytes_written() + self.writer.in_progress_size()) as u64
    }

    /// Ends the file and gives it its name. Returns its size in bytes.
    pub fn close(self) -> io::Result<u64> {
        self.writer.close().map_err(io::Error::other)?;
        let path = self.path.with_extension("parquet");
        fs::rename(&self.path, &path)?;
        Ok(fs::metadata(&path)?.len())
    }
}

/// The encoding of values that a dictionary would make dearer, or larger.
fn without_dictionary(array: &ArrayRef) -> Option<Encoding> {
    match array.data_type() {
        // Moments follow each other, and most numbers are small or few: what lies between them takes less room.
        DataType::Timestamp(..) | DataType::Int64 => Some(Encoding::DELTA_BINARY_PACKED),
        DataType::Utf8 if mostly_new(array.as_string::<i32>().iter().flatten()) => {
            Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)
        }
        _ => None,
    }
}

/// Whether most of the first values are there once.
fn mostly_new<T: Ord>(values: impl Iterator<Item = T>) -> bool {
    let mut sample: Vec<T> = values.take(SAMPLED).collect();
    let count = sample.len();
    sample.sort_unstable();
    sample.dedup();
    count == SAMPLED && sample.len() > SAMPLED * 7 / 8
}

/// Makes a file of a name that neither a whole file nor one that is being written has.
fn free(folder: &Path, stem: &str) -> io::Result<(PathBuf, File)> {
    for number in 0..=u32::MAX {
        let name = if number == 0 { format!("{stem}.part") } else { format!("{stem}-{number}.part") };
        let path = folder.join(name);
        if path.with_extension("parquet").exists() {
            continue;
        }
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return Ok((path, made?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns a table's name as that of a folder.
pub fn folder_name(table: &str) -> String {
    table.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Returns `2024-01-31T12` of hours since 1970, in UTC.
pub fn hour_name(hour: i64) -> String {
    let moment =
        jiff::Timestamp::from_second(hour.saturating_mul(3600)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime("%Y-%m-%dT%H").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(hour_name(0), "1970-01-01T00");
        assert_eq!(hour_name(474_084), "2024-01-31T12");
        assert_eq!(hour_name(-1), "1969-12-31T23");
        assert_eq!(folder_name("dns/../x"), "dns____x");
    }
}
