//! IPv6 (RFC 8200).

use std::net::Ipv6Addr;

use super::super::walk::{Inner, Outcome, Walk};
use super::ipv6_extensions::Chain;
use crate::event::DecodeEvent;
use crate::header::{Ip, Ipv6};
use crate::ip_protocol;
use crate::packet::{LayerKind, Origin};

/// Length of the fixed header.
pub(super) const LENGTH: usize = 40;
const IPV4_LEAST: usize = 20;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn ipv6(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ipv6 += 1;
        self.descend()?;
        let (header, rest) = self.header(bytes, LENGTH, DecodeEvent::IPV6_PKT_TOO_SMALL)?;
        let (&[first, second, third, fourth, lh, ll, next_header, hop_limit], addresses) =
            header.split_first_chunk::<8>()?;
        let (source, destination) = addresses.split_first_chunk::<16>()?;
        if first >> 4 != 6 {
            return self.fail(DecodeEvent::IPV6_WRONG_IP_VERSION);
        }
        let payload_length = u16::from_be_bytes([lh, ll]);
        let (content, _) = self.header(rest, usize::from(payload_length), DecodeEvent::IPV6_TRUNC_PKT)?;
        let ip = Ipv6 {
            header,
            extensions: &[],
            payload: content,
            source: Ipv6Addr::from(*source),
            destination: Ipv6Addr::from(*destination.first_chunk::<16>()?),
            next_header,
            protocol: next_header,
            hop_limit,
            traffic_class: (first << 4) | (second >> 4),
            flow_label: u32::from_be_bytes([0, second & 0x0f, third, fourth]),
            payload_length,
            fragment: None,
        };
        self.packet.ip = Some(Ip::V6(ip));
        self.layer(LayerKind::Ipv6, header);
        let chain = self.ipv6_extensions(next_header, content);
        // What is in fragments is told by the packet that is put together from them.
        let is_fragment = ip_is_fragment(&chain);
        self.packet.ip = Some(Ip::V6(Ipv6 {
            extensions: chain.extensions,
            payload: chain.payload,
            protocol: if is_fragment { ip_protocol::FRAGMENT } else { chain.protocol },
            fragment: chain.fragment,
            ..ip
        }));
        if chain.ended || is_fragment {
            return Some(());
        }
        // Damage above IP leaves the IP packet what it is.
        let _reported_as_events = self.ipv6_payload(chain.protocol, chain.payload);
        Some(())
    }

    fn ipv6_payload(&mut self, protocol: u8, payload: &'a [u8]) -> Outcome {
        match protocol {
            ip_protocol::TCP => self.tcp(payload),
            ip_protocol::UDP => self.udp(payload),
            ip_protocol::ICMPV6 => self.icmpv6(payload),
            ip_protocol::SCTP => self.sctp(payload),
            ip_protocol::GRE => self.gre(payload),
            ip_protocol::ESP => self.esp(payload),
            ip_protocol::IPV4 => self.ipv4_in_ipv6(payload),
            ip_protocol::IPV6 => self.ipv6_in_ipv6(payload),
            ip_protocol::ICMPV4 => {
                self.packet.payload = payload;
                self.note(DecodeEvent::IPV6_ICMPV4);
                Some(())
            }
            _ => {
                self.packet.payload = payload;
                self.note(DecodeEvent::IPV6_UNKNOWN_NEXT_HEADER);
                Some(())
            }
        }
    }

    fn ipv4_in_ipv6(&mut self, payload: &'a [u8]) -> Outcome {
        self.packet.payload = payload;
        self.header(payload, IPV4_LEAST, DecodeEvent::IPV6_IPV4_IN_IPV6_TOO_SMALL)?;
        if payload.first()? >> 4 != 4 {
            self.raise(DecodeEvent::IPV6_IPV4_IN_IPV6_WRONG_VERSION);
            return Some(());
        }
        self.counters().ipv4_in_ipv6 += 1;
        self.tunnel(Inner::Ipv4, payload, Origin::Ipv6Tunnel)
    }

    fn ipv6_in_ipv6(&mut self, payload: &'a [u8]) -> Outcome {
        self.packet.payload = payload;
        self.header(payload, LENGTH, DecodeEvent::IPV6_IPV6_IN_IPV6_TOO_SMALL)?;
        if payload.first()? >> 4 != 6 {
            self.raise(DecodeEvent::IPV6_IPV6_IN_IPV6_WRONG_VERSION);
            return Some(());
        }
        self.counters().ipv6_in_ipv6 += 1;
        self.tunnel(Inner::Ipv6, payload, Origin::Ipv6Tunnel)
    }
}

/// Whether the chain ends at a fragment header that is not useless.
fn ip_is_fragment(chain: &Chain<'_>) -> bool {
    chain.fragment.is_some_and(|fragment| fragment.more || fragment.offset > 0)
}
