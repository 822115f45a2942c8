//! Extension headers of IPv6 as scripts see them (RFC 8200 4, RFC 4302, RFC 4303, RFC 6275).

use std::net::Ipv6Addr;

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};
use weir_packet::{Ip, LayerKind, Packet, ip_protocol};

use super::{Own, packet};
use crate::connection::mobile::{MAX_HEADERS, header};
use crate::rows::Rows;

/// Length of the fixed header.
const FIXED: usize = 40;

/// Most options of a header.
const MAX_OPTIONS: usize = 256;

const UNSET: Nested<'static> = Nested::Value(EventValue::Unset);

/// Places of headers in `ip6_ext_hdr`, in which the first field is the kind.
mod place {
    pub(super) const HOP_BY_HOP: usize = 1;
    pub(super) const DESTINATION: usize = 2;
    pub(super) const ROUTING: usize = 3;
    pub(super) const FRAGMENT: usize = 4;
    pub(super) const AUTHENTICATION: usize = 5;
    pub(super) const ESP: usize = 6;
    pub(super) const MOBILITY: usize = 7;
    pub(super) const ALL: usize = 8;
}

/// The extension headers of a packet.
pub(super) struct Chain<'a> {
    /// As a vector of `ip6_ext_hdr`.
    pub(super) headers: Vec<Nested<'a>>,
    /// The kind of the last one.
    last: Option<u8>,
}

impl<'a> Chain<'a> {
    /// Reads those of a packet.
    pub(super) fn of(packet: &Packet<'a>) -> Self {
        let mut chain = Self { headers: Vec::new(), last: None };
        let Some(Ip::V6(ip)) = &packet.ip else { return chain };
        let start = packet.layers.last(LayerKind::Ipv6).map_or(0, |layer| layer.offset as usize);
        let mut reader = Reader::new(packet.bytes.get(start + FIXED..).unwrap_or_default());
        let mut kind = ip.next_header;
        for _ in 0..MAX_HEADERS {
            let all = reader;
            if matches!(kind, ip_protocol::ESP | ip_protocol::MOBILITY) {
                // These are the last ones.
                chain.add(kind, all.rest());
                break;
            }
            let Some((next, body)) = header(&mut reader, kind) else { break };
            let whole = all.rest().get(..body.len() + 2).unwrap_or_default();
            chain.add(kind, whole);
            kind = next;
        }
        chain
    }

    fn add(&mut self, kind: u8, whole: &'a [u8]) {
        let Some((place, fields)) = fields(kind, whole) else { return };
        let mut all = vec![UNSET; place::ALL];
        if let [first, ..] = &mut *all {
            *first = kind.into();
        }
        if let Some(field) = all.get_mut(place) {
            *field = fields;
        }
        self.headers.push(Nested::Record(all));
        self.last = Some(kind);
    }
}

/// Returns the place of a header, and its fields.
fn fields<'a>(kind: u8, whole: &'a [u8]) -> Option<(usize, Nested<'a>)> {
    let mut reader = Reader::new(whole);
    if kind == ip_protocol::ESP {
        return Some((place::ESP, Nested::record([reader.u32()?, reader.u32()?])));
    }
    let (next, length) = (reader.u8()?, reader.u8()?);
    let found = match kind {
        ip_protocol::HOP_BY_HOP | ip_protocol::DESTINATION_OPTIONS => {
            let place = if kind == ip_protocol::HOP_BY_HOP { place::HOP_BY_HOP } else { place::DESTINATION };
            (place, Nested::Record(vec![next.into(), length.into(), options(reader)]))
        }
        ip_protocol::ROUTING => {
            let (kind, left) = (reader.u8()?, reader.u8()?);
            let fields =
                [EventValue::from(next), length.into(), kind.into(), left.into(), reader.rest().into()];
            (place::ROUTING, Nested::record(fields))
        }
        ip_protocol::FRAGMENT => {
            let (word, id) = (reader.u16()?, reader.u32()?);
            let fields = [
                EventValue::from(next),
                length.into(),
                (word >> 3).into(),
                ((word >> 1) & 3).into(),
                EventValue::Bool(word & 1 == 1),
                id.into(),
            ];
            (place::FRAGMENT, Nested::record(fields))
        }
        ip_protocol::AH => {
            let (reserved, spi) = (reader.u16()?, reader.u32()?);
            let sequence = reader.u32();
            let data = sequence.map(|_| reader.rest());
            let fields = [
                EventValue::from(next),
                length.into(),
                reserved.into(),
                spi.into(),
                EventValue::count(sequence),
                EventValue::bytes(data),
            ];
            (place::AUTHENTICATION, Nested::record(fields))
        }
        ip_protocol::MOBILITY => {
            let whole = whole.get(..(usize::from(length) + 1) * 8).unwrap_or(whole);
            let mut reader = Reader::new(whole.get(2..)?);
            let (kind, reserved, sum) = (reader.u8()?, reader.u8()?, reader.u16()?);
            let message = mobility(kind, reader);
            let mut fields: Vec<Nested<'a>> =
                [next, length, kind, reserved].map(Nested::from).into_iter().collect();
            fields.extend([sum.into(), message]);
            (place::MOBILITY, Nested::Record(fields))
        }
        _ => return None,
    };
    Some(found)
}

