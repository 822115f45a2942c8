//! Packets and transactions in, rows of files out.

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::file::{File, FileSettings, FileState};
use weir_applayer::zeek::{FileFate, News, WholeFile};
use weir_applayer::{
    NoOptions, Options, TxMeta, ZeekLogger, ZeekLogs, ZeekSink, ZeekStream, ZeekType, ZeekValue,
};
use weir_base::{Direction, Position, Timestamp, Turn};
use weir_output::formats::zeek::{ZeekEncoding, ZeekLogSet};
use weir_output::outlet::Outlets;
use weir_output::writer::{LogWriter, Order};
use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};
use weir_testkit::{Conversation, Frame, TestFolder, TimedFrame};

use super::{Across, Observer, Plan, Traffic, ZeekSettings};
use crate::flow::ObservedFlow;

mod policy;

static SAMPLE: ZeekStream =
    ZeekStream { name: "sample", connection: true, columns: &[("fuid", ZeekType::String)] };

static LOGS: ZeekLogs =
    ZeekLogs { streams: &[&SAMPLE], more: &[], from_start: false, confirms: false, events: None, open };

fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
    Box::new(Logger)
}

struct Logger;

impl ZeekLogger for Logger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        sink.service("sample");
        let fate = if news.complete { FileFate::Over } else { FileFate::Open };
        let fuid = sink.file(&news.transaction.meta().files[0], fate);
        if news.complete {
            sink.row(&SAMPLE, sink.connection().start, &[ZeekValue::String(fuid.as_bytes())]);
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        let whole = WholeFile {
            bytes: b"abc",
            source: "SSL",
            is_orig: false,
            time: sink.connection().start,
            mime_type: "application/x-x509-user-cert",
            analyzers: &["SHA1", "X509"],
            depth: 0,
            place: None,
        };
        sink.whole_file(&whole);
        sink.weird(sink.connection().start, "odd", Some("very"));
    }
}

/// Where rows stand for which it does not matter.
const AT: Position = Position::new(weir_testkit::conversation::START, 1);

struct Exchange {
    meta: TxMeta,
}

weir_applayer::transaction!(Exchange);

fn exchange(state: FileState) -> Exchange {
    let settings = FileSettings { magic: true, ..FileSettings::default() };
    let (start, end) = (Timestamp::new(1_700_000_000, 0), Timestamp::new(1_700_000_001, 0));
    let mut file = File::open(0, b"a.gif".to_vec(), Direction::ToClient, start, &settings);
    file.announced = Some(6);
    file.append(b"GIF", start);
    file.append(b"89a", end);
    file.close(state);
    Exchange { meta: TxMeta { files: vec![file], ..TxMeta::default() } }
}

/// The rows of every log that `write` leaves behind.
fn logs(
    name: &str,
    encoding: ZeekEncoding,
    write: impl FnOnce(&mut Observer, &mut Outlets),
) -> HashMap<String, String> {
    logs_with(name, encoding, &[], write)
}

/// Makes the logs with scripts of Zeek's policy.
fn logs_with(
    name: &str,
    encoding: ZeekEncoding,
    scripts: &[&str],
    write: impl FnOnce(&mut Observer, &mut Outlets),
) -> HashMap<String, String> {
    let folder = TestFolder::new(name);
    let mut settings = ZeekSettings::default();
    settings.files.form.encoding = encoding;
    assert!(scripts.iter().all(|script| settings.load(script)));
    // The last one as a protocol with this stream would have it.
    let (mut streams, more) = super::plan::streams(&settings, &[], &[]);
    streams.extend(LOGS.streams);
    let (logs, outlets) = ZeekLogSet::alone(&settings.files, (&streams, &more), &folder);
    let plan = Plan::new(&settings, logs);
    let writer = LogWriter::start(outlets, 1, Order::Arrival, |e| panic!("{e}")).unwrap();
    let mut out = writer.outlets(0);
    let mut worker = Observer::new(Arc::new(plan), Across::of(&[Turn::alone()]).remove(0));
    write(&mut worker, &mut out);
    worker.finish(weir_testkit::conversation::START, &Traffic::default(), &mut out);
    out.finish();
    assert!(writer.finish().errors.is_empty());
    let mut logs = HashMap::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        logs.insert(name, std::fs::read_to_string(&path).unwrap());
    }
    logs
}

fn feed(worker: &mut Observer, frames: &[TimedFrame], out: &mut Outlets) {
    decoded(frames, |raw, packets| {
        worker.tick(raw.time, raw.number, Traffic::default, out);
        worker.frame(packets.as_slice(), &mut out.at(Position::new(raw.time, raw.number)));
    });
}

