//! Events of ARP (RFC 826) for IPv4 over Ethernet.

use std::net::Ipv4Addr;

use weir_base::{EventValue, Reader};
use weir_packet::{LayerKind, Packet};

use super::{Own, link_text};
use crate::rows::Rows;

/// The type of ARP in the header below, and that of IPv4.
const ARP: u16 = 0x0806;
const IPV4: u16 = 0x0800;

/// Hardware types of Ethernet and of other networks of IEEE 802.
const HARDWARE: [u16; 2] = [1, 6];
const MAC_LENGTH: usize = 6;
const IPV4_LENGTH: usize = 4;

const REQUEST: u16 = 1;
const REPLY: u16 = 2;
/// Requests and replies of the reverse and the inverse protocol (RFC 903, RFC 2390).
const UNIMPLEMENTED: [u16; 4] = [3, 4, 8, 9];

/// A message.
struct Message<'a> {
    hardware: u16,
    protocol: u16,
    operation: u16,
    /// Hardware and protocol addresses of the sender and of the target.
    sender: (&'a [u8], &'a [u8]),
    target: (&'a [u8], &'a [u8]),
}

impl<'a> Message<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (hardware, protocol) = (reader.u16()?, reader.u16()?);
        let lengths = (usize::from(reader.u8()?), usize::from(reader.u8()?));
        let operation = reader.u16()?;
        let mut pair = || Some((reader.take(lengths.0)?, reader.take(lengths.1)?));
        Some(Self { hardware, protocol, operation, sender: pair()?, target: pair()? })
    }

    /// Returns why nothing can be made of it, as Zeek says it.
    fn fault(&self, link_source: &[u8]) -> Option<String> {
        let (hardware_length, protocol_length) = (self.sender.0.len(), self.sender.1.len());
        if !HARDWARE.contains(&self.hardware) {
            return Some(format!("unknown-arp-hw-address (hrd={})", self.hardware));
        }
        if hardware_length != MAC_LENGTH {
            return Some(format!("corrupt-arp-header (hrd={}, hln={hardware_length})", self.hardware));
        }
        if self.protocol != IPV4 {
            return Some(format!("unknown-arp-proto-address (pro={})", self.protocol));
        }
        if protocol_length != IPV4_LENGTH {
            return Some(format!("corrupt-arp-header (pro={}, pln={protocol_length})", self.protocol));
        }
        if self.sender.0 != link_source {
            return Some("weird-arp-sha".to_owned());
        }
        match self.operation {
            REQUEST | REPLY => None,
            operation if UNIMPLEMENTED.contains(&operation) => {
                Some(format!("unimplemented-arp-opcode ({operation})"))
            }
            operation => Some(format!("invalid-arp-opcode (opcode={operation})")),
        }
    }
}

/// Returns the message of a packet, whether or not more was made of it.
fn bytes<'a>(packet: &Packet<'a>) -> Option<&'a [u8]> {
    if let Some(arp) = &packet.arp {
        return Some(arp.bytes);
    }
    if packet.ip.is_some() {
        return None;
    }
    let last = packet.layers.as_slice().last()?;
    let header = packet.bytes.get(last.offset as usize..)?.get(..last.length as usize)?;
    let kind = Reader::new(header.get(header.len().checked_sub(2)?..)?).u16()?;
    let has_type =
        matches!(last.kind, LayerKind::Ethernet | LayerKind::Vlan | LayerKind::Pbb | LayerKind::Sll);
    (has_type && kind == ARP).then(|| packet.behind_layers())
}

/// Returns source and destination of the frame that a packet is in.
fn frame(packet: &Packet<'_>) -> Option<[[u8; 6]; 2]> {
    let layer = packet.layers.as_slice().iter().rfind(|layer| layer.kind == LayerKind::Ethernet)?;
    let mut reader = Reader::new(packet.bytes.get(layer.offset as usize..)?);
    let (destination, source) = (reader.array()?, reader.array()?);
    Some([source, destination])
}

fn protocol_address(bytes: &[u8]) -> EventValue<'static> {
    let octets = bytes.first_chunk::<IPV4_LENGTH>().copied().unwrap_or_default();
    EventValue::Addr(Ipv4Addr::from(octets).into())
}

fn hardware_address(bytes: &[u8]) -> Vec<u8> {
    link_text(bytes.first_chunk::<MAC_LENGTH>().copied().unwrap_or_default())
}

/// Returns the message that a GENEVE header of a packet announces (RFC 8926 3.4).
fn inside_of_geneve<'a>(packet: &Packet<'a>) -> Option<&'a [u8]> {
    let layer = packet.layers.last(LayerKind::Geneve)?;
    let header = packet.bytes.get(layer.offset as usize..)?;
    let kind = Reader::new(header.get(2..)?).u16()?;
    (kind == ARP).then(|| header.get(layer.length as usize..))?
}

/// Raises the event of a packet of ARP.
pub(super) fn look(packet: &Packet<'_>, rows: &mut Rows<'_>) {
    if ![Own::ArpRequest, Own::ArpReply, Own::BadArp].iter().any(|event| rows.handles(*event)) {
        return;
    }
    let bytes = bytes(packet).or_else(|| inside_of_geneve(packet));
    let Some(message) = bytes.and_then(Message::of) else { return };
    let Some([source, destination]) = frame(packet) else { return };
    let [sender, target] = [message.sender.0, message.target.0].map(hardware_address);
    let addresses = [
        protocol_address(message.sender.1),
        EventValue::String(&sender),
        protocol_address(message.target.1),
        EventValue::String(&target),
    ];
    let [spa, sha, tpa, tha] = addresses;
    if let Some(fault) = message.fault(&source) {
        return rows.raise(Own::BadArp, None, &[spa, sha, tpa, tha, EventValue::text(&fault)]);
    }
    let event = if message.operation == REQUEST { Own::ArpRequest } else { Own::ArpReply };
    let [source, destination] = [source, destination].map(link_text);
    let frame = [EventValue::String(&source), EventValue::String(&destination)];
    rows.raise(event, None, &[frame[0], frame[1], spa, sha, tpa, tha]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let message = |hardware: u8, length: u8, protocol: u8, operation: u8| {
            let mut bytes = vec![0, hardware, 8, protocol, length, 4, 0, operation];
            bytes.extend(vec![7; 2 * usize::from(length) + 8]);
            bytes
        };
        for (bytes, expected) in [
            (message(1, 6, 0, 1), None),
            (message(1, 6, 0, 2), None),
            (message(6, 6, 0, 2), None),
            (message(2, 6, 0, 1), Some("unknown-arp-hw-address (hrd=2)")),
            (message(1, 5, 0, 1), Some("corrupt-arp-header (hrd=1, hln=5)")),
            (message(1, 6, 1, 1), Some("unknown-arp-proto-address (pro=2049)")),
            (message(1, 6, 0, 3), Some("unimplemented-arp-opcode (3)")),
            (message(1, 6, 0, 5), Some("invalid-arp-opcode (opcode=5)")),
        ] {
            let message = Message::of(&bytes).expect("a whole one");
            assert_eq!(message.fault(&[7; 6]).as_deref(), expected);
        }
        let other = message(1, 6, 0, 1);
        let fault = Message::of(&other).and_then(|message| message.fault(&[8; 6]));
        assert_eq!(fault.as_deref(), Some("weird-arp-sha"));
        assert!(Message::of(&other[..27]).is_none());
    }
}
