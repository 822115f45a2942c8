//! Columns of tables: members of objects are columns of their own, by the names that users of the logs know.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};

use crate::kinds::Kind;

/// Columns of a table at most; objects beyond are kept as JSON.
const MOST_COLUMNS: usize = 4096;

/// A column: the path to its value within a record, and the type.
pub type TableColumn = (Vec<String>, Kind);

/// Returns the columns of records of this type, objects opened.
pub fn flatten(kind: &Kind) -> Vec<TableColumn> {
    let mut columns = Vec::new();
    if let Kind::Object(names) = kind {
        for (name, kind) in names {
            open(vec![name.clone()], kind, &mut columns);
        }
    }
    // A name with a dot may look like a path.
    let mut seen = std::collections::HashSet::new();
    columns.retain(|(path, _)| seen.insert(path.join(".")));
    columns
}

fn open(path: Vec<String>, kind: &Kind, columns: &mut Vec<TableColumn>) {
    match kind {
        Kind::Object(names) if columns.len() + names.len() <= MOST_COLUMNS && !names.is_empty() => {
            for (name, kind) in names {
                let mut inner = path.clone();
                inner.push(name.clone());
                open(inner, kind, columns);
            }
        }
        Kind::Object(_) => columns.push((path, Kind::Json)),
        // Nobody knows the type of what is never there.
        kind => columns.push((path, kind.clone())),
    }
}

/// Returns the schema of columns.
pub fn schema_of(columns: &[TableColumn]) -> SchemaRef {
    let field = |(path, kind): &TableColumn| Field::new(path.join("."), kind.data_type(), true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}
