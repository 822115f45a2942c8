//! Zeek's radius log: a row for each answer that lets somebody in or does not, with what was said before it, and for
//! what has none when the connection is over.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::ControlFlow;

use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs};
use weir_applayer::{ZeekSink, zeek_stream};
use weir_base::{Duration, EventValue, Reader, Timestamp, hex};

use super::{Message, attribute, kind};

zeek_stream! {
    static STREAM: "radius" of a connection;
    /// A row as it is written.
    struct Columns {
        username: Text,
        mac: Text,
        framed_addr: Addr,
        tunnel_client: Text,
        connect_info: Text,
        reply_msg: Text,
        result: Text,
        ttl: Interval,
    }
}

/// RADIUS in Zeek's logs.
pub const DATAGRAMS: DatagramLogs = DatagramLogs {
    name: "radius",
    streams: &[&STREAM],
    ports: &[1812],
    fits: |payload| Message::read(payload).is_some(),
    open: || Box::<RadiusLogger>::default(),
};

/// Columns of the next row.
#[derive(Debug)]
struct Row {
    time: Timestamp,
    user: Option<Vec<u8>>,
    station: Option<Vec<u8>>,
    address: Option<Ipv4Addr>,
    tunnel: Option<Vec<u8>>,
    connection: Option<Vec<u8>>,
    reply: Option<Vec<u8>>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct RadiusLogger {
    row: Option<Box<Row>>,
}

impl DatagramLogger for RadiusLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { payload, time, .. } = datagram;
        let Some(message) = Message::read(payload) else {
            sink.violation(time, "no message of RADIUS", None);
            return ControlFlow::Break(());
        };
        sink.service(DATAGRAMS.name);
        if sink.handles(MESSAGE_EVENT) || sink.handles(ATTRIBUTE_EVENT) {
            // What does not fit its format has no event.
            let _ = raise(payload, sink);
        }
        let row = self.row.get_or_insert_with(|| Box::new(Row::new(time)));
        row.add(message);
        let result = match message.kind {
            kind::ACCEPT => "success",
            kind::REJECT => "failed",
            _ => return ControlFlow::Continue(()),
        };
        let since = time.since(row.time);
        let passed = Some(since).filter(|since| !since.is_zero());
        row.write(result, passed, sink);
        self.row = None;
        ControlFlow::Continue(())
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(row) = self.row.take() {
            row.write("unknown", None, sink);
        }
    }
}

/// Events of RADIUS for scripts.
const MESSAGE_EVENT: &str = "radius_message";
const ATTRIBUTE_EVENT: &str = "radius_attribute";

