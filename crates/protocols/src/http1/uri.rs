//! The target of a request: its parts (RFC 3986) and the normalised form that rules look at.
//!
//! Decoding depends on the server imitated ([`UriSettings`]): percent and `%u` encoding,
//! UTF-8 to bytes, backslashes, repeated slashes, dot segments.

use super::authority;
use super::best_fit;
use super::octets::{head, hex_digit, tail, take_while};

/// Treatment of a `%` that no two hexadecimal digits follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InvalidEncoding {
    /// It stays.
    Preserve,
    /// It goes.
    Remove,
    /// It is decoded all the same.
    Process,
}

/// Normalisation of targets.
///
/// It has a field for each setting of how targets are normalised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UriSettings {
    /// Decode the path a second time.
    pub double_decode_path: bool,
    /// Decode the query a second time.
    pub double_decode_query: bool,
    /// A backslash in the path is a slash.
    pub backslash_is_slash: bool,
    /// Letters of the path become lower case.
    pub lowercase: bool,
    /// Several slashes are one.
    pub compress_separators: bool,
    /// An encoded slash is decoded.
    pub decode_separators: bool,
    /// `+` in the query is a space.
    pub plus_is_space: bool,
    /// `%uXXXX` is decoded.
    pub decode_u: bool,
    /// UTF-8 in the path becomes bytes of code page 1252.
    pub utf8_to_bytes: bool,
    /// A NUL byte ends the path or query.
    pub nul_terminates: bool,
    /// An encoded NUL byte does.
    pub encoded_nul_terminates: bool,
    /// Encodings that are none.
    pub invalid: InvalidEncoding,
    /// Stands for characters that have no byte.
    pub replacement: u8,
    /// The normalised form has scheme, user and host too.
    pub include_all: bool,
    /// Spaces belong to the target: the protocol is what follows the last one.
    pub allow_space: bool,
}

/// A target taken apart, nothing decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Target<'a> {
    /// `http`
    pub scheme: Option<&'a [u8]>,
    /// User, before `@`.
    pub user: Option<&'a [u8]>,
    /// Password, after the user's colon.
    pub password: Option<&'a [u8]>,
    /// Host.
    pub host: Option<&'a [u8]>,
    /// Port.
    pub port: Option<&'a [u8]>,
    /// Path, if it is not empty.
    pub path: Option<&'a [u8]>,
    /// Text after `?`.
    pub query: Option<&'a [u8]>,
    /// Text after `#`.
    pub fragment: Option<&'a [u8]>,
}

impl<'a> Target<'a> {
    /// Takes a target apart; a scheme must be there for a host to be looked for.
    pub(super) fn parse(bytes: &'a [u8]) -> Self {
        let mut target = Self::default();
        let mut rest = bytes;
        if !bytes.starts_with(b"/")
            && let Some(colon) = memchr::memchr(b':', bytes)
        {
            target.scheme = Some(head(bytes, colon));
            rest = target.authority(tail(bytes, colon + 1));
        }
        let (path, after) = take_while(rest, |byte| byte != b'#' && byte != b'?');
        target.path = Some(path).filter(|path| !path.is_empty());
        let mut rest = after;
        if let Some(query) = rest.strip_prefix(b"?") {
            let (query, after) = take_while(query, |byte| byte != b'#');
            target.query = Some(query);
            rest = after;
        }
        target.fragment = rest.strip_prefix(b"#");
        target
    }

    /// The parts of the target of a CONNECT request.
    pub(super) fn parse_authority(bytes: &'a [u8]) -> Self {
        let found = authority::split(bytes);
        Self {
            host: found.map(|found| found.host),
            port: found.and_then(|found| found.port),
            ..Self::default()
        }
    }

    fn authority(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut rest = bytes;
        if let Some(after) = bytes.strip_prefix(b"//")
            && !after.starts_with(b"/")
            && let Some(at) = memchr::memchr(b'@', after)
        {
            let credentials = head(after, at);
            match memchr::memchr(b':', credentials) {
                Some(colon) => {
                    self.user = Some(head(credentials, colon));
                    self.password = Some(tail(credentials, colon + 1));
                }
                None => self.user = Some(credentials),
            }
            rest = tail(after, at + 1);
        }
        if let Some(found) = authority::split(rest) {
            self.host = Some(found.host);
            self.port = found.port;
            rest = found.rest;
        }
        rest
    }
}

