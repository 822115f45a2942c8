//! The log streams that no protocol brings.

use weir_applayer::{ZeekStream, ZeekType};

use weir_applayer::zeek::{MoreColumns, Script};

use super::executable::PE;
use super::settings::Scripts;

/// Those of them that base scripts write, and those of the policy scripts that are loaded.
pub(super) fn own(scripts: Scripts) -> impl Iterator<Item = &'static ZeekStream> {
    const BASE: [&ZeekStream; 10] = [
        &CONN,
        &FILES,
        &PE,
        &WEIRD,
        &TUNNEL,
        &ANALYZER,
        &NOTICE,
        &PACKET_FILTER,
        &REPORTER,
        &SIGNATURES_ALERT,
    ];
    const POLICY: [(&[Script], &ZeekStream); 7] = [
        (&[Script::KnownHosts], &KNOWN_HOSTS),
        (&[Script::KnownServices], &KNOWN_SERVICES),
        (&[Script::KnownCertificates], &KNOWN_CERTS),
        (&[Script::HttpSoftware, Script::SshSoftware, Script::FtpSoftware, Script::SmtpSoftware], &SOFTWARE),
        (&[Script::CaptureLoss], &CAPTURE_LOSS),
        (&[Script::Stats], &STATS),
        (&[Script::Traceroute], &TRACEROUTE),
    ];
    let loaded = POLICY.into_iter().filter(move |(any, _)| any.iter().any(|&script| scripts.has(script)));
    BASE.into_iter().chain(loaded.map(|(_, stream)| stream))
}

/// Columns that scripts add to them.
pub(super) static MORE: [MoreColumns; 6] = [
    MoreColumns {
        stream: &CONN,
        script: Script::Vlans,
        columns: &[("vlan", ZeekType::Int), ("inner_vlan", ZeekType::Int)],
    },
    MoreColumns {
        stream: &CONN,
        script: Script::Macs,
        columns: &[("orig_l2_addr", ZeekType::String), ("resp_l2_addr", ZeekType::String)],
    },
    MoreColumns {
        stream: &CONN,
        script: Script::PppoeSessions,
        columns: &[("pppoe_session_id", ZeekType::Int)],
    },
    MoreColumns {
        stream: &CONN,
        script: Script::CommunityIds,
        columns: &[("community_id", ZeekType::String)],
    },
    MoreColumns {
        stream: &CONN,
        script: Script::ProtocolNames,
        columns: &[("ip_proto_name", ZeekType::String)],
    },
    MoreColumns {
        stream: &NOTICE,
        script: Script::NoticeCommunityIds,
        columns: &[("community_id", ZeekType::String)],
    },
];

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

/// What is worth a look.
pub(super) static NOTICE: ZeekStream = ZeekStream {
    name: "notice",
    connection: true,
    columns: &[
        ("fuid", ZeekType::String),
        ("file_mime_type", ZeekType::String),
        ("file_desc", ZeekType::String),
        ("proto", ZeekType::Enum),
        ("note", ZeekType::Enum),
        ("msg", ZeekType::String),
        ("sub", ZeekType::String),
        ("src", ZeekType::Addr),
        ("dst", ZeekType::Addr),
        ("p", ZeekType::Port),
        ("n", ZeekType::Count),
        ("peer_descr", ZeekType::String),
        ("actions", ZeekType::Set(&ZeekType::Enum)),
        ("email_dest", STRINGS),
        ("suppress_for", ZeekType::Interval),
        ("remote_location.country_code", ZeekType::String),
        ("remote_location.region", ZeekType::String),
        ("remote_location.city", ZeekType::String),
        ("remote_location.latitude", ZeekType::Double),
        ("remote_location.longitude", ZeekType::Double),
    ],
};

/// The capture filter.
pub(super) static PACKET_FILTER: ZeekStream = ZeekStream {
    name: "packet_filter",
    connection: false,
    columns: &[
        ("node", ZeekType::String),
        ("filter", ZeekType::String),
        ("init", ZeekType::Bool),
        ("success", ZeekType::Bool),
        ("failure_reason", ZeekType::String),
    ],
};

