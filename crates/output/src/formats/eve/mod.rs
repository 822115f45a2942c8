//! EVE: JSON lines, one for each record, as readers of Suricata's `eve.json` know them.
//!
//! One file for each family of records; what all have in common is in `header.rs`.

mod alert;
mod anomaly;
mod arp;
mod drop;
mod fileinfo;
mod flow;
mod frame;
mod header;
mod metadata;
mod netflow;
pub mod options;
mod packet;
mod stats;
mod stream;
mod transaction;
mod xff;

use std::sync::Arc;

use weir_applayer::{EveLog, EveWriter, Protocol};
use weir_base::JsonWriter;
use weir_config::EveSettings;
use weir_config::eve::{
    AlertOptions, AnomalyOptions, DropOptions, EveOptions, FileOptions, StatsOptions, StreamLogOptions,
    XffSettings,
};
use weir_flow::FlowId;

use crate::format::{Format, RecordKind, RecordKinds};
use crate::outlet::{OutletId, Outlets};
use crate::record::{FileRecord, Record, RecordContext};
use crate::timestamp::TimeWriter;

pub use options::{AlertOverlay, NodeOptions, VersionedOptions};

/// What the engine tells every EVE log.
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

/// A protocol's part of one log.
struct ProtocolLog {
    protocol: &'static Protocol,
    log: &'static EveLog,
    /// Writes records of its own; none where its type is off.
    record: Option<Box<dyn EveWriter>>,
    /// Writes what alerts and files show of a transaction.
    detail: Box<dyn EveWriter>,
    xff: Option<XffSettings>,
}

/// One `eve-log`, configured; shared by all workers.
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
    alert: Option<AlertOptions>,
    anomaly: Option<AnomalyOptions>,
    drop: Option<DropOptions>,
    stream: Option<StreamLogOptions>,
    stats: Option<StatsOptions>,
    files: Option<(FileOptions, Option<XffSettings>)>,
    flow: bool,
    netflow: bool,
    arp: bool,
    /// Frames are logged, with at most so many bytes of payload.
    frame: Option<u32>,
    /// By [`address`].
    protocols: Vec<ProtocolLog>,
    kinds: RecordKinds,
}

/// The documented types that no protocol of this release brings: those written here and those
/// that are known all the same.
const KNOWN_TYPES: &str = "alert anomaly drop stats files flow netflow arp frame metadata stream engine \
    stream_tcp http http2 doh2 dns mdns tls ssh smtp ftp ftp_data smb nfs tftp ike krb5 quic snmp rfb sip \
    sdp dhcp mqtt ldap pop3 rdp dnp3 enip modbus pgsql websocket bittorrent-dht bittorrent_dht dcerpc \
    template telnet";

