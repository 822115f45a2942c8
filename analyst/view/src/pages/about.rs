//! What there is: the tables, and where they are from.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;

use crate::answer::{Json, Problem};
use crate::server::Shared;

#[derive(Serialize)]
struct Listed<'a> {
    schema: &'a str,
    table: &'a str,
    rows: u64,
}

#[derive(Serialize)]
struct About<'a> {
    version: &'static str,
    records: Vec<String>,
    captures: Vec<String>,
    tables: Vec<Listed<'a>>,
    remarks: Vec<String>,
}

/// Tells what is shown.
pub async fn about(State(shared): State<Arc<Shared>>) -> Result<impl axum::response::IntoResponse, Problem> {
    let shown = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let listed = shared.tables.listed().iter().map(|(name, rows)| Listed {
        schema: &name.schema,
        table: &name.table,
        rows: *rows,
    });
    let about = About {
        version: env!("CARGO_PKG_VERSION"),
        records: shown(&shared.records),
        captures: shown(&shared.captures),
        tables: listed.collect(),
        remarks: [shared.tables.session.unreadable().to_vec(), shared.tables.session.remarks()].concat(),
    };
    // The tables' names are borrowed from what is shared.
    let text = serde_json::to_value(&about).map_err(Problem::failed)?;
    Ok(Json(text))
}
