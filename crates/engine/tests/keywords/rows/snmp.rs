//! SNMP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "snmp.community",
        "snmp",
        "snmp.community; content:\"public\"; bsize:6;",
        "snmp.community; content:\"private\";",
        "snmp.community:public;",
    ),
    row("snmp.pdu_type", "snmp", "snmp.pdu_type:trap_v1;", "snmp.pdu_type:5;", "snmp.pdu_type:trap;"),
    row(
        "snmp.trap_address",
        "snmp",
        "snmp.trap_address; content:\"192.0.2.1\"; bsize:9;",
        "snmp.trap_address; content:\"10.2\";",
        "snmp.trap_address:1;",
    ),
    row(
        "snmp.trap_oid",
        "snmp",
        "snmp.trap_oid; content:\"1.3.6.1.4.1.9\"; bsize:13;",
        "snmp.trap_oid; content:\"1.3.6.1.2\";",
        "snmp.trap_oid:1;",
    ),
    row("snmp.trap_type", "snmp", "snmp.trap_type:linkup;", "snmp.trap_type:<3;", "snmp.trap_type:256;"),
    row(
        "snmp.usm",
        "snmp",
        "snmp.usm; content:\"admin\"; bsize:5;",
        "snmp.usm; content:\"Admin\";",
        "snmp.usm:admin;",
    ),
    row("snmp.version", "snmp", "snmp.version:1;", "snmp.version:2;", "snmp.version;"),
];
