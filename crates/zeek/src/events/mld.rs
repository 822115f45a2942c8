//! Events of multicast listeners of IPv6 (RFC 2710, RFC 3810).

use std::net::Ipv6Addr;

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};

use super::Own;
use crate::connection::Connection;
use crate::rows::Rows;

/// Most addresses of a message.
const MAX_ADDRESSES: usize = 4096;

/// Types of records, from 1 on (RFC 3810 5.2.12).
const TYPES: [&str; 6] = [
    "MLDV2_MODE_IS_INCLUDE",
    "MLDV2_MODE_IS_EXCLUDE",
    "MLDV2_CHANGE_TO_INCLUDE_MODE",
    "MLDV2_CHANGE_TO_EXCLUDE_MODE",
    "MLDV2_ALLOW_NEW_SOURCES",
    "MLDV2_BLOCK_OLD_SOURCES",
];

fn address<'a>(reader: &mut Reader<'_>) -> Option<EventValue<'a>> {
    Some(EventValue::Addr(Ipv6Addr::from(reader.array::<16>()?).into()))
}

/// Raises the event of a message of the first version, which is about one group.
pub(super) fn first(event: Own, connection: &Connection, body: &[u8], rows: &mut Rows<'_>) {
    if let Some(group) = address(&mut Reader::new(body)) {
        rows.raise(event, Some(connection), &[EventValue::Connection, group]);
    }
}

/// Raises the event of a report of the second version, with so many records.
pub(super) fn second(connection: &Connection, count: u16, body: &[u8], rows: &mut Rows<'_>) {
    if !rows.handles(Own::MldReportV2) {
        return;
    }
    let Some(records) = records(count, body) else { return };
    let records = Nested::List(records);
    let arguments = [EventValue::Connection, EventValue::Nested(&records)];
    rows.raise(Own::MldReportV2, Some(connection), &arguments);
}

fn records(count: u16, body: &[u8]) -> Option<Vec<Nested<'_>>> {
    let mut reader = Reader::new(body);
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
        let length = usize::from(words) * 4;
        let data = reader.take(length)?;
        let kind = usize::from(kind).checked_sub(1).and_then(|kind| TYPES.get(kind));
        all.push(Nested::Record(vec![
            kind.map_or(EventValue::Unset, |kind| EventValue::Enum(kind)).into(),
            length.into(),
            sources.into(),
            group.into(),
            Nested::List(list),
            EventValue::bytes(Some(data).filter(|data| !data.is_empty())).into(),
        ]));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_sources_and_data() {
        let record = |sources: u8, words: u8| {
            let mut bytes = vec![4, words, 0, sources];
            bytes.extend(vec![9; 16 * (usize::from(sources) + 1) + 4 * usize::from(words)]);
            bytes
        };
        let both = [record(2, 0), record(0, 1)].concat();
        assert_eq!(records(2, &both).map(|all| all.len()), Some(2));
        assert_eq!(records(3, &both).map(|all| all.len()), None);
        assert_eq!(records(1, &both[..40]).map(|all| all.len()), None);
    }
}
