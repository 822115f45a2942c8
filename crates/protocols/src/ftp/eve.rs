//! EVE records of type `ftp`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::transaction::{FtpTransaction, Reply};

/// The record type.
pub static EVE: EveLog = EveLog::new("ftp", LogDirection::Flow, |_| eve::writer(write));

fn write(tx: &FtpTransaction, json: &mut JsonWriter<'_>) -> bool {
    if let Some(command) = tx.named() {
        json.string("command", command.name());
        if !tx.argument.is_empty() {
            json.string("command_data", &tx.argument);
            json.boolean("command_truncated", tx.command_truncated);
        }
    }
    json.some_strings("completion_code", tx.replies.iter().filter_map(Reply::final_code));
    // Other than everywhere else, bytes that are no text are not told apart.
    let text = |reply: &[u8]| String::from_utf8_lossy(reply).into_owned();
    json.some_strings("reply", tx.replies.iter().filter_map(Reply::shown).map(text));
    json.optional_unsigned("dynamic_port", tx.port);
    if let Some(mode) = tx.mode() {
        json.string("mode", mode.name());
    }
    json.string("reply_received", if tx.replied { "yes" } else { "no" });
    json.boolean("reply_truncated", tx.reply_truncated);
    true
}
