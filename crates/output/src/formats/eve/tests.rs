//! Records in, JSON lines out.

use std::cell::RefCell;
use std::sync::Arc;

use weir_applayer::file::{File, FileSettings, FileState};
use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Protocol, Transaction, TxMeta};
use weir_base::{Direction, JsonWriter, PerDirection, Position, Timestamp};
use weir_config::{EveSettings, Settings};
use weir_detect::AlertContext;
use weir_rules::Action;

use super::{Eve, EveEnvironment, EvePlan};
use crate::format::{Format, RecordKind};
use crate::outlet::OutletId;
use crate::record::{
    AlertRecord, AnomalyRecord, CaptureFacts, Counter, DetectEngine, DropRecord, FileRecord, FlowEndRecord,
    PayloadPiece, Record, RecordContext, StatsRecord, StreamPayload, TcpSummary, TransactionRecord, Verdict,
};
use crate::samples::{self, Sample};

struct Greeting {
    meta: TxMeta,
    extended: bool,
}

weir_applayer::transaction!(Greeting);

/// Says whether it was asked for all there is.
struct GreetingWriter {
    extended: bool,
}

impl EveWriter for GreetingWriter {
    fn write(&self, transaction: &dyn Transaction, ends: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(greeting) = weir_applayer::downcast::<Greeting>(transaction) else { return false };
        json.unsigned("port", ends.server_port);
        json.boolean("extended", self.extended && greeting.extended);
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        transaction.meta().id != 9
    }
}

static GREETING_LOG: EveLog = EveLog {
    key: "hello",
    ..EveLog::new("greeting", LogDirection::Transaction, |options| {
        Box::new(GreetingWriter { extended: options.flag("extended", false) })
    })
};

static GREETING: Protocol = Protocol {
    states: PerDirection { to_server: &[], to_client: &[] },
    frames: &["pdu"],
    eve: Some(&GREETING_LOG),
    ..Protocol::named("greeting", |_| unreachable!("no flow is parsed here"))
};

fn greeting(id: u64, only: Option<Direction>) -> Greeting {
    let meta = TxMeta { id, only, ..TxMeta::default() };
    Greeting { meta, extended: true }
}

fn eve_with(common: &str, types: &str) -> Eve {
    let text =
        format!("%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n{common}      types:\n{types}");
    let settings = Settings::from_text::<&str>(text.as_bytes(), "test", &[]).unwrap();
    let log = EveSettings::from_settings(&settings).unwrap().remove(0);
    let environment =
        EveEnvironment { offline: true, version: "1.0".to_owned(), inline: false, firewall: false };
    let plan = EvePlan::new(&settings, &log, &[&GREETING], environment, &|text| panic!("{text}")).unwrap();
    Eve::new(Arc::new(plan), OutletId(0))
}

fn eve(types: &str) -> Eve {
    eve_with("", types)
}

#[test]
fn types_without_effect_are_told_of() {
    let names = "alert files flow stream stream_tcp greeting engine telnet fileinfo packet verdict";
    let types: String = names.split(' ').map(|name| format!("        - {name}\n")).collect();
    let text = format!("%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n{types}");
    let settings = Settings::from_text::<&str>(text.as_bytes(), "test", &[]).unwrap();
    let log = EveSettings::from_settings(&settings).unwrap().remove(0);
    let told = RefCell::new(Vec::new());
    let tell = |text| told.borrow_mut().push(text);
    EvePlan::new(&settings, &log, &[&GREETING], EveEnvironment::default(), &tell).unwrap();
    let expected = ["fileinfo", "packet", "verdict"]
        .map(|name| format!("No protocol writes records of type {name}: it is left out"));
    assert_eq!(told.into_inner(), expected);
}

/// The header of the TCP sample.
const TCP: &str = r#""vlan":[7],"src_ip":"10.0.0.1","src_port":1234,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","ip_v":4,"pkt_src":"wire/pcap","traffic":{"label":["seen"]},"metadata":{"flowints":{"count":3},"flowbits":["traffic/label/seen"]}"#;

/// The line without its flow's id, which depends on the key's hash.
fn without_id(line: &str) -> String {
    let Some(start) = line.find("\"flow_id\":") else { return line.trim_end().to_owned() };
    let end = start + line[start..].find(',').unwrap() + 1;
    format!("{}{}", &line[..start], line[end..].trim_end())
}

