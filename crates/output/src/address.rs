//! Addresses as text.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::hex;

/// Appends an address as EVE and fast.log have it: IPv6 in full, nothing left out.
pub fn append_full(out: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(v4) => append_v4(out, v4),
        IpAddr::V6(v6) => {
            for (index, pair) in v6.octets().chunks_exact(2).enumerate() {
                if index > 0 {
                    out.push(b':');
                }
                hex::append(out, pair);
            }
        }
    }
}

/// Appends an address as Zeek has it: IPv6 in its short form (RFC 5952).
pub fn append_short(out: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(v4) => append_v4(out, v4),
        IpAddr::V6(v6) => append_short_v6(out, v6),
    }
}

fn append_short_v6(out: &mut Vec<u8>, address: Ipv6Addr) {
    if let Some(v4) = address.to_ipv4_mapped() {
        out.extend_from_slice(b"::ffff:");
        return append_v4(out, v4);
    }
    // The first of the longest runs of zeros, where there are two at least, is left out.
    let segments = address.segments();
    let (mut left_out, mut run) = (0..0, 0..0);
    for (index, segment) in segments.into_iter().enumerate() {
        run = if segment == 0 { run.start..index + 1 } else { index + 1..index + 1 };
        if run.len() > left_out.len().max(1) {
            left_out = run.clone();
        }
    }
    for (index, segment) in segments.into_iter().enumerate() {
        if left_out.contains(&index) {
            if index == left_out.start {
                out.extend_from_slice(b"::");
            }
            continue;
        }
        if index > 0 && index != left_out.end {
            out.push(b':');
        }
        let zeros = segment.leading_zeros() as usize / 4;
        let [[a, b], [c, d]] = segment.to_be_bytes().map(hex::digits);
        out.extend_from_slice([a, b, c, d].get(zeros.min(3)..).unwrap_or_default());
    }
}

fn append_v4(out: &mut Vec<u8>, address: Ipv4Addr) {
    // Room for the longest address and a dot behind it.
    let mut text = [0; 16];
    let mut length = 0;
    for octet in address.octets() {
        let (digits, used) = OCTETS.get(usize::from(octet)).copied().unwrap_or_default();
        if let Some(place) = text.get_mut(length..length + 4) {
            place.copy_from_slice(&digits);
        }
        length += usize::from(used);
    }
    // As many bytes each time are copied without a loop.
    let end = out.len() + length - 1;
    out.extend_from_slice(&text);
    out.truncate(end);
}

/// Each octet as text with a dot behind it, and how much of the four bytes that takes.
static OCTETS: [([u8; 4], u8); 256] = {
    let mut all = [([b'.'; 4], 0); 256];
    let mut rest: &mut [([u8; 4], u8)] = &mut all;
    let mut octet = 0;
    while let Some((first, others)) = rest.split_first_mut() {
        let digits = [b'0' + octet / 100, b'0' + octet / 10 % 10, b'0' + octet % 10];
        let [hundreds, tens, ones] = digits;
        *first = match octet {
            0..10 => ([ones, b'.', b'.', b'.'], 2),
            10..100 => ([tens, ones, b'.', b'.'], 3),
            _ => ([hundreds, tens, ones, b'.'], 4),
        };
        octet = octet.wrapping_add(1);
        rest = others;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_those_of_the_library() {
        let texts = [
            "::",
            "::1",
            "1::",
            "1::1",
            "1:0:0:2:0:0:0:3",
            "0:0:1:0:0:1:0:0",
            "1:0:2:3:4:5:6:7",
            "0:1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:0",
            "1:2:3:4:5:6:0:0",
            "::ffff:1.2.3.4",
            "::1.2.3.4",
            "fe80::a0b:c00d",
        ];
        for text in texts {
            let address: IpAddr = text.parse().unwrap();
            let mut out = Vec::new();
            append_short(&mut out, address);
            assert_eq!(String::from_utf8(out).unwrap(), address.to_string());
        }
    }

    #[test]
    fn forms() {
        let cases = [
            ("10.0.255.1", "10.0.255.1", "10.0.255.1"),
            ("255.199.100.99", "255.199.100.99", "255.199.100.99"),
            ("fe80::1", "fe80:0000:0000:0000:0000:0000:0000:0001", "fe80::1"),
        ];
        for (text, full, short) in cases {
            let address: IpAddr = text.parse().unwrap();
            let (mut a, mut b) = (Vec::new(), Vec::new());
            append_full(&mut a, address);
            append_short(&mut b, address);
            assert_eq!((a, b), (full.as_bytes().to_vec(), short.as_bytes().to_vec()));
        }
    }
}
