//! WebSocket.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "websocket.flags",
        "websocket",
        "websocket.flags:fin,comp;",
        "websocket.flags:!fin,comp;",
        "websocket.flags:first;",
    ),
    row(
        "websocket.mask",
        "websocket",
        "websocket.mask:16909060;",
        "websocket.mask:16909061;",
        "websocket.mask:4294967296;",
    ),
    row(
        "websocket.opcode",
        "websocket",
        "websocket.opcode:ping;",
        "websocket.opcode:>9;",
        "websocket.opcode:pang;",
    ),
    row(
        "websocket.payload",
        "websocket",
        "websocket.payload; content:\"hello masked hello\"; bsize:18;",
        "websocket.payload; content:\"hello\"; bsize:7;",
        "websocket.payload:1;",
    ),
];
