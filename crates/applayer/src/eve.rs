//! EVE records of a protocol's transactions.

use std::marker::PhantomData;

use weir_base::JsonWriter;

use crate::options::Options;
use crate::parser::Endpoints;
use crate::transaction::{Transaction, downcast};

/// Addresses that a record's `src_ip` and `dest_ip` have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogDirection {
    /// The packet's that finished the transaction.
    Packet,
    /// The client's as source.
    Flow,
    /// The sender's of the transaction's only direction, where it has one; else the client's.
    Transaction,
}

/// Writes what one event type says of a transaction.
pub trait EveWriter: Send + Sync {
    /// Writes the fields of the object named [`EveLog::key`], which is already open. False: there is
    /// nothing to log, and the object is taken back.
    fn write(&self, transaction: &dyn Transaction, endpoints: &Endpoints, json: &mut JsonWriter<'_>) -> bool;

    /// Writes further objects behind the one of [`EveWriter::write`].
    fn write_beside(&self, transaction: &dyn Transaction, json: &mut JsonWriter<'_>) {
        let _ = (transaction, json);
    }

    /// Whether the transaction is logged as a record of its own (an alert shows it all the same).
    fn logs(&self, transaction: &dyn Transaction) -> bool {
        let _ = transaction;
        true
    }

    /// Returns the record's addresses, where the configuration changes [`EveLog::direction`].
    fn direction(&self) -> Option<LogDirection> {
        None
    }
}

/// Makes a writer of a function that writes the object of a transaction of type `T`, as [`EveWriter::write`] does.
pub fn writer<T, F>(write: F) -> Box<dyn EveWriter>
where
    T: Transaction,
    F: Fn(&T, &mut JsonWriter<'_>) -> bool + Send + Sync + 'static,
{
    Box::new(By { write, of: PhantomData::<fn(&T)> })
}

struct By<T, F> {
    write: F,
    of: PhantomData<fn(&T)>,
}

impl<T, F> EveWriter for By<T, F>
where
    T: Transaction,
    F: Fn(&T, &mut JsonWriter<'_>) -> bool + Send + Sync,
{
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        downcast::<T>(transaction).is_some_and(|transaction| (self.write)(transaction, json))
    }
}

/// The EVE records of a protocol.
pub struct EveLog {
    /// `event_type`, and the entry of the configuration's `types`.
    pub event_type: &'static str,
    /// Entries of `types` in place of the one by the name of the event type; of several, the first that is there.
    pub other_entries: &'static [&'static str],
    /// The key of the object.
    pub key: &'static str,
    /// Addresses of the record.
    pub direction: LogDirection,
    /// The states, to the server and to the client, from which on the transaction is logged; the
    /// protocol's last states where it must be complete.
    pub log_at: Option<(crate::Progress, crate::Progress)>,
    /// Reads the event type's configuration once.
    pub configure: fn(&dyn Options) -> Box<dyn EveWriter>,
}

impl EveLog {
    /// The records of complete transactions, in an object that goes by the event type's name.
    pub const fn new(
        event_type: &'static str,
        direction: LogDirection,
        configure: fn(&dyn Options) -> Box<dyn EveWriter>,
    ) -> Self {
        Self { event_type, other_entries: &[], key: event_type, direction, log_at: None, configure }
    }

    /// The entries of `types` that switch the records on; of several, the first that is there.
    pub const fn entries(&self) -> &[&'static str] {
        match self.other_entries {
            [] => std::slice::from_ref(&self.event_type),
            others => others,
        }
    }
}
