//! FTP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "ftp.command",
        "ftp",
        "ftp.command; content:\"PORT\"; bsize:4;",
        "ftp.command; content:\"PORTS\";",
        "ftp.command:1;",
    ),
    row(
        "ftp.command_data",
        "ftp",
        "ftp.command_data; content:\"list.txt\"; bsize:8;",
        "ftp.command_data; content:\"RETR list.txt\";",
        "ftp.command_data:1;",
    ),
    row(
        "ftp.completion_code",
        "ftp",
        "ftp.completion_code; content:\"226\"; bsize:3;",
        "ftp.completion_code; content:\"227\";",
        "ftp.completion_code:1;",
    ),
    row("ftp.dynamic_port", "ftp", "ftp.dynamic_port:1025;", "ftp.dynamic_port:1026;", "ftp.dynamic_port:x;"),
    row("ftp.mode", "ftp", "ftp.mode:active;", "ftp.mode:passive;", "ftp.mode:other;"),
    row(
        "ftp.reply",
        "ftp",
        "ftp.reply; content:\"done\"; bsize:4;",
        "ftp.reply; content:\"226 done\";",
        "ftp.reply:1;",
    ),
    row(
        "ftp.reply_received",
        "ftp",
        "ftp.reply_received:yes;",
        "ftp.reply_received:no;",
        "ftp.reply_received:maybe;",
    ),
    row("ftpbounce", "ftp", "ftpbounce;", "ftpbounce; ftp.command; content:\"USER\";", "ftpbounce:1;"),
    row(
        "ftpdata_command",
        "ftp-data",
        "ftpdata_command:retr;",
        "ftpdata_command:stor;",
        "ftpdata_command:user;",
    ),
];
