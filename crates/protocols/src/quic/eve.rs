//! EVE records of type `quic`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::JsonWriter;

use super::transaction::QuicTransaction;
use super::version::Version;
use crate::settings::Fingerprints;
use crate::tls::fingerprint::Ja3;

/// The record type.
pub static EVE: EveLog = EveLog::new("quic", LogDirection::Packet, configure);

#[derive(Debug)]
struct QuicWriter {
    /// Whether JA4 is shown, where the records' own setting says it.
    ja4: Option<bool>,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    let ja4 = options.text("ja4").map(|_| options.flag("ja4", true));
    Box::new(QuicWriter { ja4 })
}

impl EveWriter for QuicWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<QuicTransaction>(transaction) else { return false };
        let Some(version) = tx.version else { return false };
        json.string("version", Version(u32::from_be_bytes(version)).eve());
        json.optional_string("sni", tx.server_name());
        if let Some(agent) = tx.user_agent() {
            json.string("ua", agent);
        }
        if let Some(hello) = &tx.google {
            json.array("cyu");
            json.open_object();
            json.string("hash", &hello.cyu.hash);
            json.string("string", &hello.cyu.string);
            json.close_object();
            json.close_array();
        }
        fingerprint("ja3", tx.ja3(), json);
        fingerprint("ja3s", tx.ja3s(), json);
        if self.ja4.unwrap_or(tx.settings.ja4 == Fingerprints::Yes)
            && let Some(ja4) = tx.ja4()
        {
            json.string("ja4", ja4);
        }
        if let Some(hello) = &tx.hello {
            hello.write_extensions(json);
        }
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        downcast::<QuicTransaction>(transaction).is_some_and(|tx| tx.version.is_some())
    }
}

fn fingerprint(key: &str, fingerprint: Option<&Ja3>, json: &mut JsonWriter<'_>) {
    if let Some(fingerprint) = fingerprint {
        json.object(key);
        json.string("hash", &fingerprint.hash);
        json.string("string", &fingerprint.string);
        json.close_object();
    }
}
