//! `Content-Encoding` (RFC 9110 section 8.4): which decompressors a body goes through.

use super::anomaly::Oddity;
use super::octets::{contains_word, is_word};
use super::settings::Settings;

/// A compression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// gzip, RFC 1952.
    Gzip,
    /// Raw deflate, RFC 1951, which is what servers mean by `deflate` as often as zlib.
    Deflate,
    /// zlib, RFC 1950.
    Zlib,
    /// Brotli, RFC 7932.
    Brotli,
    /// LZMA.
    Lzma,
}

/// The compressions in the order in which they were applied, and what is odd about the value.
pub(super) fn parse(value: &[u8], settings: &Settings) -> (Vec<Encoding>, Vec<Oddity>) {
    let single = if is_word(value, b"gzip") || is_word(value, b"x-gzip") {
        Some(Encoding::Gzip)
    } else if is_word(value, b"deflate") || is_word(value, b"x-deflate") {
        Some(Encoding::Deflate)
    } else if is_word(value, b"lzma") {
        Some(Encoding::Lzma)
    } else if is_word(value, b"br") {
        Some(Encoding::Brotli)
    } else {
        None
    };
    match single {
        Some(encoding) => (vec![encoding], Vec::new()),
        None if is_word(value, b"inflate") || is_word(value, b"none") => (Vec::new(), Vec::new()),
        None => list(value, settings),
    }
}

fn list(value: &[u8], settings: &Settings) -> (Vec<Encoding>, Vec<Oddity>) {
    let mut encodings = Vec::new();
    let mut oddities = Vec::new();
    let mut lzma_layers = 0;
    let tokens = value.split(|&byte| byte == b',' || byte == b' ').filter(|token| !token.is_empty());
    for (layer, token) in tokens.enumerate() {
        if layer as u64 >= u64::from(settings.layers) {
            oddities.push(Oddity::TooManyEncodingLayers);
            break;
        }
        let (encoding, normal) = if contains_word(token, b"gzip") {
            (Some(Encoding::Gzip), token == b"gzip" || token == b"x-gzip")
        } else if contains_word(token, b"deflate") {
            (Some(Encoding::Deflate), token == b"deflate" || token == b"x-deflate")
        } else if token == b"lzma" {
            lzma_layers += 1;
            if lzma_layers > settings.lzma_layers {
                oddities.push(Oddity::ResponseTooManyLzmaLayers);
                break;
            }
            (Some(Encoding::Lzma), true)
        } else if token == b"br" {
            (Some(Encoding::Brotli), true)
        } else {
            (None, matches!(token, b"inflate" | b"none" | b"identity"))
        };
        if !normal {
            oddities.push(Oddity::AbnormalContentEncoding);
        }
        encodings.extend(encoding);
    }
    (encodings, oddities)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        use Encoding::*;
        use Oddity::*;
        type Expected<'a> = (&'a [Encoding], &'a [Oddity]);
        let cases: [(&[u8], Expected<'_>); 9] = [
            (b"gzip", (&[Gzip], &[])),
            (b"X-GZIP", (&[Gzip], &[])),
            (b"gz\0ip", (&[Gzip], &[])),
            (b"deflate", (&[Deflate], &[])),
            (b"identity", (&[], &[])),
            (b"gzip, deflate", (&[Gzip, Deflate], &[])),
            (b"gzip, gzip, gzip", (&[Gzip, Gzip], &[TooManyEncodingLayers])),
            (b"\"gzip\"", (&[Gzip], &[AbnormalContentEncoding])),
            (b"foo", (&[], &[AbnormalContentEncoding])),
        ];
        for (value, (encodings, oddities)) in cases {
            assert_eq!(
                parse(value, &Settings::default()),
                (encodings.to_vec(), oddities.to_vec()),
                "{value:?}"
            );
        }
    }
}
