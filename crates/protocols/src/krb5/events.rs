//! Events of Kerberos for scripts: requests, answers and errors, from their bytes.

use std::net::IpAddr;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_applayer::{HeardMessage, event_names};
use weir_base::{Direction, EventValue, Reader};

use super::message::{BIT_STRING, Parts, TICKET, kind, kind_of, time};
use super::transaction::Krb5Transaction;
use crate::ber::{self, tag};

event_names! {
    /// Their names.
    const NAMES;
    AS_REQUEST = "krb_as_request",
    AS_RESPONSE = "krb_as_response",
    TGS_REQUEST = "krb_tgs_request",
    TGS_RESPONSE = "krb_tgs_response",
    ERROR = "krb_error",
    AP_REQUEST = "krb_ap_request",
    AP_RESPONSE = "krb_ap_response",
    SAFE = "krb_safe",
    PRIVATE = "krb_priv",
    CREDENTIALS = "krb_cred",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/krb/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(KerberosRaiser),
};

/// Types of data before authentication (RFC 4120 7.5.2, RFC 4556 3.1.3).
mod before {
    pub(super) const TICKET: i64 = 1;
    pub(super) const TIMESTAMP: i64 = 2;
    pub(super) const SALT: i64 = 3;
    pub(super) const ENCRYPTION: i64 = 11;
    pub(super) const CERTIFICATE_OF_CLIENT: i64 = 16;
    pub(super) const CERTIFICATE_OF_SERVER: i64 = 17;
    pub(super) const ENCRYPTION_2: i64 = 19;
}

/// The error that says what a client may send before (RFC 4120 7.5.9).
const PREAUTHENTICATION_REQUIRED: i64 = 25;

/// Bits of a request's options (RFC 4120 5.4.1), in the order of Zeek's record.
const OPTIONS: [usize; 13] = [1, 2, 3, 4, 5, 6, 8, 11, 26, 27, 28, 30, 31];

/// Types of addresses (RFC 4120 7.5.3).
const IPV4: i64 = 2;
const NETBIOS: i64 = 20;
const IPV6: i64 = 24;

/// Most elements of a list that events show.
const MAX_LISTED: usize = 256;

#[derive(Debug)]
struct KerberosRaiser;

impl EventRaiser for KerberosRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Krb5Transaction>() else { return };
        for heard in tx.meta.heard.take() {
            // What does not fit its format has no event.
            let _ = message(&heard.bytes, sink);
        }
    }

    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for heard in messages {
            // What does not fit its format has no event.
            let _ = other(&heard, sink);
        }
    }
}

/// Tells of a message between a client and an application.
fn other(heard: &HeardMessage, sink: &mut dyn EventSink) -> Option<()> {
    let (c, is_orig) = (EventValue::Connection, (heard.direction == Direction::ToServer).into());
    let (_, content) = ber::element(&mut Reader::new(&heard.bytes))?;
    match heard.kind {
        kind::AP_REQ => {
            return ticket_shown(&heard.bytes, false, &mut |arguments| sink.raise(AP_REQUEST, arguments));
        }
        kind::AP_REP => sink.raise(AP_RESPONSE, &[c]),
        kind::SAFE => return safe(content, is_orig, sink),
        kind::PRIV => sink.raise(PRIVATE, &[c, is_orig]),
        kind::CRED => {
            let tickets = elements(Parts::of(content)?.part(2)?);
            let tickets: Vec<Ticket<'_>> = tickets.map_while(ticket).collect();
            let fields: Vec<_> = tickets.iter().map(Ticket::fields).collect();
            sink.raise(CREDENTIALS, &[c, is_orig, EventValue::List(&records(&fields))]);
        }
        _ => {}
    }
    Some(())
}

