//! Fields of a request.

use weir_applayer::{Access, Field, FieldDirection, Progress};

use super::checks;

/// The rows.
pub const FIELDS: &[Field] = &[Field {
    name: "modbus",
    aliases: &[],
    modifier: None,
    direction: FieldDirection::ToServer,
    ready_at: Progress(0),
    access: Access::Check(checks::modbus),
    doc: "What a request asks for: a function or who defines it, a unit, or what is read or written where.",
}];
