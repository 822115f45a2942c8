//! Fields of the IP header, and VLAN tags.

use weir_packet::header::Ipv4Options;
use weir_packet::{Ip, Ipv4, Packet};
use weir_rules::value::{IntegerIndex, IntegerListMatch, IntegerMatch};
use weir_rules::{Quotes, RuleOption, SyntaxError};

use super::header_integer::{comparison, push_header, push_header_comparison, push_ip_only};
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{LinkProtocol, PacketCheck, Subjects};
use crate::model::view::PacketView;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "ttl",
        ["ttl:<comparison>;", "The time to live, or the hop limit of IPv6.", "ttl:<5;"],
        |option, rule| push_header(option, rule, |view| view.facts.packet.ip.as_ref().map(Ip::ttl)),
    ),
    Keyword::new(
        "id",
        ["id:<comparison>;", "The identification of the IPv4 header.", "id:31337;"],
        |option, rule| push_header(option, rule, |view| v4(view.facts.packet).map(|ip| ip.id)),
    ),
    Keyword::new(
        "tos",
        [
            "tos:[!]<number|x<hexadecimal>>;",
            "The type of service of the IPv4 header, in decimal, or in hexadecimal after `x`.",
            "tos:!x88;",
        ],
        type_of_service,
    ),
    Keyword::new(
        "ip_proto",
        ["ip_proto:[!|<|>]<number|name>;", "The protocol number above IP, in rules on `ip`.", "ip_proto:47;"],
        protocol,
    ),
    Keyword::new(
        "fragbits",
        [
            "fragbits:[+|*|!]<MDR>;",
            "More fragments, don't fragment, reserved: these and no others, these at least (+), any of these (*), \
             not these (!).",
            "fragbits:M;",
        ],
        fragment_bits,
    ),
    Keyword::new(
        "fragoffset",
        ["fragoffset:<comparison>;", "The fragment offset as the header has it.", "fragoffset:>0;"],
        |option, rule| push_header(option, rule, |view| fragment_offset(view.facts.packet)),
    ),
    Keyword::new(
        "ipopts",
        [
            "ipopts:<rr|lsrr|eol|nop|ts|sec|esec|ssrr|satid|qs|cipso|rtralt|any>;",
            "The IPv4 header has the option.",
            "ipopts:lsrr;",
        ],
        options,
    ),
    Keyword::new(
        "sameip",
        ["sameip;", "Source and destination address are the same.", "sameip;"],
        |option, rule| {
            option.no_argument()?;
            rule.push_header_check(SameAddress);
            Ok(())
        },
    ),
    Keyword::new("l3_proto", ["l3_proto:ipv4|ipv6;", "The version of IP.", "l3_proto:ipv6;"], version),
    Keyword::new(
        "vlan.id",
        [
            "vlan.id:<comparison>[,<layer>|any|all];",
            "The identifiers of the VLAN tags, counted from the outermost.",
            "vlan.id:100,0;",
        ],
        vlan_id,
    ),
    Keyword::new(
        "vlan.layers",
        ["vlan.layers:<comparison>;", "How many VLAN tags there are.", "vlan.layers:>1;"],
        |option, rule| {
            push_header(option, rule, |view| u8::try_from(view.facts.packet.vlan.as_slice().len()).ok())
        },
    ),
];

/// Names of IP protocols (IANA, "Protocol Numbers").
const PROTOCOLS: &[(&str, u8)] = &[
    ("icmp", 1),
    ("igmp", 2),
    ("ggp", 3),
    ("ipip", 4),
    ("ipencap", 4),
    ("st", 5),
    ("tcp", 6),
    ("egp", 8),
    ("igp", 9),
    ("pup", 12),
    ("udp", 17),
    ("hmp", 20),
    ("xns-idp", 22),
    ("rdp", 27),
    ("iso-tp4", 29),
    ("dccp", 33),
    ("xtp", 36),
    ("ddp", 37),
    ("ipv6", 41),
    ("ipv6-route", 43),
    ("ipv6-frag", 44),
    ("idrp", 45),
    ("rsvp", 46),
    ("gre", 47),
    ("esp", 50),
    ("ah", 51),
    ("skip", 57),
    ("ipv6-icmp", 58),
    ("icmpv6", 58),
    ("ipv6-nonxt", 59),
    ("ipv6-opts", 60),
    ("eigrp", 88),
    ("rspf", 73),
    ("vmtp", 81),
    ("ospf", 89),
    ("etherip", 97),
    ("encap", 98),
    ("pim", 103),
    ("ipcomp", 108),
    ("vrrp", 112),
    ("l2tp", 115),
    ("isis", 124),
    ("sctp", 132),
    ("fc", 133),
    ("mpls-in-ip", 137),
];

