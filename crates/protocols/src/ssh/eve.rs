//! EVE records of type `ssh`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::{Direction, JsonWriter};

use super::transaction::{BANNER_DONE, SshTransaction};
use crate::settings::Fingerprints;

/// The record type.
pub static EVE: EveLog = EveLog {
    log_at: Some((BANNER_DONE, BANNER_DONE)),
    ..EveLog::new("ssh", LogDirection::Flow, |_| Box::new(SshWriter))
};

#[derive(Debug)]
struct SshWriter;

impl EveWriter for SshWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<SshTransaction>(transaction) else { return false };
        let mut any = false;
        for (key, direction) in [("client", Direction::ToServer), ("server", Direction::ToClient)] {
            let Some(banner) = &tx.sides[direction].banner else { continue };
            any = true;
            json.object(key);
            json.string("proto_version", banner.version());
            json.optional_string("software_version", banner.software());
            // Of what scripts alone ask for, records say nothing.
            if tx.settings.hassh == Fingerprints::Yes
                && let Some(hassh) = tx.hassh(direction)
            {
                json.object("hassh");
                json.string("hash", &hassh.hash);
                json.string("string", &hassh.string);
                json.close_object();
            }
            json.close_object();
        }
        any
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        downcast::<SshTransaction>(transaction)
            .is_some_and(|tx| Direction::BOTH.iter().any(|&direction| tx.sides[direction].banner.is_some()))
    }
}
