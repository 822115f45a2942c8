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

/// A hello of DTLS, RFC 6347 4.1.
pub(super) fn dtls(bytes: &[u8]) -> bool {
    matches!(bytes, [22, 0xfe, 0xff | 0xfd, _, _, _, _, _, _, _, _, _, _, 1..=3, ..])
}
