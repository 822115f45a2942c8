//! EVE records of type `dns` with an object `http` for each stream, and behind it one `dns` where the stream
//! carries a message: that of the response, or else that of the request.

use weir_applayer::{
    Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast, either_message,
};
use weir_base::JsonWriter;

use super::super::eve::write;
use crate::dns::eve::DnsWriter;

/// The record type; the configuration's `types` call it `doh2`.
pub static EVE: EveLog =
    EveLog { other_entries: &["doh2"], key: "http", ..EveLog::new("dns", LogDirection::Flow, configure) };

#[derive(Debug)]
struct Doh2Writer {
    dns: DnsWriter,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(Doh2Writer { dns: DnsWriter::read(options) })
}

impl EveWriter for Doh2Writer {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        downcast(transaction).is_some_and(|tx| write(tx, json))
    }

    fn write_beside(&self, transaction: &dyn Transaction, json: &mut JsonWriter<'_>) {
        if let Some(message) = either_message(transaction) {
            self.dns.write_carried(message, json);
        }
    }
}
