//! Listening on interfaces, in networks of the tests' own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use weir_testkit::{Conversation, Frame, TimedFrame, fragment_ipv4, pcap};

use super::namespaces::{Cable, End};
use super::run::{ETHERNET, Folder, WEB_RULE};

/// Seconds in which something comes or does not come.
const PATIENCE: u64 = 20;

/// Conversations of the tests' traffic, each of as many frames.
pub const CONVERSATIONS: usize = 40;

/// Requests of many hosts to a few, some with a tag, names that are asked for, and datagrams in fragments.
pub fn traffic() -> Vec<Vec<u8>> {
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for host in 0..CONVERSATIONS as u32 {
        let (client, server) = (format!("10.0.{}.1", host % 7), format!("10.1.0.{}", host + 1));
        let conversation = Conversation::new(&format!("{client}:4{host:03}"), &format!("{server}:80"));
        let conversation = if host % 4 == 0 { conversation.vlan(5) } else { conversation };
        let request = format!("GET /index.html?{host} HTTP/1.1\r\nHost: example.com\r\n\r\n");
        let exchange = conversation
            .handshake()
            .client_sends(request)
            .server_sends(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            .close();
        frames.extend(exchange.frames().into_iter().map(|frame| frame.bytes));
        let query = [&[host as u8, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], b"\x07example\x03com\0\0\x01\0\x01"];
        frames.push(Frame::ethernet().ipv4(&client, &server).udp(5000, 53).payload(query.concat()).build());
        let long =
            Frame::ethernet().ipv4(&server, &client).udp(7, 9000).ip_id(host as u16 + 1).payload([7; 900]);
        let long = long.build();
        frames.extend(fragment_ipv4(&long[14..], 400).iter().map(|part| [&long[..14], part].concat()));
    }
    frames
}

/// Records without what differs between two runs: times, and what a file or an interface alone has.
pub fn comparable(folder: &Folder) -> Vec<String> {
    let mut records: Vec<String> = Vec::new();
    for mut record in folder.records_but_statistics() {
        for (object, keys) in [
            ("", &["timestamp", "flow_id", "pcap_cnt", "in_iface", "capture_file"][..]),
            ("/flow", &["start", "end", "age"]),
            ("/tunnel", &["pcap_cnt"]),
        ] {
            if let Some(object) = record.pointer_mut(object).and_then(Value::as_object_mut) {
                keys.iter().for_each(|key| drop(object.remove(*key)));
            }
        }
        records.push(record.to_string());
    }
    records.sort();
    records
}

#[test]
fn what_is_heard_is_what_is_read_from_a_file() {
    let Some(cable) = Cable::lay("same") else { return };
    let frames = traffic();
    let timed: Vec<TimedFrame> = frames
        .iter()
        .enumerate()
        .map(|(index, bytes)| {
            let time = weir_base::Timestamp::new(1_700_000_000, index as u32 * 1000);
            TimedFrame { time, bytes: bytes.clone() }
        })
        .collect();
    let file = Folder::new("live-same-file");
    let rules = file.write("test.rules", WEB_RULE);
    let capture = file.write("same.pcap", pcap(ETHERNET, &timed));
    assert_eq!(file.weir(&["-r", &capture, "-S", &rules]).code, 0);
    let expected = comparable(&file);
    assert!(expected.len() > 120, "{}", expected.len());
    for threads in ["1", "3"] {
        let folder = Folder::new(&format!("live-same-{threads}"));
        let run = cable.listen(&folder, &["-S", &rules, "-t", threads, "--summary=json"]);
        cable.send(frames.iter().map(Vec::as_slice));
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(comparable(&folder), expected, "{threads} threads");
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        let heard = &summary["interfaces"][0];
        assert_eq!(heard["name"].as_str(), Some(&*cable.interface(End::Far)));
        assert_eq!((heard["threads"].to_string(), &heard["kernel_drops"]), (threads.to_owned(), &0.into()));
        assert_eq!(heard["kernel_packets"], frames.len());
        assert_eq!(summary["accounts"]["unbalanced"], Value::Array(Vec::new()));
        let records = folder.records("");
        let own = cable.interface(End::Far);
        let named = |record: &&Value| record["event_type"] == "stats" || record["in_iface"] == *own;
        assert_eq!(records.iter().filter(named).count(), records.len());
        assert!(records.iter().all(|record| record["pcap_cnt"].is_null()));
        let stats = &folder.records("stats")[0]["stats"];
        assert_eq!(stats["capture"]["kernel_packets"], frames.len());
        assert_eq!(stats["capture"]["kernel_drops"], 0);
        assert!(stats["capture"]["afpacket"]["polls"].is_u64(), "{stats}");
    }
}

#[test]
fn zeek_listens_with_its_own_option() {
    let Some(cable) = Cable::lay("zeek") else { return };
    let folder = Folder::new("live-zeek");
    let program = folder.path("zeek");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_weir"), &program).expect("a link");
    let interface = format!("af_packet::{}", cable.interface(End::Far));
    let arguments = ["-i", &*interface, "LogAscii::use_json=T"];
    let mut run = cable.start_as(&program.to_string_lossy(), &folder, &arguments);
    run.logged("listening on");
    let frames = traffic();
    cable.send(frames.iter().map(Vec::as_slice));
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    for (log, rows) in [("dns.log", 40), ("http.log", 40), ("conn.log", 120)] {
        let text = std::fs::read_to_string(folder.path(log)).expect("a log");
        assert_eq!(text.lines().count(), rows, "{log}");
    }
}

#[test]
fn filters_are_the_kernels_or_the_programs_own() {
    let Some(cable) = Cable::lay("filt") else { return };
    let frames = traffic();
    let tagged = frames.iter().filter(|frame| frame[12..14] == [0x81, 0]).count();
    assert!(tagged > 0);
    for (filter, expected) in [("port 53", 40), ("vlan 5", tagged), ("vlan 6", 0)] {
        let folder = Folder::new(&format!("live-filter-{}", filter.replace(' ', "-")));
        let run = cable.listen(&folder, &["-t", "2", "--summary=json", filter]);
        cable.send(frames.iter().map(Vec::as_slice));
        let (_, said) = run.end(Signal::TERM);
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(summary["packets"], expected, "{filter}");
    }
}

#[test]
fn what_is_lost_is_told() {
    let Some(cable) = Cable::lay("lost") else { return };
    let folder = Folder::new("live-lost");
    let configuration = folder.write(
        "small.yaml",
        "%YAML 1.1\n---\nstats:\n  enabled: yes\naf-packet:\n  - interface: default\n    ring-size: 1\n    \
         block-size: 4096\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [stats]\n",
    );
    let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload([7; 1000]).build();
    for format in ["json", "text"] {
        let run = cable.listen(&folder, &["-c", &configuration, "-t", "1", &format!("--summary={format}")]);
        // The ring is full after a few of them.
        run.signal(Signal::STOP);
        cable.send(std::iter::repeat_n(frame.as_slice(), 500));
        run.signal(Signal::CONT);
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        if format == "text" {
            assert!(said.contains("of 500 packets lost") && said.contains("a larger ring-size"), "{said}");
            continue;
        }
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        let heard = &summary["interfaces"][0];
        let count = |of: &Value| of.as_u64().unwrap_or(0);
        assert_eq!(heard["kernel_packets"], 500);
        assert_eq!(count(&heard["kernel_drops"]) + count(&summary["packets"]), 500);
        assert!(count(&heard["kernel_drops"]) > 400, "{heard}");
        assert_eq!(folder.records("stats")[0]["stats"]["capture"]["kernel_drops"], heard["kernel_drops"]);
    }
}

#[test]
fn flows_end_by_time_while_nothing_comes() {
    let Some(cable) = Cable::lay("idle") else { return };
    let folder = Folder::new("live-idle");
    let socket = UnixListener::bind(folder.path("socket")).expect("a socket");
    let configuration = folder.write(
        "idle.yaml",
        "%YAML 1.1\n---\nflow-timeouts:\n  udp: {new: 1}\noutputs:\n  - eve-log:\n      enabled: yes\n      \
         filetype: unix_stream\n      filename: socket\n      types: [flow]\n",
    );
    let run = cable.listen(&folder, &["-c", &configuration, "-t", "1"]);
    let mut records = socket.accept().expect("weir connects").0;
    records.set_read_timeout(Some(Duration::from_secs(PATIENCE))).expect("a timeout");
    cable.send([&*Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload("x").build()]);
    let mut record = vec![0; 4096];
    let length = records.read(&mut record).expect("a record comes");
    let record: Value = serde_json::from_slice(&record[..length]).expect("a record");
    assert_eq!(record["flow"]["reason"], "timeout");
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

#[test]
fn interfaces_go_and_come_back() {
    let Some(cable) = Cable::lay("gone") else { return };
    let folder = Folder::new("live-gone");
    let frame = |port| Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(port, 2).payload("x").build();
    let mut run = cable.listen(&folder, &["-t", "2", "--summary=json"]);
    cable.send([&*frame(1)]);
    cable.link(End::Far, "set", "down");
    run.logged("went down");
    cable.link(End::Far, "set", "up");
    cable.link(End::Near, "set", "up");
    cable.send((2..50).map(frame).collect::<Vec<_>>().iter().map(Vec::as_slice));
    run.logged("is up again");
    cable.link(End::Far, "del", "");
    for _ in 0..2 {
        run.logged("is gone");
    }
    cable.connect();
    for _ in 0..2 {
        run.logged("is back");
    }
    cable.send([&*frame(50)]);
    let (code, said) = run.end(Signal::INT);
    let summary: Value = serde_json::from_str(&said).expect("a summary");
    assert_eq!((code, &summary["packets"]), (Some(0), &50.into()), "{said}");
    assert_eq!(summary["interfaces"][0]["kernel_packets"], 50);
}

#[test]
fn checksums_that_the_card_would_fill_in_are_not_wrong() {
    let Some(cable) = Cable::lay("csum") else { return };
    for (end, address) in [(End::Near, "10.9.0.1/24"), (End::Far, "10.9.0.2/24")] {
        cable.address(end, address);
    }
    let server = cable.listener(End::Far, "10.9.0.2:80");
    for (checks, requests) in [("kernel", 1), ("yes", 0)] {
        let folder = Folder::new(&format!("live-checksums-{checks}"));
        let configuration = folder.write(
            "checks.yaml",
            format!(
                "%YAML 1.1\n---\naf-packet:\n  - interface: default\n    checksum-checks: {checks}\noutputs:\n  \
                 - eve-log:\n      enabled: yes\n      types: [http]\n"
            ),
        );
        let run = cable.listen(&folder, &["-c", &configuration, "-t", "1"]);
        let client = cable.at(End::Near, || {
            let mut client = TcpStream::connect("10.9.0.2:80").expect("a connection");
            client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("a request");
            client
        });
        let (mut served, _) = server.accept().expect("a client");
        let mut request = [0; 64];
        assert!(served.read(&mut request).expect("a request") > 0);
        served.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").expect("an answer");
        drop(served);
        let mut answer = String::new();
        (&client).read_to_string(&mut answer).expect("an answer");
        assert!(answer.ends_with("ok"));
        run.end(Signal::INT);
        assert_eq!(folder.records("http").len(), requests, "{checks}");
    }
}

#[test]
fn interfaces_that_cannot_be_listened_on() {
    let folder = Folder::new("live-refused");
    let empty = folder.write("empty.yaml", "%YAML 1.1\n---\na: b\n");
    for (arguments, part) in [
        (&["-i", "no-such-if"][..], "cannot listen on no-such-if"),
        (&["--af-packet", "-c", &empty], "name one with -i, or in the section af-packet"),
        (&["--af-packet=no-such-if"], "cannot listen on no-such-if"),
        (&["-i", "lo", "-r", "a.pcap"], "cannot be used with"),
        (&["-i", "lo", "--pcap-file-delete"], "--pcap-file-delete is not for af-packet (-i)"),
    ] {
        let run = folder.weir(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}