/// The normalised forms of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Normalized {
    /// Path, query and fragment, or everything where the settings say so; empty where there is none.
    pub text: Vec<u8>,
    /// The path alone, decoded once.
    pub path: Option<Vec<u8>>,
    /// The host, lower case, without dots at its end.
    pub host: Option<Vec<u8>>,
    /// Decoding a second time changed something.
    pub double_encoded: bool,
}

/// Normalises a target.
pub(super) fn normalize(target: &Target<'_>, settings: &UriSettings) -> Normalized {
    let mut normalized =
        Normalized { host: target.host.map(|host| normal_host(host, settings)), ..Normalized::default() };
    let mut text =
        Vec::with_capacity(target.path.map_or(0, <[u8]>::len) + target.query.map_or(0, |q| q.len() + 1));
    if settings.include_all {
        append_origin(&mut text, target, normalized.host.as_deref(), settings);
    }
    if let Some(path) = target.path.map(|path| normal_path(path, settings)) {
        if settings.double_decode_path {
            let again = decode(&path, settings);
            normalized.double_encoded |= again.len() < path.len();
            text.extend_from_slice(&again);
        } else {
            text.extend_from_slice(&path);
        }
        normalized.path = Some(path);
    }
    if let Some(query) = target.query {
        let mut query = decode(query, settings);
        if settings.double_decode_query {
            let again = decode(&query, settings);
            normalized.double_encoded |= again.len() < query.len();
            query = again;
        }
        text.push(b'?');
        text.extend_from_slice(&query);
    }
    if let Some(fragment) = target.fragment {
        text.push(b'#');
        text.extend_from_slice(&decode(fragment, settings));
    }
    normalized.text = text;
    normalized
}

fn append_origin(text: &mut Vec<u8>, target: &Target<'_>, host: Option<&[u8]>, settings: &UriSettings) {
    if let Some(scheme) = target.scheme {
        text.extend(scheme.iter().map(u8::to_ascii_lowercase));
        text.extend_from_slice(b"://");
    }
    if let Some(user) = target.user {
        text.extend_from_slice(&decode(user, settings));
        text.push(b':');
        text.extend_from_slice(
            &target.password.map(|password| decode(password, settings)).unwrap_or_default(),
        );
        text.push(b'@');
    }
    text.extend_from_slice(host.unwrap_or_default());
}

fn normal_host(host: &[u8], settings: &UriSettings) -> Vec<u8> {
    let mut host = decode(host, settings);
    host.make_ascii_lowercase();
    while host.last() == Some(&b'.') {
        host.pop();
    }
    host
}

fn normal_path(path: &[u8], settings: &UriSettings) -> Vec<u8> {
    let plain = |&byte: &u8| byte.is_ascii_graphic() && byte != b'%' && byte != b'\\';
    let simple = path.iter().all(plain) && memchr::memmem::find(path, b"//").is_none();
    let mut decoded = if simple { path.to_vec() } else { decode_path(path, settings) };
    if simple && settings.lowercase {
        decoded.make_ascii_lowercase();
    }
    if settings.utf8_to_bytes && !decoded.is_ascii() {
        decoded = utf8_to_bytes(&decoded, settings.replacement);
    }
    remove_dot_segments(&mut decoded);
    decoded
}

/// One step of decoding.
enum Decoded {
    /// A byte, and how many bytes of input it took.
    Byte(u8, usize),
    /// Nothing; the `%` is skipped.
    Skip,
    /// The rest is cut off.
    End,
}

/// Decodes what follows a `%`.
fn percent(rest: &[u8], settings: &UriSettings) -> Decoded {
    let invalid = |digits: usize| match settings.invalid {
        InvalidEncoding::Preserve => Decoded::Byte(b'%', 1),
        InvalidEncoding::Remove => Decoded::Skip,
        InvalidEncoding::Process => match (digits, rest) {
            (4, [_, a, b, c, d, ..]) => Decoded::Byte(wide(lenient(*a, *b), lenient(*c, *d), settings), 6),
            (2, [a, b, ..]) => Decoded::Byte(lenient(*a, *b), 3),
            _ => Decoded::Byte(b'%', 1),
        },
    };
    let decoded = match rest {
        [b'u' | b'U', digits @ ..] => {
            if !settings.decode_u {
                return Decoded::Byte(b'%', 1);
            }
            match (digits.first_chunk::<4>()).map(|&[a, b, c, d]| (pair(a, b), pair(c, d))) {
                Some((Some(high), Some(low))) => Decoded::Byte(wide(high, low, settings), 6),
                _ => invalid(4),
            }
        }
        [a, b, ..] => match pair(*a, *b) {
            Some(byte) => Decoded::Byte(byte, 3),
            None => invalid(2),
        },
        _ => invalid(0),
    };
    match decoded {
        Decoded::Byte(0, _) if settings.encoded_nul_terminates => Decoded::End,
        decoded => decoded,
    }
}

