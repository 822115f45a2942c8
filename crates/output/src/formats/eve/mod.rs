//! EVE: JSON lines, one for each record, as readers of Suricata's `eve.json` know them.
//!
//! A file of `types/` for each type of records, a protocol's own for those of transactions; what all have in
//! common is in `header.rs`.

mod header;
mod metadata;
pub mod options;
mod packet;
mod transaction;
mod types;
mod xff;

use std::sync::Arc;

use weir_applayer::{EveLog, EveWriter, Protocol};
use weir_base::JsonWriter;
use weir_config::eve::XffSettings;
use weir_config::{ConfigError, EveSettings, Settings};
use weir_flow::FlowId;

use crate::format::{Format, RecordKind, RecordKinds};
use crate::outlet::{OutletId, Outlets};
use crate::record::{FileRecord, Record, RecordContext};
use crate::timestamp::TimeWriter;

use types::{Entry, Files, TYPES, TypeWriter};

pub use options::{AlertOverlay, NodeOptions, VersionedOptions};
pub use types::event_type;

/// The facts that the engine tells every EVE log.
#[derive(Clone, Debug, Default)]
pub struct EveEnvironment {
    /// Packets can be held back: drops are real.
    pub inline: bool,
    /// There is a firewall: alerts say whether it raised them.
    pub firewall: bool,
    /// A capture is read: records show packet numbers.
    pub offline: bool,
    /// The engine's version for `suricata_version`.
    pub version: String,
}

/// A type's part of one log.
struct TypeLog {
    kinds: RecordKinds,
    writer: Box<dyn TypeWriter>,
}

/// A protocol's part of one log.
struct ProtocolLog {
    protocol: &'static Protocol,
    log: &'static EveLog,
    /// Writes records of its own; none where its type is off.
    record: Option<Box<dyn EveWriter>>,
    /// Writes what alerts show of a transaction.
    in_alerts: Box<dyn EveWriter>,
    /// Writes what records of files show of it, none of which is what options of alerts ask for.
    in_files: Box<dyn EveWriter>,
    xff: Option<XffSettings>,
}

/// One `eve-log`, configured; shared by all workers.
///
/// It has a field for each option that holds for all of a log's records.
pub struct EvePlan {
    environment: EveEnvironment,
    prefix: String,
    community_id: Option<u16>,
    zeek_uid: bool,
    metadata: bool,
    capture_file: bool,
    packet_comment: bool,
    ethernet: bool,
    version: bool,
    sensor_name: Option<String>,
    /// The types in use that are written here.
    types: Vec<TypeLog>,
    /// By [`address`].
    protocols: Vec<ProtocolLog>,
    kinds: RecordKinds,
}

/// Documented types that nothing of this release writes.
const WITHOUT_RECORDS: [&str; 6] = ["engine", "metadata", "sdp", "stream_tcp", "telnet", "template"];

