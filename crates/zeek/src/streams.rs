//! The log streams that no protocol brings.

use weir_applayer::zeek::{Script, ScriptColumn};
use weir_applayer::{ZeekStream, zeek_stream};

use crate::files::executable::PE;
use crate::settings::Scripts;

/// Those of them that base scripts write, and those of the policy scripts that are loaded.
pub(crate) fn own(scripts: Scripts) -> impl Iterator<Item = &'static ZeekStream> {
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
pub(crate) static MORE: [&[ScriptColumn]; 2] = [&CONN_MORE, &NOTICE_MORE];

zeek_stream! {
    /// Every connection.
    pub(crate) static CONN: "conn" of a connection;
    pub(crate) struct ConnRow {
        proto: Enum,
        service: Text,
        duration: Interval,
        orig_bytes: Count,
        resp_bytes: Count,
        conn_state: Text,
        local_orig: Bool,
        local_resp: Bool,
        missed_bytes: Count,
        history: Text,
        orig_pkts: Count,
        orig_ip_bytes: Count,
        resp_pkts: Count,
        resp_ip_bytes: Count,
        tunnel_parents: Set<Text>,
        ip_proto: Count,
    }
    with static CONN_MORE {
        vlan: Int of Vlans,
        inner_vlan: Int of Vlans,
        orig_l2_addr: Text of Macs,
        resp_l2_addr: Text of Macs,
        pppoe_session_id: Int of PppoeSessions,
        community_id: Text of CommunityIds,
        ip_proto_name: Text of ProtocolNames,
    }
}

zeek_stream! {
    /// Every file.
    pub(crate) static FILES: "files" of its own;
    pub(crate) struct FileRow {
        fuid: Text,
        uid: Text,
        id_orig_h as "id.orig_h": Addr,
        id_orig_p as "id.orig_p": Port,
        id_resp_h as "id.resp_h": Addr,
        id_resp_p as "id.resp_p": Port,
        source: Text,
        depth: Count,
        analyzers: Set<Text>,
        mime_type: Text,
        filename: Text,
        duration: Interval,
        local_orig: Bool,
        is_orig: Bool,
        seen_bytes: Count,
        total_bytes: Count,
        missing_bytes: Count,
        overflow_bytes: Count,
        timedout: Bool,
        parent_fuid: Text,
        md5: Text,
        sha1: Text,
        sha256: Text,
        extracted: Text,
        extracted_cutoff: Bool,
        extracted_size: Count,
    }
}

zeek_stream! {
    /// Weirds.
    pub(crate) static WEIRD: "weird" of a connection;
    pub(crate) struct WeirdRow {
        name: Text,
        addl: Text,
        notice: Bool,
        peer: Text,
        source: Text,
    }
}

zeek_stream! {
    /// Tunnels found.
    pub(crate) static TUNNEL: "tunnel" of a connection;
    pub(crate) struct TunnelRow {
        tunnel_type: Enum,
        action: Enum,
    }
}

zeek_stream! {
    /// Connections that do not speak the protocol that they began with.
    pub(crate) static ANALYZER: "analyzer" of its own;
    pub(crate) struct AnalyzerRow {
        analyzer_kind: Text,
        analyzer_name: Text,
        uid: Text,
        fuid: Text,
        id_orig_h as "id.orig_h": Addr,
        id_orig_p as "id.orig_p": Port,
        id_resp_h as "id.resp_h": Addr,
        id_resp_p as "id.resp_p": Port,
        proto: Enum,
        failure_reason: Text,
        failure_data: Text,
    }
}

zeek_stream! {
    /// Rules that matched.
    pub(crate) static SIGNATURES_ALERT: "signatures_alert" of a connection;
    pub(crate) struct SignatureRow {
        proto: Text,
        action: Text,
        gid: Count,
        sid: Count,
        rev: Count,
        msg: Text,
        classification: Text,
        severity: Count,
    }
}

