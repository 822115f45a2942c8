//! Names and versions in what software says of itself (banners, `User-Agent`), read as Zeek's software framework does: what
//! it makes of a text is part of its log.

use std::borrow::Cow;

use crate::hex;

/// A program and its version.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Product {
    /// Its name; empty where there is none.
    pub name: Vec<u8>,
    /// `version.major` to `version.minor3`
    pub numbers: [Option<u64>; 4],
    /// `version.addl`
    pub additional: Option<Vec<u8>>,
}

/// Longest text that is looked at; the rest does not count.
const MAX_TEXT: usize = 2048;

/// Nesting of texts in which a version is looked for.
const MAX_DEPTH: u8 = 3;

impl Product {
    /// Reads what a program says; nothing beyond 2,048 bytes counts.
    pub fn read(text: &[u8]) -> Self {
        parse(text.get(..MAX_TEXT).unwrap_or(text), 0)
    }
}

fn parse(text: &[u8], depth: u8) -> Product {
    if depth > MAX_DEPTH {
        return Product::default();
    }
    if let Some(rest) = text.strip_prefix(b"Mozilla/").or_else(|| text.strip_prefix(b"Opera/")) {
        let digits = run(rest, |byte| byte.is_ascii_digit());
        if digits > 0 && rest.get(digits) == Some(&b'.') {
            return browser(text, depth);
        }
    }
    if let Some(product) = pixel(text, depth) {
        return product;
    }
    let text = unescaped(text);
    let Some((start, end)) = version_of(&text) else {
        return Product { name: name(&text), ..Product::default() };
    };
    let (before, version, after) =
        (slice(&text, 0, start), slice(&text, start, end), slice(&text, end, text.len()));
    let mut product = Product { name: name(before), ..Product::default() };
    let parts = split(without_separator(version), b"-._,[({ ", 4);
    for (number, part) in product.numbers.iter_mut().zip(parts) {
        *number = (!part.is_empty()).then(|| first_number(part));
    }
    if !after.is_empty() && after != b")" {
        product.additional = Some(additional(after));
    }
    product
}

/// `A/9/Google/Pixel#2/…`
fn pixel(text: &[u8], depth: u8) -> Option<Product> {
    let found = positions(text, b"A/").find(|&at| {
        let rest = slice(text, at + 2, text.len());
        slice(rest, run(rest, is_version), rest.len()).starts_with(b"/Google/Pixel")
    });
    found?;
    let version = text.split(|byte| *byte == b'/').nth(1).unwrap_or_default();
    let mut product = if version.contains(&b'.') { parse(version, depth + 1) } else { Product::default() };
    if !version.contains(&b'.') {
        product.numbers[0] = Some(first_number(version));
    }
    product.name = b"Android (Google Pixel)".to_vec();
    Some(product)
}

/// Texts as `%20` and `\x20` stand for them.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') && !text.contains(&b'\\') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let escaped = match rest {
            [b'%', tail @ ..] | [b'\\', b'x', tail @ ..] => Some(tail),
            _ => None,
        };
        if let Some([high, low, after @ ..]) = escaped
            && let (Some(high), Some(low)) = (hex::value(*high), hex::value(*low))
        {
            out.push(high << 4 | low);
            rest = after;
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    Cow::Owned(out)
}

/// Where the version begins, with what sets it off from the name, and where it ends: the first place
/// where at least two digits or separators stand in a row.
fn version_of(text: &[u8]) -> Option<(usize, usize)> {
    let numbers = |from: usize| {
        let length = run(slice(text, from, text.len()), |b| b.is_ascii_digit() || b"-._, ".contains(&b));
        (length >= 2).then_some(from + length)
    };
    (0..text.len()).find_map(|start| {
        let set_off = match slice(text, start, text.len()) {
            [b'/' | b'-' | b'_', ..] => 1,
            [b' ', rest @ ..] => match run(rest, |byte| matches!(byte, b'(' | b'v')) {
                0 => 0,
                some => 1 + some,
            },
            _ => 0,
        };
        let end = numbers(start).max(if set_off > 0 { numbers(start + set_off) } else { None })?;
        Some((start, end))
    })
}

