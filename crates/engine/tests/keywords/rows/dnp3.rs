//! DNP3.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row("dnp3_func", "dnp3", "dnp3_func:write;", "dnp3_func:read;", "dnp3_func:256;"),
    row(
        "dnp3_ind",
        "dnp3",
        "dnp3_ind:need_time,local_control;",
        "dnp3_ind:local_control;",
        "dnp3_ind:hurry;",
    ),
    row("dnp3_obj", "dnp3", "dnp3_obj:12,1;", "dnp3_obj:12,2;", "dnp3_obj:12;"),
    row(
        "dnp3.data",
        "dnp3",
        "dnp3.data; content:\"|c1 02 0c 01 17|\"; depth:5;",
        "dnp3.data; content:\"|05 64|\";",
        "dnp3.data:1;",
    ),
];
