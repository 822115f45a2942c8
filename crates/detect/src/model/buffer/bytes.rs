//! Numbers read from a buffer: `byte_test`, `byte_jump`, `byte_extract`, `byte_math`, and `isdataat`.

use super::{Buffer, BufferScratch, Number};

/// Encoding of a number in the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Most significant byte first, as the rule says.
    Big,
    /// Most significant byte first, for the rule names no order.
    Unstated,
    /// Least significant byte first.
    Little,
    /// By the protocol's own word (`dce`).
    Protocol,
    /// Digits in this base; 0 for what its prefix says.
    Text(u32),
}

/// Where and how a number is read.
#[derive(Clone, Debug)]
pub struct Read {
    /// Bytes to read; for text, 0 for as many as there are.
    pub count: Number,
    /// Where, from the buffer's start or from where the check before ended.
    pub offset: Number,
    /// From where the check before ended.
    pub relative: bool,
    /// Encoding of the digits or bytes.
    pub encoding: Encoding,
    /// Bits to keep; the result is shifted right by the mask's trailing zeros.
    pub mask: Option<u32>,
}

/// Most digits of a number in text (an octal 64-bit number).
const MAX_DIGITS: usize = 23;

impl Read {
    /// The number and one past its last byte. None where the bytes do not reach that far or are no
    /// number.
    pub fn value(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        scratch: &BufferScratch,
    ) -> Option<(u64, usize)> {
        let base = if self.relative { previous as i64 } else { 0 };
        let start = base.checked_add(self.offset.value(&scratch.variables))?;
        let start = usize::try_from(start).ok()?;
        let count = usize::try_from(self.count.value(&scratch.variables)).ok()?;
        let bytes = match (self.encoding, count) {
            (Encoding::Text(_), 0) => buffer.bytes.get(start..)?,
            _ => buffer.bytes.get(start..start.checked_add(count)?)?,
        };
        let (value, length) = match self.encoding {
            Encoding::Text(radix) => text_number(bytes, radix)?,
            encoding => (binary_number(bytes, encoding, buffer.little_endian)?, count),
        };
        let value = match self.mask {
            Some(mask) if mask != 0 => (value & u64::from(mask)) >> mask.trailing_zeros(),
            _ => value,
        };
        Some((value, start + length))
    }
}

fn binary_number(bytes: &[u8], encoding: Encoding, protocol_little: bool) -> Option<u64> {
    if bytes.len() > 8 {
        return None;
    }
    let little = encoding == Encoding::Little || (encoding == Encoding::Protocol && protocol_little);
    let join = |value: u64, &byte: &u8| (value << 8) | u64::from(byte);
    Some(if little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) })
}

/// A number in text as `strtoull` reads it: white space, a sign, a prefix, digits.
fn text_number(bytes: &[u8], radix: u32) -> Option<(u64, usize)> {
    let bytes = bytes.get(..bytes.len().min(MAX_DIGITS))?;
    let mut at = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let negative = bytes.get(at) == Some(&b'-');
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let prefixed = bytes.get(at) == Some(&b'0')
        && matches!(bytes.get(at + 1), Some(b'x' | b'X'))
        && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    let radix = match radix {
        0 if prefixed => 16,
        0 if bytes.get(at) == Some(&b'0') => 8,
        0 => 10,
        given => given,
    };
    if radix == 16 && prefixed {
        at += 2;
    }
    let mut value = 0u64;
    let first = at;
    while let Some(digit) = bytes.get(at).and_then(|&b| char::from(b).to_digit(radix)) {
        value = value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))?;
        at += 1;
    }
    if at == first {
        return None;
    }
    Some((if negative { value.wrapping_neg() } else { value }, at))
}

/// A comparison of `byte_test`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `=`
    Equal,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
    /// `&`: any of the bits is set.
    And,
    /// `^`: bits differ.
    Xor,
}

/// `byte_test`
#[derive(Clone, Debug)]
pub struct ByteTest {
    /// The number.
    pub read: Read,
    /// Comparison with it.
    pub comparison: Comparison,
    /// `!`
    pub negated: bool,
    /// With what.
    pub value: Number,
    /// Equals `read.relative`.
    pub relative: bool,
}

impl ByteTest {
    /// Whether the number is there and compares so.
    pub fn holds(&self, buffer: &Buffer<'_>, previous: usize, scratch: &BufferScratch) -> bool {
        let Some((found, _)) = self.read.value(buffer, previous, scratch) else { return false };
        let value = self.value.bits(&scratch.variables);
        let holds = match self.comparison {
            Comparison::Less => found < value,
            Comparison::Greater => found > value,
            Comparison::Equal => found == value,
            Comparison::LessOrEqual => found <= value,
            Comparison::GreaterOrEqual => found >= value,
            Comparison::And => found & value != 0,
            Comparison::Xor => found ^ value != 0,
        };
        holds != self.negated
    }
}

