//! What there is: the tables, and where they are from.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;

use crate::answer::Json;
use crate::shared::Shared;

/// A table.
#[derive(Serialize, Clone, Debug)]
pub struct Listed {
    /// Its schema: `eve`, `zeek` or `files`.
    pub schema: String,
    /// Its name.
    pub table: String,
    /// Its rows.
    pub rows: u64,
}

/// What is shown.
#[derive(Serialize, Clone, Debug)]
pub struct About {
    /// The program's version.
    pub version: &'static str,
    /// Where the records are.
    pub records: Vec<String>,
    /// Captures that were named.
    pub captures: Vec<String>,
    /// All tables.
    pub tables: Vec<Listed>,
    /// Sentences about what could not be read.
    pub remarks: Vec<String>,
}

/// Tells what is shown.
pub async fn about(State(shared): State<Arc<Shared>>) -> Json<About> {
    Json(of(&shared))
}

/// What is shown.
pub fn of(shared: &Shared) -> About {
    let shown = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let listed = shared.tables.listed().iter().map(|(name, rows)| Listed {
        schema: name.schema.clone(),
        table: name.table.clone(),
        rows: *rows,
    });
    About {
        version: env!("CARGO_PKG_VERSION"),
        records: shown(&shared.records),
        captures: shown(&shared.captures),
        tables: listed.collect(),
        remarks: [shared.tables.session.unreadable().to_vec(), shared.tables.session.remarks()].concat(),
    }
}
