//! Records that a run sends to others: what the summary, the counters and the lines of the log say.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::time::Duration;

use serde_json::Value;

use super::run::{ETHERNET, Folder, Run, WEB_RULE, web_request};

/// Reads a capture of one alert and its flow, with these lines in an `eve-log` beside the file.
fn run(folder: &Folder, lines: &str) -> Run {
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let rules = folder.write("test.rules", WEB_RULE);
    let lines = lines.replace('\n', "\n      ");
    let configuration = folder.write(
        "pipelines.yaml",
        format!(
            "%YAML 1.1\n---\nsensor-name: here\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: eve.json\n      \
             types: [alert, flow, stats]\n  - eve-log:\n      enabled: yes\n      types: [alert, flow]\n      {lines}\n"
        ),
    );
    folder.weir(&["-c", &configuration, "-S", &rules, "-r", &capture, "--summary", "json"])
}

#[test]
fn records_go_to_a_syslog_server() {
    let folder = Folder::new("pipelines-syslog");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a wait");
    let server = format!("udp://{}", socket.local_addr().expect("an address"));
    let run = run(&folder, &format!("filetype: syslog\nsyslog:\n  server: {server}"));
    assert_eq!(run.code, 0, "{}", run.said());
    let report = &run.summary()["pipelines"][format!("syslog at {server}")];
    assert_eq!((&report["sent"], &report["lost"], &report["left"]), (&2.into(), &0.into(), &0.into()));
    let mut buffer = [0; 65_536];
    for kind in ["alert", "flow"] {
        let length = socket.recv(&mut buffer).expect("a message");
        let message = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let words: Vec<&str> = message.splitn(8, ' ').collect();
        assert_eq!((words[0], words[2], words[3], words[5]), ("<174>1", "here", "suricata", kind));
        let record: serde_json::Value = serde_json::from_str(words[7]).expect("a record");
        assert_eq!(record, folder.records(kind)[0]);
    }
    let statistics = folder.records("stats");
    let counts = &statistics.last().expect("counters")["stats"]["output"]["pipelines"];
    assert!(
        counts
            .as_object()
            .is_some_and(|names| names.keys().all(|name| name.starts_with("syslog-127-0-0-1-")))
    );
}

/// Zeek's logs in files, and the same ones at a server.
#[test]
fn logs_of_zeek_go_to_a_syslog_server() {
    let folder = Folder::new("pipelines-zeek");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a wait");
    let server = format!("udp://{}", socket.local_addr().expect("an address"));
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let configuration = folder.write(
        "zeek.yaml",
        format!(
            "%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n      format: json\n      scripts: [local]\n  - zeek:\n      \
             enabled: yes\n      filetype: syslog\n      syslog:\n        server: {server}\n"
        ),
    );
    let run = folder.weir(&["-c", &configuration, "-r", &capture, "--summary", "json"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let counts = run.summary()["zeek_rows"].as_object().cloned().expect("logs");
    let mut written = BTreeMap::new();
    for log in counts.keys() {
        let text = std::fs::read_to_string(folder.path(&format!("{log}.log"))).expect("a log");
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(counts[log], records.len(), "{log}");
        written.insert(log.clone(), records);
    }
    assert!(["conn", "http", "files"].iter().all(|log| written.contains_key(*log)), "{counts:?}");
    let all: usize = written.values().map(Vec::len).sum();
    let report = &run.summary()["pipelines"][format!("syslog at {server}")];
    assert_eq!((&report["sent"], &report["lost"]), (&all.into(), &0.into()));
    let mut buffer = [0; 65_536];
    let mut arrived: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for _ in 0..all {
        let length = socket.recv(&mut buffer).expect("a message");
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let mut record: Value =
            serde_json::from_str(text.splitn(8, ' ').last().expect("a record")).expect("JSON");
        let log = record.as_object_mut().and_then(|record| record.remove("_path")).expect("a log");
        arrived.entry(log.as_str().expect("a name").to_owned()).or_default().push(record);
    }
    assert_eq!(arrived, written);
}

/// Nobody listens: all else is as it is without, and the records wait.
#[test]
fn records_wait_for_who_is_away() {
    let folder = Folder::new("pipelines-away");
    let run = run(
        &folder,
        "filetype: redis\nredis:\n  server: /no/such/socket\nspool:\n  wait-at-end: 0\n  dir: waiting",
    );
    assert_eq!(run.code, 0, "{}", run.said());
    let report = &run.summary()["pipelines"]["Redis at /no/such/socket (list suricata)"];
    assert_eq!(
        (&report["sent"], &report["left"], &run.summary()["lost_records"]),
        (&0.into(), &2.into(), &0.into())
    );
    let said = run.said();
    assert!(
        said.contains("2 records for Redis at /no/such/socket (list suricata) were not taken before the end"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path("waiting")).expect("a spool").count(), 1);
    assert_eq!(folder.records("alert").len(), 1);
}

#[cfg(not(feature = "kafka"))]
#[test]
fn without_kafka_the_log_is_left_out() {
    let folder = Folder::new("pipelines-kafka");
    let run = run(&folder, "filetype: kafka\nkafka:\n  topic: eve");
    assert_eq!(run.code, 0, "{}", run.said());
    let said = run.said();
    assert!(said.contains("This program was built without Kafka: the eve-log for it is left out"), "{said}");
    assert_eq!(run.summary().get("pipelines"), None);
    assert_eq!(folder.records("alert").len(), 1);
    let capture = folder.path("web.pcap").display().to_string();
    let logs = ["outputs.zeek.enabled=yes", "outputs.zeek.filetype=kafka"];
    let run = folder.weir(&["-r", &capture, "--set", logs[0], "--set", logs[1]]);
    assert_eq!(run.code, 0, "{}", run.said());
    let said = run.said();
    assert!(said.contains("This program was built without Kafka: the zeek for it is left out"), "{said}");
}

#[test]
fn mistakes_are_named_with_their_place() {
    let folder = Folder::new("pipelines-mistakes");
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    for (output, lines, place, said) in [
        (
            "eve-log",
            "filetype: http\n      http:\n        url: opensearch",
            "outputs.0.eve-log.http.url",
            "line 8, column 14: 'opensearch' is not the address of a server, as https://",
        ),
        (
            "zeek",
            "filetype: http\n      http:\n        index: \"%{type}\"",
            "outputs.0.zeek.http.index",
            "line 8, column 16: '%{type}' is not the name of an index",
        ),
        (
            "zeek",
            "filetype: kafka\n      format: parquet",
            "outputs.0.zeek.format",
            "line 7, column 15: 'parquet' is not json, the one format that is sent: leave it out",
        ),
        (
            "zeek",
            "filetype: syslog",
            "outputs.0.zeek.filetype",
            "line 6, column 17: 'syslog' is not enough: write syslog.server beside it",
        ),
    ] {
        let text = format!("%YAML 1.1\n---\noutputs:\n  - {output}:\n      enabled: yes\n      {lines}\n");
        let configuration = folder.write("mistake.yaml", text);
        let run = folder.weir(&["-c", &configuration, "-r", &capture]);
        assert_ne!(run.code, 0, "{lines}");
        let told = run.said();
        assert!(told.contains(place) && told.contains("mistake.yaml") && told.contains(said), "{told}");
    }
}
