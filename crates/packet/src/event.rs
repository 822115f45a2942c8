//! Events of the decoder, by the names that rules (`decode-event`),
//! EVE anomaly records and the `decoder.event.*` counters use.

use weir_base::CounterVisitor;

/// Most events kept of one packet; later ones are dropped.
pub const MAX_EVENTS: usize = 15;

/// An index into the table of decoder events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Default)]
pub struct DecodeEvent(pub u16);

/// Whether an event damns the packet, as written in the table.
const INVALID: bool = true;
/// The packet is odd but still usable.
const ODD: bool = false;

macro_rules! decode_events {
    ($($constant:ident $name:literal $invalid:ident,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "numbers the constants below")]
        #[repr(u16)]
        enum Number { $($constant,)* }

        impl DecodeEvent {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: Self = Self(Number::$constant as u16);
            )*

            /// Every event, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$constant,)*];
        }

        /// Name with the `decoder.` prefix, and whether the event makes a packet invalid.
        const TABLE: &[(&str, bool)] = &[$((concat!("decoder.", $name), $invalid),)*];
    };
}

decode_events! {
    IPV4_PKT_TOO_SMALL "ipv4.pkt_too_small" INVALID,
    IPV4_HLEN_TOO_SMALL "ipv4.hlen_too_small" INVALID,
    IPV4_IPLEN_SMALLER_THAN_HLEN "ipv4.iplen_smaller_than_hlen" INVALID,
    IPV4_TRUNC_PKT "ipv4.trunc_pkt" INVALID,
    IPV4_OPT_INVALID "ipv4.opt_invalid" INVALID,
    IPV4_OPT_INVALID_LEN "ipv4.opt_invalid_len" INVALID,
    IPV4_OPT_MALFORMED "ipv4.opt_malformed" INVALID,
    IPV4_OPT_PAD_REQUIRED "ipv4.opt_pad_required" ODD,
    IPV4_OPT_EOL_REQUIRED "ipv4.opt_eol_required" INVALID,
    IPV4_OPT_DUPLICATE "ipv4.opt_duplicate" ODD,
    IPV4_OPT_UNKNOWN "ipv4.opt_unknown" INVALID,
    IPV4_WRONG_IP_VERSION "ipv4.wrong_ip_version" INVALID,
    IPV4_ICMPV6 "ipv4.icmpv6" INVALID,
    ICMPV4_PKT_TOO_SMALL "icmpv4.pkt_too_small" INVALID,
    ICMPV4_UNKNOWN_TYPE "icmpv4.unknown_type" ODD,
    ICMPV4_UNKNOWN_CODE "icmpv4.unknown_code" ODD,
    ICMPV4_IPV4_TRUNC_PKT "icmpv4.ipv4_trunc_pkt" INVALID,
    ICMPV4_IPV4_UNKNOWN_VER "icmpv4.ipv4_unknown_ver" INVALID,
    ICMPV6_UNKNOWN_TYPE "icmpv6.unknown_type" ODD,
    ICMPV6_UNKNOWN_CODE "icmpv6.unknown_code" ODD,
    ICMPV6_PKT_TOO_SMALL "icmpv6.pkt_too_small" INVALID,
    ICMPV6_IPV6_UNKNOWN_VERSION "icmpv6.ipv6_unknown_version" INVALID,
    ICMPV6_IPV6_TRUNC_PKT "icmpv6.ipv6_trunc_pkt" INVALID,
    ICMPV6_MLD_MESSAGE_WITH_INVALID_HL "icmpv6.mld_message_with_invalid_hl" ODD,
    ICMPV6_UNASSIGNED_TYPE "icmpv6.unassigned_type" ODD,
    ICMPV6_EXPERIMENTATION_TYPE "icmpv6.experimentation_type" ODD,
    IGMP_PKT_TOO_SMALL "igmp.pkt_too_small" INVALID,
    IPV6_PKT_TOO_SMALL "ipv6.pkt_too_small" INVALID,
    IPV6_TRUNC_PKT "ipv6.trunc_pkt" INVALID,
    IPV6_TRUNC_EXTHDR "ipv6.trunc_exthdr" INVALID,
    IPV6_EXTHDR_DUPL_FH "ipv6.exthdr_dupl_fh" ODD,
    IPV6_EXTHDR_USELESS_FH "ipv6.exthdr_useless_fh" ODD,
    IPV6_EXTHDR_DUPL_RH "ipv6.exthdr_dupl_rh" ODD,
    IPV6_EXTHDR_DUPL_HH "ipv6.exthdr_dupl_hh" ODD,
    IPV6_EXTHDR_DUPL_DH "ipv6.exthdr_dupl_dh" ODD,
    IPV6_EXTHDR_DUPL_AH "ipv6.exthdr_dupl_ah" ODD,
    IPV6_EXTHDR_DUPL_EH "ipv6.exthdr_dupl_eh" ODD,
    IPV6_EXTHDR_INVALID_OPTLEN "ipv6.exthdr_invalid_optlen" ODD,
    IPV6_WRONG_IP_VERSION "ipv6.wrong_ip_version" INVALID,
    IPV6_EXTHDR_AH_RES_NOT_NULL "ipv6.exthdr_ah_res_not_null" ODD,
    IPV6_HOPOPTS_UNKNOWN_OPT "ipv6.hopopts_unknown_opt" ODD,
    IPV6_HOPOPTS_ONLY_PADDING "ipv6.hopopts_only_padding" ODD,
    IPV6_DSTOPTS_UNKNOWN_OPT "ipv6.dstopts_unknown_opt" ODD,
    IPV6_DSTOPTS_ONLY_PADDING "ipv6.dstopts_only_padding" ODD,
    IPV6_RH_TYPE_0 "ipv6.rh_type_0" ODD,
    IPV6_ZERO_LEN_PADN "ipv6.zero_len_padn" ODD,
    IPV6_FH_NON_ZERO_RESERVED_FIELD "ipv6.fh_non_zero_reserved_field" ODD,
    IPV6_DATA_AFTER_NONE_HEADER "ipv6.data_after_none_header" ODD,
    IPV6_UNKNOWN_NEXT_HEADER "ipv6.unknown_next_header" ODD,
    IPV6_ICMPV4 "ipv6.icmpv4" ODD,
    TCP_PKT_TOO_SMALL "tcp.pkt_too_small" INVALID,
    TCP_HLEN_TOO_SMALL "tcp.hlen_too_small" INVALID,
    TCP_INVALID_OPTLEN "tcp.invalid_optlen" INVALID,
    TCP_OPT_INVALID_LEN "tcp.opt_invalid_len" INVALID,
    TCP_OPT_DUPLICATE "tcp.opt_duplicate" ODD,
    UDP_PKT_TOO_SMALL "udp.pkt_too_small" INVALID,
    UDP_HLEN_TOO_SMALL "udp.hlen_too_small" INVALID,
    UDP_HLEN_INVALID "udp.hlen_invalid" INVALID,
    UDP_LEN_INVALID "udp.len_invalid" INVALID,
    SLL_PKT_TOO_SMALL "sll.pkt_too_small" INVALID,
    SLL2_PKT_TOO_SMALL "sll2.pkt_too_small" INVALID,
    ETHERNET_PKT_TOO_SMALL "ethernet.pkt_too_small" INVALID,
    ETHERNET_UNKNOWN_ETHERTYPE "ethernet.unknown_ethertype" ODD,
    PPP_PKT_TOO_SMALL "ppp.pkt_too_small" INVALID,
    PPP_VJU_PKT_TOO_SMALL "ppp.vju_pkt_too_small" INVALID,
    PPP_IP4_PKT_TOO_SMALL "ppp.ip4_pkt_too_small" INVALID,
    PPP_IP6_PKT_TOO_SMALL "ppp.ip6_pkt_too_small" INVALID,
    PPP_WRONG_TYPE "ppp.wrong_type" INVALID,
    PPP_UNSUP_PROTO "ppp.unsup_proto" ODD,
    PPPOE_PKT_TOO_SMALL "pppoe.pkt_too_small" INVALID,
    PPPOE_WRONG_CODE "pppoe.wrong_code" INVALID,
    PPPOE_MALFORMED_TAGS "pppoe.malformed_tags" INVALID,
    GRE_PKT_TOO_SMALL "gre.pkt_too_small" INVALID,
    GRE_WRONG_VERSION "gre.wrong_version" INVALID,
    GRE_VERSION0_RECUR "gre.version0_recur" INVALID,
    GRE_VERSION0_FLAGS "gre.version0_flags" INVALID,
    GRE_VERSION0_HDR_TOO_BIG "gre.version0_hdr_too_big" INVALID,
    GRE_VERSION0_MALFORMED_SRE_HDR "gre.version0_malformed_sre_hdr" INVALID,
    GRE_VERSION1_CHKSUM "gre.version1_chksum" INVALID,
    GRE_VERSION1_ROUTE "gre.version1_route" INVALID,
    GRE_VERSION1_SSR "gre.version1_ssr" INVALID,
    GRE_VERSION1_RECUR "gre.version1_recur" INVALID,
    GRE_VERSION1_FLAGS "gre.version1_flags" INVALID,
    GRE_VERSION1_NO_KEY "gre.version1_no_key" INVALID,
    GRE_VERSION1_WRONG_PROTOCOL "gre.version1_wrong_protocol" INVALID,
    GRE_VERSION1_MALFORMED_SRE_HDR "gre.version1_malformed_sre_hdr" INVALID,
    GRE_VERSION1_HDR_TOO_BIG "gre.version1_hdr_too_big" INVALID,
    VLAN_HEADER_TOO_SMALL "vlan.header_too_small" INVALID,
    VLAN_UNKNOWN_TYPE "vlan.unknown_type" INVALID,
    VLAN_TOO_MANY_LAYERS "vlan.too_many_layers" ODD,
    IEEE8021AH_HEADER_TOO_SMALL "ieee8021ah.header_too_small" INVALID,
    VNTAG_HEADER_TOO_SMALL "vntag.header_too_small" INVALID,
    VNTAG_UNKNOWN_TYPE "vntag.unknown_type" INVALID,
    ETAG_HEADER_TOO_SMALL "etag.header_too_small" INVALID,
    ETAG_UNKNOWN_TYPE "etag.unknown_type" INVALID,
    IPRAW_INVALID_IP_VERSION "ipraw.invalid_ip_version" ODD,
    LTNULL_PKT_TOO_SMALL "ltnull.pkt_too_small" INVALID,
    LTNULL_UNSUPPORTED_TYPE "ltnull.unsupported_type" ODD,
    SCTP_PKT_TOO_SMALL "sctp.pkt_too_small" INVALID,
    SCTP_CHUNK_TOO_SMALL "sctp.chunk_too_small" ODD,
    SCTP_CHUNK_LEN_INVALID "sctp.chunk_len_invalid" ODD,
    SCTP_INIT_CHUNK_BUNDLED "sctp.init_chunk_bundled" ODD,
    SCTP_INIT_WITH_NON_ZERO_VTAG "sctp.init_with_non_zero_vtag" ODD,
    SCTP_DATA_WITH_ZERO_VTAG "sctp.data_with_zero_vtag" ODD,
    SCTP_TOO_MANY_CHUNKS "sctp.too_many_chunks" ODD,
    SCTP_TOO_MANY_DATA_CHUNKS "sctp.too_many_data_chunks" ODD,
    ESP_PKT_TOO_SMALL "esp.pkt_too_small" INVALID,
    IPV4_FRAG_PKT_TOO_LARGE "ipv4.frag_pkt_too_large" ODD,
    IPV4_FRAG_OVERLAP "ipv4.frag_overlap" ODD,
    IPV4_FRAG_IGNORED "ipv4.frag_ignored" ODD,
    IPV6_FRAG_PKT_TOO_LARGE "ipv6.frag_pkt_too_large" ODD,
    IPV6_FRAG_OVERLAP "ipv6.frag_overlap" ODD,
    IPV6_FRAG_INVALID_LENGTH "ipv6.frag_invalid_length" ODD,
    IPV6_FRAG_IGNORED "ipv6.frag_ignored" ODD,
    IPV6_IPV4_IN_IPV6_TOO_SMALL "ipv6.ipv4_in_ipv6_too_small" INVALID,
    IPV6_IPV4_IN_IPV6_WRONG_VERSION "ipv6.ipv4_in_ipv6_wrong_version" INVALID,
    IPV6_IPV6_IN_IPV6_TOO_SMALL "ipv6.ipv6_in_ipv6_too_small" INVALID,
    IPV6_IPV6_IN_IPV6_WRONG_VERSION "ipv6.ipv6_in_ipv6_wrong_version" INVALID,
    MPLS_HEADER_TOO_SMALL "mpls.header_too_small" INVALID,
    MPLS_PKT_TOO_SMALL "mpls.pkt_too_small" INVALID,
    MPLS_BAD_LABEL_ROUTER_ALERT "mpls.bad_label_router_alert" ODD,
    MPLS_BAD_LABEL_IMPLICIT_NULL "mpls.bad_label_implicit_null" ODD,
    MPLS_BAD_LABEL_RESERVED "mpls.bad_label_reserved" ODD,
    MPLS_UNKNOWN_PAYLOAD_TYPE "mpls.unknown_payload_type" ODD,
    VXLAN_UNKNOWN_PAYLOAD_TYPE "vxlan.unknown_payload_type" INVALID,
    VXLAN_GPE_UNKNOWN_PAYLOAD_TYPE "vxlan_gpe.unknown_payload_type" ODD,
    GENEVE_UNKNOWN_PAYLOAD_TYPE "geneve.unknown_payload_type" INVALID,
    ERSPAN_HEADER_TOO_SMALL "erspan.header_too_small" ODD,
    ERSPAN_UNSUPPORTED_VERSION "erspan.unsupported_version" ODD,
    ERSPAN_TOO_MANY_VLAN_LAYERS "erspan.too_many_vlan_layers" ODD,
    DCE_PKT_TOO_SMALL "dce.pkt_too_small" INVALID,
    CHDLC_PKT_TOO_SMALL "chdlc.pkt_too_small" INVALID,
    NSH_HEADER_TOO_SMALL "nsh.header_too_small" INVALID,
    NSH_UNSUPPORTED_VERSION "nsh.unsupported_version" ODD,
    NSH_BAD_HEADER_LENGTH "nsh.bad_header_length" INVALID,
    NSH_RESERVED_TYPE "nsh.reserved_type" ODD,
    NSH_UNSUPPORTED_TYPE "nsh.unsupported_type" ODD,
    NSH_UNKNOWN_PAYLOAD "nsh.unknown_payload" ODD,
    ARP_PKT_TOO_SMALL "arp.pkt_too_small" INVALID,
    ARP_UNSUPPORTED_HARDWARE "arp.unsupported_hardware" INVALID,
    ARP_UNSUPPORTED_PROTOCOL "arp.unsupported_protocol" INVALID,
    ARP_UNSUPPORTED_PKT "arp.unsupported_pkt" INVALID,
    ARP_INVALID_HARDWARE_SIZE "arp.invalid_hardware_size" INVALID,
    ARP_INVALID_PROTOCOL_SIZE "arp.invalid_protocol_size" INVALID,
    ARP_UNSUPPORTED_OPCODE "arp.unsupported_opcode" INVALID,
    IEEE80211_PKT_TOO_SMALL "ieee80211.pkt_too_small" INVALID,
    AFPACKET_TRUNC_PKT "afpacket.trunc_pkt" INVALID,
    TOO_MANY_LAYERS "too_many_layers" INVALID,
}

