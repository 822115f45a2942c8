//! Records as JSON for pages: bounded, and with numbers that scripts can hold.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, TimeUnit, UInt64Type};
use serde_json::value::RawValue;

use crate::answer::Problem;

/// The greatest whole number that scripts of browsers hold exactly.
const GREATEST: u64 = (1 << 53) - 1;

/// Name of the zone of moments.
const ZONE: &str = "UTC";

/// A type of moments that all tables' moments become.
pub fn moments() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into()))
}

/// Whether a column has texts.
pub const fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns each row as an object, without what is null. Texts are cut behind `longest` bytes.
pub fn objects(batches: &[RecordBatch], longest: usize) -> Result<Vec<Box<RawValue>>, Problem> {
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch.columns().iter().map(|column| plain(column, longest));
        let columns = columns.collect::<Result<Vec<_>, Problem>>()?;
        let fields = batch
            .schema()
            .fields()
            .iter()
            .zip(&columns)
            .map(|(field, column)| Field::new(field.name(), column.data_type().clone(), true))
            .collect::<Vec<_>>();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
        let mut writer = arrow::json::LineDelimitedWriter::new(Vec::new());
        writer.write(&batch)?;
        writer.finish()?;
        let text = String::from_utf8(writer.into_inner()).map_err(Problem::failed)?;
        for line in text.lines() {
            rows.push(RawValue::from_string(line.to_owned()).map_err(Problem::failed)?);
        }
    }
    Ok(rows)
}

/// A column as JSON can have it.
fn plain(column: &ArrayRef, longest: usize) -> Result<ArrayRef, Problem> {
    Ok(match column.data_type() {
        DataType::Dictionary(_, values) => plain(&cast(column, values)?, longest)?,
        kind if is_text(kind) => {
            let texts = cast(column, &DataType::Utf8)?;
            match texts.as_string_opt::<i32>() {
                Some(strings) if strings.iter().flatten().any(|text| text.len() > longest) => Arc::new(
                    strings.iter().map(|text| text.map(|text| cut(text, longest))).collect::<StringArray>(),
                ),
                _ => texts,
            }
        }
        DataType::Timestamp(..) => cast(column, &moments())?,
        DataType::Int64 => {
            let numbers = column.as_primitive::<Int64Type>();
            let far =
                [min(numbers), max(numbers)].iter().flatten().any(|number| number.unsigned_abs() > GREATEST);
            if far { cast(column, &DataType::Utf8)? } else { column.clone() }
        }
        DataType::UInt64 => {
            let far = max(column.as_primitive::<UInt64Type>()).is_some_and(|number| number > GREATEST);
            if far { cast(column, &DataType::Utf8)? } else { column.clone() }
        }
        _ => column.clone(),
    })
}

fn cut(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let (begin, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    format!("{begin}… ({} bytes more)", rest.len())
}

/// A column as texts; rows without one have none.
pub fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let texts = batch.column_by_name(name).and_then(|column| cast(column, &DataType::Utf8).ok());
    match texts.as_ref().and_then(|texts| texts.as_string_opt::<i32>()) {
        Some(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect(),
        None => vec![None; batch.num_rows()],
    }
}

/// A column as whole numbers; moments as microseconds since 1970.
pub fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    let column = batch.column_by_name(name).and_then(|column| match column.data_type() {
        DataType::Timestamp(..) => cast(&cast(column, &moments()).ok()?, &DataType::Int64).ok(),
        _ => cast(column, &DataType::Int64).ok(),
    });
    match column.as_ref().and_then(|column| column.as_primitive_opt::<Int64Type>()) {
        Some(numbers) => numbers.iter().collect(),
        None => vec![None; batch.num_rows()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Int64Array, TimestampMicrosecondArray, UInt64Array};

    #[test]
    fn rows_become_objects() {
        let columns: [(&str, ArrayRef); 5] = [
            ("t", Arc::new(TimestampMicrosecondArray::from(vec![Some(1_500_000), None]))),
            ("small", Arc::new(Int64Array::from(vec![Some(-7), Some(9_007_199_254_740_991)]))),
            ("large", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None]))),
            ("http.url", Arc::new(StringArray::from(vec![Some("<script>\u{0}\u{202e}"), Some("ääää")]))),
            ("none", Arc::new(StringArray::from(vec![None::<&str>, None]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let rows = objects(std::slice::from_ref(&batch), 100).unwrap();
        let rows: Vec<&str> = rows.iter().map(|row| row.get()).collect();
        let expected = [
            "{\"t\":\"1970-01-01T00:00:01.500Z\",\"small\":-7,\"large\":\"18446744073709551615\",\"http.url\":\"<script>\\u0000\u{202e}\"}",
            "{\"small\":9007199254740991,\"http.url\":\"ääää\"}",
        ];
        assert_eq!(rows, expected);
        assert_eq!(
            objects(std::slice::from_ref(&batch), 3).unwrap()[1].get(),
            r#"{"small":9007199254740991,"http.url":"ä… (6 bytes more)"}"#
        );
        assert_eq!(numbers(&batch, "t"), [Some(1_500_000), None]);
        assert_eq!(texts(&batch, "nowhere"), [None, None]);
    }
}