#[test]
fn alerts() {
    let line = without_id(&Sample::new(&samples::tcp_packet()).alert_lines(
        Action::Alert,
        &mut eve("        - alert:\n            payload: yes\n            payload-printable: yes\n            payload-length: yes\n"),
    ));
    let expected = [
        r#"{"timestamp":"2023-11-14T22:13:20.000001+0000","pcap_cnt":5,"event_type":"alert","#,
        TCP,
        r#","alert":{"action":"allowed","gid":1,"signature_id":42,"rev":3,"signature":"a \"message\"","category":"","severity":3,"metadata":{"tag":["a","c"],"by":["b"]}},"#,
        r#""app_proto":"http","app_proto_tc":"ssh","direction":"to_server","#,
        r#""flow":{"pkts_toserver":0,"pkts_toclient":0,"bytes_toserver":0,"bytes_toclient":0,"start":"2023-11-14T22:13:20.000001+0000","src_ip":"10.0.0.1","dest_ip":"10.0.0.2","src_port":1234,"dest_port":80},"#,
        r#""payload":"R0VUIC8A","payload_length":6,"payload_printable":"GET /.","stream":0}"#,
    ]
    .concat();
    assert_eq!(line, expected);
}

#[test]
fn actions_of_alerts() {
    let cases = [
        (Action::Alert, false, "allowed"),
        (Action::Drop, false, "allowed"),
        (Action::Drop, true, "blocked"),
        (Action::RejectBoth, false, "blocked"),
    ];
    for (action, inline, expected) in cases {
        let alert = samples::alert(action);
        assert_eq!(super::types::action_name(&alert, true, inline), expected, "{action:?}");
    }
}

struct Pieces;

impl StreamPayload for Pieces {
    fn pieces(&self, _: weir_base::Direction, visit: &mut dyn FnMut(PayloadPiece<'_>) -> bool) {
        let _ = visit(PayloadPiece::Data(b"VERY"))
            && visit(PayloadPiece::Gap(4))
            && visit(PayloadPiece::Data(b"DATA"));
    }
}

#[test]
fn stream_payload_notes_gaps() {
    let mut format = eve("        - alert:\n            payload-printable: yes\n            metadata: no\n");
    let rule = samples::rule(Action::Alert);
    let mut alert = samples::alert(Action::Alert);
    alert.stream_match = true;
    let line = Sample::new(&samples::tcp_packet()).lines(&mut format, |cx, log| {
        let record = AlertRecord { stream: Some(&Pieces), ..samples::alert_record(&alert, &rule) };
        log(cx, &Record::Alert(record));
    });
    assert!(line.ends_with("\"payload_printable\":\"VERY[4 bytes missing]DATA\",\"stream\":1}\n"), "{line}");
}

#[test]
fn anomalies() {
    let cases = [
        (
            AnomalyRecord::Decode { event: "ipv4.opt_pad_required" },
            r#""anomaly":{"type":"decode","event":"decoder.ipv4.opt_pad_required"}}"#,
        ),
        (
            AnomalyRecord::Stream { event: "pkt_invalid_timestamp" },
            r#""anomaly":{"type":"stream","event":"stream.pkt_invalid_timestamp"}}"#,
        ),
        (
            AnomalyRecord::Application { layer: "proto_parser", event: "malformed", transaction: None },
            r#""anomaly":{"app_proto":"http","type":"applayer","event":"malformed","layer":"proto_parser"}}"#,
        ),
    ];
    for (record, expected) in cases {
        let mut format = eve(
            "        - anomaly:\n            types:\n              decode: yes\n              stream: yes\n",
        );
        let line = Sample::new(&samples::tcp_packet())
            .lines(&mut format, |cx, log| log(cx, &Record::Anomaly(record)));
        let head = r#"{"timestamp":"2023-11-14T22:13:20.000001+0000","pcap_cnt":5,"event_type":"anomaly","#;
        assert_eq!(without_id(&line), format!("{head}{TCP},{expected}"));
    }
}

#[test]
fn flows() {
    let mut format = eve_with("      community-id: yes\n      metadata: no\n", "        - flow\n");
    let line = Sample::new(&samples::tcp_packet()).lines(&mut format, |cx, log| {
        let mut flow = cx.flow.unwrap();
        flow.tcp = Some(TcpSummary {
            state: Some("syn_sent"),
            flags: PerDirection { to_server: 2, to_client: 0 },
            gap: PerDirection { to_server: false, to_client: true },
            max_regions: PerDirection { to_server: 1, to_client: 1 },
        });
        let cx = RecordContext { flow: Some(flow), ..*cx };
        let end = FlowEndRecord {
            transactions: Some(2),
            exception_policies: &[("stream_midstream", "ignore")],
            ..FlowEndRecord::default()
        };
        log(&cx, &Record::FlowEnd(end));
    });
    let expected = [
        r#"{"timestamp":"2023-11-14T22:13:20.000001+0000","event_type":"flow","vlan":[7],"#,
        r#""src_ip":"10.0.0.1","src_port":1234,"dest_ip":"10.0.0.2","dest_port":80,"ip_v":4,"proto":"TCP","app_proto":"http","app_proto_tc":"ssh","#,
        r#""flow":{"pkts_toserver":0,"pkts_toclient":0,"bytes_toserver":0,"bytes_toclient":0,"#,
        r#""start":"2023-11-14T22:13:20.000001+0000","end":"2023-11-14T22:13:20.000001+0000","age":0,"state":"new","reason":"unknown","alerted":false,"#,
        r#""exception_policy":[{"target":"stream_midstream","policy":"ignore"}],"tx_cnt":2},"#,
        r#""community_id":"1:YxVnVVjzuyXQqSCKQ6LxVjGqfFc=","#,
        r#""tcp":{"tcp_flags":"02","tcp_flags_ts":"02","tcp_flags_tc":"00","syn":true,"state":"syn_sent","tc_gap":true,"ts_max_regions":1,"tc_max_regions":1}}"#,
    ]
    .concat();
    let (line, expected) = (without_id(&line), expected);
    let cut = |text: &str| {
        let start = text.find("\"community_id\"").unwrap();
        let end = start + text[start..].find(',').unwrap();
        format!("{}{}", &text[..start], &text[end..])
    };
    assert_eq!(cut(&line), cut(&expected));
}

#[test]
fn drops() {
    let mut format = eve_with(
        "      metadata: no\n",
        "        - drop:\n            alerts: yes\n            verdict: yes\n",
    );
    let rule = samples::rule(Action::Drop);
    let alert = samples::alert(Action::Drop);
    let record = DropRecord {
        reason: "rules",
        alert: Some((&alert, &rule)),
        verdict: Verdict::default(),
        repeated: false,
    };
    let line = Sample::new(&samples::icmp_packet()).lines(&mut format, |cx, log| {
        log(cx, &Record::Drop(record));
        log(cx, &Record::Drop(DropRecord { repeated: true, ..record }));
    });
    assert_eq!(line.lines().count(), 1, "a flow's direction is told of once");
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["drop"]["reason"], "rules");
    assert_eq!(value["drop"]["icmp_seq"], 2);
    assert_eq!((&value["icmp_type"], &value["icmp_code"]), (&8.into(), &0.into()));
    assert_eq!(value["alert"]["signature_id"], 42);
    assert_eq!(value["verdict"]["action"], "alert");
}

