//! LDAP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "ldap.request.attribute_type",
        "ldap",
        "ldap.request.attribute_type; content:\"mail\"; bsize:4;",
        "ldap.request.attribute_type; content:\"Mail\";",
        "ldap.request.attribute_type:mail;",
    ),
    row(
        "ldap.request.dn",
        "ldap",
        "ldap.request.dn; content:\"dc=example\"; bsize:10;",
        "ldap.request.dn; content:\"cn=example\";",
        "ldap.request.dn:1;",
    ),
    row(
        "ldap.request.operation",
        "ldap",
        "ldap.request.operation:search_request;",
        "ldap.request.operation:4;",
        "ldap.request.operation:search;",
    ),
    row(
        "ldap.responses.attribute_type",
        "ldap",
        "ldap.responses.attribute_type; content:\"mail\"; bsize:4;",
        "ldap.responses.attribute_type; content:\"cn\";",
        "ldap.responses.attribute_type:1;",
    ),
    row(
        "ldap.responses.count",
        "ldap",
        "ldap.responses.count:2;",
        "ldap.responses.count:>2;",
        "ldap.responses.count:two;",
    ),
    row(
        "ldap.responses.dn",
        "ldap",
        "ldap.responses.dn; content:\"cn=a\"; bsize:4;",
        "ldap.responses.dn; content:\"cn=b\";",
        "ldap.responses.dn:1;",
    ),
    row(
        "ldap.responses.message",
        "ldap",
        "ldap.responses.message; content:\"too many\"; bsize:8;",
        "ldap.responses.message; content:\"too few\";",
        "ldap.responses.message:1;",
    ),
    row(
        "ldap.responses.operation",
        "ldap",
        "ldap.responses.operation:search_result_done,-1;",
        "ldap.responses.operation:search_result_entry,all;",
        "ldap.responses.operation:entry;",
    ),
    row(
        "ldap.responses.result_code",
        "ldap",
        "ldap.responses.result_code:size_limit_exceeded;",
        "ldap.responses.result_code:>4;",
        "ldap.responses.result_code:limit;",
    ),
];