/// The entries of `types` that a protocol's records come with, the first one that there is: one for their
/// type, or for the protocol where the type is another one's too.
fn entries_of(
    protocol: &Protocol,
    event_type: &'static str,
    protocols: &[&'static Protocol],
) -> [&'static str; 2] {
    match event_type {
        "ftp_data" => [event_type, "ftp"],
        _ if protocol.eve_name != event_type
            && protocols.iter().any(|other| other.eve_name == event_type) =>
        {
            [protocol.eve_name; 2]
        }
        _ => [event_type; 2],
    }
}

/// Where the static of a protocol lies, by which it is found quickly.
fn address(protocol: &Protocol) -> usize {
    std::ptr::from_ref(protocol).addr()
}

impl EvePlan {
    /// Reads one log's settings. `complain` is told, in a sentence, of what cannot be used.
    pub fn new(
        settings: &EveSettings,
        protocols: &[&'static Protocol],
        environment: EveEnvironment,
        complain: &dyn Fn(String),
    ) -> Self {
        let mut plan = Self {
            environment,
            prefix: settings.prefix.clone(),
            community_id: settings.community_id,
            zeek_uid: settings.zeek_uid,
            metadata: settings.metadata,
            capture_file: settings.pcap_file,
            packet_comment: settings.pcap_comment,
            ethernet: settings.ethernet,
            version: settings.suricata_version,
            sensor_name: settings.sensor_name.clone(),
            alert: None,
            anomaly: None,
            drop: None,
            stream: None,
            stats: None,
            files: None,
            flow: settings.record_type("flow").is_some(),
            netflow: settings.record_type("netflow").is_some(),
            arp: settings.record_type("arp").is_some(),
            frame: None,
            protocols: Vec::new(),
            kinds: RecordKinds::default(),
        };
        for record in &settings.types {
            match &record.options {
                EveOptions::Alert(options) => plan.alert = Some(options.clone()),
                EveOptions::Anomaly(options) => plan.anomaly = Some(*options),
                EveOptions::Drop(options) => plan.drop = Some(*options),
                EveOptions::Stream(options) => plan.stream = Some(*options),
                EveOptions::Stats(options) => plan.stats = Some(*options),
                EveOptions::Frame { payload_buffer_size } => plan.frame = Some(*payload_buffer_size),
                EveOptions::Files(options) => plan.files = Some((options.clone(), record.xff.clone())),
                EveOptions::Dns(_) | EveOptions::Fields(_) => {
                    let known = KNOWN_TYPES.split(' ').any(|known| known == record.name)
                        || protocols.iter().any(|p| p.eve.is_some_and(|e| e.event_type == record.name));
                    if !known {
                        complain(format!(
                            "No protocol writes records of type {}: it is left out",
                            record.name
                        ));
                    }
                }
            }
        }
        let alert_node = settings.record_type("alert").map(|record| &record.node);
        for protocol in protocols {
            let Some(log) = protocol.eve else { continue };
            let entries = entries_of(protocol, log.event_type, protocols);
            let own = entries.into_iter().find_map(|entry| settings.record_type(entry));
            let record = own.map(|own| {
                let options = NodeOptions::new(Some(&own.node), complain);
                (log.configure)(&VersionedOptions::new(&options, log.event_type))
            });
            let detail = (log.configure)(&AlertOverlay::new(alert_node));
            let xff = own.and_then(|own| own.xff.clone());
            plan.protocols.push(ProtocolLog { protocol, log, record, detail, xff });
        }
        plan.protocols.sort_unstable_by_key(|log| address(log.protocol));
        plan.kinds = plan.wanted();
        plan
    }

    /// The kinds of records that the types in use make.
    fn wanted(&self) -> RecordKinds {
        let mut kinds = RecordKinds::default();
        let mut add = |wanted: bool, kind| {
            if wanted {
                kinds.add(kind);
            }
        };
        add(self.alert.is_some(), RecordKind::Alert);
        add(self.alert.as_ref().is_some_and(|a| a.tagged_packets), RecordKind::TaggedPacket);
        add(self.drop.is_some(), RecordKind::Drop);
        add(self.stream.is_some(), RecordKind::Stream);
        add(self.files.is_some(), RecordKind::File);
        add(self.flow || self.netflow, RecordKind::FlowEnd);
        add(self.stats.is_some(), RecordKind::Stats);
        add(self.arp, RecordKind::Arp);
        add(self.frame.is_some(), RecordKind::Frame);
        add(self.protocols.iter().any(|p| p.record.is_some()), RecordKind::Transaction);
        if let Some(anomaly) = &self.anomaly {
            add(anomaly.decode, RecordKind::DecodeAnomaly);
            add(anomaly.stream, RecordKind::StreamAnomaly);
            add(anomaly.applayer, RecordKind::ApplicationAnomaly);
        }
        kinds
    }

    fn protocol(&self, protocol: &Protocol) -> Option<&ProtocolLog> {
        let place = self.protocols.binary_search_by_key(&address(protocol), |log| address(log.protocol));
        self.protocols.get(place.ok()?)
    }

    /// Hashes that must be computed of every file: `md5`, `sha1`, `sha256`.
    pub fn forced_hashes(&self) -> &[String] {
        self.files.as_ref().map_or(&[], |(options, _)| &options.force_hash)
    }

    /// Whether records of files tell what each is, in words.
    pub fn forces_magic(&self) -> bool {
        self.files.as_ref().is_some_and(|(options, _)| options.force_magic)
    }

    /// Whether files are logged at all.
    pub const fn logs_files(&self) -> bool {
        self.files.is_some()
    }

    /// Whether comments on packets are wanted.
    pub const fn wants_comments(&self) -> bool {
        self.packet_comment
    }

    /// Whether link-layer addresses of flows are wanted.
    pub const fn wants_macs(&self) -> bool {
        self.ethernet && (self.flow || self.netflow)
    }
}

/// A worker's writer of one log.
pub struct Eve {
    plan: Arc<EvePlan>,
    outlet: OutletId,
    pen: Pen,
}

/// What is kept from one record to the next.
#[derive(Debug, Default)]
struct Pen {
    time: TimeWriter,
    start: TimeWriter,
    /// The community id of the flow of the record before.
    community: Option<(FlowId, Vec<u8>)>,
    /// A payload being gathered.
    payload: Vec<u8>,
    printable: Vec<u8>,
}

impl Pen {
    /// The payload gathered, as text: a byte that would not show becomes a dot.
    fn write_printable(&mut self, key: &str, json: &mut JsonWriter<'_>) {
        self.printable.clear();
        self.printable.extend(self.payload.iter().map(|byte| match byte {
            0x20..=0x7e | b'\n' | b'\r' => *byte,
            _ => b'.',
        }));
        json.string(key, &self.printable);
    }
}

/// Writes one record.
struct RecordWriter<'w> {
    plan: &'w EvePlan,
    outlet: OutletId,
    pen: &'w mut Pen,
}

impl Eve {
    /// Writes to `outlet`.
    pub fn new(plan: Arc<EvePlan>, outlet: OutletId) -> Self {
        Self { plan, outlet, pen: Pen::default() }
    }
}

impl RecordWriter<'_> {
    /// One line: `write` fills the record's object, whose header is there, and answers whether
    /// there is anything to log.
    fn line(
        &mut self,
        cx: &RecordContext<'_>,
        head: &header::Head<'_>,
        out: &mut Outlets,
        write: impl FnOnce(&mut Self, &mut JsonWriter<'_>) -> bool,
    ) {
        out.line(self.outlet, cx.position, |bytes| self.text(cx, head, bytes, write));
    }

    /// The same without a line end.
    fn text(
        &mut self,
        cx: &RecordContext<'_>,
        head: &header::Head<'_>,
        bytes: &mut Vec<u8>,
        write: impl FnOnce(&mut Self, &mut JsonWriter<'_>) -> bool,
    ) -> bool {
        bytes.extend_from_slice(self.plan.prefix.as_bytes());
        let mut json = JsonWriter::new(bytes);
        self.open(cx, head, &mut json);
        if !write(self, &mut json) {
            return false;
        }
        self.close(cx, &mut json);
        true
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

    /// What is known of a file.
    pub fn describe(&mut self, cx: &RecordContext<'_>, record: &FileRecord<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        // There is no outlet that it is for.
        let outlet = OutletId(u16::MAX);
        RecordWriter { plan: &self.plan, outlet, pen: &mut self.pen }.fileinfo_text(cx, record, &mut text);
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

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets) {
        if !self.wants().has(record.kind()) {
            return;
        }
        let mut writer = RecordWriter { plan: &self.plan, outlet: self.outlet, pen: &mut self.pen };
        match record {
            Record::Alert(alert) => writer.alert(cx, alert, out),
            Record::Drop(drop) => writer.drop(cx, drop, out),
            Record::Stream(stream) => writer.stream(cx, stream, out),
            Record::Transaction(transaction) => writer.transaction(cx, transaction, out),
            Record::File(file) => {
                out.line(writer.outlet, cx.position, |bytes| writer.fileinfo_text(cx, file, bytes));
            }
            Record::Anomaly(anomaly) => writer.anomaly(cx, anomaly, out),
            Record::FlowEnd(end) => {
                if writer.plan.flow {
                    writer.flow(cx, end, out);
                }
                if writer.plan.netflow {
                    writer.netflow(cx, end, out);
                }
            }
            Record::Stats(stats) => writer.stats(cx, stats, out),
            Record::TaggedPacket => writer.packet(cx, out),
            Record::Arp => writer.arp(cx, out),
            Record::Frame(frame) => writer.frame(cx, frame, out),
            Record::Data(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
