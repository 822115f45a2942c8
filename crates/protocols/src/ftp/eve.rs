//! EVE records of type `ftp`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::transaction::{FtpTransaction, Reply};

/// The record type.
pub static EVE: EveLog = EveLog::new("ftp", LogDirection::Flow, |_| Box::new(FtpWriter));

struct FtpWriter;

impl EveWriter for FtpWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<FtpTransaction>(transaction) else { return false };
        if let Some(command) = tx.command {
            json.string("command", command.name());
            if !tx.argument.is_empty() {
                json.string("command_data", &tx.argument);
            }
            json.boolean("command_truncated", tx.command_truncated);
        }
        strings("completion_code", tx.replies.iter().filter_map(Reply::code), json);
        strings("reply", tx.replies.iter().filter_map(Reply::text), json);
        if let Some(port) = tx.port {
            json.unsigned("dynamic_port", port);
        }
        if let Some(mode) = tx.mode() {
            json.string("mode", mode.name());
        }
        json.string("reply_received", if tx.replied { "yes" } else { "no" });
        json.boolean("reply_truncated", tx.reply_truncated);
        true
    }
}

fn strings<'a>(key: &str, values: impl Iterator<Item = &'a [u8]>, json: &mut JsonWriter<'_>) {
    let mut values = values.peekable();
    if values.peek().is_some() {
        json.array(key);
        values.for_each(|value| json.push_string(value));
        json.close_array();
    }
}
