//! EVE records of type `ntp`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::transaction::NtpTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("ntp", LogDirection::Packet, |_| Box::new(NtpWriter));

#[derive(Debug)]
struct NtpWriter;

impl EveWriter for NtpWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<NtpTransaction>(transaction) else { return false };
        let message = &tx.message;
        json.unsigned("version", message.version);
        json.unsigned("mode", message.mode);
        json.unsigned("stratum", message.stratum);
        json.hex("reference_id", &message.reference);
        true
    }
}
