//! The bundled sample: every rule fires, both kinds of logs are written, and twice the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::run::Folder;

/// Packets and bytes as the headers of a little-endian pcap file count them.
fn counted(capture: &[u8]) -> (u64, u64) {
    let (mut offset, mut packets, mut bytes) = (24, 0, 0);
    while let Some(header) = capture.get(offset..offset + 16) {
        let length = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
        offset += 16 + length as usize;
        packets += 1;
        bytes += u64::from(length);
    }
    (packets, bytes)
}

#[test]
fn every_rule_of_the_sample_fires() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample");
    let (capture, rules) = (sample.join("sample.pcap"), sample.join("sample.rules"));
    let arguments = ["-r", &capture.to_string_lossy(), "-S", &rules.to_string_lossy(), "--zeek-logs=json"];
    let mut runs = Vec::new();
    for name in ["sample_first", "sample_second"] {
        let folder = Folder::new(name);
        let run = folder.weir(&[&arguments[..], &["--summary=json"]].concat());
        assert_eq!(run.code, 0, "{}", run.said());

        let summary = run.summary();
        let (packets, bytes) = counted(&fs::read(&capture).expect("the sample"));
        assert_eq!((&summary["packets"], &summary["bytes"]), (&packets.into(), &bytes.into()));
        assert_eq!(summary["rules"]["loaded"], 10, "{summary}");

        let alerts = folder.records("alert");
        let fired: BTreeSet<u64> =
            alerts.iter().filter_map(|alert| alert["alert"]["signature_id"].as_u64()).collect();
        assert_eq!(fired, (1_000_001..=1_000_010).collect());
        for event_type in ["http", "dns", "tls", "fileinfo", "flow"] {
            assert!(!folder.records(event_type).is_empty(), "no {event_type} record");
        }
        let zeek = ["conn", "dns", "http", "ssl", "x509", "files"];
        let logs = zeek.map(|log| fs::read_to_string(folder.path(&format!("{log}.log"))).expect(log));
        runs.push((folder.records_but_statistics(), logs));
    }
    assert_eq!(runs[0], runs[1]);
}
