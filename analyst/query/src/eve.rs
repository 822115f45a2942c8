//! EVE: which table a line belongs to.

use memchr::memmem;
use serde::Deserialize;

/// Returns the type of a record, as it stands in the line; none where the line is no record.
///
/// The key comes soon in each record and before other objects, so that no line is parsed for it. Within texts quotes
/// are escaped, so that only a key can look like one.
pub fn event_type(line: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"\"event_type\"";
    let at = memmem::find(line, KEY)?;
    let (before, rest) = line.split_at_checked(at)?;
    if memchr::memchr_iter(b'{', before).count() != 1 {
        return parsed(line);
    }
    let value = rest.get(KEY.len()..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let text = value.strip_prefix(b"\"")?;
    let name = text.get(..memchr::memchr(b'"', text)?)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.is_empty() || name.len() > 64 || !name.iter().all(is_name) {
        return None;
    }
    std::str::from_utf8(name).ok()
}

/// The type of a record whose key is not where it usually is.
#[cold]
fn parsed(line: &[u8]) -> Option<&str> {
    #[derive(Deserialize)]
    struct Typed<'a> {
        event_type: &'a str,
    }
    Some(serde_json::from_slice::<Typed<'_>>(line).ok()?.event_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        let cases = [
            (r#"{"timestamp":"x","event_type":"dns","dns":{}}"#, Some("dns")),
            (r#"{ "event_type" : "http" }"#, Some("http")),
            (r#"{"a":{"event_type":"tls"},"event_type":"flow"}"#, Some("flow")),
            (r#"{"a":"\"event_type\":\"tls\"","event_type":"alert"}"#, Some("alert")),
            (r#"{"event_type":""}"#, None),
            (r#"{"event_type":"a b"}"#, None),
            (r#"{"event_type":7}"#, None),
            (r#"{"a":{"event_type":"tls"}}"#, None),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(event_type(line.as_bytes()), expected, "{line}");
        }
    }
}
