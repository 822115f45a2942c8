//! PostgreSQL.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[row(
    "pgsql.query",
    "pgsql",
    "pgsql.query; content:\"from stock\"; endswith;",
    "pgsql.query; content:\"from stock|00|\";",
    "pgsql.query:1;",
)];
