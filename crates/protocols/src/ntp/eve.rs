//! EVE records of type `ntp`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::{JsonWriter, hex};

use super::transaction::NtpTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("ntp", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &NtpTransaction, json: &mut JsonWriter<'_>) -> bool {
    let message = &tx.message;
    json.unsigned("version", message.version);
    json.unsigned("mode", message.mode);
    json.unsigned("stratum", message.stratum);
    json.text("reference_id", |out| hex::append_separated(out, &message.reference, b':'));
    true
}
