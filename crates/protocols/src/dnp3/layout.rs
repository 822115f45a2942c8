//! Layout of objects' points, by group and variation (IEEE 1815 appendix A).

use weir_base::Reader;

/// A part of a point, in the order sent; numbers have the least significant byte first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Bits of a byte, from the lowest on: names, and how many bits each has.
    Bits(&'static [(&'static str, u8)]),
    /// A number of that many bytes.
    Unsigned(&'static str, usize),
    /// A number that may be negative.
    Signed(&'static str, usize),
    /// A fraction of four or eight bytes.
    Float(&'static str, usize),
    /// Text.
    Text(&'static str, Length),
    /// Bytes that are no text.
    Bytes(&'static str, Length),
}

/// Number of bytes of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// That many.
    Of(usize),
    /// As many as the number of this name says, which stands before.
    Part(&'static str),
    /// As many as the point's size leaves; no more than that.
    Rest(usize),
}

/// Prefix that points must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// Any, or none.
    Any,
    /// Their size.
    Size,
    /// Their size in two bytes.
    Size2,
}

/// Value of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// A number, its bytes in order, or bits.
    Number(u64),
    /// A text.
    Bytes(&'a [u8]),
}

/// Most parts of a point.
const MAX_PARTS: usize = 20;

/// Reads a point, of this size where its prefix says one; calls `take` for each part. None where it is cut short.
pub fn read_point<'a>(
    parts: &[Part],
    size: u32,
    reader: &mut Reader<'a>,
    mut take: impl FnMut(Part, Value<'a>),
) -> Option<()> {
    let before = reader.len();
    let mut numbers = [0u64; MAX_PARTS];
    for (part, number) in parts.iter().zip(0..) {
        let (Part::Text(_, length) | Part::Bytes(_, length)) = part else {
            let value = little_endian(reader, part.width())?;
            if let Some(kept) = numbers.get_mut(number) {
                *kept = value;
            }
            take(*part, Value::Number(value));
            continue;
        };
        let length = match length {
            Length::Of(length) => *length,
            Length::Part(name) => {
                let place =
                    parts.iter().position(|part| matches!(part, Part::Unsigned(of, _) if of == name))?;
                usize::try_from(*numbers.get(place)?).ok()?
            }
            Length::Rest(most) => {
                let rest = usize::try_from(size).ok()?.checked_sub(before - reader.len())?;
                Some(rest).filter(|rest| rest <= most)?
            }
        };
        take(*part, Value::Bytes(reader.take(length)?));
    }
    Some(())
}

/// A number of as many bytes, the least significant one first.
pub fn little_endian(reader: &mut Reader<'_>, length: usize) -> Option<u64> {
    let bytes = reader.take(length)?;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

impl Part {
    /// Bytes of a number.
    const fn width(self) -> usize {
        match self {
            Part::Bits(_) => 1,
            Part::Unsigned(_, length) | Part::Signed(_, length) | Part::Float(_, length) => length,
            Part::Text(..) | Part::Bytes(..) => 0,
        }
    }
}

/// Layout of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Of this name, and that many bits each, without anything between them.
    Packed(&'static str, u8),
    /// One behind the other.
    Parts(&'static [Part]),
}

use Part::{Bits, Bytes, Float, Signed, Text, Unsigned};

const BINARY: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("chatter_filter", 1),
    ("reserved", 1),
    ("state", 1),
]);
const DOUBLE: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("chatter_filter", 1),
    ("state", 2),
]);
const OUTPUT: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("reserved0", 1),
    ("reserved1", 1),
    ("state", 1),
]);
const COUNTER: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("rollover", 1),
    ("discontinuity", 1),
    ("reserved0", 1),
]);
/// Counters whose values break no row, and events that keep the last bit apart.
const FROZEN: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("rollover", 1),
    ("reserved0", 1),
    ("reserved1", 1),
]);
const FROZEN_EVENT: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("rollover", 1),
    ("discontinuity", 1),
    ("reserved1", 1),
]);
const SECURITY: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("reserved0", 1),
    ("discontinuity", 1),
    ("reserved1", 1),
]);
const COMMAND_STATUS: Part = Bits(&[("status_code", 7), ("reserved0", 1)]);
const ANALOG: Part = Bits(&[
    ("online", 1),
    ("restart", 1),
    ("comm_lost", 1),
    ("remote_forced", 1),
    ("local_forced", 1),
    ("over_range", 1),
    ("reference_err", 1),
    ("reserved0", 1),
]);
const CONTROL: Part = Bits(&[("op_type", 4), ("qu", 1), ("cr", 1), ("tcc", 2)]);
const CONTROL_STATUS: Part = Bits(&[("status_code", 7), ("reserved", 1)]);

