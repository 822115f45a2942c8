//! Addresses of frames of wireless networks (IEEE 802.11 9.3.2.1).

use weir_base::Reader;
use weir_packet::{LayerKind, Packet};

/// Flags of a frame that goes to the distribution system, and of one that comes from there.
const TO: u8 = 1;
const FROM: u8 = 2;

/// Returns source and destination of a data frame.
pub(super) fn addresses(packet: &Packet<'_>) -> Option<[[u8; 6]; 2]> {
    let layer = packet.layers.last(LayerKind::Ieee80211)?;
    let header = packet.bytes.get(layer.offset as usize..)?.get(..layer.length as usize)?;
    of_header(header)
}

fn of_header(header: &[u8]) -> Option<[[u8; 6]; 2]> {
    let mut reader = Reader::new(header);
    reader.skip(1)?;
    let flags = reader.u8()?;
    reader.skip(2)?;
    let (first, second, third) = (reader.array()?, reader.array()?, reader.array()?);
    reader.skip(2)?;
    Some(match flags & (TO | FROM) {
        0 => [second, first],
        TO => [second, third],
        FROM => [third, first],
        _ => [reader.array()?, third],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_tells_which_addresses_are_meant() {
        for (flags, expected) in [(0, [2, 1]), (1, [2, 3]), (2, [3, 1]), (3, [4, 3])] {
            let mut header = vec![8, flags, 0, 0];
            for address in 1..=3 {
                header.extend([address; 6]);
            }
            header.extend([0, 0]);
            header.extend([4; 6]);
            assert_eq!(of_header(&header), Some(expected.map(|byte| [byte; 6])), "{flags}");
        }
        assert_eq!(of_header(&[8, 3, 0, 0]), None);
    }
}