fn pair(high: u8, low: u8) -> Option<u8> {
    Some(hex_digit(high)? << 4 | hex_digit(low)?)
}

/// Two digits as a server reads them that does not look whether they are.
fn lenient(high: u8, low: u8) -> u8 {
    let digit = |byte: u8| {
        if byte >= b'A' { (byte & 0xdf).wrapping_sub(b'A').wrapping_add(10) } else { byte.wrapping_sub(b'0') }
    };
    digit(high).wrapping_mul(16).wrapping_add(digit(low))
}

fn wide(high: u8, low: u8, settings: &UriSettings) -> u8 {
    match high {
        0 => low,
        _ => best_fit::byte(u32::from(high) << 8 | u32::from(low)).unwrap_or(settings.replacement),
    }
}

/// Decodes query, fragment, host or user.
fn decode(bytes: &[u8], settings: &UriSettings) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => match percent(after, settings) {
                Decoded::Byte(byte, taken) => {
                    out.push(byte);
                    rest = tail(after, taken - 1);
                }
                Decoded::Skip => {}
                Decoded::End => break,
            },
            b'+' if settings.plus_is_space => out.push(b' '),
            0 if settings.nul_terminates => break,
            _ => out.push(byte),
        }
    }
    out
}

fn decode_path(path: &[u8], settings: &UriSettings) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let mut byte = byte;
        if byte == b'%' {
            match percent(after, settings) {
                Decoded::Byte(b'/', 3) if !settings.decode_separators => {}
                Decoded::Byte(b'\\', 3) if !settings.decode_separators && settings.backslash_is_slash => {}
                Decoded::Byte(decoded, taken) => {
                    byte = decoded;
                    rest = tail(after, taken - 1);
                }
                Decoded::Skip => continue,
                Decoded::End => break,
            }
        } else if byte == 0 && settings.nul_terminates {
            break;
        }
        if byte == b'\\' && settings.backslash_is_slash {
            byte = b'/';
        }
        if settings.lowercase {
            byte.make_ascii_lowercase();
        }
        if byte != b'/' || !settings.compress_separators || out.last() != Some(&b'/') {
            out.push(byte);
        }
    }
    out
}

/// UTF-8, overlong forms included, to bytes of code page 1252.
fn utf8_to_bytes(bytes: &[u8], replacement: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&lead, after)) = rest.split_first() {
        rest = after;
        let (more, bits) = match lead {
            0..=0x7f => {
                out.push(lead);
                continue;
            }
            0xc0..=0xdf => (1, lead & 0x1f),
            0xe0..=0xef => (2, lead & 0x0f),
            0xf0..=0xf4 => (3, lead & 0x07),
            _ => {
                out.push(replacement);
                continue;
            }
        };
        let mut character = u32::from(bits);
        let mut seen = 0;
        while seen < more
            && let Some((&byte, after)) = rest.split_first()
        {
            let valid = match (lead, seen) {
                (0xed, 0) => matches!(byte, 0x80..=0x9f),
                (0xf4, 0) => matches!(byte, 0x80..=0x8f),
                _ => matches!(byte, 0x80..=0xbf),
            };
            if !valid {
                break;
            }
            character = character << 6 | u32::from(byte & 0x3f);
            seen += 1;
            rest = after;
        }
        if seen == more {
            out.push(
                u8::try_from(character).ok().or_else(|| best_fit::byte(character)).unwrap_or(replacement),
            );
        } else if rest.is_empty() {
            // Cut short: one replacement for each byte but the first.
            out.extend(std::iter::repeat_n(replacement, seen));
        } else {
            out.push(replacement);
        }
    }
    out
}

/// Where [`remove_dot_segments`] is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DotState {
    Start,
    StartDot,
    StartDotDot,
    Slash,
    SlashDot,
    SlashDotDot,
    /// At the slash behind a dot segment, which is dropped at the end of the path.
    AfterDots,
    Name,
}

