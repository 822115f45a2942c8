//! Notes in the reference of keywords beside meaning and syntax: since which release of Suricata a
//! keyword is documented, and where its limits are.

/// A keyword's note.
struct Note {
    name: &'static str,
    since: &'static str,
    limits: &'static str,
}

const fn note(name: &'static str, since: &'static str, limits: &'static str) -> Note {
    Note { name, since, limits }
}

/// Note of a keyword that has been there for long.
const LONG: &str = "6.0 or earlier";

/// Names of which all are from one release, by how they begin.
const FAMILIES: &[(&str, &str)] = &[
    ("mdns.", "8.0"),
    ("enip.", "8.0"),
    ("sctp.", "9.0"),
    ("igmp.", "9.0"),
    ("vlan.", "8.0"),
    ("email.", "8.0"),
    ("sdp.", "8.0"),
    ("smtp.", "8.0"),
];

/// By name, in order.
const NOTES: &[Note] = &[
    note(
        "absent",
        "8.0",
        "Stands directly behind a sticky buffer; a buffer that may still come is waited for.",
    ),
    note("alert", "8.0", ""),
    note("app-layer-protocol", LONG, "Decided once in each direction of a flow."),
    note("base64_decode", LONG, "Reads at most 65,536 bytes; what is not base64 ends it."),
    note("base64_data", LONG, "Needs `base64_decode` before it."),
    note("bsize", LONG, "A growing body is compared with what of it is there."),
    note("byte_extract", LONG, "A rule can have 64 byte variables; at most 8 bytes, or 23 digits, are read."),
    note("byte_jump", LONG, "At most 8 bytes, or 23 digits, are read; a jump out of the buffer fails."),
    note("byte_math", LONG, "At most 4 bytes, or 10 digits, are read; a division by zero fails."),
    note("byte_test", LONG, "At most 8 bytes, or 23 digits, are read."),
    note("content", LONG, "At most 8,192 bytes; a buffer can have 512 checks, a rule 64 buffers."),
    note("datarep", LONG, "Only sets that are loaded have reputations."),
    note(
        "dataset",
        LONG,
        "Sets have the memory and the hash size of `datasets` in the configuration; files of JSON came with 8.0.",
    ),
    note(
        "depth",
        LONG,
        "Not with `distance`, `within` or `startswith`; at least the content's length, at most 65,535.",
    ),
    note("detection_filter", LONG, "Not beside `threshold`; `unique_on` came with 9.0."),
    note("distance", LONG, "Not with `depth`, `offset` or `startswith`; from -1,048,576 to 1,048,576."),
    note("dhcp.leasetime", "7.0", ""),
    note("dhcp.rebinding_time", "7.0", ""),
    note("dhcp.renewal_time", "7.0", ""),
    note("dnp3.data", LONG, "DNP3 is off by default; 32,768 bytes of a message are kept."),
    note("dnp3_func", LONG, ""),
    note("dnp3_ind", LONG, ""),
    note("dnp3_obj", LONG, "Objects behind one that is not known are not read."),
    note("dns.additionals.rrname", "8.0", ""),
    note("dns.answers.rrname", "8.0", ""),
    note("dns.authorities.rrname", "8.0", ""),
    note("dns.queries.rrname", "8.0", ""),
    note("dns.rcode", "8.0", ""),
    note("dns.response.rrname", "8.0", ""),
    note("dns.rrtype", "8.0", ""),
    note("domain", "8.0", "By the list of public suffixes that is built in."),
    note("dsize", LONG, "Looks at single packets: not beside buffers of transactions."),
    note("entropy", "8.0", ""),
    note("ether.hdr", "9.0", "Only packets with an Ethernet header have it."),
    note("fast_pattern", LONG, "Once in a rule; not for a negated content with a place of its own."),
    note("file.data", "7.0", "Inspected as the file grows; `file_data` is the older name."),
    note("file.name", "7.0", "A file without a name has none."),
    note("flow", LONG, "Once in a rule, but for directions before it."),
    note("flow.age", "7.0", "Counts from the flow's first packet, in seconds of packet time."),
    note("flow.bytes", "8.0", ""),
    note("flow.bytes_toclient", "7.0", ""),
    note("flow.bytes_toserver", "7.0", ""),
    note("flow.elephant", "8.0", "By the limits of `flow` in the configuration."),
    note("flow.pkts", "8.0", ""),
    note("flow.pkts_toclient", "7.0", ""),
    note("flow.pkts_toserver", "7.0", ""),
    note("flowbits", LONG, "A flow can have 256 bits; further ones are not set."),
    note(
        "flowint",
        LONG,
        "A flow can have 64 integers and variables; 32 bits each; names have two letters or more.",
    ),
    note("frame", "7.0", "Frames are those of `weir --list-app-layer-frames`."),
    note("from_base64", "8.0", ""),
    note("gunzip", "8.0", "At most 1,024 bytes come out unless `max-size` says otherwise."),
    note("header_lowercase", "7.0", ""),
    note("hostbits", LONG, "Bits expire by packet time."),
    note(
        "http.request_header",
        "7.0",
        "Each header by itself: a rule's checks must all hold in one of them.",
    ),
    note(
        "http.response_header",
        "7.0",
        "Each header by itself: a rule's checks must all hold in one of them.",
    ),
    note("http.host", LONG, "Small letters only: a content with a capital is refused."),
    note("http.request_body", LONG, "As far as the configuration's limit for bodies."),
    note("http.response_body", "7.0", "As far as the configuration's limit for bodies."),
    note(
        "ike.chosen_sa_attribute",
        "7.0",
        "Of version 1, the first transform of a message; of version 2, any.",
    ),
    note("ike.exchtype", "7.0", ""),
    note("ike.init_spi", "7.0", ""),
    note("ike.key_exchange_payload", "7.0", "Messages of version 1 only."),
    note("ike.key_exchange_payload_length", "7.0", "Messages of version 1 only."),
    note("ike.nonce_payload", "7.0", "Messages of version 1 only."),
    note("ike.nonce_payload_length", "7.0", "Messages of version 1 only."),
    note("ike.resp_spi", "7.0", ""),
    note("ike.vendor", "7.0", "Messages of version 1 only; at most 64 names of a message."),
    note("ip.dst", "7.0", ""),
    note("ip.src", "7.0", ""),
    note("ja4.hash", "8.0", "Of the ClientHello; computed only where a rule or an output asks for it."),
    note("krb5.cname", LONG, "At most 64 parts of a name."),
    note("krb5.sname", LONG, "At most 64 parts of a name."),
    note("krb5.ticket_encryption", "7.0", ""),
    note("krb5_err_code", LONG, ""),
    note("krb5_msg_type", LONG, ""),
    note("ldap.request.attribute_type", "8.0", ""),
    note("ldap.request.dn", "8.0", ""),
    note("ldap.request.operation", "8.0", ""),
    note("ldap.responses.attribute_type", "8.0", ""),
    note("ldap.responses.count", "8.0", "No more than 4,096 answers of a request are kept."),
    note("ldap.responses.dn", "8.0", ""),
    note("ldap.responses.message", "8.0", ""),
    note("ldap.responses.operation", "8.0", ""),
    note("ldap.responses.result_code", "8.0", ""),
    note("lua", LONG, "Needs `security.lua.allow-rules`; what scripts can do is in [Scripts](lua.md)."),
    note("luaxform", "8.0", "Needs `security.lua.allow-rules`; at most 10 arguments."),
    note("metadata", LONG, "A rule can have 4,096 pairs."),
    note("modbus", LONG, "Modbus is off by default; `value` is that of one address."),
    note("nfq_set_mark", LONG, "Checked, and without effect: packets come from no queue of netfilter."),
    note("nocase", LONG, "Letters of ASCII only."),
    note("ntp.mode", "8.0", ""),
    note("ntp.reference_id", "8.0", ""),
    note("ntp.stratum", "8.0", ""),
    note("ntp.version", "8.0", ""),
    note("offset", LONG, "Not with `distance`, `within` or `startswith`; from 0 to 65,535."),
    note(
        "pcre",
        LONG,
        "Within the limits of `pcre` in the configuration; 4,096 bytes of a captured value are kept.",
    ),
    note("pcrexform", LONG, "Nothing is left where the expression does not match."),
    note(
        "pgsql.query",
        "8.0",
        "Queries of the extended protocol are not read; of a query 512 KiB are, or less where many wait.",
    ),
    note("priority", LONG, "From 1 to 255."),
    note("reference", LONG, "A rule can have 4,096 references."),
    note("requires", "7.0", ""),
    note("sdp.media.attribute", "9.0", ""),
    note("sid", LONG, "From 1 to 4,294,967,295, unique within its group."),
    note("sip.content_length", "8.0", ""),
    note("sip.content_type", "8.0", ""),
    note("sip.from", "8.0", ""),
    note("sip.to", "8.0", ""),
    note("sip.user_agent", "8.0", ""),
    note("sip.via", "8.0", ""),
    note("snmp.trap_address", "8.0", ""),
    note("snmp.trap_oid", "8.0", ""),
    note("snmp.trap_type", "8.0", ""),
    note("snmp.usm", "7.0", ""),
    note("strip_pseudo_headers", "7.0", ""),
    note("subslice", "9.0", ""),
    note("tag", LONG, "By packet time; at most 256 packets; a host's tags have a cap."),
    note("tcp.wscale", "8.0", ""),
    note("threshold", LONG, "Once in a rule; counted by packet time; a worker's table of counts has a cap."),
    note("tld", "8.0", "By the list of public suffixes that is built in."),
    note("tls.alpn", "8.0", ""),
    note("tls.cert_chain_len", "7.0", ""),
    note("tls.random", "7.0", ""),
    note("tls.random_bytes", "7.0", ""),
    note("tls.random_time", "7.0", ""),
    note("tls.subjectaltname", "8.0", ""),
    note("to_lowercase", "8.0", ""),
    note("to_uppercase", "8.0", ""),
    note("url_decode", LONG, ""),
    note("within", LONG, "Not with `depth`, `offset` or `startswith`; at least the content's length."),
    note("xbits", LONG, "Bits expire by packet time."),
    note("xor", "7.0", "The key is given in hexadecimal."),
    note("zlib_deflate", "8.0", "At most 1,024 bytes come out unless `max-size` says otherwise."),
];

fn find(name: &str) -> Option<&'static Note> {
    NOTES.iter().find(|note| note.name == name)
}

/// The first release of Suricata whose manual has the keyword.
pub fn since(name: &str) -> &'static str {
    let family = FAMILIES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, since)| *since);
    find(name).map(|note| note.since).or(family).unwrap_or(LONG)
}

/// Where its limits are; empty where there is nothing to tell.
pub fn limits(name: &str) -> &'static str {
    find(name).map_or("", |note| note.limits)
}

/// The names that have notes, for the test that all of them are keywords.
pub fn names() -> impl Iterator<Item = &'static str> {
    NOTES.iter().map(|note| note.name)
}
