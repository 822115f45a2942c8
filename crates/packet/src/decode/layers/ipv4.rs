//! IPv4 (RFC 791).

use std::net::Ipv4Addr;

use super::super::walk::{Inner, Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Ip, Ipv4, Ipv4Options};
use crate::ip_protocol;
use crate::packet::{LayerKind, Origin};

/// Length of the header without options.
const LEAST: usize = 20;

const RESERVED_FLAG: u16 = 0x8000;
const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const OFFSET_MASK: u16 = 0x1fff;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn ipv4(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().ipv4 += 1;
        self.descend()?;
        let (fixed, _) = self.fixed::<LEAST>(bytes, DecodeEvent::IPV4_PKT_TOO_SMALL)?;
        let &[first, tos, lh, ll, ih, il, fh, fl, ttl, protocol, _, _, s0, s1, s2, s3, d0, d1, d2, d3] =
            fixed;
        if first >> 4 != 4 {
            return self.fail(DecodeEvent::IPV4_WRONG_IP_VERSION);
        }
        let header_length = usize::from(first & 0x0f) * 4;
        if header_length < LEAST {
            return self.fail(DecodeEvent::IPV4_HLEN_TOO_SMALL);
        }
        let total_length = u16::from_be_bytes([lh, ll]);
        let length = match usize::from(total_length) {
            0 if self.settings.unstated_length => {
                self.note(DecodeEvent::IPV4_IPLEN_SMALLER_THAN_HLEN);
                bytes.len().max(header_length)
            }
            stated if stated < header_length => {
                return self.fail(DecodeEvent::IPV4_IPLEN_SMALLER_THAN_HLEN);
            }
            stated => stated,
        };
        let (whole, _) = self.header(bytes, length, DecodeEvent::IPV4_TRUNC_PKT)?;
        let (header, payload) = whole.split_at_checked(header_length)?;
        let options = match header.get(LEAST..) {
            Some(options) if !options.is_empty() => self.ipv4_options(options),
            _ => Ipv4Options::default(),
        };
        let fragmentation = u16::from_be_bytes([fh, fl]);
        let ip = Ipv4 {
            header,
            payload,
            source: Ipv4Addr::new(s0, s1, s2, s3),
            destination: Ipv4Addr::new(d0, d1, d2, d3),
            protocol,
            ttl,
            tos,
            id: u16::from_be_bytes([ih, il]),
            total_length,
            reserved_flag: fragmentation & RESERVED_FLAG != 0,
            dont_fragment: fragmentation & DONT_FRAGMENT != 0,
            more_fragments: fragmentation & MORE_FRAGMENTS != 0,
            fragment_offset: (fragmentation & OFFSET_MASK) * 8,
            options,
        };
        self.layer(LayerKind::Ipv4, header);
        self.packet.ip = Some(Ip::V4(ip));
        if fragmentation & (MORE_FRAGMENTS | OFFSET_MASK) != 0 {
            return Some(());
        }
        // Damage above IP leaves the IP packet what it is.
        let _reported_as_events = self.ipv4_payload(protocol, payload);
        Some(())
    }

    fn ipv4_payload(&mut self, protocol: u8, payload: &'a [u8]) -> Outcome {
        match protocol {
            ip_protocol::TCP => self.tcp(payload),
            ip_protocol::UDP => self.udp(payload),
            ip_protocol::ICMPV4 => self.icmpv4(payload),
            ip_protocol::GRE => self.gre(payload),
            ip_protocol::SCTP => self.sctp(payload),
            ip_protocol::ESP => self.esp(payload),
            ip_protocol::IGMP => self.igmp(payload),
            ip_protocol::IPV4 => {
                self.counters().ipv4_in_ipv4 += 1;
                self.packet.payload = payload;
                self.tunnel(Inner::Ipv4, payload, Origin::Ipv4Tunnel)
            }
            ip_protocol::IPV6 => {
                self.counters().ipv6_in_ipv4 += 1;
                self.packet.payload = payload;
                self.tunnel(Inner::Ipv6, payload, Origin::Ipv4Tunnel)
            }
            ip_protocol::ICMPV6 => self.fail(DecodeEvent::IPV4_ICMPV6),
            _ => {
                self.packet.payload = payload;
                Some(())
            }
        }
    }
}
