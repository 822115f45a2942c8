//! EVE records of type `snmp`.

use std::io::Write as _;

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::message::Message;
use super::names;
use super::pdu::Pdu;
use super::transaction::SnmpTransaction;
use crate::ber;

/// The record type.
pub static EVE: EveLog = EveLog::new("snmp", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &SnmpTransaction, json: &mut JsonWriter<'_>) -> bool {
    let Some(message) = tx.read() else { return false };
    json.unsigned("version", message.version);
    match &message.pdu {
        Some(pdu) => write_pdu(message, pdu, json),
        None => json.string("pdu_type", "encrypted"),
    }
    json.optional_string("community", message.community());
    if let Some(user) = message.user() {
        json.string("usm", user);
    }
    true
}

fn write_pdu(message: &Message, pdu: &Pdu, json: &mut JsonWriter<'_>) {
    json.string("pdu_type", names::pdu_type(pdu.kind));
    if pdu.error != 0 {
        json.string("error", names::error(pdu.error));
    }
    if let Some(trap) = &pdu.trap {
        json.string("trap_type", names::trap_type(trap.kind));
        json.text("trap_oid", |out| ber::append_oid(message.at(trap.enterprise), out));
        if let Some(address) = trap.address {
            json.text("trap_address", |out| _ = write!(out, "{address}"));
        }
    }
    if !pdu.variables.is_empty() {
        json.array("vars");
        for variable in &pdu.variables {
            json.push_text(|out| ber::append_oid(message.at(variable.name), out));
        }
        json.close_array();
    }
}
