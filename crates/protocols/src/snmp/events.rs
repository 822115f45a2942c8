//! Events of SNMP for scripts, an event for each message by its kind.

use std::net::IpAddr;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, Reader};

use super::transaction::SnmpTransaction;
use crate::ber::{self, tag};

/// Kinds by the number in their tag, from 0 on, and the three that are none of these.
const GET_BULK: usize = 5;
const TRAP: usize = 4;
const UNKNOWN: usize = 9;
const UNKNOWN_SCOPED: usize = 10;
const ENCRYPTED: usize = 11;

/// The tag of the first kind.
const FIRST_TAG: u8 = 0xa0;

/// Flags of a header of version 3 (RFC 3412 6.4).
const AUTHENTICATED: u8 = 1;
const PRIVATE: u8 = 2;
const REPORTABLE: u8 = 4;

/// Tags of values (RFC 3416 3).
mod value {
    pub(super) const ADDRESS: u8 = 0x40;
    pub(super) const COUNTER32: u8 = 0x41;
    pub(super) const UNSIGNED32: u8 = 0x42;
    pub(super) const TIME_TICKS: u8 = 0x43;
    pub(super) const OPAQUE: u8 = 0x44;
    pub(super) const COUNTER64: u8 = 0x46;
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/snmp/main",
    bodies: None,
    names: &[
        "snmp_get_request",
        "snmp_get_next_request",
        "snmp_response",
        "snmp_set_request",
        "snmp_trap",
        "snmp_get_bulk_request",
        "snmp_inform_request",
        "snmp_trapV2",
        "snmp_report",
        "snmp_unknown_pdu",
        "snmp_unknown_scoped_pdu",
        "snmp_encrypted_pdu",
    ],
    open: || Box::new(SnmpRaiser),
};

#[derive(Debug)]
struct SnmpRaiser;

impl EventRaiser for SnmpRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<SnmpTransaction>().filter(|_| news.complete) else { return };
        // What does not fit its format has no event.
        let _ = message(tx.message.text(), tx.meta.only == Some(Direction::ToServer), sink);
    }
}

fn message(bytes: &[u8], is_orig: bool, sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE)?);
    let version = u64::try_from(integer(&mut reader)?).ok()?;
    if version == 3 {
        return secured(reader, is_orig, sink);
    }
    let community = [EventValue::String(ber::tagged(&mut reader, tag::OCTET_STRING)?)];
    let named = EventValue::Record(&community);
    let header = match version {
        0 => [EventValue::Count(version), named, EventValue::Unset, EventValue::Unset],
        _ => [EventValue::Count(version), EventValue::Unset, named, EventValue::Unset],
    };
    unit(&mut reader, is_orig, EventValue::Record(&header), sink)
}

/// A message of version 3 (RFC 3412 6).
fn secured(mut reader: Reader<'_>, is_orig: bool, sink: &mut dyn EventSink) -> Option<()> {
    let mut header = Reader::new(ber::tagged(&mut reader, tag::SEQUENCE)?);
    let (id, most) = (integer(&mut header)?, integer(&mut header)?);
    let flags = *ber::tagged(&mut header, tag::OCTET_STRING)?.first()?;
    let model = integer(&mut header)?;
    let parameters = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let user = user(parameters).filter(|_| model == 3);
    let has = |flag| EventValue::Bool(flags & flag != 0);
    let (kind, content) = ber::element(&mut reader)?;
    let mut scope = Reader::new(content);
    let context = if kind == tag::SEQUENCE { context(&mut scope) } else { None };
    let fields = [
        number(id),
        number(most),
        flags.into(),
        has(AUTHENTICATED),
        has(PRIVATE),
        has(REPORTABLE),
        number(model),
        EventValue::String(parameters),
        context.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
        user.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
    ];
    let header = [3u8.into(), EventValue::Unset, EventValue::Unset, EventValue::Record(&fields)];
    let header = EventValue::Record(&header);
    let (c, is_from_originator) = (EventValue::Connection, EventValue::Bool(is_orig));
    if flags & PRIVATE != 0 {
        sink.raise(ENCRYPTED, &[c, is_from_originator, header]);
        return Some(());
    }
    if context.is_none() {
        sink.raise(UNKNOWN_SCOPED, &[c, is_from_originator, header, kind.into()]);
        return Some(());
    }
    unit(&mut scope, is_orig, header, sink)
}

/// What the rest is about: an engine and a name.
fn context<'a>(scope: &mut Reader<'a>) -> Option<[EventValue<'a>; 2]> {
    let engine = ber::tagged(scope, tag::OCTET_STRING)?;
    Some([engine, ber::tagged(scope, tag::OCTET_STRING)?].map(EventValue::String))
}

/// The parameters of the model of users (RFC 3414 2.4).
fn user(parameters: &[u8]) -> Option<[EventValue<'_>; 6]> {
    let mut reader = Reader::new(ber::tagged(&mut Reader::new(parameters), tag::SEQUENCE)?);
    let engine = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let (boots, time) = (integer(&mut reader)?, integer(&mut reader)?);
    let name = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let authentication = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let privacy = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let [engine, name, authentication, privacy] =
        [engine, name, authentication, privacy].map(EventValue::String);
    Some([engine, EventValue::Int(boots), EventValue::Int(time), name, authentication, privacy])
}

