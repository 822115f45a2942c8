//! Keys of EVE records: the page of the guide lists each.

use std::collections::BTreeSet;

use serde_json::Value;
use weir_testkit::{Conversation, Frame, TimedFrame};

use crate::run::{ETHERNET, Folder};

/// All types of records, with all that they can have.
const CONFIGURATION: &str = "%YAML 1.1
---
sensor-name: here
stats: {enabled: yes, stream-events: true}
exception-policy: auto
app-layer:
  protocols:
    dnp3: {enabled: yes}
    modbus: {enabled: yes}
    enip: {enabled: yes}
    pgsql: {enabled: yes}
outputs:
  - eve-log:
      enabled: yes
      community-id: true
      ethernet: yes
      suricata-version: yes
      pcap-file: true
      types:
        - alert: {payload: yes, payload-printable: yes, payload-length: yes, packet: yes, http-body: yes, verdict: yes, reference: yes,
                  metadata: {app-layer: true, flow: true, rule: {raw: true, metadata: true, reference: true}}}
        - anomaly: {enabled: yes, packethdr: yes, types: {decode: yes, stream: yes, applayer: yes}}
        - http: {extended: yes, dump-all-headers: both}
        - dns: {formats: [detailed, grouped]}
        - tls: {extended: yes, ja4: on, client-handshake: yes, server-handshake: yes}
        - files: {force-hash: [md5, sha1, sha256]}
        - drop: {alerts: yes, flows: all, verdict: yes}
        - smtp: {extended: yes, md5: [body, subject]}
        - frame: {enabled: yes}
        - stream: {all: yes}
        - stats: {totals: yes, threads: no}
        - ssh
        - ntp
        - dnp3
        - ftp
        - arp: {enabled: yes}
        - dhcp: {enabled: yes, extended: yes}
        - flow
        - netflow
        - metadata
";

const RULES: &str = r#"
alert http any any -> any any (msg:"m"; http.uri; content:"/"; entropy:value > 0; flowint:seen,=,1; flowbits:set,traffic/id/a; reference:url,example.com; metadata:key value; target:dest_ip; sid:1;)
reject udp any any -> any 9 (msg:"m"; sid:2;)
"#;

/// Adds the paths of all members of a value.
fn paths(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                paths(member, &key, all);
                all.insert(key);
            }
        }
        Value::Array(list) => list.iter().for_each(|member| paths(member, &format!("{path}[]"), all)),
        _ => {}
    }
}

/// Whether a key stands on the page, where `*` stands for any name.
fn is_listed(page: &BTreeSet<String>, key: &str) -> bool {
    let names: Vec<&str> = key.split('.').collect();
    let is_like = |listed: &String| {
        let listed: Vec<&str> = listed.split('.').collect();
        // What a name of somebody else's choice holds is theirs, too.
        names.len() >= listed.len()
            && listed.contains(&"*")
            && listed.iter().zip(&names).all(|(listed, name)| *listed == "*" || listed == name)
    };
    page.contains(key) || page.iter().any(is_like)
}

#[test]
fn every_key_of_a_record_is_listed() {
    let page = include_str!("../../../../docs/eve-keys.md");
    let cells = |row: &'static str| row.split('`').skip(1).step_by(2);
    let page: BTreeSet<String> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(|row| {
            let object = cells(row).next().unwrap_or_default();
            let start = if object == "record" { String::new() } else { format!("{object}.") };
            cells(row).skip(1).map(move |name| format!("{start}{name}"))
        })
        .collect();
    let folder = Folder::new("eve_keys");
    let read = b"\x05\x64\x0b\xc4\x04\x00\x03\x00\xe4\x2b\xc0\xc1\x01\x3c\x02\x06\x52\xc3";
    let mut frames =
        Conversation::new("10.3.0.1:40000", "10.3.0.2:20000").handshake().client_sends(read).frames();
    frames.extend(
        Conversation::new("10.3.0.1:40001", "10.3.0.2:21")
            .handshake()
            .server_sends(b"220 hello\r\n")
            .client_sends(b"USER a\r\n")
            .close()
            .frames(),
    );
    let time = frames.last().map(|frame| frame.time).unwrap_or_default();
    for packet in [
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5000, 9).payload(b"refused"),
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [0, 3, 0, 9]).payload(b"ping"),
    ] {
        frames.push(TimedFrame { time, bytes: packet.build() });
    }
    let built = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sample/sample.pcap").to_owned();
    let configuration = folder.write("all.yaml", CONFIGURATION);
    let rules = folder.write("test.rules", RULES);
    let mut written = BTreeSet::new();
    for capture in [&built, &sample] {
        let run =
            folder.weir(&["-c", &configuration, "-r", capture, "-S", &rules, "--simulate-ips", "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.said());
        for record in folder.records("") {
            paths(&record, "", &mut written);
        }
    }
    assert!(written.len() > 700, "{} keys", written.len());
    let unlisted: Vec<_> = written.iter().filter(|key| !is_listed(&page, key)).collect();
    assert!(unlisted.is_empty(), "docs/eve-keys.md lacks {unlisted:#?}");
}
