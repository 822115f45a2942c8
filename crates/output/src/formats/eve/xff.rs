//! The client's address as a proxy's request header tells it (`X-Forwarded-For`).

use std::net::IpAddr;

use weir_applayer::{Access, Protocol, Transaction};
use weir_base::{Direction, JsonWriter};
use weir_config::eve::XffSettings;

use super::header::{Addresses, Source};
use crate::address;
use crate::record::RecordContext;

/// The field that lists request headers one by one (`Name: value`).
const REQUEST_HEADERS: &str = "http.request_header";

/// Most headers looked at.
const MAX_HEADERS: usize = 256;

/// The address, where the header is there and holds one.
pub(super) fn client(
    settings: &XffSettings,
    protocol: &'static Protocol,
    transaction: &dyn Transaction,
) -> Option<IpAddr> {
    let field = protocol
        .fields
        .iter()
        .find(|f| f.name == REQUEST_HEADERS && f.direction.covers(Direction::ToServer))?;
    let mut built = Vec::new();
    for index in 0..MAX_HEADERS {
        built.clear();
        let line = match field.access {
            Access::List(list) => list(transaction, Direction::ToServer, index)?,
            Access::BuildList(build) => {
                if !build(transaction, Direction::ToServer, index, &mut built) {
                    return None;
                }
                &built
            }
            _ => return None,
        };
        if let Some(value) = value_of(line, &settings.header) {
            return pick(value, settings.forward);
        }
    }
    None
}

/// The value of a header line, if it is the header of this name.
fn value_of<'a>(line: &'a [u8], name: &str) -> Option<&'a str> {
    let (found, value) = line.split_at_checked(name.len())?;
    let value = value.strip_prefix(b":")?;
    found.eq_ignore_ascii_case(name.as_bytes()).then(|| std::str::from_utf8(value).ok())?
}

/// The first address of the list, or the last.
fn pick(list: &str, first: bool) -> Option<IpAddr> {
    let mut addresses = list.split(',').map(str::trim);
    let text = if first { addresses.next() } else { addresses.next_back() }?;
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        // One colon separates a port; more of them are an IPv6 address.
        None if text.matches(':').count() == 1 => text.split(':').next()?,
        None => text,
    };
    bare.parse().ok()
}

/// The record's addresses with the client's in its place.
pub(super) fn overwritten(cx: &RecordContext<'_>, source: Source, client: IpAddr) -> Option<Addresses> {
    let mut addresses = Addresses::of(cx, source)?;
    let client_is_source = match source {
        Source::Client => true,
        Source::Server => false,
        Source::Sender => cx.direction == Direction::ToServer,
    };
    if client_is_source {
        addresses.source = client;
    } else {
        addresses.destination = client;
    }
    Some(addresses)
}

/// `xff`
pub(super) fn write(client: IpAddr, json: &mut JsonWriter<'_>) {
    json.text("xff", |out| address::append_full(out, client));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_header_values() {
        let cases = [
            ("10.1.1.1", true, Some("10.1.1.1")),
            (" 10.1.1.1, 10.2.2.2", true, Some("10.1.1.1")),
            (" 10.1.1.1, 10.2.2.2 ", false, Some("10.2.2.2")),
            ("10.1.1.1:8080", false, Some("10.1.1.1")),
            ("[fe80::1]:80", false, Some("fe80::1")),
            ("fe80::1", false, Some("fe80::1")),
            ("unknown", false, None),
        ];
        for (text, first, expected) in cases {
            assert_eq!(pick(text, first), expected.map(|e| e.parse().unwrap()), "{text}");
        }
        assert_eq!(value_of(b"x-forwarded-FOR: 1", "X-Forwarded-For"), Some(" 1"));
        assert_eq!(value_of(b"X-Forwarded-For2: 1", "X-Forwarded-For"), None);
    }
}
