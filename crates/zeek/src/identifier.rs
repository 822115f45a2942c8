//! Ids of connections and files: a letter and 17 characters, the same whenever the capture is read.

use std::fmt::{self, Write as _};

use weir_applayer::zeek::HandlePart;
use weir_applayer::{File, ZeekConnection};
use weir_base::{Direction, stable_hash};
use weir_flow::FlowId;
use weir_packet::{FlowKey, Packet};

use crate::connection::PacketView;
use crate::rows::protocol;

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

/// The beginning of the handle of a file from this source.
fn handle_of(source: &[u8]) -> String {
    format!("Analyzer::ANALYZER_{}", String::from_utf8_lossy(source))
}

const fn letter(is_orig: bool) -> char {
    if is_orig { 'T' } else { 'F' }
}

/// The id of the file that a handle tells from others, as Zeek makes it; none where there is no handle.
pub(crate) fn of_handle(
    source: &[u8],
    parts: &[HandlePart],
    connection: &ZeekConnection<'_>,
    is_orig: bool,
) -> Option<String> {
    if parts.is_empty() {
        return None;
    }
    let ends = connection.endpoints;
    let (client, server) = ((ends.client, ends.client_port), (ends.server, ends.server_port));
    let mut handle = handle_of(source);
    for part in parts {
        // What is written to a string always fits.
        let _ = match part {
            HandlePart::Start => {
                // As scripts print it: without zeros that say nothing.
                let text = format!("{}.{:06}", connection.start.seconds(), connection.start.micros());
                let shown = text.trim_end_matches('0');
                write!(handle, "{shown}{}", if shown.ends_with('.') { "0" } else { "" })
            }
            HandlePart::IsOriginators => write!(handle, "{}", letter(is_orig)),
            HandlePart::Number(number) => write!(handle, "{number}"),
            HandlePart::IdOf(first, second) => {
                let outer = [HandlePart::Start, HandlePart::Number(*first), HandlePart::Number(*second)];
                let id = of_handle(source, &outer, connection, is_orig);
                write!(handle, "{}", id.unwrap_or_default())
            }
            HandlePart::Ends => {
                write!(handle, "{}:{} > {}:{}", client.0, client.1, server.0, server.1)
            }
            HandlePart::EndsInFull => {
                let number = protocol(ends);
                let word = if number == 17 { "udp" } else { "tcp" };
                write!(
                    handle,
                    "[orig_h={}, orig_p={}/{word}, resp_h={}, resp_p={}/{word}, proto={number}, ctx=[]]",
                    client.0, client.1, server.0, server.1,
                )
            }
        };
    }
    Some(stable_hash::file_id(handle.as_bytes()))
}

/// The id of a file of which parts are sent by themselves.
pub(crate) fn of_parts(source: &[u8], connection: &ZeekConnection<'_>, file: &File, url: &[u8]) -> String {
    let is_orig = file.direction == Direction::ToServer;
    let text = format!("{}{}{}", handle_of(source), letter(is_orig), connection.endpoints.client);
    stable_hash::file_id(&[text.as_bytes(), url].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_handles() {
        use weir_base::Timestamp;
        let endpoints = weir_applayer::Endpoints {
            client: [141, 142, 228, 5].into(),
            client_port: 59856,
            server: [192, 150, 187, 43].into(),
            server_port: 80,
            transport: weir_applayer::Transport::Tcp,
        };
        let start = Timestamp::new(1_362_692_526, 869_344_000);
        let connection = ZeekConnection { endpoints: &endpoints, start, uid: b"C1" };
        let message = [
            HandlePart::Start,
            HandlePart::IsOriginators,
            HandlePart::Number(1),
            HandlePart::Number(1),
            HandlePart::Ends,
        ];
        let id = |parts: &[HandlePart], is_orig| of_handle(b"HTTP", parts, &connection, is_orig);
        assert_eq!(id(&message, false).as_deref(), Some("FMnxxt3xjVcWNS2141"));
        assert_ne!(id(&message, true), id(&message, false));
        // Certificates of a client, and of the server that answers it.
        let of_certificate = |place| {
            [HandlePart::Start, HandlePart::IsOriginators, HandlePart::Ends, HandlePart::Number(place)]
        };
        let endpoints = weir_applayer::Endpoints {
            client: [192, 168, 1, 31].into(),
            client_port: 64789,
            server: [192, 168, 1, 32].into(),
            server_port: 88,
            transport: weir_applayer::Transport::Udp,
        };
        let start = Timestamp::new(1_421_708_060, 902_363_000);
        let asked = ZeekConnection { endpoints: &endpoints, start, uid: b"C1" };
        for (is_orig, place, id) in [(true, 0, "FL511m4RBY8kPxoE59"), (false, 1, "F93jtI1tJOo9bgv51k")] {
            assert_eq!(of_handle(b"KRB", &of_certificate(place), &asked, is_orig).as_deref(), Some(id));
        }
        // A file within another one.
        let mail = ZeekConnection { endpoints: &endpoints, start: Timestamp::default(), uid: b"C1" };
        let id_of_mail = |parts: &[HandlePart]| of_handle(b"SMTP", parts, &mail, true);
        let numbers = [HandlePart::Start, HandlePart::Number(1), HandlePart::Number(1)];
        assert_eq!(id_of_mail(&numbers).as_deref(), Some("FtRhTAoOcRvbFX8Gd"));
        let part = [HandlePart::Start, HandlePart::Number(1), HandlePart::IdOf(1, 1), HandlePart::Number(2)];
        assert_eq!(id_of_mail(&part).as_deref(), Some("FCg7geKxxmGkZIjg8"));
        assert_ne!(id(&[HandlePart::EndsInFull], true), id(&[HandlePart::Ends], true));
        assert_eq!(id(&[], true), None);
        // Zeros behind the last digit of a time are not shown.
        let early = ZeekConnection { start: Timestamp::new(1_315_799_856, 59_460_000), ..connection };
        let endpoints = weir_applayer::Endpoints {
            client: [10, 0, 1, 104].into(),
            client_port: 64216,
            server: [193, 40, 5, 162].into(),
            ..*early.endpoints
        };
        let early = ZeekConnection { endpoints: &endpoints, ..early };
        assert_eq!(of_handle(b"HTTP", &message, &early, false).as_deref(), Some("FfoGFn4kkphS7wMhbf"));
    }

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