/// A name without what set the version off.
fn name(before: &[u8]) -> Vec<u8> {
    let separator = |text: &[u8]| -> Option<usize> {
        match text {
            [b'/' | b'-' | b'_', ..] => Some(1),
            [b' ', rest @ ..] => {
                Some(run(rest, |b| matches!(b, b'(' | b'v'))).filter(|n| *n > 0).map(|n| n + 1)
            }
            _ => None,
        }
    };
    let places = |from: usize| separator(slice(before, from, before.len())).map(|length| (from, length));
    let ends_so = (0..before.len()).filter_map(places).any(|(from, length)| from + length == before.len());
    let first = (0..before.len()).find_map(places).filter(|_| ends_so);
    let mut name = match first {
        Some((from, length)) => [slice(before, 0, from), slice(before, from + length, before.len())]
            .concat()
            .trim_ascii()
            .to_vec(),
        None => before.to_vec(),
    };
    if name.first() == Some(&b'(') {
        name.remove(0);
    }
    match name.trim_ascii() {
        b"Flash Player" => b"Flash".to_vec(),
        name => name.to_vec(),
    }
}

/// A version without the separator before it.
fn without_separator(version: &[u8]) -> &[u8] {
    let is_separator = |byte: &u8| b"/-._v(".contains(byte);
    match version.trim_ascii() {
        [b'(', second, rest @ ..] if is_separator(second) => rest.trim_ascii(),
        [first, rest @ ..] if is_separator(first) => rest.trim_ascii(),
        version => version,
    }
}

/// The text behind a version.
fn additional(after: &[u8]) -> Vec<u8> {
    let blanks = run(after, |byte| matches!(byte, b' ' | b'\t'));
    if let [b'(', rest @ ..] = slice(after, blanks, after.len()) {
        let words = run(rest, |b| b.is_ascii_alphanumeric() || b"-._ \t".contains(&b));
        if rest.get(words) == Some(&b')') {
            return slice(rest, 0, words).to_vec();
        }
    }
    let mut parts = split(after, b"-._,;[](){} ", 4).take(3);
    parts.find(|part| !part.is_empty()).unwrap_or(after).trim_ascii().to_vec()
}

/// Browsers say much; what they are is at some place in it.
fn browser(text: &[u8], depth: u8) -> Product {
    let has = |word: &[u8]| find(text, word).is_some();
    let named = |name: &str, found: Option<&[u8]>| {
        let version = found.map(|found| parse(found, depth + 1)).unwrap_or_default();
        Product { name: name.as_bytes().to_vec(), ..version }
    };
    let follows = |first: &[u8], second: &[u8]| {
        find(text, first).is_some_and(|at| find(slice(text, at + first.len(), text.len()), second).is_some())
    };
    if let Some(version) = last_opera(text) {
        return named("Opera", Some(version));
    }
    if has(b" MSIE ") || has(b"Trident/") {
        return internet_explorer(text, depth);
    }
    if has(b"Edge/") {
        return named("Edge", versioned(text, b"Edge/"));
    }
    if follows(b"Version/", b"Safari/") {
        let mut product = named("Safari", versioned(text, b"Version/"));
        if follows(b" Mobile", b" Safari") {
            product.additional = Some(b"Mobile".to_vec());
        }
        return product;
    }
    let gecko: [&[u8]; 3] = [b"Firefox/", b"Netscape/", b"Thunderbird/"];
    if let Some((_, word)) = gecko.iter().filter_map(|word| Some((find(text, word)?, *word))).min() {
        return versioned(text, word).map(|found| parse(found, depth + 1)).unwrap_or_default();
    }
    if follows(b"Chrome/", b"Safari/") {
        return named("Chrome", versioned(text, b"Chrome/"));
    }
    if text.starts_with(b"Opera/") {
        let small = ["Opera Mini", "Opera Mobi"];
        let at = |name: &&str| find(text, format!("{name}/").as_bytes());
        let name = small.into_iter().filter(|name| at(name).is_some()).min_by_key(|name| at(name));
        let version = versioned(text, b"Version/");
        return match name {
            Some(name) => named(name, version.or_else(|| versioned(text, b"Opera Mini/"))),
            None => named("Opera", version),
        };
    }
    if has(b"Flash%20Player") {
        let words: Vec<&[u8]> = text.split(|byte| matches!(byte, b'/' | b' ')).collect();
        return named("Flash", words.get(1).copied());
    }
    for (word, name) in [("AdobeAIR/", "AdobeAIR"), ("AppleWebKit/", "Unspecified WebKit")] {
        if has(word.as_bytes()) {
            return named(name, versioned(text, word.as_bytes()));
        }
    }
    let java = positions(text, b" Java/")
        .find(|at| matches!(slice(text, at + 6, text.len()), [digit, b'.', ..] if digit.is_ascii_digit()));
    match java {
        Some(at) => {
            let rest = slice(text, at + 1, text.len());
            let length = 5 + run(slice(rest, 5, rest.len()), |byte| is_version(byte) || byte == b'_');
            named("Java", Some(slice(rest, 0, length)))
        }
        None => named("<unknown browser>", None),
    }
}

