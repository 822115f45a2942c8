//! EtherNet/IP and CIP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row("cip_service", "enip", "cip_service:14,1,7;", "cip_service:14,1,8;", "cip_service:128;"),
    row(
        "enip_command",
        "enip",
        "enip_command:list_identity;",
        "enip_command:list_interfaces;",
        "enip_command:70000;",
    ),
    row("enip.status", "enip", "enip.status:success;", "enip.status:>0;", "enip.status:well;"),
    row(
        "enip.protocol_version",
        "enip",
        "enip.protocol_version:1;",
        "enip.protocol_version:2;",
        "enip.protocol_version:65536;",
    ),
    row("enip.cip_class", "enip", "enip.cip_class:1;", "enip.cip_class:2;", "enip.cip_class:x;"),
    row(
        "enip.cip_instance",
        "enip",
        "enip.cip_instance:<2;",
        "enip.cip_instance:>1;",
        "enip.cip_instance:x;",
    ),
    row(
        "enip.cip_attribute",
        "enip",
        "enip.cip_attribute:7;",
        "enip.cip_attribute:6;",
        "enip.cip_attribute:x;",
    ),
    row("enip.cip_status", "enip", "enip.cip_status:1;", "enip.cip_status:0;", "enip.cip_status:256;"),
    row(
        "enip.cip_extendedstatus",
        "enip",
        "enip.cip_extendedstatus:0x107;",
        "enip.cip_extendedstatus:7;",
        "enip.cip_extendedstatus:65536;",
    ),
    row(
        "enip.capabilities",
        "enip",
        "enip.capabilities:288;",
        "enip.capabilities:289;",
        "enip.capabilities:65536;",
    ),
    row("enip.revision", "enip", "enip.revision:0x403;", "enip.revision:4;", "enip.revision:4.3;"),
    row(
        "enip.identity_status",
        "enip",
        "enip.identity_status:48;",
        "enip.identity_status:0;",
        "enip.identity_status:65536;",
    ),
    row("enip.state", "enip", "enip.state:3;", "enip.state:4;", "enip.state:256;"),
    row("enip.serial", "enip", "enip.serial:0x524d8e;", "enip.serial:0x524d8f;", "enip.serial:x;"),
    row(
        "enip.product_code",
        "enip",
        "enip.product_code:58;",
        "enip.product_code:>58;",
        "enip.product_code:65536;",
    ),
    row(
        "enip.device_type",
        "enip",
        "enip.device_type:12;",
        "enip.device_type:!12;",
        "enip.device_type:65536;",
    ),
    row("enip.vendor_id", "enip", "enip.vendor_id:47;", "enip.vendor_id:1;", "enip.vendor_id:omron;"),
    row(
        "enip.product_name",
        "enip",
        "enip.product_name; content:\"NX-1\"; bsize:4;",
        "enip.product_name; content:\"nx-1\";",
        "enip.product_name:1;",
    ),
    row(
        "enip.service_name",
        "enip",
        "enip.service_name; content:\"Communications|00 00|\"; bsize:16;",
        "enip.service_name; content:\"communications\";",
        "enip.service_name:1;",
    ),
];
