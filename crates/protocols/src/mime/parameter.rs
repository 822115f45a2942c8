//! Parameters of header values: `name="a.txt"`, and values in sections (RFC 2231 section 3).

/// Most sections of a value.
const MAX_SECTIONS: usize = 64;

/// Takes the next parameter off `rest`, which stands behind a semicolon: its name and value.
fn next<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let equals = memchr::memchr(b'=', rest)?;
    let name = rest.get(..equals)?.trim_ascii();
    let text = rest.get(equals + 1..)?.trim_ascii_start();
    let (value, after) = match text.strip_prefix(b"\"").and_then(quoted) {
        Some(found) => found,
        None => {
            let end = memchr::memchr(b';', text).unwrap_or(text.len());
            let (value, after) = text.split_at_checked(end)?;
            (value.trim_ascii_end(), after)
        }
    };
    let after = after.trim_ascii_start();
    *rest = after.strip_prefix(b";").unwrap_or(after);
    // A semicolon before the equals sign ends something without a value.
    let name = name.rsplit(|byte| *byte == b';').next().unwrap_or(name).trim_ascii_start();
    Some((name, value))
}

/// Returns the text before the closing quote, as written, and the text after it.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut escaped = false;
    let end = text.iter().position(|&byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

fn find<'a>(value: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = value.get(memchr::memchr(b';', value)? + 1..)?;
    std::iter::from_fn(|| next(&mut rest))
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .map(|(_, value)| value)
}

/// The value of a parameter, joined where it comes in sections.
pub fn parameter(value: &[u8], name: &str) -> Option<Vec<u8>> {
    if let Some(found) = find(value, name.as_bytes()) {
        return Some(found.to_vec());
    }
    let section = |number: usize| {
        let plain = format!("{name}*{number}");
        find(value, plain.as_bytes()).or_else(|| find(value, format!("{plain}*").as_bytes()))
    };
    let first = section(0)?;
    let mut joined = first.to_vec();
    (1..MAX_SECTIONS).map_while(section).for_each(|more| joined.extend_from_slice(more));
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn as_written() {
        let cases = [
            ("attachment; filename=\"a b.txt\"", Some("a b.txt")),
            ("attachment; FileName=a.txt ; size=4", Some("a.txt")),
            ("attachment;\tx=\"y;filename=z\"; filename=a", Some("a")),
            ("attachment; filename=\"a\\\"b\"", Some("a\\\"b")),
            ("attachment; filename*0=\"a\"; filename*1=b", Some("ab")),
            ("attachment; filename*0*=a; filename*1*=b; filename*3=c", Some("ab")),
            ("attachment; filename=\"a", Some("\"a")),
            ("attachment; noname; filename=a", Some("a")),
            ("attachment; name=a", None),
            ("filename=a", None),
            ("", None),
        ];
        for (value, expected) in cases {
            let found = parameter(value.as_bytes(), "filename");
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{value}");
        }
    }
}
