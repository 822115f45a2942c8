//! Hexadecimal by table.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The two lower-case digits of `byte`.
#[inline]
pub const fn digits(byte: u8) -> [u8; 2] {
    // Masked to four bits: both indices are below 16.
    #[allow(clippy::indexing_slicing)]
    [DIGITS[(byte >> 4) as usize], DIGITS[(byte & 15) as usize]]
}

/// Appends `bytes` as lower-case digits without separators.
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() * 2);
    for &byte in bytes {
        out.extend_from_slice(&digits(byte));
    }
}

/// Appends `bytes` as lower-case digit pairs joined by `separator` (`aa:bb:cc`).
pub fn append_separated(out: &mut Vec<u8>, bytes: &[u8], separator: u8) {
    for (index, &byte) in bytes.iter().enumerate() {
        if index > 0 {
            out.push(separator);
        }
        out.extend_from_slice(&digits(byte));
    }
}

/// `bytes` as a lower-case string.
pub fn string(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    append(&mut out, bytes);
    String::from_utf8(out).unwrap_or_default()
}

/// A number of 16 bytes as UUIDs are written, in lower case (RFC 9562, 4).
pub fn uuid(number: u128) -> String {
    let mut out = Vec::with_capacity(36);
    append_uuid(&mut out, number);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a number of 16 bytes as UUIDs are written.
pub fn append_uuid(out: &mut Vec<u8>, number: u128) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = number.to_be_bytes().map(digits);
    let parts: [&[[u8; 2]]; 5] = [&[a, b, c, d], &[e, f], &[g, h], &[i, j], &[k, l, m, n, o, p]];
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push(b'-');
        }
        out.extend_from_slice(part.as_flattened());
    }
}

/// The value of one digit, either case.
pub const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_of_every_byte() {
        for byte in 0..=255u8 {
            assert_eq!(super::string(&[byte]), format!("{byte:02x}"));
        }
        assert_eq!(super::uuid(0x0102), "00000000-0000-0000-0000-000000000102");
        let number = 0x1234_5678_9abc_def0_1122_3344_5566_7788;
        assert_eq!(super::uuid(number), "12345678-9abc-def0-1122-334455667788");
    }
}
