//! Outputs: what happened becomes records, a format makes lines of them, a log thread writes the
//! lines to sinks.
//!
//! A [`Record`] borrows everything it speaks of; nothing is formatted before a [`Format`] asks for
//! it. A worker owns its formats and its [`Outlets`], whose buffers are handed in chunks to the one
//! thread of the [`LogWriter`]. Formats are `formats/{eve, fast, stats_log, zeek}`, sinks are
//! `sinks/{file, file_store, streams, pcap_log, connected, datagram, syslog, network, parquet}`; neither knows the other.

pub mod address;
pub mod assembly;
pub mod certificate_store;
pub mod community_id;
pub mod file_store;
mod filename;
pub mod format;
pub mod formats;
pub mod known;
pub mod outlet;
pub mod pcap_log;
pub mod protocol_number;
pub mod record;
mod rotation;
pub mod sinks;
pub mod timestamp;
pub mod writer;

#[cfg(test)]
mod samples;

pub use assembly::{Environment, Outputs, Warning, without_kafka, without_parquet};
pub use certificate_store::{CertificateStore, Occasion};
pub use file_store::{FileStore, FileStoreSettings};
pub use format::{Format, RecordKind, RecordKinds};
pub use formats::zeek::{ZeekEncoding, ZeekFiles, ZeekForm, ZeekLogSet, ZeekPlaces, ZeekTimes};
pub use outlet::{Existing, OutletId, OutletSettings, Outlets, OutletsAt};
pub use record::{
    AlertRecord, AnomalyRecord, AppProtocols, CaptureFacts, DataPlace, DataRecord, DropRecord, FileRecord,
    FlowEndRecord, FlowMacs, FlowView, FrameRecord, PayloadPiece, Record, RecordContext, RejectTarget,
    StatsRecord, StreamPayload, StreamRecord, TcpSummary, TransactionRecord, Verdict, VerdictAction,
};
pub use sinks::network::HAS_KAFKA;
pub use sinks::parquet::HAS_PARQUET;
pub use writer::{FLUSH_EVERY, LogError, LogReport, LogWriter, Order, RecordCounts};
