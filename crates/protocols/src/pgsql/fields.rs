//! Fields of a transaction.

use weir_applayer::{Field, FieldDirection, bytes};

use super::request::Request;
use super::transaction::{COMPLETE, PgsqlTransaction};

/// The rows.
pub const FIELDS: &[Field] = &[Field {
    name: "pgsql.query",
    aliases: &[],
    modifier: None,
    direction: FieldDirection::ToServer,
    ready_at: COMPLETE,
    access: bytes!(PgsqlTransaction, |tx, _| match &tx.request {
        Request::Query(query) => Some(query.as_slice()),
        _ => None,
    }),
    doc: "The text of a simple query.",
}];