/// `byte_jump`
#[derive(Clone, Debug)]
pub struct ByteJump {
    /// The number; nothing is read where its count is 0.
    pub read: Read,
    /// Equals `read.relative`.
    pub relative: bool,
    /// `multiplier`
    pub multiplier: u32,
    /// `align`: round up to four bytes.
    pub align: bool,
    /// `from_beginning`
    pub from_beginning: bool,
    /// `from_end`
    pub from_end: bool,
    /// `post_offset`
    pub post_offset: Number,
}

impl ByteJump {
    /// Where the jump lands, if within the buffer.
    pub fn jump(&self, buffer: &Buffer<'_>, previous: usize, scratch: &BufferScratch) -> Option<usize> {
        let (found, end) = self.read.value(buffer, previous, scratch)?;
        let mut distance = i64::try_from(found.checked_mul(u64::from(self.multiplier))?).ok()?;
        if self.align {
            distance = distance.checked_add(3)? & !3;
        }
        distance = distance.checked_add(self.post_offset.value(&scratch.variables))?;
        let from = if self.from_beginning {
            0
        } else if self.from_end {
            buffer.bytes.len() as i64
        } else {
            end as i64
        };
        // A jump to before the buffer ends at its beginning.
        let target = usize::try_from(from.checked_add(distance)?.max(0)).ok()?;
        (target <= buffer.bytes.len()).then_some(target)
    }
}

/// `byte_extract`
#[derive(Clone, Debug)]
pub struct ByteExtract {
    /// The number.
    pub read: Read,
    /// Equals `read.relative`.
    pub relative: bool,
    /// `multiplier`
    pub multiplier: u32,
    /// `align`: round the value up to a multiple of 2 or 4; 0 for none.
    pub align: u8,
    /// The variable's slot.
    pub slot: u8,
}

impl ByteExtract {
    /// Reads the number into its slot; gives where it ends.
    pub fn extract(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        scratch: &mut BufferScratch,
    ) -> Option<usize> {
        let (found, end) = self.read.value(buffer, previous, scratch)?;
        let mut value = found.checked_mul(u64::from(self.multiplier))?;
        if self.align > 0 {
            value = value.checked_next_multiple_of(u64::from(self.align))?;
        }
        *scratch.variables.get_mut(usize::from(self.slot))? = value;
        Some(end)
    }
}

/// Operation of `byte_math` on the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

/// `byte_math`
#[derive(Clone, Debug)]
pub struct ByteMath {
    /// The number.
    pub read: Read,
    /// Equals `read.relative`.
    pub relative: bool,
    /// Operation on it.
    pub operation: Operation,
    /// With what.
    pub operand: Number,
    /// The variable's slot.
    pub slot: u8,
}

impl ByteMath {
    /// Calculates into the slot; gives where the number ends. A division by zero is no match.
    pub fn calculate(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        scratch: &mut BufferScratch,
    ) -> Option<usize> {
        let (found, end) = self.read.value(buffer, previous, scratch)?;
        let operand = self.operand.bits(&scratch.variables);
        let shift = u32::try_from(operand).unwrap_or(u32::MAX);
        let value = match self.operation {
            Operation::Add => found.wrapping_add(operand),
            Operation::Subtract => found.wrapping_sub(operand),
            Operation::Multiply => found.wrapping_mul(operand),
            Operation::Divide => found.checked_div(operand)?,
            Operation::ShiftLeft => found.checked_shl(shift).unwrap_or(0),
            Operation::ShiftRight => found.checked_shr(shift).unwrap_or(0),
        };
        *scratch.variables.get_mut(usize::from(self.slot))? = value;
        Some(end)
    }
}

/// `isdataat`
#[derive(Clone, Copy, Debug)]
pub struct IsDataAt {
    /// Distance up to which there must be data.
    pub at: Number,
    /// From where the check before ended.
    pub relative: bool,
    /// `!`
    pub negated: bool,
}