/// What is asked or answered.
fn unit(
    reader: &mut Reader<'_>,
    is_orig: bool,
    header: EventValue<'_>,
    sink: &mut dyn EventSink,
) -> Option<()> {
    let (tag, content) = ber::element(reader)?;
    let (c, is_orig) = (EventValue::Connection, EventValue::Bool(is_orig));
    let kind = usize::from(tag.wrapping_sub(FIRST_TAG));
    if kind >= UNKNOWN {
        sink.raise(UNKNOWN, &[c, is_orig, header, tag.into()]);
        return Some(());
    }
    if !sink.wants(kind) {
        return None;
    }
    let mut reader = Reader::new(content);
    let mut oid = Vec::new();
    let head = match kind {
        TRAP => {
            ber::append_oid(ber::tagged(&mut reader, tag::OBJECT_IDENTIFIER)?, &mut oid);
            let agent = address(ber::tagged(&mut reader, value::ADDRESS)?)?;
            let (generic, specific) = (integer(&mut reader)?, integer(&mut reader)?);
            let time = ber::unsigned(ber::tagged(&mut reader, value::TIME_TICKS)?)?;
            vec![
                EventValue::String(&oid),
                EventValue::Addr(agent),
                EventValue::Int(generic),
                EventValue::Int(specific),
                EventValue::Count(time),
            ]
        }
        _ => {
            let id = EventValue::Int(integer(&mut reader)?);
            let (status, index) = (integer(&mut reader)?, integer(&mut reader)?);
            match kind {
                GET_BULK => vec![id, number(status), number(index)],
                _ => vec![id, EventValue::Int(status), EventValue::Int(index)],
            }
        }
    };
    let bindings = bindings(ber::tagged(&mut reader, tag::SEQUENCE)?)?;
    let fields: Vec<[EventValue<'_>; 6]> = bindings.iter().map(Binding::value).collect();
    let pairs: Vec<[EventValue<'_>; 2]> = bindings
        .iter()
        .zip(&fields)
        .map(|(binding, fields)| [EventValue::String(&binding.name), EventValue::Record(fields)])
        .collect();
    let records: Vec<EventValue<'_>> = pairs.iter().map(|pair| EventValue::Record(pair)).collect();
    let mut unit = head;
    unit.push(EventValue::List(&records));
    sink.raise(kind, &[c, is_orig, header, EventValue::Record(&unit)]);
    Some(())
}

/// A name and its value.
struct Binding<'a> {
    name: Vec<u8>,
    tag: u8,
    content: &'a [u8],
    /// The value, where it is a name.
    oid: Vec<u8>,
}

fn bindings(list: &[u8]) -> Option<Vec<Binding<'_>>> {
    let mut reader = Reader::new(list);
    let mut bindings = Vec::new();
    while !reader.is_empty() {
        let mut pair = Reader::new(ber::tagged(&mut reader, tag::SEQUENCE)?);
        let (mut name, mut oid) = (Vec::new(), Vec::new());
        ber::append_oid(ber::tagged(&mut pair, tag::OBJECT_IDENTIFIER)?, &mut name);
        let (tag, content) = ber::element(&mut pair)?;
        if tag == tag::OBJECT_IDENTIFIER {
            ber::append_oid(content, &mut oid);
        }
        bindings.push(Binding { name, tag, content, oid });
    }
    Some(bindings)
}

impl Binding<'_> {
    fn value(&self) -> [EventValue<'_>; 6] {
        let none = EventValue::Unset;
        let tag = EventValue::Count(self.tag.into());
        let unsigned = || ber::unsigned(self.content).map_or(none, EventValue::Count);
        match self.tag {
            tag::OBJECT_IDENTIFIER => [tag, EventValue::String(&self.oid), none, none, none, none],
            tag::INTEGER => [tag, none, EventValue::Int(folded(self.content)), none, none, none],
            value::COUNTER32 | value::UNSIGNED32 | value::TIME_TICKS | value::COUNTER64 => {
                [tag, none, none, unsigned(), none, none]
            }
            value::ADDRESS => {
                [tag, none, none, none, address(self.content).map_or(none, EventValue::Addr), none]
            }
            tag::OCTET_STRING | value::OPAQUE => {
                [tag, none, none, none, none, EventValue::String(self.content)]
            }
            _ => [tag, none, none, none, none, none],
        }
    }
}

/// The next element, an integer, as Zeek reads it: without a sign.
fn integer(reader: &mut Reader<'_>) -> Option<i64> {
    ber::tagged(reader, tag::INTEGER).map(folded)
}

fn folded(content: &[u8]) -> i64 {
    content.iter().fold(0, |value: i64, byte| value << 8 | i64::from(*byte))
}

/// A number that is none below zero.
fn number(value: i64) -> EventValue<'static> {
    EventValue::Count(value as u64)
}

/// An address of either version.
fn address(content: &[u8]) -> Option<IpAddr> {
    let version4 = <[u8; 4]>::try_from(content).map(IpAddr::from);
    version4.or_else(|_| <[u8; 16]>::try_from(content).map(IpAddr::from)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_bindings() {
        let of = |tag, content| Binding { name: Vec::new(), tag, content, oid: b"1.3".to_vec() };
        let cases: [(u8, &[u8], usize); 7] = [
            (tag::OBJECT_IDENTIFIER, &[0x2b], 1),
            (tag::INTEGER, &[0xff], 2),
            (value::COUNTER64, &[1, 0], 3),
            (value::ADDRESS, &[10, 0, 0, 1], 4),
            (value::OPAQUE, &[1], 5),
            (value::ADDRESS, &[10], 0),
            (0x05, &[], 0),
        ];
        for (tag, content, place) in cases {
            let binding = of(tag, content);
            let fields = binding.value();
            let set: Vec<usize> =
                (1..6).filter(|&place| !matches!(fields[place], EventValue::Unset)).collect();
            assert_eq!(set, [place].into_iter().filter(|place| *place > 0).collect::<Vec<_>>(), "{tag:#x}");
        }
    }
}
