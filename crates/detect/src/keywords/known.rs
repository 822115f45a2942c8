//! Names that are documented, whether built or not: a rule that uses one of them is told apart from
//! one that is misspelt.

/// Protocols of the rule language, by the names of a rule's protocol field.
const PROTOCOLS: &[&str] = &[
    "ah",
    "arp",
    "bittorrent-dht",
    "dhcp",
    "dnp3",
    "dns",
    "doh2",
    "enip",
    "esp",
    "ether",
    "ftp",
    "ftp-data",
    "http",
    "http1",
    "http2",
    "icmp",
    "icmpv4",
    "icmpv6",
    "igmp",
    "ike",
    "imap",
    "ip",
    "ip4",
    "ip6",
    "ipv4",
    "ipv6",
    "irc",
    "jabber",
    "krb5",
    "ldap",
    "llmnr",
    "mdns",
    "modbus",
    "mqtt",
    "mysql",
    "nfs",
    "ntp",
    "pgsql",
    "pkthdr",
    "pop3",
    "quic",
    "rdp",
    "rfb",
    "sctp",
    "sip",
    "smtp",
    "snmp",
    "ssh",
    "tcp",
    "tcp-pkt",
    "tcp-stream",
    "telnet",
    "tftp",
    "tls",
    "udp",
    "websocket",
];

