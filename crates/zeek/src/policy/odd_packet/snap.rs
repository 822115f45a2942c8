//! Weirds of LLC (IEEE 802.2), and of SNAP in it.

use super::Oddity;

const ADDRESSES_AND_CONTROL: usize = 3;
/// Organisation and type.
const SNAP_LENGTH: usize = 5;

/// Returns the weird of what follows a length in place of a type.
pub(super) fn look(bytes: &[u8]) -> Option<Oddity> {
    // Only unnumbered frames have a control field of one byte.
    let llc = bytes.get(2).map(|control| ADDRESSES_AND_CONTROL + usize::from(control & 0x03 != 0x03));
    match (bytes, llc) {
        ([0xff, 0xff, ..], _) => None,
        ([0xaa, 0xaa, ..], None) => Some(Oddity::of("truncated_snap_llc_header", "SNAP")),
        ([0xaa, 0xaa, ..], Some(llc)) if bytes.len() < llc + SNAP_LENGTH => {
            Some(Oddity::of("truncated_snap_header", "SNAP"))
        }
        ([0xaa, 0xaa, ..], _) => None,
        (_, Some(llc)) if bytes.len() >= llc => None,
        _ => Some(Oddity::of("truncated_llc_header", "LLC")),
    }
}
