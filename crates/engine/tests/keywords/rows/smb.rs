//! SMB, and calls of DCE/RPC that go through it.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "smb.named_pipe",
        "smb",
        "smb.named_pipe; content:\"IPC$\"; endswith;",
        "smb.named_pipe; content:\"files\";",
        "smb.named_pipe:1;",
    ),
    row(
        "smb.share",
        "smb",
        "smb.share; content:\"|5c 5c|server|5c|files\"; bsize:14;",
        "smb.share; content:\"|5c 5c|server|5c|IPC$\"; bsize:13;",
        "smb.share:1;",
    ),
    row(
        "smb.ntlmssp_user",
        "smb",
        "smb.ntlmssp_user; content:\"Alice\"; bsize:5;",
        "smb.ntlmssp_user; content:\"OFFICE\";",
        "smb.ntlmssp_user:1;",
    ),
    row(
        "smb.ntlmssp_domain",
        "smb",
        "smb.ntlmssp_domain; content:\"OFFICE\"; bsize:6;",
        "smb.ntlmssp_domain; content:\"Alice\";",
        "smb.ntlmssp_domain:1;",
    ),
    row("smb.version", "smb", "smb.version:2;", "smb.version:1;", "smb.version:3;"),
];
