//! Events of LDAP for scripts: of each message, and before it of what is asked or found.

use std::borrow::Cow;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable};
use weir_applayer::{HeardMessage, event_names};
use weir_base::EventValue;

use super::content::{Authentication, Content, Search};
use super::filter;
use super::message::Message;
use super::names::operation;

event_names! {
    /// Their names.
    const NAMES;
    MESSAGE = "LDAP::message",
    BIND_REQUEST = "LDAP::bind_request",
    SEARCH_REQUEST = "LDAP::search_request",
    SEARCH_RESULT_ENTRY = "LDAP::search_result_entry",
    EXTENDED_REQUEST = "LDAP::extended_request",
    EXTENDED_RESPONSE = "LDAP::extended_response",
    START_TLS = "LDAP::starttls",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/ldap/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(LdapRaiser),
};

/// Kind of a message behind which TLS begins.
pub(super) const BEFORE_TLS: u8 = 1;

/// The number of values of enumerations that stand for none.
const UNDEFINED: EventValue<'static> = EventValue::Count(i64::MAX as u64);

/// The parts of a message by NTLM that Zeek tells.
const NTLM: &[u8] = b"NTLMSSP";

#[derive(Debug)]
struct LdapRaiser;

impl EventRaiser for LdapRaiser {
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for heard in messages {
            // What does not fit its format has no event.
            let told = Message::read_beginning(&heard.bytes).map(|message| tell(&message, sink));
            if told.is_some() && heard.kind == BEFORE_TLS {
                sink.raise(START_TLS, &[EventValue::Connection]);
            }
        }
    }
}

/// The parts of a message that the event of any message tells beside its result.
#[derive(Default)]
struct About<'a> {
    object: Cow<'a, [u8]>,
    argument: &'a [u8],
}

/// Raises the events of a message.
fn tell(message: &Message, sink: &mut dyn EventSink) {
    let about = about(message, sink);
    let c = EventValue::Connection;
    let mut result = (UNDEFINED, EventValue::text(""), EventValue::text(""));
    if let Content::Result { outcome, .. } = &message.content {
        result = (
            EventValue::from(outcome.code),
            EventValue::from(message.at(outcome.matched)),
            EventValue::from(message.at(outcome.message)),
        );
    }
    let (code, matched, diagnostic) = result;
    let id = EventValue::Int(message.id.into());
    let (object, argument) = (EventValue::String(&about.object), about.argument.into());
    sink.raise(MESSAGE, &[c, id, message.operation.into(), code, matched, diagnostic, object, argument]);
}

/// Raises the events of what a message is about, and returns what that of any message says of it.
fn about<'a>(message: &'a Message, sink: &mut dyn EventSink) -> About<'a> {
    let (c, id) = (EventValue::Connection, EventValue::Int(message.id.into()));
    let optional = |place: &Option<_>| place.map_or(&b""[..], |place| message.at(place));
    match &message.content {
        Content::Bind { version, name, authentication } => {
            let object = message.at(*name);
            let (kind, argument) = match authentication {
                Authentication::Simple(password) => (0, message.at(*password)),
                Authentication::Sasl(mechanism, _) => (3, message.at(*mechanism)),
                Authentication::Other(kind @ (10 | 11)) => (*kind, NTLM),
                Authentication::Other(kind) => (*kind, &b""[..]),
            };
            let version = EventValue::Int((*version).into());
            sink.raise(BIND_REQUEST, &[c, id, version, object.into(), kind.into(), argument.into()]);
            About { object: object.into(), argument }
        }
        Content::Search(search) => tell_search(message, search, sink),
        Content::Entry { name, .. } if message.operation == operation::SEARCH_RESULT_ENTRY => {
            let object = message.at(*name);
            sink.raise(SEARCH_RESULT_ENTRY, &[c, id, object.into()]);
            About { object: object.into(), ..About::default() }
        }
        Content::Modify { object: name, .. } | Content::Delete(name) => {
            About { object: message.at(*name).into(), ..About::default() }
        }
        Content::Extended { name, value } if message.operation == operation::EXTENDED_REQUEST => {
            let object = optional(name);
            sink.raise(EXTENDED_REQUEST, &[c, id, object.into(), optional(value).into()]);
            About { object: object.into(), ..About::default() }
        }
        Content::Result { outcome, name, value, .. } if message.operation == operation::EXTENDED_RESPONSE => {
            let (name, value) = (optional(name), optional(value));
            sink.raise(EXTENDED_RESPONSE, &[c, id, outcome.code.into(), name.into(), value.into()]);
            About::default()
        }
        Content::Abandon(other) => {
            About { object: other.to_string().into_bytes().into(), ..About::default() }
        }
        _ => About::default(),
    }
}

/// Words of scopes, as Zeek writes them.
const SCOPES: [&str; 3] =
    ["SearchScope::SEARCH_BASE", "SearchScope::SEARCH_SINGLE", "SearchScope::SEARCH_TREE"];

