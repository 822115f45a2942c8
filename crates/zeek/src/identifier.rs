//! Ids of connections and files: a letter and 17 characters, the same whenever the capture is read.

use std::fmt;

use weir_flow::FlowId;
use weir_packet::{FlowKey, Packet};

use crate::connection::PacketView;

const DIGITS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Characters after the letter.
const LENGTH: usize = 17;

/// Characters of an id.
pub(crate) const ID_LENGTH: usize = LENGTH + 1;

/// An id; a short one has zeros behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id([u8; ID_LENGTH]);

impl Id {
    /// An id of these characters, as many of them as there is room for.
    pub(crate) fn of_text(text: &[u8]) -> Self {
        let mut id = [0; ID_LENGTH];
        id.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
        Self(id)
    }

    /// As it is written.
    pub(crate) fn as_str(&self) -> &str {
        // Its digits are ASCII.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Returns the id in bytes.
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            [.., 0] => self.0.split(|byte| *byte == 0).next().unwrap_or_default(),
            whole => whole,
        }
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Digits of base 62 that fit 64 bits, and how many numbers they make.
const SHORT: usize = 10;
const SHORT_RANGE: u128 = 62u128.pow(SHORT as u32);

/// Number of values of the digits behind those, and 2 to the 64 modulo it.
const LAST_RANGE: u64 = 62u64.pow((LENGTH - SHORT) as u32);
const LAST_OVERFLOW: u64 = (u64::MAX % LAST_RANGE + 1) % LAST_RANGE;

/// SplitMix64: spreads a number over all bits.
const fn spread(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The id with this letter of a number.
pub(crate) fn of_number(letter: u8, number: u64) -> Id {
    let high = u128::from(spread(number));
    let low = u128::from(spread(number ^ u64::MAX));
    let whole = high << 64 | low;
    // Long divisions are slow: there is one, and as many digits are made of its result and of its rest as
    // short ones make. The result has a few bits more, which the last digits of all do not need.
    let result = whole / SHORT_RANGE;
    let rest = whole - result * SHORT_RANGE;
    let beyond = (result >> 64) as u64 * LAST_OVERFLOW;
    let last = (result as u64 % LAST_RANGE + beyond) % LAST_RANGE;
    let mut id = [letter; ID_LENGTH];
    let (_, digits) = id.split_at_mut(1);
    for (part, mut number) in digits.chunks_mut(SHORT).zip([rest as u64, last]) {
        for place in part {
            *place = DIGITS.get((number % 62) as usize).copied().unwrap_or(b'A');
            number /= 62;
        }
    }
    Id(id)
}

/// The uid of the connection that a packet begins: made of the id that its flow has, if it has one.
pub(crate) fn of_packet(packet: &Packet<'_>, view: &PacketView) -> Id {
    let key = FlowKey::of(packet).unwrap_or_else(|| view.flow_key());
    of_number(b'C', FlowId::new(&key, packet.number).0)
}

/// The id of the file with this number of a connection.
pub(crate) fn of_file(uid: &[u8], number: u64) -> Id {
    let seed = uid.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    of_number(b'F', spread(seed).wrapping_add(number))
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_differ_and_stay() {
        let id = super::of_number(b'C', 1);
        let text = id.as_str();
        assert_eq!(text.len(), 18);
        assert!(text.starts_with('C') && text.bytes().all(|b| b.is_ascii_alphanumeric()));
        assert_eq!(id, super::of_number(b'C', 1));
        let mut number = u128::from(super::spread(1)) << 64 | u128::from(super::spread(!1));
        for digit in text.bytes().skip(1) {
            assert_eq!(digit, super::DIGITS[(number % 62) as usize]);
            number /= 62;
        }
        assert_ne!(id, super::of_number(b'C', 2));
        assert_ne!(super::of_file(text.as_bytes(), 0), super::of_file(text.as_bytes(), 1));
    }
}
