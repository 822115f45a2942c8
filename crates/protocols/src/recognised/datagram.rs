//! Protocols by their datagrams.

/// A user's packet in GTP version 1, 3GPP 29.281.
pub(super) fn gtp_packet(bytes: &[u8]) -> bool {
    let [flags, 0xff, _, _, _, _, _, _, rest @ ..] = bytes else { return false };
    if flags & 0xf0 != 0x30 {
        return false;
    }
    let mut inner = rest;
    if flags & 0x07 != 0 {
        let [_, _, _, kind, after @ ..] = rest else { return false };
        inner = after;
        // One extension is all that user packets carry.
        if flags & 0x04 != 0 && *kind != 0 {
            let words = usize::from(inner.first().copied().unwrap_or_default());
            inner = inner.get(words * 4..).unwrap_or_default();
        }
    }
    inner.first().is_some_and(|&b| matches!(b >> 4, 4 | 6))
}

/// VXLAN, RFC 7348 5: the identifier is valid, and there is a frame.
pub(super) fn vxlan(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&flags| flags & 0x08 != 0) && bytes.len() >= 8 + 14
}

/// Geneve, RFC 8926 3.4, carrying Ethernet.
pub(super) fn geneve(bytes: &[u8]) -> bool {
    matches!(bytes, [first, _, 0x65, 0x58, ..] if first >> 6 == 0)
}

/// AYIYA that carries an IPv6 packet or nothing.
pub(super) fn ayiya(bytes: &[u8]) -> bool {
    matches!(bytes, [_, _, operation, 41 | 59, _, _, _, _, ..] if operation & 0x0f <= 1)
}

/// The flags of RDP over UDP (MS-RDPEUDP 2.2.2.1): behind what is acknowledged, and the window.
const fn rdp_flags(bytes: &[u8]) -> Option<(u32, u16)> {
    match *bytes {
        [a, b, c, d, _, _, high, low, ..] => {
            Some((u32::from_be_bytes([a, b, c, d]), u16::from_be_bytes([high, low])))
        }
        _ => None,
    }
}

/// The beginning of RDP over UDP, which acknowledges nothing (MS-RDPEUDP 3.1.5.1.1).
pub(super) fn rdp_hello(bytes: &[u8]) -> bool {
    rdp_flags(bytes).is_some_and(|(acknowledged, flags)| acknowledged == u32::MAX && flags & 0x01 != 0)
}

/// Returns whether a datagram at any port is the hello, by its length, too, which fills a datagram.
pub(super) fn rdp_hello_anywhere(bytes: &[u8]) -> bool {
    bytes.len() == 1232 && rdp_hello(bytes)
}

/// Its answer, which begins and acknowledges, with the sizes of datagrams that will do (MS-RDPEUDP 2.2.2.5).
pub(super) fn rdp_answer(bytes: &[u8]) -> bool {
    const SIZES: std::ops::RangeInclusive<u16> = 1132..=1232;
    let sizes = match *bytes {
        [_, _, _, _, _, _, _, _, _, _, _, _, a, b, c, d, ..] => {
            [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])]
        }
        _ => return false,
    };
    let is_answer = rdp_flags(bytes).is_some_and(|(_, flags)| flags & 0x05 == 0x05);
    is_answer && sizes.iter().all(|size| SIZES.contains(size))
}

/// A hello of DTLS, RFC 6347 4.1.
pub(super) fn dtls(bytes: &[u8]) -> bool {
    matches!(bytes, [22, 0xfe, 0xff | 0xfd, _, _, _, _, _, _, _, _, _, _, 1..=3, ..])
}
