//! Cutting IP packets into fragments.

/// Cuts an IPv4 packet into fragments that carry at most `size` bytes each, a multiple of eight.
pub fn fragment_ipv4(packet: &[u8], size: usize) -> Vec<Vec<u8>> {
    assert!(size > 0 && size.is_multiple_of(8), "fragments carry multiples of eight bytes");
    let header_length = usize::from(packet[0] & 0x0f) * 4;
    let (header, payload) = packet.split_at(header_length);
    let count = payload.len().div_ceil(size);
    payload
        .chunks(size)
        .enumerate()
        .map(|(index, piece)| {
            let more = if index + 1 < count { 0x2000u16 } else { 0 };
            let mut bytes = header.to_vec();
            bytes[2..4].copy_from_slice(&((header_length + piece.len()) as u16).to_be_bytes());
            bytes[6..8].copy_from_slice(&(more | (index * size / 8) as u16).to_be_bytes());
            bytes[10..12].copy_from_slice(&[0, 0]);
            let sum = crate::checksum::internet(&[&bytes]);
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            bytes.extend(piece);
            bytes
        })
        .collect()
}

/// Cuts an IPv6 packet without extension headers into fragments that carry at most `size` bytes
/// each, a multiple of eight.
pub fn fragment_ipv6(packet: &[u8], size: usize, id: u32) -> Vec<Vec<u8>> {
    assert!(size > 0 && size.is_multiple_of(8), "fragments carry multiples of eight bytes");
    let (header, payload) = packet.split_at(40);
    let count = payload.len().div_ceil(size);
    payload
        .chunks(size)
        .enumerate()
        .map(|(index, piece)| {
            let mut bytes = header.to_vec();
            bytes[4..6].copy_from_slice(&(8 + piece.len() as u16).to_be_bytes());
            let next_header = std::mem::replace(&mut bytes[6], 44);
            bytes.extend([next_header, 0]);
            bytes.extend(((index * size) as u16 | u16::from(index + 1 < count)).to_be_bytes());
            bytes.extend(id.to_be_bytes());
            bytes.extend(piece);
            bytes
        })
        .collect()
}
