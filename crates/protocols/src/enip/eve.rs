//! EVE records of type `enip`.

use std::io::Write as _;

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::cip::{Cip, Message as CipMessage, Segment, segment};
use super::item::{Identity, Services};
use super::message::{Message, Payload};
use super::names::{self, command};
use super::transaction::EnipTransaction;
use super::vendors;

/// The record type.
pub static EVE: EveLog = EveLog::new("enip", LogDirection::Flow, |_| eve::writer(write));

fn write(tx: &EnipTransaction, json: &mut JsonWriter<'_>) -> bool {
    if let Some(request) = &tx.request {
        json.nested("request", |json| write_message(request, json));
    }
    if let Some(response) = &tx.response {
        json.object("response");
        write_message(response, json);
        if let Some(services) = response.offered() {
            write_services(services, json);
        }
        if let Some(identity) = response.identity() {
            write_identity(identity, json);
        }
        json.close_object();
    }
    tx.request.is_some() || tx.response.is_some()
}

/// A name, or the number of what has none.
fn named(key: &str, name: Option<&str>, number: impl std::fmt::Display, json: &mut JsonWriter<'_>) {
    match name {
        Some(name) => json.string(key, name),
        // Writing to memory does not fail.
        None => json.text(key, |out| _ = write!(out, "unknown-{number}")),
    }
}

fn write_message(message: &Message, json: &mut JsonWriter<'_>) {
    let header = &message.header;
    named("command", command::name(header.command), header.command, json);
    named("status", names::status_name(header.status), header.status, json);
    if header.options != 0 {
        json.unsigned("options", header.options);
    }
    if let Payload::Session(version, options) = message.payload {
        json.object("register_session");
        json.unsigned("protocol_version", version);
        json.unsigned("options", options);
        json.close_object();
    }
    if let Some((cip, ..)) = message.services().next() {
        json.nested("cip", |json| write_service(cip, json));
    }
}

fn write_service(cip: &Cip, json: &mut JsonWriter<'_>) {
    named("service", names::service(cip.service), cip.service, json);
    match &cip.message {
        CipMessage::Request { path, .. } => write_path(path, json),
        CipMessage::Response { status, extended } => {
            named("status", names::cip_status(*status), *status, json);
            write_extended(extended, json);
        }
    }
    if !cip.parts.is_empty() {
        json.objects("multiple", &cip.parts, |json, part| {
            write_service(&part.cip, json);
        });
    }
}

fn write_path(path: &[Segment], json: &mut JsonWriter<'_>) {
    if path.is_empty() {
        return;
    }
    json.array("path");
    for found in path {
        let name = match found.kind() {
            segment::CLASS => Some("class"),
            segment::INSTANCE => Some("instance"),
            segment::ATTRIBUTE => Some("attribute"),
            _ => None,
        };
        json.open_object();
        named("segment_type", name, found.tag, json);
        json.unsigned("value", found.value);
        json.close_object();
    }
    json.close_array();
    if let Some(class) = path.iter().rev().find(|found| found.kind() == segment::CLASS) {
        named("class_name", names::class(class.value), class.value, json);
    }
}

fn write_extended(extended: &[u8], json: &mut JsonWriter<'_>) {
    if extended.is_empty() {
        return;
    }
    json.hex("status_extended", extended);
    if let [low, high] = *extended
        && let Some(meaning) = names::extended_status(u16::from_le_bytes([low, high]))
    {
        json.string("status_extended_meaning", meaning);
    }
}

fn write_services(services: &Services, json: &mut JsonWriter<'_>) {
    json.object("list_services");
    json.unsigned("protocol_version", services.protocol_version);
    json.unsigned("capabilities", services.capabilities);
    json.string("service_name", String::from_utf8_lossy(&services.name).as_bytes());
    json.close_object();
}

fn write_identity(identity: &Identity, json: &mut JsonWriter<'_>) {
    json.object("identity");
    json.unsigned("protocol_version", identity.protocol_version);
    let (major, minor) = identity.revision;
    json.text("revision", |out| _ = write!(out, "{major}.{minor}"));
    named("vendor_id", vendors::name(identity.vendor), identity.vendor, json);
    named("device_type", names::device_type(identity.device_type), identity.device_type, json);
    json.unsigned("product_code", identity.product_code);
    json.unsigned("status", identity.status);
    json.unsigned("serial", identity.serial);
    json.string("product_name", String::from_utf8_lossy(&identity.product_name).as_bytes());
    json.unsigned("state", identity.state);
    json.close_object();
}
