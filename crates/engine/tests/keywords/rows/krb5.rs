//! Kerberos.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "krb5.cname",
        "krb5",
        "krb5.cname; content:\"user\"; bsize:4;",
        "krb5.cname; content:\"User\";",
        "krb5.cname:user;",
    ),
    row(
        "krb5.sname",
        "krb5",
        "krb5_sname; content:\"files\"; bsize:5;",
        "krb5.sname; content:\"cifs/files\";",
        "krb5.sname:cifs;",
    ),
    row(
        "krb5.ticket_encryption",
        "krb5",
        "krb5.ticket_encryption:weak;",
        "krb5.ticket_encryption:!weak;",
        "krb5.ticket_encryption:strong;",
    ),
    row("krb5_err_code", "krb5", "krb5_err_code:7;", "krb5_err_code:6;", "krb5_err_code:unknown;"),
    row("krb5_msg_type", "krb5", "krb5_msg_type:13;", "krb5_msg_type:10;", "krb5_msg_type:tgs;"),
];
