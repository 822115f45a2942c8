//! Oddities of a message that go to Zeek's weird log.

use weir_applayer::{ZeekConnection, ZeekSink};
use weir_base::{Reader, Timestamp};

use super::super::message::{Message, Record};
use super::super::rdata::{RData, types};
use super::MAX_QUESTIONS;

const PARAMETER_ALPN: u16 = 1;
const PARAMETER_PORT: u16 = 3;

/// Reports each kind of oddity once per connection; `reported` are those that were.
pub fn report(
    message: &Message,
    reported: &mut Vec<&'static str>,
    time: Timestamp,
    connection: &ZeekConnection<'_>,
    sink: &mut dyn ZeekSink,
) {
    if message.header.questions > MAX_QUESTIONS {
        sink.weird(connection, time, "DNS_Conn_count_too_large", None);
        return;
    }
    for name in message.answers.iter().flat_map(of_record) {
        if !reported.contains(&name) {
            reported.push(name);
            sink.weird(connection, time, name, None);
        }
    }
}

fn of_record(record: &Record) -> Vec<&'static str> {
    match &record.data {
        RData::Raw(bytes) if bytes.is_empty() => vec!["DNS_zero_rdlength"],
        RData::Raw(_) if matches!(record.rrtype, types::A | types::AAAA) => vec!["DNS_RR_bad_length"],
        RData::Svcb { parameters, .. } => parameters
            .iter()
            .filter_map(|(key, value)| match *key {
                PARAMETER_ALPN if !is_string_list(value) => Some("DNS_SVCB_alpn_length_invalid"),
                PARAMETER_PORT if value.len() != 2 => Some("DNS_SVCB_port_length_invalid"),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether the value is strings, each behind its length, and nothing else.
fn is_string_list(value: &[u8]) -> bool {
    let mut reader = Reader::new(value);
    while let Some(length) = reader.u8() {
        if reader.skip(usize::from(length)).is_none() {
            return false;
        }
    }
    true
}
