//! Events of IGMP (RFC 1112, RFC 2236, RFC 3376).

use std::net::Ipv4Addr;

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};
use weir_packet::{Packet, Transport, checksum};

use super::{Own, packet};
use crate::rows::Rows;

/// Most addresses of a report.
const MAX_ADDRESSES: usize = 4096;

/// Types of messages, their events and their names; the last is that of reports of several groups.
const QUERY: u8 = 0x11;
const REPORT_V3: u8 = 0x22;
const KINDS: [(u8, Own, &str); 5] = [
    (QUERY, Own::IgmpQuery, "IGMP::MEMBERSHIP_QUERY"),
    (0x12, Own::IgmpReportV1, "IGMP::MEMBERSHIP_REPORT_V1"),
    (0x16, Own::IgmpReportV2, "IGMP::MEMBERSHIP_REPORT_V2"),
    (0x17, Own::IgmpLeave, "IGMP::LEAVE_GROUP"),
    (REPORT_V3, Own::IgmpReportV3, "IGMP::MEMBERSHIP_REPORT_V3"),
];
const BAD_CHECKSUM: &str = "IGMP::BAD_CHECKSUM";

/// Types of records, from 1 on (RFC 3376 4.2.12).
const TYPES: [&str; 6] = [
    "IGMP::MODE_IS_INCLUDE",
    "IGMP::MODE_IS_EXCLUDE",
    "IGMP::CHANGE_TO_INCLUDE_MODE",
    "IGMP::CHANGE_TO_EXCLUDE_MODE",
    "IGMP::ALLOW_NEW_SOURCES",
    "IGMP::BLOCK_OLD_SOURCES",
];

fn address<'a>(reader: &mut Reader<'_>) -> Option<EventValue<'a>> {
    Some(EventValue::Addr(Ipv4Addr::from(reader.array::<4>()?).into()))
}

/// Raises the events of a message.
pub(super) fn look(packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let (Transport::Igmp(message), Some(source)) = (packet.transport, packet.source()) else { return };
    let all = KINDS.iter().map(|(_, event, _)| *event).chain([Own::IgmpMessage]);
    if !all.into_iter().any(|event| rows.handles(event)) {
        return;
    }
    let Some(&(kind, event, known)) = KINDS.iter().find(|(kind, ..)| message.first() == Some(kind)) else {
        return;
    };
    let is_whole = checksum::internet(message) == 0;
    let name = if is_whole { known } else { BAD_CHECKSUM };
    let body = message.get(4..).unwrap_or_default();
    if is_whole && kind == REPORT_V3 {
        if let Some(groups) = groups(body) {
            let groups = Nested::List(groups);
            rows.raise(event, None, &[EventValue::Addr(source), EventValue::Nested(&groups)]);
        }
    } else if let Some(group) = address(&mut Reader::new(body)).filter(|_| is_whole) {
        rows.raise(event, None, &[EventValue::Addr(source), group]);
    }
    if rows.handles(Own::IgmpMessage) {
        packet::raw_fields(packet, |fields| {
            rows.raise(Own::IgmpMessage, None, &[fields, EventValue::Enum(name)]);
        });
    }
}

/// Reads the records of a report of the third version (RFC 3376 4.2).
fn groups(body: &[u8]) -> Option<Vec<Nested<'_>>> {
    let mut reader = Reader::new(body);
    reader.skip(2)?;
    let count = reader.u16()?;
    let (mut all, mut addresses) = (Vec::new(), 0);
    for _ in 0..count {
        let (kind, words, sources) = (reader.u8()?, reader.u8()?, reader.u16()?);
        let group = address(&mut reader)?;
        addresses += usize::from(sources) + 1;
        if addresses > MAX_ADDRESSES {
            break;
        }
        let list = (0..sources).map(|_| Some(Nested::Value(address(&mut reader)?)));
        let list = list.collect::<Option<Vec<_>>>()?;
        let data = reader.take(usize::from(words) * 4)?;
        let kind = usize::from(kind).checked_sub(1).and_then(|kind| TYPES.get(kind));
        all.push(Nested::Record(vec![
            kind.map_or(EventValue::Unset, |kind| EventValue::Enum(kind)).into(),
            words.into(),
            sources.into(),
            group.into(),
            Nested::List(list),
            data.into(),
        ]));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_reports() {
        let mut body = vec![0, 0, 0, 2, 4, 0, 0, 1, 224, 0, 0, 9, 10, 0, 0, 1];
        body.extend([1, 1, 0, 0, 224, 0, 0, 8, 1, 2, 3, 4]);
        assert_eq!(groups(&body).map(|all| all.len()), Some(2));
        assert_eq!(groups(&body[..20]).map(|all| all.len()), None);
    }
}
