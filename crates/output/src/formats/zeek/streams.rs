//! The log streams that no protocol brings.

use weir_applayer::{ZeekStream, ZeekType};

const STRINGS: ZeekType = ZeekType::Set(&ZeekType::String);

/// Every connection.
pub(super) static CONN: ZeekStream = ZeekStream {
    name: "conn",
    connection: true,
    columns: &[
        ("proto", ZeekType::Enum),
        ("service", ZeekType::String),
        ("duration", ZeekType::Interval),
        ("orig_bytes", ZeekType::Count),
        ("resp_bytes", ZeekType::Count),
        ("conn_state", ZeekType::String),
        ("local_orig", ZeekType::Bool),
        ("local_resp", ZeekType::Bool),
        ("missed_bytes", ZeekType::Count),
        ("history", ZeekType::String),
        ("orig_pkts", ZeekType::Count),
        ("orig_ip_bytes", ZeekType::Count),
        ("resp_pkts", ZeekType::Count),
        ("resp_ip_bytes", ZeekType::Count),
        ("tunnel_parents", STRINGS),
        ("ip_proto", ZeekType::Count),
    ],
};

/// Every file.
pub(super) static FILES: ZeekStream = ZeekStream {
    name: "files",
    connection: false,
    columns: &[
        ("fuid", ZeekType::String),
        ("uid", ZeekType::String),
        ("id.orig_h", ZeekType::Addr),
        ("id.orig_p", ZeekType::Port),
        ("id.resp_h", ZeekType::Addr),
        ("id.resp_p", ZeekType::Port),
        ("source", ZeekType::String),
        ("depth", ZeekType::Count),
        ("analyzers", STRINGS),
        ("mime_type", ZeekType::String),
        ("filename", ZeekType::String),
        ("duration", ZeekType::Interval),
        ("local_orig", ZeekType::Bool),
        ("is_orig", ZeekType::Bool),
        ("seen_bytes", ZeekType::Count),
        ("total_bytes", ZeekType::Count),
        ("missing_bytes", ZeekType::Count),
        ("overflow_bytes", ZeekType::Count),
        ("timedout", ZeekType::Bool),
        ("parent_fuid", ZeekType::String),
        ("md5", ZeekType::String),
        ("sha1", ZeekType::String),
        ("sha256", ZeekType::String),
        ("extracted", ZeekType::String),
        ("extracted_cutoff", ZeekType::Bool),
        ("extracted_size", ZeekType::Count),
    ],
};

/// What was odd.
pub(super) static WEIRD: ZeekStream = ZeekStream {
    name: "weird",
    connection: true,
    columns: &[
        ("name", ZeekType::String),
        ("addl", ZeekType::String),
        ("notice", ZeekType::Bool),
        ("peer", ZeekType::String),
        ("source", ZeekType::String),
    ],
};

/// Tunnels found.
pub(super) static TUNNEL: ZeekStream = ZeekStream {
    name: "tunnel",
    connection: true,
    columns: &[("tunnel_type", ZeekType::Enum), ("action", ZeekType::Enum)],
};

/// Connections that do not speak the protocol that they began with.
pub(super) static ANALYZER: ZeekStream = ZeekStream {
    name: "analyzer",
    connection: false,
    columns: &[
        ("analyzer_kind", ZeekType::String),
        ("analyzer_name", ZeekType::String),
        ("uid", ZeekType::String),
        ("fuid", ZeekType::String),
        ("id.orig_h", ZeekType::Addr),
        ("id.orig_p", ZeekType::Port),
        ("id.resp_h", ZeekType::Addr),
        ("id.resp_p", ZeekType::Port),
        ("proto", ZeekType::Enum),
        ("failure_reason", ZeekType::String),
        ("failure_data", ZeekType::String),
    ],
};

/// Rules that matched.
pub(super) static SIGNATURES_ALERT: ZeekStream = ZeekStream {
    name: "signatures_alert",
    connection: true,
    columns: &[
        ("proto", ZeekType::String),
        ("action", ZeekType::String),
        ("gid", ZeekType::Count),
        ("sid", ZeekType::Count),
        ("rev", ZeekType::Count),
        ("msg", ZeekType::String),
        ("classification", ZeekType::String),
        ("severity", ZeekType::Count),
    ],
};