/// What went wrong in the run itself.
pub(super) static REPORTER: ZeekStream = ZeekStream {
    name: "reporter",
    connection: false,
    columns: &[("level", ZeekType::Enum), ("message", ZeekType::String), ("location", ZeekType::String)],
};

/// Hosts of the site that had a TCP connection.
pub(super) static KNOWN_HOSTS: ZeekStream =
    ZeekStream { name: "known_hosts", connection: false, columns: &[("host", ZeekType::Addr)] };

/// Ports of the site that answer.
pub(super) static KNOWN_SERVICES: ZeekStream = ZeekStream {
    name: "known_services",
    connection: false,
    columns: &[
        ("host", ZeekType::Addr),
        ("port_num", ZeekType::Port),
        ("port_proto", ZeekType::Enum),
        ("service", STRINGS),
    ],
};

/// Certificates that servers of the site show.
pub(super) static KNOWN_CERTS: ZeekStream = ZeekStream {
    name: "known_certs",
    connection: false,
    columns: &[
        ("host", ZeekType::Addr),
        ("port_num", ZeekType::Port),
        ("subject", ZeekType::String),
        ("issuer_subject", ZeekType::String),
        ("serial", ZeekType::String),
    ],
};

/// Software of hosts of the site.
pub(super) static SOFTWARE: ZeekStream = ZeekStream {
    name: "software",
    connection: false,
    columns: &[
        ("host", ZeekType::Addr),
        ("host_p", ZeekType::Port),
        ("software_type", ZeekType::Enum),
        ("name", ZeekType::String),
        ("version.major", ZeekType::Count),
        ("version.minor", ZeekType::Count),
        ("version.minor2", ZeekType::Count),
        ("version.minor3", ZeekType::Count),
        ("version.addl", ZeekType::String),
        ("unparsed_version", ZeekType::String),
    ],
};

/// How much of the traffic was not captured, by what was acknowledged.
pub(super) static CAPTURE_LOSS: ZeekStream = ZeekStream {
    name: "capture_loss",
    connection: false,
    columns: &[
        ("ts_delta", ZeekType::Interval),
        ("peer", ZeekType::String),
        ("gaps", ZeekType::Count),
        ("acks", ZeekType::Count),
        ("percent_lost", ZeekType::Double),
    ],
};

/// How the run gets on.
pub(super) static STATS: ZeekStream = ZeekStream {
    name: "stats",
    connection: false,
    columns: &[
        ("peer", ZeekType::String),
        ("mem", ZeekType::Count),
        ("pkts_proc", ZeekType::Count),
        ("bytes_recv", ZeekType::Count),
        ("pkts_dropped", ZeekType::Count),
        ("pkts_link", ZeekType::Count),
        ("pkt_lag", ZeekType::Interval),
        ("pkts_filtered", ZeekType::Count),
        ("events_proc", ZeekType::Count),
        ("events_queued", ZeekType::Count),
        ("active_tcp_conns", ZeekType::Count),
        ("active_udp_conns", ZeekType::Count),
        ("active_icmp_conns", ZeekType::Count),
        ("tcp_conns", ZeekType::Count),
        ("udp_conns", ZeekType::Count),
        ("icmp_conns", ZeekType::Count),
        ("timers", ZeekType::Count),
        ("active_timers", ZeekType::Count),
        ("files", ZeekType::Count),
        ("active_files", ZeekType::Count),
        ("dns_requests", ZeekType::Count),
        ("active_dns_requests", ZeekType::Count),
        ("reassem_tcp_size", ZeekType::Count),
        ("reassem_file_size", ZeekType::Count),
        ("reassem_frag_size", ZeekType::Count),
        ("reassem_unknown_size", ZeekType::Count),
    ],
};

/// Hosts that trace routes.
pub(super) static TRACEROUTE: ZeekStream = ZeekStream {
    name: "traceroute",
    connection: false,
    columns: &[("src", ZeekType::Addr), ("dst", ZeekType::Addr), ("proto", ZeekType::String)],
};
