//! `asn1`: BER (X.690) that breaks decoders.

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::buffer::{Buffer, BufferCheck, Check};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "asn1",
    [
        "asn1:[bitstring_overflow][, double_overflow][, oversize_length <bytes>][, absolute_offset <bytes>|\
         relative_offset <bytes>];",
        "The payload has, at the offset, ASN.1 with one of these: a bit string with more unused bits than bits, a \
         real number in more than 256 characters, a length above the one named. `asn1-max-frames` objects are \
         looked at.",
        "asn1:oversize_length 1024, relative_offset 0;",
    ],
    asn1,
)];

/// Tag of a bit string.
const BIT_STRING: u8 = 3;
/// Tag of a real number.
const REAL: u8 = 9;
/// Longest decimal form of a real number.
const MAX_REAL: u64 = 256;
/// Most bytes of a tag or length.
const MAX_NUMBER_BYTES: usize = 8;

/// Where the first object lies.
#[derive(Clone, Copy)]
enum Start {
    Absolute(usize),
    /// From the end of the match before.
    Relative(usize),
}

struct Asn1Check {
    bit_string_overflow: bool,
    double_overflow: bool,
    oversize_length: Option<u64>,
    start: Start,
    max_objects: usize,
}

/// An object's head and as much of its content as is there.
struct Object<'a> {
    universal: bool,
    constructed: bool,
    tag: u8,
    /// None where the content ends with a mark.
    length: Option<u64>,
    content: &'a [u8],
}

impl<'a> Object<'a> {
    /// Reads the object at the start of `bytes`.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&first, mut rest) = bytes.split_first()?;
        if first & 0x1f == 0x1f {
            let last = rest.iter().take(MAX_NUMBER_BYTES).position(|byte| byte & 0x80 == 0)?;
            rest = rest.get(last + 1..)?;
        }
        let (&short, mut rest) = rest.split_first()?;
        let length = match short {
            0x80 => None,
            0..=0x7f => Some(u64::from(short)),
            _ => {
                let count = usize::from(short & 0x7f);
                let number = rest.get(..count).filter(|_| count <= MAX_NUMBER_BYTES)?;
                rest = rest.get(count..)?;
                Some(number.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
            }
        };
        let (universal, constructed) = (first >> 6 == 0, first & 0x20 != 0);
        Some(Self { universal, constructed, tag: first & 0x1f, length, content: rest })
    }

    /// Bytes that follow: the first object in it, or the one behind it.
    fn next(&self) -> Option<&'a [u8]> {
        if self.constructed || self.length.is_none() {
            return Some(self.content);
        }
        self.content.get(usize::try_from(self.length?).ok()?..)
    }
}

impl Asn1Check {
    fn breaks(&self, object: &Object<'_>) -> bool {
        let length = object.length.unwrap_or(0);
        let own = |tag| object.universal && !object.constructed && object.tag == tag;
        let first = object.content.first().copied();
        let oversize = self.oversize_length.is_some_and(|limit| length > limit);
        let bits = length.saturating_sub(1).saturating_mul(8);
        let overflow = self.bit_string_overflow
            && own(BIT_STRING)
            && length > 0
            && first.is_some_and(|unused| bits < u64::from(unused));
        // The two highest bits tell the decimal form from others.
        let double = self.double_overflow
            && own(REAL)
            && length > MAX_REAL
            && first.is_some_and(|form| form & 0xc0 == 0);
        oversize || overflow || double
    }

    fn any(&self, bytes: Option<&[u8]>) -> bool {
        let mut rest = bytes;
        for _ in 0..self.max_objects {
            let Some(object) = rest.and_then(Object::read) else { return false };
            if self.breaks(&object) {
                return true;
            }
            rest = object.next();
        }
        false
    }
}

impl BufferCheck for Asn1Check {
    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        self.matches_behind(buffer, 0)
    }

    fn matches_behind(&self, buffer: &Buffer<'_>, previous: usize) -> bool {
        let start = match self.start {
            Start::Absolute(offset) => Some(offset),
            Start::Relative(offset) => previous.checked_add(offset),
        };
        self.any(start.and_then(|start| buffer.bytes.get(start..)))
    }

    fn is_relative(&self) -> bool {
        matches!(self.start, Start::Relative(_))
    }

    fn name(&self) -> &'static str {
        "asn1"
    }
}

fn asn1(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut check = Asn1Check {
        bit_string_overflow: false,
        double_overflow: false,
        oversize_length: None,
        start: Start::Absolute(0),
        max_objects: usize::from(rule.environment.asn1_max_frames),
    };
    for item in comma_list(&text) {
        let mut words = item.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("bitstring_overflow"), None, _) => check.bit_string_overflow = true,
            (Some("double_overflow"), None, _) => check.double_overflow = true,
            (Some("oversize_length"), Some(value), None) => {
                check.oversize_length = Some(number(&item, value)?.into());
            }
            (Some("absolute_offset"), Some(value), None) => {
                check.start = Start::Absolute(number(&item, value)? as usize);
            }
            (Some("relative_offset"), Some(value), None) => {
                check.start = Start::Relative(number(&item, value)? as usize);
            }
            _ => return Err(item.error(format!("`{item}` is nothing that `asn1` looks for."))),
        }
    }
    if !check.bit_string_overflow && !check.double_overflow && check.oversize_length.is_none() {
        return Err(text
            .error("It is not said what to look for.")
            .with_help("write bitstring_overflow, double_overflow or oversize_length"));
    }
    rule.push_check(option, Check::Whole(Box::new(check)))
}

fn number(item: &Spanned, text: &str) -> Result<u32, SyntaxError> {
    text.parse().map_err(|_| item.error(format!("`{text}` is no number of bytes.")))
}
