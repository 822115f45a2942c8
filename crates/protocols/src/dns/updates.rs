//! Events of changes of a zone (RFC 2136): the zone, conditions, and what is removed. What is added has the events of any
//! record.

use weir_applayer::zeek::EventSink;
use weir_base::EventValue;

use super::events::{UPDATE, UPDATE_CONDITION, UPDATE_DELETION, answer_fields, section};
use super::message::{Message, Record};
use super::zeek::query_text;

/// The operation that changes a zone (RFC 2136 2.2).
pub(super) const OPERATION: u8 = 5;

/// Classes of what is removed (RFC 2136 2.5).
const CLASS_NONE: u16 = 254;
const CLASS_ANY: u16 = 255;

/// Tells of the zone, which stands in the place of a question.
pub(super) fn zones(message: &Message, about: EventValue<'_>, port: u16, sink: &mut dyn EventSink) {
    for zone in &message.questions {
        let name = query_text(&zone.name.text, port);
        let class = EventValue::Count(zone.class.into());
        sink.raise(UPDATE, &[EventValue::Connection, about, EventValue::String(&name), class]);
    }
}

/// Tells of a record that is a condition or a deletion (RFC 2136 2.4, 2.5); false for others.
pub(super) fn record(
    record: &Record,
    section: u64,
    about: EventValue<'_>,
    port: u16,
    sink: &mut dyn EventSink,
) -> bool {
    let event = match (section, record.class) {
        (section::ANSWER, _) => UPDATE_CONDITION,
        (section::AUTHORITY, CLASS_NONE | CLASS_ANY) => UPDATE_DELETION,
        _ => return false,
    };
    let query = query_text(&record.name.text, port);
    let answer = answer_fields(record, section, &query);
    sink.raise(event, &[EventValue::Connection, about, EventValue::Record(&answer)]);
    true
}

#[cfg(test)]
mod tests {
    use weir_base::Direction;

    use super::super::events::{self, NAMES};
    use super::super::message::Message;
    use super::super::message::tests::build;
    use super::super::transaction::DnsTransaction;
    use crate::testing::Events;

    /// A record of the name at the beginning of a message.
    fn record(kind: u16, class: u16, data: &[u8]) -> Vec<u8> {
        let numbers = [kind, class, 0, 0, data.len() as u16].map(u16::to_be_bytes);
        [&[0xc0, 12][..], numbers.as_flattened(), data].concat()
    }

    #[test]
    fn changes_of_a_zone() {
        let conditions = [record(1, 255, b"")];
        let changes = [record(1, 1, &[192, 0, 2, 1]), record(1, 255, b""), record(1, 254, &[192, 0, 2, 2])];
        let bytes = build(7, 5 << 11, b"\x04zeek\x03org\0", 6, [&conditions, &changes, &[]]);
        let message = Message::read(&bytes).unwrap();
        let mut sink = Events::new(NAMES);
        events::message(&DnsTransaction::of(message, Direction::ToServer, false), &mut sink);
        let told: Vec<String> = sink
            .raised
            .iter()
            .map(|line| {
                let name = line.split(' ').next().unwrap();
                format!("{name} {}", line.rsplit_once("] ").map_or("", |(_, rest)| rest))
            })
            .collect();
        assert_eq!(
            told,
            [
                "dns_message 82",
                "dns_dynamic_update zeek.org 1",
                "dns_dynamic_update_pre [1, zeek.org, 1, 255, 0]",
                "dns_A_reply 192.0.2.1",
                "dns_dynamic_update_del [2, zeek.org, 1, 255, 0]",
                "dns_dynamic_update_del [2, zeek.org, 1, 254, 0]",
                "dns_end ",
            ]
        );
    }
}