/// RFC 4120 5.6.1.
fn safe(content: &[u8], is_orig: EventValue<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let mut parts = Parts::of(content)?;
    let (version, number) = (parts.integer(0)?, parts.integer(1)?);
    let mut body = Parts::of(parts.part(2)?)?;
    let data = body.part(0).and_then(string)?;
    let seconds = body.part(1).and_then(time);
    let micros = body.integer(2).filter(|micros| (0..1_000_000).contains(micros)).unwrap_or(0);
    let sequence = body.integer(3);
    let [sender, recipient] = [4, 5].map(|part| body.part(part).and_then(host));
    let [sender, recipient] = [&sender, &recipient].map(|host| host.as_ref().map(Host::fields));
    let moment = seconds.map(|at| EventValue::Moment(at.seconds() as f64 + micros as f64 / 1e6));
    let fields = [
        count(version),
        count(number),
        EventValue::String(data),
        moment.unwrap_or(EventValue::Unset),
        sequence.map_or(EventValue::Unset, count),
        sender.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
        recipient.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
    ];
    sink.raise(SAFE, &[EventValue::Connection, is_orig, EventValue::Record(&fields)]);
    Some(())
}

fn message(bytes: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let (tag, content) = ber::element(&mut Reader::new(bytes))?;
    let mut parts = Parts::of(content)?;
    match kind_of(tag)? {
        kind::AS_REQ => request(AS_REQUEST, &mut parts, sink),
        kind::TGS_REQ => request(TGS_REQUEST, &mut parts, sink),
        kind::AS_REP => response(AS_RESPONSE, &mut parts, sink),
        kind::TGS_REP => response(TGS_RESPONSE, &mut parts, sink),
        kind::ERROR => error(&mut parts, sink),
        _ => None,
    }
}

