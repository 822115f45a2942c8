//! Headers of HTTP: lines of a name, a colon and a value.

/// Lines, each with its newline.
fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input.split_inclusive(|byte| *byte == b'\n')
}

pub(super) fn lowercase(input: &[u8], output: &mut Vec<u8>) {
    for line in lines(input) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        output.extend(name.iter().map(u8::to_ascii_lowercase));
        output.extend_from_slice(value);
    }
}

pub(super) fn strip_pseudo(input: &[u8], output: &mut Vec<u8>) {
    for line in lines(input).filter(|line| line.first() != Some(&b':')) {
        output.extend_from_slice(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let cases: &[(super::super::Apply, &str, &str)] = &[
            (lowercase, "Host: EXAMPLE\r\nX-A: B:C\r\nBare", "host: EXAMPLE\r\nx-a: B:C\r\nbare"),
            (strip_pseudo, "\r\n:method\r\n:path\r\nuser-agent\r\n\r\n", "\r\nuser-agent\r\n\r\n"),
            (strip_pseudo, ":method: GET\r\na: b", "a: b"),
        ];
        for (apply, input, expected) in cases {
            let mut output = Vec::new();
            apply(input.as_bytes(), &mut output);
            assert_eq!(String::from_utf8_lossy(&output), *expected, "{input}");
        }
    }
}