/// Hands out the packets of frames, one after the other.
pub(crate) fn decoded(frames: &[TimedFrame], mut take: impl FnMut(&RawPacket<'_>, &PacketList<'_>)) {
    let mut decoder = Decoder::new(DecoderSettings::default());
    for (index, frame) in frames.iter().enumerate() {
        let mut list = PacketList::new();
        let raw = RawPacket {
            number: index as u64 + 1,
            time: frame.time,
            link: LinkType::ETHERNET,
            wire_length: wire_length(&frame.bytes),
            interface: 0,
            bytes: &frame.bytes,
        };
        decoder.decode(&raw, &mut list);
        take(&raw, &list);
    }
}

/// Length of a frame, of which the end may have been cut off: what its IPv4 header states, at least.
fn wire_length(bytes: &[u8]) -> u32 {
    let stated = match bytes {
        [_, _, _, _, _, _, _, _, _, _, _, _, 8, 0, _, _, high, low, ..] => {
            14 + u32::from(u16::from_be_bytes([*high, *low]))
        }
        _ => 0,
    };
    stated.max(bytes.len() as u32)
}

fn talk() -> Vec<TimedFrame> {
    Conversation::new("10.0.0.1:40000", "192.0.2.1:80")
        .handshake()
        .client_sends("GET")
        .server_sends("answer")
        .close()
        .frames()
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_connection_with_files() {
    let logs = logs("files", ZeekEncoding::Json, |worker, out| {
        feed(worker, &talk(), out);
        let mut flow: Option<Box<ObservedFlow>> = None;
        let id = worker.connection(0).unwrap();
        assert!(worker.flow_begin(&mut flow, id, &mut out.at(AT)));
        assert!(!worker.flow_begin(&mut flow, id, &mut out.at(AT)));
        let mut flow = flow.unwrap();
        flow.open_logs("sample", &LOGS, &NoOptions);
        worker.transaction(&mut flow, &exchange(FileState::Open), false, &mut out.at(AT));
        worker.transaction(&mut flow, &exchange(FileState::Closed), true, &mut out.at(AT));
        worker.flow_end(&mut flow, &mut out.at(AT));
    });
    let conn = json(&logs["conn"]);
    assert_eq!(conn["service"], "sample");
    assert_eq!((&conn["history"], &conn["conn_state"]), (&"ShADadFf".into(), &"SF".into()));
    assert_eq!((&conn["orig_bytes"], &conn["resp_bytes"]), (&3.into(), &6.into()));
    assert_eq!((&conn["local_orig"], &conn["local_resp"]), (&true.into(), &true.into()));
    let files: Vec<serde_json::Value> = logs["files"].lines().map(json).collect();
    assert_eq!(files.len(), 2);
    assert_eq!(files[0]["fuid"], json(&logs["sample"])["fuid"]);
    assert_eq!((&files[0]["mime_type"], &files[0]["filename"]), (&"image/gif".into(), &"a.gif".into()));
    assert_eq!((&files[0]["source"], &files[0]["duration"]), (&"SAMPLE".into(), &1.0.into()));
    assert_eq!(files[1]["sha1"], "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(files[0]["uid"], conn["uid"]);
    let weird = json(&logs["weird"]);
    assert_eq!(
        (&weird["name"], &weird["addl"], &weird["source"]),
        (&"odd".into(), &"very".into(), &"SAMPLE".into())
    );
}

#[test]
fn ports_are_used_again() {
    let (client, server) = ("10.0.0.1:40000", "192.0.2.1:80");
    let syn = |seq: u32, second: u64| {
        let frame = Frame::ethernet().ipv4("10.0.0.1", "192.0.2.1").tcp(40000, 80);
        let time = weir_testkit::conversation::START.plus(weir_base::Duration::from_secs(second));
        TimedFrame { time, bytes: frame.seq(seq).flags(weir_testkit::frame::tcp_flags::SYN).build() }
    };
    let open = || Conversation::new(client, server).handshake().client_sends("GET").frames();
    type Case<'a> = (&'a str, Vec<TimedFrame>, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 5] = [
        ("again", vec![syn(1, 0), syn(1, 1)], &["S"], &[]),
        ("jump", vec![syn(1, 0), syn(9, 1)], &["S", "S"], &["SYN_seq_jump"]),
        ("active", [open(), vec![syn(9, 1)]].concat(), &["ShADa", "S"], &["active_connection_reuse"]),
        ("early", [talk(), vec![syn(9, 1)]].concat(), &["ShADadFf", "S"], &["premature_connection_reuse"]),
        ("late", [talk(), vec![syn(9, 9)]].concat(), &["ShADadFf", "S"], &[]),
    ];
    for (name, frames, histories, weirds) in cases {
        let logs =
            logs(&format!("reuse-{name}"), ZeekEncoding::Json, |worker, out| feed(worker, &frames, out));
        let of = |log: &str, column: &str| -> Vec<String> {
            let rows = logs.get(log).map_or("", String::as_str).lines().map(json);
            rows.map(|row| row[column].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(of("conn", "history"), histories, "{name}");
        assert_eq!(of("weird", "name"), weirds, "{name}");
        assert!(of("weird", "source").iter().all(|source| source == "TCP"), "{name}");
        let uids = of("conn", "uid");
        assert!(uids.len() == 1 || uids[0] != uids[1], "{name}");
    }
}

#[test]
fn one_flow_of_a_connection_is_read() {
    let logs = logs("beside", ZeekEncoding::Json, |worker, out| {
        feed(worker, &talk(), out);
        let id = worker.connection(0).unwrap();
        let begin = |worker: &mut Observer, out: &mut Outlets, is_beside| {
            let mut flow: Option<Box<ObservedFlow>> = None;
            assert!(worker.flow_begin(&mut flow, id, &mut out.at(AT)));
            assert_eq!(flow.as_ref().unwrap().is_beside(), is_beside);
            flow.unwrap()
        };
        let mut first = begin(worker, out, false);
        let mut second = begin(worker, out, true);
        worker.flow_end(&mut second, &mut out.at(AT));
        // The first one is still there, and then it is not.
        let _third = begin(worker, out, true);
        worker.flow_end(&mut first, &mut out.at(AT));
        let _fourth = begin(worker, out, false);
    });
    assert_eq!(logs["conn"].lines().count(), 1);
}

#[test]
fn programs_have_rows_of_their_own() {
    let program = |state, flags, wide| {
        let mut exchange = exchange(state);
        let settings = FileSettings { magic: true, ..FileSettings::default() };
        let start = Timestamp::new(1_700_000_000, 0);
        let mut file = File::open(0, Vec::new(), Direction::ToClient, start, &settings);
        file.append(&super::files::executable::build(flags, wide, 64), start);
        file.close(state);
        exchange.meta.files = vec![file];
        exchange
    };
    // The flags, the width, whether the end of the file comes; what is told of it.
    let common = serde_json::json!({"ts": 1_700_000_000.0, "compile_ts": 1_000_000_000.0});
    let image = serde_json::json!({
        "os": "Windows 7 or Server 2008 R2", "subsystem": "WINDOWS_CUI", "is_exe": true, "uses_aslr": true,
        "uses_dep": true, "uses_code_integrity": false, "uses_seh": false, "has_import_table": true,
        "has_export_table": false, "has_cert_table": false, "has_debug_data": false,
        "section_names": [".text", "longname"],
    });
    let object = serde_json::json!({
        "is_exe": false, "uses_aslr": false, "uses_dep": false, "uses_code_integrity": false, "uses_seh": true,
    });
    let cases = [
        ("pe", 0x102, false, true, ("I386", false), &image),
        ("pe-wide", 0x22, true, false, ("AMD64", true), &image),
        ("pe-object", 0x100, false, true, ("I386", false), &object),
    ];
    for (name, flags, wide, ends, (machine, is_64bit), rest) in cases {
        let logs = logs(name, ZeekEncoding::Json, |worker, out| {
            feed(worker, &talk(), out);
            let mut flow: Option<Box<ObservedFlow>> = None;
            let id = worker.connection(0).unwrap();
            assert!(worker.flow_begin(&mut flow, id, &mut out.at(AT)));
            let mut flow = flow.unwrap();
            flow.open_logs("sample", &LOGS, &NoOptions);
            let state = if ends { FileState::Closed } else { FileState::Open };
            worker.transaction(&mut flow, &program(state, flags, wide), ends, &mut out.at(AT));
            worker.flow_end(&mut flow, &mut out.at(AT));
        });
        let file = logs["files"].lines().map(json).find(|file| file["source"] == "SAMPLE").unwrap();
        assert_eq!(
            (&file["analyzers"][0], &file["mime_type"]),
            (&"PE".into(), &"application/x-dosexec".into())
        );
        let mut expected = common.clone();
        let known = expected.as_object_mut().unwrap();
        known.extend(rest.as_object().unwrap().clone());
        known.extend([
            ("id".to_owned(), file["fuid"].clone()),
            ("machine".to_owned(), machine.into()),
            ("is_64bit".to_owned(), is_64bit.into()),
        ]);
        assert_eq!(json(&logs["pe"]), expected, "{name}");
    }
}

#[test]
fn tab_separated_values_have_a_header() {
    let logs = logs("tsv", ZeekEncoding::Tsv, |worker, out| feed(worker, &talk(), out));
    let lines: Vec<&str> = logs["conn"].lines().collect();
    assert_eq!(lines.len(), 10);
    let cell = |line: &str, name: &str| -> String {
        let at = lines[6].split('\t').position(|field| field == name).unwrap() - 1;
        line.split('\t').nth(at).unwrap().to_owned()
    };
    for (name, expected) in [
        ("ts", "1700000000.000000"),
        ("id.orig_p", "40000"),
        ("proto", "tcp"),
        ("service", "-"),
        ("local_orig", "T"),
        ("tunnel_parents", "-"),
        ("ip_proto", "6"),
    ] {
        assert_eq!(cell(lines[8], name), expected, "{name}");
    }
    assert!(lines[9].starts_with("#close\t"));
    assert!(!logs.contains_key("weird"), "files are made with their first row");
}

#[test]
fn silence_ends_a_connection() {
    let frame = |second| TimedFrame {
        time: Timestamp::new(second, 0),
        bytes: Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5000, 6000).payload(b"x").build(),
    };
    let logs = logs("silence", ZeekEncoding::Json, |worker, out| {
        feed(worker, &[frame(10), frame(69), frame(130)], out);
    });
    let packets: Vec<u64> =
        logs["conn"].lines().map(|line| json(line)["orig_pkts"].as_u64().unwrap()).collect();
    assert_eq!(packets, [2, 1]);
}

#[test]
fn tunnels_are_parents() {
    let inner = Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2").gre().ipv4("10.0.0.1", "10.0.0.2");
    let bytes = inner.udp(5000, 6000).payload(b"x").build();
    let logs = logs("tunnel", ZeekEncoding::Json, |worker, out| {
        feed(worker, &[TimedFrame { time: Timestamp::new(1, 0), bytes }], out);
    });
    let (conn, tunnel) = (json(&logs["conn"]), json(&logs["tunnel"]));
    assert_eq!(tunnel["tunnel_type"], "Tunnel::GRE");
    assert_eq!(conn["tunnel_parents"][0], tunnel["uid"]);
    assert_eq!(conn["id.orig_h"], "10.0.0.1");
}

#[test]
fn each_tunnel_of_a_connection_is_a_parent_up_to_a_limit() {
    for (tunnels, parents) in [(1, 1), (2, 2), (6, 6), (9, 6)] {
        let frame = |number: u8| {
            let outer = Frame::ethernet().ipv4(&format!("1.1.1.{number}"), "2.2.2.2").vxlan(7);
            let bytes = outer.ipv4("10.0.0.1", "10.0.0.2").udp(5000, 6000).payload(b"x").build();
            TimedFrame { time: Timestamp::new(u64::from(number), 0), bytes }
        };
        // Each comes twice, as the same one is no other.
        let frames: Vec<_> = (1..=tunnels).flat_map(|number| [frame(number), frame(number)]).collect();
        let logs = logs("parents", ZeekEncoding::Json, |worker, out| feed(worker, &frames, out));
        let rows: Vec<_> = logs["conn"].lines().map(json).collect();
        let inner = rows.iter().find(|row| row["id.orig_h"] == "10.0.0.1").expect("the inner connection");
        let told = inner["tunnel_parents"].as_array().expect("parents");
        assert_eq!(told.len(), parents, "{tunnels}");
        for uid in told {
            let carrier = rows.iter().find(|row| row["uid"] == *uid);
            assert_eq!(carrier.expect("a carrier's row")["id.resp_h"], "2.2.2.2", "{tunnels}");
        }
    }
}

#[test]
fn what_is_over_and_waits_for_its_row_is_not_closed_again() {
    let frame = |second| {
        let outer = Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2").vxlan(7);
        let bytes = outer.ipv4("10.0.0.1", "10.0.0.2").udp(5000, 6000).payload(b"x").build();
        TimedFrame { time: Timestamp::new(second, 0), bytes }
    };
    let logs = logs("over", ZeekEncoding::Json, |worker, out| {
        feed(worker, &[frame(10), frame(400)], out);
    });
    let actions: Vec<_> = logs["tunnel"].lines().map(|line| json(line)["action"].to_string()).collect();
    let [opened, closed] = ["\"Tunnel::DISCOVER\"", "\"Tunnel::CLOSE\""];
    assert_eq!(actions, [opened, closed, opened, closed]);
    assert_eq!(logs["conn"].lines().count(), 4);
}
