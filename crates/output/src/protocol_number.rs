//! Names of IP protocol numbers in records, as IANA's registry keeps them.

/// Names from number 0 on; empty where EVE shows the number.
const NAMES: [&str; 143] = [
    "HOPOPT", "ICMP", "IGMP", "GGP", "IP-in-IP", "ST", "TCP", "CBT", "EGP", "IGP", "BBN-RCC-MON", "NVP-II",
    "PUP", "ARGUS", "EMCON", "XNET", "CHAOS", "UDP", "MUX", "DCN-MEAS", "HMP", "PRM", "XNS-IDP", "TRUNK-1",
    "TRUNK-2", "LEAF-1", "LEAF-2", "RDP", "IRTP", "ISO-TP4", "NETBLT", "MFE-NSP", "MERIT-INP", "DCCP", "3PC",
    "IDPR", "XTP", "DDP", "IDPR-CMTP", "TP++", "IL", "IPv6", "SDRP", "IPv6-Route", "IPv6-Frag", "IDRP",
    "RSVP", "GRE", "DSR", "BNA", "ESP", "AH", "I-NLSP", "SWIPE", "NARP", "MOBILE", "TLSP", "SKIP",
    "IPv6-ICMP", "IPv6-NoNxt", "IPv6-Opts", "", "CFTP", "", "SAT-EXPAK", "KRYPTOLAN", "RVD", "IPPC", "",
    "SAT-MON", "VISA", "IPCU", "CPNX", "CPHB", "WSN", "PVP", "BR-SAT-MON", "SUN-ND", "WB-MON", "WB-EXPAK",
    "ISO-IP", "VMTP", "SECURE-VMTP", "VINES", "TTP", "NSFNET-IGP", "DGP", "TCF", "EIGRP", "OSPFIGP",
    "Sprite-RPC", "LARP", "MTP", "AX.25", "IPIP", "MICP", "SCC-SP", "ETHERIP", "ENCAP", "", "GMTP", "IFMP",
    "PNNI", "PIM", "ARIS", "SCPS", "QNX", "A/N", "IPComp", "SNP", "Compaq-Peer", "IPX-in-IP", "VRRP", "PGM",
    "", "L2TP", "DDX", "IATP", "STP", "SRP", "UTI", "SMP", "SM", "PTP", "ISIS", "FIRE", "CRTP", "CRUDP",
    "SSCOPMCE", "IPLT", "SPS", "PIPE", "SCTP", "FC", "RSVP-E2E-IGNORE", "Mobility-Header", "UDPLite",
    "MPLS-in-IP", "manet", "Shim6", "WESP", "ROHC", "Ethernet",
];

/// The name, where it has one.
pub fn name(protocol: u8) -> Option<&'static str> {
    NAMES.get(usize::from(protocol)).copied().filter(|name| !name.is_empty())
}

/// Appends `proto` of EVE records: the name, or the number with three digits.
pub fn append(out: &mut Vec<u8>, protocol: u8) {
    match name(protocol) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => crate::timestamp::digits(out, u64::from(protocol), 3),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names() {
        let cases = [
            (1, "ICMP"),
            (4, "IP-in-IP"),
            (6, "TCP"),
            (17, "UDP"),
            (41, "IPv6"),
            (47, "GRE"),
            (50, "ESP"),
            (58, "IPv6-ICMP"),
            (132, "SCTP"),
            (142, "Ethernet"),
            (61, "061"),
            (253, "253"),
        ];
        for (number, expected) in cases {
            let mut out = Vec::new();
            super::append(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