const TIME: Part = Unsigned("timestamp", 6);
const COUNT_4: Part = Unsigned("count", 4);
const COUNT_2: Part = Unsigned("count", 2);
const VALUE_4: Part = Signed("value", 4);
const VALUE_2: Part = Signed("value", 2);
const FLOAT_4: Part = Float("value", 4);
const FLOAT_8: Part = Float("value", 8);
const STATUS: Part = Unsigned("control_status", 1);
const CONTROL_PARTS: &[Part] =
    &[CONTROL, COUNT_1, Unsigned("ontime", 4), Unsigned("offtime", 4), CONTROL_STATUS];
const COUNT_1: Part = Unsigned("count", 1);

/// Returns the layout of points of a group and variation; nothing of unknown ones.
pub fn layout(group: u8, variation: u8) -> Option<Layout> {
    let parts: &'static [Part] = match (group, variation) {
        (1 | 10, 1) | (80, 1) => return Some(Layout::Packed("state", 1)),
        (12, 3) => return Some(Layout::Packed("point", 1)),
        (3, 1) => return Some(Layout::Packed("state", 2)),
        (1, 2) => &[BINARY],
        (2, 1) => &[Unsigned("state", 1)],
        (2, 2) => &[BINARY, TIME],
        (2, 3) => &[BINARY, Unsigned("timestamp", 2)],
        (3, 2) | (4, 1) => &[DOUBLE],
        (4, 2) => &[DOUBLE, TIME],
        (4, 3) => &[DOUBLE, Unsigned("relative_time_ms", 2)],
        (10, 2) | (11, 1) => &[OUTPUT],
        (11, 2) => &[OUTPUT, TIME],
        (12, 1 | 2) => CONTROL_PARTS,
        (13, 1) => &[Bits(&[("status_code", 7), ("commanded_state", 1)])],
        (13, 2) => &[Bits(&[("status_code", 7), ("commanded_state", 1)]), TIME],
        (20..=23, _) => return counter(group, variation).map(Layout::Parts),
        (30..=34 | 40..=43, _) => return analog(group, variation).map(Layout::Parts),
        (50, 1 | 3) | (51, 1 | 2) => &[TIME],
        (50, 2) => &[TIME, Unsigned("interval", 4)],
        (50, 4) => &[TIME, Unsigned("interval_count", 4), Unsigned("interval_units", 1)],
        (52, 1) => &[Unsigned("delay_secs", 2)],
        (52, 2) => &[Unsigned("delay_ms", 2)],
        (70, _) => return file(variation).map(Layout::Parts),
        (81, 1) => &[
            Bits(&[("fill_percentage", 7), ("overflow_state", 1)]),
            Unsigned("group", 1),
            Unsigned("variation", 1),
        ],
        (83, 1) => &[
            Text("data->vendor_code", Length::Of(4)),
            Unsigned("object_id", 2),
            Unsigned("length", 2),
            Bytes("data->data_objects", Length::Part("length")),
        ],
        (86, 2) => &[Bits(&[
            ("rd", 1),
            ("wr", 1),
            ("st", 1),
            ("ev", 1),
            ("df", 1),
            ("padding0", 1),
            ("padding1", 1),
            ("padding2", 1),
        ])],
        (102, 1) => &[Unsigned("value", 1)],
        (120, _) => return authentication(variation).map(Layout::Parts),
        (121 | 122, 1) => &[SECURITY, ASSOCIATION, COUNT_VALUE],
        (122, 2) => &[SECURITY, ASSOCIATION, COUNT_VALUE, TIME],
        _ => return None,
    };
    Some(Layout::Parts(parts))
}