/// RFC 4120 5.4.1.
fn request(event: usize, parts: &mut Parts<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let (version, number) = (parts.integer(1)?, parts.integer(2)?);
    let hints = parts.part(3);
    if let Some(hints) = hints {
        tickets_shown(hints, sink);
    }
    let hints = hints.map(|hints| shown_before(hints, false));
    let mut body = Parts::of(parts.part(4)?)?;
    let options = body.part(0).and_then(|part| ber::tagged(&mut Reader::new(part), BIT_STRING));
    let options = options.map(|bits| OPTIONS.map(|bit| EventValue::Bool(has_bit(bits, bit))));
    let client = body.part(1).and_then(principal);
    let realm = body.part(2).and_then(string);
    let service = body.part(3).and_then(principal);
    let [from, till, renewed] = [4, 5, 6].map(|part| body.part(part).map_or(EventValue::Unset, moment));
    // Zeek reads numbers without a sign.
    let nonce = body.part(7).and_then(string);
    let nonce = nonce.map(|bytes| bytes.iter().fold(0, |value: u64, byte| value << 8 | u64::from(*byte)));
    let nonce = EventValue::count(nonce);
    let ciphers = body.part(8).map(ciphers);
    let hosts = body.part(9).map(addresses);
    let hosts = hosts.as_ref().map(|hosts| hosts.iter().map(Host::fields).collect::<Vec<_>>());
    let tickets: Option<Vec<Ticket<'_>>> =
        body.part(11).map(|list| elements(list).map_while(ticket).collect());
    let tickets = tickets.as_ref().map(|all| all.iter().map(|found| found.fields()).collect::<Vec<_>>());
    let before = hints.as_ref().map(|pairs| records(pairs));
    let (hosts, tickets) = (hosts.as_ref().map(|all| records(all)), tickets.as_ref().map(|all| records(all)));
    let fields = [
        count(version),
        count(number),
        list(before.as_deref()),
        options.as_ref().map_or(EventValue::Unset, |bits| EventValue::Record(bits)),
        EventValue::bytes(client.as_deref()),
        EventValue::bytes(realm),
        EventValue::bytes(service.as_deref()),
        from,
        till,
        renewed,
        nonce,
        list(ciphers.as_deref().filter(|ciphers| !ciphers.is_empty())),
        list(hosts.as_deref().filter(|hosts| !hosts.is_empty())),
        list(tickets.as_deref().filter(|tickets| !tickets.is_empty())),
    ];
    sink.raise(event, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// RFC 4120 5.4.2.
fn response(event: usize, parts: &mut Parts<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let (version, number) = (parts.integer(0)?, parts.integer(1)?);
    let hints = parts.part(2).map(|hints| shown_before(hints, false));
    let before = hints.as_ref().map(|pairs| records(pairs));
    let realm = parts.part(3).and_then(string);
    let client = parts.part(4).and_then(principal)?;
    let ticket = ticket(parts.part(5)?)?;
    let ticket = ticket.fields();
    let encrypted = Encrypted::of(parts.part(6)?)?.fields();
    let fields = [
        count(version),
        count(number),
        list(before.as_deref()),
        EventValue::bytes(realm),
        EventValue::String(&client),
        EventValue::Record(&ticket),
        EventValue::Record(&encrypted),
    ];
    sink.raise(event, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// RFC 4120 5.9.1.
fn error(parts: &mut Parts<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let (version, number) = (parts.integer(0)?, parts.integer(1)?);
    let mut time_of = |seconds: u8| {
        let part = parts.part(seconds).and_then(time);
        let micros = parts.integer(seconds + 1).filter(|micros| (0..1_000_000).contains(micros)).unwrap_or(0);
        part.map_or(EventValue::Unset, |at| EventValue::Moment(at.seconds() as f64 + micros as f64 / 1e6))
    };
    let (client_time, server_time) = (time_of(2), time_of(4));
    let code = parts.integer(6)?;
    let client_realm = parts.part(7).and_then(string);
    let client = parts.part(8).and_then(principal);
    let realm = parts.part(9).and_then(string);
    let service = parts.part(10).and_then(principal);
    let text = parts.part(11).and_then(string);
    let hints = parts.part(12).filter(|_| code == PREAUTHENTICATION_REQUIRED).and_then(string);
    let hints = hints.map(|hints| shown_before(hints, true));
    let before = hints.as_ref().map(|pairs| records(pairs));
    let fields = [
        count(version),
        count(number),
        client_time,
        server_time,
        count(code),
        EventValue::bytes(client_realm),
        EventValue::bytes(client.as_deref()),
        EventValue::bytes(realm),
        EventValue::bytes(service.as_deref()),
        EventValue::bytes(text),
        list(before.as_deref()),
    ];
    sink.raise(ERROR, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// Tickets that a request shows before it asks (RFC 4120 5.5.1).
fn tickets_shown(hints: &[u8], sink: &mut dyn EventSink) {
    for (kind, value) in before_pairs(hints) {
        if kind == before::TICKET {
            // What does not fit its format has no event.
            let _ = ticket_shown(value, true, &mut |arguments| sink.raise(AP_REQUEST, arguments));
        }
    }
}

/// Tells of the ticket that a client shows in a request to an application (RFC 4120 5.5.1), to the authority that gives
/// tickets or elsewhere: the arguments of its event.
pub(crate) fn ticket_shown(
    request: &[u8],
    in_request: bool,
    raise: &mut dyn FnMut(&[EventValue<'_>]),
) -> Option<()> {
    let (tag, content) = ber::element(&mut Reader::new(request))?;
    let mut parts = Parts::of(content).filter(|_| kind_of(tag) == Some(kind::AP_REQ))?;
    let options = ber::tagged(&mut Reader::new(parts.part(2)?), BIT_STRING)?;
    let options = [1, 2].map(|bit| EventValue::Bool(has_bit(options, bit)));
    let ticket = ticket(parts.part(3)?)?;
    let fields = ticket.fields();
    let [ticket, options] = [EventValue::Record(&fields), EventValue::Record(&options)];
    raise(&[EventValue::Connection, ticket, options, in_request.into()]);
    Some(())
}

/// The types and values that stand before authentication.
fn before_pairs(hints: &[u8]) -> impl Iterator<Item = (i64, &[u8])> {
    elements(hints).map_while(|pair| {
        let mut parts = Parts::within(pair);
        Some((parts.integer(1)?, parts.part(2).and_then(string)?))
    })
}

/// Those that scripts are shown; errors only name types.
fn shown_before(hints: &[u8], is_error: bool) -> Vec<[EventValue<'_>; 2]> {
    let shown = before_pairs(hints).filter_map(|(kind, value)| {
        let value = match kind {
            before::TICKET => return None,
            before::CERTIFICATE_OF_CLIENT | before::CERTIFICATE_OF_SERVER => return None,
            before::TIMESTAMP if is_error => return None,
            before::TIMESTAMP => Encrypted::of(value)?.text,
            before::SALT => value,
            before::ENCRYPTION | before::ENCRYPTION_2 => {
                let first = elements(value).next()?;
                Parts::within(first).part(1).and_then(string)?
            }
            _ if is_error => return None,
            _ => value,
        };
        Some([count(kind), EventValue::String(value)]).filter(|_| !value.is_empty())
    });
    shown.collect()
}

/// What is encrypted (RFC 4120 5.2.9).
struct Encrypted<'a> {
    cipher: i64,
    key: Option<i64>,
    text: &'a [u8],
}

impl<'a> Encrypted<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut parts = Parts::of(bytes)?;
        let (cipher, key) = (parts.integer(0)?, parts.integer(1));
        Some(Self { cipher, key, text: string(parts.part(2)?)? })
    }

    fn fields(&self) -> [EventValue<'a>; 3] {
        [self.key.map_or(EventValue::Unset, count), count(self.cipher), EventValue::String(self.text)]
    }
}

/// RFC 4120 5.3.
struct Ticket<'a> {
    version: i64,
    realm: &'a [u8],
    service: Vec<u8>,
    encrypted: Encrypted<'a>,
}

fn ticket(bytes: &[u8]) -> Option<Ticket<'_>> {
    let mut parts = Parts::of(ber::tagged(&mut Reader::new(bytes), TICKET)?)?;
    Some(Ticket {
        version: parts.integer(0)?,
        realm: parts.part(1).and_then(string)?,
        service: parts.part(2).and_then(principal)?,
        encrypted: Encrypted::of(parts.part(3)?)?,
    })
}

impl Ticket<'_> {
    fn fields(&self) -> [EventValue<'_>; 6] {
        [
            count(self.version),
            EventValue::String(self.realm),
            EventValue::String(&self.service),
            count(self.encrypted.cipher),
            EventValue::String(self.encrypted.text),
            EventValue::Unset,
        ]
    }
}

/// An address (RFC 4120 5.2.5).
struct Host<'a> {
    kind: i64,
    bytes: &'a [u8],
    unknown: [EventValue<'a>; 2],
}

impl Host<'_> {
    fn fields(&self) -> [EventValue<'_>; 3] {
        let none = EventValue::Unset;
        let version4 = <[u8; 4]>::try_from(self.bytes).map(IpAddr::from).ok().filter(|_| self.kind == IPV4);
        let version6 = <[u8; 16]>::try_from(self.bytes).map(IpAddr::from).ok().filter(|_| self.kind == IPV6);
        match (version4.or(version6), self.kind) {
            (Some(address), _) => [EventValue::Addr(address), none, none],
            (None, NETBIOS) => [none, EventValue::String(self.bytes), none],
            _ => [none, none, EventValue::Record(&self.unknown)],
        }
    }
}

fn host(pair: &[u8]) -> Option<Host<'_>> {
    let mut parts = Parts::within(pair);
    let (kind, bytes) = (parts.integer(0)?, parts.part(1).and_then(string)?);
    Some(Host { kind, bytes, unknown: [count(kind), EventValue::String(bytes)] })
}