/// Whether there may be an entry of `types` by this name.
fn is_known(name: &str, protocols: &[&'static Protocol]) -> bool {
    TYPES.iter().any(|row| row.name == name)
        || protocols.iter().filter_map(|protocol| protocol.eve).any(|log| log.entries().contains(&name))
        || WITHOUT_RECORDS.contains(&name)
}

/// Where the static of a protocol lies, by which it is found quickly.
fn address(protocol: &Protocol) -> usize {
    std::ptr::from_ref(protocol).addr()
}

impl EvePlan {
    /// Reads one log's settings. `complain` is called with a sentence for what cannot be used.
    pub fn new(
        settings: &Settings,
        log: &EveSettings,
        protocols: &[&'static Protocol],
        environment: EveEnvironment,
        complain: &dyn Fn(String),
    ) -> Result<Self, ConfigError> {
        for entry in log.types.iter().filter(|entry| !is_known(&entry.name, protocols)) {
            complain(format!("No protocol writes records of type {}: it is left out", entry.name));
        }
        let types = types_of(log, settings)?;
        let protocols = protocols_of(log, protocols, complain);
        let mut kinds = types.iter().fold(RecordKinds::default(), |all, log| all.union(log.kinds));
        if protocols.iter().any(|protocol| protocol.record.is_some()) {
            kinds.add(RecordKind::Transaction);
        }
        Ok(Self {
            environment,
            prefix: log.prefix.clone(),
            community_id: log.community_id,
            zeek_uid: log.zeek_uid,
            metadata: log.metadata,
            capture_file: log.pcap_file,
            packet_comment: log.pcap_comment,
            ethernet: log.ethernet,
            version: log.suricata_version,
            sensor_name: log.sensor_name.clone(),
            types,
            protocols,
            kinds,
        })
    }

    fn protocol(&self, protocol: &Protocol) -> Option<&ProtocolLog> {
        let place = self.protocols.binary_search_by_key(&address(protocol), |log| address(log.protocol));
        self.protocols.get(place.ok()?)
    }

    fn files(&self) -> Option<&Files> {
        self.types.iter().find_map(|log| log.writer.files())
    }

    /// Hashes that must be computed of every file: `md5`, `sha1`, `sha256`.
    pub fn forced_hashes(&self) -> &[String] {
        self.files().map_or(&[], |files| &files.force_hash)
    }

    /// Whether records of files have libmagic's description.
    pub fn forces_magic(&self) -> bool {
        self.files().is_some_and(|files| files.force_magic)
    }

    /// Whether comments on packets are wanted.
    pub const fn wants_comments(&self) -> bool {
        self.packet_comment
    }

    /// Whether link-layer addresses of flows are wanted.
    pub const fn wants_macs(&self) -> bool {
        self.ethernet && self.kinds.has(RecordKind::FlowEnd)
    }
}

/// The types that are written here and on, in the order of the table.
fn types_of(log: &EveSettings, settings: &Settings) -> Result<Vec<TypeLog>, ConfigError> {
    let mut types = Vec::new();
    for row in TYPES {
        // The last one of several entries holds.
        let Some(entry) = log.types.iter().rfind(|entry| entry.name == row.name) else { continue };
        let writer = (row.open)(&Entry { section: entry.section(settings), xff: entry.xff.clone() })?;
        let kinds =
            row.records.iter().map(|(kind, _)| *kind).filter(|kind| writer.wants(*kind)).collect::<Vec<_>>();
        types.push(TypeLog { kinds: RecordKinds::of(&kinds), writer });
    }
    Ok(types)
}

/// Returns each protocol's part of the log, by [`address`].
fn protocols_of(
    settings: &EveSettings,
    protocols: &[&'static Protocol],
    complain: &dyn Fn(String),
) -> Vec<ProtocolLog> {
    let alert_node = settings.record_type("alert").map(|record| &record.node);
    let mut logs = Vec::new();
    for protocol in protocols {
        let Some(log) = protocol.eve else { continue };
        let own = log.entries().iter().find_map(|entry| settings.record_type(entry));
        let record = own.map(|own| {
            let options = NodeOptions::new(Some(&own.node), complain);
            (log.configure)(&VersionedOptions::new(&options, log.event_type))
        });
        let in_alerts = (log.configure)(&AlertOverlay::new(alert_node));
        let in_files = (log.configure)(&AlertOverlay::new(None));
        let xff = own.and_then(|own| own.xff.clone());
        logs.push(ProtocolLog { protocol, log, record, in_alerts, in_files, xff });
    }
    logs.sort_unstable_by_key(|log| address(log.protocol));
    logs
}

/// A worker's writer of one log.
pub struct Eve {
    plan: Arc<EvePlan>,
    outlet: OutletId,
    pen: Pen,
}

/// The state that is kept from one record to the next.
#[derive(Debug, Default)]
struct Pen {
    time: TimeWriter,
    start: TimeWriter,
    /// The community id of the flow of the record before.
    community: Option<(FlowId, Vec<u8>)>,
    /// A payload being gathered.
    payload: Vec<u8>,
}

/// Writes one record.
struct RecordWriter<'w> {
    plan: &'w EvePlan,
    pen: &'w mut Pen,
}

/// Where the lines of a record go.
enum Target<'w> {
    /// To a log.
    Outlet(&'w mut Outlets, OutletId),
    /// They are wanted by themselves, without an end of line.
    Text(&'w mut Vec<u8>),
}

/// A log that a record is written to.
struct Log<'w> {
    eve: RecordWriter<'w>,
    target: Target<'w>,
}

impl Eve {
    /// Writes to `outlet`.
    pub fn new(plan: Arc<EvePlan>, outlet: OutletId) -> Self {
        Self { plan, outlet, pen: Pen::default() }
    }
}

impl Log<'_> {
    /// Writes one line: `write` fills the record's object, whose header is there, and answers whether
    /// there is anything to log.
    fn line(
        &mut self,
        cx: &RecordContext<'_>,
        head: &header::Head<'_>,
        write: impl FnOnce(&mut RecordWriter<'_>, &mut JsonWriter<'_>) -> bool,
    ) {
        let Self { eve, target } = self;
        let text = |bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(eve.plan.prefix.as_bytes());
            let mut json = JsonWriter::new(bytes);
            eve.open(cx, head, &mut json);
            let is_logged = write(eve, &mut json);
            if is_logged {
                eve.close(cx, &mut json);
            }
            is_logged
        };
        match target {
            Target::Outlet(out, outlet) => out.line(*outlet, cx.position, text),
            Target::Text(bytes) => {
                text(bytes);
            }
        }
    }

    /// Writes what the types in use show of a record.
    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>) {
        if let Record::Transaction(transaction) = record {
            self.transaction(cx, transaction);
            return;
        }
        let plan = self.eve.plan;
        for log in plan.types.iter().filter(|log| log.kinds.has(record.kind())) {
            log.writer.write(self, cx, record);
        }
    }
}

/// Writes `fileinfo` records that stand by themselves.
pub struct FileDescriber {
    plan: Arc<EvePlan>,
    pen: Pen,
}

impl FileDescriber {
    /// Writes as `plan` says.
    pub fn new(plan: Arc<EvePlan>) -> Self {
        Self { plan, pen: Pen::default() }
    }

    /// Returns what is known of a file, as JSON.
    pub fn describe(&mut self, cx: &RecordContext<'_>, record: &FileRecord<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        let eve = RecordWriter { plan: &self.plan, pen: &mut self.pen };
        Log { eve, target: Target::Text(&mut text) }.record(cx, &Record::File(*record));
        text
    }
}

impl Format for Eve {
    fn wants(&self) -> RecordKinds {
        self.plan.kinds
    }

    fn wants_protocol(&self, protocol: &'static Protocol) -> bool {
        self.plan.protocol(protocol).is_some_and(|p| p.record.is_some())
    }

    fn shows_streams(&self) -> bool {
        self.plan.types.iter().any(|log| log.writer.shows_streams())
    }

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets) {
        if !self.wants().has(record.kind()) {
            return;
        }
        let eve = RecordWriter { plan: &self.plan, pen: &mut self.pen };
        Log { eve, target: Target::Outlet(out, self.outlet) }.record(cx, record);
    }
}

#[cfg(test)]
mod tests;
