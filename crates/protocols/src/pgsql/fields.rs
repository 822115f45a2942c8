//! Fields of a transaction.

use weir_applayer::{Field, bytes};

use super::request::Request;
use super::transaction::{COMPLETE, PgsqlTransaction};

/// The rows.
pub const FIELDS: &[Field] = &[Field::to_server(
    "pgsql.query",
    COMPLETE,
    bytes!(PgsqlTransaction, |tx, _| match &tx.request {
        Request::Query(query) => Some(query.as_slice()),
        _ => None,
    }),
)
.doc("The text of a simple query.")];