impl IsDataAt {
    /// Whether there is data that far (or, negated, is not).
    pub fn holds(&self, buffer: &Buffer<'_>, previous: usize, scratch: &BufferScratch) -> bool {
        let base = if self.relative { previous as i64 } else { 0 };
        let at = base.saturating_add(self.at.value(&scratch.variables));
        let length = buffer.bytes.len() as i64;
        // As documented: a relative position may be the buffer's end, an absolute one may not.
        let holds = if self.relative { at <= length } else { at < length };
        holds != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(count: i64, offset: i64, relative: bool, encoding: Encoding) -> Read {
        Read { count: Number::Value(count), offset: Number::Value(offset), relative, encoding, mask: None }
    }

    #[test]
    fn numbers_are_read() {
        let bytes = b"\x01\x02\x03\x04 123abc 0x1f";
        let cases = [
            (read(2, 0, false, Encoding::Big), 0, Some((0x0102, 2))),
            (read(2, 0, false, Encoding::Little), 0, Some((0x0201, 2))),
            (read(2, -2, true, Encoding::Big), 4, Some((0x0304, 4))),
            (read(8, 10, false, Encoding::Big), 0, None),
            (read(6, 4, false, Encoding::Text(10)), 0, Some((123, 8))),
            (read(6, 4, false, Encoding::Text(16)), 0, Some((0x123ab, 10))),
            (read(4, 12, false, Encoding::Text(0)), 0, Some((0x1f, 16))),
            (read(2, 0, false, Encoding::Text(10)), 0, None),
            (read(0, 5, false, Encoding::Text(10)), 0, Some((123, 8))),
            (read(0, 17, false, Encoding::Text(10)), 0, None),
        ];
        let scratch = BufferScratch::default();
        for (read, previous, expected) in cases {
            assert_eq!(read.value(&Buffer::whole(bytes), previous, &scratch), expected, "{read:?}");
        }
        let masked = Read { mask: Some(0x0ff0), ..read(2, 0, false, Encoding::Big) };
        assert_eq!(masked.value(&Buffer::whole(bytes), 0, &scratch), Some((0x10, 2)));
    }

    #[test]
    fn data_at() {
        // An absolute position must hold a byte; a relative one may be the end.
        for (at, relative, previous, expected) in [
            (7, false, 0, true),
            (8, false, 0, false),
            (8, true, 0, true),
            (9, true, 0, false),
            (5, true, 3, true),
            (6, true, 3, false),
        ] {
            let check = IsDataAt { at: Number::Value(at), relative, negated: false };
            let scratch = BufferScratch::default();
            assert_eq!(check.holds(&Buffer::whole(b"abcdefgh"), previous, &scratch), expected, "{check:?}");
        }
    }

    #[test]
    fn calculations() {
        for (operation, operand, expected) in [
            (Operation::Add, 248, Some(0x0102 + 248)),
            (Operation::Subtract, 2, Some(0x0100)),
            (Operation::Multiply, 2, Some(0x0204)),
            (Operation::Divide, 2, Some(0x81)),
            (Operation::Divide, 0, None),
            (Operation::ShiftLeft, 8, Some(0x01_0200)),
            (Operation::ShiftLeft, 64, Some(0)),
            (Operation::ShiftRight, 1, Some(0x81)),
        ] {
            let math = ByteMath {
                read: read(2, 0, false, Encoding::Big),
                relative: false,
                operation,
                operand: Number::Value(operand),
                slot: 1,
            };
            let mut scratch = BufferScratch::default();
            let end = math.calculate(&Buffer::whole(b"\x01\x02\x03"), 0, &mut scratch);
            assert_eq!(end.map(|_| scratch.variables[1]), expected, "{math:?}");
        }
    }

    #[test]
    fn jumps_stay_inside() {
        let jump = |edit: fn(&mut ByteJump)| {
            let mut jump = ByteJump {
                read: read(1, 0, false, Encoding::Big),
                relative: false,
                multiplier: 1,
                align: false,
                from_beginning: false,
                from_end: false,
                post_offset: Number::Value(0),
            };
            edit(&mut jump);
            jump.jump(&Buffer::whole(b"\x03aaaaaaaaa"), 0, &BufferScratch::default())
        };
        assert_eq!(jump(|_| ()), Some(4));
        assert_eq!(jump(|j| j.multiplier = 4), None);
        assert_eq!(jump(|j| j.align = true), Some(5));
        assert_eq!(jump(|j| j.from_beginning = true), Some(3));
        assert_eq!(jump(|j| j.post_offset = Number::Value(-4)), Some(0));
        assert_eq!(jump(|j| j.post_offset = Number::Value(-9)), Some(0));
        assert_eq!(
            jump(|j| {
                j.from_end = true;
                j.post_offset = Number::Value(-5);
            }),
            Some(8)
        );
    }
}
