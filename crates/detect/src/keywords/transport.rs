//! Fields of TCP, ICMP, IGMP and SCTP headers.

use weir_packet::header::Sctp;
use weir_packet::{Icmp, Packet, Tcp, Transport};
use weir_rules::value::{IntegerListMatch, comma_list};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::header_integer::push_header;
use super::ip::BitMode;
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::PacketCheck;
use crate::model::view::PacketView;

/// Most chunks of an SCTP packet looked at.
const MAX_CHUNKS: usize = 64;

/// Number of TCP among the IP protocols.
const TCP: u8 = 6;

/// Number of ICMPv6 among the IP protocols.
const ICMPV6: u8 = 58;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "tcp.flags",
        [
            "tcp.flags:[+|*|!]<FSRPAUCE0>[,<ignored>];",
            "The TCP flags: these and no others, these at least (+), any of these (*), not these (!). Flags after \
             the comma are ignored; 1 and 2 are the two highest.",
            "tcp.flags:S,12;",
        ],
        flags,
    )
    .also(&["flags"]),
    Keyword::new(
        "tcp.seq",
        ["tcp.seq:<comparison>;", "The TCP sequence number.", "tcp.seq:0;"],
        |option, rule| push_header(option, rule, |view| view.facts.packet.tcp().map(|tcp| tcp.seq)),
    )
    .also(&["seq"]),
    Keyword::new(
        "tcp.ack",
        ["tcp.ack:<comparison>;", "The TCP acknowledgement number.", "tcp.ack:0;"],
        |option, rule| push_header(option, rule, |view| view.facts.packet.tcp().map(|tcp| tcp.ack)),
    )
    .also(&["ack"]),
    Keyword::new(
        "tcp.window",
        ["tcp.window:<comparison>;", "The TCP window as sent, not scaled.", "tcp.window:55808;"],
        |option, rule| push_header(option, rule, |view| view.facts.packet.tcp().map(|tcp| tcp.window)),
    )
    .also(&["window"]),
    Keyword::new(
        "tcp.mss",
        ["tcp.mss:<comparison>;", "The maximum segment size among the TCP options.", "tcp.mss:<536;"],
        |option, rule| {
            rule.needs_protocol(option, TCP)?;
            push_header(option, rule, |view| view.facts.packet.tcp()?.options.mss)
        },
    ),
    Keyword::new(
        "tcp.wscale",
        ["tcp.wscale:<comparison>;", "The window scale among the TCP options.", "tcp.wscale:>10;"],
        |option, rule| {
            rule.needs_protocol(option, TCP)?;
            push_header(option, rule, |view| view.facts.packet.tcp()?.options.window_scale)
        },
    ),
    Keyword::new(
        "itype",
        ["itype:<comparison>;", "The type of an ICMP message.", "itype:8;"],
        |option, rule| push_header(option, rule, |view| icmp(view.facts.packet).map(|icmp| icmp.kind)),
    ),
    Keyword::new(
        "icode",
        ["icode:<comparison>;", "The code of an ICMP message.", "icode:0;"],
        |option, rule| push_header(option, rule, |view| icmp(view.facts.packet).map(|icmp| icmp.code)),
    ),
    Keyword::new(
        "icmp_id",
        ["icmp_id:<comparison>;", "The identifier of an ICMP message that has one.", "icmp_id:0;"],
        |option, rule| push_header(option, rule, |view| icmp(view.facts.packet)?.id),
    ),
    Keyword::new(
        "icmp_seq",
        ["icmp_seq:<comparison>;", "The sequence number of an ICMP message that has one.", "icmp_seq:0;"],
        |option, rule| push_header(option, rule, |view| icmp(view.facts.packet)?.seq),
    ),
    Keyword::new(
        "icmpv6.mtu",
        ["icmpv6.mtu:<comparison>;", "The size in an ICMPv6 packet-too-big message.", "icmpv6.mtu:<1280;"],
        |option, rule| {
            rule.needs_protocol(option, ICMPV6)?;
            push_header(option, rule, |view| match &view.facts.packet.transport {
                Transport::Icmpv6(icmp) => icmp.mtu,
                _ => None,
            })
        },
    ),
    Keyword::new(
        "igmp.type",
        ["igmp.type:<comparison>;", "The type of an IGMP message.", "igmp.type:0x16;"],
        |option, rule| {
            push_header(option, rule, |view| match view.facts.packet.transport {
                Transport::Igmp(message) => message.first().copied(),
                _ => None,
            })
        },
    ),
    Keyword::new(
        "sctp.vtag",
        ["sctp.vtag:<comparison>;", "The verification tag of SCTP.", "sctp.vtag:0;"],
        |option, rule| push_header(option, rule, |view| sctp(view.facts.packet).map(|sctp| sctp.verification_tag)),
    ),
    Keyword::new(
        "sctp.chunk_cnt",
        ["sctp.chunk_cnt:<comparison>;", "How many chunks an SCTP packet has.", "sctp.chunk_cnt:>10;"],
        |option, rule| {
            push_header(option, rule, |view| u8::try_from(chunk_types(sctp(view.facts.packet)?.chunks).count()).ok())
        },
    ),
    Keyword::new(
        "sctp.chunk_type",
        [
            "sctp.chunk_type:<comparison>[,<index>];",
            "The types of the chunks of an SCTP packet.",
            "sctp.chunk_type:6;",
        ],
        chunk_type,
    ),
];