fn internet_explorer(text: &[u8], depth: u8) -> Product {
    let mut product = Product::default();
    let engine = [(4, 8), (5, 9), (6, 10), (7, 11)]
        .into_iter()
        .find(|(engine, _)| find(text, format!("Trident/{engine}.0").as_bytes()).is_some());
    if let Some((_, major)) = engine {
        product.numbers = [Some(major), Some(0), None, None];
    } else if let Some(at) =
        positions(text, b"MSIE ").find(|at| text.get(at + 5).is_some_and(u8::is_ascii_digit))
    {
        let rest = slice(text, at, text.len());
        let mut end = 5 + run(slice(rest, 5, 7), |byte| byte.is_ascii_digit());
        for class in [|byte| byte == b'.', |byte: u8| byte.is_ascii_digit()] {
            end += run(slice(rest, end, rest.len()), class);
        }
        if rest.get(end) == Some(&b'b') {
            end += 1 + run(slice(rest, end + 1, rest.len()), |byte| byte.is_ascii_digit());
        }
        product = parse(slice(rest, 0, end), depth + 1);
    }
    product.name = b"MSIE".to_vec();
    product
}

/// `Opera 11.00` at the end.
fn last_opera(text: &[u8]) -> Option<&[u8]> {
    let at = positions(text, b"Opera ").find(|at| {
        let rest = slice(text, at + 6, text.len());
        run(rest, is_version) == rest.len()
    })?;
    Some(slice(text, at, text.len()))
}

/// A word and the version behind it, where it is first found.
fn versioned<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = find(text, word)?;
    let end = at + word.len();
    Some(slice(text, at, end + run(slice(text, end, text.len()), is_version)))
}

