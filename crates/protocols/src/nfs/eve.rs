//! EVE records of type `nfs`: a call and its reply, or a file, with the remote procedure call beside it.

use std::io::Write as _;

use flate2::Crc;
use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::transaction::NfsTransaction;
use super::{names, version3};

/// The record type.
pub static EVE: EveLog = EveLog::new("nfs", LogDirection::Packet, |_| Box::new(NfsWriter));

#[derive(Debug)]
struct NfsWriter;

impl EveWriter for NfsWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<NfsTransaction>(transaction) else { return false };
        json.unsigned("version", tx.version);
        json.string("procedure", &*names::procedure(tx.version, tx.procedure));
        json.string("filename", &tx.name);
        if !tx.handle.is_empty() {
            let mut sum = Crc::new();
            sum.update(&tx.handle);
            json.text("hhash", |out| _ = write!(out, "{:x}", sum.sum()));
        }
        json.unsigned("id", tx.meta.id + 1);
        json.boolean("file_tx", tx.transfer.is_some());
        json.string("type", "response");
        json.string("status", &*names::status(tx.status));
        if let Some(transfer) = &tx.transfer {
            json.object(if tx.is_read() { "read" } else { "write" });
            json.boolean("first", true);
            json.boolean("last", transfer.is_last);
            json.unsigned("last_xid", transfer.last_xid);
            json.unsigned("chunks", transfer.chunks);
            json.close_object();
        } else if tx.is_rename() {
            json.object("rename");
            json.string("from", &tx.name);
            json.string("to", tx.renamed.as_deref().unwrap_or_default());
            json.close_object();
        }
        true
    }

    fn write_beside(&self, transaction: &dyn Transaction, json: &mut JsonWriter<'_>) {
        let Some(tx) = downcast::<NfsTransaction>(transaction) else { return };
        json.object("rpc");
        json.unsigned("xid", tx.xid);
        json.string("status", &*names::rpc_status(tx.rpc_status));
        json.string("auth_type", &*names::credentials(tx.credentials.flavor));
        if let Some(unix) = &tx.credentials.unix {
            json.object("creds");
            json.string("machine_name", &unix.machine);
            json.unsigned("uid", unix.user);
            json.unsigned("gid", unix.group);
            json.close_object();
        }
        json.close_object();
    }

    /// Calls for attributes are too many to be logged.
    fn logs(&self, transaction: &dyn Transaction) -> bool {
        downcast::<NfsTransaction>(transaction)
            .is_some_and(|tx| tx.version == 4 || tx.procedure != version3::GETATTR)
    }
}
