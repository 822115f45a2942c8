//! The names of record types, classes, response codes and operation codes, after IANA's DNS
//! parameters; where EVE records and Zeek's logs spell one differently, both are here.

use std::borrow::Cow;

/// A record type: its number, its name in EVE records and rules, and its name in Zeek's logs.
/// An empty name: the respective side shows a number.
type TypeName = (u16, &'static str, &'static str);

const TYPES: &[TypeName] = &[
    (1, "A", "A"),
    (2, "NS", "NS"),
    (3, "MD", "MD"),
    (4, "MF", "MF"),
    (5, "CNAME", "CNAME"),
    (6, "SOA", "SOA"),
    (7, "MB", "MB"),
    (8, "MG", "MG"),
    (9, "MR", "MR"),
    (10, "NULL", "NULL"),
    (11, "WKS", "WKS"),
    (12, "PTR", "PTR"),
    (13, "HINFO", "HINFO"),
    (14, "MINFO", "MINFO"),
    (15, "MX", "MX"),
    (16, "TXT", "TXT"),
    (17, "RP", "RP"),
    (18, "AFSDB", "AFSDB"),
    (19, "X25", "X25"),
    (20, "ISDN", "ISDN"),
    (21, "RT", "RT"),
    (22, "NSAP", "NSAP"),
    (23, "NSAPPTR", "NSAP-PTR"),
    (24, "SIG", "SIG"),
    (25, "KEY", "KEY"),
    (26, "PX", "PX"),
    (27, "GPOS", "GPOS"),
    (28, "AAAA", "AAAA"),
    (29, "LOC", "LOC"),
    (30, "NXT", "NXT"),
    (31, "", "EID"),
    (32, "", "NIMLOC"),
    (33, "SRV", "SRV"),
    (34, "ATMA", "ATMA"),
    (35, "NAPTR", "NAPTR"),
    (36, "KX", "KX"),
    (37, "CERT", "CERT"),
    (38, "A6", "A6"),
    (39, "DNAME", "DNAME"),
    (40, "", "SINK"),
    (41, "OPT", "OPT"),
    (42, "APL", "APL"),
    (43, "DS", "DS"),
    (44, "SSHFP", "SSHFP"),
    (45, "IPSECKEY", "IPSECKEY"),
    (46, "RRSIG", "RRSIG"),
    (47, "NSEC", "NSEC"),
    (48, "DNSKEY", "DNSKEY"),
    (49, "DHCID", "DHCID"),
    (50, "NSEC3", "NSEC3"),
    (51, "NSEC3PARAM", "NSEC3PARAM"),
    (52, "TLSA", "TLSA"),
    (53, "", "SMIMEA"),
    (55, "HIP", "HIP"),
    (56, "", "NINFO"),
    (57, "", "RKEY"),
    (58, "", "TALINK"),
    (59, "CDS", "CDS"),
    (60, "CDNSKEY", "CDNSKEY"),
    (61, "", "OPENPGPKEY"),
    (62, "", "CSYNC"),
    (63, "", "ZONEMD"),
    (64, "", "SVCB"),
    (65, "HTTPS", "HTTPS"),
    (99, "SPF", "SPF"),
    (100, "", "UINFO"),
    (101, "", "UID"),
    (102, "", "GID"),
    (103, "", "UNSPEC"),
    (104, "", "NID"),
    (105, "", "L32"),
    (106, "", "L64"),
    (107, "", "LP"),
    (108, "", "EUI48"),
    (109, "", "EUI64"),
    (249, "TKEY", "TKEY"),
    (250, "TSIG", "TSIG"),
    (251, "", "IXFR"),
    (252, "", "AXFR"),
    (253, "", "MAILB"),
    (254, "MAILA", "MAILA"),
    (255, "ANY", "*"),
    (256, "URI", "URI"),
    (257, "", "CAA"),
    (32768, "", "TA"),
    (32769, "", "DLV"),
    (65281, "", "WINS"),
    (65282, "", "WINS-R"),
    (65422, "", "XPF"),
    (65521, "", "INTEGRITY"),
];

const fn count_named() -> usize {
    let mut count = 0;
    let mut rest = TYPES;
    while let [(_, name, _), tail @ ..] = rest {
        count += !name.is_empty() as usize;
        rest = tail;
    }
    count
}

/// Record types by name, for `dns.rrtype`.
pub const TYPE_VALUES: &[(&str, u64)] = &{
    let mut values = [("", 0); count_named()];
    let mut slots: &mut [(&str, u64)] = &mut values;
    let mut rest = TYPES;
    while let [(number, name, _), tail @ ..] = rest {
        rest = tail;
        if !name.is_empty() {
            let Some((slot, others)) = slots.split_first_mut() else { break };
            *slot = (*name, *number as u64);
            slots = others;
        }
    }
    values
};

