//! EVE records of type `websocket`.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::JsonWriter;

use super::frame::{FIN, opcode};
use super::transaction::WebSocketTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("websocket", LogDirection::Packet, configure);

/// Shows payloads in alerts alone, where those have the options.
#[derive(Debug)]
struct WebSocketWriter {
    base64: bool,
    printable: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(WebSocketWriter {
        base64: options.flag("websocket-payload", false),
        printable: options.flag("websocket-payload-printable", false),
    })
}

impl EveWriter for WebSocketWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<WebSocketTransaction>(transaction) else { return false };
        json.boolean("fin", tx.flags & FIN != 0);
        json.optional_unsigned("mask", tx.mask);
        let name = opcode::NAMES.iter().find(|(_, number)| *number == u64::from(tx.opcode));
        json.string(
            "opcode",
            name.map_or_else(
                || Cow::Owned(format!("unknown-{}", tx.opcode)),
                |(name, _)| Cow::Borrowed(*name),
            )
            .as_bytes(),
        );
        if self.base64 {
            json.string("payload_base64", STANDARD.encode(&tx.payload));
        }
        if self.printable {
            json.string("payload_printable", String::from_utf8_lossy(&tx.payload).as_bytes());
        }
        true
    }
}
