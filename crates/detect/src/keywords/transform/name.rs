//! Host names: their domains and public suffixes (publicsuffix.org).

pub(super) fn dot_prefix(input: &[u8], output: &mut Vec<u8>) {
    output.push(b'.');
    output.extend_from_slice(input);
}

/// A buffer that holds no domain stays as it is.
pub(super) fn domain(input: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(psl::domain(input).map_or(input, |domain| domain.as_bytes()));
}

/// A buffer that holds no suffix stays as it is.
pub(super) fn suffix(input: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(psl::suffix(input).map_or(input, |suffix| suffix.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let cases: &[(super::super::Apply, &str, &str)] = &[
            (dot_prefix, "example.com", ".example.com"),
            (domain, "www.shop.example.co.uk", "example.co.uk"),
            (domain, "co.uk", "co.uk"),
            (suffix, "www.example.co.uk", "co.uk"),
            (suffix, "www.example.net", "net"),
        ];
        for (apply, input, expected) in cases {
            let mut output = Vec::new();
            apply(input.as_bytes(), &mut output);
            assert_eq!(output, expected.as_bytes(), "{input}");
        }
    }
}
