//! The limits of rows: longer texts and containers are cut, as Zeek does since 8.1 by
//! `Log::default_max_field_string_bytes` and its kin.

use weir_applayer::{ZeekStream, ZeekValue};

/// The name that `weird` has for a text that was cut.
pub(crate) const TEXT_CUT: &str = "log_string_field_truncated";
/// The name that `weird` has for a container that was cut.
pub(crate) const CONTAINER_CUT: &str = "log_container_field_truncated";

/// Most of a row that is logged.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of a text, also of one in a container.
    text: usize,
    /// Bytes of all texts.
    texts: usize,
    /// Elements of a container.
    container: usize,
    /// Elements of all containers.
    containers: usize,
}

/// Limits of all streams but those below.
const USUAL: Limits = Limits { text: 4096, texts: 256_000, container: 100, containers: 500 };

/// Streams with limits of their own.
const OTHERS: [(&str, Limits); 2] = [
    ("http", Limits { text: usize::MAX, ..USUAL }),
    ("x509", Limits { container: 500, containers: 1500, ..USUAL }),
];

/// Names of streams, where they are not the path in capitals and `::LOG`.
const NAMES: [(&str, &str); 32] = [
    ("analyzer", "Analyzer::Logging::LOG"),
    ("capture_loss", "CaptureLoss::LOG"),
    ("conn", "Conn::LOG"),
    ("files", "Files::LOG"),
    ("kerberos", "KRB::LOG"),
    ("known_certs", "Known::CERTS_LOG"),
    ("known_hosts", "Known::HOSTS_LOG"),
    ("known_services", "Known::SERVICES_LOG"),
    ("ldap", "LDAP::LDAP_LOG"),
    ("ldap_search", "LDAP::LDAP_SEARCH_LOG"),
    ("modbus", "Modbus::LOG"),
    ("mqtt_connect", "MQTT::CONNECT_LOG"),
    ("mqtt_publish", "MQTT::PUBLISH_LOG"),
    ("mqtt_subscribe", "MQTT::SUBSCRIBE_LOG"),
    ("mysql", "mysql::LOG"),
    ("notice", "Notice::LOG"),
    ("packet_filter", "PacketFilter::LOG"),
    ("postgresql", "PostgreSQL::LOG"),
    ("redis", "Redis::LOG"),
    ("reporter", "Reporter::LOG"),
    ("smb_files", "SMB::FILES_LOG"),
    ("smb_mapping", "SMB::MAPPING_LOG"),
    ("software", "Software::LOG"),
    ("stats", "Stats::LOG"),
    ("syslog", "Syslog::LOG"),
    ("traceroute", "Traceroute::LOG"),
    ("tunnel", "Tunnel::LOG"),
    ("weird", "Weird::LOG"),
    ("websocket", "WebSocket::LOG"),
    ("x509", "X509::LOG"),
    ("ocsp", "OCSP::LOG"),
    ("pe", "PE::LOG"),
];

/// Returns the name by which scripts know a stream.
pub(crate) fn name(stream: &ZeekStream) -> String {
    let known = NAMES.iter().find(|(path, _)| *path == stream.name);
    known.map_or_else(|| format!("{}::LOG", stream.name.to_uppercase()), |(_, name)| (*name).to_owned())
}

fn limits(stream: &ZeekStream) -> Limits {
    OTHERS.iter().find(|(path, _)| *path == stream.name).map_or(USUAL, |(_, limits)| *limits)
}

/// A row that was cut.
pub(crate) struct Cut<'a> {
    parts: Vec<Part<'a>>,
    /// Names that `weird` has for them, each once.
    pub(crate) oddities: Vec<&'static str>,
}

/// A value, or the elements of a container.
enum Part<'a> {
    Value(ZeekValue<'a>),
    Container(Vec<ZeekValue<'a>>),
}

impl Cut<'_> {
    /// Returns the values.
    pub(crate) fn values(&self) -> Vec<ZeekValue<'_>> {
        let values = self.parts.iter().map(|part| match part {
            Part::Value(value) => *value,
            Part::Container(elements) => ZeekValue::List(elements),
        });
        values.collect()
    }
}

/// Returns a row as far as it is logged; nothing where all of it is.
pub(crate) fn cut<'a>(stream: &ZeekStream, values: &[ZeekValue<'a>]) -> Option<Cut<'a>> {
    if !is_long(values) {
        return None;
    }
    let mut left = Left { limits: limits(stream), bytes: 0, elements: 0, oddities: Vec::new() };
    let parts = values.iter().map(|value| match *value {
        ZeekValue::List(elements) => Part::Container(left.container(elements)),
        value => Part::Value(left.value(value)),
    });
    let parts = parts.collect();
    (!left.oddities.is_empty()).then_some(Cut { parts, oddities: left.oddities })
}

