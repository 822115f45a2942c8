//! Zeek's logs, beside files of the same run: the same records, each with its log as `_path`, in the order of its log.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use weir_applayer::{Endpoints, Transport, ZeekConnection, ZeekStream, ZeekType, ZeekValue};
use weir_base::{Position, Timestamp};
use weir_config::{PipelineSettings, Settings};
use weir_output::sinks::network::PipelineReport;
use weir_output::{
    Environment, LogError, LogWriter, Order, Outputs, ZeekEncoding, ZeekFiles, ZeekForm, ZeekTimes,
};
use weir_testkit::TestFolder;

use super::bulk::{listen, serve};
use super::redis::Redis;
use super::syslog::framed;

const CONN: ZeekStream =
    ZeekStream { name: "conn", connection: true, columns: &[("number", ZeekType::Count)] };
const DNS: ZeekStream = ZeekStream { name: "dns", connection: true, columns: &[("number", ZeekType::Count)] };
/// Rows of no connection.
const STATS: ZeekStream =
    ZeekStream { name: "stats", connection: false, columns: &[("number", ZeekType::Count)] };

/// Rows of a run.
const ROWS: u64 = 300;

/// Records by log, in their order.
type Logs = BTreeMap<String, Vec<Value>>;

/// Result of a run that writes files and sends the same.
struct Run {
    /// The records of the files, each with the log that it is of.
    written: Logs,
    pipeline: PipelineReport,
    told: Vec<String>,
}

/// Writes rows of three logs to files, and to where these lines of an output send them.
fn run(folder: &Path, lines: &str) -> Run {
    let text = format!("%YAML 1.1\n---\nzeek:\n  {}\n", lines.replace('\n', "\n  "));
    let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).expect("settings");
    let pipeline = PipelineSettings::of_zeek(&settings.section("zeek")).expect("settings that can be used");
    let environment = Environment { log_folder: Some(folder.to_owned()), ..Environment::default() };
    let mut outputs = Outputs::from_settings(&settings, &[], &environment).expect("outputs");
    let form = |encoding| ZeekForm { encoding, times: ZeekTimes::Iso8601 };
    let places = [
        ZeekFiles { form: form(ZeekEncoding::Json), ..ZeekFiles::default() },
        ZeekFiles { form: form(ZeekEncoding::JsonWithPath), pipeline, ..ZeekFiles::default() },
    ];
    let streams: [&'static ZeekStream; 3] = [&CONN, &DNS, &STATS];
    let logs = outputs.add_logs(&places, (&streams, &[]));
    let (sender, told) = crossbeam_channel::unbounded();
    let tell = move |error: &LogError| sender.send(error.to_string()).unwrap_or_default();
    let writer = LogWriter::start(outputs.take_outlets(), 1, Order::Arrival, tell).expect("a log thread");
    let mut out = writer.outlets(0);
    let ends = ["10.0.0.1", "10.0.0.2"].map(|address| address.parse().expect("an address"));
    let endpoints = Endpoints {
        client: ends[0],
        client_port: 1,
        server: ends[1],
        server_port: 53,
        transport: Transport::Udp,
    };
    for number in 0..ROWS {
        let uid = format!("C{}", number % 7);
        let time = Timestamp::new(1_700_000_000 + number, 0);
        let connection = ZeekConnection { endpoints: &endpoints, start: time, uid: uid.as_bytes() };
        let at = (&mut out, Position::new(time, number));
        logs.row(at, streams[(number % 3) as usize], Some(&connection), time, &[ZeekValue::Count(number)]);
    }
    out.finish();
    let report = writer.finish();
    let expected = ["conn", "dns", "stats"].map(|log| (log.to_owned(), ROWS / 3));
    assert_eq!(logs.written(&report), expected);
    let reports: Vec<_> = report.outlets.into_iter().filter_map(|outlet| outlet.pipeline).collect();
    let [pipeline] = &reports[..] else { panic!("one target, not {reports:?}") };
    let read = |log: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{log}.log"))).expect("a log");
        let record = |line| {
            let mut record: Value = serde_json::from_str(line).expect("a record");
            record["_path"] = json!(log);
            record
        };
        (log.to_owned(), text.lines().map(record).collect())
    };
    Run {
        written: ["conn", "dns", "stats"].into_iter().map(read).collect(),
        pipeline: pipeline.clone(),
        told: told.try_iter().collect(),
    }
}