/// Counters, and those that were frozen.
const fn counter(group: u8, variation: u8) -> Option<&'static [Part]> {
    Some(match (group, variation) {
        (20..=23, 1) => &[COUNTER, COUNT_4],
        (20..=22, 2) => &[COUNTER, COUNT_2],
        (20..=23, 3) => &[FROZEN, COUNT_4],
        (20..=22, 4) | (23, 2 | 4) => &[FROZEN, COUNT_2],
        (20, 5 | 7) | (21, 9 | 11) => &[COUNT_4],
        (20, 6 | 8) | (21, 10 | 12) => &[COUNT_2],
        (21, 5) => &[FROZEN_EVENT, COUNT_4, TIME],
        (21, 6) => &[FROZEN_EVENT, COUNT_2, TIME],
        (22, 5) | (21..=23, 7) => &[FROZEN, COUNT_4, TIME],
        (23, 5) => &[COUNTER, COUNT_4, TIME],
        (22 | 23, 6) => &[COUNTER, COUNT_2, TIME],
        (21..=23, 8) => &[FROZEN, COUNT_2, TIME],
        _ => return None,
    })
}

/// Analog inputs and outputs.
const fn analog(group: u8, variation: u8) -> Option<&'static [Part]> {
    Some(match (group, variation) {
        (30..=33 | 40 | 42, 1) => &[ANALOG, VALUE_4],
        (30..=33 | 40 | 42, 2) => &[ANALOG, VALUE_2],
        (30, 3) | (31, 5) => &[VALUE_4],
        (30, 4) | (31, 6) => &[VALUE_2],
        (30 | 32 | 33 | 42, 5) | (31, 7) | (40, 3) => &[ANALOG, FLOAT_4],
        (30 | 32 | 33 | 42, 6) | (31, 8) | (40, 4) => &[ANALOG, FLOAT_8],
        (31..=33 | 42, 3) => &[ANALOG, VALUE_4, TIME],
        (31..=33 | 42, 4) => &[ANALOG, VALUE_2, TIME],
        (32 | 33 | 42, 7) => &[ANALOG, FLOAT_4, TIME],
        (32 | 33 | 42, 8) => &[ANALOG, FLOAT_8, TIME],
        (34, 1) => &[Unsigned("deadband_value", 2)],
        (34, 2) => &[Unsigned("deadband_value", 4)],
        (34, 3) => &[Float("deadband_value", 4)],
        (41, 1) => &[VALUE_4, STATUS],
        (41, 2) => &[VALUE_2, STATUS],
        (41, 3) => &[FLOAT_4, STATUS],
        (41, 4) => &[FLOAT_8, STATUS],
        (43, 1) => &[COMMAND_STATUS, Signed("commanded_value", 4)],
        (43, 2) => &[COMMAND_STATUS, Signed("commanded_value", 2)],
        (43, 3) => &[COMMAND_STATUS, Signed("commanded_value", 4), TIME],
        (43, 4) => &[COMMAND_STATUS, Signed("commanded_value", 2), TIME],
        (43, 5) => &[COMMAND_STATUS, Float("commanded_value", 4)],
        (43, 6) => &[COMMAND_STATUS, Float("commanded_value", 8)],
        (43, 7) => &[COMMAND_STATUS, Float("commanded_value", 4), TIME],
        (43, 8) => &[COMMAND_STATUS, Float("commanded_value", 8), TIME],
        _ => return None,
    })
}