impl DecodeEvent {
    /// Number of events.
    pub const COUNT: usize = TABLE.len();

    /// The event of a name as rules spell it, with or without the `decoder.` prefix.
    pub fn by_name(name: &str) -> Option<Self> {
        let short = name.strip_prefix("decoder.").unwrap_or(name);
        Self::ALL.iter().copied().find(|event| event.name() == short)
    }

    /// The name as rules spell it: `ipv4.pkt_too_small`.
    pub fn name(self) -> &'static str {
        let full = self.full_name();
        full.strip_prefix("decoder.").unwrap_or(full)
    }

    /// The name in EVE anomaly records: `decoder.ipv4.pkt_too_small`.
    pub fn full_name(self) -> &'static str {
        TABLE.get(usize::from(self.0)).map_or("decoder.unknown", |row| row.0)
    }

    /// Whether the event makes its packet invalid. `tcp.opt_invalid_len` does so only where an
    /// option runs past the header.
    pub fn invalidates(self) -> bool {
        TABLE.get(usize::from(self.0)).is_some_and(|row| row.1)
    }

    /// Whether rules may still name the event though no packet raises it any more.
    pub fn is_retired(self) -> bool {
        matches!(self, Self::UDP_HLEN_INVALID | Self::UDP_HLEN_TOO_SMALL | Self::IPV4_OPT_UNKNOWN)
    }

    /// The `type` of EVE anomaly records for decoder events.
    pub const ANOMALY_TYPE: &'static str = "decode";
}

