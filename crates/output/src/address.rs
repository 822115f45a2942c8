//! Addresses as text.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};

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
        // Writing to a vector cannot fail.
        IpAddr::V6(v6) => drop(write!(out, "{v6}")),
    }
}

fn append_v4(out: &mut Vec<u8>, address: Ipv4Addr) {
    // Room for the longest address, and one dot too many.
    let mut text = [b'.'; 16];
    let mut length = 0;
    for octet in address.octets() {
        let digits = [octet / 100, octet / 10 % 10, octet % 10];
        let skipped = if octet >= 100 { 0 } else { 1 + usize::from(octet < 10) };
        for (place, digit) in text.iter_mut().skip(length).zip(digits.into_iter().skip(skipped)) {
            *place = b'0' + digit;
        }
        length += 4 - skipped;
    }
    out.extend_from_slice(text.get(..length - 1).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

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
