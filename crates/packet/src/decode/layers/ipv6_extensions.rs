//! IPv6 extension headers (RFC 8200 4, RFC 4302, RFC 6275, RFC 7401, RFC 5533).

use super::super::walk::Walk;
use super::ipv6::LENGTH as IPV6_LENGTH;
use crate::event::DecodeEvent;
use crate::header::Ipv6Fragment;
use crate::ip_protocol;
use crate::packet::LayerKind;

/// Least length of any extension header; those of variable length count in this unit.
const UNIT: usize = 8;
const AH_LEAST: usize = 12;

const PAD_1: u8 = 0;
const PAD_N: u8 = 1;
const ROUTER_ALERT: u8 = 5;
const JUMBO: u8 = 0xc2;
const HOME_ADDRESS: u8 = 0xc9;

/// End of the chain of extension headers.
pub(super) struct Chain<'a> {
    /// All extension headers.
    pub(super) extensions: &'a [u8],
    /// Bytes after them.
    pub(super) payload: &'a [u8],
    /// Its protocol.
    pub(super) protocol: u8,
    /// The first fragment header.
    pub(super) fragment: Option<Ipv6Fragment>,
    /// Whether nothing above is to be read: no next header, or damage.
    pub(super) ended: bool,
}

/// Headers seen before.
#[derive(Default)]
struct Seen {
    routing: bool,
    hop_by_hop: bool,
    destination_options: u8,
    authentication: bool,
}