/// The events of one packet, in the order found; one that is found twice is there twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventList {
    events: [DecodeEvent; MAX_EVENTS],
    count: u8,
}

impl EventList {
    /// Takes all events away.
    pub const fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds an event, unless the list is full.
    pub fn push(&mut self, event: DecodeEvent) {
        if let Some(slot) = self.events.get_mut(usize::from(self.count)) {
            *slot = event;
            self.count += 1;
        }
    }

    /// The events as a slice, in the order found.
    pub fn as_slice(&self) -> &[DecodeEvent] {
        self.events.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// The events, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = DecodeEvent> + '_ {
        self.as_slice().iter().copied()
    }

    /// Whether nothing was wrong.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether `event` was found.
    pub fn contains(&self, event: DecodeEvent) -> bool {
        self.iter().any(|e| e == event)
    }
}

/// Counts of each event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventCounters {
    counts: [u64; DecodeEvent::COUNT],
}

impl Default for EventCounters {
    fn default() -> Self {
        Self { counts: [0; DecodeEvent::COUNT] }
    }
}

impl EventCounters {
    /// Counts one event.
    pub fn add(&mut self, event: DecodeEvent) {
        if let Some(count) = self.counts.get_mut(usize::from(event.0)) {
            *count += 1;
        }
    }