#[test]
fn statistics_are_nested() {
    let mut format = eve("        - stats:\n            deltas: yes\n            null-values: no\n");
    assert!(format.wants().has(RecordKind::Stats));
    let totals = [("decoder.pkts", 5, 2), ("a.b.c", 1, 1), ("a.b_d", 2, 0), ("decoder.event.x", 0, 0)]
        .map(|(name, value, previous)| Counter { name: name.to_owned(), value, previous });
    let record = StatsRecord { uptime_secs: 9, totals: &totals, threads: &[], engines: &[] };
    let line = samples::written(|out| {
        format.record(
            &RecordContext::at(Position::new(samples::TIME, 1), samples::TIME),
            &Record::Stats(record),
            out,
        );
    });
    assert_eq!(
        line.trim_end(),
        r#"{"timestamp":"2023-11-14T22:13:20.000001+0000","event_type":"stats","stats":{"uptime":9,"a":{"b":{"c":1,"c_delta":0},"b_d":2,"b_d_delta":2},"decoder":{"pkts":5,"pkts_delta":3}}}"#
    );
}

#[test]
fn statistics_tell_of_the_rules() {
    let mut format = eve("        - stats\n");
    let totals = ["detect.alert", "detect.deep.detect"].map(|name| Counter {
        name: name.to_owned(),
        value: 1,
        previous: 0,
    });
    let engine =
        DetectEngine { id: 0, loaded_at: samples::TIME, rules_loaded: 3, rules_failed: 2, rules_skipped: 1 };
    let record = StatsRecord { uptime_secs: 9, totals: &totals, threads: &[], engines: &[engine] };
    let line = samples::written(|out| {
        format.record(
            &RecordContext::at(Position::new(samples::TIME, 1), samples::TIME),
            &Record::Stats(record),
            out,
        );
    });
    assert_eq!(
        line.trim_end(),
        r#"{"timestamp":"2023-11-14T22:13:20.000001+0000","event_type":"stats","stats":{"uptime":9,"detect":{"engines":[{"id":0,"last_reload":"2023-11-14T22:13:20.000001+0000","rules_loaded":3,"rules_failed":2,"rules_skipped":1}],"alert":1,"deep":{"detect":1}}}}"#
    );
}