/// Names of IPv4 options.
const OPTIONS: &[(&str, u16)] = &[
    ("rr", Ipv4Options::RR),
    ("lsrr", Ipv4Options::LSRR),
    ("eol", Ipv4Options::EOL),
    ("nop", Ipv4Options::NOP),
    ("ts", Ipv4Options::TS),
    ("sec", Ipv4Options::SEC),
    ("esec", Ipv4Options::ESEC),
    ("ssrr", Ipv4Options::SSRR),
    ("satid", Ipv4Options::SATID),
    ("qs", Ipv4Options::QS),
    ("cipso", Ipv4Options::CIPSO),
    ("rtralt", Ipv4Options::RTRALT),
    ("any", u16::MAX),
];

fn v4<'p>(packet: &'p Packet<'_>) -> Option<&'p Ipv4<'p>> {
    match &packet.ip {
        Some(Ip::V4(ip)) => Some(ip),
        _ => None,
    }
}

fn type_of_service(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let text = argument.text;
    let number = match text.strip_prefix(['x', 'X']) {
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            u8::from_str_radix(digits, 16).ok()
        }
        None if text.bytes().all(|digit| digit.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    let Some(number) = number else {
        return Err(text
            .error(format!("invalid tos option - {text}. The tos option value must be in the range 0 - 255"))
            .with_help("write `tos:136;` or `tos:x88;`"));
    };
    let comparison =
        if argument.negated { IntegerMatch::NotEqual(number) } else { IntegerMatch::Equal(number) };
    push_header_comparison(rule, comparison, |view| v4(view.facts.packet).map(|ip| ip.tos));
    Ok(())
}

/// Reads a comparison of `ip_proto`, and holds it against those before it in the rule.
fn protocol(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let wanted = comparison(option, PROTOCOLS)?;
    let packets = &rule.head.protocols;
    if !rule.head.app_protocols.is_empty() || !packets.all_numbers() || packets.link != LinkProtocol::None {
        return Err(option
            .name
            .error("Signature can use ip_proto keyword only when we use alert ip.")
            .with_help("write `ip` in the rule's protocol field"));
    }
    let fits = |before: &IntegerMatch<u8>| match (*before, wanted) {
        (IntegerMatch::NotEqual(_), IntegerMatch::Equal(_)) => false,
        (IntegerMatch::NotEqual(_), _) => true,
        (IntegerMatch::Less(_) | IntegerMatch::Greater(_), IntegerMatch::NotEqual(_)) => true,
        (IntegerMatch::Less(high), IntegerMatch::Greater(low))
        | (IntegerMatch::Greater(low), IntegerMatch::Less(high)) => low < high,
        _ => false,
    };
    match wanted {
        IntegerMatch::Equal(_)
        | IntegerMatch::NotEqual(_)
        | IntegerMatch::Less(_)
        | IntegerMatch::Greater(_) => {}
        _ => {
            return Err(option
                .error("`ip_proto` takes a number or a name, alone or after one of ! < >.")
                .with_help("a range is `ip_proto:>5; ip_proto:<20;`"));
        }
    }
    if !rule.given.ip_protocols.iter().all(fits) {
        return Err(option
            .error("This ip_proto and one before it exclude or repeat each other.")
            .with_help("beside each other stand one `>`, one `<` above it, and any number of `!`"));
    }
    rule.given.ip_protocols.push(wanted);
    rule.demands.subjects.insert(Subjects::PACKET);
    push_ip_only(rule, wanted, |view| view.facts.packet.ip_protocol());
    Ok(())
}

/// In units of eight bytes for IPv4, in bytes for IPv6, as rules for either have always counted.
fn fragment_offset(packet: &Packet<'_>) -> Option<u16> {
    match packet.ip.as_ref()? {
        Ip::V4(ip) => Some(ip.fragment_offset / 8),
        Ip::V6(ip) => ip.fragment.map(|fragment| fragment.offset),
    }
}

/// Comparison of bits with those of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum BitMode {
    /// These and no others.
    #[default]
    Exact,
    /// `+`: these at least.
    All,
    /// `*`: any of these.
    Any,
    /// `!`: not all of these.
    Not,
}

impl BitMode {
    /// The mode that a sign stands for.
    pub(super) fn of(sign: char) -> Option<Self> {
        match sign {
            '+' => Some(Self::All),
            '*' => Some(Self::Any),
            '!' => Some(Self::Not),
            _ => None,
        }
    }

