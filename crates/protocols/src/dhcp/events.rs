//! The event of DHCP for scripts: each message with its options.

use std::net::{IpAddr, Ipv4Addr};

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::event::transport;
use weir_base::{Direction, EventValue, Reader, hex};

use super::message::{Message, addresses, code};
use super::transaction::DhcpTransaction;

event_names! {
    /// Their names.
    const NAMES;
    MESSAGE = "dhcp_message",
    AGGREGATED = "DHCP::aggregate_msgs",
}

/// The event.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/dhcp/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(DhcpRaiser),
};

/// Forms of options.
#[derive(Clone, Copy)]
enum Form {
    Address,
    Addresses,
    Text,
    /// Text without the zeros behind it.
    Trimmed,
    Flag,
    Number16,
    Seconds,
    Offset,
    Numbers,
    ClientId,
    ClientName,
    Parts,
}

/// The options of Zeek's record behind the list of all, in its order (RFC 2132, RFC 3004, RFC 4702, RFC 3046).
const OPTIONS: [(u8, Form); 28] = [
    (code::SUBNET_MASK, Form::Address),
    (code::ROUTERS, Form::Addresses),
    (code::DNS_SERVERS, Form::Addresses),
    (code::HOST_NAME, Form::Trimmed),
    (code::DOMAIN_NAME, Form::Trimmed),
    (19, Form::Flag),
    (28, Form::Address),
    (43, Form::Text),
    (44, Form::Addresses),
    (code::REQUESTED_ADDRESS, Form::Address),
    (code::LEASE_TIME, Form::Seconds),
    (54, Form::Address),
    (code::PARAMETERS, Form::Numbers),
    (code::TEXT, Form::Text),
    (57, Form::Number16),
    (code::RENEWAL_TIME, Form::Seconds),
    (code::REBINDING_TIME, Form::Seconds),
    (code::VENDOR_CLASS, Form::Text),
    (code::CLIENT_ID, Form::ClientId),
    (77, Form::Text),
    (code::CLIENT_NAME, Form::ClientName),
    (82, Form::Parts),
    (116, Form::Flag),
    (252, Form::Trimmed),
    (2, Form::Offset),
    (4, Form::Addresses),
    (5, Form::Addresses),
    (42, Form::Addresses),
];

/// Bytes of the fields before the hardware address, of that, and of the two names behind it (RFC 2131 2).
const HEAD: usize = 28;
const HARDWARE: usize = 16;
const SERVER_NAME: usize = 64;
const FILE_NAME: usize = 128;

/// The flag of a client's name in the form of DNS (RFC 4702 2.1).
const ENCODED: u8 = 4;

#[derive(Debug)]
struct DhcpRaiser;

impl EventRaiser for DhcpRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<DhcpTransaction>().filter(|_| news.complete) else { return };
        if sink.wants(MESSAGE) || sink.wants(AGGREGATED) {
            raise(&tx.message, tx.meta.only == Some(Direction::ToServer), sink);
        }
    }
}

/// The value of an option in a form that has parts.
struct Held {
    list: Vec<EventValue<'static>>,
    text: Vec<u8>,
}

