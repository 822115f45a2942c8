//! DHCP.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row("dhcp.leasetime", "dhcp", "dhcp.leasetime:3600;", "dhcp.leasetime:<3600;", "dhcp.leasetime:hour;"),
    row(
        "dhcp.rebinding_time",
        "dhcp",
        "dhcp.rebinding_time:>3000;",
        "dhcp.rebinding_time:>=3151;",
        "dhcp.rebinding_time:>;",
    ),
    row(
        "dhcp.renewal_time",
        "dhcp",
        "dhcp.renewal_time:1000<>2000;",
        "dhcp.renewal_time:1800<>2000;",
        "dhcp.renewal_time:2000<>1000;",
    ),
];