/// Raises the event of a search.
fn tell_search<'a>(message: &'a Message, search: &Search, sink: &mut dyn EventSink) -> About<'a> {
    let base = message.at(search.base);
    if sink.wants(SEARCH_REQUEST) {
        let mut filter = Vec::new();
        filter::append(message.at(search.filter), &mut filter);
        let attributes: Vec<EventValue<'_>> =
            search.attributes.iter().map(|place| message.at(*place).into()).collect();
        let arguments = [
            EventValue::Connection,
            EventValue::Int(message.id.into()),
            base.into(),
            search.scope.into(),
            search.aliases.into(),
            EventValue::Int(search.size_limit.into()),
            EventValue::Int(search.time_limit.into()),
            search.types_only.into(),
            EventValue::String(&filter),
            EventValue::List(&attributes),
        ];
        sink.raise(SEARCH_REQUEST, &arguments);
    }
    let scope = SCOPES.get(search.scope as usize).copied().unwrap_or("SearchScope::Undef");
    About { object: base.into(), argument: scope.as_bytes() }
}

#[cfg(test)]
mod tests {
    use weir_base::{Direction, Timestamp};

    use super::super::tests::{
        bind, choice, entry, message, number, octets, result, search, sequence, start_tls, tlv,
    };
    use super::*;
    use crate::testing::Events;

    /// The events of a message of a kind.
    fn told(kind: u8, bytes: &[u8]) -> Vec<String> {
        let mut events = Events::new(NAMES);
        let heard =
            HeardMessage { direction: Direction::ToServer, time: Timestamp(1), kind, bytes: bytes.into() };
        (EVENTS.open)().heard(vec![heard], &mut events);
        events.raised
    }

    #[test]
    fn messages() {
        let none = "9223372036854775807  ";
        let sasl = tlv(0xa3, &octets("GSSAPI"));
        let extended = message(4, 0x77, &[tlv(0x80, b"1.2"), tlv(0x81, b"v")]);
        let answer = [choice(0), octets(""), octets(""), tlv(0x8a, b"1.2"), tlv(0x8b, b"x")];
        let abandon = sequence(&[number(2), tlv(0x50, &[1])]);
        let cases: &[(&[u8], &[String])] = &[
            (
                &bind(1, tlv(0x80, b"secret")),
                &[
                    "LDAP::bind_request c 1 3 cn=me 0 secret".into(),
                    format!("LDAP::message c 1 0 {none} cn=me secret"),
                ],
            ),
            (
                &bind(1, sasl),
                &[
                    "LDAP::bind_request c 1 3 cn=me 3 GSSAPI".into(),
                    format!("LDAP::message c 1 0 {none} cn=me GSSAPI"),
                ],
            ),
            (
                &bind(1, tlv(0x8a, b"NTLMSSP")),
                &[
                    "LDAP::bind_request c 1 3 cn=me 10 NTLMSSP".into(),
                    format!("LDAP::message c 1 0 {none} cn=me NTLMSSP"),
                ],
            ),
            (&result(1, 0x61, 49), &["LDAP::message c 1 1 49 dc=x so  ".into()]),
            (
                &search(2, &["cn", "mail"]),
                &[
                    "LDAP::search_request c 2 dc=x 2 0 9 0 F (objectClass=*) (cn, mail)".into(),
                    format!("LDAP::message c 2 3 {none} dc=x SearchScope::SEARCH_TREE"),
                ],
            ),
            (
                &entry(2, "cn=a"),
                &["LDAP::search_result_entry c 2 cn=a".into(), format!("LDAP::message c 2 4 {none} cn=a ")],
            ),
            (
                &extended,
                &["LDAP::extended_request c 4 1.2 v".into(), format!("LDAP::message c 4 23 {none} 1.2 ")],
            ),
            (
                &message(4, 0x78, &answer),
                &["LDAP::extended_response c 4 0 1.2 x".into(), "LDAP::message c 4 24 0    ".into()],
            ),
            (&abandon, &[format!("LDAP::message c 2 16 {none} 1 ")]),
            (
                &message(1, 0x66, &[octets("cn=a"), sequence(&[])]),
                &[format!("LDAP::message c 1 6 {none} cn=a ")],
            ),
            (&message(1, 0x72, &[octets("x")]), &[]),
            (b"no message", &[]),
        ];
        for (bytes, expected) in cases {
            let lines: Vec<String> = told(0, bytes).iter().map(|line| line.replace("  ", " ")).collect();
            let expected: Vec<String> = expected.iter().map(|line| line.replace("  ", " ")).collect();
            assert_eq!(lines, expected, "{}", bytes.escape_ascii());
        }
        let lines = told(BEFORE_TLS, &message(4, 0x78, &[choice(0), octets(""), octets("")]));
        assert_eq!(lines.last().map(String::as_str), Some("LDAP::starttls c"));
        assert_eq!(told(0, &start_tls(1)).len(), 2);
    }

    #[test]
    fn the_beginning_of_a_long_message_is_enough() {
        let long = entry(2, "cn=a");
        assert_eq!(told(0, &long[..20]), told(0, &long));
    }
}
