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

/// Bytes of a column's first rows, as they are encoded, from which on setting up a compressor pays.
const WORTH_COMPRESSING: usize = 4 * 1024;

/// First values of a column of which it is seen how many of them come again; fewer are written as they are.
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
    path: Unfinished,
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
        let path = Unfinished(path);
        let level = ZstdLevel::try_new(settings.level).unwrap_or_default();
        let mut properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(vec![KeyValue::new(TABLE_KEY.to_owned(), table.to_owned())]));
        leaves(first, &mut |path, array| {
            let column = ColumnPath::new(path.to_vec());
            let mut builder = std::mem::take(&mut properties);
            if matches!(array.data_type(), DataType::Timestamp(..)) {
                builder = builder.set_column_statistics_enabled(column.clone(), EnabledStatistics::Chunk);
            }
            let way = Way::of(array);
            if let Some(encoding) = way.without_dictionary {
                builder = builder
                    .set_column_dictionary_enabled(column.clone(), false)
                    .set_column_encoding(column.clone(), encoding);
            }
            if way.size >= WORTH_COMPRESSING {
                builder = builder.set_column_compression(column, Compression::ZSTD(level));
            }
            properties = builder;
        });
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
        let path = self.path.0.with_extension("parquet");
        fs::rename(&self.path.0, &path)?;
        Ok(fs::metadata(&path)?.len())
    }
}

/// The path of a file that is being written. Where it does not become whole it goes: nobody could read it, and on a disk
/// that is full it would take the room of those that follow.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // One that is whole has another name.
        let _ = fs::remove_file(&self.0);
    }
}

/// Gives the columns of plain values with their paths in the schema of Parquet.
fn leaves(batch: &RecordBatch, give: &mut dyn FnMut(&[String], &ArrayRef)) {
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        inner_leaves(&mut vec![field.name().clone()], array, give);
    }
}

fn inner_leaves(path: &mut Vec<String>, array: &ArrayRef, give: &mut dyn FnMut(&[String], &ArrayRef)) {
    let length = path.len();
    match array.data_type() {
        DataType::List(field) => {
            path.extend(["list".to_owned(), field.name().clone()]);
            inner_leaves(path, array.as_list::<i32>().values(), give);
        }
        DataType::Struct(fields) => {
            for (field, array) in fields.iter().zip(array.as_struct().columns()) {
                path.push(field.name().clone());
                inner_leaves(path, array, give);
                path.truncate(length);
            }
        }
        _ => give(path, array),
    }
    path.truncate(length);
}

/// Describes how a column is written.
struct Way {
    /// The encoding, where a dictionary would make values dearer, or larger.
    without_dictionary: Option<Encoding>,
    /// Bytes of the first rows that compression may make fewer, about.
    size: usize,
}

impl Way {
    fn of(array: &ArrayRef) -> Self {
        let values = array.len() - array.null_count();
        match array.data_type() {
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                let bytes = texts.values().len();
                let mut sample: Vec<&str> = texts.iter().flatten().take(SAMPLED).collect();
                if sample.len() < SAMPLED {
                    return Self { without_dictionary: Some(Encoding::PLAIN), size: bytes };
                }
                sample.sort_unstable();
                sample.dedup();
                let is_new = sample.len() > SAMPLED * 7 / 8;
                // A dictionary has each text once; each value is an index of a few bits.
                let size = if is_new { bytes } else { bytes * sample.len() / SAMPLED + values / 2 };
                Self { without_dictionary: is_new.then_some(Encoding::DELTA_LENGTH_BYTE_ARRAY), size }
            }
            // Moments follow each other, and most numbers are small or few: what lies between them takes less room.
            DataType::Timestamp(..) | DataType::Int64 => {
                let few = values < SAMPLED;
                let encoding = if few { Encoding::PLAIN } else { Encoding::DELTA_BINARY_PACKED };
                Self { without_dictionary: Some(encoding), size: 0 }
            }
            _ if values < SAMPLED => Self { without_dictionary: Some(Encoding::PLAIN), size: 0 },
            _ => Self { without_dictionary: None, size: 0 },
        }
    }
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
