//! Letters, white space and percent signs.

use weir_base::hex;

/// White space as C's `isspace` has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

pub(super) fn to_lowercase(input: &[u8], output: &mut Vec<u8>) {
    output.extend(input.iter().map(u8::to_ascii_lowercase));
}

/// Whether `to_lowercase` can give these bytes.
pub(super) fn is_lowercase(bytes: &[u8]) -> bool {
    !bytes.iter().any(u8::is_ascii_uppercase)
}

/// Whether `to_uppercase` can give these bytes.
pub(super) fn is_uppercase(bytes: &[u8]) -> bool {
    !bytes.iter().any(u8::is_ascii_lowercase)
}

/// Whether `strip_whitespace` can give these bytes.
pub(super) fn is_stripped(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| is_space(*byte))
}

/// Whether `compress_whitespace` can give these bytes.
pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    !bytes.windows(2).any(|pair| pair.iter().all(|byte| is_space(*byte)))
}

pub(super) fn to_uppercase(input: &[u8], output: &mut Vec<u8>) {
    output.extend(input.iter().map(u8::to_ascii_uppercase));
}

pub(super) fn strip_whitespace(input: &[u8], output: &mut Vec<u8>) {
    output.extend(input.iter().copied().filter(|byte| !is_space(*byte)));
}

pub(super) fn compress_whitespace(input: &[u8], output: &mut Vec<u8>) {
    let mut in_space = false;
    for &byte in input {
        let space = is_space(byte);
        if !space {
            output.push(byte);
        } else if !in_space {
            output.push(b' ');
        }
        in_space = space;
    }
}

pub(super) fn url_decode(input: &[u8], output: &mut Vec<u8>) {
    let mut rest = input;
    loop {
        rest = match rest {
            [] => return,
            [b'+', after @ ..] => {
                output.push(b' ');
                after
            }
            [b'%', high, low, after @ ..] => match (hex::value(*high), hex::value(*low)) {
                (Some(high), Some(low)) => {
                    output.push((high << 4) | low);
                    after
                }
                _ => {
                    output.push(b'%');
                    rest.get(1..).unwrap_or_default()
                }
            },
            [byte, after @ ..] => {
                output.push(*byte);
                after
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let cases: &[(super::super::Apply, &[u8], &[u8])] = &[
            (to_lowercase, b"Ab\xc9C", b"ab\xc9c"),
            (to_uppercase, b"aB1", b"AB1"),
            (strip_whitespace, b" a\t b\r\n\x0b\x0cc ", b"abc"),
            (compress_whitespace, b"  a \t\r\nb c", b" a b c"),
            (url_decode, b"a+b%20c%2x%", b"a b c%2x%"),
            (url_decode, b"%u0041%41", b"%u0041A"),
        ];
        for (apply, input, expected) in cases {
            let mut output = Vec::new();
            apply(input, &mut output);
            assert_eq!(output, *expected, "{}", String::from_utf8_lossy(input));
        }
    }
}
