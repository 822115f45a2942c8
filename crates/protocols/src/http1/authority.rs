//! Host and port, of a `Host` field, a CONNECT target or an absolute URI (RFC 3986 section 3.2).

use std::net::Ipv6Addr;

use super::octets::{head, run, tail, take_while};

/// A host with an optional port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HostPort<'a> {
    /// The host as written.
    pub host: &'a [u8],
    /// The port as written.
    pub port: Option<&'a [u8]>,
    /// Bytes after both.
    pub rest: &'a [u8],
}

impl HostPort<'_> {
    /// The port as a number.
    pub(super) fn port_number(&self) -> Option<u16> {
        self.port.and_then(port_number)
    }

    /// Whether the host is one, the port too, and nothing else follows.
    pub(super) fn is_valid(&self) -> bool {
        is_valid_host(self.host)
            && match self.port {
                Some(port) => port_number(port).is_some(),
                None => self.rest.is_empty(),
            }
    }
}

/// A port number from 1.
pub(super) fn port_number(digits: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(digits).ok()?;
    text.parse::<u16>().ok().filter(|&port| port != 0)
}

/// Host and port at the start of `bytes`; a leading `//` is skipped. None where there is no host.
pub(super) fn split(bytes: &[u8]) -> Option<HostPort<'_>> {
    let bytes = bytes.strip_prefix(b"//").unwrap_or(bytes);
    if bytes.starts_with(b"/") {
        return None;
    }
    let bytes = tail(bytes, run(bytes, |byte| byte == b' '));
    let (host, rest) = if let Some(inner) = bytes.strip_prefix(b"[") {
        let length = run(inner, |byte| !matches!(byte, b'/' | b'?' | b'#' | b']'));
        let close = usize::from(inner.get(length) == Some(&b']'));
        bytes.split_at_checked(1 + length + close)?
    } else {
        take_while(bytes, |byte| !matches!(byte, b'/' | b'?' | b'#' | b':'))
    };
    if host.is_empty() {
        return None;
    }
    let host = trim_end_spaces(host);
    let Some(after) = rest.strip_prefix(b":") else { return Some(HostPort { host, port: None, rest }) };
    let after = tail(after, run(after, |byte| byte == b' '));
    let (port, after) = take_while(after, |byte| !matches!(byte, b'/' | b'?' | b'#'));
    let (port, _) = take_while(port, |byte| byte != b' ');
    if port.is_empty() {
        return Some(HostPort { host, port: None, rest });
    }
    Some(HostPort { host, port: Some(port), rest: after })
}

fn trim_end_spaces(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    head(bytes, end)
}

/// Whether a host is a name or address; underscores are let pass, as they are in use.
pub(super) fn is_valid_host(host: &[u8]) -> bool {
    if host.is_empty() || host.len() > 255 {
        return false;
    }
    if let Some(inner) = host.strip_prefix(b"[") {
        let (address, rest) = take_while(inner, |byte| !matches!(byte, b'#' | b'?' | b'/' | b']'));
        if rest.starts_with(b"]") {
            return std::str::from_utf8(address).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok());
        }
    }
    if host.starts_with(b".") {
        return false;
    }
    let mut labels = host.split(|&byte| byte == b'.').peekable();
    while let Some(label) = labels.next() {
        let last = labels.peek().is_none();
        let valid = label.len() <= 63
            && (last || !label.is_empty())
            && label.iter().all(|&byte| byte == b'_' || byte == b'-' || (byte as char).is_alphanumeric());
        if !valid {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports() {
        type Expected<'a> = Option<(&'a [u8], Option<u16>, bool)>;
        let cases: [(&[u8], Expected<'_>); 10] = [
            (b"www.example.com", Some((b"www.example.com", None, true))),
            (b"www.example.com:8080", Some((b"www.example.com", Some(8080), true))),
            (b"www.example.com:0", Some((b"www.example.com", None, false))),
            (b"www.example.com:x", Some((b"www.example.com", None, false))),
            (b"//example.com/path", Some((b"example.com", None, false))),
            (b"[::1]:80", Some((b"[::1]", Some(80), true))),
            (b"[::1]x", Some((b"[::1]", None, false))),
            (b" a b :80", Some((b"a b", Some(80), false))),
            (b"/path", None),
            (b"", None),
        ];
        for (text, expected) in cases {
            let found = split(text).map(|found| (found.host, found.port_number(), found.is_valid()));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn valid_hosts() {
        let long = [b'a'; 64];
        let cases: [(&[u8], bool); 9] = [
            (b"a.b", true),
            (b"a.b.", true),
            (b"a_b-c", true),
            (b".a", false),
            (b"a..b", false),
            (b"a b", false),
            (b"[::g]", false),
            (b"", false),
            (&long, false),
        ];
        for (host, expected) in cases {
            assert_eq!(is_valid_host(host), expected, "{host:?}");
        }
    }
}