fn addresses(list: &[u8]) -> Vec<Host<'_>> {
    elements(list).map_while(host).collect()
}

fn ciphers(list: &[u8]) -> Vec<EventValue<'_>> {
    elements(list).map_while(|element| ber::integer(&mut Reader::new(element)).map(count)).collect()
}

/// The elements of the sequence that bytes begin with, each with its tag.
fn elements(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE).unwrap_or_default();
    std::iter::from_fn(move || {
        let mut reader = Reader::new(rest);
        ber::element(&mut reader)?;
        let (element, behind) = rest.split_at_checked(reader.position())?;
        rest = behind;
        Some(element)
    })
    .take(MAX_LISTED)
}

/// A name, its parts with a stroke between them.
fn principal(bytes: &[u8]) -> Option<Vec<u8>> {
    let list = Parts::of(bytes)?.part(1)?;
    let parts: Vec<&[u8]> = elements(list).map_while(string).collect();
    Some(parts.join(&b'/'))
}

/// The text that an element holds.
fn string(element: &[u8]) -> Option<&[u8]> {
    ber::element(&mut Reader::new(element)).map(|(_, text)| text)
}

fn moment(element: &[u8]) -> EventValue<'static> {
    time(element).map_or(EventValue::Unset, EventValue::Time)
}

