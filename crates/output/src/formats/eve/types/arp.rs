//! `arp` records.

use weir_base::{JsonWriter, hex};

use super::super::Log;
use super::super::header::{Head, Source};
use super::{RecordType, TypeWriter};
use crate::address;
use crate::format::RecordKind;
use crate::record::{Record, RecordContext};

/// Packets of ARP.
pub(super) static TYPE: RecordType =
    RecordType { name: "arp", records: &[(RecordKind::Arp, "arp")], open: |_| Ok(Box::new(Arp)) };

struct Arp;

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

impl TypeWriter for Arp {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, _: &Record<'_>) {
        let Some(arp) = cx.packet.and_then(|packet| packet.arp) else { return };
        log.line(cx, &Head::new("arp", Source::Sender), |_, json| {
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
