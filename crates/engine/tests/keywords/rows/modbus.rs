//! Modbus.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[row(
    "modbus",
    "modbus",
    "modbus:unit 9, access write holding, address 3, value <22137;",
    "modbus:unit 9, access write holding, address 3, value >22136;",
    "modbus:access write input;",
)];