#[test]
fn options_of_all_records() {
    let mut format = eve_with(
        "      ethernet: yes\n      pcap-file: yes\n      suricata-version: yes\n      prefix: \"@cee: \"\n      metadata: no\n",
        "        - alert:\n            metadata: no\n            packet: yes\n",
    );
    let alert = samples::alert(Action::Alert);
    let rule = samples::rule(Action::Alert);
    let facts = CaptureFacts::of("a.pcap".into());
    let line = Sample::new(&samples::tcp_packet()).lines(&mut format, |cx, log| {
        let cx = RecordContext { capture: Some(&facts), ..*cx };
        let record = samples::alert_record(&alert, &rule);
        log(&cx, &Record::Alert(record));
    });
    let value: serde_json::Value = serde_json::from_str(line.strip_prefix("@cee: ").unwrap()).unwrap();
    assert_eq!(value["ether"]["src_mac"], "02:00:00:00:00:01");
    assert_eq!(value["ether"]["dest_mac"], "02:00:00:00:00:02");
    assert_eq!(value["pcap_filename"], "a.pcap");
    assert_eq!(value["suricata_version"], "1.0");
    assert_eq!(value["packet_info"]["linktype_name"], "EN10MB");
    assert!(value["packet"].is_string() && value.get("flow").is_none());
}

#[test]
fn contexts_of_alerts() {
    let context = |key: &str, json: &str| AlertContext { key: key.into(), json: json.into() };
    let two = [context("bad", r#"{"ip":"10.0.0.1","since":2024}"#), context("names", "{}")];
    let cases: [(&[AlertContext], serde_json::Value); 2] = [
        (&[], serde_json::Value::Null),
        (&two, serde_json::json!({"bad": {"ip": "10.0.0.1", "since": 2024}, "names": {}})),
    ];
    let (alert, rule) = (samples::alert(Action::Alert), samples::rule(Action::Alert));
    for (contexts, expected) in cases {
        let mut format = eve("        - alert\n");
        let line = Sample::new(&samples::tcp_packet()).lines(&mut format, |cx, log| {
            let record = AlertRecord { contexts, ..samples::alert_record(&alert, &rule) };
            log(cx, &Record::Alert(record));
        });
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["alert"]["context"], expected);
        assert_eq!(value["alert"].get("context").is_some(), !contexts.is_empty());
    }
}

#[test]
fn transactions() {
    let cases = [
        (greeting(3, None), Some(("10.0.0.1", 3))),
        (greeting(4, Some(Direction::ToServer)), Some(("10.0.0.1", 4))),
        (greeting(5, Some(Direction::ToClient)), Some(("10.0.0.2", 5))),
        (greeting(9, None), None),
    ];
    for (transaction, expected) in cases {
        let mut format = eve("        - greeting\n");
        assert!(format.wants_protocol(&GREETING) && format.wants().has(RecordKind::Transaction));
        let record = TransactionRecord { protocol: &GREETING, transaction: &transaction };
        let line = Sample::new(&samples::tcp_packet())
            .lines(&mut format, |cx, log| log(cx, &Record::Transaction(record)));
        let Some((source, id)) = expected else {
            assert_eq!(line, "");
            continue;
        };
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["event_type"], "greeting");
        assert_eq!((&value["src_ip"], &value["tx_id"]), (&source.into(), &id.into()));
        assert_eq!(value["hello"], serde_json::json!({"port": 80, "extended": false}));
    }
    assert!(!eve("        - flow\n").wants_protocol(&GREETING));
}

#[test]
fn files() {
    let settings = FileSettings { md5: true, sha256: true, ..FileSettings::default() };
    let mut file = File::open(0, b"a\xff.txt".to_vec(), Direction::ToClient, Timestamp(1), &settings);
    file.append(b"abc", Timestamp(2));
    file.store_requested = true;
    file.close(FileState::Closed);
    let transaction = greeting(7, None);
    let record = FileRecord { file: &file, protocol: &GREETING, transaction: &transaction };
    let line = Sample::new(&samples::tcp_packet())
        .lines(&mut eve("        - files\n"), |cx, log| log(cx, &Record::File(record)));
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&value["src_ip"], &value["src_port"]), (&"10.0.0.2".into(), &80.into()));
    assert_eq!((&value["app_proto"], &value["hello"]["extended"]), (&"greeting".into(), &true.into()));
    let expected = serde_json::json!({
        "filename": "a\\xff.txt",
        "gaps": false,
        "state": "CLOSED",
        "md5": "900150983cd24fb0d6963f7d28e17f72",
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "stored": false,
        "storing": true,
        "size": 3,
        "tx_id": 7,
    });
    assert_eq!(value["fileinfo"], expected);
}
