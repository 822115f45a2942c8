//! Events of GTP version 1 (3GPP TS 29.060): of each message, of packets inside, and of those that make, change and end
//! contexts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};
use weir_packet::{Origin, Packet};

use super::{Own, packet};
use crate::connection::Connection;
use crate::rows::Rows;

/// Ports of user data and of control.
pub(super) const PORTS: [u16; 2] = [2123, 2152];

/// Most information elements of a message.
const MAX_ELEMENTS: usize = 256;

/// Length that the header states behind this.
const HEADER: usize = 8;

const UNSET: Nested<'static> = Nested::Value(EventValue::Unset);

/// Types of information elements (TS 29.060 7.7).
mod element {
    pub(super) const CAUSE: u8 = 1;
    pub(super) const IMSI: u8 = 2;
    pub(super) const RAI: u8 = 3;
    pub(super) const REORDERING: u8 = 8;
    pub(super) const RECOVERY: u8 = 14;
    pub(super) const SELECTION: u8 = 15;
    pub(super) const TEID_DATA: u8 = 16;
    pub(super) const TEID_CONTROL: u8 = 17;
    pub(super) const TEARDOWN: u8 = 19;
    pub(super) const NSAPI: u8 = 20;
    pub(super) const CHARACTERISTICS: u8 = 26;
    pub(super) const TRACE_REFERENCE: u8 = 27;
    pub(super) const TRACE_TYPE: u8 = 28;
    pub(super) const CHARGING_ID: u8 = 127;
    pub(super) const USER_ADDRESS: u8 = 128;
    pub(super) const ACCESS_POINT: u8 = 131;
    pub(super) const OPTIONS: u8 = 132;
    pub(super) const GSN_ADDRESS: u8 = 133;
    pub(super) const MSISDN: u8 = 134;
    pub(super) const QOS: u8 = 135;
    pub(super) const TEMPLATE: u8 = 137;
    pub(super) const TRIGGER: u8 = 142;
    pub(super) const OMC: u8 = 143;
    pub(super) const GATEWAY: u8 = 251;
    pub(super) const EXTENSION: u8 = 255;
}

use element as e;

/// Lengths of elements that do not state theirs.
const LENGTHS: [(u8, usize); 29] = [
    (1, 1),
    (2, 8),
    (3, 6),
    (4, 4),
    (5, 4),
    (8, 1),
    (9, 28),
    (11, 1),
    (12, 3),
    (13, 1),
    (14, 1),
    (15, 1),
    (16, 4),
    (17, 4),
    (18, 5),
    (19, 1),
    (20, 1),
    (21, 1),
    (22, 9),
    (23, 1),
    (24, 1),
    (25, 2),
    (26, 2),
    (27, 2),
    (28, 2),
    (29, 1),
    (117, 10),
    (118, 2),
    (127, 4),
];

/// A message whose elements have an event.
struct Kind {
    number: u8,
    event: Own,
    /// Types of the fields of its record, in their order; the second of a type is that of a second element.
    fields: &'static [u8],
}

/// The messages (TS 29.060 7.3), with the fields of their records in Zeek.
const KINDS: [Kind; 6] = [
    Kind {
        number: 16,
        event: Own::GtpCreateRequest,
        fields: &[
            e::IMSI,
            e::RAI,
            e::RECOVERY,
            e::SELECTION,
            e::TEID_DATA,
            e::TEID_CONTROL,
            e::NSAPI,
            e::NSAPI,
            e::CHARACTERISTICS,
            e::TRACE_REFERENCE,
            e::TRACE_TYPE,
            e::USER_ADDRESS,
            e::ACCESS_POINT,
            e::OPTIONS,
            e::GSN_ADDRESS,
            e::GSN_ADDRESS,
            e::MSISDN,
            e::QOS,
            e::TEMPLATE,
            e::TRIGGER,
            e::OMC,
            e::EXTENSION,
        ],
    },
    Kind {
        number: 17,
        event: Own::GtpCreateResponse,
        fields: &[
            e::CAUSE,
            e::REORDERING,
            e::RECOVERY,
            e::TEID_DATA,
            e::TEID_CONTROL,
            e::CHARGING_ID,
            e::USER_ADDRESS,
            e::OPTIONS,
            e::GSN_ADDRESS,
            e::GSN_ADDRESS,
            e::QOS,
            e::GATEWAY,
            e::EXTENSION,
        ],
    },
    Kind {
        number: 18,
        event: Own::GtpUpdateRequest,
        fields: &[
            e::IMSI,
            e::RAI,
            e::RECOVERY,
            e::TEID_DATA,
            e::TEID_CONTROL,
            e::NSAPI,
            e::TRACE_REFERENCE,
            e::TRACE_TYPE,
            e::GSN_ADDRESS,
            e::GSN_ADDRESS,
            e::QOS,
            e::TEMPLATE,
            e::TRIGGER,
            e::OMC,
            e::EXTENSION,
            e::USER_ADDRESS,
        ],
    },
    Kind {
        number: 19,
        event: Own::GtpUpdateResponse,
        fields: &[
            e::CAUSE,
            e::RECOVERY,
            e::TEID_DATA,
            e::TEID_CONTROL,
            e::CHARGING_ID,
            e::GSN_ADDRESS,
            e::GSN_ADDRESS,
            e::QOS,
            e::GATEWAY,
            e::EXTENSION,
        ],
    },
    Kind { number: 20, event: Own::GtpDeleteRequest, fields: &[e::TEARDOWN, e::NSAPI, e::EXTENSION] },
    Kind { number: 21, event: Own::GtpDeleteResponse, fields: &[e::CAUSE, e::EXTENSION] },
];

