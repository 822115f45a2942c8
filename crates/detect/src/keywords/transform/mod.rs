//! Transforms: options that change a sticky buffer before the checks behind them see it.

mod compressed;
mod encoded;
mod expression;
mod hash;
mod header;
mod name;
mod slice;
mod text;

use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::transform::Transform;

/// The work of a transform that takes no option.
type Apply = fn(&[u8], &mut Vec<u8>);

macro_rules! plain {
    ($name:literal, $text:literal, $example:literal, $apply:expr) => {
        Keyword::new($name, [concat!($name, ";"), $text, $example], |option, rule| {
            push_plain(option, rule, $apply, None)
        })
    };
    ($name:literal, $text:literal, $example:literal, $apply:expr, $possible:expr) => {
        Keyword::new($name, [concat!($name, ";"), $text, $example], |option, rule| {
            push_plain(option, rule, $apply, Some($possible))
        })
    };
}

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    plain!(
        "to_lowercase",
        "Letters become small.",
        "http.uri; to_lowercase; content:\"/admin\";",
        text::to_lowercase,
        text::is_lowercase
    ),
    plain!(
        "to_uppercase",
        "Letters become capital.",
        "http.uri; to_uppercase; content:\"/ADMIN\";",
        text::to_uppercase,
        text::is_uppercase
    ),
    plain!(
        "strip_whitespace",
        "White space is taken out.",
        "file.data; strip_whitespace; content:\"window.navigate(\";",
        text::strip_whitespace,
        text::is_stripped
    ),
    plain!(
        "compress_whitespace",
        "Each run of white space becomes one blank.",
        "http.request_line; compress_whitespace; content:\"GET /\";",
        text::compress_whitespace,
        text::is_compressed
    ),
    plain!(
        "url_decode",
        "`+` becomes a blank, and `%` with two hexadecimal digits the byte.",
        "http.request_body; url_decode; content:\"<script>\";",
        text::url_decode
    ),
    plain!(
        "to_md5",
        "The MD5 of the buffer, 16 bytes.",
        "http.uri; to_md5; content:\"|54 a9 7a 8a b0 9c 1b 81 37 25 22 14 51 d3 f9 97|\";",
        hash::to_md5
    ),
    plain!("to_sha1", "The SHA-1 of the buffer, 20 bytes.", "http.uri; to_sha1; bsize:20;", hash::to_sha1),
    plain!(
        "to_sha256",
        "The SHA-256 of the buffer, 32 bytes.",
        "http.uri; to_sha256; bsize:32;",
        hash::to_sha256
    ),
    plain!(
        "dotprefix",
        "A dot is put before the buffer, so that a domain can be looked for with its dot.",
        "dns.query; dotprefix; content:\".example.com\"; endswith;",
        name::dot_prefix
    ),
    plain!(
        "domain",
        "The registered domain in a host name, by the public suffix list.",
        "tls.sni; domain; content:\"example.com\";",
        name::domain
    ),
    plain!("tld", "The public suffix of a host name.", "tls.sni; tld; content:\"co.uk\";", name::suffix),
    plain!(
        "header_lowercase",
        "The names of HTTP headers become small; their values stay.",
        "http.header; header_lowercase; content:\"authorization:\";",
        header::lowercase
    ),
    plain!(
        "strip_pseudo_headers",
        "The pseudo-headers of HTTP/2, lines that begin with a colon, are taken out.",
        "http.header_names; strip_pseudo_headers; bsize:16;",
        header::strip_pseudo
    ),
    Keyword::new(
        "xor",
        [
            "xor:\"<hexadecimal key>\";",
            "Each byte is xored with the key's, which repeats.",
            "http.uri; xor:\"0d0ac8ff\"; content:\"password=\";",
        ],
        encoded::xor,
    ),
    Keyword::new(
        "from_base64",
        [
            "from_base64[:[bytes <n>][, offset <n>][, mode strict|rfc4648|rfc2045]];",
            "Base64 is decoded.",
            "http.uri; from_base64:offset 13; content:\"secret\";",
        ],
        encoded::from_base64,
    ),
    Keyword::new(
        "gunzip",
        [
            "gunzip[:max-size <bytes>];",
            "Gzip is decompressed, up to 1024 bytes unless max-size says otherwise.",
            "file.data; gunzip:max-size 4096; content:\"secret\";",
        ],
        compressed::gunzip,
    ),
    Keyword::new(
        "zlib_deflate",
        [
            "zlib_deflate[:max-size <bytes>];",
            "Zlib is decompressed, up to 1024 bytes unless max-size says otherwise.",
            "file.data; zlib_deflate; content:\"secret\";",
        ],
        compressed::zlib,
    ),
    Keyword::new(
        "subslice",
        [
            "subslice:<offset>[, <bytes>][, truncate];",
            "A part of the buffer; negative numbers count from its end.",
            "http.user_agent; subslice:0,4; content:\"curl\";",
        ],
        slice::subslice,
    ),
    Keyword::new(
        "pcrexform",
        [
            "pcrexform:\"<expression>\";",
            "What the first group of a regular expression catches.",
            "http.request_line; pcrexform:\"[a-zA-Z]+\\s+(.*)\\s+HTTP\"; content:\"/dropper.php\";",
        ],
        expression::pcrexform,
    ),
];

fn push_plain(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    apply: Apply,
    possible: Option<fn(&[u8]) -> bool>,
) -> Result<(), SyntaxError> {
    option.no_argument()?;
    let transform = Transform { possible, ..Transform::new(option.name.as_str(), apply) };
    rule.push_transform(option, transform)
}

/// The option's text, which a transform must have.
fn argument(option: &RuleOption) -> Result<Spanned, SyntaxError> {
    Ok(option.argument(false, Quotes::Optional)?.text)
}

/// Identity of a transform: its name and its option as written.
fn identity(option: &RuleOption) -> String {
    match &option.value {
        Some(value) => format!("{}:{value}", option.name),
        None => option.name.to_string(),
    }
}
