//! Whether checksums are right: `tcpv4-csum:invalid` and its like.

use weir_packet::{Packet, Transport, checksum};
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;

macro_rules! row {
    ($name:literal, $what:literal, $valid:expr) => {
        Keyword::new(
            $name,
            [
                concat!($name, ":valid|invalid;"),
                concat!("Whether the checksum of ", $what, " is right."),
                concat!($name, ":invalid;"),
            ],
            |option, rule| push(option, rule, $valid),
        )
    };
}

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    row!("ipv4-csum", "the IPv4 header", checksum::ipv4_valid),
    row!("tcpv4-csum", "TCP over IPv4", |packet| over(
        packet,
        true,
        matches!(packet.transport, Transport::Tcp(_))
    )),
    row!("tcpv6-csum", "TCP over IPv6", |packet| over(
        packet,
        false,
        matches!(packet.transport, Transport::Tcp(_))
    )),
    row!("udpv4-csum", "UDP over IPv4", |packet| over(packet, true, has_udp_checksum(packet))),
    row!("udpv6-csum", "UDP over IPv6", |packet| over(packet, false, has_udp_checksum(packet))),
    row!("icmpv4-csum", "ICMP", |packet| {
        over(packet, true, matches!(packet.transport, Transport::Icmpv4(_)))
    }),
    row!("icmpv6-csum", "ICMPv6", |packet| {
        over(packet, false, matches!(packet.transport, Transport::Icmpv6(_)))
    }),
];

/// Whether the checksum is right; none where the packet has none of this kind.
type Valid = fn(&Packet<'_>) -> Option<bool>;

fn over(packet: &Packet<'_>, v4: bool, is_kind: bool) -> Option<bool> {
    let version = packet.ip.as_ref()?.is_v4() == v4;
    (version && is_kind).then(|| checksum::transport_valid(packet))?
}

/// A checksum of zero says that there is none.
fn has_udp_checksum(packet: &Packet<'_>) -> bool {
    matches!(&packet.transport, Transport::Udp(udp) if udp.checksum != 0)
}

struct Checksum {
    valid: Valid,
    wanted: bool,
}

impl PacketCheck for Checksum {
    fn cost(&self) -> Cost {
        Cost::Packet
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        // What the stream engine made itself has no checksum.
        !view.facts.packet.is_pseudo() && (self.valid)(view.facts.packet) == Some(self.wanted)
    }
}

fn push(option: &RuleOption, rule: &mut RuleBuilder<'_>, valid: Valid) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let wanted = match text.to_ascii_lowercase().as_str() {
        "valid" => true,
        "invalid" => false,
        _ => return Err(text.error(format!("`{}` takes `valid` or `invalid`, not `{text}`.", option.name))),
    };
    rule.push_header_check(Checksum { valid, wanted });
    Ok(())
}
