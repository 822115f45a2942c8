//! SSH.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "ssh.hassh",
        "ssh",
        "ssh.hassh; pcre:\"/^[0-9a-f]{32}$/\";",
        "ssh.hassh; pcre:\"/^[0-9a-f]{31}$/\";",
        "ssh.hassh:1;",
    ),
    row(
        "ssh.hassh.server",
        "ssh",
        "ssh.hassh.server; pcre:\"/^[0-9a-f]{32}$/\";",
        "ssh.hassh.server; pcre:\"/^[0-9a-f]{31}$/\";",
        "ssh.hassh.server:1;",
    ),
    row(
        "ssh.hassh.server.string",
        "ssh",
        "ssh.hassh.server.string; content:\"k1,k2|3b|c2|3b|m2|3b|p2\"; bsize:14;",
        "ssh.hassh.server.string; content:\"k1,k2|3b|c1\";",
        "ssh.hassh.server.string:1;",
    ),
    row(
        "ssh.hassh.string",
        "ssh",
        "ssh.hassh.string; content:\"k1,k2|3b|c1|3b|m1|3b|p1\"; bsize:14;",
        "ssh.hassh.string; content:\"k1,k2|3b|c2\";",
        "ssh.hassh.string:1;",
    ),
    row(
        "ssh.proto",
        "ssh",
        "ssh.proto; content:\"1.99\"; bsize:4;",
        "ssh.proto; content:\"1.9\"; bsize:3;",
        "ssh.proto:1;",
    ),
    row(
        "ssh.software",
        "ssh",
        "ssh.software; content:\"tester_1.0\"; bsize:10;",
        "ssh.software; content:\"tester_1.0 \";",
        "ssh.software:1;",
    ),
];
