//! Events of the records that sign zones and messages (RFC 4034, RFC 5155, RFC 2930, RFC 8945), and of locations
//! (RFC 1876), from their data as sent.

use weir_applayer::zeek::EventSink;
use weir_base::{EventValue, Reader};

use super::events::{BINDS, DNSKEY, DS, LOC, NSEC, NSEC3, NSEC3PARAM, RRSIG, TKEY, TSIG};
use super::rdata::types;

/// The type by which a server notes how far it has signed a zone.
const BINDS_TYPE: u16 = 65534;

/// What events of records say beside their data.
pub(super) struct Told<'a> {
    /// The header of the message.
    pub about: EventValue<'a>,
    /// The fields of `dns_answer`: the section and the name of the record first.
    pub answer: &'a [EventValue<'a>; 5],
    /// The originator sent it.
    pub is_orig: bool,
}

/// Returns the event of a type of records, where it has one here.
pub(super) const fn event_of(rrtype: u16) -> Option<usize> {
    Some(match rrtype {
        types::RRSIG => RRSIG,
        types::DNSKEY => DNSKEY,
        types::DS => DS,
        types::NSEC => NSEC,
        types::NSEC3 => NSEC3,
        types::NSEC3PARAM => NSEC3PARAM,
        types::LOC => LOC,
        types::TKEY => TKEY,
        types::TSIG => TSIG,
        BINDS_TYPE => BINDS,
        _ => return None,
    })
}

/// Raises the event of a record with this data; `name` is the one in it, where it was read. None where the data does
/// not fit the type.
pub(super) fn raise(
    event: usize,
    wire: &[u8],
    name: Option<&[u8]>,
    told: &Told<'_>,
    sink: &mut dyn EventSink,
) -> Option<()> {
    let mut reader = Reader::new(wire);
    match event {
        RRSIG => {
            let (covered, algorithm, labels) = (reader.u16()?, reader.u8()?, reader.u8()?);
            let (ttl, expiration, inception, tag) =
                (reader.u32()?, reader.u32()?, reader.u32()?, reader.u16()?);
            let signer = skip_name(&mut reader)?;
            let signer = name.map_or(signer, <[u8]>::to_ascii_lowercase);
            told.record(
                event,
                &[
                    covered.into(),
                    algorithm.into(),
                    labels.into(),
                    EventValue::Interval(ttl.into()),
                    EventValue::Moment(expiration.into()),
                    EventValue::Moment(inception.into()),
                    tag.into(),
                    EventValue::String(&signer),
                    EventValue::String(reader.rest()),
                ],
                sink,
            );
        }
        DNSKEY => {
            let (flags, protocol, algorithm) = (reader.u16()?, reader.u8()?, reader.u8()?);
            let key = EventValue::String(reader.rest());
            told.record(event, &[flags.into(), protocol.into(), algorithm.into(), key], sink);
        }
        DS => {
            let (tag, algorithm, kind) = (reader.u16()?, reader.u8()?, reader.u8()?);
            let digest = EventValue::String(reader.rest());
            told.record(event, &[tag.into(), algorithm.into(), kind.into(), digest], sink);
        }
        NSEC => {
            let next = skip_name(&mut reader)?;
            let next = name.map_or(next, <[u8]>::to_ascii_lowercase);
            let bitmaps = bitmaps(&mut reader);
            told.raise(event, &[EventValue::String(&next), EventValue::List(&bitmaps)], sink);
        }
        NSEC3 | NSEC3PARAM => hashed(event, reader, told, sink)?,
        LOC => {
            let version = reader.u8()?;
            let [size, horizontal, vertical] = reader.array::<3>()?;
            let places = [reader.u32()?, reader.u32()?, reader.u32()?].map(EventValue::from);
            let [latitude, longitude, altitude] = places;
            let fields = [version, size, horizontal, vertical].map(EventValue::from);
            let [version, size, horizontal, vertical] = fields;
            let fields = [version, size, horizontal, vertical, latitude, longitude, altitude];
            told.record(event, &fields, sink);
        }
        BINDS => {
            let (algorithm, key, removed, complete) =
                (reader.u8()?, reader.u16()?, reader.u8()?, reader.u8()?);
            told.record(event, &[algorithm.into(), key.into(), removed.into(), complete.into()], sink);
        }
        TKEY | TSIG => transaction_key(event, reader, told, sink)?,
        _ => {}
    }
    Some(())
}

