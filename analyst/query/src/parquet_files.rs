//! Files of Apache Parquet.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use indexmap::IndexMap;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::reader::{FileReader, SerializedFileReader};

use weir_columns::TABLE_KEY;

use crate::files::{TableName, stem};
use crate::session::QueryError;

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

/// Returns the columns of files, each of a type that holds the values of all.
pub fn schema_of(files: &[PathBuf]) -> Result<SchemaRef, QueryError> {
    let mut fields: IndexMap<String, DataType> = IndexMap::new();
    for path in files {
        let failed = |error: &dyn std::fmt::Display| {
            QueryError(format!("{} cannot be read: {error}.", path.display()))
        };
        let file = File::open(path).map_err(|error| failed(&error))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())
            .map_err(|error| failed(&error))?;
        for field in metadata.schema().fields() {
            let kind = fields.entry(field.name().clone()).or_insert_with(|| field.data_type().clone());
            *kind = wider(kind, field.data_type());
        }
    }
    let fields = fields.into_iter().map(|(name, kind)| Field::new(name, kind, true));
    Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

/// Returns a type that holds the values of both: a number for numbers, a text for all else.
pub fn wider(one: &DataType, other: &DataType) -> DataType {
    match (one, other) {
        (one, other) if one == other => one.clone(),
        (one, other) if one.is_numeric() && other.is_numeric() => DataType::Float64,
        _ => DataType::Utf8,
    }
}

/// The number of rows of files.
pub fn rows_of(files: &[PathBuf]) -> u64 {
    let rows = |path: &PathBuf| {
        let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
        u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
    };
    files.iter().filter_map(rows).sum()
}