fn raise(message: &Message, is_orig: bool, sink: &mut dyn EventSink) {
    let mut reader = Reader::new(message.text());
    // The times and flags stand behind the first eight bytes.
    let (seconds, flags) = match (reader.skip(8), reader.u16(), reader.u16()) {
        (Some(()), Some(seconds), Some(flags)) => (seconds, flags),
        _ => (0, 0),
    };
    let mut hardware = Vec::new();
    hex::append_separated(&mut hardware, message.hardware(), b':');
    let names = message.text().get(HEAD + HARDWARE..).unwrap_or_default();
    let server = until_zero(names.get(..SERVER_NAME).unwrap_or_default());
    let file = until_zero(names.get(SERVER_NAME..SERVER_NAME + FILE_NAME).unwrap_or_default());
    let address = |address: Ipv4Addr| EventValue::Addr(IpAddr::V4(address));
    let head = [
        message.operation.into(),
        message.kind().unwrap_or(0).into(),
        message.exchange.into(),
        EventValue::Interval(seconds.into()),
        flags.into(),
        address(message.client),
        address(message.assigned),
        address(message.next_server),
        address(message.relay),
        EventValue::String(&hardware),
        EventValue::String(server),
        EventValue::String(file),
    ];
    let codes: Vec<EventValue<'_>> = message.options.iter().map(|option| option.code.into()).collect();
    let held: Vec<Option<Held>> = OPTIONS
        .iter()
        .map(|(code, form)| message.option(*code).and_then(|value| Held::of(*form, value)))
        .collect();
    let parts: Vec<[EventValue<'_>; 2]> =
        message.option(code::RELAY_AGENT).map(sub_options).unwrap_or_default();
    let parts: Vec<EventValue<'_>> = parts.iter().map(|pair| EventValue::Record(pair)).collect();
    let id = message.option(code::CLIENT_ID).and_then(|value| value.split_first());
    let id =
        held.iter().zip(OPTIONS).find(|(_, (code, _))| *code == code::CLIENT_ID).and_then(|(held, _)| {
            let text = EventValue::String(&held.as_ref()?.text);
            Some([EventValue::from(*id?.0), text])
        });
    let name = message.option(code::CLIENT_NAME).and_then(|value| value.first_chunk::<3>());
    let name =
        held.iter().zip(OPTIONS).find(|(_, (code, _))| *code == code::CLIENT_NAME).and_then(|(held, _)| {
            let [flags, first, second] = name?.map(EventValue::from);
            Some([flags, first, second, EventValue::String(&held.as_ref()?.text)])
        });
    let mut fields = vec![EventValue::List(&codes)];
    for ((code, form), held) in OPTIONS.iter().zip(&held) {
        fields.push(match (form, held) {
            (Form::ClientId, _) => id.as_ref().map_or(EventValue::Unset, |id| EventValue::Record(id)),
            (Form::ClientName, _) => name.as_ref().map_or(EventValue::Unset, |name| EventValue::Record(name)),
            (Form::Parts, Some(_)) => EventValue::List(&parts),
            (form, Some(held)) => held.value(*form, message.option(*code).unwrap_or_default()),
            (_, None) => EventValue::Unset,
        });
    }
    let is_orig = EventValue::Bool(is_orig);
    let records = [EventValue::Record(&head), EventValue::Record(&fields)];
    let [head, options] = records;
    sink.raise(MESSAGE, &[EventValue::Connection, is_orig, head, options]);
    if sink.wants(AGGREGATED) {
        aggregated([is_orig, head, options], sink);
    }
}

/// Raises the event by which Zeek's script puts the messages of an exchange together.
fn aggregated(message: [EventValue<'_>; 3], sink: &mut dyn EventSink) {
    let now = EventValue::Time(sink.now());
    let connection = sink.connection();
    let (ends, uid) = (connection.endpoints, connection.uid.to_vec());
    let id = [
        EventValue::Addr(ends.client),
        EventValue::Port(ends.client_port, transport::UDP),
        EventValue::Addr(ends.server),
        EventValue::Port(ends.server_port, transport::UDP),
        EventValue::count(transport::protocol(transport::UDP)),
        EventValue::Record(&[]),
    ];
    let [is_orig, head, options] = message;
    let arguments = [now, EventValue::Record(&id), EventValue::String(&uid), is_orig, head, options];
    sink.raise(AGGREGATED, &arguments);
}

impl Held {
    /// The value of a form that has no parts.
    fn value(&self, form: Form, value: &[u8]) -> EventValue<'_> {
        let number = Reader::new(value).u32();
        match form {
            Form::Addresses | Form::Numbers => EventValue::List(&self.list),
            Form::Address => self.list.first().copied().unwrap_or(EventValue::Unset),
            Form::Flag => EventValue::Bool(value.first().is_some_and(|byte| *byte != 0)),
            Form::Number16 => EventValue::count(Reader::new(value).u16()),
            Form::Seconds => number.map_or(EventValue::Unset, |number| EventValue::Interval(number.into())),
            Form::Offset => {
                number.map_or(EventValue::Unset, |number| EventValue::Int((number as i32).into()))
            }
            Form::Text | Form::Trimmed | Form::ClientId | Form::ClientName | Form::Parts => {
                EventValue::String(&self.text)
            }
        }
    }

    fn of(form: Form, value: &[u8]) -> Option<Self> {
        let mut held = Self { list: Vec::new(), text: Vec::new() };
        match form {
            Form::Address | Form::Addresses => {
                held.list = addresses(value).map(|address| EventValue::Addr(IpAddr::V4(address))).collect();
            }
            Form::Numbers => held.list = value.iter().map(|byte| EventValue::from(*byte)).collect(),
            Form::Text => held.text = value.to_vec(),
            Form::Trimmed => {
                let end = value.iter().rposition(|byte| *byte != 0).map_or(0, |place| place + 1);
                held.text = value.get(..end).unwrap_or_default().to_vec();
            }
            Form::ClientId => match value.split_first()? {
                (0, name) => held.text = name.to_vec(),
                (_, hardware) => hex::append_separated(&mut held.text, hardware, b':'),
            },
            Form::ClientName => {
                let (head, name) = value.split_first_chunk::<3>()?;
                held.text = if head.first().is_some_and(|flags| flags & ENCODED != 0) {
                    labels(name)
                } else {
                    name.to_vec()
                };
            }
            _ => {}
        }
        Some(held)
    }
}

/// The labels of a name, with dots between them.
fn labels(name: &[u8]) -> Vec<u8> {
    let mut reader = Reader::new(name);
    let mut text = Vec::new();
    while let Some(label) =
        reader.u8().filter(|length| *length > 0).and_then(|length| reader.take(length.into()))
    {
        if !text.is_empty() {
            text.push(b'.');
        }
        text.extend_from_slice(label);
    }
    text
}

/// The words of a relay (RFC 3046 2.0).
fn sub_options(value: &[u8]) -> Vec<[EventValue<'_>; 2]> {
    let mut reader = Reader::new(value);
    let mut parts = Vec::new();
    while let (Some(code), Some(length)) = (reader.u8(), reader.u8()) {
        let Some(content) = reader.take(length.into()) else { break };
        parts.push([code.into(), EventValue::String(content)]);
    }
    parts
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_options() {
        let text = |form, value: &[u8]| Held::of(form, value).map(|held| held.text);
        assert_eq!(text(Form::Trimmed, b"a\0b\0\0").as_deref(), Some(&b"a\0b"[..]));
        assert_eq!(text(Form::ClientId, b"\x01\x0a\x0b").as_deref(), Some(&b"0a:0b"[..]));
        assert_eq!(text(Form::ClientId, b"\0name").as_deref(), Some(&b"name"[..]));
        assert_eq!(text(Form::ClientName, b"\x04\0\0\x01a\x02bc\0").as_deref(), Some(&b"a.bc"[..]));
        assert_eq!(text(Form::ClientName, b"\0\0"), None);
        assert_eq!(sub_options(b"\x01\x02ab\x02\x05a").len(), 1);
        assert_eq!(until_zero(b"ab\0c"), b"ab");
    }
}