/// Options of a header: kind, length, data. Padding of one byte has no length.
fn options<'a>(mut reader: Reader<'a>) -> Nested<'a> {
    let mut all = Vec::new();
    while all.len() < MAX_OPTIONS
        && let Some(kind) = reader.u8()
    {
        let data = match kind {
            0 => Some([].as_slice()),
            _ => reader.u8().and_then(|length| reader.take(usize::from(length))),
        };
        let Some(data) = data else { break };
        all.push(Nested::record([kind.into(), data.len().into(), EventValue::String(data)]));
    }
    Nested::List(all)
}

/// The message of a mobility header (RFC 6275 6.1), as `ip6_mobility_msg`.
fn mobility<'a>(kind: u8, reader: Reader<'a>) -> Nested<'a> {
    let mut fields = vec![UNSET; 9];
    if let [first, ..] = &mut *fields {
        *first = kind.into();
    }
    if let Some(message) = mobility_message(kind, reader)
        && let Some(place) = fields.get_mut(usize::from(kind) + 1)
    {
        *place = Nested::Record(message);
    }
    Nested::Record(fields)
}

fn mobility_message<'a>(kind: u8, mut reader: Reader<'a>) -> Option<Vec<Nested<'a>>> {
    let flag = |word: u16, place: u16| Nested::from(word & place != 0);
    let mut fields: Vec<Nested<'a>> = match kind {
        // Binding refresh request.
        0 => vec![reader.u16()?.into()],
        // Home test init, care-of test init.
        1 | 2 => vec![reader.u16()?.into(), reader.u64()?.into()],
        // Home test, care-of test.
        3 | 4 => vec![reader.u16()?.into(), reader.u64()?.into(), reader.u64()?.into()],
        // Binding update.
        5 => {
            let (sequence, flags, life) = (reader.u16()?, reader.u16()?, reader.u16()?);
            vec![
                sequence.into(),
                flag(flags, 0x8000),
                flag(flags, 0x4000),
                flag(flags, 0x2000),
                flag(flags, 0x1000),
                life.into(),
            ]
        }
        // Binding acknowledgement.
        6 => {
            let (status, flags) = (reader.u8()?, reader.u8()?);
            vec![status.into(), (flags & 0x80 != 0).into(), reader.u16()?.into(), reader.u16()?.into()]
        }
        // Binding error.
        7 => {
            let status = reader.u8()?;
            reader.skip(1)?;
            let home = Ipv6Addr::from(reader.array::<16>()?);
            vec![status.into(), EventValue::Addr(home.into()).into()]
        }
        _ => return None,
    };
    fields.push(options(reader));
    Some(fields)
}

/// Returns whether a packet has extension headers.
pub(super) fn has_any(packet: &Packet<'_>) -> bool {
    matches!(&packet.ip, Some(Ip::V6(ip)) if !ip.extensions.is_empty())
}

/// Raises the event of a packet that ends with the header of ESP or of mobile nodes.
pub(super) fn look(packet: &Packet<'_>, rows: &mut Rows<'_>) {
    if !(rows.handles(Own::EspPacket) || rows.handles(Own::MobileMessage)) {
        return;
    }
    if packet.ip.as_ref().is_none_or(Ip::is_fragment) {
        return;
    }
    let event = match Chain::of(packet).last {
        Some(ip_protocol::ESP) => Own::EspPacket,
        Some(ip_protocol::MOBILITY) => Own::MobileMessage,
        _ => return,
    };
    packet::fields(packet, |fields| rows.raise(event, None, &[fields]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_their_places() {
        let home: Vec<u8> = [17, 2, 1, 2, 0, 0, 201, 16].into_iter().chain([7; 16]).collect();
        let routing: Vec<u8> = [17, 2, 2, 1, 0, 0, 0, 0].into_iter().chain([9; 16]).collect();
        let update = [59, 1, 5, 0, 0, 0, 0, 1, 0xa0, 0, 0, 2, 1, 2, 0, 0];
        for (kind, bytes, place, parts) in [
            (60, &*home, place::DESTINATION, 3),
            (0, &home, place::HOP_BY_HOP, 3),
            (43, &routing, place::ROUTING, 5),
            (44, &[6, 0, 0, 1, 0, 0, 0, 7], place::FRAGMENT, 6),
            (51, &[6, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2], place::AUTHENTICATION, 6),
            (50, &[0, 0, 0, 1, 0, 0, 0, 2], place::ESP, 2),
            (135, &update, place::MOBILITY, 6),
        ] {
            let (found, fields) = fields(kind, bytes).expect("a header");
            assert_eq!(found, place);
            assert!(matches!(fields, Nested::Record(all) if all.len() == parts), "{kind}");
        }
        let Nested::List(all) = options(Reader::new(&home[2..])) else { panic!("a list") };
        assert_eq!(all.len(), 2);
        let Some(update) = mobility_message(5, Reader::new(&update[6..])) else { panic!("a message") };
        assert_eq!(update.len(), 7);
        assert!(mobility_message(5, Reader::new(&[1, 2])).is_none());
    }
}
