//! Layout of objects' points, by group and variation (IEEE 1815 appendix A).

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
}

impl Part {
    /// Bytes of it.
    pub const fn length(self) -> usize {
        match self {
            Part::Bits(_) => 1,
            Part::Unsigned(_, length) | Part::Signed(_, length) | Part::Float(_, length) => length,
        }
    }
}

/// Layout of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// That many bits each, without anything between them.
    Packed(u8),
    /// One behind the other.
    Parts(&'static [Part]),
}

use Part::{Bits, Float, Signed, Unsigned};

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
        (1 | 10, 1) | (12, 3) | (80, 1) => return Some(Layout::Packed(1)),
        (3, 1) => return Some(Layout::Packed(2)),
        (1, 2) | (2, 1) => &[BINARY],
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
        (20 | 22, 1 | 3) | (21, 1 | 3) | (23, 1 | 3) => &[COUNTER, COUNT_4],
        (20 | 22, 2 | 4) | (21, 2 | 4) | (23, 2 | 4) => &[COUNTER, COUNT_2],
        (20, 5 | 7) | (21, 9 | 11) => &[COUNT_4],
        (20, 6 | 8) | (21, 10 | 12) => &[COUNT_2],
        (21..=23, 5 | 7) => &[COUNTER, COUNT_4, TIME],
        (21..=23, 6 | 8) => &[COUNTER, COUNT_2, TIME],
        (30 | 31 | 32 | 33 | 40 | 42, 1) => &[ANALOG, VALUE_4],
        (30 | 31 | 32 | 33 | 40 | 42, 2) => &[ANALOG, VALUE_2],
        (30, 3) | (31, 5) => &[VALUE_4],
        (30, 4) | (31, 6) => &[VALUE_2],
        (30 | 32 | 33 | 42, 5) | (31, 7) | (40, 3) => &[ANALOG, FLOAT_4],
        (30 | 32 | 33 | 42, 6) | (31, 8) | (40, 4) => &[ANALOG, FLOAT_8],
        (31 | 32 | 33 | 42, 3) => &[ANALOG, VALUE_4, TIME],
        (31 | 32 | 33 | 42, 4) => &[ANALOG, VALUE_2, TIME],
        (32 | 33 | 42, 7) => &[ANALOG, FLOAT_4, TIME],
        (32 | 33 | 42, 8) => &[ANALOG, FLOAT_8, TIME],
        (34, 1) => &[Unsigned("deadband_value", 2)],
        (34, 2) => &[Unsigned("deadband_value", 4)],
        (34, 3) => &[Float("deadband_value", 4)],
        (41, 1) => &[VALUE_4, STATUS],
        (41, 2) => &[VALUE_2, STATUS],
        (41, 3) => &[FLOAT_4, STATUS],
        (41, 4) => &[FLOAT_8, STATUS],
        (50, 1 | 3) | (51, 1 | 2) => &[TIME],
        (50, 2) => &[TIME, Unsigned("interval", 4)],
        (50, 4) => &[TIME, Unsigned("interval_count", 4), Unsigned("interval_units", 1)],
        (52, 1) => &[Unsigned("delay_secs", 2)],
        (52, 2) => &[Unsigned("delay_ms", 2)],
        _ => return None,
    };
    Some(Layout::Parts(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes() {
        for group in 0..=255 {
            for variation in 0..=255 {
                let Some(Layout::Parts(parts)) = layout(group, variation) else { continue };
                for part in parts {
                    if let Bits(bits) = part {
                        let sum: u8 = bits.iter().map(|(_, count)| count).sum();
                        assert_eq!(sum, 8, "{group} {variation}");
                    }
                }
            }
        }
    }
}