/// Sorts records by their logs.
fn by_log(records: impl IntoIterator<Item = Value>) -> Logs {
    let mut logs = Logs::new();
    for record in records {
        let log = record["_path"].as_str().expect("a log").to_owned();
        logs.entry(log).or_default().push(record);
    }
    logs
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// Holds that a target has what the files have.
fn check(run: &Run, arrived: Logs, what: &str) {
    assert_eq!((run.pipeline.sent, run.pipeline.lost, &run.told), (ROWS, 0, &vec![]), "{what}");
    assert_eq!(arrived, run.written, "{what}");
}

#[test]
fn redis_has_a_list_of_all_logs_or_one_of_each() {
    let folder = TestFolder::new("zeek-redis");
    let Some(redis) = Redis::start(&folder.join("."), &[]) else { return };
    for (key, lists) in [
        ("", &["zeek"][..]),
        ("key: zeek:%{log}", &["zeek:conn", "zeek:dns", "zeek:stats"]),
        ("async: no\n  key: \"%{log}\"", &["conn", "dns", "stats"]),
    ] {
        let lines = format!(
            "filetype: redis\nspool:\n  wait-at-end: 60\nredis:\n  mode: rpush\n  port: {}\n  {key}",
            redis.port
        );
        let run = run(&folder.join("logs"), lines.trim_end());
        let arrived = lists.iter().map(|list| redis.ask(&["LRANGE", list, "0", "-1"]));
        check(&run, by_log(arrived.flat_map(|list| parsed(&list))), key);
        assert_eq!(redis.ask(&["DBSIZE"]).trim(), lists.len().to_string());
        redis.ask(&["FLUSHALL"]);
        std::fs::remove_dir_all(folder.join("logs")).expect("the logs go");
    }
}

/// Nobody is there for a whole run. All logs wait in one spool, and the next run sends them.
#[test]
fn logs_wait_in_one_spool() {
    let folder = TestFolder::new("zeek-away");
    let mut redis = Redis::stopped(&folder.join("."), &[]);
    let lines = |wait: u32| {
        format!(
            "filetype: redis\nspool:\n  wait-at-end: {wait}\nredis:\n  mode: rpush\n  port: {}\n  key: zeek:%{{log}}",
            redis.port
        )
    };
    let (now, later) = (lines(0), lines(60));
    let first = run(&folder.join("first"), &now.replace("spool:", "spool:\n  dir: ../spool"));
    assert_eq!((first.pipeline.sent, first.pipeline.left, first.pipeline.lost), (0, ROWS, 0));
    let said =
        format!("{ROWS} records for redis://127.0.0.1:{} (list zeek:%{{log}}) were not taken", redis.port);
    assert!(first.told.iter().any(|line| line.starts_with(&said)), "{:?}", first.told);
    if !redis.up() {
        eprintln!("redis-server is not installed: the later run is not tested");
        return;
    }
    let second = run(&folder.join("second"), &later.replace("spool:", "spool:\n  dir: ../spool"));
    assert_eq!((second.pipeline.sent, second.pipeline.left, second.told), (2 * ROWS, 0, vec![]));
    for (log, rows) in first.written {
        let list = parsed(&redis.ask(&["LRANGE", &format!("zeek:{log}"), "0", "-1"]));
        assert_eq!(list, [rows, second.written[&log].clone()].concat(), "{log}");
    }
}

#[test]
fn bulk_requests_name_an_index_for_each_log() {
    for (more, day) in [("", "2023.11.14"), ("\n  index: z-%{log}\n  gzip: yes", "")] {
        let folder = TestFolder::new("zeek-bulk");
        let (listener, url) = listen();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&taken);
        serve(listener, move |request| {
            seen.lock().unwrap().extend(request.records());
            Some((200, json!({"errors": false})))
        });
        let lines = format!("filetype: http\nspool:\n  wait-at-end: 60\nhttp:\n  url: {url}{more}");
        let run = run(&folder.join("logs"), &lines);
        let taken = taken.lock().unwrap();
        for (index, record) in taken.iter() {
            let log = record["_path"].as_str().unwrap();
            let name = if day.is_empty() { format!("z-{log}") } else { format!("zeek-{log}-{day}") };
            assert_eq!(*index, name);
        }
        check(&run, by_log(taken.iter().map(|(_, record)| record.clone())), more);
    }
}

#[test]
fn messages_of_syslog_have_the_log_as_their_kind() {
    let folder = TestFolder::new("zeek-syslog");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    let receiver = std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let record = |message: String| {
            let words: Vec<&str> = message.splitn(8, ' ').collect();
            let record: Value = serde_json::from_str(words[7]).unwrap();
            assert_eq!(
                (words[1], words[3], words[5]),
                (record["ts"].as_str().unwrap(), "zeek", record["_path"].as_str().unwrap())
            );
            record
        };
        std::iter::from_fn(|| framed(&mut stream)).map(record).collect::<Vec<_>>()
    });
    let lines = format!("filetype: syslog\nspool:\n  wait-at-end: 60\nsyslog:\n  server: tcp://{server}");
    let run = run(&folder.join("logs"), &lines);
    check(&run, by_log(receiver.join().unwrap()), "syslog");
}

#[cfg(feature = "kafka")]
#[test]
fn kafka_has_a_topic_of_all_logs_or_one_of_each() {
    let folder = TestFolder::new("zeek-kafka");
    let Some(kafka) = super::kafka::Kafka::start(&folder.join("node")) else { return };
    for (topic, topics) in
        [("", &["zeek"][..]), ("topic: zeek-%{log}", &["zeek-conn", "zeek-dns", "zeek-stats"])]
    {
        let lines = format!(
            "filetype: kafka\nspool:\n  wait-at-end: 60\nkafka:\n  brokers: 127.0.0.1:{}\n  {topic}",
            kafka.port
        );
        let run = run(&folder.join("logs").join(topics[0]), lines.trim_end());
        let mut arrived = Vec::new();
        for (key, line) in topics.iter().flat_map(|topic| kafka.messages(topic)) {
            let record: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(key.as_deref(), record["uid"].as_str());
            arrived.push(record);
        }
        check(&run, by_log(arrived), topics[0]);
    }
}
