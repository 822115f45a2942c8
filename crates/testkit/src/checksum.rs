//! The checksums of IP (RFC 1071) and SCTP (RFC 9260, appendix A), written the plain way.

use std::net::IpAddr;

/// The ones' complement sum of RFC 1071 over all of `parts` in a row, complemented.
pub fn internet(parts: &[&[u8]]) -> u16 {
    let bytes: Vec<u8> = parts.concat();
    let mut sum = 0u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// The checksum of a transport header and payload behind the pseudo header of its addresses.
pub fn transport(source: IpAddr, destination: IpAddr, protocol: u8, segment: &[u8]) -> u16 {
    let address = |address: IpAddr| match address {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    let mut pseudo = [address(source), address(destination)].concat();
    pseudo.extend((segment.len() as u32).to_be_bytes());
    pseudo.extend([0, 0, 0, protocol]);
    internet(&[&pseudo, segment])
}

/// CRC-32C, bit by bit.
pub fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
        }
    }
    !crc
}