/// A header, as `gtpv1_hdr`, and what follows it.
struct Message<'a> {
    kind: u8,
    header: [EventValue<'static>; 12],
    elements: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads a message of version 1 that is no GTP'.
    fn of(payload: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(payload);
        let (flags, kind, length, id) = (reader.u8()?, reader.u8()?, reader.u16()?, reader.u32()?);
        let has = |flag: u8| flags & flag != 0;
        let is_known = flags >> 5 == 1 && has(0x10);
        let mut optional = [EventValue::Unset; 3];
        if has(0x07) {
            let (sequence, number, mut next) = (reader.u16()?, reader.u8()?, reader.u8()?);
            optional = [sequence.into(), number.into(), next.into()];
            while has(0x04) && next != 0 {
                let length = usize::from(reader.peek()?) * 4;
                next = *reader.take(length)?.last()?;
            }
        }
        let [sequence, number, next] = optional;
        let header = [
            (flags >> 5).into(),
            has(0x10).into(),
            has(0x08).into(),
            has(0x04).into(),
            has(0x02).into(),
            has(0x01).into(),
            kind.into(),
            length.into(),
            id.into(),
            sequence,
            number,
            next,
        ];
        let end = HEADER + usize::from(length);
        let behind = end.saturating_sub(reader.position()).min(reader.len());
        is_known.then_some(Self { kind, header, elements: reader.take(behind)? })
    }
}

/// Raises the events of a datagram to a port of GTP.
pub(super) fn datagram(connection: &Connection, packet: &Packet<'_>, rows: &mut Rows<'_>) {
    if connection.sides.iter().map(|side| side.packets).sum::<u64>() == 1 {
        rows.raise(Own::NewGtpState, Some(connection), &[EventValue::Connection]);
    }
    let kinds = KINDS.iter().map(|kind| kind.event).chain([Own::GtpMessage]);
    // Of the tunnels without a name of their own, this one alone has datagrams of GTP inside.
    if packet.origin == Origin::OtherTunnel || !kinds.into_iter().any(|event| rows.handles(event)) {
        return;
    }
    let Some(message) = Message::of(packet.payload) else { return };
    let header = EventValue::Record(&message.header);
    rows.raise(Own::GtpMessage, Some(connection), &[EventValue::Connection, header]);
    let Some(kind) = KINDS.iter().find(|kind| kind.number == message.kind && rows.handles(kind.event)) else {
        return;
    };
    let mut unknown = Vec::new();
    let Some(fields) = fields(kind, message.elements, &mut unknown) else { return };
    let identity = connection.identity();
    for found in unknown {
        let about = identity.view();
        let what = found.to_string();
        rows.weird(Some(&about), rows.now(), "gtp_invalid_info_element", Some(&what), Some("GTPV1"));
    }
    let fields = Nested::Record(fields);
    let arguments = [EventValue::Connection, header, EventValue::Nested(&fields)];
    rows.raise(kind.event, Some(connection), &arguments);
}

/// Raises the event of a packet inside.
pub(super) fn carried(connection: &Connection, outer: &Packet<'_>, inner: &Packet<'_>, rows: &mut Rows<'_>) {
    if !rows.handles(Own::GtpPacket) {
        return;
    }
    let Some(message) = Message::of(outer.payload) else { return };
    packet::fields(inner, |fields| {
        let arguments = [EventValue::Connection, EventValue::Record(&message.header), fields];
        rows.raise(Own::GtpPacket, Some(connection), &arguments);
    });
}

/// Reads the elements of a message as the fields of its record. None where one is cut off.
fn fields<'a>(kind: &Kind, bytes: &'a [u8], unknown: &mut Vec<u8>) -> Option<Vec<Nested<'a>>> {
    let mut fields = vec![UNSET; kind.fields.len()];
    let mut reader = Reader::new(bytes);
    for _ in 0..MAX_ELEMENTS {
        let Some(element) = reader.u8() else { break };
        let length = match LENGTHS.iter().find(|(known, _)| *known == element) {
            Some((_, length)) => *length,
            None if element < 0x80 => return None,
            None => usize::from(reader.u16()?),
        };
        let value = value(element, reader.take(length)?)?;
        let mut places = kind.fields.iter().zip(&mut fields).filter(|(known, _)| **known == element);
        let Some((_, mut place)) = places.next() else {
            unknown.push(element);
            continue;
        };
        for (_, next) in places {
            if !matches!(place, Nested::Value(EventValue::Unset)) {
                place = next;
            }
        }
        *place = value;
    }
    Some(fields)
}