zeek_stream! {
    /// Notices.
    pub(crate) static NOTICE: "notice" of a connection;
    pub(crate) struct NoticeRow {
        fuid: Text,
        file_mime_type: Text,
        file_desc: Text,
        proto: Enum,
        note: Enum,
        msg: Text,
        sub: Text,
        src: Addr,
        dst: Addr,
        p: Port,
        n: Count,
        peer_descr: Text,
        actions: Set<Enum>,
        email_dest: Set<Text>,
        suppress_for: Interval,
        remote_location_country_code as "remote_location.country_code": Text,
        remote_location_region as "remote_location.region": Text,
        remote_location_city as "remote_location.city": Text,
        remote_location_latitude as "remote_location.latitude": Double,
        remote_location_longitude as "remote_location.longitude": Double,
    }
    with static NOTICE_MORE {
        community_id: Text of NoticeCommunityIds,
    }
}

zeek_stream! {
    /// The capture filter.
    pub(crate) static PACKET_FILTER: "packet_filter" of its own;
    pub(crate) struct PacketFilterRow {
        node: Text,
        filter: Text,
        init: Bool,
        success: Bool,
        failure_reason: Text,
    }
}

zeek_stream! {
    /// Messages on the run itself.
    pub(crate) static REPORTER: "reporter" of its own;
    pub(crate) struct ReporterRow {
        level: Enum,
        message: Text,
        location: Text,
    }
}

zeek_stream! {
    /// Hosts of the site that had a TCP connection.
    pub(crate) static KNOWN_HOSTS: "known_hosts" of its own;
    pub(crate) struct KnownHostRow {
        host: Addr,
    }
}

zeek_stream! {
    /// Ports of the site that answer.
    pub(crate) static KNOWN_SERVICES: "known_services" of its own;
    pub(crate) struct KnownServiceRow {
        host: Addr,
        port_num: Port,
        port_proto: Enum,
        service: Set<Text>,
    }
}

zeek_stream! {
    /// Certificates that servers of the site show.
    pub(crate) static KNOWN_CERTS: "known_certs" of its own;
    pub(crate) struct KnownCertificateRow {
        host: Addr,
        port_num: Port,
        subject: Text,
        issuer_subject: Text,
        serial: Text,
    }
}

zeek_stream! {
    /// Software of hosts of the site.
    pub(crate) static SOFTWARE: "software" of its own;
    pub(crate) struct SoftwareRow {
        host: Addr,
        host_p: Port,
        software_type: Enum,
        name: Text,
        version_major as "version.major": Count,
        version_minor as "version.minor": Count,
        version_minor2 as "version.minor2": Count,
        version_minor3 as "version.minor3": Count,
        version_addl as "version.addl": Text,
        unparsed_version: Text,
    }
}

zeek_stream! {
    /// Share of the traffic that was not captured, by acknowledgements.
    pub(crate) static CAPTURE_LOSS: "capture_loss" of its own;
    pub(crate) struct CaptureLossRow {
        ts_delta: Interval,
        peer: Text,
        gaps: Count,
        acks: Count,
        percent_lost: Double,
    }
}

zeek_stream! {
    /// Measurements of the run.
    pub(crate) static STATS: "stats" of its own;
    pub(crate) struct StatsRow {
        peer: Text,
        mem: Count,
        pkts_proc: Count,
        bytes_recv: Count,
        pkts_dropped: Count,
        pkts_link: Count,
        pkt_lag: Interval,
        pkts_filtered: Count,
        events_proc: Count,
        events_queued: Count,
        active_tcp_conns: Count,
        active_udp_conns: Count,
        active_icmp_conns: Count,
        tcp_conns: Count,
        udp_conns: Count,
        icmp_conns: Count,
        timers: Count,
        active_timers: Count,
        files: Count,
        active_files: Count,
        dns_requests: Count,
        active_dns_requests: Count,
        reassem_tcp_size: Count,
        reassem_file_size: Count,
        reassem_frag_size: Count,
        reassem_unknown_size: Count,
    }
}

zeek_stream! {
    /// Hosts that trace routes.
    pub(crate) static TRACEROUTE: "traceroute" of its own;
    pub(crate) struct TracerouteRow {
        src: Addr,
        dst: Addr,
        proto: Text,
    }
}
