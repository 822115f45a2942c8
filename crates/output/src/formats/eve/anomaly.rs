//! `anomaly` records.

use super::RecordWriter;
use super::header::{Head, Source};
use super::packet;
use crate::outlet::Outlets;
use crate::record::{AnomalyRecord, RecordContext};

/// Bytes of the packet shown with `packethdr`.
const PACKET_HEADER_BYTES: usize = 32;

impl RecordWriter<'_> {
    pub(super) fn anomaly(&mut self, cx: &RecordContext<'_>, record: &AnomalyRecord<'_>, out: &mut Outlets) {
        let header_wanted = self.plan.anomaly.is_some_and(|options| options.packethdr);
        let mut head = Head::new("anomaly", Source::Sender);
        if let AnomalyRecord::Application { transaction, .. } = record {
            head.transaction = *transaction;
        }
        self.line(cx, &head, out, |_, json| {
            if header_wanted
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
                    if let Some(protocol) = cx.flow.and_then(|flow| flow.app.protocol) {
                        json.string("app_proto", protocol);
                    }
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