/// Raises the events of a message (RFC 2865 3).
fn raise(payload: &[u8], sink: &mut dyn ZeekSink) -> Option<()> {
    let mut reader = Reader::new(payload);
    let (code, number, length) = (reader.u8()?, reader.u8()?, usize::from(reader.u16()?));
    let authenticator = EventValue::String(reader.take(16)?);
    let mut rest = reader.sub(length.checked_sub(20)?.min(reader.len()))?;
    let mut all: Vec<(u8, EventValue<'_>)> = Vec::new();
    while let (Some(kind), Some(length)) = (rest.u8(), rest.u8()) {
        let Some(value) = length.checked_sub(2).and_then(|length| rest.take(length.into())) else { break };
        all.push((kind, EventValue::String(value)));
    }
    for (kind, value) in &all {
        sink.raise(ATTRIBUTE_EVENT, &[EventValue::Connection, (*kind).into(), *value]);
    }
    // Attributes of a kind are a list, which keeps their order.
    all.sort_by_key(|(kind, _)| *kind);
    let lists: Vec<(u8, Vec<EventValue<'_>>)> = all
        .chunk_by(|one, other| one.0 == other.0)
        .filter_map(|group| Some((group.first()?.0, group.iter().map(|(_, value)| *value).collect())))
        .collect();
    let table: Vec<EventValue<'_>> =
        lists.iter().flat_map(|(kind, values)| [(*kind).into(), EventValue::List(values)]).collect();
    let attributes = if table.is_empty() { EventValue::Unset } else { EventValue::Table(&table) };
    let fields = [code.into(), number.into(), authenticator, attributes];
    sink.raise(MESSAGE_EVENT, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

impl Row {
    fn new(time: Timestamp) -> Self {
        let (user, station, tunnel) = (None, None, None);
        Self { time, user, station, address: None, tunnel, connection: None, reply: None }
    }

    /// Adds a message, whose values do not replace earlier ones.
    fn add(&mut self, message: Message<'_>) {
        let text = |known: &mut Option<Vec<u8>>, number| {
            if known.is_none() {
                *known = message.attribute(number).map(<[u8]>::to_vec);
            }
        };
        match message.kind {
            kind::REQUEST => {
                text(&mut self.user, attribute::USER_NAME);
                text(&mut self.tunnel, attribute::TUNNEL_CLIENT);
                text(&mut self.connection, attribute::CONNECT_INFO);
                if self.station.is_none() {
                    self.station = message.attribute(attribute::CALLING_STATION).map(hardware_address);
                }
            }
            kind::CHALLENGE => {
                text(&mut self.reply, attribute::REPLY_MESSAGE);
                if self.address.is_none() {
                    let address = message.attribute(attribute::FRAMED_ADDRESS);
                    self.address = address.map(|value| {
                        Reader::new(value).array::<4>().map_or(Ipv4Addr::UNSPECIFIED, Ipv4Addr::from)
                    });
                }
            }
            _ => {}
        }
    }

    fn write(&self, result: &str, passed: Option<Duration>, sink: &mut dyn ZeekSink) {
        let row = Columns {
            username: self.user.as_deref().into(),
            mac: self.station.as_deref().into(),
            framed_addr: self.address.map(IpAddr::from).into(),
            tunnel_client: self.tunnel.as_deref().into(),
            connect_info: self.connection.as_deref().into(),
            reply_msg: self.reply.as_deref().into(),
            result: result.into(),
            ttl: passed.into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }
}

/// A hardware address of six or eight bytes, in whatever way it is written, with colons; other texts as they are.
fn hardware_address(text: &[u8]) -> Vec<u8> {
    let digits = text.iter().filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
    if !matches!(digits.len(), 12 | 16) {
        return text.to_vec();
    }
    let (pairs, _) = digits.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
    let mut out = Vec::new();
    hex::append_separated(&mut out, &bytes, b':');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_base::Direction;

    use super::super::HEAD;
    use super::*;
    use crate::testing::{DOWN, UP, logged};

    fn message(kind: u8, attributes: &[(u8, &[u8])]) -> Vec<u8> {
        let mut out = vec![9; HEAD];
        out[0] = kind;
        for (number, value) in attributes {
            out.extend([*number, value.len() as u8 + 2]);
            out.extend_from_slice(value);
        }
        out
    }

    #[test]
    fn rows() {
        let asks =
            || message(1, &[(1, b"user"), (31, b"00-0A-28-00-FA-42"), (66, b"10.0.0.9"), (77, b"VPN")]);
        let told = "username=user mac=00:0a:28:00:fa:42";
        let more = "tunnel_client=10.0.0.9 connect_info=VPN";
        type Case = (Vec<(Direction, Vec<u8>)>, Vec<String>);
        let cases: Vec<Case> = vec![
            (
                vec![(UP, asks()), (DOWN, message(2, &[])), (UP, asks()), (DOWN, message(3, &[]))],
                vec![
                    format!("radius 1: {told} {more} result=success ttl=1"),
                    format!("radius 3: {told} {more} result=failed ttl=1"),
                ],
            ),
            (
                vec![
                    (UP, asks()),
                    (DOWN, message(11, &[(8, &[172, 16, 3, 33]), (18, b"who?")])),
                    (UP, message(1, &[(1, b"other")])),
                    (DOWN, message(3, &[(18, b"no")])),
                ],
                vec![format!(
                    "radius 1: {told} framed_addr=172.16.3.33 {more} reply_msg=who? result=failed ttl=3"
                )],
            ),
            (
                vec![(UP, message(1, &[(31, b"+1 555 0100")])), (DOWN, message(11, &[(8, b"?")]))],
                vec!["radius 1: mac=+1 555 0100 framed_addr=0.0.0.0 result=unknown".into()],
            ),
            (vec![(DOWN, message(2, &[]))], vec!["radius 1: result=success".into()]),
            (
                vec![(UP, asks()), (DOWN, message(2, &[])[..19].to_vec()), (DOWN, message(2, &[]))],
                vec![
                    "violation no message of RADIUS".into(),
                    format!("radius 1: {told} {more} result=unknown"),
                ],
            ),
        ];
        for (datagrams, expected) in cases {
            let mut lines = logged(&DATAGRAMS, &datagrams).lines;
            assert_eq!(lines.remove(0), "service radius");
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn hardware_addresses() {
        for (text, expected) in [
            ("000A.2800.FA42", "00:0a:28:00:fa:42"),
            ("00 0a 28 00 fa 42 01 02", "00:0a:28:00:fa:42:01:02"),
            ("00-0a-28", "00-0a-28"),
            ("", ""),
        ] {
            assert_eq!(hardware_address(text.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn what_is_no_message() {
        let whole = message(1, &[(1, b"user")]);
        let (short, small) = (&whole[..19], [&whole[..20], &[1, 1]].concat());
        for bytes in [&whole[..25], short, b"", &small[..], &[&whole[..], &[0, 0]].concat()] {
            assert!(!(DATAGRAMS.fits)(bytes), "{bytes:02x?}");
        }
        assert!((DATAGRAMS.fits)(&whole) && (DATAGRAMS.fits)(&whole[..20]));
    }

    proptest! {
        #[test]
        fn any_bytes(pieces in prop::collection::vec((0u8..13, prop::collection::vec(any::<u8>(), 0..60)), 0..9)) {
            let datagrams = pieces.iter().map(|(kind, bytes)| (UP, [&message(*kind, &[])[..], bytes].concat()));
            let datagrams: Vec<_> = datagrams.collect();
            let rows = logged(&DATAGRAMS, &datagrams);
            prop_assert!(rows.of("radius").len() <= datagrams.len());
        }
    }
}