/// Reads an element.
fn value<'a>(element: u8, bytes: &'a [u8]) -> Option<Nested<'a>> {
    let mut reader = Reader::new(bytes);
    let found = match element {
        e::IMSI => digits(bytes).into(),
        e::RAI => area(&mut reader)?,
        e::REORDERING | e::TEARDOWN => (reader.u8()? & 1 == 1).into(),
        e::SELECTION => (reader.u8()? & 3).into(),
        e::NSAPI => (reader.u8()? & 0x0f).into(),
        e::CAUSE | e::RECOVERY => reader.u8()?.into(),
        e::TEID_DATA | e::TEID_CONTROL | e::CHARGING_ID => reader.u32()?.into(),
        e::CHARACTERISTICS | e::TRACE_REFERENCE | e::TRACE_TYPE => reader.u16()?.into(),
        e::USER_ADDRESS => {
            let (organisation, number) = (reader.u8()? & 0x0f, reader.u8()?);
            let (ip, other) = match (number, address(reader.rest())) {
                (0x21 | 0x57, Some(ip)) => (EventValue::Addr(ip), EventValue::Unset),
                _ if reader.is_empty() => (EventValue::Unset, EventValue::Unset),
                _ => (EventValue::Unset, reader.rest().into()),
            };
            Nested::record([organisation.into(), number.into(), ip, other])
        }
        e::GSN_ADDRESS => match address(bytes) {
            Some(ip) => Nested::record([EventValue::Addr(ip), EventValue::Unset]),
            None => Nested::record([EventValue::Unset, bytes.into()]),
        },
        e::GATEWAY => address(bytes).map_or(UNSET, |ip| EventValue::Addr(ip).into()),
        e::QOS => Nested::record([reader.u8()?.into(), EventValue::from(reader.rest())]),
        e::EXTENSION => Nested::record([reader.u16()?.into(), EventValue::from(reader.rest())]),
        _ => bytes.into(),
    };
    Some(found)
}

/// Returns the number of digits of four bits, the lower ones first; a byte's half that is full is none.
fn digits(bytes: &[u8]) -> u64 {
    let halves = bytes.iter().flat_map(|byte| [byte & 0x0f, byte >> 4]).filter(|digit| *digit != 0x0f);
    halves.fold(0u64, |number, digit| number.wrapping_mul(10).wrapping_add(digit.into()))
}

/// A routing area: codes of country and network, location and area.
fn area<'a>(reader: &mut Reader<'a>) -> Option<Nested<'a>> {
    let [first, second, third] = reader.array()?;
    let country = [first & 0x0f, first >> 4, second & 0x0f];
    let network = [third & 0x0f, third >> 4, second >> 4];
    let number = |digits: [u8; 3]| {
        digits.into_iter().filter(|digit| *digit != 0x0f).fold(0u64, |all, digit| all * 10 + u64::from(digit))
    };
    let (location, routing) = (reader.u16()?, reader.u8()?);
    Some(Nested::record([number(country), number(network), location.into(), routing.into()]))
}

/// Returns the address of either version that some bytes are.
fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(|octets| Ipv4Addr::from(octets).into());
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(|octets| Ipv6Addr::from(octets).into())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_with_and_without_options() {
        for (bytes, expected) in [
            (&[0x30, 255, 0, 2, 0, 0, 0, 1, 7, 7][..], Some((255, 2))),
            (&[0x32, 16, 0, 6, 0, 0, 0, 1, 0, 5, 0, 0, 14, 1], Some((16, 2))),
            (&[0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 1, 2, 0, 9], Some((255, 1))),
            (&[0x20, 255, 0, 0, 0, 0, 0, 1], None),
            (&[0x50, 255, 0, 0, 0, 0, 0, 1], None),
            (&[0x34, 255, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0xc0], None),
            (&[0x34, 255, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0xc0, 0], None),
        ] {
            let found = Message::of(bytes).map(|message| (message.kind, message.elements.len()));
            assert_eq!(found, expected, "{bytes:?}");
        }
    }

    #[test]
    fn elements_take_their_places() {
        let bytes = [20, 0x15, 20, 6, 133, 0, 4, 10, 0, 0, 1, 14, 3, 250, 0, 1, 0];
        let mut unknown = Vec::new();
        let fields = fields(&KINDS[0], &bytes, &mut unknown).expect("whole elements");
        assert_eq!(unknown, [250]);
        let count = |place: usize| match &fields[place] {
            Nested::Value(EventValue::Count(count)) => Some(*count),
            _ => None,
        };
        assert_eq!([6, 7, 2, 3].map(count), [Some(5), Some(6), Some(3), None]);
        assert!(matches!(&fields[14], Nested::Record(address) if address.len() == 2));
        assert!(super::fields(&KINDS[0], &[133, 0, 4, 1], &mut unknown).is_none());
        assert_eq!(digits(&[0x21, 0x43, 0xf5]), 12345);
    }
}
