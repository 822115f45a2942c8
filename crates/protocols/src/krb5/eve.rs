//! EVE records of type `krb5`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::names;
use super::transaction::Krb5Transaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("krb5", LogDirection::Packet, |_| eve::writer(write));

/// Text in place of a field that a message does not have.
const NOT_SAID: &[u8] = b"<empty>";

fn write(tx: &Krb5Transaction, json: &mut JsonWriter<'_>) -> bool {
    let message = &tx.message;
    json.string("msg_type", names::message(message.kind));
    if let Some(code) = tx.error() {
        match tx.request {
            // The request was not seen.
            0 => json.string("failed_request", "UNKNOWN"),
            request => json.string("failed_request", names::message(request)),
        }
        match names::error(code) {
            Some(name) => json.string("error_code", name),
            None => json.string("error_code", format!("ErrorCode({code} / 0x{code:x})")),
        }
    }
    let [client, service] = [&message.client, &message.service]
        .map(|name| name.as_ref().map_or_else(|| NOT_SAID.to_vec(), |name| message.name(name)));
    json.string("cname", client);
    json.string("realm", message.realm.map_or(NOT_SAID, |realm| message.at(realm)));
    json.string("sname", service);
    match tx.encryption() {
        Some(number) => json.string("encryption", encryption(number)),
        None => json.string("encryption", "<none>"),
    }
    json.boolean("weak_encryption", tx.encryption().is_some_and(names::is_weak));
    if let Some(number) = tx.ticket_encryption() {
        json.string("ticket_encryption", encryption(number));
        json.boolean("ticket_weak_encryption", names::is_weak(number));
    }
    true
}

fn encryption(number: i32) -> String {
    names::encryption(number)
        .map_or_else(|| format!("EncryptionType({number} / 0x{number:x})"), str::to_owned)
}
