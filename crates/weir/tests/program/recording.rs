//! Live runs that are recorded, and repeated.

use std::collections::BTreeMap;

use rustix::process::Signal;
use serde_json::Value;
use weir_testkit::{Conversation, Frame};

use super::handing::{KINDS, traffic as tunnelled};
use super::namespaces::Cable;
use super::run::Folder;

/// Rules whose matches depend on the order of packets of several hosts.
const RULES: &str = "\
    alert udp any any -> any 53 (msg:\"rate\"; threshold:type threshold, track by_rule, count 7, seconds 600; sid:1;)\n\
    alert http any any -> any any (msg:\"host is marked\"; http.uri; content:\"/mark\"; hostbits:set,seen,dst; sid:2;)\n\
    alert udp any any -> any 53 (msg:\"marked\"; hostbits:isset,seen,dst; sid:3;)\n\
    alert http any any -> any any (msg:\"uri\"; http.uri; dataset:set,uris,type string; sid:4;)\n";

/// Another rule for the second half.
const AFTER: &str = "alert udp any any -> any 53 (msg:\"after\"; threshold:type both, track by_dst, count 2, seconds 9; sid:5;)\n";

/// Traffic of many hosts that a thread for each pair of addresses takes.
fn traffic() -> Vec<Vec<u8>> {
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let tunnels: Vec<Vec<u8>> =
        (20..).zip(KINDS).flat_map(|(network, kind)| tunnelled(network, *kind)).collect();
    let tunnels_each = tunnels.len().div_ceil(60);
    let mut tunnels = tunnels.into_iter();
    for host in 0..60u32 {
        let (client, server) =
            (format!("10.0.{}.{}", host % 5, host % 11 + 1), format!("10.1.0.{}", host % 6 + 1));
        let path = if host % 4 == 0 { "/mark" } else { "/other" };
        let request = format!("GET {path}?{} HTTP/1.1\r\nHost: example.com\r\n\r\n", host % 9);
        let conversation = Conversation::new(&format!("{client}:4{host:03}"), &format!("{server}:80"));
        let exchange = conversation
            .handshake()
            .client_sends(request)
            .server_sends(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            .close();
        frames.extend(exchange.frames().into_iter().map(|frame| frame.bytes));
        let query = [&[host as u8, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], b"\x07example\x03com\0\0\x01\0\x01"];
        frames.push(Frame::ethernet().ipv4(&client, &server).udp(5000, 53).payload(query.concat()).build());
        // What the kernel deals out to another thread than the one it belongs to.
        frames.extend(tunnels.by_ref().take(tunnels_each));
    }
    frames
}

/// What a run wrote, by log, in its order: records but those of the counters, rows but the lines around them.
fn written(folder: &Folder) -> BTreeMap<String, Vec<String>> {
    let logs = std::fs::read_dir(folder.path("")).expect("a folder").flatten();
    let logs = logs.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let logs = logs.filter(|name| name == "eve.json" || name.ends_with(".log"));
    // The program's own words, and counters.
    let logs = logs.filter(|name| !["weir.log", "stats.log"].contains(&&**name));
    logs.map(|name| {
        let text = std::fs::read_to_string(folder.path(&name)).expect("a log");
        let lines =
            text.lines().filter(|line| !line.starts_with('#') && !line.contains("\"event_type\":\"stats\""));
        (name, lines.map(str::to_owned).collect())
    })
    .collect()
}

#[test]
fn a_recording_is_repeated_to_the_byte() {
    let Some(cable) = Cable::lay("rec") else { return };
    let folder = Folder::new("recording-live");
    // Neither below the folder for logs, nor there yet.
    let kept = Folder::new("recording-kept");
    let recording = kept.path("recording").to_string_lossy().into_owned();
    let rules = folder.write("test.rules", RULES);
    let options = ["-S", &rules, "-t", "2", "--zeek-logs", "--record", &recording];
    let mut run = cable.listen(&folder, &options);
    let frames = traffic();
    let (first, second) = frames.split_at(frames.len() / 2);
    cable.send(first.iter().map(Vec::as_slice));
    folder.write("test.rules", [RULES, AFTER].concat());
    run.signal(Signal::USR2);
    run.logged("rule reload complete");
    cable.send(second.iter().map(Vec::as_slice));
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    let expected = written(&folder);
    for log in ["eve.json", "fast.log", "conn.log", "http.log", "dns.log"] {
        assert!(expected.get(log).is_some_and(|lines| lines.len() > 50), "{log}");
    }
    let alerts = folder.records("alert");
    for sid in 1..=5 {
        assert!(alerts.iter().any(|record| record["alert"]["signature_id"] == sid), "{sid}");
    }
    // Neither the rules nor the interface are there any more.
    std::fs::remove_file(&rules).expect("the rules go");
    for time in 0..3 {
        let again = Folder::new(&format!("recording-again-{time}"));
        let run = again.weir(&["-R", &recording, "--zeek-logs", "--summary=json"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        let repeated = written(&again);
        assert!(repeated.keys().eq(expected.keys()), "{:?}", repeated.keys());
        for ((log, lines), expected) in repeated.iter().zip(expected.values()) {
            let differs = lines.iter().zip(expected).find(|(line, expected)| line != expected);
            assert_eq!((differs, lines.len()), (None, expected.len()), "{log}");
        }
        let summary: Value = serde_json::from_str(&run.stdout).expect("a summary");
        assert_eq!(
            (&summary["packets"], &summary["problems"]),
            (&frames.len().into(), &Value::Array(Vec::new()))
        );
    }
    // Other rules may look at the same packets.
    let other = Folder::new("recording-other-rules");
    let rules = other.write("other.rules", "alert udp any any -> any 53 (msg:\"other\"; sid:9;)\n");
    assert_eq!(other.weir(&["-R", &recording, "-S", &rules]).code, 0);
    assert_eq!(other.records("alert").len(), 60);
}

#[test]
fn what_cannot_be_recorded_or_repeated_is_said() {
    let folder = Folder::new("recording-wrong");
    let place = folder.path("none").to_string_lossy().into_owned();
    for (options, words) in [
        (&["-R", &place][..], "cannot open"),
        (&["-R", &place, "-R", &place], "name one folder"),
        (&["-R", &place, "--record", &place], "--record is not for recording (-R)"),
        (&["--record", &place, "-r", "a.pcap"], "--record is not for pcap-file (-r)"),
    ] {
        let run = folder.weir(options);
        assert_eq!(run.code, 1, "{options:?}");
        assert!(run.stderr.contains(words), "{options:?}: {}", run.stderr);
    }
}
