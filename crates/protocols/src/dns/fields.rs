//! Fields of a message.

use weir_applayer::{Field, integer, list};
use weir_base::Direction;

use super::message::{Message, Record};
use super::names::{OPCODE_VALUES, RCODE_VALUES, TYPE_VALUES};
use super::rdata::RData;
use super::transaction::{COMPLETE, DnsTransaction};

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::to_server(
        "dns.query",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| question_name(tx.sound()?, index)),
    )
    .aliases(&["dns_query"])
    .doc("Names that a request asks for."),
    Field::both(
        "dns.queries.rrname",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| question_name(tx.sound()?, index)),
    )
    .aliases(&["dns.query.name"])
    .doc("Names in the question section of a request or response."),
    Field::both(
        "dns.answers.rrname",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.answers, index)),
    )
    .aliases(&["dns.answer.name"])
    .doc("Owner names of the answers in a request or response."),
    Field::both(
        "dns.authorities.rrname",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.authorities, index)),
    )
    .doc("Owner names of the authority records in a request or response."),
    Field::both(
        "dns.additionals.rrname",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| record_name(&tx.sound()?.additionals, index)),
    )
    .doc("Owner names of the additional records in a request or response."),
    Field::to_client(
        "dns.response.rrname",
        COMPLETE,
        list!(DnsTransaction, |tx, _, index| response_name(tx.sound()?, index)),
    )
    .doc(
        "All names of a response: those asked for, those of its records, and those that its CNAME, \
         MX, NS, PTR and SOA records lead to.",
    ),
    Field::both(
        "dns.opcode",
        COMPLETE,
        integer!(DnsTransaction, 8, OPCODE_VALUES, |tx, _, index| {
            (index == 0).then_some(u64::from(tx.sound()?.header.opcode()))
        }),
    )
    .doc("The operation code of a request or response."),
    Field::both(
        "dns.rcode",
        COMPLETE,
        integer!(DnsTransaction, 8, RCODE_VALUES, |tx, _, index| {
            (index == 0).then_some(u64::from(tx.sound()?.header.rcode()))
        }),
    )
    .doc("The response code of a request or response."),
    Field::both(
        "dns.rrtype",
        COMPLETE,
        integer!(DnsTransaction, 16, TYPE_VALUES, |tx, direction, index| {
            let message = tx.sound()?;
            let rrtype = match direction {
                Direction::ToServer => message.questions.get(index).map(|question| question.rrtype),
                Direction::ToClient => message.answers.get(index).map(|answer| answer.rrtype),
            };
            rrtype.map(u64::from)
        }),
    )
    .doc("The record types that a request asks for, or of a response's answers."),
];

pub(super) fn question_name(message: &Message, index: usize) -> Option<&[u8]> {
    message.questions.get(index).map(|question| question.name.text.as_slice())
}

pub(super) fn record_name(records: &[Record], index: usize) -> Option<&[u8]> {
    records.get(index).map(|record| record.name.text.as_slice())
}

/// Questions by their index, then two places for each record: its owner and where it leads, or its
/// owner once more, so that any index is found at once.
pub(super) fn response_name(message: &Message, index: usize) -> Option<&[u8]> {
    let Some(index) = index.checked_sub(message.questions.len()) else {
        return question_name(message, index);
    };
    let (mut record, leads) = (index / 2, index % 2 == 1);
    for section in [&message.answers, &message.authorities, &message.additionals] {
        if let Some(found) = section.get(record) {
            let target = leads.then(|| target_name(found)).flatten();
            return Some(target.unwrap_or(&found.name.text));
        }
        record -= section.len();
    }
    None
}

fn target_name(record: &Record) -> Option<&[u8]> {
    match &record.data {
        RData::Name(name) => Some(&name.text),
        RData::Mx { exchange, .. } => Some(&exchange.text),
        RData::Soa(soa) => Some(&soa.mname.text),
        _ => None,
    }
}