/// RFC 5155 3.2 and 4.2.
fn hashed(event: usize, mut reader: Reader<'_>, told: &Told<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let (algorithm, flags, iterations) = (reader.u8()?, reader.u8()?, reader.u16()?);
    let salt_length = reader.u8()?;
    let salt = reader.take(salt_length.into())?;
    let mut fields =
        vec![flags.into(), algorithm.into(), iterations.into(), salt_length.into(), EventValue::String(salt)];
    if event == NSEC3PARAM {
        told.record(event, &fields, sink);
        return Some(());
    }
    let length = reader.u8()?;
    let hash = reader.take(length.into())?;
    let bitmaps = bitmaps(&mut reader);
    fields.extend([length.into(), EventValue::String(hash), EventValue::List(&bitmaps)]);
    told.record(event, &fields, sink);
    Some(())
}

/// RFC 2930 2 and RFC 8945 4.2.
fn transaction_key(
    event: usize,
    mut reader: Reader<'_>,
    told: &Told<'_>,
    sink: &mut dyn EventSink,
) -> Option<()> {
    let algorithm = skip_name(&mut reader)?;
    let [section, query, ..] = *told.answer;
    let mut fields = vec![query, section, EventValue::String(&algorithm)];
    if event == TKEY {
        let (inception, expiration) = (reader.u32()?, reader.u32()?);
        let (mode, error, length) = (reader.u16()?, reader.u16()?, reader.u16()?);
        let key = reader.take(length.into())?;
        fields.extend([
            EventValue::Moment(inception.into()),
            EventValue::Moment(expiration.into()),
            mode.into(),
            error.into(),
            EventValue::String(key),
        ]);
    } else {
        let (high, low, fudge, length) = (reader.u16()?, reader.u32()?, reader.u16()?, reader.u16()?);
        let signature = reader.take(length.into())?;
        let (id, error) = (reader.u16()?, reader.u16()?);
        let signed = (u64::from(high) << 32 | u64::from(low)) as f64;
        fields.extend([
            EventValue::String(signature),
            EventValue::Moment(signed),
            EventValue::Moment(fudge.into()),
            id.into(),
            error.into(),
        ]);
    }
    fields.push(u64::from(told.is_orig).into());
    sink.raise(event, &[EventValue::Connection, told.about, EventValue::Record(&fields)]);
    Some(())
}

impl Told<'_> {
    /// Raises an event with values behind the answer.
    fn raise(&self, event: usize, more: &[EventValue<'_>], sink: &mut dyn EventSink) {
        let mut arguments = vec![EventValue::Connection, self.about, EventValue::Record(self.answer)];
        arguments.extend_from_slice(more);
        sink.raise(event, &arguments);
    }

    /// Raises an event whose values are a record: the name and the section stand before these fields.
    fn record(&self, event: usize, fields: &[EventValue<'_>], sink: &mut dyn EventSink) {
        let [section, query, ..] = *self.answer;
        let mut all = vec![query, section];
        all.extend_from_slice(fields);
        all.push(u64::from(self.is_orig).into());
        self.raise(event, &[EventValue::Record(&all)], sink);
    }
}

/// A name that is not compressed.
fn skip_name(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    loop {
        let length = reader.u8().filter(|length| *length < 64)?;
        if length == 0 {
            return Some(name);
        }
        if !name.is_empty() {
            name.push(b'.');
        }
        name.extend_from_slice(&reader.take(length.into())?.to_ascii_lowercase());
    }
}

/// The bits of each window of types.
fn bitmaps<'a>(reader: &mut Reader<'a>) -> Vec<EventValue<'a>> {
    let mut bitmaps = Vec::new();
    while let Some(bits) = reader.u8().and_then(|_| reader.u8()).and_then(|length| reader.take(length.into()))
    {
        bitmaps.push(EventValue::String(bits));
    }
    bitmaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bitmaps() {
        let name = |bytes| skip_name(&mut Reader::new(bytes));
        assert_eq!(name(b"\x01A\x02bc\0").as_deref(), Some(&b"a.bc"[..]));
        assert_eq!(name(b"\0").as_deref(), Some(&b""[..]));
        assert_eq!(name(b"\xc0\x0c"), None);
        assert_eq!(name(b"\x05ab"), None);
        let count = |bytes| bitmaps(&mut Reader::new(bytes)).len();
        assert_eq!((count(&[0, 1, 7, 1, 2, 0, 1]), count(&[0, 3, 1]), count(&[])), (2, 0, 0));
    }
}