    /// Whether `found` compares so with `wanted`.
    pub(super) fn matches(self, found: u8, wanted: u8) -> bool {
        match self {
            Self::Exact => found == wanted,
            Self::All => found & wanted == wanted,
            Self::Any => found & wanted != 0,
            Self::Not => found & wanted != wanted,
        }
    }
}

const MORE_FRAGMENTS: u8 = 1;
const DONT_FRAGMENT: u8 = 2;
const RESERVED: u8 = 4;

/// `fragbits`
struct FragmentBits {
    mode: BitMode,
    bits: u8,
}

impl PacketCheck for FragmentBits {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        let Some(ip) = v4(view.facts.packet) else { return false };
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        let found = bit(ip.more_fragments, MORE_FRAGMENTS)
            | bit(ip.dont_fragment, DONT_FRAGMENT)
            | bit(ip.reserved_flag, RESERVED);
        self.mode.matches(found, self.bits)
    }
}

fn fragment_bits(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut check = FragmentBits { mode: BitMode::default(), bits: 0 };
    for letter in text.chars().filter(|c| !c.is_whitespace()) {
        match (letter.to_ascii_uppercase(), BitMode::of(letter)) {
            ('M', _) => check.bits |= MORE_FRAGMENTS,
            ('D', _) => check.bits |= DONT_FRAGMENT,
            ('R', _) => check.bits |= RESERVED,
            (_, Some(mode)) if check.mode == BitMode::Exact => check.mode = mode,
            _ => {
                return Err(text
                    .error(format!("`{letter}` is out of place in `fragbits`."))
                    .with_help("write one of + * ! and then the letters M, D, R"));
            }
        }
    }
    if check.bits == 0 {
        return Err(text.error("`fragbits` names no bit.").with_help("the bits are M, D and R"));
    }
    rule.push_header_check(check);
    Ok(())
}

/// `ipopts`
struct HasOption(u16);

impl PacketCheck for HasOption {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        v4(view.facts.packet).is_some_and(|ip| ip.options.0 & self.0 != 0)
    }
}

fn options(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let Some((_, bits)) = OPTIONS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)) else {
        let names: Vec<&str> = OPTIONS.iter().map(|(name, _)| *name).collect();
        return Err(text
            .error(format!("`{text}` is no IPv4 option."))
            .with_help(format!("options are {}", names.join(", "))));
    };
    rule.push_header_check(HasOption(*bits));
    Ok(())
}

/// `sameip`
struct SameAddress;

impl PacketCheck for SameAddress {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.packet.ip.as_ref().is_some_and(|ip| ip.source() == ip.destination())
    }
}

/// `l3_proto`
struct Version {
    v4: bool,
}

impl PacketCheck for Version {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.packet.ip.as_ref().is_some_and(|ip| ip.is_v4() == self.v4)
    }

    fn ip_only(&self) -> bool {
        true
    }
}

fn version(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let v4 = match text.to_ascii_lowercase().as_str() {
        "ipv4" | "ip4" => true,
        "ipv6" | "ip6" => false,
        _ => return Err(text.error(format!("`{text}` is no version of IP: ipv4 or ipv6."))),
    };
    let version = &mut rule.head.protocols.ip_version;
    let wanted = if v4 { 4 } else { 6 };
    if ![0, wanted].contains(version) {
        return Err(option.error("Conflicting l3 proto specified"));
    }
    *version = wanted;
    rule.push_packet_check(Version { v4 });
    Ok(())
}

/// Largest identifier of a VLAN (IEEE 802.1Q: 12 bits).
const MAX_VLAN: u16 = 0xfff;

/// Most VLAN tags of a packet.
const VLAN_LAYERS: i32 = 3;

/// `vlan.id`
struct VlanId(IntegerListMatch<u16>);

impl PacketCheck for VlanId {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        self.0.matches(view.facts.packet.vlan.as_slice())
    }
}

fn vlan_id(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let list = IntegerListMatch::parse(&text, |_| None).map_err(|error| text.locate(error))?;
    if list.comparison.numbers().into_iter().any(|number| number > MAX_VLAN) {
        return Err(text.error("vlan id should be less than 4096"));
    }
    if let IntegerIndex::At(layer) = list.index
        && !(-VLAN_LAYERS..VLAN_LAYERS).contains(&layer)
    {
        return Err(text.error("A packet has at most three VLAN tags: layers are -3 to 2."));
    }
    rule.push_header_check(VlanId(list));
    Ok(())
}
