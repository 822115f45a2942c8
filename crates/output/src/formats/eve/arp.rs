//! `arp` records.

use weir_base::{JsonWriter, hex};

use super::RecordWriter;
use super::header::{Head, Source};
use crate::address;
use crate::outlet::Outlets;
use crate::record::RecordContext;

/// Operations by number (RFC 826, RFC 903, RFC 2390).
const OPERATIONS: [(u16, &str); 6] = [
    (1, "request"),
    (2, "reply"),
    (3, "rarp_request"),
    (4, "rarp_reply"),
    (8, "inverse_request"),
    (9, "inverse_reply"),
];

fn mac(json: &mut JsonWriter<'_>, key: &str, value: &[u8; 6]) {
    json.text(key, |out| hex::append_separated(out, value, b':'));
}

impl RecordWriter<'_> {
    pub(super) fn arp(&mut self, cx: &RecordContext<'_>, out: &mut Outlets) {
        let Some(arp) = cx.packet.and_then(|packet| packet.arp) else { return };
        self.line(cx, &Head::new("arp", Source::Sender), out, |_, json| {
            json.object("arp");
            json.string("hw_type", "ethernet");
            json.string("proto_type", "ipv4");
            let known = OPERATIONS.iter().find(|(number, _)| *number == arp.operation);
            json.string("opcode", known.map_or("unknown", |(_, name)| name));
            mac(json, "src_mac", &arp.source_mac);
            json.text("src_ip", |out| address::append_full(out, arp.source.into()));
            mac(json, "dest_mac", &arp.destination_mac);
            json.text("dest_ip", |out| address::append_full(out, arp.destination.into()));
            json.close_object();
            true
        });
    }
}
