//! HTTP/2.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "http2.errorcode",
        "http2",
        "http2.errorcode:ENHANCE_YOUR_CALM;",
        "http2.errorcode:NO_ERROR;",
        "http2.errorcode:CALM;",
    ),
    row(
        "http2.frametype",
        "http2",
        "http2.frametype:GOAWAY;",
        "http2.frametype:PING;",
        "http2.frametype:GO;",
    ),
    row(
        "http2.header",
        "http2",
        "http2.header; content:\"x-a: b\"; bsize:6;",
        "http2.header; content:\"x-a: c\";",
        "http2.header:1;",
    ),
    row(
        "http2.header_name",
        "http2",
        "http2.header_name; content:\"x-a\"; bsize:3;",
        "http2.header_name; content:\"x-b\";",
        "http2.header_name:1;",
    ),
    row("http2.priority", "http2", "http2.priority:99;", "http2.priority:>99;", "http2.priority:256;"),
    row(
        "http2.settings",
        "http2",
        "http2.settings:SETTINGS_ENABLE_PUSH=0;",
        "http2.settings:SETTINGS_ENABLE_PUSH>0;",
        "http2.settings:ENABLE_PUSH;",
    ),
    row(
        "http2.size_update",
        "http2",
        "http2.size_update:32;",
        "http2.size_update:<32;",
        "http2.size_update:x;",
    ),
    row("http2.window", "http2", "http2.window:4096;", "http2.window:<4096;", "http2.window:4294967296;"),
];
