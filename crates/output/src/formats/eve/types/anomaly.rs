//! `anomaly` records.

use super::super::header::{Head, Source};
use super::super::{Log, packet};
use super::{Entry, RecordType, TypeWriter};
use crate::format::RecordKind;
use crate::record::{AnomalyRecord, Record, RecordContext};

/// Bytes of the packet shown with `packethdr`.
const PACKET_HEADER_BYTES: usize = 32;

/// Packets, streams and messages that break their rules.
pub(super) static TYPE: RecordType = RecordType {
    name: "anomaly",
    records: &[
        (RecordKind::DecodeAnomaly, "anomaly"),
        (RecordKind::StreamAnomaly, "anomaly"),
        (RecordKind::ApplicationAnomaly, "anomaly"),
    ],
    open: |entry| Ok(Box::new(Anomalies::read(entry))),
};

struct Anomalies {
    /// Packets that break their format.
    decode: bool,
    /// Streams that break TCP.
    stream: bool,
    /// Messages that break their protocol.
    applayer: bool,
    /// The packet's header in Base64.
    packethdr: bool,
}

impl Anomalies {
    fn read(entry: &Entry<'_>) -> Self {
        let types = entry.section.section("types");
        Self {
            decode: types.flag("decode", false),
            stream: types.flag("stream", false),
            applayer: types.flag("applayer", true),
            packethdr: entry.section.flag("packethdr", types.flag("packethdr", false)),
        }
    }
}

impl TypeWriter for Anomalies {
    fn wants(&self, kind: RecordKind) -> bool {
        match kind {
            RecordKind::DecodeAnomaly => self.decode,
            RecordKind::StreamAnomaly => self.stream,
            _ => self.applayer,
        }
    }

    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let Record::Anomaly(record) = record else { return };
        let mut head = Head::new("anomaly", Source::Sender);
        if let AnomalyRecord::Application { transaction, .. } = record {
            head.transaction = *transaction;
        }
        log.line(cx, &head, |_, json| {
            if self.packethdr
                && let Some(packet) = cx.packet
                && !matches!(record, AnomalyRecord::Application { .. })
            {
                packet::write(packet, PACKET_HEADER_BYTES, json);
            }
            json.object("anomaly");
            match record {
                AnomalyRecord::Decode { event } => {
                    json.string("type", "decode");
                    json.string("event", format!("decoder.{event}"));
                }
                AnomalyRecord::Stream { event } => {
                    json.string("type", "stream");
                    json.string("event", format!("stream.{event}"));
                }
                AnomalyRecord::Application { layer, event, .. } => {
                    json.optional_string("app_proto", cx.flow.and_then(|flow| flow.app.protocol));
                    json.string("type", "applayer");
                    json.string("event", event);
                    json.string("layer", layer);
                }
            }
            json.close_object();
            true
        });
    }
}