impl<'a> Walk<'_, 'a> {
    /// Follows the headers from `next_header` on through `content`. Each takes at least eight bytes,
    /// so that the loop ends with the bytes.
    pub(super) fn ipv6_extensions(&mut self, next_header: u8, content: &'a [u8]) -> Chain<'a> {
        let mut seen = Seen::default();
        let mut next = next_header;
        let mut rest = content;
        let mut fragment: Option<Ipv6Fragment> = None;
        // Where the byte stands that announces the header at hand.
        let mut announced_at = NEXT_HEADER_OFFSET;
        let mut ended = false;
        while is_extension(next) {
            if next == ip_protocol::NONE {
                if !rest.is_empty() {
                    self.note(DecodeEvent::IPV6_DATA_AFTER_NONE_HEADER);
                }
                ended = true;
                break;
            }
            let Some((header, after)) = split_header(next, rest) else {
                self.raise(DecodeEvent::IPV6_TRUNC_EXTHDR);
                ended = true;
                break;
            };
            let position = content.len() - rest.len();
            if next == ip_protocol::FRAGMENT {
                if fragment.is_some() {
                    self.note(DecodeEvent::IPV6_EXTHDR_DUPL_FH);
                } else if let Some(found) = self.ipv6_fragment(header, position, announced_at) {
                    fragment = Some(found);
                    if found.more || found.offset > 0 {
                        next = found.next_header;
                        rest = after;
                        break;
                    }
                    self.note(DecodeEvent::IPV6_EXTHDR_USELESS_FH);
                }
            } else {
                self.ipv6_extension(next, header, &mut seen);
            }
            announced_at = IPV6_LENGTH + position;
            next = header.first().copied().unwrap_or(ip_protocol::NONE);
            rest = after;
        }
        let extensions = content.get(..content.len() - rest.len()).unwrap_or_default();
        Chain { extensions, payload: rest, protocol: next, fragment, ended }
    }

    fn ipv6_fragment(&mut self, header: &[u8], position: usize, announced_at: usize) -> Option<Ipv6Fragment> {
        let &[next_header, reserved, high, low, a, b, c, d] = header.first_chunk::<UNIT>()?;
        if reserved != 0 {
            self.note(DecodeEvent::IPV6_FH_NON_ZERO_RESERVED_FIELD);
        }
        let word = u16::from_be_bytes([high, low]);
        Some(Ipv6Fragment {
            offset: word & 0xfff8,
            more: word & 1 != 0,
            id: u32::from_be_bytes([a, b, c, d]),
            next_header,
            header_offset: position as u16,
            previous_next_header: announced_at as u16,
        })
    }

    /// Checks one header that is neither a fragment header nor the last. A second one of a kind is
    /// passed over.
    fn ipv6_extension(&mut self, kind: u8, header: &'a [u8], seen: &mut Seen) {
        match kind {
            ip_protocol::ROUTING => {
                if std::mem::replace(&mut seen.routing, true) {
                    self.note(DecodeEvent::IPV6_EXTHDR_DUPL_RH);
                } else if header.get(2) == Some(&0) {
                    self.note(DecodeEvent::IPV6_RH_TYPE_0);
                }
            }
            ip_protocol::HOP_BY_HOP => {
                if std::mem::replace(&mut seen.hop_by_hop, true) {
                    self.note(DecodeEvent::IPV6_EXTHDR_DUPL_HH);
                } else {
                    let odd = OptionEvents {
                        unknown: DecodeEvent::IPV6_HOPOPTS_UNKNOWN_OPT,
                        only_padding: DecodeEvent::IPV6_HOPOPTS_ONLY_PADDING,
                    };
                    self.ipv6_options(header.get(2..).unwrap_or_default(), odd);
                }
            }
            ip_protocol::DESTINATION_OPTIONS => {
                seen.destination_options = seen.destination_options.saturating_add(1);
                // One may stand before a routing header, one after it.
                if seen.destination_options > 2 {
                    self.note(DecodeEvent::IPV6_EXTHDR_DUPL_DH);
                } else {
                    let odd = OptionEvents {
                        unknown: DecodeEvent::IPV6_DSTOPTS_UNKNOWN_OPT,
                        only_padding: DecodeEvent::IPV6_DSTOPTS_ONLY_PADDING,
                    };
                    self.ipv6_options(header.get(2..).unwrap_or_default(), odd);
                }
            }
            ip_protocol::AH => {
                self.counters().ah += 1;
                self.layer(LayerKind::Ah, header);
                if header.get(2..4) != Some(&[0, 0]) {
                    self.note(DecodeEvent::IPV6_EXTHDR_AH_RES_NOT_NULL);
                }
                if std::mem::replace(&mut seen.authentication, true) {
                    self.note(DecodeEvent::IPV6_EXTHDR_DUPL_AH);
                }
            }
            _ => {}
        }
    }

    /// Options of a hop-by-hop or destination options header.
    fn ipv6_options(&mut self, bytes: &[u8], odd: OptionEvents) {
        let mut rest = bytes;
        let (mut padding, mut others) = (false, false);
        while let Some((&kind, after)) = rest.split_first() {
            if kind == PAD_1 {
                padding = true;
                rest = after;
                continue;
            }
            let value =
                after.split_first().and_then(|(&length, after)| after.split_at_checked(length.into()));
            let Some((value, after)) = value else {
                self.note(DecodeEvent::IPV6_EXTHDR_INVALID_OPTLEN);
                break;
            };
            let least = match kind {
                ROUTER_ALERT => 2,
                JUMBO => 4,
                HOME_ADDRESS => 16,
                _ => 0,
            };
            if value.len() < least {
                self.note(DecodeEvent::IPV6_EXTHDR_INVALID_OPTLEN);
                break;
            }
            match kind {
                PAD_N => {
                    padding = true;
                    if value.is_empty() {
                        self.note(DecodeEvent::IPV6_ZERO_LEN_PADN);
                    }
                }
                ROUTER_ALERT | JUMBO | HOME_ADDRESS => others = true,
                _ => {
                    others = true;
                    self.note(odd.unknown);
                }
            }
            rest = after;
        }
        if padding && !others {
            self.note(odd.only_padding);
        }
    }
}

/// Where the fixed header announces what follows it.
const NEXT_HEADER_OFFSET: usize = 6;

/// The events of an options header that depend on its kind.
#[derive(Clone, Copy)]
struct OptionEvents {
    unknown: DecodeEvent,
    only_padding: DecodeEvent,
}

/// Whether a next header is followed here; all others are what IPv6 carries.
#[inline]
const fn is_extension(next: u8) -> bool {
    matches!(
        next,
        ip_protocol::HOP_BY_HOP
            | ip_protocol::ROUTING
            | ip_protocol::FRAGMENT
            | ip_protocol::AH
            | ip_protocol::NONE
            | ip_protocol::DESTINATION_OPTIONS
            | ip_protocol::MOBILITY
            | ip_protocol::HIP
            | ip_protocol::SHIM6
    )
}

/// Splits the header off that `kind` says.
fn split_header(kind: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length_field = usize::from(*bytes.get(1)?);
    let length = match kind {
        ip_protocol::FRAGMENT => UNIT,
        ip_protocol::AH => AH_LEAST + length_field.saturating_sub(1) * 4,
        _ => UNIT + length_field * UNIT,
    };
    bytes.split_at_checked(length)
}
