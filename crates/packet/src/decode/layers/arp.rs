//! ARP and its kin (RFC 826, RFC 903, RFC 2390) for IPv4 over Ethernet.

use std::net::Ipv4Addr;

use weir_base::Reader;

use super::super::walk::{Outcome, Walk};
use super::ethernet::ether_type;
use crate::event::DecodeEvent;
use crate::header::Arp;
use crate::packet::LayerKind;

/// The part that says what the rest is.
const FIXED_LENGTH: usize = 8;
/// With addresses of Ethernet and IPv4.
const LENGTH: usize = 28;
const HARDWARE_ETHERNET: u16 = 1;
const MAC_LENGTH: u8 = 6;
const IPV4_LENGTH: u8 = 4;

/// Request and reply of ARP, RARP and inverse ARP.
const OPERATIONS: [u16; 6] = [1, 2, 3, 4, 8, 9];

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn arp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().arp += 1;
        let (fixed, _) = self.header(bytes, FIXED_LENGTH, DecodeEvent::ARP_PKT_TOO_SMALL)?;
        self.descend()?;
        let mut reader = Reader::new(fixed);
        let (hardware_type, protocol_type) = (reader.u16()?, reader.u16()?);
        let (hardware_size, protocol_size, operation) = (reader.u8()?, reader.u8()?, reader.u16()?);
        if hardware_type != HARDWARE_ETHERNET {
            return self.fail(DecodeEvent::ARP_UNSUPPORTED_HARDWARE);
        }
        if protocol_type != ether_type::IPV4 {
            return self.fail(DecodeEvent::ARP_UNSUPPORTED_PROTOCOL);
        }
        let (whole, _) = self.header(bytes, LENGTH, DecodeEvent::ARP_UNSUPPORTED_PKT)?;
        if hardware_size != MAC_LENGTH {
            return self.fail(DecodeEvent::ARP_INVALID_HARDWARE_SIZE);
        }
        if protocol_size != IPV4_LENGTH {
            return self.fail(DecodeEvent::ARP_INVALID_PROTOCOL_SIZE);
        }
        if !OPERATIONS.contains(&operation) {
            return self.fail(DecodeEvent::ARP_UNSUPPORTED_OPCODE);
        }
        let mut reader = Reader::new(whole.get(FIXED_LENGTH..)?);
        self.layer(LayerKind::Arp, whole);
        self.packet.arp = Some(Arp {
            hardware_type,
            protocol_type,
            operation,
            bytes: whole,
            source_mac: reader.array()?,
            source: Ipv4Addr::from(reader.array::<4>()?),
            destination_mac: reader.array()?,
            destination: Ipv4Addr::from(reader.array::<4>()?),
        });
        Some(())
    }
}
