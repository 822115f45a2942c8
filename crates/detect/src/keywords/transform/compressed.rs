//! Gzip and zlib.

use std::io::Read;

use flate2::bufread::{GzDecoder, ZlibDecoder};
use weir_rules::value::{comma_list, key_value, parse_size};
use weir_rules::{RuleOption, Span, SyntaxError};

use super::{argument, identity};
use crate::builder::RuleBuilder;
use crate::model::transform::Transform;

/// Bytes decompressed where the rule does not say.
const DEFAULT_SIZE: u64 = 1024;

/// Most bytes decompressed.
const MAX_SIZE: u64 = 16 << 20;

pub(super) fn gunzip(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let size = max_size(option)?;
    let apply = move |input: &[u8], output: &mut Vec<u8>| read_up_to(GzDecoder::new(input), size, output);
    rule.push_transform(option, Transform::new(identity(option), apply))
}

pub(super) fn zlib(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let size = max_size(option)?;
    let apply = move |input: &[u8], output: &mut Vec<u8>| read_up_to(ZlibDecoder::new(input), size, output);
    rule.push_transform(option, Transform::new(identity(option), apply))
}

/// Damaged data gives what came before the damage.
fn read_up_to(decoder: impl Read, size: u64, output: &mut Vec<u8>) {
    let _damaged = decoder.take(size).read_to_end(output).is_err();
}

fn max_size(option: &RuleOption) -> Result<u64, SyntaxError> {
    let mut size = DEFAULT_SIZE;
    if option.value.is_some() {
        let text = argument(option)?;
        for item in comma_list(&text) {
            let (key, value) = match item.split_once('=') {
                Some((key, _)) => (
                    item.slice_trimmed(Span::new(0, key.len())),
                    item.slice_trimmed(Span::new(key.len() + 1, item.len())),
                ),
                None => key_value(&item),
            };
            if key != "max-size" {
                return Err(item.error(format!("`{}` takes only `max-size`.", option.name)));
            }
            size = match parse_size(&value) {
                Ok(found @ 1..=MAX_SIZE) => found,
                _ => return Err(value.error(format!("`max-size` lies between 1 and {MAX_SIZE} bytes."))),
            };
        }
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    #[test]
    fn decompressed_up_to_a_size() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&[b'a'; 5000]).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"hello").unwrap();
        let zlib = zlib.finish().unwrap();
        let gunzip = |input: &[u8], size| {
            let mut output = Vec::new();
            read_up_to(GzDecoder::new(input), size, &mut output);
            output.len()
        };
        assert_eq!(gunzip(&gzip, 1024), 1024);
        assert_eq!(gunzip(&gzip, 6000), 5000);
        assert_eq!(gunzip(b"no gzip", 6000), 0);
        let mut output = Vec::new();
        read_up_to(ZlibDecoder::new(&zlib[..]), 1024, &mut output);
        assert_eq!(output, b"hello");
    }
}