/// Returns whether any row of as much may have to be cut: few are.
#[inline]
fn is_long(values: &[ZeekValue<'_>]) -> bool {
    let (mut bytes, mut elements, mut longest) = (0_usize, 0_usize, 0_usize);
    let mut add = |value: &ZeekValue<'_>| {
        if let ZeekValue::String(text) = value {
            (bytes, longest) = (bytes + text.len(), longest.max(text.len()));
        }
    };
    for value in values {
        match value {
            ZeekValue::List(list) => {
                elements += list.len();
                list.iter().for_each(&mut add);
            }
            value => add(value),
        }
    }
    longest > USUAL.text || bytes > USUAL.texts || elements > USUAL.container
}

/// A row's use of its limits.
struct Left {
    limits: Limits,
    bytes: usize,
    elements: usize,
    oddities: Vec<&'static str>,
}

impl Left {
    /// Notes that `kept` of `whole` are logged.
    fn note(&mut self, kept: usize, whole: usize, oddity: &'static str) {
        if kept < whole && !self.oddities.contains(&oddity) {
            self.oddities.push(oddity);
        }
    }

    fn value<'a>(&mut self, value: ZeekValue<'a>) -> ZeekValue<'a> {
        let ZeekValue::String(text) = value else { return value };
        let room = self.limits.texts.saturating_sub(self.bytes).min(self.limits.text);
        let kept = text.get(..room).unwrap_or(text);
        self.bytes += kept.len();
        self.note(kept.len(), text.len(), TEXT_CUT);
        ZeekValue::String(kept)
    }

    fn container<'a>(&mut self, elements: &[ZeekValue<'a>]) -> Vec<ZeekValue<'a>> {
        let room = self.limits.containers.saturating_sub(self.elements).min(self.limits.container);
        let kept = elements.get(..room).unwrap_or(elements);
        self.elements += kept.len();
        self.note(kept.len(), elements.len(), CONTAINER_CUT);
        kept.iter().map(|element| self.value(*element)).collect()
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::zeek::ZeekType;

    use super::*;

    const fn stream(name: &'static str) -> ZeekStream {
        ZeekStream { name, connection: true, columns: &[("a", ZeekType::String)] }
    }

    #[test]
    fn rows_are_cut_where_they_are_longer_than_their_stream_allows() {
        let text = vec![b'a'; 300_000];
        let texts = |count: usize, length: usize| vec![ZeekValue::String(&text[..length]); count];
        // Stream, texts by their lengths, elements of containers and their lengths; lengths and elements that are kept,
        // and what is odd.
        type Case<'a> = (&'a str, &'a [usize], &'a [(usize, usize)], &'a [usize], &'a [usize], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            ("dns", &[4096], &[(100, 5)], &[4096], &[100], &[]),
            ("dns", &[4097, 3], &[(1, 5000)], &[4096, 3], &[1], &[TEXT_CUT]),
            ("dns", &[], &[(101, 1)], &[], &[100], &[CONTAINER_CUT]),
            ("dns", &[5000], &[(101, 1)], &[4096], &[100], &[TEXT_CUT, CONTAINER_CUT]),
            ("smtp", &[], &[(100, 1); 6], &[], &[100, 100, 100, 100, 100, 0], &[CONTAINER_CUT]),
            ("smtp", &[4000], &[(70, 4000)], &[4000], &[70], &[TEXT_CUT]),
            ("http", &[300_000, 1], &[], &[256_000, 0], &[], &[TEXT_CUT]),
            ("http", &[200_000], &[], &[200_000], &[], &[]),
            ("x509", &[], &[(500, 1), (600, 1)], &[], &[500, 500], &[CONTAINER_CUT]),
        ];
        for (name, lengths, containers, kept, elements, oddities) in cases {
            let lists: Vec<_> = containers.iter().map(|(count, length)| texts(*count, *length)).collect();
            let values: Vec<ZeekValue<'_>> = lengths
                .iter()
                .map(|length| ZeekValue::String(&text[..*length]))
                .chain(lists.iter().map(|list| ZeekValue::List(list)))
                .collect();
            let cut = cut(&stream(name), &values);
            let found = cut.as_ref().map_or_else(|| values.clone(), Cut::values);
            let length = |value: &ZeekValue<'_>| match value {
                ZeekValue::String(text) => Some(text.len()),
                _ => None,
            };
            assert_eq!(found.iter().filter_map(length).collect::<Vec<_>>(), *kept, "{name}");
            let count = |value: &ZeekValue<'_>| match value {
                ZeekValue::List(list) => Some(list.len()),
                _ => None,
            };
            assert_eq!(found.iter().filter_map(count).collect::<Vec<_>>(), *elements, "{name}");
            assert_eq!(cut.as_ref().map_or_else(Vec::new, |cut| cut.oddities.clone()), *oddities, "{name}");
            let bytes = found.iter().map(|value| match value {
                ZeekValue::List(list) => list.iter().filter_map(length).sum(),
                value => length(value).unwrap_or_default(),
            });
            assert!(bytes.sum::<usize>() <= 256_000, "{name}");
        }
    }

    #[test]
    fn streams_have_the_names_of_scripts() {
        for (path, expected) in [("dns", "DNS::LOG"), ("ldap", "LDAP::LDAP_LOG"), ("mysql", "mysql::LOG")] {
            assert_eq!(name(&stream(path)), expected);
        }
    }
}
