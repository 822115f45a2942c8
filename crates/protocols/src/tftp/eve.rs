//! EVE records of type `tftp`: a request.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::request::{Operation, TftpTransaction};

/// The record type.
pub static EVE: EveLog = EveLog::new("tftp", LogDirection::Flow, |_| Box::new(TftpWriter));

#[derive(Debug)]
struct TftpWriter;

impl EveWriter for TftpWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<TftpTransaction>(transaction) else { return false };
        let packet = match tx.operation {
            Operation::Read => "read",
            Operation::Write => "write",
        };
        json.string("packet", packet);
        json.string("file", &tx.file);
        json.string("mode", tx.mode);
        true
    }
}