/// RFC 3986 section 5.2.4, in place.
fn remove_dot_segments(path: &mut Vec<u8>) {
    if memchr::memchr(b'.', path).is_none() {
        return;
    }
    let input = std::mem::take(path);
    path.reserve(input.len());
    let mut state = DotState::Start;
    for &byte in &input {
        use DotState::*;
        let (pending, next): (&[u8], _) = match (state, byte) {
            (Start, b'.') => (b"", StartDot),
            (StartDot, b'.') => (b"", StartDotDot),
            (StartDot | StartDotDot, b'/') => (b"", Start),
            (Start | Name, b'/') => (b"", Slash),
            (Slash | AfterDots, b'.') => (b"", SlashDot),
            (SlashDot, b'.') => (b"", SlashDotDot),
            (SlashDot, b'/') => (b"", AfterDots),
            (SlashDotDot, b'/') => {
                remove_last_segment(path);
                (b"", AfterDots)
            }
            (Start | Name, _) => (b"", Name),
            (StartDot, _) => (b".", Name),
            (StartDotDot, _) => (b"..", Name),
            (Slash | AfterDots, _) => (b"/", Name),
            (SlashDot, _) => (b"/.", Name),
            (SlashDotDot, _) => (b"/..", Name),
        };
        if next == Name {
            path.extend_from_slice(pending);
            path.push(byte);
        }
        state = next;
    }
    match state {
        DotState::Slash => path.push(b'/'),
        DotState::SlashDotDot => remove_last_segment(path),
        _ => {}
    }
}

fn remove_last_segment(path: &mut Vec<u8>) {
    let keep = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    path.truncate(keep);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::http1::settings::Personality;

    fn normal(target: &str, personality: Personality) -> String {
        let normalized = normalize(&Target::parse(target.as_bytes()), &personality.uri());
        String::from_utf8_lossy(&normalized.text).into_owned()
    }

    #[test]
    fn as_an_ids_reads_them() {
        let cases = [
            ("/index.html", "/index.html"),
            ("/a%20b?c%20d", "/a b?c d"),
            ("/a%2fb", "/a/b"),
            ("/a\\b", "/a/b"),
            ("/a%5cb", "/a/b"),
            ("/a//b///c", "/a/b/c"),
            ("/a/./b/../c", "/a/c"),
            ("/../../etc/passwd", "/etc/passwd"),
            ("/a/..", ""),
            ("/a/.", "/a"),
            ("/a/./", "/a"),
            ("/%u0041%U0042", "/AB"),
            ("/%u0141", "/L"),
            ("/%c0%af", "//"),
            ("/%e2%82%ac", "/?"),
            ("/%zz%4", "/%zz%4"),
            ("/%2541", "/%41"),
            ("/a+b?a+b", "/a+b?a+b"),
            ("http://User:pw@Host.com:80/p?q#f", "/p?q#f"),
            ("/p#f%41", "/p#fA"),
            ("*", "*"),
            ("?q", "?q"),
        ];
        for (target, expected) in cases {
            assert_eq!(normal(target, Personality::Ids), expected, "{target}");
        }
    }

    #[test]
    fn as_servers_read_them() {
        assert_eq!(normal("/a%2fb\\c", Personality::Apache2), "/a%2fb\\c");
        assert_eq!(normal("/a//b", Personality::Minimal), "/a//b");
        assert_eq!(normal("/%u0041", Personality::Generic), "/%u0041");
    }

    #[test]
    fn parts() {
        let target = Target::parse(b"ftp://me:secret@example.com:21/dir?a@b#c");
        assert_eq!(target.scheme, Some(&b"ftp"[..]));
        assert_eq!(target.user, Some(&b"me"[..]));
        assert_eq!(target.password, Some(&b"secret"[..]));
        assert_eq!(target.host, Some(&b"example.com"[..]));
        assert_eq!(target.port, Some(&b"21"[..]));
        assert_eq!(target.path, Some(&b"/dir"[..]));
        assert_eq!(target.query, Some(&b"a@b"[..]));
        assert_eq!(target.fragment, Some(&b"c"[..]));
        assert_eq!(Target::parse_authority(b"example.com:443").port, Some(&b"443"[..]));
    }

    #[test]
    fn double_decoding_is_noted() {
        let mut settings = Personality::Ids.uri();
        settings.double_decode_path = true;
        settings.double_decode_query = true;
        let normalized = normalize(&Target::parse(b"/%2541?%2542"), &settings);
        assert_eq!(normalized.text, b"/A?B");
        assert!(normalized.double_encoded);
    }

    #[test]
    fn everything_if_wanted() {
        let mut settings = Personality::Ids.uri();
        settings.include_all = true;
        let normalized = normalize(&Target::parse(b"HTTP://u@Example.COM./x"), &settings);
        assert_eq!(normalized.text, b"http://u:@example.com/x");
    }
}
