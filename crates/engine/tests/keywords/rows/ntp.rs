//! NTP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row("ntp.mode", "ntp", "ntp.mode:server;", "ntp.mode:!server;", "ntp.mode:clock;"),
    row(
        "ntp.reference_id",
        "ntp",
        "ntp.reference_id; content:\"LOCL\"; bsize:4;",
        "ntp.reference_id; content:\"RATE\";",
        "ntp.reference_id:LOCL;",
    ),
    row("ntp.stratum", "ntp", "ntp.stratum:<16;", "ntp.stratum:1;", "ntp.stratum:256;"),
    row("ntp.version", "ntp", "ntp.version:4;", "ntp.version:<4;", "ntp.version:four;"),
];
