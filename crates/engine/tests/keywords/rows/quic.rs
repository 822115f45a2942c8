//! QUIC.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "quic.cyu.hash",
        "quic",
        "quic.cyu.hash; content:\"3ee85c355061ebe189ec4ca49623e324\"; bsize:32;",
        "quic.cyu.hash; pcre:\"/^[0-9a-f]{31}$/\";",
        "quic.cyu.hash:1;",
    ),
    row(
        "quic.cyu.string",
        "quic",
        "quic.cyu.string; content:\"46,SNI-UAID\"; bsize:11;",
        "quic.cyu.string; content:\"43,SNI\";",
        "quic.cyu.string:1;",
    ),
    row(
        "quic.sni",
        "quic",
        "quic.sni; content:\"q.example\"; bsize:9;",
        "quic.sni; content:\"q.example.\";",
        "quic.sni:1;",
    ),
    row(
        "quic.ua",
        "quic",
        "quic.ua; content:\"tester/1.0\"; bsize:10;",
        "quic.ua; content:\"tester/1.1\";",
        "quic.ua:1;",
    ),
    row(
        "quic.version",
        "quic",
        "quic.version; content:\"Q046\"; bsize:4;",
        "quic.version; content:\"Q043\";",
        "quic.version:1;",
    ),
];
