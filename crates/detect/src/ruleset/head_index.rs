//! Rules by port or address: which rules of a set can match a packet, found by one search for each of its ports and
//! addresses.

use weir_packet::Packet;

use super::address_index::{AddressIndex, Segments};
use crate::model::head::addresses;
use crate::model::signature::{Side, Signature, SignatureIndex};

/// Rules found by source or destination port, else by source or destination address.
#[derive(Debug, Default)]
pub struct HeadIndex {
    /// Rules that neither a port nor an address narrows.
    always: Vec<SignatureIndex>,
    source: Segments<u16>,
    destination: Segments<u16>,
    /// Rules that no port narrows.
    addresses: AddressIndex,
}

impl HeadIndex {
    /// Indexes each of `signatures` by the narrower of its two ports, else of its two addresses.
    pub(crate) fn new<'s>(signatures: impl Iterator<Item = &'s Signature>) -> Self {
        let (mut always, mut by_address) = (Vec::new(), Vec::new());
        let (mut source, mut destination) = (Vec::new(), Vec::new());
        for signature in signatures {
            let widths = (width(&signature.head.source), width(&signature.head.destination));
            let (side, list) = match widths {
                _ if signature.head.is_both_ways() || signature.head.is_transactional() => {
                    always.push(signature.index);
                    continue;
                }
                (None, None) => {
                    if AddressIndex::narrows(signature) {
                        by_address.push(signature);
                    } else {
                        always.push(signature.index);
                    }
                    continue;
                }
                (Some(from), to) if to.is_none_or(|to| from < to) => (&signature.head.source, &mut source),
                _ => (&signature.head.destination, &mut destination),
            };
            list.extend(side.ports.ranges().iter().map(|&(low, high)| (low, high, signature.index)));
        }
        Self {
            always,
            source: Segments::new(source),
            destination: Segments::new(destination),
            addresses: AddressIndex::new(by_address.into_iter()),
        }
    }

    /// Appends the rules that a packet can match by its ports and addresses, in no order.
    #[inline]
    pub(crate) fn find(&self, packet: &Packet<'_>, found: &mut Vec<SignatureIndex>) {
        found.extend_from_slice(&self.always);
        if let (Some(source), Some(destination)) = (packet.source_port(), packet.destination_port()) {
            self.source.find(source, found);
            self.destination.find(destination, found);
        }
        if let [Some(source), Some(destination)] = addresses(packet)
            && !self.addresses.is_empty()
        {
            self.addresses.find(source, destination, found);
        }
    }
}

/// Returns the number of ports a side means; none where it means all.
fn width(side: &Side) -> Option<u32> {
    let ports = side.ports.ranges().iter().map(|(low, high)| u32::from(high - low) + 1).sum();
    (!side.ports.is_any()).then_some(ports)
}
