//! The contract between the engine and its protocols.
//!
//! A protocol is one `static` [`Protocol`]: how it is recognised, how its parser is opened, which
//! [`Field`]s rules may look at, which anomalies it can raise, and what its EVE and Zeek records
//! look like. A [`Parser`] turns pushed bytes into [`Transaction`]s; the engine asks it for them by
//! id. Nothing here or below names a protocol.

pub mod audience;
pub mod body;
pub mod counters;
pub mod detection;
pub mod eve;
pub mod expectations;
pub mod extraction;
pub mod field;
pub mod file;
pub mod frame;
pub mod heard;
pub mod memory;
pub mod mime;
pub mod options;
pub mod parser;
pub mod ports;
pub mod protocol;
pub mod registry;
pub mod said;
pub mod script;
pub mod session;
#[cfg(test)]
mod toy;
pub mod transaction;
pub mod waiting;
pub mod zeek;

pub use body::Body;
pub use counters::{AppLayerCounters, FlowCounters};
pub use detection::{Candidate, Recogniser, Recognition};
pub use eve::{EveLog, EveWriter, LogDirection};
pub use expectations::{Expectations, Expected};
pub use field::{Access, Digits, Field, FieldDirection, TransactionCheck};
pub use file::{Digests, File, FileSettings, FileState};
pub use frame::{Frame, FrameBytes, FrameId, FrameKind, FrameKinds, FrameList, FrameSink, FrameWants};
pub use heard::{Heard, HeardMessage};
pub use memory::{Memory, TakenMemory};
pub use options::{NoOptions, Options, Shared};
pub use parser::{
    Carried, Early, Endpoints, Factory, Fork, Legacy, Outcome, ParseContext, Parser, Request, Step, factory,
    in_steps,
};
pub use protocol::{AnyPort, Hint, HintReaders, Probe, Protocol, Review, Transport};
pub use registry::{Enabled, Entry, ProtocolId, Registry};
pub use said::Said;
pub use script::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue};
pub use session::{
    AppSession, FlowEvent, ParserAnomaly, ParserFailure, SessionContext, SessionReport, SessionScratch,
};
pub use transaction::{
    Anomaly, Progress, Storage, Transaction, TransactionList, TxMeta, downcast, either_message, message,
};
pub use waiting::{Waiting, WaitingLimits, Waits};
pub use zeek::{ZeekConnection, ZeekLogger, ZeekLogs, ZeekSink, ZeekStream, ZeekType, ZeekValue};

#[doc(hidden)]
pub use weir_base::IdSet;