/// Transfers of files.
const fn file(variation: u8) -> Option<&'static [Part]> {
    Some(match variation {
        1 => &[
            Unsigned("filename_size", 2),
            Unsigned("filetype_code", 1),
            Unsigned("attribute_code", 1),
            Unsigned("start_record", 2),
            Unsigned("end_record", 2),
            FILE_SIZE,
            Unsigned("created_timestamp", 6),
            Unsigned("permission", 2),
            Unsigned("file_id", 4),
            Unsigned("owner_id", 4),
            Unsigned("group_id", 4),
            Unsigned("file_function_code", 1),
            FILE_STATUS,
            FILE_NAME,
            Unsigned("data_size", 2),
            Text("data", Length::Part("data_size")),
        ],
        2 => &[
            Unsigned("username_offset", 2),
            Unsigned("username_size", 2),
            Unsigned("password_offset", 2),
            Unsigned("password_size", 2),
            AUTHENTICATION_KEY,
            Text("username", Length::Part("username_size")),
            Text("password", Length::Part("password_size")),
        ],
        3 => &[
            FILE_NAME_OFFSET,
            FILE_NAME_SIZE,
            Unsigned("created", 6),
            PERMISSIONS,
            AUTHENTICATION_KEY,
            FILE_SIZE,
            Unsigned("operational_mode", 2),
            BLOCK_SIZE,
            REQUEST_ID,
            FILE_NAME,
        ],
        4 => &[FILE_HANDLE, FILE_SIZE, BLOCK_SIZE, REQUEST_ID, FILE_STATUS, OPTIONAL_TEXT],
        5 => &[FILE_HANDLE, BLOCK_NUMBER, Text("file_data", Length::Rest(u8::MAX as usize))],
        6 => &[FILE_HANDLE, BLOCK_NUMBER, FILE_STATUS, OPTIONAL_TEXT],
        7 => &[
            FILE_NAME_OFFSET,
            FILE_NAME_SIZE,
            Unsigned("file_type", 2),
            FILE_SIZE,
            Unsigned("created_timestamp", 6),
            PERMISSIONS,
            REQUEST_ID,
            FILE_NAME,
        ],
        8 => &[Text("file_specification", REST_2)],
        _ => return None,
    })
}

const REST_2: Length = Length::Rest(u16::MAX as usize);
const FILE_HANDLE: Part = Unsigned("file_handle", 4);
const FILE_SIZE: Part = Unsigned("file_size", 4);
const FILE_STATUS: Part = Unsigned("status_code", 1);
const FILE_NAME_OFFSET: Part = Unsigned("filename_offset", 2);
const FILE_NAME_SIZE: Part = Unsigned("filename_size", 2);
const FILE_NAME: Part = Text("filename", Length::Part("filename_size"));
const BLOCK_NUMBER: Part = Unsigned("block_number", 4);
const BLOCK_SIZE: Part = Unsigned("maximum_block_size", 2);
const REQUEST_ID: Part = Unsigned("request_id", 2);
const PERMISSIONS: Part = Unsigned("permissions", 2);
const AUTHENTICATION_KEY: Part = Unsigned("authentication_key", 4);
const OPTIONAL_TEXT: Part = Text("optional_text", Length::Rest(u8::MAX as usize));
const ASSOCIATION: Part = Unsigned("association_id", 2);
const COUNT_VALUE: Part = Unsigned("count_value", 4);
const USER: Part = Unsigned("usr", 2);
const USER_NUMBER: Part = Unsigned("user_number", 2);
const CHALLENGE_SEQUENCE: Part = Unsigned("csq", 4);
const KEY_SEQUENCE: Part = Unsigned("ksq", 4);
const MAC_VALUE: Part = Bytes("data->mac_value", REST_2);
const KEY_CHANGE: Part = Unsigned("key_change_method", 1);
const CHALLENGE_LENGTH: Part = Unsigned("challenge_data_len", 2);
const CHALLENGE: Part = Bytes("data->challenge_data", Length::Part("challenge_data_len"));
const USER_NAME_LENGTH: Part = Unsigned("username_len", 2);
const USER_NAME: Part = Text("username", Length::Part("username_len"));

