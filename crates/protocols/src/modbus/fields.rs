//! Fields of a request.

use weir_applayer::{Access, Field, Progress};

use super::checks;

/// The rows.
pub const FIELDS: &[Field] = &[Field::to_server("modbus", Progress(0), Access::Check(checks::modbus)).doc(
    "What a request asks for: a function or who defines it, a unit, or what is read or written \
     where.",
)];
