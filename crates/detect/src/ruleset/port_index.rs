//! Rules by port: which rules of a set can match a packet, found by one search for each of its ports.

use super::address_index::Segments;
use crate::model::signature::{Side, Signature, SignatureIndex};

/// Rules found by source or destination port.
#[derive(Debug, Default)]
pub struct PortIndex {
    /// Rules that neither port narrows.
    always: Vec<SignatureIndex>,
    source: Segments<u16>,
    destination: Segments<u16>,
}

impl PortIndex {
    /// Indexes each of `signatures` by the narrower of its two sides.
    pub(crate) fn new<'s>(signatures: impl Iterator<Item = &'s Signature>) -> Self {
        let mut always = Vec::new();
        let (mut source, mut destination) = (Vec::new(), Vec::new());
        for signature in signatures {
            let widths = (width(&signature.head.source), width(&signature.head.destination));
            let (side, list) = match widths {
                _ if signature.head.is_both_ways() || signature.head.is_transactional() => {
                    always.push(signature.index);
                    continue;
                }
                (None, None) => {
                    always.push(signature.index);
                    continue;
                }
                (Some(from), to) if to.is_none_or(|to| from < to) => (&signature.head.source, &mut source),
                _ => (&signature.head.destination, &mut destination),
            };
            list.extend(side.ports.ranges().iter().map(|&(low, high)| (low, high, signature.index)));
        }
        Self { always, source: Segments::new(source), destination: Segments::new(destination) }
    }

    /// Appends the rules that a packet with these ports can match, in no order.
    #[inline]
    pub(crate) fn find(
        &self,
        source: Option<u16>,
        destination: Option<u16>,
        found: &mut Vec<SignatureIndex>,
    ) {
        found.extend_from_slice(&self.always);
        if let (Some(source), Some(destination)) = (source, destination) {
            found.extend_from_slice(self.source.find(source));
            found.extend_from_slice(self.destination.find(destination));
        }
    }
}

/// Returns the number of ports a side means; none where it means all.
fn width(side: &Side) -> Option<u32> {
    let ports = side.ports.ranges().iter().map(|(low, high)| u32::from(high - low) + 1).sum();
    (!side.ports.is_any()).then_some(ports)
}