/// Secure authentication.
const fn authentication(variation: u8) -> Option<&'static [Part]> {
    Some(match variation {
        1 => &[
            CHALLENGE_SEQUENCE,
            USER,
            Unsigned("mal", 1),
            Unsigned("reason", 1),
            Bytes("data->challenge_data", REST_2),
        ],
        2 => &[CHALLENGE_SEQUENCE, USER, MAC_VALUE],
        3 => &[CHALLENGE_SEQUENCE, USER_NUMBER],
        4 => &[USER_NUMBER],
        5 => &[
            KEY_SEQUENCE,
            USER_NUMBER,
            Unsigned("key_wrap_alg", 1),
            Unsigned("key_status", 1),
            Unsigned("mal", 1),
            CHALLENGE_LENGTH,
            CHALLENGE,
            MAC_VALUE,
        ],
        6 => &[Unsigned("ksq", 3), USER, Bytes("data->wrapped_key_data", REST_2)],
        7 => &[
            Unsigned("sequence_number", 4),
            USER,
            ASSOCIATION,
            Unsigned("error_code", 1),
            Unsigned("time_of_error", 6),
            Text("error_text", REST_2),
        ],
        8 => &[KEY_CHANGE, Unsigned("certificate_type", 1), Bytes("data->certificate", REST_2)],
        9 => &[MAC_VALUE],
        10 => &[
            KEY_CHANGE,
            Unsigned("operation", 1),
            Unsigned("scs", 4),
            Unsigned("user_role", 2),
            Unsigned("user_role_expiry_interval", 2),
            USER_NAME_LENGTH,
            Unsigned("user_public_key_len", 2),
            Unsigned("certification_data_len", 2),
            USER_NAME,
            Bytes("data->user_public_key", Length::Part("user_public_key_len")),
            Bytes("data->certification_data", Length::Part("certification_data_len")),
        ],
        11 => &[
            KEY_CHANGE,
            USER_NAME_LENGTH,
            Unsigned("master_challenge_data_len", 2),
            USER_NAME,
            Bytes("data->master_challenge_data", Length::Part("master_challenge_data_len")),
        ],
        12 => &[KEY_SEQUENCE, USER_NUMBER, CHALLENGE_LENGTH, CHALLENGE],
        13 => &[
            KEY_SEQUENCE,
            USER_NUMBER,
            Unsigned("encrypted_update_key_len", 2),
            Bytes("data->encrypted_update_key_data", Length::Part("encrypted_update_key_len")),
        ],
        14 => &[Bytes("data->digital_signature", REST_2)],
        15 => &[Bytes("data->mac", Length::Rest(usize::MAX))],
        _ => return None,
    })
}

/// Returns the prefix that points of a group and variation must have.
pub const fn required_prefix(group: u8, variation: u8) -> Prefix {
    match (group, variation) {
        (70, 4..=6) => Prefix::Size,
        (70, 8) | (120, 1 | 2 | 5..=8 | 10..=15) => Prefix::Size2,
        _ => Prefix::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes_and_lengths_are_there() {
        for group in 0..=255 {
            for variation in 0..=255 {
                let Some(Layout::Parts(parts)) = layout(group, variation) else { continue };
                assert!(parts.len() <= MAX_PARTS, "{group} {variation}");
                for part in parts {
                    if let Bits(bits) = part {
                        let sum: u8 = bits.iter().map(|(_, count)| count).sum();
                        assert_eq!(sum, 8, "{group} {variation}");
                    }
                    if let Text(_, Length::Part(name)) | Bytes(_, Length::Part(name)) = part {
                        let is_there = parts.iter().any(|part| matches!(part, Unsigned(of, _) if of == name));
                        assert!(is_there, "{group} {variation} {name}");
                    }
                }
            }
        }
    }
}
