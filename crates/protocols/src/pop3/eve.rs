//! EVE records of type `pop3`: a command and its answer.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::transaction::Pop3Transaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("pop3", LogDirection::Flow, |_| Box::new(Pop3Writer));

#[derive(Debug)]
struct Pop3Writer;

impl EveWriter for Pop3Writer {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<Pop3Transaction>(transaction) else { return false };
        if let Some(request) = &tx.request {
            json.object("request");
            json.string("command", &request.word);
            json.strings("args", &request.arguments);
            json.close_object();
        }
        if let Some(response) = &tx.response {
            json.object("response");
            json.boolean("success", response.success);
            json.string("status", if response.success { "OK" } else { "ERR" });
            json.string("header", &response.header);
            json.strings("data", &response.data);
            json.close_object();
        }
        true
    }
}