/// A number as Zeek counts it: those below zero are very large.
const fn count(number: i64) -> EventValue<'static> {
    EventValue::Count(number as u64)
}

fn has_bit(bits: &[u8], bit: usize) -> bool {
    // The bits stand behind how many of the last byte are none.
    bits.get(1 + bit / 8).is_some_and(|byte| byte & (0x80 >> (bit % 8)) != 0)
}

fn records<'a, const N: usize>(all: &'a [[EventValue<'a>; N]]) -> Vec<EventValue<'a>> {
    all.iter().map(|fields| EventValue::Record(fields)).collect()
}

fn list<'a>(values: Option<&'a [EventValue<'a>]>) -> EventValue<'a> {
    values.map_or(EventValue::Unset, EventValue::List)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_between_applications() {
        use crate::testing::Events;

        let cases: [(u8, &[u8], &[&str]); 5] = [
            (kind::AP_REP, b"\x6f\x02\x30\0", &["krb_ap_response c"]),
            (kind::PRIV, b"\x75\x02\x30\0", &["krb_priv c T"]),
            (
                kind::SAFE,
                b"\x74\x36\x30\x34\xa0\x03\x02\x01\x05\xa1\x03\x02\x01\x14\xa2\x28\x30\x26\xa0\x04\x04\x02hi\
                    \xa3\x03\x02\x01\x07\xa4\x0f\x30\x0d\xa0\x03\x02\x01\x02\xa1\x06\x04\x04\x0a\0\0\x01\
                    \xa5\x08\x30\x06\xa0\x04\x02\x02\0\x14",
                &["krb_safe c T [5, 20, hi, -, 7, [10.0.0.1, -, -], -]"],
            ),
            (
                kind::CRED,
                b"\x76\x3a\x30\x38\xa0\x03\x02\x01\x05\xa1\x03\x02\x01\x16\xa2\x2c\x30\x2a\x61\x28\x30\x26\
                    \xa0\x03\x02\x01\x05\xa1\x03\x1b\x01R\xa2\x09\x30\x07\xa1\x05\x30\x03\x1b\x01s\
                    \xa3\x0f\x30\x0d\xa0\x03\x02\x01\x12\xa2\x06\x04\x04text",
                &["krb_cred c T ([5, R, s, 18, text, -])"],
            ),
            (kind::SAFE, b"\x74\x02\x30\0", &[]),
        ];
        for (kind, bytes, expected) in cases {
            let mut sink = Events::new(NAMES);
            let heard = HeardMessage {
                direction: Direction::ToServer,
                time: weir_base::Timestamp::default(),
                kind,
                bytes: bytes.into(),
            };
            KerberosRaiser.heard(vec![heard], &mut sink);
            assert_eq!(sink.raised, expected, "{kind}");
        }
    }

    #[test]
    fn elements_and_names() {
        let list = b"\x30\x06\x1b\x01a\x1b\x01b";
        assert_eq!(elements(list).map_while(string).collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(elements(b"\x30\x03\x1b\x05a").count(), 0);
        let name = b"\x30\x0f\xa0\x03\x02\x01\x01\xa1\x08\x30\x06\x1b\x01a\x1b\x01b";
        assert_eq!(principal(name).as_deref(), Some(&b"a/b"[..]));
        assert!(has_bit(&[0, 0x40], 1) && !has_bit(&[0, 0x40], 2) && !has_bit(&[0], 8));
    }
}