fn icmp<'p>(packet: &'p Packet<'_>) -> Option<&'p Icmp<'p>> {
    match &packet.transport {
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => Some(icmp),
        _ => None,
    }
}

fn sctp<'p>(packet: &'p Packet<'_>) -> Option<&'p Sctp<'p>> {
    match &packet.transport {
        Transport::Sctp(sctp) => Some(sctp),
        _ => None,
    }
}

/// The chunks of an SCTP packet (RFC 9260, 3.2), without their padding, as far as their lengths hold
/// together.
pub(super) fn chunks(all: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let &[_, _, high, low, ..] = rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let chunk = rest.get(..length.max(4)).unwrap_or(rest);
        // Chunks are padded to four bytes; one shorter than its header cannot be skipped.
        rest = if length < 4 { &[] } else { rest.get(length.next_multiple_of(4)..).unwrap_or_default() };
        Some(chunk)
    })
    .take(MAX_CHUNKS)
}

/// The types of the chunks.
fn chunk_types(all: &[u8]) -> impl Iterator<Item = u8> + '_ {
    chunks(all).map(|chunk| chunk.first().copied().unwrap_or_default())
}

/// `sctp.chunk_type`
struct ChunkType(IntegerListMatch<u8>);

impl PacketCheck for ChunkType {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        let Some(sctp) = sctp(view.facts.packet) else { return false };
        let mut types = [0; MAX_CHUNKS];
        let mut count = 0;
        for (slot, kind) in types.iter_mut().zip(chunk_types(sctp.chunks)) {
            *slot = kind;
            count += 1;
        }
        self.0.matches(types.get(..count).unwrap_or_default())
    }
}

fn chunk_type(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let list = IntegerListMatch::parse(&text, |_| None).map_err(|error| text.locate(error))?;
    rule.push_header_check(ChunkType(list));
    Ok(())
}

/// `tcp.flags`
struct TcpFlags {
    mode: BitMode,
    flags: u8,
    ignored: u8,
}

impl PacketCheck for TcpFlags {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.packet.tcp().is_some_and(|tcp| self.mode.matches(tcp.flags & !self.ignored, self.flags))
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        let flags = view.facts.packet.tcp()?.flags;
        let letters = "FSRPAUEC".chars().enumerate().filter(|(bit, _)| flags & (1 << bit) != 0);
        Some(format!("the packet's flags are {}", letters.map(|(_, letter)| letter).collect::<String>()))
    }
}

fn flags(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut items = comma_list(&text).into_iter();
    let Some(first) = items.next() else { return Err(text.error("`tcp.flags` names no flag.")) };
    let (mode, flags) = parse_flags(&first)?;
    let ignored = match items.next() {
        Some(item) => parse_flags(&item)?.1,
        None => 0,
    };
    if items.next().is_some() {
        return Err(text.error("`tcp.flags` takes flags and, after one comma, flags to ignore."));
    }
    rule.push_header_check(TcpFlags { mode, flags, ignored });
    Ok(())
}

fn parse_flags(text: &Spanned) -> Result<(BitMode, u8), SyntaxError> {
    let mut mode = BitMode::default();
    let (mut flags, mut named) = (0, false);
    for letter in text.chars().filter(|c| !c.is_whitespace()) {
        if let (Some(found), BitMode::Exact) = (BitMode::of(letter), mode) {
            mode = found;
            continue;
        }
        named = true;
        flags |= match letter.to_ascii_uppercase() {
            'F' => Tcp::FIN,
            'S' => Tcp::SYN,
            'R' => Tcp::RST,
            'P' => Tcp::PSH,
            'A' => Tcp::ACK,
            'U' => Tcp::URG,
            'C' | '1' => Tcp::CWR,
            'E' | '2' => Tcp::ECE,
            '0' => 0,
            _ => {
                return Err(text
                    .error(format!("`{letter}` is no TCP flag."))
                    .with_help("flags are F S R P A U C E and 0 for none, after one of + * !"));
            }
        };
    }
    if !named {
        return Err(text.error("No TCP flag is named.").with_help("`0` stands for no flag"));
    }
    Ok((mode, flags))
}
