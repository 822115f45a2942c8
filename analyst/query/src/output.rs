//! Writes answers: as a table for people, as JSON lines, CSV or Parquet for programs.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::session::{Answer, QueryError};

/// Rows that a table for people shows at most.
pub const SHOWN: usize = 10_000;
/// Letters of a value that such a table shows at most.
const SHORT: usize = 120;

/// Form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A table for people.
    Table,
    /// A JSON object a line.
    Json,
    /// Values with commas, names in the first line.
    Csv,
    /// Apache Parquet, in this file.
    Parquet(PathBuf),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Rows of the answer.
    pub rows: usize,
    /// Rows that a table does not show.
    pub hidden: usize,
}

/// Gives the batches of an answer in the order of its rows.
pub(crate) async fn each_batch(
    answer: Answer,
    take: &mut dyn FnMut(RecordBatch) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    let mut batches = answer.batches();
    while let Some(batch) = batches.next().await {
        take(batch?)?;
    }
    Ok(())
}

/// Writes an answer to `out`.
pub async fn print(answer: Answer, form: &Form, out: &mut dyn Write) -> Result<Printed, QueryError> {
    let schema = answer.schema();
    let failed = |error: io::Error| QueryError(format!("The answer cannot be written: {error}."));
    let mut printed = Printed::default();
    match form {
        Form::Table => {
            let mut batches = Vec::new();
            let mut kept = 0;
            each_batch(answer, &mut |batch| {
                printed.rows += batch.num_rows();
                if kept < SHOWN {
                    let batch = batch.slice(0, batch.num_rows().min(SHOWN - kept));
                    kept += batch.num_rows();
                    batches.push(batch);
                }
                Ok(())
            })
            .await?;
            printed.hidden = printed.rows - kept;
            let text = table(&schema, &batches)?;
            writeln!(out, "{text}").map_err(failed)?;
        }
        Form::Json => {
            let mut writer = arrow::json::LineDelimitedWriter::new(&mut *out);
            each_batch(answer, &mut |batch| {
                printed.rows += batch.num_rows();
                writer.write(&batch).map_err(arrow_error)
            })
            .await?;
            writer.finish().map_err(arrow_error)?;
        }
        Form::Csv => {
            let mut header = true;
            each_batch(answer, &mut |batch| {
                printed.rows += batch.num_rows();
                let batch = flat(&batch)?;
                let mut writer = arrow::csv::WriterBuilder::new().with_header(header).build(&mut *out);
                header = false;
                writer.write(&batch).map_err(arrow_error)
            })
            .await?;
            if header {
                let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                writeln!(out, "{}", names.join(",")).map_err(failed)?;
            }
        }
        Form::Parquet(path) => {
            let file = std::fs::File::create(path)
                .map_err(|error| QueryError(format!("{} cannot be written: {error}.", path.display())))?;
            let compression = Compression::ZSTD(ZstdLevel::default());
            let properties = WriterProperties::builder().set_compression(compression).build();
            let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(parquet_error)?;
            each_batch(answer, &mut |batch| {
                printed.rows += batch.num_rows();
                writer.write(&batch).map_err(parquet_error)
            })
            .await?;
            writer.close().map_err(parquet_error)?;
        }
    }
    out.flush().map_err(failed)?;
    Ok(printed)
}

fn arrow_error(error: arrow::error::ArrowError) -> QueryError {
    QueryError(format!("The answer cannot be written: {error}."))
}

fn parquet_error(error: parquet::errors::ParquetError) -> QueryError {
    QueryError(format!("The answer cannot be written: {error}."))
}

/// Lists and objects as texts, which CSV has no form for.
fn flat(batch: &RecordBatch) -> Result<RecordBatch, QueryError> {
    let options = options();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let column = match field.data_type() {
            DataType::List(_) | DataType::Struct(_) | DataType::LargeList(_) => {
                let shown = ArrayFormatter::try_new(column, &options).map_err(arrow_error)?;
                let text = |row| (!column.is_null(row)).then(|| shown.value(row).to_string());
                std::sync::Arc::new((0..column.len()).map(text).collect::<arrow::array::StringArray>())
            }
            _ => column.clone(),
        };
        columns.push((field.name().clone(), column));
    }
    let fields = columns
        .iter()
        .map(|(name, column)| arrow::datatypes::Field::new(name, column.data_type().clone(), true));
    let schema = std::sync::Arc::new(arrow::datatypes::Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, column)| column).collect()).map_err(arrow_error)
}

fn options() -> FormatOptions<'static> {
    FormatOptions::new().with_timestamp_tz_format(Some("%Y-%m-%d %H:%M:%S%.6f"))
}

/// A table with lines between its head and its rows, numbers to the right.
fn table(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<String, QueryError> {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED);
    if io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
    }
    table.set_header(
        schema.fields().iter().map(|field| Cell::new(plain(field.name())).add_attribute(Attribute::Bold)),
    );
    let options = options();
    for batch in batches {
        let shown = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let shown = shown.collect::<Result<Vec<_>, _>>().map_err(arrow_error)?;
        for row in 0..batch.num_rows() {
            table.add_row(shown.iter().zip(batch.columns()).map(|(value, column)| {
                let cell = Cell::new(short(&plain(&value.value(row).to_string())));
                if column.data_type().is_numeric() { cell.set_alignment(CellAlignment::Right) } else { cell }
            }));
        }
    }
    Ok(table.to_string())
}

/// As much of a text as a table shows; other forms have all of it.
fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A text without letters that give orders to a terminal: traffic chose it.
pub(crate) fn plain(text: &str) -> String {
    let shown = |letter: char| match letter {
        letter if letter.is_control() || is_hidden(letter) => letter.escape_default().to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Letters that turn the direction of what follows, or that nobody sees.
const fn is_hidden(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
