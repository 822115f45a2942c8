//! Files of Apache Parquet.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::files::{TableName, stem};

/// Key of a file's metadata that says which table its rows belong to, as `eve.dns`.
pub const TABLE_KEY: &str = "weir.table";

/// Returns the table of a file: the one that it says, else one by the name of the file; none where the file is damaged.
pub fn table_of(path: &Path) -> Option<TableName> {
    let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let said = metadata.and_then(|pairs| pairs.iter().find(|pair| pair.key == TABLE_KEY)?.value.clone());
    let said = said.as_deref().and_then(|name| name.split_once('.'));
    Some(match said {
        Some((schema @ ("eve" | "zeek"), table)) => TableName::new(schema, table),
        _ => TableName::new("files", stem(path)),
    })
}

/// The number of rows of files.
pub fn rows_of(files: &[PathBuf]) -> u64 {
    let rows = |path: &PathBuf| {
        let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
        u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
    };
    files.iter().filter_map(rows).sum()
}