const fn is_version(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// The first digits of a part as a number, zero where there are none.
fn first_number(part: &[u8]) -> u64 {
    let digits =
        part.iter().skip_while(|byte| !byte.is_ascii_digit()).take_while(|byte| byte.is_ascii_digit());
    digits.fold(0u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

/// Returns the number of leading bytes that fit.
fn run(text: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| fits(**byte)).count()
}

fn slice(text: &[u8], from: usize, to: usize) -> &[u8] {
    text.get(from..to.min(text.len())).unwrap_or_default()
}

fn positions<'a>(text: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    text.windows(word.len()).enumerate().filter(move |(_, window)| *window == word).map(|(at, _)| at)
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    positions(text, word).next()
}

/// The parts between any of `separators`, so many at most.
fn split<'a>(text: &'a [u8], separators: &'static [u8], most: usize) -> impl Iterator<Item = &'a [u8]> {
    text.splitn(most, move |byte| separators.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name major.minor.minor2.minor3-additional`, a `?` for what is unset.
    fn shown(text: &str) -> String {
        let product = Product::read(text.as_bytes());
        let known = product.numbers.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let number = |number: &Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
        let numbers: Vec<String> = product.numbers[..known].iter().map(number).collect();
        let additional =
            product.additional.map_or(String::new(), |text| format!("-{}", String::from_utf8_lossy(&text)));
        format!("{} {}{additional}", String::from_utf8_lossy(&product.name), numbers.join("."))
    }

    #[test]
    fn programs() {
        for (text, expected) in [
            ("nginx", "nginx "),
            ("nginx/1.24.0", "nginx 1.24.0"),
            ("OpenSSH_9.6", "OpenSSH 9.6"),
            ("Apache/2.4.58 (Ubuntu)", "Apache 2.4.58-Ubuntu"),
            ("Apache/2.2.15 (Unix) mod_ssl/2.2.15 OpenSSL/1.0.1e", "Apache 2.2.15-Unix"),
            ("Server 1.2.5rc1 (Debian)", "Server 1.2.5-rc1"),
            ("Java/1.8.0_392", "Java 1.8.0.392"),
            ("libwww-perl/6.05", "libwww-perl 6.5"),
            ("Wget/1.21.4+stable (x)", "Wget 1.21.4-+stable"),
            ("Plug/(Plug 2.7.8-final, x 2.3.5)", "Plug/(Plug 2.7.8-final"),
            ("The Tool (v2.00.9) Personal", "The Tool 2.0.9-Personal"),
            ("The Tool (3.0.1 RC3) Personal", "The Tool 3.0.1-RC3"),
            ("Flash/10,2,153,1", "Flash 10.2.153.1"),
            ("Flash%20Player/26.0.0.137 Net/811.5.4", "Flash 26.0.0.137-Net/811"),
            ("Serve v26b", "Serve 26-b"),
            ("(ftpd 2.0.5)", "ftpd 2.0.5"),
            ("Mail (2.1084)", "Mail 2.1084"),
            ("A/8.1.0/Google/Pixel#2/walleye", "Android (Google Pixel) 8.1.0"),
            ("A/9/Google/Pixel#2/walleye", "Android (Google Pixel) 9"),
            ("\\xe6\\xbc 2.6.2", "\u{fffd} 2.6.2"),
            ("", " "),
            ("1.0", " 1.0"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn browsers() {
        const LIKE: &str = "AppleWebKit/533.17 (KHTML, like Gecko)";
        for (text, expected) in [
            (format!("Mozilla/5.0 (X; U) {LIKE} Version/5.0.2 Safari/6533.18"), "Safari 5.0.2"),
            (format!("Mozilla/5.0 (X; U) {LIKE} Version/4.0 Mobile Safari/533.1"), "Safari 4.0-Mobile"),
            (format!("Mozilla/5.0 (X) {LIKE} Chrome/120.0.6099.109 Safari/537.36"), "Chrome 120.0.6099.109"),
            (format!("Mozilla/5.0 (X) {LIKE} Chrome/52.0 Safari/537.36 Edge/15.15063"), "Edge 15.15063"),
            (format!("Mozilla/5.0 (X) {LIKE}"), "Unspecified WebKit 533.17"),
            (format!("Mozilla/5.0 (X) {LIKE} AdobeAIR/1.0"), "AdobeAIR 1.0"),
            ("Mozilla/5.0 (X; rv:121.0) Gecko/20100101 Firefox/121.0".to_owned(), "Firefox 121.0"),
            ("Mozilla/5.0 (X) Gecko/1 Lightning/1.0b2 Thunderbird/3.1.5".to_owned(), "Thunderbird 3.1.5"),
            ("Mozilla/4.0 (compatible; MSIE 7.0b; Windows NT 5.1)".to_owned(), "MSIE 7.0-b"),
            ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)".to_owned(), "MSIE 6.0"),
            ("Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko".to_owned(), "MSIE 11.0"),
            ("Mozilla/4.0 (compatible; MSIE 8.0; x) Opera 11.00".to_owned(), "Opera 11.0"),
            ("Opera/9.80 (Windows NT 6.1) Presto/2.7.62 Version/11.01".to_owned(), "Opera 11.1"),
            ("Opera/9.80 (X; Opera Mini/5.0.18741/18.794) Presto/2.4".to_owned(), "Opera Mini 5.0.18741"),
            ("Opera/9.80 (X; Opera Mobi/49) Presto/2.4 Version/10.00".to_owned(), "Opera Mobi 10.0"),
            ("Mozilla/4.0 (Windows) Java/1.6.0_13".to_owned(), "Java 1.6.0.13"),
            ("Mozilla/5.0 (compatible; bot)".to_owned(), "<unknown browser> "),
        ] {
            assert_eq!(shown(&text), expected, "{text}");
        }
    }

    #[test]
    fn any_bytes_give_a_product() {
        let mut text = Vec::new();
        for number in 0..4000u32 {
            text.push((number.wrapping_mul(2_654_435_761) >> 24) as u8);
            Product::read(&text);
        }
    }
}