/// Keywords of the rule language that tables of this crate need not hold: those of protocols, with
/// their older spellings, and those that are not built. In alphabetical order.
const KEYWORDS: &[&str] = &[
    "app-layer-state",
    "asn1",
    "cip_service",
    "config",
    "datarep",
    "dataset",
    "dhcp.leasetime",
    "dhcp.rebinding_time",
    "dhcp.renewal_time",
    "dnp3.data",
    "dnp3_data",
    "dnp3_func",
    "dnp3_ind",
    "dnp3_obj",
    "dns.additionals.rrname",
    "dns.answer.name",
    "dns.answers.rrname",
    "dns.authorities.rrname",
    "dns.opcode",
    "dns.queries.rrname",
    "dns.query",
    "dns.query.name",
    "dns.rcode",
    "dns.response.rrname",
    "dns.rrtype",
    "dns_query",
    "email.body_md5",
    "email.cc",
    "email.date",
    "email.from",
    "email.message_id",
    "email.received",
    "email.subject",
    "email.to",
    "email.url",
    "email.x_mailer",
    "enip.capabilities",
    "enip.cip_attribute",
    "enip.cip_class",
    "enip.cip_extendedstatus",
    "enip.cip_instance",
    "enip.cip_status",
    "enip.command",
    "enip.device_type",
    "enip.identity_status",
    "enip.product_code",
    "enip.product_name",
    "enip.protocol_version",
    "enip.revision",
    "enip.serial",
    "enip.service_name",
    "enip.state",
    "enip.status",
    "enip.vendor_id",
    "enip_command",
    "file.data",
    "file.magic",
    "file.name",
    "file_data",
    "file_magic",
    "filemagic",
    "flowvar",
    "frame",
    "ftp.command",
    "ftp.command_data",
    "ftp.completion_code",
    "ftp.dynamic_port",
    "ftp.mode",
    "ftp.received",
    "ftp.reply",
    "ftp.reply_received",
    "ftpbounce",
    "ftpdata_command",
    "geoip",
    "http.accept",
    "http.accept_enc",
    "http.accept_lang",
    "http.connection",
    "http.content_len",
    "http.content_type",
    "http.cookie",
    "http.header",
    "http.header.raw",
    "http.header_names",
    "http.host",
    "http.host.raw",
    "http.location",
    "http.method",
    "http.protocol",
    "http.referer",
    "http.request_body",
    "http.request_header",
    "http.request_line",
    "http.response_body",
    "http.response_header",
    "http.response_line",
    "http.server",
    "http.start",
    "http.stat_code",
    "http.stat_msg",
    "http.uri",
    "http.uri.raw",
    "http.user_agent",
    "http2.errorcode",
    "http2.frametype",
    "http2.header",
    "http2.header_name",
    "http2.priority",
    "http2.settings",
    "http2.size_update",
    "http2.window",
    "http_accept",
    "http_accept_enc",
    "http_accept_lang",
    "http_client_body",
    "http_connection",
    "http_content_len",
    "http_content_type",
    "http_cookie",
    "http_header",
    "http_header_names",
    "http_host",
    "http_method",
    "http_protocol",
    "http_raw_header",
    "http_raw_host",
    "http_raw_uri",
    "http_referer",
    "http_request_line",
    "http_response_line",
    "http_server_body",
    "http_start",
    "http_stat_code",
    "http_stat_msg",
    "http_uri",
    "http_user_agent",
    "ike.chosen_sa_attribute",
    "ike.exchtype",
    "ike.init_spi",
    "ike.key_exchange_payload",
    "ike.key_exchange_payload_length",
    "ike.nonce_payload",
    "ike.nonce_payload_length",
    "ike.resp_spi",
    "ike.vendor",
    "ippair",
    "iprep",
    "ja3.hash",
    "ja3.string",
    "ja3_hash",
    "ja3_string",
    "ja3s.hash",
    "ja3s.string",
    "ja4.hash",
    "ja4_hash",
    "krb5.cname",
    "krb5.sname",
    "krb5.ticket_encryption",
    "krb5_cname",
    "krb5_err_code",
    "krb5_msg_type",
    "krb5_sname",
    "ldap.request.attribute_type",
    "ldap.request.dn",
    "ldap.request.operation",
    "ldap.responses.attribute_type",
    "ldap.responses.count",
    "ldap.responses.dn",
    "ldap.responses.message",
    "ldap.responses.operation",
    "ldap.responses.result_code",
    "llmnr.queries.rrname",
    "llmnr.response.rrname",
    "lua",
    "luajit",
    "luaxform",
    "mdns.additionals.rrname",
    "mdns.answers.rrname",
    "mdns.authorities.rrname",
    "mdns.queries.rrname",
    "mdns.response.rrname",
    "modbus",
    "mqtt.connack.return_code",
    "mqtt.connack.session_present",
    "mqtt.connect.clientid",
    "mqtt.connect.flags",
    "mqtt.connect.password",
    "mqtt.connect.protocol_string",
    "mqtt.connect.username",
    "mqtt.connect.willmessage",
    "mqtt.connect.willtopic",
    "mqtt.flags",
    "mqtt.protocol_version",
    "mqtt.publish.message",
    "mqtt.publish.topic",
    "mqtt.qos",
    "mqtt.reason_code",
    "mqtt.subscribe.topic",
    "mqtt.type",
    "mqtt.unsubscribe.topic",
    "ndpi-protocol",
    "ndpi-risk",
    "nfq_set_mark",
    "nfs.procedure",
    "nfs.version",
    "nfs_procedure",
    "nfs_version",
    "ntp.mode",
    "ntp.reference_id",
    "ntp.stratum",
    "ntp.version",
    "pgsql.query",
    "pktvar",
    "quic.cyu.hash",
    "quic.cyu.string",
    "quic.sni",
    "quic.ua",
    "quic.version",
    "replace",
    "rfb.name",
    "rfb.secresult",
    "rfb.sectype",
    "rpc",
    "sctp.chunk_data",
    "sdp.attribute",
    "sdp.bandwidth",
    "sdp.connection_data",
    "sdp.email",
    "sdp.encryption_key",
    "sdp.media.attribute",
    "sdp.media.connection_data",
    "sdp.media.encryption_key",
    "sdp.media.media",
    "sdp.media.session_info",
    "sdp.origin",
    "sdp.phone_number",
    "sdp.repeat_time",
    "sdp.session_info",
    "sdp.session_name",
    "sdp.time",
    "sdp.timezone",
    "sdp.uri",
    "sip.content_length",
    "sip.content_type",
    "sip.from",
    "sip.method",
    "sip.protocol",
    "sip.request_line",
    "sip.response_line",
    "sip.stat_code",
    "sip.stat_msg",
    "sip.to",
    "sip.uri",
    "sip.user_agent",
    "sip.via",
    "smtp.helo",
    "smtp.mail_from",
    "smtp.rcpt_to",
    "snmp.community",
    "snmp.pdu_type",
    "snmp.trap_address",
    "snmp.trap_oid",
    "snmp.trap_type",
    "snmp.usm",
    "snmp.version",
    "ssh.hassh",
    "ssh.hassh.server",
    "ssh.hassh.server.string",
    "ssh.hassh.string",
    "ssh.proto",
    "ssh.protoversion",
    "ssh.software",
    "ssh.softwareversion",
    "ssh_proto",
    "ssh_software",
    "ssl_state",
    "ssl_version",
    "tag",
    "tcp.session",
    "template",
    "tls.alpn",
    "tls.cert_chain_len",
    "tls.cert_fingerprint",
    "tls.cert_issuer",
    "tls.cert_serial",
    "tls.cert_subject",
    "tls.certs",
    "tls.fingerprint",
    "tls.issuerdn",
    "tls.random",
    "tls.random_bytes",
    "tls.random_time",
    "tls.sni",
    "tls.store",
    "tls.subject",
    "tls.subjectaltname",
    "tls.version",
    "tls_cert_expired",
    "tls_cert_fingerprint",
    "tls_cert_issuer",
    "tls_cert_notafter",
    "tls_cert_notbefore",
    "tls_cert_serial",
    "tls_cert_subject",
    "tls_cert_valid",
    "tls_sni",
    "websocket.flags",
    "websocket.mask",
    "websocket.opcode",
    "websocket.payload",
];

