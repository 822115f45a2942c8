//! Linux netfilter log (`LINKTYPE_NFLOG`): an address family, then attributes, one of which is the packet.

use weir_base::Reader;

use super::super::walk::{Outcome, Walk};
use crate::packet::LayerKind;

const HEADER_LENGTH: usize = 4;
const ATTRIBUTE_HEADER_LENGTH: usize = 4;
/// `NFULA_PAYLOAD`.
const PAYLOAD: u16 = 9;

impl<'a> Walk<'_, 'a> {
    pub(in crate::decode) fn nflog(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().nflog += 1;
        let mut reader = Reader::new(bytes);
        reader.skip(HEADER_LENGTH)?;
        // Every attribute takes at least its header: the loop ends with the bytes.
        loop {
            // Attributes are in the byte order of the host that captured; lengths tell which.
            let length_bytes = reader.array::<2>()?;
            let kind_bytes = reader.array::<2>()?;
            let little = usize::from(u16::from_le_bytes(length_bytes));
            let fits = little >= ATTRIBUTE_HEADER_LENGTH && little - ATTRIBUTE_HEADER_LENGTH <= reader.len();
            let (length, kind) = if fits {
                (little, u16::from_le_bytes(kind_bytes))
            } else {
                (usize::from(u16::from_be_bytes(length_bytes)), u16::from_be_bytes(kind_bytes))
            };
            let value = reader.take(length.checked_sub(ATTRIBUTE_HEADER_LENGTH)?)?;
            if kind & 0x7fff == PAYLOAD {
                let header_length = bytes.len() - reader.len() - value.len();
                self.layer(LayerKind::Raw, bytes.get(..header_length)?);
                return self.raw(value);
            }
            let padding = length.wrapping_neg() % 4;
            reader.skip(padding.min(reader.len()))?;
        }
    }
}
