//! Zeek's logs of a protocol: streams of rows, and the loggers that write them.

pub mod column;
mod events;
mod files;
mod found;
mod logger;
mod recognised;
mod sink;
mod stream;

pub use events::{EventRaiser, EventSink, EventTable, EventsByName};
pub use files::{FileFate, FilePart, HandlePart, OneFile, SentFile, WholeFile};
pub use found::{Handshake, ServerCertificate, Software, SoftwareHost, ZeekHabit, ZeekNotice};
pub use logger::{
    Datagram, DatagramLogger, DatagramLogs, FollowedDatagrams, News, Silent, ZeekLogger, ZeekLogs,
};
pub use recognised::{Announced, Begun, InnerService, Look, Oddity, Recognised, Watch, Watching};
pub use sink::{ZeekConnection, ZeekSink};
pub use stream::{JoinedRow, Script, ScriptColumn, ZeekMembers, ZeekStream, ZeekType, ZeekValue, ZeekValues};
