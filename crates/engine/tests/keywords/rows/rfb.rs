//! RFB.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "rfb.name",
        "rfb",
        "rfb.name; content:\"desk\"; bsize:4;",
        "rfb.name; content:\"desk|00|\";",
        "rfb.name:1;",
    ),
    row("rfb.sectype", "rfb", "rfb.sectype:2;", "rfb.sectype:>2;", "rfb.sectype:vnc;"),
    row("rfb.secresult", "rfb", "rfb.secresult:ok;", "rfb.secresult:fail;", "rfb.secresult:fine;"),
];