    /// Counts every event of a packet.
    pub fn add_all(&mut self, events: &EventList) {
        for event in events.iter() {
            self.add(event);
        }
    }

    /// Returns the count of `event`.
    pub fn count(&self, event: DecodeEvent) -> u64 {
        self.counts.get(usize::from(event.0)).copied().unwrap_or(0)
    }

    /// Adds another worker's counts.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }
}

impl weir_base::Counters for EventCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let mut name = String::with_capacity(64);
        for (&event, &count) in DecodeEvent::ALL.iter().zip(&self.counts) {
            name.clear();
            // The one event that belongs to no protocol is counted beside the protocols.
            name.push_str(if event == DecodeEvent::TOO_MANY_LAYERS { "decoder." } else { "decoder.event." });
            name.push_str(event.name());
            visitor.counter(&name, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::Counters;

    #[test]
    fn every_event_is_found_by_its_name() {
        for &event in DecodeEvent::ALL {
            assert_eq!(DecodeEvent::by_name(event.name()), Some(event));
            assert_eq!(DecodeEvent::by_name(event.full_name()), Some(event));
        }
        assert_eq!(DecodeEvent::by_name("ipv4.no_such"), None);
        assert_eq!(DecodeEvent::IPV4_PKT_TOO_SMALL.full_name(), "decoder.ipv4.pkt_too_small");
        assert!(DecodeEvent::UDP_HLEN_INVALID.is_retired() && !DecodeEvent::UDP_LEN_INVALID.is_retired());
        assert!(DecodeEvent::IPV4_TRUNC_PKT.invalidates());
        assert!(!DecodeEvent::IPV4_OPT_PAD_REQUIRED.invalidates());
    }

    #[test]
    fn a_full_list_drops_later_events() {
        let mut list = EventList::default();
        assert!(list.is_empty());
        for &event in DecodeEvent::ALL {
            list.push(event);
        }
        assert_eq!(list.as_slice(), &DecodeEvent::ALL[..MAX_EVENTS]);
        assert!(!list.contains(DecodeEvent::TOO_MANY_LAYERS));
    }

    #[test]
    fn counters_have_the_names_users_graph() {
        let mut counters = EventCounters::default();
        counters.add(DecodeEvent::UDP_LEN_INVALID);
        counters.add(DecodeEvent::TOO_MANY_LAYERS);
        let mut listed = Vec::new();
        counters.visit(&mut |name: &str, value: u64| {
            if value > 0 {
                listed.push(name.to_string());
            }
        });
        assert_eq!(listed, ["decoder.event.udp.len_invalid", "decoder.too_many_layers"]);
    }
}
