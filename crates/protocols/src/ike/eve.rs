//! EVE records of type `ike`: a message, with what both sides have agreed upon.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::{Direction, JsonWriter, hex};

use super::attribute::{Attribute, Value};
use super::transaction::{Content, IkeTransaction};
use super::{names, version1, version2};

/// The record type.
pub static EVE: EveLog = EveLog::new("ike", LogDirection::Packet, configure);

#[derive(Debug)]
struct IkeWriter {
    /// The exchanges of version 1 are named.
    is_extended: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(IkeWriter { is_extended: options.flag("extended", false) })
}

impl EveWriter for IkeWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<IkeTransaction>(transaction) else { return false };
        json.unsigned("version_major", tx.header.major);
        json.unsigned("version_minor", tx.header.minor);
        json.string("init_spi", &tx.initiator);
        json.string("resp_spi", &tx.responder);
        json.unsigned("message_id", tx.header.message_id);
        json.unsigned("exchange_type", tx.header.exchange);
        match &tx.content {
            Content::Version1 { message, state } => {
                json.optional_string(
                    "exchange_type_verbose",
                    names::exchange(tx.header.exchange).filter(|_| self.is_extended),
                );
                write_version1(tx, message, state, json);
            }
            Content::Version2 { message, chosen, .. } => write_version2(tx, message, *chosen, json),
        }
        true
    }
}

fn write_version1(
    tx: &IkeTransaction,
    message: &version1::Message,
    state: &version1::State,
    json: &mut JsonWriter<'_>,
) {
    if state.sides.to_client.count > 0 {
        write_attributes(&state.sides.to_client.transform, json);
    }
    if tx.direction == Direction::ToClient && message.transforms.len() > 1 {
        write_transforms("server_proposals", &message.transforms, json);
    }
    json.strings("payload", message.kinds.iter().filter_map(|&kind| names::payload_1(kind)));
    json.object("ikev1");
    json.optional_unsigned("doi", state.domain);
    json.boolean("encrypted_payloads", tx.header.is_encrypted());
    if !tx.header.is_encrypted() {
        json.object("client");
        write_side(&state.sides.to_server, json);
        if tx.direction == Direction::ToServer && !message.transforms.is_empty() {
            write_transforms("proposals", &message.transforms, json);
        }
        json.close_object();
        json.nested("server", |json| write_side(&state.sides.to_client, json));
        json.some_strings("vendor_ids", &message.vendors);
    }
    json.close_object();
}

fn write_side(side: &version1::Side, json: &mut JsonWriter<'_>) {
    if !side.key_exchange.is_empty() {
        json.text("key_exchange_payload", |out| hex::append(out, &side.key_exchange));
        json.unsigned("key_exchange_payload_length", side.key_exchange.len() as u64);
    }
    if !side.nonce.is_empty() {
        json.text("nonce_payload", |out| hex::append(out, &side.nonce));
        json.unsigned("nonce_payload_length", side.nonce.len() as u64);
    }
}

fn write_transforms(key: &str, transforms: &[Vec<Attribute>], json: &mut JsonWriter<'_>) {
    json.objects(key, transforms, |json, transform| {
        write_attributes(transform, json);
    });
}

/// Of several with the same key, the last one stands for all.
fn write_attributes(attributes: &[Attribute], json: &mut JsonWriter<'_>) {
    for (index, attribute) in attributes.iter().enumerate() {
        let key = attribute.key();
        if attributes.iter().skip(index + 1).any(|later| later.key() == key) {
            continue;
        }
        json.string(key, attribute.name());
        let raw = format!("{key}_raw");
        match &attribute.value {
            Value::Number(number) => json.unsigned(&raw, *number),
            Value::Bytes(bytes) => json.text(&raw, |out| hex::append(out, bytes)),
        }
    }
}

fn write_version2(
    tx: &IkeTransaction,
    message: &version2::Message,
    chosen: version2::Chosen,
    json: &mut JsonWriter<'_>,
) {
    if tx.header.is_of_initiator() {
        json.string("role", "initiator");
    } else {
        json.string("role", "responder");
        json.string("alg_enc", &*names::encryption(chosen.encryption));
        json.string("alg_auth", &*names::integrity(chosen.integrity));
        json.string("alg_prf", &*names::random(chosen.random));
        json.string("alg_dh", &*names::group(chosen.group));
        json.string("alg_esn", &*names::sequence_numbers(chosen.sequence_numbers));
    }
    json.array("payload");
    message.kinds.iter().for_each(|&kind| json.push_string(&*names::payload_2(kind)));
    json.close_array();
    json.object("ikev2");
    json.unsigned("errors", message.errors);
    if !message.notifications.is_empty() {
        json.array("notify");
        message.notifications.iter().for_each(|&kind| json.push_string(&*names::notification(kind)));
        json.close_array();
    }
    json.close_object();
}
