//! Byte classes and comparisons as HTTP implementations use them, more lenient than RFC 9110 asks.

/// Space as C's `isspace` knows it: what servers accept between the words of a start line.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// The white space that RFC 9110 allows inside a line.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A character of a token, RFC 2616 section 2.2.
pub(super) const fn is_token(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e)
        && !matches!(
            byte,
            b'(' | b')'
                | b'<'
                | b'>'
                | b'@'
                | b','
                | b';'
                | b':'
                | b'\\'
                | b'"'
                | b'/'
                | b'['
                | b']'
                | b'?'
                | b'='
                | b'{'
                | b'}'
        )
}

/// Returns the number of leading bytes in `class`.
pub(super) fn run(bytes: &[u8], class: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !class(byte)).unwrap_or(bytes.len())
}

/// Splits off the bytes at the start that fulfil `class`.
pub(super) fn take_while(bytes: &[u8], class: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    bytes.split_at_checked(run(bytes, class)).unwrap_or((bytes, &[]))
}

/// Without [`is_space`] bytes at either end.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let start = run(bytes, is_space);
    let bytes = bytes.get(start..).unwrap_or_default();
    let end = bytes.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// Without line ends at its end.
pub(super) fn chomp(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b'\r' && byte != b'\n').map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// The first `length` bytes, or all.
pub(super) fn head(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// All but the first `length` bytes.
pub(super) fn tail(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(length..).unwrap_or_default()
}

/// Whether `bytes`, letters in either case and NUL bytes skipped, are `lower`. Browsers skip NULs in
/// header names and values.
pub(super) fn is_word(bytes: &[u8], lower: &[u8]) -> bool {
    if bytes.len() == lower.len() {
        return bytes.eq_ignore_ascii_case(lower);
    }
    bytes.len() > lower.len()
        && bytes.iter().filter(|&&byte| byte != 0).map(u8::to_ascii_lowercase).eq(lower.iter().copied())
}

/// Whether `lower` occurs in `bytes`, compared as [`is_word`] does.
pub(super) fn contains_word(bytes: &[u8], lower: &[u8]) -> bool {
    // From a NUL on it is as from what follows, which long runs of them are not passed over for time and again.
    (0..bytes.len()).filter(|&start| bytes.get(start) != Some(&0)).any(|start| {
        let mut found = tail(bytes, start).iter().filter(|&&byte| byte != 0).map(u8::to_ascii_lowercase);
        lower.iter().all(|&wanted| found.next() == Some(wanted))
    })
}

/// The rest of `bytes` after `lower`, which it starts with in either case.
pub(super) fn strip_prefix<'a>(bytes: &'a [u8], lower: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = bytes.split_at_checked(lower.len())?;
    start.eq_ignore_ascii_case(lower).then_some(rest)
}

/// A decimal number of digits only.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| {
        if !digit.is_ascii_digit() {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })
}

/// The value of a hexadecimal digit.
pub(super) const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ignore_case_and_nuls() {
        let nuls = [&[0; 200_000][..], b"chunked"].concat();
        let cases: [(&[u8], &[u8], bool, bool); 6] = [
            (&nuls, b"chunked", true, true),
            (b"ChunKed", b"chunked", true, true),
            (b"chu\0nked", b"chunked", true, true),
            (b"x, chunked", b"chunked", false, true),
            (b"chunke", b"chunked", false, false),
            (b"", b"a", false, false),
        ];
        for (bytes, word, equal, contained) in cases {
            assert_eq!(is_word(bytes, word), equal, "{bytes:?}");
            assert_eq!(contains_word(bytes, word), contained, "{bytes:?}");
        }
    }

    #[test]
    fn trimming() {
        assert_eq!(trim(b" \ta b\r\n"), b"a b");
        assert_eq!(trim(b" "), b"");
        assert_eq!(chomp(b"a \r\n\r"), b"a ");
        assert_eq!(decimal(b"18446744073709551616"), None);
        assert_eq!(decimal(b"42"), Some(42));
    }
}