/// Response codes by name, for `dns.rcode` and EVE records.
pub const RCODE_VALUES: &[(&str, u64)] = &[
    ("NOERROR", 0),
    ("FORMERR", 1),
    ("SERVFAIL", 2),
    ("NXDOMAIN", 3),
    ("NOTIMP", 4),
    ("REFUSED", 5),
    ("YXDOMAIN", 6),
    ("YXRRSET", 7),
    ("NXRRSET", 8),
    ("NOTAUTH", 9),
    ("NOTZONE", 10),
    ("BADVERS", 16),
    ("BADKEY", 17),
    ("BADTIME", 18),
    ("BADMODE", 19),
    ("BADNAME", 20),
    ("BADALG", 21),
    ("BADTRUNC", 22),
];

/// Operation codes by name, for `dns.opcode`.
pub const OPCODE_VALUES: &[(&str, u64)] =
    &[("QUERY", 0), ("IQUERY", 1), ("STATUS", 2), ("NOTIFY", 4), ("UPDATE", 5), ("DSO", 6)];

fn find_type(rrtype: u16) -> Option<&'static TypeName> {
    TYPES.binary_search_by_key(&rrtype, |&(number, ..)| number).ok().and_then(|index| TYPES.get(index))
}

/// A record type in EVE records.
pub fn eve_type(rrtype: u16) -> Cow<'static, str> {
    match find_type(rrtype) {
        Some(&(_, name, _)) if !name.is_empty() => Cow::Borrowed(name),
        _ => Cow::Owned(rrtype.to_string()),
    }
}

/// A record type in Zeek's logs.
pub fn zeek_type(rrtype: u16) -> Cow<'static, str> {
    match find_type(rrtype) {
        Some(&(.., name)) if !name.is_empty() => Cow::Borrowed(name),
        _ => Cow::Owned(format!("query-{rrtype}")),
    }
}

/// A response code in EVE records.
pub fn eve_rcode(rcode: u16) -> Cow<'static, str> {
    match RCODE_VALUES.iter().find(|&&(_, value)| value == u64::from(rcode)) {
        Some(&(name, _)) => Cow::Borrowed(name),
        None => Cow::Owned(rcode.to_string()),
    }
}

/// A response code in Zeek's logs.
pub fn zeek_rcode(rcode: u16) -> Cow<'static, str> {
    match rcode {
        8 => Cow::Borrowed("NXRRSet"),
        11..=15 => Cow::Owned(format!("unassigned-{rcode}")),
        _ => match RCODE_VALUES.iter().find(|&&(_, value)| value == u64::from(rcode)) {
            Some(&(name, _)) => Cow::Borrowed(name),
            None => Cow::Owned(format!("rcode-{rcode}")),
        },
    }
}

/// A class in Zeek's logs.
pub fn zeek_class(class: u16) -> Cow<'static, str> {
    Cow::Borrowed(match class {
        1 => "C_INTERNET",
        2 => "C_CSNET",
        3 => "C_CHAOS",
        4 => "C_HESIOD",
        254 => "C_NONE",
        255 => "C_ANY",
        _ => return Cow::Owned(format!("qclass-{class}")),
    })
}

/// An operation code in Zeek's logs; the NetBIOS name service has names of its own.
pub fn zeek_opcode(opcode: u8, netbios: bool) -> Cow<'static, str> {
    Cow::Borrowed(match (netbios, opcode) {
        (false, 0) => "query",
        (false, 1) => "iquery",
        (false, 2) => "server-status",
        (false, 4) => "notify",
        (false, 5) => "dynamic-update",
        (false, 6) => "dso",
        (false, _) => return Cow::Owned(format!("opcode-{opcode}")),
        (true, 0) => "netbios-query",
        (true, 5) => "netbios-registration",
        (true, 6) => "netbios-release",
        (true, 7) => "netbios-wack",
        (true, 8) => "netbios-refresh",
        (true, _) => return Cow::Owned(format!("netbios-opcode-{opcode}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_ascend_so_that_they_are_found() {
        assert!(TYPES.is_sorted_by_key(|&(number, ..)| number));
        let cases = [
            (1, "A", "A"),
            (255, "ANY", "*"),
            (257, "257", "CAA"),
            (65281, "65281", "WINS"),
            (4242, "4242", "query-4242"),
        ];
        for (number, eve, zeek) in cases {
            assert_eq!((eve_type(number).as_ref(), zeek_type(number).as_ref()), (eve, zeek));
        }
        assert!(!TYPE_VALUES.iter().any(|(name, _)| name.is_empty()));
        assert!(TYPE_VALUES.contains(&("HTTPS", 65)));
    }

    #[test]
    fn codes() {
        assert_eq!((eve_rcode(3).as_ref(), eve_rcode(13).as_ref()), ("NXDOMAIN", "13"));
        assert_eq!((zeek_rcode(8).as_ref(), zeek_rcode(13).as_ref()), ("NXRRSet", "unassigned-13"));
        assert_eq!(
            (zeek_opcode(4, false).as_ref(), zeek_opcode(0, true).as_ref()),
            ("notify", "netbios-query")
        );
    }
}
