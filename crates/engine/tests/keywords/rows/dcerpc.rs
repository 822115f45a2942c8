//! DCE/RPC.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "dcerpc.iface",
        "dcerpc",
        "dcerpc.iface:367abb81-9844-35f1-ad32-98f038001003,>1;",
        "dcerpc.iface:367abb81-9844-35f1-ad32-98f038001003,<2;",
        "dcerpc.iface:367abb81-9844-35f1-ad32;",
    ),
    row("dcerpc.opnum", "dcerpc", "dcerpc.opnum:3,12-15;", "dcerpc.opnum:3,12-14;", "dcerpc.opnum:15-12;"),
    row(
        "dcerpc.stub_data",
        "dcerpc",
        "dcerpc.stub_data; content:\"services\"; byte_test:2,=,513,0,relative,dce;",
        "dcerpc.stub_data; content:\"services\"; byte_test:2,=,258,0,relative,dce;",
        "dcerpc.stub_data:1;",
    ),
];