/// How many letters may differ between a misspelt name and the one that was meant.
const MAX_DISTANCE: usize = 2;

/// Longest name that is compared with others.
const MAX_NAME: usize = 40;

/// Whether `name` is a protocol of the rule language.
pub fn is_protocol(name: &str) -> bool {
    PROTOCOLS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether `name` is a documented keyword.
pub fn is_keyword(name: &str) -> bool {
    super::find(name).is_some() || KEYWORDS.contains(&name)
}

/// The documented keyword whose spelling is closest to `name`.
pub fn closest(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let own = super::all()
        .flat_map(|keyword| std::iter::once(keyword.name()).chain(keyword.aliases().iter().copied()));
    own.chain(KEYWORDS.iter().copied())
        .map(|known| (distance(name.as_bytes(), known.as_bytes()), known))
        // A short name has too many neighbours.
        .filter(|(distance, known)| *distance <= MAX_DISTANCE && *distance * 2 < known.len())
        .min()
        .map(|(_, known)| known)
}

/// How many letters must be put in, taken out or replaced to turn one name into the other.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, wanted) in row.iter_mut().skip(1).zip(other) {
            let replaced = diagonal + usize::from(letter != wanted);
            diagonal = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_lead_to_the_right_ones() {
        for (name, expected) in [
            ("contnet", Some("content")),
            ("contents", Some("content")),
            ("htp.uri", Some("http.uri")),
            ("classtyp", Some("classtype")),
            ("flowbit", Some("flowbits")),
            ("xyzzyplugh", None),
            ("q", None),
            ("", None),
        ] {
            assert_eq!(closest(name), expected, "{name}");
        }
    }

    #[test]
    fn distances() {
        for (one, other, expected) in
            [("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), expected, "{one} {other}");
            assert_eq!(distance(other.as_bytes(), one.as_bytes()), expected, "{other} {one}");
        }
    }

    #[test]
    fn documented_names() {
        for name in ["content", "dns.query", "tls.sni", "lua", "threshold", "flags"] {
            assert!(is_keyword(name), "{name}");
        }
        assert!(!is_keyword("no-such"));
        assert!(is_protocol("TLS") && !is_protocol("gopher"));
    }
}
