//! Tells IKE from other datagrams on its port.

use weir_applayer::{Probe, Transport};
use weir_base::{Direction, Reader};

use super::header::Header;

/// The exchanges of version 2.
const EXCHANGES_2: std::ops::RangeInclusive<u8> = 34..=37;

/// Whether a datagram begins with a header, and in version 2 has the length that it says. The first one to the
/// responder knows no number of it.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let Some(header) = Header::read(&mut Reader::new(bytes)) else { return Probe::No };
    let fits = match header.major {
        1 => true,
        2 => {
            header.minor == 0
                && EXCHANGES_2.contains(&header.exchange)
                && usize::try_from(header.length) == Ok(bytes.len())
        }
        _ => false,
    };
    match direction {
        _ if !fits => Probe::No,
        Direction::ToClient if header.responder == 0 => Probe::Reversed,
        _ => Probe::Yes,
    }
}
