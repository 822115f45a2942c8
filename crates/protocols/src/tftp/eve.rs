//! EVE records of type `tftp`: a request.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::request::{Operation, TftpTransaction};

/// The record type.
pub static EVE: EveLog = EveLog::new("tftp", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &TftpTransaction, json: &mut JsonWriter<'_>) -> bool {
    let packet = match tx.operation {
        Operation::Read => "read",
        Operation::Write => "write",
    };
    json.string("packet", packet);
    json.string("file", &tx.file);
    json.string("mode", tx.mode);
    true
}
